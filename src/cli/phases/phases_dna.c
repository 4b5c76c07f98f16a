/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle phases --dna": the letters of each node that has phases. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/letter.h"
#include "base/fail.h"
#include "cli/phases/actions.h"
#include "report/phases/letters_report.h"

/* The same letters with the ids of their codes sorted; letters is owned. */
static int sort_codes(const struct wtl_alphabet *alphabet, struct wtl_alphabet *ret_sorted)
{
    size_t count = alphabet->count;
    *ret_sorted = *alphabet;
    ret_sorted->letters = calloc(count ? count : 1, sizeof *ret_sorted->letters);
    if (!ret_sorted->letters)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct wtl_letter *letter = &ret_sorted->letters[i];
        *letter = alphabet->letters[i];
        letter->code = wtl_letter_sorted(letter->code);
        if (alphabet->codes && !letter->idle)
            wtl_letter_text(letter->code, letter->name, sizeof letter->name);
    }
    return 0;
}

int wtl_phases_dna(const struct wtl_dna_request *request,
                   const struct wtl_phase_study *study,
                   FILE *out,
                   struct wattle_error *err)
{
    struct wtl_alphabet sorted = {.columns = 0};
    struct wtl_dna_document document = {.alphabet = request->alphabet, .step_s = request->step_s};
    int rc = 0;
    document.nodes = calloc(study->count, sizeof *document.nodes);
    if (!document.nodes || (request->sorted && sort_codes(request->alphabet, &sorted) < 0))
        rc = wtl_no_memory_for(err, "the letters");
    assert(rc < 0 || document.nodes);
    if (rc == 0 && request->sorted)
        document.alphabet = &sorted;
    for (size_t i = 0; rc == 0 && i < study->count; i++) {
        const struct wtl_phase_node *node = &study->nodes[i];
        struct wtl_dna_node *added = &document.nodes[document.count];
        if (node->why.text[0])
            continue;
        added->name = *node->name ? node->name : "node";
        rc = wtl_dna_of_phases(&node->rows, &node->phases, request->step_s, &added->dna, err);
        document.count += rc == 0;
        document.step_s = rc == 0 ? added->dna.step_s : 0; /* of whole rows */
    }
    rc = rc < 0 ? rc : wtl_report_dna(out, request->format, &document, err);
    for (size_t i = 0; i < document.count; i++)
        wtl_dna_fini(&document.nodes[i].dna);
    free(document.nodes);
    free(sorted.letters);
    return rc;
}

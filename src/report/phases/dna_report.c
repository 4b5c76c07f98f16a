/* SPDX-License-Identifier: BSD-3-Clause */
/* The letters of a run: see letters_report.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/flush.h"
#include "report/json_value.h"
#include "report/phases/letters_report.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

struct dna_row {
    const struct wtl_dna_document *document;
    const struct wtl_dna_node *node;
    const struct wtl_base *base;
    double begin_s;
};

static const struct dna_row *row_of(const void *of)
{
    return of;
}

WTL_MEMBER_GET(letter)
{
    const struct wtl_alphabet *alphabet = row_of(of)->document->alphabet;
    uint16_t letter = row_of(of)->base->letter;
    wtl_value_text(ret, letter < alphabet->count ? alphabet->letters[letter].name : NULL);
}

WTL_MEMBER_GET(energy)
{
    const struct wtl_base *base = row_of(of)->base;
    wtl_value_number(ret, base->known_s > 0 ? base->energy_j : (double)NAN);
}

/* Half of its interval, where that is known. */
static double half_of(const struct wtl_base *base)
{
    return base->known_s > 0 && base->half_j > 0 ? base->half_j : (double)NAN;
}

WTL_MEMBER_GET(energy_low)
{
    const struct wtl_base *base = row_of(of)->base;
    double low = base->energy_j - half_of(base);
    wtl_value_number(ret, low < 0 && base->energy_j >= 0 ? 0 : low);
}

WTL_MEMBER_GET(energy_high)
{
    const struct wtl_base *base = row_of(of)->base;
    wtl_value_number(ret, base->energy_j + half_of(base));
}

#define BASE(field) WTL_NUMBER_AT(struct wtl_base, field), WTL_VIA(struct dna_row, base)

static const struct wtl_member of_base[] = {
    {"letter", WTL_MEMBER_TEXT, .nullable = true, .get = letter, .csv = 2,
     .meaning = "its name; null: like none of the alphabet"},
    {"begin_s", WTL_NUMBER_AT(struct dna_row, begin_s), .csv = 3,
     .meaning = "after the first row of the node"},
    {"duration_s", BASE(duration_s), .csv = 4, .meaning = "its length"},
    {"energy_j", WTL_MEMBER_NUMBER, .nullable = true, .get = energy, .csv = 5,
     .meaning = "energy while power is known"},
    {"energy_low_j", WTL_MEMBER_NUMBER, .nullable = true, .get = energy_low, .csv = 7,
     .meaning =
         "its interval, as that of a phase; null: not stated, as with letters of fixed length"},
    {"energy_high_j", WTL_MEMBER_NUMBER, .nullable = true, .get = energy_high, .csv = 8,
     .meaning = "likewise"},
    {"known_s", BASE(known_s), .csv = 6, .meaning = "for how long power is known"},
    {.key = NULL}};
static const struct wtl_noun base_noun = {"letter of a node", of_base};

static bool next_base(const void *of, size_t *cursor, struct wtl_value *ret)
{
    struct dna_row row = *row_of(of);
    if (*cursor >= row.node->dna.count)
        return false;
    for (size_t i = 0; i < *cursor; i++)
        row.begin_s += row.node->dna.list[i].duration_s;
    row.base = &row.node->dna.list[(*cursor)++];
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

WTL_MEMBER_GET(node_name)
{
    wtl_value_text(ret, row_of(of)->node->name);
}

static const struct wtl_member of_node[] = {
    {"node", WTL_MEMBER_TEXT, .get = node_name, .meaning = "its name"},
    {"letters", WTL_MEMBER_LIST, .next = next_base, .of = &base_noun,
     .meaning = "in the order of time; below"},
    {.key = NULL}};
static const struct wtl_noun node_noun = {"letters of a run's node", of_node};

static bool next_node(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_dna_document *document = of;
    if (*cursor >= document->count)
        return false;
    struct dna_row row = {.document = document, .node = &document->nodes[(*cursor)++]};
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

WTL_MEMBER_GET(set)
{
    const char *name = ((const struct wtl_dna_document *)of)->alphabet->set;
    wtl_value_text(ret, *name ? name : NULL);
}

WTL_MEMBER_GET(step)
{
    double step_s = ((const struct wtl_dna_document *)of)->step_s;
    wtl_value_number(ret, step_s > 0 ? step_s : (double)NAN);
}

static const struct wtl_member of_dna[] = {
    {"counter_set", WTL_MEMBER_TEXT, .nullable = true, .get = set,
     .meaning = "of the letters; null: unknown"},
    {"step_s", WTL_MEMBER_NUMBER, .nullable = true, .get = step,
     .meaning = "length of each letter; null: as long as their phases"},
    {"nodes", WTL_MEMBER_LIST, .next = next_node, .of = &node_noun,
     .meaning = "those that have phases; below"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_dna = {"dna", of_dna};

static const unsigned char base_columns[] = {2, 3, 4, 5, 7, 8, 6};
static const struct wtl_member of_row[] = {
    {"node", WTL_MEMBER_TEXT, .get = node_name, .csv = 1, .meaning = "name of the node"},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &base_noun, .csv_all = base_columns},
    {.key = NULL}};
const struct wtl_noun wtl_noun_dna_row = {"dna row", of_row};
/* NOLINTEND(bugprone-macro-parentheses) */

static void write_csv(FILE *out, const struct wtl_dna_document *document)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "wattle.dna/1", &wtl_noun_dna_row);
    for (size_t i = 0; i < document->count; i++) {
        struct dna_row row = {.document = document, .node = &document->nodes[i]};
        for (size_t k = 0; k < row.node->dna.count; k++) {
            row.base = &row.node->dna.list[k];
            wtl_noun_csv_row(&sheet, columns, &wtl_noun_dna_row, &row);
            row.begin_s += row.base->duration_s;
        }
    }
    wtl_row_writer_end(&sheet);
}

static int write_text(FILE *out, const struct wtl_dna_document *document)
{
    for (size_t i = 0; i < document->count; i++) {
        char *text = wtl_dna_text(&document->nodes[i].dna, document->alphabet);
        if (!text)
            return -ENOMEM;
        (void)fprintf(out, "%s: %s\n", document->nodes[i].name, text);
        free(text);
    }
    return 0;
}

int wtl_report_dna(FILE *out,
                   enum wtl_format format,
                   const struct wtl_dna_document *document,
                   struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_TEXT)
        rc = write_text(out, document);
    else if (format == WTL_FORMAT_JSON)
        rc = wtl_json_print(out, wtl_noun_document("wattle.dna/1", &wtl_noun_dna, document));
    else
        write_csv(out, document);
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(out, err);
}

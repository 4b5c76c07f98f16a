/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a recorded host's dialogues: refused with a message, or rows that are found and have answers. And any
 * bytes as a request: their text parses back to the same request. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/world/dialogue.h"
#include "base/world/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_answers(const struct wtl_dialogue *dialogue)
{
    static const uint64_t instants[] = {0, 1, 1500000000, UINT64_C(1) << 62};
    uint8_t bytes[WTL_DIALOGUE_BYTES], block[8], behind[3];
    const struct wtl_ioctl_part part = {0, behind, sizeof behind};
    const struct wtl_ioctl call = {1, block, sizeof block, &part, 1};
    for (size_t i = 0; i < dialogue->count; i++) {
        const struct wtl_answer *row = &dialogue->rows[i], *found = NULL;
        for (size_t k = 0; k < sizeof instants / sizeof *instants; k++) {
            if (wtl_dialogue_find(dialogue, row->peer, row->request, instants[k], &found) == 0 ||
                strcmp(found->request, row->request) != 0)
                abort();
            if (row->kind == WTL_ANSWER_BYTES &&
                wtl_dialogue_bytes(row, instants[k], bytes, sizeof bytes) > (ssize_t)sizeof bytes)
                abort();
            if (row->kind == WTL_ANSWER_IOCTL)
                (void)wtl_dialogue_answer(row, instants[k], &call);
        }
        if (!wtl_dialogue_has(dialogue, row->peer))
            abort();
    }
}

static void try_request(const uint8_t *data, size_t size)
{
    static char text[WTL_DIALOGUE_TEXT], row[2 * WTL_DIALOGUE_TEXT];
    struct wtl_dialogue dialogue;
    struct wattle_error err = {""};
    if (wtl_dialogue_text(data, size, text, sizeof text) < 0)
        return;
    int n = snprintf(row, sizeof row, "0\ta\t%s\t%s\n", text, text);
    if (wtl_dialogue_parse(row, (size_t)n, &dialogue, &err) < 0 || dialogue.count != 1)
        abort();
    wtl_dialogue_fini(&dialogue);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wattle_error err = {""};
    struct wtl_dialogue dialogue = {0};
    if (size == 0)
        return 0;
    int rc = wtl_dialogue_parse((const char *)data, size, &dialogue, &err);
    if (rc < 0 && (dialogue.rows || !err.text[0]))
        abort();
    try_answers(&dialogue);
    wtl_dialogue_fini(&dialogue);
    try_request(data, size);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Letters of the paper: see letter.h. */
#include "analysis/phases/letter.h"

#include <errno.h>
#include <stdio.h>

int wtl_letter_code(const uint8_t rank[WTL_LETTER_IDS], uint16_t *ret_code)
{
    unsigned code = 0, seen = 0;
    for (size_t i = 0; i < WTL_LETTER_IDS; i++) {
        if (rank[i] > 15 || (seen & 1u << rank[i]))
            return -EINVAL;
        seen |= 1u << rank[i];
        code = code << 4 | rank[i];
    }
    *ret_code = (uint16_t)code;
    return 0;
}

int wtl_letter_ids(uint16_t code, uint8_t ret_rank[WTL_LETTER_IDS])
{
    uint8_t rank[WTL_LETTER_IDS];
    uint16_t same;
    for (size_t i = 0; i < WTL_LETTER_IDS; i++)
        rank[i] = (uint8_t)(code >> 4 * (WTL_LETTER_IDS - 1 - i) & 15);
    if (wtl_letter_code(rank, &same) < 0)
        return -EINVAL;
    for (size_t i = 0; i < WTL_LETTER_IDS; i++)
        ret_rank[i] = rank[i];
    return 0;
}

uint16_t wtl_letter_sorted(uint16_t code)
{
    uint8_t rank[WTL_LETTER_IDS];
    unsigned set = 0, sorted = 0;
    if (wtl_letter_ids(code, rank) < 0)
        return code;
    for (size_t i = 0; i < WTL_LETTER_IDS; i++)
        set |= 1u << rank[i];
    for (unsigned id = 0; id < 16; id++) {
        if (set & 1u << id)
            sorted = sorted << 4 | id;
    }
    return (uint16_t)sorted;
}

bool wtl_letter_is_sorted(uint16_t code)
{
    return wtl_letter_sorted(code) == code;
}

void wtl_letter_text(uint16_t code, char *buf, size_t n)
{
    if (code == WTL_LETTER_XXX)
        (void)snprintf(buf, n, "XXX");
    else
        (void)snprintf(buf, n, "%u", (unsigned)code);
}

void wtl_letter_name(size_t i, char *buf, size_t n)
{
    char text[WTL_LETTER_TEXT];
    size_t at = sizeof text - 1;
    text[at] = '\0';
    for (i++; i > 0 && at > 0; i = (i - 1) / 26)
        text[--at] = (char)('A' + (i - 1) % 26);
    (void)snprintf(buf, n, "%s", text + at);
}

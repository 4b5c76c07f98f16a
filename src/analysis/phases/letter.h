/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Letters of the paper: a phase by the four counters that follow its power best. Four ids of four bits, the strongest
 * first: 0x451c = 17692 is (4, 5, 1, 12). The order is part of the code; two phases with the same four counters in
 * another order are the same behaviour, which is what the sorted code is for. No code has an id twice, so 0 is free for
 * XXX: idle, or not known well enough.
 */
#ifndef WTL_ANALYSIS_PHASES_LETTER_H
#define WTL_ANALYSIS_PHASES_LETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WTL_LETTER_IDS  4  /* counters in a letter */
#define WTL_LETTER_XXX  0  /* the code of idle */
#define WTL_LETTER_TEXT 32 /* bytes of a name or a code as text, with NUL */

/* The code of four different ids 0 to 15. 0, or -EINVAL. */
int wtl_letter_code(const uint8_t rank[WTL_LETTER_IDS], uint16_t *ret_code);

/* The ids of a code, the strongest first. 0; -EINVAL for XXX and for a code with a repeated id. */
int wtl_letter_ids(uint16_t code, uint8_t ret_rank[WTL_LETTER_IDS]);

/* The code with its ids sorted: equal for equal sets. XXX and codes that are not letters are returned as they are. */
uint16_t wtl_letter_sorted(uint16_t code);
bool wtl_letter_is_sorted(uint16_t code);

/* "17692", or "XXX". */
void wtl_letter_text(uint16_t code, char *buf, size_t n);

/* The name of letter i of an alphabet found from data: A to Z, AA to AZ, BA ... ZZZ. */
void wtl_letter_name(size_t i, char *buf, size_t n);

#endif

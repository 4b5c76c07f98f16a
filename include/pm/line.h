/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of lines of a pmlib device: 128 bits, as in the protocol. Included by pmlib.h. */
#ifndef PMLIB_LINE_H
#define PMLIB_LINE_H

#ifdef __cplusplus
extern "C" {
#endif

#define LINE_SETSIZE 16 /* bytes */

typedef struct {
    char bits[LINE_SETSIZE]; /* line i: bit i % 8 of byte i / 8, from the lowest */
} line_t;

typedef line_t mask_t; /* its name in the papers */

/* Lines from 0 to 127; others are ignored, and are not in a set. */
int pm_line_is_set(int line, const line_t *set);
void pm_line_change(int line, line_t *set, int add);
line_t pm_line_and(line_t a, line_t b);
void pm_line_fill(line_t *set, int all);

#define LINE_SET(line, set)    pm_line_change((line), (set), 1)
#define LINE_CLR(line, set)    pm_line_change((line), (set), 0)
#define LINE_ISSET(line, set)  pm_line_is_set((line), (set))
#define LINE_SET_ALL(set)      pm_line_fill((set), 1)
#define LINE_CLR_ALL(set)      pm_line_fill((set), 0)
#define LINE_AND(result, a, b) ((void)(*(result) = pm_line_and((a), (b))))

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a verb is, for a person who waits at a terminal: on stderr, with the time that is left. */
#ifndef WTL_CLI_PROGRESS_H
#define WTL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct wtl_progress {
    bool shown, lines, drawn;
    uint64_t begin_ns;
    /* Of wtl_progress_step(). */
    const char *step;
    uint64_t step_ns, next_ns;
};

/* Shown if wanted and stderr is a terminal. lines: each on a separate line from 2 s on, since a command prints, too; otherwise
 * one line is overwritten. */
void wtl_progress_begin(struct wtl_progress *progress, bool wanted, bool lines);

/* part: of the work that is done, 0 to 1; NaN = unknown. */
void wtl_progress_show(struct wtl_progress *progress, double part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where a verb itself works through files: "nodes: 12 of 300, about 4 s left". It may be called often: nothing is shown before 2 s,
 * then at most ten times a second. step: a constant; the time left is that of the step. Large numbers are shown in percent; all 0 =
 * unknown. */
void wtl_progress_step(struct wtl_progress *progress,
                       const char *step,
                       uint64_t done,
                       uint64_t all);

/* Before anything else is printed, and at the end. */
void wtl_progress_clear(struct wtl_progress *progress);

#endif

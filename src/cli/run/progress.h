/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a verb is, for a person who waits at a terminal: on stderr, with the time that is left. */
#ifndef WTL_CLI_PROGRESS_H
#define WTL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct wtl_progress {
    bool shown, lines;
    uint64_t begin_ns;
};

/* Shown if wanted and stderr is a terminal. lines: each on a line of its own from 2 s on, since a command prints, too; else
 * one line is written over. */
void wtl_progress_begin(struct wtl_progress *progress, bool wanted, bool lines);

/* part: of the work that is done, 0 to 1; NaN = unknown. */
void wtl_progress_show(const struct wtl_progress *progress, double part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Before anything else is printed, and at the end. */
void wtl_progress_clear(const struct wtl_progress *progress);

#endif

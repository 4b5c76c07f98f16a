/* SPDX-License-Identifier: BSD-3-Clause */
/* A change as text: what "wattle compare", "wattle ab" and "wattle check" print alike. Errors of the stream stay in it. */
#ifndef WTL_REPORT_TEXT_CHANGE_H
#define WTL_REPORT_TEXT_CHANGE_H

#include <stdio.h>

#include "analysis/compare/change.h"
#include "report/style.h"
#include "report/table.h"

/* Both sides and the table of time, energy and power; style->verbose: of all. 0 or -ENOMEM. */
int wtl_text_change(FILE *out, const struct wtl_style *style, const struct wtl_change *change);

/* The verdicts on its rows. Those of a check are its own. */
void wtl_text_change_verdict(FILE *out,
                             const struct wtl_style *style,
                             const struct wtl_change *change);

/* After the verdict: what the energy is, and the flags of the runs. */
void wtl_text_change_energy(FILE *out,
                            const struct wtl_style *style,
                            const struct wtl_change *change);

/* The end: the method; style->verbose: what other methods say, and each run. 0 or -ENOMEM. */
int wtl_text_change_end(FILE *out, const struct wtl_style *style, const struct wtl_change *change);

/* A paragraph of the text: formatted, at most 1023 bytes. */
void wtl_text_note(FILE *out,
                   const struct wtl_style *style,
                   enum wtl_emphasis emphasis,
                   const char *label,
                   const char *format,
                   ...) __attribute__((format(printf, 5, 6)));

/* "-3.1 % (-3.6 .. -2.6 %)", "-3.1 %" where the interval is unknown; into buf, which is returned. */
char *wtl_digits_change(char *buf, size_t n, const struct wtl_interval *ratio);

/* Its interval: "-3.6 .. -2.6 %", "unknown", "unbounded". */
char *wtl_digits_change_range(char *buf, size_t n, const struct wtl_interval *ratio);

#endif

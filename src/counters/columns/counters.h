/* SPDX-License-Identifier: BSD-3-Clause */
/* Driver `counters`, for those who describe what it counts: see counters.c. */
#ifndef WTL_COUNTERS_COUNTERS_H
#define WTL_COUNTERS_COUNTERS_H

#include "source/driver.h"

extern const struct wtl_driver wtl_driver_counters;

/* Keys and values about the set of an open source of this driver, as docs/format/trace.md has them. */
typedef void wtl_counters_emit_fn(void *context, const char *key, const char *value);
void wtl_counters_describe(const struct wtl_source *source,
                           wtl_counters_emit_fn *emit,
                           void *context);

/* After the last read: which columns were multiplexed, as metadata; and in one sentence with the smallest share, "" if
 * none was. Also after the source's threads have ended only. */
void wtl_counters_multiplexed(const struct wtl_source *source,
                              char *list,
                              size_t n,
                              char *sentence,
                              size_t sentence_n);

/* One sentence for the user: how many columns are missing, the first reason and remedy; false if none is. */
bool wtl_counters_complaint(const struct wtl_source *source, char *sentence, size_t n);

/* The root of the measured process tree has ended and was not waited for yet: its counts are read for the last time. */
void wtl_counters_ending(struct wtl_source *source);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags: what may speak against a result. Their names stand here and nowhere else, and flag.c has them with their meaning in the
 * order in which a result shows them, worst first. A trace may have others, of another version.
 */
#ifndef WTL_MODEL_FLAG_H
#define WTL_MODEL_FLAG_H

#include <stdbool.h>
#include <stddef.h>

#define WTL_FLAG_DAMAGED            "DAMAGED"
#define WTL_FLAG_UNFINISHED         "UNFINISHED"
#define WTL_FLAG_INCOMPLETE         "INCOMPLETE"
#define WTL_FLAG_MISSING            "MISSING"
#define WTL_FLAG_LEFT_OUT           "LEFT OUT"
#define WTL_FLAG_FAILED_RUN         "FAILED RUN"
#define WTL_FLAG_INTERRUPTED        "INTERRUPTED"
#define WTL_FLAG_MIXED_RUNS         "MIXED RUNS"
#define WTL_FLAG_MIXED              "MIXED"
#define WTL_FLAG_ESTIMATES_LEFT_OUT "ESTIMATES_LEFT_OUT"
#define WTL_FLAG_RANKS              "RANKS"
#define WTL_FLAG_SEVERAL_TRACES     "SEVERAL_TRACES"
#define WTL_FLAG_IMPORT_FAULTS      "IMPORT_FAULTS"
#define WTL_FLAG_TAKEN_OVER         "TAKEN OVER"
#define WTL_FLAG_REPLAYED           "REPLAYED"
#define WTL_FLAG_SUSPENDED          "SUSPENDED"
#define WTL_FLAG_THROTTLED          "THROTTLED"
#define WTL_FLAG_CAPPED             "CAPPED"
#define WTL_FLAG_GOVERNOR_CHANGED   "GOVERNOR CHANGED"
#define WTL_FLAG_NOT_ALONE          "NOT ALONE"
#define WTL_FLAG_NOT_CHECKED        "NOT CHECKED"
#define WTL_FLAG_EDGES_LOST         "EDGES LOST"
#define WTL_FLAG_END_LATE           "END LATE"
#define WTL_FLAG_RANKS_WENT_ON      "RANKS WENT ON"
#define WTL_FLAG_RANKS_WITHOUT_WORD "RANKS WITHOUT WORD"
#define WTL_FLAG_RANKS_MISSING      "RANKS MISSING"
#define WTL_FLAG_REGIONS_LOST       "REGIONS LOST"
#define WTL_FLAG_PARTIAL            "PARTIAL"
#define WTL_FLAG_NO_TRACE           "NO TRACE"
#define WTL_FLAG_NOT_SHOWN          "NOT_SHOWN"

struct wtl_flag_kind {
    const char *name, *meaning; /* meaning: the first sentence of wattle(1) */
    bool of_trace;              /* the trace itself is not whole, or not to be read whole */
};

/* Worst first; NULL behind the last. */
const struct wtl_flag_kind *wtl_flag_kind(size_t i);

/* The place of a name among them; behind them all where it is none of them. */
size_t wtl_flag_rank(const char *name);

/* Of a trace that cannot be read whole. */
bool wtl_flag_is_of_trace(const char *name);

#endif

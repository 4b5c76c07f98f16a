/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags: reasons why a result may be wrong or incomplete. Their names are defined only here; flag.c has their
 * meanings, in the order in which a result shows them, worst first. A trace of another version may contain
 * others.
 */
#ifndef WTL_MODEL_FLAG_H
#define WTL_MODEL_FLAG_H

#include <stdbool.h>
#include <stddef.h>

#define WTL_FLAG_DAMAGED            "DAMAGED"
#define WTL_FLAG_UNFINISHED         "UNFINISHED"
#define WTL_FLAG_INCOMPLETE         "INCOMPLETE"
#define WTL_FLAG_CORRECTED          "CORRECTED"
#define WTL_FLAG_PART_TIME          "PART TIME"
#define WTL_FLAG_STEP_UNKNOWN       "STEP UNKNOWN"
#define WTL_FLAG_CONTRADICTORY      "CONTRADICTORY"
#define WTL_FLAG_MISSING            "MISSING"
#define WTL_FLAG_LEFT_OUT           "LEFT OUT"
#define WTL_FLAG_FAILED_RUN         "FAILED RUN"
#define WTL_FLAG_INTERRUPTED        "INTERRUPTED"
#define WTL_FLAG_MIXED_RUNS         "MIXED RUNS"
#define WTL_FLAG_MIXED              "MIXED"
#define WTL_FLAG_ESTIMATES_LEFT_OUT "ESTIMATES_LEFT_OUT"
#define WTL_FLAG_RANKS              "RANKS"
#define WTL_FLAG_SEVERAL_TRACES     "SEVERAL_TRACES"
#define WTL_FLAG_ASSUMED            "ASSUMED"
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
#define WTL_FLAG_SLOW_UPDATES       "SLOW UPDATES"
#define WTL_FLAG_END_LATE           "END LATE"
#define WTL_FLAG_RANKS_WENT_ON      "RANKS WENT ON"
#define WTL_FLAG_RANKS_WITHOUT_WORD "RANKS WITHOUT WORD"
#define WTL_FLAG_RANKS_MISSING      "RANKS MISSING"
#define WTL_FLAG_REGIONS_LOST       "REGIONS LOST"
#define WTL_FLAG_NO_TASKS           "NO TASKS"
#define WTL_FLAG_TASKS_CUT          "TASKS CUT"
#define WTL_FLAG_TASKS_UNSEEN       "TASKS UNSEEN"
#define WTL_FLAG_MERGED_TYPES       "MERGED TYPES"
#define WTL_FLAG_PARTIAL            "PARTIAL"
#define WTL_FLAG_MULTIPLEXED        "MULTIPLEXED"
#define WTL_FLAG_NO_TRACE           "NO TRACE"
#define WTL_FLAG_NOT_SHOWN          "NOT_SHOWN"

struct wtl_flag_kind {
    const char *name, *meaning; /* meaning: the first sentence of wattle(1) */
    bool of_trace;              /* the trace itself is incomplete or cannot be read completely */
};

/* Worst first; NULL after the last. */
const struct wtl_flag_kind *wtl_flag_kind(size_t i);

/* The rank of a name; unknown names rank after all others. */
size_t wtl_flag_rank(const char *name);

/* Whether it is a flag of a trace that cannot be read completely. */
bool wtl_flag_is_of_trace(const char *name);

#endif

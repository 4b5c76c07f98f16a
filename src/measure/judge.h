/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Judge: what speaks against a measurement that a program makes of itself, by the same rules as that of "wattle run"
 * (counters/flags.h), into its trace.
 *
 *     wtl_judge_begin(&judge, world);                        when the window opens
 *     wtl_judge_end(&judge, &facts, writer);                 when it is closed, before the footer
 */
#ifndef WTL_MEASURE_JUDGE_H
#define WTL_MEASURE_JUDGE_H

#include <stdint.h>

#include "base/world.h"
#include "counters/governor.h"
#include "record/session.h"
#include "source/select.h"
#include "trace/writer.h"

struct wtl_judge {
    const struct wtl_world *world;
    struct wtl_governor before;
};

struct wtl_judge_facts {
    const struct wtl_selection *selection;
    struct wtl_session *session; /* ended; NULL = nothing was sampled */
    uint64_t window_ns;
    double
        tree_cpu_s; /* CPU time of the processes that are measured, wattle's threads in them included; NaN = not known */
};

/* User and system time of this process and of its children that it has waited for. */
double wtl_judge_cpu_s(void);

/* Counters of the total whose ticks at a border of the window were not seen. session may be NULL. */
double wtl_judge_edges_lost(const struct wtl_selection *selection, struct wtl_session *session);

void wtl_judge_begin(struct wtl_judge *judge, const struct wtl_world *world);

/* One flag NOT CHECKED says so where it is not known whether others ran beside. What cannot be written is the writer's to
 * tell; without memory there are no flags. */
void wtl_judge_end(const struct wtl_judge *judge,
                   const struct wtl_judge_facts *facts,
                   struct wtl_trace_writer *writer);

/* The same flag where nothing can be judged; why: the end of its sentence. */
void wtl_judge_unchecked(struct wtl_trace_writer *writer, const char *why);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of a run: see phase.h. */
#include "analysis/phases/phase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static const char *const method_names[WTL_PHASE_METHOD_COUNT] = {[WTL_PHASE_FOCUS] = "focus",
                                                                 [WTL_PHASE_NP_FOCUS] = "np-focus",
                                                                 [WTL_PHASE_PELT] = "pelt",
                                                                 [WTL_PHASE_PAPER] = "paper"};

const char *wtl_phase_method_name(enum wtl_phase_method method)
{
    return (unsigned)method < WTL_PHASE_METHOD_COUNT ? method_names[method] : "?";
}

int wtl_phase_method_of(const char *name)
{
    for (int i = 0; i < WTL_PHASE_METHOD_COUNT; i++)
        if (strcmp(method_names[i], name) == 0)
            return i;
    return -ENOENT;
}

struct wtl_phase_options wtl_phase_options_default(void)
{
    return (struct wtl_phase_options){.method = WTL_PHASE_FOCUS,
                                      .false_alarms_per_row = 1e-6,
                                      .window = WTL_PHASE_GROWING,
                                      .relevance = WTL_PHASE_TOP,
                                      .top = WTL_PHASE_RANKS,
                                      .significance = 0.05};
}

double wtl_phase_seconds(const struct wtl_counter_rows *rows, const struct wtl_phase *phase)
{
    return (double)(wtl_counter_rows_end(rows, phase->last) -
                    wtl_counter_rows_begin(rows, phase->first)) *
           1e-9;
}

int wtl_phases_find(const struct wtl_counter_rows *rows,
                    const struct wtl_phase_options *options,
                    struct wtl_phase_list *ret_phases,
                    struct wattle_error *err)
{
    (void)rows;
    (void)options;
    (void)ret_phases;
    return wtl_fail(err, -ENOSYS, "phases cannot be found yet");
}

void wtl_phases_fini(struct wtl_phase_list *phases)
{
    free(phases->list);
    *phases = (struct wtl_phase_list){0};
}

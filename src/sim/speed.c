/* SPDX-License-Identifier: BSD-3-Clause */
/* The speed of a program on the simulated node: see speed.h. */
#include "sim/speed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

#define LONGEST_REST_NS 1e9

enum variable { BY_F, BY_BASE, BY_TOP, VARIABLES };

static const char *const variables[VARIABLES] = {"f", "base", "top"};

/* Linpack computes all the time; a network test mostly waits; a stream waits for the memory until the cores become too
 * slow to keep it busy. */
static const struct {
    const char *name, *text;
} presets[] = {
    {"linpack", "1/(0.1+0.9*top/f)"},
    {"network", "1/(0.85+0.15*top/f)"},
    {"memory", "1/(0.95+0.05*top/f+max(0,0.35*(0.7*top/f-1)))"},
};

int wtl_speed_compile(const char *text, struct wtl_expression **ret, struct wattle_error *err)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (strcmp(text, presets[i].name) == 0)
            text = presets[i].text;
    }
    struct wattle_error why = {""};
    int rc = wtl_expression_compile(text, variables, VARIABLES, ret, &why);
    return rc < 0
               ? wtl_fail(err, rc, "--speed %s: %s; or one of the presets linpack, network, memory",
                          text, why.text)
               : 0;
}

double wtl_speed_of(const struct wtl_expression *speed, const struct wtl_node *node)
{
    double low, top;
    if (!speed)
        return 1;
    wtl_sim_knobs_range(wtl_node_knobs(node), &low, &top);
    double values[VARIABLES] = {
        [BY_F] = wtl_node_influence(node).f, [BY_BASE] = wtl_node_config(node)->f, [BY_TOP] = top};
    double value = wtl_expression_value(speed, values);
    return isfinite(value) ? fmin(fmax(value, WTL_SPEED_LEAST), 1) : 1;
}

uint64_t wtl_duty_rest_ns(struct wtl_duty *duty, double speed, uint64_t ran_ns)
{
    if (speed >= 1)
        duty->owed_ns = 0; /* a lower speed of the past is over */
    else
        duty->owed_ns += (double)ran_ns * (1 / speed - 1);
    return duty->owed_ns <= 0 ? 0 : (uint64_t)fmin(duty->owed_ns, LONGEST_REST_NS);
}

void wtl_duty_rested(struct wtl_duty *duty, uint64_t rested_ns)
{
    duty->owed_ns -= (double)rested_ns;
}

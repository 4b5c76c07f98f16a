/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle-sim run" as a description of the node. */
#ifndef WTL_SIM_SIM_OPTIONS_H
#define WTL_SIM_SIM_OPTIONS_H

#include <wattle/error.h>

#include "sim/node.h"
#include "sim/node_tree.h"
#include "sim/phases/pmu.h"
#include "sim/programs/programs.h"
#include "sim/tasks/task_follow.h"

struct wtl_sim_options {
    struct wtl_node_config node;
    struct wtl_tree_config tree;
    unsigned load_us;     /* interval at which the load is measured */
    const char *log_path; /* NULL = none; points into argv */
    char **command;       /* points into argv; NULL-terminated */
    bool help;
    struct wtl_expression *powers[WTL_NODE_DOMAINS]; /* owned */
    size_t power_count;
    struct wtl_sim_track *track;       /* of --phases; owned; NULL = none */
    struct wtl_sim_follow *follow;     /* of --tasks; owned; NULL = none */
    struct wtl_sim_programs *programs; /* of --programs; owned; NULL = none */
    struct wtl_sim_pmu_config pmu;     /* of --perf */
    bool perf_given, perf_none;
    bool perf_host;               /* perf events are the machine's */
    struct wtl_sim_gpus gpus;     /* of --gpu */
    struct wtl_expression *speed; /* of wtl_speed_compile(); owned; NULL = as fast as the machine */
};

/*
 * Parse the arguments after "run"; cpus is the number of logical CPUs. Returns 0; -EINVAL with the
 * remedy; -ENOMEM. Always call wtl_sim_options_fini().
 */
int wtl_sim_options_parse(struct wtl_sim_options *options,
                          int argc,
                          char **argv,
                          int cpus,
                          struct wattle_error *err);
void wtl_sim_options_fini(struct wtl_sim_options *options);

#endif

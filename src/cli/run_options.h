/* SPDX-License-Identifier: BSD-3-Clause */
/* What was asked of "wattle run": its command line, checked. */
#ifndef WTL_CLI_RUN_OPTIONS_H
#define WTL_CLI_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/config.h"
#include "cli/job.h"
#include "cli/options.h"
#include "model/labels.h"
#include "report/report.h"

extern const struct wtl_option wtl_run_option_table[];

/* The rows that other verbs have, too, which run a command: all under one id, for
 * wtl_run_options_set() by name. */
#define WTL_RUN_OPTION_ROWS(id)                                                                   \
    {id, 'i', "interval", "DUR", "sample every DUR (default 100ms); \"1ms\", \"0.5s\""},          \
        {id, 's', "sensor", "LIST",                                                               \
         "use only these sensors: NAME[:key=value],...\n\"wattle sensors\" lists them"},          \
        {id, 0, "warmup", "N", "run each command N times before, unmeasured (default 1)"},        \
        {id, 0, "cooldown", "DUR", "pause DUR before each run"},                                  \
        {id, 0, "require", "measured", "fail before the start when there is only an estimate"},   \
        {id, 0, "sampler-cpu", "N",                                                               \
         "pin the sampler to CPU N (default: a CPU that the\ncommands cannot use, when there is " \
         "one)"},                                                                                 \
        {id, 0, "no-edges", NULL, "do not wait for the counters' ticks at the borders"},          \
        {id, 0, "force", NULL, "replace files that are there"},                                   \
    {                                                                                             \
        id, 'q', "quiet", NULL, "print no progress and no warnings"                               \
    }

struct wtl_run_options {
    const struct wtl_command *command; /* for what is told: "run", or a verb that shares these */
    uint64_t interval_ns;
    const char *sensors; /* NULL = what is there */
    const char *output;  /* NULL = the default name */
    bool force, no_trace, sync, quiet, edges, all, require_measured;
    bool ignore_failure; /* a run of a series that fails counts as any other */
    const char *result;  /* FILE or fd:N; NULL = stderr */
    enum wtl_format format;
    unsigned repeat, warmup;
    uint64_t cooldown_ns, idle_ns, duration_ns, print_ns, delay_ns;
    pid_t pid;
    const char *cgroup;
    double work; /* NaN = not given */
    const char *work_unit;
    struct wtl_labels labels;
    int sampler_cpu; /* WTL_SAMPLER_CPU_AUTO */
    enum wtl_job_mpi mpi;
    const char *host; /* a recorded host; NULL = this machine */
    char **argv;      /* the command; NULL = none */
};

/*
 * Read the command line on top of the defaults in *options. Returns 0; or, with *ret_exit set to
 * the exit status, 1 when everything is said (--help, or a usage error that was told).
 */
int wtl_run_options_parse(struct wtl_run_options *options, int argc, char **argv, int *ret_exit);

/* One setting of [run] in the configuration, by the name of its option ("interval"), checked as on
 * the command line. 0, or -EINVAL once told. */
int wtl_run_options_set(struct wtl_run_options *options, const char *name, const char *value);

/* [run] of the configuration: options by their names, and yes or no for the words. 0, or -EINVAL
 * once told. */
int wtl_run_options_configure(struct wtl_run_options *options, const struct wtl_config *config);

/* The defaults, of "run". */
void wtl_run_options_init(struct wtl_run_options *options);

#endif

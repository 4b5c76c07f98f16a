/* SPDX-License-Identifier: BSD-3-Clause */
/* What was asked of "wattle run": its command line, checked. */
#ifndef WTL_CLI_RUN_OPTIONS_H
#define WTL_CLI_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/config/config.h"
#include "cli/control/hold_options.h"
#include "cli/run/job.h"
#include "cli/run/on_phase.h"
#include "cli/verb.h"
#include "model/labels.h"
#include "report/report.h"
#include "source/driver.h"

extern const struct wtl_option wtl_run_option_table[];

/* Fields take no parentheses: NOLINTBEGIN(bugprone-macro-parentheses) */
/* Rows shared by verbs that measure, for a request T with these fields. */
#define WTL_RUN_OPTION_INTERVAL(T, field)                                              \
    {                                                                                  \
        'i', "interval", "DUR", "sample every DUR (default 100ms); \"1ms\", \"0.5s\"", \
            WTL_TAKES_INTERVAL(T, field, 1)                                            \
    }
#define WTL_RUN_OPTION_SENSOR(T, field)                                                    \
    {                                                                                      \
        's', "sensor", "LIST",                                                             \
            "use only these sensors: NAME[:key=value],...\n\"wattle sensors\" lists them", \
            WTL_TAKES_INPUT(T, field)                                                      \
    }
#define WTL_RUN_OPTION_OUTPUT(T, field)                                  \
    {                                                                    \
        'o', "output", "FILE",                                           \
            "write the trace to FILE, or to the folder FILE/\n(default " \
            "wattle-HOST-TIME-PID.wtl)",                                 \
            WTL_TAKES_FILE(T, field)                                     \
    }
#define WTL_RUN_OPTION_FORCE(T, field)                                   \
    {                                                                    \
        0, "force", NULL, "overwrite existing files", WTL_SETS(T, field) \
    }
#define WTL_RUN_OPTION_SYNC(T, field)                                                            \
    {                                                                                            \
        0, "sync", NULL, "sync the trace to disk, to survive power failures", WTL_SETS(T, field) \
    }
#define WTL_RUN_OPTION_COOLDOWN(T, field)                                                  \
    {                                                                                      \
        0, "cooldown", "DUR", "pause DUR before each run", WTL_TAKES_DURATION(T, field, 0) \
    }
#define WTL_RUN_OPTION_REQUIRE(T, field)                                               \
    {                                                                                  \
        0, "require", "measured", "fail before the start if energy is only estimated", \
            WTL_TAKES_WORD(T, field, wtl_require_names)                                \
    }
#define WTL_RUN_OPTION_SAMPLER_CPU(T, field)                                                  \
    {                                                                                         \
        0, "sampler-cpu", "N",                                                                \
            "pin the sampler to CPU N (default: a CPU that the\ncommand cannot use, if any)", \
            WTL_CALLS(T, field, wtl_run_take_sampler_cpu)                                     \
    }
#define WTL_RUN_OPTION_NO_EDGES(T, field)                                        \
    {                                                                            \
        0, "no-edges", NULL, "do not wait for counter updates at start and end", \
            WTL_CLEARS(T, field)                                                 \
    }
/* Those of verbs that run a command several times; run is a struct wtl_run_options in T. */
#define WTL_RUN_OPTION_ROWS(T, run)                                                            \
    WTL_RUN_OPTION_INTERVAL(T, run.interval_ns), WTL_RUN_OPTION_SENSOR(T, run.sensors),        \
        {0, "warmup", "N", "first run each command N times unmeasured\n(default 1)",           \
         WTL_TAKES_UNSIGNED(T, run.warmup, 0, 100000)},                                        \
        WTL_RUN_OPTION_COOLDOWN(T, run.cooldown_ns),                                           \
        WTL_RUN_OPTION_REQUIRE(T, run.require_measured),                                       \
        WTL_RUN_OPTION_SAMPLER_CPU(T, run.sampler_cpu), WTL_RUN_OPTION_NO_EDGES(T, run.edges), \
        WTL_RUN_OPTION_FORCE(T, run.force),                                                    \
    {                                                                                          \
        'q', "quiet", NULL, "print no progress and no warnings", WTL_SETS(T, run.quiet)        \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/* --sampler-cpu: a CPU that this process may use. */
wtl_option_take wtl_run_take_sampler_cpu;

extern const char *const wtl_require_names[]; /* "measured" */

struct wtl_run_options {
    const struct wtl_command
        *command; /* for messages: "run", or a verb that shares these options */
    uint64_t interval_ns;
    const char *sensors; /* NULL = all available */
    const char *trace_dir,
        *trace_dir_origin; /* folder of traces without -o, and its origin; NULL */
    const char *output;    /* NULL = the default name */
    bool force, no_trace, sync, quiet, verbose, edges, all, require_measured;
    bool record;         /* a row for "wattle jobs" */
    bool ignore_failure; /* failed runs of a series count like any other */
    const char *result;  /* FILE or fd:N; NULL = stderr */
    enum wtl_format format;
    unsigned repeat, warmup;
    unsigned passes; /* at shifted phases of a gauge, then repeat is the same; 0 = none */
    uint64_t cooldown_ns, idle_ns, duration_ns, print_ns, delay_ns;
    pid_t pid;
    const char *cgroup;
    struct wtl_on_phase_options on_phase;
    const char *counters; /* a counter set by its name; NULL = none */
    uint64_t counters_interval_ns;
    enum wtl_counted counters_scope;
    double work; /* NaN = not given */
    const char *work_unit;
    struct wtl_labels labels;
    int sampler_cpu; /* WTL_SAMPLER_CPU_AUTO */
    struct wtl_tools tools;
    const char *host;           /* a recorded host; NULL = this machine */
    struct wtl_hold_words hold; /* settings of the machine */
    char **argv;                /* the command; NULL = none */
};

/* Read the command line on top of the defaults in *options. Returns WTL_GO_ON, or the exit status after a message. */
int wtl_run_options_parse(struct wtl_run_options *options, int argc, char **argv);

/* One setting of [run] in the configuration, by the name of its option ("interval"), checked as on the
 * command line. Returns 0, or -EINVAL after a message. */
int wtl_run_options_set(struct wtl_run_options *options, const char *name, const char *value);

/* [run] of the configuration: options by name, and yes or no for flags. Returns 0, or -EINVAL after a
 * message. */
int wtl_run_options_configure(struct wtl_run_options *options, const struct wtl_config *config);

/* A 32-bit seed for a random order, short enough to type. */
uint64_t wtl_run_options_seed(void);

/* The defaults, of "run". */
void wtl_run_options_init(struct wtl_run_options *options);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle run": one table, one reader, and the invalid combinations. */
#include "cli/run/run_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "analysis/gauge/gauge_energy.h"
#include "base/fail.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "model/counters/counter_set.h"
#include "record/placement.h"
#include "record/session.h"

/* Each uses a descriptor; a process usually has 1024. */
enum { MOST_OPEN_TRACES = 256, MOST_CPU = 1023 };

void wtl_run_options_init(struct wtl_run_options *options)
{
    *options = (struct wtl_run_options){.command = &wtl_run_command,
                                        .interval_ns = 100000000,
                                        .counters_interval_ns = 100000000,
                                        .repeat = 1,
                                        .on_phase = {.least_ns = WTL_ON_PHASE_LEAST_NS},
                                        .edges = true,
                                        .work = NAN,
                                        .tools = {.tasks_limit = UINT64_C(1) << 30},
                                        .sampler_cpu = WTL_SAMPLER_CPU_AUTO};
}

uint64_t wtl_run_options_seed(void)
{
    /* Fall back to the clock if getrandom() fails. */
    uint32_t seed = (uint32_t)wtl_world_monotonic(wtl_world_real());
    (void)!getrandom(&seed, sizeof seed, GRND_NONBLOCK);
    return seed;
}

/* N:UNIT */
static int take_work(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_run_options *options = place;
    char number[64];
    const char *colon = strchr(value, ':');
    size_t n = colon ? (size_t)(colon - value) : 0;
    double work;
    if (n == 0 || n >= sizeof number || !colon[1])
        return wtl_usage(
            command, "--work \"%s\": expected N:UNIT, for example 1e9:flop or 500:image", value);
    memcpy(number, value, n);
    number[n] = '\0';
    if (wtl_parse_double(number, &work) < 0 || work <= 0)
        return wtl_usage(command, "--work \"%s\": N must be a number greater than 0", value);
    options->work = work;
    options->work_unit = colon + 1;
    return 0;
}

static int take_label(const struct wtl_command *command, void *place, const char *value)
{
    struct wattle_error err;
    return wtl_labels_set(place, value, &err) < 0 ? wtl_usage(command, "--label: %s", err.text) : 0;
}

int wtl_run_take_sampler_cpu(const struct wtl_command *command, void *place, const char *value)
{
    uint64_t cpu = 0;
    int status = wtl_option_u64(command, "--sampler-cpu", value, 0, MOST_CPU, &cpu);
    int rc = status ? 0 : wtl_placement_check((int)cpu);
    if (rc < 0)
        return wtl_usage(command, "--sampler-cpu: cannot use CPU %s: %s; choose another one", value,
                         rc == -EINVAL ? "it is not online, or not in the cpuset of this process"
                                       : wtl_strerror(rc));
    if (status == 0)
        *(int *)place = (int)cpu;
    return status;
}

/* As in perf stat: a bare number is milliseconds; a unit may be given. */
static int take_delay(const struct wtl_command *command, void *place, const char *value)
{
    uint64_t ms, *delay_ns = place;
    if (wtl_parse_u64(value, &ms) < 0 || ms >= 1000000000)
        return wtl_option_duration(command, "--delay", value, false, delay_ns);
    *delay_ns = ms * 1000000;
    return 0;
}

/* Without a value: the default set. From the configuration it is never missing. */
static int take_counters(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_run_options *options = place;
    (void)command;
    options->counters = value && value[0] ? value : WTL_COUNTER_SET_DEFAULT;
    return 0;
}

static int take_tasks(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_run_options *options = place;
    if (!value || !value[0] || strcmp(value, "all") == 0)
        options->tools.tasks = WTL_TASKS_ALL;
    else if (strcmp(value, "summary") == 0)
        options->tools.tasks = WTL_TASKS_SUMMARY;
    else
        return wtl_usage(command, "--tasks=\"%s\": expected all or summary", value);
    return 0;
}

/* 1048576, 64k, 500M, 2G: powers of 1024. */
static int take_size(const struct wtl_command *command, void *place, const char *value)
{
    static const char units[] = "kMGT";
    uint64_t *ret = place, number = 0;
    int digits = wtl_scan_u64(value, strlen(value), &number);
    const char *unit = digits > 0 ? value + digits : "?";
    const char *found = unit[0] && !unit[1] ? strchr(units, unit[0]) : NULL;
    unsigned shift = found ? 10 * (unsigned)(found - units + 1) : 0;
    if ((unit[0] && !found) || number > UINT64_MAX >> shift)
        return wtl_usage(command, "\"%s\": expected a size such as 500M or 2G", value);
    *ret = number << shift;
    return 0;
}

static const char *const scope_names[] = {"auto", "machine", "tree", "cgroup", NULL};

const char *const wtl_require_names[] = {"measured", NULL};
static const char *const mpi_names[] = {"auto", "on", "off", NULL};

const struct wtl_option wtl_run_option_table[] = {
    WTL_RUN_OPTION_INTERVAL(struct wtl_run_options, interval_ns),
    WTL_RUN_OPTION_SENSOR(struct wtl_run_options, sensors),
    WTL_RUN_OPTION_OUTPUT(struct wtl_run_options, output),
    WTL_RUN_OPTION_FORCE(struct wtl_run_options, force),
    {0, "no-trace", NULL, "write no trace", WTL_SETS(struct wtl_run_options, no_trace)},
    WTL_RUN_OPTION_SYNC(struct wtl_run_options, sync),
    {0, "record", NULL, "also record the run for \"wattle jobs\"",
     WTL_SETS(struct wtl_run_options, record)},
    {0, "result", "FILE|fd:N",
     "write the result there; default: stderr, or stdout\nfor json and csv without a command",
     WTL_TAKES_TEXT(struct wtl_run_options, result)},
    WTL_OPTION_FORMAT(struct wtl_run_options, format),
    {'r', "repeat", "N", "run the command N times; print means with 95 %\nintervals",
     WTL_TAKES_UNSIGNED(struct wtl_run_options, repeat, 1, 100000)},
    {0, "passes", "N",
     "run the command N times, shifted within the period of\na GPU's part-time power sensor (12, "
     "16, "
     "20, ...)",
     WTL_TAKES_UNSIGNED(struct wtl_run_options, passes, 1, 100000)},
    {0, "ignore-failure", NULL, "continue when the command fails, and count the run",
     WTL_SETS(struct wtl_run_options, ignore_failure)},
    {0, "warmup", "N", "first run the command N times unmeasured",
     WTL_TAKES_UNSIGNED(struct wtl_run_options, warmup, 0, 100000)},
    WTL_RUN_OPTION_COOLDOWN(struct wtl_run_options, cooldown_ns),
    {0, "idle", "DUR",
     "measure the idle machine for DUR before and after,\nand print the energy above idle",
     WTL_TAKES_DURATION(struct wtl_run_options, idle_ns, 1)},
    WTL_RUN_OPTION_REQUIRE(struct wtl_run_options, require_measured),
    {'p', "pid", "PID", "measure until process PID ends",
     WTL_TAKES_INT(struct wtl_run_options, pid, 1, INT32_MAX)},
    {0, "cgroup", "PATH", "measure a control group until --duration or Ctrl-C",
     WTL_TAKES_TEXT(struct wtl_run_options, cgroup)},
    {'a', "all", NULL, "measure the machine until --duration or Ctrl-C",
     WTL_SETS(struct wtl_run_options, all)},
    {0, "duration", "DUR", "stop measuring after DUR (with -p, --cgroup, -a)",
     WTL_TAKES_DURATION(struct wtl_run_options, duration_ns, 1)},
    {'I', "print", "DUR", "print a line every DUR while measuring",
     WTL_TAKES_DURATION(struct wtl_run_options, print_ns, 1)},
    {'D', "delay", "MS", "start measuring MS milliseconds after the command",
     WTL_CALLS(struct wtl_run_options, delay_ns, take_delay)},
    {0, "counters", "[SET]",
     "also record a set of counters; \"wattle counters\"\nlists them (default: default)",
     WTL_CALLS_WITH_ALL(take_counters), .is_optional = true},
    {0, "counters-interval", "DUR", "read counters every DUR (default 100ms)",
     WTL_TAKES_INTERVAL(struct wtl_run_options, counters_interval_ns, 1000000)},
    {0, "counters-scope", "SCOPE",
     "count for auto (what is measured, the default),\nmachine, tree or cgroup",
     WTL_TAKES_CHOICE(struct wtl_run_options, counters_scope, scope_names)},
    {0, "work", "N:UNIT", "the command does N units of work; print J per UNIT",
     WTL_CALLS_WITH_ALL(take_work)},
    {0, "label", "KEY=VALUE", "label to find and group runs by; repeatable; more\nin WATTLE_LABELS",
     WTL_CALLS(struct wtl_run_options, labels, take_label)},
    WTL_RUN_OPTION_SAMPLER_CPU(struct wtl_run_options, sampler_cpu),
    WTL_RUN_OPTION_NO_EDGES(struct wtl_run_options, edges),
    WTL_HOLD_OPTION_ROWS(struct wtl_run_options, hold),
    {0, "on-phase", "CMD", "run CMD when a phase begins or is expected; requires\n--counters",
     WTL_TAKES_TEXT(struct wtl_run_options, on_phase.command)},
    {0, "on-phase-interval", "DUR", "run it at most every DUR (default 5s)",
     WTL_TAKES_DURATION(struct wtl_run_options, on_phase.least_ns, 1)},
    {0, "on-phase-ahead", "DUR", "also run it DUR before a phase that is expected",
     WTL_TAKES_DURATION(struct wtl_run_options, on_phase.ahead_ns, 1)},
    {0, "on-phase-model", "MODEL", "expect what this model of \"wattle phases learn\" knows",
     WTL_TAKES_INPUT(struct wtl_run_options, on_phase.model)},
    {0, "mpi", "auto|on|off",
     "record MPI ranks, clocks and time: under a launcher\n(auto, the default), always or never",
     WTL_TAKES_CHOICE(struct wtl_run_options, tools.mpi, mpi_names)},
    {0, "tasks", "[all|summary]",
     "record tasks, states of threads and MPI messages\n(default: all)",
     WTL_CALLS_WITH_ALL(take_tasks), .is_optional = true},
    {0, "tasks-limit", "SIZE",
     "what these may take on disk before they become a\nsummary: 500M, 2G; 0 = no limit (default "
     "1G)",
     WTL_CALLS(struct wtl_run_options, tools.tasks_limit, take_size)},
    {0, "tasks-runtime", "auto|none|PATH",
     "OpenMP runtime to preload: libomp for programs of GCC\n(auto, the default), none, or this "
     "one",
     WTL_TAKES_TEXT(struct wtl_run_options, tools.tasks_runtime)},
    {0, "tasks-counters", "SET", "read these counters at each border of a task; see --counters",
     WTL_TAKES_TEXT(struct wtl_run_options, tools.tasks_counters)},
    WTL_OPTION_VERBOSE(struct wtl_run_options, verbose),
    {'q', "quiet", NULL, "print no result and no warnings",
     WTL_SETS(struct wtl_run_options, quiet)},
    {0, "host", "DIR",
     "use a recorded host instead of this machine, in\nvirtual time; requires --all and --duration",
     WTL_TAKES_TEXT(struct wtl_run_options, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

int wtl_run_options_set(struct wtl_run_options *options, const char *name, const char *value)
{
    const struct wtl_option *row = wtl_option_find(wtl_run_option_table, name);
    return row && wtl_option_store(options->command, row, options, value) == 0 ? 0 : -EINVAL;
}

/* As in the library: overrides the configuration, overridden by --interval. Returns 0 or -EINVAL. */
static int set_interval_of_environment(struct wtl_run_options *options)
{
    const char *given = getenv("WATTLE_INTERVAL");
    return given && given[0] &&
                   wtl_option_interval(options->command, "WATTLE_INTERVAL", given, true,
                                       &options->interval_ns)
               ? -EINVAL
               : 0;
}

int wtl_run_options_configure(struct wtl_run_options *options, const struct wtl_config *config)
{
    static const char *const words[][3] = {{"sync", "yes", "sync"}, {"edges", "no", "no-edges"}};
    for (size_t i = 0; i < wtl_config_count(config); i++) {
        struct wtl_config_entry entry = wtl_config_entry(config, i);
        const char *name = entry.key->name;
        bool is_word = false;
        if (strcmp(entry.key->section, "run") != 0 || !entry.value[0] || entry.is_default)
            continue;
        if (strcmp(name, "trace-dir") == 0) {
            options->trace_dir = entry.value;
            options->trace_dir_origin = entry.origin;
            continue;
        }
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            if (strcmp(name, words[w][0]) != 0)
                continue;
            is_word = true;
            if (strcmp(entry.value, words[w][1]) == 0)
                (void)wtl_run_options_set(options, words[w][2], "");
        }
        if (!is_word && wtl_run_options_set(options, name, entry.value) < 0) {
            wtl_complain(options->command, "already set by %s", entry.origin);
            return -EINVAL;
        }
    }
    return set_interval_of_environment(options);
}

/* Exactly one target: returns 0, or the exit status of the usage error. */
static int check_target(const struct wtl_run_options *o)
{
    int targets = (o->argv != NULL) + (o->pid != 0) + (o->cgroup != NULL && !o->argv) +
                  (o->all && !o->cgroup);
    if (targets == 0)
        return wtl_usage(&wtl_run_command,
                         "nothing to measure; use -- COMMAND, -p PID, --cgroup PATH or --all");
    if (targets > 1)
        return wtl_usage(&wtl_run_command, "more than one thing to measure; use only one of a "
                                           "command, -p PID, --cgroup PATH and --all");
    return 0;
}

static int check_repeat(const struct wtl_run_options *o)
{
    const struct wtl_command *command = &wtl_run_command;
    if (!o->argv && (o->repeat > 1 || o->warmup > 0 || o->delay_ns > 0))
        return wtl_usage(command, "--repeat, --warmup and --delay require a command");
    if (o->idle_ns > 0 && !o->no_trace && o->repeat > MOST_OPEN_TRACES)
        return wtl_usage(command,
                         "--idle allows at most --repeat %d with traces; use fewer, or --no-trace",
                         MOST_OPEN_TRACES);
    return 0;
}

static int check_passes(const struct wtl_run_options *o)
{
    const struct wtl_command *command = &wtl_run_command;
    const unsigned least = WTL_GAUGE_BLOCK * WTL_GAUGE_BLOCKS;
    if (o->passes == 0)
        return 0;
    if (o->passes < least || o->passes % WTL_GAUGE_BLOCK != 0)
        return wtl_usage(command, "--passes %u: expected a multiple of %d from %u on", o->passes,
                         WTL_GAUGE_BLOCK, least);
    if (!o->argv)
        return wtl_usage(command, "--passes requires a command");
    if (o->repeat > 1 || o->idle_ns > 0 || o->delay_ns > 0)
        return wtl_usage(command, "--passes cannot be used with --repeat, --idle and --delay: it "
                                  "repeats the command and measures the idle GPU itself");
    return 0;
}

static int check_hold(const struct wtl_run_options *o)
{
    if (o->host && wtl_hold_words_ask(&o->hold))
        return wtl_usage(&wtl_run_command, "--host cannot be used with settings of this machine");
    if (o->hold.cpus && !wtl_hold_words_ask(&o->hold))
        return wtl_usage(&wtl_run_command, "--cpus requires a setting, such as --freq");
    return 0;
}

static int check_tasks(const struct wtl_run_options *o)
{
    if (o->tools.tasks == WTL_TASKS_OFF && (o->tools.tasks_runtime || o->tools.tasks_counters))
        return wtl_usage(&wtl_run_command, "--tasks-runtime and --tasks-counters require --tasks");
    if (o->tools.tasks == WTL_TASKS_OFF)
        return 0;
    if (o->tools.tasks_counters && o->tools.tasks != WTL_TASKS_ALL)
        return wtl_usage(&wtl_run_command, "--tasks-counters cannot be used with --tasks=summary");
    if (!o->argv)
        return wtl_usage(&wtl_run_command, "--tasks requires a command");
    if (o->no_trace)
        return wtl_usage(&wtl_run_command, "--tasks cannot be used with --no-trace");
    return 0;
}

static int check_on_phase(const struct wtl_run_options *o)
{
    const struct wtl_command *command = &wtl_run_command;
    const struct wtl_on_phase_options *p = &o->on_phase;
    if (!p->command && (p->model || p->ahead_ns > 0 || p->least_ns != WTL_ON_PHASE_LEAST_NS))
        return wtl_usage(command, "--on-phase-interval, --on-phase-ahead and --on-phase-model "
                                  "require --on-phase CMD");
    if (!p->command)
        return 0;
    if (!p->command[0])
        return wtl_usage(command, "--on-phase: the command is empty");
    if (!o->counters)
        return wtl_usage(command, "--on-phase requires --counters, in which phases are found");
    if (o->no_trace)
        return wtl_usage(command, "--on-phase cannot be used with --no-trace: it reads the trace");
    return o->host ? wtl_usage(command, "--on-phase cannot be used with --host") : 0;
}

static int check_counters(const struct wtl_run_options *o)
{
    if (o->counters_scope == WTL_COUNTED_CGROUP && !o->cgroup)
        return wtl_usage(&wtl_run_command, "--counters-scope cgroup requires --cgroup");
    if (o->counters_scope == WTL_COUNTED_TREE && !o->argv && !o->pid)
        return wtl_usage(&wtl_run_command, "--counters-scope tree requires a command or -p");
    return 0;
}

static int check_duration(const struct wtl_run_options *o)
{
    if (o->argv && o->duration_ns > 0)
        return wtl_usage(&wtl_run_command,
                         "--duration applies to -p, --cgroup and --all; to limit a "
                         "command use \"timeout DUR COMMAND\"");
    if (o->host && (!o->all || o->duration_ns == 0))
        return wtl_usage(&wtl_run_command,
                         "--host replays a recorded machine and requires --all and --duration DUR");
    return 0;
}

/* Check for conflicting options. Returns 0, or the exit status of the usage error. */
static int check(const struct wtl_run_options *o)
{
    const struct wtl_command *command = &wtl_run_command;
    int status = check_target(o);
    status = status ? status : check_repeat(o);
    status = status ? status : check_passes(o);
    status = status ? status : check_duration(o);
    status = status ? status : check_hold(o);
    status = status ? status : check_counters(o);
    status = status ? status : check_on_phase(o);
    status = status ? status : check_tasks(o);
    if (status)
        return status;
    if (o->quiet && o->verbose)
        return wtl_usage(command, "--quiet cannot be used with --verbose");
    if (o->no_trace && o->output)
        return wtl_usage(command, "--no-trace cannot be used with --output");
    return 0;
}

/* Labels that a script sets for all its runs; --label overrides them. Returns 0, or the exit status of the usage error. */
static int set_labels_of_environment(struct wtl_run_options *options)
{
    const char *given = getenv("WATTLE_LABELS");
    struct wattle_error err;
    if (given && wtl_labels_set_all(&options->labels, given, &err) < 0)
        return wtl_usage(options->command, "WATTLE_LABELS: %s", err.text);
    return 0;
}

int wtl_run_options_parse(struct wtl_run_options *options, int argc, char **argv)
{
    struct wtl_command_line line;
    int status = set_labels_of_environment(options);
    if (status)
        return status;
    status = wtl_command_read(options->command, argc, argv, options, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        options->argv = line.words;
    options->tools.program = options->argv ? options->argv[0] : NULL;
    options->tools.quiet = options->quiet;
    options->on_phase.quiet = options->quiet;
    status = check(options);
    if (options->passes > 0)
        options->repeat = options->passes;
    return status ? status : WTL_GO_ON;
}

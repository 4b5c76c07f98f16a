/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle run": one table, one reader, and the combinations that make no sense. */
#include "cli/run_options.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cli/commands.h"
#include "record/session.h"

enum id {
    INTERVAL = 1,
    SENSOR,
    OUTPUT,
    FORCE,
    NO_TRACE,
    SYNC,
    RESULT,
    FORMAT,
    REPEAT,
    IGNORE_FAILURE,
    WARMUP,
    COOLDOWN,
    IDLE,
    REQUIRE,
    PID,
    CGROUP,
    ALL,
    DURATION,
    PRINT,
    DELAY,
    WORK,
    LABEL,
    SAMPLER_CPU,
    NO_EDGES,
    QUIET,
    MPI,
    HOST
};

/* Each takes a descriptor, of 1024 that a process usually has. */
enum { MOST_OPEN_TRACES = 256 };

const struct wtl_option wtl_run_option_table[] = {
    {INTERVAL, 'i', "interval", "DUR", "sample every DUR (default 100ms); \"1ms\", \"0.5s\""},
    {SENSOR, 's', "sensor", "LIST",
     "use only these sensors: NAME[:key=value],...\n\"wattle sensors\" lists them"},
    {OUTPUT, 'o', "output", "FILE",
     "write the trace to FILE, or into the folder FILE/\n(default wattle-HOST-TIME-PID.wtl)"},
    {FORCE, 0, "force", NULL, "replace files that are there"},
    {NO_TRACE, 0, "no-trace", NULL, "write no trace"},
    {SYNC, 0, "sync", NULL, "let the trace survive a loss of power, too"},
    {RESULT, 0, "result", "FILE|fd:N", "print the result there instead of on stderr"},
    {FORMAT, 0, "format", "FORMAT", "text, json or csv (default text)"},
    {REPEAT, 'r', "repeat", "N", "run the command N times; means with 95 % intervals"},
    {IGNORE_FAILURE, 0, "ignore-failure", NULL, "continue and count runs whose command fails"},
    {WARMUP, 0, "warmup", "N", "run it N times before, unmeasured"},
    {COOLDOWN, 0, "cooldown", "DUR", "pause DUR before each run"},
    {IDLE, 0, "idle", "DUR",
     "measure the idle machine for DUR before and after;\nprints the energy above idle"},
    {REQUIRE, 0, "require", "measured", "fail before the start when there is only an estimate"},
    {PID, 'p', "pid", "PID", "measure while the running process PID lives"},
    {CGROUP, 0, "cgroup", "PATH", "measure beside a control group; needs --duration or Ctrl-C"},
    {ALL, 'a', "all", NULL, "measure the machine, no command; with --duration or until Ctrl-C"},
    {DURATION, 0, "duration", "DUR", "stop measuring after DUR (with -p, --cgroup, -a)"},
    {PRINT, 'I', "print", "DUR", "print a line every DUR while it runs"},
    {DELAY, 'D', "delay", "MS", "begin to measure MS milliseconds after the start"},
    {WORK, 0, "work", "N:UNIT", "the command does N units of work: prints J per UNIT"},
    {LABEL, 0, "label", "KEY=VALUE",
     "a word about the run, to find and group it by; can be\ngiven again; more come from "
     "WATTLE_LABELS"},
    {SAMPLER_CPU, 0, "sampler-cpu", "N",
     "pin the sampler to CPU N (default: a CPU that the\ncommand cannot use, when there is one)"},
    {NO_EDGES, 0, "no-edges", NULL, "do not wait for the counters' ticks at the borders"},
    {MPI, 0, "mpi", "auto|on|off",
     "ranks, clocks and time of MPI come along: under a\nlauncher (auto, the default), always, "
     "never"},
    {QUIET, 'q', "quiet", NULL, "print no result and no warnings"},
    {HOST, 0, "host", "DIR",
     "sensors of a recorded host instead of this machine's;\nonly with --all, in virtual time"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

void wtl_run_options_init(struct wtl_run_options *options)
{
    *options = (struct wtl_run_options){.command = &wtl_run_command,
                                        .interval_ns = 100000000,
                                        .repeat = 1,
                                        .edges = true,
                                        .work = NAN,
                                        .sampler_cpu = WTL_SAMPLER_CPU_AUTO};
}

static int set_unsigned(const struct wtl_command *command,
                        const char *option,
                        const char *value,
                        uint64_t least,
                        uint64_t most,
                        unsigned *ret_value)
{
    uint64_t number;
    int rc = wtl_option_u64(command, option, value, least, most, &number);
    if (rc == 0)
        *ret_value = (unsigned)number;
    return rc;
}

static int set_work(struct wtl_run_options *options, const char *value)
{
    char number[64];
    const char *colon = strchr(value, ':');
    size_t n = colon ? (size_t)(colon - value) : 0;
    double work;
    if (n == 0 || n >= sizeof number || !colon[1])
        return wtl_usage(options->command,
                         "--work \"%s\": expected N:UNIT, for example 1e9:flop or 500:image",
                         value);
    memcpy(number, value, n);
    number[n] = '\0';
    if (wtl_parse_double(number, &work) < 0 || work <= 0)
        return wtl_usage(options->command, "--work \"%s\": N must be a number greater than 0",
                         value);
    options->work = work;
    options->work_unit = colon + 1;
    return 0;
}

static int set_label(struct wtl_run_options *options, const char *value)
{
    struct wattle_error err;
    if (wtl_labels_set(&options->labels, value, &err) < 0)
        return wtl_usage(options->command, "--label: %s", err.text);
    return 0;
}

static int set_delay(struct wtl_run_options *options, const char *value)
{
    uint64_t ms;
    /* As perf stat has it: a bare number is milliseconds; a unit may be given. */
    if (wtl_parse_u64(value, &ms) == 0 && ms < 1000000000) {
        options->delay_ns = ms * 1000000;
        return 0;
    }
    return wtl_option_duration(options->command, "--delay", value, false, &options->delay_ns);
}

static int set_pid(struct wtl_run_options *options, const char *value)
{
    uint64_t pid;
    int rc = wtl_option_u64(options->command, "--pid", value, 1, INT32_MAX, &pid);
    if (rc == 0)
        options->pid = (pid_t)pid;
    return rc;
}

static int set_require(struct wtl_run_options *options, const char *value)
{
    static const char *const names[] = {"measured", NULL};
    size_t choice;
    int rc = wtl_option_choice(options->command, "--require", value, names, &choice);
    options->require_measured |= rc == 0;
    return rc;
}

static int set_mpi(struct wtl_run_options *options, const char *value)
{
    static const char *const names[] = {"auto", "on", "off", NULL};
    size_t choice;
    int rc = wtl_option_choice(options->command, "--mpi", value, names, &choice);
    if (rc == 0)
        options->mpi = (enum wtl_job_mpi)choice;
    return rc;
}

static int set_number(struct wtl_run_options *options, int id, const char *value)
{
    const struct wtl_command *command = options->command;
    unsigned cpu = 0;
    int rc;
    switch (id) {
    case INTERVAL:
        return wtl_option_duration(command, "--interval", value, true, &options->interval_ns);
    case REPEAT:
        return set_unsigned(command, "--repeat", value, 1, 100000, &options->repeat);
    case WARMUP:
        return set_unsigned(command, "--warmup", value, 0, 100000, &options->warmup);
    case COOLDOWN:
        return wtl_option_duration(command, "--cooldown", value, false, &options->cooldown_ns);
    case IDLE:
        return wtl_option_duration(command, "--idle", value, true, &options->idle_ns);
    case DURATION:
        return wtl_option_duration(command, "--duration", value, true, &options->duration_ns);
    case PRINT:
        return wtl_option_duration(command, "--print", value, true, &options->print_ns);
    case DELAY:
        return set_delay(options, value);
    case PID:
        return set_pid(options, value);
    case SAMPLER_CPU:
        rc = set_unsigned(command, "--sampler-cpu", value, 0, 1023, &cpu);
        options->sampler_cpu = rc == 0 ? (int)cpu : options->sampler_cpu;
        return rc;
    case LABEL:
        return set_label(options, value);
    default:
        return set_work(options, value);
    }
}

static void set_plain(struct wtl_run_options *options, int id, const char *value)
{
    const char **texts[] = {[SENSOR] = &options->sensors,
                            [OUTPUT] = &options->output,
                            [RESULT] = &options->result,
                            [CGROUP] = &options->cgroup,
                            [HOST] = &options->host};
    if (value) {
        assert(texts[id]); /* the others take no value */
        *texts[id] = value;
        return;
    }
    options->force |= id == FORCE;
    options->no_trace |= id == NO_TRACE;
    options->sync |= id == SYNC;
    options->all |= id == ALL;
    options->quiet |= id == QUIET;
    options->ignore_failure |= id == IGNORE_FAILURE;
    options->edges &= id != NO_EDGES;
}

/* 0, or the exit status of the usage error that was told. */
static int set_option(struct wtl_run_options *options, int id, const char *value)
{
    if (!value) { /* a word */
        set_plain(options, id, NULL);
        return 0;
    }
    switch (id) {
    case SENSOR:
    case OUTPUT:
    case RESULT:
    case CGROUP:
    case HOST:
        set_plain(options, id, value);
        return 0;
    case FORMAT:
        return wtl_option_format(options->command, value, &options->format);
    case REQUIRE:
        return set_require(options, value);
    case MPI:
        return set_mpi(options, value);
    default:
        return set_number(options, id, value);
    }
}

int wtl_run_options_set(struct wtl_run_options *options, const char *name, const char *value)
{
    for (const struct wtl_option *row = wtl_run_option_table; row->name; row++) {
        if (strcmp(row->name, name) == 0)
            return set_option(options, row->id, row->argument ? value : NULL) ? -EINVAL : 0;
    }
    return -EINVAL;
}

/* As the library takes it: stronger than the configuration, weaker than --interval. 0 or -EINVAL. */
static int set_interval_of_environment(struct wtl_run_options *options)
{
    const char *given = getenv("WATTLE_INTERVAL");
    return given && given[0] &&
                   wtl_option_duration(options->command, "WATTLE_INTERVAL", given, true,
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
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            if (strcmp(name, words[w][0]) != 0)
                continue;
            is_word = true;
            if (strcmp(entry.value, words[w][1]) == 0)
                (void)wtl_run_options_set(options, words[w][2], "");
        }
        if (!is_word && wtl_run_options_set(options, name, entry.value) < 0) {
            wtl_complain(options->command, "that was said by %s", entry.origin);
            return -EINVAL;
        }
    }
    return set_interval_of_environment(options);
}

/* Exactly one thing is measured: 0, or the exit status of the usage error. */
static int check_target(const struct wtl_run_options *o)
{
    int targets = (o->argv != NULL) + (o->pid != 0) + (o->cgroup != NULL && !o->argv) +
                  (o->all && !o->cgroup);
    if (targets == 0)
        return wtl_usage(&wtl_run_command, "nothing to measure: give a command after \"--\", or "
                                           "-p PID, --cgroup PATH or --all");
    if (targets > 1)
        return wtl_usage(&wtl_run_command, "measure one thing at a time: a command, -p PID, "
                                           "--cgroup PATH or --all");
    return 0;
}

static int check_repeat(const struct wtl_run_options *o)
{
    const struct wtl_command *command = &wtl_run_command;
    if (!o->argv && (o->repeat > 1 || o->warmup > 0 || o->delay_ns > 0))
        return wtl_usage(command, "--repeat, --warmup and --delay need a command");
    if (o->idle_ns > 0 && !o->no_trace && o->repeat > MOST_OPEN_TRACES)
        return wtl_usage(command,
                         "--idle keeps the traces of all repeats open to the end: --repeat %d at "
                         "most, or --no-trace",
                         MOST_OPEN_TRACES);
    return 0;
}

/* 0, or the exit status of what makes no sense together. */
static int check(const struct wtl_run_options *o)
{
    const struct wtl_command *command = &wtl_run_command;
    int status = check_target(o);
    if (status)
        return status;
    if ((status = check_repeat(o)))
        return status;
    if (o->argv && o->duration_ns > 0)
        return wtl_usage(command, "--duration is for -p, --cgroup and --all; to stop a command in "
                                  "time, run \"timeout DUR COMMAND\"");
    if (o->host && (!o->all || o->duration_ns == 0))
        return wtl_usage(command, "--host replays a recorded machine: it needs --all and "
                                  "--duration DUR");
    if (o->no_trace && o->output)
        return wtl_usage(command, "--no-trace and --output contradict each other");
    return 0;
}

/* What a script says of all runs in it; --label has the last word. 0, or the exit status of the usage error. */
static int set_labels_of_environment(struct wtl_run_options *options)
{
    const char *given = getenv("WATTLE_LABELS");
    struct wattle_error err;
    if (given && wtl_labels_set_all(&options->labels, given, &err) < 0)
        return wtl_usage(options->command, "WATTLE_LABELS: %s", err.text);
    return 0;
}

int wtl_run_options_parse(struct wtl_run_options *options, int argc, char **argv, int *ret_exit)
{
    struct wtl_options scan;
    const char *value;
    if ((*ret_exit = set_labels_of_environment(options)))
        return 1;
    wtl_options_init(&scan, options->command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        *ret_exit = id < 0 ? scan.exit_code : set_option(options, id, value);
        if (id < 0 || *ret_exit)
            return 1;
    }
    if (scan.operand < argc)
        options->argv = argv + scan.operand;
    *ret_exit = check(options);
    return *ret_exit ? 1 : 0;
}

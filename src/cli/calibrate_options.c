/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle pose calibrate": one table, one reader. */
#include "cli/calibrate_options.h"

#include <string.h>
#include <sys/random.h>

#include "cli/commands.h"

enum id {
    DRY_RUN = 1,
    LOADS,
    RUNS,
    TIME,
    SETTLE,
    THREADS,
    WAIT,
    LAUNCHER,
    LOAD_COMMAND,
    OUTPUT,
    SEED,
    FORMAT,
    OF_RUN /* of wtl_run_options_set() */
};

enum { MOST_RUNS = 100, MOST_THREADS = 65536 };
static const uint64_t SECOND_NS = 1000 * 1000 * 1000, LEAST_TIME_NS = 100 * 1000 * 1000;

const char *const wtl_calibrate_names[] = {"omp_serial",  "omp_parallel", "mpi_parallel",
                                           "mpi_serial",  "fma",          "stress_ng",
                                           "firestarter", "command",      NULL};

const struct wtl_option wtl_calibrate_option_table[] = {
    {DRY_RUN, 'n', "dry-run", NULL, "show what would run and how long it takes, and run nothing"},
    {LOADS, 0, "loads", "LIST",
     "only these: omp_serial, omp_parallel, mpi_parallel,\nmpi_serial, fma, stress_ng, "
     "firestarter, command"},
    {RUNS, 'r', "runs", "N", "measure each load N times (default 3)"},
    {TIME, 't', "time", "DUR", "measure for DUR (default 30s)"},
    {SETTLE, 0, "settle", "DUR", "wait for power to settle, at most DUR (default 120s)"},
    {THREADS, 0, "threads", "N", "threads or ranks (default: a CPU each)"},
    {WAIT, 0, "wait", "HOW", "threads of omp_serial wait active or passive (default passive)"},
    {LAUNCHER, 0, "launcher", "LINE",
     "how to start MPI ranks, %d being their number\n(default: srun, mpirun or mpiexec, what is "
     "there)"},
    {LOAD_COMMAND, 0, "load-command", "LINE",
     "one more load for Pmax, a line for \"sh -c\"; it is\nended when it was measured"},
    {OUTPUT, 'o', "output", "FILE", "store into FILE instead of your calibration.conf"},
    {SEED, 0, "seed", "N", "of the random order (default: one of the system's)"},
    {FORMAT, 0, "format", "FORMAT", "text, json or csv (default text)"},
    {OF_RUN, 's', "sensor", "LIST",
     "use only these sensors: NAME[:key=value],...\n\"wattle sensors\" lists them"},
    {OF_RUN, 0, "require", "measured", "fail before the start when there is only an estimate"},
    {OF_RUN, 'q', "quiet", NULL, "print no plan, no progress and no warnings"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static const struct wtl_command *const command = &wtl_pose_calibrate_command;

/* "stress-ng" is as good as "stress_ng". */
static bool is_name(const char *word, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '\0' || (word[i] == '-' ? '_' : word[i]) != name[i])
            return false;
    }
    return name[n] == '\0';
}

static int set_loads(struct wtl_calibrate_options *options, const char *list)
{
    options->loads = 0;
    options->named = true;
    for (const char *word = list;; word++) {
        size_t n = strcspn(word, ","), load = 0;
        while (wtl_calibrate_names[load] && !is_name(word, n, wtl_calibrate_names[load]))
            load++;
        if (load == WTL_CALIBRATE_LOADS)
            return wtl_usage(command,
                             "--loads: there is no \"%.*s\", but omp_serial, omp_parallel, "
                             "mpi_parallel, mpi_serial, fma, stress_ng, firestarter and command",
                             (int)n, word);
        options->loads |= 1u << load;
        word += n;
        if (*word == '\0')
            return 0;
    }
}

static int set_number(const char *option, const char *value, uint64_t most, unsigned *ret)
{
    uint64_t number = 0;
    int status = wtl_option_u64(command, option, value, 1, most, &number);
    if (status == 0)
        *ret = (unsigned)number;
    return status;
}

static int set_launcher(struct wtl_calibrate_options *options, const char *value)
{
    const char *number = strstr(value, "%d");
    options->launcher = value;
    if (number && !strchr(number + 1, '%') && strchr(value, '%') == number)
        return 0;
    return wtl_usage(command,
                     "--launcher \"%s\": %%d stands for the number of ranks and must be in it "
                     "once, as in \"mpirun -np %%d\"",
                     value);
}

static int set_wait(struct wtl_calibrate_options *options, const char *value)
{
    static const char *const ways[] = {"active", "passive", NULL};
    size_t way = 0;
    int status = wtl_option_choice(command, "--wait", value, ways, &way);
    options->wait = ways[way];
    return status;
}

/* 0, or the exit status of the usage error that was told. */
static int set_option(struct wtl_calibrate_options *options,
                      const struct wtl_option *row,
                      const char *value)
{
    switch (row->id) {
    case DRY_RUN:
        options->dry_run = true;
        return 0;
    case LOADS:
        return set_loads(options, value);
    case RUNS:
        return set_number("--runs", value, MOST_RUNS, &options->runs);
    case TIME:
        return wtl_option_duration(command, "--time", value, true, &options->time_ns);
    case SETTLE:
        return wtl_option_duration(command, "--settle", value, false, &options->settle_ns);
    case THREADS:
        return set_number("--threads", value, MOST_THREADS, &options->threads);
    case WAIT:
        return set_wait(options, value);
    case LAUNCHER:
        return set_launcher(options, value);
    case LOAD_COMMAND:
        options->command = value;
        return 0;
    case OUTPUT:
        options->output = value;
        return 0;
    case SEED:
        return wtl_option_u64(command, "--seed", value, 0, INT64_MAX, &options->seed);
    case FORMAT:
        return wtl_option_format(command, value, &options->format);
    default:
        return wtl_run_options_set(&options->run, row->name, value) < 0 ? command->usage_exit : 0;
    }
}

static int check_command(const struct wtl_calibrate_options *options)
{
    bool wants_command = options->named && options->loads & 1u << WTL_CALIBRATE_COMMAND;
    if (options->command && !*options->command)
        return wtl_usage(command, "--load-command: it is empty");
    if (wants_command && !options->command)
        return wtl_usage(command, "--loads command: --load-command says which");
    if (options->command && options->named && !wants_command)
        return wtl_usage(command,
                         "--load-command is given, but \"command\" is not among the --loads");
    return 0;
}

static int check(const struct wtl_calibrate_options *options)
{
    if (options->time_ns < LEAST_TIME_NS)
        return wtl_usage(command, "--time: less than 0.1s tells nothing of power");
    if (options->time_ns > 3600 * SECOND_NS || options->settle_ns > 3600 * SECOND_NS)
        return wtl_usage(command, "--time and --settle are an hour at most");
    if (options->output && !*options->output)
        return wtl_usage(command, "--output: it is empty");
    if (options->dry_run && options->format == WTL_FORMAT_CSV)
        return wtl_usage(command,
                         "--dry-run has no powers for a sheet; give --format text or json");
    return check_command(options);
}

int wtl_calibrate_options_parse(struct wtl_calibrate_options *options,
                                const struct wtl_config *config,
                                int argc,
                                char **argv,
                                int *ret_exit)
{
    struct wtl_options scan;
    const char *value;
    *options = (struct wtl_calibrate_options){.loads = (1u << WTL_CALIBRATE_LOADS) - 1,
                                              .runs = 3,
                                              .time_ns = 30 * SECOND_NS,
                                              .settle_ns = 120 * SECOND_NS};
    wtl_run_options_init(&options->run);
    options->run.command = command;
    *ret_exit = command->usage_exit;
    if (wtl_run_options_configure(&options->run, config) < 0)
        return 1;
    /* 32 bits, so that it can be typed again. What is wanting of them, the clock makes up for. */
    uint32_t seed = (uint32_t)wtl_world_monotonic(wtl_world_real());
    (void)!getrandom(&seed, sizeof seed, GRND_NONBLOCK);
    options->seed = seed;
    wtl_options_init(&scan, command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        *ret_exit = id < 0 ? scan.exit_code : set_option(options, scan.row, value);
        if (id < 0 || *ret_exit)
            return 1;
    }
    *ret_exit = scan.operand < argc
                    ? wtl_usage(command,
                                "what is \"%s\"? It takes options only; --loads says "
                                "which loads run",
                                argv[scan.operand])
                    : check(options);
    return *ret_exit ? 1 : 0;
}

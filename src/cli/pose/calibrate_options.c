/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle pose calibrate": one table, one reader. */
#include "cli/pose/calibrate_options.h"

#include <string.h>

#include "cli/commands.h"

enum { MOST_RUNS = 100, MOST_THREADS = 65536 };
static const uint64_t SECOND_NS = 1000 * 1000 * 1000, LEAST_TIME_NS = 100 * 1000 * 1000;

const char *const wtl_calibrate_names[] = {"omp_serial",  "omp_parallel", "mpi_parallel",
                                           "mpi_serial",  "fma",          "stress_ng",
                                           "firestarter", "command",      NULL};

/* Accept "stress-ng" for "stress_ng". */
static bool is_name(const char *word, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '\0' || (word[i] == '-' ? '_' : word[i]) != name[i])
            return false;
    }
    return name[n] == '\0';
}

static int take_loads(const struct wtl_command *command, void *place, const char *list)
{
    struct wtl_calibrate_options *options = place;
    options->loads = 0;
    options->named = true;
    for (const char *word = list;; word++) {
        size_t n = strcspn(word, ","), load = 0;
        while (wtl_calibrate_names[load] && !is_name(word, n, wtl_calibrate_names[load]))
            load++;
        if (load == WTL_CALIBRATE_LOADS)
            return wtl_usage(command,
                             "--loads: unknown load \"%.*s\"; loads are omp_serial, omp_parallel, "
                             "mpi_parallel, mpi_serial, fma, stress_ng, firestarter and command",
                             (int)n, word);
        options->loads |= 1u << load;
        word += n;
        if (*word == '\0')
            return 0;
    }
}

static int take_launcher(const struct wtl_command *command, void *place, const char *value)
{
    const char *number = strstr(value, "%d");
    *(const char **)place = value;
    if (number && !strchr(number + 1, '%') && strchr(value, '%') == number)
        return 0;
    return wtl_usage(command,
                     "--launcher \"%s\": must contain %%d once, for the number of ranks, as in "
                     "\"mpirun -np %%d\"",
                     value);
}

static const char *const wait_names[] = {"passive", "active", NULL};

const struct wtl_option wtl_calibrate_option_table[] = {
    {'n', "dry-run", NULL, "show the plan and its duration, run nothing",
     WTL_SETS(struct wtl_calibrate_options, dry_run)},
    {0, "loads", "LIST",
     "only these: omp_serial, omp_parallel, mpi_parallel,\nmpi_serial, fma, stress_ng, "
     "firestarter, command",
     WTL_CALLS_WITH_ALL(take_loads)},
    {'r', "runs", "N", "measure each load N times (default 3)",
     WTL_TAKES_UNSIGNED(struct wtl_calibrate_options, runs, 1, MOST_RUNS)},
    {'t', "time", "DUR", "measure for DUR (default 30s)",
     WTL_TAKES_DURATION(struct wtl_calibrate_options, time_ns, 1)},
    {0, "settle", "DUR", "wait up to DUR for power to settle (default 120s)",
     WTL_TAKES_DURATION(struct wtl_calibrate_options, settle_ns, 0)},
    {0, "threads", "N", "threads or ranks (default: one per CPU)",
     WTL_TAKES_UNSIGNED(struct wtl_calibrate_options, threads, 1, MOST_THREADS)},
    {0, "wait", "HOW", "how threads of omp_serial wait: active or passive\n(default passive)",
     WTL_TAKES_CHOICE(struct wtl_calibrate_options, wait, wait_names)},
    {0, "launcher", "LINE",
     "command that starts %d MPI ranks (default: srun,\nmpirun or mpiexec, whichever is found)",
     WTL_CALLS(struct wtl_calibrate_options, launcher, take_launcher)},
    {0, "load-command", "LINE",
     "another load for Pmax, run with \"sh -c\" and killed\nwhen it has been measured",
     WTL_TAKES_TEXT(struct wtl_calibrate_options, command)},
    {'o', "output", "FILE", "store in FILE instead of your calibration.conf",
     WTL_TAKES_FILE(struct wtl_calibrate_options, output)},
    {0, "seed", "N", "seed of the random order (default: random)",
     WTL_TAKES_U64(struct wtl_calibrate_options, seed, 0, INT64_MAX)},
    WTL_OPTION_FORMAT(struct wtl_calibrate_options, format),
    WTL_RUN_OPTION_SENSOR(struct wtl_calibrate_options, run.sensors),
    WTL_RUN_OPTION_REQUIRE(struct wtl_calibrate_options, run.require_measured),
    {'q', "quiet", NULL, "print no plan, no progress and no warnings",
     WTL_SETS(struct wtl_calibrate_options, run.quiet)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static const struct wtl_command *const command = &wtl_pose_calibrate_command;

static int check_command(const struct wtl_calibrate_options *options)
{
    bool wants_command = options->named && options->loads & 1u << WTL_CALIBRATE_COMMAND;
    if (options->command && !*options->command)
        return wtl_usage(command, "--load-command must not be empty");
    if (wants_command && !options->command)
        return wtl_usage(command, "--loads command requires --load-command");
    if (options->command && options->named && !wants_command)
        return wtl_usage(command, "--load-command requires \"command\" in --loads");
    return 0;
}

static int check(const struct wtl_calibrate_options *options)
{
    if (options->time_ns < LEAST_TIME_NS)
        return wtl_usage(command, "--time must be at least 0.1s");
    if (options->time_ns > 3600 * SECOND_NS || options->settle_ns > 3600 * SECOND_NS)
        return wtl_usage(command, "--time and --settle must be at most an hour");
    if (options->output && !*options->output)
        return wtl_usage(command, "--output must not be empty");
    if (options->dry_run && options->format == WTL_FORMAT_CSV)
        return wtl_usage(command, "--dry-run has no results for csv; use --format text or json");
    return check_command(options);
}

int wtl_calibrate_options_parse(struct wtl_calibrate_options *options,
                                const struct wtl_config *config,
                                int argc,
                                char **argv)
{
    struct wtl_command_line line;
    *options = (struct wtl_calibrate_options){.loads = (1u << WTL_CALIBRATE_LOADS) - 1,
                                              .runs = 3,
                                              .time_ns = 30 * SECOND_NS,
                                              .settle_ns = 120 * SECOND_NS,
                                              .seed = wtl_run_options_seed()};
    wtl_run_options_init(&options->run);
    options->run.command = command;
    if (wtl_run_options_configure(&options->run, config) < 0)
        return command->usage_exit;
    int status = wtl_command_read(command, argc, argv, options, &line);
    if (status != WTL_GO_ON)
        return status;
    status = check(options);
    return status ? status : WTL_GO_ON;
}

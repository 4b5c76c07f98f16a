/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loads and how they run on this machine: finds the programs, or reports what is missing and where to get
 * it. Each load gets a time limit if possible, so that a forgotten one does not run forever.
 */
#define _GNU_SOURCE
#include "cli/pose/calibrate.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own_program.h"
#include "cli/pose/load_process.h"
#include "source/cpuinfo.h"
#include "source/virtual.h"

const char *const wtl_calibrate_names[] = {"omp_serial",  "omp_parallel", "mpi_parallel",
                                           "mpi_serial",  "fma",          "stress_ng",
                                           "firestarter", "command",      NULL};

static const double TURN_OVERHEAD_S = 2;
static const uint64_t PATIENCE_NS = 5ull * 1000 * 1000 * 1000;

/* ---- finding programs ---- */

bool wtl_load_program_find(char *buf, size_t n, char *folder, size_t folder_n)
{
    wtl_own_folder(folder, folder_n);
    return wtl_own_program_find("wattle-load", buf, n);
}

/* The version printed by a program: the text after `words` in the first line that starts with it; "" = none. */
static void ask(const struct wtl_calibrate *calibrate,
                const char *program,
                const char *option,
                const char *words,
                char *buf,
                size_t n)
{
    char *const argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)option, NULL};
    char line[256];
    struct wtl_load_process process;
    struct wtl_signals *signals = (struct wtl_signals *)(uintptr_t)&calibrate->series.signals;
    struct wattle_error none;
    uint64_t until_ns = wtl_world_monotonic(wtl_world_real()) + PATIENCE_NS;
    if (wtl_load_process_start(&process, argv, signals, &none) == 0)
        (void)wtl_load_process_wait(&process, signals, until_ns, false);
    wtl_load_process_stop(&process, signals);
    bool told = wtl_load_process_line(&process, words, line, sizeof line);
    (void)snprintf(buf, n, "%.*s", (int)strcspn(told ? line + strlen(words) : "", " (,\r"),
                   told ? line + strlen(words) : "");
}

/* ---- command lines ---- */

/* Split a line at blanks, add words (up to NULL), and set it as the command of the load. Returns 0 or -ENOMEM. */
static int set_argv(struct wtl_calibrate_load *load, const char *line, const char *const *words)
{
    size_t size = strlen(line) + 1, count = 0, most = size / 2 + 1;
    for (size_t i = 0; words[i]; i++, most++)
        size += strlen(words[i]) + 1;
    char *at = malloc(size), *rest;
    load->argv = calloc(most + 1, sizeof *load->argv);
    load->text = at;
    if (!at || !load->argv)
        return -ENOMEM;
    at = stpcpy(at, line) + 1;
    for (char *word = strtok_r(load->text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        load->argv[count++] = word;
    for (size_t i = 0; words[i]; i++) {
        load->argv[count++] = at;
        at = stpcpy(at, words[i]) + 1;
    }
    return 0;
}

/* The time limit of each load: longer than a turn can take. */
static uint64_t life_s(const struct wtl_calibrate *calibrate)
{
    const struct wtl_calibrate_options *o = &calibrate->options;
    return (o->settle_ns + 2 * o->time_ns) / 1000000000u + 120;
}

__attribute__((format(printf, 2, 3))) static void miss(struct wtl_calibrate_load *load,
                                                       const char *format,
                                                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(load->why, sizeof load->why, format, arguments);
    va_end(arguments);
}

static const char *wait_name(const struct wtl_calibrate *calibrate)
{
    return calibrate->options.wait == WTL_CALIBRATE_ACTIVE ? "active" : "passive";
}

static int set_own(struct wtl_calibrate *calibrate, enum wtl_calibrate_name name, const char *line)
{
    struct wtl_calibrate_load *load = &calibrate->loads[name];
    char program[4096], folder[4096], life[32], threads[16];
    bool mpi = name == WTL_CALIBRATE_MPI_PARALLEL || name == WTL_CALIBRATE_MPI_SERIAL;
    const char *words[10] = {program, load->name, "--time", life};
    size_t n = 4;
    (void)snprintf(life, sizeof life, "%llus", (unsigned long long)life_s(calibrate));
    (void)snprintf(threads, sizeof threads, "%u", calibrate->threads);
    if (!wtl_load_program_find(program, sizeof program, folder, sizeof folder)) {
        miss(load,
             "wattle-load not found in %s, in its libexec/wattle, or in PATH; it is installed with "
             "wattle",
             folder);
        return 0;
    }
    if (!mpi) {
        words[n++] = "--threads";
        words[n++] = threads;
    }
    if (name == WTL_CALIBRATE_OMP_SERIAL) {
        words[n++] = "--wait";
        words[n++] = wait_name(calibrate);
    }
    words[n] = NULL;
    load->says_ready = true;
    return set_argv(load, line, words);
}

static int find_omp(struct wtl_calibrate *calibrate)
{
    static const enum wtl_calibrate_name names[] = {WTL_CALIBRATE_OMP_SERIAL,
                                                    WTL_CALIBRATE_OMP_PARALLEL, WTL_CALIBRATE_FMA};
    int rc = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && rc == 0; i++) {
        struct wtl_calibrate_load *load = &calibrate->loads[names[i]];
        (void)snprintf(load->how, sizeof load->how, "%u threads%s%s", calibrate->threads,
                       i == 0 ? ", waiting " : "", i == 0 ? wait_name(calibrate) : "");
        rc = set_own(calibrate, names[i], "");
    }
    return rc;
}

/* "mpirun -np %d" with the number, malloc'ed; NULL: no launcher. Returns 0 or -ENOMEM. */
static int find_launcher(struct wtl_calibrate *calibrate, char **ret_line, bool *ret_srun)
{
    static const struct {
        const char *name, *line;
    } known[] = {{"srun", "srun -n %d"}, {"mpirun", "mpirun -np %d"}, {"mpiexec", "mpiexec -n %d"}};
    const char *chosen = calibrate->options.launcher;
    char path[4096];
    for (size_t i = getenv("SLURM_JOB_ID") ? 0 : 1; !chosen && i < sizeof known / sizeof *known;
         i++) {
        if (wtl_program_in_path(known[i].name, path, sizeof path))
            chosen = known[i].line;
    }
    *ret_line = NULL;
    if (!chosen)
        return 0;
    const char *number = strstr(chosen, "%d");
    size_t name = strcspn(chosen, " \t");
    *ret_srun = name >= 4 && strncmp(chosen + name - 4, "srun", 4) == 0;
    if (asprintf(ret_line, "%.*s%u%s", (int)(number - chosen), chosen, calibrate->threads,
                 number + 2) >= 0)
        return 0;
    *ret_line = NULL;
    return -ENOMEM;
}

static int find_mpi(struct wtl_calibrate *calibrate)
{
    char *line;
    bool srun = false;
    int rc = find_launcher(calibrate, &line, &srun);
    for (int name = WTL_CALIBRATE_MPI_PARALLEL; name <= WTL_CALIBRATE_MPI_SERIAL && rc == 0;
         name++) {
        struct wtl_calibrate_load *load = &calibrate->loads[name];
        (void)snprintf(load->how, sizeof load->how, "%u ranks%s", calibrate->threads,
                       name == WTL_CALIBRATE_MPI_SERIAL ? ", all but one in a barrier" : "");
        load->hides_ranks = srun;
        if (line)
            rc = set_own(calibrate, (enum wtl_calibrate_name)name, line);
        else
            miss(load, "srun, mpirun and mpiexec not found in PATH; install Open MPI or MPICH, "
                       "load its module, or use --launcher");
    }
    free(line);
    return rc;
}

/*
 * stress-ng has hundreds of stressors. Its manual names matrixprod "probably the best CPU method to use to make
 * a CPU run hot" on x86: a product of matrices of 128 x 128 doubles, floating point and caches at once.
 */
static int find_stress_ng(struct wtl_calibrate *calibrate)
{
    struct wtl_calibrate_load *load = &calibrate->loads[WTL_CALIBRATE_STRESS_NG];
    char path[4096], threads[16], life[32], version[64];
    if (!wtl_program_in_path("stress-ng", path, sizeof path)) {
        miss(load, "stress-ng not found in PATH; install the package stress-ng");
        return 0;
    }
    (void)snprintf(threads, sizeof threads, "%u", calibrate->threads);
    (void)snprintf(life, sizeof life, "%llus", (unsigned long long)life_s(calibrate));
    ask(calibrate, path, "--version", "stress-ng, version ", version, sizeof version);
    (void)snprintf(load->how, sizeof load->how, "stress-ng %.40s%smatrixprod, %u workers", version,
                   version[0] ? " " : "", calibrate->threads);
    const char *words[] = {path, "--cpu",   threads, "--cpu-method", "matrixprod", "--timeout",
                           life, "--quiet", NULL};
    return set_argv(load, "", words);
}

/* -t and -n are the same in 1.x and 2.x. */
static int find_firestarter(struct wtl_calibrate *calibrate)
{
    struct wtl_calibrate_load *load = &calibrate->loads[WTL_CALIBRATE_FIRESTARTER];
    char path[4096], threads[16], life[32], version[64];
    if (!wtl_program_in_path("FIRESTARTER", path, sizeof path)) {
        miss(load,
             "FIRESTARTER not found in PATH; get it from github.com/tud-zih-energy/FIRESTARTER");
        return 0;
    }
    (void)snprintf(threads, sizeof threads, "%u", calibrate->threads);
    (void)snprintf(life, sizeof life, "%llu", (unsigned long long)life_s(calibrate));
    ask(calibrate, path, "-v", "FIRESTARTER - A Processor Stress Test Utility, Version ", version,
        sizeof version);
    (void)snprintf(load->how, sizeof load->how, "FIRESTARTER%s%.40s, %u threads",
                   version[0] ? " " : "", version, calibrate->threads);
    const char *words[] = {path, "-t", life, "-n", threads, NULL};
    return set_argv(load, "", words);
}

static int find_command(struct wtl_calibrate *calibrate)
{
    struct wtl_calibrate_load *load = &calibrate->loads[WTL_CALIBRATE_COMMAND];
    const char *command = calibrate->options.command;
    if (!command) {
        load->asked = false;
        return 0;
    }
    (void)snprintf(load->how, sizeof load->how, "%.120s", command);
    const char *words[] = {"sh", "-c", command, NULL};
    return set_argv(load, "", words);
}

/* ---- all of them ---- */

static void count_cpus(struct wtl_calibrate *calibrate)
{
    const struct wtl_world *world = wtl_world_real();
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    struct wtl_virtual where;
    struct wtl_cpuinfo cpu;
    unsigned mine = 0;
    calibrate->online = online > 0 ? (unsigned)online : 1;
    /* More CPUs than cpu_set_t supports require a larger set. */
    for (int room = CPU_SETSIZE; mine == 0 && room <= 64 * CPU_SETSIZE; room *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)room);
        size_t size = CPU_ALLOC_SIZE((size_t)room);
        if (set && sched_getaffinity(0, size, set) == 0)
            mine = (unsigned)CPU_COUNT_S(size, set);
        CPU_FREE(set);
    }
    calibrate->threads = calibrate->options.threads ? calibrate->options.threads
                         : mine                     ? mine
                                                    : calibrate->online;
    wtl_virtual_detect(world, &where);
    calibrate->cpu_limit = where.cpu_limit;
    if (wtl_cpuinfo_read(world, &cpu) == 0)
        (void)snprintf(calibrate->cpu, sizeof calibrate->cpu, "%s", cpu.name);
}

int wtl_calibrate_find(struct wtl_calibrate *calibrate)
{
    static int (*const finders[])(struct wtl_calibrate *) = {find_omp, find_mpi, find_stress_ng,
                                                             find_firestarter, find_command};
    int rc = 0;
    count_cpus(calibrate);
    calibrate->idle.total_w = calibrate->busy_cpus = NAN;
    for (int i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        calibrate->loads[i].calibrate = calibrate;
        calibrate->loads[i].name = wtl_calibrate_names[i];
        calibrate->loads[i].of_pmax = i >= WTL_CALIBRATE_FMA;
        calibrate->loads[i].asked = calibrate->options.loads & 1u << i;
    }
    for (size_t i = 0; i < sizeof finders / sizeof *finders && rc == 0; i++)
        rc = finders[i](calibrate);
    for (int i = 0; i < WTL_CALIBRATE_LOADS; i++)
        calibrate->turns += wtl_calibrate_runs(&calibrate->loads[i]) ? calibrate->options.runs : 0;
    return rc;
}

void wtl_calibrate_leave_out(struct wtl_calibrate *calibrate)
{
    const struct wtl_calibrate_load *greatest = NULL;
    for (int i = WTL_CALIBRATE_LOADS - 1; i >= 0 && !calibrate->options.named; i--) {
        struct wtl_calibrate_load *load = &calibrate->loads[i];
        if (!wtl_calibrate_runs(load) || i == WTL_CALIBRATE_OMP_SERIAL)
            continue;
        if (!greatest) {
            greatest = load;
            continue;
        }
        miss(load, "skipped: the estimate follows CPU load and would equal that of %s",
             greatest->name);
        calibrate->turns -= calibrate->options.runs;
    }
}

void wtl_calibrate_time_left(const struct wtl_calibrate *calibrate,
                             double *ret_about_s,
                             double *ret_most_s)
{
    const struct wtl_calibrate_options *o = &calibrate->options;
    double time_s = (double)o->time_ns * 1e-9, settle_s = (double)o->settle_ns * 1e-9;
    double turns = (double)(calibrate->turns - calibrate->turns_done);
    /* Initial assumption: half of the stretches drift once. */
    double about_s = fmin(settle_s, 5) + fmin(settle_s, time_s) / 2 + time_s + TURN_OVERHEAD_S;
    if (calibrate->turns_done > 0)
        about_s = (double)(calibrate->done_ns - calibrate->start_ns) * 1e-9 /
                  (double)calibrate->turns_done;
    *ret_most_s = turns * (settle_s + time_s + TURN_OVERHEAD_S);
    *ret_about_s = fmin(turns * about_s, *ret_most_s);
}

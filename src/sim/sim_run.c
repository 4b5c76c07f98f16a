/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wattle-sim run: builds the node, lets a child build its private view (stage.c), serves the files
 * over FUSE and measures the load on two threads, and is otherwise as transparent as a wrapper can
 * be: signals are forwarded, the exit status is the command's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/signals.h"
#include "base/text/wrap.h"
#include "base/world/world.h"
#include "sim/fuse_server.h"
#include "sim/live_node.h"
#include "sim/load_meter.h"
#include "sim/phases/listener.h"
#include "sim/process_tree.h"
#include "sim/programs/program_scan.h"
#include "sim/sim_command.h"
#include "sim/sim_options.h"
#include "sim/speed.h"
#include "sim/stage.h"

/* ---- spools of the command ---- */

/* In the folders that its processes have in their environment (WATTLE_SPOOL). */

#define VARIABLE "WATTLE_SPOOL="

struct paths {
    char **list;
    size_t count;
};

static void add_folder(struct paths *paths, const char *folder)
{
    char **names = NULL;
    const struct wtl_world *world = wtl_world_real();
    int n = world->ops->list(world, folder, &names);
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        if (wtl_grow(&paths->list, paths->count, sizeof *paths->list) == 0 &&
            asprintf(&path, "%s/%s", folder, names[i]) >= 0)
            paths->list[paths->count++] = path;
    }
    if (n >= 0)
        free(names);
}

/* The variable in a process's environment: text with a zero after each. */
static const char *folder_in(const char *text, ssize_t size)
{
    for (const char *at = text; at < text + size; at += strlen(at) + 1) {
        if (strncmp(at, VARIABLE, sizeof VARIABLE - 1) == 0)
            return at + sizeof VARIABLE - 1;
    }
    return NULL;
}

/* Paths of all files in these folders; the list and each path are the caller's to free (below). Returns their number. */
static size_t sim_task_spools(pid_t pid, char ***ret_paths)
{
    struct wtl_sim_process *list = NULL;
    struct paths paths = {0};
    char seen[512] = "", path[48];
    size_t n = wtl_sim_process_tree(pid, &list);
    for (size_t i = 0; i < n; i++) {
        char *text = NULL;
        (void)snprintf(path, sizeof path, "/proc/%d/environ", (int)list[i].pid);
        ssize_t size = wtl_world_slurp(wtl_world_real(), path, &text);
        const char *folder = size > 0 ? folder_in(text, size) : NULL;
        if (folder && folder[0] && strcmp(folder, seen) != 0) {
            (void)snprintf(seen, sizeof seen, "%s", folder); /* mostly all have the same */
            add_folder(&paths, folder);
        }
        if (size >= 0)
            free(text);
    }
    free(list);
    *ret_paths = paths.list;
    return paths.count;
}

static void sim_task_spools_free(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}

/* ---- fake libraries of GPUs ---- */

/* Their folder, beside this program as built or as installed: 0, or -ENOENT. */
static int sim_gpu_libraries(char *folder, size_t n)
{
    static const char *const places[] = {"/../lib", WATTLE_LIBRARY_PLACE};
    char self[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return -ENOENT;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        (void)snprintf(path, sizeof path, "%s%s/wattle-sim", self, places[i]);
        char *real = realpath(path, NULL);
        bool fits = real && (size_t)snprintf(folder, n, "%s", real) < n;
        free(real);
        if (fits)
            return 0;
    }
    return -ENOENT;
}

/* ---- throttle ---- */

/*
 * Stops and continues the processes of the command, for the duty cycle of speed.h: a tree of processes that stand still
 * for part of the time are slowed alike, however many threads they have, which a CPU quota does not do (it bounds the
 * time of all together). Programs of wattle keep their speed, so that the measurement is not disturbed. A process that was
 * stopped by somebody else stays stopped.
 */

struct throttle {
    int *stopped; /* pidfds */
    size_t count, room;
};

enum { PASSES = 3 }; /* a process may fork while its tree is listed */

static int send_signal(int pidfd, int signal_number)
{
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0);
}

static bool keeps_speed(const struct wtl_sim_process *process)
{
    static const char *const names[] = {"wattle", "wattled", "wattle-sim"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(process->name, names[i]) == 0)
            return true;
    }
    return process->stopped;
}

/* Stop a process if it is still the one that was listed: its number may be another's by now. */
static bool stop_one(struct throttle *throttle, const struct wtl_sim_process *process)
{
    struct wtl_sim_process again;
    if (wtl_reserve(&throttle->stopped, &throttle->room, throttle->count + 1,
                    sizeof *throttle->stopped) < 0)
        return false;
    int pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (pidfd < 0)
        return false;
    if (wtl_sim_process_look(process->pid, &again) == 0 && again.parent == process->parent &&
        !keeps_speed(&again) && send_signal(pidfd, SIGSTOP) == 0) {
        throttle->stopped[throttle->count++] = pidfd;
        return true;
    }
    (void)close(pidfd);
    return false;
}

static void throttle_stop(struct throttle *throttle, pid_t root)
{
    bool found = true;
    for (int pass = 0; found && pass < PASSES; pass++) {
        struct wtl_sim_process *list;
        size_t n = wtl_sim_process_tree(root, &list);
        found = false;
        for (size_t i = 0; i < n; i++)
            found |= !keeps_speed(&list[i]) && stop_one(throttle, &list[i]);
        free(list);
    }
}

/* Continue what stop() stopped. */
static void throttle_go_on(struct throttle *throttle)
{
    for (size_t i = 0; i < throttle->count; i++) {
        (void)send_signal(throttle->stopped[i], SIGCONT); /* it may have been killed */
        (void)close(throttle->stopped[i]);
    }
    throttle->count = 0;
}

static void throttle_fini(struct throttle *throttle)
{
    throttle_go_on(throttle);
    free(throttle->stopped);
    *throttle = (struct throttle){0};
}

/* ---- the run ---- */

static const char help[] =
    "Usage: wattle-sim run [OPTIONS] -- COMMAND...\nRun a command on a simulated node: its energy "
    "counters appear at their real paths, only\nfor the command and its children, and their energy "
    "is known exactly.\n\n  --power DOMAIN=EXPR     power of a domain in W; repeatable. DOMAIN: "
    "package, core, uncore,\n                          dram (each socket), package-1 (one), psys, "
    "node, ... EXPR in t (s),\n                          load (0..1, of the command), f (GHz), "
    "socket: 60+40*load,\n                          50+square(t,0.1,0.3)*90, 60+20*sin(2*pi*t), "
    "t>2 ? 90 : 40\n  --wander [DOMAIN=]W:TIME   slow random power: rms and correlation time, such "
    "as 10:50ms\n  --sockets N [1]   --tdp W [150]\n  --frequency [LOW-]GHZ[:STEP]   nominal "
    "frequency, range and "
    "steps of cpufreq [1.2-2.5:0.1]\n  --turbo GHZ             frequency of turbo [none]\n  "
    "--speed EXPR|PRESET     "
    "slow the command: work per second in f, base, top (GHz), such as f/top;\n                     "
    "     linpack, "
    "network, memory\n  --cpus-per-policy N [1]   --scaling-driver "
    "acpi-cpufreq|intel_pstate|amd-pstate-epp\n\nCounter behaviour; a value applies to all "
    "domains, DOMAIN=VALUE to one:\n  --tick-us US [976.5625]   --phase-us US [random]   "
    "--jitter-us US [20]\n  --unit-exp N [14, memory as on the CPU]   --range-bits N [32]   --raw0 "
    "N [random]\n  --jitter-kind uniform|normal\n  --fault "
    "KIND[:DOMAIN][@TIME][,for=TIME][,rate=P][,by=J]   repeatable; KIND: vanish, eio, stall,\n  "
    "                        reset, permission, wrap-while-stalled, filtering, hang, crash, mig, "
    "jump\n\nNode "
    "contents:\n  "
    "--view LIST             powercap, msr, hwmon, cray, cpufreq, all [powercap,msr]\n  --cpu "
    "MODEL             /proc/cpuinfo of skylake-sp, icelake-sp, zen2, ... [skylake-sp]\n  "
    "--unknown-msr eio|zero  value of registers that the node does not have [eio]\n\n  --t0 NS     "
    "            t = 0 at this instant of CLOCK_MONOTONIC [the command's start]\n  --seed N [1]   "
    "--grid-us US [100]   --load-us US [2000]\n  --log FILE              write all steps to FILE "
    "at the end\n\nPhases of a program with known truth (see wattle-sim phases, counts):\n  "
    "--phases "
    "NAME|FILE[,KEY=VALUE]...   power, performance counters, /proc/net/dev and\n                   "
    "   "
    "    /proc/diskstats follow them. NAME: lu, is-ep, cg, invert-copy, ft, mg, md,\n              "
    "    "
    "        climate; KEY: length, run, node, seed, platform, step, noise, data. In --power\n      "
    "      "
    "   "
    "           they are phases (W) [package=phases]\n\nPrograms of known power and hardware "
    "events (see wattle-sim programs):\n  --programs NAME=WATTS[:IPC[:MISSES]][,...]   of a CPU "
    "that runs it; instructions per cycle [1],\n                          misses per 1000 cycles "
    "[1]; *: any other. In --power they are programs (W)\n                          "
    "[package-0=20+programs]\n\nTasks of programs under wattle run (see "
    "wattle-sim tasks):\n  --tasks NAME=WATTS[,...]   power of a core in a task or region of this "
    "name, *: in any other task.\n                          In --power they are tasks (W of all) "
    "and busy (threads in one)\n                          [package-0=80.15+(busy>0 ? 78.25 : "
    "0)+tasks]\n\n  --gpu KEY=VALUE,...     a GPU with NVIDIA's libraries; repeatable. KEY: model "
    "(h100, a100, ...), power\n                          (in gpu, the share that kernels use), "
    "count, what the gauge shows (period,\n                          window, phase, delay, tau, "
    "...), no, library, mig; see wattle-sim(1)\n\n  --perf N|all|none|denied|host   hardware "
    "counters that perf_event_open gives [all]\n\nExamples:\n  wattle-sim run --power "
    "package=60+40*load --power dram=8 -- wattle "
    "run -- make\n  wattle-sim run --fault stall:package@1s,for=500ms -- wattle run -- sleep 3\n  "
    "wattle-sim run --phases "
    "is-ep,length=0.1 -- perf stat -I 1000 -e cycles,cache-misses sleep 20\n";

/* A command that is slowed runs for this long at a time; a long rest ends at once with the command. */
enum { RUN_NS = 10000000, REST_SLICE_NS = 20000000 };

/* How often programs are searched for that mark their tasks. */
enum { LOOK_NS = 10000000 };

struct run {
    struct wtl_sim_options options;
    struct wtl_tree *tree;
    struct wtl_live live;
    struct wtl_fuse *fuse;
    struct wtl_listener *listener;
    struct wtl_stage stage;
    struct wtl_load_meter meter;
    struct throttle throttle;
    struct wtl_duty duty;
    pthread_t load_thread;
    bool load_runs;
    uint64_t looked_ns;
    atomic_bool ends;
    FILE *log;
};

static void sleep_until(uint64_t deadline_ns)
{
    struct timespec when = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
                            .tv_nsec = (long)(deadline_ns % 1000000000u)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL); /* early is harmless */
}

/* Let the command stand still for its share of the time: what it did before, at full speed, is the load of the whole
 * cycle, as a slower processor would be just as busy. */
static void slow_down(struct run *run, uint64_t ran_ns)
{
    uint64_t before = wtl_live_now();
    uint64_t rest = wtl_duty_rest_ns(&run->duty, wtl_live_speed(&run->live), ran_ns);
    if (rest == 0)
        return;
    throttle_stop(&run->throttle, run->stage.pid);
    while (!atomic_load(&run->ends) && wtl_live_now() < before + rest) {
        uint64_t slice = wtl_live_now() + REST_SLICE_NS;
        sleep_until(slice < before + rest ? slice : before + rest);
    }
    throttle_go_on(&run->throttle);
    wtl_duty_rested(&run->duty, wtl_live_now() - before);
    (void)wtl_load_meter_read(&run->meter); /* what wattle itself did meanwhile */
}

static void look_for_spools(struct run *run)
{
    char **paths;
    if (!run->options.follow || wtl_live_now() < run->looked_ns + LOOK_NS)
        return;
    size_t count = sim_task_spools(run->stage.pid, &paths);
    wtl_live_add_spools(&run->live, paths, count);
    sim_task_spools_free(paths, count);
    run->looked_ns = wtl_live_now();
}

static void look_at_programs(struct run *run)
{
    const char *groups[WTL_SIM_PROGRAM_GROUPS];
    struct wtl_sim_seen *list;
    if (!run->options.programs || wtl_live_now() < run->looked_ns + LOOK_NS)
        return;
    run->looked_ns = wtl_live_now();
    size_t count =
        wtl_sim_program_scan(run->stage.pid, groups, wtl_live_groups(&run->live, groups), &list);
    wtl_live_look(&run->live, list, count);
    free(list);
}

static void *measure_load(void *argument)
{
    struct run *run = argument;
    uint64_t period = (uint64_t)run->options.load_us * 1000, next = wtl_live_now();
    if (period < wtl_load_meter_period_ns(&run->meter))
        period = wtl_load_meter_period_ns(&run->meter);
    if (run->options.speed && period < RUN_NS)
        period = RUN_NS;
    while (!atomic_load(&run->ends)) {
        uint64_t now = wtl_live_now();
        next = next + period > now ? next + period : now + period;
        sleep_until(next);
        look_for_spools(run);
        look_at_programs(run);
        wtl_live_load(&run->live, wtl_load_meter_read(&run->meter));
        if (run->options.speed) {
            slow_down(run, wtl_live_now() - now);
            next = wtl_live_now();
        }
    }
    return NULL;
}

static bool names_are_fixed(const struct wtl_node_config *node)
{
    for (size_t i = 0; i < node->fault_count; i++) {
        if (node->faults[i].kind == WTL_FAULT_VANISH)
            return false;
    }
    return true;
}

/* The names of all files; those of GPUs lead to fake libraries. */
static int make_tree(struct run *run, struct wattle_error *err)
{
    struct wtl_sim_options *o = &run->options;
    char libraries[PATH_MAX];
    bool needed = o->gpus.count > 0 && o->gpus.library != WTL_SIM_GPU_LIBRARY_NONE;
    bool found = needed && sim_gpu_libraries(libraries, sizeof libraries) == 0;
    if (needed && !found)
        return wtl_fail(err, -ENOENT,
                        "--gpu: the fake vendor libraries (wattle-sim/nvml.so) are not beside "
                        "wattle-sim; install them, or give library=none");
    o->gpus.folder = found ? libraries : NULL;
    int rc = wtl_tree_create(&o->tree, &o->node, &run->tree, err);
    o->gpus.folder = NULL; /* the tree has its own texts */
    return rc;
}

/* From options to a process that only has to exec the command. */
static int prepare(struct run *run, const sigset_t *mask, struct wattle_error *err)
{
    struct wtl_sim_options *o = &run->options;
    bool events = (o->track || o->programs || o->perf_given) && !o->perf_host;
    struct wtl_stage_config stage = {.command = o->command, .reports = events, .signals = *mask};
    int fd = -1;
    if (o->log_path && !(run->log = fopen(o->log_path, "we")))
        return wtl_fail(err, -errno, "--log %s: %s", o->log_path, wtl_strerror(errno));
    int rc = make_tree(run, err);
    if (rc < 0)
        return rc;
    run->live.tree = stage.tree = run->tree;
    if (events && wtl_sim_pmu_create(&o->pmu, &run->live.pmu) < 0)
        return wtl_fail(err, -ENOMEM, "out of memory");
    rc = wtl_stage_start(&stage, &run->stage, err);
    if (rc == 0)
        rc = wtl_stage_device(&run->stage, &fd, err);
    if (rc == 0)
        rc = wtl_fuse_start(&run->live, run->tree, names_are_fixed(&o->node), fd, &run->fuse, err);
    if (rc == 0)
        rc = wtl_stage_build(&run->stage, err);
    if (rc == 0 && events)
        rc = wtl_listener_start(&run->live, run->stage.calls, run->stage.root, &run->listener, err);
    return rc;
}

static int start(struct run *run, struct wattle_error *err)
{
    wtl_load_meter_init(&run->meter, run->stage.pid, run->options.tree.cpus, true);
    run->live.speed = run->options.speed;
    run->live.follow = run->options.follow;
    run->live.programs = run->options.programs;
    int rc = wtl_live_start(&run->live, &run->options.node, err);
    if (rc < 0)
        return rc;
    if (pthread_create(&run->load_thread, NULL, measure_load, run) != 0)
        return wtl_fail(err, -ENOMEM, "cannot create a thread to measure the load");
    run->load_runs = true;
    return 0;
}

static void stop(struct run *run)
{
    atomic_store(&run->ends, true);
    if (run->load_runs)
        (void)pthread_join(run->load_thread, NULL);
    throttle_fini(&run->throttle);
    wtl_load_meter_fini(&run->meter);
    wtl_listener_stop(run->listener); /* it uses files of the next */
    wtl_fuse_stop(run->fuse);
    if (run->stage.channel >= 0)
        (void)close(run->stage.channel);
    uint64_t undefined = run->live.node ? wtl_node_undefined(run->live.node) : 0;
    if (undefined > 0)
        (void)fprintf(stderr,
                      "wattle-sim: a power was not finite %llu times and was taken as 0 W\n",
                      (unsigned long long)undefined);
    if (run->log) {
        if (run->live.node)
            wtl_live_log(&run->live, run->log);
        if (fclose(run->log) != 0)
            (void)fprintf(stderr, "wattle-sim: %s: %s\n", run->options.log_path,
                          wtl_strerror(errno));
    }
    wtl_live_fini(&run->live);
    wtl_tree_destroy(run->tree);
    wtl_sim_options_fini(&run->options);
}

/* Wait for the command, forwarding signals. Returns its wait status. */
static int supervise(pid_t pid, struct wtl_signals *signals, bool slowed)
{
    struct pollfd look = {.fd = signals->fd, .events = POLLIN};
    int status;
    for (;;) {
        (void)poll(&look, 1, -1); /* an interrupted poll is handled like any other */
        while (wtl_signals_next(signals, pid) != 0)
            continue;
        while (waitpid(pid, &status, WNOHANG | WUNTRACED) == pid) {
            if (!WIFSTOPPED(status))
                return status;
            if (slowed && WSTOPSIG(status) == SIGSTOP)
                continue;                  /* it is we who stopped it */
            (void)kill(getpid(), SIGSTOP); /* the shell sees us stop, and continues us */
            (void)kill(pid, SIGCONT);
        }
    }
}

/* Exit in the same way as the command. */
static int end_like(int status)
{
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    int signal_number = WTERMSIG(status);
    struct rlimit none = {0, 0};
    sigset_t set;
    (void)setrlimit(RLIMIT_CORE, &none); /* the command has dumped its own core */
    (void)signal(signal_number, SIG_DFL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, signal_number);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)raise(signal_number);
    return 128 + signal_number;
}

static int report_exec(const char *command, int rc)
{
    if (rc == -ENOENT) {
        (void)fprintf(stderr, "wattle-sim: %s: command not found\n", command);
        return WTL_SIM_NOT_FOUND;
    }
    (void)fprintf(stderr, "wattle-sim: %s: %s\n", command, wtl_strerror(rc));
    return WTL_SIM_NOT_EXECUTABLE;
}

static int run_command(struct run *run)
{
    struct wattle_error err = {""};
    struct wtl_signals signals;
    int rc = wtl_signals_take(&signals);
    if (rc < 0)
        rc = wtl_fail(&err, rc, "cannot wait for signals: %s", wtl_strerror(rc));
    sigset_t blocked;
    (void)sigprocmask(SIG_BLOCK, NULL, &blocked);
    if (rc == 0) {
        wtl_signals_restore(&signals); /* the command inherits these dispositions */
        (void)sigprocmask(SIG_SETMASK, &blocked, NULL);
        rc = prepare(run, &signals.old_mask, &err);
    }
    (void)signal(SIGCHLD, SIG_DFL); /* if ignored, the command's end would never be reported */
    if (rc == 0)
        rc = start(run, &err);
    if (rc < 0) {
        stop(run);
        (void)fprintf(stderr, "wattle-sim: %s\n", err.text);
        return WTL_SIM_FAILED;
    }
    rc = wtl_stage_release(&run->stage);
    if (rc < 0) {
        int status = report_exec(run->options.command[0], rc);
        stop(run);
        return status;
    }
    int status = supervise(run->stage.pid, &signals, run->options.speed != NULL);
    stop(run);
    return end_like(status);
}

int wtl_sim_run(int argc, char **argv)
{
    struct run run = {.stage.channel = -1, .meter.fd = -1};
    struct wattle_error err = {""};
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int rc = wtl_sim_options_parse(&run.options, argc, argv, cpus > 0 ? (int)cpus : 1, &err);
    if (rc < 0 || run.options.help) {
        wtl_sim_options_fini(&run.options);
        if (rc < 0)
            (void)fprintf(stderr, "wattle-sim: %s\n", err.text);
        else
            wtl_wrap_laid_out(stdout, help, wtl_page_width(stdout));
        return rc < 0 ? WTL_SIM_FAILED : 0;
    }
    wtl_live_init(&run.live, NULL);
    return run_command(&run);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays situations in virtual time: the real measurement and the real outputs of "wattle run", on the simulated node in
 * memory.
 *
 *     worlds-virtual OUTDIR SITUATION-FILE...
 *
 * For each file NAME.world the folder OUTDIR/NAME gets
 *
 *     result.json, result.txt, result.csv   as "wattle run" prints them
 *     trace.wtl      its trace; with repeats trace-1.wtl, trace-2.wtl, ...
 *     warnings.txt   what it warns of
 *     truth.txt      "CHANNEL START-NS END-NS JOULES" for each domain: of the window, then of each region;
 *                    "# t=0 NS" is t = 0 of expressions, on the clock of the results
 *
 * or error.txt with one sentence. The exit status is 0 unless the usage is wrong. The same file gives the same
 * bytes, but for names of folders that a trace must never share.
 *
 * A file has one directive a line; "#" begins a comment. Times are seconds, or have a unit (20ms), after the start
 * of the window, which is t = 0; unless stated otherwise, they may be negative.
 *
 *     seed N                     draws of node and world
 *     start S                    from the node's start to the opening of the sensors [1]; the window starts as soon
 *                                as the ticks before it have been seen. If a fault at the start moves it, t = 0 is
 *                                only close to it: see truth.txt
 *     length S                   of the window [1]
 *     interval DURATION|default  at which sensors are read
 *     machine KEY=VALUE...       sockets=, view=powercap,msr, cpu=skylake-sp, f=GHZ, turbo=GHZ, tdp=W, unknown_msr=,
 *                                grid_us=: the options of "wattle-sim run" of these names; the node has 8 CPUs
 *     power DOMAIN[-N] EXPR      watts, an expression as of "wattle-sim run --power"
 *     wander DOMAIN[-N] W:TIME   its --wander
 *     counter DOMAIN[-N] KEY=VALUE...   its --tick-us, --phase-us (after the node's start), --jitter-us, --unit-exp,
 *                                --range-bits, --raw0: tick_us=, phase_us=, jitter_us=, unit_exp=, bits=, raw0=
 *     step T load=L              from T on; or DOMAIN[-N]=EXPR
 *     fault KIND[:DOMAIN[-N]][@T][,for=TIME][,rate=P][,by=J]   its --fault
 *     costs KEY=VALUE...         of calls in this world, in ns: clock_ns=, pread_ns=, open_ns=; wake-ups: late_ns=,
 *                                tail_ns=, with probability wait_p= up to wait_ns=; reads interrupted: preempt_p=,
 *                                preempt_ns=
 *     region NAME BEGIN END      marked by a thread of a program; not negative; one that ends after the window is
 *                                left open
 *     repeat N                   windows one after another, reported as by "wattle run --repeat"
 *
 * attach, family, engine, program, law, verb, note and seed-of are ignored.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene_play.h"

static const char usage[] =
    "Usage: worlds-virtual OUTDIR SITUATION-FILE...\n"
    "Plays situations in virtual time; each leaves its results in OUTDIR/NAME, or error.txt.\n"
    "Directives: seed, start, length, interval, machine, power, wander, counter, step, fault, "
    "costs,\n"
    "region, repeat; see the head of tests/worlds/virtual/worlds_virtual.c.\n";

/* Make and enter the folder of a situation, relative to the current one; files of an earlier play are removed. */
static int enter(const char *path)
{
    static const char *const leftovers[] = {"error.txt",  "result.json",  "result.txt",
                                            "result.csv", "warnings.txt", "truth.txt"};
    char folder[256];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    if (snprintf(folder, sizeof folder, "%.*s", length, name) >= (int)sizeof folder)
        return -ENAMETOOLONG;
    if ((mkdir(folder, 0777) < 0 && errno != EEXIST) || chdir(folder) < 0)
        return -errno;
    for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++)
        (void)unlink(leftovers[i]);
    return 0;
}

static void print_error(const struct wattle_error *err)
{
    FILE *out = fopen("error.txt", "w");
    if (!out)
        return;
    (void)fprintf(out, "%s\n", err->text);
    (void)fclose(out); /* its absence is noticed, too */
}

/* The first error of the folders ends everything: nothing could be written. */
static int play_all(char *const *files, int home, const char *outdir)
{
    static struct scene scene;
    for (; *files; files++) {
        struct wattle_error err = {""};
        if (fchdir(home) < 0)
            return -errno;
        int rc = scene_read(*files, &scene, &err);
        int entered = chdir(outdir) < 0 ? -errno : enter(*files);
        if (entered < 0) {
            scene_fini(&scene);
            return entered;
        }
        rc = rc < 0 ? rc : scene_play(&scene, &err);
        if (rc < 0)
            print_error(&err);
        scene_fini(&scene);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (argc < 3) {
        (void)fputs(usage, stderr);
        return 2;
    }
    int home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = home < 0 ? -errno : 0;
    if (rc == 0 && mkdir(argv[1], 0777) < 0 && errno != EEXIST)
        rc = -errno;
    rc = rc < 0 ? rc : play_all(argv + 2, home, argv[1]);
    if (rc < 0)
        (void)fprintf(stderr, "worlds-virtual: %s: %s; choose another folder\n", argv[1],
                      strerror(-rc));
    return rc < 0 ? 2 : 0;
}

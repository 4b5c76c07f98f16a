/* SPDX-License-Identifier: BSD-3-Clause */
/* wattle-sim: the simulated node. This file only selects the verb; "run" has its own help. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/flush.h"
#include "base/text/wrap.h"
#include "sim/sim_command.h"

static const char help[] =
    "Usage: wattle-sim VERB ...\nRun a command on a simulated node with energy counters and "
    "exactly known energy.\n\n  run [OPTIONS] -- COMMAND...   run a command on a simulated node; "
    "wattle-sim run --help\n\nInside the command:\n  set NAME=VALUE...             set a power (an "
    "expression), load (0..1, auto) or f (GHz);\n                                prints the "
    "instant\n  energy [--from NS] [--to NS] [--format text|json|csv]\n                            "
    "    exact joules of each domain between two instants\n                                "
    "(CLOCK_MONOTONIC; default: start and now)\n  counts [--from NS] [--to NS] [--format "
    "text|csv]\n                                exact events of each counter, of a node with "
    "phases\n  phases [--format text|csv]    the phases of the node: begin, end, letter, watts\n  "
    "tasks [--format text|csv]     what tasks took: name, number, seconds of all cores, joules\n  "
    "programs [--format text|csv]  what programs used: name, seconds of CPU time, joules\n  "
    "log [--format text|csv]       all steps so far: "
    "instant, what, value\n\nExamples:\n  wattle-sim run --power package=60+40*load -- wattle run "
    "-- make\n  wattle-sim run -- sh -c 'wattle-sim set package=120; sleep 1; wattle-sim "
    "energy'\n\nExit status: run: that of the command, 125 if wattle-sim failed, 126 or 127 if the "
    "command\ncould not be run; others: 0, 1 if the node refused, 2 for usage errors.\n";

/* Write errors are failures; `status` is the verb's. */
static int end(int status)
{
    struct wattle_error err = {""};
    if (wtl_flush(stdout, &err) == 0)
        return status;
    if (wtl_pipe_closed()) /* "| head" */
        return 128 + SIGPIPE;
    (void)fprintf(stderr, "wattle-sim: standard output: %s\n", err.text);
    return status ? status : 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*function)(int argc, char **argv);
    } verbs[] = {{"run", wtl_sim_run},           {"set", wtl_sim_set},
                 {"energy", wtl_sim_energy},     {"counts", wtl_sim_counts},
                 {"phases", wtl_sim_phases},     {"tasks", wtl_sim_tasks},
                 {"programs", wtl_sim_programs}, {"log", wtl_sim_log}};
    const char *verb = argc > 1 ? argv[1] : "--help";
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verb, verbs[i].name) == 0)
            return end(verbs[i].function(argc - 1, argv + 1));
    }
    if (strcmp(verb, "--version") == 0) {
        (void)printf("wattle-sim %s\n", WATTLE_VERSION);
        return end(0);
    }
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0 || strcmp(verb, "help") == 0) {
        wtl_wrap_laid_out(stdout, help, wtl_page_width(stdout));
        return end(argc > 1 ? 0 : 2);
    }
    (void)fprintf(
        stderr,
        "wattle-sim: unknown verb '%s'; verbs are run, set, energy, counts, phases, tasks, "
        "programs, log\n",
        verb);
    return WTL_SIM_FAILED;
}

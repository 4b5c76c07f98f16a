/* SPDX-License-Identifier: BSD-3-Clause */
/* See step_knobs.h. */
#define _GNU_SOURCE
#include "step_knobs.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "errand.h"
#include "job_share.h"

enum { SAID = 1024, HOLD_MS = 5000, TRIES = 5, WORDS = 16 };

/* Prints this if it has set everything; the exit status of an errand is not known. */
static const char SCRIPT[] = "\"$0\" \"$@\" && echo held";
static const char HELD[] = "held\n";

bool step_knobs_take(char value[40], const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-";
    size_t n = text ? strlen(text) : 0;
    if (n == 0 || n >= 40 || text[0] == '-' || strspn(text, letters) != n)
        return false;
    memcpy(value, text, n + 1);
    return true;
}

/* Has Slurm confined this slurmstepd to the CPUs of its job, as with cgroup v2? */
static bool has_own_cpus(void)
{
    cpu_set_t may;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return sched_getaffinity(0, sizeof may, &may) == 0 && CPU_COUNT(&may) < online;
}

/* Why the knobs of this step are not its own to change; NULL: they are. */
static const char *refusal(const struct step_knobs *knobs,
                           const struct site_settings *site,
                           const char *name)
{
    double charged_j;
    char job[24];
    if (knobs->frequency[0] && !site->frequency_range[0])
        return "this site has no [control] frequency-range in wattle.conf";
    if (knobs->power[0] && !site->power_range[0])
        return "this site has no [control] power-range in wattle.conf";
    (void)snprintf(job, sizeof job, "%.*s", (int)strcspn(name, "."), name);
    if (!has_own_cpus() && job_share_ask(job, true, 0, &charged_j) != SHARE_EXCLUSIVE)
        return "other jobs may run on this node; ask for whole nodes (--exclusive)";
    return NULL;
}

/* This daemon's environment with the job, by which "wattle hold" knows that it is not somebody else's. */
static char **environment_of(const char *name, char text[40])
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **vars = calloc(count + 2, sizeof *vars);
    if (!vars)
        return NULL;
    (void)snprintf(text, 40, "SLURM_JOB_ID=%.*s", (int)strcspn(name, "."), name);
    vars[0] = text;
    size_t used = 1;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], "SLURM_JOB_ID=", 13) != 0)
            vars[used++] = environ[i];
    }
    return vars;
}

/* Until the step before, which has just ended, has given its knobs back. */
static bool hold(const char *const *argv, char **vars, char said[SAID])
{
    const struct timespec pause = {0, 200000000};
    struct slurm_errand errand = {.argv = argv, .envp = vars, .limit_ms = HOLD_MS};
    for (int tries = 0; tries < TRIES; tries++) {
        if (tries > 0)
            (void)nanosleep(&pause, NULL);
        (void)slurm_errand_run(&errand, said, SAID);
        size_t n = strlen(said);
        if (n >= sizeof HELD - 1 && strcmp(said + n - (sizeof HELD - 1), HELD) == 0)
            return true;
        if (!strstr(said, " held by "))
            break;
    }
    return false;
}

void step_knobs_hold(const struct step_knobs *knobs,
                     const struct site_paths *paths,
                     const struct site_settings *site,
                     const char *name,
                     char *why)
{
    char pid[16], said[SAID] = "", job[40];
    const char *argv[WORDS] = {"/bin/sh", "-c",           SCRIPT,  paths->wattle,
                               "hold",    "--background", "--pid", pid};
    size_t n = 8;
    const char *refused = refusal(knobs, site, name);
    char **vars = refused ? NULL : environment_of(name, job);
    (void)snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (knobs->frequency[0]) {
        argv[n++] = "--freq";
        argv[n++] = knobs->frequency;
    }
    if (knobs->power[0]) {
        argv[n++] = "--power-limit";
        argv[n++] = knobs->power;
    }
    if (!refused && (!vars || !hold(argv, vars, said))) {
        said[strcspn(said, "\n")] = '\0';
        refused = said[0] ? said : "wattle hold does not answer";
    }
    (void)snprintf(why, SLURM_WHY, "%.*s", SLURM_WHY - 1, refused ? refused : "");
    free(vars);
}

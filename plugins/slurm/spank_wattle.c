/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SPANK plugin: `srun --wattle`, sbatch and salloc too. For plugstack.conf, as "optional". Every callback
 * returns 0, whatever happens: a job never fails because of it. srun alone refuses a misspelt option, before
 * there is a job.
 *
 *     srun, sbatch, salloc    check the option; srun prints the summary of the step's traces at its end
 *     slurmstepd, root        the step begins and ends in wattled's ledger; knobs within the site's limits
 *     slurmstepd, user        "wattle start" before the tasks; "wattle stop" after the last of them
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm_version.h>
#include <slurm/spank.h>

#include "daemon_version.h"
#include "errand.h"
#include "node_energy.h"
#include "site_settings.h"
#include "step_knobs.h"
#include "step_ledger.h"
#include "step_trace.h"

/* What SPANK_PLUGIN() defines, with the version of whatever Slurm loads it: spank.h has the same calls from 22.05 to 26.05,
 * so one binary serves all. If that version is not found, it stays that of the headers, and another one refuses it. */
extern const char plugin_name[], plugin_type[];
extern unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
const char plugin_name[] = "wattle";
const char plugin_type[] = "spank";
const unsigned int spank_plugin_version = 1;
unsigned int plugin_version = SLURM_VERSION_NUMBER;

__attribute__((constructor)) static void take_version(void)
{
    uint32_t version = daemon_version();
    plugin_version = version ? version : plugin_version;
}

enum { PRINTED = 65536, SUMMARY_MS = 60000 };

/* Steps whose numbers are names. */
static const uint32_t STEP_BATCH = 0xfffffffb, STEP_EXTERN = 0xfffffffc,
                      STEP_INTERACTIVE = 0xfffffffa;

/* A process of Slurm has one step. */
static struct {
    struct step_options options;
    struct site_paths paths;
    struct site_settings site;
    struct step_trace trace;
    struct step_knobs knobs;
    char kept[SLURM_WHY]; /* why the knobs stay as they are; "" = they do not */
    uint32_t step;
    uint32_t tasks, ended; /* on this node */
    bool has_step;
    bool asked_ledger, in_ledger;
    char said[PRINTED];
} my;

static int take_wattle(int value, const char *text, int remote)
{
    char why[SLURM_WHY];
    (void)value;
    if (step_options_parse(text, &my.options, why) == 0)
        return 0;
    slurm_error("%s", why);
    return remote ? 0 : -1;
}

static char wattle_name[] = "wattle", wattle_values[] = "interval=10ms,output=FOLDER,...",
            wattle_usage[] =
                "measure the energy of each step: a trace for each node, a summary at the end";
static struct spank_option wattle_option = {
    .name = wattle_name,
    .arginfo = wattle_values,
    .usage = wattle_usage,
    .has_arg = 2,
    .cb = take_wattle,
};

static int take_knob(int value, const char *text, int remote)
{
    bool power = value == 1;
    if (step_knobs_take(power ? my.knobs.power : my.knobs.frequency, text))
        return 0;
    slurm_error(
        "--wattle-%s",
        power ? "power: expected watts per package, such as 120W"
              : "freq: expected a frequency or range, such as 2.1GHz, 1.2-2.1GHz, min or max");
    return remote ? 0 : -1;
}

static char
    freq_name[] = "wattle-freq",
    freq_value[] = "FREQUENCY",
    freq_usage[] =
        "CPU frequency of each step, within the limits of the site: 2.1GHz, 1.2-2.1GHz, min, max";
static struct spank_option freq_option = {.name = freq_name,
                                          .arginfo = freq_value,
                                          .usage = freq_usage,
                                          .has_arg = 1,
                                          .val = 0,
                                          .cb = take_knob};
static char power_name[] = "wattle-power", power_value[] = "WATTS",
            power_usage[] =
                "power limit of each package during each step, within the limits of the site: 120W";
static struct spank_option power_option = {.name = power_name,
                                           .arginfo = power_value,
                                           .usage = power_usage,
                                           .has_arg = 1,
                                           .val = 1,
                                           .cb = take_knob};

/* "12.0" into my.trace.name. */
static bool look_at_step(spank_t spank)
{
    uint32_t job, step;
    if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS)
        return false;
    const char *name = step == STEP_BATCH         ? "batch"
                       : step == STEP_EXTERN      ? "extern"
                       : step == STEP_INTERACTIVE ? "interactive"
                                                  : NULL;
    my.step = step;
    if (name)
        (void)snprintf(my.trace.name, sizeof my.trace.name, "%u.%s", (unsigned)job, name);
    else
        (void)snprintf(my.trace.name, sizeof my.trace.name, "%u.%u", (unsigned)job, (unsigned)step);
    return true;
}

int slurm_spank_init(spank_t spank, int argc, char *argv[])
{
    char why[SLURM_WHY];
    enum spank_context context = spank_context();
    site_paths_read(argc, argv, &my.paths, why);
    if (why[0] && context == S_CTX_SLURMD)
        slurm_info("wattle: %s", why);
    if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR && context != S_CTX_REMOTE)
        return 0;
    (void)spank_option_register(spank, &wattle_option);
    (void)spank_option_register(spank, &freq_option);
    (void)spank_option_register(spank, &power_option);
    return 0;
}

/* ---- slurmstepd ---- */

int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[])
{
    char why[SLURM_WHY];
    (void)argc;
    (void)argv;
    if (spank_context() != S_CTX_REMOTE || !look_at_step(spank))
        return 0;
    site_settings_read(&my.site, why);
    if (why[0] && my.options.on)
        slurm_info("wattle: %s", why);
    my.has_step = my.step != STEP_EXTERN; /* that one is the job, which the prolog brackets */
    (void)spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &my.tasks);
    if (my.has_step && my.options.on)
        my.trace.without_wattled = slurm_wattled_hangs();
    if (my.has_step && (my.knobs.frequency[0] || my.knobs.power[0]))
        step_knobs_hold(&my.knobs, &my.paths, &my.site, my.trace.name, my.kept);
    return 0;
}

int slurm_spank_user_init(spank_t spank, int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    if (my.kept[0]) /* here, and not before, the user sees it */
        slurm_error("wattle: frequency and power of step %s stay as they are: %s", my.trace.name,
                    my.kept);
    if (my.has_step && my.options.on)
        step_trace_start(spank, &my.options, &my.paths, (int)(my.site.start_wait_s * 1000),
                         &my.trace);
    return 0;
}

/* All tasks are there, as processes that wait; before the first of them runs. */
int slurm_spank_task_post_fork(spank_t spank, int argc, char *argv[])
{
    pid_t task = 0;
    (void)argc;
    (void)argv;
    if (my.has_step && my.site.steps && !my.asked_ledger &&
        spank_get_item(spank, S_TASK_PID, &task) == ESPANK_SUCCESS)
        my.in_ledger = step_ledger_begin(my.trace.name, task);
    my.asked_ledger = true;
    return 0;
}

static void end_step(spank_t spank)
{
    if (my.in_ledger)
        step_ledger_end(my.trace.name);
    my.in_ledger = false;
    if (my.trace.asked)
        step_trace_stop(spank, &my.paths, &my.trace, my.said, sizeof my.said);
}

int slurm_spank_task_exit(spank_t spank, int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    if (my.has_step && ++my.ended == my.tasks)
        end_step(spank);
    return 0;
}

/* ---- srun, and the end ---- */

int slurm_spank_local_user_init(spank_t spank, int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    my.has_step = my.options.on && look_at_step(spank);
    return 0;
}

static void print_summary(void)
{
    char folder[SLURM_PATH + 80];
    const char *const argv[] = {my.paths.wattle, "reduce", "--partial", folder, NULL};
    struct slurm_errand errand = {
        .argv = argv, .envp = environ, .limit_ms = SUMMARY_MS, .kill_late = true};
    if (!step_trace_folder(&my.options, my.trace.name, folder, sizeof folder))
        return;
    if (access(folder, R_OK | X_OK) < 0) {
        (void)fprintf(
            stderr,
            "wattle: step %s: there is no folder %s here; its traces are on the nodes, unless "
            "output=FOLDER names one that they share\n",
            my.trace.name, folder);
        return;
    }
    (void)slurm_errand_run(&errand, my.said, sizeof my.said);
    (void)fprintf(stderr, "wattle: step %s, traces in %s\n%s", my.trace.name, folder, my.said);
}

int slurm_spank_exit(spank_t spank, int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    if (!my.has_step)
        return 0;
    if (spank_context() == S_CTX_LOCAL) {
        if (my.options.summary)
            print_summary();
        return 0;
    }
    end_step(spank); /* tasks that could not be started never ended */
    if (my.step == STEP_BATCH && my.options.on && my.options.summary && my.said[0])
        (void)fprintf(stderr, "wattle: job script %s on this node\n%s", my.trace.name, my.said);
    return 0;
}

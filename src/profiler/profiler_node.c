/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's measurement from inside: see profiler_node.h. */
#define _GNU_SOURCE
#include "profiler/profiler_node.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/secrets.h"
#include "counters/machine.h"
#include "measure/judge.h"
#include "model/public_summary.h"
#include "profiler/profiler_read.h"
#include "record/fold.h"
#include "record/region_place.h"
#include "record/replay.h"
#include "record/session.h"
#include "record/spool_file.h"
#include "source/registry.h"

/* Ticks of each counter to wait for before and after (docs/decisions/0003). */
enum { EDGES = 2 };

struct wtl_profiler_node {
    const struct wtl_world *world;
    wtl_profiler_tell_fn tell;
    struct wtl_selection *selection;
    struct wtl_trace_writer *writer; /* NULL = no trace */
    struct wtl_fold *fold;
    struct wtl_energy_writer *energy; /* NULL = no channel of energy */
    struct wtl_session *session;      /* NULL = nothing to sample */
    char *trace, *spool;              /* NULL = none */
    struct wtl_judge judge;
    uint64_t start_ns;
    bool ended;
};

static void tell(const struct wtl_profiler_node *node, const char *sentence)
{
    if (node->tell)
        node->tell(sentence);
}

static void put(void *writer, const char *key, const char *value)
{
    if (value && value[0])
        (void)wtl_trace_writer_meta(writer, key, value); /* sticky: finish tells */
}

/* The program and its arguments, with secrets hidden. */
static void put_command(struct wtl_trace_writer *writer)
{
    char line[4096], shown[4096];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        (void)close(fd); /* read only */
    if (got <= 0)
        return;
    (void)wtl_secrets_arguments(line, (size_t)got, shown, sizeof shown);
    put(writer, "run.command", shown);
}

static void put_facts(struct wtl_profiler_node *node, const struct wtl_profiler_plan *plan)
{
    char text[24], folder[4096];
    const struct wtl_profiler_settings *s = plan->settings;
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)s->interval_ns);
    put(node->writer, "wattle.version", WATTLE_VERSION);
    put(node->writer, "run.id", plan->run_id);
    put(node->writer, "run.target", "program");
    put(node->writer, "run.directory", getcwd(folder, sizeof folder));
    put(node->writer, "run.sensors", s->sensors);
    put(node->writer, "run.groups", s->groups);
    put(node->writer, "node.name", plan->node_name);
    put(node->writer, "node.key", plan->node_key);
    put(node->writer, "sampler.interval_ns", text);
    put_command(node->writer);
    wtl_machine_describe(node->world, put, node->writer);
}

static void no_regions(struct wtl_profiler_node *node, int rc)
{
    char sentence[800];
    (void)snprintf(
        sentence, sizeof sentence, "%.500s.d: %s; regions will not be recorded", node->trace,
        rc == -EPERM ? "a link, a file, or a folder of somebody else" : wtl_strerror(rc));
    tell(node, sentence);
    wtl_profiler_node_flag(node, "REGIONS LOST", "there was no folder for them");
    if (node->spool)
        (void)wtl_spool_folder_end(node->spool);
    free(node->spool);
    node->spool = NULL;
}

void wtl_profiler_no_trace(const char *path,
                           int why,
                           const struct wtl_profiler_settings *settings,
                           wtl_profiler_tell_fn tell_fn)
{
    char sentence[800];
    (void)snprintf(sentence, sizeof sentence,
                   "%.500s: %s; measuring without a trace: give a new file, or a folder, in %s",
                   path, wtl_strerror(why),
                   settings->output_is_option ? "options.output" : "WATTLE_OUTPUT");
    if (tell_fn)
        tell_fn(sentence);
}

static int open_trace(struct wtl_profiler_node *node,
                      const struct wtl_profiler_plan *plan,
                      struct wattle_error *err)
{
    if (!plan->trace)
        return 0;
    int rc = wtl_trace_writer_create(plan->trace, NULL, &node->writer, NULL);
    if (rc == -EEXIST && plan->settings->output_is_option)
        return wtl_fail(err, rc, "%s: exists; remove it, or give another path in options.output",
                        plan->trace);
    if (rc < 0) {
        wtl_profiler_no_trace(plan->trace, rc, plan->settings, plan->tell);
        return 0;
    }
    node->trace = strdup(plan->trace);
    if (!node->trace)
        return wtl_fail(err, -ENOMEM, "profiler: not enough memory");
    put_facts(node, plan);
    rc = wtl_spool_folder_begin(plan->trace, &node->spool);
    if (rc == 0) {
        wtl_spool_folder_tell(node->spool, node->writer);
        rc = wtl_fold_open(node->spool, &node->fold, NULL);
    }
    if (rc < 0)
        no_regions(node, rc);
    return 0;
}

static int open_sensors(struct wtl_profiler_node *node,
                        const struct wtl_profiler_plan *plan,
                        struct wattle_error *err)
{
    struct wtl_target target = {
        .pid = 0}; /* of the processes of a job none is the one to be followed */
    struct wtl_request request = {.drivers = wtl_drivers,
                                  .which = plan->settings->sensors,
                                  .target = &target,
                                  .activity = true};
    struct wattle_error why = {""};
    char sentence[sizeof why.text + 64];
    const char *silent;
    int rc = wtl_replay_or_select(&request, node->world, &node->selection, err);
    if (rc < 0)
        return rc;
    for (size_t at = 0; (silent = wtl_selection_silent(node->selection, &at));)
        tell(node, silent);
    if (wtl_selection_check(node->selection, &why) < 0) {
        (void)snprintf(sentence, sizeof sentence, "%s; only regions are recorded", why.text);
        tell(node, sentence);
    }
    return 0;
}

/* What programs read while it runs: beside the spools, so that all processes find it; where there is no room, in memory
 * for this one. */
static void open_energy(struct wtl_profiler_node *node, uint64_t interval_ns)
{
    const struct wtl_selection *selection = node->selection;
    struct wtl_energy_reader *reader;
    size_t size;
    int rc = wtl_energy_page_open_writer(node->spool, NULL, selection->channels,
                                         selection->recorded_count, interval_ns, &node->energy);
    if (rc < 0 && rc != -ENODATA && node->spool)
        rc = wtl_energy_page_open_writer(NULL, NULL, selection->channels, selection->recorded_count,
                                         interval_ns, &node->energy);
    if (rc < 0)
        return;
    const struct wtl_energy_header *header = wtl_energy_page_lend(node->energy, &size);
    if (wtl_energy_page_attach(header, size, &reader) == 0)
        wtl_profiler_read_from(reader);
}

/* Threads inherit the signal mask: ours take no signal from the program. */
static int open_session(struct wtl_profiler_node *node,
                        const struct wtl_profiler_settings *s,
                        struct wattle_error *err)
{
    struct wtl_session_options options = {.world = node->world,
                                          .selection = node->selection,
                                          .writer = node->writer,
                                          .fold = node->fold,
                                          .energy = node->energy,
                                          .interval_ns = s->interval_ns,
                                          .sampler_cpu = WTL_SAMPLER_CPU_AUTO,
                                          .edges_before = s->edges ? EDGES : 0,
                                          .edges_after = s->edges ? EDGES : 0,
                                          .looks = s->edges};
    sigset_t all, old;
    char sentence[200];
    if (node->selection->recorded_count == 0)
        return 0;
    if (wtl_session_too_fast(node->selection, s->interval_ns, sentence, sizeof sentence))
        tell(node, sentence);
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old);
    int rc = wtl_session_create(&options, &node->session, err);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}

static void begin(struct wtl_profiler_node *node)
{
    if (node->session)
        wtl_session_prepare(node->session);
    wtl_judge_begin(&node->judge, node->world);
    node->start_ns = wtl_world_monotonic(node->world);
    if (node->session)
        wtl_session_begin(node->session, node->start_ns);
    else if (node->writer)
        (void)wtl_trace_writer_window_begin(node->writer, node->start_ns);
}

/* Undo an open that failed: a trace without a measurement is not left behind. */
static void cancel(struct wtl_profiler_node *node)
{
    if (node->writer) {
        wtl_trace_writer_abandon(node->writer);
        node->writer = NULL;
        (void)unlink(node->trace ? node->trace : ""); /* made a moment ago, and empty */
    }
    char *spool = node->spool;
    node->spool = NULL;
    wtl_profiler_node_close(node);
    if (spool)
        (void)wtl_spool_folder_end(spool);
    free(spool);
}

int wtl_profiler_node_open(const struct wtl_profiler_plan *plan,
                           struct wtl_profiler_node **ret_node,
                           struct wattle_error *err)
{
    struct wtl_profiler_node *node = calloc(1, sizeof *node);
    if (!node)
        return wtl_fail(err, -ENOMEM, "profiler: not enough memory");
    node->world = plan->world;
    node->tell = plan->tell;
    int rc = open_sensors(node, plan, err);
    rc = rc < 0 ? rc : open_trace(node, plan, err);
    if (rc == 0)
        open_energy(node, plan->settings->interval_ns);
    rc = rc < 0 ? rc : open_session(node, plan->settings, err);
    if (rc < 0) {
        cancel(node);
        return rc;
    }
    begin(node);
    *ret_node = node;
    return 0;
}

const char *wtl_profiler_node_trace(const struct wtl_profiler_node *node)
{
    return node->trace;
}

const char *wtl_profiler_node_spool(const struct wtl_profiler_node *node)
{
    return node->spool;
}

void wtl_profiler_node_flag(struct wtl_profiler_node *node, const char *name, const char *text)
{
    char key[40];
    (void)snprintf(key, sizeof key, "flag.%s", name);
    if (node->writer)
        (void)wtl_trace_writer_meta(node->writer, key, text); /* sticky: the end tells */
}

/* Regions, footer; the first failure is told. */
static int finish_trace(struct wtl_profiler_node *node, struct wattle_error *err)
{
    struct wtl_fold_report report = {0};
    char losses[240], sentence[sizeof losses + 16];
    wtl_energy_page_close_writer(node->energy); /* the folder is to be empty */
    node->energy = NULL;
    int rc = node->fold ? wtl_fold_write(node->fold, node->writer, &report, err) : 0;
    if (wtl_fold_losses(&report, losses, sizeof losses)) {
        (void)snprintf(sentence, sizeof sentence, "regions: %s", losses);
        tell(node, sentence);
        wtl_profiler_node_flag(node, "REGIONS LOST", losses);
    }
    int finish = wtl_trace_writer_finish(node->writer, rc < 0 ? NULL : err);
    node->writer = NULL;
    if (rc == 0 && finish == 0 && node->fold)
        (void)wtl_fold_remove(node->fold); /* what stays does no harm: it is in the trace */
    return rc < 0 ? rc : finish;
}

static void sum_up(struct wtl_profiler_node *node,
                   uint64_t window_ns,
                   struct wtl_profiler_result *result)
{
    const struct wtl_selection *selection = node->selection;
    result->contains = selection->total.contains;
    result->quality = selection->total.quality;
    result->simulated = node->world->simulated;
    result->window_ns = window_ns;
    if (!node->session || selection->total.count == 0) {
        result->total.energy_j = NAN;
        return;
    }
    for (size_t i = 0; i < selection->recorded_count; i++) {
        struct wtl_summary s;
        if (!(selection->channels[i].flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        wtl_session_summary(node->session, i, &s);
        struct wattle_summary one = wtl_public_summary(&selection->channels[i], &s, window_ns);
        wtl_public_summary_add(&result->total, &selection->channels[i], &one);
    }
}

int wtl_profiler_node_end(struct wtl_profiler_node *node,
                          double cpu_s,
                          struct wtl_profiler_result *ret_result,
                          struct wattle_error *err)
{
    uint64_t end_ns = wtl_world_monotonic(node->world);
    node->ended = true;
    if (node->session)
        wtl_session_end(node->session, end_ns);
    else if (node->writer)
        (void)wtl_trace_writer_window_end(node->writer, end_ns);
    *ret_result = (struct wtl_profiler_result){0};
    sum_up(node, end_ns - node->start_ns, ret_result);
    const struct wtl_judge_facts facts = {.selection = node->selection,
                                          .session = node->session,
                                          .window_ns = end_ns - node->start_ns,
                                          .tree_cpu_s = cpu_s};
    if (node->writer)
        wtl_judge_end(&node->judge, &facts, node->writer);
    return node->writer ? finish_trace(node, err) : 0;
}

void wtl_profiler_node_leave(struct wtl_profiler_node *node)
{
    wtl_session_destroy(node->session);
    node->session = NULL;
    wtl_energy_page_forget_writer(node->energy); /* the other goes on in it */
    node->energy = NULL;
    if (node->writer)
        (void)wtl_trace_writer_flush(node->writer); /* what fails here is a longer gap */
}

void wtl_profiler_node_forget(struct wtl_profiler_node *node)
{
    if (node && node->writer)
        wtl_trace_writer_forget(node->writer);
}

void wtl_profiler_node_close(struct wtl_profiler_node *node)
{
    if (!node)
        return;
    wtl_session_destroy(node->session);
    wtl_energy_page_close_writer(node->energy);
    wtl_trace_writer_abandon(node->writer);
    wtl_fold_close(node->fold);
    wtl_selection_close(node->selection);
    free(node->trace);
    free(node->spool);
    free(node);
}

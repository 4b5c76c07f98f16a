/* SPDX-License-Identifier: BSD-3-Clause */
/* Going on where the one that measured was killed: see takeover.h. */
#define _GNU_SOURCE
#include "measure/takeover.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "measure/outcome.h"
#include "measure/provenance.h"
#include "record/energy_page.h"
#include "record/fold.h"
#include "record/replay.h"
#include "record/spool_file.h"
#include "source/registry.h"
#include "trace/repair.h"
#include "trace/resume.h"

/* Ticks of each counter to wait for at the end (docs/decisions/0003). */
enum { EDGES_AFTER = 2 };

struct wtl_takeover {
    struct wtl_selection *selection;
    struct wtl_trace_writer *writer;
    struct wtl_session *session;
    struct wtl_energy_writer *energy; /* NULL = the processes cannot read what they use */
    char *trace, *spool;
};

static void destroy(struct wtl_takeover *t)
{
    wtl_session_destroy(t->session);
    wtl_energy_page_close_writer(t->energy);
    wtl_selection_close(t->selection);
    wtl_trace_writer_abandon(t->writer);
    free(t->trace);
    free(t->spool);
    free(t);
}

static void tell(struct wtl_takeover *t, const struct wtl_takeover_options *o, uint64_t now_ns)
{
    const struct wtl_trace_resumed *was = wtl_trace_writer_resumed(t->writer);
    double away_s = now_ns > was->last_ns ? (double)(now_ns - was->last_ns) * 1e-9 : 0;
    char before[80] = "the process that measured had finished and handed over";
    char text[400], silent[200] = "", when[64] = "before there was a sample";
    size_t at = 0;
    const char *why = wtl_selection_silent(t->selection, &at);
    if (o->died)
        (void)snprintf(before, sizeof before, "process %ld, which measured, was killed",
                       (long)o->died);
    if (was->last_ns)
        (void)snprintf(when, sizeof when, "%.3g s after the last sample", away_s);
    if (why)
        (void)snprintf(silent, sizeof silent, "; %s", why);
    (void)snprintf(text, sizeof text, "%s; process %ld went on %s%s", before, (long)getpid(), when,
                   silent);
    wtl_provenance_flag(t->writer, "TAKEN OVER", text);
    /* The machine's processor time of all the window is in no one process's hands. */
    wtl_outcome_unchecked(t->writer, "the process that measured at first was replaced");
}

static int open_session(struct wtl_takeover *t,
                        const struct wtl_takeover_options *o,
                        struct wattle_error *err)
{
    /* Goes on in the page of the one before, which processes have mapped. */
    if (wtl_energy_page_open_writer(t->spool, o->page, t->selection->channels,
                                    t->selection->recorded_count, o->interval_ns, &t->energy) < 0)
        t->energy = NULL;
    struct wtl_session_options session = {.world = o->world,
                                          .selection = t->selection,
                                          .writer = t->writer,
                                          .energy = t->energy,
                                          .interval_ns = o->interval_ns,
                                          .sampler_cpu = o->sampler_cpu,
                                          .edges_after = EDGES_AFTER};
    return wtl_measurement_session(&session, &t->session, err);
}

/* Sensors that do not answer stay channels of the trace, with a gap: without them nobody could tell what is missing of the
 * energy. They are not waited for a second time. */
static int stand_in(struct wtl_takeover *t,
                    const struct wtl_takeover_options *o,
                    struct wtl_request *request,
                    struct wattle_error *err)
{
    size_t at = 0, count = wtl_trace_writer_resumed(t->writer)->count;
    if (!wtl_selection_silent(t->selection, &at))
        return 0;
    struct wattle_channel *known = calloc(count + 1, sizeof *known);
    if (!known)
        return wtl_no_memory_for(err, "going on with %s", o->trace);
    for (size_t i = 0; i < count; i++)
        known[i] = *wtl_trace_writer_known(t->writer, i);
    request->known = known;
    request->known_count = count;
    wtl_selection_close(t->selection);
    t->selection = NULL;
    int rc = wtl_replay_or_select(request, o->world, &t->selection, err);
    free(known);
    return rc;
}

static int open_all(struct wtl_takeover *t,
                    const struct wtl_takeover_options *o,
                    struct wattle_error *err)
{
    struct wtl_target target = {.pid = o->command, .inherit = o->command != 0};
    struct wtl_request request = {.drivers = wtl_drivers,
                                  .which = o->sensors,
                                  .settings = o->settings,
                                  .target = &target,
                                  .activity = true};
    t->trace = strdup(o->trace);
    bool has_spool = o->spool && o->spool[0];
    t->spool = has_spool ? strdup(o->spool) : NULL;
    if (!t->trace || (has_spool && !t->spool))
        return wtl_no_memory_for(err, "going on with %s", o->trace);
    int rc = wtl_replay_or_select(&request, o->world, &t->selection, err);
    if (rc < 0)
        return rc;
    /* Sensors first: opening them takes time, in which the file need not be held. */
    rc = wtl_trace_resume(o->trace, &t->writer, err);
    rc = rc < 0 ? rc : stand_in(t, o, &request, err);
    return rc < 0 ? rc : open_session(t, o, err);
}

int wtl_takeover_begin(const struct wtl_takeover_options *options,
                       struct wtl_takeover **ret_takeover,
                       struct wattle_error *err)
{
    struct wtl_takeover *t = calloc(1, sizeof *t);
    if (!t)
        return wtl_no_memory_for(err, "going on with %s", options->trace);
    int rc = open_all(t, options, err);
    if (rc < 0) {
        destroy(t);
        return rc;
    }
    uint64_t now_ns = wtl_world_monotonic(options->world);
    tell(t, options, now_ns);
    wtl_session_prepare(t->session);
    wtl_session_begin(t->session, now_ns);
    *ret_takeover = t;
    return 0;
}

struct wtl_trace_writer *wtl_takeover_writer(struct wtl_takeover *takeover)
{
    return takeover->writer;
}

void wtl_takeover_leave(struct wtl_takeover *takeover)
{
    wtl_session_destroy(takeover->session);
    takeover->session = NULL;
    (void)wtl_trace_writer_flush(takeover->writer); /* what fails here is a longer gap */
    destroy(takeover);
}

void wtl_takeover_forget(struct wtl_takeover *takeover)
{
    if (takeover && takeover->writer)
        wtl_trace_writer_forget(takeover->writer);
}

/* The spools that are not in the file yet. */
static int take_in(void *context, struct wtl_trace_reader *reader, struct wtl_trace_writer *writer)
{
    struct wtl_fold *fold = context;
    struct wtl_fold_report report;
    int rc = wtl_fold_resume(fold, reader, NULL);
    return rc < 0 ? rc : wtl_fold_write(fold, writer, &report, NULL);
}

int wtl_takeover_end(struct wtl_takeover *takeover, uint64_t end_ns, struct wattle_error *err)
{
    struct wtl_takeover *t = takeover;
    struct wtl_trace_writer_status status;
    struct wtl_trace_repair repair;
    struct wtl_fold *fold = NULL;
    wtl_session_end(t->session, end_ns);
    wtl_energy_page_close_writer(t->energy);
    t->energy = NULL;
    (void)wtl_trace_writer_flush(t->writer); /* a failure is in the status */
    wtl_trace_writer_status(t->writer, &status);
    wtl_trace_writer_abandon(t->writer); /* gives the lock back to repair */
    t->writer = NULL;
    if (!t->spool || wtl_fold_open(t->spool, &fold, NULL) < 0)
        fold = NULL; /* its regions stay there, for wattle repair */
    bool any = fold && wtl_fold_count(fold) > 0;
    int rc = wtl_trace_repair_with(t->trace, any ? take_in : NULL, fold, &repair, err);
    if (rc == 0 && status.error < 0)
        rc = wtl_fail(err, status.error, "%s: what came last is missing: %s", t->trace,
                      wtl_strerror(status.error));
    if (rc == 0 && any && repair.filled)
        (void)wtl_fold_remove(fold); /* what stays does no harm: it is in the trace */
    wtl_fold_close(fold);
    if (rc == 0 && t->spool)
        (void)wtl_spool_folder_end(t->spool); /* stays when something is left in it */
    destroy(t);
    return rc;
}

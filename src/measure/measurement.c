/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One measurement: see measurement.h. The order matters: only two clock readings and the caller's
 * release happen between the last tick and the start of the window.
 */
#define _GNU_SOURCE
#include "measure/measurement.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/usage.h"
#include "counters/columns/counters.h"
#include "counters/cputime.h"
#include "measure/counted.h"
#include "measure/provenance.h"
#include "measure/shares.h"
#include "record/replay.h"
#include "source/registry.h"
#include "trace/resume.h"

static void warn(const struct wtl_measurement *m, const char *sentence)
{
    if (m->options.teller.warn)
        m->options.teller.warn(m->options.teller.context, sentence);
}

int wtl_measurement_session(const struct wtl_session_options *options,
                            struct wtl_session **ret_session,
                            struct wattle_error *err)
{
    sigset_t all, old;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old); /* inherited by threads */
    int rc = wtl_session_create(options, ret_session, err);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}

int wtl_measurement_init(struct wtl_measurement *m,
                         const struct wtl_measurement_options *options,
                         struct wattle_error *err)
{
    *m = (struct wtl_measurement){.options = *options, .busy = {.fd = -1}};
    int rc = wtl_run_trace_init(&m->trace, options->trace_path, &options->teller);
    return rc < 0 ? wtl_no_memory_for(err, "the trace") : 0;
}

/* ---- sensors ---- */

/* Is a channel of this offer in the total? */
static bool is_in_total(const struct wtl_selection *selection, const struct wtl_offer *offer)
{
    for (size_t i = 0; i < selection->recorded_count; i++) {
        if (selection->channels[i].flags & WATTLE_CHANNEL_IN_TOTAL &&
            selection->picks[i].source == &offer->source)
            return true;
    }
    return false;
}

/* Why there is no page of wattled, if one was looked for: after another sentence. */
static const char *why_no_relay(const struct wtl_selection *selection)
{
    for (size_t i = 0; i < selection->offer_count; i++) {
        const struct wtl_offer *offer = &selection->offers[i];
        if (offer->driver->flags & WTL_DRIVER_RELAY && offer->status < 0 &&
            offer->status != -ECANCELED)
            return offer->why.text;
    }
    return "";
}

/* What of the set cannot be counted, with the remedy. */
static void warn_of_counters(const struct wtl_measurement *m)
{
    const struct wtl_source *source = wtl_measurement_counters(m);
    char sentence[900];
    if (source && wtl_counters_complaint(source, sentence, sizeof sentence))
        warn(m, sentence);
    for (size_t i = 0; i < m->selection->offer_count && !source && m->options.target.counters;
         i++) {
        const struct wtl_offer *offer = &m->selection->offers[i];
        if (offer->driver == &wtl_driver_counters && offer->why.text[0])
            warn(m, offer->why.text);
    }
}

/* Warn about what makes the total incomplete, with the remedy: sensors that do not answer; parts of
 * a sensor in the total that cannot be used; if there is only an estimate, the first sensor to
 * which access is denied. A program gets only the first warning; its trace has the rest. */
static void warn_of_sensors(const struct wtl_measurement *m)
{
    const struct wtl_selection *selection = m->selection;
    bool measured = selection->total.quality != WATTLE_ESTIMATED;
    char sentence[2 * sizeof selection->offers->why.text + 64];
    const char *silent;
    for (size_t at = 0; (silent = wtl_selection_silent(selection, &at));)
        warn(m, silent);
    for (size_t i = 0; i < selection->offer_count && !m->options.inside; i++) {
        const struct wtl_offer *offer = &selection->offers[i];
        bool partial = measured && offer->status == 0 && is_in_total(selection, offer);
        bool forbidden = !measured && offer->status == -EACCES;
        if (!offer->why.text[0] || !(partial || forbidden))
            continue;
        char more[64] = "";
        if (offer->source.note_count > 1)
            (void)snprintf(more, sizeof more, "; and %zu more, see \"wattle sensors\"",
                           offer->source.note_count - 1);
        if (partial)
            (void)snprintf(sentence, sizeof sentence, "%s: %s%s", offer->driver->name,
                           offer->why.text, more);
        else
            (void)snprintf(sentence, sizeof sentence, "only an estimate: %s%s%s", offer->why.text,
                           why_no_relay(selection)[0] ? "; " : "", why_no_relay(selection));
        warn(m, sentence);
        if (forbidden)
            return;
    }
}

static void warn_of_none(const struct wtl_measurement *m, const struct wattle_error *why)
{
    char sentence[sizeof why->text + 32];
    (void)snprintf(sentence, sizeof sentence, "%s%s", why->text,
                   m->options.inside ? "; only regions are recorded" : "");
    warn(m, sentence);
}

static int select_sensors(struct wtl_measurement *m,
                          const struct wattle_channel *known,
                          size_t known_count,
                          struct wattle_error *err)
{
    const struct wtl_measurement_options *o = &m->options;
    struct wtl_request request = {.drivers = wtl_drivers,
                                  .which = o->sensors,
                                  .settings = o->settings,
                                  .target = &o->target,
                                  .activity = o->activity,
                                  .known = known,
                                  .known_count = known_count,
                                  .in_place = o->in_place,
                                  .direct = o->public_page != NULL};
    return wtl_replay_or_select(&request, o->world, &m->selection, err);
}

static int open_sensors(struct wtl_measurement *m, struct wattle_error *err)
{
    const struct wtl_measurement_options *o = &m->options;
    struct wattle_error why = {""};
    int rc = select_sensors(m, NULL, 0, err);
    if (rc < 0)
        return rc;
    rc = wtl_selection_check(m->selection, &why);
    bool estimated = m->selection->total.quality == WATTLE_ESTIMATED;
    warn_of_counters(m);
    if (rc < 0 && (o->require_measured || o->sensors_required))
        return wtl_fail(err, rc, "%s", why.text);
    if (rc < 0)
        warn_of_none(m, &why);
    else if (!o->require_measured || !estimated)
        warn_of_sensors(m);
    if (o->require_measured && estimated)
        return wtl_fail(err, -ENODEV,
                        "%sno sensor of this machine can be read, only an estimate is available; "
                        "see \"wattle sensors\"",
                        o->public_page ? "" : "--require measured: ");
    return 0;
}

/* If no channel shows what the machine's processors did, read their CPU time before and after, to
 * detect other load. */
static void open_busy(struct wtl_measurement *m)
{
    const struct wtl_selection *selection = m->selection;
    bool told = !m->options.inside || !m->trace.writer || m->options.world->virtual_time ||
                wtl_replay_of(selection);
    for (size_t i = 0; i < selection->recorded_count && !told; i++)
        told = strcmp(selection->channels[i].name, WTL_CPUTIME_MACHINE) == 0;
    if (!told && wtl_busy_open(&m->busy, m->options.world, "auto", NULL) < 0)
        m->busy.fd = -1; /* a flag says that nothing checked */
}

/* ---- trace ---- */

/* Sensors that do not answer remain channels of the trace, with a gap: otherwise the trace would
 * not show which energy is missing. They are not waited for a second time. */
static int stand_in(struct wtl_measurement *m, struct wattle_error *err)
{
    const struct wtl_trace_writer *writer = m->trace.writer;
    size_t at = 0, count = wtl_trace_writer_resumed(writer)->count;
    if (!wtl_selection_silent(m->selection, &at))
        return 0;
    struct wattle_channel *known = calloc(count + 1, sizeof *known);
    if (!known)
        return wtl_no_memory_for(err, "continuing with %s", m->trace.path);
    for (size_t i = 0; i < count; i++)
        known[i] = *wtl_trace_writer_known(writer, i);
    wtl_selection_close(m->selection);
    m->selection = NULL;
    int rc = select_sensors(m, known, count, err);
    free(known);
    return rc;
}

/* Open sensors first: it takes time, during which the file need not be locked. */
static int open_trace(struct wtl_measurement *m, struct wattle_error *err)
{
    int rc = 0;
    if (m->options.begun) {
        rc = wtl_trace_resume(m->trace.path, &m->trace.writer, err);
        return rc < 0 ? rc : stand_in(m, err);
    }
    rc = wtl_run_trace_create(&m->trace, &m->options.trace, err);
    if (rc == 0)
        wtl_provenance_before(m);
    return rc;
}

/* ---- session ---- */

/* The energy page for running programs, next to their regions, where all processes find it. If it
 * cannot be created, the measurement continues without it. */
static int open_page(struct wtl_measurement *m, struct wattle_error *err)
{
    const struct wtl_selection *s = m->selection;
    const struct wtl_measurement_begun *begun = m->options.begun;
    const char *folder = m->trace.merge ? wtl_run_trace_folder(&m->trace) : NULL;
    struct wtl_energy_page_options page = {.folder = begun ? begun->spool : folder,
                                           .held = begun ? begun->page : NULL,
                                           .channels = s->channels,
                                           .count = s->recorded_count,
                                           .interval_ns = m->options.interval_ns};
    int rc = -ENOENT;
    if (folder || begun) /* existing mappings of processes stay in use */
        rc = wtl_energy_page_open_writer(&page, &m->energy);
    page.folder = NULL;
    if (rc < 0 && m->options.own_page)
        rc = wtl_energy_page_open_writer(&page, &m->energy);
    if (m->options.public_page) {
        page.public = true;
        page.generation = m->options.public_page->generation;
        page.writer = m->options.public_page->writer;
        page.boot_id = m->options.public_page->boot_id;
        page.rest = m->options.public_page->rest;
        page.context = m->options.public_page->context;
        rc = wtl_energy_page_open_writer(&page, &m->energy);
    }
    if (rc < 0)
        m->energy = NULL;
    if (rc < 0 && m->options.public_page)
        return wtl_fail(err, rc, "cannot create the energy page: %s", strerror(-rc));
    return 0;
}

static int open_session(struct wtl_measurement *m, struct wattle_error *err)
{
    const struct wtl_measurement_options *o = &m->options;
    char sentence[200];
    if (m->selection->recorded_count == 0)
        return 0;
    if (wtl_session_too_fast(m->selection, o->interval_ns, sentence, sizeof sentence))
        warn(m, sentence);
    int rc = open_page(m, err);
    if (rc < 0)
        return rc;
    struct wtl_session_options options = {.world = o->world,
                                          .selection = m->selection,
                                          .writer = m->trace.writer,
                                          .merge = m->trace.merge,
                                          .energy = m->energy,
                                          .interval_ns = o->interval_ns,
                                          .activity_interval_ns = o->activity_interval_ns,
                                          .counters_interval_ns = o->counters_interval_ns,
                                          .sampler_cpu = o->sampler_cpu,
                                          .apart = o->apart,
                                          .patience = o->patience,
                                          .edges_before = o->begun ? 0 : o->edges,
                                          .edges_after = o->edges,
                                          .looks = o->edges > 0 && !o->begun};
    return wtl_measurement_session(&options, &m->session, err);
}

int wtl_measurement_open_sensors(struct wtl_measurement *m, struct wattle_error *err)
{
    return open_sensors(m, err);
}

int wtl_measurement_open(struct wtl_measurement *m, struct wattle_error *err)
{
    int rc = m->selection ? 0 : open_sensors(m, err);
    rc = rc < 0 ? rc : open_trace(m, err);
    if (rc < 0)
        return rc;
    open_busy(m);
    rc = open_session(m, err);
    m->options.begun = NULL; /* owned by the caller */
    return rc;
}

/* ---- the window ---- */

bool wtl_measurement_prepare(struct wtl_measurement *m)
{
    wtl_governor_read(m->options.world, &m->before);
    if (m->busy.fd >= 0 && wtl_busy_read(&m->busy, &m->busy_start_ns) < 0)
        wtl_busy_close(&m->busy);
    wtl_measurement_shares_open(m);
    return !m->session || wtl_session_prepare(m->session);
}

void wtl_measurement_start(struct wtl_measurement *m)
{
    const struct wtl_world *world = m->options.world;
    m->own_cpu_start_s = wtl_usage_own_s(false);
    m->realtime_offset_ns = world->ops->now_ns(world, CLOCK_REALTIME) - wtl_world_monotonic(world);
    m->start_ns = wtl_world_monotonic(world);
}

void wtl_measurement_begin(struct wtl_measurement *m)
{
    if (m->session)
        wtl_session_begin(m->session, m->start_ns);
    else if (m->trace.writer)
        (void)wtl_trace_writer_window_begin(m->trace.writer,
                                            m->start_ns); /* sticky: the end reports the error */
}

void wtl_measurement_end(struct wtl_measurement *m, uint64_t end_ns)
{
    m->end_ns = end_ns;
    if (m->session)
        wtl_session_end(m->session, end_ns);
    else if (m->trace.writer)
        (void)wtl_trace_writer_window_end(m->trace.writer, end_ns); /* sticky, too */
}

int wtl_measurement_fill_trace(struct wtl_measurement *m,
                               struct wtl_result *result,
                               struct wattle_error *err)
{
    wtl_energy_page_close_writer(
        m->energy); /* the session has ended, and the folder must become empty */
    m->energy = NULL;
    int rc = wtl_run_trace_fold(&m->trace, result, err);
    wtl_provenance_after(m, result);
    if (m->trace.writer)
        (void)wtl_trace_writer_flush(m->trace.writer); /* finish reports a failure */
    return rc;
}

void wtl_measurement_flag(struct wtl_measurement *m, const char *name, const char *text)
{
    if (m->trace.writer)
        wtl_provenance_flag(m->trace.writer, name, text);
}

/* ---- the end ---- */

/* Stop what holds threads, sensors and mappings. */
static void stop(struct wtl_measurement *m)
{
    wtl_measurement_shares_close(m); /* its thread looks at the session */
    wtl_session_destroy(m->session);
    wtl_energy_page_close_writer(m->energy);
    wtl_selection_close(m->selection);
    wtl_busy_close(&m->busy);
    m->session = NULL;
    m->energy = NULL;
    m->selection = NULL;
}

void wtl_measurement_discard(struct wtl_measurement *m)
{
    stop(m);
    wtl_run_trace_discard(&m->trace);
    wtl_run_trace_fini(&m->trace);
}

void wtl_measurement_leave(struct wtl_measurement *m)
{
    wtl_measurement_shares_close(m);
    wtl_session_destroy(m->session);
    m->session = NULL;
    wtl_energy_page_forget_writer(m->energy); /* the next process continues in it */
    m->energy = NULL;
    if (m->trace.writer)
        (void)wtl_trace_writer_flush(m->trace.writer); /* if this fails, the gap is longer */
    free(m->trace.spool);                              /* the folder stays, even if it is empty */
    m->trace.spool = NULL;
}

void wtl_measurement_close(struct wtl_measurement *m)
{
    stop(m);
    wtl_run_trace_fini(&m->trace);
}

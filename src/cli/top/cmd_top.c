/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle top": the machine while it is measured, or a trace while it is written, on a screen or as lines.
 * measure.c measures; a loop here updates and shows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/cluster/run_result.h"
#include "base/fail.h"
#include "base/parse.h"
#include "base/whole.h"
#include "cli/commands.h"
#include "cli/run/child.h"
#include "cli/run/measure.h"
#include "cli/run/run_options.h"
#include "cli/run_words.h"
#include "cli/settings.h"
#include "cli/top/live_batch.h"
#include "cli/top/live_draw.h"
#include "cli/top/live_view.h"
#include "cli/top/screen.h"
#include "cli/verb.h"
#include "measure/shares.h"
#include "record/replay.h"
#include "record/session.h"
#include "report/table.h"
#include "trace/reader.h"

struct wtl_top_options {
    uint64_t interval_ns, sample_ns, count; /* count 0 = no end */
    bool batch, force, ascii, no_processes;
    enum wtl_format format;
    const char *sensors, *output, *host, *filter; /* NULL = not given */
    enum wtl_live_sort sort;
    uint64_t processes;
    double idle_w;     /* NaN = not given */
    const char *trace; /* NULL = the machine */
};

struct top {
    struct wtl_top_options options;
    const struct wtl_world *world;
    struct wtl_cli_settings settings;
    struct wtl_signals signals;
    struct wtl_live_view view;
    struct wtl_live_processes processes;
    struct wtl_live_gpus gpus;
    struct wtl_measurement *measurement;
    struct wtl_live_batch batch;
    struct wtl_screen screen;
    struct wattle_error err;
    struct wattle_error no_processes;
    int rc; /* of the loop */
};

static void warn(void *context, const char *sentence)
{
    (void)context;
    wtl_print_sentence(stderr, "wattle top: warning: %s\n", sentence);
}

/* ---- the loop: reads a source, updates the view, shows it on an output, and applies keys, until ended ---- */

/* Where results come from: the machine or a trace. */
struct wtl_top_source {
    /* Read and update the view; sets view->ended when there is no more data. Returns 0 or -errno. */
    int (*look)(void *context, struct wtl_live_view *view, struct wattle_error *err);
    /* Virtual time: advance to this instant. NULL in real time. */
    void (*advance)(void *context, uint64_t time_ns);
    uint64_t sample_ns; /* between samples of the machine; 0 = not live */
    void *context;
    const struct wtl_world *world; /* its clock */
};

/* An output: a screen (screen.h) or lines (live_batch.h). */
struct wtl_top_face {
    /* 0 or -errno. */
    int (*show)(void *context, struct wtl_live_view *view, struct wattle_error *err);
    /* The next key pressed, -1 = none. NULL: no keys; ends with its source. */
    int (*key)(void *context);
    int fd; /* becomes readable when there may be keys */
    void *context;
    uint64_t count;  /* updates to show; 0 = unlimited */
    bool with_first; /* also show the first update, which has no power */
};

/* A sample is taken by then. */
static const uint64_t AFTER_NS = 2000000;

struct loop {
    const struct wtl_top_source *source;
    const struct wtl_top_face *face;
    struct wtl_live_view *view;
    struct wtl_signals *signals;
    struct wattle_error *err;
    uint64_t shown;
};

static uint64_t monotonic_ns(const struct loop *loop)
{
    return wtl_world_monotonic(loop->source->world);
}

/* Handle all keys pressed: returns 1 = some, 0 = none, -ECANCELED = the last one quits. */
static int take_keys(struct loop *loop)
{
    int key, some = 0;
    while (loop->face->key && (key = loop->face->key(loop->face->context)) != -1) {
        some = 1;
        if (!wtl_live_view_key(loop->view, key))
            return -ECANCELED;
    }
    return some;
}

static int show_source(struct loop *loop)
{
    return loop->face->show(loop->face->context, loop->view, loop->err);
}

/* Wait until an instant while handling keys and signals: returns 0, or negative to end. */
static int wait_until(struct loop *loop, uint64_t look_ns)
{
    struct pollfd fds[2] = {{.fd = loop->signals->fd, .events = POLLIN},
                            {.fd = loop->face->key ? loop->face->fd : -1, .events = POLLIN}};
    uint64_t every_ns = loop->view->every_ns;
    if (loop->source->advance) {
        loop->source->advance(loop->source->context, look_ns + every_ns);
        return wtl_signals_ended(loop->signals) ? -ECANCELED : 0;
    }
    for (;;) {
        bool asleep = loop->view->paused || loop->view->ended;
        uint64_t now = monotonic_ns(loop), until_ns = look_ns + loop->view->every_ns;
        if (!asleep && now >= until_ns)
            return 0;
        uint64_t left_ns = asleep ? 3600000000000u : until_ns - now;
        (void)poll(fds, 2, (int)(left_ns / 1000000u) + 1); /* interrupted: as any other event */
        if (wtl_signals_ended(loop->signals) || fds[1].revents & (POLLERR | POLLNVAL | POLLHUP))
            return -ECANCELED;
        int rc = take_keys(loop);
        rc = rc > 0 ? show_source(loop) : rc;
        if (rc < 0)
            return rc;
    }
}

/* So that looks come just after samples: what the processes did, and their energy, are then of the same time. Updates that
 * are no multiple of the sampling interval cannot: moving each would change their rate. */
static uint64_t align(const struct loop *loop, uint64_t look_ns)
{
    uint64_t sample_ns = wtl_live_view_total_ns(loop->view), step_ns = loop->source->sample_ns;
    if (step_ns == 0 || sample_ns == 0 || sample_ns > look_ns ||
        loop->view->every_ns % step_ns != 0)
        return look_ns;
    uint64_t late_ns = (look_ns - sample_ns) % step_ns;
    return late_ns >= AFTER_NS && late_ns < 3 * AFTER_NS ? look_ns : look_ns + AFTER_NS - late_ns;
}

static int look_and_show(struct loop *loop)
{
    int rc = loop->source->look(loop->source->context, loop->view, loop->err);
    bool shows = loop->face->with_first || loop->view->looks > 1 || loop->view->is_trace;
    if (rc < 0 || !shows)
        return rc;
    loop->shown++;
    return show_source(loop);
}

/* Run until the count is reached, q is pressed, a signal arrives (see signals->came) or, without keys, the
 * source ends. Returns 0 or -errno with a message. */
static int top_loop(const struct wtl_top_source *source,
                    const struct wtl_top_face *face,
                    struct wtl_live_view *view,
                    struct wtl_signals *signals,
                    struct wattle_error *err)
{
    struct loop loop = {
        .source = source, .face = face, .view = view, .signals = signals, .err = err};
    uint64_t look_ns = monotonic_ns(&loop);
    int rc;
    for (;;) {
        rc = look_and_show(&loop);
        if (rc < 0 || (face->count && loop.shown >= face->count) || (view->ended && !face->key))
            break;
        look_ns = align(&loop, look_ns);
        rc = wait_until(&loop, look_ns);
        if (rc < 0)
            break;
        /* From deadline to deadline, so that updates do not drift; missed ones are skipped. */
        uint64_t now = monotonic_ns(&loop);
        look_ns = now - look_ns < 2 * view->every_ns ? look_ns + view->every_ns : now;
    }
    return rc == -ECANCELED ? 0 : rc;
}

/* ---- front ends ---- */

/* The screen if possible, otherwise lines, with a message if they were not requested. */
static int show(struct top *top, const struct wtl_top_source *source)
{
    struct wattle_error why = {""};
    struct wtl_top_face face = {.count = top->options.count};
    bool lines = top->options.batch || !isatty(STDOUT_FILENO);
    if (!lines && (wtl_screen_check(&why) < 0 ||
                   wtl_screen_open(&top->screen, top->options.ascii, &why) < 0)) {
        wtl_print_sentence(stderr, "wattle top: %s; printing lines instead\n", why.text);
        lines = true;
    }
    if (lines) {
        top->batch = (struct wtl_live_batch){
            .out = stdout, .format = top->options.format, .processes = top->options.processes};
        face.show = wtl_live_batch_show;
        face.context = &top->batch;
    } else {
        face.show = wtl_screen_show;
        face.key = wtl_screen_key;
        face.fd = STDIN_FILENO;
        face.context = &top->screen;
        face.with_first = true;
    }
    int rc = top_loop(source, &face, &top->view, &top->signals, &top->err);
    if (!lines)
        wtl_screen_close(&top->screen);
    return rc;
}

/* ---- the machine ---- */

static int look_at_machine(void *context, struct wtl_live_view *view, struct wattle_error *err)
{
    struct top *top = context;
    struct wtl_result result;
    bool first = view->looks == 0;
    wtl_measurement_so_far(top->measurement, &result);
    uint64_t now_ns = wtl_world_monotonic(top->world);
    view->realtime_ns = top->world->ops->now_ns(top->world, CLOCK_REALTIME);
    int rc = wtl_live_view_look(view, &result, now_ns, true);
    wtl_result_fini(&result);
    if (rc < 0)
        return wtl_no_memory_for(err, "the live view");
    if (!view->processes)
        return 0;
    double total_j = view->result.energy.j;
    uint64_t total_ns = wtl_live_view_total_ns(view);
    if (first && isnan(total_j) && view->result.total.count > 0) {
        total_j = 0; /* the window has just been opened */
        total_ns = view->start_ns;
    }
    if (view->processes->gpus)
        wtl_live_gpus_look(view->processes->gpus, &view->result);
    rc = wtl_live_processes_look(view->processes, total_j, wtl_share_devices_j(&view->result),
                                 total_ns, view->result.total.quality, view->total.power_w, err);
    view->load = view->processes->load;
    return rc;
}

static void advance_machine(void *context, uint64_t time_ns)
{
    struct top *top = context;
    wtl_measure_advance(top->measurement, time_ns);
}

/* How energy is divided among processes. A recorded host has no calibration. */
static void choose_shares(struct top *top)
{
    struct wattle_error why = {""};
    struct wtl_share_model model;
    double cpus = 0, idle_w = wtl_measurement_idle_w(top->measurement, &cpus);
    int rc = -ENOENT;
    if (top->world->virtual_time)
        model = wtl_share_by_cpu_time(idle_w, WTL_IDLE_MODEL);
    else
        rc = wtl_measurement_share_model(top->measurement, &model, &why);
    if (rc < 0 && rc != -ENOENT)
        warn(top, why.text);
    wtl_live_processes_model(&top->processes, &model, cpus);
    bool live = !top->world->virtual_time && !wtl_replay_of(top->measurement->selection);
    if (live)
        wtl_live_processes_count(&top->processes);
    if (live)
        wtl_live_gpus_open(&top->gpus, top->world, top->measurement->selection);
    top->processes.gpus = top->gpus.count > 0 ? &top->gpus : NULL;
}

static void attend(void *context, struct wtl_measurement *measurement)
{
    struct top *top = context;
    top->measurement = measurement;
    if (top->view.processes)
        choose_shares(top);
    struct wtl_top_source source = {.look = look_at_machine, .context = top, .world = top->world};
    if (top->world->virtual_time)
        source.advance = advance_machine;
    else
        source.sample_ns = top->options.sample_ns;
    top->rc = show(top, &source);
    top->processes.gpus = NULL;
    wtl_live_gpus_close(&top->gpus);
}

static int watch_machine(struct top *top)
{
    const struct wtl_top_options *o = &top->options;
    struct wtl_measure_options measure = {
        .what = {.world = top->world,
                 .settings = &top->settings.drivers,
                 .sensors = o->sensors,
                 .sensors_required = o->sensors != NULL,
                 .activity = true,
                 .trace_path = o->output,
                 .trace = {.force = o->force, .need = WTL_TRACE_MUST},
                 .interval_ns = o->sample_ns,
                 .sampler_cpu = WTL_SAMPLER_CPU_AUTO,
                 .edges = WTL_MEASUREMENT_EDGES,
                 .work = NAN,
                 .teller = {.warn = warn, .context = top}},
        .attendant = {.attend = attend, .context = top}};
    struct wtl_child child = wtl_child_none();
    struct wtl_result result;
    struct wtl_run_trace trace;
    if (!o->no_processes &&
        wtl_live_processes_open(&top->processes, top->world, o->idle_w, &top->no_processes) == 0)
        top->view.processes = &top->processes;
    else if (top->no_processes.text[0])
        top->view.no_processes = top->no_processes.text;
    int rc = wtl_measure(&measure, &top->signals, &child, &result, &trace, &top->err);
    if (rc == 0) {
        (void)wtl_run_trace_finish(&trace, &result, NULL); /* what fails is a flag */
        wtl_run_trace_fini(&trace);
        wtl_result_fini(&result);
        rc = top->rc;
    }
    wtl_live_processes_close(&top->processes);
    return rc;
}

/* ---- a trace as a source ---- */

/*
 * A trace as a source of the live view: one that is being written is followed until it has a
 * footer; a complete one is shown at its end, with its history. Summaries continue from block to
 * block; nothing is read twice.
 */

struct wtl_live_trace {
    const char *path;
    struct wtl_trace_reader *reader;
    uint64_t bytes;      /* seen so far */
    uint64_t changed_ns; /* when it last grew, by our clock, or when it was opened */
    uint64_t age_ns;     /* time without growth before that */
    bool started;
};

/* A writer adds a block each second; after this time without one, it has died or is stopped. */
static const uint64_t QUIET_NS = 5000000000;

enum { PAST = 120 }; /* points of history to begin with */

static int live_trace_open(struct wtl_live_trace *trace, const char *path, struct wattle_error *err)
{
    struct stat file;
    struct timespec now;
    *trace =
        (struct wtl_live_trace){.path = path, .changed_ns = wtl_world_monotonic(wtl_world_real())};
    /* A trace not written to for long is recognised immediately. */
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (stat(path, &file) == 0 && now.tv_sec > file.st_mtim.tv_sec) {
        trace->age_ns = (uint64_t)(now.tv_sec - file.st_mtim.tv_sec) * 1000000000u;
        trace->bytes = (uint64_t)file.st_size;
    }
    return wtl_trace_reader_open(path, &trace->reader, err);
}

static void live_trace_close(struct wtl_live_trace *trace)
{
    wtl_trace_reader_close(trace->reader);
    trace->reader = NULL;
}

/* Earlier data: the last updates of a live trace, all of a complete one. */
static void take_past(struct wtl_live_trace *trace, struct wtl_live_view *view, bool whole)
{
    for (size_t i = 0; i < view->channel_count; i++) {
        struct wtl_history *history = &view->channels[i].history;
        struct wtl_power_point *points = NULL;
        struct wattle_error ignored;
        uint64_t end_ns = view->now_ns, stretch_ns = 0, past_ns = PAST * view->every_ns;
        uint64_t begin_ns = view->result.start_monotonic_ns;
        if (!whole && end_ns - begin_ns > past_ns)
            begin_ns = end_ns - past_ns;
        struct wtl_trace_range range = {.begin_ns = begin_ns, .end_ns = end_ns};
        int id = wtl_trace_reader_find_channel(trace->reader, view->channels[i].name);
        int n = id < 0 ? id
                       : wtl_trace_reader_power(trace->reader, (uint32_t)id, &range, PAST, &points,
                                                &stretch_ns, &ignored);
        double step_ns = (double)(end_ns - begin_ns) / PAST;
        int at = 0;
        for (int column = 0; column < PAST && n > 0; column++) {
            double until_ns = (double)begin_ns + step_ns * (column + 1), sum = 0, weight = 0;
            for (; at < n && (double)points[at].begin_ns < until_ns; at++) {
                double span = (double)(points[at].end_ns - points[at].begin_ns);
                if (isnan(points[at].mean_w))
                    continue;
                sum += (double)points[at].mean_w * span;
                weight += span;
            }
            wtl_history_past(history, weight > 0 ? sum / weight : (double)NAN);
        }
        if (history->history_count > 0)
            wtl_history_lately(history, (double)history->history_w[history->history_count - 1],
                               wtl_whole_u64(step_ns));
        free(points);
    }
}

static void sum_past(struct wtl_live_view *view)
{
    for (size_t k = 0; k < PAST; k++) {
        double sum = 0;
        bool any = false;
        for (size_t i = 0; i < view->channel_count; i++) {
            const struct wtl_history *history = &view->channels[i].history;
            if (!(view->result.channels[i].channel.flags & WATTLE_CHANNEL_IN_TOTAL))
                continue;
            any = true;
            sum += k < history->history_count ? (double)history->history_w[k] : (double)NAN;
        }
        if (any)
            wtl_history_past(&view->total, sum);
        if (any && k + 1 == PAST)
            wtl_history_lately(&view->total, sum, view->every_ns);
    }
}

/* The state of the trace as text. */
static void describe(struct wtl_live_trace *trace,
                     struct wtl_live_view *view,
                     const struct wtl_trace_reader_status *status)
{
    char age[32];
    uint64_t now_ns = wtl_world_monotonic(wtl_world_real());
    if (status->bytes != trace->bytes) {
        trace->changed_ns = now_ns;
        trace->age_ns = 0;
    }
    trace->bytes = status->bytes;
    uint64_t quiet_ns = now_ns - trace->changed_ns + trace->age_ns;
    if (status->has_footer)
        (void)snprintf(view->note, sizeof view->note,
                       "the measurement has ended; the trace is complete");
    else if (quiet_ns > QUIET_NS) {
        (void)snprintf(view->note, sizeof view->note,
                       "no new data for %s: the writer has died or is stopped; complete the trace "
                       "with \"wattle repair\"",
                       wtl_live_clock(age, sizeof age, quiet_ns));
        wtl_live_view_silence(view);
    } else
        (void)snprintf(view->note, sizeof view->note, "following a trace that is being written");
}

/* Read new data; once there is a footer the trace is reopened, since a reader keeps the footer state it started with. */
static int refresh(struct wtl_live_trace *trace, struct wattle_error *err)
{
    struct wtl_trace_reader_status status;
    struct wtl_trace_reader *whole = NULL;
    int rc = wtl_trace_reader_refresh(trace->reader, err);
    if (rc < 0)
        return rc;
    wtl_trace_reader_status(trace->reader, &status);
    if (!status.footer_came || wtl_trace_reader_open(trace->path, &whole, err) < 0)
        return 0; /* it was removed: continue with the open file */
    wtl_trace_reader_close(trace->reader);
    trace->reader = whole;
    return 0;
}

static int look_at_trace(void *context, struct wtl_live_view *view, struct wattle_error *err)
{
    struct wtl_live_trace *trace = context;
    struct wtl_trace_reader_status status;
    struct wtl_result result;
    uint64_t first_ns, last_ns = 0;
    int rc = refresh(trace, err);
    rc = rc < 0 ? rc : wtl_run_result_read(trace->reader, trace->path, &result, err);
    if (rc < 0)
        return rc;
    wtl_trace_reader_status(trace->reader, &status);
    if (wtl_trace_reader_span(trace->reader, &first_ns, &last_ns) < 0 ||
        last_ns < result.start_monotonic_ns || status.has_footer)
        last_ns = result.end_monotonic_ns;
    view->is_trace = true;
    view->subject = trace->path;
    if (wtl_trace_reader_realtime(trace->reader, last_ns, &view->realtime_ns) < 0)
        view->realtime_ns = 0;
    rc = wtl_live_view_look(view, &result, last_ns, false);
    wtl_result_fini(&result);
    if (rc < 0)
        return wtl_no_memory_for(err, "the live view");
    if (!trace->started && view->channel_count > 0) {
        trace->started = true;
        take_past(trace, view, status.has_footer);
        sum_past(view);
    }
    if (status.has_footer)
        wtl_live_view_end(view);
    describe(trace, view, &status);
    return 0;
}

static struct wtl_top_source live_trace_source(struct wtl_live_trace *trace)
{
    return (struct wtl_top_source){
        .look = look_at_trace, .context = trace, .world = wtl_world_real()};
}

/* ---- a trace ---- */

static int watch_trace(struct top *top)
{
    struct wtl_live_trace trace;
    char *path = NULL;
    int rc = wtl_run_word_single(&wtl_top_command, top->options.trace, &path, &top->err);
    if (rc == 0 && wtl_run_name_is_run(path))
        rc = wtl_fail(&top->err, -EINVAL, "%s is a run of many nodes; name the trace of one", path);
    rc = rc < 0 ? rc : live_trace_open(&trace, path, &top->err);
    if (rc < 0) {
        free(path);
        return rc;
    }
    struct wtl_top_source source = live_trace_source(&trace);
    rc = show(top, &source);
    live_trace_close(&trace);
    free(path);
    return rc;
}

static int watch(struct top *top)
{
    struct wtl_world *recorded = NULL;
    top->world = wtl_world_real();
    wtl_live_view_init(&top->view, top->options.interval_ns);
    top->view.sort = top->options.sort;
    if (top->options.filter)
        (void)snprintf(top->view.filter, sizeof top->view.filter, "%s", top->options.filter);
    int rc = wtl_cli_settings_load(&top->settings, top->world, &top->err);
    if (rc == 0 && top->options.host) {
        rc = wtl_world_recorded(top->options.host, &recorded, &top->err);
        top->world = recorded;
        top->view.users.numbers = true;
    }
    rc = rc < 0 ? rc : wtl_signals_take(&top->signals);
    if (rc < 0 && !top->err.text[0])
        (void)wtl_fail(&top->err, rc, "cannot wait for signals: %s", wtl_strerror(rc));
    if (rc == 0)
        rc = top->options.trace ? watch_trace(top) : watch_machine(top);
    wtl_live_view_fini(&top->view);
    wtl_cli_settings_fini(&top->settings);
    wtl_world_close(recorded);
    return rc;
}

/* ---- options: one table, one reader, and the invalid combinations ---- */

static int take_watts(const struct wtl_command *command, void *place, const char *text)
{
    double *w = place;
    if (wtl_parse_double(text, w) == 0 && *w >= 0)
        return 0;
    return wtl_usage(command, "--idle %s: not a number of watts such as 35 or 35.5", text);
}

static const struct wtl_option top_option_table[] = {
    {'i', "interval", "DUR", "update every DUR (default 1s)",
     WTL_TAKES_INTERVAL(struct wtl_top_options, interval_ns, 1)},
    {'n', "count", "N", "exit after N updates",
     WTL_TAKES_U64(struct wtl_top_options, count, 1, UINT32_MAX)},
    {'b', "batch", NULL, "print lines instead of a full-screen view",
     WTL_SETS(struct wtl_top_options, batch)},
    {0, "format", "FORMAT",
     "format of lines: text, json or csv (default text);\njson and csv imply --batch",
     WTL_TAKES_CHOICE(struct wtl_top_options, format, wtl_format_names)},
    {0, "sort", "KEY", "sort processes by power, energy, cpu, name, pid or\nuser (default power)",
     WTL_TAKES_CHOICE(struct wtl_top_options, sort, wtl_live_sort_names)},
    {0, "filter", "TEXT", "show only processes with TEXT in command or user",
     WTL_TAKES_TEXT(struct wtl_top_options, filter)},
    {0, "processes", "N", "number of processes in json and csv (default 10)",
     WTL_TAKES_U64(struct wtl_top_options, processes, 0, UINT32_MAX)},
    {0, "no-processes", NULL, "do not show processes",
     WTL_SETS(struct wtl_top_options, no_processes)},
    {0, "idle", "W", "idle power in watts, for shares of processes",
     WTL_CALLS(struct wtl_top_options, idle_w, take_watts)},
    WTL_RUN_OPTION_SENSOR(struct wtl_top_options, sensors),
    {0, "sample", "DUR", "sample the sensors every DUR (default 100ms)",
     WTL_TAKES_DURATION(struct wtl_top_options, sample_ns, 1)},
    {'o', "output", "FILE", "also write a trace to FILE",
     WTL_TAKES_FILE(struct wtl_top_options, output)},
    {0, "force", NULL, "overwrite an existing file", WTL_SETS(struct wtl_top_options, force)},
    {0, "ascii", NULL, "use ASCII characters only", WTL_SETS(struct wtl_top_options, ascii)},
    {0, "host", "DIR",
     "show a recorded host instead of this machine, in\nvirtual time; requires --count",
     WTL_TAKES_TEXT(struct wtl_top_options, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* Returns 0, or the exit status of the usage error after a message. */
static int check(const struct wtl_top_options *o, size_t operands)
{
    const struct wtl_command *command = &wtl_top_command;
    if (operands > 1)
        return wtl_usage(command, "expected one trace, but %zu are given", operands);
    if (o->interval_ns < 50000000)
        return wtl_usage(
            command, "--interval must be at least 50 ms; to sample faster use \"wattle run -i\"");
    if (o->trace && (o->sensors || o->output || o->host))
        return wtl_usage(command, "--sensor, --output and --host cannot be used with a trace");
    if (o->host && o->count == 0)
        return wtl_usage(command, "--host replays a recorded machine and requires --count");
    if (o->filter && strlen(o->filter) >= sizeof((struct wtl_live_view *)0)->filter)
        return wtl_usage(command, "--filter: longer than 63 bytes");
    return 0;
}

/* Returns WTL_GO_ON, or the exit status after a message. */
static int top_options_parse(struct wtl_top_options *options, int argc, char **argv)
{
    struct wtl_command_line line;
    *options = (struct wtl_top_options){
        .interval_ns = 1000000000, .sample_ns = 100000000, .processes = 10, .idle_w = NAN};
    int status = wtl_command_read(&wtl_top_command, argc, argv, options, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        options->trace = line.words[0];
    if (options->format != WTL_FORMAT_TEXT || options->host)
        options->batch = true;
    status = check(options, line.count);
    return status ? status : WTL_GO_ON;
}

/* ---- the verb ---- */

static int run(int argc, char **argv)
{
    struct top top = {.err = {""}};
    int status = top_options_parse(&top.options, argc, argv);
    if (status != WTL_GO_ON)
        return status;
    int rc = watch(&top);
    if (rc < 0) {
        wtl_complain(&wtl_top_command, "%s", top.err.text);
        return WTL_EXIT_FAILED;
    }
    /* Ctrl-C ends lines, as q ends the screen; other signals have their default effect. */
    if (top.signals.came && top.signals.came != SIGINT)
        wtl_signals_die(top.signals.came);
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_top_command = {
    .verb = "top",
    .run = run,
    .takes_signals = true,
    .operands = "[TRACE|DIR]",
    .summary = "show power and energy of machine and processes, live",
    .text = "Measures this machine or, with TRACE, follows a trace that is being written.\nShares "
            "of processes are computed from CPU time. Press h for keys, q to quit.\nWithout a "
            "terminal, prints lines.\n",
    .options = top_option_table,
    .examples = "wattle top\n"
                "wattle top -i 2s --sort energy --filter python\n"
                "wattle top app.wtl\n"
                "wattle top --format json -n 10 | jq .total.power.w\n"
                "wattle top -o evening.wtl\n",
    .usage_exit = WTL_EXIT_USAGE,
};

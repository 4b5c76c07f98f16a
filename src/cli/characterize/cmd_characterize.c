/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle characterize gpu": what the power gauge of a GPU does. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analysis/gauge/gauge_plan.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/own_program.h"
#include "base/parse.h"
#include "base/signals.h"
#include "cli/characterize/characterize.h"
#include "cli/commands.h"
#include "cli/pose/load_process.h"
#include "model/meta_key.h"
#include "model/reading.h"
#include "source/registry.h"
#include "source/select.h"
#include "trace/reader.h"

static int take_time(const struct wtl_command *command, void *place, const char *value)
{
    const uint64_t most_ns = 600ull * 1000 * 1000 * 1000;
    uint64_t ns;
    if (wtl_parse_duration(value, &ns) < 0 || ns < 1000000 || ns > most_ns)
        return wtl_usage(command, "%s: expected a time from 1ms to 10m, such as 100ms", value);
    *(uint64_t *)place = ns;
    return 0;
}

enum { AGAIN = 2 };

static const struct wtl_option options[] = {
    {0, "channel", "NAME", "the gauge (default: the first one of a GPU)",
     WTL_TAKES_TEXT(struct wtl_characterize, channel)},
    {0, "load-shape", "FILE",
     "the load during RECORDING: lines \"SECONDS,LOAD\",\nthe load from there on, 0 to 1",
     WTL_TAKES_INPUT(struct wtl_characterize, load_shape)},
    {0, "device", "DEVICE",
     "run the load on this GPU: its number as its library counts,\n"
     "or its PCI address (default: that of the gauge)",
     WTL_TAKES_TEXT(struct wtl_characterize, device)},
    {0, "period", "DUR", "a guess of the gauge's period (default: what is known,\nor 100ms)",
     WTL_CALLS(struct wtl_characterize, period_ns, take_time)},
    {0, "hold", "DUR",
     "length of the long steps, which show slow filters\n(default: 15 periods, at least 1.5s)",
     WTL_CALLS(struct wtl_characterize, hold_ns, take_time)},
    {'o', "output", "FILE", "store in this file (default:\n~/.config/wattle/calibration.conf)",
     WTL_TAKES_TEXT(struct wtl_characterize, calibration)},
    {0, "no-store", NULL, "only print", WTL_SETS(struct wtl_characterize, no_store)},
    WTL_OPTION_FORMAT(struct wtl_characterize, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int parse(int argc, char **argv, struct wtl_characterize *c)
{
    const struct wtl_command *command = &wtl_characterize_command;
    struct wtl_command_line line;
    int status = wtl_command_read(command, argc, argv, c, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count == 0 || strcmp(line.words[0], "gpu") != 0)
        return wtl_usage(command, "expected \"gpu\", the only kind of device");
    if (line.count > 2)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[2]);
    c->recording = line.count == 2 ? line.words[1] : NULL;
    if (!c->recording != !c->load_shape)
        return wtl_usage(command, c->recording
                                      ? "a RECORDING requires --load-shape: what ran meanwhile"
                                      : "--load-shape requires a RECORDING");
    bool live_only = c->device || c->period_ns || c->hold_ns;
    if (c->recording && live_only)
        return wtl_usage(command, "--device, --period and --hold are not for a RECORDING");
    if (c->no_store && c->calibration)
        return wtl_usage(command, "--no-store cannot be used with --output");
    return WTL_GO_ON;
}

/* ---- recordings of a gauge, and shapes of loads ---- */

enum { MOST_LINES = 50 * 1000 * 1000 };

/* Called with both numbers of each line: 0 or -errno. */
typedef int take_pair(struct wtl_characterize *c, double first, double second);

static int take_step(struct wtl_characterize *c, double time_s, double load)
{
    if (wtl_grow(&c->steps, c->step_count, sizeof *c->steps) < 0)
        return -ENOMEM;
    c->steps[c->step_count++] = (struct wtl_load_step){time_s, load};
    return load >= 0 && load <= 1 ? 0 : -EBADMSG;
}

static int take_reading(struct wtl_characterize *c, double time_s, double watts)
{
    if (wtl_grow(&c->readings, c->reading_count, sizeof *c->readings) < 0)
        return -ENOMEM;
    c->readings[c->reading_count++] = (struct wtl_gauge_reading){time_s, watts};
    return 0;
}

static int read_lines(struct wtl_characterize *c,
                      FILE *in,
                      const char *path,
                      const char *columns,
                      take_pair *take,
                      struct wattle_error *err)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    int rc = 0;
    while (rc == 0 && getline(&line, &room, in) > 0) {
        double first, second;
        number++;
        bool skipped = line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0';
        if (skipped)
            continue;
        rc = wtl_parse_pair(line, ",", &first, &second) < 0 || number > MOST_LINES ? -EBADMSG : 0;
        if (rc < 0 && number == 1)
            rc = 0; /* a heading */
        else if (rc == 0)
            rc = take(c, first, second);
    }
    free(line);
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    if (rc < 0)
        return wtl_fail(err, rc, "%s:%zu: expected \"%s\"", path, number, columns);
    if (ferror(in))
        return wtl_fail(err, -EIO, "%s: cannot be read", path);
    return 0;
}

static int read_file(struct wtl_characterize *c,
                     const char *path,
                     const char *columns,
                     take_pair *take,
                     struct wattle_error *err)
{
    FILE *in = fopen(path, "re");
    if (!in)
        return wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    int rc = read_lines(c, in, path, columns, take, err);
    (void)fclose(in);
    return rc;
}

/* The shape of the load: lines "time_s,load", with or without a heading. */
static int characterize_shape(struct wtl_characterize *c, struct wattle_error *err)
{
    return read_file(c, c->load_shape, "SECONDS,LOAD, with a load from 0 to 1", take_step, err);
}

/* ---- traces ---- */

/* The named channel, or the only one of a power. */
static int find_channel(const struct wtl_characterize *c,
                        const struct wtl_trace_reader *reader,
                        struct wattle_error *err)
{
    int found = -ENOENT;
    size_t count = wtl_trace_reader_channel_count(reader), powers = 0;
    if (c->channel) {
        found = wtl_trace_reader_find_channel(reader, c->channel);
        return found >= 0 ? found
                          : wtl_fail(err, -ENOENT, "%s: no channel %s; \"wattle stats\" lists them",
                                     c->recording, c->channel);
    }
    for (size_t i = 0; i < count; i++) {
        const struct wattle_channel *channel = &wtl_trace_reader_channel(reader, i)->channel;
        if (channel->quantity != WATTLE_POWER || channel->kind == WATTLE_COUNTER)
            continue;
        powers++;
        found = (int)i;
    }
    if (powers == 1)
        return found;
    return wtl_fail(err, -EINVAL, "%s: %zu channels show power; choose one with --channel",
                    c->recording, powers);
}

static int take_samples(struct wtl_characterize *c,
                        struct wtl_trace_reader *reader,
                        const struct wattle_channel *channel,
                        uint32_t id,
                        struct wattle_error *err)
{
    struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &id, .channel_count = 1, .no_edges = true};
    struct wtl_trace_samples *samples = NULL;
    struct wtl_trace_chunk chunk;
    struct wtl_trace_window window;
    wtl_trace_reader_window(reader, &window);
    int rc = wtl_trace_samples_open(reader, &range, &samples, err);
    while (rc >= 0 && (rc = wtl_trace_samples_next(samples, &chunk, err)) > 0) {
        const struct wtl_trace_column *column = &chunk.columns[0];
        for (size_t i = 0; i < chunk.rows && rc > 0; i++) {
            double time_s = (double)(int64_t)(chunk.time_ns[i] - window.start_monotonic_ns) * 1e-9;
            if ((column->missing && column->missing[i]) ||
                (c->reading_count && c->readings[c->reading_count - 1].time_s >= time_s))
                continue;
            if (take_reading(c, time_s, wtl_channel_value(channel, column->values[i])) < 0)
                rc = wtl_no_memory(err);
        }
    }
    wtl_trace_samples_close(samples);
    return rc;
}

static int read_trace(struct wtl_characterize *c,
                      struct wtl_trace_reader *reader,
                      struct wattle_error *err)
{
    int id = find_channel(c, reader, err);
    if (id < 0)
        return id;
    const struct wattle_channel *channel = &wtl_trace_reader_channel(reader, (size_t)id)->channel;
    const char *host = wtl_trace_reader_meta(reader, WTL_META_HOST_NAME);
    (void)snprintf(c->host, sizeof c->host, "%.64s", host ? host : "");
    (void)snprintf(c->name, sizeof c->name, "%s", channel->name);
    (void)snprintf(c->device_name, sizeof c->device_name, "%s", channel->label);
    c->claimed_period_s = channel->refresh_ns ? (double)channel->refresh_ns * 1e-9 : NAN;
    c->claimed_window_s = channel->window_ns ? (double)channel->window_ns * 1e-9 : NAN;
    c->rated_w = channel->max_w > 0 ? channel->max_w : NAN;
    c->simulated = channel->flags & WATTLE_CHANNEL_SIMULATED;
    return take_samples(c, reader, channel, (uint32_t)id, err);
}

/* Readings of a trace, or of a file with lines "time_s,watts". A trace has its times on CLOCK_MONOTONIC, from its start on. */
static int characterize_recording(struct wtl_characterize *c, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    int rc = wtl_trace_reader_open(c->recording, &reader, err);
    if (rc == -EBADMSG)
        return read_file(c, c->recording, "SECONDS,WATTS", take_reading, err);
    rc = rc < 0 ? rc : read_trace(c, reader, err);
    wtl_trace_reader_close(reader);
    return rc;
}

/* ---- the load and the readings of this machine ---- */

/*
 * The load runs in wattle-load, in a process group of its own, and tells when it switched; the
 * gauge is read here, at a twentieth of its period. Both have CLOCK_MONOTONIC. On a busy machine
 * either may come late: the load says when the device worked, and a reading that took longer than
 * the time between two is left out.
 */

static const double PERIOD_S = 0.1, HOLD_S = 1.5, READS = 20, LEAST_READ_S = 0.0005;
enum { WORDS = 12, PLAN_SEED = 1 };

struct live {
    struct wtl_characterize *c;
    struct wtl_selection *selection;
    size_t at; /* of the channel in the selection */
    struct wtl_signals signals;
    int shape_fd, told_fd;
    uint64_t every_ns;
};

/* ---- the channel ---- */

static bool is_gauge(const struct wattle_channel *channel)
{
    return channel->quantity == WATTLE_POWER && channel->kind != WATTLE_COUNTER &&
           channel->domain == WATTLE_DOMAIN_GPU;
}

static int find_live_channel(struct live *live, struct wattle_error *err)
{
    const struct wtl_selection *s = live->selection;
    const char *wanted = live->c->channel;
    for (size_t i = 0; i < s->count; i++) {
        const struct wattle_channel *channel = &s->channels[i];
        if (wanted ? strcmp(channel->name, wanted) != 0 : !is_gauge(channel))
            continue;
        if (channel->quantity != WATTLE_POWER || channel->kind == WATTLE_COUNTER)
            return wtl_fail(err, -EINVAL, "%s is not a power gauge", wanted);
        live->at = i;
        return 0;
    }
    return wanted
               ? wtl_fail(err, -ENOENT, "no channel %s here; \"wattle sensors\" lists them", wanted)
               : wtl_fail(err, -ENODEV,
                          "no GPU here shows its power; \"wattle sensors\" tells why");
}

static void describe(struct live *live)
{
    struct wtl_characterize *c = live->c;
    const struct wattle_channel *channel = &live->selection->channels[live->at];
    struct utsname name;
    if (uname(&name) == 0)
        (void)snprintf(c->host, sizeof c->host, "%.64s", name.nodename);
    (void)snprintf(c->name, sizeof c->name, "%s", channel->name);
    (void)snprintf(c->device_name, sizeof c->device_name, "%s", channel->label);
    c->claimed_period_s = channel->refresh_ns ? (double)channel->refresh_ns * 1e-9 : NAN;
    c->claimed_window_s = channel->window_ns ? (double)channel->window_ns * 1e-9 : NAN;
    c->rated_w = channel->max_w > 0 ? channel->max_w : NAN;
    c->simulated = channel->flags & WATTLE_CHANNEL_SIMULATED;
}

static int open_channel(struct live *live,
                        const struct wtl_cli_settings *settings,
                        struct wattle_error *err)
{
    struct wtl_request request = {
        .drivers = wtl_drivers, .settings = &settings->drivers, .direct = true};
    int rc = wtl_selection_open(&request, wtl_world_real(), &live->selection, err);
    rc = rc < 0 ? rc : find_live_channel(live, err);
    if (rc == 0)
        describe(live);
    return rc;
}

static int read_channel(struct live *live)
{
    const struct wtl_pick *pick = &live->selection->picks[live->at];
    const struct wattle_channel *channel = &live->selection->channels[live->at];
    struct wtl_characterize *c = live->c;
    struct wattle_reading reading = {0};
    uint64_t began_ns = wtl_world_monotonic(wtl_world_real());
    pick->source->driver->read(pick->source, pick->at, 1, &reading);
    if (wtl_world_monotonic(wtl_world_real()) - began_ns > live->every_ns)
        return 0; /* it may be of any moment in between */
    double time_s = (double)reading.time_ns * 1e-9;
    if (reading.status < 0 ||
        (c->reading_count && c->readings[c->reading_count - 1].time_s >= time_s))
        return 0; /* what is missing shows as a gap */
    if (wtl_grow(&c->readings, c->reading_count, sizeof *c->readings) < 0)
        return -ENOMEM;
    c->readings[c->reading_count++] =
        (struct wtl_gauge_reading){time_s, wtl_channel_value(channel, reading.raw)};
    return 0;
}

/* ---- the load ---- */

/* Files of the load in memory, which it finds as /dev/fd/N. */
static int write_plan(struct live *live, struct wattle_error *err)
{
    struct wtl_characterize *c = live->c;
    double period_s = c->period_ns                    ? (double)c->period_ns * 1e-9
                      : isfinite(c->claimed_period_s) ? c->claimed_period_s
                                                      : PERIOD_S;
    double hold_s = c->hold_ns ? (double)c->hold_ns * 1e-9 : fmax(HOLD_S, 15 * period_s);
    struct wtl_load_step *plan;
    c->hold_ns = (uint64_t)(hold_s * 1e9);
    size_t n = wtl_gauge_plan(period_s, hold_s, PLAN_SEED, &plan);
    live->every_ns = (uint64_t)(fmax(period_s / READS, LEAST_READ_S) * 1e9);
    live->shape_fd = memfd_create("shape", 0);
    live->told_fd = memfd_create("told", 0);
    int rc = n > 0 ? 0 : wtl_no_memory(err);
    if (rc == 0 && (live->shape_fd < 0 || live->told_fd < 0))
        rc = wtl_fail(err, -errno, "cannot create a file in memory: %s", wtl_strerror(errno));
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (dprintf(live->shape_fd, "%.9f %g\n", plan[i].time_s, plan[i].load) < 0)
            rc = wtl_fail(err, -errno, "cannot write to memory: %s", wtl_strerror(errno));
    }
    free(plan);
    return rc;
}

/* "pci 0000:65:00.0, ..." of a channel's location. */
static const char *device_of(const struct live *live, char *buf, size_t n)
{
    const char *location = live->selection->channels[live->at].location;
    if (live->c->device)
        return live->c->device;
    static const char before[] = "pci ";
    if (strncmp(location, before, strlen(before)) != 0)
        return NULL;
    location += strlen(before);
    (void)snprintf(buf, n, "%.*s", (int)strcspn(location, ", "), location);
    return buf;
}

static int start_load(struct live *live, struct wtl_load_process *load, struct wattle_error *err)
{
    char program[4096], folder[4096], shape[32], told[16], pci[16] = "";
    const char *words[WORDS] = {program, "gpu", "--shape", shape, "--ready", told};
    const char *device = device_of(live, pci, sizeof pci);
    wtl_own_folder(folder, sizeof folder);
    if (!wtl_own_program_find("wattle-load", program, sizeof program))
        return wtl_fail(err, -ENOENT,
                        "wattle-load not found in %s, in its libexec/wattle, or in PATH; it is "
                        "installed with wattle",
                        folder);
    (void)snprintf(shape, sizeof shape, "/dev/fd/%d", live->shape_fd);
    (void)snprintf(told, sizeof told, "%d", live->told_fd);
    if (device) {
        words[6] = "--device";
        words[7] = device;
    }
    return wtl_load_process_start(load, (char *const *)(uintptr_t)words, &live->signals, err);
}

static bool field(const char *line, const char *name, uint64_t *ret)
{
    const char *at = strstr(line, name);
    if (!at)
        return false;
    at += strlen(name);
    return wtl_scan_u64(at, strlen(at), ret) > 0;
}

/* "step kernel=gpu time_ns=123 load=1" */
static int take_told(struct live *live, struct wattle_error *err)
{
    struct wtl_characterize *c = live->c;
    FILE *told = lseek(live->told_fd, 0, SEEK_SET) == 0 ? fdopen(dup(live->told_fd), "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    int rc = told ? 0 : wtl_fail(err, -EIO, "what the load said cannot be read");
    while (rc == 0 && getline(&line, &room, told) > 0) {
        uint64_t ns, load;
        if (strncmp(line, "step ", 5) != 0 || !field(line, " time_ns=", &ns) ||
            !field(line, " load=", &load))
            continue;
        double time_s = (double)ns * 1e-9;
        if (c->step_count && (double)load == c->steps[c->step_count - 1].load)
            continue;
        if (wtl_grow(&c->steps, c->step_count, sizeof *c->steps) < 0)
            rc = wtl_no_memory(err);
        else
            c->steps[c->step_count++] = (struct wtl_load_step){time_s, (double)load};
    }
    free(line);
    if (told)
        (void)fclose(told);
    return rc;
}

static int run_load(struct live *live, struct wattle_error *err)
{
    struct wtl_load_process load;
    char words[512];
    enum wtl_wait came = WTL_WAIT_TIME;
    int rc = start_load(live, &load, err);
    if (rc < 0)
        return rc;
    for (uint64_t next = wtl_world_monotonic(wtl_world_real()); rc == 0 && came == WTL_WAIT_TIME;
         next += live->every_ns) {
        uint64_t now = wtl_world_monotonic(wtl_world_real());
        next = next < now ? now : next;
        came = wtl_load_process_wait(&load, &live->signals, next, false);
        rc = read_channel(live) < 0 ? wtl_no_memory(err) : 0;
    }
    wtl_load_process_stop(&load, &live->signals);
    wtl_load_process_words(&load, words, sizeof words);
    if (rc == 0 && came == WTL_WAIT_INTERRUPTED)
        return wtl_fail(err, -EINTR, "interrupted; nothing was stored");
    if (rc == 0 && wtl_child_exit_code(&load.child) != 0)
        return wtl_fail(err, -EIO, "the load did not run: %s",
                        words[0] ? words : "no reason given");
    return rc;
}

/* Times from the first reading on, which keeps all digits. */
static void shift(struct wtl_characterize *c)
{
    double origin_s = c->reading_count ? c->readings[0].time_s : 0;
    for (size_t i = 0; i < c->reading_count; i++)
        c->readings[i].time_s -= origin_s;
    for (size_t i = 0; i < c->step_count; i++)
        c->steps[i].time_s -= origin_s;
}

/* Run the load on this machine and read the gauge meanwhile. -EINTR: a signal ended it. */
static int characterize_live(struct wtl_characterize *c,
                             const struct wtl_cli_settings *settings,
                             struct wattle_error *err)
{
    struct live live = {.c = c, .shape_fd = -1, .told_fd = -1};
    int rc = wtl_signals_take(&live.signals);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot set up signals: %s", wtl_strerror(rc));
    rc = open_channel(&live, settings, err);
    rc = rc < 0 ? rc : write_plan(&live, err);
    rc = rc < 0 ? rc : run_load(&live, err);
    rc = rc < 0 ? rc : take_told(&live, err);
    shift(c);
    if (live.shape_fd >= 0)
        (void)close(live.shape_fd);
    if (live.told_fd >= 0)
        (void)close(live.told_fd);
    wtl_selection_close(live.selection);
    return rc;
}

/* ---- the verb ---- */

/* Readings and load, from a recording or from here, and what they show. */
static int identify(struct wtl_characterize *c,
                    const struct wtl_cli_settings *settings,
                    struct wattle_error *err)
{
    c->reading_count = c->step_count = 0;
    int rc = c->recording ? characterize_shape(c, err) : characterize_live(c, settings, err);
    rc = rc < 0 || !c->recording ? rc : characterize_recording(c, err);
    return rc < 0 ? rc
                  : wtl_gauge_identify(c->readings, c->reading_count, c->steps, c->step_count,
                                       &c->gauge, err);
}

/* On a busy machine too few readings may have come in time: then again, for longer. */
static int work(struct wtl_characterize *c,
                const struct wtl_cli_settings *settings,
                struct wattle_error *err)
{
    int rc = identify(c, settings, err);
    for (int again = 0; rc == -ENODATA && !c->recording && again < AGAIN; again++) {
        wtl_complain(&wtl_characterize_command, "%s; once more, for longer", err->text);
        c->hold_ns += c->hold_ns / 2;
        rc = identify(c, settings, err);
    }
    if (rc < 0)
        return rc;
    /* Of a file without a name nothing can be said later. */
    struct wattle_error why = {""};
    bool stores = !c->no_store && c->name[0] && c->host[0];
    int stored = stores ? wtl_characterize_store(c, &why) : 0;
    rc = wtl_characterize_print(c, stdout, err);
    return rc == 0 && stored < 0 ? wtl_fail(err, stored, "%s", why.text) : rc;
}

static int run(int argc, char **argv)
{
    struct wtl_characterize c = {.claimed_period_s = NAN, .claimed_window_s = NAN, .rated_w = NAN};
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    int status = parse(argc, argv, &c);
    if (status != WTL_GO_ON)
        return status;
    int rc = wtl_cli_settings_load(&settings, wtl_world_real(), &err);
    if (rc == 0) {
        rc = work(&c, &settings, &err);
        wtl_cli_settings_fini(&settings);
    }
    if (rc < 0)
        wtl_complain(&wtl_characterize_command, "%s", err.text);
    free(c.readings);
    free(c.steps);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_characterize_command = {
    .verb = "characterize",
    .run = run,
    .operands = "gpu [RECORDING]",
    .summary = "what the power sensor of a GPU does: period, window, delay",
    .text =
        "Runs a load of known on and off times on a GPU and reads its power sensor, for half a\n"
        "minute; or takes a RECORDING (a trace, or lines \"SECONDS,WATTS\") and the shape of the\n"
        "load meanwhile. Prints the period, the averaging window, the delay and the filter of\n"
        "the sensor, each with its 95 % interval, and stores them for later runs. Nothing else\n"
        "should use the GPU.\n"
        "Exit status: 0 found; 1 failed; 2 usage error.\n",
    .options = options,
    .examples = "wattle characterize gpu\n"
                "wattle characterize gpu --channel nvml:power_instant-0 --no-store\n"
                "wattle characterize gpu --load-shape shape.csv run.wtl\n",
    .usage_exit = WTL_EXIT_USAGE,
    .takes_signals = true,
};

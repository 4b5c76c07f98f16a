/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The load runs in wattle-load, in a process group of its own, and tells when it switched; the gauge is read here, at a
 * twentieth of its period. Both have CLOCK_MONOTONIC. On a busy machine either may come late: the load says when the device worked, and a
 * reading that took longer than the time between two is left out.
 */
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
#include "cli/pose/load_process.h"
#include "model/reading.h"
#include "source/registry.h"
#include "source/select.h"

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

static int find_channel(struct live *live, struct wattle_error *err)
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
    rc = rc < 0 ? rc : find_channel(live, err);
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

int wtl_characterize_live(struct wtl_characterize *c,
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

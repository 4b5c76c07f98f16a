/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profiler's calls: see <wattle/profiler.h>. The state of the process stands here, since two lines in a
 * program have no other place to keep it. Everything is done under one lock but wattle_measuring().
 */
#define _GNU_SOURCE
#include <wattle/profiler.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <wattle/region.h>

#include "base/fail.h"
#include "record/profiler_node.h"
#include "record/profiler_settings.h"
#include "record/region_place.h"

enum state {
    STATE_NEW,
    STATE_DISABLED,
    STATE_JOINED,    /* somebody else measures this node */
    STATE_MEASURING, /* this process does */
    STATE_ENDED
};

static struct {
    pthread_mutex_t lock;
    enum state state;
    atomic_int measuring;
    bool hooked; /* exit and fork are being watched */
    bool named;  /* WATTLE_SPOOL is of our making */
    struct wtl_profiler_settings settings;
    struct wtl_profiler_node *node;
    struct wtl_profiler_plan plan;
    char node_name[64], run_id[64];
} profiler = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The one place of the library that speaks to the user: the program has nobody else to tell what was
 * measured, and where it is. One write, so that the lines of many processes do not mix. */
static void say(const char *sentence)
{
    char line[PATH_MAX + 600];
    int n = snprintf(line, sizeof line, "wattle: %s\n", sentence);
    size_t size = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    if (write(STDERR_FILENO, line, size) < 0)
        return; /* there is nobody to tell that to */
}

static wtl_profiler_tell_fn teller(void)
{
    return profiler.settings.quiet ? NULL : say;
}

/* In the child of fork only the forking thread lives on. It records its regions as a process of its own, into
 * the same folder; the measurement stays the parent's, with its threads and locks. */
static void fork_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    profiler.lock = fresh;
    profiler.node = NULL; /* the parent's; not freed, its locks may be held */
    profiler.measuring = 0;
    profiler.named = false;
    if (profiler.state == STATE_MEASURING)
        profiler.state = STATE_JOINED;
}

static void fork_prepare(void)
{
    (void)pthread_mutex_lock(&profiler.lock);
}

static void fork_parent(void)
{
    (void)pthread_mutex_unlock(&profiler.lock);
}

static void finish_at_exit(void)
{
    if (profiler.state == STATE_JOINED || profiler.state == STATE_MEASURING)
        (void)wattle_finalize(); /* has told what is wrong */
}

static void hook(void)
{
    if (profiler.hooked)
        return;
    profiler.hooked = true;
    (void)atexit(finish_at_exit); /* without memory: as after _exit */
    (void)pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* The name of the node for people. */
static void name_node(const struct wtl_world *world)
{
    const char *given = world->ops->getenv(world, "WATTLE_NODE");
    struct utsname host;
    if (given && given[0])
        (void)snprintf(profiler.node_name, sizeof profiler.node_name, "%s", given);
    else if (world->ops->uname(world, &host) == 0)
        (void)snprintf(profiler.node_name, sizeof profiler.node_name, "%.63s", host.nodename);
}

static void name_run(const struct wtl_world *world)
{
    if (profiler.settings.run_id)
        (void)snprintf(profiler.run_id, sizeof profiler.run_id, "%s", profiler.settings.run_id);
    else if (wtl_world_text(world, "/proc/sys/kernel/random/uuid", profiler.run_id,
                            sizeof profiler.run_id) < 0)
        profiler.run_id[0] = '\0';
}

/* Regions of this process and of those that it starts go where the trace is. */
static void record_regions(const char *spool)
{
    if (!spool || wtl_region_record(spool) < 0)
        return; /* recorded elsewhere already: for a recorder of the program's own */
    profiler.named = setenv("WATTLE_SPOOL", spool, 1) == 0;
}

static int measure(const struct wtl_world *world, struct wattle_error *err)
{
    char path[PATH_MAX];
    name_node(world);
    name_run(world);
    profiler.plan = (struct wtl_profiler_plan){.world = world,
                                               .settings = &profiler.settings,
                                               .node_name = profiler.node_name,
                                               .node_key = "",
                                               .run_id = profiler.run_id,
                                               .tell = teller()};
    if (!profiler.settings.no_trace) {
        int rc = wtl_profiler_trace_path(profiler.settings.output, profiler.node_name, path,
                                         sizeof path);
        if (rc < 0)
            return wtl_fail(err, rc, "profiler: %s: %s; give a file or a folder in WATTLE_OUTPUT",
                            profiler.settings.output, wtl_strerror(rc));
        profiler.plan.trace = path;
    }
    int rc = wtl_profiler_node_open(&profiler.plan, &profiler.node, err);
    profiler.plan.trace = NULL; /* of this function */
    if (rc < 0)
        return rc;
    record_regions(wtl_profiler_node_spool(profiler.node));
    profiler.state = STATE_MEASURING;
    profiler.measuring = 1;
    return 0;
}

static int start(const struct wattle_profiler_options *options, struct wattle_error *err)
{
    const struct wtl_world *world = wtl_world_real();
    if (wtl_profiler_is_disabled(world)) {
        profiler.state = STATE_DISABLED;
        return 0;
    }
    int rc = wtl_profiler_settings_take(options, world, say, &profiler.settings, err);
    if (rc < 0)
        return rc;
    hook();
    if (wattle_recording()) { /* "wattle run" measures already */
        profiler.state = STATE_JOINED;
        return 0;
    }
    rc = measure(world, err);
    if (rc < 0)
        wtl_profiler_settings_fini(&profiler.settings);
    return rc;
}

/* The place for the sentence of a failure, when the caller gave one. */
static struct wattle_error *errors_of(const struct wattle_profiler_options *options)
{
    size_t least = offsetof(struct wattle_profiler_options, err) + sizeof(struct wattle_error *);
    return options && options->size >= least ? options->err : NULL;
}

int wattle_init(const struct wattle_profiler_options *options)
{
    struct wattle_error why = {""}, *given = errors_of(options);
    int rc = -EALREADY;
    (void)pthread_mutex_lock(&profiler.lock);
    if (profiler.state == STATE_NEW)
        rc = start(options, &why);
    else if (given)
        (void)wtl_fail(given, rc,
                       "profiler: wattle_init() was called before; this one does nothing");
    (void)pthread_mutex_unlock(&profiler.lock);
    if (rc < 0 && rc != -EALREADY && given)
        *given = why;
    else if (rc < 0 && rc != -EALREADY)
        say(why.text);
    return rc;
}

/* As many decimals as leave the half width two digits. */
static int decimals(double half)
{
    if (!(half > 0) || half >= 10)
        return half > 0 ? 0 : 3;
    int n = 1 - (int)floor(log10(half));
    return n < 9 ? n : 9;
}

static void tell_result(const struct wtl_profiler_result *result, const char *trace)
{
    char sentence[PATH_MAX + 512], energy[200];
    const struct wattle_summary *total = &result->total;
    if (isnan(total->energy_j)) {
        (void)snprintf(energy, sizeof energy, "energy not known");
    } else {
        double half = (total->high_j - total->low_j) / 2;
        int n = decimals(half);
        (void)snprintf(energy, sizeof energy, "%.*f J (%.*f to %.*f; %.100s%s%s)", n,
                       total->energy_j, n, total->low_j, n, total->high_j, result->contains,
                       result->quality == WATTLE_ESTIMATED ? "; estimated" : "",
                       result->simulated ? "; simulated" : "");
    }
    (void)snprintf(sentence, sizeof sentence, "%s: %s in %.3f s%s%s", profiler.node_name, energy,
                   (double)result->window_ns * 1e-9, trace ? ", trace " : "", trace ? trace : "");
    say(sentence);
}

static int end_measuring(void)
{
    struct wtl_profiler_result result;
    struct wattle_error err = {""};
    if (profiler.named) {
        (void)unsetenv("WATTLE_SPOOL");
        wtl_region_stop();
    }
    profiler.measuring = 0;
    int rc = wtl_profiler_node_end(profiler.node, &result, &err);
    if (rc < 0)
        say(err.text);
    if (!profiler.settings.quiet)
        tell_result(&result, wtl_profiler_node_trace(profiler.node));
    wtl_profiler_node_close(profiler.node);
    profiler.node = NULL;
    return rc;
}

int wattle_finalize(void)
{
    int rc = 0;
    (void)pthread_mutex_lock(&profiler.lock);
    switch (profiler.state) {
    case STATE_NEW:
        rc = -EINVAL;
        break;
    case STATE_ENDED:
        rc = -EALREADY;
        break;
    case STATE_MEASURING:
        rc = end_measuring();
        break;
    case STATE_DISABLED:
    case STATE_JOINED:
        break;
    }
    if (profiler.state == STATE_MEASURING || profiler.state == STATE_JOINED) {
        wtl_profiler_settings_fini(&profiler.settings);
        profiler.state = STATE_ENDED;
    }
    (void)pthread_mutex_unlock(&profiler.lock);
    return rc;
}

int wattle_measuring(void)
{
    return profiler.measuring;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking, showing, waiting: see top_loop.h. */
#define _GNU_SOURCE
#include "cli/top/top_loop.h"

#include <errno.h>
#include <poll.h>

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

static uint64_t now_ns(const struct loop *loop)
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

static int show(struct loop *loop)
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
        uint64_t now = now_ns(loop), until_ns = look_ns + loop->view->every_ns;
        if (!asleep && now >= until_ns)
            return 0;
        uint64_t left_ns = asleep ? 3600000000000u : until_ns - now;
        (void)poll(fds, 2, (int)(left_ns / 1000000u) + 1); /* interrupted: as any other event */
        if (wtl_signals_ended(loop->signals) || fds[1].revents & (POLLERR | POLLNVAL | POLLHUP))
            return -ECANCELED;
        int rc = take_keys(loop);
        rc = rc > 0 ? show(loop) : rc;
        if (rc < 0)
            return rc;
    }
}

/* So that looks come just after samples: what the processes did, and their energy, are then of the same time. */
static uint64_t align(const struct loop *loop, uint64_t look_ns)
{
    uint64_t sample_ns = wtl_live_view_total_ns(loop->view), step_ns = loop->source->sample_ns;
    if (step_ns == 0 || sample_ns == 0 || sample_ns > look_ns)
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
    return show(loop);
}

int wtl_top_loop(const struct wtl_top_source *source,
                 const struct wtl_top_face *face,
                 struct wtl_live_view *view,
                 struct wtl_signals *signals,
                 struct wattle_error *err)
{
    struct loop loop = {
        .source = source, .face = face, .view = view, .signals = signals, .err = err};
    uint64_t look_ns = now_ns(&loop);
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
        uint64_t now = now_ns(&loop);
        look_ns = now - look_ns < 2 * view->every_ns ? look_ns + view->every_ns : now;
    }
    return rc == -ECANCELED ? 0 : rc;
}

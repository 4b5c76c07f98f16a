/* SPDX-License-Identifier: BSD-3-Clause */
/* The conversation: see gpu_stream.h. */
#define _GNU_SOURCE
#include "sensors/gpu/gpu_stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint64_t RETRY_NS = 1000000000, RETRY_MOST_NS = 60000000000, LEAVE_NS = 200000000;

void wtl_gpu_stream_init(struct wtl_gpu_stream *stream,
                         const struct wtl_world *world,
                         const char *vendor)
{
    *stream =
        (struct wtl_gpu_stream){.world = world, .vendor = vendor, .fd = -1, .wait_ns = RETRY_NS};
}

/* Wait before the next start, longer each time. */
static void put_off(struct wtl_gpu_stream *stream, uint64_t now_ns)
{
    stream->again_ns = now_ns + stream->wait_ns;
    stream->wait_ns = 2 * stream->wait_ns < RETRY_MOST_NS ? 2 * stream->wait_ns : RETRY_MOST_NS;
}

int wtl_gpu_stream_start(struct wtl_gpu_stream *stream)
{
    const char *const argv[] = {"wattle-gpu", stream->vendor,
                                stream->library[0] ? stream->library : NULL, NULL};
    if (stream->fd >= 0)
        return 0;
    if (stream->why && wtl_world_monotonic(stream->world) < stream->again_ns)
        return stream->why;
    int fd = wtl_world_converse(stream->world, argv, &stream->child);
    if (fd < 0 &&
        stream->why) { /* as in wattled, which starts nothing once its calls are filtered */
        put_off(stream, wtl_world_monotonic(stream->world));
        return stream->why;
    }
    if (fd < 0)
        return fd;
    stream->fd = fd;
    stream->used = stream->taken = 0;
    stream->is_new = true;
    return 0;
}

void wtl_gpu_stream_end(struct wtl_gpu_stream *stream, int why)
{
    if (stream->fd < 0)
        return;
    uint64_t now_ns = wtl_world_monotonic(stream->world);
    stream->world->ops->close(stream->world, stream->fd);
    stream->fd = -1;
    /* Whether it leaves or must be killed makes no difference. */
    (void)stream->world->ops->reap(stream->world, stream->child, now_ns);
    stream->why = why;
    put_off(stream, now_ns);
}

void wtl_gpu_stream_good(struct wtl_gpu_stream *stream)
{
    stream->wait_ns = RETRY_NS;
    stream->why = 0;
}

int wtl_gpu_stream_ask(struct wtl_gpu_stream *stream, const char *request, uint64_t deadline_ns)
{
    int rc =
        stream->world->ops->send(stream->world, stream->fd, request, strlen(request), deadline_ns);
    rc = rc == -ECONNRESET ? -EPIPE : rc;
    if (rc < 0)
        wtl_gpu_stream_end(stream, rc);
    return rc;
}

/* Receive more: 0 or -errno. */
static int receive(struct wtl_gpu_stream *stream, uint64_t deadline_ns)
{
    size_t room = WTL_GPU_LINE - stream->used;
    if (room == 0)
        return -EBADMSG;
    /* The answer is not there yet: to try first would be a call more in each round. */
    int rc = stream->world->ops->wait(stream->world, stream->fd, deadline_ns);
    if (rc < 0)
        return rc == -ECONNRESET ? -EPIPE : rc;
    ssize_t got = stream->world->ops->recv(stream->world, stream->fd, stream->in + stream->used,
                                           room, deadline_ns);
    if (got <= 0)
        return got == 0 || got == -ECONNRESET ? -EPIPE : (int)got;
    stream->used += (size_t)got;
    return 0;
}

/* The next line, or why it is not there. */
static int next_line(struct wtl_gpu_stream *stream, char **ret_line, uint64_t deadline_ns)
{
    stream->used -= stream->taken;
    memmove(stream->in, stream->in + stream->taken, stream->used);
    stream->taken = 0;
    for (;;) {
        char *end = memchr(stream->in, '\n', stream->used);
        if (end) {
            *end = '\0';
            stream->taken = (size_t)(end - stream->in) + 1;
            *ret_line = stream->in;
            return 0;
        }
        int rc = receive(stream, deadline_ns);
        if (rc < 0)
            return rc;
    }
}

int wtl_gpu_stream_line(struct wtl_gpu_stream *stream, char **ret_line, uint64_t deadline_ns)
{
    int rc = next_line(stream, ret_line, deadline_ns);
    if (rc < 0)
        wtl_gpu_stream_end(stream, rc);
    return rc;
}

int wtl_gpu_stream_try(struct wtl_gpu_stream *stream, char **ret_line, uint64_t until_ns)
{
    int rc = next_line(stream, ret_line, until_ns);
    if (rc < 0 && rc != -ETIMEDOUT)
        wtl_gpu_stream_end(stream, rc);
    return rc == -ETIMEDOUT ? -EAGAIN : rc;
}

void wtl_gpu_stream_close(struct wtl_gpu_stream *stream)
{
    if (stream->fd < 0)
        return;
    stream->world->ops->close(stream->world, stream->fd);
    stream->fd = -1;
    (void)stream->world->ops->reap(stream->world, stream->child,
                                   wtl_world_monotonic(stream->world) + LEAVE_NS);
}

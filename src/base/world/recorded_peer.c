/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peers of a recorded world. A request appends its answers to the peer's queue, each with the time at which
 * it is due; receiving and fetching take from the front, and advance the clock to the time of what they wait
 * for.
 */
#define _GNU_SOURCE
#include "base/world/recorded_peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/world/recorded_file.h"

enum { QUEUE = 64 };

struct wtl_recorded_peer {
    struct due {
        const struct wtl_answer *answer;
        uint64_t ns;
    } queue[QUEUE]; /* the front comes first */
    size_t count;
    size_t used;      /* bytes of the first answer already received */
    uint64_t last_ns; /* when the last one is due */
    bool datagrams, program, closed;
};

static struct wtl_recorded *lock(const struct wtl_world *world)
{
    struct wtl_recorded *r = world->impl;
    pthread_mutex_lock(&r->lock);
    return r;
}

static void unlock(struct wtl_recorded *r)
{
    pthread_mutex_unlock(&r->lock);
}

static struct wtl_recorded_file *file_of(const struct wtl_recorded *r, int fd)
{
    struct wtl_recorded_file *file = wtl_recorded_file_of(r, fd);
    return file && file->peer ? file : NULL;
}

/* Advance the clock to the time `ns`, or to the deadline if it is earlier: 0 or -ETIMEDOUT. The clock
 * never advances to the end of time. */
static int advance(struct wtl_recorded *r, uint64_t ns, uint64_t deadline_ns)
{
    bool late = ns > deadline_ns && ns > r->now_ns;
    uint64_t to_ns = late ? deadline_ns : ns;
    if (to_ns > r->now_ns && to_ns < UINT64_MAX)
        r->now_ns = to_ns;
    return late ? -ETIMEDOUT : 0;
}

static uint64_t add_ns(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t script_time(uint64_t ns)
{
    return ns - WTL_RECORDED_START_NS;
}

/* 0, -ENOBUFS. Silence is not queued, except before the end of a program, which then does not occur. */
static int add_answers(struct wtl_recorded *r,
                       struct wtl_recorded_peer *peer,
                       const struct wtl_answer *rows,
                       size_t n)
{
    if (peer->last_ns < r->now_ns)
        peer->last_ns = r->now_ns;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].kind == WTL_ANSWER_SILENT && !peer->program)
            continue;
        if (peer->count == QUEUE)
            return -ENOBUFS;
        peer->last_ns = add_ns(peer->last_ns, rows[i].delay_ns);
        if (rows[i].kind == WTL_ANSWER_SILENT)
            peer->last_ns = UINT64_MAX;
        peer->queue[peer->count++] = (struct due){.answer = &rows[i], .ns = peer->last_ns};
    }
    return 0;
}

static void drop_first(struct wtl_recorded_peer *peer)
{
    peer->count--;
    peer->used = 0;
    memmove(peer->queue, peer->queue + 1, peer->count * sizeof *peer->queue);
}

/* Look up the answers to a request; if there are none, the request is remembered and -EPROTO returned. */
static ssize_t look_up(struct wtl_recorded *r,
                       const char *peer,
                       const char *request,
                       const struct wtl_answer **ret_rows)
{
    size_t n =
        wtl_dialogue_find(&r->host.dialogue, peer, request, script_time(r->now_ns), ret_rows);
    if (n == 0 && !r->unanswered[0])
        (void)snprintf(r->unanswered, sizeof r->unanswered, "%.200s\t%.300s", peer, request);
    return n == 0 ? -EPROTO : (ssize_t)n;
}

/* Queue what the peer sends without a request: number of answers, or the error of opening. */
static ssize_t greet(struct wtl_recorded *r,
                     const char *peer,
                     uint64_t deadline_ns,
                     const struct wtl_answer **ret_rows)
{
    if (!wtl_dialogue_has(&r->host.dialogue, peer))
        return strncmp(peer, "tcp:", 4) == 0 || strncmp(peer, "udp:", 4) == 0 ? -ECONNREFUSED
                                                                              : -ENOENT;
    size_t n =
        wtl_dialogue_find(&r->host.dialogue, peer, "!open", script_time(r->now_ns), ret_rows);
    const struct wtl_answer *first = n > 0 ? *ret_rows : NULL;
    if (!first || first->kind != WTL_ANSWER_FAILURE)
        return (ssize_t)n;
    int rc = advance(r, add_ns(r->now_ns, first->delay_ns), deadline_ns);
    return rc < 0 ? rc : -first->value;
}

static int open_peer(struct wtl_recorded *r, const char *name, bool program, uint64_t deadline_ns)
{
    const struct wtl_answer *rows = NULL;
    ssize_t n = greet(r, name, deadline_ns, &rows);
    if (n < 0)
        return (int)n;
    struct wtl_recorded_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return -ENOMEM;
    peer->datagrams = strncmp(name, "udp:", 4) == 0;
    peer->program = program;
    int rc = add_answers(r, peer, rows, (size_t)n);
    int fd = rc < 0 ? rc : wtl_recorded_file_add(r, name, -1);
    if (fd < 0)
        free(peer);
    else
        wtl_recorded_file_of(r, fd)->peer = peer;
    return fd;
}

int wtl_recorded_connect(const struct wtl_world *world, const char *address, uint64_t deadline_ns)
{
    char name[PATH_MAX];
    int rc = wtl_dialogue_address(address, name, sizeof name);
    if (rc < 0)
        return rc;
    struct wtl_recorded *r = lock(world);
    int fd = open_peer(r, name, false, deadline_ns);
    unlock(r);
    return fd;
}

int wtl_recorded_send(const struct wtl_world *world,
                      int fd,
                      const void *data,
                      size_t n,
                      uint64_t deadline_ns)
{
    char request[WTL_DIALOGUE_TEXT];
    int rc = n > 0 ? wtl_dialogue_text(data, n, request, sizeof request) : 0;
    (void)deadline_ns; /* peers here never delay sending */
    if (rc < 0 || n == 0)
        return rc;
    struct wtl_recorded *r = lock(world);
    const struct wtl_recorded_file *file = file_of(r, fd);
    struct wtl_recorded_peer *peer = file ? file->peer : NULL;
    const struct wtl_answer *rows;
    ssize_t count = !peer || peer->program ? -EBADF : peer->closed ? -EPIPE : 0;
    if (count == 0)
        count = look_up(r, file->path, request, &rows);
    rc = count < 0 ? (int)count : add_answers(r, peer, rows, (size_t)count);
    unlock(r);
    return rc;
}

/* Wait until the first answer in the queue is due: 0, -ETIMEDOUT. 1: end of the data. */
static int await(struct wtl_recorded *r, const struct wtl_recorded_peer *peer, uint64_t deadline_ns)
{
    if (peer->closed || (peer->count == 0 && peer->program))
        return 1;
    bool comes = peer->count > 0 && peer->queue[0].ns != UINT64_MAX;
    int rc = advance(r, comes ? peer->queue[0].ns : deadline_ns, deadline_ns);
    if (rc < 0 || !comes)
        return -ETIMEDOUT;
    enum wtl_answer_kind kind = peer->queue[0].answer->kind;
    return kind == WTL_ANSWER_CLOSE || kind == WTL_ANSWER_EXIT;
}

/* Copy part of the first answer, which is due; 0: it was empty. */
static ssize_t take_bytes(struct wtl_recorded_peer *peer, void *buf, size_t n)
{
    uint8_t bytes[WTL_DIALOGUE_BYTES];
    const struct due *first = &peer->queue[0];
    ssize_t size = wtl_dialogue_bytes(first->answer, script_time(first->ns), bytes, sizeof bytes);
    size_t used = peer->used, left = size > 0 ? (size_t)size - used : 0;
    if (size < 0 || (peer->datagrams && left > n)) {
        drop_first(peer);
        return -EMSGSIZE;
    }
    size_t got = left < n ? left : n;
    memcpy(buf, bytes + used, got);
    peer->used += got;
    if (got == left)
        drop_first(peer);
    return (ssize_t)got;
}

static ssize_t receive(struct wtl_recorded *r,
                       struct wtl_recorded_peer *peer,
                       void *buf,
                       size_t n,
                       uint64_t deadline_ns)
{
    for (;;) {
        int rc = await(r, peer, deadline_ns), error;
        if (rc < 0)
            return rc;
        peer->closed |= rc > 0;
        if (peer->closed)
            return 0;
        switch (peer->queue[0].answer->kind) {
        case WTL_ANSWER_BYTES:
            rc = (int)take_bytes(peer, buf, n);
            if (rc != 0 || n == 0)
                return rc;
            break;
        case WTL_ANSWER_FAILURE:
            error = peer->queue[0].answer->value;
            drop_first(peer);
            return -error;
        default: /* fetched by ioctl */
            return -EINVAL;
        }
    }
}

ssize_t wtl_recorded_recv(const struct wtl_world *world,
                          int fd,
                          void *buf,
                          size_t n,
                          uint64_t deadline_ns)
{
    struct wtl_recorded *r = lock(world);
    const struct wtl_recorded_file *file = file_of(r, fd);
    ssize_t got = file ? receive(r, file->peer, buf, n, deadline_ns) : -EBADF;
    unlock(r);
    return got;
}

int wtl_recorded_wait(const struct wtl_world *world, int fd, uint64_t deadline_ns)
{
    struct wtl_recorded *r = lock(world);
    const struct wtl_recorded_file *file = file_of(r, fd);
    int rc = file ? await(r, file->peer, deadline_ns) : -EBADF;
    unlock(r);
    return rc < 0 ? rc : 0;
}

/* Return this answer as it is at its time. */
static int give(const struct wtl_answer *answer, uint64_t ns, const struct wtl_ioctl *call)
{
    if (answer->kind == WTL_ANSWER_FAILURE)
        return -answer->value;
    if (answer->kind != WTL_ANSWER_IOCTL || answer->number != call->request)
        return -EPROTO;
    int rc = wtl_dialogue_answer(answer, script_time(ns), call);
    return rc < 0 ? rc : answer->value;
}

/* Whether the front of the queue is what this ioctl fetches. */
static bool is_fetched(const struct wtl_recorded_peer *peer, const struct wtl_ioctl *call)
{
    const struct wtl_answer *first = peer->count > 0 ? peer->queue[0].answer : NULL;
    return first && (first->kind == WTL_ANSWER_FAILURE ||
                     (first->kind == WTL_ANSWER_IOCTL && first->number == call->request));
}

static int answer_ioctl(struct wtl_recorded *r,
                        const struct wtl_recorded_file *file,
                        const char *request,
                        const struct wtl_ioctl *call)
{
    struct wtl_recorded_peer *peer = file->peer;
    if (is_fetched(peer, call)) {
        struct due first = peer->queue[0];
        if (first.ns > r->now_ns)
            return -EAGAIN;
        drop_first(peer);
        return give(first.answer, first.ns, call);
    }
    const struct wtl_answer *rows;
    ssize_t n = look_up(r, file->path, request, &rows);
    if (n < 0)
        return (int)n;
    (void)advance(r, add_ns(r->now_ns, rows[0].delay_ns), UINT64_MAX);
    int result = give(rows, r->now_ns, call);
    int rc = result < 0 ? 0 : add_answers(r, peer, rows + 1, (size_t)n - 1);
    return rc < 0 ? rc : result;
}

int wtl_recorded_ioctl(const struct wtl_world *world, int fd, const struct wtl_ioctl *call)
{
    char request[WTL_DIALOGUE_TEXT];
    int rc = wtl_dialogue_ioctl(call, -1, request, sizeof request);
    if (rc < 0)
        return rc;
    struct wtl_recorded *r = lock(world);
    const struct wtl_recorded_file *file = file_of(r, fd);
    rc = file ? answer_ioctl(r, file, request, call) : -EBADF;
    unlock(r);
    return rc;
}

/* A free slot among the children, counted from 0. */
static int free_child(const struct wtl_recorded *r)
{
    int at = 0;
    while (at < WTL_RECORDED_CHILDREN && r->children[at].is)
        at++;
    return at < WTL_RECORDED_CHILDREN ? at : -EAGAIN;
}

int wtl_recorded_spawn(const struct wtl_world *world, const char *const argv[], pid_t *ret_child)
{
    char name[WTL_DIALOGUE_TEXT];
    int rc = wtl_dialogue_command(argv, name, sizeof name);
    if (rc < 0)
        return rc;
    struct wtl_recorded *r = lock(world);
    int at = free_child(r), fd = at < 0 ? at : open_peer(r, name, true, UINT64_MAX);
    if (fd >= 0) {
        const struct wtl_recorded_peer *peer = wtl_recorded_file_of(r, fd)->peer;
        struct wtl_recorded_child child = {.is = true, .end_ns = peer->last_ns};
        for (size_t i = 0; i < peer->count; i++) {
            if (peer->queue[i].answer->kind == WTL_ANSWER_EXIT)
                child.status = peer->queue[i].answer->value;
        }
        r->children[at] = child;
        *ret_child = WTL_RECORDED_FIRST_FD + at;
    }
    unlock(r);
    return fd;
}

/* Like a socket that is opened by a command; it ends when it is closed. */
int wtl_recorded_converse(const struct wtl_world *world, const char *const argv[], pid_t *ret_child)
{
    char name[WTL_DIALOGUE_TEXT];
    int rc = wtl_dialogue_command(argv, name, sizeof name);
    if (rc < 0)
        return rc;
    struct wtl_recorded *r = lock(world);
    int at = free_child(r), fd = at < 0 ? at : open_peer(r, name, false, UINT64_MAX);
    if (fd >= 0) {
        r->children[at] = (struct wtl_recorded_child){.is = true};
        *ret_child = WTL_RECORDED_FIRST_FD + at;
    }
    unlock(r);
    return fd;
}

int wtl_recorded_reap(const struct wtl_world *world, pid_t child, uint64_t deadline_ns)
{
    struct wtl_recorded *r = lock(world);
    int at = child - WTL_RECORDED_FIRST_FD, rc = -ECHILD;
    if (at >= 0 && at < WTL_RECORDED_CHILDREN && r->children[at].is) {
        uint64_t end_ns = r->children[at].end_ns;
        rc = advance(r, end_ns < UINT64_MAX ? end_ns : deadline_ns, deadline_ns);
        rc = end_ns < UINT64_MAX ? rc : -ETIMEDOUT;
        r->children[at].is = false;
    }
    if (rc == 0)
        rc = r->children[at].status;
    unlock(r);
    return rc;
}

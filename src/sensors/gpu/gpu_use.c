/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes on GPUs: see gpu_use.h. */
#define _GNU_SOURCE
#include "sensors/gpu/gpu_use.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "sensors/gpu/gpu_stream.h"

static const uint64_t LIST_NS = 4000000000, ANSWER_NS = 2000000000;

enum { DEVICES = WTL_GPU_DEVICES }; /* a bit for each */
_Static_assert(DEVICES <= 64, "bits");

struct wtl_gpu_conversation {
    struct wtl_gpu_stream stream;
    bool answered;        /* once, about processes */
    bool asked;           /* there is an answer to come: */
    uint64_t devices;     /* about these; 0 = the list */
    uint64_t deadline_ns; /* of the answer */
    int at;               /* the device whose lines come now */
    struct wtl_gpu_user *users;
    size_t count;
    uint64_t known, failed; /* of `devices`, so far */
};

bool wtl_gpu_use_is_of(const char *driver)
{
    return strcmp(driver, "nvml") == 0 || strcmp(driver, "rocm") == 0 ||
           strcmp(driver, "levelzero") == 0;
}

bool wtl_gpu_use_is_waiting(const struct wtl_gpu_use *use)
{
    return use->conversation && use->conversation->asked;
}

bool wtl_gpu_use_is_starting(const struct wtl_gpu_use *use)
{
    const struct wtl_gpu_conversation *c = use->conversation;
    return wtl_gpu_use_is_waiting(use) && !c->answered;
}

void wtl_gpu_use_fini(struct wtl_gpu_use *use)
{
    struct wtl_gpu_conversation *c = use->conversation;
    if (c) {
        wtl_gpu_stream_close(&c->stream);
        free(c->users);
    }
    free(c);
    free(use->users);
    *use = (struct wtl_gpu_use){.count = 0};
}

/* Without memory there is none, and the next look tries again. */
static struct wtl_gpu_conversation *converse(struct wtl_gpu_use *use,
                                             const struct wtl_source *source)
{
    struct wtl_gpu_conversation *c = use->conversation;
    if (c)
        return c;
    c = use->conversation = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    wtl_gpu_stream_init(&c->stream, source->world, source->driver->name);
    (void)snprintf(c->stream.library, sizeof c->stream.library, "%s",
                   wtl_source_param(source, "library"));
    return c;
}

static int next_device(uint64_t devices, int after)
{
    int i = after + 1;
    while (i < DEVICES && !(devices >> i & 1))
        i++;
    return i;
}

/* ---- asking ---- */

static void ask(struct wtl_gpu_conversation *c, uint64_t devices, uint64_t now_ns)
{
    char request[DEVICES * 16] = "list\n";
    size_t used = 0;
    if (wtl_gpu_stream_start(&c->stream) < 0)
        return;
    c->devices = c->stream.is_new ? 0 : devices;
    c->at = next_device(c->devices, -1);
    for (int i = c->at; i < DEVICES; i = next_device(c->devices, i))
        used += (size_t)snprintf(request + used, sizeof request - used, "processes %d\n", i);
    c->deadline_ns = now_ns + (c->stream.is_new ? LIST_NS : ANSWER_NS);
    c->count = 0;
    c->known = c->failed = 0;
    c->asked = wtl_gpu_stream_ask(&c->stream, request, now_ns) == 0;
}

/* ---- the answer ---- */

static void take_process(struct wtl_gpu_conversation *c, const struct wtl_gpu_line *line)
{
    if (c->at >= DEVICES || wtl_grow(&c->users, c->count, sizeof *c->users) < 0) {
        c->failed |= c->at < DEVICES ? UINT64_C(1) << c->at : 0;
        return;
    }
    c->users[c->count++] =
        (struct wtl_gpu_user){.device = c->at, .pid = (pid_t)line->number, .used = line->used};
}

/* A line of an answer. True: it was the last one. */
static bool take_line(struct wtl_gpu_conversation *c, const struct wtl_gpu_line *line)
{
    bool ends = line->kind == WTL_GPU_LINE_END || line->kind == WTL_GPU_LINE_FAILURE;
    if (line->kind == WTL_GPU_LINE_PROCESS)
        take_process(c, line);
    if (!ends)
        return false;
    if (c->devices == 0) {
        c->stream.is_new = line->kind == WTL_GPU_LINE_FAILURE;
        return true;
    }
    if (c->at < DEVICES && line->kind == WTL_GPU_LINE_END)
        c->known |= UINT64_C(1) << c->at;
    if (line->kind == WTL_GPU_LINE_FAILURE && line->number == ESTALE)
        c->stream.is_new = true; /* the devices have changed: the list is asked for again */
    c->at = next_device(c->devices, c->at);
    return c->at >= DEVICES;
}

/* 0: all of it is there; -EAGAIN; other errors: the program was ended. */
static int take_answer(struct wtl_gpu_conversation *c, uint64_t until_ns)
{
    struct wtl_gpu_line line;
    for (;;) {
        char none[] = "", *text = none;
        int rc = wtl_gpu_stream_try(&c->stream, &text, until_ns);
        if (rc < 0)
            return rc;
        if (wtl_gpu_line_parse(text, &line) < 0) {
            wtl_gpu_stream_end(&c->stream, -EBADMSG);
            return -EBADMSG;
        }
        if (take_line(c, &line))
            return 0;
    }
}

static void publish(struct wtl_gpu_use *use)
{
    struct wtl_gpu_conversation *c = use->conversation;
    free(use->users);
    use->users = c->users;
    use->count = c->count;
    use->known = c->known & ~c->failed;
    for (size_t i = 0; i < use->count; i++) {
        if (isnan(use->users[i].used))
            use->known &= ~(UINT64_C(1) << use->users[i].device);
    }
    c->users = NULL;
    c->count = 0;
    wtl_gpu_stream_good(&c->stream);
}

/* What is asked is answered, or not: then nothing is known. */
static void finish(struct wtl_gpu_use *use, uint64_t until_ns)
{
    struct wtl_gpu_conversation *c = use->conversation;
    int rc = take_answer(c, until_ns);
    if (rc == -EAGAIN && wtl_world_monotonic(c->stream.world) < c->deadline_ns)
        return;
    if (rc == -EAGAIN)
        wtl_gpu_stream_end(&c->stream, -ETIMEDOUT);
    c->asked = false;
    if (rc == 0 && c->devices != 0) {
        c->answered = true;
        publish(use);
    }
}

void wtl_gpu_use_look(struct wtl_gpu_use *use,
                      const struct wtl_source *source,
                      uint64_t devices,
                      uint64_t until_ns)
{
    use->known = 0;
    if (devices == 0) {
        wtl_gpu_use_fini(use);
        return;
    }
    struct wtl_gpu_conversation *c = converse(use, source);
    if (!c)
        return;
    for (int i = 0; i < 3 && use->known == 0;
         i++) { /* what is under way, the list, the processes */
        if (!c->asked)
            ask(c, devices, wtl_world_monotonic(source->world));
        if (!c->asked)
            return;
        finish(use, until_ns);
        if (c->asked)
            return;
    }
}

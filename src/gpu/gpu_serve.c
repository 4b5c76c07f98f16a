/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The conversation: see gpu_serve.h. A request in which the library never returns ends the process after PATIENCE_S to twice that,
 * in case its reader is gone; a living reader gives up earlier.
 */
#define _GNU_SOURCE
#include "gpu/gpu_serve.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/parse.h"
#include "gpu/gpu_lines.h"

enum { REQUEST = 4096, ANSWER = 16384, CHANNELS = 256, WORD = 48, PATIENCE_S = 60 };

struct serving {
    const struct wtl_gpu_backend *backend;
    const char *library;
    struct wtl_gpu_list list; /* the numbers that the reader knows */
    bool is_open, is_listed;
    uint64_t release_ns, closed_until_ns; /* CLOCK_MONOTONIC; 0 = not released */
    int out;
    struct cost { /* of reads */
        uint64_t requests, values,
            calls_ns; /* CPU time of the calls, without threads of the library */
    } cost;
    char answer[ANSWER];
};

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int write_all(int out, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(out, text, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -errno;
        text += done;
        n -= (size_t)done;
    }
    return 0;
}

static void close_library(struct serving *serving)
{
    if (serving->is_open)
        serving->backend->close();
    serving->is_open = false;
}

/* Let go of the devices, for as long as it takes to begin what an open library blocks. */
static void release_library(struct serving *serving)
{
    close_library(serving);
    serving->closed_until_ns = now_ns(CLOCK_MONOTONIC) + serving->release_ns;
}

/* ---- opening ---- */

/* Of another unit, or by another call, its values are others. */
static bool is_same_channel(const struct wtl_gpu_channel *a, const struct wtl_gpu_channel *b)
{
    return a->device == b->device && a->sub == b->sub && a->quantity == b->quantity &&
           a->kind == b->kind && !(a->scale < b->scale || a->scale > b->scale) &&
           a->modulus == b->modulus && strcmp(a->word, b->word) == 0 &&
           strcmp(a->location, b->location) == 0;
}

static bool is_same(const struct wtl_gpu_list *a, const struct wtl_gpu_list *b)
{
    bool same = a->device_count == b->device_count && a->channel_count == b->channel_count;
    for (size_t i = 0; same && i < a->device_count; i++)
        same = strcmp(a->devices[i].uuid, b->devices[i].uuid) == 0 &&
               strcmp(a->devices[i].pci, b->devices[i].pci) == 0;
    for (size_t i = 0; same && i < a->channel_count; i++)
        same = is_same_channel(&a->channels[i], &b->channels[i]);
    return same;
}

/* Open the library. The new list replaces the one that the reader knows, unless `again` and it is another one: -ESTALE. */
static int open_library(struct serving *serving, bool again, struct wattle_error *err)
{
    struct wtl_gpu_list list = {0};
    close_library(serving);
    int rc = serving->backend->open(serving->library, &list, err);
    serving->is_open = rc == 0;
    if (rc == 0 && list.out_of_memory)
        rc = wtl_no_memory(err);
    if (rc == 0 && again && !is_same(&list, &serving->list))
        rc = wtl_fail(err, -ESTALE, "%s: the devices have changed", serving->backend->name);
    if (rc < 0) {
        close_library(serving);
        wtl_gpu_list_fini(&list);
        return rc;
    }
    wtl_gpu_mark_awake(serving->backend, &list);
    wtl_gpu_list_fini(&serving->list);
    serving->list = list;
    serving->is_listed = true;
    return 0;
}

static int need_open(struct serving *serving, struct wattle_error *err)
{
    if (!serving->is_listed)
        return wtl_fail(err, -EINVAL, "%s: ask for the list first", serving->backend->name);
    if (serving->closed_until_ns > now_ns(CLOCK_MONOTONIC))
        return wtl_fail(err, -EBUSY, "%s: let go of the devices, as asked; reads go on in a while",
                        serving->backend->name);
    return serving->is_open ? 0 : open_library(serving, true, err);
}

/* ---- answers ---- */

/* Write with `fill` into memory, and send it. */
static int answer_with(struct serving *serving,
                       void (*fill)(FILE *out, const struct serving *serving, const void *what),
                       const void *what)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return -ENOMEM;
    fill(out, serving, what);
    bool failed = ferror(out) != 0;
    int rc = fclose(out) != 0 || failed ? -ENOMEM : write_all(serving->out, text, n);
    free(text);
    return rc;
}

static int answer_failure(struct serving *serving, int error, const struct wattle_error *err)
{
    int n = snprintf(serving->answer, sizeof serving->answer, "! %d %s\n", -error, err->text);
    return write_all(serving->out, serving->answer, (size_t)n);
}

static void fill_list(FILE *out, const struct serving *serving, const void *what)
{
    (void)what;
    wtl_gpu_write_list(out, serving->backend, &serving->list);
}

static int answer_list(struct serving *serving)
{
    struct wattle_error err = {""};
    int rc = open_library(serving, false, &err);
    return rc < 0 ? answer_failure(serving, rc, &err) : answer_with(serving, fill_list, NULL);
}

struct value {
    uint64_t raw, time_ns;
    int status;
};

/* Call the library for each channel, and count its time. */
static void read_all(struct serving *serving,
                     const size_t *channels,
                     size_t count,
                     struct value *values)
{
    uint64_t began_ns = now_ns(CLOCK_THREAD_CPUTIME_ID), before = now_ns(CLOCK_MONOTONIC);
    for (size_t i = 0; i < count; i++) {
        values[i].raw = 0;
        values[i].status = serving->backend->read(&serving->list, channels[i], &values[i].raw);
        uint64_t after = now_ns(CLOCK_MONOTONIC);
        values[i].time_ns = before + (after - before) / 2;
        before = after;
    }
    serving->cost.calls_ns += now_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    serving->cost.requests++;
    serving->cost.values += count;
}

/* A word with a space before it. */
static int put_value(const struct value *value, char *word, size_t n)
{
    if (value->status < 0)
        return snprintf(word, n, " !%d@%" PRIu64, -value->status, value->time_ns);
    return snprintf(word, n, " %" PRIu64 "@%" PRIu64, value->raw, value->time_ns);
}

/* The next number of a request, in place: 1, 0 at its end, -EINVAL. */
static int next_number(char **at, size_t limit, size_t *ret)
{
    uint64_t number;
    if (!**at)
        return 0;
    int used = wtl_scan_u64(*at, strlen(*at), &number);
    if (used < 0 || number >= limit || ((*at)[used] && (*at)[used] != ' '))
        return -EINVAL;
    *ret = number;
    *at += used + ((*at)[used] == ' ');
    return 1;
}

static int answer_read(struct serving *serving, char *numbers)
{
    size_t channels[CHANNELS], count = 0, used = 1;
    struct value values[CHANNELS];
    struct wattle_error err = {""};
    int rc = need_open(serving, &err);
    for (int more = 1; rc == 0 && more > 0;) {
        size_t number;
        more = next_number(&numbers, serving->list.channel_count, &number);
        if (more < 0 || (more > 0 && count == CHANNELS) || (more == 0 && count == 0))
            rc = wtl_fail(&err, -EINVAL, "%s: read needs 1 to %d numbers of channels",
                          serving->backend->name, CHANNELS);
        else if (more > 0)
            channels[count++] = number;
    }
    if (rc < 0)
        return answer_failure(serving, rc, &err);
    read_all(serving, channels, count, values);
    serving->answer[0] = '=';
    for (size_t i = 0; i < count; i++) /* ANSWER holds CHANNELS words */
        used +=
            (size_t)put_value(&values[i], serving->answer + used, sizeof serving->answer - used);
    serving->answer[used++] = '\n';
    return write_all(serving->out, serving->answer, used);
}

_Static_assert(CHANNELS *WORD + 2 < ANSWER, "room for all words");

static void fill_processes(FILE *out, const struct serving *serving, const void *what)
{
    (void)serving;
    wtl_gpu_write_processes(out, what);
}

static int answer_processes(struct serving *serving, char *numbers)
{
    size_t device = 0;
    struct wattle_error err = {""};
    struct wtl_gpu_processes processes = {0};
    int rc = need_open(serving, &err);
    if (rc == 0 && next_number(&numbers, serving->list.device_count, &device) <= 0)
        rc = wtl_fail(&err, -EINVAL, "%s: processes needs the number of a device",
                      serving->backend->name);
    if (rc == 0) {
        rc = serving->backend->processes
                 ? serving->backend->processes(&serving->list, device, &processes)
                 : -ENOTSUP;
        if (rc < 0)
            (void)wtl_fail(&err, rc, "%s: the processes of gpu-%zu cannot be listed: %s",
                           serving->backend->name, device, wtl_strerror(rc));
    }
    rc = rc < 0 ? answer_failure(serving, rc, &err)
                : answer_with(serving, fill_processes, &processes);
    free(processes.list);
    return rc;
}

static int answer_cost(struct serving *serving)
{
    const struct cost *cost = &serving->cost;
    int n =
        snprintf(serving->answer, sizeof serving->answer,
                 "cost requests=%" PRIu64 " values=%" PRIu64 " library_ns=%" PRIu64
                 " cpu_ns=%" PRIu64 "\n.\n",
                 cost->requests, cost->values, cost->calls_ns, now_ns(CLOCK_PROCESS_CPUTIME_ID));
    return write_all(serving->out, serving->answer, (size_t)n);
}

/* 0, or -errno: the reader has ended. */
static int answer(struct serving *serving, char *request)
{
    struct wattle_error err = {""};
    size_t n = strcspn(request, " ");
    char *rest = request + n + (request[n] == ' ');
    request[n] = '\0';
    if (strcmp(request, "read") == 0)
        return answer_read(serving, rest);
    if (strcmp(request, "list") == 0)
        return answer_list(serving);
    if (strcmp(request, "processes") == 0)
        return answer_processes(serving, rest);
    if (strcmp(request, "cost") == 0)
        return answer_cost(serving);
    if (strcmp(request, "release") == 0) {
        release_library(serving);
        return write_all(serving->out, ".\n", 2);
    }
    (void)wtl_fail(&err, -ENOTSUP, "%s: unknown request", serving->backend->name);
    return answer_failure(serving, -ENOTSUP, &err);
}

/* ---- requests ---- */

/* Odd while a request is being answered. An alarm now and then looks whether it is still the same: no call for each request. */
static volatile sig_atomic_t in_request, looked;

static void step(void)
{
    in_request = (in_request + 1) & 0xffffff;
}

static void on_alarm(int signal)
{
    (void)signal;
    if (in_request % 2 != 0 && in_request == looked)
        _exit(1);
    looked = in_request;
    (void)alarm(PATIENCE_S);
}

static void watch(void)
{
    const struct sigaction on = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    (void)sigaction(SIGALRM, &on, NULL); /* cannot fail */
    (void)alarm(PATIENCE_S);
}

/* Answer the complete lines in the buffer and keep the rest. */
static int answer_lines(struct serving *serving, char *text, size_t *used)
{
    char *line = text, *end;
    int rc = 0;
    while (rc == 0 && (end = memchr(line, '\n', *used - (size_t)(line - text)))) {
        *end = '\0';
        step();
        rc = answer(serving, line);
        step();
        line = end + 1;
    }
    *used -= (size_t)(line - text);
    memmove(text, line, *used);
    return rc == 0 && *used == REQUEST ? -EMSGSIZE : rc;
}

static int converse(struct serving *serving, int in, volatile sig_atomic_t *release)
{
    char text[REQUEST];
    size_t used = 0;
    sigset_t none;
    int rc = 0;
    (void)sigemptyset(&none); /* cannot fail */
    while (rc == 0) {
        struct pollfd wait = {.fd = in, .events = POLLIN};
        int ready = ppoll(&wait, 1, NULL, &none); /* only here can the signal arrive */
        if (*release) {
            *release = 0;
            release_library(serving);
        }
        ssize_t got = ready > 0 ? read(in, text + used, sizeof text - used) : -1;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : 0;
        used += (size_t)got;
        rc = answer_lines(serving, text, &used);
    }
    return rc;
}

int wtl_gpu_serve(const struct wtl_gpu_backend *backend,
                  const char *library,
                  int in,
                  int out,
                  unsigned release_s,
                  volatile sig_atomic_t *release)
{
    static struct serving serving;
    serving = (struct serving){.backend = backend,
                               .library = library,
                               .out = out,
                               .release_ns = release_s * 1000000000ull};
    watch();
    int rc = converse(&serving, in, release);
    (void)alarm(0);
    close_library(&serving);
    wtl_gpu_list_fini(&serving.list);
    return rc;
}

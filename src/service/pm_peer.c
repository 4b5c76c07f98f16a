/* SPDX-License-Identifier: BSD-3-Clause */
/* One connection of a pmlib server: see pm_peer.h. */
#include "service/pm_peer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    OUT_MIN = 4096,     /* room for any reply but STATUS, and for the samples of a GET in turn */
    OUT_MAX = 1 << 20,  /* STATUS */
    STREAM_LAG = 65536, /* bytes a slow reader of a stream may be behind */
};
static const uint64_t LOOK_NS = 5000000; /* between looks for values that are late */

void wtl_pm_peer_init(struct wtl_pm_peer *peer, struct wtl_pm_service *service, const char *address)
{
    *peer = (struct wtl_pm_peer){.service = service, .number = ++service->next_number};
    (void)snprintf(peer->address, sizeof peer->address, "%s", address);
    if (service->next_number == INT32_MAX)
        service->next_number = 0;
    peer->next = service->peers;
    service->peers = peer;
}

void wtl_pm_peer_fini(struct wtl_pm_peer *peer)
{
    struct wtl_pm_peer **at = &peer->service->peers;
    while (*at && *at != peer)
        at = &(*at)->next;
    if (*at)
        *at = peer->next;
    wtl_pm_counter_fini(&peer->counter);
    peer->out = wtl_pm_memory_resize(&peer->service->memory, peer->out, &peer->out_room, 0);
}

/* ---- replies ---- */

/* A writer for `size` bytes after those that are still to be sent; finish() takes what was written. */
static struct wtl_pm_writer begin(struct wtl_pm_peer *peer, size_t size)
{
    if (peer->out_sent > 0) { /* a reader that is always a little behind costs no more than that */
        peer->out_used -= peer->out_sent;
        memmove(peer->out, peer->out + peer->out_sent, peer->out_used);
        peer->out_sent = 0;
    }
    if (peer->out_used + size > peer->out_room)
        peer->out = wtl_pm_memory_resize(&peer->service->memory, peer->out, &peer->out_room,
                                         peer->out_used + (size > OUT_MIN ? size : OUT_MIN));
    return (struct wtl_pm_writer){
        .at = peer->out, .size = peer->out_room, .used = peer->out_used, .full = !peer->out};
}

/* A reply that does not fit is none: the connection ends. */
static void finish(struct wtl_pm_peer *peer, const struct wtl_pm_writer *reply)
{
    if (!reply->full) {
        peer->out_used = reply->used;
        return;
    }
    peer->state = WTL_PM_LEAVING;
    peer->getting = false;
}

static void reply_status(struct wtl_pm_peer *peer, int32_t status)
{
    struct wtl_pm_writer reply = begin(peer, sizeof status);
    wtl_pm_put_i32(&reply, status);
    finish(peer, &reply);
}

static void refuse(struct wtl_pm_peer *peer)
{
    reply_status(peer, WTL_PM_ERROR);
    peer->state = WTL_PM_LEAVING;
}

static void reply_list(struct wtl_pm_peer *peer)
{
    const struct wtl_pm_meters *meters = &peer->service->meters;
    struct wtl_pm_writer reply = begin(peer, 4 + meters->count * (4 + sizeof meters->list->name));
    if (peer->service->dialect != WTL_PM_CPP)
        wtl_pm_put_i32(&reply, (int32_t)meters->count);
    for (size_t i = 0; i < meters->count; i++)
        wtl_pm_put_text(&reply, meters->list[i].name);
    finish(peer, &reply);
}

static void reply_info(struct wtl_pm_peer *peer, const struct wtl_pm_meter *meter)
{
    struct wtl_pm_writer reply = begin(peer, OUT_MIN);
    wtl_pm_put_i32(&reply, meter->max_frequency);
    wtl_pm_put_i32(&reply, (int32_t)meter->line_count);
    wtl_pm_put_text(&reply, meter->name);
    finish(peer, &reply);
}

static bool counts(const struct wtl_pm_peer *peer, const struct wtl_pm_meter *meter)
{
    return peer->state == WTL_PM_COUNTING && peer->counter.meter == meter;
}

static void put_counters(struct wtl_pm_writer *reply,
                         const struct wtl_pm_service *service,
                         const struct wtl_pm_meter *meter)
{
    int32_t count = 0;
    for (const struct wtl_pm_peer *peer = service->peers; peer; peer = peer->next)
        count += counts(peer, meter);
    wtl_pm_put_i32(reply, count);
    for (const struct wtl_pm_peer *peer = service->peers; peer; peer = peer->next) {
        if (!counts(peer, meter))
            continue;
        wtl_pm_put_i32(reply, peer->number);
        wtl_pm_put_text(reply, peer->address);
        wtl_pm_put_i32(reply, peer->counter.line_count);
        for (int i = 0; i < peer->counter.line_count; i++)
            wtl_pm_put_i32(reply, peer->counter.lines[i]);
    }
}

static void reply_devices(struct wtl_pm_peer *peer)
{
    const struct wtl_pm_meters *meters = &peer->service->meters;
    struct wtl_pm_writer reply = begin(peer, OUT_MAX);
    wtl_pm_put_i32(&reply, (int32_t)meters->count);
    for (size_t i = 0; i < meters->count; i++) {
        const struct wtl_pm_meter *meter = &meters->list[i];
        wtl_pm_put_text(&reply, meter->name);
        wtl_pm_put_i32(&reply, meter->max_frequency);
        wtl_pm_put_i32(&reply, (int32_t)meter->line_count);
        wtl_pm_put_i32(&reply, 0); /* all lines belong to one computer */
        wtl_pm_put_text(&reply, meters->computer);
        for (size_t line = 0; line < meter->line_count; line++) {
            wtl_pm_put_i32(&reply, (int32_t)line);
            wtl_pm_put_text(&reply, meter->lines[line].name);
            wtl_pm_put_float(&reply, 0); /* of the line: not known */
            wtl_pm_put_text(&reply, meter->lines[line].description);
        }
        put_counters(&reply, peer->service, meter);
    }
    finish(peer, &reply);
}

/* ---- the first request ---- */

static int make_counter(struct wtl_pm_peer *peer, const struct wtl_pm_request *request)
{
    static const uint8_t all[WTL_PM_MASK] = {0};
    const struct wtl_pm_service *service = peer->service;
    const struct wtl_pm_meter *meter = wtl_pm_meters_find(&service->meters, request->name);
    bool streams = request->mark == WTL_PM_READ;
    if (!meter)
        return -ENODEV;
    return wtl_pm_counter_init(&peer->counter, &service->meters, meter, &peer->service->memory,
                               streams ? all : request->mask,
                               streams || service->dialect != WTL_PM_CPP,
                               !streams && request->aggregate != 0, request->frequency);
}

static void create(struct wtl_pm_peer *peer, const struct wtl_pm_request *request)
{
    if (make_counter(peer, request) < 0) {
        refuse(peer);
        return;
    }
    peer->state = WTL_PM_COUNTING;
    reply_status(peer, 0);
}

/* A record of a stream: the newest sample of each line. */
static void stream_record(struct wtl_pm_peer *peer)
{
    struct wtl_pm_counter *counter = &peer->counter;
    if (peer->out_used - peer->out_sent > STREAM_LAG)
        return; /* its reader is behind: this one is not sent */
    struct wtl_pm_writer reply = begin(peer, OUT_MIN);
    const double *row = counter->samples + (counter->rows - 1) * (size_t)counter->line_count;
    wtl_pm_put_i32(&reply, counter->line_count);
    for (int i = 0; i < counter->line_count; i++)
        wtl_pm_put_sample(&reply, peer->service->dialect, row[i]);
    finish(peer, &reply);
}

static void begin_stream(struct wtl_pm_peer *peer,
                         const struct wtl_pm_request *request,
                         uint64_t now_ns)
{
    const struct wtl_pm_meter *meter = wtl_pm_meters_find(&peer->service->meters, request->name);
    uint64_t period_ns;
    if (meter && wtl_pm_period(meter, request->frequency, &period_ns) == -ERANGE) {
        reply_status(peer, WTL_PM_TOO_FAST);
        reply_status(peer, meter->max_frequency);
        peer->state = WTL_PM_LEAVING;
        return;
    }
    if (make_counter(peer, request) < 0 || peer->counter.line_count == 0) {
        refuse(peer);
        return;
    }
    peer->state = WTL_PM_STREAMING;
    reply_status(peer, 0);
    (void)wtl_pm_counter_start(&peer->counter, false, now_ns); /* is not active */
}

static void first_request(struct wtl_pm_peer *peer,
                          const struct wtl_pm_request *request,
                          uint64_t now_ns)
{
    const struct wtl_pm_meter *meter;
    peer->state = WTL_PM_LEAVING; /* after its reply, but for a counter or a stream */
    switch (request->mark) {
    case WTL_PM_CREATE:
        create(peer, request);
        break;
    case WTL_PM_READ:
        begin_stream(peer, request, now_ns);
        break;
    case WTL_PM_LIST:
        reply_list(peer);
        break;
    case WTL_PM_STATUS:
        reply_devices(peer);
        break;
    case WTL_PM_INFO:
        meter = wtl_pm_meters_find(&peer->service->meters, request->name);
        if (meter)
            reply_info(peer, meter);
        else
            refuse(peer);
        break;
    default:
        refuse(peer);
    }
}

/* ---- requests of a counter ---- */

/* Replies once the samples are settled. */
static void get(struct wtl_pm_peer *peer, uint64_t now_ns)
{
    const struct wtl_pm_counter *counter = &peer->counter;
    if (counter->active || counter->overflowed) {
        reply_status(peer, WTL_PM_ERROR);
        return;
    }
    peer->waiting = !wtl_pm_counter_settle(&peer->counter, now_ns);
    if (peer->waiting)
        return;
    struct wtl_pm_writer reply = begin(peer, ((size_t)counter->bound_count + 3) * sizeof(int32_t));
    peer->get_count = (int64_t)counter->rows * (counter->aggregate ? 1 : counter->line_count);
    wtl_pm_put_i32(&reply, (int32_t)peer->get_count);
    wtl_pm_put_i32(&reply, counter->bound_count);
    wtl_pm_put_i32(&reply, counter->line_count);
    for (int32_t i = 0; i < counter->bound_count; i++)
        wtl_pm_put_i32(&reply, counter->bounds[i]);
    finish(peer, &reply);
    peer->getting = true;
    peer->get_next = 0;
    peer->get_set = 0;
}

/* Sample number get_next of the reply, whose order depends on the dialect. */
static double next_sample(struct wtl_pm_peer *peer)
{
    const struct wtl_pm_counter *counter = &peer->counter;
    int64_t rows = (int64_t)counter->rows, lines = counter->line_count, at = peer->get_next++;
    double sum = 0;
    if (counter->aggregate) {
        for (int64_t line = 0; line < lines; line++)
            sum += counter->samples[at * lines + line];
        return sum;
    }
    if (peer->service->dialect != WTL_PM_CPP)
        return counter->samples[at % rows * lines + at / rows];
    while (at >= lines * counter->bounds[peer->get_set + 1])
        peer->get_set++;
    int64_t first = counter->bounds[peer->get_set];
    int64_t length = counter->bounds[peer->get_set + 1] - first, within = at - lines * first;
    return counter->samples[(first + within % length) * lines + within / length];
}

static void put_samples(struct wtl_pm_peer *peer)
{
    enum wtl_pm_dialect dialect = peer->service->dialect;
    struct wtl_pm_writer reply = begin(peer, OUT_MIN);
    while (peer->get_next < peer->get_count &&
           reply.size - reply.used >= wtl_pm_sample_size(dialect))
        wtl_pm_put_sample(&reply, dialect, next_sample(peer));
    peer->getting = peer->get_next < peer->get_count;
    finish(peer, &reply);
}

static void finalize(struct wtl_pm_peer *peer)
{
    if (peer->counter.active && peer->service->dialect == WTL_PM_CPP) {
        reply_status(peer, WTL_PM_ERROR);
        return;
    }
    reply_status(peer, 0);
    peer->state = WTL_PM_LEAVING;
}

static void counter_request(struct wtl_pm_peer *peer, int32_t mark, uint64_t now_ns)
{
    int rc = 0;
    switch (mark) {
    case WTL_PM_START:
    case WTL_PM_CONTINUE:
        rc = wtl_pm_counter_start(&peer->counter, mark == WTL_PM_CONTINUE, now_ns);
        reply_status(peer, rc < 0 ? WTL_PM_ERROR : 0);
        break;
    case WTL_PM_STOP:
        rc = wtl_pm_counter_stop(&peer->counter, now_ns);
        reply_status(peer, rc < 0 || peer->counter.overflowed ? WTL_PM_ERROR : 0);
        break;
    case WTL_PM_GET:
        get(peer, now_ns);
        break;
    case WTL_PM_FINALIZE:
        finalize(peer);
        break;
    default:
        refuse(peer);
        if (peer->service->dialect == WTL_PM_CPP)
            peer->state = WTL_PM_COUNTING;
    }
}

/* ---- bytes ---- */

static bool is_busy(const struct wtl_pm_peer *peer)
{
    return peer->out_sent < peer->out_used || peer->getting || peer->waiting;
}

/* Numbers of a stream's reader: 0 ends it, others are acknowledgements, which are not waited for. */
static void take_acknowledgements(struct wtl_pm_peer *peer)
{
    struct wtl_pm_reader from = {.at = peer->in, .size = peer->in_used};
    int32_t word;
    while (wtl_pm_take_i32(&from, &word) == 0) {
        if (word == 0)
            peer->state = WTL_PM_LEAVING;
    }
    peer->in_used -= from.used;
    memmove(peer->in, peer->in + from.used, peer->in_used);
}

static void take_requests(struct wtl_pm_peer *peer, uint64_t now_ns)
{
    struct wtl_pm_reader from = {.at = peer->in, .size = peer->in_used};
    int rc = 0;
    while (rc == 0 && !is_busy(peer) &&
           (peer->state == WTL_PM_FRESH || peer->state == WTL_PM_COUNTING)) {
        struct wtl_pm_request request;
        bool counting = peer->state == WTL_PM_COUNTING;
        rc = wtl_pm_request_read(&from, counting, &request);
        if (rc == 0 && counting)
            counter_request(peer, request.mark, now_ns);
        else if (rc == 0)
            first_request(peer, &request, now_ns);
    }
    if (rc == -EBADMSG)
        refuse(peer);
    peer->in_used -= from.used;
    memmove(peer->in, peer->in + from.used, peer->in_used);
}

size_t wtl_pm_peer_room(const struct wtl_pm_peer *peer)
{
    bool reads =
        peer->state == WTL_PM_STREAMING || (peer->state != WTL_PM_LEAVING && !is_busy(peer));
    return reads ? sizeof peer->in - peer->in_used : 0;
}

void wtl_pm_peer_feed(struct wtl_pm_peer *peer, const uint8_t *bytes, size_t n, uint64_t now_ns)
{
    memcpy(peer->in + peer->in_used, bytes, n);
    peer->in_used += n;
    take_requests(peer, now_ns);
    if (peer->state == WTL_PM_STREAMING)
        take_acknowledgements(peer);
}

const uint8_t *wtl_pm_peer_pull(struct wtl_pm_peer *peer, size_t *ret_n)
{
    if (peer->getting && peer->out_sent == peer->out_used)
        put_samples(peer);
    *ret_n = peer->out_used - peer->out_sent;
    return *ret_n ? peer->out + peer->out_sent : NULL;
}

void wtl_pm_peer_sent(struct wtl_pm_peer *peer, size_t n, uint64_t now_ns)
{
    peer->out_sent += n;
    if (is_busy(peer))
        return;
    peer->out_sent = peer->out_used = 0;
    if (peer->out_room > OUT_MIN)
        peer->out = wtl_pm_memory_resize(&peer->service->memory, peer->out, &peer->out_room, 0);
    take_requests(peer, now_ns); /* that came while it was busy */
}

/* ---- time ---- */

bool wtl_pm_peer_measures(const struct wtl_pm_peer *peer)
{
    return peer->state == WTL_PM_COUNTING || peer->state == WTL_PM_STREAMING;
}

uint64_t wtl_pm_peer_next_ns(const struct wtl_pm_peer *peer)
{
    if (wtl_pm_peer_measures(peer) && peer->counter.active)
        return peer->counter.next_ns;
    return peer->waiting ? peer->look_ns : UINT64_MAX;
}

void wtl_pm_peer_tick(struct wtl_pm_peer *peer, uint64_t now_ns)
{
    if (now_ns < wtl_pm_peer_next_ns(peer))
        return;
    if (peer->waiting) {
        peer->look_ns = now_ns + LOOK_NS;
        get(peer, now_ns);
        return;
    }
    wtl_pm_counter_tick(&peer->counter, now_ns);
    if (peer->state != WTL_PM_STREAMING)
        return;
    if (peer->counter.overflowed || peer->counter.rows == 0) {
        peer->state = WTL_PM_LEAVING; /* no memory for one record */
        return;
    }
    stream_record(peer);
    peer->counter.rows = 0;
}

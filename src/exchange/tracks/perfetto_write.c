/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a Perfetto trace: see perfetto_write.h. All packets are of one sequence; the names of types are interned in its
 * first packet. Times are those of the tracks, on the trace's own clock.
 */
#include "exchange/tracks/perfetto_write.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/flush.h"
#include "exchange/tracks/paraver_names.h"
#include "trace/blocks/bytes.h"

/* Field numbers of the schema, by message. */
enum {
    TRACE_PACKET = 1,

    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,

    CLOCKS_CLOCK = 1,
    CLOCK_ID = 1,
    CLOCK_TIMESTAMP = 2,

    INTERNED_CATEGORY = 1,
    INTERNED_EVENT_NAME = 2,
    INTERNED_IID = 1,
    INTERNED_NAME = 2,

    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    COUNTER_UNIT_NAME = 6,

    EVENT_CATEGORY_IIDS = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_DOUBLE_VALUE = 44,
    EVENT_FLOW = 47,
    EVENT_LAST_FLOW = 48,
    ANNOTATION_NAME = 10,
    ANNOTATION_UINT = 3,
    ANNOTATION_STRING = 6
};

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6 };
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };

/* Tracks by what they show, so that their numbers never clash. */
enum { OF_RUN = 1, OF_NODE, OF_PROCESS, OF_THREAD, OF_METER };

static uint64_t uuid_of(unsigned of, size_t index)
{
    return (uint64_t)of << 40 | (uint64_t)(index + 1);
}

/* ---- messages ---- */

static void put_tag(struct wtl_bytes *bytes, unsigned field, unsigned wire)
{
    wtl_bytes_put_varint(bytes, (uint64_t)field << 3 | wire);
}

static void put_number(struct wtl_bytes *bytes, unsigned field, uint64_t value)
{
    put_tag(bytes, field, WIRE_VARINT);
    wtl_bytes_put_varint(bytes, value);
}

static void put_fixed(struct wtl_bytes *bytes, unsigned field, uint64_t value)
{
    put_tag(bytes, field, WIRE_64);
    wtl_bytes_put_u64(bytes, value);
}

static void put_text(struct wtl_bytes *bytes, unsigned field, const char *text)
{
    size_t n = strlen(text);
    put_tag(bytes, field, WIRE_BYTES);
    wtl_bytes_put_varint(bytes, n);
    wtl_bytes_put(bytes, text, n);
}

static void put_message(struct wtl_bytes *bytes, unsigned field, const struct wtl_bytes *message)
{
    put_tag(bytes, field, WIRE_BYTES);
    wtl_bytes_put_varint(bytes, message->length);
    wtl_bytes_put(bytes, message->data, message->length);
    if (message->failed)
        bytes->failed = true;
}

struct output {
    const struct wtl_tracks *tracks;
    FILE *out;
    struct wtl_bytes packet, event,
        part; /* scratch: a packet, what it contains, and what that contains */
    bool begun, failed;
    uint64_t flows;
};

static void begin_packet(struct output *output)
{
    wtl_bytes_reset(&output->packet);
    wtl_bytes_reset(&output->event);
    put_number(&output->packet, PACKET_SEQUENCE, 1);
    put_number(&output->packet, PACKET_FLAGS, output->begun ? NEEDS_STATE : STATE_CLEARED);
    output->begun = true;
}

static void end_packet(struct output *output)
{
    struct wtl_bytes *head = &output->part;
    output->failed = output->failed || output->packet.failed || output->event.failed;
    wtl_bytes_reset(head);
    put_tag(head, TRACE_PACKET, WIRE_BYTES);
    wtl_bytes_put_varint(head, output->packet.length);
    output->failed = output->failed || head->failed;
    if (output->failed)
        return;
    (void)fwrite(head->data, 1, head->length, output->out);
    (void)fwrite(output->packet.data, 1, output->packet.length, output->out);
}

/* ---- what comes first ---- */

static void put_clock(struct wtl_bytes *clocks, struct wtl_bytes *part, unsigned id, uint64_t ns)
{
    wtl_bytes_reset(part);
    put_number(part, CLOCK_ID, id);
    put_number(part, CLOCK_TIMESTAMP, ns);
    put_message(clocks, CLOCKS_CLOCK, part);
}

static void put_clocks(struct output *output)
{
    begin_packet(output);
    put_clock(&output->event, &output->part, CLOCK_BOOTTIME_ID, 0);
    if (output->tracks->begin_realtime_ns)
        put_clock(&output->event, &output->part, CLOCK_REALTIME_ID,
                  output->tracks->begin_realtime_ns);
    put_message(&output->packet, PACKET_CLOCK_SNAPSHOT, &output->event);
    end_packet(output);
}

static void put_interned(struct output *output, unsigned field, uint64_t iid, const char *name)
{
    wtl_bytes_reset(&output->part);
    put_number(&output->part, INTERNED_IID, iid);
    put_text(&output->part, INTERNED_NAME, name);
    put_message(&output->event, field, &output->part);
}

/* A class of types is a category. */
static void put_names(struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    begin_packet(output);
    for (unsigned i = 0; i < WTL_TRACK_CLASSES; i++)
        put_interned(output, INTERNED_CATEGORY, i + 1,
                     wtl_paraver_class_name((enum wtl_track_class)i));
    for (size_t i = 0; i < tracks->type_count; i++)
        put_interned(output, INTERNED_EVENT_NAME, i + 1,
                     *tracks->types[i].name ? tracks->types[i].name : "?");
    put_message(&output->packet, PACKET_INTERNED, &output->event);
    end_packet(output);
}

static void begin_track(struct output *output, uint64_t uuid, uint64_t parent, const char *name)
{
    begin_packet(output);
    put_number(&output->event, TRACK_UUID, uuid);
    if (parent)
        put_number(&output->event, TRACK_PARENT, parent);
    put_text(&output->event, TRACK_NAME, name);
}

static void end_track(struct output *output, unsigned field)
{
    if (field)
        put_message(&output->event, field, &output->part);
    put_message(&output->packet, PACKET_TRACK, &output->event);
    end_packet(output);
}

/* Process ids of several nodes may be the same; Perfetto needs different ones. */
static void put_processes(struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    char name[256], rank[32];
    for (size_t i = 0; i < tracks->process_count; i++) {
        const struct wtl_track_process *process = &tracks->processes[i];
        (void)snprintf(rank, sizeof rank, ", rank %d", (int)process->rank);
        (void)snprintf(name, sizeof name, "%.100s: %.60s (pid %" PRIu32 "%s)",
                       tracks->nodes[process->node].name, process->name, process->pid,
                       process->rank >= 0 ? rank : "");
        begin_track(output, uuid_of(OF_PROCESS, i), 0, name);
        wtl_bytes_reset(&output->part);
        put_number(&output->part, PROCESS_PID, i + 1);
        put_text(&output->part, PROCESS_NAME, name);
        end_track(output, TRACK_PROCESS);
    }
    for (size_t i = 0; i < tracks->thread_count; i++) {
        const struct wtl_track_thread *thread = &tracks->threads[i];
        (void)snprintf(name, sizeof name, "%.100s%s(tid %" PRIu32 ")", thread->name,
                       *thread->name ? " " : "", thread->tid);
        begin_track(output, uuid_of(OF_THREAD, i), uuid_of(OF_PROCESS, thread->process), name);
        wtl_bytes_reset(&output->part);
        put_number(&output->part, THREAD_PID, (uint64_t)thread->process + 1);
        put_number(&output->part, THREAD_TID, tracks->process_count + i + 1);
        put_text(&output->part, THREAD_NAME, name);
        end_track(output, TRACK_THREAD);
    }
}

static void put_meters(struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    char name[256];
    for (size_t i = 0; i < tracks->node_count && tracks->meter_count; i++) {
        (void)snprintf(name, sizeof name, "power of %.200s", tracks->nodes[i].name);
        begin_track(output, uuid_of(OF_NODE, i), 0, name);
        end_track(output, 0);
    }
    for (size_t i = 0; i < tracks->meter_count; i++) {
        const struct wtl_track_meter *meter = &tracks->meters[i];
        (void)snprintf(name, sizeof name, "%.100s (%s)", meter->name, meter->about);
        begin_track(output, uuid_of(OF_METER, i), uuid_of(OF_NODE, meter->node), name);
        wtl_bytes_reset(&output->part);
        put_text(&output->part, COUNTER_UNIT_NAME, meter->unit);
        end_track(output, TRACK_COUNTER);
    }
}

static void annotate(struct output *output, const char *name, const char *text)
{
    if (!*text)
        return;
    wtl_bytes_reset(&output->part);
    put_text(&output->part, ANNOTATION_NAME, name);
    put_text(&output->part, ANNOTATION_STRING, text);
    put_message(&output->event, EVENT_ANNOTATION, &output->part);
}

/* ---- events ---- */

static void begin_event(struct output *output, uint64_t time_ns, unsigned type, uint64_t uuid)
{
    begin_packet(output);
    put_number(&output->packet, PACKET_TIMESTAMP, time_ns);
    put_number(&output->event, EVENT_TYPE, type);
    put_number(&output->event, EVENT_TRACK, uuid);
}

static void end_event(struct output *output)
{
    put_message(&output->packet, PACKET_TRACK_EVENT, &output->event);
    end_packet(output);
}

/* An event that a click in the viewer opens: what was run, and what the numbers mean. */
static void put_run(struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    begin_track(output, uuid_of(OF_RUN, 0), 0, "wattle");
    end_track(output, 0);
    begin_event(output, 0, INSTANT, uuid_of(OF_RUN, 0));
    put_text(&output->event, EVENT_NAME, "about this trace");
    annotate(output, "creator", tracks->creator);
    annotate(output, "command", tracks->command);
    annotate(output, "clocks", tracks->alignment);
    if (tracks->meter_count)
        annotate(output, "power", "each value up to the next; -1 W = unknown");
    end_event(output);
}

/* A power of just -1 W is the next number, since -1 says that it is unknown. */
static void put_power(struct output *output, const struct wtl_track_record *record)
{
    const uint64_t unknown = wtl_track_pack(-1);
    uint64_t value = record->kind == WTL_TRACK_POWER ? record->value : unknown;
    if (record->kind == WTL_TRACK_POWER && value == unknown)
        value = wtl_track_pack(nextafter(-1, -2));
    begin_event(output, record->time_ns, COUNTER, uuid_of(OF_METER, record->track));
    put_fixed(&output->event, EVENT_DOUBLE_VALUE, value);
    end_event(output);
}

static void put_border(struct output *output, const struct wtl_track_record *record)
{
    const bool enter = record->kind == WTL_TRACK_ENTER;
    begin_event(output, record->time_ns, enter ? SLICE_BEGIN : SLICE_END,
                uuid_of(OF_THREAD, record->track));
    if (enter) {
        put_number(&output->event, EVENT_CATEGORY_IIDS,
                   (uint64_t)output->tracks->types[record->type].kind + 1);
        put_number(&output->event, EVENT_NAME_IID, (uint64_t)record->type + 1);
    }
    end_event(output);
}

static void annotate_number(struct output *output, const char *name, uint64_t value)
{
    wtl_bytes_reset(&output->part);
    put_text(&output->part, ANNOTATION_NAME, name);
    put_number(&output->part, ANNOTATION_UINT, value);
    put_message(&output->event, EVENT_ANNOTATION, &output->part);
}

static void put_instant(struct output *output, const struct wtl_track_record *record)
{
    begin_event(output, record->time_ns, INSTANT, uuid_of(OF_THREAD, record->track));
    put_text(&output->event, EVENT_NAME, output->tracks->events[record->type].name);
    const char *text = wtl_track_label_of(output->tracks, record->type, record->value);
    annotate_number(output, "value", record->value);
    annotate(output, "text", text ? text : "");
    end_event(output);
}

/* A message is an arrow between two instants. */
static void put_flow(struct output *output,
                     uint64_t time_ns,
                     uint32_t thread,
                     const struct wtl_track_record *message,
                     uint64_t flow,
                     bool sends)
{
    begin_event(output, time_ns, INSTANT, uuid_of(OF_THREAD, thread));
    put_text(&output->event, EVENT_NAME, sends ? "send" : "receive");
    put_fixed(&output->event, sends ? EVENT_FLOW : EVENT_LAST_FLOW, flow);
    annotate_number(output, "bytes", message->value);
    annotate_number(output, "tag", (uint64_t)(int64_t)message->tag);
    end_event(output);
}

/* Both ends of a message, once its arrival is known. */
static void put_message_flow(struct output *output,
                             const struct wtl_track_record *send,
                             const struct wtl_track_record *arrival)
{
    if (send->kind != WTL_TRACK_SEND)
        return;
    output->flows++;
    put_flow(output, send->time_ns, send->track, send, output->flows, true);
    put_flow(output, arrival->more, send->type, send, output->flows, false);
}

static void put_record(struct output *output,
                       const struct wtl_track_record *record,
                       struct wtl_track_record *send)
{
    switch ((enum wtl_track_kind)record->kind) {
    case WTL_TRACK_ENTER:
    case WTL_TRACK_LEAVE:
        put_border(output, record);
        break;
    case WTL_TRACK_EVENT:
        put_instant(output, record);
        break;
    case WTL_TRACK_POWER:
    case WTL_TRACK_NO_POWER:
        put_power(output, record);
        break;
    case WTL_TRACK_SEND:
        *send = *record;
        break;
    case WTL_TRACK_ARRIVAL:
        put_message_flow(output, send, record);
        break;
    case WTL_TRACK_RECEIVE: /* part of the message */
    case WTL_TRACK_STATE:   /* slices show it */
        break;
    }
}

static int put_records(struct output *output,
                       struct wtl_track_sort *records,
                       struct wattle_error *err)
{
    struct wtl_track_record record, send = {.kind = WTL_TRACK_EVENT};
    uint64_t count = 0;
    int rc;
    while ((rc = wtl_track_sort_next(records, &record, err)) > 0 && !output->failed &&
           !ferror(output->out)) {
        put_record(output, &record, &send);
        count++;
    }
    if (rc >= 0 && count == 0)
        return wtl_fail(err, -ENODATA,
                        "nothing to export: no power over time, and no regions, tasks or events");
    return rc < 0 ? rc : 0;
}

int wtl_perfetto_write(const struct wtl_tracks *tracks,
                       struct wtl_track_sort *records,
                       FILE *out,
                       struct wattle_error *err)
{
    struct output output = {.tracks = tracks, .out = out};
    put_clocks(&output);
    put_names(&output);
    put_processes(&output);
    put_meters(&output);
    put_run(&output);
    int rc = put_records(&output, records, err);
    if (rc == 0 && output.failed)
        rc = wtl_no_memory(err);
    wtl_bytes_fini(&output.packet);
    wtl_bytes_fini(&output.event);
    wtl_bytes_fini(&output.part);
    return rc < 0 ? rc : wtl_flush(out, err);
}

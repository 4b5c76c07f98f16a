/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a Paraver trace: see paraver_write.h. All numbers are integers: Paraver's reader takes a decimal point for the end
 * of a field. Power is in mW, and the .pcf states how many decimals that is.
 */
#define _GNU_SOURCE
#include "exchange/tracks/paraver_write.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/whole.h"
#include "exchange/tracks/paraver_names.h"

enum { OBJECTS = 65535 };

/* An object as records name it. */
struct place {
    unsigned application, task, thread;
};

struct output {
    const struct wtl_tracks *tracks;
    FILE *prv;
    struct place *threads, *meters;
    unsigned applications;
};

/* ---- objects ---- */

static int number_objects(struct output *output, struct wattle_error *err)
{
    const struct wtl_tracks *tracks = output->tracks;
    output->threads = calloc(tracks->thread_count + 1, sizeof *output->threads);
    output->meters = calloc(tracks->meter_count + 1, sizeof *output->meters);
    if (!output->threads || !output->meters)
        return wtl_no_memory(err);
    if (tracks->thread_count > OBJECTS || tracks->meter_count > OBJECTS ||
        tracks->node_count > OBJECTS)
        return wtl_fail(err, -EOVERFLOW,
                        "Paraver numbers at most %d nodes, threads and channels, and here are %zu, "
                        "%zu and %zu; choose nodes with --node or channels with --channel",
                        OBJECTS, tracks->node_count, tracks->thread_count, tracks->meter_count);
    unsigned thread = 0, task = 0;
    for (size_t i = 0; i < tracks->thread_count; i++) {
        uint32_t process = tracks->threads[i].process;
        thread = i > 0 && process == tracks->threads[i - 1].process ? thread + 1 : 1;
        output->threads[i] = (struct place){1, process + 1, thread};
    }
    output->applications = tracks->thread_count > 0;
    for (size_t i = 0; i < tracks->meter_count; i++) {
        bool first = i == 0 || tracks->meters[i].node != tracks->meters[i - 1].node;
        thread = first ? 1 : thread + 1;
        task += first;
        output->meters[i] = (struct place){output->applications + 1, task, thread};
    }
    output->applications += tracks->meter_count > 0;
    return 0;
}

/* "2(2:1,1:2)": tasks with their threads and nodes; of one application. */
static void print_program(const struct wtl_tracks *tracks, FILE *out)
{
    (void)fprintf(out, ":%zu(", tracks->process_count);
    size_t at = 0;
    for (size_t i = 0; i < tracks->process_count; i++) {
        size_t begin = at;
        while (at < tracks->thread_count && tracks->threads[at].process == i)
            at++;
        (void)fprintf(out, "%s%zu:%" PRIu32, i ? "," : "", at - begin,
                      tracks->processes[i].node + 1);
    }
    (void)fputc(')', out);
}

static void print_power(const struct output *output, FILE *out, bool more)
{
    const struct wtl_tracks *tracks = output->tracks;
    (void)fprintf(out, "%c%u(", more ? ',' : ':', output->meters[tracks->meter_count - 1].task);
    for (size_t i = 0; i < tracks->meter_count;) {
        size_t begin = i;
        while (i < tracks->meter_count && tracks->meters[i].node == tracks->meters[begin].node)
            i++;
        (void)fprintf(out, "%s%zu:%" PRIu32, begin ? "," : "", i - begin,
                      tracks->meters[begin].node + 1);
    }
    (void)fputc(')', out);
}

static void print_header(const struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    FILE *out = output->prv;
    time_t begin = (time_t)(tracks->begin_realtime_ns / 1000000000u);
    struct tm local = {.tm_mday = 1, .tm_year = 70};
    (void)localtime_r(&begin, &local);
    (void)fprintf(out, "#Paraver (%02d/%02d/%04d at %02d:%02d):%" PRIu64 "_ns:%zu(", local.tm_mday,
                  local.tm_mon + 1, local.tm_year + 1900, local.tm_hour, local.tm_min,
                  tracks->length_ns, tracks->node_count);
    for (size_t i = 0; i < tracks->node_count; i++)
        (void)fprintf(out, "%s%u", i ? "," : "", tracks->nodes[i].cpus ? tracks->nodes[i].cpus : 1);
    (void)fprintf(out, "):%u", output->applications);
    if (tracks->thread_count)
        print_program(tracks, out);
    if (tracks->meter_count)
        print_power(output, out, tracks->thread_count > 0);
    if (tracks->thread_count) {
        (void)fprintf(out, ",1\nc:1:1:%zu", tracks->process_count);
        for (size_t i = 0; i < tracks->process_count; i++)
            (void)fprintf(out, ":%zu", i + 1);
    }
    (void)fputc('\n', out);
}

/* A text as the rest of a line. */
static void print_text(FILE *out, const char *text)
{
    for (; *text; text++)
        (void)fputc((unsigned char)*text < 0x20 || *text == 0x7F ? ' ' : *text, out);
}

/* Paraver ignores these lines; a reader of the file learns what the numbers are. */
static void print_comments(const struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    FILE *out = output->prv;
    (void)fprintf(out, "# %s; ", tracks->creator);
    print_text(out, *tracks->command ? tracks->command : "command unknown");
    if (tracks->meter_count)
        (void)fprintf(out, "\n# power in mW, each value up to the next; %d = unknown",
                      WTL_PARAVER_UNKNOWN);
    for (size_t i = 0; i < tracks->meter_count; i++) {
        const struct place *place = &output->meters[i];
        (void)fprintf(out, "\n# %u.%u.%u %s: ", place->application, place->task, place->thread,
                      tracks->nodes[tracks->meters[i].node].name);
        print_text(out, tracks->meters[i].name);
        (void)fprintf(out, ", %s%s%s", tracks->meters[i].about,
                      *tracks->meters[i].traits ? ", " : "", tracks->meters[i].traits);
    }
    if (*tracks->alignment)
        (void)fprintf(out, "\n# clocks: %s", tracks->alignment);
    if (tracks->begin_realtime_ns) /* the date of the header has minutes, and no time zone */
        (void)fprintf(out, "\n# begin: %" PRIu64 ".%09" PRIu64 " s since 1970",
                      tracks->begin_realtime_ns / 1000000000u,
                      tracks->begin_realtime_ns % 1000000000u);
    (void)fputc('\n', out);
}

/* ---- records ---- */

static void print_place(FILE *out, char kind, const struct place *place)
{
    (void)fprintf(out, "%c:0:%u:%u:%u", kind, place->application, place->task, place->thread);
}

static void print_event(const struct output *output,
                        const struct wtl_track_record *record,
                        const struct place *place,
                        uint32_t type,
                        int64_t value)
{
    print_place(output->prv, '2', place);
    (void)fprintf(output->prv, ":%" PRIu64 ":%" PRIu32 ":%" PRId64 "\n", record->time_ns, type,
                  value);
}

static uint32_t power_type(const struct wtl_track_meter *meter)
{
    const uint32_t most = WTL_PARAVER_POWER_LAST - WTL_PARAVER_POWER;
    return WTL_PARAVER_POWER + (meter->number < most ? meter->number : most);
}

static void print_power_value(const struct output *output, const struct wtl_track_record *record)
{
    print_event(output, record, &output->meters[record->track],
                power_type(&output->tracks->meters[record->track]),
                record->kind == WTL_TRACK_POWER
                    ? wtl_paraver_power_value(wtl_track_unpack(record->value))
                    : WTL_PARAVER_UNKNOWN);
}

static void print_border(const struct output *output, const struct wtl_track_record *record)
{
    uint64_t value;
    uint32_t type =
        wtl_paraver_event_of(&output->tracks->types[record->type], record->type, &value);
    print_event(output, record, &output->threads[record->track], type,
                record->kind == WTL_TRACK_ENTER ? (int64_t)value : 0);
}

static void print_state(const struct output *output, const struct wtl_track_record *record)
{
    unsigned state = record->type < output->tracks->type_count
                         ? wtl_paraver_state_of(&output->tracks->types[record->type])
                         : WTL_PARAVER_RUNNING;
    print_place(output->prv, '1', &output->threads[record->track]);
    (void)fprintf(output->prv, ":%" PRIu64 ":%" PRIu64 ":%u\n", record->time_ns, record->value,
                  state);
}

static void print_message(const struct output *output,
                          const struct wtl_track_record *send,
                          const struct wtl_track_record *arrival)
{
    const struct place *to = &output->threads[send->type];
    print_place(output->prv, '3', &output->threads[send->track]);
    (void)fprintf(output->prv, ":%" PRIu64 ":%" PRIu64 ":0:%u:%u:%u", send->time_ns, send->time_ns,
                  to->application, to->task, to->thread);
    (void)fprintf(output->prv, ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRId32 "\n", arrival->value,
                  arrival->more, send->value, send->tag);
}

static void print_record(const struct output *output,
                         const struct wtl_track_record *record,
                         struct wtl_track_record *send)
{
    switch ((enum wtl_track_kind)record->kind) {
    case WTL_TRACK_ENTER:
    case WTL_TRACK_LEAVE:
        print_border(output, record);
        break;
    case WTL_TRACK_STATE:
        print_state(output, record);
        break;
    case WTL_TRACK_EVENT:
        print_event(output, record, &output->threads[record->track],
                    output->tracks->events[record->type].number, (int64_t)record->value);
        break;
    case WTL_TRACK_POWER:
    case WTL_TRACK_NO_POWER:
        print_power_value(output, record);
        break;
    case WTL_TRACK_SEND:
        *send = *record;
        break;
    case WTL_TRACK_ARRIVAL:
        if (send->kind == WTL_TRACK_SEND)
            print_message(output, send, record);
        break;
    case WTL_TRACK_RECEIVE: /* part of the message */
        break;
    }
}

static int print_records(const struct output *output,
                         struct wtl_track_sort *records,
                         struct wattle_error *err)
{
    struct wtl_track_record record, send = {.kind = WTL_TRACK_EVENT};
    uint64_t count = 0;
    int rc;
    while ((rc = wtl_track_sort_next(records, &record, err)) > 0 && !ferror(output->prv)) {
        print_record(output, &record, &send);
        count++;
    }
    if (rc >= 0 && count == 0)
        return wtl_fail(err, -ENODATA,
                        "nothing to export: no power over time, and no regions, tasks or events");
    return rc < 0 ? rc : 0; /* a failed write is found at the end */
}

/* ---- the .pcf ---- */

static void print_states(FILE *out)
{
    (void)fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
                "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
                "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\nDEFAULT_SEMANTIC\n\n"
                "THREAD_FUNC          State As Is\n\n\nSTATES\n",
                out);
    for (const struct wtl_paraver_state *state = wtl_paraver_states; state->name; state++)
        (void)fprintf(out, "%u    %s\n", state->number, state->name);
    (void)fputs("\n\nSTATES_COLOR\n", out);
    for (const struct wtl_paraver_state *state = wtl_paraver_states; state->name; state++)
        (void)fprintf(out, "%u    %s\n", state->number, state->colour);
}

/* Types of activity that share an event type are its values. */
static void print_activities(const struct wtl_tracks *tracks, FILE *out)
{
    bool *done = calloc(tracks->type_count + 1, sizeof *done);
    uint64_t value;
    for (size_t i = 0; done && i < tracks->type_count; i++) {
        uint32_t type = wtl_paraver_event_of(&tracks->types[i], i, &value);
        if (done[i])
            continue;
        const char *name = type == WTL_PARAVER_MPI_PEER    ? "MPI Point-to-point"
                           : type == WTL_PARAVER_MPI_GROUP ? "MPI Collective Comm"
                           : type == WTL_PARAVER_MPI_OTHER
                               ? "MPI Other"
                               : wtl_paraver_class_name(tracks->types[i].kind);
        (void)fprintf(out, "\n\nEVENT_TYPE\n9    %" PRIu32 "    %s\nVALUES\n0      End\n", type,
                      name);
        for (size_t k = i; k < tracks->type_count; k++) {
            if (done[k] || wtl_paraver_event_of(&tracks->types[k], k, &value) != type)
                continue;
            done[k] = true;
            (void)fprintf(out, "%" PRIu64 "      ", value);
            print_text(out, tracks->types[k].name);
            (void)fputc('\n', out);
        }
    }
    free(done);
}

/* Paraver takes values with a text as 32-bit integers. */
static void print_events(const struct wtl_tracks *tracks, FILE *out)
{
    size_t label = 0;
    for (size_t i = 0; i < tracks->event_count; i++) {
        (void)fprintf(out, "\n\nEVENT_TYPE\n6    %" PRIu32 "    ", tracks->events[i].number);
        print_text(out, tracks->events[i].name);
        (void)fputc('\n', out);
        bool begun = false;
        for (; label < tracks->label_count && tracks->labels[label].event == i; label++) {
            if (tracks->labels[label].value > INT32_MAX)
                continue;
            (void)fprintf(out, "%s%" PRIu64 "      ", begun ? "" : "VALUES\n",
                          tracks->labels[label].value);
            print_text(out, tracks->labels[label].text);
            (void)fputc('\n', out);
            begun = true;
        }
    }
}

static void print_pcf(const struct wtl_tracks *tracks, FILE *out)
{
    print_states(out);
    print_activities(tracks, out);
    print_events(tracks, out);
    if (tracks->meter_count == 0)
        return;
    (void)fputs("\n\nEVENT_TYPE\n", out);
    uint32_t last = 0;
    for (size_t i = 0; i < tracks->meter_count; i++) {
        uint32_t type = power_type(&tracks->meters[i]);
        bool before = false;
        for (size_t k = 0; k < i && !before; k++)
            before = power_type(&tracks->meters[k]) == type;
        if (before || type == last)
            continue;
        last = type;
        (void)fprintf(out, "7    %" PRIu32 "    Power ", type);
        print_text(out, tracks->meters[i].name);
        (void)fprintf(out, " [%s]\n", tracks->meters[i].unit);
    }
    (void)fprintf(out, "PRECISION %d\n", WTL_PARAVER_DECIMALS);
}

/* ---- the .row ---- */

static void print_row(const struct output *output, FILE *out)
{
    const struct wtl_tracks *tracks = output->tracks;
    (void)fprintf(out, "LEVEL NODE SIZE %zu\n", tracks->node_count);
    for (size_t i = 0; i < tracks->node_count; i++) {
        print_text(out, tracks->nodes[i].name);
        (void)fputc('\n', out);
    }
    (void)fprintf(out, "\nLEVEL THREAD SIZE %zu\n", tracks->thread_count + tracks->meter_count);
    for (size_t i = 0; i < tracks->thread_count; i++) {
        const struct wtl_track_thread *thread = &tracks->threads[i];
        (void)fprintf(out, "%u.%u.%u ", output->threads[i].application, output->threads[i].task,
                      output->threads[i].thread);
        print_text(out, *thread->name ? thread->name : tracks->processes[thread->process].name);
        (void)fputc('\n', out);
    }
    for (size_t i = 0; i < tracks->meter_count; i++) {
        print_text(out, tracks->nodes[tracks->meters[i].node].name);
        (void)fputc(' ', out);
        print_text(out, tracks->meters[i].name);
        (void)fputc('\n', out);
    }
}

int wtl_paraver_write(const struct wtl_tracks *tracks,
                      struct wtl_track_sort *records,
                      const struct wtl_paraver_files *files,
                      struct wattle_error *err)
{
    struct output output = {.tracks = tracks, .prv = files->prv};
    int rc = number_objects(&output, err);
    if (rc == 0) {
        print_header(&output);
        print_comments(&output);
        rc = print_records(&output, records, err);
    }
    if (rc == 0) {
        print_pcf(tracks, files->pcf);
        print_row(&output, files->row);
    }
    free(output.threads);
    free(output.meters);
    rc = rc < 0 ? rc : wtl_flush(files->prv, err);
    rc = rc < 0 ? rc : wtl_flush(files->pcf, err);
    return rc < 0 ? rc : wtl_flush(files->row, err);
}

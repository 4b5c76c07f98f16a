/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes an OTF2 archive: see otf2_write.h. First the events, each to the file of its location; then the definitions, which
 * state how many events each location has.
 */
#include "exchange/otf2/otf2_write.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "exchange/channel_traits.h"
#include "exchange/otf2/otf2_library.h"
#include "trace/string_set.h"

enum {
    EVENT_CHUNKS = 2,
    OTHER_CHUNKS = 64,
    LOCATIONS = 65535 /* as in Paraver; the library looks through all for each */
};

struct output {
    const struct wtl_tracks *tracks;
    struct wtl_otf2 otf2;
    const char *name;
    void *archive, *definitions;
    void **writers;   /* by location: threads, then meters */
    uint64_t *counts; /* events, likewise */
    size_t locations;
    struct wtl_string_set texts;
    int failed; /* error code of the library */
    int rc;     /* other errors */
};

/* ---- memory and flushing ---- */

/* Chunks of one of the library's buffers. */
struct buffer {
    void *chunks[OTHER_CHUNKS];
    size_t count;
};

/* When a buffer gets no more memory, the library writes it and frees it. */
static void *allocate(void *data, uint8_t file, uint64_t location, void **ret_buffer, uint64_t size)
{
    struct buffer *buffer = *ret_buffer;
    size_t most = file == WTL_OTF2_FILE_EVENTS ? EVENT_CHUNKS : OTHER_CHUNKS;
    (void)data;
    (void)location;
    if (!buffer)
        *ret_buffer = buffer = calloc(1, sizeof *buffer);
    if (!buffer || buffer->count == most)
        return NULL;
    void *chunk = malloc((size_t)size);
    if (chunk)
        buffer->chunks[buffer->count++] = chunk;
    return chunk;
}

static void free_all(void *data, uint8_t file, uint64_t location, void **ret_buffer, bool final)
{
    struct buffer *buffer = *ret_buffer;
    (void)data;
    (void)file;
    (void)location;
    for (size_t i = 0; buffer && i < buffer->count; i++)
        free(buffer->chunks[i]);
    if (buffer)
        buffer->count = 0;
    if (final) {
        free(buffer);
        *ret_buffer = NULL;
    }
}

static uint8_t flush(void *data, uint8_t file, uint64_t location, void *caller, bool final)
{
    (void)data;
    (void)file;
    (void)location;
    (void)caller;
    (void) final;
    return WTL_OTF2_FLUSH;
}

/* Remember the first error. */
static void check(struct output *output, int code)
{
    if (code && !output->failed)
        output->failed = code;
}

static int open_archive(struct output *output, const char *folder)
{
    static const struct wtl_otf2_flush flushing = {.pre = flush};
    static const struct wtl_otf2_memory memory = {allocate, free_all};
    const struct wtl_otf2 *otf2 = &output->otf2;
    output->archive =
        otf2->Archive_Open(folder, "traces", WTL_OTF2_WRITE, WTL_OTF2_CHUNK,
                           WTL_OTF2_CHUNK_DEFINITIONS, WTL_OTF2_POSIX, WTL_OTF2_UNCOMPRESSED);
    if (!output->archive)
        return -EIO;
    check(output, otf2->Archive_SetFlushCallbacks(output->archive, &flushing, NULL));
    check(output, otf2->Archive_SetMemoryCallbacks(output->archive, &memory, NULL));
    check(output, otf2->Archive_SetSerialCollectiveCallbacks(output->archive));
    check(output, otf2->Archive_SetCreator(output->archive, output->tracks->creator));
    check(output, otf2->Archive_OpenEvtFiles(output->archive));
    for (size_t i = 0; i < output->locations && !output->failed; i++) {
        output->writers[i] = otf2->Archive_GetEvtWriter(output->archive, i);
        if (!output->writers[i])
            return -EIO;
    }
    return output->failed ? -EIO : 0;
}

/* The number of a text, which is defined when it is first used, or with the definitions. */
static uint32_t number_of(struct output *output, const char *text)
{
    bool fresh = false;
    int id = wtl_string_set_add(&output->texts, text, &fresh);
    if (id < 0) {
        output->rc = id;
        return 0;
    }
    if (fresh && output->definitions)
        check(output, output->otf2.GlobalDefWriter_WriteString(output->definitions,
                                                               (uint32_t)id - 1, text));
    return (uint32_t)id - 1;
}

/* ---- events ---- */

static void put_power(struct output *output, const struct wtl_track_record *record)
{
    static const uint8_t type = WTL_OTF2_TYPE_DOUBLE;
    union wtl_otf2_value value = {.f64 = NAN};
    const size_t meter = record->track;
    if (record->kind == WTL_TRACK_POWER)
        value.f64 = wtl_track_unpack(record->value);
    /* Instances are numbered from the number of classes on. */
    check(output, output->otf2.EvtWriter_Metric(
                      output->writers[output->tracks->thread_count + meter], NULL, record->time_ns,
                      (uint32_t)(output->tracks->meter_count + meter), 1, &type, &value));
}

/* Processes are the members of the communicator. */
static uint32_t process_of(const struct output *output, uint32_t thread)
{
    return output->tracks->threads[thread].process;
}

/* An event is a parameter; its text, if it has one, another. */
static void put_event(struct output *output, void *writer, const struct wtl_track_record *record)
{
    const struct wtl_otf2 *otf2 = &output->otf2;
    const char *text = wtl_track_label_of(output->tracks, record->type, record->value);
    check(output, otf2->EvtWriter_ParameterInt(writer, NULL, record->time_ns, record->type,
                                               (int64_t)record->value));
    if (text)
        check(output,
              otf2->EvtWriter_ParameterString(writer, NULL, record->time_ns,
                                              (uint32_t)output->tracks->event_count + record->type,
                                              number_of(output, text)));
}

static void put_record(struct output *output, const struct wtl_track_record *record)
{
    const struct wtl_otf2 *otf2 = &output->otf2;
    void *writer = output->writers[record->track];
    const uint64_t time = record->time_ns;
    switch ((enum wtl_track_kind)record->kind) {
    case WTL_TRACK_ENTER:
        check(output, otf2->EvtWriter_Enter(writer, NULL, time, record->type));
        break;
    case WTL_TRACK_LEAVE:
        check(output, otf2->EvtWriter_Leave(writer, NULL, time, record->type));
        break;
    case WTL_TRACK_EVENT:
        put_event(output, writer, record);
        break;
    case WTL_TRACK_POWER:
    case WTL_TRACK_NO_POWER:
        put_power(output, record);
        break;
    case WTL_TRACK_SEND:
        check(output, otf2->EvtWriter_MpiSend(writer, NULL, time, process_of(output, record->type),
                                              0, (uint32_t)record->tag, record->value));
        break;
    case WTL_TRACK_RECEIVE:
        check(output, otf2->EvtWriter_MpiRecv(writer, NULL, time, process_of(output, record->type),
                                              0, (uint32_t)record->tag, record->value));
        break;
    case WTL_TRACK_ARRIVAL: /* the receive is an event of its own */
    case WTL_TRACK_STATE:   /* regions show it */
        break;
    }
}

static int put_events(struct output *output,
                      struct wtl_track_sort *records,
                      struct wattle_error *err)
{
    struct wtl_track_record record;
    uint64_t count = 0;
    int rc = 0;
    while (!output->failed && (rc = wtl_track_sort_next(records, &record, err)) > 0) {
        put_record(output, &record);
        count++;
    }
    if (rc >= 0 && count == 0 && !output->failed)
        return wtl_fail(err, -ENODATA,
                        "nothing to export: no power over time, and no regions, tasks or events");
    return rc < 0 ? rc : 0;
}

/* Local definitions are empty, but readers look for them. */
static void close_events(struct output *output)
{
    const struct wtl_otf2 *otf2 = &output->otf2;
    for (size_t i = 0; i < output->locations; i++) {
        if (!output->writers[i])
            continue;
        check(output, otf2->EvtWriter_GetNumberOfEvents(output->writers[i], &output->counts[i]));
        check(output, otf2->Archive_CloseEvtWriter(output->archive, output->writers[i]));
    }
    check(output, otf2->Archive_CloseEvtFiles(output->archive));
    check(output, otf2->Archive_OpenDefFiles(output->archive));
    for (size_t i = 0; i < output->locations && !output->failed; i++) {
        void *writer = otf2->Archive_GetDefWriter(output->archive, i);
        check(output, writer ? otf2->Archive_CloseDefWriter(output->archive, writer) : -1);
    }
    check(output, otf2->Archive_CloseDefFiles(output->archive));
}

/* ---- definitions ---- */

static void define_tree(struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    const struct wtl_otf2 *otf2 = &output->otf2;
    void *out = output->definitions;
    char text[256];
    check(output, otf2->GlobalDefWriter_WriteSystemTreeNode(out, 0, number_of(output, "run"),
                                                            number_of(output, "machine"),
                                                            WTL_OTF2_UNDEFINED_32));
    for (size_t i = 0; i < tracks->node_count; i++)
        check(output, otf2->GlobalDefWriter_WriteSystemTreeNode(
                          out, (uint32_t)i + 1, number_of(output, tracks->nodes[i].name),
                          number_of(output, "node"), 0));
    for (size_t i = 0; i < tracks->process_count; i++) {
        const struct wtl_track_process *process = &tracks->processes[i];
        (void)snprintf(text, sizeof text, "%.100s (pid %" PRIu32 ")", process->name, process->pid);
        if (process->rank >= 0)
            (void)snprintf(text, sizeof text, "rank %d", (int)process->rank);
        check(output, otf2->GlobalDefWriter_WriteLocationGroup(
                          out, (uint32_t)i, number_of(output, text), WTL_OTF2_GROUP_PROCESS,
                          process->node + 1, WTL_OTF2_UNDEFINED_32));
    }
    for (size_t i = 0; i < tracks->node_count && tracks->meter_count; i++) {
        (void)snprintf(text, sizeof text, "power of %.200s", tracks->nodes[i].name);
        check(output, otf2->GlobalDefWriter_WriteLocationGroup(
                          out, (uint32_t)(tracks->process_count + i), number_of(output, text),
                          WTL_OTF2_GROUP_PROCESS, (uint32_t)i + 1, WTL_OTF2_UNDEFINED_32));
    }
}

static void define_locations(struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    const struct wtl_otf2 *otf2 = &output->otf2;
    char text[256];
    for (size_t i = 0; i < tracks->thread_count; i++) {
        const struct wtl_track_thread *thread = &tracks->threads[i];
        (void)snprintf(text, sizeof text, "%.100s%s(tid %" PRIu32 ")", thread->name,
                       *thread->name ? " " : "", thread->tid);
        check(output, otf2->GlobalDefWriter_WriteLocation(
                          output->definitions, i, number_of(output, text), WTL_OTF2_CPU_THREAD,
                          output->counts[i], thread->process));
    }
    for (size_t i = 0; i < tracks->meter_count; i++) {
        const size_t location = tracks->thread_count + i;
        check(output, otf2->GlobalDefWriter_WriteLocation(
                          output->definitions, location, number_of(output, tracks->meters[i].name),
                          WTL_OTF2_METRIC_LOCATION, output->counts[location],
                          (uint32_t)(tracks->process_count + tracks->meters[i].node)));
    }
}

static void define_parameters(struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    char name[256];
    for (size_t i = 0; i < tracks->event_count; i++)
        check(output, output->otf2.GlobalDefWriter_WriteParameter(
                          output->definitions, (uint32_t)i,
                          number_of(output, tracks->events[i].name), WTL_OTF2_PARAMETER_INT64));
    for (size_t i = 0; i < tracks->label_count; i++) {
        const uint32_t event = tracks->labels[i].event;
        if (i > 0 && tracks->labels[i - 1].event == event)
            continue;
        (void)snprintf(name, sizeof name, "%.240s (text)", tracks->events[event].name);
        check(output, output->otf2.GlobalDefWriter_WriteParameter(
                          output->definitions, (uint32_t)tracks->event_count + event,
                          number_of(output, name), WTL_OTF2_PARAMETER_STRING));
    }
}

static void define_regions(struct output *output)
{
    static const struct {
        uint8_t role, paradigm;
    } classes[WTL_TRACK_CLASSES] = {
        [WTL_TRACK_REGION] = {WTL_OTF2_ROLE_CODE, WTL_OTF2_PARADIGM_USER},
        [WTL_TRACK_TASK] = {WTL_OTF2_ROLE_TASK, WTL_OTF2_PARADIGM_OPENMP},
        [WTL_TRACK_PARALLEL] = {WTL_OTF2_ROLE_PARALLEL, WTL_OTF2_PARADIGM_OPENMP},
        [WTL_TRACK_WORK] = {WTL_OTF2_ROLE_WORKSHARE, WTL_OTF2_PARADIGM_OPENMP},
        [WTL_TRACK_SYNC] = {WTL_OTF2_ROLE_BARRIER, WTL_OTF2_PARADIGM_OPENMP},
        [WTL_TRACK_IDLE] = {WTL_OTF2_ROLE_ARTIFICIAL, WTL_OTF2_PARADIGM_UNKNOWN},
        [WTL_TRACK_MPI] = {WTL_OTF2_ROLE_WRAPPER, WTL_OTF2_PARADIGM_MPI},
        [WTL_TRACK_IO] = {WTL_OTF2_ROLE_FILE_IO, WTL_OTF2_PARADIGM_UNKNOWN},
        [WTL_TRACK_LOCK] = {WTL_OTF2_ROLE_CRITICAL, WTL_OTF2_PARADIGM_UNKNOWN},
        [WTL_TRACK_JOIN] = {WTL_OTF2_ROLE_THREAD_WAIT, WTL_OTF2_PARADIGM_UNKNOWN},
        [WTL_TRACK_GPU] = {WTL_OTF2_ROLE_UNKNOWN, WTL_OTF2_PARADIGM_UNKNOWN},
        [WTL_TRACK_FUNCTION] = {WTL_OTF2_ROLE_FUNCTION, WTL_OTF2_PARADIGM_USER},
        [WTL_TRACK_OTHER] = {WTL_OTF2_ROLE_UNKNOWN, WTL_OTF2_PARADIGM_UNKNOWN}};
    const struct wtl_tracks *tracks = output->tracks;
    const uint32_t none = number_of(output, "");
    for (size_t i = 0; i < tracks->type_count; i++) {
        const struct wtl_track_type *type = &tracks->types[i];
        uint32_t name = number_of(output, *type->name ? type->name : "?");
        check(output,
              output->otf2.GlobalDefWriter_WriteRegion(
                  output->definitions, (uint32_t)i, name, name, none, classes[type->kind].role,
                  classes[type->kind].paradigm, 0, WTL_OTF2_UNDEFINED_32, 0, 0));
    }
}

/* A class for each meter, and where it is valid. */
static void define_metrics(struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    const struct wtl_otf2 *otf2 = &output->otf2;
    void *out = output->definitions;
    enum { SCOPE_NODE = 2 };
    for (size_t i = 0; i < tracks->meter_count; i++) {
        const struct wtl_track_meter *meter = &tracks->meters[i];
        const uint32_t self = (uint32_t)i;
        char about[WTL_TRAITS_SIZE + 32];
        (void)snprintf(about, sizeof about, "%s%s%s", meter->about, *meter->traits ? ", " : "",
                       meter->traits);
        check(output,
              otf2->GlobalDefWriter_WriteMetricMember(
                  out, self, number_of(output, meter->name), number_of(output, about),
                  WTL_OTF2_METRIC_OTHER, WTL_OTF2_ABSOLUTE | WTL_OTF2_NEXT, WTL_OTF2_TYPE_DOUBLE,
                  WTL_OTF2_DECIMAL, 0, number_of(output, meter->unit)));
        check(output, otf2->GlobalDefWriter_WriteMetricClass(
                          out, self, 1, &self, WTL_OTF2_ASYNCHRONOUS, WTL_OTF2_ABSTRACT));
    }
    for (size_t i = 0; i < tracks->meter_count; i++)
        check(output,
              otf2->GlobalDefWriter_WriteMetricInstance(
                  out, (uint32_t)(tracks->meter_count + i), (uint32_t)i, tracks->thread_count + i,
                  SCOPE_NODE, (uint64_t)tracks->meters[i].node + 1));
}

/* The communicator of all processes, for messages. */
static void define_world(struct output *output)
{
    const struct wtl_tracks *tracks = output->tracks;
    const struct wtl_otf2 *otf2 = &output->otf2;
    void *out = output->definitions;
    uint64_t *members = calloc(tracks->process_count + 1, sizeof *members);
    if (!members) {
        output->rc = -ENOMEM;
        return;
    }
    for (size_t i = tracks->thread_count; i-- > 0;)
        members[tracks->threads[i].process] = i; /* the first thread */
    check(output, otf2->GlobalDefWriter_WriteGroup(
                      out, 0, number_of(output, "processes"), WTL_OTF2_GROUP_COMM_LOCATIONS,
                      WTL_OTF2_PARADIGM_MPI, 0, (uint32_t)tracks->process_count, members));
    for (size_t i = 0; i < tracks->process_count; i++)
        members[i] = i;
    check(output, otf2->GlobalDefWriter_WriteGroup(out, 1, number_of(output, "all"),
                                                   WTL_OTF2_GROUP_COMM_GROUP, WTL_OTF2_PARADIGM_MPI,
                                                   0, (uint32_t)tracks->process_count, members));
    check(output, otf2->GlobalDefWriter_WriteComm(out, 0, number_of(output, "MPI_COMM_WORLD"), 1,
                                                  WTL_OTF2_UNDEFINED_32, 0));
    free(members);
}

static void define_all(struct output *output)
{
    const struct wtl_otf2 *otf2 = &output->otf2;
    const struct wtl_tracks *tracks = output->tracks;
    output->definitions = otf2->Archive_GetGlobalDefWriter(output->archive);
    if (!output->definitions) {
        check(output, -1);
        return;
    }
    check(output, otf2->GlobalDefWriter_WriteClockProperties(
                      output->definitions, 1000000000, 0, tracks->length_ns + 1,
                      tracks->begin_realtime_ns ? tracks->begin_realtime_ns : UINT64_MAX));
    for (uint32_t i = 0; i < output->texts.count; i++)
        check(output,
              otf2->GlobalDefWriter_WriteString(output->definitions, i, output->texts.texts[i]));
    define_tree(output);
    define_locations(output);
    define_regions(output);
    define_parameters(output);
    define_metrics(output);
    if (tracks->process_count)
        define_world(output);
    check(output, otf2->Archive_CloseGlobalDefWriter(output->archive, output->definitions));
}

/* What the archive cannot express otherwise. */
static void describe(struct output *output)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "%.1000s\n%.900s", output->tracks->command,
                   output->tracks->alignment);
    check(output, output->otf2.Archive_SetDescription(output->archive, text));
}

static int write_archive(struct output *output,
                         struct wtl_track_sort *records,
                         const char *folder,
                         struct wattle_error *err)
{
    int rc = open_archive(output, folder);
    if (rc == 0) {
        describe(output);
        rc = put_events(output, records, err);
    }
    if (output->archive) {
        close_events(output);
        if (rc == 0 && !output->failed)
            define_all(output);
        check(output, output->otf2.Archive_Close(output->archive));
    }
    if (output->rc < 0)
        return wtl_no_memory(err);
    if (output->failed || rc == -EIO)
        return wtl_fail(err, -EIO, "cannot write the OTF2 archive %s: %s", output->name,
                        output->failed ? output->otf2.Error_GetDescription(output->failed)
                                       : "libotf2 could not create it");
    return rc;
}

int wtl_otf2_write(const struct wtl_tracks *tracks,
                   struct wtl_track_sort *records,
                   const char *folder,
                   const char *name,
                   struct wattle_error *err)
{
    struct output output = {
        .tracks = tracks, .name = name, .locations = tracks->thread_count + tracks->meter_count};
    if (output.locations > LOCATIONS)
        return wtl_fail(
            err, -EOVERFLOW,
            "an OTF2 archive takes at most %d threads and channels, and here are %zu and "
            "%zu; choose nodes with --node or channels with --channel, or export to "
            "Perfetto or CSV",
            LOCATIONS, tracks->thread_count, tracks->meter_count);
    int rc = wtl_otf2_load(&output.otf2, err);
    if (rc < 0)
        return rc;
    output.writers = (void **)calloc(output.locations + 1, sizeof *output.writers);
    output.counts = calloc(output.locations + 1, sizeof *output.counts);
    rc = output.writers && output.counts ? write_archive(&output, records, folder, err)
                                         : wtl_no_memory(err);
    free((void *)output.writers);
    free(output.counts);
    wtl_string_set_fini(&output.texts);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of events: which of several definitions counts, of which thread, and how many are kept. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wattle/task.h>

#include "trace/regions/event_labels.h"
#include "trace/writer.h"

#include "tap.h"

enum { TYPE = WATTLE_TASK_LABEL_TYPE, VALUE = WATTLE_TASK_LABEL_VALUE };

static struct wtl_mark mark(int kind, uint32_t thread, uint32_t name, uint64_t value)
{
    return (struct wtl_mark){
        .kind = (enum wtl_mark_kind)kind, .thread = thread, .name = name, .value = value};
}

static bool is(const char *text, const char *wanted)
{
    return text && wanted ? strcmp(text, wanted) == 0 : text == wanted;
}

int main(void)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *writer = NULL;
    struct wtl_trace_reader *reader = NULL;
    struct wtl_event_labels labels;
    char path[] = "/tmp/event_labels-XXXXXX.wtl";
    int fd = mkstemps(path, 4);
    ok(fd >= 0 && wtl_trace_writer_create(path, &force, &writer, NULL) == 0, "a trace");
    const struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "p"};
    const struct wtl_trace_thread thread = {.tid = 1, .name = ""};
    (void)wtl_trace_writer_process(writer, &process);
    uint32_t ids[2], names[4];
    for (int i = 0; i < 2; i++)
        ids[i] = (uint32_t)wtl_trace_writer_thread(writer, &thread);
    static const char *const texts[] = {"one", "two", "three", ""};
    for (int i = 0; i < 4; i++)
        names[i] = (uint32_t)wtl_trace_writer_string(writer, texts[i]);
    struct wtl_mark marks[] = {
        mark(TYPE, ids[0], names[0], 7),          mark(VALUE, ids[0], names[1], 1),
        mark(TYPE, ids[1], names[2], 8),          mark(VALUE, ids[0], names[1], 2),
        mark(VALUE, ids[1], names[0], 1),         mark(VALUE, ids[0], names[2], 1),
        mark(VALUE, ids[1], names[1], 1 << 20),   mark(TYPE, ids[0], 0, 9),
        mark(VALUE, ids[0], names[0], UINT64_MAX)};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        marks[i].time_ns = 1000 + i;
    ok(wtl_trace_writer_marks(writer, marks, sizeof marks / sizeof *marks) == 0 &&
           wtl_trace_writer_finish(writer, NULL) == 0 &&
           wtl_trace_reader_open(path, &reader, NULL) == 0 &&
           wtl_trace_reader_tables(reader, NULL) == 0,
       "with definitions of two threads");
    ok(wtl_event_labels_read(&labels, reader, NULL) == 0 && labels.count == 8, "are read");
    ok(is(wtl_event_labels_type(&labels, 7), "one") &&
           is(wtl_event_labels_type(&labels, 8), "three"),
       "types");
    ok(is(wtl_event_labels_value(&labels, 7, 1), "three"), "of a value defined twice the last");
    ok(is(wtl_event_labels_value(&labels, 7, 2), "two") &&
           is(wtl_event_labels_value(&labels, 8, 1), "one") &&
           is(wtl_event_labels_value(&labels, 8, 1 << 20), "two"),
       "values belong to the last type of their own thread");
    ok(!wtl_event_labels_type(&labels, 9) &&
           is(wtl_event_labels_value(&labels, 9, UINT64_MAX), "one"),
       "a type without a text, the largest value");
    ok(!wtl_event_labels_type(&labels, 1) && !wtl_event_labels_value(&labels, 7, 0) &&
           !wtl_event_labels_value(&labels, 1, 7),
       "others have none");
    int rc = 0;
    for (uint64_t i = 0; i < 70000 && rc == 0; i++) {
        struct wtl_mark one = mark(VALUE, ids[0], names[i % 2], 100 + i);
        rc = wtl_event_labels_take(&labels, &one);
    }
    ok(rc == 0 && labels.count == 65536, "65536 are kept");
    ok(is(wtl_event_labels_value(&labels, 9, 101), "two") &&
           !wtl_event_labels_value(&labels, 9, 69999 + 100),
       "the first of them");
    struct wtl_mark again = mark(VALUE, ids[0], names[2], 101);
    ok(wtl_event_labels_take(&labels, &again) == 0 &&
           is(wtl_event_labels_value(&labels, 9, 101), "three"),
       "and may still change");
    wtl_event_labels_fini(&labels);
    wtl_trace_reader_close(reader);
    close(fd);
    unlink(path);
    return done_testing();
}

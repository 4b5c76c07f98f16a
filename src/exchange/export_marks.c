/* SPDX-License-Identifier: BSD-3-Clause */
/* Export of regions (each begin and end), of events, and of marks of tasks and states, in time order over
 * all threads. */
#include "exchange/export.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

/* Process and thread of a mark. */
struct maker {
    const struct wtl_trace_thread *thread;
    const struct wtl_trace_process *process;
};

static struct maker maker_of(const struct wtl_trace_reader *reader, const struct wtl_mark *mark)
{
    struct maker maker = {.thread = wtl_trace_reader_thread(reader, mark->thread)};
    if (maker.thread)
        maker.process = wtl_trace_reader_process(reader, maker.thread->process);
    return maker;
}

/* time_s, pid, rank, tid: the same in all rows. */
static void who_and_when(const struct wtl_export_run *run,
                         const struct wtl_mark *mark,
                         struct wtl_cell cells[4])
{
    struct maker maker = maker_of(run->reader, mark);
    cells[0] = wtl_cell_number(wtl_export_seconds(run, mark->time_ns), -9);
    cells[1] = maker.process ? wtl_cell_count(maker.process->pid) : wtl_cell_text(NULL);
    cells[2] = maker.process && maker.process->rank >= 0
                   ? wtl_cell_count((uint64_t)maker.process->rank)
                   : wtl_cell_text(NULL);
    cells[3] = maker.thread ? wtl_cell_count(maker.thread->tid) : wtl_cell_text(NULL);
}

/* "enter MPI": the state after a word of its own. */
static const char *task_word(uint32_t kind, char *text, size_t n)
{
    static const char *const words[] = {"create", "run",        "pause",       "done",
                                        "after",  "detail",     "counter",     "summary",
                                        "type",   "type value", "not recorded"};
    static const char *const states[] = {"parallel", "work", "sync", "idle",     "mpi",  "io",
                                         "lock",     "join", "gpu",  "function", "other"};
    _Static_assert(sizeof words / sizeof *words == WATTLE_TASK_CUT - WATTLE_TASK_CREATE + 1 &&
                       sizeof states / sizeof *states == WATTLE_STATE_OTHER + 1,
                   "a word for each");
    if (kind < WATTLE_STATE_ENTER)
        return words[kind - WATTLE_TASK_CREATE];
    (void)snprintf(
        text, n, "%s %s", kind < WATTLE_STATE_LEAVE ? "enter" : "leave",
        states[kind < WATTLE_STATE_LEAVE ? kind - WATTLE_STATE_ENTER : kind - WATTLE_STATE_LEAVE]);
    return text;
}

static const char *key_word(uint32_t key, char *text, size_t n)
{
    static const char *const words[] = {
        NULL,      "task",    "peer",     "tag",   "bytes", "comm", "bin_ns", "threads",
        "address", "request", "received", "count", "core",  "over", "cut",    "ago_ns"};
    if (key > 0 && key < sizeof words / sizeof *words)
        return words[key];
    (void)snprintf(text, n, "%u", key);
    return text;
}

static void print_task(struct wtl_export_run *run, const struct wtl_mark *mark)
{
    struct wtl_cell cells[9];
    const struct maker maker = maker_of(run->reader, mark);
    char kind[32], key[16];
    uint32_t name = mark->name;
    bool detail = (uint32_t)mark->kind == WATTLE_TASK_DETAIL;
    who_and_when(run, mark, cells);
    cells[4] = wtl_cell_text(task_word((uint32_t)mark->kind, kind, sizeof kind));
    if (detail)
        cells[5] = wtl_cell_text(key_word(name, key, sizeof key));
    else
        cells[5] = wtl_cell_text(name ? wtl_trace_reader_string(run->reader, name) : NULL);
    cells[6] = detail && (name == WATTLE_TASK_KEY_PEER || name == WATTLE_TASK_KEY_TAG)
                   ? wtl_cell_number((double)(int64_t)mark->value, 17)
                   : wtl_cell_count(mark->value);
    /* A process that calls exec keeps its id, and is another one in the trace. */
    cells[7] = maker.thread ? wtl_cell_count(maker.thread->process) : wtl_cell_text(NULL);
    cells[8] = wtl_cell_text(maker.process ? maker.process->command : NULL);
    wtl_row_writer_row(&run->sheet, cells, 9);
}

static void print_mark(struct wtl_export_run *run, const struct wtl_mark *mark)
{
    static const char *const kinds[] = {
        [WTL_MARK_BEGIN] = "begin", [WTL_MARK_END] = "end", [WTL_MARK_THREAD_END] = "thread end"};
    struct wtl_cell cells[6];
    who_and_when(run, mark, cells);
    cells[4] = wtl_cell_text(kinds[mark->kind]);
    cells[5] = wtl_cell_text(wtl_trace_reader_string(run->reader, mark->name));
    wtl_row_writer_row(&run->sheet, cells, 6);
}

static void print_event(struct wtl_export_run *run, const struct wtl_mark *mark)
{
    struct wtl_cell cells[8];
    who_and_when(run, mark, cells);
    cells[4] = wtl_cell_count(mark->name);
    cells[5] = wtl_cell_count(mark->value);
    cells[6] = wtl_cell_text(wtl_event_labels_type(&run->labels, mark->name));
    cells[7] = wtl_cell_text(wtl_event_labels_value(&run->labels, mark->name, mark->value));
    wtl_row_writer_row(&run->sheet, cells, 8);
}

const char *const wtl_region_columns[] = {"time_s", "pid", "rank", "tid", "mark", "region", NULL};
const char *const wtl_event_columns[] = {"time_s", "pid",       "rank",       "tid", "type",
                                         "value",  "type_text", "value_text", NULL};

const char *const wtl_task_columns[] = {"time_s", "pid",   "rank",    "tid",     "mark",
                                        "name",   "value", "process", "program", NULL};

int wtl_export_marks(struct wtl_export_run *run, struct wattle_error *err)
{
    static const struct {
        uint64_t which;
        const char *const *columns;
        size_t count;
        void (*print)(struct wtl_export_run *run, const struct wtl_mark *mark);
    } kinds[] = {[WTL_EXPORT_REGIONS] = {WTL_MARKS_REGIONS, wtl_region_columns, 6, print_mark},
                 [WTL_EXPORT_EVENTS] = {WTL_MARKS_EVENTS, wtl_event_columns, 8, print_event},
                 [WTL_EXPORT_TASKS] = {WTL_MARKS_TASKS, wtl_task_columns, 9, print_task}};
    enum wtl_export_what what = run->options->what;
    struct wtl_trace_marks *marks = NULL;
    struct wtl_mark mark;
    int rc = wtl_trace_reader_tables(run->reader, err);
    if (rc == 0 && what == WTL_EXPORT_EVENTS)
        rc = wtl_event_labels_read(&run->labels, run->reader, err);
    rc = rc < 0 ? rc
                : wtl_trace_marks_open_of(run->reader, kinds[what].which, WTL_ALL_THREADS, &marks,
                                          err);
    if (rc < 0) {
        wtl_event_labels_fini(&run->labels);
        return rc;
    }
    wtl_row_writer_columns(&run->sheet, kinds[what].columns, kinds[what].count);
    assert(kinds[what].print);
    while (!wtl_export_broken(run) && (rc = wtl_trace_marks_next(marks, &mark, err)) > 0)
        if (mark.time_ns >= run->begin_ns && mark.time_ns <= run->end_ns)
            kinds[what].print(run, &mark);
    wtl_trace_marks_close(marks);
    wtl_event_labels_fini(&run->labels);
    return rc < 0 ? rc : 0;
}

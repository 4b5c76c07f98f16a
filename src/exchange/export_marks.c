/* SPDX-License-Identifier: BSD-3-Clause */
/* Export of regions (each begin and end) and of events, in time order over all threads. */
#include "exchange/export.h"

#include <errno.h>

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

static void print_mark(struct wtl_export_run *run, const struct wtl_mark *mark)
{
    static const char *const kinds[] = {
        [WTL_MARK_BEGIN] = "begin", [WTL_MARK_END] = "end", [WTL_MARK_THREAD_END] = "thread end"};
    struct wtl_cell cells[6];
    who_and_when(run, mark, cells);
    if (mark->kind == WTL_MARK_EVENT) {
        cells[4] = wtl_cell_count(mark->name);
        cells[5] = wtl_cell_count(mark->value);
    } else {
        cells[4] = wtl_cell_text(kinds[mark->kind]);
        cells[5] = wtl_cell_text(wtl_trace_reader_string(run->reader, mark->name));
    }
    wtl_row_writer_row(&run->sheet, cells, 6);
}

const char *const wtl_region_columns[] = {"time_s", "pid", "rank", "tid", "mark", "region", NULL};
const char *const wtl_event_columns[] = {"time_s", "pid", "rank", "tid", "type", "value", NULL};

int wtl_export_marks(struct wtl_export_run *run, struct wattle_error *err)
{
    bool events = run->options->what == WTL_EXPORT_EVENTS;
    struct wtl_trace_marks *marks = NULL;
    struct wtl_mark mark;
    int rc = wtl_trace_reader_tables(run->reader, err);
    rc = rc < 0 ? rc : wtl_trace_marks_open(run->reader, WTL_ALL_THREADS, &marks, err);
    if (rc < 0)
        return rc;
    wtl_row_writer_columns(&run->sheet, events ? wtl_event_columns : wtl_region_columns, 6);
    while (!wtl_export_broken(run) && (rc = wtl_trace_marks_next(marks, &mark, err)) > 0) {
        bool inside = mark.time_ns >= run->begin_ns && mark.time_ns <= run->end_ns;
        if (inside && (mark.kind == WTL_MARK_EVENT) == events && mark.kind < WTL_MARK_KIND_COUNT)
            print_mark(run, &mark);
    }
    wtl_trace_marks_close(marks);
    return rc < 0 ? rc : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges the spools of a run into its trace: one heap of everything still to come, ordered by time.
 * A spool waits in it at the time of its creation, a thread at that of its first record, then of
 * each mark. During the run spools are followed: a thread whose marks have all been taken is idle,
 * and checked again next time. What cannot be followed (too many files, too many marks) is taken at
 * the end, when files and buffers are open only for the time in which their process ran.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "record/energy_link.h"
#include "record/regions/task_limit.h"
#include "record/spool/spool_file.h"
#include "record/spool/spool_merge.h"
#include "record/spool/spool_merge_items.h"
#include "record/spool/spool_merge_source.h"
#include "trace/string_set.h"

enum {
    BATCH = 256,         /* marks per call of the writer */
    FOLLOW_MARKS = 5000, /* per step: about 5 ms; a program that produces marks faster is not
                         * disturbed more */
    FOLLOW_FILES = 200,  /* from at most this many processes */
    OPEN_FILES = 16      /* open at once; others only while they are read: descriptors are the
                         * program's resource */
};

/* A call is practically always complete this long after it read its clock. */
static const uint64_t LAG_NS = 100 * 1000 * 1000;

static const uint64_t NAMES_EVERY_NS = 1000 * 1000 * 1000;

struct wtl_spool_merge {
    char *dir;
    struct wtl_spool_merge_source *sources;
    size_t count, room;
    struct wtl_string_set names; /* source names */
    struct wtl_code_places *places;
    struct wtl_spool_merge_items heap;
    struct wtl_spool_merge_items idle; /* threads that may produce more */
    struct wtl_spool_now now;
    bool has_now, given_up, finished;
    void (*names_full)(void *context); /* NULL = not asked for, or said */
    void *context;
    uint64_t names_ns; /* when names are looked at next */
    struct wtl_spool_merge_known known;
    struct wtl_trace_writer *writer;
    struct wtl_spool_merge_report report;
    struct wtl_mark batch[BATCH];
    size_t batch_count;
};

/* ---- folder ---- */

/* PID or PID.N, as the processes name them. */
static bool is_spool_name(const char *name)
{
    size_t digits = strspn(name, "0123456789");

    if (digits == 0 || digits > 20)
        return false;
    if (name[digits] == '.')
        name += digits + 1;
    else
        return name[digits] == '\0';
    digits = strspn(name, "0123456789");
    return digits > 0 && digits <= 20 && name[digits] == '\0';
}

/* PID.lost, of a process that could not create a spool: a link whose target is the errno, 0 =
 * unknown. */
static bool is_lost(int folder, const char *name, int *ret_why)
{
    size_t digits = strspn(name, "0123456789");
    char number[16] = "";
    uint64_t why = 0;

    if (digits == 0 || digits > 20 || strcmp(name + digits, WTL_SPOOL_LOST) != 0 ||
        readlinkat(folder, name, number, sizeof(number) - 1) <= 0)
        return false;
    *ret_why = wtl_parse_u64(number, &why) == 0 && why < 4096 ? (int)why : 0;
    return true;
}

/* Open a folder unless it is a link: wattle creates none there, and what it leads to is not ours.
 * Returns NULL with errno. */
static DIR *open_folder(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);

    if (!folder && fd >= 0)
        (void)close(fd); /* nothing was read */
    return folder;
}

/* Collect what processes without a spool reported; `remove` also deletes the notes. */
static void look_for_lost(const char *dir, struct wtl_spool_merge_report *report, bool remove)
{
    DIR *folder = open_folder(dir);

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        int why;

        if (!is_lost(dirfd(folder), entry->d_name, &why))
            continue;
        if (remove) {
            (void)unlinkat(dirfd(folder), entry->d_name, 0); /* the trace has the information
                                                              * anyway */
            continue;
        }
        report->without++;
        if (why)
            report->why_without = why;
    }
    if (folder)
        (void)closedir(folder);
}

/* False: it has none yet. */
static bool read_header(const char *path, struct wtl_spool_header *header)
{
    int fd = wtl_spool_open_file(path);
    ssize_t got = fd < 0 ? -1 : pread(fd, header, sizeof(*header), 0);

    if (fd >= 0)
        (void)close(fd); /* read only */
    return got == (ssize_t)sizeof(*header);
}

/* The creation time is in the header; a file without one is rejected when it is opened. */
static uint64_t creation_of(const char *path)
{
    struct wtl_spool_header header = {0};

    return read_header(path, &header) ? header.pair_ns + wtl_spool_shift_ns(&header) : 0;
}

static int add_source(struct wtl_spool_merge *merge, const char *name)
{
    bool fresh;
    int number = wtl_string_set_add(&merge->names, name, &fresh);

    if (number < 0 || !fresh)
        return number < 0 ? number : 0;
    if (wtl_reserve(&merge->sources, &merge->room, merge->count + 1, sizeof(*merge->sources)) < 0)
        return -ENOMEM;
    size_t size = strlen(merge->dir) + strlen(name) + 2;
    char *path = malloc(size);

    if (!path)
        return -ENOMEM;
    (void)snprintf(path, size, "%s/%s", merge->dir, name);
    merge->sources[merge->count++] =
        (struct wtl_spool_merge_source){.path = path, .created_ns = creation_of(path)};
    return 0;
}

/* Find new spools in the folder; a folder that does not exist has none. */
static int scan(struct wtl_spool_merge *merge)
{
    DIR *folder = open_folder(merge->dir);
    int rc = 0;

    if (!folder)
        return errno == ENOENT ? 0 : -errno;
    for (struct dirent *entry; rc == 0 && (entry = readdir(folder));)
        if (is_spool_name(entry->d_name))
            rc = add_source(merge, entry->d_name);
    (void)closedir(folder);
    return rc;
}

int wtl_spool_merge_open(const char *dir,
                         struct wtl_spool_merge **ret_fold,
                         struct wattle_error *err)
{
    struct wtl_spool_merge *merge = calloc(1, sizeof(*merge));
    int rc = merge && (merge->dir = strdup(dir)) ? 0 : -ENOMEM;

    if (rc == 0)
        rc = scan(merge);
    if (rc < 0) {
        wtl_spool_merge_close(merge);
        return wtl_fail(err, rc, "%s: %s; its regions are kept there", dir, wtl_strerror(rc));
    }
    merge->has_now = wtl_spool_now_take(&merge->now) == 0;
    *ret_fold = merge;
    return 0;
}

void wtl_spool_merge_close(struct wtl_spool_merge *merge)
{
    if (!merge)
        return;
    wtl_spool_merge_items_fini(&merge->heap);
    wtl_spool_merge_items_fini(&merge->idle);
    for (size_t i = 0; i < merge->count; i++) {
        wtl_spool_merge_source_close(&merge->sources[i]);
        free(merge->sources[i].path);
    }
    wtl_string_set_fini(&merge->names);
    wtl_code_places_free(merge->places);
    wtl_spool_merge_known_fini(&merge->known);
    free(merge->sources);
    free(merge->dir);
    free(merge);
}

size_t wtl_spool_merge_count(const struct wtl_spool_merge *merge)
{
    return merge->count;
}

int wtl_spool_merge_resume(struct wtl_spool_merge *merge,
                           struct wtl_trace_reader *reader,
                           struct wattle_error *err)
{
    return wtl_spool_merge_known_init(&merge->known, reader, err);
}

/* ---- merge ---- */

static int flush_batch(struct wtl_spool_merge *merge)
{
    int rc = merge->batch_count
                 ? wtl_trace_writer_marks(merge->writer, merge->batch, merge->batch_count)
                 : 0;

    merge->batch_count = 0;
    return rc < 0 ? rc : 0;
}

/* Add an item for each new thread of a source. */
static int begin_threads(struct wtl_spool_merge *merge, size_t index)
{
    struct wtl_spool_merge_source *source = &merge->sources[index];

    while (source->threads_begun < wtl_spool_info(source->spool)->threads) {
        const struct wtl_spool_thread *thread =
            wtl_spool_thread(source->spool, source->threads_begun);
        struct wtl_spool_merge_item *item = malloc(sizeof(*item));

        if (!item)
            return -ENOMEM;
        *item = (struct wtl_spool_merge_item){
            .time_ns = thread->first_ns, .source = index, .thread = source->threads_begun};
        if (wtl_spool_merge_items_push(&merge->heap, item) < 0) {
            free(item);
            return -ENOMEM;
        }
        source->threads_begun++;
        source->threads_left++;
    }
    return 0;
}

/* Why a spool could not grow. */
static const char *reason_of(int error)
{
    switch (error) {
    case 0:
        return "reason unknown";
    case ENOSPC:
        return "full disk";
    case EDQUOT:
        return "disk quota exceeded";
    case EFBIG:
        return "file size limit";
    case EACCES:
    case EPERM:
        return "the process lost access to the folder";
    case ENOENT:
    case ESTALE:
        return "the folder was removed, or the process could not reach it";
    default:
        return wtl_strerror(error);
    }
}

bool wtl_spool_merge_losses(const struct wtl_spool_merge_report *report, char *text, size_t size)
{
    char drops[160], without[160];
    const char *refused =
        report->full ? "calls were of new names after the first 65535 of a process, which are not "
                       "recorded, or of invalid ones"
                     : "calls had an invalid name (empty, or longer than 255 bytes)";
    const struct {
        uint64_t count;
        const char *what;
    } rows[] = {
        {report->drops, drops},
        {report->without, without},
        {report->nested, "calls from signal handlers interrupted another call and did not fit"},
        {report->bad, "files of processes could not be read"},
        {report->foreign, "processes ran in another time namespace, which /proc does not show"},
        {report->refused, refused}};
    size_t n = 0;

    (void)snprintf(drops, sizeof(drops), "region calls could not be recorded (%s%s)",
                   reason_of(report->why), report->several ? ", and others" : "");
    (void)snprintf(without, sizeof(without), "processes could not create their region file (%s)",
                   reason_of(report->why_without));
    text[0] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].count > 0 && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%" PRIu64 " %s", n ? ", " : "",
                                  rows[i].count, rows[i].what);
    }
    return n > 0;
}

/* Count what a process could not record. */
static void add_drops(struct wtl_spool_merge_report *report, const struct wtl_spool_header *header)
{
    int why = header->why <= INT_MAX ? (int)header->why : 0;

    report->nested += header->nested;
    if (header->drops == 0)
        return;
    if (report->drops == 0)
        report->why = why;
    report->several = report->several || report->why != why;
    report->drops += header->drops;
}

/* A source is finished. */
/* Add to a list, each once. */
static void append_name(char *list, size_t size, const char *text)
{
    size_t used = strlen(list);

    if (text && !strstr(list, text))
        (void)snprintf(list + used, size - used, "%s%s", used ? ", " : "", text);
}

/* What the runtime of a process does not report. */
static void note_unseen(struct wtl_spool_merge_report *report, const char *text)
{
    append_name(report->unseen, sizeof(report->unseen), text);
}

/* The name of a mark is new, and a place of several constructs: is it that of a task? */
static void note_merged(struct wtl_spool_merge_report *report, uint32_t kind, const char *text)
{
    if (!text[0] || (kind != WATTLE_TASK_CREATE && kind != WATTLE_TASK_RUN &&
                     kind != WATTLE_TASK_DONE && kind != WATTLE_TASK_SUM))
        return;
    report->merged += !strstr(report->merged_names, text);
    append_name(report->merged_names, sizeof(report->merged_names), text);
}

static void look_at_label(struct wtl_spool_merge *merge,
                          struct wtl_spool_merge_source *source,
                          const struct wtl_mark *mark)
{
    if ((uint32_t)mark->kind != WATTLE_TASK_LABEL_TYPE)
        return;
    if (mark->value == WATTLE_TASK_LABEL_LOST)
        note_unseen(&merge->report, wtl_spool_name(source->spool, mark->name));
    else if (mark->value == WATTLE_TASK_LABEL_HELD)
        source->held = mark->name;
    else if (mark->value == WATTLE_TASK_LABEL_TOLD)
        source->held = 0;
}

static void end_source(struct wtl_spool_merge *merge, struct wtl_spool_merge_source *source)
{
    const struct wtl_spool_info *info = wtl_spool_info(source->spool);

    if (source->held)
        note_unseen(&merge->report, wtl_spool_name(source->spool, source->held));
    merge->report.threads += info->threads;
    merge->report.ignored += info->ignored;
    add_drops(&merge->report, &info->header);
    merge->report.refused += info->header.refused;
    merge->report.full += info->header.full != 0;
    source->written = source->good;
    wtl_spool_merge_source_close(source);
}

/* There is not enough data yet, which is not an error of the spool. */
static bool is_short(int rc)
{
    return rc == -ENOMEM || rc == -EMFILE || rc == -ENFILE;
}

/* Open a source whose time has come. One that cannot be read is skipped; *ret_open reports this. */
static int open_source(struct wtl_spool_merge *merge, size_t index, bool ended, bool *ret_open)
{
    struct wtl_spool_merge_source *source = &merge->sources[index];
    int rc = wtl_spool_open(source->path, merge->has_now ? &merge->now : NULL, ended,
                            &source->spool, NULL);

    *ret_open = rc == 0;
    if (rc < 0)
        return is_short(rc) ? rc : 0;
    if (index >= OPEN_FILES)
        wtl_spool_brief(source->spool);
    if (wtl_spool_is_foreign(&wtl_spool_info(source->spool)->header)) {
        wtl_spool_merge_source_close(source);
        source->foreign = true;
        *ret_open = false;
        return 0;
    }
    merge->report.spools++;
    rc = wtl_spool_merge_source_begin(source, &merge->known, merge->writer);
    return rc < 0 ? rc : begin_threads(merge, index);
}

static int start_thread(struct wtl_spool_merge *merge, struct wtl_spool_merge_item *item)
{
    struct wtl_spool_merge_source *source = &merge->sources[item->source];
    int rc = wtl_spool_merge_source_thread(source, item->thread, &merge->known, merge->writer,
                                           &item->known);

    if (rc < 0)
        return rc;
    item->thread_id = (uint32_t)rc;
    item->cursor = malloc(sizeof(*item->cursor));
    if (!item->cursor)
        return -ENOMEM;
    wtl_spool_cursor_init(item->cursor, source->spool, item->thread);
    return 0;
}

static void count_task(struct wtl_spool_merge_report *report, const struct wtl_mark *mark)
{
    uint32_t kind = (uint32_t)mark->kind;

    report->tasks += wtl_mark_is_task(kind);
    report->cut += kind == WATTLE_TASK_CUT;
    report->tasks_done += kind == WATTLE_TASK_DONE;
    if (kind == WATTLE_TASK_DETAIL && mark->name == WATTLE_TASK_KEY_COUNT)
        report->tasks_done += mark->value; /* of a summary */
}

static int emit(struct wtl_spool_merge *merge, const struct wtl_spool_merge_item *item)
{
    struct wtl_mark mark = item->mark;

    look_at_label(merge, &merge->sources[item->source], &mark);
    if (wtl_mark_is_named(mark.kind) && (mark.name > 0 || !wtl_mark_is_task(mark.kind))) {
        char merged[WTL_CODE_PLACE_BYTES];
        int rc = wtl_spool_merge_source_string(&merge->sources[item->source], mark.name,
                                               &merge->places, merge->writer, merged);

        if (rc < 0)
            return rc;
        note_merged(&merge->report, (uint32_t)mark.kind, merged);
        mark.name = (uint32_t)rc;
    }
    mark.thread = item->thread_id;
    merge->batch[merge->batch_count++] = mark;
    merge->report.marks++;
    count_task(&merge->report, &mark);
    return merge->batch_count == BATCH ? flush_batch(merge) : 0;
}

/* Put the thread's next mark back into the heap; without one, or if it cannot be read yet, the
 * thread is idle. The item then belongs to the heap or the list, or is freed. */
static int step_thread(struct wtl_spool_merge *merge, struct wtl_spool_merge_item *item)
{
    struct wtl_spool_merge_source *source = &merge->sources[item->source];
    int rc;

    do
        rc = wtl_spool_next(item->cursor, &item->mark);
    while (rc > 0 && wtl_spool_merge_is_known(&item->known, &item->mark));
    if (rc > 0) {
        item->time_ns = item->mark.time_ns;
        rc = wtl_spool_merge_items_push(&merge->heap, item);
        if (rc == 0)
            return 0;
    } else if (rc == 0 || is_short(rc)) {
        if (wtl_spool_merge_items_add(&merge->idle, item) == 0)
            return rc;
        rc = -ENOMEM;
    } else { /* the rest of this thread cannot be read */
        source->good = false;
        source->threads_left--;
        merge->report.ignored++;
        rc = 0;
    }
    wtl_spool_merge_item_free(item);
    return rc;
}

static int take_item(struct wtl_spool_merge *merge, struct wtl_spool_merge_item *item)
{
    bool open;
    int rc = 0;

    if (item->whole_source) {
        size_t source = item->source;

        free(item);
        rc = open_source(merge, source, true, &open);
        merge->report.foreign += merge->sources[source].foreign;
        merge->report.bad += !open && !merge->sources[source].foreign;
        if (rc == 0 && open && merge->sources[source].threads_left == 0)
            end_source(merge, &merge->sources[source]);
        return rc;
    }
    if (item->cursor)
        rc = emit(merge, item);
    else
        rc = start_thread(merge, item);
    if (rc == 0)
        return step_thread(merge, item);
    wtl_spool_merge_item_free(item);
    return rc;
}

/* ---- during the run ---- */

/* Check idle threads again. */
static int wake_idle(struct wtl_spool_merge *merge)
{
    struct wtl_spool_merge_items asleep = merge->idle;
    int rc = 0;

    merge->idle = (struct wtl_spool_merge_items){0};
    while (rc == 0 && asleep.count)
        rc = step_thread(merge, asleep.items[--asleep.count]);
    while (asleep.count &&
           wtl_spool_merge_items_add(&merge->idle, asleep.items[asleep.count - 1]) == 0)
        asleep.count--; /* left for the end */
    wtl_spool_merge_items_fini(&asleep);
    return rc;
}

/* Open new spools; continue reading in open ones. */
static int refresh(struct wtl_spool_merge *merge, bool ended)
{
    const struct wtl_spool_now *now = merge->has_now ? &merge->now : NULL;
    int rc = scan(merge);
    bool open;

    if (merge->has_now)
        merge->now.pair = wtl_spool_pair_take(true);
    for (size_t i = 0; rc == 0 && i < merge->count; i++) {
        struct wtl_spool_merge_source *source = &merge->sources[i];

        if (!source->spool && !ended && !source->foreign) {
            rc = open_source(merge, i, false, &open); /* one without a header is retried */
        } else if (source->spool) {
            rc = wtl_spool_refresh(source->spool, now, ended);
            if (rc < 0 && !is_short(rc)) { /* loses what this one has not delivered yet */
                source->good = false;
                merge->report.bad += ended;
                rc = 0;
            }
            rc = rc < 0 ? rc : begin_threads(merge, i);
        }
    }
    return rc < 0 ? rc : wake_idle(merge);
}

static void give_up(struct wtl_spool_merge *merge)
{
    merge->given_up = true;
    wtl_trace_writer_marked(merge->writer, UINT64_MAX); /* later marks arrive late */
}

void wtl_spool_merge_watch_names(struct wtl_spool_merge *merge,
                                 void (*full)(void *context),
                                 void *context)
{
    merge->names_full = full;
    merge->context = context;
}

static void look_at_names(struct wtl_spool_merge *merge, uint64_t now_ns)
{
    struct wtl_spool_header header = {0};
    bool full = false;

    if (!merge->names_full || now_ns < merge->names_ns)
        return;
    merge->names_ns = now_ns + NAMES_EVERY_NS;
    for (size_t i = 0; i < merge->count && i < FOLLOW_FILES && !full; i++)
        full = read_header(merge->sources[i].path, &header) && header.full == 1;
    if (full)
        merge->names_full(merge->context);
    if (full)
        merge->names_full = NULL;
}

void wtl_spool_merge_follow(struct wtl_spool_merge *merge,
                            struct wtl_trace_writer *writer,
                            uint64_t now_ns)
{
    uint64_t until_ns = now_ns > LAG_NS ? now_ns - LAG_NS : 0;
    bool first = merge->report.spools == 0;

    merge->writer = writer;
    look_at_names(merge, now_ns);
    if (merge->given_up)
        return;
    int rc = refresh(merge, false);

    if (rc == 0 && merge->count == 0)
        return;
    if (first && merge->heap.count > 0) /* no mark earlier than this one */
        wtl_trace_writer_marked(writer, merge->heap.items[0]->time_ns);
    for (unsigned n = 0; rc == 0 && merge->heap.count && merge->heap.items[0]->time_ns < until_ns;
         n++)
        rc = n < FOLLOW_MARKS ? take_item(merge, wtl_spool_merge_items_pop(&merge->heap)) : -EAGAIN;
    if (rc == 0)
        rc = flush_batch(merge);
    if (rc < 0 || merge->count > FOLLOW_FILES)
        give_up(merge);
    else if (merge->report.spools > 0)
        wtl_trace_writer_marked(writer, until_ns);
}

/* ---- end ---- */

/* Queue each source that was not followed. */
static int queue_sources(struct wtl_spool_merge *merge)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < merge->count; i++) {
        if (merge->sources[i].spool)
            continue;
        struct wtl_spool_merge_item *item = malloc(sizeof(*item));

        if (item)
            *item = (struct wtl_spool_merge_item){
                .time_ns = merge->sources[i].created_ns, .source = i, .whole_source = true};
        rc = item ? wtl_spool_merge_items_push(&merge->heap, item) : -ENOMEM;
        if (rc < 0)
            free(item);
    }
    return rc;
}

/* Threads that are idle now have ended, and so have their sources. */
static void end_idle(struct wtl_spool_merge *merge)
{
    for (size_t i = 0; i < merge->idle.count; i++) {
        struct wtl_spool_merge_source *source = &merge->sources[merge->idle.items[i]->source];

        if (--source->threads_left == 0)
            end_source(merge, source);
        wtl_spool_merge_item_free(merge->idle.items[i]);
    }
    merge->idle.count = 0;
}

int wtl_spool_merge_write(struct wtl_spool_merge *merge,
                          struct wtl_trace_writer *writer,
                          struct wtl_spool_merge_report *ret_report,
                          struct wattle_error *err)
{
    struct wtl_trace_writer_status status;

    merge->writer = writer;
    int rc = refresh(merge, true);

    if (rc == 0)
        rc = queue_sources(merge);
    while (rc == 0 && merge->heap.count) {
        rc = take_item(merge, wtl_spool_merge_items_pop(&merge->heap));
        end_idle(merge);
    }
    if (rc == 0)
        rc = flush_batch(merge);
    for (size_t i = 0; rc == 0 && i < merge->count; i++)
        if (merge->sources[i].spool)
            end_source(merge, &merge->sources[i]);
    wtl_trace_writer_status(writer, &status);
    if (rc == 0 && status.error && merge->count > 0) /* else nothing is missing, and nothing is
                                                      * kept */
        rc = status.error;
    if (rc < 0)
        return wtl_fail(
            err, rc,
            "%s: the regions were not added to the trace: %s; add them with \"wattle repair\"",
            merge->dir, wtl_strerror(rc));
    look_for_lost(merge->dir, &merge->report, false);
    merge->finished = true;
    *ret_report = merge->report;
    return 0;
}

/* The file that counts the size of spools with tasks. */
static void remove_limit(const char *dir)
{
    DIR *folder = open_folder(dir);

    if (!folder)
        return;
    (void)unlinkat(dirfd(folder), WTL_TASK_LIMIT_FILE, 0); /* there is mostly none */
    (void)closedir(folder);
}

int wtl_spool_merge_remove(struct wtl_spool_merge *merge)
{
    int rc = 0;

    if (!merge->finished && merge->count > 0)
        return 0;
    for (size_t i = 0; i < merge->count; i++)
        if (merge->sources[i].written && unlink(merge->sources[i].path) < 0 && errno != ENOENT)
            rc = -errno;
    look_for_lost(merge->dir, NULL, true);
    remove_limit(merge->dir);
    if (rc == 0)
        wtl_energy_link_remove(merge->dir); /* left by a measurement that was killed */
    int gone = wtl_spool_folder_end(merge->dir);

    if (gone < 0 && gone != -ENOTEMPTY && gone != -EEXIST)
        rc = rc ? rc : gone;
    return rc;
}

/* ---- leftovers of other runs ---- */

/* Is it a spool? Also checks the first bytes: the name may match by chance. */
static bool is_spool(int folder, const char *name)
{
    char magic[sizeof(WTL_SPOOL_MAGIC) - 1] = "";
    int fd = is_spool_name(name)
                 ? openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
                 : -1;
    bool is = fd >= 0 && pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
              memcmp(magic, WTL_SPOOL_MAGIC, sizeof(magic)) == 0;

    if (fd >= 0)
        (void)close(fd); /* read only */
    return is;
}

/* Closes the descriptor. deeper: also delete the run folders in it, except the one named keep. */
static void discard(int fd, const char *keep, bool deeper)
{
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    int why;

    if (!folder && fd >= 0)
        (void)close(fd); /* nothing was read */
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *name = entry->d_name;

        if (strcmp(name, WTL_ENERGY_FILE) == 0) {
            wtl_energy_link_remove_at(dirfd(folder));
        } else if (is_lost(dirfd(folder), name, &why) || is_spool(dirfd(folder), name) ||
                   strcmp(name, WTL_TASK_LIMIT_FILE) == 0) {
            (void)unlinkat(dirfd(folder), name, 0);
        } else if (deeper && wtl_spool_folder_is_name(name) && strcmp(name, keep) != 0) {
            discard(openat(dirfd(folder), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW),
                    keep, false);
            (void)unlinkat(dirfd(folder), name, AT_REMOVEDIR);
        }
    }
    if (folder)
        (void)closedir(folder);
}

void wtl_spool_merge_discard_others(const char *dir)
{
    const char *slash = strrchr(dir, '/');
    char *parent =
        slash && wtl_spool_folder_is_name(slash + 1) ? strndup(dir, (size_t)(slash - dir)) : NULL;

    if (parent)
        discard(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), slash + 1, true);
    free(parent);
}

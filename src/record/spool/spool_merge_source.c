/* SPDX-License-Identifier: BSD-3-Clause */
/* A spool's process, threads and names in the trace: see spool_merge_source.h. Processes are
 * matched by their id and the creation time of their spool, threads by their process and Linux
 * thread id. */
#include "record/spool/spool_merge_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/meta_key.h"

enum { WTL_VISIBLE_PROCESSES = 512 }; /* of which a trace keeps what they see of GPUs */

static uint64_t *count_of(struct wtl_spool_merge_marks *marks, const struct wtl_mark *mark)
{
    if (wtl_mark_is_task(mark->kind))
        return &marks->tasks;
    return mark->kind == WTL_MARK_EVENT ? &marks->events : &marks->regions;
}

bool wtl_spool_merge_is_known(struct wtl_spool_merge_marks *known, const struct wtl_mark *mark)
{
    uint64_t *count = count_of(known, mark);

    if (*count == 0)
        return false;
    (*count)--;
    return true;
}

int wtl_spool_merge_known_init(struct wtl_spool_merge_known *known,
                               struct wtl_trace_reader *reader,
                               struct wattle_error *err)
{
    struct wtl_trace_marks *marks;
    struct wtl_mark mark;
    size_t threads = wtl_trace_reader_thread_count(reader);
    int rc = wtl_trace_marks_open_of(reader, WTL_MARKS_ALL, WTL_ALL_THREADS, &marks, err);

    if (rc < 0)
        return rc;
    *known =
        (struct wtl_spool_merge_known){.reader = reader,
                                       .marks = calloc(threads + 1, sizeof(*known->marks)),
                                       .claimed = calloc(threads + 1, sizeof(*known->claimed))};
    rc = known->marks && known->claimed ? 0 : -ENOMEM;
    while (rc == 0 && (rc = wtl_trace_marks_next(marks, &mark, err)) > 0) {
        if (mark.thread < threads)
            (*count_of(&known->marks[mark.thread], &mark))++;
        rc = 0;
    }
    wtl_trace_marks_close(marks);
    return rc;
}

void wtl_spool_merge_known_fini(struct wtl_spool_merge_known *known)
{
    free(known->marks);
    free(known->claimed);
    *known = (struct wtl_spool_merge_known){0};
}

static bool is_known_process(const struct wtl_trace_reader *reader,
                             const struct wtl_spool_header *header,
                             uint32_t *ret_id)
{
    for (size_t i = 0; reader && i < wtl_trace_reader_process_count(reader); i++) {
        const struct wtl_trace_process *process = wtl_trace_reader_process(reader, i);

        if (process && process->pid == header->pid && process->start_ns == header->pair_ns) {
            *ret_id = (uint32_t)i;
            return true;
        }
    }
    return false;
}

int wtl_spool_merge_source_begin(struct wtl_spool_merge_source *source,
                                 const struct wtl_spool_merge_known *known,
                                 struct wtl_trace_writer *writer)
{
    const struct wtl_spool_header *header = &wtl_spool_info(source->spool)->header;
    struct wtl_trace_process process = {.pid = header->pid,
                                        .rank = header->rank,
                                        .start_ns = header->pair_ns,
                                        .command = header->command};

    source->good = true;
    if (is_known_process(known->reader, header, &source->process))
        return 0;
    int rc = wtl_trace_writer_process(writer, &process);

    source->process = rc < 0 ? 0 : (uint32_t)rc;
    if (rc >= 0 && rc < WTL_VISIBLE_PROCESSES && header->rank >= 0 && header->visible[0]) {
        char key[32];
        (void)snprintf(key, sizeof key, WTL_META_VISIBLE "%" PRIu32, source->process);
        rc = wtl_trace_writer_meta(writer, key, header->visible);
    }
    return rc < 0 ? rc : 0;
}

int wtl_spool_merge_source_thread(const struct wtl_spool_merge_source *source,
                                  size_t thread,
                                  struct wtl_spool_merge_known *known,
                                  struct wtl_trace_writer *writer,
                                  struct wtl_spool_merge_marks *ret_known)
{
    struct wtl_trace_thread wanted = {.process = source->process,
                                      .tid = wtl_spool_thread(source->spool, thread)->tid,
                                      .name = ""};
    const char *lane = wtl_thread_is_lane(&wanted)
                           ? wtl_spool_name(source->spool, wanted.tid & ~WTL_THREAD_LANE)
                           : NULL;

    if (lane)
        wanted.name = lane;
    size_t count = known->reader ? wtl_trace_reader_thread_count(known->reader) : 0;

    *ret_known = (struct wtl_spool_merge_marks){0};
    for (size_t i = 0; i < count; i++) {
        const struct wtl_trace_thread *have = wtl_trace_reader_thread(known->reader, i);

        if (!have || known->claimed[i] || have->process != wanted.process ||
            have->tid != wanted.tid)
            continue;
        known->claimed[i] = true;
        *ret_known = known->marks[i];
        return (int)i;
    }
    return wtl_trace_writer_thread(writer, &wanted);
}

static int *string_slot(struct wtl_spool_merge_source *source, uint32_t name)
{
    if (wtl_reserve_zeroed(&source->strings, &source->string_count, name,
                           sizeof(*source->strings)) < 0)
        return NULL;
    return &source->strings[name - 1];
}

int wtl_spool_merge_source_string(struct wtl_spool_merge_source *source,
                                  uint32_t name,
                                  struct wtl_code_places **places,
                                  struct wtl_trace_writer *writer,
                                  char ret_merged[WTL_CODE_PLACE_BYTES])
{
    const char *text = wtl_spool_name(source->spool, name);
    char number[32], place[WTL_CODE_PLACE_BYTES];
    int *slot = NULL;

    ret_merged[0] = '\0';
    if (name > 0 && name <= WTL_NAME_ID_MAX && !(slot = string_slot(source, name)))
        return -ENOMEM;
    if (slot && *slot)
        return *slot;
    (void)snprintf(number, sizeof(number), "region-%u", name);
    int is_place = text ? wtl_code_place(places, text, place, sizeof(place)) : 0;

    if (is_place)
        text = place;
    if (is_place == WTL_CODE_PLACE_MERGED)
        memcpy(ret_merged, place, sizeof(place));
    int rc = wtl_trace_writer_string(writer, text ? text : number);

    if (rc > 0 && slot)
        *slot = rc;
    return rc;
}

void wtl_spool_merge_source_close(struct wtl_spool_merge_source *source)
{
    wtl_spool_close(source->spool);
    free(source->strings);
    source->spool = NULL;
    source->strings = NULL;
    source->string_count = 0;
}

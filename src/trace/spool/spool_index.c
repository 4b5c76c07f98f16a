/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The index of a spool: the names, the threads, for each thread its runs (parts of a chunk that it wrote) and
 * the clock pairs in them. Chunks are read from front to back, each as far as it is written; while their
 * process is alive, reading is resumed from there.
 */
#define _GNU_SOURCE
#include "trace/spool/spool_index.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/own_file.h"
#include "base/whole.h"

enum {
    PIECE = 1024,    /* records read at once */
    PIECE_LIVE = 64, /* usually few have been added */
    NAMES_BYTES = WTL_SPOOL_CHUNK - WTL_CHUNK_HEADER,
    EMPTY_MAX = 1 << 20 /* consecutive chunks, 64 GiB: for file systems that do not report holes */
};

int wtl_spool_hold_file(struct wtl_spool *spool)
{
    if (wtl_own_file_is(spool->fd, &spool->id))
        return 0;
    int fd = wtl_own_file_again(spool->path, O_RDONLY | O_NOFOLLOW, &spool->id);

    spool->fd = fd < 0 ? -1 : fd;
    return fd < 0 ? fd : 0;
}

void wtl_spool_let_file_go(struct wtl_spool *spool)
{
    if (!spool->brief || spool->held || !spool->path)
        return;
    wtl_own_file_close(spool->fd, &spool->id);
    spool->fd = -1;
}

static ssize_t read_file(struct wtl_spool *spool, uint64_t offset, void *buf, size_t n)
{
    size_t got = 0;

    while (got < n) {
        ssize_t rc = pread(spool->fd, (char *)buf + got, n - got, (off_t)(offset + got));

        if (rc < 0 && errno == EINTR)
            continue;
        if (rc < 0)
            return -errno;
        if (rc == 0)
            break;
        got += (size_t)rc;
    }
    return (ssize_t)got;
}

ssize_t wtl_spool_read_at(struct wtl_spool *spool, uint64_t offset, void *buf, size_t n)
{
    if (offset >= spool->size)
        return 0;
    if (n > spool->size - offset)
        n = (size_t)(spool->size - offset);
    if (!spool->path) {
        memcpy(buf, spool->bytes + offset, n);
        return (ssize_t)n;
    }
    int rc = spool->brief && !spool->held ? wtl_spool_hold_file(spool) : 0;
    ssize_t got = rc < 0 ? rc : read_file(spool, offset, buf, n);

    wtl_spool_let_file_go(spool);
    return got;
}

uint64_t wtl_spool_next_data(const struct wtl_spool *spool, uint64_t offset)
{
    off_t at = spool->path ? lseek(spool->fd, (off_t)offset, SEEK_DATA) : -1;

    if (at >= 0)
        return (uint64_t)at;
    return spool->path && errno == ENXIO ? spool->size : offset;
}

/* ---- runs ---- */

static int64_t thread_index(struct wtl_spool *spool, uint32_t number, uint32_t tid)
{
    int64_t index = wtl_id_map_index(&spool->numbers, number);

    if (index < 0 || (size_t)index < spool->thread_count)
        return index;
    if (wtl_reserve(&spool->threads, &spool->thread_room, spool->thread_count + 1,
                    sizeof(*spool->threads)) < 0)
        return -ENOMEM;
    spool->threads[spool->thread_count++] =
        (struct wtl_spool_index_thread){.seen = {number, tid, UINT64_MAX}};
    return index;
}

static int add_pair(struct wtl_spool *spool,
                    struct wtl_spool_run *run,
                    struct wtl_spool_pair pair,
                    uint32_t slot)
{
    if (wtl_reserve(&run->pairs, &run->pair_room, run->pair_count + 1, sizeof(*run->pairs)) < 0)
        return -ENOMEM;
    run->pairs[run->pair_count++] = (struct wtl_spool_index_pair){pair, slot};
    if (pair.monotonic_ns > spool->last.monotonic_ns)
        spool->last = pair;
    return 0;
}

/* Add a run that begins with the pair at a slot. */
static int add_run(struct wtl_spool *spool,
                   struct wtl_spool_reading *reading,
                   const struct wtl_spool_record *opening,
                   uint32_t slot)
{
    int64_t index = thread_index(spool, (uint32_t)opening[0].what, (uint32_t)opening[1].what);

    if (index < 0)
        return -ENOMEM;
    struct wtl_spool_index_thread *thread = &spool->threads[index];
    if (wtl_reserve(&thread->runs, &thread->run_room, thread->run_count + 1,
                    sizeof(struct wtl_spool_run *)) < 0)
        return -ENOMEM;
    struct wtl_spool_run **runs = thread->runs, *run = calloc(1, sizeof(*run));

    if (!run)
        return -ENOMEM;
    *run = (struct wtl_spool_run){.order = spool->run_count++,
                                  .offset = reading->at + WTL_CHUNK_HEADER,
                                  .begin = slot,
                                  .end = slot,
                                  .first_ns = opening[1].time + spool->shift_ns};
    if (thread->run_count && runs[thread->run_count - 1]->first_ns > run->first_ns)
        thread->unsorted = true;
    runs[thread->run_count++] = run;
    if (run->first_ns < thread->seen.first_ns)
        thread->seen.first_ns = run->first_ns;
    reading->run = run;
    return 0;
}

/* ---- records ---- */

/* A record at its place in the chunk. */
struct place {
    enum wtl_spool_kind kind;
    bool two;    /* takes two slots */
    bool whole;  /* the second is there */
    bool thread; /* opens a run */
};

static struct place look_at(const struct wtl_spool_record *record, bool has_next)
{
    struct place at = {.kind = wtl_spool_kind_of(record)};

    at.two = wtl_spool_is_two(at.kind);
    at.whole = has_next && wtl_spool_kind_of(record + 1) == WTL_SPOOL_VALUE;
    at.thread = at.kind == WTL_SPOOL_THREAD && at.whole && (uint32_t)record->what;
    return at;
}

/* Whether it is valid after the preceding records of the chunk. */
static bool makes_sense(const struct place *at, bool inside)
{
    if (at->kind == WTL_SPOOL_THREAD || !inside)
        return at->thread;
    return (at->kind <= WTL_SPOOL_COUNTER || wtl_mark_is_task(at->kind)) &&
           at->kind != WTL_SPOOL_VALUE && (at->whole || !at->two);
}

/* Returns the number of slots of the record, or -errno. */
static int index_record(struct wtl_spool *spool,
                        struct wtl_spool_reading *reading,
                        const struct wtl_spool_record *record,
                        const struct place *at)
{
    int rc = 0;

    if (at->kind == 0)
        return 1;
    if (!makes_sense(at, reading->run != NULL)) {
        spool->info.ignored++;
        return 1;
    }
    if (at->thread)
        rc = add_run(spool, reading, record, reading->next);
    if (wtl_spool_is_pair(at->kind) && rc == 0)
        rc = add_pair(spool, reading->run,
                      (struct wtl_spool_pair){record[0].time, record[1].time + spool->shift_ns},
                      reading->next);
    if (rc < 0)
        return rc;
    assert(reading->run); /* a record that does not begin a run is in one, or is invalid */
    spool->info.records += wtl_spool_is_mark(at->kind);
    reading->run->end = reading->next + (at->two ? 2 : 1);
    return at->two ? 2 : 1;
}

/* Whether a record of a live file can no longer change. */
static bool is_stable(const struct wtl_spool *spool,
                      const struct wtl_spool_record *first,
                      const struct wtl_spool_record *again)
{
    if (wtl_spool_kind_of(first) == WTL_SPOOL_MAYBE)
        return first->what == again->what && first->time == again->time &&
               first->time < spool->settled;
    if (wtl_spool_kind_of(again) == WTL_SPOOL_MAYBE)
        return false; /* added in the meantime: leave it for the next time */
    return first->what != 0 || wtl_spool_kind_of(again) == WTL_SPOOL_VALUE;
}

/*
 * Read up to `most` records from the current position in the chunk: their number, or -errno. For a live file
 * they are read twice, and only those present the first time are used: a reader that comes between the
 * writing of a record's time and of its kind, which is stored last, may see one without the other.
 */
static int read_piece(struct wtl_spool *spool,
                      const struct wtl_spool_reading *reading,
                      bool ended,
                      struct wtl_spool_record *ret_records)
{
    struct wtl_spool_record first[PIECE_LIVE];
    uint32_t left = (uint32_t)WTL_CHUNK_RECORD_COUNT - reading->next;
    uint32_t most = ended ? PIECE : PIECE_LIVE;
    uint64_t offset = reading->at + WTL_CHUNK_HEADER + reading->next * sizeof(*first);
    size_t bytes = (left < most ? left : most) * sizeof(*first);
    ssize_t got = 0;

    if (!ended)
        got = wtl_spool_read_at(spool, offset, first, bytes);
    if (got >= 0)
        got = wtl_spool_read_at(spool, offset, ret_records, ended ? bytes : (size_t)got);
    int count = (int)(got < 0 ? got : got / (ssize_t)sizeof(*first));

    for (int i = 0; !ended && i < count; i++)
        if (!is_stable(spool, &first[i], &ret_records[i]))
            ret_records[i].what = 0;
    return count;
}

/* Index the records of a piece; *ret_more: there may be more after it. 0 or -errno. */
static int index_piece(struct wtl_spool *spool,
                       struct wtl_spool_reading *reading,
                       bool ended,
                       bool *ret_more)
{
    struct wtl_spool_record records[PIECE];
    int count = read_piece(spool, reading, ended, records);

    if (count < 0)
        return count;
    *ret_more = count == (ended ? PIECE : PIECE_LIVE);
    for (int i = 0; i < count;) {
        struct place at = look_at(&records[i], i + 1 < count);

        if (at.kind == 0 && !ended) {
            *ret_more = false; /* not written yet */
            break;
        }
        if (at.two && i + 1 == count && *ret_more)
            break; /* its value is in the next piece */
        int used = index_record(spool, reading, &records[i], &at);

        if (used < 0)
            return used;
        i += used;
        reading->next += (uint32_t)used;
    }
    return 0;
}

static int index_records(struct wtl_spool *spool, struct wtl_spool_reading *reading, bool ended)
{
    bool more = true;
    int rc = 0;

    while (rc == 0 && more && reading->next < WTL_CHUNK_RECORD_COUNT)
        rc = index_piece(spool, reading, ended, &more);
    return rc;
}

/* ---- names ---- */

static int add_name(struct wtl_spool *spool, uint32_t id, const uint8_t *text, size_t length)
{
    if (memchr(text, 0, length)) { /* would be another name, or none, when read as a string */
        spool->info.ignored++;
        return 0;
    }
    if (id > spool->name_count) {
        size_t room = spool->name_count;

        if (wtl_reserve_zeroed(&spool->names, &room, id, sizeof(*spool->names)) < 0)
            return -ENOMEM;
        spool->name_count = room;
    }
    if (spool->names[id - 1])
        return 0;
    spool->names[id - 1] = strndup((const char *)text, length);
    if (!spool->names[id - 1])
        return -ENOMEM;
    spool->info.names++;
    return 0;
}

static int index_names(struct wtl_spool *spool, struct wtl_spool_reading *reading)
{
    while (reading->next + sizeof(struct wtl_spool_name) < NAMES_BYTES) {
        struct wtl_spool_name head;
        uint8_t text[WTL_NAME_BYTES];
        uint64_t at = reading->at + WTL_CHUNK_HEADER + reading->next;
        ssize_t got = wtl_spool_read_at(spool, at, &head, sizeof(head));

        if (got < (ssize_t)sizeof(head) || (head.id == 0 && head.length == 0))
            return got < 0 ? (int)got : 0;
        size_t left = NAMES_BYTES - reading->next - sizeof(head);

        if (head.id > 0 && head.id <= WTL_NAME_ID_MAX && head.length > 0 &&
            head.length <= WTL_NAME_BYTES && head.length <= left)
            got = wtl_spool_read_at(spool, at + sizeof(head), text, head.length);
        else
            got = 0;
        if (got < 0)
            return (int)got;
        if ((size_t)got < head.length || got == 0) {
            spool->info.ignored++;
            reading->next = NAMES_BYTES;
            return 0;
        }
        int rc = add_name(spool, head.id, text, head.length);

        if (rc < 0)
            return rc;
        reading->next += (uint32_t)sizeof(head) + ((head.length + 7u) & ~7u);
    }
    return 0;
}

/* ---- chunks ---- */

/* The current chunk is empty: skip to the last one before the file contains data again. */
static void skip_hole(struct wtl_spool *spool)
{
    uint64_t data = wtl_spool_next_data(spool, spool->next_chunk);
    uint64_t chunks = data > spool->next_chunk ? (data - spool->next_chunk) / WTL_SPOOL_CHUNK : 0;

    if (chunks > 0)
        spool->next_chunk += (chunks - 1) * WTL_SPOOL_CHUNK;
}

/* Find chunks that have come into use. They are used nearly in order (a process that marks quickly prepares some ahead, and
 * is then not followed live); in a file that has ended, an overwritten
 * one does not hide those after it. */
static int find_chunks(struct wtl_spool *spool, bool ended)
{
    uint32_t empty = 0;

    for (; spool->next_chunk < spool->size; spool->next_chunk += WTL_SPOOL_CHUNK) {
        struct wtl_spool_chunk chunk;
        ssize_t got = wtl_spool_read_at(spool, spool->next_chunk, &chunk, sizeof(chunk));

        if (got < (ssize_t)sizeof(chunk))
            return got < 0 ? (int)got : 0;
        if (chunk.magic == 0 && !ended)
            return 0;
        if (chunk.magic == 0) {
            skip_hole(spool);
            if (++empty == EMPTY_MAX)
                spool->next_chunk = spool->size; /* nothing was written after it */
            continue;
        }
        empty = 0;
        if (chunk.magic != WTL_CHUNK_MAGIC ||
            (chunk.type != WTL_CHUNK_RECORDS && chunk.type != WTL_CHUNK_NAMES)) {
            spool->info.ignored++;
            continue;
        }
        if (wtl_reserve(&spool->readings, &spool->reading_room, spool->reading_count + 1,
                        sizeof(*spool->readings)) < 0)
            return -ENOMEM;
        spool->readings[spool->reading_count++] =
            (struct wtl_spool_reading){.at = spool->next_chunk, .type = chunk.type};
    }
    return 0;
}

static int index_chunks(struct wtl_spool *spool, uint32_t type, bool ended)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < spool->reading_count; i++) {
        if (spool->readings[i].type != type)
            continue;
        if (type == WTL_CHUNK_RECORDS)
            rc = index_records(spool, &spool->readings[i], ended);
        else
            rc = index_names(spool, &spool->readings[i]);
    }
    return rc;
}

/* Forget chunks that are full, or will not be read again. */
static void drop_readings(struct wtl_spool *spool)
{
    size_t kept = 0;

    for (size_t i = 0; i < spool->reading_count; i++) {
        const struct wtl_spool_reading *reading = &spool->readings[i];
        size_t full = reading->type == WTL_CHUNK_RECORDS ? WTL_CHUNK_RECORD_COUNT : NAMES_BYTES;

        if (reading->next < full)
            spool->readings[kept++] = *reading;
    }
    spool->reading_count = kept;
}

static int compare_runs(const void *a, const void *b)
{
    const struct wtl_spool_run *x = *(struct wtl_spool_run *const *)a;
    const struct wtl_spool_run *y = *(struct wtl_spool_run *const *)b;

    if (x->first_ns != y->first_ns)
        return x->first_ns < y->first_ns ? -1 : 1;
    return x->order < y->order ? -1 : 1; /* never equal */
}

static void sort_runs(struct wtl_spool *spool)
{
    for (size_t i = 0; i < spool->thread_count; i++) {
        struct wtl_spool_index_thread *thread = &spool->threads[i];

        if (thread->unsorted)
            wtl_sort(thread->runs, thread->run_count, sizeof(struct wtl_spool_run *), compare_runs);
        thread->unsorted = false;
    }
    spool->info.threads = spool->thread_count;
}

int wtl_spool_index_refresh(struct wtl_spool *spool, bool ended)
{
    int rc = find_chunks(spool, ended);

    if (rc == 0)
        rc = index_chunks(spool, WTL_CHUNK_RECORDS, ended);
    /* Names last: each is in the file before the first record that refers to it. */
    if (rc == 0)
        rc = find_chunks(spool, ended);
    if (rc == 0)
        rc = index_chunks(spool, WTL_CHUNK_NAMES, ended);
    drop_readings(spool);
    sort_runs(spool);
    return rc;
}

void wtl_spool_index_fini(struct wtl_spool *spool)
{
    for (size_t i = 0; i < spool->name_count; i++)
        free(spool->names[i]);
    for (size_t i = 0; i < spool->thread_count; i++) {
        for (size_t r = 0; r < spool->threads[i].run_count; r++) {
            free(spool->threads[i].runs[r]->pairs);
            free(spool->threads[i].runs[r]);
        }
        free(spool->threads[i].runs);
    }
    free(spool->names);
    free(spool->threads);
    free(spool->numbers.slots);
    free(spool->readings);
}

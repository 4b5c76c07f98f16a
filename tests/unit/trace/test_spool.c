/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of spools with manually made files: complete, half-written, damaged, cut at each
 * byte. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"
#include "trace/spool/spool.h"

#define FILE_SIZE (WTL_SPOOL_HEADER + 3 * WTL_SPOOL_CHUNK)

static uint8_t file[FILE_SIZE];

static struct wtl_spool_header *start_file(enum wtl_spool_clock clock)
{
    struct wtl_spool_header header = {.version = WTL_SPOOL_VERSION,
                                      .header_size = WTL_SPOOL_HEADER,
                                      .chunk_size = WTL_SPOOL_CHUNK,
                                      .clock = clock,
                                      .pid = 4711,
                                      .rank = 3,
                                      .pair_time = 1000000,
                                      .pair_ns = 5000000};

    memset(file, 0, sizeof(file));
    memcpy(header.magic, WTL_SPOOL_MAGIC, 8);
    (void)snprintf(header.command, sizeof(header.command), "solver");
    (void)snprintf(header.boot_id, sizeof(header.boot_id), "some boot");
    memcpy(file, &header, sizeof(header));
    return (struct wtl_spool_header *)(void *)file;
}

static uint8_t *start_chunk(unsigned number, enum wtl_chunk_type type)
{
    struct wtl_spool_chunk chunk = {.magic = WTL_CHUNK_MAGIC, .type = type, .number = number};
    uint8_t *at = file + WTL_SPOOL_HEADER + number * WTL_SPOOL_CHUNK;

    memcpy(at, &chunk, sizeof(chunk));
    return at + WTL_CHUNK_HEADER;
}

static uint8_t *put(uint8_t *at, enum wtl_spool_kind kind, uint32_t id, uint64_t time)
{
    struct wtl_spool_record record = {time, wtl_spool_what(kind, id)};

    memcpy(at, &record, sizeof(record));
    return at + sizeof(record);
}

static uint8_t *put_pair(uint8_t *at,
                         enum wtl_spool_kind kind,
                         uint32_t id,
                         uint64_t time,
                         uint64_t ns,
                         uint32_t more)
{
    at = put(at, kind, id, time);
    return put(at, WTL_SPOOL_VALUE, more, ns);
}

static uint8_t *put_name(uint8_t *at, uint32_t id, const char *text)
{
    struct wtl_spool_name name = {id, (uint32_t)strlen(text)};

    memcpy(at, &name, sizeof(name));
    memcpy(at + sizeof(name), text, name.length);
    return at + ((sizeof(name) + name.length + 7) & ~7u);
}

/* Two threads, two names, one of them in a following chunk. */
static void good_file(void)
{
    (void)start_file(WTL_SPOOL_MONOTONIC);
    uint8_t *at = start_chunk(0, WTL_CHUNK_RECORDS);

    at = put_pair(at, WTL_SPOOL_THREAD, 1, 5000100, 5000100, 77);
    at = put(at, WTL_SPOOL_BEGIN, 1, 5000200);
    at = put_pair(at, WTL_SPOOL_EVENT, 9, 5000250, 42, 0);
    at = put(at, WTL_SPOOL_END, 1, 5000300);
    at = put_pair(at, WTL_SPOOL_THREAD_END, 0, 5000400, 5000400, 0);
    at = put_pair(at, WTL_SPOOL_THREAD, 2, 5000500, 5000500, 78); /* in the rest of the chunk */
    at = put(at, WTL_SPOOL_BEGIN, 2, 5000600);
    (void)put(at + 16, WTL_SPOOL_END, 2, 5000700); /* a slot reserved but never written before it */
    at = start_chunk(1, WTL_CHUNK_NAMES);
    at = put_name(at, 1, "outer");
    (void)put_name(at, 2, "inner");
    at = start_chunk(2, WTL_CHUNK_RECORDS);
    at = put_pair(at, WTL_SPOOL_THREAD, 1, 5000350, 5000350, 77);
    (void)put(at, WTL_SPOOL_BEGIN, 2, 5000360);
}

static struct wtl_spool *open_file(size_t size, int want)
{
    struct wtl_spool *spool = NULL;
    struct wattle_error err = {""};
    int rc = wtl_spool_open_bytes(file, size, NULL, &spool, &err);

    is_int(rc, want, "opens as expected");
    if (rc < 0)
        ok(err.text[0] && !spool, "says why: %s", err.text);
    return spool;
}

static void check_good(void)
{
    static const struct {
        int line;
        size_t thread;
        uint64_t time;
        enum wtl_mark_kind kind;
        uint32_t name;
        uint64_t value;
    } want[] = {
        {__LINE__, 0, 5000200, WTL_MARK_BEGIN, 1, 0},
        {__LINE__, 0, 5000250, WTL_MARK_EVENT, 9, 42},
        {__LINE__, 0, 5000300, WTL_MARK_END, 1, 0},
        {__LINE__, 0, 5000400, WTL_MARK_THREAD_END, 0, 0},
        {__LINE__, 0, 5000400, WTL_MARK_BEGIN, 2, 0}, /* its time, corrected so as not to
                                                       * decrease */
        {__LINE__, 1, 5000600, WTL_MARK_BEGIN, 2, 0},
        {__LINE__, 1, 5000700, WTL_MARK_END, 2, 0},
    };
    struct wtl_spool_cursor cursor;
    struct wtl_mark mark;

    good_file();
    struct wtl_spool *spool = open_file(FILE_SIZE, 0);
    const struct wtl_spool_info *info = wtl_spool_info(spool);

    is_int(info->threads, 2, "threads");
    is_int(info->names, 2, "names");
    is_int(info->records, 6, "records");
    is_int(info->ignored, 0, "nothing to ignore");
    is_int(info->header.rank, 3, "rank");
    is_str(info->header.command, "solver", "command");
    is_str(wtl_spool_name(spool, 2), "inner", "a name");
    ok(!wtl_spool_name(spool, 0) && !wtl_spool_name(spool, 3), "no such names");
    is_int(wtl_spool_thread(spool, 1)->tid, 78, "Linux thread id");
    size_t thread = SIZE_MAX;

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        tap_line = want[i].line;
        if (want[i].thread != thread)
            wtl_spool_cursor_init(&cursor, spool, thread = want[i].thread);
        is_int(wtl_spool_next(&cursor, &mark), 1, "mark %zu", i);
        ok(mark.time_ns == want[i].time && mark.kind == want[i].kind && mark.name == want[i].name &&
               mark.value == want[i].value && mark.thread == thread,
           "mark %zu is %d %u at %llu", i, (int)mark.kind, mark.name,
           (unsigned long long)mark.time_ns);
    }
    tap_line = 0;
    is_int(wtl_spool_next(&cursor, &mark), 0, "and no more");
    wtl_spool_close(spool);
}

/* A process in another time namespace: its marks are converted to the reader's clock. */
static void check_namespace(enum wtl_spool_clock clock)
{
    const int64_t behind_ns = 7000000000;
    uint64_t times[2][8] = {{0}};
    size_t counts[2] = {0, 0};
    int64_t own_ns;

    (void)wtl_spool_clock_offset(&own_ns);
    for (int away = 0; away < 2; away++) {
        struct wtl_spool_cursor cursor;
        struct wtl_mark mark;

        good_file();
        struct wtl_spool_header *header = (struct wtl_spool_header *)(void *)file;
        header->clock = clock;
        header->has_offset = 1;
        header->offset_ns = own_ns - away * behind_ns;
        struct wtl_spool *spool = open_file(FILE_SIZE, 0);

        is_int(wtl_spool_info(spool)->header.pair_ns, 5000000 + (uint64_t)(away * behind_ns),
               "made then");
        is_int(wtl_spool_thread(spool, 0)->first_ns, 5000100 + (uint64_t)(away * behind_ns),
               "began then");
        wtl_spool_cursor_init(&cursor, spool, 0);
        while (counts[away] < 8 && wtl_spool_next(&cursor, &mark) > 0)
            times[away][counts[away]++] = mark.time_ns;
        wtl_spool_close(spool);
    }
    is_int(counts[1], counts[0], "as many marks");
    for (size_t i = 0; i < counts[0]; i++)
        is_int(times[1][i] - times[0][i], (uint64_t)behind_ns, "mark %zu", i);
}

/* 2 cycles are 1 ns up to the pair at 3000000, then 4; after the last pair the mean rate. */
static void check_tsc(void)
{
    static const uint64_t want[] = {5100000, 5900000, 6100000, 6200000};
    struct wtl_spool_cursor cursor;
    struct wtl_mark mark;

    (void)start_file(WTL_SPOOL_TSC);
    uint8_t *at = start_chunk(0, WTL_CHUNK_RECORDS);

    at = put_pair(at, WTL_SPOOL_THREAD, 1, 1000000, 5000000, 77);
    at = put(at, WTL_SPOOL_BEGIN, 1, 1200000);
    at = put(at, WTL_SPOOL_BEGIN, 1, 2800000);
    at = put_pair(at, WTL_SPOOL_CLOCK, 0, 3000000, 6000000, 0);
    at = put(at, WTL_SPOOL_END, 1, 3400000);
    (void)put_pair(at, WTL_SPOOL_THREAD_END, 0, 3800000, 6200000, 0);
    struct wtl_spool *spool = open_file(FILE_SIZE, 0);

    wtl_spool_cursor_init(&cursor, spool, 0);
    for (size_t i = 0; i < 4; i++) {
        is_int(wtl_spool_next(&cursor, &mark), 1, "mark %zu", i);
        is_int(mark.time_ns, want[i], "time by the pairs around it");
    }
    wtl_spool_close(spool);
    /* Killed: no pair after the record; the reader's own pair of the same boot helps. */
    struct wtl_spool_now now = {"some boot", {9000000, 9000000}};

    (void)put(at, 0, 0, 0);
    is_int(wtl_spool_open_bytes(file, FILE_SIZE, &now, &spool, NULL), 0, "opens");
    wtl_spool_cursor_init(&cursor, spool, 0);
    for (size_t i = 0; i < 3; i++)
        is_int(wtl_spool_next(&cursor, &mark), 1, "mark %zu", i);
    is_int(mark.time_ns, 6200000, "half the cycles to the reader's pair, half its ns");
    wtl_spool_close(spool);
}

static void check_damage(void)
{
    struct wtl_spool_cursor cursor;
    struct wtl_mark mark;

    good_file();
    uint8_t *at = file + WTL_SPOOL_HEADER + WTL_CHUNK_HEADER + 2 * 16;
    struct wtl_spool *spool;

    (void)put(at, (enum wtl_spool_kind)99, 1, 1); /* instead of the first begin */
    spool = open_file(FILE_SIZE, 0);
    is_int(wtl_spool_info(spool)->ignored, 1, "an unknown kind is counted");
    wtl_spool_cursor_init(&cursor, spool, 0);
    is_int(wtl_spool_next(&cursor, &mark), 1, "and what follows");
    is_int(mark.kind, WTL_MARK_EVENT, "is read");
    wtl_spool_close(spool);

    good_file();
    memset(file + WTL_SPOOL_HEADER, 0xff, 4); /* the magic of chunk 0 */
    spool = open_file(FILE_SIZE, 0);
    is_int(wtl_spool_info(spool)->records, 1, "a damaged chunk costs its records only");
    is_int(wtl_spool_info(spool)->ignored, 1, "and is counted");
    wtl_spool_close(spool);

    good_file();
    at = file + WTL_SPOOL_HEADER + WTL_SPOOL_CHUNK + WTL_CHUNK_HEADER;
    (void)put_name(at, 1, "outer");
    memset(at + 4, 0xff, 4); /* its length */
    spool = open_file(FILE_SIZE, 0);
    is_int(wtl_spool_info(spool)->names, 0, "a wild length ends the names");
    wtl_spool_close(spool);

    good_file();
    at = file + WTL_SPOOL_HEADER + WTL_SPOOL_CHUNK + WTL_CHUNK_HEADER;
    at[sizeof(struct wtl_spool_name)] = 0; /* "\0uter" would be the time outside of all */
    spool = open_file(FILE_SIZE, 0);
    ok(!wtl_spool_name(spool, 1), "a name with a zero byte in it is none");
    is_str(wtl_spool_name(spool, 2), "inner", "the next one is there");
    is_int(wtl_spool_info(spool)->ignored, 1, "and it is counted");
    wtl_spool_close(spool);
}

static void check_headers(void)
{
    static const struct {
        int line;
        size_t at;
        uint8_t byte;
    } rows[] = {{__LINE__, 0, 'X'},
                {__LINE__, offsetof(struct wtl_spool_header, version), 2},
                {__LINE__, offsetof(struct wtl_spool_header, chunk_size), 1},
                {__LINE__, offsetof(struct wtl_spool_header, header_size), 1},
                {__LINE__, offsetof(struct wtl_spool_header, clock), 7}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tap_line = rows[i].line;
        good_file();
        file[rows[i].at] = rows[i].byte;
        (void)open_file(FILE_SIZE, -EBADMSG);
    }
    tap_line = 0;
    (void)open_file(0, -EBADMSG);
}

/* Cut anywhere: opens or reports why, and never returns more than was written. */
static void check_cuts(void)
{
    struct wtl_mark mark;
    size_t wrong = 0;

    good_file();
    for (size_t size = 0; size <= FILE_SIZE;
         size += size < WTL_SPOOL_HEADER + 512 || size > FILE_SIZE - 512 ? 1 : 97) {
        struct wtl_spool *spool;
        static struct wtl_spool_cursor cursor;
        uint64_t marks = 0;

        if (wtl_spool_open_bytes(file, size, NULL, &spool, NULL) < 0)
            continue;
        for (size_t i = 0; i < wtl_spool_info(spool)->threads; i++) {
            wtl_spool_cursor_init(&cursor, spool, i);
            while (wtl_spool_next(&cursor, &mark) > 0)
                marks += mark.kind != WTL_MARK_THREAD_END;
        }
        wrong += marks != wtl_spool_info(spool)->records || marks > 6;
        wtl_spool_close(spool);
    }
    is_int(wrong, 0, "cut files give what they hold");
}

/* read(2) and pread(2) calls of this process so far; 0 = the kernel does not count them. */
static uint64_t reads_so_far(void)
{
    char text[512] = "";
    FILE *io = fopen("/proc/self/io", "r");
    size_t got = io ? fread(text, 1, sizeof(text) - 1, io) : 0;

    if (io)
        (void)fclose(io);
    text[got] = '\0';
    const char *at = strstr(text, "syscr: ");

    return at ? strtoull(at + 7, NULL, 10) : 0;
}

/* A file that claims to be a TiB long, with the last of its records at the far end. */
static void check_sparse(void)
{
    const off_t last = WTL_SPOOL_HEADER + ((off_t)1 << 24) * WTL_SPOOL_CHUNK;
    char path[] = "/tmp/wattle-spool-XXXXXX";
    struct wtl_spool *spool = NULL;
    int fd = mkstemp(path);

    good_file();
    bool made = write(fd, file, sizeof(file)) == (ssize_t)sizeof(file) &&
                pwrite(fd, file + WTL_SPOOL_HEADER, WTL_SPOOL_CHUNK, last) == WTL_SPOOL_CHUNK;
    off_t hole = lseek(fd, sizeof(file), SEEK_DATA);

    if (made && hole > (off_t)sizeof(file)) {
        uint64_t before = reads_so_far();

        is_int(wtl_spool_open(path, NULL, true, &spool, NULL), 0, "a sparse file opens");
        uint64_t reads = reads_so_far() - before;

        ok(reads < 1000, "without reading its holes: %" PRIu64 " reads", reads);
        is_int((int)wtl_spool_info(spool)->records, 6 + 5, "with its first and last records");
        wtl_spool_close(spool);
    } else {
        ok(true, "# SKIP no file of a TiB here");
    }
    (void)close(fd);
    (void)unlink(path);
}

int main(void)
{
    check_good();
    check_tsc();
    check_namespace(WTL_SPOOL_MONOTONIC);
    check_namespace(WTL_SPOOL_TSC);
    check_damage();
    check_headers();
    check_cuts();
    check_sparse();
    return done_testing();
}

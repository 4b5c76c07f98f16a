/* SPDX-License-Identifier: BSD-3-Clause */
/* Spools of several processes merged into a trace, and what happens to them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "record/energy_link.h"
#include "record/spool/spool_file.h"
#include "record/spool/spool_merge.h"
#include "tap.h"
#include "trace/reader.h"
#include "trace/spool/spool.h"

static char dir[200], spool_dir[256], trace_path[256];

struct spool_file {
    uint8_t bytes[WTL_SPOOL_HEADER + 2 * WTL_SPOOL_CHUNK];
    uint8_t *at;
};

static struct spool_file spool;

static void put(enum wtl_spool_kind kind, uint32_t id, uint64_t time)
{
    struct wtl_spool_record record = {time, wtl_spool_what(kind, id)};

    memcpy(spool.at, &record, sizeof(record));
    spool.at += sizeof(record);
}

static void put_thread(uint32_t number, uint64_t ns)
{
    put(WTL_SPOOL_THREAD, number, ns);
    put(WTL_SPOOL_VALUE, 1000 + number, ns);
}

static uint8_t *chunk_at(unsigned number, enum wtl_chunk_type type)
{
    struct wtl_spool_chunk chunk = {.magic = WTL_CHUNK_MAGIC, .type = type, .number = number};
    uint8_t *at = spool.bytes + WTL_SPOOL_HEADER + number * WTL_SPOOL_CHUNK;

    memcpy(at, &chunk, sizeof(chunk));
    return at + WTL_CHUNK_HEADER;
}

static void start_spool(uint32_t pid, int rank, uint64_t created_ns, const char *name)
{
    struct wtl_spool_header header = {.magic = "",
                                      .version = WTL_SPOOL_VERSION,
                                      .header_size = WTL_SPOOL_HEADER,
                                      .chunk_size = WTL_SPOOL_CHUNK,
                                      .pid = pid,
                                      .rank = rank,
                                      .pair_time = created_ns,
                                      .pair_ns = created_ns,
                                      .drops = pid};
    struct wtl_spool_name entry = {1, (uint32_t)strlen(name)};

    memset(&spool, 0, sizeof(spool));
    memcpy(header.magic, WTL_SPOOL_MAGIC, sizeof(header.magic));
    (void)snprintf(header.command, sizeof(header.command), "rank%d", rank);
    memcpy(spool.bytes, &header, sizeof(header));
    spool.at = chunk_at(1, WTL_CHUNK_NAMES);
    memcpy(spool.at, &entry, sizeof(entry));
    memcpy(spool.at + sizeof(entry), name, entry.length);
    spool.at = chunk_at(0, WTL_CHUNK_RECORDS);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[300];

    (void)snprintf(path, sizeof(path), "%s/%s", spool_dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        ok(false, "%s can be written", path);
    if (fd >= 0)
        (void)close(fd);
}

static bool is_there(const char *name)
{
    char path[300];

    (void)snprintf(path, sizeof(path), "%s/%s", spool_dir, name);
    return access(path, F_OK) == 0;
}

/* Two ranks, the second with two threads and the same region name under another id. */
static void write_spools(void)
{
    (void)mkdir(spool_dir, 0700);
    start_spool(10, 0, 1000, "solve");
    put_thread(1, 1100);
    for (uint64_t t = 2000; t < 4000; t += 10)
        put(t / 10 % 2 ? WTL_SPOOL_END : WTL_SPOOL_BEGIN, 1, t);
    write_file("10", spool.bytes, sizeof(spool.bytes));
    start_spool(20, 1, 1500, "solve");
    put_thread(1, 2500);
    put(WTL_SPOOL_BEGIN, 1, 2505);
    put(WTL_SPOOL_END, 7, 2515); /* a name that is not in the table */
    put_thread(2, 2700);
    put(WTL_SPOOL_EVENT, 5, 2705);
    put(WTL_SPOOL_VALUE, 0, 99);
    write_file("20.1", spool.bytes, sizeof(spool.bytes));
    write_file("30", "not a spool", 11);
    write_file("notes.txt", "mine", 4);
}

/* Anything that a process can put into the folder under the name of a spool: none of it may be
 * waited for, or followed. */
static void test_no_files(void)
{
    const char *const names[] = {"40", "41", "42", "43", "44"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct wtl_trace_writer *writer = NULL;
    struct wtl_spool_merge_report report = {0};
    struct wattle_error err = {""};
    struct wtl_spool_merge *merge = NULL;
    char paths[5][300], target[300];

    (void)mkdir(spool_dir, 0700);
    for (size_t i = 0; i < 5; i++)
        (void)snprintf(paths[i], sizeof(paths[i]), "%s/%s", spool_dir, names[i]);
    (void)snprintf(target, sizeof(target), "%s/elsewhere", dir);
    start_spool(44, 0, 1000, "solve");
    write_file("../elsewhere", spool.bytes, sizeof(spool.bytes));
    is_int(mkfifo(paths[0], 0600), 0, "a fifo");
    is_int(mkdir(paths[1], 0700), 0, "a folder");
    is_int(symlink("/dev/zero", paths[2]), 0, "a device");
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", paths[3]);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    is_int(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0, "a socket");
    is_int(symlink(target, paths[4]), 0, "a link to a spool elsewhere");
    (void)alarm(60); /* waiting for a fifo would block forever */
    is_int(wtl_trace_writer_create(trace_path, NULL, &writer, NULL), 0, "a trace");
    is_int(wtl_spool_merge_open(spool_dir, &merge, &err), 0, "the folder opens %s", err.text);
    wtl_spool_merge_follow(merge, writer, UINT64_C(1) << 40);
    is_int(wtl_spool_merge_write(merge, writer, &report, &err), 0, "and is folded %s", err.text);
    is_int((int)report.spools, 0, "there are no spools");
    is_int((int)report.bad, 5, "five that cannot be read");
    (void)wtl_trace_writer_finish(writer, NULL);
    (void)wtl_spool_merge_remove(merge);
    wtl_spool_merge_close(merge);
    (void)alarm(0);
    struct stat st;

    for (size_t i = 0; i < 5; i++)
        ok(lstat(paths[i], &st) == 0, "%s stays", names[i]);
    (void)close(fd);
    (void)rmdir(paths[1]);
    for (size_t i = 0; i < 5; i++)
        (void)unlink(paths[i]);
    (void)unlink(target);
    (void)unlink(trace_path);
    (void)rmdir(spool_dir);
}

/* Leftovers of a killed measurement without regions. */
static void test_nothing_but_energy(void)
{
    struct wtl_spool_merge *merge = NULL;

    (void)mkdir(spool_dir, 0700);
    write_file("energy", "WTLELINK", 8);
    is_int(wtl_spool_merge_open(spool_dir, &merge, NULL), 0, "a folder without spools");
    is_int((int)wtl_spool_merge_count(merge), 0, "has none");
    is_int(wtl_spool_merge_remove(merge), 0, "it is removed");
    wtl_spool_merge_close(merge);
    ok(access(spool_dir, F_OK) < 0, "with the place of the energy page");
}

/* Whatever the names: files not made by wattle are kept. */
static void test_not_ours(void)
{
    static const char *const names[] = {"energy", "12.lost"};
    struct wtl_spool_merge *merge = NULL;
    char path[300], link[300];

    (void)mkdir(spool_dir, 0700);
    write_file("energy", "a user's", 8);
    write_file("12.lost", "a user's", 8);
    is_int(wtl_spool_merge_open(spool_dir, &merge, NULL), 0,
           "files of a user with names of wattle's");
    is_int(wtl_spool_merge_remove(merge), 0, "nothing else is there");
    wtl_spool_merge_close(merge);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", spool_dir, names[i]);
        ok(unlink(path) == 0, "%s stays", names[i]);
    }
    write_file("energy", "WTLELINK", 8);
    (void)snprintf(path, sizeof(path), "%s/energy", spool_dir);
    (void)snprintf(link, sizeof(link), "%s.link", spool_dir);
    ok(symlink(spool_dir, link) == 0, "a link to the folder");
    is_int(wtl_spool_merge_open(link, &merge, NULL), -ENOTDIR, "it is no folder of a trace");
    wtl_energy_link_remove(link);
    ok(unlink(path) == 0, "what is behind it stays");
    (void)unlink(link);
    (void)rmdir(spool_dir);
}

static void test_losses(void)
{
    static const struct {
        int line;
        struct wtl_spool_merge_report report;
        const char *text;
    } rows[] = {
        {__LINE__, {.marks = 5}, ""},
        {__LINE__, {.drops = 3, .why = ENOSPC}, "3 region calls could not be recorded (full disk)"},
        {__LINE__,
         {.drops = 3, .why = EACCES, .several = true},
         "3 region calls could not be recorded (the process lost access to the folder, and "
         "others)"},
        {__LINE__,
         {.drops = 3, .why = ENOENT},
         "3 region calls could not be recorded (the folder was removed, or the process could not "
         "reach "
         "it)"},
        {__LINE__,
         {.drops = 1, .nested = 2},
         "1 region calls could not be recorded (reason unknown), 2 calls from signal handlers "
         "interrupted "
         "another call and did not fit"}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[240];
        bool any = wtl_spool_merge_losses(&rows[i].report, text, sizeof(text));

        tap_line = rows[i].line;
        ok(any == (rows[i].text[0] != '\0'), "losses or none");
        is_str(text, rows[i].text, "in words");
    }
    tap_line = 0;
}

static void test_folder(void)
{
    char path[300], link[300];
    struct stat st = {0};
    mode_t before = umask(0002);

    (void)snprintf(path, sizeof(path), "%s/folder.d", dir);
    (void)snprintf(link, sizeof(link), "%s/link.d", dir);
    is_int(wtl_spool_folder_make(path), 0, "a folder is made");
    ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0700, "for this user alone: %o", st.st_mode);
    (void)chmod(path, 0775);
    is_int(wtl_spool_folder_make(path), 0, "one of an earlier version is taken");
    ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0700, "and closed: %o", st.st_mode);
    (void)rmdir(path);
    (void)umask(0777);
    is_int(wtl_spool_folder_make(path), 0, "a folder under umask 0777");
    ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0700, "can be used: %o", st.st_mode);
    (void)umask(before);
    (void)symlink(path, link);
    is_int(wtl_spool_folder_make(link), -EPERM, "a link is refused");
    (void)unlink(link);
    (void)rmdir(path);
}

static void check_trace(void)
{
    struct wtl_trace_reader *reader;
    struct wtl_trace_marks *marks;
    struct wtl_mark mark;
    struct wattle_error err = {""};
    uint64_t last = 0, count = 0, backwards = 0, by_thread[3] = {0};

    if (!ok(wtl_trace_reader_open(trace_path, &reader, &err) == 0, "the trace opens %s", err.text))
        return;
    is_int(wtl_trace_reader_tables(reader, &err), 0, "tables");
    is_int(wtl_trace_reader_process_count(reader), 2, "processes");
    is_int(wtl_trace_reader_process(reader, 1)->rank, 1, "rank of the second");
    is_str(wtl_trace_reader_process(reader, 0)->command, "rank0", "command");
    is_int(wtl_trace_reader_thread_count(reader), 3, "threads");
    is_int(wtl_trace_marks_open(reader, WTL_ALL_THREADS, &marks, &err), 0, "marks");
    while (wtl_trace_marks_next(marks, &mark, &err) > 0) {
        backwards += mark.time_ns < last;
        last = mark.time_ns;
        count++;
        if (mark.thread < 3)
            by_thread[mark.thread]++;
        if (mark.kind == WTL_MARK_EVENT)
            is_int(mark.value, 99, "value of the event");
        if (mark.time_ns == 2505)
            is_str(wtl_trace_reader_string(reader, mark.name), "solve", "a name");
        if (mark.time_ns == 2515)
            is_str(wtl_trace_reader_string(reader, mark.name), "region-7", "a lost name");
    }
    is_int(count, 203, "all marks");
    is_int(backwards, 0, "in the order of time");
    ok(by_thread[0] == 200 && by_thread[1] == 2 && by_thread[2] == 1, "each on its thread");
    wtl_trace_marks_close(marks);
    wtl_trace_reader_close(reader);
}

static void check_fold(void)
{
    struct wtl_trace_writer *writer;
    struct wtl_spool_merge *merge;
    struct wtl_spool_merge_report report;
    struct wattle_error err = {""};

    write_spools();
    is_int(wtl_trace_writer_create(trace_path, NULL, &writer, &err), 0, "a trace");
    is_int(wtl_spool_merge_open(spool_dir, &merge, &err), 0, "the folder");
    is_int(wtl_spool_merge_count(merge), 3, "files that look like spools");
    is_int(wtl_spool_merge_remove(merge), 0, "removing before writing");
    ok(is_there("10"), "removes nothing");
    is_int(wtl_spool_merge_write(merge, writer, &report, &err), 0, "folded");
    is_int(report.spools, 2, "spools");
    is_int(report.bad, 1, "a bad file");
    is_int(report.threads, 3, "threads");
    is_int(report.marks, 203, "marks");
    is_int(report.drops, 30, "drops of both");
    ok(is_there("10") && is_there("20.1"), "spools stay until the trace is written");
    is_int(wtl_trace_writer_finish(writer, &err), 0, "finished");
    is_int(wtl_spool_merge_remove(merge), 0, "removed");
    ok(!is_there("10") && !is_there("20.1"), "they are gone");
    ok(is_there("30") && is_there("notes.txt"), "what is no spool stays");
    wtl_spool_merge_close(merge);
    check_trace();
    (void)unlink(trace_path);
}

/* A process whose clock differs by an unknown amount: its regions are refused, not put in a wrong
 * place. */
static void check_foreign(void)
{
    static const struct {
        int line;
        int64_t ahead_s;
        bool told;
        uint64_t foreign;
    } rows[] = {{__LINE__, 0, false, 0},
                {__LINE__, 3600, false, 1},
                {__LINE__, -3600, false, 1},
                {__LINE__, 3600, true, 0}};
    char boot_id[40] = "";
    FILE *in = fopen("/proc/sys/kernel/random/boot_id", "r");

    if (!in || !fgets(boot_id, sizeof(boot_id), in)) {
        skip("no boot id here");
        return;
    }
    (void)fclose(in);
    boot_id[strcspn(boot_id, "\n")] = '\0';
    char path[300];

    (void)snprintf(path, sizeof(path), "%s/30", spool_dir); /* that of check_fold() */
    (void)unlink(path);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct timespec now, wall;
        struct wtl_spool_merge_report report;
        struct wtl_trace_writer *writer;
        struct wtl_spool_merge *merge;
        struct wattle_error err = {""};
        char text[300];

        tap_line = rows[i].line;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        (void)clock_gettime(CLOCK_REALTIME, &wall);
        uint64_t ns = (uint64_t)(now.tv_sec + 10000 + rows[i].ahead_s) * 1000000000u;
        uint64_t wall_ns = (uint64_t)(wall.tv_sec + 10000) * 1000000000u;

        (void)mkdir(spool_dir, 0700);
        start_spool(10, 0, ns, "solve");
        struct wtl_spool_header *header = (struct wtl_spool_header *)(void *)spool.bytes;
        header->realtime_ns = wall_ns;
        header->drops = 0;
        header->has_offset = rows[i].told;
        header->offset_ns = rows[i].ahead_s * 1000000000;
        memcpy(header->boot_id, boot_id, sizeof(boot_id));
        put_thread(1, ns + 100);
        put(WTL_SPOOL_BEGIN, 1, ns + 200);
        write_file("10", spool.bytes, sizeof(spool.bytes));
        is_int(wtl_trace_writer_create(trace_path, NULL, &writer, &err), 0, "a trace");
        is_int(wtl_spool_merge_open(spool_dir, &merge, &err), 0, "the folder");
        wtl_spool_merge_follow(merge, writer, ns + 1000000000);
        is_int(wtl_spool_merge_write(merge, writer, &report, &err), 0, "folded");
        is_int(report.foreign, rows[i].foreign, "refused");
        is_int(report.marks, 1 - rows[i].foreign, "its mark");
        is_int(report.bad, 0, "no bad file");
        ok(wtl_spool_merge_losses(&report, text, sizeof(text)) == (rows[i].foreign > 0), "says %s",
           text);
        (void)wtl_trace_writer_finish(writer, &err);
        (void)wtl_spool_merge_remove(merge);
        ok(is_there("10") == (rows[i].foreign > 0), "what is refused stays");
        wtl_spool_merge_close(merge);
        (void)unlink(trace_path);
    }
    tap_line = 0;
}

static void write_chunks(size_t bytes)
{
    write_file("10", spool.bytes, WTL_SPOOL_HEADER + bytes);
}

static uint64_t marks_in(struct wtl_trace_writer *writer,
                         struct wtl_spool_merge *merge,
                         uint64_t now_ns)
{
    struct wtl_trace_writer_status status;

    wtl_spool_merge_follow(merge, writer, now_ns);
    wtl_trace_writer_flush(writer);
    wtl_trace_writer_status(writer, &status);
    return status.blocks;
}

/* A running process: what it wrote a tenth of a second ago is merged, once, a name with its first
 * record; a missing record delays those after it until the end. */
static void check_follow(void)
{
    struct wtl_trace_writer *writer;
    struct wtl_spool_merge *merge;
    struct wtl_spool_merge_report report;
    struct wattle_error err = {""};
    const uint64_t ms = 1000000;

    (void)mkdir(spool_dir, 0700);
    is_int(wtl_trace_writer_create(trace_path, NULL, &writer, &err), 0, "a trace");
    is_int(wtl_spool_merge_open(spool_dir, &merge, &err), 0, "an empty folder");
    uint64_t blocks = marks_in(writer, merge, 50 * ms);
    start_spool(10, 0, 1000 * ms, "solve");
    write_chunks(0);
    is_int(marks_in(writer, merge, 1050 * ms), blocks + 1, "a process without a thread");
    put_thread(1, 1100 * ms);
    put(WTL_SPOOL_BEGIN, 1, 1200 * ms);
    write_chunks(2 * WTL_SPOOL_CHUNK);
    blocks = marks_in(writer, merge, 1250 * ms);
    put(WTL_SPOOL_END, 1, 1210 * ms);
    put(0, 0, 0);
    put(WTL_SPOOL_BEGIN, 1, 1230 * ms);
    write_chunks(2 * WTL_SPOOL_CHUNK);
    is_int(marks_in(writer, merge, 1350 * ms), blocks + 2, "a block of marks, and their names");
    is_int(marks_in(writer, merge, 1550 * ms), blocks + 2, "behind the hole nothing is taken");
    spool.at -= 32;
    put(WTL_SPOOL_END, 7, 1220 * ms);
    spool.at += 16;
    write_chunks(2 * WTL_SPOOL_CHUNK);
    is_int(wtl_spool_merge_write(merge, writer, &report, &err), 0, "the end");
    is_int(report.spools, 1, "one spool");
    is_int(report.threads, 1, "one thread");
    is_int(report.marks, 4, "all marks once");
    is_int(wtl_trace_writer_finish(writer, &err), 0, "finished");
    is_int(wtl_spool_merge_remove(merge), 0, "removed");
    ok(!is_there("10"), "it is gone");
    wtl_spool_merge_close(merge);
    (void)unlink(trace_path);
}

enum { MANY = 80, DESCRIPTORS = 64 };

static void write_many(void)
{
    char name[16];

    (void)mkdir(spool_dir, 0700);
    for (uint32_t i = 0; i < MANY; i++) {
        start_spool(1000 + i, 0, 1000 + i, "solve");
        put_thread(1, 1100 + i);
        put(WTL_SPOOL_BEGIN, 1, 2000 + i);
        put(WTL_SPOOL_END, 1, 3000 + i);
        (void)snprintf(name, sizeof(name), "%u", 1000 + i);
        write_file(name, spool.bytes, sizeof(spool.bytes));
    }
}

static int open_descriptors(void)
{
    int count = 0;

    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* More concurrent processes than this one may have descriptors: all of their regions are merged,
 * during the run or at the end, and the host program keeps most descriptors. */
static void check_many(bool follow)
{
    struct wtl_trace_writer *writer;
    struct wtl_spool_merge *merge;
    struct wtl_spool_merge_report report = {0};
    struct wattle_error err = {""};
    struct rlimit before, few;

    write_many();
    (void)getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    few.rlim_cur = DESCRIPTORS;
    is_int(setrlimit(RLIMIT_NOFILE, &few), 0, "few descriptors");
    int descriptors = open_descriptors();

    is_int(wtl_trace_writer_create(trace_path, NULL, &writer, &err), 0, "a trace");
    is_int(wtl_spool_merge_open(spool_dir, &merge, &err), 0, "the folder");
    if (follow) {
        wtl_spool_merge_follow(merge, writer, UINT64_C(1) << 40);
        int more = open_descriptors() - descriptors;

        ok(more <= 20, "%d descriptors stay open", more);
    }
    is_int(wtl_spool_merge_write(merge, writer, &report, &err), 0, "folded %s", err.text);
    is_int(report.spools, MANY, "spools");
    is_int(report.marks, UINT64_C(2) * MANY, "marks");
    is_int(report.ignored, 0, "nothing is ignored");
    is_int(wtl_trace_writer_finish(writer, &err), 0, "finished");
    is_int(wtl_spool_merge_remove(merge), 0, "removed");
    ok(!is_there("1000") && !is_there("1079"), "they are gone");
    wtl_spool_merge_close(merge);
    (void)setrlimit(RLIMIT_NOFILE, &before);
    is_int(open_descriptors(), descriptors, "all descriptors are closed");
    (void)unlink(trace_path);
}

/* The writer's disk is full: nothing may be removed. */
static void check_full_disk(void)
{
    struct wtl_trace_writer *writer;
    struct wtl_spool_merge *merge;
    struct wtl_spool_merge_report report;
    struct wattle_error err = {""};

    if (access("/dev/full", W_OK) < 0) {
        skip("no /dev/full here");
        return;
    }
    write_spools();
    (void)symlink("/dev/full", trace_path);
    struct wtl_trace_options force = {.force = true};

    if (wtl_trace_writer_create(trace_path, &force, &writer, &err) < 0) {
        ok(is_there("10"), "a writer that cannot be made removes nothing");
        (void)unlink(trace_path);
        return;
    }
    is_int(wtl_spool_merge_open(spool_dir, &merge, &err), 0, "the folder");
    (void)wtl_trace_writer_flush(writer);
    ok(wtl_spool_merge_write(merge, writer, &report, &err) < 0 && err.text[0], "says so: %s",
       err.text);
    (void)wtl_spool_merge_remove(merge);
    ok(is_there("10"), "the spools stay");
    wtl_spool_merge_close(merge);
    wtl_trace_writer_abandon(writer);
    (void)unlink(trace_path);
}

static void check_nothing(void)
{
    struct wtl_spool_merge *merge;

    is_int(wtl_spool_merge_open("/nonexistent/folder", &merge, NULL), 0, "no folder, no spools");
    is_int(wtl_spool_merge_count(merge), 0, "none");
    wtl_spool_merge_close(merge);
    wtl_spool_merge_close(NULL);
}

int main(void)
{
    (void)snprintf(dir, sizeof(dir), "/tmp/test-fold-XXXXXX");
    if (!mkdtemp(dir))
        return 1;
    (void)snprintf(spool_dir, sizeof(spool_dir), "%s/t.wtl.d", dir);
    (void)snprintf(trace_path, sizeof(trace_path), "%s/t.wtl", dir);
    test_no_files();
    test_nothing_but_energy();
    test_not_ours();
    test_losses();
    test_folder();
    check_fold();
    check_follow();
    check_foreign();
    check_many(true);
    check_many(false);
    check_full_disk();
    check_nothing();
    static const char *const left[] = {"10", "20.1", "30", "notes.txt"};

    for (size_t i = 0; i < 4; i++) {
        char path[300];

        (void)snprintf(path, sizeof(path), "%s/%s", spool_dir, left[i]);
        (void)unlink(path);
    }
    (void)rmdir(spool_dir);
    (void)rmdir(dir);
    return done_testing();
}

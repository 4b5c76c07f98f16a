/* SPDX-License-Identifier: BSD-3-Clause */
/* The spool: nothing that was acknowledged is lost, whoever is killed and whatever is full, damaged or read-only. */
#define _GNU_SOURCE
#include "jobs/job_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jobs/spool_folder.h"
#include "tap.h"

enum { KILLS = 300, WRITERS = 40, EACH = 25, RECORDS_MAX = 200000 };

static char folder[64], path[96];
static struct wattle_error err;
static struct wtl_job_spool spool = {.folder = folder};

static void make(struct wtl_job_record *record, unsigned long number)
{
    wtl_job_record_init(record);
    (void)snprintf(record->unit, sizeof record->unit, "%lu", number);
    (void)snprintf(record->node, sizeof record->node, "n1");
    record->end_ns = 1700000000000000000;
}

static int append(unsigned long number)
{
    struct wtl_job_record record;
    make(&record, number);
    return wtl_job_spool_append(&spool, &record, NULL, &err);
}

static void start(const char *name)
{
    (void)snprintf(folder, sizeof folder, "/tmp/wattle-spool-%d-%s", (int)getpid(), name);
}

static void clean(void)
{
    char command[160];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    pid_t pid = fork();
    if (pid == 0)
        _exit(execl("/bin/sh", "sh", "-c", command, (char *)NULL));
    (void)waitpid(pid, NULL, 0);
}

/* Send everything: how often each number came. */
static unsigned char came[RECORDS_MAX];

static size_t drain(void)
{
    struct wtl_job_sender *sender;
    const struct wtl_job_record *records;
    size_t n, all = 0;
    memset(came, 0, sizeof came);
    if (wtl_job_sender_open(&spool, &sender, &err) < 0) {
        diag("%s", err.text);
        return 0;
    }
    int rc;
    while ((rc = wtl_job_sender_next(sender, &records, &n, &err)) > 0) {
        for (size_t i = 0; i < n; i++) {
            unsigned long number = strtoul(records[i].unit, NULL, 10);
            if (number < RECORDS_MAX)
                came[number]++;
        }
        all += n;
        if (wtl_job_sender_done(sender, &err) < 0)
            break;
    }
    if (rc < 0)
        diag("%s", err.text);
    wtl_job_sender_close(sender);
    return all;
}

static struct wtl_job_spool_status status_now(void)
{
    struct wtl_job_spool_status status = {0};
    if (wtl_job_spool_status(&spool, &status, &err) < 0)
        diag("%s", err.text);
    return status;
}

static void test_one(void)
{
    struct stat about;
    start("one");
    is_int(append(7), 0, "a record");
    is_int(stat(folder, &about), 0, "the folder is made");
    is_int(about.st_mode & 07777, 0700, "for root alone");
    is_int(status_now().records, 1, "one waits");
    ok(status_now().oldest_ns == 1700000000000000000, "since its end");
    is_int(drain(), 1, "it is sent");
    is_int(came[7], 1, "once");
    is_int(drain(), 0, "and gone");
    is_int(status_now().bytes, 0, "nothing waits");
    clean();
}

/* A child appends until it is killed; it says before and after each one, in shared memory. */
static void test_flushed(void)
{
    start("flushed");
    spool.flushed = true;
    for (unsigned long i = 0; i < 20; i++)
        if (append(i) < 0)
            diag("%s", err.text);
    spool.flushed = false;
    is_int(status_now().records, 20, "on the disk, and as without");
    clean();
}

static void test_killed(void)
{
    struct {
        unsigned long acknowledged, begun;
    } *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned long lost = 0, twice = 0, first[KILLS], acknowledged[KILLS];
    if (shared == MAP_FAILED)
        abort();
    start("killed");
    for (int i = 0; i < KILLS; i++) {
        first[i] = shared->begun + 1;
        shared->acknowledged = shared->begun;
        pid_t pid = fork();
        if (pid == 0) {
            for (;;) {
                unsigned long number = ++shared->begun;
                if (number >= RECORDS_MAX || append(number) < 0)
                    _exit(1);
                shared->acknowledged = number;
            }
        }
        struct timespec some = {.tv_nsec = 300000 + i * 9973 % 4000000};
        (void)nanosleep(&some, NULL);
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
        acknowledged[i] = shared->acknowledged;
    }
    size_t sent = drain();
    for (int i = 0; i < KILLS; i++)
        for (unsigned long k = first[i]; k <= acknowledged[i]; k++)
            lost += came[k] == 0;
    for (size_t k = 0; k < RECORDS_MAX; k++)
        twice += came[k] > 1;
    ok(shared->begun > KILLS / 2 && sent > 0, "%d writers were killed while they wrote %lu records",
       KILLS, shared->begun);
    is_int(lost, 0, "none that was acknowledged is lost");
    is_int(twice, 0, "none came twice");
    diag("%zu came, %lu damaged", sent, (unsigned long)status_now().damaged);
    (void)munmap(shared, sizeof *shared);
    clean();
}

static void test_many(void)
{
    size_t wrong = 0;
    start("many");
    for (int w = 0; w < WRITERS; w++) {
        if (fork() == 0) {
            for (int i = 0; i < EACH; i++)
                if (append((unsigned long)(w * EACH + i)) < 0)
                    _exit(1);
            _exit(0);
        }
    }
    int status, failed = 0;
    while (wait(&status) > 0)
        failed += status != 0;
    is_int(failed, 0, "%d writers at the same time", WRITERS);
    is_int(drain(), WRITERS * EACH, "all records");
    for (size_t i = 0; i < WRITERS * EACH; i++)
        wrong += came[i] != 1;
    is_int(wrong, 0, "each once");
    clean();
}

/* Somebody stopped while it held the lock: the others do not wait for it. */
static void test_held(void)
{
    start("held");
    is_int(append(1), 0, "the folder");
    (void)snprintf(path, sizeof path, "%s/lock", folder);
    int ends[2];
    char byte;
    if (pipe2(ends, O_CLOEXEC) < 0)
        abort();
    pid_t pid = fork();
    if (pid == 0) {
        int own = open(path, O_RDWR | O_CLOEXEC);
        if (own < 0 || flock(own, LOCK_EX) < 0 || write(ends[1], "1", 1) != 1)
            _exit(1);
        for (;;)
            (void)pause();
    }
    is_int(read(ends[0], &byte, 1), 1, "somebody has the lock");
    is_int(append(2), 0, "the lock is held, and the record is there");
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    is_int(status_now().records, 2, "both wait");
    (void)close(ends[0]);
    (void)close(ends[1]);
    clean();
}

static void write_file(const char *name, const char *text, int flags)
{
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        abort();
    (void)close(fd);
}

static void test_damaged(void)
{
    start("damaged");
    is_int(append(1), 0, "a record");
    write_file("current", "0123456789abcdef {\"torn", O_APPEND);
    is_int(append(2), 0, "one after a torn line");
    write_file("current", "no checksum\n\n0123456789abcdef {}\n\x01\x02\n", O_APPEND);
    is_int(append(3), 0, "one after noise");
    write_file("00000000000000000001-1.closed", "all of it is damaged", 0);
    is_int(drain(), 3, "what is whole comes");
    is_int(came[1] + came[2] + came[3], 3, "each");
    is_int(status_now().damaged, 5, "the others are counted");
    clean();
}

/* Where the name of the file is that of something else, which would swallow records or lead elsewhere. */
static void test_no_file(void)
{
    static const struct {
        const char *what;
        mode_t type;
    } kinds[] = {
        {"a FIFO", S_IFIFO}, {"a device", S_IFCHR}, {"a folder", S_IFDIR}, {"a link", S_IFLNK}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        start("no-file");
        is_int(mkdir(folder, 0700), 0, "the folder");
        (void)snprintf(path, sizeof path, "%s/current", folder);
        int rc = kinds[i].type == S_IFDIR   ? mkdir(path, 0700)
                 : kinds[i].type == S_IFLNK ? symlink("/dev/null", path)
                 : kinds[i].type == S_IFCHR ? mknod(path, S_IFCHR | 0600, makedev(1, 3))
                                            : mkfifo(path, 0600);
        if (rc < 0) { /* only root makes a device */
            clean();
            continue;
        }
        is_int(append(1), 0, "a record beside %s", kinds[i].what);
        is_int(append(2), 0, "and another");
        is_int(status_now().records, 2, "both wait");
        is_int(drain(), 2, "and are sent");
        is_int(came[1] + came[2], 2, "each");
        clean();
    }
}

/* The other files likewise: nothing waits for whoever would write into a FIFO, and records are sent. What is rejected stays in the spool
 * as long as it cannot be kept. */
static void test_no_other_file(void)
{
    static const char *const names[] = {"state", "lock", "rejected"};
    static const char json[] = "{\"schema\":\"wattle.job-record/9\",\"unit\":\"u\",\"node\":\"n\"}";
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        char sum[WTL_SPOOL_CHECKSUM + 2], line[sizeof json + sizeof sum];
        bool device = i % 2 == 1, keeps = strcmp(names[i / 2], "rejected") != 0;
        start("no-other-file");
        is_int(mkdir(folder, 0700), 0, "the folder");
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i / 2]);
        if ((device ? mknod(path, S_IFCHR | 0600, makedev(1, 3)) : mkfifo(path, 0600)) < 0) {
            clean();
            continue;
        }
        (void)alarm(60); /* this would hang */
        is_int(append(1), 0, "a record beside %s of the name %s", device ? "a device" : "a FIFO",
               names[i / 2]);
        is_int(status_now().records, 1, "it waits");
        is_int(drain(), 1, "and is sent");
        wtl_spool_line_checksum(json, sizeof json - 1, sum);
        (void)snprintf(line, sizeof line, "%s%s\n", sum, json);
        write_file("00000000000000000001-1.closed", line, 0);
        (void)drain();
        (void)snprintf(path, sizeof path, "%s/00000000000000000001-1.closed", folder);
        is_int(access(path, F_OK) == 0, !keeps, "one of another version is %s",
               keeps ? "kept elsewhere" : "still there");
        (void)alarm(0);
        clean();
    }
}

/* A line that is whole, but no record for this version: before it was downgraded, a newer one wrote it. */
static void test_foreign(void)
{
    static const char json[] = "{\"schema\":\"wattle.job-record/9\",\"unit\":\"u\",\"node\":\"n\"}";
    char sum[WTL_SPOOL_CHECKSUM + 2], line[sizeof json + sizeof sum], kept[512] = "";
    start("foreign");
    wtl_spool_line_checksum(json, sizeof json - 1, sum);
    (void)snprintf(line, sizeof line, "%s%s\n", sum, json);
    is_int(append(1), 0, "a record");
    write_file("current", line, O_APPEND);
    write_file("00000000000000000001-1.closed", line, 0);
    is_int(drain(), 1, "the record comes");
    is_int(status_now().damaged, 0, "nothing is damaged");
    is_int(status_now().rejected, 2, "the others are counted as rejected");
    (void)snprintf(path, sizeof path, "%s/rejected", folder);
    FILE *file = fopen(path, "re");
    ok(file && fread(kept, 1, sizeof kept - 1, file) > 0, "and kept");
    ok(strstr(kept, "another version") && strstr(kept, json), "with the reason");
    if (file)
        (void)fclose(file);
    clean();
}

static void test_full(void)
{
    bool log = false;
    struct wtl_job_record record;
    start("full");
    spool.limit_bytes = 20000;
    unsigned long n = 0;
    while (n < 1000 && append(n) == 0)
        n++;
    is_int(append(n), -ENOSPC, "full after %lu records: %s", n, err.text);
    ok(status_now().bytes <= 20000, "no more than the limit");
    is_int(status_now().refused, 2, "the lost ones are counted");
    make(&record, n);
    is_int(wtl_job_spool_append(&spool, &record, &log, &err), -ENOSPC, "still full");
    ok(!log, "not to be logged again within an hour");
    is_int(drain(), n, "those that were acknowledged are there");
    is_int(append(n), 0, "and there is room again");
    spool.limit_bytes = 0;
    clean();
}

/* A disk of one page, and one that is read-only. */
static void test_disk(void)
{
    char mount_point[64];
    start("disk");
    (void)snprintf(mount_point, sizeof mount_point, "%s", folder);
    if (mkdir(folder, 0700) < 0 || mount("tmpfs", folder, "tmpfs", 0, "size=32k,mode=0700") < 0) {
        diag("no disk of its own: %s", strerror(errno));
        (void)rmdir(folder);
        return;
    }
    unsigned long n = 0;
    while (n < 1000 && append(n) == 0)
        n++;
    ok(n > 3 && n < 1000, "a disk is full after %lu records: %s", n, err.text);
    is_int(append(n), -ENOSPC, "again");
    is_int(drain(), n, "what was acknowledged comes, nothing is torn");
    is_int(append(n), 0, "room again");
    is_int(mount(NULL, folder, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0, "read-only");
    bool log = false;
    struct wtl_job_record record;
    make(&record, 5);
    is_int(wtl_job_spool_append(&spool, &record, &log, &err), -EROFS, "refused: %s", err.text);
    ok(log, "and logged");
    (void)umount(mount_point);
    (void)rmdir(mount_point);
}

static void test_refused(void)
{
    struct wtl_job_record record;
    struct wtl_job_sender *one, *two;
    start("refused");
    is_int(append(1), 0, "a record");
    wtl_job_record_init(&record);
    is_int(wtl_job_spool_append(&spool, &record, NULL, &err), -EBADMSG, "nothing without a unit");
    is_int(wtl_job_sender_open(&spool, &one, &err), 0, "a sender");
    is_int(wtl_job_sender_open(&spool, &two, &err), -EBUSY, "no second one: %s", err.text);
    const struct wtl_job_record *records;
    size_t n;
    is_int(wtl_job_sender_next(one, &records, &n, &err), 1, "a record");
    is_int(wtl_job_sender_reject(one, 0, "it is refused", &err), 0, "no database takes it");
    is_int(wtl_job_sender_done(one, &err), 0, "the segment is done");
    wtl_job_sender_close(one);
    is_int(status_now().rejected, 1, "it is counted");
    (void)snprintf(path, sizeof path, "%s/rejected", folder);
    ok(access(path, R_OK) == 0, "and kept");
    if (geteuid() == 0 && chmod(folder, 0777) == 0)
        is_int(append(2), -EPERM, "no folder that others may write to: %s", err.text);
    clean();
    start("absent/below");
    is_int(append(1), -ENOENT, "no parent: %s", err.text);
}

int main(void)
{
    test_one();
    test_damaged();
    test_foreign();
    test_no_file();
    test_no_other_file();
    test_full();
    test_disk();
    test_refused();
    test_many();
    test_held();
    test_flushed();
    test_killed();
    return done_testing();
}

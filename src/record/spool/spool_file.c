/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of the region calls. It is mapped and shared with the page cache, so stored records
 * survive the death of the process. Blocks are allocated before they are written: a full disk makes
 * growing fail instead of raising SIGBUS later. No descriptor is kept open: in programs that close
 * all of theirs, we would end up writing into one of their files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/config/visible_devices.h"
#include "base/environment.h"
#include "base/own_file.h"
#include "base/parse.h"
#include "model/meta_key.h"
#include "record/spool/spool_file.h"

#define RUN_FOLDER "run-XXXXXX" /* template for mkdtemp(3) */
#define ALNUM      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

#define STEP_FIRST 4u  /* chunks: 256 KiB */
#define STEP_MAX   64u /* chunks: 4 MiB */
/* Only part of the first chunks gets blocks initially: thousands of processes with one or two
 * regions use little space. */
#define READY_FIRST 4096u
/* Chunks are prepared ahead if one lasts less than this: at 200,000 records a second what they cost is 0.2 % of the time. */
#define QUICK_NS 20000000u

/* Text of a small file, without its last line break; "" if unreadable. */
static void read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);

    if (fd >= 0)
        (void)close(fd); /* read only */
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec ts = {0};

    (void)clock_gettime(clock, &ts); /* this clock exists */
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Field 22 of /proc/self/stat; the command in field 2 may contain anything, even ')'. */
static uint64_t process_start_ns(void)
{
    char text[1024];
    uint64_t ticks = 0;
    long hz = sysconf(_SC_CLK_TCK);

    read_text("/proc/self/stat", text, sizeof(text));
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (!at || hz <= 0 || wtl_scan_u64(at + 1, strlen(at + 1), &ticks) < 0)
        return 0;
    return ticks * (1000000000u / (uint64_t)hz);
}

static int32_t rank_of_environment(void)
{
    static const char *const names[] = {"WATTLE_RANK",         "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                        "MV2_COMM_WORLD_RANK", "PMI_RANK",  "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *text = wtl_environment(names[i]);
        uint64_t rank;

        if (text && wtl_parse_u64(text, &rank) == 0 && rank <= INT32_MAX)
            return (int32_t)rank;
    }
    return -1;
}

static void fill_header(struct wtl_spool_header *header, bool tsc, uint32_t incarnation)
{
    struct wtl_spool_pair pair = wtl_spool_pair_take(tsc);

    header->version = WTL_SPOOL_VERSION;
    header->header_size = WTL_SPOOL_HEADER;
    header->chunk_size = WTL_SPOOL_CHUNK;
    header->clock = tsc ? WTL_SPOOL_TSC : WTL_SPOOL_MONOTONIC;
    header->pid = (uint32_t)getpid();
    header->ppid = (uint32_t)getppid();
    header->process_start_ns = process_start_ns();
    header->rank = rank_of_environment();
    header->incarnation = incarnation;
    header->pair_time = pair.time;
    header->pair_ns = pair.monotonic_ns;
    header->realtime_ns = clock_ns(CLOCK_REALTIME);
    header->has_offset = wtl_spool_clock_offset(&header->offset_ns) == 0;
    read_text("/proc/sys/kernel/random/boot_id", header->boot_id, sizeof(header->boot_id));
    read_text("/proc/self/comm", header->command, sizeof(header->command));
    if (gethostname(header->host, sizeof(header->host) - 1) < 0)
        header->host[0] = '\0';
    const struct wtl_visible_devices visible = wtl_visible_devices();
    wtl_visible_devices_write(&visible, header->visible);
    uint64_t magic;

    memcpy(&magic, WTL_SPOOL_MAGIC, sizeof(magic));
    __atomic_store_n((uint64_t *)(void *)header->magic, magic, __ATOMIC_RELEASE);
}

/* Allocate blocks for the bytes from..to. Without fallocate, zeros are written. */
static int allocate(int fd, uint64_t from, uint64_t to)
{
    static const char zeros[4096];

    if (!wtl_file_may_have(to))
        return -EFBIG;
    if (fallocate(fd, 0, (off_t)from, (off_t)(to - from)) == 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return -errno;
    for (uint64_t at = from; at < to;) {
        size_t n = to - at < sizeof(zeros) ? (size_t)(to - at) : sizeof(zeros);
        ssize_t put = pwrite(fd, zeros, n, (off_t)at);

        if (put < 0 && errno != EINTR)
            return -errno;
        at += put > 0 ? (uint64_t)put : 0;
    }
    return 0;
}

/* where: NULL, or a mapping of that size to replace. */
static void *map(int fd, uint64_t from, size_t size, void *where)
{
    int flags = MAP_SHARED | (where ? MAP_FIXED : 0);
    void *at = mmap(where, size, PROT_READ | PROT_WRITE, flags, fd, (off_t)from);

    return at == MAP_FAILED ? NULL : at;
}

int wtl_spool_folder_make(const char *dir)
{
    struct stat st;

    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return -errno;
    if (lstat(dir, &st) < 0)
        return -errno;
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
        return -EPERM;
    /* The umask may have removed too much, or an earlier version left too much. */
    return (st.st_mode & 0777) == 0700 || chmod(dir, 0700) == 0 ? 0 : -errno;
}

bool wtl_spool_folder_is_name(const char *name)
{
    return strlen(name) == sizeof(RUN_FOLDER) - 1 && strncmp(name, RUN_FOLDER, 4) == 0 &&
           strspn(name + 4, ALNUM) == sizeof(RUN_FOLDER) - 5;
}

int wtl_spool_folder_begin(const char *trace, char **ret_folder)
{
    char *path = NULL;
    int n = asprintf(&path, "%s.d/" RUN_FOLDER, trace);

    if (n < 0)
        return -ENOMEM;
    path[n - (int)sizeof(RUN_FOLDER)] = '\0';
    int rc = wtl_spool_folder_make(path);

    path[n - (int)sizeof(RUN_FOLDER)] = '/';
    if (rc == 0 && !mkdtemp(path))
        rc = -errno;
    if (rc < 0)
        free(path);
    else
        *ret_folder = path;
    return rc;
}

void wtl_spool_folder_tell(const char *folder, struct wtl_trace_writer *writer)
{
    const char *slash = strrchr(folder, '/');

    (void)wtl_trace_writer_meta(writer, WTL_META_RUN_SPOOL, slash + 1); /* sticky: the end reports
                                                                         * the error */
    (void)wtl_trace_writer_flush(writer); /* before any process can leave anything there */
}

int wtl_spool_folder_of(const char *trace,
                        const struct wtl_trace_reader *reader,
                        char *path,
                        size_t n)
{
    const char *name = wtl_trace_reader_meta(reader, WTL_META_RUN_SPOOL);
    bool told = name && wtl_spool_folder_is_name(name);
    int used = snprintf(path, n, "%s.d%s%s", trace, told ? "/" : "", told ? name : "");

    return used >= 0 && (size_t)used < n ? 0 : -ENAMETOOLONG;
}

int wtl_spool_folder_end(const char *folder)
{
    char *parent = NULL;
    const char *slash = strrchr(folder, '/');
    int rc = rmdir(folder) == 0 || errno == ENOENT ? 0 : -errno;

    if (rc == 0 && slash && wtl_spool_folder_is_name(slash + 1) &&
        (parent = strndup(folder, (size_t)(slash - folder))))
        (void)rmdir(parent); /* stays if it contains anything else */
    free(parent);
    return rc;
}

int wtl_spool_file_create(struct wtl_spool_file *file, const char *dir, bool tsc)
{
    struct wtl_spool_file made = {.size = WTL_SPOOL_HEADER, .step = STEP_FIRST};
    uint32_t incarnation = 0;
    int fd = -EEXIST;
    int rc;
    struct stat st;

    for (; fd == -EEXIST && incarnation < 100000; incarnation++) {
        char suffix[16] = "";

        if (incarnation)
            (void)snprintf(suffix, sizeof(suffix), ".%u", incarnation);
        rc = snprintf(made.path, sizeof(made.path), "%s/%ld%s", dir, (long)getpid(), suffix);
        if (rc < 0 || (size_t)rc >= sizeof(made.path))
            return -ENAMETOOLONG;
        fd = open(made.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        fd = fd < 0 ? -errno : fd;
    }
    if (fd < 0)
        return fd;
    rc = allocate(fd, 0, WTL_SPOOL_HEADER);
    if (rc == 0 && fstat(fd, &st) < 0)
        rc = -errno;
    if (rc == 0 && !(made.header = map(fd, 0, WTL_SPOOL_HEADER, file->header)))
        rc = -ENOMEM;
    (void)close(fd); /* the mapping keeps it alive */
    if (rc != 0) {
        (void)unlink(made.path); /* empty */
        return rc;
    }
    made.device = st.st_dev;
    made.inode = st.st_ino;
    fill_header(made.header, tsc, incarnation - 1);
    *file = made;
    return 0;
}

void wtl_spool_file_refused(const char *dir, int error)
{
    char path[PATH_MAX], number[16];
    int n = snprintf(path, sizeof(path), "%s/%ld" WTL_SPOOL_LOST, dir, (long)getpid());

    (void)snprintf(number, sizeof(number), "%d", error);
    if (n > 0 && (size_t)n < sizeof(path))
        (void)!symlink(number, path); /* if that fails, there is no way to report it */
}

/* Open a file by its path, if it is still the same: a descriptor, or -errno. */
static int reopen_as(const char *path, dev_t device, ino_t inode)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) == 0 && st.st_dev == device && st.st_ino == inode)
        return fd;
    (void)close(fd); /* nothing was written */
    return -ESTALE;
}

static int reopen(const struct wtl_spool_file *file)
{
    return reopen_as(file->path, file->device, file->inode);
}

/* Zeros that are written first let the file system take large pieces of memory: the page faults cost half as much.
 * They may be missing: then everything takes longer. */
static void write_zeros(int fd, uint64_t from, size_t size)
{
    static const char zeros[4096];
    struct iovec pieces[WTL_SPOOL_CHUNK / sizeof(zeros)];
    size_t most = sizeof(pieces) / sizeof(pieces[0]);

    for (size_t i = 0; i < most; i++)
        pieces[i] = (struct iovec){(void *)zeros, sizeof(zeros)};
    for (size_t done = 0; done < size;) {
        size_t count = (size - done) / sizeof(zeros);
        ssize_t put = pwritev(fd, pieces, (int)(count < most ? count : most), (off_t)(from + done));

        if (put <= 0)
            return;
        done += (size_t)put;
    }
}

/* Take page faults here rather than on the hot path; kernels before 5.14 do not support it. */
static int take_faults(void *at, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    return madvise(at, size, MADV_POPULATE_WRITE) < 0 ? -errno : 0;
#else
    (void)at, (void)size;
    return -ENOTSUP;
#endif
}

/* Nobody knows the part yet, so that it can be written to. */
static uint8_t *make_part(const struct wtl_spool_part *part, int *ret_error)
{
    enum { PAGE = 4096 };
    uint64_t end = part->from + part->size;
    int fd = wtl_file_may_have(end) ? reopen_as(part->path, part->device, part->inode) : -EFBIG;
    int rc = fd < 0 ? fd : allocate(fd, part->from, end);
    uint8_t *at = NULL;

    if (rc == 0) {
        write_zeros(fd, part->from, part->size);
        at = map(fd, part->from, part->size, NULL);
        rc = at ? 0 : -ENOMEM;
    }
    if (fd >= 0)
        (void)close(fd); /* the mapping keeps it alive */
    if (at && take_faults(at, part->size) < 0)
        for (size_t i = 0; i < part->size; i += PAGE)
            ((volatile uint8_t *)at)[i] = 0;
    *ret_error = -rc;
    return at;
}

/* Use a part that was prepared; what was not done is forgotten. */
static bool take_prepared(struct wtl_spool_file *file)
{
    struct wtl_spool_part part;
    uint8_t *at;

    if (!file->ahead || !wtl_spool_ahead_take(file->ahead, &part, &at))
        return false;
    if (!at && part.from + part.size == file->size)
        file->size = part.from;
    if (!at)
        return false;
    file->free_begin = at;
    file->free_end = at + part.size;
    file->free_number = (uint32_t)((part.from - WTL_SPOOL_HEADER) / WTL_SPOOL_CHUNK);
    file->populated = true;
    return true;
}

static void widen_step(struct wtl_spool_file *file)
{
    if (file->step < STEP_MAX)
        file->step *= 2;
}

/* A chunk has been handed out: have the next part prepared if chunks are used up quickly. Its bytes of the file are
 * reserved for it. */
static void ask_ahead(struct wtl_spool_file *file)
{
    struct wtl_spool_part part = {.device = file->device,
                                  .inode = file->inode,
                                  .from = file->size,
                                  .size = (size_t)file->step * WTL_SPOOL_CHUNK};
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    bool quick = now_ns - file->last_ns < QUICK_NS;

    file->last_ns = now_ns;
    if (!file->ahead || !quick || !wtl_spool_ahead_is_free(file->ahead))
        return;
    memcpy(part.path, file->path, sizeof(part.path));
    file->size += part.size;
    widen_step(file);
    wtl_spool_ahead_ask(file->ahead, make_part, &part);
}

/* Extend by the current step, and map. The first time without blocks. */
static int grow(struct wtl_spool_file *file)
{
    uint64_t size = file->size + (uint64_t)file->step * WTL_SPOOL_CHUNK;
    uint8_t *at = NULL;
    int fd = wtl_file_may_have(size) ? reopen(file) : -EFBIG;
    int rc;

    if (fd < 0)
        return fd;
    if (file->size == WTL_SPOOL_HEADER)
        rc = ftruncate(fd, (off_t)size) < 0 ? -errno : 0;
    else
        rc = allocate(fd, file->size, size);
    if (rc == 0 && !(at = map(fd, file->size, (size_t)(size - file->size), NULL)))
        rc = -ENOMEM;
    (void)close(fd); /* the mapping keeps it alive */
    if (rc != 0)
        return rc;
    if (file->size == WTL_SPOOL_HEADER)
        file->sparse = file->step;
    file->free_begin = at;
    file->free_end = at + (size - file->size);
    file->free_number = (uint32_t)((file->size - WTL_SPOOL_HEADER) / WTL_SPOOL_CHUNK);
    file->populated = false;
    file->size = size;
    widen_step(file);
    return 0;
}

/* Blocks for the bytes from..to of chunk `number`: 0 or -errno. */
static int allocate_chunk(struct wtl_spool_file *file, uint32_t number, size_t from, size_t to)
{
    uint64_t at = WTL_SPOOL_HEADER + (uint64_t)number * WTL_SPOOL_CHUNK;
    int fd = reopen(file);

    if (fd < 0)
        return fd;
    int rc = allocate(fd, at + from, at + to);

    (void)close(fd); /* the mapping keeps it alive */
    return rc;
}

/* The page faults of the bytes from..to of a chunk of records, which nothing was written to. */
static void populate(const struct wtl_spool_file *file,
                     uint32_t number,
                     void *chunk,
                     size_t from,
                     size_t to)
{
#ifdef MADV_POPULATE_WRITE
    uint64_t at = WTL_SPOOL_HEADER + (uint64_t)number * WTL_SPOOL_CHUNK;
    int fd = wtl_file_may_have(at + to) ? reopen(file) : -1;

    if (fd >= 0) {
        write_zeros(fd, at + from, to - from);
        (void)close(fd);
    }
    (void)take_faults((uint8_t *)chunk + from, to - from);
#else
    (void)file, (void)number, (void)chunk, (void)from, (void)to;
#endif
}

void *wtl_spool_file_chunk(struct wtl_spool_file *file, enum wtl_chunk_type type, size_t *ret_ready)
{
    int rc;

    /* If the disk has no room for a large step, it may have room for a small one. */
    while (file->free_begin == file->free_end && !take_prepared(file) && (rc = grow(file)) != 0) {
        file->error = -rc;
        if (file->step == 1)
            return NULL;
        file->step = file->step / 2;
    }
    uint32_t number = file->free_number;
    size_t ready = number < file->sparse ? READY_FIRST : WTL_SPOOL_CHUNK;

    if (ready < WTL_SPOOL_CHUNK && (rc = allocate_chunk(file, number, 0, ready)) < 0) {
        file->error = -rc;
        return NULL;
    }
    struct wtl_spool_chunk *chunk = (struct wtl_spool_chunk *)(void *)file->free_begin;

    file->free_begin += WTL_SPOOL_CHUNK;
    file->free_number++;
    if (type == WTL_CHUNK_RECORDS && !file->populated)
        populate(file, number, chunk, 0, ready);
    chunk->type = type;
    chunk->number = number;
    __atomic_store_n(&chunk->magic, WTL_CHUNK_MAGIC, __ATOMIC_RELEASE);
    *ret_ready = ready;
    if (type == WTL_CHUNK_RECORDS)
        ask_ahead(file);
    return chunk;
}

size_t wtl_spool_file_ready(struct wtl_spool_file *file, void *chunk, size_t ready)
{
    const struct wtl_spool_chunk *head = (const struct wtl_spool_chunk *)chunk;
    size_t more = 4 * ready < WTL_SPOOL_CHUNK ? 4 * ready : WTL_SPOOL_CHUNK;
    int rc = allocate_chunk(file, head->number, ready, more);

    if (rc < 0) {
        file->error = -rc;
        return 0;
    }
    if (head->type == WTL_CHUNK_RECORDS)
        populate(file, head->number, chunk, ready, more);
    return more;
}

void wtl_spool_file_close(struct wtl_spool_file *file)
{
    if (file->free_begin != file->free_end)
        (void)munmap(file->free_begin, (size_t)(file->free_end - file->free_begin));
    file->free_begin = file->free_end = NULL;
    if (file->ahead)
        wtl_spool_ahead_drop(file->ahead);
}

void wtl_spool_file_forget(struct wtl_spool_file *file)
{
    file->ahead = NULL; /* the parent's */
    wtl_spool_file_close(file);
    if (file->header)
        (void)munmap(file->header, WTL_SPOOL_HEADER);
    *file = (struct wtl_spool_file){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The seat: see seat.h. The file holds a header with the note, then one record for each member that
 * has joined. It is read and written, never mapped: a mapping would keep the locks of a dead parent
 * alive in its children. The locks are on bytes far beyond the data:
 *
 *     MEASURE   write lock of the measuring process
 *     MEMBER    read lock of each member; a process that gets the write lock is the only one
 *     TABLE     write lock while the header is changed, or while it is decided which process is the last
 *
 * A newcomer may open a file that is being removed: once it is a member, it checks again whether
 * the name still refers to this file.
 *
 * The host program may close the descriptor, which releases the locks: each use first checks that
 * it is still ours. If not, the file is opened and locked again, unless another process has taken
 * the seat meanwhile.
 */
#define _GNU_SOURCE
#include "record/seat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/own_file.h"
#include "base/utf8.h"
#include "model/meta_key.h"
#include "record/launcher.h"

#define MAGIC    "WTLSEAT1" /* the last letter is the version */
#define OFFSET_1 ((off_t)1 << 40)

enum lock { MEASURE, MEMBER, TABLE };
/* Time for the measuring process to finish. */
static const uint64_t LINGER_NS = 1500000000;
static const uint64_t LOCK_WAIT_NS = UINT64_C(10000000000);
enum {
    LOCK_STEP_NS = 100000,
    STEP_FIRST_NS = 1000000,
    STEP_MAX_NS = 20000000,
    TRIES = 1000,
    SWEEP_MAX = 256
};

struct head {
    char magic[8];
    uint32_t members; /* that have ever joined */
    uint32_t zero;
    char node[128], job[192]; /* for people who inspect the file, and against hash collisions */
    uint64_t check;           /* checksum of the note; 0 = none */
    struct wtl_seat_note note;
};

struct member {
    uint64_t told;
    double cpu_s, max_rss_bytes;
};

struct wtl_seat {
    int fd; /* -1 = lost */
    struct wtl_file_id id;
    bool holds, published;
    uint32_t number; /* number of this member */
    uint32_t all;    /* members when the last of the others had left; 0 = not yet */
    char path[512];
};

/* ---- key ---- */

int wtl_seat_key_of(const struct wtl_world *world, struct wtl_seat_key *ret_key)
{
    const char *given = world->ops->getenv(world, "WATTLE_NODE");
    struct wtl_seat_key key = {.job = ""};
    struct wtl_launcher launcher;
    if (given && given[0]) {
        (void)snprintf(key.node, sizeof key.node, "%.127s", given);
        (void)snprintf(key.name, sizeof key.name, "%.63s", given);
    } else {
        struct utsname host;
        char boot[64] = "";
        int rc = world->ops->uname(world, &host);
        if (rc < 0)
            return rc;
        (void)wtl_world_text(world, "/proc/sys/kernel/random/boot_id", boot, sizeof boot);
        (void)snprintf(key.node, sizeof key.node, "%.64s:%.8s", host.nodename, boot);
        (void)snprintf(key.name, sizeof key.name, "%.63s", host.nodename);
    }
    wtl_utf8_clean(key.name);
    for (char *at = key.name; (at = strpbrk(at, "\t\n"));)
        *at = '?';
    wtl_launcher_of(world, &launcher);
    (void)snprintf(key.job, sizeof key.job, "%.191s", launcher.job);
    *ret_key = key;
    return 0;
}

void wtl_seat_run_id(const struct wtl_world *world, char run_id[64])
{
    const char *given = world->ops->getenv(world, "WATTLE_RUN_ID");
    struct wtl_launcher launcher = {.run_id = ""};
    run_id[0] = '\0';
    if (!given || !given[0])
        wtl_launcher_of(world, &launcher);
    if (given && given[0])
        (void)snprintf(run_id, 64, "%.63s", given);
    else if (launcher.run_id[0])
        (void)snprintf(run_id, 64, "%.63s", launcher.run_id);
    else if (wtl_world_text(world, "/proc/sys/kernel/random/uuid", run_id, 64) < 0)
        run_id[0] = '\0';
}

void wtl_seat_describe(const struct wtl_world *world,
                       void (*emit)(void *context, const char *key, const char *value),
                       void *context)
{
    struct wtl_seat_key key;
    char run_id[64];
    if (wtl_seat_key_of(world, &key) == 0) {
        emit(context, WTL_META_NODE_NAME, key.name);
        emit(context, WTL_META_NODE_KEY, key.node);
    }
    wtl_seat_run_id(world, run_id);
    if (run_id[0])
        emit(context, WTL_META_RUN_ID, run_id);
}

/* Create it, or use the existing one if it belongs to this user only. */
static int make_folder(const char *folder)
{
    struct stat about;
    if (mkdir(folder, 0700) < 0 && errno != EEXIST)
        return -errno;
    if (lstat(folder, &about) < 0)
        return -errno;
    bool own = S_ISDIR(about.st_mode) && about.st_uid == geteuid() && !(about.st_mode & 0022);
    return own ? 0 : -EPERM;
}

/* Candidate folders, best first; "" = does not exist. */
static void place_folder(const struct wtl_world *world, int choice, char *path, size_t n)
{
    const char *given = world->ops->getenv(world, "WATTLE_SEATS");
    const char *runtime = world->ops->getenv(world, "XDG_RUNTIME_DIR");
    long user = (long)geteuid();
    int length = 0;
    path[0] = '\0';
    if (choice == 0 && given)
        length = snprintf(path, n, "%s", given);
    else if (choice == 1 && runtime && runtime[0] == '/')
        length = snprintf(path, n, "%s/wattle", runtime);
    else if (choice == 2)
        length = snprintf(path, n, "/dev/shm/wattle-%ld", user);
    else if (choice == 3)
        length = snprintf(path, n, "/tmp/wattle-%ld", user);
    if (length < 0 || (size_t)length >= n)
        path[0] = '\0'; /* too long for a path */
}

/* Use the first folder that works: 0 with its path. If one was requested, only that one is
 * tried. */
int wtl_seat_folder(const struct wtl_world *world, char *path, size_t n, struct wattle_error *err)
{
    int rc = -ENOENT;
    for (int choice = 0; choice < 4 && rc < 0; choice++) {
        place_folder(world, choice, path, n);
        if (path[0])
            rc = make_folder(path);
        if (path[0] && choice == 0)
            break;
    }
    if (rc == -EPERM)
        return wtl_fail(err, rc,
                        "%.200s is a link, a file, or a folder writable by others; remove it, or "
                        "set WATTLE_SEATS to a private folder on this node",
                        path);
    if (rc < 0)
        return wtl_fail(err, rc, "%.200s: %s; set WATTLE_SEATS to a private folder on this node",
                        path, wtl_strerror(rc));
    return 0;
}

/* ---- locks ---- */

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* A waiter gets it within microseconds unless the holder is stopped: then -EAGAIN. */
static int lock(int fd, enum lock which, int type, bool wait)
{
    struct flock range = {.l_type = (short)type, .l_whence = SEEK_SET};
    struct timespec pause = {.tv_nsec = LOCK_STEP_NS};
    uint64_t start = now_ns();
    range.l_start = OFFSET_1 + (off_t)which;
    range.l_len = 1;
    while (fcntl(fd, F_OFD_SETLK, &range) < 0) {
        bool taken = errno == EACCES || errno == EAGAIN;
        if (errno != EINTR && !(taken && wait && now_ns() - start < LOCK_WAIT_NS))
            return taken ? -EAGAIN : -errno;
        if (taken)
            (void)nanosleep(&pause, NULL);
    }
    return 0;
}

/* Does another process hold a lock there that ours would wait for? 1, 0, or -errno. */
static int is_taken(int fd, enum lock which)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    range.l_start = OFFSET_1 + (off_t)which;
    range.l_len = 1;
    return fcntl(fd, F_OFD_GETLK, &range) < 0 ? -errno : range.l_type != F_UNLCK;
}

/* ---- the file ---- */

static int read_whole(int fd, void *data, size_t n, off_t at)
{
    ssize_t got;
    while ((got = pread(fd, data, n, at)) < 0 && errno == EINTR)
        continue;
    return got < 0 ? -errno : got == (ssize_t)n ? 0 : -ENODATA;
}

static int write_whole(int fd, const void *data, size_t n, off_t at)
{
    ssize_t put;
    while ((put = pwrite(fd, data, n, at)) < 0 && errno == EINTR)
        continue;
    return put < 0 ? -errno : put == (ssize_t)n ? 0 : -ENOSPC;
}

static off_t place_of(uint32_t member)
{
    return (off_t)(sizeof(struct head) + member * sizeof(struct member));
}

/* Make sure that the file is open and that this member holds its locks. 0; -ESTALE = the host
 * program has closed it and it cannot be reacquired: this process no longer has a seat. */
static int hold_file(struct wtl_seat *seat)
{
    if (wtl_own_file_is(seat->fd, &seat->id))
        return 0;
    seat->fd = wtl_own_file_again(seat->path, O_RDWR | O_NOFOLLOW, &seat->id);
    bool locked = seat->fd >= 0 && lock(seat->fd, MEMBER, F_RDLCK, false) == 0 &&
                  (!seat->holds || lock(seat->fd, MEASURE, F_WRLCK, false) == 0);
    if (seat->fd >= 0 && !locked)
        (void)close(seat->fd); /* nothing was written */
    seat->fd = locked ? seat->fd : -1;
    return locked ? 0 : -ESTALE;
}

/* There is no other member: whatever the file holds was left by dead processes. */
static int start_anew(int fd, const struct wtl_seat_key *key)
{
    struct head head = {.magic = "", .check = 0};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    memcpy(head.node, key->node, sizeof head.node);
    memcpy(head.job, key->job, sizeof head.job);
    if (ftruncate(fd, 0) < 0)
        return -errno;
    return write_whole(fd, &head, sizeof head, 0);
}

/* Assign a number to this member. */
static int enter(struct wtl_seat *seat, const struct wtl_seat_key *key)
{
    struct head head;
    struct member member = {.told = 0};
    int rc = lock(seat->fd, TABLE, F_WRLCK, true);
    if (rc < 0)
        return rc;
    rc = read_whole(seat->fd, &head, sizeof head, 0);
    if (rc == -ENODATA || (rc == 0 && memcmp(head.magic, MAGIC, sizeof head.magic) != 0))
        rc = -EPROTO;
    if (rc == 0 && (strncmp(head.node, key->node, sizeof head.node) != 0 ||
                    strncmp(head.job, key->job, sizeof head.job) != 0))
        rc = -EEXIST;
    if (rc == 0) {
        seat->number = head.members++;
        rc = write_whole(seat->fd, &member, sizeof member, place_of(seat->number));
    }
    if (rc == 0)
        rc = write_whole(seat->fd, &head.members, sizeof head.members,
                         (off_t)offsetof(struct head, members));
    (void)lock(seat->fd, TABLE, F_UNLCK, false);
    return rc;
}

/* Does the name still refer to this file, and does it belong to this user? 0, -ESTALE = it was just
 * removed, -EPERM. */
static int check_file(int fd, const char *path)
{
    struct stat ours, there;
    if (fstat(fd, &ours) < 0)
        return -errno;
    if (!S_ISREG(ours.st_mode) || ours.st_uid != geteuid())
        return -EPERM;
    if (lstat(path, &there) < 0)
        return -ESTALE;
    return there.st_ino == ours.st_ino && there.st_dev == ours.st_dev ? 0 : -ESTALE;
}

/* No process can join a file on which ours is the only lock, and no other removes it: a newcomer
 * waits, and finds it gone. The name may refer to a new file before we have the lock. The lock is
 * kept. */
static void remove_if_alone(int fd, const char *path)
{
    if (lock(fd, MEMBER, F_WRLCK, false) == 0 && check_file(fd, path) == 0)
        (void)unlink(path);
}

/* Files of jobs that were killed completely: the first process to arrive on a node removes them. */
static void sweep(const struct wtl_seat *own)
{
    char folder[sizeof own->path];
    memcpy(folder, own->path, sizeof folder);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    DIR *dir = opendir(folder);
    struct dirent *entry;
    for (int left = SWEEP_MAX; dir && left > 0 && (entry = readdir(dir)); left--) {
        size_t n = strlen(entry->d_name);
        if (n < 5 || strcmp(entry->d_name + n - 5, ".seat") != 0 ||
            strcmp(entry->d_name, own->path + strlen(folder) + 1) == 0)
            continue;
        int fd = openat(dirfd(dir), entry->d_name,
                        O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
        if (fd < 0)
            continue;
        char path[sizeof folder + sizeof entry->d_name];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        remove_if_alone(fd, path);
        (void)close(fd); /* nothing was written */
    }
    if (dir)
        (void)closedir(dir);
}

/* Become a member of the file that the name refers to now: 0, or as above. */
static int join(struct wtl_seat *seat, const struct wtl_seat_key *key)
{
    int rc = lock(seat->fd, MEMBER, F_WRLCK, false);
    bool alone = rc == 0;
    if (rc == -EAGAIN)
        rc = lock(seat->fd, MEMBER, F_RDLCK, true);
    if (rc == 0)
        rc = check_file(seat->fd, seat->path);
    if (rc == 0 && alone)
        rc = start_anew(seat->fd, key);
    if (rc == 0 && alone)
        sweep(seat);
    if (rc == 0 && alone)
        rc = lock(seat->fd, MEMBER, F_RDLCK, true);
    return rc < 0 ? rc : enter(seat, key);
}

static int open_once(struct wtl_seat *seat, const struct wtl_seat_key *key)
{
    int fd =
        open(seat->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
    seat->fd = wtl_own_file_take(fd < 0 ? -errno : fd, &seat->id);
    if (seat->fd < 0)
        return seat->fd;
    int rc = join(seat, key);
    if (rc < 0)
        wtl_own_file_close(seat->fd, &seat->id); /* nothing important was written */
    return rc;
}

int wtl_seat_open(const struct wtl_world *world,
                  const struct wtl_seat_key *key,
                  struct wtl_seat **ret_seat,
                  struct wattle_error *err)
{
    struct wtl_seat *seat = NULL;
    char folder[400];
    if (!key->job[0])
        return wtl_fail(err, -EINVAL, "not part of a job");
    int rc = wtl_seat_folder(world, folder, sizeof folder, err);
    if (rc < 0)
        return rc;
    seat = calloc(1, sizeof *seat);
    if (!seat)
        return wtl_no_memory_for(err, "a seat");
    uint64_t name = wtl_hash_bytes(WTL_HASH_START, key->node, strlen(key->node) + 1);
    name = wtl_hash_bytes(name, key->job, strlen(key->job));
    (void)snprintf(seat->path, sizeof seat->path, "%s/%016" PRIx64 ".seat", folder, name);
    rc = -ESTALE;
    for (int i = 0; rc == -ESTALE && i < TRIES; i++)
        rc = open_once(seat, key);
    if (rc < 0) {
        (void)wtl_fail(err, rc, "%.200s: %s", seat->path,
                       rc == -EPROTO ? "another version of wattle is measuring this job"
                                     : wtl_strerror(rc));
        free(seat);
        return rc;
    }
    *ret_seat = seat;
    return 0;
}

int wtl_seat_try(struct wtl_seat *seat)
{
    if (seat->holds)
        return 1;
    int rc = hold_file(seat);
    if (rc == 0)
        rc = lock(seat->fd, MEASURE, F_WRLCK, false);
    if (rc < 0)
        return rc == -EAGAIN ? 0 : rc;
    seat->holds = true;
    return 1;
}

int wtl_seat_leave(struct wtl_seat *seat)
{
    seat->holds = seat->published = false;
    int rc = hold_file(seat);
    return rc < 0 ? rc : lock(seat->fd, MEASURE, F_UNLCK, false);
}

/* ---- the note ---- */

static uint64_t check_of(const struct wtl_seat_note *note)
{
    uint64_t sum = wtl_hash_bytes(WTL_HASH_START, note->trace, sizeof note->trace);
    sum = wtl_hash_bytes(sum, note->spool, sizeof note->spool);
    sum = wtl_hash_bytes(sum, note->run_id, sizeof note->run_id);
    sum = wtl_hash_bytes(sum, &note->pid, sizeof note->pid);
    sum = wtl_hash_bytes(sum, &note->generation, sizeof note->generation);
    return sum ? sum : 1;
}

static int read_note(struct wtl_seat *seat, struct wtl_seat_note *ret_note)
{
    struct head head;
    int rc = hold_file(seat);
    rc = rc < 0 ? rc : read_whole(seat->fd, &head, sizeof head, 0);
    if (rc < 0)
        return rc;
    head.note.trace[sizeof head.note.trace - 1] = '\0';
    head.note.spool[sizeof head.note.spool - 1] = '\0';
    head.note.run_id[sizeof head.note.run_id - 1] = '\0';
    if (head.check == 0 || head.check != check_of(&head.note))
        return -EAGAIN; /* none, or one that is being written */
    *ret_note = head.note;
    return 0;
}

static int write_note(struct wtl_seat *seat, const struct wtl_seat_note *note, pid_t pid)
{
    struct {
        uint64_t check;
        struct wtl_seat_note note;
    } record;
    int rc = hold_file(seat);
    if (rc < 0)
        return rc;
    memset(&record, 0, sizeof record); /* padding, too */
    (void)snprintf(record.note.trace, sizeof record.note.trace, "%.511s", note->trace);
    (void)snprintf(record.note.spool, sizeof record.note.spool, "%.511s", note->spool);
    (void)snprintf(record.note.run_id, sizeof record.note.run_id, "%.63s", note->run_id);
    record.note.pid = pid;
    record.note.generation = note->generation;
    record.check = check_of(&record.note);
    return write_whole(seat->fd, &record, sizeof record, (off_t)offsetof(struct head, check));
}

int wtl_seat_publish(struct wtl_seat *seat, const struct wtl_seat_note *note)
{
    struct wtl_seat_note before, next = *note;
    if (!seat->holds)
        return -EPERM;
    next.generation = 1;
    if (read_note(seat, &before) == 0)
        next.generation = before.generation + (seat->published ? 0 : 1);
    int rc = write_note(seat, &next, getpid());
    seat->published = seat->published || rc == 0;
    return rc;
}

/* Poll at growing intervals until it is no longer `waits`. */
static int poll_for(struct wtl_seat *seat,
                    uint64_t wait_ns,
                    int waits,
                    int (*ask)(struct wtl_seat *seat, void *ret),
                    void *ret)
{
    uint64_t start = now_ns(), step = STEP_FIRST_NS;
    for (;;) {
        int rc = ask(seat, ret);
        uint64_t passed = now_ns() - start;
        if (rc != waits || passed >= wait_ns)
            return rc;
        uint64_t left = wait_ns - passed;
        struct timespec pause = {.tv_nsec = (long)(step < left ? step : left)};
        (void)nanosleep(&pause, NULL);
        step = step * 2 < STEP_MAX_NS ? step * 2 : STEP_MAX_NS;
    }
}

static int ask_note(struct wtl_seat *seat, void *ret)
{
    struct wtl_seat_note *note = ret;
    return read_note(seat, note);
}

int wtl_seat_look(struct wtl_seat *seat, uint64_t wait_ns, struct wtl_seat_note *ret_note)
{
    return poll_for(seat, wait_ns, -EAGAIN, ask_note, ret_note);
}

/* ---- members ---- */

int wtl_seat_tell_usage(struct wtl_seat *seat, double cpu_s, double max_rss_bytes)
{
    struct member member = {.told = 1, .cpu_s = cpu_s, .max_rss_bytes = max_rss_bytes};
    int rc = hold_file(seat);
    return rc < 0 ? rc : write_whole(seat->fd, &member, sizeof member, place_of(seat->number));
}

int wtl_seat_usage(struct wtl_seat *seat, struct wtl_seat_usage *ret_usage)
{
    struct wtl_seat_usage usage = {.cpu_s = 0};
    struct head head;
    int rc = hold_file(seat);
    rc = rc < 0 ? rc : read_whole(seat->fd, &head, sizeof head, 0);
    if (rc == 0 && seat->all)
        head.members = seat->all;
    for (uint32_t i = 0; rc == 0 && i < head.members; i++) {
        struct member member = {.told = 0};
        rc = read_whole(seat->fd, &member, sizeof member, place_of(i));
        if (rc < 0 || !member.told)
            continue;
        usage.told++;
        usage.cpu_s += member.cpu_s;
        if (member.max_rss_bytes > usage.max_rss_bytes)
            usage.max_rss_bytes = member.max_rss_bytes;
    }
    if (rc < 0)
        return rc;
    usage.members = head.members;
    *ret_usage = usage;
    return 0;
}

/* Who comes from now on finds no note: its regions would be too late for a trace that is being finished. */
static int withdraw(struct wtl_seat *seat)
{
    static const uint64_t none = 0;
    return seat->holds && seat->published
               ? write_whole(seat->fd, &none, sizeof none, (off_t)offsetof(struct head, check))
               : 0;
}

/* The write lock keeps out newcomers while the note is withdrawn. */
static int ask_members(struct wtl_seat *seat, void *ret)
{
    struct head head = {.members = 0};
    (void)ret;
    int rc = hold_file(seat);
    rc = rc < 0 ? rc : lock(seat->fd, MEMBER, F_WRLCK, false);
    if (rc < 0)
        return rc == -EAGAIN ? -ETIMEDOUT : rc;
    rc = withdraw(seat);
    if (rc == 0 && read_whole(seat->fd, &head, sizeof head, 0) == 0)
        seat->all = head.members;
    (void)lock(seat->fd, MEMBER, F_RDLCK, false); /* less than what is held: always granted */
    return rc;
}

int wtl_seat_wait_members(struct wtl_seat *seat, uint64_t wait_ns)
{
    return poll_for(seat, wait_ns, -ETIMEDOUT, ask_members, NULL);
}

void wtl_seat_forget(struct wtl_seat *seat)
{
    if (!seat)
        return;
    wtl_own_file_close(seat->fd, &seat->id);
    free(seat);
}

/* Leave, and remove the file after the last member. */
static void leave_file(struct wtl_seat *seat)
{
    if (hold_file(seat) < 0) {
        free(seat);
        return;
    }
    /* Unlock explicitly, since a child of a fork may share the open file. */
    (void)lock(seat->fd, MEASURE, F_UNLCK, false);
    (void)lock(seat->fd, MEMBER, F_UNLCK, false);
    /* Only now: of two that leave at once, each would find the other still a member. */
    remove_if_alone(seat->fd, seat->path);
    (void)lock(seat->fd, MEMBER, F_UNLCK, false);
    (void)close(seat->fd);
    free(seat);
}

void wtl_seat_close(struct wtl_seat *seat)
{
    if (!seat)
        return;
    if (hold_file(seat) == 0)
        (void)withdraw(seat);
    leave_file(seat);
}

uint64_t wtl_seat_linger_ns(const struct wtl_world *world)
{
    const char *descriptor = world->ops->getenv(world, "PMI_FD"),
               *port = world->ops->getenv(world, "PMI_PORT");
    return (descriptor && descriptor[0]) || (port && port[0]) ? LINGER_NS : 0;
}

/* Another process is measuring and is a member, so the file is not ours to remove. All processes
 * exit at about the same time: no long pauses. */
static void linger(struct wtl_seat *seat, uint64_t wait_ns)
{
    struct timespec pause = {.tv_nsec = STEP_FIRST_NS};
    uint64_t start = now_ns();
    (void)lock(seat->fd, MEMBER, F_UNLCK, false);
    (void)lock(seat->fd, TABLE, F_UNLCK, false);
    while (is_taken(seat->fd, MEASURE) == 1 && now_ns() - start < wait_ns)
        (void)nanosleep(&pause, NULL);
    wtl_seat_forget(seat);
}

int wtl_seat_part(struct wtl_seat *seat, uint64_t linger_ns, struct wtl_seat_note *ret_note)
{
    if (!seat)
        return 0;
    (void)lock(seat->fd, TABLE, F_WRLCK, true); /* released when the file is closed */
    int mine = wtl_seat_try(seat);
    if (mine == 0 && linger_ns > 0) {
        linger(seat, linger_ns);
        return 0;
    }
    if (mine != 1 || is_taken(seat->fd, MEMBER) == 1 || read_note(seat, ret_note) < 0) {
        leave_file(seat);
        return 0;
    }
    (void)lock(seat->fd, TABLE, F_UNLCK, false);
    return 1;
}

int wtl_seat_hand_over(struct wtl_seat *seat, struct wtl_seat_note *ret_note)
{
    struct wtl_seat_note note;
    if (!seat)
        return 0;
    if (seat->holds && seat->published && read_note(seat, &note) == 0)
        (void)write_note(seat, &note, 0); /* else it is reported as killed */
    return wtl_seat_part(seat, 0, ret_note);
}

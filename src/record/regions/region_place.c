/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process state of the region calls: see region_place.h. The library's only mutable globals are
 * here and in region_name.c, since begin(id) has no context argument: the state of the process,
 * under one lock off the hot path, and 72 bytes per thread.
 *
 * When recording ends, all threads are notified through the `end` of their places. A thread may be
 * storing into its chunk at that moment, so the chunk stays mapped until the thread itself needs
 * another, or ends. fork: the child drops the parent's chunks and starts its own file at its next
 * call.
 */
#define _GNU_SOURCE
#include "record/regions/region_place.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/whole.h"
#include "record/regions/region_open.h"
#include "record/regions/task_limit.h"
#include "record/seat.h"
#include "record/spool/spool_file.h"

#define PAIR_CYCLES (UINT64_C(1) << 30)     /* between clock pairs of a thread: 0.25 to 0.5 s */
#define REUSE_MIN   (64 * WTL_PLACE_RECORD) /* rest of a chunk worth keeping */
#define REUSE_MAX   64                      /* number of remainders kept */

__thread struct wtl_place wtl_place __attribute__((tls_model("initial-exec")));
int wtl_region_state_now = WTL_REGION_UNKNOWN;
int wtl_task_state_now = -1;
static const uint32_t always = 1;
const uint32_t *wtl_place_own = &always;

static struct {
    pthread_mutex_t lock;
    bool tsc, hooked, keyed;
    pthread_key_t key;
    uint32_t threads;
    const struct wtl_place_lane *lane; /* wtl_place is that of a lane */
    struct wtl_place *newest; /* places of threads with a number in the file, newest first */
    struct wtl_spool_file file;
    struct wtl_spool_ahead ahead;
    struct wtl_task_limit limit;
    uint8_t *names, *names_ready, *names_end; /* in the chunk of names: next, may be written, end */
    uint32_t names_written;
    struct rest {
        uintptr_t next, end, chunk_end;
    } rests[REUSE_MAX];
    unsigned rest_count;
    uint32_t *own;                     /* a page that is wiped on fork; NULL = none */
    struct wtl_spool_header *ancestor; /* file header of the process that forked this one; NULL =
                                        * none */
    char dir[480];
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void set_task_state(int state)
{
    __atomic_store_n(&wtl_task_state_now, state, __ATOMIC_RELAXED);
}

bool wtl_place_over_limit(void)
{
    if (!process.limit.over || wtl_task_state_now != 1)
        return false;
    set_task_state(2);
    return true;
}

static void set_state(enum wtl_region_state state)
{
    __atomic_store_n(&wtl_region_state_now, (int)state, __ATOMIC_RELEASE);
}

static void unmap_chunk(uintptr_t end)
{
    if (end)
        (void)munmap((void *)(end - WTL_SPOOL_CHUNK), WTL_SPOOL_CHUNK); /* the file keeps it */
}

void wtl_place_store_two(uintptr_t slot,
                         struct wtl_spool_pair pair,
                         enum wtl_spool_kind kind,
                         uint32_t id,
                         uint32_t more)
{
    wtl_place_store(slot + WTL_PLACE_RECORD, pair.monotonic_ns, WTL_SPOOL_VALUE, more);
    wtl_place_store(slot, pair.time, kind, id);
}

void wtl_place_store_pair(uintptr_t slot, enum wtl_spool_kind kind, uint32_t id, uint32_t more)
{
    struct wtl_spool_pair pair = wtl_spool_pair_take(wtl_place.pair_due != UINT64_MAX);

    wtl_place_store_two(slot, pair, kind, id, more);
    wtl_place.pair_time = pair.time;
}

void wtl_place_refuse(void)
{
    struct wtl_place_held held;

    if (wtl_region_state() == WTL_REGION_OFF || wtl_place.busy)
        return;
    wtl_place_hold(&held); /* the first call in a process decides whether to record */
    struct wtl_spool_header *header = __atomic_load_n(&process.file.header, __ATOMIC_RELAXED);

    if (header) {
        __atomic_fetch_add(&header->refused, 1, __ATOMIC_RELAXED);
        if (wtl_region_name_count() == WTL_NAME_ID_MAX)
            __atomic_store_n(&header->full, 1, __ATOMIC_RELAXED);
    }
    wtl_place_release(&held);
}

static double ns_per_tick(void)
{
    const struct wtl_spool_header *header = __atomic_load_n(&process.file.header, __ATOMIC_RELAXED);
    struct wtl_spool_pair pair = {0, 0};

    if (!header || !process.tsc)
        return 1;
    for (int i = 0; i < 2; i++) {
        const struct timespec pause = {.tv_nsec = 200000};

        pair = wtl_spool_pair_take(true);
        if (pair.monotonic_ns > header->pair_ns + 100000) /* error of 50 ns, 0.05 % */
            break;
        (void)nanosleep(&pause, NULL);
    }
    return pair.time > header->pair_time && pair.monotonic_ns > header->pair_ns
               ? (double)(pair.monotonic_ns - header->pair_ns) /
                     (double)(pair.time - header->pair_time)
               : 1;
}

uint64_t wtl_place_ns(uint64_t ticks)
{
    return wtl_whole_u64((double)ticks * ns_per_tick());
}

uint64_t wtl_place_ticks(uint64_t ns)
{
    return wtl_whole_u64((double)ns / ns_per_tick());
}

void wtl_place_drop(bool nested)
{
    struct wtl_spool_header *header = __atomic_load_n(&process.file.header, __ATOMIC_RELAXED);

    if (header)
        __atomic_fetch_add(nested ? &header->nested : &header->drops, 1, __ATOMIC_RELAXED);
}

/* No more space; why. */
static void become_full(void)
{
    process.file.header->why = (uint32_t)process.file.error;
    set_state(WTL_REGION_FULL);
}

/* Make room for this many bytes of names, in this chunk or another. */
static bool find_room_for_names(size_t size)
{
    size_t ready;

    if (size > (size_t)(process.names_end - process.names)) {
        uint8_t *chunk = wtl_spool_file_chunk(&process.file, WTL_CHUNK_NAMES, &ready);

        if (!chunk)
            return false;
        unmap_chunk((uintptr_t)process.names_end);
        process.names = chunk + WTL_CHUNK_HEADER;
        process.names_ready = chunk + ready;
        process.names_end = chunk + WTL_SPOOL_CHUNK;
    }
    while (size > (size_t)(process.names_ready - process.names)) {
        uint8_t *chunk = process.names_end - WTL_SPOOL_CHUNK;

        ready = wtl_spool_file_ready(&process.file, chunk, (size_t)(process.names_ready - chunk));
        if (ready == 0)
            return false;
        process.names_ready = chunk + ready;
    }
    return true;
}

static void write_name(const struct wtl_region_name *name)
{
    size_t size = (sizeof(struct wtl_spool_name) + name->length + 7) & ~(size_t)7;

    if (!find_room_for_names(size)) {
        become_full();
        return;
    }
    struct wtl_spool_name head = {name->id, name->length};
    uint64_t word;

    memcpy(process.names + sizeof(head), name->text, name->length);
    memcpy(&word, &head, sizeof(word));
    __atomic_store_n((uint64_t *)(void *)process.names, word, __ATOMIC_RELEASE);
    process.names += size;
    process.names_written++;
}

void wtl_place_write_names(void)
{
    while (wtl_region_state_now == WTL_REGION_ON && process.names_written < wtl_region_name_count())
        write_name(wtl_region_name_of(process.names_written + 1));
}

/* The first free record of the thread's chunk: after the last one written, since a call that found
 * no room has reserved space it could not use. */
static uintptr_t first_free(void)
{
    uintptr_t at = wtl_place.next < wtl_place.end ? wtl_place.next : wtl_place.end;

    while (at > wtl_place.chunk_end - WTL_SPOOL_CHUNK + WTL_CHUNK_HEADER &&
           ((const struct wtl_spool_record *)(at - WTL_PLACE_RECORD))->what == 0)
        at -= WTL_PLACE_RECORD;
    return at;
}

/* Extend the writable part of the thread's chunk. False: the chunk is used up, or the file accepts
 * no more. Within another call that has a place there, the reservation is kept. */
static bool extend(bool nested)
{
    uintptr_t chunk = wtl_place.chunk_end - WTL_SPOOL_CHUNK;
    size_t ready = 0;

    if (!wtl_place_has_more(&wtl_place))
        return false;
    ready = wtl_spool_file_ready(&process.file, (void *)chunk, wtl_place.end - chunk);
    if (ready == 0)
        return false;
    if (!nested)
        wtl_place.next = first_free();
    wtl_place.end = chunk + ready;
    return true;
}

/* Leave the remainder of the thread's chunk to a later thread. Call with the lock held. */
static void leave_rest(void)
{
    uintptr_t end = wtl_place.end, chunk_end = wtl_place.chunk_end;
    uintptr_t next = end ? first_free() : 0;

    wtl_place.next = wtl_place.end = wtl_place.chunk_end = 0;
    if (end && chunk_end - next >= REUSE_MIN && process.rest_count < REUSE_MAX)
        process.rests[process.rest_count++] = (struct rest){next, end, chunk_end};
    else
        unmap_chunk(chunk_end);
}

static void enter_thread(void)
{
    wtl_place.thread = ++process.threads;
    wtl_place.older = process.newest;
    wtl_place.newer = NULL;
    if (process.newest)
        process.newest->newer = &wtl_place;
    process.newest = &wtl_place;
    if (process.keyed) /* without the key, only the thread's end is lost */
        (void)pthread_setspecific(process.key, &wtl_place);
}

/* The lane has no thread: neither in the list of places, nor told of an end. */
static void number_place(void)
{
    if (wtl_place.thread)
        return;
    if (process.lane)
        wtl_place.thread = ++process.threads;
    else
        enter_thread();
}

static void leave_thread(void)
{
    if (wtl_place.thread == 0)
        return;
    if (wtl_place.older)
        wtl_place.older->newer = wtl_place.newer;
    if (wtl_place.newer)
        wtl_place.newer->older = wtl_place.older;
    else
        process.newest = wtl_place.older;
    wtl_place.thread = 0;
}

static void thread_gone(void *unused)
{
    struct wtl_place_held held;

    (void)unused;
    if (wtl_place.chunk_end == 0)
        return;
    wtl_place_hold(&held);
    if (wtl_place.end && wtl_place.next + 2 * WTL_PLACE_RECORD > wtl_place.end)
        (void)extend(false); /* else the end is not recorded */
    if (wtl_place.end) {
        uintptr_t slot = wtl_place_reserve(&wtl_place, 2 * WTL_PLACE_RECORD);

        if (slot + 2 * WTL_PLACE_RECORD <= wtl_place.end)
            wtl_place_store_pair(slot, WTL_SPOOL_THREAD_END, 0, 0);
    }
    leave_rest();
    leave_thread();
    wtl_place_release(&held);
}

static void fork_prepare(void)
{
    if (!wtl_place.busy) {
        (void)pthread_mutex_lock(&process.lock);
        wtl_place.forking = 1;
    }
}

static void fork_parent(void)
{
    if (wtl_place.forking) {
        wtl_place.forking = 0;
        (void)pthread_mutex_unlock(&process.lock);
    }
}

static void forget_file(void)
{
    process.names = process.names_ready = process.names_end = NULL;
    process.names_written = 0;
    process.rest_count = 0;
    process.threads = 0;
    process.newest = NULL;
}

/* Only the forking thread survives; the mapped chunks belong to the parent's file. Its header stays
 * mapped: a child that cannot create its own file counts there. */
void wtl_place_forget_parent(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    if (process.file.header) {
        if (process.ancestor && process.ancestor != process.file.header)
            (void)munmap(process.ancestor, WTL_SPOOL_HEADER);
        process.ancestor = process.file.header;
        process.file.header = NULL;
    }

    if (wtl_place.forking)
        (void)pthread_mutex_unlock(&process.lock);
    else
        process.lock = fresh; /* a thread that is no longer there may have held it */
    wtl_place = (struct wtl_place){.busy = wtl_place.busy, .inside = wtl_place.inside};
    wtl_region_open_forget();
    wtl_spool_file_forget(&process.file);
    wtl_spool_ahead_forget(&process.ahead);
    forget_file();
    if (wtl_region_state_now != WTL_REGION_OFF)
        wtl_region_state_now = WTL_REGION_UNKNOWN;
    set_task_state(-1);
    if (process.own)
        *process.own = 1;
}

static void fork_child(void)
{
    if (!process.own || *process.own == 0) /* else another hook has already made a call */
        wtl_place_forget_parent();
}

/* Kernels before 4.14 cannot do this: then only forks that run hooks are noticed. */
static void watch_forks(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);

    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        return;
    if (madvise(page, size, MADV_WIPEONFORK) < 0) {
        (void)munmap(page, size); /* unused */
        return;
    }
    process.own = page;
    *process.own = 1;
    wtl_place_own = process.own;
}

/* When the library is loaded: a fork during the first call, which holds the lock for long, must not
 * copy it held. */
__attribute__((constructor)) void wtl_region_hook_fork(void)
{
    if (process.hooked)
        return;
    process.hooked = pthread_atfork(fork_prepare, fork_parent, fork_child) == 0;
    watch_forks();
}

/* Create a file in process.dir. Call with the lock held. Returns 0 or -errno. */
static int start(void)
{
    const char *clock = wtl_environment("WATTLE_SPOOL_CLOCK");

    wtl_region_hook_fork(); /* another constructor may have made a call before ours */
    if (!process.keyed)
        process.keyed = pthread_key_create(&process.key, thread_gone) == 0;
    if (!process.hooked)
        return -ENOMEM; /* a child of fork would write into its parent's file */
    process.tsc = wtl_spool_tsc_usable() && !(clock && !strcmp(clock, "monotonic"));
    int rc = wtl_spool_file_create(&process.file, process.dir, process.tsc);

    if (rc < 0)
        return rc;
    wtl_spool_ahead_init(&process.ahead);
    process.file.ahead = &process.ahead;
    set_task_state(wtl_task_limit_read(&process.limit));
    set_state(WTL_REGION_ON);
    wtl_place_write_names();
    return 0;
}

/* A launcher copies the environment to other nodes, where that folder does not exist or belongs to
 * another node. */
static bool is_of_this_node(void)
{
    const char *node = wtl_environment("WATTLE_SPOOL_NODE");
    struct wtl_seat_key key;

    if (!node || !node[0] || wtl_seat_key_of(wtl_world_library(), &key) < 0)
        return true;
    /* Without a boot id (in a root without /proc, or if no file can be opened) the host name has to
     * do. */
    size_t n = strlen(key.node);
    bool half = n > 0 && key.node[n - 1] == ':';

    return half ? strncmp(node, key.node, n) == 0 : strcmp(node, key.node) == 0;
}

/* A child keeps, after fork, the folder that it inherited. */
static void start_by_environment(void)
{
    const char *dir = wtl_environment("WATTLE_SPOOL");

    if (!process.dir[0] && dir && dir[0] == '/' && strlen(dir) < sizeof(process.dir) &&
        is_of_this_node())
        memcpy(process.dir, dir, strlen(dir) + 1);
    int rc = process.dir[0] ? start() : 0;

    if (rc < 0 && process.ancestor) {
        process.file.header = process.ancestor; /* each call is counted there as lost */
        process.file.error = -rc;
        become_full();
    } else if (rc < 0) {
        wtl_spool_file_refused(process.dir, -rc);
    }
    if (!process.dir[0] || (rc < 0 && !process.ancestor))
        set_state(WTL_REGION_OFF);
    if (!process.dir[0] || rc < 0)
        set_task_state(0);
}

void wtl_place_hold(struct wtl_place_held *held)
{
    sigset_t all;

    held->error = errno;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &held->signals);
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &held->cancel);
    if (*wtl_place_own == 0)
        wtl_place_forget_parent();
    wtl_place.busy = 1;
    (void)pthread_mutex_lock(&process.lock);
    if (wtl_region_state_now == WTL_REGION_UNKNOWN)
        start_by_environment();
}

void wtl_place_release(const struct wtl_place_held *held)
{
    (void)pthread_mutex_unlock(&process.lock);
    wtl_place.busy = 0;
    (void)pthread_setcancelstate(held->cancel, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &held->signals, NULL);
    errno = held->error;
}

/* A handler, which must not allocate memory, has its own signal blocked: no thread is started if any is. */
void wtl_place_start_ahead(const struct wtl_place_held *held, bool nested)
{
    if (!nested && sigisemptyset(&held->signals))
        wtl_spool_ahead_start(&process.ahead);
}

/* Take the remainder of another thread's chunk, or a fresh one, with room for this many bytes: its
 * place, without a thread. */
static bool take_chunk(uintptr_t bytes)
{
    size_t ready;

    if (process.rest_count) {
        const struct rest *rest = &process.rests[--process.rest_count];

        wtl_place.next = rest->next;
        wtl_place.end = rest->end;
        wtl_place.chunk_end = rest->chunk_end;
        if (rest->next + bytes < rest->end || extend(false))
            return true;
        wtl_place.next = wtl_place.end = wtl_place.chunk_end = 0;
        unmap_chunk(rest->chunk_end);
        return false;
    }
    uint8_t *chunk = wtl_spool_file_chunk(&process.file, WTL_CHUNK_RECORDS, &ready);

    if (!chunk)
        return false;
    wtl_task_limit_chunk(&process.limit, process.dir);
    wtl_place.next = (uintptr_t)chunk + WTL_CHUNK_HEADER;
    wtl_place.end = (uintptr_t)chunk + ready;
    wtl_place.chunk_end = (uintptr_t)chunk + WTL_SPOOL_CHUNK;
    return true;
}

void wtl_place_find(bool nested, unsigned records)
{
    const uintptr_t pair = 2 * WTL_PLACE_RECORD, bytes = records * WTL_PLACE_RECORD;
    uintptr_t last = wtl_place.next < wtl_place.end ? wtl_place.next : wtl_place.end;

    if (wtl_place.next + bytes <= wtl_place.end || extend(nested))
        return; /* or a handler has just made room */
    if (nested || wtl_place_has_more(&wtl_place)) {
        become_full();
        return;
    }
    if (!process.lane)
        wtl_region_open_carry(wtl_place.chunk_end, last);
    leave_rest();
    if (!take_chunk(pair + bytes)) {
        become_full();
        return;
    }
    uintptr_t slot = wtl_place.next;

    number_place();
    wtl_place.pair_due = process.tsc ? PAIR_CYCLES : UINT64_MAX;
    if (process.lane)
        wtl_place_store_two(slot, process.lane->pair, WTL_SPOOL_THREAD, wtl_place.thread,
                            process.lane->tid);
    else
        wtl_place_store_pair(slot, WTL_SPOOL_THREAD, wtl_place.thread,
                             (uint32_t)syscall(SYS_gettid));
    wtl_place.next = slot + pair;
}

bool wtl_place_find_lane(const struct wtl_place_lane *lane, unsigned records)
{
    process.lane = lane;
    wtl_place_find(false, records);
    process.lane = NULL;
    return wtl_region_state_now == WTL_REGION_ON;
}

const void *wtl_place_file(void)
{
    return process.file.header;
}

struct wtl_spool_pair wtl_place_now(void)
{
    return wtl_spool_pair_take(process.tsc);
}

int wtl_region_record(const char *dir)
{
    struct wtl_place_held held;
    int rc = -EBUSY;

    if (strlen(dir) >= sizeof(process.dir))
        return -ENAMETOOLONG;
    wtl_place_hold(&held);
    if (wtl_region_state_now == WTL_REGION_OFF) {
        memcpy(process.dir, dir, strlen(dir) + 1);
        rc = start();
        if (rc < 0)
            process.dir[0] = '\0';
    }
    wtl_place_release(&held);
    return rc;
}

int wtl_region_folder(char *dir, size_t n)
{
    struct wtl_place_held held;
    int rc = -ENOENT;

    wtl_place_hold(&held);
    if (wtl_region_state_now != WTL_REGION_OFF && process.dir[0]) {
        rc = strlen(process.dir) < n ? 0 : -ENAMETOOLONG;
        if (rc == 0)
            memcpy(dir, process.dir, strlen(process.dir) + 1);
    }
    wtl_place_release(&held);
    return rc;
}

void wtl_region_stop(void)
{
    struct wtl_place_held held;

    wtl_place_hold(&held);
    set_state(WTL_REGION_OFF);
    set_task_state(0);
    for (struct wtl_place *at = process.newest; at; at = at->older) {
        __atomic_store_n(&at->end, 0, __ATOMIC_RELAXED);
        at->thread = 0;
    }
    while (process.rest_count)
        unmap_chunk(process.rests[--process.rest_count].chunk_end);
    unmap_chunk((uintptr_t)process.names_end);
    wtl_spool_file_close(&process.file);
    forget_file();
    process.dir[0] = '\0';
    wtl_place_release(&held);
}

/* dlclose or exit: the thread-specific key must not call unloaded code. */
static __attribute__((destructor)) void unload(void)
{
    wtl_spool_ahead_end(&process.ahead);
    if (process.keyed) {
        thread_gone(NULL);
        (void)pthread_key_delete(process.key);
        process.keyed = false;
    }
}

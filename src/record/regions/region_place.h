/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the region calls of this process go: the spool file with its chunks, and each thread's
 * place in its chunk. Used by region.c, which has the calls themselves; the recorder turns
 * recording on and off.
 */
#ifndef WTL_RECORD_REGION_PLACE_H
#define WTL_RECORD_REGION_PLACE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/regions/region_name.h"
#include "trace/spool/spool.h"

#define WTL_PLACE_RECORD ((uintptr_t)sizeof(struct wtl_spool_record))

enum wtl_region_state {
    WTL_REGION_UNKNOWN = 0, /* environment not checked yet */
    WTL_REGION_OFF = 1,
    WTL_REGION_ON = 2,
    WTL_REGION_FULL = 3 /* on, but the file accepts no more */
};

/* A thread's place in its chunk. Initial-exec: one instruction to reach, and small enough for the
 * static TLS that the loader reserves for libraries opened late. */
struct wtl_place {
    uintptr_t next;
    uintptr_t end; /* end of the writable part; 0 = not recording here; set to 0 by another thread
                    * when recording ends */
    uintptr_t chunk_end; /* end of the mapping; 0 = none */
    uint64_t pair_time;  /* time of the last clock pair */
    uint64_t pair_due;   /* cycles after it; UINT64_MAX without TSC */
    uint32_t thread;     /* number in the process; 0 = none yet, and not in the list of places */
    uint32_t busy;       /* off the hot path, holding the lock */
    uint32_t forking;    /* in fork(), holding the lock */
    uint32_t inside;     /* in a call, and the low word of its stack pointer: a signal handler must
                          * not change the chunk */
    struct wtl_place *older, *newer; /* in the list of places of the process */
};

extern __thread struct wtl_place wtl_place
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* enum wtl_region_state; read with wtl_region_state(). */
extern int wtl_region_state_now __attribute__((visibility("hidden")));

/* What wattle_task_recording() returns, or -1: not known yet. */
extern int wtl_task_state_now __attribute__((visibility("hidden")));

/* Non-zero in the process that owns the file; the kernel zeroes it in a child of fork, even one
 * that runs no hooks (_Fork(), bare clone()). Where the kernel cannot, it is never zero. */
extern const uint32_t *wtl_place_own __attribute__((visibility("hidden")));

/* Forget the parent's state. */
__attribute__((cold)) void wtl_place_forget_parent(void);

static inline int wtl_region_state(void)
{
    return __atomic_load_n(&wtl_region_state_now, __ATOMIC_ACQUIRE);
}

/* Reserve bytes in one instruction: no lock prefix, since only this thread and its signal handlers
 * write here. */
static inline uintptr_t wtl_place_reserve(struct wtl_place *at, uintptr_t bytes)
{
#if defined(__x86_64__)
    __asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(at->next) : : "cc");
    return bytes;
#else
    uintptr_t was = at->next;

    at->next = was + bytes;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return was;
#endif
}

/* Return the last reserved record; false if a signal handler has reserved one after it. */
static inline bool wtl_place_give_back(struct wtl_place *at, uintptr_t slot)
{
    uintptr_t next = slot + WTL_PLACE_RECORD;
#if defined(__x86_64__)
    bool done;

    __asm__ volatile("cmpxchgq %3, %1"
                     : "=@ccz"(done), "+m"(at->next), "+a"(next)
                     : "r"(slot)
                     : "memory");
    return done;
#else
    if (at->next != next)
        return false;
    at->next = slot;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
#endif
}

/* Relaxed: all that a 0 tells the thread is to take the lock. */
static inline uintptr_t wtl_place_end(const struct wtl_place *at)
{
    return __atomic_load_n(&at->end, __ATOMIC_RELAXED);
}

/* The kind is stored last, so that a reader never sees a kind without its time. */
static inline void wtl_place_store(uintptr_t slot,
                                   uint64_t time,
                                   enum wtl_spool_kind kind,
                                   uint32_t id)
{
    struct wtl_spool_record *record = (struct wtl_spool_record *)slot;

    record->time = time;
    __atomic_store_n(&record->what, wtl_spool_what(kind, id), __ATOMIC_RELEASE);
}

/* Store two records, a record and its value, in reverse order so that the first never appears
 * without the second. */
void wtl_place_store_two(uintptr_t slot,
                         struct wtl_spool_pair pair,
                         enum wtl_spool_kind kind,
                         uint32_t id,
                         uint32_t more);

/* Store a clock pair of now in the same way, in this thread's chunk. */
void wtl_place_store_pair(uintptr_t slot, enum wtl_spool_kind kind, uint32_t id, uint32_t more);

/* Ticks of the region calls' clock in ns, by the clock pairs of this process since its recording
 * began. */
uint64_t wtl_place_ns(uint64_t ticks);
/* The inverse, accurate to a few ns. */
uint64_t wtl_place_ticks(uint64_t ns);

/* Count a call that cannot be recorded: the file accepts no more, or (nested) it comes from a
 * signal handler within another call. Safe in signal handlers. */
void wtl_place_drop(bool nested);

/* Count a call whose name was refused. If recording is off it costs as little as any other call. */
__attribute__((cold)) void wtl_place_refuse(void);

/* While the lock is held, signals and cancellation are deferred and errno is preserved. */
struct wtl_place_held {
    sigset_t signals;
    int cancel, error;
};

/* Take the lock; the first time, also check the environment. */
void wtl_place_hold(struct wtl_place_held *held);
void wtl_place_release(const struct wtl_place_held *held);

/* After wtl_place_release(), off the hot path: start the thread that prepares chunks if it is needed. nested: as
 * for wtl_place_find(). */
void wtl_place_start_ahead(const struct wtl_place_held *held, bool nested);

#define WTL_PLACE_MOST 56 /* records that can be asked for at once */

/* With the lock held: room for this many records: more of the thread's chunk, the remainder of
 * another, or a fresh one. nested: called by a handler within another call, only if
 * wtl_place_has_more(). Without room the state becomes FULL. */
void wtl_place_find(bool nested, unsigned records);

/*
 * The same if wtl_place is that of a lane (lane_mark.c) at present: its runs begin with a pair of its own, since what it records
 * is past. False: there is no room.
 */
struct wtl_place_lane {
    struct wtl_spool_pair pair;
    uint32_t tid;
};
bool wtl_place_find_lane(const struct wtl_place_lane *lane, unsigned records);

/* With the lock held: what the file of this process is known by, NULL = none; and the time on its clock. */
const void *wtl_place_file(void);
struct wtl_spool_pair wtl_place_now(void);

/* Has the thread's chunk a part that is not writable yet? */
static inline bool wtl_place_has_more(const struct wtl_place *at)
{
    uintptr_t end = wtl_place_end(at);

    return end != 0 && end < at->chunk_end;
}

/* With the lock held: the limit on the size of the spools with tasks is exceeded, which is reported
 * once. */
bool wtl_place_over_limit(void);

/* With the lock held: write names not yet in the file, if there is one. */
void wtl_place_write_names(void);

/* wattle_event() with any type, including wattle's own (trace/own_event.h). */
void wtl_region_event(uint32_t type, uint64_t value);

/*
 * The CLOCK_MONOTONIC begin and the id of the innermost open region of the calling thread; not in
 * signal handlers. Returns 0; -ENOENT if no region is open, it began before everything that is
 * kept, or regions are not recorded. Call wtl_region_open_want() first.
 */
int wtl_region_innermost(uint64_t *ret_begin_ns, uint32_t *ret_id);

/*
 * Record the calls of this process into spools in a folder (absolute path, borrowed). -EBUSY if
 * they are already recorded, because of WATTLE_SPOOL or by another recorder. Returns 0 or -errno.
 */
int wtl_region_record(const char *dir);

/* Hook forks from now on; a constructor does so, too. A caller that holds its own lock during these
 * calls, and also takes it at forks, must call this before its pthread_atfork(): then the locks are
 * taken in the same order there. */
void wtl_region_hook_fork(void);

/* The folder into which the calls are recorded; 0, -ENOENT if they are not, -ENAMETOOLONG. */
int wtl_region_folder(char *dir, size_t n);

/* Stop recording: the file is complete, nothing writes to it any more. */
void wtl_region_stop(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the region calls of this process go: the spool file with its chunks, and the place of each
 * thread in its chunk. Behind region.c, which has the calls themselves; the recorder turns recording
 * on and off.
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
    WTL_REGION_UNKNOWN = 0, /* the environment was not looked at yet */
    WTL_REGION_OFF = 1,
    WTL_REGION_ON = 2,
    WTL_REGION_FULL = 3 /* on, but the file can take no more */
};

/* A thread's place in its chunk. Initial-exec: one instruction to reach, and small enough for the
 * static TLS that the loader keeps for libraries opened late. */
struct wtl_place {
    uintptr_t next;
    uintptr_t
        end; /* of what may be written; 0 = not recording here; set to 0 by another thread when
                      recording ends */
    uintptr_t chunk_end; /* of the mapping; 0 = none */
    uint64_t pair_time;  /* of the last clock pair */
    uint64_t pair_due;   /* cycles after it; UINT64_MAX without TSC */
    uint32_t thread;     /* number in the process; 0 = none yet, and not among the places */
    uint32_t busy;       /* off the hot path, with the lock */
    uint32_t inside;     /* in a call, and the low word of its stack pointer: a signal handler must
                            not change the chunk */
    struct wtl_place *older, *newer; /* among the places of the process */
};

extern __thread struct wtl_place wtl_place
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* enum wtl_region_state; to be read with wtl_region_state(). */
extern int wtl_region_state_now __attribute__((visibility("hidden")));

/* Not 0 in the process that has the file; the kernel makes it 0 in the child of a fork, of one that runs no hooks (_Fork(), the bare clone()),
 * too. Where it cannot, it never is. */
extern const uint32_t *wtl_place_own __attribute__((visibility("hidden")));

/* What was the parent's is forgotten. */
__attribute__((cold)) void wtl_place_forget_parent(void);

static inline int wtl_region_state(void)
{
    return __atomic_load_n(&wtl_region_state_now, __ATOMIC_ACQUIRE);
}

/* Reserve bytes in one instruction: no lock prefix, only this thread and its signal handlers. */
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

/* Give the last reserved record back; false when a signal handler has reserved behind it. */
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

/* Relaxed: all that a thread learns from a 0 is to ask for the lock. */
static inline uintptr_t wtl_place_end(const struct wtl_place *at)
{
    return __atomic_load_n(&at->end, __ATOMIC_RELAXED);
}

/* The kind goes last, so that a reader never sees a kind without its time. */
static inline void wtl_place_store(uintptr_t slot,
                                   uint64_t time,
                                   enum wtl_spool_kind kind,
                                   uint32_t id)
{
    struct wtl_spool_record *record = (struct wtl_spool_record *)slot;

    record->time = time;
    __atomic_store_n(&record->what, wtl_spool_what(kind, id), __ATOMIC_RELEASE);
}

/* A clock pair into two records of this thread's chunk. */
void wtl_place_store_pair(uintptr_t slot, enum wtl_spool_kind kind, uint32_t id, uint32_t more);

/* Ticks of the region calls' clock as ns, by the clock pairs of this process since its recording began. */
uint64_t wtl_place_ns(uint64_t ticks);
/* The reverse, for a few ns more or less. */
uint64_t wtl_place_ticks(uint64_t ns);

/* A call that cannot be recorded: the file can take no more, or, nested, it is that of a signal handler within another call. Safe from
 * signal handlers. */
void wtl_place_drop(bool nested);

/* A call whose name was refused. Where nothing is recorded it costs as little as any. */
__attribute__((cold)) void wtl_place_refuse(void);

/* Signals and cancellation are held off and errno is kept while the lock is held. */
struct wtl_place_held {
    sigset_t signals;
    int cancel, error;
};

/* Take the lock; at the first time the environment is looked at. */
void wtl_place_hold(struct wtl_place_held *held);
void wtl_place_release(const struct wtl_place_held *held);

/* With the lock held: more of the thread's chunk, the rest of another, or a fresh one. nested: by a handler that came within
 * another call, only where wtl_place_has_more(). Without room the state becomes FULL. */
void wtl_place_find(bool nested);

/* Is there a part of the thread's chunk that may not be written yet? */
static inline bool wtl_place_has_more(const struct wtl_place *at)
{
    uintptr_t end = wtl_place_end(at);

    return end != 0 && end < at->chunk_end;
}

/* With the lock held: names not yet in the file, when there is one. */
void wtl_place_write_names(void);

/* wattle_event() with any type, wattle's own (trace/own_event.h), too. */
void wtl_region_event(uint32_t type, uint64_t value);

/*
 * Begin of the innermost open region of the calling thread by CLOCK_MONOTONIC, and its id; not in signal handlers. Returns 0;
 * -ENOENT when there is none, it began before all that is known, or regions are not recorded. wtl_region_open_want() comes first.
 */
int wtl_region_innermost(uint64_t *ret_begin_ns, uint32_t *ret_id);

/*
 * Record the calls of this process into spools in a folder (absolute path, borrowed), where they are
 * not recorded already, by WATTLE_SPOOL or for somebody else: then -EBUSY. Returns 0 or -errno.
 */
int wtl_region_record(const char *dir);

/* Be told of forks from now on; a constructor does so, too. Who calls into here with a lock of his own held, and takes that at forks, too, calls this before
 * his pthread_atfork(): then the locks are taken in the same order there. */
void wtl_region_hook_fork(void);

/* The folder into which the calls are recorded; 0, -ENOENT when they are not, -ENAMETOOLONG. */
int wtl_region_folder(char *dir, size_t n);

/* End that: the file is whole, nobody writes to it any more. */
void wtl_region_stop(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions (tags) and events: what the program itself says about its time.
 *
 *     uint32_t solve = wattle_region_id("solve");   // once
 *     wattle_region_begin(solve);                   // cheap: tens of nanoseconds
 *     ...
 *     wattle_region_end(solve);
 *
 *     WATTLE_REGION("solve") {                      // the same, ended by whatever leaves the block
 *         ...
 *     }
 *
 * Under "wattle run" with a trace, or while a recorder with a trace runs, the calls append to a file mapped into
 * memory that survives kill -9; otherwise they cost a test and return. Regions nest per thread;
 * crossing or unbalanced ones are recorded and reported, never fatal. A region belongs to the thread
 * that calls: each thread of a team begins and ends its own. Nothing here fails, prints or changes
 * errno. "wattle stats --regions" and <wattle/trace.h> give the energy by name.
 *
 * Thread rule: all calls are safe from any thread, begin, end and event by id from signal handlers,
 * too. After fork the child's calls are recorded as its own; ids stay good.
 */
#ifndef WATTLE_REGION_H
#define WATTLE_REGION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The id of a region's name, the same for the same name in one process; to be called once, outside
 * of hot code and of signal handlers. The name is copied; 1 to 255 bytes of UTF-8. Returns the id
 * >= 1, whether or not recording is on; or 0 when the name is not acceptable, there is no memory or
 * the table (65535 names) is full; 0 is accepted, and ignored, by begin and end. Since 0.1.
 */
uint32_t wattle_region_id(const char *name);

/* Begin and end a region on the calling thread; end takes the id of the one that ends. Since 0.1. */
void wattle_region_begin(uint32_t id);
void wattle_region_end(uint32_t id);

/* The same by name: one look-up more for each call, without a lock once the name is known. Since
 * 0.1. */
void wattle_region_begin_name(const char *name);
void wattle_region_end_name(const char *name);

/*
 * Record that something of kind `type` with `value` happened now on this thread (Paraver's
 * type:value pairs; types are the caller's own). Types from 0xFFFF0000 on are wattle's: ignored. Since 0.1.
 */
void wattle_event(uint32_t type, uint64_t value);

/* 1 when calls of this process are being recorded, else 0. Since 0.1. */
int wattle_recording(void);

#ifdef __cplusplus
}
#endif

/*
 * Regions by scope, for C (C99, GNU or clang) and C++ (C++11; WATTLE_REGION_SCOPE in C++98, too). The name is looked up at
 * the first pass and its id kept in a static variable, so it must be the same each time.
 *
 *     WATTLE_REGION("name") statement      a region that lasts as long as the statement or block
 *     WATTLE_REGION_SCOPE("name");         from here to the end of the block around it
 *
 * A region ends on every way out: the end of the block, return, goto, break, continue, a C++ exception; in C
 * also at the cancellation of the thread where the code is compiled with -fexceptions. longjmp(3), exit(3) and a
 * jump into the block are not seen: the region is then recorded as unbalanced.
 *
 * In C, WATTLE_REGION is a loop that runs once: break and continue in its block leave the block, and not a
 * loop around it. Where that matters, take WATTLE_REGION_SCOPE. In C++ they go to the loop around.
 *
 * With WATTLE_NO_REGIONS defined before this header both compile to nothing, and need no library; the calls
 * above stay.
 */
#if defined(__GNUC__) || defined(__clang__)

/* What the macros are made of; not to be called. 0 in the cache = not looked up, or refused. */
#    define WATTLE_REGION_JOIN_(a, b) a##b
#    define WATTLE_REGION_NAME_(a, b) WATTLE_REGION_JOIN_(a, b)

#    ifndef WATTLE_NO_REGIONS
static inline uint32_t wattle_region_cached_(uint32_t *cache, const char *name)
{
    uint32_t id = __atomic_load_n(cache, __ATOMIC_RELAXED);

    if (__builtin_expect(id == 0, 0)) {
        id = wattle_region_id(name);
        __atomic_store_n(cache, id, __ATOMIC_RELAXED); /* the same from each thread */
    }
    return id;
}

#        define WATTLE_REGION_ID_(name)               \
            (__extension__({                          \
                static uint32_t cache_;               \
                wattle_region_cached_(&cache_, name); \
            }))
#    endif

#    ifdef __cplusplus
#        ifndef WATTLE_NO_REGIONS
class wattle_region_scope_
{
  public:
    explicit wattle_region_scope_(uint32_t id) : id_(id)
    {
        wattle_region_begin(id);
    }
    ~wattle_region_scope_()
    {
        wattle_region_end(id_);
    }
    operator bool() const
    {
        return false;
    } /* so that the block stands behind "else" */

  private:
    wattle_region_scope_(const wattle_region_scope_ &);
    wattle_region_scope_ &operator=(const wattle_region_scope_ &);
    uint32_t id_;
};
#            define WATTLE_REGION(name)                                  \
                if (const wattle_region_scope_ &wattle_region_here_ =    \
                        wattle_region_scope_(WATTLE_REGION_ID_(name))) { \
                } else
#            define WATTLE_REGION_SCOPE(name)                                       \
                const wattle_region_scope_ WATTLE_REGION_NAME_(wattle_region_here_, \
                                                               __LINE__)(WATTLE_REGION_ID_(name))
#        else
#            define WATTLE_REGION(name) \
                if (false) {            \
                } else
#            define WATTLE_REGION_SCOPE(name) static_cast<void>(0)
#        endif
#    elif !defined(WATTLE_NO_REGIONS)
static inline uint32_t wattle_region_enter_(uint32_t id)
{
    wattle_region_begin(id);
    return id;
}

static inline void wattle_region_leave_(const uint32_t *id)
{
    wattle_region_end(*id);
}

#        define WATTLE_REGION_SCOPE(name)                                     \
            const uint32_t WATTLE_REGION_NAME_(wattle_region_here_, __LINE__) \
                __attribute__((cleanup(wattle_region_leave_), unused)) =      \
                    wattle_region_enter_(WATTLE_REGION_ID_(name))
/* The second variable ends the loop; that it is of the same type is C's rule for the head of a for. */
#        define WATTLE_REGION(name)                                                     \
            for (uint32_t wattle_region_here_                                           \
                 __attribute__((cleanup(wattle_region_leave_), unused)) =               \
                     wattle_region_enter_(WATTLE_REGION_ID_(name)),                     \
                                                               wattle_region_once_ = 1; \
                 wattle_region_once_; wattle_region_once_ = 0)
#    else
#        define WATTLE_REGION(name) \
            for (int wattle_region_once_ = 1; wattle_region_once_; wattle_region_once_ = 0)
#        define WATTLE_REGION_SCOPE(name) ((void)0)
#    endif
#endif

#endif

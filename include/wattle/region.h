/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions (tags) and events: marks that a program sets in its own timeline.
 *
 *     uint32_t solve = wattle_region_id("solve");   // once
 *     wattle_region_begin(solve);                   // cheap: tens of nanoseconds
 *     ...
 *     wattle_region_end(solve);
 *
 *     WATTLE_REGION("solve") {                      // the same, ended however the block is left
 *         ...
 *     }
 *
 * Under "wattle run" with a trace, or while a recorder with a trace is running, the calls append to
 * a memory-mapped file that survives kill -9; otherwise they test a flag and return. Regions nest
 * per thread; crossing or unbalanced ones are recorded and reported, never fatal. A region belongs
 * to the calling thread: each thread of a team begins and ends its own. Nothing here fails, prints
 * or changes errno. "wattle stats --regions" and <wattle/trace.h> give the energy by name.
 *
 * Thread rule: all calls are safe from any thread; begin, end and event by id also from signal
 * handlers. After fork the child's calls are recorded as those of the child; ids stay valid.
 */
#ifndef WATTLE_REGION_H
#define WATTLE_REGION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Id of a region name; the same name always gives the same id within a process. Call it once,
 * outside hot code and signal handlers. The name is copied; 1 to 255 bytes of UTF-8. Returns the id
 * >= 1, whether or not recording is on; or 0 when the name is not valid, memory is exhausted or the
 * table (65535 names) is full. begin and end accept 0 and ignore it. Since 0.1.
 */
uint32_t wattle_region_id(const char *name);

/* Begin and end a region on the calling thread; end takes the id of the region that ends. Since
 * 0.1. */
void wattle_region_begin(uint32_t id);
void wattle_region_end(uint32_t id);

/* The same by name: one additional look-up per call, without a lock once the name is known.
 * Since 0.1. */
void wattle_region_begin_name(const char *name);
void wattle_region_end_name(const char *name);

/*
 * Record that an event of kind `type` with `value` happened on this thread (Paraver's type:value
 * pairs; the caller defines the types). Types from 0xFFFF0000 on are reserved for wattle and
 * ignored. Since 0.1.
 */
void wattle_event(uint32_t type, uint64_t value);

/* 1 while calls of this process are being recorded, else 0. Since 0.1. */
int wattle_recording(void);

#ifdef __cplusplus
}
#endif

/*
 * Scoped regions for C (C99, GNU or clang) and C++ (C++11; WATTLE_REGION_SCOPE also in C++98). The
 * name is looked up at the first pass and its id kept in a static variable, so it must be the same
 * each time.
 *
 *     WATTLE_REGION("name") statement      a region that lasts as long as the statement or block
 *     WATTLE_REGION_SCOPE("name");         from here to the end of the enclosing block
 *
 * A region ends on every way out: the end of the block, return, goto, break, continue, a C++
 * exception; in C also when the thread is cancelled, if the code is compiled with -fexceptions.
 * longjmp(3), exit(3) and a jump into the block are not detected: the region is then recorded as
 * unbalanced.
 *
 * In C, WATTLE_REGION is a loop that runs once: break and continue in its block leave the block,
 * not the loop around it. Where that matters, use WATTLE_REGION_SCOPE. In C++ they act on the
 * enclosing loop.
 *
 * With WATTLE_NO_REGIONS defined before this header, both macros compile to nothing and need no
 * library; the functions above are still declared.
 */
#if defined(__GNUC__) || defined(__clang__)

/* Implementation of the macros; do not call. 0 in the cache = not looked up, or refused. */
#    define WATTLE_REGION_JOIN_(a, b) a##b
#    define WATTLE_REGION_NAME_(a, b) WATTLE_REGION_JOIN_(a, b)

#    ifndef WATTLE_NO_REGIONS
static inline uint32_t wattle_region_cached_(uint32_t *cache, const char *name)
{
    uint32_t id = __atomic_load_n(cache, __ATOMIC_RELAXED);

    if (__builtin_expect(id == 0, 0)) {
        id = wattle_region_id(name);
        __atomic_store_n(cache, id, __ATOMIC_RELAXED); /* every thread stores the same value */
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
    } /* so that the block follows "else" */

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
/* The second variable ends the loop; it has the same type because C allows only one type in the
 * head of a for. */
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

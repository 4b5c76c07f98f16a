/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libcupti.so as programs of a simulated node find it: the activity interface for kernels, copies and memory that is set. What runs
 * comes from the simulated libcuda (fake_cupti_ran()), with its true times; CUPTI's clock is another one, which goes 20 ppm
 * faster. FAKE_CUPTI in the environment has words: "api=18" (records as in CUDA 11.8; else 12.4), "drop=N" (the N-th record and
 * all after it find no room), "enable=N" (that call fails with N), "noclock". Written after the published reference only.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "sim/gpu/fake.h"

enum { OK = 0, INVALID_PARAMETER = 1, NO_MORE = 12, UNKNOWN = 999 };
enum { MEMCPY = 1, MEMSET = 2, CONCURRENT_KERNEL = 10, KINDS = 64 };
enum { FORCED = 1, RECORD_MAX = 208 };

typedef void (*requested_call)(uint8_t **buffer, size_t *size, size_t *most);
typedef void (
    *completed_call)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static requested_call requested;
static completed_call completed;
static bool enabled[KINDS];
static uint8_t *buffer;
static size_t size, used, dropped;
static unsigned long records;

static long word(const char *name, long otherwise)
{
    const char *words = getenv("FAKE_CUPTI");
    const char *at = words ? strstr(words, name) : NULL;
    if (!at)
        return otherwise;
    at += strlen(name);
    return *at == '=' ? strtol(at + 1, NULL, 10) : 1;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t clock_of(uint64_t monotonic_ns)
{
    return UINT64_C(1700000000000000000) + monotonic_ns + monotonic_ns / 50000;
}

/* ---- records ---- */

static size_t record_size(uint32_t kind)
{
    bool old = word("api", 22) == 18;
    return kind == CONCURRENT_KERNEL ? old ? 200 : 208 : 88;
}

static void set_field(uint8_t *at, size_t place, const void *value, size_t n)
{
    memcpy(at + place, value, n);
}

/* What is not over has no times. */
static void forget_times(uint64_t now)
{
    for (uint8_t *at = buffer; buffer && at < buffer + used;) {
        uint64_t end, zeros[2] = {0, 0};
        uint32_t kind;
        memcpy(&kind, at, sizeof kind);
        memcpy(&end, at + 24, sizeof end);
        if (end > now)
            memcpy(at + 16, zeros, sizeof zeros);
        at += record_size(kind);
    }
}

/* With the lock held; the callback is called without it. */
static void hand_over(void)
{
    uint8_t *full = buffer;
    size_t n = size, valid = used;
    buffer = NULL;
    size = used = 0;
    if (!full)
        return;
    (void)pthread_mutex_unlock(&lock);
    completed(NULL, 0, full, n, valid);
    (void)pthread_mutex_lock(&lock);
}

static bool has_room(size_t n)
{
    size_t most = 0;
    if (used + n > size)
        hand_over();
    if (!buffer) {
        requested(&buffer, &size, &most);
        used = 0;
    }
    return buffer && used + n <= size;
}

/* Called by the simulated libcuda. kind: as in a record; times of CLOCK_MONOTONIC. */
EXPORT void fake_cupti_ran(uint32_t kind,
                           uint32_t copy_kind,
                           uint64_t bytes,
                           const uint64_t span_ns[2],
                           uint32_t device,
                           uint32_t stream,
                           const char *name)
{
    uint64_t times[2] = {clock_of(span_ns[0]), clock_of(span_ns[1])};
    long drop = word("drop", 0);
    if (kind >= KINDS || !enabled[kind] || !requested)
        return;
    (void)pthread_mutex_lock(&lock);
    size_t n = record_size(kind);
    records++;
    if ((drop > 0 && records >= (unsigned long)drop) || !has_room(n)) {
        dropped++;
    } else {
        uint8_t *at = buffer + used;
        uint32_t where[3] = {device, 1, stream}, correlation = (uint32_t)records;
        bool kernel = kind == CONCURRENT_KERNEL;
        memset(at, 0, n);
        set_field(at, 0, &kind, sizeof kind);
        set_field(at, 16, times, sizeof times);
        set_field(at, kernel ? 40 : 32, where, sizeof where);
        set_field(at, kernel ? 92 : 44, &correlation, sizeof correlation);
        if (kernel) {
            set_field(at, 104, &name, sizeof name);
        } else {
            at[4] = (uint8_t)copy_kind;
            set_field(at, 8, &bytes, sizeof bytes);
        }
        used += n;
    }
    (void)pthread_mutex_unlock(&lock);
}

/* ---- the interface ---- */

EXPORT int cuptiGetVersion(uint32_t *version)
{
    *version = (uint32_t)word("api", 22);
    return OK;
}

EXPORT int cuptiGetTimestamp(uint64_t *ns)
{
    *ns = clock_of(now_ns());
    return word("noclock", 0) ? UNKNOWN : OK;
}

EXPORT int cuptiActivityRegisterCallbacks(requested_call ask, completed_call done)
{
    requested = ask;
    completed = done;
    return ask && done ? OK : INVALID_PARAMETER;
}

EXPORT int cuptiActivityEnable(int kind)
{
    int rc = (int)word("enable", OK);
    if (kind <= 0 || kind >= KINDS)
        return INVALID_PARAMETER;
    enabled[kind] = rc == OK;
    return rc;
}

EXPORT int cuptiActivityFlushAll(uint32_t flag)
{
    (void)pthread_mutex_lock(&lock);
    if (flag & FORCED)
        forget_times(clock_of(now_ns()));
    hand_over();
    (void)pthread_mutex_unlock(&lock);
    return OK;
}

EXPORT int cuptiActivityGetNextRecord(uint8_t *in, size_t valid, uint8_t **record)
{
    uint32_t kind = 0;
    if (!*record) {
        *record = in;
        return valid > 0 ? OK : NO_MORE;
    }
    memcpy(&kind, *record, sizeof kind);
    uint8_t *next = *record + record_size(kind);
    if (next >= in + valid)
        return NO_MORE;
    *record = next;
    return OK;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    (void)context, (void)stream;
    (void)pthread_mutex_lock(&lock);
    *count = dropped;
    dropped = 0;
    (void)pthread_mutex_unlock(&lock);
    return OK;
}

EXPORT int cuptiActivityFlushPeriod(uint32_t ms)
{
    (void)ms; /* nothing is handed over before the buffer is full, or the end */
    return OK;
}

EXPORT int cuptiGetResultString(int result, const char **text)
{
    static char words[40];
    (void)snprintf(words, sizeof words, "simulated CUPTI error %d", result);
    *text = words;
    return OK;
}

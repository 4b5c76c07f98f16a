/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes of GPUs: see lane_book.h. Everything is within calls of the vendor's library, never on the program's way to the GPU. */
#define _GNU_SOURCE
#include "lane_book.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <wattle/region.h>
#include <wattle/task.h>

enum {
    LANES = 512,
    PARTS = 16,       /* lanes of a queue whose tasks overlap */
    DEVICE = 24,      /* bytes of an address */
    NAMES = 4096,     /* of kernels that are remembered */
    NAME_BYTES = 250, /* a name may be longer in the program, but not in a trace */
    SLACK_NS = 1000000
};

/* Numbers of tasks of GPUs, apart from those of other tools in the process. */
static const uint64_t first_task = UINT64_C(1) << 40;

struct lane {
    char device[DEVICE];
    uint64_t queue;
    uint32_t id;
    uint64_t end_ns;
};

struct entry {
    struct wattle_lane_span span;
    uint64_t queue;
    char device[DEVICE];
    size_t lane;
};

static struct {
    pthread_mutex_t lock;
    struct lane lanes[LANES];
    size_t lane_count;
    struct entry *entries;
    size_t count, room;
    uint64_t tasks, lost;
    struct {
        char *text;
        uint32_t id;
    } names[NAMES];
} book = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- clocks ---- */

static uint64_t now_ns(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* it exists */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool lane_book_moment(int (*get_timestamp)(uint64_t *ns), struct lane_moment *ret)
{
    ret->width_ns = UINT64_MAX;
    for (int i = 0; i < 5; i++) { /* the narrowest, in case one is interrupted */
        uint64_t theirs = 0, before = now_ns();
        int rc = get_timestamp(&theirs);
        uint64_t width = now_ns() - before;

        if (rc != 0 || theirs == 0)
            return false;
        if (width < ret->width_ns)
            *ret = (struct lane_moment){theirs, before + width / 2, width};
    }
    return true;
}

uint64_t lane_book_time(const struct lane_moment *before,
                        const struct lane_moment *after,
                        uint64_t theirs_ns)
{
    const struct lane_moment *near = theirs_ns < after->theirs_ns ? before : after;
    double rate = 1;

    if (after->theirs_ns > before->theirs_ns && after->ours_ns > before->ours_ns &&
        theirs_ns >= before->theirs_ns)
        rate = (double)(after->ours_ns - before->ours_ns) /
               (double)(after->theirs_ns - before->theirs_ns);
    if (rate < 0.9 || rate > 1.1) /* a clock was set */
        rate = 1;
    double apart = (double)(int64_t)(theirs_ns - near->theirs_ns) * rate;

    return near->ours_ns + (uint64_t)(int64_t)apart;
}

/* ---- names ---- */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* The program has the demangler if it is of C++. */
static char *demangled(const char *name)
{
    char *(*demangle)(const char *, char *, size_t *, int *);
    int status = -1;
    void *found = strncmp(name, "_Z", 2) == 0 ? dlsym(RTLD_DEFAULT, "__cxa_demangle") : NULL;

    if (!found)
        return NULL;
    memcpy(&demangle, &found, sizeof(demangle));
    char *text = demangle(name, NULL, NULL, &status);

    return status == 0 ? text : NULL;
}

static uint32_t make_name(const char *mangled, uint64_t hash)
{
    char text[NAME_BYTES + 1], *whole = demangled(mangled);
    const char *from = whole ? whole : mangled;

    if (strlen(from) < sizeof(text))
        (void)snprintf(text, sizeof(text), "%s", from);
    else /* the hash keeps those apart that begin alike */
        (void)snprintf(text, sizeof(text), "%.*s...%08" PRIx32, NAME_BYTES - 11, from,
                       (uint32_t)hash);
    free(whole);
    return wattle_region_id(text);
}

uint32_t lane_book_name(const char *mangled)
{
    if (!mangled || !mangled[0])
        return wattle_region_id("(kernel without a name)");
    uint64_t hash = hash_of(mangled);

    for (size_t i = 0; i < NAMES; i++) {
        size_t at = (hash + i) % NAMES;

        if (book.names[at].text && strcmp(book.names[at].text, mangled) == 0)
            return book.names[at].id;
        if (!book.names[at].text) {
            uint32_t id = make_name(mangled, hash);

            book.names[at].text = strdup(mangled);
            book.names[at].id = id;
            return id;
        }
    }
    return make_name(mangled, hash);
}

/* ---- lanes ---- */

bool lane_book_is_own(void)
{
    static pid_t owner;
    pid_t self = getpid(), none = 0;

    return __atomic_compare_exchange_n(&owner, &none, self, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED) ||
           none == self;
}

bool lane_book_open(void)
{
    if (!lane_book_is_own())
        return false;
    (void)pthread_mutex_lock(&book.lock);
    book.count = 0;
    return true;
}

void lane_book_add(const char *device,
                   uint64_t queue,
                   uint64_t begin_ns,
                   uint64_t end_ns,
                   uint32_t name)
{
    if (begin_ns == 0 || end_ns < begin_ns || name == 0) {
        book.lost++;
        return;
    }
    if (book.count == book.room) {
        size_t room = book.room ? 2 * book.room : 1024;
        struct entry *more = realloc(book.entries, room * sizeof(*more));

        if (!more) {
            book.lost++;
            return;
        }
        book.entries = more;
        book.room = room;
    }
    struct entry *entry = &book.entries[book.count++];

    *entry = (struct entry){.queue = queue,
                            .span = {.begin_ns = begin_ns, .end_ns = end_ns, .name = name}};
    (void)snprintf(entry->device, sizeof(entry->device), "%s", device);
}

static int by_begin(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->span.begin_ns != y->span.begin_ns)
        return x->span.begin_ns < y->span.begin_ns ? -1 : 1;
    return x->span.end_ns < y->span.end_ns ? -1 : x->span.end_ns > y->span.end_ns;
}

static int by_lane(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return by_begin(a, b);
}

/* A free lane of the queue, made if need be; LANES = none. */
static size_t lane_for(const struct entry *entry)
{
    char name[96];
    unsigned parts = 0;

    for (size_t i = 0; i < book.lane_count; i++) {
        const struct lane *lane = &book.lanes[i];

        if (lane->queue != entry->queue || strcmp(lane->device, entry->device) != 0)
            continue;
        if (lane->end_ns <= entry->span.begin_ns)
            return i;
        parts++;
    }
    if (parts == PARTS || book.lane_count == LANES)
        return LANES;
    int n = snprintf(name, sizeof(name), "gpu %s stream %" PRIu64, entry->device, entry->queue);

    if (parts > 0)
        (void)snprintf(name + n, sizeof(name) - (size_t)n, ", part %u", parts + 1);
    struct lane *lane = &book.lanes[book.lane_count];

    *lane = (struct lane){.queue = entry->queue, .id = wattle_region_id(name)};
    memcpy(lane->device, entry->device, sizeof(lane->device));
    return book.lane_count++;
}

/* A lane for each, and a number. Clocks agree within a little, so that what has just ended may seem to end later. */
static void place_entries(void)
{
    uint64_t now = now_ns();

    for (size_t i = 0; i < book.count; i++) {
        struct wattle_lane_span *span = &book.entries[i].span;

        if (span->end_ns > now && span->end_ns - now < SLACK_NS) {
            span->end_ns = now;
            span->begin_ns = span->begin_ns < now ? span->begin_ns : now;
        }
        /* What a clock that was set puts into the future would close the lane for all that follows. */
        book.entries[i].lane = span->end_ns > now ? LANES : lane_for(&book.entries[i]);
        if (book.entries[i].lane == LANES)
            continue;
        book.lanes[book.entries[i].lane].end_ns = span->end_ns;
        span->task = first_task + ++book.tasks;
    }
}

static void give(const struct entry *entries, size_t count)
{
    struct wattle_lane_span spans[128];

    for (size_t at = 0; at < count;) {
        unsigned n = 0;

        for (; n < 128 && at < count; n++, at++)
            spans[n] = entries[at].span;
        unsigned done = wattle_lane_spans(book.lanes[entries[0].lane].id, spans, n);

        if (wattle_task_recording() == 1) /* else it is the size limit: TASKS CUT */
            book.lost += n - done;
    }
}

void lane_book_close(void)
{
    if (book.count > 0) {
        qsort(book.entries, book.count, sizeof(*book.entries), by_begin);
        place_entries();
        qsort(book.entries, book.count, sizeof(*book.entries), by_lane);
    }
    for (size_t from = 0, to; from < book.count; from = to) {
        to = from + 1;
        while (to < book.count && book.entries[to].lane == book.entries[from].lane)
            to++;
        if (book.entries[from].lane == LANES)
            book.lost += to - from;
        else
            give(&book.entries[from], to - from);
    }
    book.count = 0;
    (void)pthread_mutex_unlock(&book.lock);
}

/* ---- labels of the trace ---- */

void lane_book_lost(uint64_t count)
{
    if (!lane_book_is_own())
        return;
    (void)pthread_mutex_lock(&book.lock);
    book.lost += count;
    (void)pthread_mutex_unlock(&book.lock);
}

static void note(uint32_t what, const char *text)
{
    wattle_task_mark(WATTLE_TASK_LABEL_TYPE, wattle_region_id(text), what);
}

void lane_book_refused(const char *text)
{
    note(WATTLE_TASK_LABEL_LOST, text);
}

void lane_book_begin(const char *runtime)
{
    (void)lane_book_is_own(); /* from here on */
    note(WATTLE_TASK_LABEL_RUNTIME, runtime);
    note(WATTLE_TASK_LABEL_HELD,
         "the last kernels and copies on GPUs (a process was killed, or called exec or _exit)");
}

void lane_book_tell_lost(const char *vendor)
{
    char text[128];

    if (!lane_book_is_own())
        return;
    note(WATTLE_TASK_LABEL_TOLD, vendor);
    (void)pthread_mutex_lock(&book.lock);
    uint64_t lost = book.lost;

    book.lost = 0;
    (void)pthread_mutex_unlock(&book.lock);
    if (lost == 0)
        return;
    (void)snprintf(text, sizeof(text), "%" PRIu64 " kernels and copies on GPUs (lost by %s)", lost,
                   vendor);
    note(WATTLE_TASK_LABEL_LOST, text);
}

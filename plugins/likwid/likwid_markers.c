/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps LIKWID's marker calls to wattle regions: see likwid_markers.h. */
#define _GNU_SOURCE
#include "likwid_markers.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <wattle/region.h>

enum { NAME_BYTES = 255, FIRST_ROWS = 64 };

/* What GetRegion reports about a region, on one thread. */
struct visits {
    uint64_t begin_ns; /* begin of the current visit; 0 = none */
    uint64_t time_ns;  /* total of finished visits */
    int count;
};

/* The visits of one thread, by the region's id; freed when it ends. */
struct table {
    uint32_t size;
    struct visits rows[];
};

/* The calls of liblikwid, if both are to see them; NULL = not */
static struct {
    void (*init)(void);
    void (*thread_init)(void);
    void (*next_group)(void);
    void (*close)(void);
    int (*register_region)(const char *);
    int (*start)(const char *);
    int (*stop)(const char *);
    int (*reset)(const char *);
    void (*get)(const char *, int *, double *, double *, int *);
} next;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int keyed;
static __thread struct table *table;

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(function, &found, sizeof found); /* C has no cast from an object to a function pointer */
}

static void free_table(void *of_thread)
{
    table = NULL;
    free(of_thread);
}

static void set_up(void)
{
    const char *under_perfctr = secure_getenv("LIKWID_FILEPATH");

    keyed = pthread_key_create(&key, free_table) == 0;
    if (!under_perfctr || !under_perfctr[0])
        return;
    find("likwid_markerInit", &next.init);
    find("likwid_markerThreadInit", &next.thread_init);
    find("likwid_markerNextGroup", &next.next_group);
    find("likwid_markerClose", &next.close);
    find("likwid_markerRegisterRegion", &next.register_region);
    find("likwid_markerStartRegion", &next.start);
    find("likwid_markerStopRegion", &next.stop);
    find("likwid_markerResetRegion", &next.reset);
    find("likwid_markerGetRegion", &next.get);
}

static void need(void)
{
    (void)pthread_once(&once, set_up);
}

static uint64_t now_ns(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail */
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The row of a region on this thread, or NULL if out of memory. */
static struct visits *visits_of(uint32_t id)
{
    if (!table || id >= table->size) {
        uint32_t was = table ? table->size : 0, size = was ? was : FIRST_ROWS;

        while (size <= id)
            size *= 2;
        struct table *larger =
            keyed ? realloc(table, sizeof *larger + size * sizeof larger->rows[0]) : NULL;

        if (!larger)
            return NULL;
        memset(&larger->rows[was], 0, (size - was) * sizeof larger->rows[0]);
        larger->size = size;
        table = larger;
        if (pthread_setspecific(key, table) != 0)
            return NULL;
    }
    return &table->rows[id];
}

void likwid_markerInit(void)
{
    need();
    if (next.init)
        next.init();
}

void likwid_markerThreadInit(void)
{
    need();
    if (next.thread_init)
        next.thread_init();
}

void likwid_markerNextGroup(void)
{
    need();
    if (next.next_group)
        next.next_group();
}

void likwid_markerClose(void)
{
    need();
    if (next.close)
        next.close();
}

int likwid_markerRegisterRegion(const char *tag)
{
    need();
    int rc = wattle_region_id(tag) ? 0 : -EINVAL;

    return next.register_region ? next.register_region(tag) : rc;
}

/* Keep liblikwid's work outside wattle's region. */
int likwid_markerStartRegion(const char *tag)
{
    need();
    int rc = next.start ? next.start(tag) : 0;
    uint32_t id = wattle_region_id(tag);
    struct visits *visits = id ? visits_of(id) : NULL;

    if (visits)
        visits->begin_ns = now_ns();
    wattle_region_begin(id);
    return next.start || id ? rc : -EINVAL;
}

int likwid_markerStopRegion(const char *tag)
{
    need();
    uint32_t id = wattle_region_id(tag);
    struct visits *visits = id ? visits_of(id) : NULL;

    wattle_region_end(id);
    if (visits && visits->begin_ns) {
        visits->time_ns += now_ns() - visits->begin_ns;
        visits->begin_ns = 0;
        visits->count++;
    }
    if (next.stop)
        return next.stop(tag);
    return id ? 0 : -EINVAL;
}

int likwid_markerResetRegion(const char *tag)
{
    need();
    uint32_t id = wattle_region_id(tag);
    struct visits *visits = id ? visits_of(id) : NULL;

    if (visits)
        *visits = (struct visits){0};
    if (next.reset)
        return next.reset(tag);
    return id ? 0 : -EINVAL;
}

void likwid_markerGetRegion(const char *tag,
                            int *nr_events,
                            double *events,
                            double *time,
                            int *count)
{
    need();
    if (next.get) {
        next.get(tag, nr_events, events, time, count);
        return;
    }
    uint32_t id = wattle_region_id(tag);
    const struct visits *visits = id ? visits_of(id) : NULL;

    if (nr_events)
        *nr_events = 0;
    if (time)
        *time = visits ? (double)visits->time_ns * 1e-9 : 0;
    if (count)
        *count = visits ? visits->count : 0;
}

/* Convert a Fortran text to C: without trailing blanks. Names that are too long stay too long, and
 * are refused. */
static const char *text_of(const char *tag, int length, char room[NAME_BYTES + 2])
{
    size_t n = tag && length > 0 ? (size_t)length : 0;

    while (n > 0 && tag[n - 1] == ' ')
        n--;
    n = n > NAME_BYTES + 1 ? NAME_BYTES + 1 : n;
    if (n > 0)
        memcpy(room, tag, n);
    room[n] = '\0';
    return room;
}

void likwid_markerinit_(void)
{
    likwid_markerInit();
}

void likwid_markerthreadinit_(void)
{
    likwid_markerThreadInit();
}

void likwid_markernextgroup_(void)
{
    likwid_markerNextGroup();
}

void likwid_markerclose_(void)
{
    likwid_markerClose();
}

void likwid_markerregisterregion_(const char *tag, int length)
{
    char room[NAME_BYTES + 2];

    (void)likwid_markerRegisterRegion(text_of(tag, length, room)); /* the Fortran call has no
                                                                    * result */
}

void likwid_markerstartregion_(const char *tag, int length)
{
    char room[NAME_BYTES + 2];

    (void)likwid_markerStartRegion(text_of(tag, length, room));
}

void likwid_markerstopregion_(const char *tag, int length)
{
    char room[NAME_BYTES + 2];

    (void)likwid_markerStopRegion(text_of(tag, length, room));
}

void likwid_markerresetregion_(const char *tag, int length)
{
    char room[NAME_BYTES + 2];

    (void)likwid_markerResetRegion(text_of(tag, length, room));
}

void likwid_markergetregion_(const char *tag,
                             int *nr_events,
                             double *events,
                             double *time,
                             int *count,
                             int length)
{
    char room[NAME_BYTES + 2];

    likwid_markerGetRegion(text_of(tag, length, room), nr_events, events, time, count);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each thread opens the events for itself at its first mark. Where rdpmc works, only mappings remain open, since a
 * program may close or reuse descriptors that are not its own; elsewhere the leader's is checked before each read.
 * The group is pinned, so that its counts are never scaled; an event that it cannot have is left out, and named in
 * the trace. Nothing is allocated on the heap: the first mark may be that of a signal handler.
 */
#define _GNU_SOURCE
#include "record/regions/task_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#    include <x86intrin.h>
#endif

#include <wattle/region.h>
#include <wattle/task.h>

#include "base/environment.h"
#include "base/fail.h"
#include "record/regions/region_place.h"

enum { CLOCK = -1, MISSING = -2 }; /* instead of the index of an event in the group */

struct counter {
    int event;                         /* index in the group, CLOCK or MISSING */
    struct perf_event_mmap_page *page; /* rdpmc */
};

struct thread_counters {
    struct counter counters[WTL_TASK_COUNTERS_MAX];
    int leader; /* -1 = none, or rdpmc */
    uint64_t leader_id;
    unsigned events; /* of the group */
    bool rdpmc;
};

bool wtl_task_counting = true;

static struct {
    pthread_once_t once;
    pthread_key_t key;
    unsigned count;
    struct wtl_task_event events[WTL_TASK_COUNTERS_MAX];
    uint32_t names[WTL_TASK_COUNTERS_MAX];
    uint32_t said; /* bits: missing events that were named */
    size_t page;
} set = {.once = PTHREAD_ONCE_INIT};

static __thread struct {
    struct thread_counters *counters;
    bool busy;
} mine __attribute__((tls_model("initial-exec")));

/* ---- the list ---- */

/* A number of an entry, after = or :; NULL = malformed. */
static const char *parse_number(const char *text, size_t part, struct wtl_task_event *event)
{
    char *end;

    if (text[1] < '0' || text[1] > '9' || part > 3)
        return NULL;
    unsigned long long value = strtoull(text + 1, &end, 0);

    if (part == 0 && value > UINT32_MAX)
        return NULL;
    if (part == 0)
        event->type = (uint32_t)value;
    else
        event->config[part - 1] = value;
    return end;
}

static bool parse_one(const char *text, struct wtl_task_event *event)
{
    size_t length = strcspn(text, ",="), part = 0;

    *event = (struct wtl_task_event){0};
    if (length == 0 || length >= sizeof event->name || text[length] != '=')
        return false;
    (void)snprintf(event->name, sizeof event->name, "%.*s", (int)length, text);
    for (text += length; text && (*text == '=' || *text == ':'); part++)
        text = parse_number(text, part, event);
    return text && part >= 2 && (*text == ',' || *text == '\0');
}

unsigned wtl_task_events_parse(const char *text, struct wtl_task_event *events)
{
    unsigned count = 0;

    while (*text && count < WTL_TASK_COUNTERS_MAX) {
        count += parse_one(text, &events[count]);
        text += strcspn(text, ",");
        text += *text == ',';
    }
    return count;
}

/* ---- open and close ---- */

static void close_counters(void *data)
{
    struct thread_counters *counters = data;

    for (unsigned i = 0; i < set.count; i++)
        if (counters->counters[i].page)
            (void)munmap(counters->counters[i].page, set.page);
    if (counters->leader >= 0) /* the members close with the process; each is one descriptor */
        (void)close(counters->leader);
    (void)munmap(counters, sizeof *counters);
    mine.counters = NULL;
}

static void after_fork(void)
{
    mine.counters = NULL; /* they count the parent */
}

static void begin_set(void)
{
    const char *text = wtl_environment("WATTLE_TASKS_COUNTERS");

    set.count = text ? wtl_task_events_parse(text, set.events) : 0;
    set.page = (size_t)sysconf(_SC_PAGESIZE);
    for (unsigned i = 0; i < set.count; i++)
        set.names[i] = wattle_region_id(set.events[i].name);
    if (set.count == 0 || pthread_key_create(&set.key, close_counters) != 0 ||
        pthread_atfork(NULL, NULL, after_fork) != 0)
        __atomic_store_n(&wtl_task_counting, false, __ATOMIC_RELAXED);
}

static void say_missing(unsigned i, int error)
{
    char text[256];

    if (__atomic_fetch_or(&set.said, 1u << i, __ATOMIC_RELAXED) >> i & 1)
        return;
    (void)snprintf(text, sizeof text, "counter %s (%s)", set.events[i].name, wtl_strerror(error));
    wattle_task_mark(WATTLE_TASK_LABEL_TYPE, wattle_region_id(text), WATTLE_TASK_LABEL_LOST);
}

static int open_event(const struct wtl_task_event *event, int leader)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = event->type,
                                   .config = event->config[0],
                                   .config1 = event->config[1],
                                   .config2 = event->config[2],
                                   .read_format = PERF_FORMAT_GROUP,
                                   .pinned = leader < 0,
                                   .exclude_hv = 1};
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

    if (fd < 0 && (errno == EACCES || errno == EPERM)) {
        attr.exclude_kernel = 1;
        fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    }
    return fd < 0 ? -errno : (int)fd;
}

static bool has_rdpmc(struct thread_counters *counters, struct counter *counter, int fd)
{
#if defined(__x86_64__)
    void *page = mmap(NULL, set.page, PROT_READ, MAP_SHARED, fd, 0);

    if (page == MAP_FAILED)
        return false;
    counter->page = page;
    (void)counters;
    return counter->page->cap_user_rdpmc;
#else
    (void)counters;
    (void)counter;
    (void)fd;
    return false;
#endif
}

static void open_group(struct thread_counters *counters)
{
    int fds[WTL_TASK_COUNTERS_MAX] = {0};

    counters->rdpmc = true;
    for (unsigned i = 0; i < set.count; i++) {
        const struct wtl_task_event *event = &set.events[i];
        struct counter *counter = &counters->counters[i];

        if (event->type == PERF_TYPE_SOFTWARE && event->config[0] == PERF_COUNT_SW_TASK_CLOCK) {
            counter->event = CLOCK;
            continue;
        }
        int fd = open_event(event, counters->leader);

        if (fd < 0) {
            counter->event = MISSING;
            say_missing(i, -fd);
            continue;
        }
        counters->leader = counters->leader < 0 ? fd : counters->leader;
        counter->event = (int)counters->events;
        fds[counters->events++] = fd;
        counters->rdpmc = has_rdpmc(counters, counter, fd) && counters->rdpmc;
    }
    for (unsigned i = 0; counters->rdpmc && i < counters->events; i++)
        (void)close(fds[i]); /* the mapping keeps it counting */
    if (counters->rdpmc)
        counters->leader = -1;
    else if (counters->leader >= 0)
        (void)ioctl(counters->leader, PERF_EVENT_IOC_ID, &counters->leader_id);
}

/* The calling thread's; NULL = none. */
static struct thread_counters *open_counters(void)
{
    struct thread_counters *counters = NULL;
    sigset_t all, before;
    int error = errno;

    if (mine.busy)
        return NULL; /* a signal handler within this */
    mine.busy = true;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    (void)pthread_once(&set.once, begin_set);
    if (wtl_task_is_counting()) {
        void *memory = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        counters = memory == MAP_FAILED ? NULL : memory;
    }
    if (counters) {
        counters->leader = -1;
        open_group(counters);
        (void)pthread_setspecific(set.key, counters);
        mine.counters = counters;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    mine.busy = false;
    errno = error;
    return counters;
}

/* ---- read ---- */

#if defined(__x86_64__)
/* As linux/perf_event.h has it. false: it is not on the processor. */
static bool read_page(const volatile struct perf_event_mmap_page *page, uint64_t *ret_value)
{
    uint32_t sequence, index;
    int64_t count = 0;

    do {
        sequence = page->lock;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        index = page->index;
        if (index > 0 && page->pmc_width > 0 && page->pmc_width <= 64) {
            unsigned unused = 64u - page->pmc_width;

            count = (int64_t)((uint64_t)__rdpmc((int)index - 1) << unused) >> unused;
            count += page->offset;
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (page->lock != sequence);
    *ret_value = (uint64_t)count;
    return index > 0;
}
#endif

/* false: the descriptor is not ours any more, or the group is not on the processor. */
static bool read_group(const struct thread_counters *counters, uint64_t *values)
{
    uint64_t id = 0, read_values[1 + WTL_TASK_COUNTERS_MAX];
    size_t size = (1 + counters->events) * sizeof *values;

    if (counters->leader < 0 || ioctl(counters->leader, PERF_EVENT_IOC_ID, &id) < 0 ||
        id != counters->leader_id || read(counters->leader, read_values, size) != (ssize_t)size ||
        read_values[0] != counters->events)
        return false;
    memcpy(values, read_values + 1, counters->events * sizeof *values);
    return true;
}

static bool read_one(const struct thread_counters *counters,
                     const struct counter *counter,
                     const uint64_t *group,
                     uint64_t *ret_value)
{
    struct timespec time;

    if (counter->event == CLOCK) {
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        *ret_value = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
        return true;
    }
    if (counter->event == MISSING)
        return false;
#if defined(__x86_64__)
    if (counters->rdpmc)
        return read_page(counter->page, ret_value);
#endif
    if (group)
        *ret_value = group[counter->event];
    return group != NULL;
}

static __attribute__((noinline)) unsigned read_all(struct wattle_task_detail *details,
                                                   unsigned count)
{
    const struct thread_counters *counters = mine.counters ? mine.counters : open_counters();
    uint64_t values[WTL_TASK_COUNTERS_MAX] = {0}, value = 0;
    unsigned used = 0;
    int error = errno;

    if (!counters)
        return 0;
    bool group = !counters->rdpmc && counters->events > 0 && read_group(counters, values);

    for (unsigned i = 0; i < set.count && used < count; i++)
        if (read_one(counters, &counters->counters[i], group ? values : NULL, &value))
            details[used++] = (struct wattle_task_detail){WATTLE_TASK_COUNTER, set.names[i], value};
    errno = error;
    return used;
}

unsigned wattle_task_counters(struct wattle_task_detail *details, unsigned count)
{
    if (__builtin_expect(!wtl_task_is_counting(), 1))
        return 0;
    int state = wattle_task_recording();

    if (__atomic_load_n(&wtl_task_state_now, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&wtl_task_counting, false, __ATOMIC_RELAXED);
    return state == 1 ? read_all(details, count) : 0;
}

void wtl_task_counters_mark(void)
{
    struct wattle_task_detail details[WTL_TASK_COUNTERS_MAX];
    unsigned count = wattle_task_counters(details, WTL_TASK_COUNTERS_MAX);

    if (count > 0)
        wattle_task_mark_with(WATTLE_TASK_COUNTER, details[0].name, details[0].value, details + 1,
                              count - 1);
}

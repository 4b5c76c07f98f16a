/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code of the tracing tools under threads that use all of it at once: an OpenMP runtime of the test's own calls the OMPT tool
 * as a real one would, tasks move between threads, names are looked up for the first time by several. Nothing is lost; with the
 * thread sanitizer nothing races, which a real runtime, not built with it, could not show.
 */
#define _GNU_SOURCE
#include <extrae_user_events.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include <wattle/task.h>

#include "../plugins/mpi/requests.h"
#include "../plugins/nvtx/range_table.h"
#include "../plugins/ompt/ompt_abi.h"
#include "../plugins/ompt/task_order.h"
#include "record/regions/region_place.h"
#include "tap.h"
#include "trace/spool/spool.h"

enum { THREADS = 4, PARENTS = 200, CHILDREN = 5, EVENTS = 64 };

/* ---- the runtime ---- */

static ompt_function callbacks[EVENTS];

static int set_callback(int event, ompt_function callback)
{
    callbacks[event] = callback;
    return OMPT_SET_ALWAYS;
}

static ompt_function look_up(const char *name)
{
    return strcmp(name, "ompt_set_callback") == 0 ? (ompt_function)(void (*)(void))set_callback
                                                  : NULL;
}

typedef void on_parallel(union ompt_data *,
                         const struct ompt_frame *,
                         union ompt_data *,
                         unsigned,
                         int,
                         const void *);
typedef void on_implicit(int, union ompt_data *, union ompt_data *, unsigned, unsigned, int);
typedef void on_create(union ompt_data *,
                       const struct ompt_frame *,
                       union ompt_data *,
                       int,
                       int,
                       const void *);
typedef void on_schedule(union ompt_data *, int, union ompt_data *);
typedef void on_dependences(union ompt_data *, const struct ompt_dependence *, int);
typedef void on_thread(union ompt_data *);

#define CALL(event, type) ((type *)(void (*)(void))callbacks[event])

/* Code that has an address. */
static int places[8];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static union ompt_data region, waiting[PARENTS]; /* untied tasks between two threads */
static unsigned given, done;

static void run_child(union ompt_data *parent, unsigned i)
{
    struct ompt_dependence on = {.variable = {.value = 64}, .type = OMPT_DEPENDENCE_INOUT};
    union ompt_data child = {0};

    CALL(OMPT_TASK_CREATE, on_create)
    (parent, NULL, &child, OMPT_TASK_EXPLICIT, 1, &places[1 + i]);
    CALL(OMPT_DEPENDENCES, on_dependences)(&child, &on, 1);
    CALL(OMPT_TASK_SCHEDULE, on_schedule)(parent, OMPT_TASK_SWITCH, &child);
    CALL(OMPT_TASK_SCHEDULE, on_schedule)(&child, OMPT_TASK_COMPLETE, parent);
}

/* A parent makes a child on one thread, pauses, and makes the next wherever it comes to run. */
static void run_parents(union ompt_data *own)
{
    for (;;) {
        union ompt_data parent = {0};
        bool fresh = false, none = false;
        unsigned at = 0;

        (void)pthread_mutex_lock(&lock);
        if (given < PARENTS) {
            at = given++;
            fresh = true;
        } else if (done < PARENTS) {
            while (at < PARENTS && waiting[at].value == 0)
                at++;
            none = at == PARENTS;
            parent = none ? parent : waiting[at];
            if (!none)
                waiting[at].value = 0;
        } else {
            (void)pthread_mutex_unlock(&lock);
            return;
        }
        (void)pthread_mutex_unlock(&lock);
        if (none) {
            (void)usleep(100);
            continue;
        }
        if (fresh)
            CALL(OMPT_TASK_CREATE, on_create)
        (own, NULL, &parent, OMPT_TASK_EXPLICIT, 0, &places[0]);
        CALL(OMPT_TASK_SCHEDULE, on_schedule)(own, OMPT_TASK_SWITCH, &parent);
        for (unsigned i = fresh ? 0 : 1; i < (fresh ? 1 : CHILDREN); i++)
            run_child(&parent, i);
        CALL(OMPT_TASK_SCHEDULE, on_schedule)
        (&parent, fresh ? OMPT_TASK_YIELD : OMPT_TASK_COMPLETE, own);
        (void)pthread_mutex_lock(&lock);
        if (fresh)
            waiting[at] = parent;
        else
            done++;
        (void)pthread_mutex_unlock(&lock);
    }
}

static void *work(void *data)
{
    unsigned index = (unsigned)(uintptr_t)data;
    union ompt_data own = {0};

    CALL(OMPT_IMPLICIT_TASK, on_implicit)(OMPT_BEGIN, &region, &own, THREADS, index, 0);
    run_parents(&own);
    for (unsigned i = 0; i < 500; i++) {
        struct receive receive = {.request = 1 + index * 1000 + i}, taken;
        uint64_t range = range_add(1 + i);

        Extrae_event(1000 + i % 3, 1 + i % 7);
        Extrae_event(1000 + i % 3, 0);
        requests_put(&receive);
        (void)requests_take(receive.request, &taken);
        (void)range_take(range);
    }
    CALL(OMPT_IMPLICIT_TASK, on_implicit)(OMPT_END, NULL, &own, 0, index, 0);
    if (index != 0)
        CALL(OMPT_THREAD_END, on_thread)(NULL);
    return NULL;
}

/* ---- what it left ---- */

static uint64_t seen[WTL_MARK_LAST + 1], edges;

static void count_marks(const char *dir)
{
    char path[300];
    struct wtl_spool *spool;
    struct wattle_error err = {""};
    struct wtl_mark mark;

    (void)snprintf(path, sizeof path, "%s/%ld", dir, (long)getpid());
    if (!is_int(wtl_spool_open(path, NULL, true, &spool, &err), 0, "the spool %s", err.text))
        return;
    for (size_t i = 0; i < wtl_spool_info(spool)->threads; i++) {
        static struct wtl_spool_cursor cursor;

        wtl_spool_cursor_init(&cursor, spool, i);
        while (wtl_spool_next(&cursor, &mark) > 0) {
            seen[mark.kind]++;
            edges += (uint32_t)mark.kind == WATTLE_TASK_DETAIL && mark.name == WATTLE_TASK_KEY_TASK;
        }
    }
    is_int(wtl_spool_info(spool)->ignored, 0, "all of it is valid");
    wtl_spool_close(spool);
}

int main(void)
{
    char dir[] = "/tmp/wattle-plugins-XXXXXX", command[64];
    struct ompt_start_tool_result *tool;
    pthread_t threads[THREADS];

    if (!mkdtemp(dir) || setenv("WATTLE_TASKS", "1", 1) < 0)
        return 1;
    is_int(wtl_region_record(dir), 0, "recording");
    tool = ompt_start_tool(5, "a runtime of the test");
    if (!ok(tool != NULL, "the tool starts"))
        return done_testing();
    is_int(tool->initialize(look_up, 0, &tool->tool), 1, "and stays");
    Extrae_init();
    CALL(OMPT_PARALLEL_BEGIN, on_parallel)(NULL, NULL, &region, THREADS, 0, places);
    for (uintptr_t i = 1; i < THREADS; i++)
        (void)pthread_create(&threads[i], NULL, work, (void *)i);
    (void)work(NULL);
    for (unsigned i = 1; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    Extrae_fini();
    tool->finalize(&tool->tool);
    wtl_region_stop();
    count_marks(dir);
    is_int(seen[WATTLE_TASK_CREATE], PARENTS * (1 + CHILDREN), "tasks");
    is_int(seen[WATTLE_TASK_DONE], PARENTS * (1 + CHILDREN), "all are done");
    is_int(edges, PARENTS * (CHILDREN - 1), "each child but the first waits for the one before");
    is_int(task_order_lost(), 0, "none is lost");
    is_int(seen[WTL_MARK_BEGIN], seen[WTL_MARK_END], "regions of events end");
    is_int(seen[WTL_MARK_BEGIN], THREADS * 500, "one for each");
    (void)snprintf(command, sizeof command, "rm -r %s", dir);
    is_int(system(command), 0, "removed");
    return done_testing();
}

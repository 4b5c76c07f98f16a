/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tool that an OpenMP runtime with OMPT starts: its callbacks become marks of tasks and states
 * (<wattle/task.h>). A runtime finds it in OMP_TOOL_LIBRARIES or among the preloaded libraries.
 *
 * Nothing here prints, fails, or stops the program; what the runtime does not report is left out, and named
 * in the trace.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <wattle/region.h>
#include <wattle/task.h>

#include "code_name.h"
#include "ompt_abi.h"
#include "task_body.h"
#include "task_order.h"
#include "thread_stack.h"

#define EXPORT __attribute__((visibility("default")))

/* The word of a task that only waits for others: taskwait with depend clauses. */
#define WAITS UINT64_MAX

static uint64_t tasks, regions; /* numbers given so far */

/* Where the last parallel regions are: the barrier of a worker at their end has no address. */
enum { RECENT = 1024 };
static struct {
    uint64_t region;
    const void *code;
} recent[RECENT];

static char runtime_name[200];

static uint64_t next_word(uint64_t *counter, uint32_t name)
{
    return task_word(__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED), name);
}

/* ---- threads ---- */

static void thread_begin(int kind, union ompt_data *data)
{
    struct thread_stack *stack = thread_stack();

    (void)data;
    if (stack && kind == OMPT_THREAD_WORKER) /* whatever it does lies above */
        stack_enter(stack, WATTLE_STATE_IDLE, 0, 0, 0);
}

static void thread_end(union ompt_data *data)
{
    (void)data;
    thread_stack_close();
}

/* ---- parallel regions ---- */

static void parallel_begin(union ompt_data *task,
                           const struct ompt_frame *frame,
                           union ompt_data *parallel,
                           unsigned threads,
                           int flags,
                           const void *code)
{
    (void)task;
    (void)frame;
    (void)threads;
    (void)flags;
    if (!parallel)
        return;
    parallel->value = next_word(&regions, code_name(CODE_PLAIN, code));
    uint64_t at = task_number(parallel->value) % RECENT;

    __atomic_store_n(&recent[at].region, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&recent[at].code, code, __ATOMIC_RELEASE);
    __atomic_store_n(&recent[at].region, parallel->value, __ATOMIC_RELEASE);
}

static void implicit_task(int endpoint,
                          union ompt_data *parallel,
                          union ompt_data *task,
                          unsigned threads,
                          unsigned index,
                          int flags)
{
    struct thread_stack *stack = (flags & OMPT_TASK_INITIAL) ? NULL : thread_stack();

    if (task && endpoint == OMPT_BEGIN)
        task->value = 0;
    if (!stack)
        return;
    if (endpoint == OMPT_BEGIN) {
        uint64_t region = parallel ? parallel->value : 0;

        stack_enter(stack, WATTLE_STATE_PARALLEL, task_name(region), region, threads);
    } else {
        stack_leave(stack, WATTLE_STATE_PARALLEL, 0, 0, index == 0);
        task_order_forget(stack->order);
    }
}

/* ---- states ---- */

/* Some runtimes report a taskloop and its tasks with an address of their own (libomp 14). They open a taskgroup before
 * it, whose address is right. */
static __thread struct {
    const void *group;
    bool in_loop;
    const void *loop; /* NULL: unknown */
} taskloop __attribute__((tls_model("initial-exec")));
static uintptr_t runtime_begin, runtime_end, own_begin, own_end;

static const void *outside(const void *code, const void *otherwise)
{
    uintptr_t at = (uintptr_t)code;

    bool inside = (at >= runtime_begin && at < runtime_end) || (at >= own_begin && at < own_end);

    return inside ? otherwise : code;
}

static void sync_region(int kind,
                        int endpoint,
                        union ompt_data *parallel,
                        union ompt_data *task,
                        const void *code)
{
    (void)parallel;
    (void)task;
    if (kind == OMPT_SYNC_TASKGROUP)
        taskloop.group = endpoint == OMPT_BEGIN ? code : NULL;
}

static void state(uint32_t which, enum code_what what, int endpoint, const void *code)
{
    struct thread_stack *stack = thread_stack();

    if (!stack)
        return;
    uint32_t name = code_name(what, code);

    if (endpoint != OMPT_END)
        stack_enter(stack, which, name, stack_region(stack), 0);
    if (endpoint != OMPT_BEGIN)
        stack_leave(stack, which, name, stack_region(stack), false);
}

static void work(int kind,
                 int endpoint,
                 union ompt_data *parallel,
                 union ompt_data *task,
                 uint64_t count,
                 const void *code)
{
    static const unsigned char whats[] = {[OMPT_WORK_LOOP] = CODE_LOOP,
                                          [OMPT_WORK_SECTIONS] = CODE_SECTIONS,
                                          [OMPT_WORK_SINGLE] = CODE_SINGLE,
                                          [OMPT_WORK_WORKSHARE] = CODE_WORKSHARE,
                                          [OMPT_WORK_DISTRIBUTE] = CODE_DISTRIBUTE,
                                          [OMPT_WORK_TASKLOOP] = CODE_TASKLOOP,
                                          [OMPT_WORK_SCOPE] = CODE_SCOPE};

    (void)parallel;
    (void)task;
    (void)count;
    if (kind == OMPT_WORK_TASKLOOP) {
        const void *body = task_body_of_loop();

        if (taskloop.in_loop)
            code = taskloop.loop;
        else
            code = body ? body : outside(code, taskloop.group);
        taskloop.in_loop = endpoint == OMPT_BEGIN;
        taskloop.loop = code;
    }
    if (kind > 0 && (size_t)kind < sizeof(whats) && whats[kind])
        state(WATTLE_STATE_WORK, (enum code_what)whats[kind], endpoint, code);
}

static const void *place_of(uint64_t region)
{
    uint64_t at = task_number(region) % RECENT;

    if (region == 0 || __atomic_load_n(&recent[at].region, __ATOMIC_ACQUIRE) != region)
        return NULL;
    const void *code = __atomic_load_n(&recent[at].code, __ATOMIC_ACQUIRE);

    return __atomic_load_n(&recent[at].region, __ATOMIC_RELAXED) == region ? code : NULL;
}

static void barrier(int endpoint, const void *code)
{
    struct thread_stack *stack = thread_stack();

    if (stack && endpoint == OMPT_BEGIN)
        stack_close_work(stack);
    if (stack && !code)
        code = place_of(stack_region(stack));
    state(WATTLE_STATE_SYNC, CODE_BARRIER, endpoint, code);
}

static void sync_wait(int kind,
                      int endpoint,
                      union ompt_data *parallel,
                      union ompt_data *task,
                      const void *code)
{
    (void)parallel;
    (void)task;
    if (kind == OMPT_SYNC_TASKWAIT)
        state(WATTLE_STATE_SYNC, CODE_TASKWAIT, endpoint, code);
    else if (kind == OMPT_SYNC_TASKGROUP)
        state(WATTLE_STATE_SYNC, CODE_TASKGROUP, endpoint, outside(code, taskloop.loop));
    else if (kind != OMPT_SYNC_REDUCTION)
        barrier(endpoint, code);
}

static void mutex(int kind, int endpoint, const void *code)
{
    if (kind == OMPT_MUTEX_LOCK || kind == OMPT_MUTEX_NEST_LOCK)
        state(WATTLE_STATE_LOCK, CODE_LOCK, endpoint, code);
    else if (kind == OMPT_MUTEX_CRITICAL)
        state(WATTLE_STATE_LOCK, CODE_CRITICAL, endpoint, code);
    else if (kind == OMPT_MUTEX_ORDERED)
        state(WATTLE_STATE_LOCK, CODE_ORDERED, endpoint, code);
}

static void mutex_acquire(int kind,
                          unsigned hint,
                          unsigned implementation,
                          uint64_t wait,
                          const void *code)
{
    (void)hint;
    (void)implementation;
    (void)wait;
    mutex(kind, OMPT_BEGIN, code);
}

static void mutex_acquired(int kind, uint64_t wait, const void *code)
{
    (void)wait;
    mutex(kind, OMPT_END, code);
}

/* ---- tasks ---- */

static void task_create(union ompt_data *parent,
                        const struct ompt_frame *frame,
                        union ompt_data *task,
                        int flags,
                        int dependences,
                        const void *code)
{
    (void)parent;
    (void)frame;
    (void)dependences;
    if (!task)
        return;
    if (flags & OMPT_TASK_TASKWAIT) {
        task->value = WAITS;
        state(WATTLE_STATE_SYNC, CODE_TASKWAIT, OMPT_BEGIN, code);
        return;
    }
    task->value = 0;
    const struct thread_stack *stack = (flags & OMPT_TASK_EXPLICIT) ? thread_stack() : NULL;

    if (!stack)
        return;
    bool in_loop = taskloop.in_loop && stack_top_is(stack, WATTLE_STATE_WORK);
    const void *body = task_body(), *place = in_loop ? taskloop.loop : code;

    place = body ? body : place;
    uint32_t name = code_name(in_loop && !place ? CODE_TASKLOOP : CODE_PLAIN, place);

    task->value = next_word(&tasks, name);
    wattle_task_mark(WATTLE_TASK_CREATE, name,
                     task_number(task->value)); /* ignored in the summary */
}

/* A task that only waits for others is none. true: it was one. */
static bool is_wait(const union ompt_data *prior, int status, const union ompt_data *next)
{
    bool waits = prior && prior->value == WAITS;

    if (waits && status == OMPT_TASKWAIT_COMPLETE)
        state(WATTLE_STATE_SYNC, CODE_TASKWAIT, OMPT_END, NULL);
    return waits || (next && next->value == WAITS);
}

static void task_schedule(union ompt_data *prior, int status, union ompt_data *next)
{
    uint64_t word = prior ? prior->value : 0;
    bool ends_here = status == OMPT_TASK_COMPLETE || status == OMPT_TASK_CANCEL;

    if (is_wait(prior, status, next) || status == OMPT_TASK_EARLY_FULFILL)
        return;
    struct thread_stack *stack = thread_stack();

    if (!stack)
        return;
    if (word != 0 && (ends_here || status == OMPT_TASK_LATE_FULFILL))
        stack_done(stack, word);
    if (next && status != OMPT_TASK_LATE_FULFILL)
        stack_turn_to(stack, next->value, ends_here && word != 0);
}

static void dependences(union ompt_data *task, const struct ompt_dependence *list, int count)
{
    struct thread_stack *stack =
        task && list && task->value != 0 && task->value != WAITS ? thread_stack() : NULL;

    if (!stack || wattle_task_recording() != 1)
        return;
    uint64_t parent = stack_task(stack);
    struct task_order **order = parent ? task_order_of(parent) : &stack->order;

    if (order)
        task_order_add(order, parent ? parent : ~stack_region(stack), task->value, list, count);
}

/* Only if the runtime does not report the clauses. */
static void task_dependence(union ompt_data *before, union ompt_data *task)
{
    if (!before || !task || before->value == 0 || task->value == 0 || before->value == WAITS ||
        task->value == WAITS)
        return;
    const struct wattle_task_detail detail = {WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_TASK,
                                              task_number(before->value)};

    wattle_task_mark_with(WATTLE_TASK_AFTER, task_name(task->value), task_number(task->value),
                          &detail, 1);
}

/* ---- begin and end ---- */

static const struct {
    int event;
    const char *name; /* as users read it, when it is missing */
    ompt_function callback;
    int instead_of; /* used only if that one is missing */
} callbacks[] = {
    {OMPT_THREAD_BEGIN, "idle threads", (ompt_function)thread_begin, 0},
    {OMPT_THREAD_END, "ends of threads", (ompt_function)thread_end, 0},
    {OMPT_PARALLEL_BEGIN, "parallel regions", (ompt_function)parallel_begin, 0},
    {OMPT_IMPLICIT_TASK, "implicit tasks", (ompt_function)implicit_task, 0},
    {OMPT_TASK_CREATE, "tasks", (ompt_function)task_create, 0},
    {OMPT_TASK_SCHEDULE, "task switches", (ompt_function)task_schedule, 0},
    {OMPT_WORK, "worksharing", (ompt_function)work, 0},
    {OMPT_SYNC_REGION_WAIT, "barriers and waits", (ompt_function)sync_wait, 0},
    {OMPT_SYNC_REGION, NULL, (ompt_function)sync_region, 0},
    {OMPT_DEPENDENCES, NULL, (ompt_function)dependences, 0},
    {OMPT_TASK_DEPENDENCE, "dependences", (ompt_function)task_dependence, OMPT_DEPENDENCES},
    {OMPT_MUTEX_ACQUIRE, "waiting for locks", (ompt_function)mutex_acquire, 0},
    {OMPT_MUTEX_ACQUIRED, "waiting for locks", (ompt_function)mutex_acquired, 0},
};

static void note(uint64_t what, const char *text)
{
    wattle_task_mark(WATTLE_TASK_LABEL_TYPE, wattle_region_id(text), what);
}

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);

    if (!strstr(text, more))
        (void)snprintf(text + used, size - used, "%s%s", used ? ", " : "", more);
}

static void finalize(union ompt_data *tool)
{
    (void)tool;
    thread_stack_close();
    if (task_order_lost() > 0)
        note(WATTLE_TASK_LABEL_LOST,
             "some dependences (too many tasks use one variable at a time)");
}

static int initialize(ompt_lookup lookup, int device, union ompt_data *tool)
{
    enum { EVENTS = 64 };
    ompt_set_callback set =
        lookup ? (ompt_set_callback)(void (*)(void))lookup("ompt_set_callback") : NULL;
    bool have[EVENTS] = {false};
    char lost[250] = "";

    (void)device;
    (void)tool;
    if (!set)
        return 0;
    thread_stack_start();
    code_range((uintptr_t)set, &runtime_begin, &runtime_end);
    code_range((uintptr_t)finalize, &own_begin, &own_end);
    for (size_t i = 0; i < sizeof(callbacks) / sizeof(callbacks[0]); i++) {
        if (have[callbacks[i].instead_of])
            continue;
        int result = set(callbacks[i].event, callbacks[i].callback);

        have[callbacks[i].event] = result >= OMPT_SET_SOMETIMES;
        if (result != OMPT_SET_ALWAYS && callbacks[i].name)
            append(lost, sizeof(lost), callbacks[i].name);
    }
    /* GCC puts these into the program itself, where no runtime sees them. */
    if (code_has_library("libgomp.so"))
        append(lost, sizeof(lost), "worksharing of static loops (compiled for GCC's runtime)");
    note(WATTLE_TASK_LABEL_RUNTIME, runtime_name);
    if (lost[0])
        note(WATTLE_TASK_LABEL_LOST, lost);
    return 1;
}

EXPORT struct ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct ompt_start_tool_result result = {initialize, finalize, {0}};

    (void)version;
    if (!wattle_task_recording())
        return NULL; /* another tool may start */
    (void)snprintf(runtime_name, sizeof(runtime_name), "%s",
                   runtime && runtime[0] ? runtime : "unknown runtime");
    return &result;
}

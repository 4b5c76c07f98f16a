/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sim/tasks/task_follow.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/task.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/whole.h"
#include "trace/spool/spool.h"

enum { DEPTH = 64, UNKNOWN = -1, WAITING = -2 };

enum entered_what { REGION, TASK, STATE };

/* What a thread entered, and has not left. */
struct entered {
    enum entered_what what;
    uint64_t key; /* name, task, or state */
    int power;    /* index, UNKNOWN: what lies below counts; WAITING: nothing does */
};

struct thread {
    struct wtl_spool_cursor cursor;
    struct entered stack[DEPTH];
    unsigned depth; /* may be more than DEPTH, of which only that many are known */
    int power;      /* now, or UNKNOWN */
    uint64_t since_ns;
};

struct spool {
    char *path;
    struct wtl_spool *reader;
    struct thread **threads;
    size_t count, room;
};

struct pending {
    struct wtl_mark mark;
    struct spool *spool;
    struct thread *thread;
    size_t order;
};

struct wtl_sim_follow {
    struct wtl_sim_task_power powers[WTL_SIM_TASK_TYPES];
    size_t power_count;
    struct spool **spools;
    size_t spool_count, spools_room;
    struct pending *pending;
    size_t pending_count, pending_room;
    unsigned running[WTL_SIM_TASK_TYPES];
    uint64_t last_ns;
};

static int parse_power(struct wtl_sim_follow *follow, char *word, struct wattle_error *err)
{
    assert(follow);
    char *value = strrchr(word, '=');
    struct wtl_sim_task_power *power = &follow->powers[follow->power_count];
    if (follow->power_count == WTL_SIM_TASK_TYPES)
        return wtl_fail(err, -EINVAL, "more than %d types of tasks", WTL_SIM_TASK_TYPES);
    if (!value || value == word || (size_t)(value - word) >= sizeof power->name)
        return wtl_fail(err, -EINVAL, "'%s' is not NAME=WATTS, such as dgemm=9.2", word);
    *value++ = '\0';
    if (wtl_parse_double(value, &power->power_w) < 0 ||
        !(power->power_w >= 0 && power->power_w < 1e6))
        return wtl_fail(err, -EINVAL, "%s=%s: must be a power in W, such as 9.2", word, value);
    (void)snprintf(power->name, sizeof power->name, "%s", word);
    follow->power_count++;
    return 0;
}

int wtl_sim_follow_create(const char *text,
                          struct wtl_sim_follow **ret_follow,
                          struct wattle_error *err)
{
    struct wtl_sim_follow *follow = calloc(1, sizeof *follow);
    char *words = strdup(text), *rest = words, *word;
    int rc = follow && words ? 0 : wtl_fail(err, -ENOMEM, "out of memory");
    while (rc == 0 && (word = strsep(&rest, ",")))
        rc = parse_power(follow, word, err);
    free(words);
    if (rc < 0) {
        free(follow);
        return rc;
    }
    *ret_follow = follow;
    return 0;
}

static void destroy_spool(struct spool *spool)
{
    for (size_t i = 0; i < spool->count; i++)
        free(spool->threads[i]);
    free(spool->threads);
    wtl_spool_close(spool->reader);
    free(spool->path);
    free(spool);
}

void wtl_sim_follow_destroy(struct wtl_sim_follow *follow)
{
    if (!follow)
        return;
    for (size_t i = 0; i < follow->spool_count; i++)
        destroy_spool(follow->spools[i]);
    free(follow->spools);
    free(follow->pending);
    free(follow);
}

int wtl_sim_follow_add(struct wtl_sim_follow *follow, const char *path)
{
    struct wtl_spool_now now;
    for (size_t i = 0; i < follow->spool_count; i++) {
        if (strcmp(follow->spools[i]->path, path) == 0)
            return 0;
    }
    struct spool *spool = calloc(1, sizeof *spool);
    int rc = spool ? wtl_reserve(&follow->spools, &follow->spools_room, follow->spool_count + 1,
                                 sizeof(struct spool *))
                   : -ENOMEM;
    if (rc == 0 && !(spool->path = strdup(path)))
        rc = -ENOMEM;
    if (rc == 0)
        rc = wtl_spool_open(path, wtl_spool_now_take(&now) == 0 ? &now : NULL, false,
                            &spool->reader, NULL);
    if (rc == 0)
        follow->spools[follow->spool_count++] = spool;
    else if (spool)
        destroy_spool(spool);
    return rc;
}

static int power_of(const struct wtl_sim_follow *follow, const char *name, bool task)
{
    int other = UNKNOWN;
    for (size_t i = 0; i < follow->power_count; i++) {
        if (name && strcmp(follow->powers[i].name, name) == 0)
            return (int)i;
        other = strcmp(follow->powers[i].name, "*") == 0 ? (int)i : other;
    }
    return task ? other : UNKNOWN;
}

static void enter(struct thread *thread, enum entered_what what, uint64_t key, int power)
{
    if (thread->depth < DEPTH) {
        struct entered *top = &thread->stack[thread->depth];
        top->what = what;
        top->key = key;
        top->power = power;
    }
    thread->depth++;
}

/* Leave it and all above it; what was never entered, or too deep, is one less. */
static void leave(struct thread *thread, enum entered_what what, uint64_t key)
{
    unsigned known = thread->depth < DEPTH ? thread->depth : DEPTH;
    if (thread->depth > DEPTH) {
        thread->depth--;
        return;
    }
    for (unsigned i = known; i-- > 0;) {
        if (thread->stack[i].what == what && thread->stack[i].key == key) {
            thread->depth = i;
            return;
        }
    }
}

static bool waits_in(unsigned state)
{
    return state == WATTLE_STATE_SYNC || state == WATTLE_STATE_IDLE || state == WATTLE_STATE_LOCK ||
           state == WATTLE_STATE_JOIN;
}

static void apply(struct wtl_sim_follow *follow, const struct pending *p)
{
    const struct wtl_mark *mark = &p->mark;
    unsigned kind = (unsigned)mark->kind;
    const char *name = wtl_spool_name(p->spool->reader, mark->name);
    if (kind == WTL_MARK_BEGIN)
        enter(p->thread, REGION, mark->name, power_of(follow, name, false));
    else if (kind == WTL_MARK_END)
        leave(p->thread, REGION, mark->name);
    else if (kind == WATTLE_TASK_RUN)
        enter(p->thread, TASK, mark->value, power_of(follow, name, true));
    else if (kind == WATTLE_TASK_PAUSE || kind == WATTLE_TASK_DONE)
        leave(p->thread, TASK, mark->value);
    else if (kind == WTL_MARK_THREAD_END)
        p->thread->depth = 0;
    else if (kind >= WATTLE_STATE_ENTER && kind < WATTLE_STATE_LEAVE)
        enter(p->thread, STATE, kind - WATTLE_STATE_ENTER,
              waits_in(kind - WATTLE_STATE_ENTER) ? WAITING : UNKNOWN);
    else if (kind >= WATTLE_STATE_LEAVE)
        leave(p->thread, STATE, kind - WATTLE_STATE_LEAVE);
}

static int power_now(const struct thread *thread)
{
    for (unsigned i = thread->depth < DEPTH ? thread->depth : DEPTH; i-- > 0;) {
        if (thread->stack[i].power != UNKNOWN)
            return thread->stack[i].power == WAITING ? UNKNOWN : thread->stack[i].power;
    }
    return UNKNOWN;
}

/* Count what the thread did until then. */
static void account(struct wtl_sim_follow *follow, struct thread *thread, uint64_t time_ns)
{
    if (thread->power >= 0 && time_ns > thread->since_ns) {
        struct wtl_sim_task_power *power = &follow->powers[thread->power];
        power->time_s += (double)(time_ns - thread->since_ns) * 1e-9;
        power->energy_j = power->time_s * power->power_w;
    }
    thread->since_ns = time_ns;
}

/* Returns 1 if the power changes. */
static int apply_mark(struct wtl_sim_follow *follow, const struct pending *p, uint64_t time_ns)
{
    struct thread *thread = p->thread;
    int before = thread->power;
    account(follow, thread, time_ns);
    apply(follow, p);
    thread->power = power_now(thread);
    if (thread->power >= 0 &&
        (p->mark.kind == WTL_MARK_BEGIN || (unsigned)p->mark.kind == WATTLE_TASK_RUN))
        follow->powers[thread->power].count += thread->power != before;
    if (before == thread->power)
        return 0;
    if (before >= 0)
        follow->running[before]--;
    if (thread->power >= 0)
        follow->running[thread->power]++;
    return 1;
}

static int by_time(const void *a, const void *b)
{
    const struct pending *x = a, *y = b;
    if (x->mark.time_ns != y->mark.time_ns)
        return x->mark.time_ns < y->mark.time_ns ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int add_threads(struct spool *spool)
{
    size_t wanted = wtl_spool_info(spool->reader)->threads;
    while (spool->count < wanted) {
        if (wtl_reserve(&spool->threads, &spool->room, spool->count + 1, sizeof(struct thread *)) <
            0)
            return -ENOMEM;
        struct thread *thread = calloc(1, sizeof *thread);
        if (!thread)
            return -ENOMEM;
        thread->power = UNKNOWN;
        wtl_spool_cursor_init(&thread->cursor, spool->reader, spool->count);
        spool->threads[spool->count++] = thread;
    }
    return 0;
}

static int collect(struct wtl_sim_follow *follow, struct spool *spool)
{
    struct wtl_mark mark;
    int rc = wtl_spool_refresh(spool->reader, NULL, false);
    rc = rc < 0 ? rc : add_threads(spool);
    for (size_t i = 0; rc >= 0 && i < spool->count; i++) {
        while ((rc = wtl_spool_next(&spool->threads[i]->cursor, &mark)) > 0) {
            if (wtl_reserve(&follow->pending, &follow->pending_room, follow->pending_count + 1,
                            sizeof *follow->pending) < 0)
                return -ENOMEM;
            follow->pending[follow->pending_count] =
                (struct pending){mark, spool, spool->threads[i], follow->pending_count};
            follow->pending_count++;
        }
    }
    return rc == -ENOMEM ? rc : 0; /* a spool that cannot be read now may be later */
}

static double watts(const struct wtl_sim_follow *follow, unsigned *ret_busy)
{
    double sum = 0;
    *ret_busy = 0;
    for (size_t i = 0; i < follow->power_count; i++) {
        sum += follow->running[i] * follow->powers[i].power_w;
        *ret_busy += follow->running[i];
    }
    return sum;
}

int wtl_sim_follow_until(struct wtl_sim_follow *follow,
                         uint64_t now_ns,
                         wtl_sim_follow_step *step,
                         void *user)
{
    size_t done = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < follow->spool_count; i++)
        rc = collect(follow, follow->spools[i]);
    wtl_sort(follow->pending, follow->pending_count, sizeof *follow->pending, by_time);
    for (; rc == 0 && done < follow->pending_count; done++) {
        const struct pending *p = &follow->pending[done];
        uint64_t at = p->mark.time_ns;
        unsigned busy;
        if (at > now_ns)
            break; /* written since */
        int changed = apply_mark(follow, p, at);
        at = at > follow->last_ns ? at : follow->last_ns;
        follow->last_ns = at;
        double sum = watts(follow, &busy);
        rc = changed ? step(user, at, sum, busy) : 0;
    }
    memmove(follow->pending, follow->pending + done,
            (follow->pending_count - done) * sizeof *follow->pending);
    follow->pending_count -= done;
    return rc;
}

const struct wtl_sim_task_power *wtl_sim_follow_powers(const struct wtl_sim_follow *follow,
                                                       size_t *ret_count)
{
    *ret_count = follow->power_count;
    return follow->powers;
}

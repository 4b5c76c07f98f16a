/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hold from its plan to its end: see hold.h. The folder of journals is locked while it is decided what is free; from then on the
 * journal says what is held. All knobs are written in two rounds, because the lowest frequency can only exceed the highest after that
 * has risen; then all are read, and only if each has what was asked for is it a hold.
 */
#define _GNU_SOURCE
#include "control/hold.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "control/guard.h"
#include "control/hold_plan.h"
#include "control/restore.h"

static const uint64_t GUARD_NS = 10 * UINT64_C(1000000000), LOOK_NS = 10000000;

struct wtl_hold {
    struct wtl_control control;
    struct wtl_journal journal;
    int guard; /* socket; -1 = none */
    pid_t guard_process;
    pid_t owner;
};

static void step(const struct wtl_control *control)
{
    if (control->step)
        control->step(control->step_context, false);
}

static void tell_caller(const struct wtl_control *control, const char *sentence)
{
    if (control->tell)
        control->tell(control->context, sentence);
}

/* Who holds one of these knobs? */
struct rivals {
    const struct wtl_journal *plan;
    const char *id; /* of the knob; NULL = not held */
    pid_t holder;
    bool is_held, is_dead; /* its guard may still be restoring */
};

static void compare(void *context, const struct wtl_journal *other, bool is_held)
{
    struct rivals *rivals = context;
    for (size_t i = 0; i < rivals->plan->count && !rivals->id; i++) {
        for (size_t k = 0; k < other->count && !rivals->id; k++) {
            const struct wtl_journal_entry *e = &other->entries[k];
            if (strcmp(rivals->plan->entries[i].path, e->path) != 0 ||
                e->state == WTL_ENTRY_RESTORED)
                continue;
            rivals->id = rivals->plan->entries[i].id;
            rivals->holder = other->holder;
            rivals->is_held = is_held;
            rivals->is_dead = wtl_process_start(other->holder) != other->holder_start;
        }
    }
}

/* 0; -EBUSY; -EAGAIN: its guard is at work. */
static int check_free(const struct wtl_control *control,
                      const struct wtl_journal *plan,
                      struct wattle_error *err)
{
    struct rivals rivals = {.plan = plan};
    int rc = wtl_restore_each(control, compare, &rivals, NULL); /* damaged ones were told */
    if (!rivals.id)
        return rc == -ENOMEM ? wtl_no_memory(err) : 0;
    if (rivals.is_held)
        return wtl_fail(err, rivals.is_dead ? -EAGAIN : -EBUSY,
                        "%s is held by another wattle, process %d, until that ends", rivals.id,
                        (int)rivals.holder);
    return wtl_fail(err, -EBUSY,
                    "%s could not be restored after process %d was killed; run \"wattle restore\"",
                    rivals.id, (int)rivals.holder);
}

static int plan(const struct wtl_control *control,
                const struct wtl_hold_request *request,
                struct wtl_journal *j,
                struct wattle_error *err)
{
    struct wtl_knob_list knobs;
    wtl_journal_fini(j);
    int rc = wtl_knob_list_discover(control->world, &knobs);
    rc = rc < 0 ? wtl_no_memory_for(err, "the knobs of this machine")
                : wtl_hold_plan(&knobs, request, j, err);
    wtl_knob_list_fini(&knobs);
    return rc;
}

/* Plan and journal, with the folder locked. A holder may have restored between the plan and the look at its journal, so that the plan
 * has values of that hold: once all is free, its values are final, and it is planned again. */
static int reserve_locked(const struct wtl_control *control,
                          const struct wtl_hold_request *request,
                          struct wtl_journal *j,
                          struct wattle_error *err)
{
    struct wtl_restored restored;
    struct wattle_error why = {""};
    if (wtl_restore_all(control, false, &restored, &why) < 0)
        tell_caller(control, why.text);
    int rc = plan(control, request, j, err);
    rc = rc < 0 ? rc : check_free(control, j, err);
    if (rc == 0 && restored.held > 0)
        rc = plan(control, request, j, err);
    step(control);
    rc = rc < 0 ? rc : wtl_journal_create(control->world, wtl_control_folder(control), j, err);
    step(control);
    if (rc < 0)
        wtl_journal_fini(j);
    return rc;
}

static int reserve(const struct wtl_control *control,
                   const struct wtl_hold_request *request,
                   struct wtl_journal *j,
                   struct wattle_error *err)
{
    const struct wtl_world *world = control->world;
    uint64_t end_ns = world->ops->now_ns(world, CLOCK_MONOTONIC) + GUARD_NS;
    for (;;) {
        int lock = wtl_control_lock(control, err);
        if (lock < 0)
            return lock;
        int rc = reserve_locked(control, request, j, err);
        (void)close(lock);
        uint64_t now_ns = world->ops->now_ns(world, CLOCK_MONOTONIC);
        if (rc != -EAGAIN || now_ns >= end_ns)
            return rc == -EAGAIN ? -EBUSY : rc;
        (void)world->ops->sleep_until(world, now_ns + LOOK_NS);
    }
}

static void read_knob(const struct wtl_world *world,
                      const struct wtl_journal_entry *e,
                      char now[WTL_KNOB_TEXT])
{
    if (wtl_world_text(world, e->path, now, WTL_KNOB_TEXT) < 0)
        now[0] = '\0';
}

static int write_one(struct wtl_hold *hold, struct wtl_journal_entry *e)
{
    char now[WTL_KNOB_TEXT];
    bool exact;
    read_knob(hold->control.world, e, now);
    if (!e->ask[0] || strcmp(now, e->ask) == 0 ||
        (e->state == WTL_ENTRY_STARTED && wtl_hold_accepts(e, now, &exact)))
        return 0;
    int rc = wtl_journal_mark(&hold->journal, e, WTL_ENTRY_STARTED);
    if (rc < 0)
        return rc;
    step(&hold->control);
    e->error = wtl_knob_put(hold->control.world, e->path, e->ask, now);
    step(&hold->control);
    return 0;
}

/* Why it does not have the value. */
static int refused(const struct wtl_journal_entry *e, const char *now, struct wattle_error *err)
{
    const struct wtl_knob_row *row = &wtl_knob_rows[e->kind];
    char asked[WTL_KNOB_TEXT], has[WTL_KNOB_TEXT];
    wtl_knob_show(row, e->ask, asked, sizeof asked);
    wtl_knob_show(row, now, has, sizeof has);
    if (e->error == -EBUSY && e->kind == WTL_KNOB_EPP)
        return wtl_fail(err, -EBUSY,
                        "%s: the governor performance does not allow %s; add --governor powersave",
                        e->id, asked);
    if (e->error == -ENOENT || e->error == -ENODEV)
        return wtl_fail(err, -ENODEV, "%s has vanished (a CPU was taken offline?); try again",
                        e->id);
    if (e->error)
        return wtl_fail(err, e->error == -EACCES || e->error == -EPERM ? -EACCES : -EIO,
                        "%s: the kernel refused %s: %s", e->id, asked, wtl_strerror(e->error));
    return wtl_fail(err, -EIO,
                    "%s: the machine accepted %s but shows %s; the firmware or another program "
                    "decides it",
                    e->id, asked, has);
}

static void tell_rounded(struct wtl_hold *hold, const struct wtl_journal_entry *e)
{
    const struct wtl_knob_row *row = &wtl_knob_rows[e->kind];
    char text[300], asked[WTL_KNOB_TEXT], has[WTL_KNOB_TEXT];
    wtl_knob_show(row, e->ask, asked, sizeof asked);
    wtl_knob_show(row, e->seen, has, sizeof has);
    (void)snprintf(text, sizeof text, "%s: the machine rounded %s to %s", e->id, asked, has);
    tell_caller(&hold->control, text);
}

/* Read all, and accept them: from then on a different value is another program's. */
static int observe(struct wtl_hold *hold, struct wattle_error *err)
{
    struct wtl_journal *j = &hold->journal;
    int rc = 0;
    for (size_t i = 0; i < j->count && rc == 0; i++) {
        struct wtl_journal_entry *e = &j->entries[i];
        bool exact = true;
        read_knob(hold->control.world, e, e->seen);
        if (e->ask[0] && !wtl_hold_accepts(e, e->seen, &exact))
            return refused(e, e->seen, err);
        if (!exact)
            tell_rounded(hold, e);
    }
    for (size_t i = 0; i < j->count && rc == 0; i++) {
        step(&hold->control);
        rc = wtl_journal_mark(j, &j->entries[i], WTL_ENTRY_SET);
    }
    return rc < 0 ? wtl_fail(err, rc, "cannot write the journal %s: %s", j->path, wtl_strerror(rc))
                  : 0;
}

static int apply(struct wtl_hold *hold, struct wattle_error *err)
{
    struct wtl_journal *j = &hold->journal;
    int rc = 0;
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < j->count && rc == 0; i++)
            rc = write_one(hold, &j->entries[i]);
    }
    return rc < 0 ? wtl_fail(err, rc, "cannot write the journal %s: %s", j->path, wtl_strerror(rc))
                  : observe(hold, err);
}

/* Restore through the guard; if it was killed, here. */
static int give_back(struct wtl_hold *hold, struct wattle_error *err)
{
    struct wtl_journal *j = &hold->journal;
    size_t open = 0;
    step(&hold->control);
    bool guarded = hold->guard >= 0 && wtl_guard_finish(hold->guard, hold->guard_process) == 0;
    hold->guard = -1;
    step(&hold->control);
    if (guarded) {
        open = wtl_restore_open(j, false);
    } else {
        open = wtl_restore_entries(&hold->control, j, false, false);
        if (open == 0)
            (void)unlink(j->path); /* otherwise it is found, and nothing is left to do */
    }
    wtl_restore_tell(&hold->control, j);
    return open == 0
               ? 0
               : wtl_fail(err, -EIO,
                          "%zu settings could not be restored; \"wattle restore\" tries again",
                          open);
}

static void destroy(struct wtl_hold *hold)
{
    if (hold->guard >= 0)
        (void)close(hold->guard);
    wtl_journal_fini(&hold->journal);
    free(hold);
}

int wtl_hold_begin(const struct wtl_control *control,
                   const struct wtl_hold_request *request,
                   struct wtl_hold **ret_hold,
                   struct wattle_error *err)
{
    struct wattle_error ignored;
    struct wtl_hold *hold = calloc(1, sizeof *hold);
    if (!hold)
        return wtl_no_memory_for(err, "a hold");
    *hold = (struct wtl_hold){
        .control = *control, .journal = {.fd = -1}, .guard = -1, .owner = getpid()};
    int rc = reserve(control, request, &hold->journal, err);
    if (rc < 0) {
        free(hold);
        return rc;
    }
    rc = wtl_guard_start(control, &hold->journal, &hold->guard_process, err);
    step(control);
    if (rc >= 0) {
        hold->guard = rc;
        rc = apply(hold, err);
    }
    if (rc == 0) {
        *ret_hold = hold;
        return 0;
    }
    bool guarded = hold->guard >= 0;
    bool back =
        give_back(hold, &ignored) == 0; /* what is open is told; the first failure is returned */
    if (err && guarded) {
        size_t n = strlen(err->text);
        (void)snprintf(err->text + n, sizeof err->text - n, "; %s",
                       back ? "all settings were restored"
                            : "\"wattle restore\" restores what it can");
    }
    destroy(hold);
    return rc;
}

int wtl_hold_end(struct wtl_hold *hold, struct wattle_error *err)
{
    if (!hold)
        return 0;
    int rc =
        hold->owner == getpid() ? give_back(hold, err) : 0; /* a forked process has only a copy */
    destroy(hold);
    return rc;
}

void wtl_hold_forget(struct wtl_hold *hold)
{
    if (hold)
        destroy(hold);
}

struct wtl_hold_frequency wtl_hold_accepted(const struct wtl_hold *hold)
{
    struct wtl_hold_frequency range = {NAN, NAN};
    for (size_t i = 0; i < hold->journal.count; i++) {
        const struct wtl_journal_entry *e = &hold->journal.entries[i];
        double hz = wtl_knob_number(e->seen) * 1e3;
        if (e->kind == WTL_KNOB_FREQUENCY_MIN && e->ask[0])
            range.low_hz = fmin(range.low_hz, hz);
        if (e->kind == WTL_KNOB_FREQUENCY_MAX && e->ask[0])
            range.high_hz = fmax(range.high_hz, hz);
    }
    return range;
}

void wtl_hold_each(const struct wtl_hold *hold,
                   void (*take)(void *context,
                                const struct wtl_knob_row *row,
                                const char *id,
                                const char *before,
                                const char *now),
                   void *context)
{
    for (size_t i = 0; i < hold->journal.count; i++) {
        const struct wtl_journal_entry *e = &hold->journal.entries[i];
        const struct wtl_knob_row *row = &wtl_knob_rows[e->kind];
        char before[WTL_KNOB_TEXT], now[WTL_KNOB_TEXT];
        if (!e->ask[0])
            continue;
        wtl_knob_show(row, e->old, before, sizeof before);
        wtl_knob_show(row, e->seen, now, sizeof now);
        take(context, row, e->id, before, now);
    }
}

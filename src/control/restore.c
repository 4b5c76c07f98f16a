/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Restoring one journal: see restore.h. First it is decided of all knobs whose value they have, then those that
 * are ours are written, twice: one write may change or hinder another (turbo and the highest frequency, lowest
 * above highest, governor and preference). Whatever is begun is marked in the journal, so that another process
 * can finish it after a kill at any point.
 */
#define _GNU_SOURCE
#include "control/restore.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"

static ssize_t read_knob(const struct wtl_world *world, const char *path, char text[WTL_KNOB_TEXT])
{
    ssize_t got = wtl_world_text(world, path, text, WTL_KNOB_TEXT);
    if (got < 0)
        text[0] = '\0';
    return got;
}

int wtl_knob_put(const struct wtl_world *world,
                 const char *path,
                 const char *value,
                 char ret_now[WTL_KNOB_TEXT])
{
    int rc = wtl_world_put(world, path, value);
    ssize_t got = read_knob(world, path, ret_now);
    return rc < 0 ? rc : got < 0 ? (int)got : 0;
}

static void step(const struct wtl_control *control, bool in_guard)
{
    if (control->step)
        control->step(control->step_context, in_guard);
}

/* "<unsupported>" and the like are not values to write: the governor decides. */
static bool is_settable(const char *value)
{
    return value[0] && value[0] != '<';
}

static bool any_started(const struct wtl_journal *j)
{
    for (size_t i = 0; i < j->count; i++) {
        if (j->entries[i].state != WTL_ENTRY_PLANNED)
            return true;
    }
    return false;
}

static bool is_ours(const struct wtl_journal_entry *e, const char *now, bool any)
{
    switch (e->state) {
    case WTL_ENTRY_STARTED:
        return true;
    case WTL_ENTRY_SET:
        return strcmp(now, e->seen) == 0;
    case WTL_ENTRY_PLANNED:
        return any; /* it changed together with one that was written */
    default:
        return false;
    }
}

static void keep_foreign(struct wtl_journal *j, struct wtl_journal_entry *e, const char *now)
{
    e->outcome = WTL_OUTCOME_FOREIGN;
    memcpy(e->seen, now, sizeof e->seen);
    (void)wtl_journal_mark(j, e, WTL_ENTRY_FOREIGN); /* if it fails: found again by the next one */
}

static void decide(const struct wtl_control *control,
                   struct wtl_journal *j,
                   bool force,
                   bool in_guard)
{
    bool any = any_started(j);
    for (size_t i = 0; i < j->count; i++) {
        struct wtl_journal_entry *e = &j->entries[i];
        char now[WTL_KNOB_TEXT];
        if (e->state == WTL_ENTRY_RESTORED || (e->state == WTL_ENTRY_FOREIGN && !force))
            continue;
        ssize_t got = read_knob(control->world, e->path, now);
        if (got == -ENOENT || got == -ENODEV) {
            e->outcome = WTL_OUTCOME_GONE;
        } else if (got >= 0 && strcmp(now, e->old) != 0 && !is_ours(e, now, any) && !force) {
            keep_foreign(j, e, now);
        } else {
            e->outcome = got >= 0 && strcmp(now, e->old) == 0 ? WTL_OUTCOME_SAME : WTL_OUTCOME_OPEN;
            if (!any && !force)
                continue; /* nothing was written */
            step(control, in_guard);
            (void)wtl_journal_mark(j, e, WTL_ENTRY_STARTED); /* likewise: the value decides again */
        }
    }
}

static void restore_one(const struct wtl_control *control,
                        struct wtl_journal_entry *e,
                        bool in_guard)
{
    char now[WTL_KNOB_TEXT];
    if (e->state != WTL_ENTRY_STARTED || e->outcome == WTL_OUTCOME_GONE)
        return;
    ssize_t got = read_knob(control->world, e->path, now);
    if ((got >= 0 && strcmp(now, e->old) == 0) || (!is_settable(e->old) && got >= 0)) {
        e->outcome = e->outcome == WTL_OUTCOME_OPEN ? WTL_OUTCOME_RESTORED : e->outcome;
        return;
    }
    step(control, in_guard);
    int rc = wtl_knob_put(control->world, e->path, e->old, now);
    step(control, in_guard);
    e->error = rc;
    e->outcome = rc == -ENOENT || rc == -ENODEV        ? WTL_OUTCOME_GONE
                 : rc == 0 && strcmp(now, e->old) == 0 ? WTL_OUTCOME_RESTORED
                                                       : WTL_OUTCOME_OPEN;
}

size_t wtl_restore_open(const struct wtl_journal *j, bool force)
{
    size_t open = 0;
    bool any = any_started(j);
    for (size_t i = 0; i < j->count; i++) {
        enum wtl_outcome outcome = j->entries[i].outcome;
        open += outcome == WTL_OUTCOME_OPEN || (outcome == WTL_OUTCOME_GONE && any && !force);
    }
    return open;
}

size_t wtl_restore_entries(const struct wtl_control *control,
                           struct wtl_journal *j,
                           bool force,
                           bool in_guard)
{
    decide(control, j, force, in_guard);
    for (unsigned round = 0; round < 3; round++) {
        for (size_t i = 0; i < j->count; i++)
            restore_one(control, &j->entries[i], in_guard);
    }
    size_t open = wtl_restore_open(j, force);
    for (size_t i = 0; i < j->count && wtl_restore_is_remarkable(j); i++) {
        struct wtl_journal_entry *e = &j->entries[i];
        if (e->outcome == WTL_OUTCOME_RESTORED || e->outcome == WTL_OUTCOME_SAME)
            (void)wtl_journal_mark(j, e, WTL_ENTRY_RESTORED); /* likewise */
    }
    return open;
}

bool wtl_restore_is_remarkable(const struct wtl_journal *j)
{
    for (size_t i = 0; i < j->count; i++) {
        enum wtl_outcome outcome = j->entries[i].outcome;
        if (outcome == WTL_OUTCOME_OPEN || outcome == WTL_OUTCOME_FOREIGN ||
            outcome == WTL_OUTCOME_GONE || j->entries[i].state == WTL_ENTRY_FOREIGN)
            return true;
    }
    return false;
}

static void tell_caller(const struct wtl_control *control, const char *sentence)
{
    if (control->tell)
        control->tell(control->context, sentence);
}

void wtl_restore_tell(const struct wtl_control *control, const struct wtl_journal *j)
{
    for (size_t i = 0; i < j->count; i++) {
        const struct wtl_journal_entry *e = &j->entries[i];
        const struct wtl_knob_row *row = &wtl_knob_rows[e->kind];
        char text[512], old[WTL_KNOB_TEXT], seen[WTL_KNOB_TEXT];
        wtl_knob_show(row, e->old, old, sizeof old);
        wtl_knob_show(row, e->seen, seen, sizeof seen);
        if (e->outcome == WTL_OUTCOME_FOREIGN || e->state == WTL_ENTRY_FOREIGN)
            (void)snprintf(
                text, sizeof text,
                "%s: another program has set it to %s in the meantime; kept, not restored to %s",
                e->id, seen, old);
        else if (e->outcome == WTL_OUTCOME_GONE)
            (void)snprintf(text, sizeof text,
                           "%s: its file has gone; when it is back, run \"wattle restore\" to "
                           "restore %s",
                           e->id, old);
        else if (e->outcome == WTL_OUTCOME_OPEN)
            (void)snprintf(text, sizeof text,
                           "%s: cannot restore %s: %s; run \"wattle restore\" later", e->id, old,
                           e->error ? wtl_strerror(e->error) : "the machine ignored the value");
        else
            continue;
        tell_caller(control, text);
    }
}

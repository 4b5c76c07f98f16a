/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a counter set: see columns.h. */
#include "counters/columns/columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static const char note_user[] =
    "in user mode only: what happens in the kernel is not counted (kernel.perf_event_paranoid)";
static const char note_machine[] = "of the whole machine";
static const char note_running[] = "of the threads that ran when it began, and of what they start";

const char *wtl_counted_name(enum wtl_counted scope)
{
    static const char *const names[] = {"auto", "machine", "tree", "cgroup"};
    return names[scope];
}

static enum wtl_counted scope_of(const struct wtl_target *target)
{
    if (target->scope != WTL_COUNTED_AUTO)
        return target->scope;
    if (target->cgroup)
        return WTL_COUNTED_CGROUP;
    return target->pid > 0 ? WTL_COUNTED_TREE : WTL_COUNTED_MACHINE;
}

/* ---- opening one way ---- */

static int open_file(struct wtl_count_columns *columns, struct wtl_counter_state *state)
{
    const char *path = state->way->path;
    uint64_t value;
    int rc = 0;
    for (state->at = 0; state->at < columns->file_count; state->at++) {
        if (strcmp(columns->files[state->at].path, path) == 0)
            break;
    }
    if (state->at == columns->file_count) {
        if (columns->file_count == WTL_COLUMNS_FILES)
            return wtl_fail(&state->why, -E2BIG, "more than %d files", WTL_COLUMNS_FILES);
        struct wtl_count_file *file = &columns->files[columns->file_count];
        rc = wtl_count_file_open(file, columns->world, path);
        if (rc < 0)
            wtl_count_file_close(columns->world, file);
        else
            columns->file_count++;
    }
    if (rc == 0)
        rc = wtl_count_file_value(columns->world, &columns->files[state->at], &state->way->rule,
                                  &state->sum, &value);
    (void)snprintf(state->where, sizeof state->where, "%.150s", path);
    if (rc == -ENODEV && state->way->rule.word[0])
        return wtl_fail(&state->why, rc, "%.150s has no \"%s\"", path, state->way->rule.word);
    if (rc == -ENODEV)
        return wtl_fail(&state->why, rc, "%.150s lists %s to count; add @NAME to count another one",
                        path,
                        state->way->rule.form == WTL_COUNT_NET ? "no interface but lo" : "no disk");
    if (rc == -EBADMSG)
        return wtl_fail(&state->why, rc, "%.150s has no line \"%s\"", path, state->way->rule.word);
    if (rc == -EACCES || rc == -EPERM)
        return wtl_fail(&state->why, rc, "%.150s: permission denied; run as root", path);
    return rc < 0 ? wtl_fail(&state->why, rc, "%.150s: %s", path, wtl_strerror(rc)) : 0;
}

static int open_busy(struct wtl_count_columns *columns, struct wtl_counter_state *state)
{
    int rc =
        columns->has_busy ? 0 : wtl_busy_open(&columns->busy, columns->world, "auto", &state->why);
    columns->has_busy = columns->has_busy || rc == 0;
    if (rc == 0)
        (void)snprintf(state->where, sizeof state->where, "%s", columns->busy.where);
    return rc;
}

static int open_tree_time(struct wtl_count_columns *columns, struct wtl_counter_state *state)
{
    struct wtl_tree_time *time = &columns->tree_time;
    int rc = columns->has_tree_time ? 0
                                    : wtl_tree_time_open(time, columns->world, columns->target.pid,
                                                         columns->target.inherit, &state->why);
    columns->has_tree_time = columns->has_tree_time || rc == 0;
    if (rc == 0)
        (void)snprintf(state->where, sizeof state->where, "%s", time->where);
    return rc;
}

static int open_tree(struct wtl_count_columns *columns, struct wtl_counter_state *state)
{
    bool is_memory = state->way->tree == WTL_TREE_MEMORY;
    uint64_t value;
    int rc = columns->has_tree
                 ? 0
                 : wtl_tree_count_open(&columns->tree, columns->world, columns->target.pid);
    columns->has_tree = true;
    rc = rc < 0 ? rc : wtl_tree_count_value(&columns->tree, state->way->tree, &value);
    (void)snprintf(state->where, sizeof state->where, "/proc/%d/%s and those of its children",
                   (int)columns->target.pid, is_memory ? "statm" : "io");
    if (rc == -EACCES || rc == -EPERM)
        return wtl_fail(&state->why, rc,
                        "/proc/%d/io: permission denied; only its owner and root may read it",
                        (int)columns->target.pid);
    return rc < 0 ? wtl_fail(&state->why, rc, "%.150s: %s", state->where, wtl_strerror(rc)) : 0;
}

static int open_way(struct wtl_count_columns *columns, struct wtl_counter_state *state)
{
    switch (state->way->feed) {
    case WTL_FEED_PERF:
        return 0; /* all together, later */
    case WTL_FEED_FILE:
        return open_file(columns, state);
    case WTL_FEED_BUSY:
        return open_busy(columns, state);
    case WTL_FEED_TREE_TIME:
        return open_tree_time(columns, state);
    case WTL_FEED_TREE:
        return open_tree(columns, state);
    case WTL_FEED_NONE:
        break;
    }
    return -ENOENT;
}

/* The first way that works; of several that do not, the sentence is that of the first. */
static void open_column(struct wtl_count_columns *columns, size_t i)
{
    struct wtl_counter_state *state = &columns->list[i];
    struct wattle_error first = {""};
    state->status = wtl_count_plan(columns->world, &columns->target, columns->scope,
                                   columns->set->columns[i].source, &state->plan, &state->why);
    if (state->status < 0)
        return;
    state->status =
        wtl_fail(&state->why, -ENOTSUP, "not counted for a %s", wtl_counted_name(columns->scope));
    for (size_t w = 0; w < WTL_COUNT_WAYS && state->status < 0; w++) {
        state->way = &state->plan.ways[w];
        if (state->way->feed == WTL_FEED_NONE)
            break;
        state->status = open_way(columns, state);
        if (w == 0)
            first = state->why;
    }
    if (state->status < 0 && first.text[0])
        state->why = first;
    if (state->plan.of_machine)
        state->note = note_machine;
}

/* ---- perf ---- */

static bool is_perf(const struct wtl_counter_state *state)
{
    return state->status == 0 && state->way && state->way->feed == WTL_FEED_PERF;
}

static void take_event(struct wtl_count_columns *columns, struct wtl_counter_state *state)
{
    const struct wtl_perf_event *event = &columns->perf.list[state->at];
    const char *what[] = {"", "all CPUs", "the process tree", "the cgroup"};
    state->status = event->status;
    state->why = event->why;
    state->remedy = event->remedy;
    if (event->status == 0 && event->user_only)
        state->note = note_user;
    else if (columns->scope == WTL_COUNTED_TREE && !columns->target.inherit)
        state->note = note_running;
    (void)snprintf(state->where, sizeof state->where, "perf type %u config 0x%llx%s%s of %s",
                   event->code.type, (unsigned long long)event->code.config,
                   wtl_core_pmus_split(&columns->perf.pmus, &event->code) ? " on each kind of core"
                                                                          : "",
                   event->user_only ? ", user mode" : "", what[columns->scope]);
}

static int open_perf(struct wtl_count_columns *columns)
{
    struct wtl_perf_code codes[WTL_COUNTER_COLUMNS];
    size_t n = 0;
    for (size_t i = 0; i < columns->set->column_count; i++) {
        if (!is_perf(&columns->list[i]))
            continue;
        codes[n] = columns->list[i].way->code;
        columns->list[i].at = n++;
    }
    int rc = wtl_perf_events_open(&columns->perf, columns->world, &columns->target, columns->scope,
                                  codes, n);
    for (size_t i = 0; i < columns->set->column_count && rc == 0; i++) {
        if (is_perf(&columns->list[i]))
            take_event(columns, &columns->list[i]);
    }
    return rc;
}

int wtl_count_columns_open(struct wtl_count_columns *columns,
                           const struct wtl_world *world,
                           const struct wtl_target *target,
                           const struct wtl_counter_set *set)
{
    *columns = (struct wtl_count_columns){.world = world,
                                          .target = *target,
                                          .scope = scope_of(target),
                                          .set = set,
                                          .perf = {.cgroup_fd = -1, .online_fd = -1},
                                          .busy = {.fd = -1},
                                          .tree_time = {.fd = -1}};
    columns->list = calloc(set->column_count + 1, sizeof *columns->list);
    if (!columns->list)
        return -ENOMEM;
    for (size_t i = 0; i < set->column_count; i++) {
        open_column(columns, i);
        if (columns->list[i].status == -ENOMEM)
            return -ENOMEM;
    }
    return open_perf(columns);
}

void wtl_count_columns_close(struct wtl_count_columns *columns)
{
    wtl_perf_events_close(&columns->perf);
    for (size_t i = 0; i < columns->file_count; i++)
        wtl_count_file_close(columns->world, &columns->files[i]);
    if (columns->has_busy)
        wtl_busy_close(&columns->busy);
    if (columns->has_tree_time)
        wtl_tree_time_close(&columns->tree_time);
    if (columns->has_tree)
        wtl_tree_count_close(&columns->tree);
    free(columns->list);
    *columns = (struct wtl_count_columns){.list = NULL};
}

/* ---- reading ---- */

void wtl_count_columns_read(struct wtl_count_columns *columns)
{
    wtl_perf_events_read(&columns->perf);
    for (size_t i = 0; i < columns->file_count; i++)
        wtl_count_file_read(columns->world, &columns->files[i]);
    if (columns->has_busy)
        columns->busy_status = wtl_busy_read(&columns->busy, &columns->busy_ns);
    if (columns->has_tree_time)
        columns->tree_time_status = wtl_tree_time_read(&columns->tree_time, &columns->tree_ns);
    if (columns->has_tree)
        wtl_tree_count_read(&columns->tree);
}

int wtl_count_columns_value(struct wtl_count_columns *columns, size_t i, uint64_t *ret_value)
{
    struct wtl_counter_state *state = &columns->list[i];
    if (state->status < 0 || !state->way)
        return state->status < 0 ? state->status : -ENOENT;
    switch (state->way->feed) {
    case WTL_FEED_PERF:
        *ret_value = columns->perf.list[state->at].value;
        return columns->perf.list[state->at].status;
    case WTL_FEED_FILE:
        return wtl_count_file_value(columns->world, &columns->files[state->at], &state->way->rule,
                                    &state->sum, ret_value);
    case WTL_FEED_BUSY:
        *ret_value = columns->busy_ns;
        return columns->busy_status;
    case WTL_FEED_TREE_TIME:
        *ret_value = columns->tree_ns;
        return columns->tree_time_status;
    case WTL_FEED_TREE:
        return wtl_tree_count_value(&columns->tree, state->way->tree, ret_value);
    case WTL_FEED_NONE:
        break;
    }
    return -ENOENT;
}

double wtl_count_columns_share(const struct wtl_count_columns *columns, size_t i)
{
    const struct wtl_counter_state *state = &columns->list[i];
    if (state->status < 0 || !state->way || state->way->feed != WTL_FEED_PERF)
        return NAN;
    return wtl_perf_event_share(&columns->perf.list[state->at]);
}

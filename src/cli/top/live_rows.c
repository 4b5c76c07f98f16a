/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processes are shown, and in what order: see live_view.h. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole.h"
#include "cli/top/live_view.h"

const char *const wtl_live_sort_names[] = {"power", "energy", "cpu", "name", "pid", "user", NULL};

struct row {
    const struct wtl_process *process;
    const char *text; /* to be sorted by; or NULL */
    double number;
};

const char *wtl_live_view_command(const struct wtl_live_view *view,
                                  const struct wtl_process *process)
{
    return view->names_only ? process->stat.name : process->command;
}

double wtl_live_view_cpu(const struct wtl_live_view *view, const struct wtl_process *process)
{
    double seconds = view->processes ? view->processes->seconds : (double)NAN;
    return seconds > 0 ? (double)process->used_ns * 1e-9 / seconds : (double)NAN;
}

static bool passes(struct wtl_live_view *view, const struct wtl_process *process)
{
    char pid[16];
    if (view->hide_kernel && process->stat.kernel_thread)
        return false;
    if (!view->filter[0])
        return true;
    (void)snprintf(pid, sizeof pid, "%d", (int)process->stat.pid);
    return strcasestr(process->command, view->filter) ||
           strcasestr(process->stat.name, view->filter) || strcmp(pid, view->filter) == 0 ||
           strcasestr(wtl_user_name(&view->users, process->uid), view->filter);
}

/* Numbers descending with unknown last; texts ascending; then busier first, then older first. */
static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->text && y->text) {
        int order = strcasecmp(x->text, y->text);
        if (order)
            return order;
    } else {
        double p = isnan(x->number) ? -INFINITY : x->number;
        double q = isnan(y->number) ? -INFINITY : y->number;
        if (p != q)
            return p > q ? -1 : 1;
    }
    if (x->process->used_ns != y->process->used_ns)
        return x->process->used_ns > y->process->used_ns ? -1 : 1;
    if (x->process->energy_j != y->process->energy_j)
        return x->process->energy_j > y->process->energy_j ? -1 : 1;
    if (x->process->stat.kernel_thread != y->process->stat.kernel_thread)
        return x->process->stat.kernel_thread ? 1 : -1;
    return (x->process->stat.pid > y->process->stat.pid) -
           (x->process->stat.pid < y->process->stat.pid);
}

static struct row row_of(struct wtl_live_view *view, const struct wtl_process *process)
{
    struct row row = {.process = process, .number = NAN};
    switch (view->sort) {
    case WTL_SORT_ENERGY:
        row.number = process->energy_j;
        break;
    case WTL_SORT_CPU:
        row.number = (double)process->used_ns;
        break;
    case WTL_SORT_NAME:
        row.text = wtl_live_view_command(view, process);
        break;
    case WTL_SORT_PID:
        row.number = -(double)process->stat.pid;
        break;
    case WTL_SORT_USER:
        row.text = wtl_user_name(&view->users, process->uid);
        break;
    default:
        row.number = process->power_w;
    }
    return row;
}

const struct wtl_process **wtl_live_view_processes(struct wtl_live_view *view, size_t *ret_count)
{
    size_t all = view->processes ? view->processes->table.count : 0, n = 0;
    struct row *rows = calloc(all + 1, sizeof *rows);
    const struct wtl_process **list = calloc(all + 1, sizeof(struct wtl_process *));
    /* Resolve user names before taking pointers into their list, which may move. */
    for (size_t i = 0; rows && view->sort == WTL_SORT_USER && i < all; i++)
        (void)wtl_user_name(&view->users, view->processes->table.items[i].uid);
    for (size_t i = 0; rows && list && i < all; i++) {
        const struct wtl_process *process = &view->processes->table.items[i];
        if (passes(view, process))
            rows[n++] = row_of(view, process);
    }
    if (n > 1)
        wtl_sort(rows, n, sizeof *rows, compare);
    for (size_t i = 0; i < n; i++)
        list[i] = rows[view->reverse ? n - 1 - i : i].process;
    free(rows);
    if (n == 0) {
        free(list);
        list = NULL;
    }
    *ret_count = n;
    return list;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/predict/power_learn.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/cluster/run.h"
#include "base/fail.h"

enum { NODES = 64 };

struct all {
    struct wtl_counter_rows rows[NODES];
    const struct wtl_counter_rows *list[NODES];
    size_t count;
};

/* What cannot be read here has been refused by the learner already. */
static void take_run(struct all *all, char *const *name, uint64_t step_ns)
{
    struct wattle_error why;
    struct wtl_run *run = NULL;
    if (wtl_run_open(name, 1, NULL, &run, &why) < 0)
        return;
    for (size_t i = 0; i < wtl_run_node_count(run) && all->count < NODES; i++) {
        struct wtl_trace_reader *reader = NULL;
        struct wtl_counter_rows *rows = &all->rows[all->count];
        if (wtl_run_node_open(run, i, &reader, &why) < 0)
            continue;
        if (wtl_counter_rows_read(reader, step_ns, rows, &why) == 0) {
            if (rows->total.count > 0)
                all->list[all->count++] = rows;
            else
                wtl_counter_rows_fini(rows);
        }
        wtl_trace_reader_close(reader);
    }
    wtl_run_close(run);
}

int wtl_counter_energy_learn_runs(char *const *names,
                                  size_t count,
                                  uint64_t step_ns,
                                  struct wtl_counter_energy *ret_model,
                                  struct wattle_error *err)
{
    struct all *all = calloc(1, sizeof *all);
    if (!all)
        return wtl_no_memory(err);
    size_t step = count / NODES + 1;
    for (size_t i = 0; i < count && all->count < NODES; i += step)
        take_run(all, &names[i], step_ns);
    int rc = wtl_counter_energy_learn(all->list, all->count, ret_model, err);
    for (size_t i = 0; i < all->count; i++)
        wtl_counter_rows_fini(&all->rows[i]);
    free(all);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases while a run goes on, in a program of the phase world whose phases, letters and order are known. */
#include "analysis/predict/phase_watch.h"

#include <stdio.h>
#include <string.h>

#include "sim/phases/phase_world.h"
#include "tap.h"

enum { EVENTS = 400 };

static struct seen {
    int event;
    size_t row;
    struct wtl_phase_present present;
} seen[EVENTS];
static size_t seen_count;

/* The rows of a world, all at once; the watch is given one after another. */
static struct wtl_phase_world *make_rows(const char *program,
                                         double step_s,
                                         struct wtl_counter_rows *rows)
{
    struct wtl_phase_world_config config;
    struct wtl_phase_world *world = NULL;
    double rates[WTL_SIM_COUNTERS], power_w;
    if (wtl_phase_world_program(program, &config) < 0)
        return NULL;
    config.step_s = step_s;
    if (wtl_phase_world_create(&config, &world, NULL) < 0)
        return NULL;
    size_t count = (size_t)wtl_phase_world_rows(world);
    if (wtl_counter_rows_init(rows, count, config.columns, (uint64_t)(step_s * 1e9)) < 0)
        return NULL;
    for (size_t c = 0; c < config.columns; c++)
        (void)snprintf(rows->names[c], WTL_ROW_NAME_MAX, "%s", config.names[c]);
    for (size_t k = 0; k < count && wtl_phase_world_next(world, rates, &power_w); k++) {
        memcpy(rows->rate + k * rows->columns, rates, rows->columns * sizeof *rates);
        wtl_counter_rows_power(rows, k, power_w);
    }
    return world;
}

static int watch_rows(const struct wtl_counter_rows *rows, double ahead_s)
{
    const struct wtl_phase_watch_options options = {.ahead_s = ahead_s};
    struct wtl_phase_watch *watch = NULL;
    struct wattle_error err = {""};
    int rc = wtl_phase_watch_create(&options, rows, &watch, &err);
    seen_count = 0;
    for (size_t k = 0; rc >= 0 && k < rows->rows; k++) {
        rc = wtl_phase_watch_push(watch, rows, k, &err);
        if (rc > WTL_PHASE_NOTHING && seen_count < EVENTS)
            seen[seen_count++] = (struct seen){rc, k, *wtl_phase_watch_present(watch)};
    }
    wtl_phase_watch_close(watch);
    return rc;
}

/* How many changes of the program after its first third were noticed, within so many rows. */
static void judge(const struct wtl_phase_world *world, size_t within)
{
    size_t count, found = 0, wanted = 0, begun = 0;
    const struct wtl_sim_segment *truth = wtl_phase_world_segments(world, &count);
    for (size_t i = count / 3; i < count; i++) {
        bool hit = false;
        for (size_t k = 0; k < seen_count; k++)
            hit |= seen[k].event == WTL_PHASE_BEGAN && seen[k].row >= truth[i].first &&
                   seen[k].row <= truth[i].first + within;
        wanted++;
        found += hit;
    }
    for (size_t k = 0; k < seen_count; k++)
        begun += seen[k].event == WTL_PHASE_BEGAN;
    ok(found * 10 >= wanted * 9, "%zu of %zu changes within %zu rows", found, wanted, within);
    ok(begun <= count + 2, "%zu phases where %zu are true", begun, count);
}

int main(void)
{
    struct wtl_counter_rows rows;
    struct wtl_phase_world *world = make_rows("lu", 0.1, &rows);
    if (!world)
        return 1;
    is_int(watch_rows(&rows, 0) >= 0, 1, "lu in rows of 0.1 s");
    for (size_t k = 0; k < seen_count; k++)
        diag("row %zu: %d phase %zu %s %.0f W, next %s in %.1f s", seen[k].row, seen[k].event,
             seen[k].present.number, seen[k].present.letter, seen[k].present.mean_w,
             seen[k].present.next, seen[k].present.next_s);
    judge(world, 30);
    wtl_phase_world_destroy(world);
    wtl_counter_rows_fini(&rows);
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The staircase of power: see power_path.h. One part is kept and advanced step by step; copies of
 * it (marks) are kept along the way. Since the past is always summed again from a mark in the same
 * order, an energy is the same number however it is queried.
 */
#include "sim/power_path.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"

enum { PARTS_PER_MARK = 256 };

const char *const wtl_power_variables[WTL_POWER_VARIABLES] = {
    "t", "load", "f", "socket", "phases", "tasks", "busy", "gpu", "programs"};

static const struct wtl_expression *expression_of(const struct wtl_power_path *path,
                                                  const struct wtl_power_part *part)
{
    return path->programs[part->program].power;
}

static bool varies(const struct wtl_expression *power)
{
    return wtl_expression_uses(power, WTL_POWER_T) || wtl_expression_uses(power, WTL_POWER_PHASES);
}

static bool on_grid(const struct wtl_power_path *path, const struct wtl_power_part *part)
{
    return path->wander_w > 0 || varies(expression_of(path, part));
}

static uint64_t end_of(const struct wtl_power_path *path, const struct wtl_power_part *part)
{
    const struct wtl_influences *influences = path->influences;
    uint64_t end = UINT64_MAX;
    if (on_grid(path, part))
        end = path->start_ns + (part->cell + 1) * path->grid_ns;
    if (part->influence + 1 < influences->count &&
        influences->list[part->influence + 1].time_ns < end)
        end = influences->list[part->influence + 1].time_ns;
    if (part->program + 1 < path->program_count && path->programs[part->program + 1].time_ns < end)
        end = path->programs[part->program + 1].time_ns;
    return end;
}

static double value_of(const struct wtl_power_path *path,
                       const struct wtl_expression *power,
                       uint64_t time_ns,
                       const struct wtl_influence *influence)
{
    double values[WTL_POWER_VARIABLES] = {
        [WTL_POWER_T] = (double)(int64_t)(time_ns - path->t0_ns) * 1e-9,
        [WTL_POWER_LOAD] = influence->load,
        [WTL_POWER_F] = influence->f,
        [WTL_POWER_SOCKET] = path->socket,
        [WTL_POWER_PHASES] =
            path->track ? wtl_sim_track_power_w(path->track, (int64_t)(time_ns - path->t0_ns))
                        : (double)NAN,
        [WTL_POWER_TASKS] = influence->tasks_w,
        [WTL_POWER_PROGRAMS] = influence->tasks_w,
        [WTL_POWER_BUSY] = influence->busy,
        [WTL_POWER_GPU] = path->gpu < 0 ? 0 : (double)influence->gpu[path->gpu],
    };
    return wtl_expression_value(power, values);
}

double wtl_power_path_would_w(const struct wtl_power_path *path,
                              uint64_t time_ns,
                              double load,
                              double f)
{
    struct wtl_influence would = path->influences->list[path->influences->count - 1];
    would.load = load;
    would.f = f;
    double watts = value_of(path, path->programs[path->program_count - 1].power, time_ns, &would);
    return isfinite(watts) ? watts : 0;
}

bool wtl_power_path_uses(const struct wtl_power_path *path, size_t i)
{
    return wtl_expression_uses(path->programs[path->program_count - 1].power, i);
}

static double evaluate(struct wtl_power_path *path, const struct wtl_power_part *part)
{
    const struct wtl_influence *influence = &path->influences->list[part->influence];
    uint64_t middle = path->start_ns + part->cell * path->grid_ns + path->grid_ns / 2;
    double watts = value_of(path, expression_of(path, part), middle, influence);
    if (isfinite(watts))
        return watts;
    path->undefined++;
    return 0;
}

/* Complete a part whose time and indices are set: its cell, height and end. */
static void shape(struct wtl_power_path *path, struct wtl_power_part *part, bool stepped)
{
    bool grid = on_grid(path, part);
    uint64_t cell = grid ? (part->time_ns - path->start_ns) / path->grid_ns : part->cell;
    if (path->wander_w > 0 && cell != part->cell)
        part->wander = path->wander_keep * part->wander +
                       path->wander_add * wtl_random_normal(path->stream, cell);
    bool moved = cell != part->cell;
    part->cell = cell;
    if (stepped || (moved && varies(expression_of(path, part))))
        part->base_w = evaluate(path, part);
    double watts = part->base_w + path->wander_w * part->wander;
    part->power_w = watts > 0 ? watts : 0; /* an energy counter never runs backwards */
    part->next_ns = end_of(path, part);
}

static void advance(struct wtl_power_path *path, struct wtl_power_part *part)
{
    const struct wtl_influences *influences = path->influences;
    bool stepped = false;
    part->energy_j += part->power_w * ((double)(part->next_ns - part->time_ns) * 1e-9);
    part->time_ns = part->next_ns;
    while (part->influence + 1 < influences->count &&
           influences->list[part->influence + 1].time_ns <= part->time_ns) {
        part->influence++;
        stepped = true;
    }
    while (part->program + 1 < path->program_count &&
           path->programs[part->program + 1].time_ns <= part->time_ns) {
        part->program++;
        stepped = true;
    }
    shape(path, part, stepped);
}

/* Without memory for a mark, queries of the past take longer but are just as precise. */
static void keep_mark(struct wtl_power_path *path)
{
    if (wtl_reserve(&path->marks, &path->mark_capacity, path->mark_count + 1, sizeof *path->marks) <
        0)
        return;
    path->marks[path->mark_count++] = path->now;
    path->since_mark = 0;
}

int wtl_power_path_init(struct wtl_power_path *path, const struct wtl_power_config *config)
{
    *path = (struct wtl_power_path){
        .influences = config->influences,
        .start_ns = config->start_ns,
        .t0_ns = config->t0_ns,
        .grid_ns = config->grid_ns,
        .track = config->track,
        .socket = config->socket,
        .gpu = config->gpu,
        .wander_w = config->wander_w,
        .stream = config->stream,
        .asked_ns = config->start_ns,
    };
    if (config->wander_w > 0) {
        path->wander_keep = exp(-(double)config->grid_ns * 1e-9 / config->wander_tau_s);
        path->wander_add = sqrt(1 - path->wander_keep * path->wander_keep);
        path->now.wander = wtl_random_normal(path->stream, 0);
    }
    path->programs = calloc(1, sizeof *path->programs);
    if (!path->programs)
        return -ENOMEM;
    path->programs[0] = (struct wtl_power_program){config->start_ns, config->power};
    path->program_count = path->program_capacity = 1;
    path->now.time_ns = config->start_ns;
    shape(path, &path->now, true);
    keep_mark(path);
    if (path->mark_count == 0) {
        wtl_power_path_fini(path);
        return -ENOMEM;
    }
    return 0;
}

void wtl_power_path_fini(struct wtl_power_path *path)
{
    free(path->programs);
    free(path->marks);
    memset(path, 0, sizeof *path);
}

/* The part that contains time_ns >= start_ns; valid until the next call. */
static struct wtl_power_part *part_at(struct wtl_power_path *path,
                                      uint64_t time_ns,
                                      struct wtl_power_part *past)
{
    if (time_ns >= path->now.time_ns) {
        while (path->now.next_ns <= time_ns) {
            advance(path, &path->now);
            if (++path->since_mark >= PARTS_PER_MARK)
                keep_mark(path);
        }
        if (time_ns > path->asked_ns)
            path->asked_ns = time_ns;
        return &path->now;
    }
    size_t low = 0, high = path->mark_count; /* marks[low] <= time < marks[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (path->marks[middle].time_ns <= time_ns)
            low = middle;
        else
            high = middle;
    }
    *past = path->marks[low];
    past->next_ns = end_of(path, past); /* a later step may have ended it */
    uint64_t undefined = path->undefined;
    while (past->next_ns <= time_ns)
        advance(path, past);
    path->undefined = undefined; /* already counted */
    return past;
}

double wtl_power_path_energy_j(struct wtl_power_path *path, uint64_t time_ns)
{
    struct wtl_power_part past;
    const struct wtl_power_part *part = part_at(path, time_ns, &past);
    return part->energy_j + part->power_w * ((double)(time_ns - part->time_ns) * 1e-9);
}

double wtl_power_path_power_w(struct wtl_power_path *path, uint64_t time_ns)
{
    struct wtl_power_part past;
    return part_at(path, time_ns, &past)->power_w;
}

int wtl_power_path_cut(struct wtl_power_path *path, uint64_t time_ns)
{
    if (time_ns < path->asked_ns)
        return -EINVAL;
    if (path->now.next_ns > time_ns)
        path->now.next_ns = time_ns;
    return 0;
}

int wtl_power_path_set(struct wtl_power_path *path,
                       uint64_t time_ns,
                       const struct wtl_expression *power)
{
    if (time_ns < path->asked_ns || time_ns < path->programs[path->program_count - 1].time_ns)
        return -EINVAL;
    if (wtl_reserve(&path->programs, &path->program_capacity, path->program_count + 1,
                    sizeof *path->programs) < 0)
        return -ENOMEM;
    path->programs[path->program_count++] = (struct wtl_power_program){time_ns, power};
    return wtl_power_path_cut(path, time_ns);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/phases/phase_track.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

struct wtl_sim_track {
    struct wtl_phase_world *world;
    size_t columns;
    uint64_t rows, step_ns;
    double *totals;                 /* [(rows + 1) * columns]: events before the row */
    double *power_w;                /* [rows + 1]: the last is that of the end */
    double after[WTL_SIM_COUNTERS]; /* events per second after the last row */
};

static int record(struct wtl_sim_track *track)
{
    size_t columns = track->columns, n = (size_t)track->rows + 1;
    double rates[WTL_SIM_COUNTERS], step_s = (double)track->step_ns * 1e-9;
    track->totals = calloc(n * columns, sizeof *track->totals);
    track->power_w = calloc(n, sizeof *track->power_w);
    if (!track->totals || !track->power_w)
        return -ENOMEM;
    for (size_t row = 0; wtl_phase_world_next(track->world, rates, &track->power_w[row]); row++) {
        const double *before = track->totals + row * columns;
        for (size_t i = 0; i < columns; i++)
            track->totals[(row + 1) * columns + i] = before[i] + rates[i] * step_s;
    }
    size_t count;
    const struct wtl_sim_segment *list = wtl_phase_world_segments(track->world, &count);
    track->power_w[track->rows] = list[count - 1].mean_w;
    wtl_phase_world_means(track->world, list[count - 1].letter, track->after);
    return 0;
}

int wtl_sim_track_create(const struct wtl_phase_world_config *config,
                         struct wtl_sim_track **ret_track,
                         struct wattle_error *err)
{
    struct wtl_phase_world_config whole = *config;
    struct wtl_sim_track *track = calloc(1, sizeof *track);
    if (!track)
        return wtl_fail(err, -ENOMEM, "out of memory");
    double step_ns = rint(config->step_s * 1e9);
    int rc = 0;
    if (!(step_ns >= 1 && step_ns < 1e12))
        rc = wtl_fail(err, -EINVAL, "the step of a track is 1 ns to 1000 s");
    whole.step_s = step_ns * 1e-9;
    if (rc == 0)
        rc = wtl_phase_world_create(&whole, &track->world, err);
    if (rc == 0) {
        track->columns = whole.columns;
        track->rows = wtl_phase_world_rows(track->world);
        track->step_ns = (uint64_t)step_ns;
        if (track->rows > WTL_SIM_TRACK_ROWS)
            rc = wtl_fail(
                err, -EINVAL,
                "the phases have %llu steps, at most %d are possible; choose a longer step",
                (unsigned long long)track->rows, WTL_SIM_TRACK_ROWS);
        else if (record(track) < 0)
            rc = wtl_fail(err, -ENOMEM, "out of memory");
    }
    if (rc < 0)
        wtl_sim_track_destroy(track);
    else
        *ret_track = track;
    return rc;
}

void wtl_sim_track_destroy(struct wtl_sim_track *track)
{
    if (!track)
        return;
    wtl_phase_world_destroy(track->world);
    free(track->totals);
    free(track->power_w);
    free(track);
}

const struct wtl_phase_world_config *wtl_sim_track_config(const struct wtl_sim_track *track)
{
    return wtl_phase_world_config(track->world);
}

const struct wtl_sim_segment *wtl_sim_track_segments(const struct wtl_sim_track *track,
                                                     size_t *ret_count)
{
    return wtl_phase_world_segments(track->world, ret_count);
}

uint64_t wtl_sim_track_step_ns(const struct wtl_sim_track *track)
{
    return track->step_ns;
}

uint64_t wtl_sim_track_end_ns(const struct wtl_sim_track *track)
{
    return track->rows * track->step_ns;
}

int wtl_sim_track_column(const struct wtl_sim_track *track, const char *name)
{
    const struct wtl_phase_world_config *config = wtl_sim_track_config(track);
    for (size_t i = 0; i < track->columns; i++) {
        if (config->names[i] && strcmp(config->names[i], name) == 0)
            return (int)i;
    }
    return -ENOENT;
}

double wtl_sim_track_power_w(const struct wtl_sim_track *track, int64_t t_ns)
{
    uint64_t row = t_ns > 0 ? (uint64_t)t_ns / track->step_ns : 0;
    return track->power_w[row < track->rows ? row : track->rows];
}

uint64_t wtl_sim_track_count(const struct wtl_sim_track *track, size_t column, int64_t t_ns)
{
    if (t_ns <= 0)
        return 0;
    uint64_t row = (uint64_t)t_ns / track->step_ns;
    row = row < track->rows ? row : track->rows;
    const double *at = track->totals + row * track->columns + column;
    double into = (double)((uint64_t)t_ns - row * track->step_ns);
    if (row == track->rows)
        return (uint64_t)(at[0] + track->after[column] * into * 1e-9);
    return (uint64_t)(at[0] + (at[track->columns] - at[0]) * (into / (double)track->step_ns));
}

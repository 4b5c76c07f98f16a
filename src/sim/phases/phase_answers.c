/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/phases/phase_answers.h"

#include <errno.h>

#include "base/fail.h"

static int no_phases(struct wattle_error *err)
{
    return wtl_fail(err, -EINVAL, "this node has no phases; see wattle-sim run --phases");
}

int wtl_phase_answer_phases(const struct wtl_node *of, FILE *out, struct wattle_error *err)
{
    const struct wtl_node_config *node = wtl_node_config(of);
    if (!node->track)
        return no_phases(err);
    size_t count;
    const struct wtl_sim_segment *list = wtl_sim_track_segments(node->track, &count);
    const struct wtl_phase_world_config *world = wtl_sim_track_config(node->track);
    uint64_t step = wtl_sim_track_step_ns(node->track);
    (void)fprintf(out, "ok %llu\n", (unsigned long long)node->t0_ns);
    for (size_t i = 0; i < count; i++) {
        uint64_t from = node->t0_ns + list[i].first * step, to = from + list[i].rows * step;
        (void)fprintf(out, "%llu\t%llu\t%s\t%.9g\n", (unsigned long long)from,
                      (unsigned long long)to, world->letters[list[i].letter].name, list[i].mean_w);
    }
    return 0;
}

int wtl_phase_answer_counts(const struct wtl_node *of,
                            const uint64_t limits[2],
                            FILE *out,
                            struct wattle_error *err)
{
    const struct wtl_node_config *node = wtl_node_config(of);
    if (!node->track)
        return no_phases(err);
    const struct wtl_phase_world_config *world = wtl_sim_track_config(node->track);
    (void)fprintf(out, "ok %llu %llu\n", (unsigned long long)limits[0],
                  (unsigned long long)limits[1]);
    for (size_t i = 0; i < world->columns; i++) {
        uint64_t from = wtl_sim_track_count(node->track, i, (int64_t)(limits[0] - node->t0_ns));
        uint64_t to = wtl_sim_track_count(node->track, i, (int64_t)(limits[1] - node->t0_ns));
        (void)fprintf(out, "%s %llu\n", world->names[i], (unsigned long long)(to - from));
    }
    return 0;
}

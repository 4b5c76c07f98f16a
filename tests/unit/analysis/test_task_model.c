/* SPDX-License-Identifier: BSD-3-Clause */
/* The task model on worlds with known truth: what it finds, its intervals, and what it refuses. */
#include <errno.h>

#include "tap.h"
#include "unit/analysis/task_world_rows.h"

static struct world_model m;

static void matched(void)
{
    double worst = 0;
    size_t inside = 0;
    struct wtl_task_world_config config = wtl_task_world_paper(WTL_SIM_CHOLESKY, 24, 3);
    config.sensor.noise = 0.01;
    is_int(world_model(&config, WTL_TASK_NNLS, true, 200, &m), 0, "a matched world: %s",
           m.err.text);
    const struct wtl_task_world_truth *truth = wtl_task_world_truth(m.world);
    for (unsigned j = 0; j < config.type_count; j++) {
        const struct wtl_task_cost *type = &m.model.types[j];
        diag("%s %.3f [%.3f %.3f] W, true %.3f, sampling %.3f", type->name, type->power_w.value,
             type->power_w.low, type->power_w.high, truth->power_w[j], type->alea_j / type->alea_s);
        inside += type->energy_j.low <= truth->energy_j_of[j] &&
                  truth->energy_j_of[j] <= type->energy_j.high;
        worst = fmax(worst, fabs(type->power_w.value / truth->power_w[j] - 1));
    }
    ok(inside >= 3, "the intervals hold %zu of 4 true energies", inside);
    ok(m.model.energy.error < 0.005, "the total within %.3g", m.model.energy.error);
    diag("worst type %.3g, explained %.4f, %zu blocks, crowd %.1f, heat %.1f", worst,
         m.model.channels->explained, m.model.blocks, m.model.channels->crowd_t,
         m.model.channels->heat_t);
    world_model_fini(&m);
}

int main(void)
{
    matched();
    return done_testing();
}

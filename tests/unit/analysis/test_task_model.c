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

/* What cannot be known is refused. */
static void refused(void)
{
    struct wtl_task_world_config config = wtl_task_world_random(20, 60, 3);
    config.repeats = 1;
    config.idle_s = 0.1;
    config.sensor.period_s = 0.2;
    is_int(world_model(&config, WTL_TASK_NNLS, true, 0, &m), -ERANGE, "few readings: %s",
           m.err.text);
    world_model_fini(&m);
    config = wtl_task_world_random(3, 200, 3);
    config.repeats = 1;
    config.idle_s = 0;
    config.cores = 1;
    (void)world_model(&config, WTL_TASK_NNLS, false, 0, &m);
    diag("without idle time: %s", m.err.text);
    world_model_fini(&m);
}

/* A type that runs for nanoseconds: its power is unknown, but its energy is not more than all that was measured. */
static void rare(void)
{
    double most = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct wtl_task_world_config config = wtl_task_world_random(3, 60, seed);
        config.types[2].duration_s = 1e-9;
        config.repeats = 1;
        config.sensor.noise = 0.05;
        if (!is_int(world_model(&config, WTL_TASK_NNLS, false, 100, &m), 0, "a rare type: %s",
                    m.err.text))
            continue;
        for (size_t t = 0; t < m.model.type_count; t++)
            most = fmax(most, m.model.types[t].energy_j.high / m.model.energy.measured_j);
        world_model_fini(&m);
    }
    ok(most <= 1, "at most %g of what was measured", most);
}

/* P_S at its bound is not a finding: the powers of the tasks contain it. */
static void hidden(void)
{
    int none = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct wtl_task_world_config config = wtl_task_world_random(3, 60, seed);
        config.static_w = 0;
        config.sensor.noise = 0.02;
        (void)world_model(&config, WTL_TASK_NNLS, false, 0, &m);
        const struct wtl_task_channel *ch = m.model.channels;
        bool found = ch->statics.source == WTL_TASK_FITTED && ch->fit.x[WTL_TASK_STATIC] > 0;
        ok(found || ch->statics.source == WTL_TASK_NONE,
           "P_S is found, or said to be unknown: %g W", ch->fit.x[WTL_TASK_STATIC]);
        none += !found;
        world_model_fini(&m);
    }
    ok(none > 0, "it is unknown in %d of 6 worlds", none);
}

/* Threads that wait spin, but for moments, and few of them draw more power than many: P_S would be twice what it is. */
static void spinning(void)
{
    struct wtl_task_world_config config = wtl_task_world_paper(WTL_SIM_LU_INCREMENTAL, 16, 1);
    unsigned k = config.type_count++;
    config.types[k] = (struct wtl_sim_task_type){.name = "spin", .power_w = 4, .duration_s = 1};
    config.spin = k + 1;
    config.repeats = 8;
    config.serial_s = 0.0002;
    config.turbo = 0.3;
    config.sensor.noise = 0.001;
    is_int(world_model(&config, WTL_TASK_NNLS, false, 0, &m), 0, "threads that spin: %s",
           m.err.text);
    ok(m.model.channels->statics.source == WTL_TASK_NONE, "P_S is said to be unknown");
    world_model_fini(&m);
    is_int(world_model(&config, WTL_TASK_NNLS, true, 0, &m), 0, "calibrated: %s", m.err.text);
    const struct wtl_task_world_truth *truth = wtl_task_world_truth(m.world);
    is_double(m.model.types[k].power_w.value, truth->power_w[k], 0.25 * truth->power_w[k],
              "spinning has a power of its own");
    world_model_fini(&m);
}

/* A meter whose clock is 20 ms ahead, and grows by 200 ppm. */
static void late(void)
{
    struct wtl_task_world_config config = wtl_task_world_random(3, 6000, 4);
    config.sensor.offset_s = 0.02;
    config.sensor.drift_ppm = 200;
    is_int(world_model(&config, WTL_TASK_NNLS, true, 0, &m), 0, "a late meter: %s", m.err.text);
    ok(m.lag.found, "is found to be late");
    is_double(m.lag.drift, 200e-6, 20e-6, "its drift");
    const struct wtl_task_world_truth *truth = wtl_task_world_truth(m.world);
    for (unsigned j = 0; j < config.type_count; j++)
        is_double(m.model.types[j].power_w.value, truth->power_w[j], 0.03 * truth->power_w[j],
                  "power of type %u", j);
    world_model_fini(&m);
}

/* How late it is, is known from the same readings: what that leaves open belongs into the intervals. */
static void late_intervals(void)
{
    size_t held = 0, found = 0, known = 0;
    enum { WORLDS = 40 };
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        struct wtl_task_world_config config = wtl_task_world_random(3, 400, seed);
        config.sensor.offset_s = 0.02;
        config.sensor.period_s = 0.02;
        config.sensor.noise = 0.02;
        is_int(world_model(&config, WTL_TASK_NNLS, true, 100, &m), 0, "late: %s", m.err.text);
        const struct wtl_task_world_truth *truth = wtl_task_world_truth(m.world);
        double tasks_j = truth->energy_j - truth->platform_j;
        held += m.model.tasks_j.low <= tasks_j && tasks_j <= m.model.tasks_j.high;
        found += m.lag.found;
        known += m.lag.found && fabs(m.lag.offset_s - 0.02) <= m.lag.offset_half_s;
        diag("%d: %.2f [%.2f %.2f] true %.2f; %.2f ms +- %.2f", (int)seed, m.model.tasks_j.value,
             m.model.tasks_j.low, m.model.tasks_j.high, tasks_j, 1e3 * m.lag.offset_s,
             1e3 * m.lag.offset_half_s);
        world_model_fini(&m);
    }
    ok(found > WORLDS / 2, "%zu of %d are found to be late", found, WORLDS);
    ok(known + 4 >= found, "the interval of %zu of %zu lags holds", known, found);
    ok(held >= WORLDS - 5, "%zu of %d intervals of all tasks hold", held, WORLDS);
}

/* Other programs come and go: nothing of the meter is late. */
static void not_alone(void)
{
    int late = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct wtl_task_world_config config =
            wtl_task_world_paper(WTL_SIM_LU_INCREMENTAL, 12, seed);
        config.sensor.noise = 0.01;
        config.sensor.others_w = 60;
        config.sensor.others_s = 0.02 * (double)seed;
        config.sensor.period_s = seed % 2 ? 0.04 : 0.01;
        is_int(world_model(&config, WTL_TASK_NNLS, true, 0, &m), 0, "others, %g s: %s",
               config.sensor.others_s, m.err.text);
        late += m.lag.found;
        diag("offset %g drift %g of %zu rows", m.lag.offset_s, m.lag.drift, m.rows.count);
        world_model_fini(&m);
    }
    is_int(late, 0, "no meter is late");
}

/* If tasks that share the memory draw less, the intervals say that the data do not. */
static void corunners(void)
{
    size_t inside = 0;
    struct wtl_task_world_config config = wtl_task_world_random(4, 2000, 2);
    config.corunner = 0.6;
    config.few_cores = 0.5;
    config.sensor.noise = 0.002;
    is_int(world_model(&config, WTL_TASK_NNLS, true, 100, &m), 0, "co-runners: %s", m.err.text);
    ok(m.model.mixes || m.model.crowds, "they are noticed");
    const struct wtl_task_world_truth *truth = wtl_task_world_truth(m.world);
    for (unsigned j = 0; j < config.type_count; j++)
        inside += m.model.types[j].energy_j.low <= truth->energy_j_of[j] &&
                  truth->energy_j_of[j] <= m.model.types[j].energy_j.high;
    is_int(inside, config.type_count, "all intervals hold");
    world_model_fini(&m);
}

int main(void)
{
    matched();
    refused();
    rare();
    hidden();
    spinning();
    late();
    late_intervals();
    not_alone();
    corunners();
    return done_testing();
}

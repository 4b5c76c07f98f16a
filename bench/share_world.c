/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power of a set of jobs in one step, above idle:
 *
 *     activation + sum over cores of 5 W x (f / 3 GHz)^2.4 x (h of its hottest thread + 0.35 x h of the other)
 *
 * h is the heat of the job's cycles, reduced by up to 25 % if jobs of the set contend for memory. f
 * is 3.6 GHz with one busy core, 2.6 with all of them. The power of the machine is that of all
 * jobs.
 *
 * Power of memory, above idle: 3 W while any core is busy (it is awake), and 0.5 W for each GHz of cycles x traffic per
 * cycle x locality. Traffic is misses x (1 + uncounted).
 */
#include "share_world.h"

#include <math.h>

#include "base/random.h"

const uint32_t share_core_of[SHARE_CPUS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static double uniform(struct share_world *world)
{
    return wtl_random_uniform(world->seed, world->at++);
}

/* Threads of a job: on the first threads of separate cores, or, with SMT, alternating between all
 * jobs on both threads of the first cores. */
static uint32_t place(const struct share_world *world, size_t job)
{
    unsigned jobs = (unsigned)world->jobs, each = SHARE_CORES / jobs;
    uint32_t cpus = 0;
    for (unsigned i = 0; i < each; i++) {
        unsigned alone = (unsigned)job * each + i, turn = i * jobs + (unsigned)job;
        bool both = world->effects & SHARE_SMT;
        cpus |= 1u << (both ? turn / 2 + turn % 2 * SHARE_CORES : alone);
    }
    return cpus;
}

void share_world_begin(struct share_world *world, unsigned effects, size_t jobs, uint64_t seed)
{
    *world = (struct share_world){.effects = effects, .jobs = jobs, .seed = seed};
    for (size_t j = 0; j < jobs; j++) {
        struct share_job *job = &world->job[j];
        job->cpus = place(world, j);
        job->duty = 0.3 + 0.7 * uniform(world);
        job->active_ms = 50 + 950 * uniform(world);
        job->pause_ms = 50 + 950 * uniform(world);
        job->ipc = effects & SHARE_DATA ? 0.5 + 1.5 * uniform(world) : 1;
        job->memory = effects & (SHARE_DATA | SHARE_INTERFERENCE) ? uniform(world) : 0;
        uint64_t own = seed ^ 0x64726d; /* draws of their own */
        job->misses = effects & (SHARE_DATA | SHARE_INTERFERENCE) ? 0.05 + 0.95 * job->memory : 0.5;
        job->uncounted = effects & SHARE_DATA ? 0.4 * wtl_random_uniform(own, 3 * j) : 0;
        job->locality = effects & SHARE_DATA ? 0.9 + 0.2 * wtl_random_uniform(own, 3 * j + 1) : 1;
        job->resident = 0.1 + 0.9 * wtl_random_uniform(own, 3 * j + 2);
        job->heat = effects & SHARE_DATA
                        ? 0.5 + 0.35 * job->ipc + 0.15 * job->memory + 0.1 * uniform(world)
                        : 1;
    }
}

/* Heat of a job's cycles when it runs with the others of the set. */
static double heat_in(const struct share_world *world, size_t job, unsigned set)
{
    double pressure = 0;
    for (size_t i = 0; i < world->jobs; i++)
        if (i != job && set >> i & 1 && world->running & world->job[i].cpus)
            pressure += world->job[i].memory;
    if (!(world->effects & SHARE_INTERFERENCE))
        pressure = 0;
    return world->job[job].heat * (1 - 0.25 * world->job[job].memory * fmin(pressure / 2, 1));
}

/* For a set of jobs: the heat of each CPU in this step, 0 if idle, and the frequency. */
static double heats(const struct share_world *world, unsigned set, double *heat)
{
    unsigned cores = 0;
    for (unsigned c = 0; c < SHARE_CPUS; c++)
        heat[c] = 0;
    for (size_t j = 0; j < world->jobs; j++) {
        uint32_t on = set >> j & 1 ? world->running & world->job[j].cpus : 0;
        double hot = on ? heat_in(world, j, set) : 0;
        for (unsigned c = 0; on; c++, on >>= 1)
            if (on & 1)
                heat[c] = hot;
    }
    for (unsigned c = 0; c < SHARE_CORES; c++)
        cores += heat[c] > 0 || heat[c + SHARE_CORES] > 0;
    return world->effects & SHARE_TURBO ? 3.6 - (cores ? cores - 1.0 : 0) / (SHARE_CORES - 1) : 3;
}

static double power_w(const struct share_world *world, unsigned set)
{
    double heat[SHARE_CPUS], sum = 0, ghz = heats(world, set, heat);
    for (unsigned c = 0; c < SHARE_CORES; c++) {
        double a = heat[c], b = heat[c + SHARE_CORES];
        sum += fmax(a, b) + 0.35 * fmin(a, b);
    }
    double activation_w = world->effects & SHARE_ACTIVATION && sum > 0 ? 15 : 0;
    return activation_w + 5 * pow(ghz / 3, 2.4) * sum;
}

/* The average contribution of each job over all orders of arrival. */
static void shapley(struct share_world *world, double seconds, double *shapley_j)
{
    unsigned sets = 1u << world->jobs;
    double factorial[SHARE_JOBS + 1] = {1};
    for (size_t i = 1; i <= world->jobs; i++)
        factorial[i] = factorial[i - 1] * (double)i;
    for (unsigned set = 0; set < sets; set++)
        world->shapley_w[set] = power_w(world, set);
    for (unsigned set = 0; set < sets; set++) {
        unsigned size = (unsigned)__builtin_popcount(set);
        for (size_t j = 0; j < world->jobs; j++)
            if (!(set >> j & 1))
                shapley_j[j] += factorial[size] * factorial[world->jobs - size - 1] /
                                factorial[world->jobs] * seconds *
                                (world->shapley_w[set | 1u << j] - world->shapley_w[set]);
    }
}

static void physical(const struct share_world *world, double seconds, double *heat_j)
{
    double heat[SHARE_CPUS], ghz = heats(world, ~0u, heat);
    double each_w = world->effects & SHARE_ACTIVATION && world->running
                        ? 15.0 / __builtin_popcount(world->running)
                        : 0;
    for (size_t j = 0; j < world->jobs; j++)
        for (unsigned c = 0; c < SHARE_CPUS; c++) {
            if (!(world->running >> c & world->job[j].cpus >> c & 1))
                continue;
            double a = heat[c], b = heat[(c + SHARE_CORES) % SHARE_CPUS];
            double core = fmax(a, b) + 0.35 * fmin(a, b);
            heat_j[j] += seconds * (each_w + 5 * pow(ghz / 3, 2.4) * core * a / (a + b));
        }
}

static void memory(const struct share_world *world,
                   double seconds,
                   double ghz,
                   struct share_look *look)
{
    const double awake_w = world->effects & SHARE_ACTIVATION && world->running ? 3 : 0;
    unsigned jobs = 0, cpus = (unsigned)__builtin_popcount(world->running);
    for (size_t j = 0; j < world->jobs; j++)
        jobs += (world->running & world->job[j].cpus) != 0;
    look->dram_j += seconds * (SHARE_DRAM_IDLE_W + awake_w);
    for (size_t j = 0; j < world->jobs; j++) {
        const struct share_job *job = &world->job[j];
        unsigned own = (unsigned)__builtin_popcount(world->running & job->cpus);
        double misses = seconds * ghz * own * job->misses, traffic = misses * (1 + job->uncounted),
               energy_j = 0.5 * traffic * job->locality;
        look->dram_misses[j] += misses;
        look->dram_traffic[j] += traffic;
        look->dram_j += energy_j;
        look->dram_shapley_j[j] += energy_j + (own ? seconds * awake_w / jobs : 0);
        look->dram_heat_j[j] += energy_j + (own ? seconds * awake_w * own / cpus : 0);
    }
}

static void step(struct share_world *world)
{
    world->running = 0;
    for (size_t j = 0; j < world->jobs; j++) {
        struct share_job *job = &world->job[j];
        if (--job->phase_left_ms <= 0) {
            job->active = !job->active;
            job->phase_left_ms = (job->active ? job->active_ms : job->pause_ms) *
                                 wtl_random_exponential(world->seed, world->at++);
        }
        for (unsigned c = 0; c < SHARE_CPUS; c++)
            if (job->active && job->cpus >> c & 1 && uniform(world) < job->duty)
                world->running |= 1u << c;
    }
}

static void count(const struct share_world *world,
                  double seconds,
                  double ghz,
                  struct share_look *look)
{
    for (size_t j = 0; j < world->jobs; j++) {
        const struct share_job *job = &world->job[j];
        for (unsigned c = 0; c < SHARE_CPUS; c++) {
            if (!(world->running >> c & job->cpus >> c & 1))
                continue;
            look->busy_s[c] += seconds;
            look->used_s[j * SHARE_CPUS + c] += seconds;
            look->cycles[j] += seconds * ghz;
            look->instructions[j] += seconds * ghz * job->ipc;
            look->misses[j] += seconds * ghz * job->memory;
        }
    }
}

void share_world_look(struct share_world *world, unsigned steps, struct share_look *ret_look)
{
    const double seconds = 1e-3;
    double ghz_s = 0, busy_steps = 0;
    *ret_look = (struct share_look){.seconds = steps * seconds};
    for (unsigned i = 0; i < steps; i++) {
        double heat[SHARE_CPUS];
        step(world);
        double ghz = heats(world, ~0u, heat);
        count(world, seconds, ghz, ret_look);
        memory(world, seconds, ghz, ret_look);
        ret_look->energy_j += seconds * (SHARE_IDLE_W + power_w(world, ~0u));
        shapley(world, seconds, ret_look->shapley_j);
        physical(world, seconds, ret_look->heat_j);
        if (world->running) {
            ghz_s += ghz;
            busy_steps++;
        }
    }
    for (unsigned c = 0; c < SHARE_CPUS; c++)
        ret_look->frequency_ghz[c] = busy_steps > 0 ? ghz_s / busy_steps : 3;
}

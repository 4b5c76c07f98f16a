/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goal A1r: the energy of a region inside a job, from a RAPL-like counter, against simulated truth.
 * Each world has its own tick (0.976 ms +- 0.5 %, phase, jitter), its own sampler (lateness), idle
 * power that wanders by 10 W rms, and a region that raises the power. Printed per cell: rms error
 * and coverage of the 95 % interval, and the mean half width; for comparison linear interpolation
 * of the same samples, and the exact mode (<wattle/exact.h>), which sees three ticks on either side
 * of the region. Then worlds that violate the method's assumptions; sums over many visits; and
 * regions within regions. Asserts nothing.
 *
 * Usage: bench_a1r [WORLDS [page]]     default 1000. page: the samples are those of the page of a wattled that
 * reads each millisecond
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/parse.h"
#include "model/tally/tally.h"
#include "trace/regions/region_energy.h"

#define UNIT_J   (1.0 / 16384)
#define GRID_NS  100000.0 /* grid of the wander, ns */
#define START_NS UINT64_C(1000000000000)
#define TICK_NS  976562.5

enum shape {
    STEP,
    EXACT,
    RAMP_300US,
    RAMP_2MS,
    INSIDE_CHANGES,
    OUTSIDE_CHANGES,
    NORMAL_JITTER,
    SHAPES,
    NESTED = SHAPES /* like INSIDE_CHANGES, at the borders of inner regions */
};

enum { REPEAT_WORLDS = 10, LENGTHS = 3 };

static const double lengths_ns[LENGTHS] = {10e6, 100e6, 1e9};

static const char *const shape_names[SHAPES] = {
    "step within 20 us", "step at the mark",       "ramp 0.3 ms", "ramp 2 ms", "inside changes",
    "outside changes",   "jitter normal, sd 20 us"};

/* ---- randomness: splitmix64 ---- */

static uint64_t seed;

static uint64_t draw(void)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(draw() >> 11) * 0x1p-53);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform(1e-300, 1))) * cos(2 * 3.14159265358979323846 * uniform(0, 1));
}

/* ---- a world ---- */

struct world {
    enum shape shape;
    double length_ns;
    double idle_w, step_w;
    double ramp_ns;                     /* 0 = steps */
    double swing_w, swing_ns, swing_at; /* a square wave, inside or outside */
    size_t regions;
    double *begin_ns, *end_ns; /* [regions] of higher power, ascending */
    double *mark_ns;           /* [2 * regions] what the program reports */
    double *step_energy;       /* [regions + 1] before region i, steps only */
    size_t points;
    double *wander; /* [points] energy of idle and wander at grid points */
    double period_ns, phase_ns, jitter_ns;
    uint64_t jitter_seed;
};

/* Energy of a ramp of power 0 .. 1 over ramp_ns, t after it began. */
static double ramp_energy(double t, double ramp_ns)
{
    if (t <= 0)
        return 0;
    if (t < ramp_ns)
        return t * t / (2 * ramp_ns);
    return t - ramp_ns / 2;
}

/* Time during which a square wave of this period was high in 0 .. t. */
static double wave_time(double t, double period)
{
    double n = floor(t / period), rest = t - n * period;

    return n * period / 2 + fmax(rest - period / 2, 0);
}

static bool changes_inside(const struct world *world)
{
    return world->shape == INSIDE_CHANGES || world->shape == NESTED;
}

/* The period of the changes inside region r. */
static double swing_ns(const struct world *world, size_t r)
{
    return world->shape == NESTED ? 0.4 * (world->end_ns[r] - world->begin_ns[r]) : world->swing_ns;
}

/* Exact energy (J) from the start of the world to t. */
static double energy_at(const struct world *world, double t)
{
    double at = t / GRID_NS;
    size_t i = (size_t)at;
    size_t low = 0, high = world->regions;

    if (i >= world->points - 1)
        i = world->points - 2;
    double joules = world->wander[i] + (at - (double)i) * (world->wander[i + 1] - world->wander[i]);

    while (low < high) { /* the regions that began before t */
        size_t middle = (low + high) / 2;

        if (world->begin_ns[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    joules += world->step_energy[low > 1 ? low - 2 : 0];
    for (size_t r = low > 1 ? low - 2 : 0; r < low; r++)
        joules += world->step_w * 1e-9 *
                  (ramp_energy(t - world->begin_ns[r], world->ramp_ns) -
                   ramp_energy(t - world->end_ns[r], world->ramp_ns));
    if (world->shape == OUTSIDE_CHANGES)
        joules += world->swing_w * 1e-9 * wave_time(t + world->swing_at, world->swing_ns);
    for (size_t r = low > 1 ? low - 2 : 0; changes_inside(world) && r < low; r++)
        joules += world->swing_w * 1e-9 *
                  wave_time(fmin(t, world->end_ns[r]) - world->begin_ns[r], swing_ns(world, r));
    return joules;
}

static void fill_wander(struct world *world)
{
    double tau = exp(uniform(log(0.05), log(2))), x = normal() * 10;
    double keep = exp(-GRID_NS * 1e-9 / tau), kick = 10 * sqrt(1 - keep * keep);

    world->points = (size_t)(world->length_ns / GRID_NS) + 2;
    world->wander = malloc(world->points * sizeof(double));
    if (!world->wander)
        exit(1);
    world->wander[0] = 0;
    for (size_t i = 1; i < world->points; i++) {
        x = keep * x + kick * normal();
        world->wander[i] = world->wander[i - 1] + fmax(world->idle_w + x, 1) * GRID_NS * 1e-9;
    }
}

static double blur(void)
{
    return 20e3 * fmin(fmax(normal(), -2), 2);
}

static struct world make_world(enum shape shape, size_t regions, double region_ns, double gap_ns)
{
    struct world world = {.shape = shape, .regions = regions};
    double at = 0.7e9 + uniform(0, 1e6);

    world.begin_ns = malloc(regions * sizeof(double));
    world.end_ns = malloc(regions * sizeof(double));
    world.mark_ns = malloc(2 * regions * sizeof(double));
    world.step_energy = malloc((regions + 1) * sizeof(double));
    if (!world.begin_ns || !world.end_ns || !world.mark_ns || !world.step_energy)
        exit(1);
    world.idle_w = uniform(40, 80);
    world.step_w = uniform(20, 150);
    world.ramp_ns = shape == RAMP_300US ? 3e5 : shape == RAMP_2MS ? 2e6 : 0;
    world.swing_w = uniform(20, 100);
    world.swing_ns = exp(uniform(log(2e6), log(50e6)));
    world.swing_at = uniform(0, world.swing_ns);
    world.step_energy[0] = 0;
    for (size_t r = 0; r < regions; r++) {
        world.begin_ns[r] = at;
        world.end_ns[r] = at + region_ns * (regions > 1 ? uniform(0.9, 1.1) : 1);
        world.step_energy[r + 1] =
            world.step_energy[r] + world.step_w * 1e-9 * (world.end_ns[r] - world.begin_ns[r]);
        if (changes_inside(&world))
            world.step_energy[r + 1] +=
                world.swing_w * 1e-9 *
                wave_time(world.end_ns[r] - world.begin_ns[r], swing_ns(&world, r));
        /* The power does not change exactly when the program reports it. */
        bool blurred = shape != EXACT && shape != RAMP_300US && shape != RAMP_2MS;

        world.mark_ns[2 * r] = floor(world.begin_ns[r] + (blurred ? blur() : 0));
        world.mark_ns[2 * r + 1] = floor(world.end_ns[r] + (blurred ? blur() : 0));
        at = world.end_ns[r] + gap_ns * uniform(0.7, 1.3);
    }
    world.length_ns = world.end_ns[regions - 1] + 0.5e9;
    world.period_ns = TICK_NS * (1 + uniform(-0.005, 0.005));
    world.phase_ns = uniform(0, world.period_ns);
    world.jitter_ns = 20e3;
    world.jitter_seed = draw();
    fill_wander(&world);
    return world;
}

static void free_world(struct world *world)
{
    free(world->begin_ns);
    free(world->end_ns);
    free(world->mark_ns);
    free(world->step_energy);
    free(world->wander);
}

/* Time of tick k: white jitter around the grid, reproducible. */
static double tick_at(const struct world *world, double k)
{
    uint64_t kept = seed;

    seed = world->jitter_seed ^ (uint64_t)(int64_t)k * UINT64_C(0xd1342543de82ef95);
    double jitter = world->shape == NORMAL_JITTER ? fmin(fmax(normal(), -4), 4) : uniform(-1, 1);

    seed = kept;
    return world->phase_ns + k * world->period_ns + jitter * world->jitter_ns;
}

/* Value of the counter at t, in units. */
static uint64_t counter_at(const struct world *world, double t)
{
    double k = floor((t - world->phase_ns) / world->period_ns) + 1;

    while (tick_at(world, k) > t)
        k--;
    return k < 0 ? 0 : (uint64_t)(energy_at(world, fmax(tick_at(world, k), 0)) / UNIT_J);
}

/* ---- measuring ---- */

struct sample {
    double time_ns;
    uint64_t value;
};

static size_t sample_world(const struct world *world, double interval_ns, struct sample **ret)
{
    size_t count = 0, room = (size_t)(world->length_ns / interval_ns) + 2;
    struct sample *samples = calloc(room, sizeof(*samples));
    double first = 2e6 + uniform(0, interval_ns / 4);

    if (!samples)
        exit(1);
    for (size_t i = 0; count < room; i++) {
        /* Usually late by a few us, sometimes by much more. */
        double late = -8e3 * log(uniform(1e-12, 1)) + (uniform(0, 1) < 0.002 ? 3e5 : 0);
        double t = first + (double)i * interval_ns + late;

        if (t >= world->length_ns)
            break;
        if (count && t <= samples[count - 1].time_ns)
            continue;
        samples[count].time_ns = floor(t);
        samples[count++].value = counter_at(world, t);
    }
    *ret = samples;
    return count;
}

static bool through_page;

/* What the driver `page` shows at each sample: the newest reading of wattled, with the time of that. */
static void relay(const struct world *world, struct sample *samples, size_t count)
{
    struct sample *read;
    size_t n = sample_world(world, 1e6, &read), at = 0;
    for (size_t i = 0; i < count; i++) {
        while (at + 1 < n && read[at + 1].time_ns <= samples[i].time_ns)
            at++;
        if (read[at].time_ns <= samples[i].time_ns)
            samples[i] = read[at];
    }
    free(read);
}

static double linear(const struct sample *samples, size_t count, double t)
{
    size_t low = 0, high = count - 1;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (samples[middle].time_ns <= t)
            low = middle;
        else
            high = middle;
    }
    double part = (t - samples[low].time_ns) / (samples[high].time_ns - samples[low].time_ns);

    return UNIT_J *
           ((double)samples[low].value + part * (double)(samples[high].value - samples[low].value));
}

/* ---- what the program reports ---- */

enum { OUTER = 1, INNER = 2, MARKS_OF_NESTED = 6 };

struct said {
    double time_ns;
    uint32_t name;
    bool end;
};

/* In a nested world the power is higher from 0.2 to 0.4 and from 0.6 to 0.8 of each region: the inner ones. */
static struct said *say(const struct world *world, bool nested, size_t *ret_count)
{
    static const double inner[4] = {0.2, 0.4, 0.6, 0.8};
    size_t each = nested ? MARKS_OF_NESTED : 2, count = 0;
    struct said *said = malloc(each * world->regions * sizeof *said);
    if (!said)
        exit(1);
    for (size_t r = 0; r < world->regions; r++) {
        double length = world->end_ns[r] - world->begin_ns[r];
        said[count++] = (struct said){world->mark_ns[2 * r], OUTER, false};
        for (int i = 0; nested && i < 4; i++) {
            double at = world->begin_ns[r] + inner[i] * length + blur();
            said[count++] = (struct said){floor(at), INNER, i % 2 == 1};
        }
        said[count++] = (struct said){world->mark_ns[2 * r + 1], OUTER, true};
    }
    *ret_count = count;
    return said;
}

/* ---- methods ---- */

struct energies {
    double truth_j, energy_j, half_j, linear_j, exact_j, exact_half_j;
};

struct outcome {
    struct energies outer, inner, own; /* own: the outer one without the inner ones */
};

/* Two polls around tick k. */
static void see_tick(const struct world *world, double k, struct wtl_tally *tally)
{
    double tick = tick_at(world, k), poll = 600, before = tick - uniform(0.05, 0.95) * poll;

    wtl_tally_sample(tally, START_NS + (uint64_t)before, counter_at(world, floor(before)), true);
    wtl_tally_sample(tally, START_NS + (uint64_t)(before + poll),
                     counter_at(world, floor(before + poll)), true);
}

/* One visit in the exact mode: three ticks, the region, three ticks. */
static void measure_exactly(const struct wattle_channel *channel,
                            const struct world *world,
                            size_t region,
                            struct energies *sum)
{
    double begin = world->mark_ns[2 * region], end = world->mark_ns[2 * region + 1];
    double k = floor((begin - world->phase_ns) / world->period_ns) + 1;
    struct wtl_summary summary;
    struct wtl_tally tally;

    wtl_tally_init(&tally, channel);
    while (tick_at(world, k) + 1000 > begin)
        k--;
    for (int i = 2; i >= 0; i--)
        see_tick(world, k - i, &tally);
    wtl_tally_begin(&tally, START_NS + (uint64_t)begin);
    wtl_tally_end(&tally, START_NS + (uint64_t)end);
    k = floor((end - world->phase_ns) / world->period_ns) - 1;
    while (tick_at(world, k) - 1000 < end)
        k++;
    for (int i = 0; i < 3; i++)
        see_tick(world, k + i, &tally);
    wtl_tally_summary(&tally, &summary);
    sum->exact_j += summary.amount;
    /* As in src/profiler/exact.c; errors with a common sign add linearly. */
    sum->exact_half_j += summary.amount_half + 1.1 * 20e-6 * wtl_tally_jump_w(&tally);
}

static void add(struct energies *sum, double sign, double truth_j, double linear_j)
{
    sum->truth_j += sign * truth_j;
    sum->linear_j += sign * linear_j;
}

static void take(struct energies *sum, const struct wtl_energy *joules)
{
    sum->energy_j = joules->j;
    sum->half_j = joules->half_j;
}

/* Feed a mark, and the samples that it waits for. */
static void feed(struct wtl_region_energy *energy,
                 const struct wtl_mark *mark,
                 const struct sample *samples,
                 size_t count,
                 size_t *next)
{
    if (wtl_region_energy_mark(energy, mark) < 0)
        exit(1);
    while (wtl_region_energy_wants_sample(energy) && *next < count) {
        const struct sample *s = &samples[(*next)++];

        if (wtl_region_energy_sample(energy, 0, START_NS + (uint64_t)s->time_ns, s->value, false) <
                0 ||
            wtl_region_energy_advance(energy) < 0)
            exit(1);
    }
}

static struct outcome measure(const struct world *world,
                              double interval_ns,
                              bool nested,
                              bool exactly)
{
    struct wattle_channel channel = {.domain = WATTLE_DOMAIN_PACKAGE,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .scale = UNIT_J,
                                     .refresh_ns = 976563};
    struct wtl_region_energy *energy;
    struct sample *samples;
    struct outcome outcome = {0};
    size_t count = sample_world(world, interval_ns, &samples), next = 0, marks;
    if (through_page) {
        channel.flags = WATTLE_CHANNEL_RELAYED;
        relay(world, samples, count);
    }
    struct said *said = say(world, nested, &marks);
    uint64_t start = START_NS + (uint64_t)0.3e9;
    uint64_t end = START_NS + (uint64_t)(world->length_ns - 0.2e9);

    if (wtl_region_energy_create(&channel, 1, start, end, &energy, NULL) < 0)
        exit(1);
    for (size_t m = 0; m < marks; m++) {
        double t = said[m].time_ns, sign = said[m].end ? 1 : -1;
        struct wtl_mark mark = {.time_ns = START_NS + (uint64_t)t,
                                .name = said[m].name,
                                .kind = said[m].end ? WTL_MARK_END : WTL_MARK_BEGIN};
        double truth_j = energy_at(world, t), linear_j = linear(samples, count, t);

        add(mark.name == OUTER ? &outcome.outer : &outcome.inner, sign, truth_j, linear_j);
        add(&outcome.own, mark.name == OUTER ? sign : -sign, truth_j, linear_j);
        feed(energy, &mark, samples, count, &next);
    }
    for (; next < count; next++)
        (void)wtl_region_energy_sample(energy, 0, START_NS + (uint64_t)samples[next].time_ns,
                                       samples[next].value, false);
    if (wtl_region_energy_finish(energy) < 0)
        exit(1);
    take(&outcome.outer, wtl_region_energy_result(energy, 1)->inclusive);
    take(&outcome.own, wtl_region_energy_result(energy, 1)->exclusive);
    if (nested)
        take(&outcome.inner, wtl_region_energy_result(energy, 2)->inclusive);
    for (size_t r = 0; exactly && r < world->regions; r++)
        measure_exactly(&channel, world, r, &outcome.outer);
    wtl_region_energy_destroy(energy);
    free(samples);
    free(said);
    return outcome;
}

/* ---- statistics ---- */

struct figures {
    double square, sum, half;
    int n, covered;
};

/* Add one world's error and interval; unknown ones are not counted. */
static void count_in(struct figures *f, double energy_j, double half_j, double truth_j)
{
    double error = (energy_j - truth_j) / truth_j;

    if (!(half_j >= 0))
        return;
    f->n++;
    f->square += error * error;
    f->sum += error;
    f->half += half_j / truth_j;
    f->covered += fabs(energy_j - truth_j) <= half_j;
}

/* rms, mean, half width, coverage. */
static void print_figures(const struct figures *f)
{
    printf("  %8.4f %%  %+8.4f %%  %8.4f %%  %5.1f %%", 100 * sqrt(f->square / f->n),
           100 * f->sum / f->n, 100 * f->half / f->n, 100.0 * f->covered / f->n);
}

static void cell(enum shape shape, double region_ns, double interval_ns, int worlds)
{
    struct figures split = {0}, exact = {0}, other = {0};

    seed = 12345 + (uint64_t)shape * 1000003 + (uint64_t)region_ns;
    for (int i = 0; i < worlds; i++) {
        struct world world = make_world(shape, 1, region_ns, 20e6);
        struct energies e = measure(&world, interval_ns, false, true).outer;

        free_world(&world);
        count_in(&split, e.energy_j, e.half_j, e.truth_j);
        count_in(&exact, e.exact_j, e.exact_half_j, e.truth_j);
        count_in(&other, e.linear_j, 0, e.truth_j);
    }
    printf("  %-24s %6.0f ms  %5.0f Hz", shape_names[shape], region_ns * 1e-6, 1e9 / interval_ns);
    print_figures(&split);
    printf("  |");
    print_figures(&exact);
    printf("  |  %8.4f %%", 100 * sqrt(other.square / other.n));
    printf(split.n < worlds ? "  %d unknown\n" : "\n", worlds - split.n);
    (void)fflush(stdout);
}

/* The sum over many short visits: bias, and whether the interval covers it. */
static void repeats(enum shape shape, size_t n, double region_ns, double gap_ns)
{
    bool exactly = gap_ns > 8 * TICK_NS; /* else each border would be outside the other */
    struct figures split = {0}, exact = {0}, other = {0};

    seed = 777 + (uint64_t)shape * 1000003 + (uint64_t)region_ns;
    for (int i = 0; i < REPEAT_WORLDS; i++) {
        struct world world = make_world(shape, n, region_ns, gap_ns);
        struct energies e = measure(&world, 1e6, false, exactly).outer;

        free_world(&world);
        count_in(&split, e.energy_j, e.half_j, e.truth_j);
        count_in(&exact, exactly ? e.exact_j : (double)NAN, exactly ? e.exact_half_j : (double)NAN,
                 e.truth_j);
        count_in(&other, e.linear_j, 0, e.truth_j);
    }
    printf("  %-24s %6zu x %6.1f ms every %6.1f ms", shape_names[shape], n, region_ns * 1e-6,
           (region_ns + gap_ns) * 1e-6);
    print_figures(&split);
    printf("  |");
    if (exactly)
        print_figures(&exact);
    else
        printf("  %44s", "no time to wait");
    printf("  |  %8.4f %%\n", 100 * sqrt(other.square / other.n));
    (void)fflush(stdout);
}

/* Regions within a region: the outer one, two visits of the inner one, and the outer without
 * them. */
static void nested(size_t n, double region_ns, double gap_ns, int worlds)
{
    static const char *const names[] = {"outer, inclusive", "inner", "outer, exclusive"};
    struct figures split[3] = {{0}}, other[3] = {{0}};

    seed = 4242 + (uint64_t)region_ns + n;
    for (int i = 0; i < worlds; i++) {
        struct world world = make_world(NESTED, n, region_ns, gap_ns);
        struct outcome o = measure(&world, 1e6, true, false);
        const struct energies *e[] = {&o.outer, &o.inner, &o.own};

        free_world(&world);
        for (int k = 0; k < 3; k++) {
            count_in(&split[k], e[k]->energy_j, e[k]->half_j, e[k]->truth_j);
            count_in(&other[k], e[k]->linear_j, 0, e[k]->truth_j);
        }
    }
    for (int k = 0; k < 3; k++) {
        printf("  %-24s %6zu x %6.1f ms every %6.1f ms", names[k], n, region_ns * 1e-6,
               (region_ns + gap_ns) * 1e-6);
        print_figures(&split[k]);
        printf("  |  %8.4f %%", 100 * sqrt(other[k].square / other[k].n));
        printf(split[k].n < worlds ? "  %d unknown\n" : "\n", worlds - split[k].n);
    }
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t worlds = 1000;

    through_page = argc > 2 && strcmp(argv[2], "page") == 0;
    if (argc > 2 + through_page || (argc > 1 && wtl_parse_u64(argv[1], &worlds) < 0) ||
        worlds < 10 || worlds > 100000) {
        (void)fprintf(stderr, "usage: bench_a1r [WORLDS [page]]\n");
        return 2;
    }
    printf("A1r: one region in a job, %d worlds a cell, against simulated truth%s\n", (int)worlds,
           through_page ? ", through the page" : "");
    printf("  columns: rms error, mean error, half width, covered; the same of the exact mode; "
           "linear rms\n");
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t i = 0; i < LENGTHS; i++)
            cell((enum shape)shape, lengths_ns[i], 1e6, (int)worlds);
    for (size_t i = 0; i < LENGTHS; i++)
        cell(STEP, lengths_ns[i], 100e6, (int)worlds);
    for (size_t i = 0; i < LENGTHS; i++)
        cell(INSIDE_CHANGES, lengths_ns[i], 100e6, (int)worlds);
    printf("sums over many visits, %d worlds each; the same columns\n", REPEAT_WORLDS);
    repeats(STEP, 10000, 10e6, 15e6);
    repeats(EXACT, 10000, 10e6, 15e6);
    repeats(STEP, 10000, 3e6, 6e6);
    repeats(STEP, 10000, 0.3e6, 5e6);
    repeats(STEP, 10000, 0.1e6, 0.2e6);
    repeats(RAMP_300US, 10000, 10e6, 15e6);
    repeats(RAMP_2MS, 10000, 10e6, 15e6);
    repeats(INSIDE_CHANGES, 1000, 10e6, 15e6);
    printf("regions within regions: two inner ones of a fifth each; no exact mode\n");
    for (size_t i = 0; i < LENGTHS; i++)
        nested(1, lengths_ns[i], 20e6, (int)worlds);
    nested(10000, 10e6, 15e6, REPEAT_WORLDS);
    nested(10000, 50e6, 15e6, REPEAT_WORLDS);
    return 0;
}

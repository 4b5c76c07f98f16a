/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A5: the power gauge of a GPU that averages a quarter of the time, against simulated truth.
 *
 *     bench_gauge [WORLDS [what | energy]]    per row; default 1000
 *
 * what: window, delay and filter found under a load of known shape; worlds that follow the model, and worlds that do not.
 * energy: of a random job (0.3 to 3 s, 80 to 400 W), by single runs and by 32 runs: bias, rms error, coverage of the 95 %
 * interval, its half width, and how often no value is given. Prints results; asserts nothing.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gauge/gauge_fit.h"
#include "analysis/gauge/gauge_plan.h"

#include "gauge_methods.h"
#include "unit/analysis/gauge_world.h"

enum { PASSES = 32, JOB_STEPS = 4000 };
static const double PERIOD_S = 0.1, IDLE_W = 60, READ_S = 0.01;

enum job { STEPS, IN_STEP, BURSTS };

struct setting {
    const char *name;
    bool matched;
    enum job job;
    double window_s, tau_rise_s, tau_fall_s;
    double jitter_s;             /* of the publication */
    double run_to_run;           /* relative, of each pass */
    double warming;              /* relative, over all passes */
    double after_w, after_tau_s; /* the device stays warm: decays after the job */
    double wander_w;             /* of the idle power, from pass to pass */
    double
        known_delay; /* the calibration has this part of the delay, and no filter; 0 = the truth */
    double excess;   /* that a calibration of such a gauge finds (see "what") */
};

static const struct setting settings[] = {
    {"random steps", true, STEPS, 0.025, 0, 0, 0, 0.002, 0, 0, 0, 0, 0, 0},
    {"rhythm in step with the gauge", true, IN_STEP, 0.025, 0, 0, 0, 0.002, 0, 0, 0, 0, 0, 0},
    {"the same, a fifth of the time", true, IN_STEP, 0.02, 0, 0, 0, 0.002, 0, 0, 0, 0, 0, 0},
    {"other rhythm", true, BURSTS, 0.025, 0, 0, 0, 0.002, 0, 0, 0, 0, 0, 0},
    {"filter of 150 ms", true, STEPS, 0.025, 0.15, 0.15, 0, 0.002, 0, 0, 0, 0, 0, 0},
    {"window of 1 s", true, STEPS, 1, 0, 0, 0, 0.002, 0, 0, 0, 0, 0, 0},
    {"irregular by 15 ms", false, IN_STEP, 0.025, 0, 0, 0.015, 0.002, 0, 0, 0, 0, 0, 0},
    {"stays warm: 5 W, 3 s", false, STEPS, 0.025, 0, 0, 0, 0.002, 0, 5, 3, 0, 0, 0},
    {"warms up by 2 % over the runs", false, STEPS, 0.025, 0, 0, 0, 0.002, 0.02, 0, 0, 0, 0, 0},
    {"idle power wanders by 5 W", false, STEPS, 0.025, 0, 0, 0, 0.002, 0, 0, 0, 5, 0, 0},
    {"calibration wrong: no filter, half the delay", false, STEPS, 0.025, 0.08, 0.08, 0, 0.002, 0,
     0, 0, 0, 0.5, 0},
    {"filter that rises in 20, falls in 200 ms", false, STEPS, 0.025, 0.02, 0.2, 0, 0.002, 0, 0, 0,
     0, 0, 0.3},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static uint64_t stream;
static double draw(uint64_t n)
{
    return wtl_random_uniform(stream, n);
}

/* ---- jobs ---- */

struct job_step {
    double after_s, watts;
};

struct job_shape {
    double duration_s;
    struct job_step steps[JOB_STEPS];
    size_t count;
};

static void make_job(const struct setting *s, struct job_shape *job)
{
    double now = 0, high = 200 + 200 * draw(2), low = 80 + 60 * draw(3);
    double period = s->job == IN_STEP ? PERIOD_S : PERIOD_S * (0.2 + 2 * draw(4));
    double part = 0.1 + 0.7 * draw(5), mean = 0.01 + 0.15 * draw(6);
    job->duration_s = 0.3 * pow(10, draw(1));
    job->count = 0;
    for (uint64_t i = 0; now < job->duration_s && job->count < JOB_STEPS; i++) {
        bool on = i % 2 == 0;
        double watts = on ? high : low, lasts = period * (on ? part : 1 - part);
        if (s->job == STEPS) {
            watts = 80 + 320 * draw(100 + 2 * i);
            lasts = 0.002 + mean * wtl_random_exponential(stream, 101 + 2 * i);
        }
        job->steps[job->count++] = (struct job_step){now, watts};
        now += lasts;
    }
}

static void run_job(struct gauge_world *w, const struct job_shape *job, double at_s, double factor)
{
    for (size_t i = 0; i < job->count; i++)
        world_step(w, at_s + job->steps[i].after_s, factor * job->steps[i].watts);
}

static struct gauge_world new_world(const struct setting *s, uint64_t pass)
{
    return (struct gauge_world){.gauge = {.period_ns = (uint64_t)(PERIOD_S * 1e9),
                                          .phase_ns = (uint64_t)(draw(20) * PERIOD_S * 1e9),
                                          .window_ns = (uint64_t)(s->window_s * 1e9),
                                          .delay_ns = (uint64_t)(draw(21) * 0.06 * 1e9),
                                          .jitter_ns = s->jitter_s * sqrt(3) * 1e9,
                                          .quantum_w = 0.01,
                                          .noise_w = 0.5,
                                          .seed = wtl_random_bits(stream, 1000 + pass)},
                                .tau_rise_s = s->tau_rise_s,
                                .tau_fall_s = s->tau_fall_s};
}

static struct wtl_gauge known_gauge(const struct setting *s, const struct gauge_world *w)
{
    double delay = (double)w->gauge.delay_ns * 1e-9;
    bool wrong = s->known_delay > 0;
    return (struct wtl_gauge){.period = {PERIOD_S, 0},
                              .window = {s->window_s, 0},
                              .delay = {wrong ? delay * s->known_delay : delay, 0},
                              .tau = {wrong ? 0 : s->tau_rise_s, 0},
                              .excess = {s->excess, 0}};
}

/* ---- energy ---- */

enum method { NAIVE_ONCE, BOUND_ONCE, NAIVE, MCDANIEL, YANG, OURS, METHODS };
static const char *const method_names[METHODS] = {"naive, 1 run",   "bounds, 1 run",
                                                  "naive, 32 runs", "McDaniel, 32 runs",
                                                  "Yang, 128 runs", "shifted, 32 runs"};

struct sums {
    double bias, squares, half;
    unsigned covered, given, worlds;
};

static void score(struct sums *sums, struct wtl_gauge_value joules, double truth)
{
    sums->worlds++;
    if (isnan(joules.value))
        return;
    double error = (joules.value - truth) / truth;
    sums->given++;
    sums->bias += error;
    sums->squares += error * error;
    sums->half += joules.half / truth;
    sums->covered += fabs(joules.value - truth) <= joules.half;
}

/* Readings within the windows that are wholly inside the job count as seen; the rest is bounded by idle and 450 W. */
static struct wtl_gauge_value bounds_of(const struct wtl_gauge *gauge,
                                        const struct gauge_world *w,
                                        const struct wtl_gauge_pass *pass)
{
    struct wtl_gauge_bounds b = {.floor_w = 40, .ceiling_w = 450};
    struct wtl_gauge_value joules;
    double shown = NAN, window = fmin(gauge->window.value, PERIOD_S);
    for (size_t i = 0; i < pass->count; i++) {
        int64_t published;
        (void)wtl_gpu_gauge_update(&w->gauge, WORLD_START_NS,
                                   WORLD_START_NS + (uint64_t)(pass->readings[i].time_s * 1e9),
                                   &published);
        double end = (double)(published - (int64_t)WORLD_START_NS) * 1e-9 - gauge->delay.value;
        if (end == shown || end - gauge->window.value < pass->begin_s || end > pass->end_s)
            continue;
        shown = end;
        b.seen_j += pass->readings[i].watts * window;
        b.seen_s += window;
    }
    b.unseen_s = fmax(0, pass->end_s - pass->begin_s - b.seen_s);
    (void)wtl_gauge_bound(&b, &joules, NULL);
    return joules;
}

struct passes {
    double truth, naive[PASSES], mcdaniel[PASSES];
    struct wtl_gauge_pass_energy ours[PASSES];
    struct wtl_gauge_value bound;
    unsigned refused;
};

static void run_pass(const struct setting *s,
                     const struct job_shape *job,
                     size_t i,
                     struct passes *passes)
{
    struct gauge_world w = new_world(s, i);
    struct wtl_gauge gauge = known_gauge(s, &w);
    double settling = wtl_gauge_settling_s(&gauge), quiet = 1;
    double idle = IDLE_W + s->wander_w * wtl_random_normal(stream, 2000 + i);
    double factor =
        1 + s->run_to_run * wtl_random_normal(stream, 3000 + i) + s->warming * (double)i / PASSES;
    double lead = quiet + settling;
    double grid = floor(lead / PERIOD_S) * PERIOD_S + (double)w.gauge.phase_ns * 1e-9;
    double late = 0.001 * wtl_random_exponential(stream, 4000 + i);
    double begin = grid + PERIOD_S * wtl_gauge_phase(stream, i) + late;
    double end = begin + job->duration_s;
    world_step(&w, 0, idle);
    run_job(&w, job, begin, factor);
    world_step(&w, end, idle + s->after_w);
    for (int k = 1; s->after_w > 0 && k < 100; k++)
        world_step(&w, end + 0.1 * k, idle + s->after_w * exp(-0.1 * k / s->after_tau_s));
    world_read(&w, settling, end + settling + quiet, READ_S);
    struct wtl_gauge_pass pass = {w.readings, w.reading_count, begin, end};
    passes->truth += (world_joules(&w, end) - world_joules(&w, begin)) / PASSES;
    passes->naive[i] = gauge_naive(&pass);
    /* What a step shows: up to a period until the next value, then the ramp of a window and the filter. */
    double ramp = 0.8 * s->window_s + 2.2 * s->tau_rise_s;
    passes->mcdaniel[i] = gauge_mcdaniel(&pass, gauge.delay.value + PERIOD_S, ramp,
                                         0.8 * s->window_s + 2.2 * s->tau_fall_s);
    passes->refused += wtl_gauge_pass_energy(&gauge, &pass, &passes->ours[i], NULL) < 0;
    if (i == 0)
        passes->bound = bounds_of(&gauge, &w, &pass);
    world_fini(&w);
}

static struct wtl_gauge_value run_yang(const struct setting *s, const struct job_shape *job)
{
    double of_trial[YANG_TRIALS];
    for (uint64_t trial = 0; trial < YANG_TRIALS; trial++) {
        struct gauge_world w = new_world(s, 100 + trial);
        double begin = 1 + PERIOD_S * wtl_random_uniform(stream, 5000 + trial), now = begin;
        world_step(&w, 0, IDLE_W);
        double pauses = 0, pause = PERIOD_S / YANG_SHIFTS;
        bool part_time = s->window_s < PERIOD_S;
        double idle = IDLE_W + s->wander_w * wtl_random_normal(stream, 2100 + trial);
        for (int i = 0; i < YANG_REPEATS; i++) {
            double factor =
                1 + s->run_to_run * wtl_random_normal(stream, 3100 + 32 * trial + (uint64_t)i);
            run_job(&w, job, now, factor * (1 + s->warming / 2));
            now += job->duration_s;
            if (part_time && i % (YANG_REPEATS / YANG_SHIFTS) == YANG_REPEATS / YANG_SHIFTS - 1) {
                world_step(&w, now, idle);
                now += pause;
                pauses += pause;
            }
        }
        world_step(&w, now, idle);
        world_read(&w, 0, now + 2, READ_S);
        struct wtl_gauge_pass pass = {w.readings, w.reading_count, begin, now};
        of_trial[trial] = gauge_yang(&pass, job->duration_s, pauses, idle, s->window_s,
                                     s->window_s + 2.2 * s->tau_rise_s + PERIOD_S);
        world_fini(&w);
    }
    return gauge_over_runs(of_trial, YANG_TRIALS);
}

static void run_energy(const struct setting *s, uint64_t seed, struct sums sums[METHODS])
{
    static struct job_shape job;
    struct passes p = {.truth = 0};
    struct wtl_gauge_value ours;
    struct wtl_gauge gauge = {
        .period = {PERIOD_S, 0}, .window = {s->window_s, 0}, .excess = {s->excess, 0}};
    stream = seed;
    make_job(s, &job);
    for (size_t i = 0; i < PASSES; i++)
        run_pass(s, &job, i, &p);
    if (p.refused || wtl_gauge_energy(&gauge, p.ours, PASSES, &ours, NULL) < 0)
        ours = (struct wtl_gauge_value){NAN, NAN};
    score(&sums[NAIVE_ONCE], (struct wtl_gauge_value){p.naive[0], 0}, p.truth);
    score(&sums[BOUND_ONCE], p.bound, p.truth);
    score(&sums[NAIVE], gauge_over_runs(p.naive, PASSES), p.truth);
    score(&sums[MCDANIEL], gauge_over_runs(p.mcdaniel, PASSES), p.truth);
    score(&sums[YANG], run_yang(s, &job), p.truth);
    score(&sums[OURS], ours, p.truth);
}

static void bench_energy(unsigned worlds)
{
    printf("| world | method | bias %% | rms %% | covered %% | half width %% | no value %% |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < SETTINGS; i++) {
        struct sums sums[METHODS] = {{0}};
        for (unsigned w = 0; w < worlds; w++)
            run_energy(&settings[i], wtl_random_bits(i, w), sums);
        for (size_t m = 0; m < METHODS; m++) {
            const struct sums *r = &sums[m];
            double n = r->given ? (double)r->given : NAN;
            printf("| %s%s | %s | %+.3f | %.3f | ", settings[i].matched ? "" : "(other) ",
                   settings[i].name, method_names[m], 100 * r->bias / n,
                   100 * sqrt(r->squares / n));
            printf(m == NAIVE_ONCE ? "- | - | " : "%.1f | %.2f | ", 100 * r->covered / n,
                   100 * r->half / n);
            printf("%.1f |\n", 100.0 * (r->worlds - r->given) / r->worlds);
        }
        (void)fflush(stdout);
    }
}

/* ---- what the gauge does ---- */

struct what {
    const char *name;
    double period_s, window_s, delay_s, tau_rise_s, tau_fall_s, jitter_s, noise_w, quantum_w;
    double load_rises_s; /* the device itself reaches its power by so much later, on a line */
};

static const struct what whats[] = {
    {"a quarter of 100 ms", 0.1, 0.025, 0.06, 0, 0, 0, 0.5, 0.01, 0},
    {"all of 100 ms", 0.1, 0.1, 0.06, 0, 0, 0, 0.5, 0.01, 0},
    {"half of 20 ms", 0.02, 0.01, 0.012, 0, 0, 0, 0.5, 0.01, 0},
    {"1 s, each 100 ms", 0.1, 1, 0.06, 0, 0, 0, 0.5, 0.01, 0},
    {"a quarter, filter of 150 ms", 0.1, 0.025, 0.06, 0.15, 0.15, 0, 0.5, 0.01, 0},
    {"a quarter, in steps of 1 W, noise 3 W", 0.1, 0.025, 0.06, 0, 0, 0, 3, 1, 0},
    {"(other) irregular by 5 ms", 0.1, 0.025, 0.06, 0, 0, 0.005, 0.5, 0.01, 0},
    {"(other) the load rises in 10 ms", 0.1, 0.025, 0.06, 0, 0, 0, 0.5, 0.01, 0.01},
    {"(other) rises in 20, falls in 60 ms", 0.1, 0.025, 0.06, 0.02, 0.06, 0, 0.5, 0.01, 0},
};

enum { WINDOW, DELAY, TAU, LAG, EXCESS, FOUND };
static const char *const found_names[FOUND] = {"window", "delay", "filter",
                                               "delay + filter + half a window", "excess, %"};

struct found {
    double bias, squares, half;
    unsigned covered, given;
};

static void note(struct found *f, struct wtl_gauge_value got, double want, double period)
{
    if (isnan(got.value))
        return;
    double error = (got.value - want) / period;
    f->given++;
    f->bias += error;
    f->squares += error * error;
    f->half += got.half / period;
    f->covered += fabs(got.value - want) <= got.half;
}

/* A window by their way: no delay of the sensor but that of the reading, no filter, from half a period on. */
static double yang_window(const struct gauge_world *w, const struct wtl_load_step *plan, size_t n)
{
    struct wtl_gauge_updates updates;
    struct wtl_load_shape *shape;
    if (wtl_gauge_updates_find(w->readings, w->reading_count, &updates, NULL) < 0)
        return NAN;
    if (wtl_load_shape_create(plan, n, &shape, NULL) < 0)
        exit(1);
    struct wtl_gauge_fit fit = {.updates = &updates, .shape = shape, .stride = 1};
    fit.window = updates.period_s / 2;
    fit.delay = updates.period_s / 40;
    wtl_gauge_fit_refine(&fit);
    wtl_load_shape_destroy(shape);
    wtl_gauge_updates_fini(&updates);
    return fit.window;
}

static void run_what(const struct what *s,
                     uint64_t seed,
                     struct found found[FOUND],
                     struct found *yang)
{
    struct wtl_load_step *plan;
    struct wtl_gauge gauge;
    stream = seed;
    double period = s->period_s * (0.98 + 0.04 * draw(1)), delay = s->delay_s * draw(2);
    size_t n = wtl_gauge_plan(s->period_s, fmax(10 * s->period_s, 1), seed, &plan);
    struct gauge_world w = {.gauge = {.period_ns = (uint64_t)(period * 1e9),
                                      .phase_ns = (uint64_t)(draw(3) * period * 1e9),
                                      .window_ns = (uint64_t)(s->window_s * 1e9),
                                      .delay_ns = (uint64_t)(delay * 1e9),
                                      .jitter_ns = s->jitter_s * sqrt(3) * 1e9,
                                      .quantum_w = s->quantum_w,
                                      .noise_w = s->noise_w,
                                      .seed = seed},
                            .tau_rise_s = s->tau_rise_s,
                            .tau_fall_s = s->tau_fall_s};
    double high = IDLE_W + 100 + 200 * draw(4);
    for (size_t i = 0; i < n; i++) {
        double from = i ? IDLE_W + (high - IDLE_W) * plan[i - 1].load : IDLE_W;
        double to = IDLE_W + (high - IDLE_W) * plan[i].load;
        for (int k = 0; s->load_rises_s > 0 && k < 8; k++)
            world_step(&w, plan[i].time_s + s->load_rises_s * k / 8,
                       from + (to - from) * (k + 0.5) / 8);
        world_step(&w, plan[i].time_s + s->load_rises_s, to);
    }
    world_read(&w, 0, plan[n - 1].time_s, s->period_s / 20);
    if (wtl_gauge_identify(w.readings, w.reading_count, plan, n, &gauge, NULL) == 0) {
        note(&found[WINDOW], gauge.window, s->window_s, period);
        note(&found[DELAY], gauge.delay, delay, period);
        note(&found[TAU], gauge.tau, s->tau_rise_s, period);
        struct wtl_gauge_value lag = {gauge.delay.value + gauge.tau.value + gauge.window.value / 2,
                                      gauge.delay.half + gauge.tau.half + gauge.window.half / 2};
        note(&found[LAG], lag, delay + s->tau_rise_s + s->window_s / 2 + s->load_rises_s / 2,
             period);
        note(&found[EXCESS], gauge.excess, 0, 1);
    }
    note(yang, (struct wtl_gauge_value){yang_window(&w, plan, n), 0}, s->window_s, period);
    world_fini(&w);
    free(plan);
}

static void print_found(const char *name, const char *what, const struct found *f, unsigned worlds)
{
    double n = f->given ? (double)f->given : NAN;
    printf("| %s | %s | %+.3f | %.3f | ", name, what, 100 * f->bias / n,
           100 * sqrt(f->squares / n));
    printf(f->half > 0 ? "%.1f | %.2f | " : "- | - | ", 100 * f->covered / n, 100 * f->half / n);
    printf("%.1f |\n", 100.0 * (worlds - f->given) / worlds);
}

static void bench_what(unsigned worlds)
{
    printf("| gauge | what | bias, %% of a period | rms | covered %% | half width | unknown %% |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof whats / sizeof whats[0]; i++) {
        struct found found[FOUND] = {{0}}, yang = {0};
        for (unsigned w = 0; w < worlds; w++)
            run_what(&whats[i], wtl_random_bits(100 + i, w), found, &yang);
        for (size_t m = 0; m < FOUND; m++)
            print_found(whats[i].name, found_names[m], &found[m], worlds);
        print_found(whats[i].name, "window, Yang", &yang, worlds);
        (void)fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    unsigned worlds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    const char *what = argc > 2 ? argv[2] : "";
    if (strcmp(what, "energy") != 0)
        bench_what(worlds);
    if (strcmp(what, "what") != 0)
        bench_energy(worlds);
    return 0;
}

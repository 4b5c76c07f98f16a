/* SPDX-License-Identifier: BSD-3-Clause */
/* Worlds of phases: their noise is what it says, their truth agrees with their rows, and programs are repeatable. */
#include "sim/phases/phase_world.h"

#include <errno.h>
#include <math.h>

#include "sim/phases/noise.h"
#include "sim/phases/phase_track.h"
#include "tap.h"

enum { DRAWS = 400000, ROWS = 60000 };

static struct wtl_phase_world *make(const struct wtl_phase_world_config *config)
{
    struct wtl_phase_world *world = NULL;
    struct wattle_error err = {""};
    if (wtl_phase_world_create(config, &world, &err) < 0)
        diag("%s", err.text);
    return world;
}

/* Shares beyond 1, 2 and 3 standard deviations, of the normal distribution and of t with 3 degrees of freedom. */
static void check_distributions(void)
{
    static const double normal[] = {0.317311, 0.045500, 0.002700};
    static const double student[] = {0.181690, 0.040540,
                                     0.013847}; /* at 1.732, 3.464, 5.196 of t */
    for (int heavy = 0; heavy < 2; heavy++) {
        struct wtl_noise_source noise;
        double beyond[3] = {0, 0, 0}, sum = 0;
        wtl_noise_init(&noise, heavy, 42);
        for (int i = 0; i < DRAWS; i++) {
            double z = wtl_noise_draw(&noise);
            sum += z;
            for (int k = 0; k < 3; k++)
                beyond[k] += fabs(z) > k + 1;
        }
        is_double(sum / DRAWS, 0, 0.01, "heavy %d: mean", heavy);
        for (int k = 0; k < 3; k++) {
            double want = heavy ? student[k] : normal[k];
            is_double(beyond[k] / DRAWS, want, 5 * sqrt(want / DRAWS), "heavy %d: beyond %d", heavy,
                      k + 1);
        }
    }
}

/* Within a letter: mean, standard deviation, and correlation from row to row. */
static void check_noise(void)
{
    static const double ars[] = {0, 0.5, 0.9};
    for (size_t a = 0; a < 3; a++) {
        struct wtl_phase_world_config c = wtl_phase_world_random(1, 2, 1, 7);
        c.rows = ROWS;
        c.noise.ar = ars[a];
        struct wtl_phase_world *world = make(&c);
        double rates[2], power, sum = 0, squares = 0, lagged = 0, last = 0;
        double sd = c.signal[0] / c.noise.snr;
        while (world && wtl_phase_world_next(world, rates, &power)) {
            double z = (rates[0] - c.letters[0].rate[0]) / sd;
            sum += z;
            squares += z * z;
            lagged += z * last;
            last = z;
        }
        double slack = 5 * sqrt((1 + ars[a]) / (1 - ars[a]) / ROWS);
        is_double(sum / ROWS, 0, slack, "AR %g: mean", ars[a]);
        is_double(squares / ROWS, 1, 2 * slack, "AR %g: variance", ars[a]);
        is_double(lagged / squares, ars[a], 0.02, "AR %g: correlation", ars[a]);
        wtl_phase_world_destroy(world);
    }
}

/* Rows, letters and joules are those of the segments. */
static void check_truth(void)
{
    struct wtl_phase_world_config c = wtl_phase_world_random(7, 14, 2, 3);
    c.rows = ROWS;
    c.noise = (struct wtl_sim_noise){.snr = 0};
    struct wtl_phase_world *world = make(&c);
    size_t count, k = 0, wrong = 0, same = 0, short_ones = 0, row = 0;
    const struct wtl_sim_segment *list = wtl_phase_world_segments(world, &count);
    double rates[14], power;
    uint16_t letter;
    for (; wtl_phase_world_row(world, rates, &power, &letter); row++) {
        k += row == list[k].first + list[k].rows;
        wrong += letter != list[k].letter || fabs(power - list[k].mean_w) > 1e-6 ||
                 fabs(rates[3] - c.letters[letter].rate[3]) > 1e-3;
    }
    double energy = 0;
    for (size_t i = 0; i < count; i++) {
        energy += list[i].energy_j;
        same += i > 0 && list[i].letter == list[i - 1].letter;
        short_ones += i + 1 < count && list[i].rows < 16;
    }
    is_int(row, ROWS, "as many rows as asked for");
    is_int(wrong, 0, "each row is that of its letter");
    is_int(same + short_ones, 0, "letters change, and last 16 rows or more");
    is_double(energy / wtl_phase_world_energy_j(world), 1, 1e-9, "joules of segments add up");
    ok(count > ROWS / 80 && count < ROWS / 40, "%zu segments of 60 rows on average", count);
    wtl_phase_world_destroy(world);
}

/* Between two letters `high` to 2 * high counters move by at least one signal. */
static void check_letters(void)
{
    struct wtl_phase_world_config c = wtl_phase_world_random(20, 5, 2, 1);
    size_t bad = 0;
    for (size_t a = 0; a < c.letter_count; a++) {
        for (size_t b = 0; b < a; b++) {
            size_t moved = 0;
            for (size_t i = 0; i < c.columns; i++)
                moved += fabs(c.letters[a].rate[i] - c.letters[b].rate[i]) > 0.99 * c.signal[i];
            bad += moved < 1 || moved > 4;
        }
    }
    is_int(bad, 0, "all letters differ");
}

static void check_errors_of_letters(void)
{
    struct wtl_phase_world_config c = wtl_phase_world_random(5, 4, 1, 9);
    c.rows = 2000000;
    c.error_rate = 0.02;
    struct wtl_phase_world *world = make(&c);
    size_t count, wrong = 0, changed = 0;
    const struct wtl_sim_segment *list = wtl_phase_world_segments(world, &count);
    for (size_t i = 0; i < count; i++) {
        wrong += wtl_phase_world_letter(world, i) != list[i].letter;
        changed += wtl_phase_world_letter(world, i) != wtl_phase_world_letter(world, i);
    }
    is_double((double)wrong / (double)count, 0.02, 0.005, "2 %% of letters are wrong");
    is_int(changed, 0, "always the same ones");
    is_int(wtl_phase_world_letter_at(world, 2000000 / 15, 15), -ENOENT, "none after the end");
    wtl_phase_world_destroy(world);
}

/* Programs: the same letters in each run and on each platform, with the same work. */
static void check_programs(void)
{
    for (size_t i = 0; wtl_phase_world_program_name(i); i++) {
        struct wtl_phase_world_config c;
        size_t counts[3], differ = 0;
        double work[3] = {0, 0, 0}, rates[16], power;
        struct wtl_phase_world *worlds[3];
        (void)wtl_phase_world_program(wtl_phase_world_program_name(i), &c);
        c.noise.relative = 0;
        for (unsigned k = 0; k < 3; k++) {
            c.run = k;
            c.step_s = 0.1;
            if (k == 2)
                c.platform = wtl_phase_world_platform(5);
            worlds[k] = make(&c);
            (void)wtl_phase_world_segments(worlds[k], &counts[k]);
            while (wtl_phase_world_next(worlds[k], rates, &power))
                work[k] += rates[0] * c.step_s / c.platform.events[0];
        }
        for (size_t s = 0; s < counts[0] && s < counts[1] && s < counts[2]; s++)
            differ +=
                wtl_phase_world_letter(worlds[0], s) != wtl_phase_world_letter(worlds[1], s) ||
                wtl_phase_world_letter(worlds[0], s) != wtl_phase_world_letter(worlds[2], s);
        ok(differ == 0 && counts[0] == counts[1] && counts[0] == counts[2] && counts[0] > 8,
           "%s: %zu segments, the same in each run",
           c.names[0] ? wtl_phase_world_program_name(i) : "", counts[0]);
        is_double(work[1] / work[0], 1, 0.06, "the same work in each run");
        is_double(work[2] / work[0], 1, 0.06, "and on another platform");
        for (unsigned k = 0; k < 3; k++)
            wtl_phase_world_destroy(worlds[k]);
    }
}

/* Two nodes of a run: the same stays, sending what the other receives, each with its own noise. */
static void check_nodes(void)
{
    struct wtl_phase_world_config c;
    struct wtl_phase_world *nodes[2];
    double rates[2][16], power[2], crossed = 0, straight = 0;
    size_t same = 0;
    uint16_t letters[2];
    (void)wtl_phase_world_program("invert-copy", &c);
    for (unsigned k = 0; k < 2; k++) {
        c.node = k;
        nodes[k] = make(&c);
    }
    bool together = true;
    while (wtl_phase_world_row(nodes[0], rates[0], &power[0], &letters[0]) &&
           wtl_phase_world_row(nodes[1], rates[1], &power[1], &letters[1])) {
        together = together && letters[0] == letters[1];
        crossed += fabs(rates[0][4] - rates[1][5]);
        straight += fabs(rates[0][4] - rates[1][4]);
        same += rates[0][0] == rates[1][0];
    }
    ok(together, "two nodes are in the same letter at a time");
    ok(crossed < straight / 10, "one sends what the other receives");
    ok(same < 5, "each has its own noise");
    wtl_phase_world_destroy(nodes[0]);
    wtl_phase_world_destroy(nodes[1]);
}

static void check_refusals(void)
{
    static const struct {
        int line;
        const char *program;
    } rows[] = {{__LINE__, ""},
                {__LINE__, "idle"},
                {__LINE__, "idle:0"},
                {__LINE__, "none:3"},
                {__LINE__, "(idle:1"},
                {__LINE__, "idle:1)"},
                {__LINE__, "(idle:1)*0"},
                {__LINE__, "(idle:1)"},
                {__LINE__, "idle:nan"},
                {__LINE__, "idle:1~-1"},
                {__LINE__, "idle:1x"},
                {__LINE__, "()*9"},
                {__LINE__, "(((((((((idle:1)*2)*2)*2)*2)*2)*2)*2)*2)*2"},
                {__LINE__, "((((idle:1)*9999)*9999)*9999)*9999"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_phase_world_config c;
        struct wtl_phase_world *world = NULL;
        struct wattle_error err = {""};
        (void)wtl_phase_world_program("lu", &c);
        c.program = rows[i].program;
        tap_line = rows[i].line;
        ok(wtl_phase_world_create(&c, &world, &err) < 0 && err.text[0], "refused: %s", err.text);
    }
    tap_line = 0;
    struct wtl_phase_world_config none = wtl_phase_world_random(3, 17, 1, 1);
    struct wtl_phase_world *world = NULL;
    struct wattle_error err = {""};
    none.rows = 10;
    is_int(wtl_phase_world_create(&none, &world, &err), -EINVAL, "17 counters: %s", err.text);
}

/* The same at any instant and in any order; what it counts is what its rows have. */
static void check_track(void)
{
    struct wtl_phase_world_config c;
    struct wtl_sim_track *track = NULL;
    struct wattle_error err = {""};
    (void)wtl_phase_world_program("cg", &c);
    c.step_s = 0.02;
    c.length = 0.05;
    is_int(wtl_sim_track_create(&c, &track, &err), 0, "a track %s", err.text);
    int64_t end = (int64_t)wtl_sim_track_end_ns(track), step = 20000000;
    double joules = 0, want = 0;
    size_t count, back = 0;
    const struct wtl_sim_segment *list = wtl_sim_track_segments(track, &count);
    for (size_t i = 0; i < count; i++)
        want += list[i].energy_j;
    uint64_t last = 0;
    for (int64_t t = 0; t < end; t += step) {
        joules += wtl_sim_track_power_w(track, t + step / 2) * 0.02;
        back += wtl_sim_track_count(track, 0, t + step / 3) < last;
        last = wtl_sim_track_count(track, 0, t + step / 3);
    }
    is_double(joules / want, 1, 1e-9, "its power is that of the world");
    is_int(back, 0, "counts never decrease");
    is_int(wtl_sim_track_count(track, 7, -5), 0, "nothing before the start");
    uint64_t after =
        wtl_sim_track_count(track, 0, end + 1000000000) - wtl_sim_track_count(track, 0, end);
    is_double((double)after, c.letters[0].rate[0], 2, "idle after the end");
    is_double(wtl_sim_track_power_w(track, end + 1), list[count - 1].mean_w, 1e-9, "at its power");
    is_int(wtl_sim_track_column(track, "netSENTbyte"), 4, "columns have the ids of the paper");
    wtl_sim_track_destroy(track);
    c.step_s = 1e-6;
    is_int(wtl_sim_track_create(&c, &track, &err), -EINVAL, "too many steps: %s", err.text);
}

int main(void)
{
    check_distributions();
    check_noise();
    check_truth();
    check_letters();
    check_errors_of_letters();
    check_programs();
    check_nodes();
    check_refusals();
    check_track();
    return done_testing();
}

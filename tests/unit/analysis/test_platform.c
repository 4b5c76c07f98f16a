/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy on another platform: the paper's estimate with its own numbers, ratios by letter, and whole runs. */
#include <errno.h>
#include <math.h>

#include "analysis/predict/platform.h"
#include "analysis/predict/remainder.h"
#include "analysis/predict/transfer.h"
#include "strings.h"
#include "tap.h"

/* Twenty seconds each at 100, 150 and 80 W; 12 letters are over, at 120 W here. Then table 2 of the paper: what was estimated
 * over its "accuracy" is what was measured, and peak over estimate would be another column. */
static void check_paper(void)
{
    static const struct {
        double estimated, accuracy, peak, measured, below, above, peak_ratio;
    } table[] = {{797143.5, 1.01, 811932, 789251, 785363, 793178, 1.0186},
                 {2068515.6, 1.02, 2088515.6, 2027957, 2018064, 2037946, 1.0097}};
    struct wattle_error err = {""};
    double estimate = 0;
    is_int(wtl_platform_paper(1440, 1200, 6600, &estimate, &err), 0, "the paper's formula");
    is_double(estimate, 7920, 1e-9, "E_rel = 1.2");
    is_int(wtl_platform_paper(1440, 0, 6600, &estimate, &err), -EDOM, "no energy of the reference");
    ok(strstr(err.text, "no energy") != NULL, "%s", err.text);
    is_int(wtl_platform_paper(NAN, 1200, 6600, &estimate, &err), -EDOM, "no energy here");
    is_double(estimate, 7920, 1e-9, "nothing is changed");
    for (size_t i = 0; i < 2; i++) {
        double e = table[i].estimated;
        is_double(e / table[i].accuracy, table[i].measured, 0.6, "measured in scenario %zu", i + 1);
        is_double(e / (table[i].accuracy + 0.005), table[i].below, 0.5, "at least");
        is_double(e / (table[i].accuracy - 0.005), table[i].above, 0.5, "at most");
        is_double(table[i].peak / e, table[i].peak_ratio, 5e-5, "peak over estimate");
        /* The formula gives this estimate from a measured fifth. */
        is_int(wtl_platform_paper(e / 5, table[i].measured / 5, table[i].measured, &estimate, &err),
               0, "from 20 %%");
        is_double(estimate / table[i].measured, table[i].accuracy, 1e-5, "its accuracy");
    }
}

static void check_ratios(void)
{
    /* Letters 0 and 1 behave alike, letter 2 does not; only 0 and 2 ran on both. */
    const double centres[] = {1e9, 1e6, 1.02e9, 1.01e6, 1e8, 5e7};
    const struct wtl_platform_pair pairs[] = {{0, 50, 5000, 100, 6000}, {2, 50, 4000, 40, 8000}};
    struct wtl_platform_model *model = NULL;
    struct wtl_platform_ratio r[3];
    struct wtl_platform_sum sum;
    struct wattle_error err = {""};
    is_int(wtl_platform_learn(centres, 3, 2, pairs, 2, &model, &err), 0, "%s", err.text);
    for (size_t i = 0; i < 3; i++)
        is_int(wtl_platform_ratio(model, i, &r[i]), 0, "a ratio");
    is_double(exp(r[0].log_time), 2, 0.1, "twice as long");
    is_double(exp(r[2].log_energy), 2, 0.1, "twice the energy");
    ok(fabs(r[1].log_time - r[0].log_time) < fabs(r[1].log_time - r[2].log_time),
       "one that did not run is like those with its counters");
    ok(r[1].sd_time > r[0].sd_time, "and less certain");
    const double seconds[] = {100, 0, 100}, joules[] = {10000, 0, 8000};
    is_int(wtl_platform_sum(model, seconds, joules, &sum), 0, "a sum");
    is_double(sum.energy_j, 28000, 1400, "12 kJ and 16 kJ");
    ok(sum.energy_low_j < sum.energy_j && sum.energy_j < sum.energy_high_j, "in an interval");
    wtl_platform_destroy(model);
    const struct wtl_platform_pair none[] = {{0, 50, 0, 100, 6000}, {7, 1, 1, 1, 1}};
    is_int(wtl_platform_learn(centres, 3, 2, none, 2, &model, &err), -ENODATA, "no pair");
}

/* Pairs that contradict each other, and letters far from all pairs. */
static void check_limits(void)
{
    /* 0 and 1 behave alike; 2 does not, and 3 is beyond 2. */
    const double centres[] = {1e9, 1e6, 1.02e9, 1.01e6, 1e8, 5e7, 1e5, 1e11};
    const struct wtl_platform_pair contradicting[] = {{0, 50, 5000, 50, 5000},
                                                      {1, 20, 2000, 400, 4e4}};
    const struct wtl_platform_pair flicker[] = {
        {0, 50, 5000, 50, 5000}, {2, 50, 4000, 40, 8000}, {1, 0.5, 50, 10, 1000}};
    const struct wtl_platform_pair apart[] = {{0, 50, 5000, 50, 5000}, {2, 50, 4000, 200, 32000}};
    struct wtl_platform_model *model = NULL;
    struct wtl_platform_ratio r = {0};
    struct wattle_error err = {""};
    is_int(wtl_platform_learn(centres, 4, 2, contradicting, 2, &model, &err), -EDOM,
           "alike letters, one of them twenty times as long");
    ok(strstr(err.text, "contradict") != NULL, "says so: %s", err.text);
    is_int(wtl_platform_learn(centres, 4, 2, flicker, 3, &model, &err), 0, "%s", err.text);
    is_int(wtl_platform_ratio(model, 1, &r), 0, "of one letter that was laid wrongly for 0.5 s");
    is_double(exp(r.log_time), 1, 0.2, "the ratio of its like");
    is_double(exp(r.log_energy), 1, 0.2, "likewise");
    wtl_platform_destroy(model);
    is_int(wtl_platform_learn(centres, 4, 2, apart, 2, &model, &err), 0, "%s", err.text);
    is_int(wtl_platform_ratio(model, 3, &r), 0, "of a letter far from both");
    ok(r.log_time < log(8.1) && r.log_time > log(0.49), "at most twice what was seen: %.3g",
       exp(r.log_time));
    ok(r.log_energy < log(16.2) && r.log_energy > log(0.49), "likewise: %.3g", exp(r.log_energy));
    wtl_platform_destroy(model);
}

/* The reference runs at speeds and powers of its own; letters are named in another order. */
static void check_transfer(void)
{
    const double there_w[] = {90, 200, 120}, here_w[] = {60, 130, 260}; /* here: C, A, B of there */
    /* Speeds here: 0.9 of A, 2 of B, half of C; each counter counts by a factor of its own. */
    const double there_rates[] = {1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 4e6, 5e6, 1e6,
                                  8e6, 2e6, 1e6, 2e6, 1e6, 9e6, 1e6, 1e6, 7e6};
    const double factor[] = {1.1, 0.9, 1.2, 0.8, 1, 1.1}, speed[] = {0.5, 0.9, 2};
    static const size_t of[] = {2, 0, 1}; /* letters of there */
    double here_rates[18];
    for (size_t i = 0; i < 3; i++) {
        for (size_t c = 0; c < 6; c++)
            here_rates[6 * i + c] = speed[i] * factor[c] * there_rates[6 * of[i] + c];
    }
    struct wtl_dna reference = string_of("A10 B40 C20 B40 C20 A10", there_w);
    struct wtl_dna beginning = string_of("B10 C20 A40 C5", here_w);
    struct wtl_match_run from = {.name = "x",
                                 .platform = "there",
                                 .nodes = &reference,
                                 .node_count = 1},
                         to = {
                             .name = "x", .platform = "here", .nodes = &beginning, .node_count = 1};
    struct wtl_transfer_question q = {.columns = 6,
                                      .reference_letters = {there_rates, 3},
                                      .target_letters = {here_rates, 3},
                                      .reference = &from,
                                      .target = &to};
    struct wtl_transfer t;
    struct wattle_error err = {""};
    is_int(wtl_transfer(&q, &t, &err), 0, "%s", err.text);
    is_double(t.reference_done_s, 80, 8, "the second B has begun");
    double truth = 10 * 130 + 20 * 260 + 40 * 60 + 20 * 260 + 40 * 60 + 10 * 130;
    is_double(t.energy_j, truth, 0.05 * truth, "its energy, by letters");
    is_double(t.time_s, 140, 7, "its time");
    ok(t.energy_low_j < truth && truth < t.energy_high_j, "within the interval");
    ok(isfinite(t.paper_j) && isfinite(t.time_ratio_j), "the paper's estimate beside it");
    struct wtl_dna other = string_of("A9 C9 A9 C9 A9 C9", here_w);
    to.nodes = &other;
    int rc = wtl_transfer(&q, &t, &err);
    ok(rc == 0 || rc == -ERANGE, "another program is laid somewhere, or refused");
    struct wtl_dna single = string_of("A9", here_w);
    to.nodes = &single;
    is_int(wtl_transfer(&q, &t, &err), -ERANGE, "one letter without a kernel fits anything");
    ok(strstr(err.text, "one letter") != NULL, "says so: %s", err.text);
    free(single.list);
    struct wtl_dna pair[2] = {beginning, beginning};
    to = (struct wtl_match_run){.name = "x", .platform = "here", .nodes = pair, .node_count = 2};
    is_int(wtl_transfer(&q, &t, &err), -EINVAL, "two nodes against one");
    for (size_t i = 0; i < reference.count; i++)
        reference.list[i].energy_j = reference.list[i].known_s = 0;
    to = (struct wtl_match_run){
        .name = "x", .platform = "here", .nodes = &beginning, .node_count = 1};
    ok(wtl_transfer(&q, &t, &err) < 0, "a reference without energy: %s", err.text);
    free(reference.list);
    free(beginning.list);
    free(other.list);
}

static void check_remainder(void)
{
    const double before[] = {10, 11, 9, 10, 12, 8}, after[] = {20, 22, 18, 20, 24, 16};
    struct wtl_remainder r = wtl_remainder_of(before, after, 6, 11);
    is_double(r.mean, 22, 1e-9, "as much more as it has used");
    is_double(r.sd, 0, 1e-6, "without doubt");
    r = wtl_remainder_of(before, after, 3, 11);
    is_double(r.mean, 20, 1e-9, "of three the mean");
    is_double(wtl_remainder_quantile(&r, 1, 0.975), 20 + 4.3027 * 2 * sqrt(4.0 / 3), 1e-3,
              "Student, two degrees of freedom");
    r = wtl_remainder_of(before, after, 1, 20);
    is_double(r.mean, 40, 1e-9, "of one its ratio");
    ok(isnan(wtl_remainder_quantile(&r, 1, 0.975)), "and no interval");
    struct wtl_remainder two[] = {{10, 1, 30, 0.5}, {20, 1, 30, 0.5}};
    ok(wtl_remainder_quantile(two, 2, 0.025) < 9 && wtl_remainder_quantile(two, 2, 0.975) > 21,
       "of two programs an interval over both");
}

int main(void)
{
    check_paper();
    check_ratios();
    check_limits();
    check_transfer();
    check_remainder();
    return done_testing();
}

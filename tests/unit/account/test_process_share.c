/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of processes: with the rest they add up to the counter's energy, whatever the numbers
 * are. */
#include "account/process_share.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

static const struct wtl_share_interval usual = {.energy_j = 100,
                                                .idle_w = 40,
                                                .seconds = 1,
                                                .cpus = 4,
                                                .machine_s = 2};

static void test_known(void)
{
    struct wtl_share_interval interval = usual;
    struct wtl_share_rest rest;
    const double used_s[3] = {1, 0.5, 0};
    double shares_j[3];
    /* 60 J above idle by CPU time: 30, 15, 0; unseen 0.5 s: 15. Idle 40 J over 4 CPU seconds, 10 J
     * per second: 10, 5, 0, unseen 5, 20 left. */
    is_int(wtl_process_shares(&interval, used_s, 3, shares_j, &rest), 0, "divided");
    is_double(shares_j[0], 40, 1e-12, "a whole CPU second");
    is_double(shares_j[1], 20, 1e-12, "half of one");
    is_double(shares_j[2], 0, 0, "none");
    is_double(rest.processes_j, 60, 1e-12, "the processes");
    is_double(rest.unseen_j, 20, 1e-12, "unseen");
    is_double(rest.idle_j, 20, 1e-12, "idle");
    is_int(rest.quality, WATTLE_DERIVED, "derived");

    interval.idle_w = NAN;
    is_int(wtl_process_shares(&interval, used_s, 3, shares_j, &rest), 0, "idle power unknown");
    is_double(shares_j[0], 50, 1e-12, "CPU time bears all");
    is_double(rest.unseen_j, 25, 1e-12, "of the unseen, too");
    is_double(rest.idle_j, 0, 1e-12, "nothing is idle");

    interval.machine_s = 0;
    const double none[1] = {0};
    is_int(wtl_process_shares(&interval, none, 1, shares_j, &rest), 0,
           "a machine that did nothing");
    is_double(rest.idle_j, 100, 0, "is idle");

    interval = usual;
    interval.machine_s = NAN;
    interval.quality = WATTLE_ESTIMATED;
    is_int(wtl_process_shares(&interval, used_s, 3, shares_j, &rest), 0, "the machine's unknown");
    is_double(rest.unseen_j, 0, 0, "none is unseen");
    is_double(shares_j[0], 50, 1e-12, "40 above idle, 10 of idle");
    is_int(rest.quality, WATTLE_ESTIMATED, "estimates stay estimates");
    is_int(wtl_process_shares(&interval, NULL, 0, NULL, &rest), 0, "no process at all");
    is_double(rest.idle_j, 100, 0, "all is idle");
}

static void test_sums(void)
{
    double worst = 0;
    bool negative = false;
    unsigned seed = 1;
    for (int world = 0; world < 2000; world++) {
        double used_s[40], shares_j[40], sum = 0;
        struct wtl_share_rest rest;
        for (int i = 0; i < 40; i++) {
            seed = seed * 1103515245u + 12345u;
            used_s[i] = (double)(seed >> 16 & 0xFF) / 1000;
        }
        seed = seed * 1103515245u + 12345u;
        struct wtl_share_interval interval = {.energy_j = (double)(seed >> 8 & 0xFFFF) / 7,
                                              .idle_w =
                                                  world % 3 ? (double)(seed & 0xFF) : (double)NAN,
                                              .seconds = 0.1 + world % 7,
                                              .cpus = 1 + world % 5,
                                              .machine_s = (double)(seed >> 20 & 0xF)};
        if (wtl_process_shares(&interval, used_s, 40, shares_j, &rest) < 0)
            continue;
        for (int i = 0; i < 40; i++) {
            sum += shares_j[i];
            negative |= shares_j[i] < 0;
        }
        negative |= rest.idle_j < 0 || rest.unseen_j < 0;
        double wrong = fabs(sum + rest.idle_j + rest.unseen_j - interval.energy_j);
        worst = fmax(worst, wrong / fmax(interval.energy_j, 1));
    }
    ok(worst < 1e-12, "shares, idle and unseen are the energy to 12 digits (%g)", worst);
    ok(!negative, "none is negative, also with more CPU time than there is capacity");
}

static void test_refused(void)
{
    struct wtl_share_interval interval = usual;
    struct wtl_share_rest rest = {.idle_j = 42};
    const double negative[1] = {-1}, one[1] = {1};
    double shares_j[1];
    is_int(wtl_process_shares(&interval, negative, 1, shares_j, &rest), -EINVAL,
           "CPU time below 0");
    interval.energy_j = NAN;
    is_int(wtl_process_shares(&interval, one, 1, shares_j, &rest), -EINVAL, "energy unknown");
    interval = usual;
    interval.seconds = 0;
    is_int(wtl_process_shares(&interval, one, 1, shares_j, &rest), -EINVAL, "no time");
    interval = usual;
    interval.machine_s = -1;
    is_int(wtl_process_shares(&interval, one, 1, shares_j, &rest), -EINVAL,
           "the machine's below 0");
    is_double(rest.idle_j, 42, 0, "and nothing changed");
}

int main(void)
{
    test_known();
    test_sums();
    test_refused();
    return done_testing();
}

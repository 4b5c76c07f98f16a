/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/share.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

static struct wtl_share_input input(double tree_s)
{
    /* 10 s, 8 CPUs, idle 100 W, 1500 J: 500 J above idle for 40 CPU seconds. */
    return (struct wtl_share_input){.energy_j = 1500,
                                    .idle_w = 100,
                                    .window_s = 10,
                                    .cpus = 8,
                                    .machine_s = 40,
                                    .tree_s = tree_s,
                                    .quality = WATTLE_MEASURED};
}

static void test_rows(void)
{
    static const struct row {
        int line;
        double tree_s, dynamic_j, idle_j;
    } rows[] = {
        {__LINE__, 0, 0, 0},
        {__LINE__, 10, 125, 125},
        {__LINE__, 40, 500, 500},
        {__LINE__, 50, 500, 500}, /* more than the machine: all of it */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wtl_share_input in = input(rows[i].tree_s);
        struct wtl_share share;
        tap_line = rows[i].line;
        is_int(wtl_share_compute(&in, &share), 0, "tree %g s", rows[i].tree_s);
        is_double(share.dynamic_j, rows[i].dynamic_j, 1e-9, "above idle");
        is_double(share.idle_j, rows[i].idle_j, 1e-9, "of idle");
        is_double(share.energy_j, share.dynamic_j + share.idle_j, 1e-9, "sum");
        is_int(share.quality, WATTLE_DERIVED, "derived from a measurement");
    }
    tap_line = 0;
}

static void test_sum(void)
{
    /* Trees that make up the whole machine: their shares and the unoccupied idle part add up to the
     * energy. */
    static const double trees[] = {3.5, 17, 0.25, 19.25};
    double sum = 0;
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        struct wtl_share_input in = input(trees[i]);
        struct wtl_share share;
        (void)wtl_share_compute(&in, &share);
        sum += share.energy_j;
    }
    double unoccupied_j = 100 * 10 * (1 - 40.0 / 80);
    is_double(sum + unoccupied_j, 1500, 1e-9, "nothing is lost or counted twice");
}

int main(void)
{
    struct wtl_share share = {.energy_j = -1};
    test_rows();
    test_sum();
    struct wtl_share_input in = input(10);
    in.idle_w = NAN;
    is_int(wtl_share_compute(&in, &share), 0, "idle unknown");
    is_double(share.energy_j, 375, 1e-9, "all by CPU time");
    is_double(share.idle_j, 0, 0, "none of idle");
    in = input(10);
    in.idle_w = 1000;
    (void)wtl_share_compute(&in, &share);
    is_double(share.energy_j, 1500.0 * 10 / 80, 1e-9, "idle is at most the energy");
    in = input(0);
    in.machine_s = 0;
    is_int(wtl_share_compute(&in, &share), 0, "nothing ran");
    is_double(share.energy_j, 0, 0, "no share");
    in = input(10);
    in.quality = WATTLE_ESTIMATED;
    (void)wtl_share_compute(&in, &share);
    is_int(share.quality, WATTLE_ESTIMATED, "of an estimate: estimated");
    share.energy_j = -1;
    in = input(-1);
    is_int(wtl_share_compute(&in, &share), -EINVAL, "negative");
    in = input(1);
    in.window_s = 0;
    is_int(wtl_share_compute(&in, &share), -EINVAL, "no window");
    in = input(1);
    in.energy_j = NAN;
    is_int(wtl_share_compute(&in, &share), -EINVAL, "energy unknown");
    is_double(share.energy_j, -1, 0, "untouched on failure");
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule of inefficient stretches on cells whose truth is known. */
#include "analysis/tasks/waste.h"

#include <math.h>

#include "tap.h"

#define SECOND UINT64_C(1000000000)

enum { CELLS = 100 };

static double power_w[CELLS], working[CELLS];

/* 8 threads at 160 W, except for what a test changes. */
static void reset(void)
{
    for (size_t i = 0; i < CELLS; i++) {
        power_w[i] = 160;
        working[i] = 8;
    }
}

static void set(size_t from, size_t to, double w, double threads)
{
    for (size_t i = from; i < to; i++) {
        power_w[i] = w;
        working[i] = threads;
    }
}

static struct wtl_waste judge(void)
{
    struct wtl_waste waste = {.rule = WTL_WASTE_RULE, .cell_ns = SECOND / 10};
    is_int(wtl_waste_judge(&waste, 5 * SECOND, power_w, working, CELLS), 0, "judged");
    return waste;
}

static void test_rule(void)
{
    reset();
    set(10, 20, 150, 1); /* spins */
    set(30, 40, 90, 0);  /* sleeps */
    set(50, 60, 100, 1); /* a serial part at low power */
    set(70, 75, 155, 4); /* half of the threads, at nearly full power */
    set(80, 85, (double)NAN, 0);
    struct wtl_waste waste = judge();
    is_double(waste.full_threads, 8, 1e-9, "full activity");
    is_double(waste.full_w, 160, 1e-9, "full power");
    is_int((long)waste.count, 2, "two stretches");
    is_double((double)waste.stretches[0].begin_ns * 1e-9, 6, 1e-9, "the worst first: begin");
    is_double((double)waste.stretches[0].end_ns * 1e-9, 7, 1e-9, "end");
    is_double(waste.stretches[0].energy_j, 150, 1e-9, "joules");
    is_double(waste.stretches[0].waiting_j, 150 * 7.0 / 8, 1e-9, "of the threads that do not work");
    is_double(waste.stretches[1].energy_j, 77.5, 1e-9, "the other one");
    is_double(waste.time_s, 1.5, 1e-9, "seconds in all");
    is_double(waste.energy_j, 227.5, 1e-9, "joules in all");
    wtl_waste_fini(&waste);
}

static void test_nothing(void)
{
    reset();
    struct wtl_waste waste = judge();
    ok(!waste.problem && waste.count == 0, "all work: none");
    wtl_waste_fini(&waste);
    set(0, CELLS, 160, 0);
    waste = judge();
    ok(waste.problem != NULL, "nobody works: %s", waste.problem);
    wtl_waste_fini(&waste);
    set(0, CELLS, (double)NAN, 8);
    waste = judge();
    ok(waste.problem != NULL, "no power: %s", waste.problem);
    wtl_waste_fini(&waste);
}

int main(void)
{
    test_rule();
    test_nothing();
    return done_testing();
}

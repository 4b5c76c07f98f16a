/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop that waits for memory gains little from a high frequency. This program runs it as the machine is set, then at a lower
 * frequency, and prints what that saves. It needs the right to change the frequency: root, or what the site offers.
 *
 *     membound [FREQUENCY [PASSES]]      such as 1.6GHz; without: the middle of the range
 *
 * The settings come back after the loop, and also if the program is killed in it.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <wattle/control.h>
#include <wattle/exact.h>

enum { NUMBERS = 1 << 20 }; /* three arrays of 8 MiB: more than most caches of a core */

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* a = b + s c */
static void triad(double *a, const double *b, const double *c, long passes)
{
    for (long pass = 0; pass < passes; pass++) {
        for (int i = 0; i < NUMBERS; i++)
            a[i] = b[i] + 1.0001 * c[i];
    }
}

struct cost {
    double time_s, energy_j;
};

/* One measured loop. */
static bool measure(struct wattle_exact *exact,
                    double *arrays,
                    long passes,
                    const char *name,
                    struct cost *ret_cost)
{
    struct wattle_error err = {""};
    struct wattle_summary summary = {.size = sizeof summary};
    double start_s = 0;
    int rc = wattle_exact_begin(exact, name, &err);
    if (rc == 0) {
        start_s = now_s();
        triad(arrays, arrays + NUMBERS, arrays + 2 * NUMBERS, passes);
        ret_cost->time_s = now_s() - start_s;
        rc = wattle_exact_end(exact, &err);
    }
    rc = rc < 0 ? rc : wattle_exact_total(exact, &summary, NULL, NULL, &err);
    if (rc < 0) {
        (void)fprintf(stderr, "membound: %s\n", err.text);
        return false;
    }
    ret_cost->energy_j = summary.energy_j;
    printf("%-10s %7.3f s %9.3f J +- %.3f\n", name, ret_cost->time_s, summary.energy_j,
           summary.resolution_interval_j);
    return true;
}

static int compare(struct wattle_exact *exact,
                   struct wattle_control *control,
                   const char *settings,
                   double *arrays,
                   long passes)
{
    struct wattle_error err = {""};
    struct wattle_hold *hold = NULL;
    struct cost as_set = {0, 0}, lower = {0, 0};
    if (!measure(exact, arrays, passes, "as set", &as_set))
        return EXIT_FAILURE;
    if (wattle_control_set(control, settings, &hold, &err) < 0) {
        (void)fprintf(stderr, "membound: %s\n", err.text);
        return EXIT_FAILURE;
    }
    bool good = measure(exact, arrays, passes, settings, &lower);
    if (wattle_control_restore(hold, &err) < 0)
        (void)fprintf(stderr, "membound: %s\n",
                      err.text); /* somebody else has changed it meanwhile */
    if (good)
        printf("saved %.1f %% of the energy, for %.1f %% more time\n",
               100 * (1 - lower.energy_j / as_set.energy_j),
               100 * (lower.time_s / as_set.time_s - 1));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct wattle_error err = {""};
    struct wattle_control *control = NULL;
    struct wattle_exact *exact = NULL;
    char settings[64];
    double low_hz = 0, high_hz = 0;
    long passes = argc > 2 ? strtol(argv[2], NULL, 10) : 400;
    double *arrays = calloc(3 * (size_t)NUMBERS, sizeof *arrays);
    int rc = arrays ? wattle_control_open(&control, &err) : -1;
    rc = rc < 0 ? rc : wattle_control_range(control, &low_hz, &high_hz, &err);
    rc = rc < 0 ? rc : wattle_exact_open(NULL, &exact, &err);
    if (rc < 0) {
        (void)fprintf(stderr, "membound: %s\n", arrays ? err.text : "out of memory");
    } else {
        if (argc > 1)
            (void)snprintf(settings, sizeof settings, "freq=%.40s", argv[1]);
        else
            (void)snprintf(settings, sizeof settings, "freq=%.1fGHz", (low_hz + high_hz) / 2e9);
        rc = compare(exact, control, settings, arrays, passes > 0 ? passes : 1) == EXIT_SUCCESS
                 ? 0
                 : -1;
    }
    wattle_exact_close(exact);
    wattle_control_close(control);
    free(arrays);
    return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

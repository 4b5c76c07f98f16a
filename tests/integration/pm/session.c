/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of pmlib, with the papers' calls in the papers' order: session IP PORT DEVICE LINES AGGREGATE HZ SECONDS SETS FILE.
 * Prints what was measured as one line per set: "set SECONDS SAMPLES UNKNOWN MEAN_W". */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pmlib.h"

#ifdef HAVE_EXTRAE
#    include "extrae_user_events.h"
#else /* as the paper declares them */
static void Extrae_init(void)
{
}
static void Extrae_fini(void)
{
}
static void Extrae_event(unsigned event, unsigned value)
{
    (void)event, (void)value;
}
#endif

static void work(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    Extrae_event(500000001, 1);
    nanosleep(&time, NULL);
    Extrae_event(500000001, 0);
}

static void print_sets(const counter_t *counter)
{
    const pm_measures *energy = &counter->measures->energy;
    int sets = energy->watts_sets_size - 1, n = energy->watts_sets[sets];
    int columns = counter->aggregate ? 1 : energy->lines_len;
    for (int set = 0; set < sets; set++) {
        double sum = 0;
        int unknown = 0, first = energy->watts_sets[set], end = energy->watts_sets[set + 1];
        for (int column = 0; column < columns; column++) {
            for (int i = first; i < end; i++) {
                double watts = energy->watts[column * n + i];
                unknown += isnan(watts) != 0;
                sum += isnan(watts) ? 0 : watts;
            }
        }
        printf("set %.9f %.9f %d %d %.9g\n", counter->measures->timing[2 * set],
               counter->measures->timing[2 * set + 1], end - first, unknown,
               end > first ? sum / (end - first) : (double)NAN);
    }
}

int main(int argc, char **argv)
{
    counter_t pm_ctr;
    server_t svr;
    mask_t lin;
    if (argc != 10)
        return 2;
    if (pm_set_server(argv[1], atoi(argv[2]), &svr) < 0 || pm_set_lines(argv[4], &lin) < 0)
        return 1;
    if (pm_create_counter(argv[3], lin, atoi(argv[5]), atoi(argv[6]), svr, &pm_ctr) < 0)
        return 1;
    if (pm_start_counter(&pm_ctr) < 0)
        return 1;
    Extrae_init();
    work(atof(argv[7]));
    Extrae_fini();
    if (pm_stop_counter(&pm_ctr) < 0)
        return 1;
    for (int set = 1; set < atoi(argv[8]); set++) {
        if (pm_continue_counter(&pm_ctr) < 0)
            return 1;
        work(atof(argv[7]));
        if (pm_stop_counter(&pm_ctr) < 0)
            return 1;
    }
    if (pm_get_counter_data(&pm_ctr) < 0)
        return 1;
    print_sets(&pm_ctr);
    fflush(stdout);
    pm_print_data_stdout(&pm_ctr);
    pm_print_data_paraver(argv[9], &pm_ctr, "us");
    return pm_finalize_counter(&pm_ctr) == 0 ? 0 : 1;
}

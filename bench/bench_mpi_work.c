/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI program of bench_mpi.py.
 *
 *     bench_mpi_work fixed SECONDS   computes for that long, synchronising every 50 ms; then each rank prints a line:
 *                                    ms in MPI_Init, ms in MPI_Finalize, CPU ms of threads other than the main one from
 *                                    MPI_Init to MPI_Finalize, private KiB before MPI_Finalize
 *     bench_mpi_work calls           rank 0 prints the ns per call: median and mean of 200 blocks
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_spread.h"

static double seconds(clockid_t clock)
{
    struct timespec ts;

    (void)clock_gettime(clock, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double now(void)
{
    return seconds(CLOCK_MONOTONIC);
}

/* CPU time of all threads except this one. */
static double others(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - seconds(CLOCK_THREAD_CPUTIME_ID);
}

static long private_kib(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "re");
    char line[256];
    long sum = 0, kib;

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "Private_Clean: %ld", &kib) == 1 ||
            sscanf(line, "Private_Dirty: %ld", &kib) == 1)
            sum += kib;
    if (file)
        (void)fclose(file);
    return sum;
}

static int fixed(double length)
{
    double begin = now(), x = 1, sum = 0;

    MPI_Init(NULL, NULL);
    double inside = now(), next = 0.05, cpu = others();

    /* In steps of its own clock; rank 0 decides when all ranks stop. */
    for (int on = 1; on; next += 0.05) {
        while (now() < inside + next)
            for (int i = 0; i < 1000; i++)
                x = x * 1.0000001 + 1e-9;
        on = now() - inside < length;
        MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    cpu = others() - cpu;
    long kib = private_kib();

    MPI_Barrier(MPI_COMM_WORLD);
    double end = now();

    MPI_Finalize();
    (void)printf("rank %.4f %.4f %.4f %ld\n", (inside - begin) * 1e3, (now() - end) * 1e3,
                 cpu * 1e3, kib);
    return sum > 0 ? 0 : 1;
}

enum { BLOCKS = 200, CALLS = 2000 };

static double iprobe(void)
{
    int flag;
    double begin = now();

    for (int i = 0; i < CALLS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    return (now() - begin) / CALLS * 1e9;
}

static double allreduce(void)
{
    double x = 1, y, begin = now();

    for (int i = 0; i < CALLS; i++)
        MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    return (now() - begin) / CALLS * 1e9;
}

/* A call that does almost nothing, and so shows the overhead around it. */
static double test(void)
{
    int flag;
    MPI_Request request = MPI_REQUEST_NULL;
    double begin = now();

    for (int i = 0; i < CALLS; i++)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    return (now() - begin) / CALLS * 1e9;
}

static double clock_gettime_ns(void)
{
    double sum = 0, begin = now();

    for (int i = 0; i < CALLS; i++)
        sum += now();
    return sum > 0 ? (now() - begin) / CALLS * 1e9 : 0;
}

static int calls(void)
{
    static const struct {
        const char *name;
        double (*measure)(void);
    } kinds[] = {{"clock_gettime", clock_gettime_ns},
                 {"MPI_Test", test},
                 {"MPI_Iprobe", iprobe},
                 {"MPI_Allreduce", allreduce}};
    double values[BLOCKS];

    MPI_Init(NULL, NULL);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (int i = 0; i < BLOCKS; i++)
            values[i] = kinds[k].measure();
        struct bench_spread spread = bench_spread_of(values, BLOCKS);

        (void)printf("call %s %.2f %.2f\n", kinds[k].name, spread.median, spread.mean);
    }
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "fixed"))
        return fixed(strtod(argv[2], NULL));
    return argc == 2 && !strcmp(argv[1], "calls") ? calls() : 2;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's program with LIKWID's markers: compiled with -DLIKWID_PERFMON against its header, unaware of wattle. Prints
 * the result of GetRegion. */
#include <likwid-marker.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *work(void *unused)
{
    (void)unused;
    LIKWID_MARKER_THREADINIT;
    for (int i = 0; i < 5; i++) {
        LIKWID_MARKER_START("work");
        LIKWID_MARKER_START("inner, \"quoted\"");
        LIKWID_MARKER_STOP("inner, \"quoted\"");
        LIKWID_MARKER_STOP("work");
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    double events[4] = {7, 7, 7, 7}, time = -1;
    int n = 4, count = -1;
    char longest[300];

    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    LIKWID_MARKER_INIT;
    LIKWID_MARKER_REGISTER("work");
    LIKWID_MARKER_START("whole");
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
    LIKWID_MARKER_SWITCH;
    LIKWID_MARKER_STOP("whole");
    LIKWID_MARKER_GET("whole", &n, events, &time, &count);
    printf("whole: %d events (%g), %d times, %s\n", n, events[0], count,
           time > 0 ? "some time" : "no time");
    LIKWID_MARKER_RESET("whole");
    LIKWID_MARKER_GET("whole", &n, events, &time, &count);
    printf("reset: %d times, %g s\n", count, time);
    LIKWID_MARKER_GET("work", &n, events, &time, &count);
    printf("work on this thread: %d times\n", count);
    printf("refused: %d %d %d\n", likwid_markerStartRegion(""), likwid_markerStartRegion(longest),
           likwid_markerRegisterRegion(longest));
    LIKWID_MARKER_CLOSE;
    return 0;
}

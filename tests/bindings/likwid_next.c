/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces liblikwid: reports which of its calls it received. */
#include <stdio.h>

#include "../../plugins/likwid/likwid_markers.h"

static int calls;

void likwid_markerInit(void)
{
    calls++;
}

void likwid_markerThreadInit(void)
{
}

void likwid_markerNextGroup(void)
{
    calls++;
}

void likwid_markerClose(void)
{
    printf("next: %d calls\n", calls);
}

int likwid_markerRegisterRegion(const char *tag)
{
    (void)tag;
    return -33;
}

int likwid_markerStartRegion(const char *tag)
{
    (void)tag;
    return -11;
}

int likwid_markerStopRegion(const char *tag)
{
    (void)tag;
    return -22;
}

int likwid_markerResetRegion(const char *tag)
{
    (void)tag;
    return 0;
}

void likwid_markerGetRegion(const char *tag,
                            int *nr_events,
                            double *events,
                            double *time,
                            int *count)
{
    (void)tag;
    *nr_events = 1;
    events[0] = 42;
    *time = 1;
    *count = 99;
}

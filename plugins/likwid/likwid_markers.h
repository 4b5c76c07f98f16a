/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LIKWID's marker calls, as in its manual and likwid.h 5.2, for C and (with the underscore) for
 * Fortran's module likwid. A program compiled with -DLIKWID_PERFMON calls them;
 * libwattle-likwid.so, preloaded or linked before liblikwid, maps them to wattle regions:
 *
 *     LD_PRELOAD=libwattle-likwid.so wattle run -- ./app
 *
 * likwid_markerInit, ThreadInit, NextGroup and Close do nothing: there is nothing to set up, and
 * there are no groups. RegisterRegion looks up the name in advance. StartRegion and StopRegion
 * begin and end a region of the calling thread, and return 0, or -EINVAL for a name that wattle
 * refuses (empty, more than 255 bytes). GetRegion returns the calling thread's time and number of
 * visits so far; events are hardware counters, of which there are none: *nr_events becomes 0 and
 * events is unchanged. ResetRegion sets both to 0 and does not affect the trace: 0, or -EINVAL.
 *
 * Under likwid-perfctr -m (it sets LIKWID_FILEPATH) each call is also forwarded to liblikwid, whose
 * return value is returned: both see the markers.
 *
 * Threads: as in LIKWID itself; all calls are safe from any thread.
 */
#ifndef LIKWID_MARKERS_H
#define LIKWID_MARKERS_H

void likwid_markerInit(void);
void likwid_markerThreadInit(void);
void likwid_markerNextGroup(void);
void likwid_markerClose(void);
int likwid_markerRegisterRegion(const char *tag);
int likwid_markerStartRegion(const char *tag);
int likwid_markerStopRegion(const char *tag);
int likwid_markerResetRegion(const char *tag);
void likwid_markerGetRegion(const char *tag,
                            int *nr_events,
                            double *events,
                            double *time,
                            int *count);

/* Fortran: texts without NUL, padded with blanks, their lengths after the other arguments. */
void likwid_markerinit_(void);
void likwid_markerthreadinit_(void);
void likwid_markernextgroup_(void);
void likwid_markerclose_(void);
void likwid_markerregisterregion_(const char *tag, int length);
void likwid_markerstartregion_(const char *tag, int length);
void likwid_markerstopregion_(const char *tag, int length);
void likwid_markerresetregion_(const char *tag, int length);
void likwid_markergetregion_(const char *tag,
                             int *nr_events,
                             double *events,
                             double *time,
                             int *count,
                             int length);

#endif

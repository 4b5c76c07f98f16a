/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of MonEQ, the power profiler of Blue Gene/Q, over wattle: a program made for MonEQ compiles as it is and
 * links with -lwattle alone. Its sources include "powermon_bgq.h" and "bgq_err.h"; both lead here. New programs
 * use <wattle/profiler.h> and <wattle/region.h>.
 *
 *     MPI_Init(&argc, &argv);
 *     status = MonEQ_Initialize();
 *     status = MonEQ_StartPowerTag("work_loop");
 *     ...
 *     status = MonEQ_EndPowerTag("work_loop");
 *     status = MonEQ_Finalize();
 *     MPI_Finalize();
 *
 * What was measured is a trace of wattle for each node, with the tags as regions; "wattle export --to moneq" makes
 * MonEQ's files of it. Nothing here needs MPI, waits for other ranks, sleeps, prints on stdout unasked, or uses a signal; no number
 * of samples or tags is the last. docs/guide/moneq.md has what differs.
 *
 * Thread rule: Initialize and Finalize from one thread; all others from any. Since 0.1.
 */
#ifndef MONEQ_H
#define MONEQ_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What calls return. */
#define MonEQ_SUCCESS   0
#define ENOTAGENTONRANK (-1) /* this rank does not measure; harmless */
#define EMKPWRTAGSP     (-2) /* a blank in the name of a tag, or no name */
#define EMKPWRTAG       (-3) /* the tag cannot be kept: its name is too long, or there is no memory */
#define EFINDPWRTAGNM   (-4) /* no tag of this name was started */
#define ESIGACTION      (-5) /* never: there is no signal */
#define ESETTIMER       (-6) /* never: there is no timer */
#define EOPENOUTPUT     (-7) /* the trace could not be written whole */
#define EEMONERR        (-8) /* nothing can be measured here; stderr has said why */
#define EFSTCOLLSHORT   (-9) /* the first delay is below 3 s */

struct MonEQ_ERROR {
    int err_num;
    char *error_message;
};
typedef struct MonEQ_ERROR MonEQ_ERROR;

/*
 * Begin, on every rank, behind MPI_Init or without MPI. Samples each 560 ms, or WATTLE_INTERVAL; the trace goes to the folder in
 * MonEQ_PREFIX, or WATTLE_OUTPUT, or the current one. Returns MonEQ_SUCCESS, also when it was called before; or EEMONERR.
 */
int MonEQ_Initialize(void);

/* End, on every rank. The trace is written. Returns MonEQ_SUCCESS; EOPENOUTPUT; EEMONERR before MonEQ_Initialize(). */
int MonEQ_Finalize(void);

/* Before MonEQ_Initialize(): no trace; the program reads when it likes. */
void MonEQ_DisableAutoCollection(void);

/* 1 on the one rank of a node that measures (or, under "wattle run", reads), else 0. */
int MonEQ_MonitorAgentOnRank(void);

/* Watts of the node now, by the channels that may be added up. -1 where no agent is; NaN when unknown. */
double MonEQ_GetPower(void);

/* 7 and 2, as on Blue Gene/Q. */
int MonEQ_GetNumDomains(void);
int MonEQ_GetNumDCA(void);

/*
 * Fill arr[7] with the watts of the domains now: 0 packages (or their cores), 1 DRAM, 2 network, 5 GPUs; 3 SRAM, 4 optics
 * and 6 link chips are not measured on today's machines. NaN = unknown. Returns as MonEQ_GetPower(), which is more
 * than the sum where a sensor sees the whole node. -1: arr is left as it is.
 */
double MonEQ_GetDomainPower(double *arr);

/* The same by converter, v[14] and a[14] by 2 * domain + converter: today's sensors show neither volts and amperes nor
 * converters, so all of it is NaN. Return as MonEQ_GetPower(). */
double MonEQ_GetDomainPowerByDCA(double *dca0, double *dca1);
double MonEQ_GetVoltageAndCurrent(double *v, double *a);

/* Fill arr[7] with factors from volts times amperes to watts: all 1. Returns 0. */
int MonEQ_GetVTMRatio(uint32_t *arr);
void MonEQ_PrintVTMRatio(void);

/* Fill arr[7] with the domains' numbers: 1 2 6 7 3 4 8. Returns 0. Print: what each of them is here, on stdout. */
int MonEQ_GetDomainIDs(int *arr);
void MonEQ_PrintDomainInfo(void);

/* Both before MonEQ_Initialize(). The first delay was for a meter that lags by 6 s: it is accepted from 3 s on, else
 * EFSTCOLLSHORT, and has no effect. The interval, 10 us to an hour, takes the place of 560 ms; what is no such time is told
 * at MonEQ_Initialize(). Return MonEQ_SUCCESS. */
int MonEQ_SetFirstCollectionDelay(int seconds, int microSeconds);
int MonEQ_SetCollectionInterval(int seconds, int microSeconds);

/*
 * Begin and end a tag on the calling thread; the name is copied. Tags nest, overlap and come again; each rank's are
 * recorded. Returns MonEQ_SUCCESS; ENOTAGENTONRANK where no agent is, with the tag recorded all the same, and before
 * MonEQ_Initialize(), without; EMKPWRTAGSP; EMKPWRTAG; and of the end EFINDPWRTAGNM.
 */
int MonEQ_StartPowerTag(const char *tag_name);
int MonEQ_EndPowerTag(const char *tag_name);

/* The tags begun by this process so far, a line each, on stdout. */
void MonEQ_PrintPowerTagsList(void);

/* What became of the last call, in words; and the words of an error. Nothing is to be freed or changed. */
char *MonEQ_GetLastErrorMessage(void);
char *MonEQ_GetMessageForError(MonEQ_ERROR error);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface of MonEQ, the power profiler of Blue Gene/Q, on top of wattle: a program written
 * for MonEQ compiles unchanged and links with -lwattle only. Its sources include "powermon_bgq.h"
 * and "bgq_err.h"; both include this file. New programs should use <wattle/profiler.h> and
 * <wattle/region.h>.
 *
 *     MPI_Init(&argc, &argv);
 *     status = MonEQ_Initialize();
 *     status = MonEQ_StartPowerTag("work_loop");
 *     ...
 *     status = MonEQ_EndPowerTag("work_loop");
 *     status = MonEQ_Finalize();
 *     MPI_Finalize();
 *
 * The result is one wattle trace per node, with the tags as regions; "wattle export --to moneq"
 * converts it to MonEQ's files. Nothing here needs MPI, waits for other ranks, sleeps, prints on
 * stdout unless asked to, or uses signals; the number of samples and tags is not limited.
 * docs/guide/moneq.md lists the differences.
 *
 * Thread rule: Initialize and Finalize from one thread; all others from any. Since 0.1.
 */
#ifndef MONEQ_H
#define MONEQ_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return values. */
#define MonEQ_SUCCESS   0
#define ENOTAGENTONRANK (-1) /* this rank does not measure; harmless */
#define EMKPWRTAGSP     (-2) /* the tag name contains a blank, or there is no name */
#define EMKPWRTAG       (-3) /* cannot store the tag: name too long, or no memory */
#define EFINDPWRTAGNM   (-4) /* no tag of this name was started */
#define ESIGACTION      (-5) /* never returned: no signal is used */
#define ESETTIMER       (-6) /* never returned: no timer is used */
#define EOPENOUTPUT     (-7) /* the trace could not be written completely */
#define EEMONERR        (-8) /* nothing can be measured here; the reason was printed on stderr */
#define EFSTCOLLSHORT   (-9) /* the first delay is below 3 s */

struct MonEQ_ERROR {
    int err_num;
    char *error_message;
};
typedef struct MonEQ_ERROR MonEQ_ERROR;

/*
 * Begin, on every rank, after MPI_Init or without MPI. Samples every 560 ms, or WATTLE_INTERVAL;
 * the trace is written to the folder MonEQ_PREFIX, or WATTLE_OUTPUT, or the current one. Returns
 * MonEQ_SUCCESS, also when already called; or EEMONERR.
 */
int MonEQ_Initialize(void);

/* End, on every rank, and write the trace. Returns MonEQ_SUCCESS; EOPENOUTPUT; EEMONERR before
 * MonEQ_Initialize(). */
int MonEQ_Finalize(void);

/* Before MonEQ_Initialize(): write no trace; the program reads values itself. */
void MonEQ_DisableAutoCollection(void);

/* 1 on the one rank of a node that measures (or, under "wattle run", reads), else 0. */
int MonEQ_MonitorAgentOnRank(void);

/* Power of the node now in watts, over the channels that may be added up. -1 without an agent;
 * NaN when unknown. */
double MonEQ_GetPower(void);

/* 7 and 2, as on Blue Gene/Q. */
int MonEQ_GetNumDomains(void);
int MonEQ_GetNumDCA(void);

/*
 * Fill arr[7] with the present power of the domains in watts: 0 packages (or their cores), 1 DRAM,
 * 2 network, 5 GPUs; 3 SRAM, 4 optics and 6 link chips are not measured on today's machines. NaN =
 * unknown. Returns as MonEQ_GetPower(), which is more than the sum if a sensor covers the whole
 * node. On -1, arr is unchanged.
 */
double MonEQ_GetDomainPower(double *arr);

/* The same per converter, v[14] and a[14] indexed by 2 * domain + converter: today's sensors
 * report neither volts and amperes nor converters, so all values are NaN. Returns as
 * MonEQ_GetPower(). */
double MonEQ_GetDomainPowerByDCA(double *dca0, double *dca1);
double MonEQ_GetVoltageAndCurrent(double *v, double *a);

/* Fill arr[7] with the factors that convert volts times amperes to watts: all 1. Returns 0. */
int MonEQ_GetVTMRatio(uint32_t *arr);
void MonEQ_PrintVTMRatio(void);

/* Fill arr[7] with the numbers of the domains: 1 2 6 7 3 4 8. Returns 0. Print: the meaning of
 * each on this machine, on stdout. */
int MonEQ_GetDomainIDs(int *arr);
void MonEQ_PrintDomainInfo(void);

/*
 * Both before MonEQ_Initialize(). The first delay was for a meter that lags by 6 s: it is accepted
 * from 3 s on, else EFSTCOLLSHORT, and has no effect. The interval, 10 us to an hour, replaces 560
 * ms; an invalid one is reported by MonEQ_Initialize(). Returns MonEQ_SUCCESS.
 */
int MonEQ_SetFirstCollectionDelay(int seconds, int microSeconds);
int MonEQ_SetCollectionInterval(int seconds, int microSeconds);

/*
 * Begin and end a tag on the calling thread; the name is copied. Tags may nest, overlap and repeat;
 * each rank's tags are recorded. Returns MonEQ_SUCCESS; ENOTAGENTONRANK without an agent (the tag
 * is still recorded) and before MonEQ_Initialize() (it is not); EMKPWRTAGSP; EMKPWRTAG; and end
 * also EFINDPWRTAGNM.
 */
int MonEQ_StartPowerTag(const char *tag_name);
int MonEQ_EndPowerTag(const char *tag_name);

/* Print the tags begun by this process so far on stdout, one per line. */
void MonEQ_PrintPowerTagsList(void);

/* The result of the last call as a message; and the message of an error. Do not free or modify
 * them. */
char *MonEQ_GetLastErrorMessage(void);
char *MonEQ_GetMessageForError(MonEQ_ERROR error);

#ifdef __cplusplus
}
#endif
#endif

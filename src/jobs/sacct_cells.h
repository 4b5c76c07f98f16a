/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of sacct that only sacct writes so. */
#ifndef WTL_JOBS_SACCT_CELLS_H
#define WTL_JOBS_SACCT_CELLS_H

#include <stdint.h>

/* "1-02:03:04", "02:03:04", "03:04.567": seconds; NaN = not a time. */
double wtl_sacct_cpu_time(const char *text);

/* "1234K", "1.5M", "0": bytes, with units of 1024; -1 = none. */
int64_t wtl_sacct_bytes(const char *text);

#endif

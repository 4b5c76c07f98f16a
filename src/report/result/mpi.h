/* SPDX-License-Identifier: BSD-3-Clause */
/* Time and energy inside MPI calls, as text; its JSON: run_nouns.h. */
#ifndef WTL_REPORT_MPI_H
#define WTL_REPORT_MPI_H

#include <stdio.h>

#include "analysis/regions/mpi_time.h"
#include "report/style.h"

/* Print nothing if there were no ranks. all: a row for every rank; else for up to 16. 0, or
 * -ENOMEM. */
int wtl_text_mpi(FILE *out,
                 const struct wtl_style *style,
                 const struct wtl_result *result,
                 const struct wtl_mpi_time *mpi,
                 bool all);

#endif

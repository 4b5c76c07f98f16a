/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of regions: name, count, time, energy inclusive and exclusive. */
#ifndef WTL_REPORT_REGIONS_H
#define WTL_REPORT_REGIONS_H

#include <stdio.h>

#include "analysis/traces/results.h"
#include "exchange/row_writer.h"
#include "report/style.h"

/* 0, or -ENOMEM. Without rows: prints that the program marked no regions. */
int wtl_text_regions(FILE *out,
                     const struct wtl_style *style,
                     const struct wtl_region_table *regions);

/* As rows of a sheet, with a column `run` in front: the columns once (their number), then the rows of each run. */
size_t wtl_csv_regions_begin(struct wtl_row_writer *sheet, FILE *out);
void wtl_csv_regions(struct wtl_row_writer *sheet,
                     size_t columns,
                     size_t run,
                     const struct wtl_region_table *regions);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of regions: name, count, time, energy inclusive and exclusive. */
#ifndef WTL_REPORT_REGIONS_H
#define WTL_REPORT_REGIONS_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/region_rows.h"
#include "exchange/sheet.h"
#include "report/report.h"

/* The energy as its interval allows: "12.3 +- 0.4"; of a region too short to be resolved "0..0.9". Written
 * to buf (n >= 64), which is returned. */
char *wtl_region_energy(char *buf, size_t n, const struct wtl_region_joined *joined);
/* The same of an estimate: "8 (3..45)", whose ends lie as those of the total do. */
char *wtl_region_energy_in(char *buf,
                           size_t n,
                           const struct wtl_region_table *regions,
                           const struct wtl_region_joined *joined);

/* 0, or -ENOMEM. Without rows: says that the program told of no regions. */
int wtl_text_regions(FILE *out,
                     const struct wtl_style *style,
                     const struct wtl_region_table *regions);

/* As an array; NULL without memory. */
json_t *wtl_json_regions(const struct wtl_region_table *regions);

/* As rows of a sheet, with a column `run` in front: the columns once, then the rows of each run. */
void wtl_csv_regions_begin(struct wtl_sheet *sheet, FILE *out);
void wtl_csv_regions(struct wtl_sheet *sheet, size_t run, const struct wtl_region_table *regions);

#endif

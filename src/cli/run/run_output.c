/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of a run: see run_output.h. It is assembled first and written at once, since stderr is
 * unbuffered and background processes of the command may also write there. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/run_output.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/traces/results.h"
#include "base/fail.h"

/* Regions, if the command marked any: read from the trace just written. If it cannot be read, a warning was
 * printed; see "wattle stats". */
static int print_one(FILE *out,
                     const struct wtl_result *result,
                     const struct wtl_style *style,
                     struct wattle_error *err)
{
    struct wtl_region_table regions = {0};
    bool any = result->trace && wtl_region_table_open(result, &regions, NULL) == 0;
    int rc = wtl_report_with_regions(out, result, &regions, style, err);
    if (any)
        wtl_region_table_close(&regions);
    return rc;
}

int wtl_run_output(struct wtl_output *output,
                   enum wtl_format format,
                   const struct wtl_result *results,
                   unsigned count,
                   bool verbose,
                   struct wattle_error *err)
{
    char *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&page, &size);
    if (!out)
        return wtl_no_memory_for(err, "the result");
    struct wtl_style style = wtl_style_of(output->stream);
    style.verbose = verbose;
    int rc = count == 1 && format == WTL_FORMAT_TEXT
                 ? print_one(out, &results[0], &style, err)
                 : wtl_report_results(out, format, results, count, &style, err);
    if (fclose(out) != 0 && rc == 0)
        rc = wtl_no_memory_for(err, "the result");
    if (rc == 0) {
        (void)fwrite(page, 1, size, output->stream); /* a failure is reported by the commit */
        rc = wtl_output_commit(output, err);
    }
    free(page);
    return rc;
}

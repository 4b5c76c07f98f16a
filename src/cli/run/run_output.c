/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of a run: see run_output.h. It is put together first and goes out in one piece, since
 * stderr is not buffered and what the command left behind may write there, too. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/run_output.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/results.h"
#include "base/fail.h"

/* Regions, when the command has marked any: the trace has just been written and knows them. One
 * that cannot be read has been warned about, and "wattle stats" will say more. */
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
        (void)fwrite(page, 1, size, output->stream); /* a failure is told by the commit */
        rc = wtl_output_commit(output, err);
    }
    free(page);
    return rc;
}

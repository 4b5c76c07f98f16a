/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice among the forms of a report. */
#define _GNU_SOURCE
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "model/flag.h"
#include "model/gap.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/result/csv_result.h"
#include "report/result/json_result.h"
#include "report/result/regions.h"
#include "report/result/text_result.h"

const char *const wtl_format_names[] = {"text", "json", "csv", NULL};

static int print_one(FILE *out,
                     const struct wtl_style *style,
                     const struct wtl_result *result,
                     const struct wtl_region_table *regions)
{
    int rc = wtl_text_result(out, style, result, NULL);
    if (rc == 0 && regions && regions->count > 0) {
        (void)fputc('\n', out);
        rc = wtl_text_regions(out, style, regions);
    }
    if (result->trace)
        wtl_text_next(out, result->trace);
    return rc;
}

static int print_text(FILE *out,
                      const struct wtl_style *style,
                      const struct wtl_result *results,
                      size_t count)
{
    struct wtl_repeat repeat;
    if (count == 1)
        return print_one(out, style, results, NULL);
    int rc = wtl_repeat_of(results, count, &repeat);
    if (rc < 0)
        return rc;
    rc = wtl_text_result(out, style, &repeat.mean, &repeat);
    (void)fputc('\n', out);
    if (rc == 0)
        rc = wtl_text_runs(out, style, results, count);
    wtl_repeat_fini(&repeat);
    return rc;
}

int wtl_report_results(FILE *out,
                       enum wtl_format format,
                       const struct wtl_result *results,
                       size_t count,
                       const struct wtl_style *style,
                       struct wattle_error *err)
{
    int rc = -EINVAL;
    if (count == 0)
        return wtl_fail(err, rc, "no result");
    switch (format) {
    case WTL_FORMAT_TEXT:
        rc = print_text(out, style, results, count);
        break;
    case WTL_FORMAT_JSON:
        rc = wtl_json_results(out, results, count);
        break;
    case WTL_FORMAT_CSV:
        wtl_csv_results(out, results, count);
        rc = 0;
        break;
    }
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}

int wtl_report_with_regions(FILE *out,
                            const struct wtl_result *result,
                            const struct wtl_region_table *regions,
                            const struct wtl_style *style,
                            struct wattle_error *err)
{
    if (print_one(out, style, result, regions) < 0)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}

int wtl_report_progress(FILE *out, const struct wtl_result *so_far, struct wattle_error *err)
{
    char energy[64], power[64], incomplete[64];
    uint64_t until_ns = so_far->until_ns ? so_far->until_ns : so_far->end_monotonic_ns;
    const struct wtl_energy known = wtl_result_energy_at(so_far, until_ns);
    double half = wtl_digits_half(&known);
    const char *word = so_far->total.count ? wtl_result_quality_word(so_far) : "measured";
    bool plain = strcmp(word, "measured") == 0;
    double half_w = half / known.j * so_far->total_w;
    double seconds = (double)(until_ns - so_far->start_monotonic_ns) * 1e-9;
    (void)fprintf(out, "%10.3f s  %s J  %s W%s%s%s%s%s\n", seconds,
                  wtl_digits_value(energy, sizeof energy, known.j, half),
                  wtl_digits_value(power, sizeof power, so_far->total_w, half_w),
                  plain ? "" : "  (", plain ? "" : word, plain ? "" : ")",
                  wtl_gap_incomplete(incomplete, sizeof incomplete, so_far->total_unknown_ns),
                  wtl_result_has_flag(so_far, WTL_FLAG_CORRECTED) ? "  " WTL_FLAG_CORRECTED : "");
    return wtl_flush(out, err);
}

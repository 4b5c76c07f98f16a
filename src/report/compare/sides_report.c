/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of two sides: its formats. See sides_report.h. */
#include "report/compare/sides_report.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "model/quality.h"
#include "report/json_value.h"

const char *wtl_side_quality(const struct wtl_result *results, size_t n)
{
    const char *word = NULL;
    bool same = true, simulated = false, estimated = false;
    for (size_t i = 0; i < n; i++) {
        const char *one =
            results[i].total.count > 0 ? wtl_result_quality_word(&results[i]) : "unknown";
        same = same && (!word || strcmp(word, one) == 0);
        simulated |= strcmp(one, "simulated") == 0;
        estimated |= strcmp(one, "estimated") == 0;
        word = one;
    }
    if (same)
        return word ? word : "unknown";
    return simulated && estimated ? "partly simulated, partly estimated"
           : simulated            ? "partly simulated"
           : estimated            ? "partly estimated"
                                  : "mixed";
}

static size_t runs_with(const struct wtl_result *results, size_t n, const char *name)
{
    size_t runs = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < results[i].flag_count; k++) {
            if (strcmp(results[i].flags[k].name, name) == 0) {
                runs++;
                break;
            }
        }
    }
    return runs;
}

bool wtl_side_flag_next(const struct wtl_result *results,
                        size_t n,
                        size_t *cursor,
                        const struct wtl_result_flag **ret_flag,
                        size_t *ret_runs)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < results[i].flag_count; k++) {
            const struct wtl_result_flag *flag = &results[i].flags[k];
            if (at++ < *cursor)
                continue;
            ++*cursor;
            if (runs_with(results, i, flag->name) > 0)
                continue;
            *ret_flag = flag;
            *ret_runs = runs_with(results, n, flag->name);
            return true;
        }
    }
    return false;
}

int wtl_report_sides(FILE *out,
                     enum wtl_format format,
                     const struct wtl_sides_report *report,
                     const struct wtl_style *style,
                     struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_TEXT)
        rc = wtl_text_sides(out, style, report);
    else if (format == WTL_FORMAT_JSON)
        rc = wtl_json_print(out, wtl_json_sides(report));
    else
        wtl_csv_sides(out, report);
    return rc < 0 ? wtl_no_memory_for(err, "the comparison") : wtl_flush(out, err);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of two sides: its formats, and as CSV. See sides_report.h. */
#include "report/compare/sides_report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "exchange/row_writer.h"
#include "model/quality.h"
#include "report/json_value.h"

const char *wtl_side_quality(const struct wtl_result *results, size_t n)
{
    const char *word = NULL;
    for (size_t i = 0; i < n; i++) {
        const char *one =
            results[i].total.count > 0 ? wtl_result_quality_word(&results[i]) : "unknown";
        if (word && strcmp(word, one) != 0)
            return "mixed";
        word = one;
    }
    return word ? word : "unknown";
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

void wtl_side_flags(const struct wtl_result *results,
                    size_t n,
                    void (*tell)(void *context, const struct wtl_result_flag *flag, size_t runs),
                    void *context)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < results[i].flag_count; k++) {
            const struct wtl_result_flag *flag = &results[i].flags[k];
            if (runs_with(results, i, flag->name) == 0)
                tell(context, flag, runs_with(results, n, flag->name));
        }
    }
}

enum { COLUMNS = 24, DIGITS = 10 };

static void csv_row(struct wtl_row_writer *sheet,
                    const struct wtl_sides *sides,
                    const struct wtl_side_row *row)
{
    static const char *const groups[] = {"headline", "channel", "region"};
    const struct wtl_comparison *c = &row->comparison;
    bool known = !row->why[0], headline = row->group == WTL_ROW_HEADLINE;
    const double numbers[] = {c->a.mean,
                              c->a.sd,
                              c->b.mean,
                              c->b.sd,
                              c->difference.value,
                              c->difference.low,
                              c->difference.high,
                              c->ratio.value,
                              c->ratio.low,
                              c->ratio.high,
                              c->bootstrap.low,
                              c->bootstrap.high,
                              c->p};
    struct wtl_cell cells[COLUMNS] = {wtl_cell_text(groups[row->group]),
                                      wtl_cell_text(row->name),
                                      wtl_cell_text(row->quantity),
                                      wtl_cell_text(row->unit),
                                      wtl_cell_text(wtl_quality_word(row->quality, row->simulated)),
                                      wtl_cell_count(sides->a_n),
                                      wtl_cell_count(sides->b_n)};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        cells[7 + k] = wtl_cell_number(known ? numbers[k] : (double)NAN, DIGITS);
    cells[20] = wtl_cell_text(headline ? wtl_verdict_name(row->verdict.kind) : NULL);
    cells[21] = wtl_cell_text(headline ? row->verdict.text : row->why[0] ? row->why : NULL);
    cells[22] = wtl_cell_text(wtl_quality_simulates(row->quality, row->simulated));
    cells[23] = wtl_cell_number(known ? 1 - row->alpha : (double)NAN, DIGITS);
    wtl_row_writer_row(sheet, cells, COLUMNS);
}

void wtl_csv_sides(FILE *out, const struct wtl_sides_report *report)
{
    static const char *const columns[COLUMNS] = {"group",
                                                 "name",
                                                 "quantity",
                                                 "unit",
                                                 "quality",
                                                 "a_n",
                                                 "b_n",
                                                 "a_mean",
                                                 "a_sd",
                                                 "b_mean",
                                                 "b_sd",
                                                 "difference",
                                                 "difference_low",
                                                 "difference_high",
                                                 "ratio",
                                                 "ratio_low",
                                                 "ratio_high",
                                                 "bootstrap_low",
                                                 "bootstrap_high",
                                                 "p",
                                                 "verdict",
                                                 "text",
                                                 "simulates",
                                                 "confidence"};
    struct wtl_row_writer sheet;
    wtl_row_writer_begin(&sheet, out, WTL_ROW_WRITER_CSV, false, "compare");
    wtl_row_writer_columns(&sheet, columns, COLUMNS);
    for (size_t i = 0; i < report->sides->count; i++)
        csv_row(&sheet, report->sides, &report->sides->rows[i]);
    wtl_row_writer_end(&sheet);
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a report: see page.h. */
#define _GNU_SOURCE
#include "report/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/page_template.h"
#include "report/result/text_result.h"

int wtl_page_there(struct wattle_error *err)
{
    return wtl_page_template_there(&wtl_page_report, err);
}

/* Shown to readers without JavaScript. */
static void put_summary(FILE *out, const struct wtl_result *r, const json_t *document)
{
    const json_t *texts = json_object_get(json_object_get(document, "run"), "flag_texts");
    char energy[96], time[64], power[32];
    if (isnan(r->energy.j)) {
        (void)fputs("The energy is unknown", out);
    } else {
        double half = wtl_digits_half(&r->energy);
        (void)wtl_digits_energy(energy, sizeof energy, &r->energy);
        (void)fprintf(out, "%s J (%s), %s W on average", energy, r->total.contains,
                      wtl_digits_value(power, sizeof power, r->total_w, half / r->wall_time_s));
    }
    if (!isnan(r->wall_time_s))
        (void)fprintf(out, " in %s", wtl_digits_time(time, sizeof time, r->wall_time_s));
    if (r->total.count > 0)
        (void)fprintf(out, "; %s", wtl_result_quality_word(r));
    for (size_t i = 0; i < r->flag_count; i++)
        (void)fprintf(out, "%s%s", i == 0 ? ". " : "; ",
                      json_string_value(json_object_get(texts, r->flags[i].name)));
    (void)fputs(".", out);
}

int wtl_page_write(FILE *out,
                   const json_t *document,
                   const struct wtl_result *result,
                   bool served,
                   struct wattle_error *err)
{
    const char *title = json_string_value(json_object_get(document, "title"));
    char *summary = NULL;
    size_t size;
    FILE *text = open_memstream(&summary, &size);
    if (text)
        put_summary(text, result, document);
    int rc = !text || fclose(text) != 0
                 ? wtl_no_memory_for(err, "the page")
                 : wtl_page_template_fill(&wtl_page_report, title ? title : "wattle", summary,
                                          document, served, out, err);
    free(summary);
    return rc;
}

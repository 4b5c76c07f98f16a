/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of runs: see run_page.h. */
#include "report/cluster/run_page.h"

#include <stdio.h>

#include "base/whole.h"
#include "model/gap.h"
#include "report/digits.h"
#include "report/page_template.h"

int wtl_run_page_there(struct wattle_error *err)
{
    return wtl_page_template_there(&wtl_page_run, err);
}

static double number_at(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Shown to readers without JavaScript. */
static void put_summary(char *buf, size_t n, const json_t *document)
{
    const json_t *runs = json_object_get(document, "runs"), *run = json_array_get(runs, 0);
    const json_t *total = json_array_get(json_object_get(run, "parts"), 0);
    char energy[96], time[64], missing[96];
    if (json_array_size(runs) != 1)
        (void)snprintf(buf, n, "%zu runs compared.", json_array_size(runs));
    else if (!json_is_number(json_object_get(total, "energy_j")))
        (void)snprintf(buf, n, "A run on %.0f nodes with unknown energy.",
                       number_at(run, "node_count"));
    else
        (void)snprintf(buf, n, "%s J on %.0f of %.0f nodes in %s.%s",
                       wtl_digits_interval(energy, sizeof energy, number_at(total, "energy_j"),
                                           number_at(total, "resolution_interval_j")),
                       number_at(total, "nodes"), number_at(run, "node_count"),
                       wtl_digits_time(time, sizeof time, number_at(run, "time_s")),
                       wtl_gap_incomplete(missing, sizeof missing,
                                          wtl_whole_u64(1e9 * number_at(total, "unknown_s"))));
}

int wtl_run_page_write(FILE *out, const json_t *document, struct wattle_error *err)
{
    const char *title = json_string_value(json_object_get(document, "title"));
    char summary[256];
    put_summary(summary, sizeof summary, document);
    return wtl_page_template_fill(&wtl_page_run, title ? title : "wattle", summary, document, false,
                                  out, err);
}

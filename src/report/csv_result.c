/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV of results: see csv_result.h. Nine significant digits; the interval stands beside. */
#include "report/csv_result.h"

#include <math.h>
#include <stdio.h>

#include "exchange/sheet.h"
#include "model/quality.h"

enum {
    RUN,
    NAME,
    DOMAIN,
    SENSOR,
    QUALITY,
    SIMULATED,
    PRIMARY,
    IN_TOTAL,
    WITHIN,
    ENERGY,
    INTERVAL,
    LOW,
    HIGH,
    MEAN,
    LEAST,
    MOST,
    STAT_WINDOW,
    SAMPLES,
    GAPS,
    GAP_TIME,
    WALL_TIME,
    UNKNOWN_TIME,
    SIMULATES,
    FLAGS,
    COLUMNS
};

static const char *const columns[COLUMNS] = {
    "run",
    "name",
    "domain",
    "sensor",
    "quality",
    "simulated",
    "primary",
    "in_total",
    "within",
    "energy_j",
    "resolution_interval_j",
    "low_j",
    "high_j",
    "mean_w",
    "min_w",
    "max_w",
    "stat_window_ms",
    "samples",
    "gaps",
    "gap_s",
    "wall_time_s",
    "unknown_s",
    "simulates",
    "flags",
};

static struct wtl_cell number(double value)
{
    return wtl_cell_number(value, 9);
}

/* The names of what speaks against a run, "INCOMPLETE; NOT ALONE"; NULL = nothing does. */
static const char *flags_of(const struct wtl_result *r, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < r->flag_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "; " : "", r->flags[i].name);
    return text[0] ? text : NULL;
}

static void print_channel(struct wtl_sheet *sheet,
                          size_t run,
                          const char *flags,
                          const struct wtl_result *r,
                          const struct wtl_result_channel *c)
{
    const struct wtl_summary *s = &c->summary;
    bool simulated = wtl_channel_is_simulated(&c->channel);
    const struct wtl_energy energy = wtl_result_energy(c);
    const struct wtl_cell cells[COLUMNS] = {
        [RUN] = wtl_cell_count(run),
        [NAME] = wtl_cell_text(c->channel.name),
        [DOMAIN] = wtl_cell_text(wattle_domain_name(c->channel.domain)),
        [SENSOR] = wtl_cell_text(c->channel.sensor),
        [QUALITY] = wtl_cell_text(wtl_quality_word(c->channel.quality, simulated)),
        [SIMULATED] = wtl_cell_count(simulated),
        [PRIMARY] = wtl_cell_count(!!(c->channel.flags & WATTLE_CHANNEL_PRIMARY)),
        [IN_TOTAL] = wtl_cell_count(!!(c->channel.flags & WATTLE_CHANNEL_IN_TOTAL)),
        [WITHIN] = wtl_cell_text(c->channel.within),
        [ENERGY] = number(energy.j),
        [INTERVAL] = number(energy.half_j),
        [LOW] = number(energy.low_j),
        [HIGH] = number(energy.high_j),
        [MEAN] = number(s->mean_w),
        [LEAST] = number(s->min_w),
        [MOST] = number(s->max_w),
        [STAT_WINDOW] = number(s->stat_window_ns ? (double)s->stat_window_ns * 1e-6 : (double)NAN),
        [SAMPLES] = wtl_cell_count(s->samples),
        [GAPS] = wtl_cell_count(s->gaps),
        [GAP_TIME] = number((double)s->gap_ns * 1e-9),
        [WALL_TIME] = number(r->wall_time_s),
        [UNKNOWN_TIME] = number((double)s->unknown_ns * 1e-9),
        [SIMULATES] = wtl_cell_text(wtl_quality_simulates(c->channel.quality, simulated)),
        [FLAGS] = wtl_cell_text(flags)};
    wtl_sheet_row(sheet, cells, COLUMNS);
}

static void print_total(struct wtl_sheet *sheet,
                        size_t run,
                        const char *flags,
                        const struct wtl_result *r)
{
    bool some = r->total.count > 0, simulated = some && wtl_result_is_simulated(r);
    const char *quality = some ? wtl_result_quality_word(r) : NULL;
    const char *simulates = wtl_quality_simulates(r->total.quality, simulated);
    const struct wtl_cell cells[COLUMNS] = {[RUN] = wtl_cell_count(run),
                                            [NAME] = wtl_cell_text("total"),
                                            [QUALITY] = wtl_cell_text(quality),
                                            [ENERGY] = number(r->energy.j),
                                            [INTERVAL] = number(r->energy.half_j),
                                            [LOW] = number(r->energy.low_j),
                                            [HIGH] = number(r->energy.high_j),
                                            [MEAN] = number(r->total_w),
                                            [WALL_TIME] = number(r->wall_time_s),
                                            [UNKNOWN_TIME] =
                                                number((double)r->total_unknown_ns * 1e-9),
                                            [SIMULATES] = wtl_cell_text(simulates),
                                            [FLAGS] = wtl_cell_text(flags)};
    wtl_sheet_row(sheet, cells, COLUMNS);
}

void wtl_csv_results(FILE *out, const struct wtl_result *results, size_t count)
{
    struct wtl_sheet sheet;
    wtl_sheet_begin(&sheet, out, WTL_SHEET_CSV, false, "results");
    wtl_sheet_columns(&sheet, columns, COLUMNS);
    for (size_t run = 0; run < count; run++) {
        char text[1024];
        const char *flags = flags_of(&results[run], text, sizeof text);
        for (size_t i = 0; i < results[run].energy_count; i++)
            print_channel(&sheet, run + 1, flags, &results[run], &results[run].channels[i]);
        print_total(&sheet, run + 1, flags, &results[run]);
    }
    wtl_sheet_end(&sheet);
}

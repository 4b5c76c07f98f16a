/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of energy channels, each below the one that contains it, with "+" before those in the
 * total; then the total with what it contains and leaves out.
 */
#include "report/result/text_result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/quality.h"
#include "model/reading.h"
#include "report/digits.h"
#include "report/table.h"

enum { CELL = 64, COLUMNS = 5, DEEPEST = 8, WIDE = 80 /* narrower tables may omit min..max */ };

struct sheet {
    struct wtl_table *table;
    const struct wtl_result *result;
    const struct wtl_repeat *repeat; /* or NULL */
};

/* A channel's energy in its cell, and the half width that its power shares. */
static double energy_cell(const struct sheet *sheet, size_t i, char *cell)
{
    const struct wtl_result_channel *c = &sheet->result->channels[i];
    struct wtl_energy energy = wtl_result_energy(c);
    if (sheet->repeat)
        energy.half_j = sheet->repeat->channel_j[i].ci95;
    (void)wtl_digits_energy(cell, CELL, &energy);
    return wtl_digits_half(&energy);
}

/* A half width that limits power to two decimals; more would not be read. */
static double enough(double power_w, double half_w)
{
    double least = fmin(0.1, fabs(power_w) / 100);
    return half_w < least ? least : half_w;
}

/* The range as numbers with few digits; with those of the mean if it would be outside otherwise. */
static void range_cell(const struct wtl_summary *s, const char *mean, char *range)
{
    char low[CELL / 2 - 2], high[CELL / 2 - 2];
    double shown = strtod(mean, NULL);
    const char *point = strchr(mean, '.');
    int decimals = point ? (int)strspn(point + 1, "0123456789") : 0;
    (void)wtl_digits_short(low, sizeof low, s->min_w);
    (void)wtl_digits_short(high, sizeof high, s->max_w);
    if (strtod(low, NULL) > shown || strtod(high, NULL) < shown)
        (void)snprintf(range, CELL, "%.*f..%.*f", decimals, s->min_w, decimals, s->max_w);
    else
        (void)snprintf(range, CELL, "%s..%s", low, high);
}

static void power_cells(const struct sheet *sheet, size_t i, double half_j, char *mean, char *range)
{
    const struct wtl_summary *s = &sheet->result->channels[i].summary;
    double relative = half_j / s->amount, half = fabs(s->mean_w) * fabs(relative);
    (void)wtl_digits_value(mean, CELL, s->mean_w, enough(s->mean_w, half));
    if (isnan(s->min_w) || isnan(s->max_w))
        (void)snprintf(range, CELL, "-");
    else
        range_cell(s, mean, range);
}

static void add_channel(const struct sheet *sheet, size_t i, int depth)
{
    const struct wtl_result_channel *c = &sheet->result->channels[i];
    char name[WATTLE_NAME_MAX + 32], energy[CELL], mean[CELL], range[CELL];
    (void)snprintf(name, sizeof name, "%c %*s%s",
                   c->channel.flags & WATTLE_CHANNEL_IN_TOTAL ? '+' : ' ', 2 * depth, "",
                   c->channel.name);
    double half = energy_cell(sheet, i, energy);
    power_cells(sheet, i, half, mean, range);
    const char *cells[COLUMNS] = {name, energy, mean, range, wtl_channel_quality_word(&c->channel)};
    bool caution = c->channel.quality == WATTLE_ESTIMATED || isnan(c->summary.amount);
    wtl_table_row(sheet->table,
                  caution                                      ? WTL_CAUTION
                  : c->channel.flags & WATTLE_CHANNEL_IN_TOTAL ? WTL_PLAIN
                                                               : WTL_FAINT,
                  cells);
}

/* The channels within `parent`, each with its own below it; "" = those within no other. */
static void add_within(const struct sheet *sheet, const char *parent, int depth)
{
    for (size_t i = 0; depth < DEEPEST && i < sheet->result->energy_count; i++) {
        const struct wattle_channel *channel = &sheet->result->channels[i].channel;
        bool here = strcmp(channel->within, parent) == 0;
        if (!parent[0] && channel->within[0]) {
            const struct wtl_result_channel *around =
                wtl_result_find(sheet->result, channel->within);
            here = !around || !wtl_channel_is_energy(&around->channel); /* that is not listed */
        }
        if (!here || strcmp(channel->name, parent) == 0)
            continue;
        add_channel(sheet, i, depth);
        add_within(sheet, channel->name, depth + 1);
    }
}

static void add_total(const struct sheet *sheet)
{
    const struct wtl_result *r = sheet->result;
    char energy[CELL], mean[CELL];
    const struct wtl_energy total = wtl_total_energy(r, sheet->repeat);
    (void)wtl_digits_energy(energy, sizeof energy, &total);
    double half_w = wtl_digits_half(&total) / total.j * r->total_w;
    (void)wtl_digits_value(mean, sizeof mean, r->total_w, enough(r->total_w, half_w));
    const char *cells[COLUMNS] = {"  total", energy, mean, "", wtl_result_quality_word(r)};
    wtl_table_row(sheet->table, WTL_STRONG, cells);
}

/* What +- means; "" = no explanation needed. */
static const char *interval_words(const struct wtl_result *r, const struct wtl_repeat *repeat)
{
    bool passes = repeat && r->passes_half_j > 0;
    if (r->total.quality == WATTLE_ESTIMATED || (isnan(r->energy.half_j) && !passes))
        return "";
    if (repeat)
        return repeat->n < 3 ? "" : "; +- is the 95 % interval of the mean";
    return "; +- is resolution, not calibration";
}

/* Over how long min..max are means: the longest of all channels, which are mostly alike; "" = not
 * means of a counter. */
static const char *range_words(char *buf, size_t n, const struct wtl_result *r)
{
    uint64_t longest_ns = 0;
    char time[CELL];
    for (size_t i = 0; i < r->energy_count; i++) {
        const struct wtl_summary *s = &r->channels[i].summary;
        if (r->channels[i].channel.kind == WATTLE_COUNTER && !isnan(s->min_w) &&
            s->stat_window_ns > longest_ns)
            longest_ns = s->stat_window_ns;
    }
    buf[0] = '\0';
    if (longest_ns > 0)
        (void)snprintf(buf, n, "; min..max over %s",
                       wtl_digits_time(time, sizeof time, (double)longest_ns * 1e-9));
    return buf;
}

static void print_estimate(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    char text[256], low[CELL], high[CELL];
    double half = wtl_energy_half(&r->energy);
    bool range = style && style->verbose && !isnan(half);
    (void)snprintf(
        text, sizeof text, "from a model, not a sensor%s%s%s%s%s; see \"wattle sensors\"",
        range ? "; 95 % of such machines lie between " : "",
        range ? wtl_digits_value(low, sizeof low, r->energy.low_j, half) : "", range ? " and " : "",
        range ? wtl_digits_value(high, sizeof high, r->energy.high_j, half) : "",
        range ? " J" : "");
    wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, "ESTIMATED", text);
}

/* What the means of a part-time gauge are. */
static void print_passes(FILE *out, const struct wtl_style *style, const struct wtl_repeat *repeat)
{
    const struct wtl_result *r = &repeat->mean;
    for (size_t i = 0; i < r->energy_count; i++) {
        const struct wattle_channel *channel = &r->channels[i].channel;
        char text[200], time[CELL];
        if (!(r->channels[i].passes_half_j > 0))
            continue;
        (void)snprintf(text, sizeof text,
                       "%s: %zu runs, their starts shifted within its period of %s", channel->name,
                       repeat->n,
                       wtl_digits_time(time, sizeof time, (double)channel->refresh_ns * 1e-9));
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "passes", text);
    }
}

static void print_repeats(FILE *out, const struct wtl_style *style, const struct wtl_repeat *repeat)
{
    char text[160], half[CELL];
    bool estimated = repeat->mean.total.quality == WATTLE_ESTIMATED; /* it has no resolution */
    double resolution_j = estimated ? (double)NAN : repeat->mean.energy.half_j;
    print_passes(out, style, repeat);
    if (repeat->n < 3) {
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "repeats",
                            "fewer than 3 runs: the variation between runs is unknown");
    } else if (style && style->verbose && !isnan(resolution_j)) {
        (void)snprintf(text, sizeof text, "the resolution of one run is +- %s J",
                       wtl_digits_value(half, sizeof half, resolution_j, resolution_j));
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "repeats", text);
    }
}

static void print_words(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_result *r,
                        const struct wtl_repeat *repeat)
{
    char text[512], range[64];
    bool excludes = style && style->verbose && r->total.excludes[0];
    (void)snprintf(text, sizeof text, "%s%s%s%s%s", r->total.contains, excludes ? "; not " : "",
                   excludes ? r->total.excludes : "", interval_words(r, repeat),
                   wtl_style_width(style) < WIDE ? "" : range_words(range, sizeof range, r));
    wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "total of", text);
    if (r->total.quality == WATTLE_ESTIMATED)
        print_estimate(out, style, r);
    if (repeat)
        print_repeats(out, style, repeat);
}

int wtl_text_channels(FILE *out,
                      const struct wtl_style *style,
                      const struct wtl_result *result,
                      const struct wtl_repeat *repeat)
{
    static const struct wtl_column columns[COLUMNS] = {{"  channel", false},
                                                       {"energy [J]", true},
                                                       {"mean [W]", true},
                                                       {"min..max [W]", true},
                                                       {"quality", false}};
    if (result->energy_count == 0) {
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "energy",
                            "unknown: no energy was recorded; see \"wattle sensors\" for the "
                            "sensors of this machine");
        return 0;
    }
    struct sheet sheet = {
        .table = wtl_table_create(columns, COLUMNS), .result = result, .repeat = repeat};
    wtl_table_spare(sheet.table, 2, 1);
    wtl_table_spare(sheet.table, 3, 2);
    add_within(&sheet, "", 0);
    if (result->total.count > 0)
        add_total(&sheet);
    int rc = wtl_table_print(sheet.table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(sheet.table);
    if (result->total.count > 0)
        print_words(out, style, result, repeat);
    return rc;
}

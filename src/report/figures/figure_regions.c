/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy of each region: inclusive, and exclusive of what is nested in it, side by side with their 95 %
 * intervals. A region too short to be resolved has an interval and no bar.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/regions/region_rows.h"
#include "base/fail.h"
#include "base/whole.h"
#include "plot/plot.h"
#include "report/digits.h"
#include "report/figures/figure_kind.h"
#include "report/result/regions.h"

struct regions {
    struct wtl_figure_labels labels;
    struct wtl_region_row *table; /* by inclusive energy, largest first */
    size_t count;
    struct wtl_figure_rows rows;
};

/* Unknown energies last; of the same energy, by name. */
static int by_energy(const void *left, const void *right)
{
    const struct wtl_region_row *a = left, *b = right;
    double ea = isnan(a->inclusive.j) ? -1 : a->inclusive.j;
    double eb = isnan(b->inclusive.j) ? -1 : b->inclusive.j;
    return ea < eb ? 1 : ea > eb ? -1 : strcmp(a->name, b->name);
}

static bool is_outside(const struct wtl_region_row *row)
{
    return row->name[0] == '\0';
}

static struct wtl_paint paint_of(size_t which)
{
    uint32_t color = wtl_palette_look(which).color;
    return (struct wtl_paint){
        .stroke = color, .width = 0.4, .fill = which ? color : wtl_palette_tint(color, 0.45)};
}

static void fill_rows(struct wtl_figure *figure)
{
    struct regions *regions = figure->data;
    struct wtl_figure_rows *rows = &regions->rows;
    for (size_t i = 0; i < rows->count; i++) {
        const struct wtl_region_row *row = &regions->table[i];
        char count[32] = "";
        if (row->count > 1)
            (void)snprintf(count, sizeof count, " (%llu\xC3\x97)", (unsigned long long)row->count);
        if (is_outside(row))
            (void)snprintf(rows->texts[i], sizeof rows->texts[i], "outside all");
        else
            (void)snprintf(rows->texts[i], sizeof rows->texts[i], "%.60s%s",
                           wtl_redacted(figure->redactor, WTL_REDACTED_NAME, row->name), count);
        rows->names[i] = rows->texts[i];
        (void)wtl_digits_energy(rows->values[i], WTL_FIGURE_VALUE, &row->inclusive);
    }
}

static void caption_regions(struct wtl_figure *figure)
{
    struct regions *regions = figure->data;
    size_t left_out = regions->count - regions->rows.count;
    bool interval_only = false;
    for (size_t i = 0; i < regions->rows.count; i++)
        interval_only |=
            regions->table[i].inclusive.interval_only || regions->table[i].exclusive.interval_only;
    wtl_figure_say(figure,
                   "Energy of the machine (%s) while a region was open on any thread (inclusive) "
                   "and while it was the innermost of one (exclusive), with 95 %% intervals; "
                   "numbers: inclusive.",
                   figure->result->total.contains);
    if (interval_only)
        wtl_figure_say(figure, "Intervals without a bar: too short to resolve.");
    if (left_out)
        wtl_figure_say(figure, "%zu further regions with the least energy are left out.", left_out);
    wtl_figure_say_source(figure, &regions->labels);
}

static int regions_prepare(struct wtl_figure *figure, struct wattle_error *err)
{
    struct regions *regions = figure->data = calloc(1, sizeof *regions);
    const char *path = figure->result->trace ? figure->result->trace : "trace";
    bool known = false;
    if (!regions)
        return wtl_no_memory(err);
    int count = wtl_region_rows(figure->reader, figure->result, &regions->table, err);
    if (count < 0)
        return count;
    if (count == 0)
        return wtl_fail(
            err, -ENODATA,
            "%s: nothing to draw: the program recorded no regions (see wattle_region(3))", path);
    regions->count = (size_t)count;
    for (size_t i = 0; i < regions->count; i++)
        known |= isfinite(regions->table[i].inclusive.j);
    if (!known)
        return wtl_fail(err, -ENODATA, "%s: nothing to draw: no region energy is known", path);
    wtl_sort(regions->table, regions->count, sizeof *regions->table, by_energy);
    int rc = wtl_figure_labels(figure, &regions->labels, err);
    if (rc == 0)
        rc = wtl_figure_rows_init(figure, &regions->rows, regions->count, 1.5, 1, err);
    if (rc < 0)
        return rc;
    fill_rows(figure);
    caption_regions(figure);
    return 0;
}

/* Half of a row: the upper one is inclusive, the lower one exclusive. */
static void draw_half(const struct wtl_axes *axes,
                      const struct wtl_panel *panel,
                      double middle,
                      const struct wtl_energy *energy,
                      const struct wtl_paint *paint)
{
    struct wtl_paint ink = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.6};
    double low, high, half = 0.19;
    const struct wtl_xy corners[] = {{0, middle - half},
                                     {energy->j, middle - half},
                                     {energy->j, middle + half},
                                     {0, middle + half}};
    if (isnan(energy->j))
        return;
    if (!energy->interval_only)
        wtl_plot_area(axes, panel, corners, 4, paint);
    wtl_energy_ends(energy, &low, &high);
    wtl_plot_whisker_x(axes, panel, low, high, middle, &ink);
}

static void regions_draw(struct wtl_figure *figure, struct wtl_axes *axes)
{
    struct regions *regions = figure->data;
    const struct wtl_panel *panel = &regions->rows.panel;
    const struct wtl_paint inclusive = paint_of(0), exclusive = paint_of(1);
    const struct wtl_legend legend[] = {{.label = "inclusive", .paint = inclusive},
                                        {.label = "exclusive", .paint = exclusive}};
    double most = 0;
    char label[64];
    for (size_t i = 0; i < regions->rows.count; i++) {
        const struct wtl_energy *energy = &regions->table[i].inclusive;
        double low, high;
        wtl_energy_ends(energy, &low, &high);
        most = fmax(most, fmax(energy->j, high));
    }
    (void)snprintf(label, sizeof label, "Energy%s%.20s", regions->labels.quality ? ", " : "",
                   regions->labels.quality ? regions->labels.quality : "");
    axes->x = (struct wtl_chart_axis){
        .label = label, .unit = "J", .high = most > 0 ? 1.02 * most : 1, .grid = true};
    axes->legend = legend;
    axes->legend_count = 2;
    wtl_figure_rows_draw(&regions->rows, axes);
    for (size_t i = 0; i < regions->rows.count; i++) {
        const struct wtl_region_row *row = &regions->table[i];
        bool outside = is_outside(row);
        draw_half(axes, panel, (double)i + (outside ? 0.5 : 0.29), &row->inclusive, &inclusive);
        if (!outside)
            draw_half(axes, panel, (double)i + 0.71, &row->exclusive, &exclusive);
    }
}

static void regions_fini(struct wtl_figure *figure)
{
    struct regions *regions = figure->data;
    if (!regions)
        return;
    free(regions->table);
    wtl_figure_rows_fini(&regions->rows);
    wtl_figure_labels_fini(&regions->labels);
    free(regions);
}

const struct wtl_figure_kind_ops wtl_figure_regions = {regions_prepare, regions_draw, regions_fini};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy of each channel with its 95 % interval, and the total. Hatching shows the quality of a value; the
 * strength of the colour shows what the total contains.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "plot/plot.h"
#include "report/digits.h"
#include "report/figures/figure_kind.h"

enum { LEGEND_MAX = 5 };
#define WITHIN_TINT 0.45 /* of what is contained in another channel */

struct energy {
    struct wtl_figure_labels labels;
    struct wtl_figure_rows rows; /* channels, then the total if there is one */
    size_t channels;             /* rows of channels */
    struct wtl_legend legend[LEGEND_MAX];
    size_t legend_count;
};

static struct wtl_paint paint_of(const struct wattle_channel *channel)
{
    static const enum wtl_hatch hatches[WATTLE_QUALITY_COUNT] = {
        [WATTLE_MEASURED] = WTL_FULL,
        [WATTLE_DERIVED] = WTL_HATCH_FALLING,
        [WATTLE_ESTIMATED] = WTL_HATCH_CROSS,
    };
    uint32_t color = wtl_palette_look(0).color;
    bool in_total = channel->flags & WATTLE_CHANNEL_IN_TOTAL;
    bool known = channel->quality < WATTLE_QUALITY_COUNT;
    return (struct wtl_paint){
        .stroke = color,
        .width = 0.4,
        .fill = in_total ? color : wtl_palette_tint(color, WITHIN_TINT),
        .hatch = known ? hatches[channel->quality] : WTL_HATCH_CROSS,
    };
}

static void fill_rows(struct wtl_figure *figure, bool total)
{
    struct energy *energy = figure->data;
    struct wtl_figure_rows *rows = &energy->rows;
    energy->channels = rows->count - (total && rows->count > 1);
    for (size_t i = 0; i < energy->channels; i++) {
        const struct wtl_result_channel *channel = energy->labels.channels[i];
        rows->names[i] = energy->labels.texts[i];
        const struct wtl_energy of = wtl_result_energy(channel);
        (void)wtl_digits_energy(rows->values[i], WTL_FIGURE_VALUE, &of);
    }
    if (energy->channels < rows->count) {
        rows->names[energy->channels] = "total";
        (void)wtl_digits_energy(rows->values[energy->channels], WTL_FIGURE_VALUE,
                                &figure->result->energy);
    }
}

static void add_legend(struct energy *energy, const char *label, const struct wtl_paint *paint)
{
    if (energy->legend_count < LEGEND_MAX)
        energy->legend[energy->legend_count++] =
            (struct wtl_legend){.label = label, .paint = *paint};
}

/* An entry for each kind of bar, if there is more than one. */
static void fill_legend(struct energy *energy)
{
    unsigned seen = 0;
    for (size_t i = 0; i < energy->channels; i++) {
        struct wattle_channel channel = energy->labels.channels[i]->channel;
        unsigned in_total = channel.flags & WATTLE_CHANNEL_IN_TOTAL ? 1 : 0;
        unsigned bit = 1u << (2 * (unsigned)channel.quality + in_total);
        if (seen & bit || channel.quality >= WATTLE_QUALITY_COUNT)
            continue;
        seen |= bit;
        static const char *const words[][2] = {
            {"not in the total", "in the total"},
            {"derived, not in the total", "derived"},
            {"estimated, not in the total", "estimated"},
        };
        struct wtl_paint paint = paint_of(&channel);
        add_legend(energy, words[channel.quality][in_total], &paint);
    }
    if (energy->legend_count == 1)
        energy->legend_count = 0;
}

static void caption_energy(struct wtl_figure *figure, size_t left_out)
{
    struct energy *energy = figure->data;
    const struct wtl_result *result = figure->result;
    char time[32];
    wtl_figure_say(figure, "Energy by channel over %s, with 95 %% intervals.",
                   wtl_digits_time(time, sizeof time, result->wall_time_s));
    if (isfinite(result->energy.j))
        wtl_figure_say(figure, "Total: %s%s%s.", result->total.contains,
                       result->total.excludes[0] ? "; not " : "", result->total.excludes);
    if (left_out)
        wtl_figure_say(figure, "%zu further channels are left out.", left_out);
    wtl_figure_say_source(figure, &energy->labels);
}

static int energy_prepare(struct wtl_figure *figure, struct wattle_error *err)
{
    struct energy *energy = figure->data = calloc(1, sizeof *energy);
    bool known = false, total = figure->result->total.count > 0;
    uint64_t begin_ns, end_ns;
    if (!energy)
        return wtl_no_memory(err);
    int rc = wtl_figure_labels(figure, &energy->labels, err);
    if (rc == 0)
        rc = wtl_figure_range(figure, &begin_ns, &end_ns, err); /* over no time, nothing is drawn */
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < energy->labels.count; i++)
        known |= isfinite(energy->labels.channels[i]->summary.amount);
    if (!known)
        return wtl_fail(err, -ENODATA, "%s: nothing to draw: no energy is known",
                        figure->result->trace ? figure->result->trace : "trace");
    size_t wanted = energy->labels.count + total;
    energy->channels = energy->labels.count;
    fill_legend(energy);
    rc = wtl_figure_rows_init(figure, &energy->rows, wanted, 1.15, energy->legend_count > 0, err);
    if (rc < 0)
        return rc;
    fill_rows(figure, total);
    caption_energy(figure, wanted - energy->rows.count);
    return 0;
}

/* As far as its bar or its whisker reaches. */
static double most_of(struct wtl_energy energy)
{
    double low, high;
    wtl_energy_ends(&energy, &low, &high);
    return fmax(energy.j, high);
}

static void draw_bar(const struct wtl_axes *axes,
                     const struct wtl_panel *panel,
                     size_t row,
                     struct wtl_energy energy,
                     const struct wtl_paint *paint)
{
    double low, high;
    struct wtl_paint ink = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.7};
    struct wtl_paint paper = {.stroke = WTL_NO_COLOR, .fill = 0xffffff};
    if (paint->hatch != WTL_FULL)
        wtl_plot_bar(axes, panel, row, 0.62, 0, energy.j, &paper);
    wtl_plot_bar(axes, panel, row, 0.62, 0, energy.j, paint);
    wtl_energy_ends(&energy, &low, &high);
    wtl_plot_whisker_x(axes, panel, low, high, (double)row + 0.5, &ink);
}

static void energy_draw(struct wtl_figure *figure, struct wtl_axes *axes)
{
    struct energy *energy = figure->data;
    const struct wtl_result *result = figure->result;
    const struct wtl_panel *panel = &energy->rows.panel;
    double most = 0;
    for (size_t i = 0; i < energy->channels; i++) {
        most = fmax(most, most_of(wtl_result_energy(energy->labels.channels[i])));
    }
    if (energy->channels < energy->rows.count) {
        most = fmax(most, most_of(result->energy));
    }
    char label[64];
    (void)snprintf(label, sizeof label, "Energy%s%.20s", energy->labels.quality ? ", " : "",
                   energy->labels.quality ? energy->labels.quality : "");
    axes->x = (struct wtl_chart_axis){
        .label = label, .unit = "J", .high = most > 0 ? 1.02 * most : 1, .grid = true};
    axes->legend = energy->legend;
    axes->legend_count = energy->legend_count;
    wtl_figure_rows_draw(&energy->rows, axes);
    for (size_t i = 0; i < energy->channels; i++) {
        const struct wtl_result_channel *channel = energy->labels.channels[i];
        struct wtl_paint paint = paint_of(&channel->channel);
        draw_bar(axes, panel, i, wtl_result_energy(channel), &paint);
    }
    if (energy->channels < energy->rows.count) {
        struct wtl_paint paint = {
            .stroke = WTL_INK_FAINT, .fill = wtl_palette_tint(WTL_INK_FAINT, 0.6), .width = 0.4};
        draw_bar(axes, panel, energy->channels, result->energy, &paint);
    }
}

static void energy_fini(struct wtl_figure *figure)
{
    struct energy *energy = figure->data;
    if (!energy)
        return;
    wtl_figure_rows_fini(&energy->rows);
    wtl_figure_labels_fini(&energy->labels);
    free(energy);
}

const struct wtl_figure_kind_ops wtl_figure_energy = {energy_prepare, energy_draw, energy_fini};

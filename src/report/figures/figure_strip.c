/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions as bands under the power: the name is in the legend, and in the band if it fits. */
#include "report/figures/figure_strip.h"

#include <math.h>

#include "plot/plot.h"
#include "report/digits.h"

enum { LINES = 8, BANDS = 1500, LOOKS = 14 };
#define LINE_PT 7.5
#define TINT    0.45

int wtl_figure_strip_read(struct wtl_figure *figure,
                          struct wtl_figure_strip *strip,
                          struct wattle_error *err)
{
    const struct wtl_band_limits limits = {.rows = LINES, .bands = BANDS, .events = 1};
    int rc = wtl_trace_reader_tables(figure->reader, err);
    rc = rc < 0 ? rc : wtl_bands_read(figure->reader, &limits, &strip->bands, err);
    for (size_t i = 0; rc >= 0 && i < strip->bands.name_count; i++)
        strip->bands.names[i] =
            wtl_redacted(figure->redactor, WTL_REDACTED_NAME, strip->bands.names[i]);
    return rc;
}

void wtl_figure_strip_fini(struct wtl_figure_strip *strip)
{
    wtl_bands_fini(&strip->bands);
}

double wtl_figure_strip_height(const struct wtl_figure_strip *strip)
{
    return LINE_PT * (double)strip->bands.row_count;
}

/* Light, since the lines above have the full colours; hatched where the colours come again. */
static struct wtl_paint paint_of(int32_t name)
{
    size_t i = (size_t)name % LOOKS;
    uint32_t color = wtl_palette_look(i).color;
    return (struct wtl_paint){
        .stroke = color,
        .width = 0.3,
        .fill = i < WTL_PALETTE_COLORS ? wtl_palette_tint(color, TINT) : color,
        .hatch = i < WTL_PALETTE_COLORS ? WTL_FULL : WTL_HATCH_FALLING,
    };
}

static bool is_used(const struct wtl_bands *bands, int32_t name)
{
    for (size_t i = 0; i < bands->band_count; i++)
        if (bands->bands[i].name == name)
            return true;
    return false;
}

size_t wtl_figure_strip_legend(const struct wtl_figure_strip *strip, struct wtl_legend *entries)
{
    size_t n = 0;
    for (size_t i = 0; i < strip->bands.name_count; i++)
        if (is_used(&strip->bands, (int32_t)i))
            entries[n++] =
                (struct wtl_legend){.label = strip->bands.names[i], .paint = paint_of((int32_t)i)};
    return n;
}

void wtl_figure_strip_draw(const struct wtl_figure *figure,
                           const struct wtl_figure_strip *strip,
                           const struct wtl_axes *axes,
                           const struct wtl_panel *panel)
{
    const struct wtl_bands *bands = &strip->bands;
    struct wtl_font font = wtl_axes_text_font(axes);
    double line = (panel->bottom - panel->top) / (double)bands->row_count;
    font.size = fmin(font.size - 1, 0.75 * line);
    font.anchor = WTL_ANCHOR_MIDDLE;
    wtl_canvas_group(axes->canvas, "regions");
    for (size_t i = 0; i < bands->band_count; i++) {
        const struct wtl_band *band = &bands->bands[i];
        struct wtl_paint paint = paint_of(band->name);
        double x0 = fmax(wtl_axes_x(axes, wtl_figure_seconds(figure, band->begin_ns)), axes->x0);
        double x1 = fmin(wtl_axes_x(axes, wtl_figure_seconds(figure, band->end_ns)), axes->x1);
        double top = panel->top + line * (double)band->row;
        if (x1 < axes->x0 || x0 > axes->x1)
            continue;
        /* A border would hide what is narrower than it. */
        paint.stroke = x1 - x0 < 1.5 && paint.hatch == WTL_FULL ? WTL_NO_COLOR : paint.stroke;
        wtl_canvas_rectangle(axes->canvas, x0, top + 0.5, fmax(x1 - x0, 0.15), line - 1, &paint);
        const char *name = bands->names[band->name];
        if (paint.hatch == WTL_FULL &&
            wtl_canvas_text_width(axes->canvas, name, &font) < x1 - x0 - 1)
            wtl_canvas_text(axes->canvas, (x0 + x1) / 2, top + line / 2 + 0.35 * font.size, name,
                            &font);
    }
    wtl_canvas_group_end(axes->canvas);
}

void wtl_figure_strip_say(struct wtl_figure *figure, const struct wtl_figure_strip *strip)
{
    char time[32];
    wtl_figure_say(figure, "Below: regions, one line per thread and nesting depth.");
    if (strip->bands.merged_ns > 0)
        wtl_figure_say(figure,
                       "Regions of the same name closer together than %s are joined; several "
                       "within that time are shown under the name with the most time.",
                       wtl_digits_time(time, sizeof time, 1e-9 * (double)strip->bands.merged_ns));
    if (strip->bands.left_out > 0)
        wtl_figure_say(figure, "%zu further lines are left out.", strip->bands.left_out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries flow from left to right and break into rows; the same walk measures and draws. */
#include "plot/legend.h"

#include <math.h>

#include "base/whole.h"
#include "plot/plot.h"

#define KEY_WIDTH 13.0
#define KEY_GAP   3.0
#define ENTRY_GAP 8.0
#define BELOW     4.0

static double row_height(const struct wtl_axes *axes)
{
    return 1.35 * wtl_axes_text_font(axes).size;
}

static size_t rows_max(const struct wtl_axes *axes)
{
    double rows = floor(axes->height / 3 / row_height(axes));
    return rows < 1 ? 1 : wtl_whole_size(rows, SIZE_MAX);
}

static void draw_key(const struct wtl_axes *axes,
                     const struct wtl_legend *entry,
                     double x,
                     double y)
{
    double half = 0.32 * wtl_axes_text_font(axes).size;
    if (entry->below)
        wtl_canvas_rectangle(axes->canvas, x, y - half, KEY_WIDTH, 2 * half,
                             &(struct wtl_paint){.stroke = WTL_NO_COLOR, .fill = entry->below});
    if (entry->paint.fill != WTL_NO_COLOR)
        wtl_canvas_rectangle(axes->canvas, x, y - half, KEY_WIDTH, 2 * half, &entry->paint);
    else if (entry->paint.stroke != WTL_NO_COLOR)
        wtl_canvas_line(axes->canvas, x, y, x + KEY_WIDTH, y, &entry->paint);
    if (entry->has_marker)
        wtl_plot_marker(axes->canvas, x + KEY_WIDTH / 2, y, 2, &entry->look);
}

/* Walk over the entries within a width; draw them when top is a number. Returns the number of rows. */
static size_t walk(const struct wtl_axes *axes, double width, double top)
{
    struct wtl_font font = wtl_axes_text_font(axes);
    size_t row = 0, most = rows_max(axes);
    double x = 0, more_width = wtl_canvas_text_width(axes->canvas, "and 999 more", &font);
    char buf[128];
    for (size_t i = 0; i < axes->legend_count; i++) {
        const struct wtl_legend *entry = &axes->legend[i];
        double room = width - KEY_WIDTH - KEY_GAP;
        wtl_canvas_fit(axes->canvas, buf, sizeof buf, entry->label, &font, room);
        double wide = KEY_WIDTH + KEY_GAP + wtl_canvas_text_width(axes->canvas, buf, &font);
        bool final = i + 1 == axes->legend_count;
        if (x > 0 && (x + wide > width || entry->new_row) && row + 1 < most) {
            row++;
            x = 0;
        }
        double keep = row + 1 == most && !final ? more_width + ENTRY_GAP : 0;
        double y = top + ((double)row + 0.5) * row_height(axes);
        if (x > 0 && x + wide + keep > width) {
            (void)snprintf(buf, sizeof buf, "and %zu more", axes->legend_count - i);
            if (isfinite(top))
                wtl_canvas_text(axes->canvas, axes->x0 + x, y + 0.35 * font.size, buf, &font);
            break;
        }
        if (isfinite(top)) {
            draw_key(axes, entry, axes->x0 + x, y);
            wtl_canvas_text(axes->canvas, axes->x0 + x + KEY_WIDTH + KEY_GAP, y + 0.35 * font.size,
                            buf, &font);
        }
        x += wide + ENTRY_GAP;
    }
    return row + 1;
}

double wtl_legend_rows_height(const struct wtl_axes *axes, size_t rows)
{
    return (double)rows * row_height(axes) + BELOW;
}

double wtl_legend_height(const struct wtl_axes *axes)
{
    if (axes->legend_count == 0)
        return 0;
    /* The left border is not known yet; a tenth of the width is a usual one, and a row too many does no harm. */
    return wtl_legend_rows_height(axes, walk(axes, 0.85 * axes->width, NAN));
}

void wtl_legend_draw(const struct wtl_axes *axes, double top)
{
    if (axes->legend_count == 0)
        return;
    wtl_canvas_group(axes->canvas, "legend");
    (void)walk(axes, axes->x1 - axes->x0, top);
    wtl_canvas_group_end(axes->canvas);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of rows: how high, how many, and the column of values at the right. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/whole.h"
#include "report/figures/figure_kind.h"

#define PAGE_MM   230.0 /* no figure is higher by itself */
#define VALUE_GAP 5.0
#define DENSEST   0.72 /* of the usual height of a row, before rows are left out */

int wtl_figure_rows_init(struct wtl_figure *figure,
                         struct wtl_figure_rows *rows,
                         size_t wanted,
                         double lines,
                         size_t legend_rows,
                         struct wattle_error *err)
{
    const struct wtl_axes usual = {0};
    double row = lines * wtl_axes_row_height(&usual);
    double frame = wtl_axes_frame_height(&usual, legend_rows);
    *rows = (struct wtl_figure_rows){0};
    if (!(figure->height_mm > 0))
        figure->height_mm = fmin((frame + row * (double)wanted) / WTL_PT_PER_MM, PAGE_MM);
    double room = (figure->height_mm * WTL_PT_PER_MM - frame) / (DENSEST * row) + 1e-6;
    rows->count = room < 1 ? 1 : wtl_whole_size(room, wanted);
    rows->names = calloc(rows->count + 1, sizeof(char *));
    rows->texts = calloc(rows->count + 1, sizeof *rows->texts);
    rows->values = calloc(rows->count + 1, sizeof *rows->values);
    if (!rows->names || !rows->texts || !rows->values)
        return wtl_no_memory(err);
    return 0;
}

void wtl_figure_rows_fini(struct wtl_figure_rows *rows)
{
    free(rows->names);
    free(rows->texts);
    free(rows->values);
    *rows = (struct wtl_figure_rows){0};
}

/* "+-" as one character; the unit, of a number. */
static void finish_value(char *text, const char *unit)
{
    char *at = strstr(text, "+-");
    if (at) {
        at[0] = '\xC2';
        at[1] = '\xB1';
    }
    size_t n = strlen(text);
    if (n > 0 && strpbrk(text, "0123456789"))
        (void)snprintf(text + n, WTL_FIGURE_VALUE - n, " %s", unit);
}

void wtl_figure_rows_draw(struct wtl_figure_rows *rows, struct wtl_axes *axes)
{
    struct wtl_font font = wtl_axes_text_font(axes);
    double widest = 0, width = axes->width;
    for (size_t i = 0; i < rows->count; i++) {
        finish_value(rows->values[i], axes->x.unit);
        widest = fmax(widest, wtl_canvas_text_width(axes->canvas, rows->values[i], &font));
    }
    axes->width -= widest > 0 ? widest + VALUE_GAP : 0;
    rows->panel.y = (struct wtl_chart_axis){
        .kind = WTL_AXIS_NAMES, .names = rows->names, .name_count = rows->count};
    axes->panels = &rows->panel;
    axes->panel_count = 1;
    wtl_axes_draw(axes);
    font.anchor = WTL_ANCHOR_END;
    for (size_t i = 0; i < rows->count; i++) {
        double y = wtl_axes_y(&rows->panel, (double)i + 0.5) + 0.35 * font.size;
        wtl_canvas_text(axes->canvas, axes->left + width - 3, y, rows->values[i], &font);
    }
}

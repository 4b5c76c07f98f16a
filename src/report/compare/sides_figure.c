/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture of a comparison: see sides_figure.h. Runs beyond the first DRAWN of a side are not drawn
 * over time (they would cover each other), but each has its dot.
 */
#include "report/compare/sides_figure.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/power/total_curve.h"
#include "base/fail.h"
#include "plot/plot.h"
#include "report/compare/sides_report.h"
#include "report/compare/text_change.h"

enum {
    CELLS = 300,
    DRAWN = 10,
    WIDTH_MM = 174,
    POWER_MM = 52,
    DOTS_MM = 46,
    BELOW_MM = 5,
    HEADLINE = 4
};

struct curve {
    double power_w[CELLS];
};

struct picture {
    const struct wtl_sides *sides;
    struct wtl_canvas *canvas;
    struct curve *curves[2]; /* [drawn[side]] */
    size_t drawn[2];
    double end_s, cell_s, most_w;
    struct wtl_redactor *redactor; /* NULL = nothing is left out */
};

static const struct wtl_result *runs_of(const struct wtl_sides *sides, int side, size_t *ret_n)
{
    *ret_n = side ? sides->b_n : sides->a_n;
    return side ? sides->b : sides->a;
}

/* ---- quality ---- */

static const char *quality_of(const struct wtl_sides *sides, int side)
{
    size_t n;
    const struct wtl_result *runs = runs_of(sides, side, &n);
    return wtl_side_quality(runs, n);
}

static bool differ(const struct wtl_sides *sides)
{
    return strcmp(quality_of(sides, 0), quality_of(sides, 1)) != 0;
}

/* "Power", "Power, simulated": of both sides; where they differ it is with each side. */
static const char *with_quality(char *buf,
                                size_t n,
                                const char *what,
                                const struct wtl_sides *sides)
{
    const char *quality = quality_of(sides, 0);
    if (differ(sides) || strcmp(quality, "measured") == 0)
        return what;
    (void)snprintf(buf, n, "%s, %s", what, quality);
    return buf;
}

/* ---- power over time ---- */

static int read_side(struct picture *picture, int side, struct wattle_error *err)
{
    size_t n;
    const struct wtl_result *runs = runs_of(picture->sides, side, &n);
    size_t most = n < DRAWN ? n : DRAWN;
    picture->curves[side] = malloc(most * sizeof *picture->curves[side] + 1);
    if (!picture->curves[side])
        return wtl_no_memory(err);
    for (size_t i = 0; i < most; i++) {
        struct curve *curve = &picture->curves[side][picture->drawn[side]];
        int rc = wtl_total_curve_read(&runs[i], picture->cell_s, CELLS, curve->power_w, err);
        if (rc == -ENODATA)
            continue;
        if (rc < 0)
            return rc;
        picture->drawn[side]++;
        for (size_t k = 0; k < CELLS; k++)
            picture->most_w = fmax(picture->most_w, curve->power_w[k]);
    }
    return 0;
}

static int read_curves(struct picture *picture, struct wattle_error *err)
{
    int rc = 0;
    for (int side = 0; side < 2; side++) {
        size_t n;
        const struct wtl_result *runs = runs_of(picture->sides, side, &n);
        for (size_t i = 0; i < n; i++)
            picture->end_s = fmax(picture->end_s, runs[i].wall_time_s);
    }
    picture->cell_s = picture->end_s / CELLS;
    for (int side = 0; side < 2 && rc == 0 && picture->end_s > 0; side++)
        rc = read_side(picture, side, err);
    return rc;
}

static struct wtl_look look_of(int side)
{
    return wtl_palette_look((size_t)side);
}

static void draw_curve(const struct picture *picture,
                       const struct wtl_axes *axes,
                       int side,
                       const struct curve *curve,
                       bool first)
{
    struct wtl_plot_step steps[CELLS];
    struct wtl_look look = look_of(side);
    struct wtl_paint paint = {.stroke = first ? look.color : wtl_palette_tint(look.color, 0.35),
                              .fill = WTL_NO_COLOR,
                              .width = first ? 0.9 : 0.5,
                              .dash = look.dash};
    for (size_t k = 0; k < CELLS; k++) {
        double value = curve->power_w[k];
        steps[k] = (struct wtl_plot_step){.begin = (double)k * picture->cell_s,
                                          .end = (double)(k + 1) * picture->cell_s,
                                          .low = value,
                                          .value = value,
                                          .high = value};
    }
    wtl_plot_steps(axes, axes->panels, steps, CELLS, &paint);
}

static bool has_several_commands(const struct wtl_result *runs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const char *a = runs[0].command, *b = runs[i].command;
        if (a != b && (!a || !b || strcmp(a, b) != 0))
            return true;
    }
    return false;
}

/* Its command, cut between words where it is long; redacted, the program alone. */
static const char *name_side(const struct picture *picture, int side, char *buf, size_t n)
{
    size_t count;
    const struct wtl_result *runs = runs_of(picture->sides, side, &count);
    const char *command = runs[0].command ? runs[0].command : "machine";
    if (has_several_commands(runs, count))
        command = "different commands";
    else if (picture->redactor && runs[0].command)
        command = wtl_redacted(picture->redactor, WTL_REDACTED_PROGRAM, command);
    if (!command || !command[0])
        command = "command";
    size_t length = strlen(command), most = n - sizeof " ...";
    if (length > most) {
        length = most;
        while (length > most / 2 && command[length] != ' ')
            length--;
        if (command[length] != ' ') /* one long word: not within a character */
            for (length = most; ((unsigned char)command[length] & 0xc0) == 0x80;)
                length--;
    }
    (void)snprintf(buf, n, "%.*s%s", (int)length, command, command[length] ? " ..." : "");
    return buf;
}

static void draw_power(const struct picture *picture, double top, double height)
{
    const struct wtl_sides *sides = picture->sides;
    char labels[2][160], power[64], name[64];
    struct wtl_legend legend[2];
    struct wtl_panel panel = {.y = {.label = with_quality(power, sizeof power, "Power", sides),
                                    .unit = "W",
                                    .high = 1.04 * picture->most_w,
                                    .grid = true}};
    struct wtl_axes axes = {.canvas = picture->canvas,
                            .top = top,
                            .width = WIDTH_MM * WTL_PT_PER_MM,
                            .height = height,
                            .panels = &panel,
                            .panel_count = 1,
                            .x = {.kind = WTL_AXIS_TIME, .label = "Time", .high = picture->end_s},
                            .legend = legend,
                            .legend_count = 2};
    for (int side = 0; side < 2; side++) {
        size_t n;
        struct wtl_look look = look_of(side);
        (void)runs_of(sides, side, &n);
        (void)snprintf(labels[side], sizeof labels[side], "%c: %s (%zu run%s%s%s)",
                       side ? 'B' : 'A', name_side(picture, side, name, sizeof name), n,
                       n == 1 ? "" : "s", differ(sides) ? ", " : "",
                       differ(sides) ? quality_of(sides, side) : "");
        legend[side] = (struct wtl_legend){
            .label = labels[side],
            .paint = {.stroke = look.color, .fill = WTL_NO_COLOR, .width = 1, .dash = look.dash},
            .has_marker = true,
            .look = look};
    }
    wtl_axes_draw(&axes);
    /* The first run of each side last, above the others. */
    for (int side = 0; side < 2; side++) {
        for (size_t i = 1; i < picture->drawn[side]; i++)
            draw_curve(picture, &axes, side, &picture->curves[side][i], false);
    }
    for (int side = 0; side < 2; side++) {
        if (picture->drawn[side] > 0)
            draw_curve(picture, &axes, side, &picture->curves[side][0], true);
    }
}

/* ---- a dot for each run ---- */

static void dots_range(const struct wtl_sides *sides,
                       const struct wtl_side_row *row,
                       double *ret_low,
                       double *ret_high)
{
    *ret_low = INFINITY;
    *ret_high = -INFINITY;
    for (size_t i = 0; i < sides->a_n + sides->b_n; i++) {
        double value = i < sides->a_n ? row->a[i] : row->b[i - sides->a_n];
        *ret_low = fmin(*ret_low, value);
        *ret_high = fmax(*ret_high, value);
    }
    for (int side = 0; side < 2; side++) {
        const struct wtl_interval *of = side ? &row->comparison.b_mean : &row->comparison.a_mean;
        *ret_low = fmin(*ret_low, of->low);
        *ret_high = fmax(*ret_high, of->high);
    }
    double margin = fmax(0.06 * (*ret_high - *ret_low), 1e-4 * fabs(*ret_high));
    *ret_low -= margin;
    *ret_high += margin;
}

/* Dots of a side, from left to right in the order of the runs, then the mean with its interval. */
static void draw_side(const struct wtl_axes *axes,
                      const struct wtl_side_row *row,
                      int side,
                      size_t n)
{
    const double *values = side ? row->b : row->a;
    const struct wtl_interval *of = side ? &row->comparison.b_mean : &row->comparison.a_mean;
    struct wtl_look look = look_of(side), pale = look;
    struct wtl_paint paint = {.stroke = look.color, .fill = WTL_NO_COLOR, .width = 0.9};
    pale.color = wtl_palette_tint(look.color, 0.6);
    for (size_t i = 0; i < n; i++) {
        double part = n > 1 ? (double)i / (double)(n - 1) : 0.5;
        struct wtl_xy point = {(double)side + 0.14 + 0.5 * part, values[i]};
        wtl_plot_markers(axes, axes->panels, &point, 1, 1.3, &pale);
    }
    if (n < 2)
        return;
    struct wtl_xy mean = {(double)side + 0.82, of->value};
    wtl_plot_whisker_y(axes, axes->panels, mean.x, of->low, of->high, &paint);
    wtl_plot_markers(axes, axes->panels, &mean, 1, 2, &look);
}

/* "+2.9 %" above the dots and "+2.3 .. +3.4 %" below; "" where there is none: the change of an estimate is none of energy. */
static void change_texts(const struct wtl_side_row *row, char change[64], char range[64])
{
    struct wtl_interval value = row->comparison.ratio;
    bool known = !isnan(value.value) && row->quality != WATTLE_ESTIMATED;
    change[0] = range[0] = '\0';
    if (known && !isnan(value.low))
        (void)wtl_digits_change_range(range, 64, &value);
    if (known)
        (void)wtl_digits_change(change, 64, &value);
    char *interval = strstr(change, " (");
    if (interval)
        *interval = '\0';
}

/* Below the panel: which side is which, what its energy is where they differ, and the interval of the change. */
static void write_below(const struct wtl_axes *axes,
                        const struct wtl_sides *sides,
                        bool energy,
                        const char *range)
{
    struct wtl_font font = wtl_axes_text_font(axes);
    double y = axes->panels[0].bottom + 1.5 * font.size;
    bool both = energy && differ(sides);
    font.anchor = WTL_ANCHOR_MIDDLE;
    for (int side = 0; side < 2; side++) {
        double x = wtl_axes_x(axes, side + 0.5);
        wtl_canvas_text(axes->canvas, x, y, side ? "B" : "A", &font);
        if (both)
            wtl_canvas_text(axes->canvas, x, y + 1.2 * font.size, quality_of(sides, side), &font);
    }
    wtl_canvas_text(axes->canvas, wtl_axes_x(axes, 1), y + (both ? 2.4 : 1.2) * font.size, range,
                    &font);
}

static void draw_dots(const struct picture *picture,
                      const struct wtl_side_row *row,
                      size_t column,
                      double top,
                      double height)
{
    static const char *const labels[] = {"Time", "Energy", "Power", "Energy x time"};
    const struct wtl_sides *sides = picture->sides;
    double width = WIDTH_MM * WTL_PT_PER_MM / HEADLINE;
    char title[64], range[64], label[64];
    const char *names[] = {"A", "B"};
    const char *said =
        column ? with_quality(label, sizeof label, labels[column], sides) : labels[column];
    struct wtl_panel panel = {.y = {.label = said, .unit = row->unit, .grid = true}};
    dots_range(sides, row, &panel.y.low, &panel.y.high);
    change_texts(row, title, range);
    struct wtl_axes axes = {.canvas = picture->canvas,
                            .left = width * (double)column + (column ? 5 : 0),
                            .top = top,
                            .width = width - (column ? 5 : 0),
                            .height = height,
                            .title = title,
                            .panels = &panel,
                            .panel_count = 1,
                            .x = {.kind = WTL_AXIS_NAMES, .names = names, .name_count = 2}};
    wtl_axes_draw(&axes);
    draw_side(&axes, row, 0, sides->a_n);
    draw_side(&axes, row, 1, sides->b_n);
    write_below(&axes, sides, column > 0, range);
}

/* ---- all ---- */

/* The text of a caption as it grows; sentences that do not fit are left out. */
struct caption {
    char *text;
    size_t n, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct caption *caption,
                                                      const char *format,
                                                      ...)
{
    size_t room = caption->n - caption->used;
    va_list args;
    va_start(args, format);
    int more = vsnprintf(caption->text + caption->used, room, format, args);
    va_end(args);
    caption->used += more > 0 && (size_t)more < room ? (size_t)more : 0;
}

static void write_caption(const struct picture *picture, char *text, size_t n)
{
    struct caption caption = {.text = text, .n = n};
    const struct wtl_sides *sides = picture->sides;
    const char *contains = sides->a[0].total.count ? sides->a[0].total.contains : "nothing";
    bool all = picture->drawn[0] == sides->a_n && picture->drawn[1] == sides->b_n;
    if (picture->most_w > 0)
        say(&caption,
            "Above: power of the total (%s) over the time of the runs; strong: the first run of "
            "each side%s. Below: ",
            sides->totals_differ ? "not the same on both sides" : contains,
            all ? "" : "; at most ten runs per side");
    say(&caption,
        "%s dot for each run in order, and geometric means with 95 %% intervals over the runs "
        "(Student); the "
        "change from A to B, and below its interval.",
        caption.used ? "a" : "A");
    if (differ(sides))
        say(&caption, " The energy of A is %s, that of B %s.", quality_of(sides, 0),
            quality_of(sides, 1));
    else if (strcmp(quality_of(sides, 0), "measured") != 0)
        say(&caption, " The energy of both sides is %s.", quality_of(sides, 0));
    for (size_t i = 0; i < 2; i++) {
        const char *verdict = sides->rows[i].verdict.text;
        bool kept =
            strcmp(wtl_redacted(picture->redactor, WTL_REDACTED_NAME, verdict), verdict) == 0;
        say(&caption, " %s: %s.", i ? "Energy" : "Time", kept ? verdict : "no verdict");
    }
}

static void draw(const struct picture *picture)
{
    bool power = picture->most_w > 0;
    double top = power ? POWER_MM * WTL_PT_PER_MM : 0;
    if (power)
        draw_power(picture, 0, top);
    for (size_t i = 0; i < HEADLINE; i++) {
        const struct wtl_side_row *row = &picture->sides->rows[i];
        if (!row->why[0])
            draw_dots(picture, row, i, top + (power ? 4 : 0), DOTS_MM * WTL_PT_PER_MM);
    }
}

int wtl_sides_figure_draw(const struct wtl_sides *sides,
                          enum wtl_picture file,
                          struct wtl_redactor *redactor,
                          FILE *out,
                          char *caption,
                          size_t n,
                          struct wattle_error *err)
{
    struct picture picture = {.sides = sides, .redactor = redactor};
    int rc = read_curves(&picture, err);
    if (rc == 0) {
        double height = (DOTS_MM + BELOW_MM) * WTL_PT_PER_MM;
        height += picture.most_w > 0 ? POWER_MM * WTL_PT_PER_MM + 4 : 0;
        write_caption(&picture, caption, n);
        struct wtl_sheet_size sheet = {.width = WIDTH_MM * WTL_PT_PER_MM,
                                       .height = height,
                                       .title = "comparison of two sides",
                                       .desc = caption};
        rc = wtl_canvas_open(file, out, &sheet, &picture.canvas, err);
    }
    if (rc == 0) {
        draw(&picture);
        rc = wtl_canvas_close(picture.canvas, err);
    }
    free(picture.curves[0]);
    free(picture.curves[1]);
    return rc;
}

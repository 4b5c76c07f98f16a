/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions of values, gaps, and a figure of several panels: nothing exceeds the sheet. */
#define _GNU_SOURCE
#include "plot/axes.h"

#include <math.h>

#include "plot/plot.h"
#include "tap.h"

static char *bytes;
static size_t size;

static FILE *out;

static struct wtl_canvas *begin(double width, double height)
{
    struct wtl_sheet_size sheet = {.width = width, .height = height};
    struct wtl_canvas *canvas = NULL;
    free(bytes);
    bytes = NULL;
    out = open_memstream(&bytes, &size);
    if (!out || wtl_canvas_open(WTL_PICTURE_SVG, out, &sheet, &canvas, NULL) < 0)
        exit(1);
    return canvas;
}

static void end(struct wtl_canvas *canvas)
{
    is_int(wtl_canvas_close(canvas, NULL), 0, "drawn");
    fclose(out);
}

static size_t count(const char *what)
{
    size_t n = 0;
    for (const char *p = bytes; (p = strstr(p, what)); p++)
        n++;
    return n;
}

/* Every number in an attribute is within 0 .. most. */
static bool inside(const char *attribute, double most)
{
    for (const char *p = bytes; (p = strstr(p, attribute)); p++) {
        double value = strtod(p + strlen(attribute), NULL);
        if (!(value >= 0 && value <= most))
            return false;
    }
    return true;
}

static void test_places(void)
{
    struct wtl_canvas *canvas = begin(240, 150);
    struct wtl_panel panels[2] = {
        {.y = {.label = "Power", .unit = "W", .high = 93, .widen = true, .grid = true}},
        {.y = {.kind = WTL_AXIS_NAMES,
               .names = (const char *const[]){"one", "a name that is far too long for its place"},
               .name_count = 2},
         .height = 20}};
    const struct wtl_legend legend[] = {
        {.label = "<package-0>", .paint = {.stroke = 1, .fill = WTL_NO_COLOR, .width = 1}},
        {.label = "gap", .paint = {.stroke = WTL_NO_COLOR, .fill = 7, .hatch = WTL_HATCH_RISING}}};
    struct wtl_axes axes = {.canvas = canvas,
                            .width = 240,
                            .height = 150,
                            .title = "a title",
                            .x = {.kind = WTL_AXIS_TIME, .label = "Time", .high = 12},
                            .panels = panels,
                            .panel_count = 2,
                            .legend = legend,
                            .legend_count = 2};
    wtl_axes_draw(&axes);
    is_double(wtl_axes_x(&axes, 0), axes.x0, 1e-9, "time 0 at the left");
    is_double(wtl_axes_x(&axes, 12), axes.x1, 1e-9, "the end at the right");
    is_double(wtl_axes_y(&panels[0], 0), panels[0].bottom, 1e-9, "0 W at the bottom");
    is_double(wtl_axes_y(&panels[0], 100), panels[0].top, 1e-9, "the widened end at the top");
    ok(wtl_axes_y(&panels[1], 0.5) < wtl_axes_y(&panels[1], 1.5), "names go down");
    is_double(panels[1].bottom - panels[1].top, 20, 1e-9, "a panel of a fixed height");
    ok(panels[0].bottom < panels[1].top && panels[1].bottom < 150, "panels do not overlap");
    const struct wtl_xy corners[] = {{2, 10}, {6, 90}, {12, 10}};
    const struct wtl_look look = wtl_palette_look(2);
    const struct wtl_paint line = {.stroke = look.color, .fill = look.color, .width = 1};
    wtl_plot_area(&axes, &panels[0], corners, 3, &line);
    wtl_plot_markers(&axes, &panels[0], (struct wtl_xy[]){{6, 90}, {13, 90}, {6, 300}}, 3, 1.5,
                     &look);
    wtl_plot_label(&axes, &panels[0], (struct wtl_xy){11.9, 90}, 3, 3, "vertex");
    wtl_plot_bar(&axes, &panels[1], 1, 0.6, 0, 6, &line);
    wtl_plot_whisker_x(&axes, &panels[1], 4, 8, 1.5, &line);
    wtl_plot_whisker_y(&axes, &panels[0], 4, NAN, 8, &line);
    end(canvas);
    ok(strstr(bytes, ">Power (W)</text>") && strstr(bytes, ">Time (s)</text>"), "labels and units");
    ok(strstr(bytes, ">&lt;package-0&gt;</text>"), "a legend");
    ok(strstr(bytes, "\xE2\x80\xA6</text>"), "the long name is cut");
    ok(inside(" x=\"", 240) && inside(" y=\"", 150), "all texts begin on the sheet");
    is_int(count(">vertex</text>"), 1, "a label");
    is_int(count("NaN") + count("nan") + count("inf"), 0, "nothing unknown reaches the file");
}

static double attribute(const char *name, const char *text)
{
    const char *at = strstr(bytes, text);
    for (; at && at > bytes && strncmp(at, "<text", 5) != 0; at--)
        ;
    at = at ? strstr(at, name) : NULL;
    return at ? strtod(at + strlen(name), NULL) : NAN;
}

static void test_point_labels(void)
{
    struct wtl_canvas *canvas = begin(200, 100);
    struct wtl_panel panel = {.y = {.high = 10, .bare = true}};
    struct wtl_axes axes = {.canvas = canvas,
                            .width = 200,
                            .height = 100,
                            .x = {.high = 10, .bare = true},
                            .panels = &panel,
                            .panel_count = 1};
    wtl_axes_draw(&axes);
    const struct wtl_xy points[] = {{5, 5},     {5.3, 5},   {5, NAN}, {1, 1},
                                    {5.1, 5},   {5.2, 5},   {5, 5.1}, {5.1, 5.1},
                                    {5.2, 5.1}, {5.3, 5.1}, {5, 4.9}};
    const char *const texts[] = {"first", "second", "gap",   NULL,    "crowd", "crowd",
                                 "crowd", "crowd",  "crowd", "crowd", "crowd"};
    wtl_plot_point_labels(&axes, &panel, points, texts, 11);
    end(canvas);
    is_int(count(">first</text>"), 1, "the first label");
    is_int(count(">second</text>"), 1, "the label of a point close by");
    ok(fabs(attribute(" y=\"", ">first<") - attribute(" y=\"", ">second<")) > 4 ||
           fabs(attribute(" x=\"", ">first<") - attribute(" x=\"", ">second<")) > 15,
       "which does not cover it");
    is_int(count(">gap</text>"), 0, "no label where there is no point");
    ok(count(">crowd</text>") < 7, "labels without a place are left out");
}

static void test_gaps(void)
{
    struct wtl_canvas *canvas = begin(100, 100);
    struct wtl_panel panel = {.y = {.high = 10, .bare = true}};
    struct wtl_axes axes = {.canvas = canvas,
                            .width = 100,
                            .height = 100,
                            .x = {.high = 10, .bare = true},
                            .panels = &panel,
                            .panel_count = 1};
    const struct wtl_plot_step steps[] = {
        {0, 1, 4, 5, 6}, {1, 2, 4, 5, 6}, {2, 5, NAN, NAN, NAN}, {5, 6, 1, 2, 3}, {8, 10, 1, 2, 3}};
    wtl_axes_draw(&axes);
    wtl_canvas_group(canvas, "line");
    wtl_plot_steps(&axes, &panel, steps, 5,
                   &(struct wtl_paint){.stroke = 1, .fill = WTL_NO_COLOR, .width = 1});
    wtl_canvas_group(canvas, "band");
    wtl_plot_band(&axes, &panel, steps, 5,
                  &(struct wtl_paint){.stroke = WTL_NO_COLOR, .fill = 2, .opacity = 0.5});
    wtl_canvas_group_end(canvas);
    wtl_canvas_group_end(canvas);
    end(canvas);
    const char *line = strstr(bytes, "aria-label=\"line\""),
               *band = strstr(bytes, "label=\"band\"");
    size_t moves = 0, closed = 0;
    for (const char *p = line; p && p < band; p++)
        moves += *p == 'M';
    for (const char *p = band; p && *p; p++)
        closed += *p == 'Z';
    is_int(moves, 3, "a gap and a hole in time interrupt the line");
    is_int(closed, 3, "and the band");
}

static void test_palette(void)
{
    for (size_t i = 0; i < WTL_PALETTE_LOOKS; i++)
        for (size_t k = 0; k < i; k++) {
            struct wtl_look a = wtl_palette_look(i), b = wtl_palette_look(k);
            if (a.color == b.color && a.dash == b.dash)
                ok(false, "looks %zu and %zu are the same", k, i);
        }
    is_int(wtl_palette_tint(0x123456, 0), 0xffffff, "no strength is white");
    is_int(wtl_palette_tint(0x123456, 1), 0x123456, "all of it the colour");
}

int main(void)
{
    test_places();
    test_point_labels();
    test_gaps();
    test_palette();
    free(bytes);
    return done_testing();
}

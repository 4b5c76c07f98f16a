/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels next to points, lines and each other: they cover nothing while there is room, and stay
 * inside. */
#define _GNU_SOURCE
#include "plot/label_place.h"

#include <math.h>

#include "tap.h"

static char *bytes;
static size_t size;
static FILE *out;

static const struct wtl_font font = {.size = 7};

static struct wtl_label_field begin(void)
{
    struct wtl_sheet_size sheet = {.width = 100, .height = 80};
    struct wtl_label_field field = {.x0 = 5, .y0 = 5, .x1 = 95, .y1 = 75};
    free(bytes);
    bytes = NULL;
    out = open_memstream(&bytes, &size);
    if (!out || wtl_canvas_open(WTL_PICTURE_SVG, out, &sheet, &field.canvas, NULL) < 0)
        exit(1);
    return field;
}

static void end(struct wtl_label_field *field)
{
    is_int(wtl_canvas_close(field->canvas, NULL), 0, "drawn");
    wtl_label_field_fini(field);
    fclose(out);
}

struct box {
    double x0, y0, x1, y1;
};

static struct box box_of(const struct wtl_label_field *field, struct wtl_xy at, const char *text)
{
    double width = wtl_canvas_text_width(field->canvas, text, &font);
    return (struct box){at.x, at.y - 0.72 * font.size, at.x + width, at.y};
}

static bool overlap(struct box a, struct box b)
{
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

static bool inside(const struct wtl_label_field *field, struct box box)
{
    return box.x0 >= field->x0 && box.x1 <= field->x1 && box.y0 >= field->y0 && box.y1 <= field->y1;
}

static size_t count(const char *what)
{
    size_t n = 0;
    for (const char *p = bytes; (p = strstr(p, what)); p++)
        n++;
    return n;
}

/* Nine points close together, like vertices and versions may be: no label covers another one or a
 * point. */
static void test_crowd(void)
{
    struct wtl_label_field field = begin();
    struct wtl_xy points[9];
    struct box boxes[9];
    size_t bad = 0;
    char text[16];
    for (int i = 0; i < 9; i++) {
        int column = i % 3, row = i / 3;
        points[i] = (struct wtl_xy){44.0 + 7 * column, 34.0 + 7 * row};
        wtl_label_avoid_box(&field, points[i].x, points[i].y, 1.5, 1.5, 12);
    }
    for (int i = 0; i < 9; i++) {
        (void)snprintf(text, sizeof text, "P%d", i);
        boxes[i] = box_of(&field, wtl_label_draw(&field, points[i], 1.5, text, &font), text);
        bad += !inside(&field, boxes[i]);
        for (int k = 0; k < i; k++)
            bad += overlap(boxes[i], boxes[k]);
    }
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 9; k++)
            bad += overlap(boxes[i], (struct box){points[k].x - 1, points[k].y - 1, points[k].x + 1,
                                                  points[k].y + 1});
    is_int(bad, 0, "nothing is covered");
    end(&field);
    ok(count("<path") > 10, "labels far from their points have a line to them");
}

static void test_line(void)
{
    struct wtl_label_field field = begin();
    const struct wtl_xy line[] = {{50, 40}, {95, 40}, {NAN, NAN}, {50, 40}, {50, 5}};
    wtl_label_avoid_line(&field, line, 5, 1);
    ok(wtl_label_cost(&field, 70, 40, 3, 3) > 0, "a line costs");
    is_double(wtl_label_cost(&field, 70, 60, 3, 3), 0, 0, "elsewhere is free");
    is_double(wtl_label_cost(&field, 30, 20, 3, 3), 0, 0, "and so is a gap");
    ok(wtl_label_cost(&field, 94, 60, 3, 3) > 1000, "outside is not");
    struct wtl_xy at = wtl_label_draw(&field, line[0], 2, "name", &font);
    struct box box = box_of(&field, at, "name");
    ok(!overlap(box, (struct box){50, 39.9, 95, 40.1}) &&
           !overlap(box, (struct box){49.9, 5, 50.1, 40}),
       "off both lines: %g, %g", at.x, at.y);
    end(&field);
}

static void test_border(void)
{
    struct wtl_label_field field = begin();
    const struct wtl_xy corners[] = {{5, 5}, {95, 5}, {5, 75}, {95, 75}};
    for (int i = 0; i < 4; i++) {
        struct wtl_xy at = wtl_label_draw(&field, corners[i], 2, "corner", &font);
        ok(inside(&field, box_of(&field, at, "corner")), "corner %d: inside", i);
    }
    wtl_label_avoid_box(&field, NAN, 3, 1, 1, 1);
    (void)wtl_label_draw(&field, (struct wtl_xy){50, 40}, 2, "a label wider than all there is",
                         &font);
    end(&field);
    is_int(count("nan"), 0, "one without room is drawn somewhere");
}

int main(void)
{
    test_crowd();
    test_line();
    test_border();
    free(bytes);
    return done_testing();
}

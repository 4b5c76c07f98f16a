/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canvas: the surface on which a figure is drawn, whatever file it becomes: SVG (written here, always
 * there), PDF or PNG (by libcairo, which is looked for when it is asked for). Lengths are points
 * (1/72 inch), the origin is at the top left, y grows downwards. Colours are 0xRRGGBB.
 *
 *     wtl_canvas_open(WTL_PICTURE_SVG, out, &sheet, &canvas, err);
 *     wtl_canvas_line(canvas, 0, 0, 10, 10, &(struct wtl_paint){.stroke = 0x0072b2, .width = 1});
 *     wtl_canvas_text(canvas, 5, 5, "power", &(struct wtl_font){.size = 7});
 *     rc = wtl_canvas_close(canvas, err);
 *
 * What fails sticks and is told by the close, so drawing needs no look at single calls. The same calls
 * give the same bytes. Texts are of unknown origin: they are made harmless here. Nothing in a canvas is shared: one
 * thread per canvas.
 */
#ifndef WTL_PLOT_CANVAS_H
#define WTL_PLOT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <wattle/error.h>

enum wtl_picture { WTL_PICTURE_SVG = 0, WTL_PICTURE_PDF = 1, WTL_PICTURE_PNG = 2 };

#define WTL_PT_PER_MM (72 / 25.4)

/* No stroke, no fill. 0 is black. */
#define WTL_NO_COLOR UINT32_C(0xffffffff)

/* The picture as a whole. */
struct wtl_sheet_size {
    double width, height; /* points, > 0 */
    double dpi;           /* of a PNG; 0 = 300 */
    const char *title;    /* what a reader of the file, or of the screen, is told; NULL = none */
    const char *desc;     /* a longer text: the caption; NULL = none */
};

/* How a stroke is interrupted, and how an area is filled: both tell things apart without colour. */
enum wtl_dash { WTL_SOLID = 0, WTL_DASHED, WTL_DOTTED, WTL_DASH_DOT, WTL_DASH_COUNT };
enum wtl_hatch {
    WTL_FULL = 0,
    WTL_HATCH_RISING,
    WTL_HATCH_FALLING,
    WTL_HATCH_CROSS,
    WTL_HATCH_COUNT
};

struct wtl_paint {
    uint32_t stroke, fill; /* colour or WTL_NO_COLOR */
    double width;          /* of the stroke */
    double opacity;        /* of the fill; 0 = 1 */
    enum wtl_dash dash;
    enum wtl_hatch hatch; /* of the fill: lines of its colour on what is below */
};

enum wtl_anchor { WTL_ANCHOR_START = 0, WTL_ANCHOR_MIDDLE = 1, WTL_ANCHOR_END = 2 };

struct wtl_font {
    double size;
    uint32_t color;
    enum wtl_anchor anchor; /* which point of the base line (x, y) is */
    bool bold, upright;     /* upright: the text rises, turned by 90 degrees to the left */
};

struct wtl_xy {
    double x, y;
};

struct wtl_canvas;

/*
 * Begin a picture that is written to out, which stays the caller's. Returns 0; -ENOTSUP when
 * libcairo is not there (the sentence says what to install); -EINVAL for a size that is no sheet; -ENOMEM.
 */
int wtl_canvas_open(enum wtl_picture picture,
                    FILE *out,
                    const struct wtl_sheet_size *sheet,
                    struct wtl_canvas **ret_canvas,
                    struct wattle_error *err);

/* Finish, write and free. 0, or the first failure. NULL: 0. */
int wtl_canvas_close(struct wtl_canvas *canvas, struct wattle_error *err);

/* Free without writing. */
void wtl_canvas_drop(struct wtl_canvas *canvas);

/* The picture that a file name asks for by its end (.svg, .pdf, .png): 0, or -EINVAL with a sentence. */
int wtl_picture_of(const char *path, enum wtl_picture *ret_picture, struct wattle_error *err);

/*
 * n points: lines from one to the next; area: closed, filled too. A point that is NaN interrupts: lines lift
 * the pen, an area is closed and another begun.
 */
void wtl_canvas_lines(struct wtl_canvas *canvas,
                      const struct wtl_xy *points,
                      size_t n,
                      const struct wtl_paint *paint);
void wtl_canvas_area(struct wtl_canvas *canvas,
                     const struct wtl_xy *points,
                     size_t n,
                     const struct wtl_paint *paint);
void wtl_canvas_line(struct wtl_canvas *canvas,
                     double x0,
                     double y0,
                     double x1,
                     double y1,
                     const struct wtl_paint *paint);
/* Width and height may be negative. */
void wtl_canvas_rectangle(struct wtl_canvas *canvas,
                          double x,
                          double y,
                          double width,
                          double height,
                          const struct wtl_paint *paint);
void wtl_canvas_circle(struct wtl_canvas *canvas,
                       double x,
                       double y,
                       double radius,
                       const struct wtl_paint *paint);

void wtl_canvas_text(struct wtl_canvas *canvas,
                     double x,
                     double y,
                     const char *text,
                     const struct wtl_font *font);

/* How wide the text becomes: exactly with cairo; in an SVG, whose viewer chooses the font, that of
 * Helvetica and its likes. */
double wtl_canvas_text_width(struct wtl_canvas *canvas,
                             const char *text,
                             const struct wtl_font *font);

/* The text, or as much of it as is no wider than that, with an ellipsis: in buf, which is returned. */
char *wtl_canvas_fit(struct wtl_canvas *canvas,
                     char *buf,
                     size_t n,
                     const char *text,
                     const struct wtl_font *font,
                     double width);

/* What is drawn until the end belongs together and has a name: a <g> for who edits the SVG. A clip keeps what is
 * drawn inside of a rectangle. Both nest. */
void wtl_canvas_group(struct wtl_canvas *canvas, const char *name);
/* The same with a sentence, which a browser shows when the pointer rests on what is drawn. Only an SVG has it. */
void wtl_canvas_group_titled(struct wtl_canvas *canvas, const char *name, const char *title);
void wtl_canvas_group_end(struct wtl_canvas *canvas);
void wtl_canvas_clip(struct wtl_canvas *canvas, double x, double y, double width, double height);
void wtl_canvas_clip_end(struct wtl_canvas *canvas);

#endif

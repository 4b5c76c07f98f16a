/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canvas: the surface on which a figure is drawn, whatever the file type: SVG (written here, always
 * available), PDF or PNG (by libcairo, loaded on demand). Lengths are points (1/72 inch), the
 * origin is at the top left, y grows downwards. Colours are 0xRRGGBB.
 *
 *     wtl_canvas_open(WTL_PICTURE_SVG, out, &sheet, &canvas, err);
 *     wtl_canvas_line(canvas, 0, 0, 10, 10, &(struct wtl_paint){.stroke = 0x0072b2, .width = 1});
 *     wtl_canvas_text(canvas, 5, 5, "power", &(struct wtl_font){.size = 7});
 *     rc = wtl_canvas_close(canvas, err);
 *
 * Errors are sticky and reported by close, so drawing calls need no checks. The same calls produce
 * the same bytes. Texts are untrusted: they are sanitised here. Canvases share no state: one thread
 * per canvas.
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

/* Properties of the whole picture. */
struct wtl_sheet_size {
    double width, height; /* points, > 0 */
    double dpi;           /* resolution of a PNG; 0 = 300 */
    const char *title;    /* shown or read aloud as the title; NULL = none */
    const char *desc;     /* a longer description: the caption; NULL = none */
};

/* Dash patterns of strokes and hatches of areas: both distinguish series without colour. */
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
    double width;          /* stroke width */
    double opacity;        /* opacity of the fill; 0 = 1 */
    enum wtl_dash dash;
    enum wtl_hatch hatch; /* hatch of the fill: lines of its colour over what is below */
};

enum wtl_anchor { WTL_ANCHOR_START = 0, WTL_ANCHOR_MIDDLE = 1, WTL_ANCHOR_END = 2 };

struct wtl_font {
    double size;
    uint32_t color;
    enum wtl_anchor anchor; /* the point of the base line that is at (x, y) */
    bool bold, upright;     /* upright: the text runs upwards, rotated by 90 degrees to the left */
};

struct wtl_xy {
    double x, y;
};

struct wtl_canvas;

/*
 * Begin a picture written to out, which the caller keeps. Returns 0; -ENOTSUP if libcairo is
 * missing (the message says what to install); -EINVAL for an invalid size; -ENOMEM.
 */
int wtl_canvas_open(enum wtl_picture picture,
                    FILE *out,
                    const struct wtl_sheet_size *sheet,
                    struct wtl_canvas **ret_canvas,
                    struct wattle_error *err);

/* Finish, write and free. 0, or the first error. NULL: 0. */
int wtl_canvas_close(struct wtl_canvas *canvas, struct wattle_error *err);

/* Free without writing. */
void wtl_canvas_drop(struct wtl_canvas *canvas);

/* The picture type for a file name's extension (.svg, .pdf, .png): 0, or -EINVAL with a message. */
int wtl_picture_of(const char *path, enum wtl_picture *ret_picture, struct wattle_error *err);

/*
 * n points: lines from one to the next; area: closed and filled. A NaN point separates: lines lift
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

/* Width of the text: exact with cairo; in an SVG, whose viewer chooses the font, that of Helvetica
 * and similar fonts. */
double wtl_canvas_text_width(struct wtl_canvas *canvas,
                             const char *text,
                             const struct wtl_font *font);

/* Copy the text, or as much of it as fits that width, with an ellipsis, to buf, which is
 * returned. */
char *wtl_canvas_fit(struct wtl_canvas *canvas,
                     char *buf,
                     size_t n,
                     const char *text,
                     const struct wtl_font *font,
                     double width);

/* The width to pass to wtl_canvas_fit() so that the text ends within `width` in any font of the
 * viewer: smaller than `width` in SVG. */
double wtl_canvas_safe_width(const struct wtl_canvas *canvas, double width);

/* Everything drawn until the end belongs together under a name: a <g> for users who edit the SVG. A
 * clip limits drawing to a rectangle. Both can be nested. */
void wtl_canvas_group(struct wtl_canvas *canvas, const char *name);
/* The same with a tooltip, which a browser shows when the pointer rests on the drawing. SVG
 * only. */
void wtl_canvas_group_titled(struct wtl_canvas *canvas, const char *name, const char *title);
void wtl_canvas_group_end(struct wtl_canvas *canvas);
void wtl_canvas_clip(struct wtl_canvas *canvas, double x, double y, double width, double height);
void wtl_canvas_clip_end(struct wtl_canvas *canvas);

#endif

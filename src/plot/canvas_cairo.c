/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The canvas as PDF and PNG, with libcairo. A PNG states its intended print size:
 * the chunk pHYs is inserted after the header that cairo writes, since cairo itself writes none.
 */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "plot/canvas_back.h"

/* ---- libcairo ---- */

/*
 * libcairo, loaded at run time: wattle runs on machines without it and is built on machines without
 * its headers. The declarations here are part of cairo's stable ABI (libcairo.so.2, from 1.16 of
 * 2018 on), documented at https://www.cairographics.org/manual/.
 */

/* cairo_t, cairo_surface_t, cairo_font_options_t: opaque. */
struct wtl_cairo_context_opaque;
struct wtl_cairo_surface_opaque;
struct wtl_cairo_font_options_opaque;
#define cairo_context      struct wtl_cairo_context_opaque
#define cairo_surface      struct wtl_cairo_surface_opaque
#define cairo_font_options struct wtl_cairo_font_options_opaque

/* cairo_text_extents_t */
struct cairo_text_extents {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
};

/* Values of its enumerations. */
enum {
    CAIRO_OK = 0,
    CAIRO_RGB24 = 1,
    CAIRO_PDF_TITLE = 0,
    CAIRO_PDF_SUBJECT = 2,
    CAIRO_PDF_CREATE_DATE = 5,
    CAIRO_HINT_STYLE_NONE = 1,
    CAIRO_HINT_METRICS_OFF = 1,
    CAIRO_ANTIALIAS_GRAY = 2,
    CAIRO_LINE_JOIN_ROUND = 1
};

/* cairo_write_func_t */
typedef int cairo_write_fn(void *closure, const unsigned char *bytes, unsigned n);
/* X(return type, name without cairo_, parameters): each becomes a pointer of struct cairo. */
#define CAIRO_FUNCTIONS(X)                                                                         \
    X(cairo_surface *, image_surface_create, (int format, int width, int height))                  \
    X(cairo_surface *, pdf_surface_create_for_stream,                                              \
      (cairo_write_fn * write, void *closure, double width, double height))                        \
    X(void, pdf_surface_set_metadata, (cairo_surface *, int what, const char *text))               \
    X(int, surface_write_to_png_stream, (cairo_surface *, cairo_write_fn * write, void *closure))  \
    X(void, surface_finish, (cairo_surface *))                                                     \
    X(int, surface_status, (cairo_surface *))                                                      \
    X(void, surface_destroy, (cairo_surface *))                                                    \
    X(cairo_context *, create, (cairo_surface *))                                                  \
    X(void, destroy, (cairo_context *))                                                            \
    X(int, status, (cairo_context *))                                                              \
    X(const char *, status_to_string, (int status))                                                \
    X(void, show_page, (cairo_context *))                                                          \
    X(void, save, (cairo_context *))                                                               \
    X(void, restore, (cairo_context *))                                                            \
    X(void, scale, (cairo_context *, double x, double y))                                          \
    X(void, translate, (cairo_context *, double x, double y))                                      \
    X(void, rotate, (cairo_context *, double angle))                                               \
    X(void, set_source_rgba,                                                                       \
      (cairo_context *, double red, double green, double blue, double alpha))                      \
    X(void, set_line_width, (cairo_context *, double width))                                       \
    X(void, set_line_join, (cairo_context *, int join))                                            \
    X(void, set_dash, (cairo_context *, const double *lengths, int n, double offset))              \
    X(void, paint, (cairo_context *))                                                              \
    X(void, new_path, (cairo_context *))                                                           \
    X(void, move_to, (cairo_context *, double x, double y))                                        \
    X(void, line_to, (cairo_context *, double x, double y))                                        \
    X(void, close_path, (cairo_context *))                                                         \
    X(void, arc, (cairo_context *, double x, double y, double radius, double from, double to))     \
    X(void, rectangle, (cairo_context *, double x, double y, double width, double height))         \
    X(void, path_extents, (cairo_context *, double *x0, double *y0, double *x1, double *y1))       \
    X(void, clip, (cairo_context *))                                                               \
    X(void, clip_preserve, (cairo_context *))                                                      \
    X(void, fill_preserve, (cairo_context *))                                                      \
    X(void, stroke, (cairo_context *))                                                             \
    X(void, select_font_face, (cairo_context *, const char *family, int slant, int weight))        \
    X(void, set_font_size, (cairo_context *, double size))                                         \
    X(void, text_extents, (cairo_context *, const char *text, struct cairo_text_extents *extents)) \
    X(void, show_text, (cairo_context *, const char *text))                                        \
    X(cairo_font_options *, font_options_create, (void))                                           \
    X(void, font_options_destroy, (cairo_font_options *))                                          \
    X(void, font_options_set_hint_style, (cairo_font_options *, int style))                        \
    X(void, font_options_set_hint_metrics, (cairo_font_options *, int metrics))                    \
    X(void, font_options_set_antialias, (cairo_font_options *, int antialias))                     \
    X(void, set_font_options, (cairo_context *, const cairo_font_options *))

struct cairo {
/* A declarator takes no parentheses around its parts: NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define WTL_CAIRO_MEMBER(result, name, parameters) result(*name) parameters;
    CAIRO_FUNCTIONS(WTL_CAIRO_MEMBER)
#undef WTL_CAIRO_MEMBER
};

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define ROW(result, name, parameters) {"cairo_" #name, offsetof(struct cairo, name)},
    CAIRO_FUNCTIONS(ROW)
#undef ROW
};

/* Load the library and find its functions: 0, or -ENOTSUP with the remedy. It stays loaded: it
 * keeps the fonts it has found in its own memory. */
static int cairo_load(struct cairo *ret_cairo, struct wattle_error *err)
{
    void *handle = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return wtl_fail(err, -ENOTSUP,
                        "PDF and PNG require libcairo, which is not installed (Debian: libcairo2, "
                        "others: cairo); install it, or use a .svg file");
    struct cairo found;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if (!symbol) {
            return wtl_fail(
                err, -ENOTSUP,
                "libcairo has no %s; PDF and PNG require version 1.16 or later; or use a .svg file",
                functions[i].name);
        }
        /* ISO C has no cast from an object to a function pointer; POSIX guarantees the same
         * representation. */
        memcpy((char *)&found + functions[i].offset, &symbol, sizeof symbol);
    }
    *ret_cairo = found;
    return 0;
}

/* ---- the canvas ---- */

enum {
    PNG_HEAD_BYTES = 33,
    PIXELS_MAX = 20000
}; /* signature and IHDR; cairo's own limit is 32767 */

struct cairo_canvas {
    struct wtl_canvas canvas;
    struct cairo lib;
    enum wtl_picture picture;
    cairo_surface *surface;
    cairo_context *context;
    double dpi;
    size_t written; /* bytes of a PNG received from cairo */
};

static struct cairo_canvas *cairo_of(struct wtl_canvas *canvas)
{
    return (struct cairo_canvas *)canvas;
}

/* CRC-32 of PNG (ISO 3309): reflected, polynomial 04C11DB7. */
static uint32_t png_crc(const unsigned char *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
    }
    return ~crc;
}

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Pixels per metre in both directions. */
static void put_resolution(const struct cairo_canvas *cairo)
{
    unsigned char chunk[21] = {0, 0, 0, 9, 'p', 'H', 'Y', 's'};
    uint32_t per_m = (uint32_t)lround(cairo->dpi / 0.0254);
    put_u32(chunk + 8, per_m);
    put_u32(chunk + 12, per_m);
    chunk[16] = 1; /* the unit is the metre */
    put_u32(chunk + 17, png_crc(chunk + 4, 13));
    (void)fwrite(chunk, 1, sizeof chunk, cairo->canvas.out);
}

static int write_bytes(void *closure, const unsigned char *bytes, unsigned n)
{
    struct cairo_canvas *cairo = closure;
    FILE *out = cairo->canvas.out;
    size_t head = 0;
    if (cairo->picture == WTL_PICTURE_PNG && cairo->written < PNG_HEAD_BYTES) {
        head = PNG_HEAD_BYTES - cairo->written < n ? PNG_HEAD_BYTES - cairo->written : n;
        (void)fwrite(bytes, 1, head, out);
        if (cairo->written + head == PNG_HEAD_BYTES)
            put_resolution(cairo);
    }
    (void)fwrite(bytes + head, 1, n - head, out);
    cairo->written += n;
    return CAIRO_OK; /* the stream keeps its error until the flush */
}

static void set_color(struct cairo_canvas *cairo, uint32_t color, double opacity)
{
    cairo->lib.set_source_rgba(cairo->context, (color >> 16 & 255) / 255.0,
                               (color >> 8 & 255) / 255.0, (color & 255) / 255.0, opacity);
}

static void trace_path(struct cairo_canvas *cairo,
                       const struct wtl_xy *points,
                       size_t n,
                       bool closed)
{
    bool drawing = false;
    for (size_t i = 0; i < n; i++) {
        bool down = isfinite(points[i].x) && isfinite(points[i].y);
        if (down && drawing)
            cairo->lib.line_to(cairo->context, points[i].x, points[i].y);
        else if (down)
            cairo->lib.move_to(cairo->context, points[i].x, points[i].y);
        else if (drawing && closed)
            cairo->lib.close_path(cairo->context);
        drawing = down;
    }
    if (drawing && closed)
        cairo->lib.close_path(cairo->context);
}

/* Slanting lines across the whole sheet, clipped to the path: they align with those of neighbours,
 * like the tiles of an SVG. */
static void fill_hatched(struct cairo_canvas *cairo, const struct wtl_paint *paint)
{
    const struct cairo *lib = &cairo->lib;
    double x0, y0, x1, y1, slant = WTL_HATCH_STEP * sqrt(2);
    lib->path_extents(cairo->context, &x0, &y0, &x1, &y1);
    lib->save(cairo->context);
    lib->clip_preserve(cairo->context);
    lib->new_path(cairo->context);
    long first = lround(floor((x0 - y1) / slant)), last = lround(ceil((x1 - y0) / slant));
    for (long k = first; paint->hatch != WTL_HATCH_RISING && k <= last; k++) {
        lib->move_to(cairo->context, y0 + (double)k * slant, y0);
        lib->line_to(cairo->context, y1 + (double)k * slant, y1);
    }
    first = lround(floor((x0 + y0) / slant));
    last = lround(ceil((x1 + y1) / slant));
    for (long k = first; paint->hatch != WTL_HATCH_FALLING && k <= last; k++) {
        lib->move_to(cairo->context, (double)k * slant - y0, y0);
        lib->line_to(cairo->context, (double)k * slant - y1, y1);
    }
    lib->set_dash(cairo->context, NULL, 0, 0);
    lib->set_line_width(cairo->context, WTL_HATCH_WIDTH);
    lib->stroke(cairo->context);
    lib->restore(cairo->context);
}

/* Fill and stroke the current path; trace() repeats its points where they are needed twice. */
static void fill_path(struct cairo_canvas *cairo, const struct wtl_paint *paint)
{
    if (paint->fill == WTL_NO_COLOR)
        return;
    set_color(cairo, paint->fill, paint->opacity > 0 ? paint->opacity : 1);
    if (paint->hatch != WTL_FULL)
        fill_hatched(cairo, paint);
    else
        cairo->lib.fill_preserve(cairo->context);
}

static void stroke_path(struct cairo_canvas *cairo, const struct wtl_paint *paint)
{
    double lengths[4];
    if (paint->stroke == WTL_NO_COLOR || !(paint->width > 0))
        return;
    set_color(cairo, paint->stroke, 1);
    cairo->lib.set_dash(cairo->context, lengths,
                        (int)wtl_dash_lengths(paint->dash, paint->width, lengths), 0);
    cairo->lib.set_line_width(cairo->context, paint->width);
    cairo->lib.stroke(cairo->context);
}

static void cairo_path(struct wtl_canvas *canvas,
                       const struct wtl_xy *points,
                       size_t n,
                       bool closed,
                       const struct wtl_paint *paint)
{
    struct cairo_canvas *cairo = cairo_of(canvas);
    cairo->lib.new_path(cairo->context);
    trace_path(cairo, points, n, closed);
    if (closed && paint->fill != WTL_NO_COLOR) {
        fill_path(cairo, paint);
        cairo->lib.new_path(cairo->context);
        trace_path(cairo, points, n, closed);
    }
    stroke_path(cairo, paint);
}

static void cairo_circle(struct wtl_canvas *canvas,
                         double x,
                         double y,
                         double radius,
                         const struct wtl_paint *paint)
{
    struct cairo_canvas *cairo = cairo_of(canvas);
    for (int pass = 0; pass < 2; pass++) {
        cairo->lib.new_path(cairo->context);
        cairo->lib.arc(cairo->context, x, y, radius, 0, 2 * acos(-1));
        cairo->lib.close_path(cairo->context);
        if (pass == 0)
            fill_path(cairo, paint);
        else
            stroke_path(cairo, paint);
    }
}

static double set_font(struct cairo_canvas *cairo, const char *text, const struct wtl_font *font)
{
    struct cairo_text_extents extents = {0};
    cairo->lib.select_font_face(cairo->context, "Helvetica", 0, font->bold);
    cairo->lib.set_font_size(cairo->context, font->size);
    cairo->lib.text_extents(cairo->context, text, &extents);
    return extents.x_advance;
}

static void cairo_text(struct wtl_canvas *canvas,
                       double x,
                       double y,
                       const char *text,
                       const struct wtl_font *font)
{
    struct cairo_canvas *cairo = cairo_of(canvas);
    double width = set_font(cairo, text, font);
    cairo->lib.save(cairo->context);
    cairo->lib.translate(cairo->context, x, y);
    if (font->upright)
        cairo->lib.rotate(cairo->context, -acos(-1) / 2);
    set_color(cairo, font->color, 1);
    cairo->lib.move_to(cairo->context, -0.5 * (double)font->anchor * width, 0);
    cairo->lib.show_text(cairo->context, text);
    cairo->lib.restore(cairo->context);
}

static double cairo_text_width(struct wtl_canvas *canvas,
                               const char *text,
                               const struct wtl_font *font)
{
    return set_font(cairo_of(canvas), text, font);
}

static void cairo_group(struct wtl_canvas *canvas, const char *name, const char *title)
{
    (void)name;
    (void)title;
    cairo_of(canvas)->lib.save(cairo_of(canvas)->context);
}

static void cairo_group_end(struct wtl_canvas *canvas)
{
    cairo_of(canvas)->lib.restore(cairo_of(canvas)->context);
}

static void cairo_clip(struct wtl_canvas *canvas, double x, double y, double width, double height)
{
    struct cairo_canvas *cairo = cairo_of(canvas);
    cairo->lib.save(cairo->context);
    cairo->lib.new_path(cairo->context);
    cairo->lib.rectangle(cairo->context, x, y, width, height);
    cairo->lib.clip(cairo->context);
}

static int cairo_finish(struct cairo_canvas *cairo, struct wattle_error *err)
{
    const struct cairo *lib = &cairo->lib;
    int status = lib->status(cairo->context);
    if (status == CAIRO_OK && cairo->picture == WTL_PICTURE_PDF)
        lib->show_page(cairo->context);
    lib->surface_finish(cairo->surface); /* writes the PDF */
    if (status == CAIRO_OK)
        status = lib->surface_status(cairo->surface);
    if (status != CAIRO_OK)
        return wtl_fail(err, -EIO, "libcairo: %s", lib->status_to_string(status));
    return wtl_flush(cairo->canvas.out, err);
}

static int cairo_write_png(struct cairo_canvas *cairo, struct wattle_error *err)
{
    int status = cairo->lib.status(cairo->context);
    if (status == CAIRO_OK)
        status = cairo->lib.surface_write_to_png_stream(cairo->surface, write_bytes, cairo);
    if (status != CAIRO_OK)
        return wtl_fail(err, -EIO, "libcairo: %s", cairo->lib.status_to_string(status));
    return wtl_flush(cairo->canvas.out, err);
}

static int cairo_close(struct wtl_canvas *canvas, bool drop, struct wattle_error *err)
{
    struct cairo_canvas *cairo = cairo_of(canvas);
    int rc = 0;
    if (!drop)
        rc = cairo->picture == WTL_PICTURE_PNG ? cairo_write_png(cairo, err)
                                               : cairo_finish(cairo, err);
    if (cairo->context)
        cairo->lib.destroy(cairo->context);
    if (cairo->surface)
        cairo->lib.surface_destroy(cairo->surface);
    free(cairo);
    return rc;
}

static const struct wtl_canvas_ops cairo_ops = {
    .close = cairo_close,
    .path = cairo_path,
    .circle = cairo_circle,
    .text = cairo_text,
    .text_width = cairo_text_width,
    .group = cairo_group,
    .group_end = cairo_group_end,
    .clip = cairo_clip,
    .clip_end = cairo_group_end,
};

/* A PDF without creation time: the same trace produces the same bytes. */
static void open_pdf(struct cairo_canvas *cairo, const struct wtl_sheet_size *sheet)
{
    const struct cairo *lib = &cairo->lib;
    cairo->surface =
        lib->pdf_surface_create_for_stream(write_bytes, cairo, sheet->width, sheet->height);
    if (sheet->title)
        lib->pdf_surface_set_metadata(cairo->surface, CAIRO_PDF_TITLE, sheet->title);
    if (sheet->desc)
        lib->pdf_surface_set_metadata(cairo->surface, CAIRO_PDF_SUBJECT, sheet->desc);
    lib->pdf_surface_set_metadata(cairo->surface, CAIRO_PDF_CREATE_DATE, NULL);
    cairo->context = lib->create(cairo->surface);
}

static void open_png(struct cairo_canvas *cairo, const struct wtl_sheet_size *sheet)
{
    const struct cairo *lib = &cairo->lib;
    double scale = sheet->dpi / 72;
    cairo->surface = lib->image_surface_create(CAIRO_RGB24, (int)lround(sheet->width * scale),
                                               (int)lround(sheet->height * scale));
    cairo->context = lib->create(cairo->surface);
    lib->set_source_rgba(cairo->context, 1, 1, 1, 1);
    lib->paint(cairo->context);
    lib->scale(cairo->context, scale, scale);
}

/* Place letters according to the layout, without hinting for low-resolution screens. */
static void set_font_options(struct cairo_canvas *cairo)
{
    cairo_font_options *options = cairo->lib.font_options_create();
    cairo->lib.font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo->lib.font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo->lib.font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo->lib.set_font_options(cairo->context, options);
    cairo->lib.font_options_destroy(options);
    cairo->lib.set_line_join(cairo->context, CAIRO_LINE_JOIN_ROUND);
}

int wtl_canvas_cairo_open(enum wtl_picture picture,
                          FILE *out,
                          const struct wtl_sheet_size *sheet,
                          struct wtl_canvas **ret_canvas,
                          struct wattle_error *err)
{
    double longer = sheet->width > sheet->height ? sheet->width : sheet->height;
    if (picture == WTL_PICTURE_PNG && longer * sheet->dpi / 72 > PIXELS_MAX)
        return wtl_fail(err, -EINVAL,
                        "a PNG of %g x %g mm at %g dots per inch is too large; "
                        "make it smaller, or a PDF or SVG",
                        sheet->width / WTL_PT_PER_MM, sheet->height / WTL_PT_PER_MM, sheet->dpi);
    struct cairo_canvas *cairo = calloc(1, sizeof *cairo);
    if (!cairo)
        return wtl_no_memory(err);
    cairo->canvas = (struct wtl_canvas){
        .ops = &cairo_ops, .out = out, .width = sheet->width, .height = sheet->height};
    cairo->picture = picture;
    cairo->dpi = sheet->dpi;
    int rc = cairo_load(&cairo->lib, err);
    if (rc < 0) {
        free(cairo);
        return rc;
    }
    if (picture == WTL_PICTURE_PDF)
        open_pdf(cairo, sheet);
    else
        open_png(cairo, sheet);
    set_font_options(cairo);
    *ret_canvas = &cairo->canvas;
    return 0;
}

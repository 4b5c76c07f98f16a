/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libcairo, loaded at run time: wattle runs on machines without it and is built on machines without
 * its headers. The declarations here are part of cairo's stable ABI (libcairo.so.2, from 1.16 of
 * 2018 on), documented at https://www.cairographics.org/manual/.
 */
#ifndef WTL_PLOT_CAIRO_LIBRARY_H
#define WTL_PLOT_CAIRO_LIBRARY_H

#include <wattle/error.h>

/* cairo_t, cairo_surface_t, cairo_font_options_t: opaque. */
struct wtl_cairo_context_opaque;
struct wtl_cairo_surface_opaque;
struct wtl_cairo_font_options_opaque;
#define wtl_cairo_context      struct wtl_cairo_context_opaque
#define wtl_cairo_surface      struct wtl_cairo_surface_opaque
#define wtl_cairo_font_options struct wtl_cairo_font_options_opaque

/* cairo_text_extents_t */
struct wtl_cairo_text_extents {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
};

/* Values of its enumerations. */
enum {
    WTL_CAIRO_OK = 0,
    WTL_CAIRO_RGB24 = 1,
    WTL_CAIRO_PDF_TITLE = 0,
    WTL_CAIRO_PDF_SUBJECT = 2,
    WTL_CAIRO_PDF_CREATE_DATE = 5,
    WTL_CAIRO_HINT_STYLE_NONE = 1,
    WTL_CAIRO_HINT_METRICS_OFF = 1,
    WTL_CAIRO_ANTIALIAS_GRAY = 2,
    WTL_CAIRO_LINE_JOIN_ROUND = 1
};

/* cairo_write_func_t */
typedef int wtl_cairo_write_fn(void *closure, const unsigned char *bytes, unsigned n);

/* X(return type, name without cairo_, parameters): each becomes a pointer of struct wtl_cairo. */
#define WTL_CAIRO_FUNCTIONS(X)                                                                     \
    X(wtl_cairo_surface *, image_surface_create, (int format, int width, int height))              \
    X(wtl_cairo_surface *, pdf_surface_create_for_stream,                                          \
      (wtl_cairo_write_fn * write, void *closure, double width, double height))                    \
    X(void, pdf_surface_set_metadata, (wtl_cairo_surface *, int what, const char *text))           \
    X(int, surface_write_to_png_stream,                                                            \
      (wtl_cairo_surface *, wtl_cairo_write_fn * write, void *closure))                            \
    X(void, surface_finish, (wtl_cairo_surface *))                                                 \
    X(int, surface_status, (wtl_cairo_surface *))                                                  \
    X(void, surface_destroy, (wtl_cairo_surface *))                                                \
    X(wtl_cairo_context *, create, (wtl_cairo_surface *))                                          \
    X(void, destroy, (wtl_cairo_context *))                                                        \
    X(int, status, (wtl_cairo_context *))                                                          \
    X(const char *, status_to_string, (int status))                                                \
    X(void, show_page, (wtl_cairo_context *))                                                      \
    X(void, save, (wtl_cairo_context *))                                                           \
    X(void, restore, (wtl_cairo_context *))                                                        \
    X(void, scale, (wtl_cairo_context *, double x, double y))                                      \
    X(void, translate, (wtl_cairo_context *, double x, double y))                                  \
    X(void, rotate, (wtl_cairo_context *, double angle))                                           \
    X(void, set_source_rgba,                                                                       \
      (wtl_cairo_context *, double red, double green, double blue, double alpha))                  \
    X(void, set_line_width, (wtl_cairo_context *, double width))                                   \
    X(void, set_line_join, (wtl_cairo_context *, int join))                                        \
    X(void, set_dash, (wtl_cairo_context *, const double *lengths, int n, double offset))          \
    X(void, paint, (wtl_cairo_context *))                                                          \
    X(void, new_path, (wtl_cairo_context *))                                                       \
    X(void, move_to, (wtl_cairo_context *, double x, double y))                                    \
    X(void, line_to, (wtl_cairo_context *, double x, double y))                                    \
    X(void, close_path, (wtl_cairo_context *))                                                     \
    X(void, arc, (wtl_cairo_context *, double x, double y, double radius, double from, double to)) \
    X(void, rectangle, (wtl_cairo_context *, double x, double y, double width, double height))     \
    X(void, path_extents, (wtl_cairo_context *, double *x0, double *y0, double *x1, double *y1))   \
    X(void, clip, (wtl_cairo_context *))                                                           \
    X(void, clip_preserve, (wtl_cairo_context *))                                                  \
    X(void, fill_preserve, (wtl_cairo_context *))                                                  \
    X(void, stroke, (wtl_cairo_context *))                                                         \
    X(void, select_font_face, (wtl_cairo_context *, const char *family, int slant, int weight))    \
    X(void, set_font_size, (wtl_cairo_context *, double size))                                     \
    X(void, text_extents,                                                                          \
      (wtl_cairo_context *, const char *text, struct wtl_cairo_text_extents *extents))             \
    X(void, show_text, (wtl_cairo_context *, const char *text))                                    \
    X(wtl_cairo_font_options *, font_options_create, (void))                                       \
    X(void, font_options_destroy, (wtl_cairo_font_options *))                                      \
    X(void, font_options_set_hint_style, (wtl_cairo_font_options *, int style))                    \
    X(void, font_options_set_hint_metrics, (wtl_cairo_font_options *, int metrics))                \
    X(void, font_options_set_antialias, (wtl_cairo_font_options *, int antialias))                 \
    X(void, set_font_options, (wtl_cairo_context *, const wtl_cairo_font_options *))

struct wtl_cairo {
/* A declarator takes no parentheses around its parts: NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define WTL_CAIRO_MEMBER(result, name, parameters) result(*name) parameters;
    WTL_CAIRO_FUNCTIONS(WTL_CAIRO_MEMBER)
#undef WTL_CAIRO_MEMBER
};

/* Load the library and find its functions: 0, or -ENOTSUP with the remedy. It stays loaded: it
 * keeps the fonts it has found in its own memory. */
int wtl_cairo_load(struct wtl_cairo *ret_cairo, struct wattle_error *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The canvas as SVG 1.1: written while drawing; only the defined hatches are kept. Texts are
 * <text>, so that they can be searched, read aloud and edited; groups have names.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/grow.h"
#include "plot/canvas_back.h"

/* The viewer chooses the font; leave room for one wider than Helvetica. */
#define FONTS      "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', 'DejaVu Sans', sans-serif"
#define FONT_SLACK 1.1

struct hatch_id {
    enum wtl_hatch hatch;
    uint32_t color;
};

struct svg {
    struct wtl_canvas canvas;
    struct hatch_id *hatches; /* hatches with a <pattern>: the index is the id */
    size_t hatch_count;
    unsigned clips;
    double clip[4]; /* the last one: the same panels are clipped to repeatedly */
    int depth;      /* nesting of groups, for indentation */
};

static struct svg *svg_of(struct wtl_canvas *canvas)
{
    return (struct svg *)canvas;
}

/* Write text between tags or in an attribute. */
static void put_text(FILE *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        switch (*p) {
        case '<':
            (void)fputs("&lt;", out);
            break;
        case '>':
            (void)fputs("&gt;", out);
            break;
        case '&':
            (void)fputs("&amp;", out);
            break;
        case '"':
            (void)fputs("&quot;", out);
            break;
        default:
            (void)fputc(*p, out);
            break;
        }
    }
}

/* A length in hundredths of a point, without trailing zeros. */
static void put_number(FILE *out, const char *before, double value)
{
    char text[40];
    double rounded = round(value * 100) / 100;
    (void)snprintf(text, sizeof text, "%.2f", rounded == 0 ? 0 : rounded);
    size_t n = strlen(text);
    while (text[n - 1] == '0')
        n--;
    if (text[n - 1] == '.')
        n--;
    (void)fprintf(out, "%s%.*s", before, (int)n, text);
}

static void put_attribute(FILE *out, const char *name, double value)
{
    (void)fprintf(out, " %s=", name);
    put_number(out, "\"", value);
    (void)fputc('"', out);
}

static void put_indent(const struct svg *svg)
{
    (void)fprintf(svg->canvas.out, "%*s", svg->depth, "");
}

/* The id of a hatch of that colour, defined in the file at its first use. */
static size_t hatch_id(struct svg *svg, enum wtl_hatch hatch, uint32_t color)
{
    FILE *out = svg->canvas.out;
    for (size_t i = 0; i < svg->hatch_count; i++)
        if (svg->hatches[i].hatch == hatch && svg->hatches[i].color == color)
            return i;
    if (wtl_grow(&svg->hatches, svg->hatch_count, sizeof *svg->hatches) < 0) {
        svg->canvas.failed = -ENOMEM;
        return 0;
    }
    svg->hatches[svg->hatch_count] = (struct hatch_id){hatch, color};
    put_indent(svg);
    (void)fprintf(out, "<pattern id=\"hatch%zu\" patternUnits=\"userSpaceOnUse\"",
                  svg->hatch_count);
    put_attribute(out, "width", WTL_HATCH_STEP);
    put_attribute(out, "height", WTL_HATCH_STEP);
    (void)fprintf(out, " patternTransform=\"rotate(%d)\"><path d=\"",
                  hatch == WTL_HATCH_FALLING ? -45 : 45);
    put_number(out, "M0 0V", WTL_HATCH_STEP);
    if (hatch == WTL_HATCH_CROSS)
        put_number(out, "M0 0H", WTL_HATCH_STEP);
    /* The line is on the border of the tile, so half of its width is cut off. */
    (void)fprintf(out, "\" fill=\"none\" stroke=\"#%06x\"", (unsigned)color);
    put_attribute(out, "stroke-width", 2 * WTL_HATCH_WIDTH);
    (void)fputs("/></pattern>\n", out);
    return svg->hatch_count++;
}

static void put_stroke(FILE *out, const struct wtl_paint *paint)
{
    double lengths[4];
    if (paint->stroke == WTL_NO_COLOR)
        return;
    (void)fprintf(out, " stroke=\"#%06x\"", (unsigned)paint->stroke);
    put_attribute(out, "stroke-width", paint->width);
    size_t n = wtl_dash_lengths(paint->dash, paint->width, lengths);
    for (size_t i = 0; i < n; i++)
        put_number(out, i ? " " : " stroke-dasharray=\"", lengths[i]);
    if (n)
        (void)fputc('"', out);
}

static void put_fill(struct svg *svg, const struct wtl_paint *paint, size_t hatch)
{
    FILE *out = svg->canvas.out;
    if (paint->fill == WTL_NO_COLOR)
        (void)fputs(" fill=\"none\"", out);
    else if (paint->hatch != WTL_FULL)
        (void)fprintf(out, " fill=\"url(#hatch%zu)\"", hatch);
    else
        (void)fprintf(out, " fill=\"#%06x\"", (unsigned)paint->fill);
    if (paint->fill != WTL_NO_COLOR && paint->opacity > 0 && paint->opacity < 1)
        put_attribute(out, "fill-opacity", paint->opacity);
}

/* The hatch that the paint needs, defined before the element begins. */
static size_t hatch_of(struct svg *svg, const struct wtl_paint *paint)
{
    bool hatched = paint->fill != WTL_NO_COLOR && paint->hatch != WTL_FULL;
    return hatched ? hatch_id(svg, paint->hatch, paint->fill) : 0;
}

static bool is_point(struct wtl_xy p)
{
    return isfinite(p.x) && isfinite(p.y);
}

/* Move the pen from one point to the next; if there is none before, put it down. */
static void put_step(FILE *out, struct wtl_xy from, struct wtl_xy to)
{
    if (is_point(from) && to.y == from.y && to.x != from.x) {
        put_number(out, "H", to.x);
    } else if (is_point(from) && to.x == from.x) {
        put_number(out, "V", to.y);
    } else {
        put_number(out, is_point(from) ? "L" : "M", to.x);
        put_number(out, " ", to.y);
    }
}

static void svg_path(struct wtl_canvas *canvas,
                     const struct wtl_xy *points,
                     size_t n,
                     bool closed,
                     const struct wtl_paint *paint)
{
    FILE *out = canvas->out;
    struct wtl_xy last = {NAN, NAN};
    struct wtl_paint own = *paint;
    size_t i = 0;
    if (!closed)
        own.fill = WTL_NO_COLOR;
    size_t hatch = hatch_of(svg_of(canvas), &own);
    while (i < n && !is_point(points[i]))
        i++;
    if (i == n)
        return;
    put_indent(svg_of(canvas));
    (void)fputs("<path d=\"", out);
    for (; i < n; i++) {
        struct wtl_xy p = {round(points[i].x * 100) / 100, round(points[i].y * 100) / 100};
        if (is_point(p))
            put_step(out, last, p);
        else if (closed && is_point(last))
            (void)fputc('Z', out);
        last = is_point(p) ? p : (struct wtl_xy){NAN, NAN};
    }
    (void)fputs(closed && is_point(last) ? "Z\"" : "\"", out);
    put_fill(svg_of(canvas), &own, hatch);
    put_stroke(out, &own);
    (void)fputs("/>\n", out);
}

static void svg_circle(struct wtl_canvas *canvas,
                       double x,
                       double y,
                       double radius,
                       const struct wtl_paint *paint)
{
    size_t hatch = hatch_of(svg_of(canvas), paint);
    put_indent(svg_of(canvas));
    (void)fputs("<circle", canvas->out);
    put_attribute(canvas->out, "cx", x);
    put_attribute(canvas->out, "cy", y);
    put_attribute(canvas->out, "r", radius);
    put_fill(svg_of(canvas), paint, hatch);
    put_stroke(canvas->out, paint);
    (void)fputs("/>\n", canvas->out);
}

static void svg_text(struct wtl_canvas *canvas,
                     double x,
                     double y,
                     const char *text,
                     const struct wtl_font *font)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    FILE *out = canvas->out;
    put_indent(svg_of(canvas));
    (void)fputs("<text", out);
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    put_attribute(out, "font-size", font->size);
    if (font->upright) {
        put_number(out, " transform=\"rotate(-90 ", x);
        put_number(out, " ", y);
        (void)fputs(")\"", out);
    }
    (void)fputs(anchors[font->anchor], out);
    if (font->bold)
        (void)fputs(" font-weight=\"bold\"", out);
    if (font->color)
        (void)fprintf(out, " fill=\"#%06x\"", (unsigned)font->color);
    (void)fputc('>', out);
    put_text(out, text);
    (void)fputs("</text>\n", out);
}

static double svg_text_width(struct wtl_canvas *canvas,
                             const char *text,
                             const struct wtl_font *font)
{
    (void)canvas;
    return FONT_SLACK * font->size * wtl_font_width(text, font->bold);
}

static void svg_group(struct wtl_canvas *canvas, const char *name, const char *title)
{
    put_indent(svg_of(canvas));
    (void)fputs("<g aria-label=\"", canvas->out);
    put_text(canvas->out, name);
    (void)fputs("\">\n", canvas->out);
    svg_of(canvas)->depth++;
    if (!title)
        return;
    put_indent(svg_of(canvas));
    (void)fputs("<title>", canvas->out);
    put_text(canvas->out, title);
    (void)fputs("</title>\n", canvas->out);
}

static void svg_group_end(struct wtl_canvas *canvas)
{
    svg_of(canvas)->depth--;
    put_indent(svg_of(canvas));
    (void)fputs("</g>\n", canvas->out);
}

static void svg_clip(struct wtl_canvas *canvas, double x, double y, double width, double height)
{
    struct svg *svg = svg_of(canvas);
    const double *last = svg->clip;
    if (svg->clips == 0 || last[0] != x || last[1] != y || last[2] != width || last[3] != height) {
        memcpy(svg->clip, (const double[]){x, y, width, height}, sizeof svg->clip);
        put_indent(svg);
        (void)fprintf(canvas->out, "<clipPath id=\"clip%u\"><rect", svg->clips++);
        put_attribute(canvas->out, "x", x);
        put_attribute(canvas->out, "y", y);
        put_attribute(canvas->out, "width", width);
        put_attribute(canvas->out, "height", height);
        (void)fputs("/></clipPath>\n", canvas->out);
    }
    put_indent(svg);
    (void)fprintf(canvas->out, "<g clip-path=\"url(#clip%u)\">\n", svg->clips - 1);
    svg->depth++;
}

static int svg_close(struct wtl_canvas *canvas, bool drop, struct wattle_error *err)
{
    int rc = 0;
    if (!drop) {
        (void)fputs("</svg>\n", canvas->out);
        rc = wtl_flush(canvas->out, err);
    }
    free(svg_of(canvas)->hatches);
    free(canvas);
    return rc;
}

static const struct wtl_canvas_ops svg_ops = {
    .close = svg_close,
    .path = svg_path,
    .circle = svg_circle,
    .text = svg_text,
    .text_width = svg_text_width,
    .group = svg_group,
    .group_end = svg_group_end,
    .clip = svg_clip,
    .clip_end = svg_group_end,
};

int wtl_canvas_svg_open(FILE *out,
                        const struct wtl_sheet_size *sheet,
                        struct wtl_canvas **ret_canvas,
                        struct wattle_error *err)
{
    struct svg *svg = calloc(1, sizeof *svg);
    if (!svg)
        return wtl_no_memory(err);
    svg->canvas = (struct wtl_canvas){.ops = &svg_ops,
                                      .out = out,
                                      .width = sheet->width,
                                      .height = sheet->height,
                                      .wider = 1.2}; /* DejaVu against Helvetica */
    svg->depth = 1;
    (void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"",
                out);
    put_number(out, " width=\"", sheet->width / WTL_PT_PER_MM);
    put_number(out, "mm\" height=\"", sheet->height / WTL_PT_PER_MM);
    put_number(out, "mm\" viewBox=\"0 0 ", sheet->width);
    put_number(out, " ", sheet->height);
    (void)fputs("\" role=\"img\" font-family=\"" FONTS "\" stroke-linejoin=\"round\">\n", out);
    (void)fputs(" <title>", out);
    put_text(out, sheet->title ? sheet->title : "figure");
    (void)fputs("</title>\n", out);
    if (sheet->desc) {
        (void)fputs(" <desc>", out);
        put_text(out, sheet->desc);
        (void)fputs("</desc>\n", out);
    }
    put_number(out, " <path d=\"M0 0H", sheet->width);
    put_number(out, "V", sheet->height);
    (void)fputs("H0Z\" fill=\"#ffffff\"/>\n", out);
    *ret_canvas = &svg->canvas;
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the canvas that does not depend on the kind of file. Texts are converted to clean
 * UTF-8 here, once, so that back ends can rely on it. */
#include "plot/canvas.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/utf8.h"
#include "plot/canvas_back.h"

enum { SIDE_MAX_PT = 14400 }; /* the largest sheet of a PDF */

int wtl_picture_of(const char *path, enum wtl_picture *ret_picture, struct wattle_error *err)
{
    static const char *const ends[] = {".svg", ".pdf", ".png"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (n > 4 && strcasecmp(path + n - 4, ends[i]) == 0) {
            *ret_picture = (enum wtl_picture)i;
            return 0;
        }
    }
    return wtl_fail(err, -EINVAL,
                    "%s: unknown picture format; use a name that ends in .svg, .pdf or .png", path);
}

/* U+FFFE and U+FFFF, which XML forbids. */
static bool is_forbidden(const char *p, size_t length)
{
    return length == 3 && memcmp(p, "\xEF\xBF", 2) == 0 && (unsigned char)p[2] >= 0xBE;
}

/* A copy with '?' for characters that are not printable (base/utf8.h) or forbidden and for invalid
 * UTF-8, and blanks for line breaks. */
static char *clean(const char *text)
{
    size_t n = strlen(text), k = 0, length;
    char *copy = malloc(n + 1);
    for (size_t i = 0; copy && i < n; i += length) {
        if (wtl_utf8_printable(text + i, n - i, &length) == 0 || is_forbidden(text + i, length)) {
            copy[k++] = text[i] == '\n' ? ' ' : '?';
        } else {
            memcpy(copy + k, text + i, length);
            k += length;
        }
    }
    if (copy)
        copy[k] = '\0';
    return copy;
}

/* The same, recording failure in the canvas. */
static char *clean_for(struct wtl_canvas *canvas, const char *text)
{
    char *copy = canvas->failed ? NULL : clean(text);
    if (!copy && !canvas->failed)
        canvas->failed = -ENOMEM;
    return copy;
}

int wtl_canvas_open(enum wtl_picture picture,
                    FILE *out,
                    const struct wtl_sheet_size *sheet,
                    struct wtl_canvas **ret_canvas,
                    struct wattle_error *err)
{
    struct wtl_sheet_size own = *sheet;
    if (!(own.width > 0 && own.height > 0 && own.width <= SIDE_MAX_PT && own.height <= SIDE_MAX_PT))
        return wtl_fail(err, -EINVAL, "a figure cannot be %g x %g mm", own.width / WTL_PT_PER_MM,
                        own.height / WTL_PT_PER_MM);
    char *title = clean(own.title ? own.title : ""), *desc = clean(own.desc ? own.desc : "");
    int rc = -ENOMEM;
    if (title && desc) {
        own.title = own.title ? title : NULL;
        own.desc = own.desc ? desc : NULL;
        own.dpi = own.dpi > 0 ? own.dpi : 300;
        rc = picture == WTL_PICTURE_SVG
                 ? wtl_canvas_svg_open(out, &own, ret_canvas, err)
                 : wtl_canvas_cairo_open(picture, out, &own, ret_canvas, err);
    }
    free(title);
    free(desc);
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}

int wtl_canvas_close(struct wtl_canvas *canvas, struct wattle_error *err)
{
    if (!canvas)
        return 0;
    int failed = canvas->failed, rc = canvas->ops->close(canvas, failed != 0, err);
    return failed ? wtl_no_memory_for(err, "the figure") : rc;
}

void wtl_canvas_drop(struct wtl_canvas *canvas)
{
    if (canvas)
        (void)canvas->ops->close(canvas, true, NULL);
}

void wtl_canvas_lines(struct wtl_canvas *canvas,
                      const struct wtl_xy *points,
                      size_t n,
                      const struct wtl_paint *paint)
{
    canvas->ops->path(canvas, points, n, false, paint);
}

void wtl_canvas_area(struct wtl_canvas *canvas,
                     const struct wtl_xy *points,
                     size_t n,
                     const struct wtl_paint *paint)
{
    canvas->ops->path(canvas, points, n, true, paint);
}

void wtl_canvas_line(struct wtl_canvas *canvas,
                     double x0,
                     double y0,
                     double x1,
                     double y1,
                     const struct wtl_paint *paint)
{
    struct wtl_paint stroke = *paint;
    stroke.fill = WTL_NO_COLOR;
    canvas->ops->path(canvas, (struct wtl_xy[]){{x0, y0}, {x1, y1}}, 2, false, &stroke);
}

void wtl_canvas_rectangle(struct wtl_canvas *canvas,
                          double x,
                          double y,
                          double width,
                          double height,
                          const struct wtl_paint *paint)
{
    const struct wtl_xy corners[] = {
        {x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};
    canvas->ops->path(canvas, corners, 4, true, paint);
}

void wtl_canvas_circle(struct wtl_canvas *canvas,
                       double x,
                       double y,
                       double radius,
                       const struct wtl_paint *paint)
{
    if (isfinite(x) && isfinite(y))
        canvas->ops->circle(canvas, x, y, radius, paint);
}

void wtl_canvas_text(struct wtl_canvas *canvas,
                     double x,
                     double y,
                     const char *text,
                     const struct wtl_font *font)
{
    char *copy = text && *text ? clean_for(canvas, text) : NULL;
    if (copy && isfinite(x) && isfinite(y))
        canvas->ops->text(canvas, x, y, copy, font);
    free(copy);
}

double wtl_canvas_text_width(struct wtl_canvas *canvas,
                             const char *text,
                             const struct wtl_font *font)
{
    char *copy = text && *text ? clean_for(canvas, text) : NULL;
    double width = copy ? canvas->ops->text_width(canvas, copy, font) : 0;
    free(copy);
    return width;
}

char *wtl_canvas_fit(struct wtl_canvas *canvas,
                     char *buf,
                     size_t n,
                     const char *text,
                     const struct wtl_font *font,
                     double width)
{
    size_t keep = strlen(text);
    (void)snprintf(buf, n, "%s", text);
    if (keep < n && wtl_canvas_text_width(canvas, buf, font) <= width)
        return buf;
    keep = keep < n - 4 ? keep : n - 4;
    do {
        while (keep > 0 && ((unsigned char)text[--keep] & 0xC0) == 0x80) /* whole characters only */
            continue;
        (void)snprintf(buf, n, "%.*s\xE2\x80\xA6", (int)keep, text);
    } while (keep > 0 && wtl_canvas_text_width(canvas, buf, font) > width);
    return buf;
}

double wtl_canvas_safe_width(const struct wtl_canvas *canvas, double width)
{
    return canvas->wider > 0 ? width / canvas->wider : width;
}

void wtl_canvas_group(struct wtl_canvas *canvas, const char *name)
{
    wtl_canvas_group_titled(canvas, name, NULL);
}

void wtl_canvas_group_titled(struct wtl_canvas *canvas, const char *name, const char *title)
{
    char *copy = clean_for(canvas, name ? name : "");
    char *title_copy = title ? clean_for(canvas, title) : NULL;
    canvas->ops->group(canvas, copy ? copy : "", title_copy);
    free(copy);
    free(title_copy);
}

void wtl_canvas_group_end(struct wtl_canvas *canvas)
{
    canvas->ops->group_end(canvas);
}

void wtl_canvas_clip(struct wtl_canvas *canvas, double x, double y, double width, double height)
{
    canvas->ops->clip(canvas, x, y, width, height);
}

void wtl_canvas_clip_end(struct wtl_canvas *canvas)
{
    canvas->ops->clip_end(canvas);
}

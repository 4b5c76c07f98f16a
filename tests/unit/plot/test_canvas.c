/* SPDX-License-Identifier: BSD-3-Clause */
/* Each operation as SVG, byte for byte; PNG and PDF by the parts that readers check first. */
#define _GNU_SOURCE
#include "plot/canvas.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>

#include "plot/palette.h"
#include "tap.h"

static char *bytes;
static size_t size;

static const struct wtl_paint ink = {.stroke = 0x102030, .fill = WTL_NO_COLOR, .width = 0.5};

/* A picture of 36 x 18 points drawn by draw(), in bytes. */
static int picture_of(enum wtl_picture picture,
                      const char *title,
                      void (*draw)(struct wtl_canvas *canvas),
                      struct wattle_error *err)
{
    struct wtl_sheet_size sheet = {.width = 36, .height = 18, .dpi = 144, .title = title};
    struct wtl_canvas *canvas;
    free(bytes);
    bytes = NULL;
    FILE *out = open_memstream(&bytes, &size);
    int rc = wtl_canvas_open(picture, out, &sheet, &canvas, err);
    if (rc == 0) {
        draw(canvas);
        rc = wtl_canvas_close(canvas, err);
    }
    fclose(out);
    return rc;
}

static void nothing(struct wtl_canvas *canvas)
{
    (void)canvas;
}

static void paths(struct wtl_canvas *canvas)
{
    const struct wtl_xy points[] = {{1, 2},     {3, 2},     {3, 4.256},  {5, 6},
                                    {NAN, NAN}, {7, 8},     {9.5, 9.5},  {NAN, 1},
                                    {NAN, 1},   {10, 1e-9}, {11, -0.001}};
    struct wtl_paint dashed = ink;
    dashed.dash = WTL_DASHED;
    wtl_canvas_lines(canvas, points, 11, &ink);
    wtl_canvas_area(canvas, points, 5,
                    &(struct wtl_paint){.stroke = WTL_NO_COLOR, .fill = 0xff0000, .opacity = 0.25});
    wtl_canvas_lines(canvas, points + 7, 2, &ink);
    wtl_canvas_line(canvas, 0, 0, 1, 1, &dashed);
}

static void test_paths(void)
{
    struct wattle_error err = {""};
    is_int(picture_of(WTL_PICTURE_SVG, "t", paths, &err), 0, "paths");
    ok(strstr(bytes, "<path d=\"M1 2H3V4.26L5 6M7 8L9.5 9.5M10 0H11\" fill=\"none\" "
                     "stroke=\"#102030\" stroke-width=\"0.5\"/>\n"),
       "lines: NaN lifts the pen, lengths are short");
    ok(strstr(bytes, "<path d=\"M1 2H3V4.26L5 6Z\" fill=\"#ff0000\" fill-opacity=\"0.25\"/>\n"),
       "an area is closed and filled");
    ok(strstr(bytes, "<path d=\"M0 0L1 1\" fill=\"none\" stroke=\"#102030\" stroke-width=\"0.5\" "
                     "stroke-dasharray=\"2.7 1.32\"/>\n"),
       "a dash");
    size_t count = 0;
    for (const char *p = bytes; (p = strstr(p, "<path")); p++)
        count++;
    is_int(count, 4, "nothing for points that are all NaN");
}

static void texts(struct wtl_canvas *canvas)
{
    struct wtl_font font = {.size = 7, .anchor = WTL_ANCHOR_END};
    wtl_canvas_group(canvas, "a\"b<&");
    wtl_canvas_text(canvas, 1, 2, "<script>alert(1)</script>&\x1b[2J\xff\xEF\xBF\xBE", &font);
    wtl_canvas_group_end(canvas);
    wtl_canvas_group_titled(canvas, "point", "E < 3 J");
    wtl_canvas_group_end(canvas);
    font = (struct wtl_font){.size = 7, .upright = true, .bold = true, .color = 0x010203};
    wtl_canvas_text(canvas, 3, 4, "\xC2\xB5W", &font);
    wtl_canvas_text(canvas, 3, 4, "", &font);
    wtl_canvas_text(canvas, NAN, 4, "nowhere", &font);
}

static void test_texts(void)
{
    struct wattle_error err = {""};
    is_int(picture_of(WTL_PICTURE_SVG, "x</title>\n", texts, &err), 0, "texts");
    ok(strstr(bytes, " <title>x&lt;/title&gt; </title>\n"), "a title cannot end itself");
    ok(strstr(bytes, " <g aria-label=\"a&quot;b&lt;&amp;\">\n"), "a name cannot leave its quotes");
    ok(strstr(bytes, " <g aria-label=\"point\">\n  <title>E &lt; 3 J</title>\n </g>\n"),
       "a group with a title, before what is in it");
    ok(strstr(bytes, "<text x=\"1\" y=\"2\" font-size=\"7\" text-anchor=\"end\">"
                     "&lt;script&gt;alert(1)&lt;/script&gt;&amp;?[2J?\?</text>\n"),
       "texts are texts, without control characters and bytes that are none");
    ok(strstr(bytes, "<text x=\"3\" y=\"4\" font-size=\"7\" transform=\"rotate(-90 3 4)\" "
                     "font-weight=\"bold\" fill=\"#010203\">\xC2\xB5W</text>\n"),
       "upright and bold");
    ok(!strstr(bytes, "nowhere"), "a text without a place is left out");
    is_int(strncmp(bytes + size - 7, "</svg>\n", 7), 0, "the end");
}

static void hatches(struct wtl_canvas *canvas)
{
    struct wtl_paint paint = {.stroke = WTL_NO_COLOR, .fill = 0x445566, .hatch = WTL_HATCH_RISING};
    wtl_canvas_rectangle(canvas, 1, 1, 5, 5, &paint);
    wtl_canvas_clip(canvas, 0, 0, 9, 9);
    wtl_canvas_rectangle(canvas, 2, 2, 5, 5, &paint);
    wtl_canvas_clip_end(canvas);
    paint.hatch = WTL_HATCH_CROSS;
    wtl_canvas_circle(canvas, 3, 3, 2, &paint);
    wtl_canvas_clip(canvas, 0, 0, 9, 9);
    wtl_canvas_clip_end(canvas);
}

static void test_hatches(void)
{
    struct wattle_error err = {""};
    size_t patterns = 0, clips = 0;
    is_int(picture_of(WTL_PICTURE_SVG, NULL, hatches, &err), 0, "hatches");
    for (const char *p = bytes; (p = strstr(p, "<pattern ")); p++)
        patterns++;
    for (const char *p = bytes; (p = strstr(p, "<clipPath ")); p++)
        clips++;
    is_int(patterns, 2, "each hatch is defined once");
    is_int(clips, 1, "and so is a clip");
    ok(strstr(bytes, "fill=\"url(#hatch0)\""), "used");
    ok(strstr(bytes, "<circle cx=\"3\" cy=\"3\" r=\"2\" fill=\"url(#hatch1)\"/>"), "by a circle");
}

static void measure(struct wtl_canvas *canvas)
{
    struct wtl_font font = {.size = 10};
    char buf[32];
    double narrow = wtl_canvas_text_width(canvas, "iiii", &font);
    double wide = wtl_canvas_text_width(canvas, "WWWW", &font);
    ok(narrow > 5 && wide > 2 * narrow && wide < 60, "widths: %g and %g", narrow, wide);
    is_str(wtl_canvas_fit(canvas, buf, sizeof buf, "short", &font, 100), "short", "it fits");
    wtl_canvas_fit(canvas, buf, sizeof buf, "a rather long name", &font, 50);
    ok(strlen(buf) > 5 && strcmp(buf + strlen(buf) - 3, "\xE2\x80\xA6") == 0,
       "the end of a long one is left out: %s", buf);
    ok(wtl_canvas_text_width(canvas, buf, &font) <= 50, "and it fits then");
    wtl_canvas_fit(canvas, buf, sizeof buf, "\xC3\xA4\xC3\xA4\xC3\xA4", &font, 1);
    is_str(buf, "\xE2\x80\xA6", "characters stay whole, to the last");
    char longer[200];
    memset(longer, 'i', sizeof longer);
    longer[199] = '\0';
    wtl_canvas_fit(canvas, buf, sizeof buf, longer, &font, 1e6);
    ok(strlen(buf) > 20 && strlen(buf) < sizeof buf, "no more than the buffer holds");
}

static void all(struct wtl_canvas *canvas)
{
    paths(canvas);
    texts(canvas);
    hatches(canvas);
    for (enum wtl_marker m = 0; m < WTL_MARKER_COUNT; m++)
        wtl_canvas_circle(canvas, 4, 4, m, &ink);
}

static uint32_t u32(size_t at)
{
    const unsigned char *p = (const unsigned char *)bytes + at;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void test_cairo(void)
{
    struct wattle_error err = {""};
    void *library = dlopen("libcairo.so.2", RTLD_NOW);
    if (!library) {
        is_int(picture_of(WTL_PICTURE_PNG, "t", all, &err), -ENOTSUP, "no PNG without libcairo");
        ok(strstr(err.text, "libcairo2"), "and the remedy: %s", err.text);
        skip("libcairo is not installed: PNG and PDF");
        return;
    }
    is_int(picture_of(WTL_PICTURE_PNG, "t", nothing, &err), 0, "an empty PNG %s", err.text);
    size_t empty = size;
    is_int(picture_of(WTL_PICTURE_PNG, "t", all, &err), 0, "a PNG %s", err.text);
    ok(size > 60 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0, "it is one");
    ok(size > empty + 100, "with something on it: %zu bytes, empty %zu", size, empty);
    is_int(u32(16), 72, "36 points at 144 dots per inch");
    is_int(u32(20), 36, "its height");
    ok(memcmp(bytes + 37, "pHYs", 4) == 0, "how large it is in print stands behind the head");
    is_int(u32(41), 5669, "144 dots per inch are so many per metre");
    ok(memcmp(bytes + size - 8, "IEND", 4) == 0, "the end");
    is_int(picture_of(WTL_PICTURE_PDF, "t", all, &err), 0, "a PDF %s", err.text);
    ok(size > 1000 && memcmp(bytes, "%PDF-1.", 7) == 0, "it is one");
    ok(memmem(bytes, size, "%%EOF", 5) != NULL, "with its end");
    ok(memmem(bytes, size, "CreationDate", 12) == NULL, "and without the time of day");
    is_int(picture_of(WTL_PICTURE_PNG, "t", measure, &err), 0, "widths of cairo");
}

static void test_refused(void)
{
    struct wattle_error err = {""};
    struct wtl_canvas *canvas = NULL;
    enum wtl_picture picture = WTL_PICTURE_SVG;
    struct wtl_sheet_size sheet = {.width = NAN, .height = 10};
    is_int(wtl_canvas_open(WTL_PICTURE_SVG, stdout, &sheet, &canvas, &err), -EINVAL, "no size");
    ok(canvas == NULL, "no canvas");
    sheet = (struct wtl_sheet_size){.width = 10000, .height = 10000, .dpi = 600};
    is_int(wtl_canvas_open(WTL_PICTURE_PNG, stdout, &sheet, &canvas, &err), -EINVAL,
           "too many pixels: %s", err.text);
    is_int(wtl_picture_of("a/b.PNG", &picture, &err), 0, "letters of either case");
    is_int(picture, WTL_PICTURE_PNG, "a PNG");
    is_int(wtl_picture_of("x.pdf", &picture, &err), 0, "x.pdf");
    is_int(picture, WTL_PICTURE_PDF, "a PDF");
    is_int(wtl_picture_of("x.jpg", &picture, &err), -EINVAL, "%s", err.text);
    is_int(wtl_picture_of(".svg", &picture, &err), -EINVAL, "no name: %s", err.text);
    FILE *full = fopen("/dev/full", "w");
    sheet = (struct wtl_sheet_size){.width = 36, .height = 18};
    if (full && wtl_canvas_open(WTL_PICTURE_SVG, full, &sheet, &canvas, &err) == 0)
        is_int(wtl_canvas_close(canvas, &err), -ENOSPC, "a full disk: %s", err.text);
    if (full)
        fclose(full);
    is_int(wtl_canvas_close(NULL, &err), 0, "no canvas to close");
    wtl_canvas_drop(NULL);
}

int main(void)
{
    struct wattle_error err = {""};
    test_paths();
    test_texts();
    test_hatches();
    is_int(picture_of(WTL_PICTURE_SVG, "t", measure, &err), 0, "widths of the table");
    test_cairo();
    test_refused();
    free(bytes);
    return done_testing();
}

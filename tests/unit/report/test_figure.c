/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kind of figure of traces whose content is known; figures without data are refused with a
 * message. */
#define _GNU_SOURCE
#include "report/figures/figure.h"

#include <errno.h>

#include "analysis/cluster/run_result.h"
#include "tap.h"
#include "unit/analysis/sample_trace.h"

static char *bytes;
static size_t size;
static char caption[WTL_CAPTION_MAX];
static struct wattle_error err;

/* The figure of a trace as SVG in bytes; what the drawing returned. */
static int draw(const char *path, const struct wtl_figure_options *options)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_result result;
    err.text[0] = caption[0] = '\0';
    free(bytes);
    bytes = NULL;
    if (wtl_trace_reader_open(path, &reader, &err) < 0 ||
        wtl_run_result_read(reader, path, &result, &err) < 0) {
        diag("%s: %s", path, err.text);
        exit(1);
    }
    FILE *out = open_memstream(&bytes, &size);
    int rc = wtl_figure_draw(reader, &result, options, WTL_PICTURE_SVG, out, caption, &err);
    fclose(out);
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
    return rc;
}

static size_t count(const char *what)
{
    size_t n = 0;
    for (const char *p = bytes; p && (p = strstr(p, what)); p++)
        n++;
    return n;
}

static void is_sound(const char *name)
{
    ok(count("<svg ") == 1 && count("</svg>") == 1, "%s: one picture", name);
    is_int(count("<g ") - count("</g>"), 0, "%s: groups are closed", name);
    is_int(count("NaN") + count("nan\"") + count("inf\"") + count("Infinity"), 0,
           "%s: nothing unknown in it", name);
}

static void test_sample(void)
{
    struct wtl_figure_options options = {.kind = WTL_FIGURE_POWER};
    is_int(sample_trace("figure.wtl", SAMPLE_WHOLE), 0, "a trace");
    for (size_t kind = 0; wtl_figure_names[kind]; kind++) {
        options.kind = (enum wtl_figure_kind)kind;
        is_int(draw("figure.wtl", &options), 0, "%s: drawn %s", wtl_figure_names[kind], err.text);
        is_sound(wtl_figure_names[kind]);
        ok(strlen(caption) > 40 && strstr(caption, "Sensor: powercap."), "%s: %s",
           wtl_figure_names[kind], caption);
        ok(count(" width=\"85mm\""), "%s: as wide as a column", wtl_figure_names[kind]);
        char *first = bytes;
        bytes = NULL;
        (void)draw("figure.wtl", &options);
        is_str(bytes, first, "%s: the same bytes again", wtl_figure_names[kind]);
        free(first);
    }
    options = (struct wtl_figure_options){
        .kind = WTL_FIGURE_POWER, .width_mm = 174, .height_mm = 60, .title = "A & B"};
    is_int(draw("figure.wtl", &options), 0, "of another size");
    ok(count(" width=\"174mm\" height=\"60mm\""), "as asked for");
    ok(count(">A &amp; B</text>"), "with a title");
    ok(count(">package-0</text>") == 1 && count(">gap</text>") == 1, "the legend");
    ok(strstr(caption, "1 gap in which a channel is unknown (read failed)"), "the gap is told");
    ok(strstr(caption, "THROTTLED: it was hot."), "a flag is told");
    options.kind = WTL_FIGURE_ENERGY;
    is_int(draw("figure.wtl", &options), 0, "energy");
    ok(count(">500") && count("\xC2\xB1"), "500 J and their interval");
    options.kind = WTL_FIGURE_REGIONS;
    is_int(draw("figure.wtl", &options), 0, "regions");
    ok(count(">solve</text>") == 1 && count(">outside all</text>") == 1, "both have a row");
    ok(strstr(bytes, ">outside all<") < strstr(bytes, ">solve<"), "400 J before 100 J");
}

enum { MANY_EMPTY, MANY_ONE, MANY_GAPS, MANY_WHOLE };

/* `channels` packages, those of odd number 100 times as strong, for 5 s; their names are hostile. */
static int many(const char *path, size_t channels, int how)
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *w;
    uint32_t ids[64];
    uint64_t values[64] = {0};
    uint8_t missing[64];
    int rc = wtl_trace_writer_create(path, &options, &w, NULL);
    for (size_t i = 0; rc == 0 && i < channels; i++) {
        struct wattle_channel c = sample_power_channel();
        (void)snprintf(c.name, sizeof c.name, "a<b>&\"%s:package-%zu",
                       i == 1 ? "a-name-as-long-as-there-is" : "", i);
        c.domain = i % 2 ? WATTLE_DOMAIN_PACKAGE : WATTLE_DOMAIN_DRAM;
        c.index = (int)i;
        ids[i] = (uint32_t)wtl_trace_writer_channel(w, &c);
    }
    if (rc < 0)
        return rc;
    memset(missing, how == MANY_GAPS, sizeof missing);
    uint32_t group = channels ? (uint32_t)wtl_trace_writer_group(w, ids, channels, 0) : 0;
    size_t rows = how == MANY_EMPTY || channels == 0 ? 0 : how == MANY_ONE ? 1 : 500;
    for (size_t k = 0; k < rows; k++) {
        uint64_t now = SAMPLE_SECOND + k * 10000000;
        (void)wtl_trace_writer_row(w, group, now, values, missing);
        for (size_t i = 0; i < channels; i++)
            values[i] += i % 2 ? 1000 + i : 10;
    }
    for (size_t i = 0; how == MANY_GAPS && i < channels; i++) {
        struct wtl_gap gap = {.channel = ids[i],
                              .reason = WTL_GAP_READ_FAILED,
                              .begin_ns = SAMPLE_SECOND,
                              .end_ns = SAMPLE_SECOND + 4990000000};
        (void)wtl_trace_writer_gap(w, &gap);
    }
    return wtl_trace_writer_finish(w, NULL);
}

static void test_many(void)
{
    struct wtl_figure_options options = {.kind = WTL_FIGURE_POWER};
    is_int(many("figure_many.wtl", 20, MANY_WHOLE), 0, "20 channels");
    is_int(draw("figure_many.wtl", &options), 0, "power: %s", err.text);
    is_sound("power of 20");
    ok(count(">dram (W)</text>") == 1 && count(">package (W)</text>") == 1,
       "weak and strong domains have panels of their own");
    is_int(count("<b>"), 0, "no tag of a name");
    options.kind = WTL_FIGURE_ENERGY;
    is_int(draw("figure_many.wtl", &options), 0, "energy: %s", err.text);
    is_sound("energy of 20");
    is_int(count("package-"), 20, "a row for each");
    options.height_mm = 40;
    is_int(draw("figure_many.wtl", &options), 0, "on a sheet that is too low");
    ok(count("package-") < 20 && strstr(caption, "further channels are left out"), "%s", caption);
    options = (struct wtl_figure_options){.kind = WTL_FIGURE_REGIONS};
    is_int(draw("figure_many.wtl", &options), -ENODATA, "regions: %s", err.text);
}

static void test_nothing(void)
{
    static const struct {
        int line, how;
        size_t channels;
        const char *want;
    } rows[] = {
        {__LINE__, MANY_EMPTY, 0, "no energy or power channel"},
        {__LINE__, MANY_EMPTY, 2, "no samples"},
        {__LINE__, MANY_ONE, 2, "one sample"},
        {__LINE__, MANY_GAPS, 2, "read failed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_figure_options options = {.kind = WTL_FIGURE_POWER};
        tap_line = rows[i].line;
        is_int(many("figure_none.wtl", rows[i].channels, rows[i].how), 0, "a trace");
        is_int(draw("figure_none.wtl", &options), -ENODATA, "power: %s", err.text);
        ok(strstr(err.text, rows[i].want), "says: %s", rows[i].want);
        is_int(size, 0, "nothing is written");
        options.kind = WTL_FIGURE_ENERGY;
        is_int(draw("figure_none.wtl", &options), -ENODATA, "energy: %s", err.text);
    }
    tap_line = 0;
}

int main(void)
{
    test_sample();
    test_many();
    test_nothing();
    free(bytes);
    return done_testing();
}

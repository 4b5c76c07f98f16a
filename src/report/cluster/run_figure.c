/* SPDX-License-Identifier: BSD-3-Clause */
/* What all figures of runs have in common: see run_figure.h. */
#include "report/cluster/run_figure.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"
#include "model/quality.h"
#include "report/cluster/run_figure_kind.h"
#include "report/digits.h"

#define WIDTH_MM 85.0 /* one column of most journals */

const char *const wtl_run_figure_names[] = {"power", "domains", "boxes", "nodes",
                                            "tags",  "scaling", NULL};

static const struct wtl_run_figure_ops *const kinds[WTL_RUN_FIGURE_KINDS] = {
    [WTL_RUN_FIGURE_POWER] = &wtl_run_figure_power,
    [WTL_RUN_FIGURE_DOMAINS] = &wtl_run_figure_domains,
    [WTL_RUN_FIGURE_BOXES] = &wtl_run_figure_boxes,
    [WTL_RUN_FIGURE_NODES] = &wtl_run_figure_nodes,
    [WTL_RUN_FIGURE_TAGS] = &wtl_run_figure_tags,
    [WTL_RUN_FIGURE_SCALING] = &wtl_run_figure_scaling};

void wtl_run_figure_say(struct wtl_run_figure *figure, const char *format, ...)
{
    va_list args;
    size_t n = strlen(figure->caption);
    if (n > 0 && n + 1 < sizeof figure->caption) {
        figure->caption[n++] = ' ';
        figure->caption[n] = '\0';
    }
    va_start(args, format);
    (void)vsnprintf(figure->caption + n, sizeof figure->caption - n, format, args);
    va_end(args);
}

void wtl_run_figure_say_source(struct wtl_run_figure *figure)
{
    const struct wtl_run_profile *p = figure->data->profile;
    const struct wtl_profile_part *total = &p->parts[0];
    char time[32];
    wtl_run_figure_say(figure, "%zu node%s, %s.", p->node_count, p->node_count == 1 ? "" : "s",
                       wtl_digits_time(time, sizeof time, p->length_s));
    if (p->totals.contains[0])
        wtl_run_figure_say(figure, "Total: %s%s%s.", p->totals.contains,
                           p->totals.excludes[0] ? "; not " : "", p->totals.excludes);
    if (total->sum.nodes < p->node_count)
        wtl_run_figure_say(figure, "The energy of %zu of them is known.", total->sum.nodes);
    if (total->sum.energy.simulated)
        wtl_run_figure_say(figure, p->node_count == 1 ? "The node is simulated."
                                                      : "The nodes are simulated.");
    if (total->sum.energy.quality == WATTLE_ESTIMATED)
        wtl_run_figure_say(figure, "Values are estimated by a model, not measured.");
}

/* The quality of what is drawn: the lowest of the runs. NULL = measured. */
static const char *quality_of(const struct wtl_run_figure_data *data)
{
    enum wattle_quality weakest = WATTLE_MEASURED;
    bool simulated = false;
    for (size_t i = 0; data->study && i < data->study->run_count; i++) {
        const struct wtl_study_run *run = &data->study->runs[i];
        weakest = run->quality > weakest ? run->quality : weakest;
        simulated |= run->simulated;
    }
    if (!data->study) {
        weakest = data->profile->parts[0].sum.energy.quality;
        simulated = data->profile->parts[0].sum.energy.simulated;
    }
    bool plain = weakest == WATTLE_MEASURED && !simulated;
    return plain ? NULL : wtl_quality_word(weakest, simulated);
}

const char *wtl_run_figure_label(const struct wtl_run_figure *figure,
                                 const char *what,
                                 char *buf,
                                 size_t n)
{
    const char *quality = quality_of(figure->data);
    (void)snprintf(buf, n, "%s%s%s", what, quality ? ", " : "", quality ? quality : "");
    return buf;
}

size_t wtl_run_top_regions(const struct wtl_run_profile *p,
                           const struct wtl_profile_region **ret_regions,
                           size_t most)
{
    size_t n = 0;
    for (size_t r = 0; r < p->region_count; r++) {
        const struct wtl_profile_region *region = &p->regions[r];
        size_t at = n;
        if (!region->sum->name[0])
            continue;
        while (at > 0 &&
               region->sum->inclusive.energy.j > ret_regions[at - 1]->sum->inclusive.energy.j)
            at--;
        if (at >= most)
            continue;
        n = n < most ? n + 1 : most;
        for (size_t i = n - 1; i > at; i--)
            ret_regions[i] = ret_regions[i - 1];
        ret_regions[at] = region;
    }
    return n;
}

void wtl_run_put_number(FILE *out, double value)
{
    if (isfinite(value))
        (void)fprintf(out, "%.9g", value);
    else
        (void)fputc('?', out);
}

/* Text in a script: characters that are not printable or in `stops` are replaced. */
static void put_harmless(FILE *out, const char *text, const char *stops, char instead)
{
    size_t n = strlen(text), length;
    for (size_t i = 0; i < n; i += length) {
        if (wtl_utf8_printable(text + i, n - i, &length) == 0 || strchr(stops, text[i]))
            (void)fputc(instead, out);
        else
            (void)fwrite(text + i, 1, length, out);
    }
}

void wtl_run_put_quoted(FILE *out, const char *text)
{
    (void)fputc('\'', out);
    put_harmless(out, text, "'\"\\`",
                 '_'); /* characters that would end a gnuplot string or run a command */
    (void)fputc('\'', out);
}

void wtl_run_put_data_text(FILE *out, const char *text)
{
    (void)fputc('"', out); /* gnuplot reads strings in data files only in double quotes */
    put_harmless(out, text, "\"\\", '_');
    (void)fputc('"', out);
}

void wtl_run_put_label(FILE *out,
                       const struct wtl_run_figure *figure,
                       const char *what,
                       const char *unit)
{
    char label[64];
    (void)fprintf(out, "set ylabel '%s (%s)'\n",
                  wtl_run_figure_label(figure, what, label, sizeof label), unit);
}

/* ---- all ---- */

static int begin(const struct wtl_run_figure_data *data,
                 const struct wtl_run_figure_options *options,
                 struct wtl_run_figure *figure,
                 struct wattle_error *err)
{
    const struct wtl_run_figure_ops *kind = kinds[options->kind];
    const char *name = wtl_run_figure_names[options->kind];
    *figure =
        (struct wtl_run_figure){.data = data,
                                .options = options,
                                .width_mm = options->width_mm > 0 ? options->width_mm : WIDTH_MM,
                                .height_mm = options->height_mm};
    if (data->study && !kind->of_study)
        return wtl_fail(
            err, -EINVAL,
            "the figure %s requires a single run; for several runs use boxes or scaling", name);
    if (!data->study && !kind->of_run)
        return wtl_fail(err, -EINVAL, "the figure %s requires several runs, but only one is given",
                        name);
    if (options->part && data->profile && !wtl_profile_part_find(data->profile, options->part))
        return wtl_fail(err, -ENOENT,
                        "--part: the run has no \"%s\"; the page and --format json list the parts",
                        options->part);
    return kind->prepare(figure, err);
}

int wtl_run_figure_draw(const struct wtl_run_figure_data *data,
                        const struct wtl_run_figure_options *options,
                        enum wtl_picture picture,
                        FILE *out,
                        char *caption,
                        struct wattle_error *err)
{
    struct wtl_run_figure figure;
    struct wtl_canvas *canvas;
    char title[64];
    int rc = begin(data, options, &figure, err);
    if (rc < 0)
        return rc;
    (void)snprintf(title, sizeof title, "run: %s", wtl_run_figure_names[options->kind]);
    struct wtl_sheet_size sheet = {.width = figure.width_mm * WTL_PT_PER_MM,
                                   .height = figure.height_mm * WTL_PT_PER_MM,
                                   .dpi = options->dpi,
                                   .title = title,
                                   .desc = figure.caption};
    rc = wtl_canvas_open(picture, out, &sheet, &canvas, err);
    if (rc < 0)
        return rc;
    struct wtl_axes axes = {
        .canvas = canvas, .width = sheet.width, .height = sheet.height, .title = options->title};
    kinds[options->kind]->draw(&figure, &axes);
    if (caption)
        (void)snprintf(caption, WTL_CAPTION_MAX, "%s", figure.caption);
    return wtl_canvas_close(canvas, err);
}

/* The common head of a script. Comments are one line, since the caption has no line break. */
static void put_head(const struct wtl_run_figure *figure, const char *data_name, FILE *out)
{
    char picture[512];
    size_t length = strlen(data_name);
    if (length > 4 && strcmp(data_name + length - 4, ".dat") == 0)
        length -= 4;
    (void)snprintf(picture, sizeof picture, "%.*s.png", (int)length, data_name);
    (void)fputs("# gnuplot script by wattle report; run it with: gnuplot FILE.gp\n# ", out);
    put_harmless(out, figure->caption, "", ' ');
    double width = figure->width_mm / 25.4 * 200, height = figure->height_mm / 25.4 * 200;
    (void)fprintf(out,
                  "\nset terminal pngcairo noenhanced size %.0f,%.0f font ',11'\n"
                  "set datafile missing '?'\nset grid back lc rgb '#dddddd'\n"
                  "set key outside top center horizontal\n",
                  width, height < 0.6 * width ? 0.6 * width : height);
    (void)fputs("if (!exists(\"output\")) output = ", out);
    wtl_run_put_quoted(out, picture);
    (void)fputs("\nset output output\n", out);
    if (figure->options->title) {
        (void)fputs("set title ", out);
        wtl_run_put_quoted(out, figure->options->title);
        (void)fputc('\n', out);
    }
}

int wtl_run_gnuplot(const struct wtl_run_figure_data *data,
                    const struct wtl_run_figure_options *options,
                    const char *data_name,
                    FILE *script,
                    FILE *table,
                    struct wattle_error *err)
{
    struct wtl_run_figure figure;
    int rc = begin(data, options, &figure, err);
    if (rc < 0)
        return rc;
    put_head(&figure, data_name, script);
    kinds[options->kind]->script(&figure, data_name, script);
    kinds[options->kind]->table(&figure, table);
    return 0;
}

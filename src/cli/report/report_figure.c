/* SPDX-License-Identifier: BSD-3-Clause */
/* One figure of a trace; see report_figure.h. */
#define _GNU_SOURCE
#include "cli/report/report_figure.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_result.h"
#include "base/flush.h"
#include "base/parse.h"
#include "base/text/wrap.h"
#include "base/utf8.h"
#include "cli/output.h"
#include "report/table.h"

/* "85", "85x60": mm, each within these limits; the height is 0 if missing. Returns 0, or -1 if not a size. */
static int figure_size(const char *text, double *ret_width_mm, double *ret_height_mm)
{
    char width[32];
    size_t n = strcspn(text, "x");
    double w, h = 0;
    if (n >= sizeof width)
        return -1;
    memcpy(width, text, n);
    width[n] = '\0';
    if (wtl_parse_double(width, &w) < 0 || (text[n] && wtl_parse_double(text + n + 1, &h) < 0))
        return -1;
    if (w < WTL_FIGURE_MIN_MM || w > WTL_FIGURE_MAX_MM ||
        (text[n] && (h < WTL_FIGURE_MIN_MM || h > WTL_FIGURE_MAX_MM)))
        return -1;
    *ret_width_mm = w;
    *ret_height_mm = h;
    return 0;
}

const char *const wtl_report_figure_kinds[] = {"power",   "energy", "distribution", "regions",
                                               "domains", "boxes",  "nodes",        "tags",
                                               "scaling", NULL};
const char *const wtl_report_figure_orders[] = {"name", "energy", NULL};

int wtl_report_figure_take_size(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_report_figure *figure = place;
    return wtl_figure_take_size(command, value, &figure->options.width_mm,
                                &figure->options.height_mm);
}

int wtl_figure_take_size(const struct wtl_command *command,
                         const char *value,
                         double *ret_width_mm,
                         double *ret_height_mm)
{
    if (figure_size(value, ret_width_mm, ret_height_mm) == 0)
        return 0;
    return wtl_usage(
        command, "--size: \"%s\" is not WIDTH or WIDTHxHEIGHT, each %g to %g mm; for example 85x60",
        value, WTL_FIGURE_MIN_MM, WTL_FIGURE_MAX_MM);
}

/* The index of the kind, or -1. */
static int find_kind(const char *const *names, const char *kind)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], kind) == 0)
            return i;
    return -1;
}

int wtl_report_figure_check(struct wtl_report_figure *figure,
                            const struct wtl_command *command,
                            bool of_runs)
{
    const char *kind = wtl_report_figure_kinds[figure->kind];
    bool tags = of_runs && strcmp(kind, "regions") == 0; /* the name for many nodes */
    int found = find_kind(of_runs ? wtl_run_figure_names : wtl_figure_names, tags ? "tags" : kind);
    if (found < 0)
        return wtl_usage(
            command, "--figure: \"%s\" is for %s", kind,
            of_runs
                ? "one trace; for runs use power, domains, boxes, nodes, tags or scaling"
                : "runs of many nodes; for one trace use power, energy, distribution or regions");
    figure->of_runs.by_energy = figure->order == 1;
    if (figure->dpi > 0)
        figure->options.dpi = figure->dpi;
    if (of_runs)
        figure->of_runs.kind = (enum wtl_run_figure_kind)found;
    else
        figure->options.kind = (enum wtl_figure_kind)found;
    return 0;
}

int wtl_report_figure_caption(const char *path, const char *caption, struct wattle_error *err)
{
    wtl_print_clean(stdout, path, strlen(path));
    (void)fputs(": ", stdout);
    wtl_wrap(stdout, caption, (int)wtl_utf8_columns(path) + 2, 0, wtl_page_width(stdout));
    (void)fputc('\n', stdout);
    return wtl_flush(stdout, err);
}

static int draw(const struct wtl_report_figure *figure,
                struct wtl_trace_reader *reader,
                const char *trace,
                enum wtl_picture picture,
                FILE *out,
                char *caption,
                struct wattle_error *err)
{
    struct wtl_result result = wtl_result_unknown();
    int rc = wtl_run_result_read(reader, trace, &result, err);
    if (rc == 0)
        rc = wtl_figure_draw(reader, &result, &figure->options, picture, out, caption, err);
    wtl_result_fini(&result);
    return rc;
}

int wtl_report_figure_make(const struct wtl_report_figure *figure,
                           const char *trace,
                           bool force,
                           struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_output output;
    enum wtl_picture picture = WTL_PICTURE_SVG;
    char caption[WTL_CAPTION_MAX];
    bool standard = strcmp(figure->path, "-") == 0;
    int rc = standard ? 0 : wtl_picture_of(figure->path, &picture, err);
    if (rc == 0)
        rc = wtl_trace_reader_open(trace, &reader, err);
    if (rc == 0)
        rc = wtl_output_open(&output, figure->path, force, err);
    if (rc == 0) {
        rc = draw(figure, reader, trace, picture, output.stream, caption, err);
        if (rc == 0)
            rc = wtl_output_commit(&output, err);
        else
            (void)wtl_output_fail(&output, rc, err);
    }
    if (rc == 0 && !standard)
        rc = wtl_report_figure_caption(figure->path, caption, err);
    wtl_trace_reader_close(reader);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of a folder of traces made from any bytes: up to four files, each preceded by a byte of flags (bit 0: correct
 * headers and checksums) and its length (u16). Everything that reduce and report make of the run: totals, profile,
 * documents, CSV, figures.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_profile.h"
#include "analysis/cluster/run_study.h"
#include "analysis/cluster/run_totals.h"
#include "report/cluster/run_document.h"
#include "report/cluster/run_figure.h"
#include "report/cluster/run_report.h"
#include "trace/reader.h"

#include "mended_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = 4 };

static char folder[] = "/tmp/wattle-fuzz-XXXXXX";

static void remove_folder(void)
{
    (void)rmdir(folder);
}

static void make_folder(void)
{
    static bool made;
    if (made)
        return;
    made = true;
    if (!mkdtemp(folder))
        abort();
    (void)atexit(remove_folder);
}

static const char *file_name(int i, char *path, size_t n)
{
    (void)snprintf(path, n, "%s/node-%d.wtl", folder, i);
    return path;
}

static void write_file(int i, const uint8_t *data, size_t size, bool mend)
{
    char path[64];
    uint8_t *copy = malloc(size + 1);
    int fd = open(file_name(i, path, sizeof path), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    if (!copy || fd < 0)
        abort();
    memcpy(copy, data, size);
    if (mend)
        mend_trace(copy, size);
    if (write(fd, copy, size) != (ssize_t)size)
        abort();
    (void)close(fd);
    free(copy);
}

/* How many. */
static int write_files(const uint8_t *data, size_t size)
{
    int count = 0;
    while (count < FILES && size >= 3) {
        size_t length = (size_t)data[1] | (size_t)data[2] << 8;
        bool mend = data[0] & 1;
        data += 3;
        size -= 3;
        length = length < size ? length : size;
        write_file(count++, data, length, mend);
        data += length;
        size -= length;
    }
    return count;
}

/* Each part has as many cells as the profile says; a region is on no more nodes than exist. */
static void check(const struct wtl_run_profile *p)
{
    double known = 0;
    for (size_t k = 0; k < p->part_count; k++) {
        if (p->parts[k].sum.nodes > p->node_count)
            abort();
        for (size_t c = 0; p->parts[k].curve.sum && c < p->cells; c++)
            known += p->parts[k].curve.covered[c];
    }
    for (size_t r = 0; r < p->region_count; r++) {
        if (p->regions[r].sum->stay_count > p->node_count)
            abort();
        for (size_t other = 0; other < r; other++)
            if (strcmp(p->regions[r].sum->name, p->regions[other].sum->name) == 0)
                abort(); /* promised: a name once */
    }
    if (known < 0)
        abort();
}

static void draw(const struct wtl_run_figure_data *data, FILE *out)
{
    struct wattle_error err;
    char caption[WTL_CAPTION_MAX];
    for (int kind = 0; kind < WTL_RUN_FIGURE_KINDS; kind++) {
        const struct wtl_run_figure_options options = {.kind = (enum wtl_run_figure_kind)kind,
                                                       .reference_w = NAN};
        (void)wtl_run_figure_draw(data, &options, WTL_PICTURE_SVG, out, caption, &err);
        (void)wtl_run_gnuplot(data, &options, "data", out, out, &err);
    }
}

static void report(struct wtl_run *run, FILE *out)
{
    const struct wtl_profile_options few = {.cells = 32};
    struct wtl_run_profile profile = {0};
    struct wtl_study_run runs[2];
    struct wtl_study study = {0};
    struct wattle_error err;
    if (wtl_run_profile_read(run, &few, &profile, &err) < 0)
        return;
    check(&profile);
    memset(runs, 0, sizeof runs);
    runs[0].name[0] = 'a';
    runs[1].name[0] = 'b';
    wtl_study_take_profile(&runs[0], &profile);
    wtl_study_take_profile(&runs[1], &profile);
    const struct wtl_run_facts facts = {.run_id = wtl_run_id(run),
                                        .command = wtl_run_command_line(run),
                                        .study = &runs[0],
                                        .residual_s = NAN};
    json_t *value = wtl_run_value(&profile, &facts, true), *list = json_array();
    if (!value || json_array_append_new(list, value) < 0)
        abort(); /* memory is available: it was not text, or not a number */
    draw(&(struct wtl_run_figure_data){.profile = &profile}, out);
    if (wtl_study_make(runs, 2, 0.01, &study, &err) == 0) {
        draw(&(struct wtl_run_figure_data){.study = &study}, out);
        json_t *document = wtl_run_document(list, "fuzz", &study, NAN);
        if (!document || json_dumpf(document, out, 0) < 0)
            abort();
        json_decref(document);
    }
    wtl_study_fini(&study);
    wtl_run_profile_fini(&profile);
}

static void reduce(const struct wtl_run *run, FILE *out)
{
    struct wtl_run_totals totals;
    struct wtl_result result;
    struct wattle_error err;
    struct wtl_style style = {0};
    if (wtl_run_totals_of(run, &totals, &err) < 0)
        abort(); /* memory is available */
    const struct wtl_run_report report = {.run = run, .totals = &totals};
    static const enum wtl_format formats[] = {WTL_FORMAT_TEXT, WTL_FORMAT_JSON, WTL_FORMAT_CSV};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        (void)wtl_report_runs(out, formats[i], &report, 1, &style, &err);
    if (wtl_run_totals_result(run, &totals, "run.wtl", &result) < 0)
        abort();
    wtl_result_fini(&result);
    wtl_run_totals_fini(&totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_run *run;
    struct wattle_error err;
    char *words[] = {folder}, *text = NULL, path[64];
    size_t length;
    if (size > 65536)
        return 0;
    make_folder();
    int count = write_files(data, size);
    FILE *out = open_memstream(&text, &length);
    if (!out)
        abort();
    if (count > 0 && wtl_run_open(words, 1, NULL, &run, &err) == 0) {
        reduce(run, out);
        report(run, out);
        wtl_run_close(run);
    }
    (void)fclose(out);
    free(text);
    for (int i = 0; i < count; i++)
        (void)unlink(file_name(i, path, sizeof path));
    return 0;
}

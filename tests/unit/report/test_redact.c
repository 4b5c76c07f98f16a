/* SPDX-License-Identifier: BSD-3-Clause */
/* Identifiers planted wherever a report could show one: none of them is in a redacted document or
 * its page. */
#define _GNU_SOURCE
#include "report/redact.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_result.h"
#include "report/figures/figure.h"
#include "report/page.h"
#include "report/result/report_document.h"
#include "tap.h"
#include "unit/analysis/known_power.h"

/* Each text that must be removed contains one of these. */
static const char *const planted[] = {"secrethost",  "alicia", "hush",     "54321", "98765",
                                      "10.20.30.40", "SN0815", "run-4711", "cafe",  NULL};

static const char *const metadata[][2] = {
    {"host.name", "secrethost"},
    {"node.name", "secrethost"},
    {"run.id", "run-4711"},
    {"run.command", "/home/alicia/bin/solver --token hush"},
    {"run.directory", "/home/alicia/data"},
    {"run.target", "pid 54321"},
    {"env.OMP_PLACES", "hush"},
    {"kernel.cmdline", "ip=10.20.30.40 root=UUID=cafe"},
    {"host.product", "SN0815"},
    {"process.cgroup", "/user.slice/alicia"},
    {"flag.NOT ALONE", "pid 54321 of alicia"},
    {"flag.NOBODY KNOWS", "alicia did it"},
    {"label.site", "alicia@10.20.30.40"},
    {"label.case", "cg"},
    {"cpu.model", "A Processor"},
    {"later.key", "hush"},
};

/* A trace with two regions of a process, one of them named like a path. */
static int write_trace(const char *path)
{
    struct wtl_trace_options force = {.force = true};
    struct wattle_channel channel = known_channel("known:package-0", WATTLE_DOMAIN_PACKAGE,
                                                  WATTLE_ENERGY, WATTLE_COUNTER, 1e-3);
    struct wtl_trace_writer *w;
    int rc = wtl_trace_writer_create(path, &force, &w, NULL);
    if (rc < 0)
        return rc;
    (void)snprintf(channel.label, sizeof channel.label, "disk SN0815");
    channel.flags |= WATTLE_CHANNEL_IN_TOTAL;
    for (size_t i = 0; i < sizeof metadata / sizeof *metadata; i++)
        (void)wtl_trace_writer_meta(w, metadata[i][0], metadata[i][1]);
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    uint32_t plain = (uint32_t)wtl_trace_writer_string(w, "solve");
    uint32_t file = (uint32_t)wtl_trace_writer_string(w, "/home/alicia/solve.c");
    const struct wtl_trace_process process = {.pid = 54321, .rank = -1, .command = "solver"};
    const struct wtl_trace_thread thread = {
        .process = (uint32_t)wtl_trace_writer_process(w, &process), .tid = 98765, .name = ""};
    uint32_t number = (uint32_t)wtl_trace_writer_thread(w, &thread);
    (void)wtl_trace_writer_window_begin(w, KNOWN_START);
    for (uint64_t i = 0; i <= 200; i++) {
        uint64_t value = 500 * i;
        (void)wtl_trace_writer_row(w, group, KNOWN_START + 10 * i * KNOWN_MS, &value, NULL);
    }
    struct wtl_mark marks[] = {{.time_ns = KNOWN_START + 300 * KNOWN_MS,
                                .kind = WTL_MARK_BEGIN,
                                .thread = number,
                                .name = plain},
                               {.time_ns = KNOWN_START + 400 * KNOWN_MS,
                                .kind = WTL_MARK_BEGIN,
                                .thread = number,
                                .name = file},
                               {.time_ns = KNOWN_START + 900 * KNOWN_MS,
                                .kind = WTL_MARK_END,
                                .thread = number,
                                .name = file},
                               {.time_ns = KNOWN_START + 1500 * KNOWN_MS,
                                .kind = WTL_MARK_END,
                                .thread = number,
                                .name = plain}};
    (void)wtl_trace_writer_marks(w, marks, 4);
    (void)wtl_trace_writer_window_end(w, KNOWN_START + 2000 * KNOWN_MS);
    return wtl_trace_writer_finish(w, NULL);
}

static size_t found(const char *text, const char *what, bool expected)
{
    size_t n = 0;
    for (size_t i = 0; planted[i]; i++) {
        bool there = text && strcasestr(text, planted[i]) != NULL;
        n += there;
        if (there && !expected)
            (void)fprintf(stderr, "# %s in %s\n", planted[i], what);
    }
    return n;
}

static double energy_of(const json_t *document)
{
    const json_t *total = json_object_get(json_object_get(document, "run"), "total");
    return json_number_value(json_object_get(total, "energy_j"));
}

static char *page_of(const json_t *document, const struct wtl_result *result)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    is_int(wtl_page_write(out, document, result, false, NULL), 0, "a page");
    (void)fclose(out);
    return text;
}

static int redact(json_t *document)
{
    struct wtl_redactor *redactor = wtl_redactor_new();
    int rc = redactor ? wtl_redact(document, redactor) : -ENOMEM;
    wtl_redactor_free(redactor);
    return rc;
}

static void check_regions(const json_t *document)
{
    const json_t *names = json_object_get(json_object_get(document, "bands"), "names");
    const json_t *row =
        json_array_get(json_object_get(json_object_get(document, "bands"), "rows"), 0);
    bool plain = false, renamed = false;
    for (size_t i = 0; i < json_array_size(names); i++) {
        plain |= strcmp(json_string_value(json_array_get(names, i)), "solve") == 0;
        renamed |= strncmp(json_string_value(json_array_get(names, i)), "name ", 5) == 0;
    }
    ok(plain && renamed, "a region keeps its name, one that is a path gets another");
    ok(json_integer_value(json_object_get(row, "thread")) < 10, "threads are numbered");
}

/* Every figure of the trace: nothing planted appears in the picture or its caption. */
static void test_figures(struct wtl_trace_reader *reader, const struct wtl_result *result)
{
    for (int kind = 0; wtl_figure_names[kind]; kind++) {
        for (int redact = 0; redact < 2; redact++) {
            const struct wtl_figure_options options = {.kind = (enum wtl_figure_kind)kind,
                                                       .redact = redact == 1};
            char caption[WTL_CAPTION_MAX] = "", *text = NULL;
            struct wattle_error err = {""};
            size_t size;
            FILE *out = open_memstream(&text, &size);
            if (!out)
                return;
            int rc = wtl_figure_draw(reader, result, &options, WTL_PICTURE_SVG, out, caption, &err);
            (void)fclose(out);
            is_int(rc, 0, "figure of %s%s", wtl_figure_names[kind], err.text);
            size_t n = found(text, wtl_figure_names[kind], !redact);
            n += found(caption, "the caption", !redact);
            ok(redact ? n == 0 : n > 0, "%s: %zu identifiers in it",
               redact ? "redacted" : "as it is", n);
            ok(!redact || strstr(text, "solver: ") != NULL, "the program stays");
            free(text);
        }
    }
}

static void test_trace(void)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_result result = wtl_result_unknown();
    struct wattle_error err = {""};
    json_t *document = NULL;
    is_int(write_trace("redact.wtl"), 0, "a trace");
    int rc = wtl_trace_reader_open("redact.wtl", &reader, &err);
    rc = rc < 0 ? rc : wtl_run_result_read(reader, "/home/alicia/redact.wtl", &result, &err);
    rc = rc < 0 ? rc : wtl_report_document(reader, &result, NULL, NULL, NULL, &document, &err);
    if (is_int(rc, 0, "a document%s", err.text)) {
        double energy_j = energy_of(document);
        char *before = json_dumps(document, 0);
        ok(found(before, "the document", true) >= 8, "what was planted is in it");
        is_int(redact(document), 0, "redacted");
        char *after = json_dumps(document, 0);
        is_int((long)found(after, "the redacted document", false), 0, "nothing of it is left");
        ok(strstr(after, "A Processor") && strstr(after, "\"cg\""), "what names nobody stays");
        is_str(json_string_value(json_object_get(document, "title")), "solver",
               "the program stays");
        is_double(energy_of(document), energy_j, 0, "the energy stays");
        check_regions(document);
        char *page = wtl_page_there(NULL) < 0 ? NULL : page_of(document, &result);
        is_int((long)found(page, "the page", false), 0, "nor in the page");
        test_figures(reader, &result);
        free(page);
        free(after);
        free(before);
        json_decref(document);
    }
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
}

/* A study of runs, built manually. */
static void test_runs(void)
{
    json_t *document = json_loads(
        "{\"title\": \"2 runs compared\", \"runs\": [{\"name\": \"alicia-1\", \"run_id\": "
        "\"run-4711\","
        " \"command\": \"/home/alicia/cg hush\", \"labels\": {\"run\": \"alicia-1\", \"app\": "
        "\"cg\"},"
        " \"parts\": [{\"name\": \"total\", \"energy_j\": 5}],"
        " \"extremes\": {\"least\": \"secrethost\", \"median\": null, \"most\": \"secrethost\"},"
        " \"flags\": [{\"name\": \"MISSING\", \"nodes\": 1, \"first_node\": \"secrethost\", "
        "\"text\": \"secrethost\"}],"
        " \"absent\": [{\"name\": \"/home/alicia/x.wtl\", \"why\": \"hush\"}],"
        " \"nodes\": [{\"name\": \"secrethost\", \"energy_j\": 5, \"flags\": [{\"name\": "
        "\"CAPPED\", \"text\": \"secrethost\"}]}],"
        " \"heat\": [{\"by\": \"name\", \"first\": [\"secrethost\"], \"last\": "
        "[\"secrethost\"]}]}, {}],"
        " \"study\": {\"keys\": [\"run\"], \"cases\": [{\"name\": \"alicia/1, cg\", \"values\": "
        "[\"alicia/1\", \"cg\"]}]}}",
        0, NULL);
    is_int(redact(document), 0, "redacted");
    char *after = json_dumps(document, JSON_SORT_KEYS);
    is_int((long)found(after, "the redacted runs", false), 0, "nothing of it is left");
    ok(after && strstr(after, "\"first\": [\"node 1\"]") && strstr(after, "\"least\": \"node 1\""),
       "a node has one name everywhere");
    ok(after && strstr(after, "\"energy_j\": 5"), "with its energy");
    ok(after && strstr(after, "\"name 1, cg\""), "cases are called by their values");
    ok(after && strstr(after, "A power limit was reached"), "flags say what they mean");
    free(after);
    json_decref(document);
}

int main(void)
{
    test_trace();
    test_runs();
    return done_testing();
}

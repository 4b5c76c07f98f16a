/* SPDX-License-Identifier: BSD-3-Clause */
/* The document of traces of known power, and its page, whatever the texts in it are. */
#define _GNU_SOURCE
#include "report/result/report_document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_result.h"
#include "report/packed.h"
#include "report/page.h"
#include "report/page_template.h"
#include "tap.h"
#include "unit/analysis/known_power.h"

static int steps;

static void count_step(void *context, const char *step)
{
    (void)context;
    steps += step[0] != '\0';
}

static json_t *document_of(const char *path, struct wtl_result *result)
{
    struct wtl_trace_reader *reader = NULL;
    struct wattle_error err = {""};
    json_t *document = NULL;
    int rc = wtl_trace_reader_open(path, &reader, &err);
    rc = rc < 0 ? rc : wtl_run_result_read(reader, path, result, &err);
    rc = rc < 0 ? rc : wtl_report_document(reader, result, count_step, NULL, NULL, &document, &err);
    is_int(rc, 0, "%s: a document%s", path, err.text);
    wtl_trace_reader_close(reader);
    return document;
}

static void test_packed(void)
{
    static const struct {
        float values[3];
        size_t count;
        const char *text;
    } rows[] = {{{0}, 0, ""},
                {{1}, 1, "AACAPw=="},
                {{1, -2}, 2, "AACAPwAAAMA="},
                {{1, -2, 0.1F}, 3, "AACAPwAAAMDNzMw9"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *text = wtl_json_packed(rows[i].values, rows[i].count);
        is_str(json_string_value(text), rows[i].text, "%zu floats", rows[i].count);
        json_decref(text);
    }
}

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void test_document(void)
{
    const struct known known = {
        .path = "document.wtl", .seconds = 90, .sleep_s = 30, .footer = true};
    struct wtl_result result = wtl_result_unknown();
    is_int(known_write(&known), 0, "a trace");
    json_t *d = document_of(known.path, &result), *one;
    ok(steps >= 4, "%d steps were told", steps);
    is_str(json_string_value(json_object_get(d, "schema")), "wattle.report/1", "schema");
    is_double(json_number_value(json_array_get(json_object_get(d, "window_s"), 1)), 120, 1e-9,
              "the window, sleep and all");
    is_int((long)json_array_size(json_object_get(d, "power")), 2, "two powers");
    is_int((long)json_array_size(json_object_get(d, "activity")), 2, "two others");
    is_int((long)json_array_size(json_object_get(d, "distributions")), 2, "two distributions");
    one = json_array_get(json_object_get(d, "activity"), 1);
    is_str(json_string_value(json_object_get(one, "unit")), "CPUs", "processor time by time");
    const json_t *gaps = json_object_get(d, "gaps");
    is_int((long)json_array_size(gaps), KNOWN_CHANNELS, "a gap of each channel");
    one = json_array_get(gaps, 3);
    is_str(json_string_value(json_object_get(one, "reason")), "suspended", "why");
    is_double(number_at(one, "begin_s"), 49.999, 1e-6, "from");
    is_double(number_at(one, "end_s"), 80, 1e-6, "to");
    const json_t *run = json_object_get(d, "run");
    one = json_array_get(json_object_get(run, "channels"), 0);
    is_double(number_at(one, "energy_j"), result.channels[0].summary.amount, 0,
              "the energy is that of stats");
    is_int((long)json_array_size(json_object_get(run, "regions")), 0, "no regions");
    json_decref(d);
    wtl_result_fini(&result);
}

/* Two minutes and ten have documents of the same size, with a footer and without. */
static void test_size(void)
{
    size_t sizes[2];
    for (size_t i = 0; i < 2; i++) {
        const struct known known = {
            .path = "document-size.wtl", .seconds = i == 0 ? 120 : 600, .footer = i == 1};
        struct wtl_result result = wtl_result_unknown();
        is_int(known_write(&known), 0, "%u s", (unsigned)known.seconds);
        json_t *d = document_of(known.path, &result);
        char *text = json_dumps(d, JSON_COMPACT);
        sizes[i] = text ? strlen(text) : 0;
        free(text);
        json_decref(d);
        wtl_result_fini(&result);
    }
    ok(sizes[0] > 20000 && sizes[1] < 3 * sizes[0] && sizes[1] < 500000, "%zu and %zu bytes",
       sizes[0], sizes[1]);
}

static void test_empty(void)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    struct wtl_result result = wtl_result_unknown();
    (void)wtl_trace_writer_create("document-empty.wtl", &force, &w, NULL);
    (void)wtl_trace_writer_finish(w, NULL);
    json_t *d = document_of("document-empty.wtl", &result);
    ok(json_is_null(json_object_get(d, "span_s")), "no span");
    ok(json_is_null(json_object_get(d, "window_s")), "no window");
    is_int((long)json_array_size(json_object_get(d, "power")), 0, "no power");
    json_decref(d);
    wtl_result_fini(&result);
}

/* One sample, or none and a gap: shows what exists, and invents nothing. */
static void test_little(void)
{
    for (int rows = 0; rows < 2; rows++) {
        struct wtl_trace_options force = {.force = true};
        struct wtl_result result = wtl_result_unknown();
        struct wtl_trace_writer *w;
        const struct wattle_channel channel = known_channel(
            "known:package-0", WATTLE_DOMAIN_PACKAGE, WATTLE_ENERGY, WATTLE_COUNTER, 1);
        (void)wtl_trace_writer_create("document-little.wtl", &force, &w, NULL);
        uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
        uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
        const struct wtl_gap gap = {.channel = id,
                                    .reason = WTL_GAP_READ_FAILED,
                                    .error = EACCES,
                                    .begin_ns = KNOWN_START,
                                    .end_ns = KNOWN_START + 5000 * KNOWN_MS};
        const uint64_t value = 7;
        (void)wtl_trace_writer_gap(w, &gap);
        if (rows)
            (void)wtl_trace_writer_row(w, group, gap.end_ns, &value, NULL);
        (void)wtl_trace_writer_finish(w, NULL);
        json_t *d = document_of("document-little.wtl", &result);
        const json_t *series = json_array_get(json_object_get(d, "power"), 0);
        is_str(json_string_value(json_object_get(series, "mean")), "", "%d samples, no power",
               rows);
        is_int((long)json_array_size(json_object_get(d, "distributions")), 0, "no distribution");
        ok(json_is_null(json_object_get(d, "span_s")) == (rows == 0), "a span where a sample is");
        const json_t *only = json_array_get(json_object_get(d, "gaps"), 0);
        is_str(json_string_value(json_object_get(only, "error")), "Permission denied", "why");
        is_double(number_at(only, "begin_s"), rows ? -5 : 0, 1e-9, "when");
        json_decref(d);
        wtl_result_fini(&result);
    }
}

static void test_page(void)
{
    static const char evil[] = "</script><!-- <b>\"&'\x01";
    struct wattle_error err = {""};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    json_t *document = json_pack("{s:s, s:s, s:{s:{s:s}}}", "title", "</title><script>&", "evil",
                                 "x</script><!--", "run", "flag_texts", "EVIL", evil);
    struct wtl_result result = wtl_result_unknown();
    if (!out || !document)
        return;
    (void)wtl_result_flag(&result, "EVIL", "%s", evil);
    int rc = wtl_page_write(out, document, &result, false, &err);
    (void)fclose(out);
    if (wtl_page_report.length[0] == 0) {
        is_int(rc, -ENOTSUP, "a build without the page says so");
        ok(strstr(err.text, "--format json") != NULL, "and what helps: %s", err.text);
        is_int((long)size, 0, "and writes nothing");
    } else {
        is_int(rc, 0, "a page");
        ok(strstr(text, "</title><script>&") == NULL, "the title is text");
        ok(strstr(text, "&lt;/title&gt;&lt;script&gt;&amp;") != NULL, "all of it");
        ok(strstr(text, evil) == NULL, "flags are text");
        ok(strstr(text, "&lt;/script&gt;&lt;!-- &lt;b&gt;\"&amp;' .") != NULL,
           "without control characters");
        ok(strstr(text, "x\\u003c/script>\\u003c!--") != NULL,
           "the document cannot end its element");
    }
    wtl_result_fini(&result);
    json_decref(document);
    free(text);
}

int main(void)
{
    test_packed();
    test_document();
    test_size();
    test_empty();
    test_little();
    test_page();
    return done_testing();
}

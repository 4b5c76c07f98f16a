/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trace says is in the paragraph; what it does not say is listed, and nothing else. */
#define _GNU_SOURCE
#include "report/cite/cite.h"

#include <errno.h>

#include "tap.h"
#include "unit/analysis/sample_trace.h"

static char *text;
static struct wattle_error err;

/* The citation of traces as one line of text; what reading them returned. */
static int cite(const char *const *paths, size_t count)
{
    struct wtl_cite *found = NULL;
    size_t size;
    err.text[0] = '\0';
    free(text);
    text = NULL;
    int rc = wtl_cite_read((char *const *)(uintptr_t)paths, count, &found, &err);
    if (rc < 0)
        return rc;
    FILE *out = open_memstream(&text, &size);
    wtl_cite_text(found, out);
    fclose(out);
    for (char *p = text; *p; p++)
        if (p[0] == '\n' && p[1] == ' ' && p[2] != ' ')
            memmove(p, p + 1, strlen(p)); /* lines of the paragraph, joined */
    wtl_cite_free(found);
    return 0;
}

static void says(const char *what)
{
    ok(text && strstr(text, what), "says \"%s\"", what);
}

static void test_one(void)
{
    const char *paths[] = {"cite.wtl"};
    is_int(sample_trace("cite.wtl", SAMPLE_WHOLE), 0, "a trace");
    is_int(cite(paths, 1), 0, "cited %s", err.text);
    says("The energy of the machine while the command \"./app --size 1\" ran was measured with "
         "wattle on the node n1 on 2023-11-14 (UTC).");
    says("ended with exit status 3.");
    says("Sensor powercap gave energy counters (package-0): unit 1.00 mJ, updated "
         "every 1.00 ms as documented");
    says("They were read every 10.0 ms by a thread that was not pinned to a CPU.");
    says("At its start and end, counters were interpolated");
    says("The total contains package of 1 socket (powercap:package-0)");
    says("the total energy was 500");
    says("neither the calibration of the sensors nor variation between runs");
    says("There was one run");
    says("1 gap (read failed)");
    says("Flag THROTTLED: it was hot.");
    says("wattle itself took 20.0 ms of CPU time (0.2 % of one CPU)");
    says("Not recorded: version of the recorder, processor model, microcode, kernel, ");
    says("turbo");
    says("whether RAPL energy filtering was on");
    says("Version not recorded");
    ok(!strstr(text, "Settings:"), "nothing of settings");
    ok(!strstr(text, "haehnel"), "no reference to what was not done");
}

/* A trace like the sample, with a few more keys. */
static void extended(const char *path, const char *governor, const char *version)
{
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel power = sample_power_channel();
    struct wtl_trace_writer *w;
    if (wtl_trace_writer_create(path, &options, &w, NULL) < 0)
        exit(1);
    power.flags |= WATTLE_CHANNEL_SIMULATED;
    sample_metadata(w);
    (void)wtl_trace_writer_meta(w, "wattle.version", version);
    (void)wtl_trace_writer_meta(w, "cpu.model", "A \x1b[31mCPU");
    (void)wtl_trace_writer_meta(w, "cpu.governor", governor);
    (void)wtl_trace_writer_meta(w, "limit.package-0.long_term_w", "150");
    (void)wtl_trace_writer_meta(w, "limit.dram-0.long_term_w", "0");
    (void)wtl_trace_writer_meta(w, "sensor.msr.note",
                                "RAPL energy filtering is on (register 0xbc)");
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &power);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    uint32_t edges = (uint32_t)wtl_trace_writer_group(w, &id, 1, WTL_GROUP_EDGE);
    (void)wtl_trace_writer_window_begin(w, 101 * SAMPLE_SECOND);
    for (uint64_t i = 0; i <= 300; i++) {
        uint64_t now = 100 * SAMPLE_SECOND + i * 10000000, ticks = i / 2 * 1000;
        if (i == 200)
            (void)wtl_trace_writer_window_end(w, 102 * SAMPLE_SECOND);
        (void)wtl_trace_writer_row(w, i == 0 ? edges : group, now, &ticks, NULL);
    }
    (void)wtl_trace_writer_finish(w, NULL);
}

static void test_repeats(void)
{
    const char *paths[] = {"cite_a.wtl", "cite_b.wtl", "cite_c.wtl"};
    extended("cite_a.wtl", "performance", "0.1.0");
    extended("cite_b.wtl", "powersave", "0.1.0");
    extended("cite_c.wtl", "powersave", "0.1.0");
    is_int(cite(paths, 3), 0, "three runs %s", err.text);
    says("on a simulated node, not a real machine, with wattle 0.1.0");
    says("in 3 runs");
    says("non-zero exit status in 3 of the runs");
    says("The processor is A ?[31mCPU.");
    says("governor varying");
    says("package-0.long_term 150 W.");
    says("observed to change every 20");
    says("RAPL energy filtering was on: random noise");
    says("polled for updates");
    says("Over 3 runs the mean total energy was 50");
    says("95 % interval of the mean over runs");
    says("Flag THROTTLED in 3 of 3 runs: it was hot.");
    says("date");
    says("@article{haehnel2012rapl");
    is_int(cite(paths, 2), 0, "two runs");
    says("No interval is given for two runs");
    extended("cite_a.wtl", "performance", "1{}\\x_%");
    is_int(cite(paths, 1), 0, "a version that somebody made up");
    says("note         = {Version 1???x\\_\\%}\n");
    ok(!strstr(text, "\x1b"), "no control characters");
}

static void test_refused(void)
{
    const char *paths[] = {"cite.wtl", "cite_other.wtl"};
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *w;
    if (wtl_trace_writer_create("cite_other.wtl", &options, &w, NULL) < 0)
        exit(1);
    (void)wtl_trace_writer_meta(w, "run.command", "./other");
    (void)wtl_trace_writer_finish(w, NULL);
    is_int(cite(paths, 2), -EINVAL, "%s", err.text);
    ok(strstr(err.text, "command differs (./app --size 1, ./other)"), "says in what");
    is_int(cite(paths + 1, 1), 0, "a trace without anything");
    says("No energy or power sensor was available.");
    says("No total is given");
    says("The total energy is unknown.");
    says("sampling interval");
    paths[0] = "absent.wtl";
    is_int(cite(paths, 1), -ENOENT, "%s", err.text);
    if (wtl_trace_writer_create("cite_other.wtl", &options, &w, NULL) < 0)
        exit(1);
    (void)wtl_trace_writer_meta(w, "import.format", "csv");
    (void)wtl_trace_writer_finish(w, NULL);
    is_int(cite(paths + 1, 1), 0, "a recording of others");
    says("was recorded by another program and read with wattle");
    says("the recording program");
}

static void test_json(void)
{
    const char *path = "cite_b.wtl";
    struct wtl_cite *found = NULL;
    is_int(wtl_cite_read((char *const *)(uintptr_t)&path, 1, &found, &err), 0, "read");
    json_t *document = wtl_cite_json(found);
    is_str(json_string_value(json_object_get(document, "schema")), "wattle.cite/1", "schema");
    is_int(json_integer_value(json_object_get(document, "runs")), 1, "runs");
    size_t n = json_array_size(json_object_get(document, "sentences")), at = 0;
    ok(n > 12, "%zu sentences", n);
    const char *paragraph = json_string_value(json_object_get(document, "paragraph"));
    for (size_t i = 0; i < n && paragraph; i++) {
        json_t *sentence = json_array_get(json_object_get(document, "sentences"), i);
        const char *part =
            strstr(paragraph + at, json_string_value(json_object_get(sentence, "text")));
        if (!part)
            ok(false, "sentence %zu is not in the paragraph, or not in order", i);
        else
            at = (size_t)(part - paragraph);
    }
    json_t *missing = json_object_get(document, "not_recorded");
    is_str(json_string_value(json_array_get(missing, 0)), "date", "what is missing");
    ok(strstr(json_string_value(json_object_get(document, "bibtex")), "@misc{wattle,"), "BibTeX");
    json_decref(document);
    wtl_cite_free(found);
}

int main(void)
{
    test_one();
    test_repeats();
    test_refused();
    test_json();
    free(text);
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The three formats of a result: fields of JSON by name and type, cells of CSV, words of the
 * text. */
#define _GNU_SOURCE
#include "report/report.h"

#include <errno.h>
#include <jansson.h>

#include "report/result/mpi.h"
#include "report/result/regions.h"
#include "tap.h"
#include "unit/sample_result.h"

static char *text;
static size_t size;

static int render_as(enum wtl_format format,
                     const struct wtl_result *results,
                     size_t count,
                     const struct wtl_style *style)
{
    struct wattle_error err = {""};
    free(text);
    text = NULL;
    FILE *out = open_memstream(&text, &size);
    int rc = wtl_report_results(out, format, results, count, style, &err);
    (void)fclose(out);
    return rc;
}

static int render(enum wtl_format format, const struct wtl_result *results, size_t count)
{
    return render_as(format, results, count, NULL);
}

static const struct wtl_style verbose = {.verbose = true};

static size_t lines(void)
{
    size_t n = 0;
    for (const char *p = text; *p; p++)
        n += *p == '\n';
    return n;
}

static json_t *parsed(const struct wtl_result *results, size_t count)
{
    is_int(render(WTL_FORMAT_JSON, results, count), 0, "JSON");
    json_t *document = json_loads(text, 0, NULL);
    ok(document != NULL, "is JSON");
    ok(!strstr(text, "nan") && !strstr(text, "inf"), "without NaN");
    return document;
}

static const json_t *at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    ok(value != NULL, "has \"%s\"", key);
    return value;
}

static void test_json(void)
{
    static const char *const fields[] = {"schema",
                                         "command",
                                         "exit_code",
                                         "wall_time_s",
                                         "start_monotonic_ns",
                                         "end_monotonic_ns",
                                         "channels",
                                         "total",
                                         "process",
                                         "flags",
                                         "trace"};
    static const char *const channel_fields[] = {
        "name",           "domain",     "sensor",
        "quality",        "simulated",  "primary",
        "within",         "energy_j",   "resolution_interval_j",
        "mean_w",         "min_w",      "max_w",
        "stat_window_ms", "samples",    "gaps",
        "gap_s",          "gap_reasons"};
    struct wtl_result r = sample_result(1);
    (void)wtl_result_flag(&r, "CAPPED", "a limit");
    json_t *d = parsed(&r, 1);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        (void)at(d, fields[i]);
    is_str(json_string_value(at(d, "schema")), "wattle.run/1", "schema");
    is_str(json_string_value(at(d, "command")), "./app --size \"1\"", "command");
    is_int(json_integer_value(at(d, "start_monotonic_ns")), 5000000000, "start");
    is_int(json_array_size(at(d, "channels")), 4, "channels of energy and power only");
    is_int(json_array_size(at(d, "activity")), 1, "the others are activity");
    is_str(json_string_value(json_array_get(at(d, "flags"), 0)), "CAPPED", "flags by name");
    const json_t *c = json_array_get(at(d, "channels"), 2);
    for (size_t i = 0; i < sizeof channel_fields / sizeof *channel_fields; i++)
        (void)at(c, channel_fields[i]);
    is_str(json_string_value(at(c, "name")), "powercap:dram-0", "name");
    is_double(json_real_value(at(c, "energy_j")), 100, 0, "energy");
    is_double(json_real_value(at(c, "stat_window_ms")), 20, 1e-9, "window of statistics");
    is_double(json_real_value(at(c, "gap_s")), 0.31, 1e-9, "gap time");
    is_str(json_string_value(json_array_get(at(c, "gap_reasons"), 1)), "overrun", "a reason");
    ok(json_is_null(at(c, "within")), "not within another");
    is_str(json_string_value(at(json_array_get(at(d, "channels"), 1), "within")),
           "powercap:package-0", "within");
    const json_t *total = at(d, "total");
    is_double(json_real_value(at(total, "energy_j")), 1100, 1e-9, "total");
    is_int(json_array_size(at(total, "channels")), 2, "of two channels");
    is_str(json_string_value(at(total, "quality")), "measured", "quality");
    ok(json_is_array(at(total, "excludes")), "excludes is a list");
    ok(json_is_null(at(at(d, "process"), "energy_share_j")), "unknown is null");
    ok(json_is_null(at(d, "idle")) && json_is_null(at(d, "work")), "not asked for is null");
    is_double(json_real_value(at(d, "edp_js")), 11000, 1e-9, "EDP");
    json_decref(d);
    wtl_result_fini(&r);
}

static void test_odd_json(void)
{
    struct wtl_result r = sample_result(1);
    r.command = "a\xFF\x01z";
    r.exit_code = -1;
    r.trace = NULL;
    r.channels[0].summary.amount = INFINITY;
    r.channels[1].summary.amount = NAN;
    json_t *d = parsed(&r, 1);
    is_str(json_string_value(at(d, "command")), "a\xEF\xBF\xBD\x01z", "bytes that are no UTF-8");
    ok(json_is_null(at(d, "exit_code")), "no exit code");
    ok(json_is_null(at(d, "trace")), "no trace");
    ok(json_is_null(at(json_array_get(at(d, "channels"), 0), "energy_j")), "infinite is null");
    json_decref(d);
    wtl_result_fini(&r);

    struct wtl_result none = {.exit_code = -1, .own_cpu_s = NAN, .max_rss_bytes = -1};
    wtl_result_total(&none);
    d = parsed(&none, 1);
    ok(json_is_null(at(at(d, "wattle"), "missed")), "a measurement that was cut off told nothing");
    ok(json_is_null(at(at(d, "wattle"), "late_p99_us")), "so its lateness is unknown, not 0");
    ok(json_is_null(at(at(d, "process"), "max_rss_bytes")), "what can be no number of bytes");
    ok(json_is_null(at(at(d, "total"), "energy_j")), "no channel, no total");
    is_int(json_array_size(at(d, "channels")), 0, "no channels");
    json_decref(d);
}

/* Names in an untrusted trace are keys of the document. */
static void test_odd_keys(void)
{
    struct wtl_result runs[2] = {sample_result(1), sample_result(1)};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(runs[i].channels[0].channel.name, WATTLE_NAME_MAX, "a\xFF:b");
        (void)wtl_result_flag(&runs[i], "\xFF", "odd");
    }
    json_t *d = parsed(runs, 2);
    ok(json_object_get(at(d, "flag_texts"), "\xEF\xBF\xBD"), "a flag");
    ok(json_object_get(at(at(d, "repeat"), "channels"), "a\xEF\xBF\xBD:b"), "a channel");
    json_decref(d);
    for (size_t i = 0; i < 2; i++)
        wtl_result_fini(&runs[i]);
}

static void test_repeats(void)
{
    struct wtl_result runs[3] = {sample_result(1), sample_result(1.1), sample_result(1.2)};
    json_t *d = parsed(runs, 3);
    const json_t *repeat = at(d, "repeat");
    is_int(json_integer_value(at(repeat, "n")), 3, "n");
    is_double(json_real_value(at(at(repeat, "energy_j"), "sd")), 110, 1e-9, "sd");
    is_double(json_real_value(at(at(d, "total"), "energy_j")), 1210, 1e-9, "the mean on top");
    is_int(json_array_size(at(d, "runs")), 3, "each run");
    is_double(json_real_value(at(at(json_array_get(at(d, "runs"), 2), "total"), "energy_j")), 1320,
              1e-9, "with its own energy");
    ok(json_is_null(at(d, "start_monotonic_ns")), "means have no window");
    json_decref(d);
    is_int(render(WTL_FORMAT_TEXT, runs, 3), 0, "text");
    ok(strstr(text, "mean of 3 runs"), "says how many runs");
    ok(strstr(text, "1210 +- 270"), "with the interval over runs");
    ok(strstr(text, "\n   2      1210.0"), "and each run");
    is_int(render(WTL_FORMAT_TEXT, runs, 2), 0, "text of two runs");
    ok(strstr(text, "variation between runs is unknown"), "two runs have no interval");
    for (size_t i = 0; i < 3; i++)
        wtl_result_fini(&runs[i]);
}

static void test_text(void)
{
    struct wtl_result r = sample_result(1);
    is_int(render(WTL_FORMAT_TEXT, &r, 1), 0, "text");
    ok(strstr(text, "+ powercap:package-0   1000.0 +- 1.0    100.00"),
       "digits that the interval supports");
    ok(strstr(text, "+   powercap:core-0") == NULL && strstr(text, "    powercap:core-0"),
       "what lies within another is below it and not added");
    ok(strstr(text, "total                1100.0 +- 1.0"), "the total");
    ok(!strstr(text, "EDP") && !strstr(text, "MiB") && !strstr(text, "2 times"),
       "no more than needed");
    is_int(render_as(WTL_FORMAT_TEXT, &r, 1, &verbose), 0, "verbose");
    ok(strstr(text, "powercap:dram-0: 2 times, 310 ms in all (read failed, overrun)"), "gaps");
    ok(strstr(text, "EDP 11000 J s"), "EDP");
    ok(!strstr(text, "\033["), "no escapes");
    static const struct {
        int line, exit_code;
        const char *words;
    } ends[] = {{__LINE__, 139, ", killed by signal 11:"},
                {__LINE__, 255, ", exit status 255:"}, /* no signal has the number 127 */
                {__LINE__, 3, ", exit status 3:"},
                {__LINE__, -1, "\"1\" in 10.0000 s:"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        tap_line = ends[i].line;
        r.exit_code = ends[i].exit_code;
        is_int(render(WTL_FORMAT_TEXT, &r, 1), 0, "text of one that ended with %d", r.exit_code);
        ok(strstr(text, ends[i].words), "%s", ends[i].words);
    }
    tap_line = 0;
    size_t longest = 0;
    for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
        longest = strcspn(p, "\n") > longest ? strcspn(p, "\n") : longest;
    ok(longest <= 80, "fits 80 columns: %zu", longest);
    diag("the table, for the eye:");
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        diag("%.*s", (int)(end - line), line);
    wtl_result_fini(&r);
}

/* Most readers need ten lines, with a warning; a warning is cut only between its clauses. */
static void test_short(void)
{
    struct wtl_result r = sample_result(1);
    const struct wtl_style wide = {.width = 140}, narrow = {.width = 64};
    r.trace = (char[]){"a b.wtl"};
    r.own_cpu_s = 0.01 * r.wall_time_s;
    r.missed = 0;
    r.dropped = false;
    (void)wtl_result_flag(&r, "NOT ALONE", "%s",
                          "other processes used 2.00 CPUs on average (2 s): the machine's energy "
                          "contains theirs");
    is_int(render(WTL_FORMAT_TEXT, &r, 1), 0, "text");
    ok(lines() <= 11, "%zu lines: %s", lines(), text);
    ok(strstr(text, "\n ! NOT ALONE     other processes used 2.00 CPUs on average (2 s) ...\n"),
       "in short");
    ok(strstr(text, "; +- is resolution, not calibration;\n"), "what the interval is");
    ok(strstr(text, " min..max over 20.0 ms\n"), "how long a mean is");
    ok(strstr(text, "\n trace           wattle report 'a b.wtl'\n"), "the next command");
    ok(!strstr(text, "wattle itself") && !strstr(text, "! SAMPLES"), "cheap enough");
    is_int(render_as(WTL_FORMAT_TEXT, &r, 1, &wide), 0, "wide");
    ok(strstr(text, "(2 s): the machine's energy contains theirs\n"), "whole where it fits");
    is_int(render_as(WTL_FORMAT_TEXT, &r, 1, &narrow), 0, "narrow");
    ok(strstr(text, "\n ! NOT ALONE     other processes used 2.00 CPUs on average ...\n"),
       "shorter");
    ok(strstr(text, " quality\n"), "the quality is never left out");
    ok(strstr(text, "\n (too narrow for: min..max [W])\n"), "what is, is named");
    is_int(render_as(WTL_FORMAT_TEXT, &r, 1, &verbose), 0, "verbose");
    ok(strstr(text, "contains theirs\n") && strstr(text, "wattle itself"), "everything");
    r.own_cpu_s = 0.02 * r.wall_time_s;
    r.missed = 3;
    is_int(render(WTL_FORMAT_TEXT, &r, 1), 0, "text");
    ok(strstr(text, "\n wattle itself   200 ms of CPU time, 2 % of one CPU\n"), "its cost");
    ok(strstr(text, "\n ! SAMPLES       3 missed\n"), "what it missed");
    r.trace = NULL;
    wtl_result_fini(&r);
}

static void test_estimate(void)
{
    struct wtl_result r = {.channel_count = 1,
                           .channels = calloc(1, sizeof *r.channels),
                           .wall_time_s = 10,
                           .target = "machine",
                           .cpu_s = NAN,
                           .max_rss_bytes = NAN,
                           .energy_share_j = NAN,
                           .others_share_j = NAN,
                           .gpu_share_j = NAN,
                           .gpu_others_j = NAN,
                           .gpu_idle_j = NAN,
                           .gpu_unattributed_j = NAN,
                           .share_idle_j = NAN,
                           .unattributed_j = NAN,
                           .idle_before_w = NAN,
                           .idle_after_w = NAN,
                           .work = NAN,
                           .own_cpu_s = NAN,
                           .exit_code = -1};
    r.channels[0] = sample_channel("estimate", WATTLE_DOMAIN_NODE, WATTLE_CHANNEL_PRIMARY, 812);
    r.channels[0].channel.quality = WATTLE_ESTIMATED;
    r.channels[0].channel.ratio_low = 0.55;
    r.channels[0].channel.ratio_high = 1.7;
    wtl_result_total(&r);
    is_int(render(WTL_FORMAT_TEXT, &r, 1), 0, "text of an estimate");
    ok(strstr(text, "Energy of the machine in 10.0000 s:"), "title");
    ok(strstr(text, "810 (450..1380)"), "with its interval");
    ok(strstr(text, "\n ESTIMATED       "), "says so");
    ok(strstr(text, "\"wattle sensors\""), "and what would make it a measurement");
    ok(!strstr(text, "+- "), "and pretends no resolution");
    wtl_result_fini(&r);

    struct wtl_result none = {.exit_code = -1, .cpu_s = NAN, .energy.j = NAN, .own_cpu_s = NAN};
    is_int(render(WTL_FORMAT_TEXT, &none, 1), 0, "text without a channel");
    ok(strstr(text, "unknown: no energy was recorded"), "never a silent zero");
}

/* Parts of the GPUs, which add up as printed; what is not known is told. */
static void test_gpu_shares(void)
{
    struct wtl_result r = sample_result(1);
    r.energy_share_j = r.gpu_share_j = 100.06;
    r.others_share_j = r.gpu_others_j = 50.06;
    r.share_idle_j = r.gpu_idle_j = 0;
    r.gpu_unattributed_j = 2.08;
    r.unattributed_j = r.energy.j - 150.12;
    is_int(render(WTL_FORMAT_TEXT, &r, 1), 0, "text of shares of GPUs");
    ok(strstr(text, " by CPU time and time on GPUs ("), "by what");
    ok(strstr(text,
              "\n of it GPUs      100.1 J by time on them (derived); others 50.1 J, idle 0.0 J,"),
       "the parts %s", text);
    ok(strstr(text, "unattributed 2.0 J"), "whose sum is 152.2 J");
    json_t *d = parsed(&r, 1);
    is_double(json_number_value(at(at(d, "process"), "gpu_others_j")), 50.06, 0, "JSON");
    json_decref(d);
    r.gpu_unattributed_j += r.gpu_share_j + r.gpu_others_j;
    r.gpu_share_j = r.gpu_others_j = 0;
    is_int(render(WTL_FORMAT_TEXT, &r, 1), 0, "text of unknown ones");
    ok(strstr(text, "unknown: the use of GPUs is not known; 152.2 J unattributed"), "told %s",
       text);
    ok(!strstr(text, "time on GPUs"), "and not by their time");
    wtl_result_fini(&r);
}

static void test_csv(void)
{
    struct wtl_result r = sample_result(1);
    r.channels[1].summary.amount = NAN;
    is_int(render(WTL_FORMAT_CSV, &r, 1), 0, "CSV");
    size_t lines = 0, commas = 0, wanted = 0;
    bool even = true;
    for (const char *p = text; *p; p++) {
        commas += *p == ',';
        if (*p != '\n')
            continue;
        if (lines++ == 0)
            wanted = commas;
        even = even && commas == wanted;
        commas = 0;
    }
    is_int(lines, 6, "a header, four channels, the total");
    ok(even, "all rows have %zu cells", wanted + 1);
    ok(strstr(text, "\n1,powercap:core-0,core,powercap,measured,0,1,0,powercap:package-0,,"),
       "unknown is empty");
    ok(strstr(text, "\n1,total,,,measured,0,,,,1100,"), "the total");
    wtl_result_fini(&r);
}

/* A simulated value is not called measured in any format, and is unchanged after a round trip
 * through JSON. */
static void test_simulated(void)
{
    struct wtl_result r = sample_result(1);
    for (size_t i = 0; i < r.energy_count; i++)
        r.channels[i].channel.flags |= WATTLE_CHANNEL_SIMULATED;
    json_t *d = parsed(&r, 1);
    const json_t *of[] = {at(d, "total"), json_array_get(at(d, "channels"), 0)};
    for (size_t i = 0; i < 2; i++) {
        is_str(json_string_value(at(of[i], "quality")), "simulated", "quality");
        ok(json_is_true(at(of[i], "simulated")), "simulated");
        is_str(json_string_value(at(of[i], "simulates")), "measured", "what it simulates");
    }
    json_decref(d);
    is_int(render(WTL_FORMAT_CSV, &r, 1), 0, "CSV");
    ok(strstr(text, "\n1,powercap:core-0,core,powercap,simulated,1,"), "of a channel");
    ok(strstr(text, "\n1,total,,,simulated,") && !strstr(text, ",,measured,"), "of the total");
    const char *end = strrchr(text, ',');
    ok(end - text > 9 && strncmp(end - 9, ",measured,", 10) == 0,
       "a column says what would be measured");
    is_int(render(WTL_FORMAT_TEXT, &r, 1), 0, "text");
    ok(strstr(text, "simulated") && !strstr(text, "measured\n"), "the table");
    wtl_result_fini(&r);
}

/* A total that excludes energy says so wherever it is printed. */
static void test_incomplete(void)
{
    struct wtl_result r = sample_result(1);
    struct wattle_error err;
    r.channels[0].summary.unknown_ns = 2500000000;
    (void)wtl_result_total(&r);
    is_int(render(WTL_FORMAT_TEXT, &r, 1), 0, "text");
    ok(strstr(text, "! INCOMPLETE"), "a flag");
    is_int(render(WTL_FORMAT_CSV, &r, 1), 0, "CSV");
    const char *total = strstr(text, "\n1,total,");
    ok(strstr(text, ",wall_time_s,unknown_s,simulates,flags\n") && total &&
           strstr(total, ",10,2.5,,INCOMPLETE\n"),
       "the unknown time of the total");
    is_int(render(WTL_FORMAT_JSON, &r, 1), 0, "JSON");
    total = strstr(text, "\"total\": {");
    ok(total && strstr(total, "\"unknown_s\": 2.5"), "the total of JSON");
    char line[256] = "";
    FILE *out = fmemopen(line, sizeof line, "w");
    is_int(out ? wtl_report_progress(out, &r, &err) : -1, 0, "a line while it runs");
    ok(!out || fclose(out) == 0, "closed");
    ok(strstr(line, "  INCOMPLETE: the energy of 2.5 s is missing\n"), "says so: %s", line);
    ok(strncmp(line, "    10.000 s  ", 14) == 0, "up to the end: %s", line);
    r.until_ns = r.start_monotonic_ns + 9250000000;
    r.end_monotonic_ns += 100000000;
    for (size_t i = 0; i < r.energy_count; i++)
        r.channels[i].summary.last_ns = r.until_ns;
    out = fmemopen(line, sizeof line, "w");
    is_int(out ? wtl_report_progress(out, &r, &err) : -1, 0,
           "a line of an energy known up to a time");
    ok(!out || fclose(out) == 0, "closed");
    ok(strncmp(line, "     9.250 s  ", 14) == 0, "has that time: %s", line);
    wtl_result_fini(&r);
}

static void test_failures(void)
{
    struct wtl_result r = sample_result(1);
    struct wattle_error err = {""};
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        skip("no /dev/full here");
    } else {
        is_int(wtl_report_results(full, WTL_FORMAT_JSON, &r, 1, NULL, &err), -ENOSPC, "full");
        ok(strstr(err.text, "free space"), "says: %s", err.text);
        (void)fclose(full);
    }
    is_int(wtl_report_results(stdout, WTL_FORMAT_TEXT, &r, 0, NULL, &err), -EINVAL, "no result");
    wtl_result_fini(&r);
}

/* A trace without a window has no share of it. */
static void test_mpi_unknown(void)
{
    struct wtl_mpi_rank rows[] = {
        {.rank = 0, .calls = 3, .time_s = 1, .share = NAN, .energy_j = NAN},
        {.rank = 1, .calls = 3, .time_s = 2, .share = NAN, .energy_j = NAN}};
    const struct wtl_mpi_time mpi = {.ranks = 2,
                                     .rows = rows,
                                     .count = 2,
                                     .mean_share = NAN,
                                     .union_s = NAN,
                                     .energy = {.j = NAN, .half_j = NAN}};
    const struct wtl_style plain = {0};
    struct wtl_result r = sample_result(1);
    char *said = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&said, &length);
    is_int(wtl_text_mpi(out, &plain, &r, &mpi, true), 0, "printed");
    wtl_result_fini(&r);
    (void)fclose(out);
    ok(strstr(said, "inside MPI unknown of the time") != NULL, "the share is unknown");
    ok(!strstr(said, "nan"), "nothing is nan");
    free(said);
}

int main(void)
{
    test_json();
    test_odd_json();
    test_odd_keys();
    test_repeats();
    test_text();
    test_short();
    test_estimate();
    test_gpu_shares();
    test_csv();
    test_simulated();
    test_incomplete();
    test_failures();
    test_mpi_unknown();
    free(text);
    return done_testing();
}

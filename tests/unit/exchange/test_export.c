/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace of known energy as CSV: order, units, gaps, limits; and failures with a message. */
#define _GNU_SOURCE
#include "exchange/export.h"

#include <errno.h>

#include "../analysis/sample_trace.h"
#include "tap.h"

static char *text;
static size_t size;
static struct wtl_trace_reader *reader;

static int export(const struct wtl_export *options, struct wattle_error *err)
{
    free(text);
    text = NULL;
    FILE *out = open_memstream(&text, &size);
    int rc = wtl_export_write(reader, options, out, err);
    (void)fclose(out);
    return rc;
}

static size_t count_lines(void)
{
    size_t n = 0;
    for (const char *p = text; *p; p++)
        n += *p == '\n';
    return n;
}

static void test_wide(void)
{
    struct wattle_error err = {""};
    struct wtl_export options = {.form = WTL_ROW_WRITER_CSV};
    is_int(export(&options, &err), 0, "everything %s", err.text);
    is_int(count_lines(), 1 + 1201 + 12, "a header, 1201 rows and 12 rows");
    ok(strncmp(text, "time_s,powercap:package-0 [J],powercap:package-0 [W],", 52) == 0,
       "columns with units");
    ok(strstr(text, "[C]\n-1.000000000,0,,\n-0.990000000,0.5,50,\n"),
       "begins before the window, with joules and watts");
    ok(strstr(text, "\n4.990000000,299.5,50,\n5.000000000,,,\n5.010000000,300.5,,\n"
                    "5.020000000,301,50,\n"),
       "a missing value is empty, and so is the power over the gap");
    ok(strstr(text, "\n-0.500000000,25,50,\n-0.500000000,,,40.05\n") ||
           strstr(text, "\n-0.500000000,,,40.05\n-0.500000000,25,50,\n"),
       "groups are merged by time");
    double last = -1e9;
    bool rising = true;
    for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        double now = strtod(line, NULL);
        rising = rising && now >= last;
        last = now;
    }
    ok(rising, "times never fall");
}

static void test_limits(void)
{
    struct wattle_error err = {""};
    struct wtl_export options = {.form = WTL_ROW_WRITER_CSV,
                                 .channels = "powercap:*",
                                 .has_from = true,
                                 .has_until = true,
                                 .from_ns = 1000000000,
                                 .until_ns = 2000000000};
    is_int(export(&options, &err), 0, "one second %s", err.text);
    is_int(count_lines(), 1 + 101, "both ends belong to it");
    ok(strstr(text, "[W]\n1.000000000,0,\n1.010000000,0.5,50\n"), "energy from its first row on");
    ok(!strstr(text, "thermal"), "only the channels asked for");
    options.channels = "powercap:*,powercap:packge-0";
    is_int(export(&options, &err), -EINVAL, "an unknown channel");
    ok(strstr(err.text, "did you mean \"powercap:package-0\"?"), "says: %s", err.text);
    options.channels = "powercap:package-0";
    options.long_form = true;
    is_int(export(&options, &err), 0, "long form");
    ok(strncmp(text,
               "time_s,channel,value,unit,power_w\n1.000000000,powercap:package-0,0,J,\n"
               "1.010000000,powercap:package-0,0.5,J,50\n",
               100) == 0,
       "a row for each value");
    options.from_ns = -5000000000000;
    options.until_ns = -4000000000000;
    is_int(export(&options, &err), 0, "a time before everything");
    is_int(count_lines(), 1, "has no rows");
}

static void test_others(void)
{
    struct wattle_error err = {""};
    struct wtl_export options = {.form = WTL_ROW_WRITER_CSV, .what = WTL_EXPORT_REGIONS};
    is_int(export(&options, &err), 0, "regions %s", err.text);
    is_str(text,
           "time_s,pid,rank,tid,mark,region\n2.000000000,77,,78,begin,solve\n"
           "4.000000000,77,,78,end,solve\n",
           "as they began and ended");
    options.what = WTL_EXPORT_EVENTS;
    is_int(export(&options, &err), 0, "events %s", err.text);
    is_str(text,
           "time_s,pid,rank,tid,type,value,type_text,value_text\n3.000000000,77,,78,9,"
           "9223372036854775808,,\n",
           "with all digits of the value");
    options.what = WTL_EXPORT_GAPS;
    is_int(export(&options, &err), 0, "gaps %s", err.text);
    is_str(text,
           "begin_s,end_s,channel,reason,error\n"
           "4.990000000,5.010000000,powercap:package-0,read failed,Input/output error\n",
           "with their reason");
    options.what = WTL_EXPORT_METADATA;
    options.form = WTL_ROW_WRITER_JSON;
    is_int(export(&options, &err), 0, "metadata %s", err.text);
    ok(strstr(text, "[\"run.command\",\"./app --size 1\"]"), "keys and values");
    ok(strstr(text, "\"window_s\": \"10.000000000\""), "notes");
}

static void test_full(void)
{
    struct wattle_error err = {""};
    struct wtl_export options = {.form = WTL_ROW_WRITER_CSV};
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        skip("no /dev/full here");
        return;
    }
    is_int(wtl_export_write(reader, &options, full, &err), -ENOSPC, "a full disk");
    ok(strstr(err.text, "free space"), "says: %s", err.text);
    (void)fclose(full);
}

/* The block with the gap is lost: no power is computed across an absent value all the same. */
static void test_absent(void)
{
    struct wattle_error err = {""};
    struct wtl_export options = {.form = WTL_ROW_WRITER_CSV};
    struct wattle_channel channel = sample_power_channel();
    struct wtl_trace_writer *w;
    const uint32_t id = 0;
    (void)unlink("absent.wtl");
    if (!is_int(wtl_trace_writer_create("absent.wtl", NULL, &w, &err), 0, "%s", err.text))
        return;
    wtl_trace_writer_channel(w, &channel);
    wtl_trace_writer_group(w, &id, 1, 0);
    for (uint64_t row = 0; row < 5; row++)
        wtl_trace_writer_row(w, 0, SAMPLE_SECOND * (row + 1), &(uint64_t){row * 1000},
                             &(uint8_t){row == 2});
    wtl_trace_writer_finish(w, NULL);
    is_int(wtl_trace_reader_open("absent.wtl", &reader, &err), 0, "opened %s", err.text);
    is_int(export(&options, &err), 0, "wide");
    ok(strstr(text, "\n0.000000000,0,\n1.000000000,1,1\n2.000000000,,\n3.000000000,3,\n"
                    "4.000000000,4,1\n"),
       "no power over it: %s", text);
    options.long_form = true;
    is_int(export(&options, &err), 0, "long");
    ok(strstr(text, "\n2.000000000,powercap:package-0,,J,\n3.000000000,powercap:package-0,3,J,\n"
                    "4.000000000,powercap:package-0,4,J,1\n"),
       "nor here: %s", text);
    wtl_trace_reader_close(reader);
}

int main(void)
{
    struct wattle_error err = {""};
    if (!is_int(sample_trace("export.wtl", SAMPLE_WHOLE), 0, "a trace") ||
        !is_int(wtl_trace_reader_open("export.wtl", &reader, &err), 0, "opened"))
        return done_testing();
    test_wide();
    test_limits();
    test_others();
    test_full();
    wtl_trace_reader_close(reader);
    test_absent();
    free(text);
    return done_testing();
}

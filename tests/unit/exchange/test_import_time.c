/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of other tools: units, dates, zones, and what is guessed from a number's magnitude. */
#include "exchange/import/import_time.h"

#include <errno.h>

#include "tap.h"

static void test_parse(void)
{
    static const struct {
        int line;
        enum wtl_time_unit unit;
        const char *text;
        int rc;
        int64_t ns;
    } rows[] = {{__LINE__, WTL_TIME_S, "1.5", 0, 1500000000},
                {__LINE__, WTL_TIME_S, "1736870539.3604305", 0, 1736870539360430500},
                {__LINE__, WTL_TIME_S, "-0.000000001", 0, -1},
                {__LINE__, WTL_TIME_MS, "12.25", 0, 12250000},
                {__LINE__, WTL_TIME_US, "7", 0, 7000},
                {__LINE__, WTL_TIME_NS, "1736870539360430517", 0, 1736870539360430517},
                {__LINE__, WTL_TIME_NS, "0.7", 0, 1},
                {__LINE__, WTL_TIME_MIN, "2", 0, 120000000000},
                {__LINE__, WTL_TIME_H, "0.5", 0, 1800000000000},
                {__LINE__, WTL_TIME_S, "1e30", -ERANGE, 0},
                {__LINE__, WTL_TIME_S, "x", -EINVAL, 0},
                {__LINE__, WTL_TIME_ISO, "1970-01-01T00:00:00Z", 0, 0},
                {__LINE__, WTL_TIME_ISO, "2023-09-19T09:27:43Z", 0, 1695115663000000000},
                {__LINE__, WTL_TIME_ISO, "2023-09-19 11:27:43.25+02:00", 0, 1695115663250000000},
                {__LINE__, WTL_TIME_ISO, "2023-09-19T04:27:43-0500", 0, 1695115663000000000},
                {__LINE__, WTL_TIME_ISO, "2023/09/19 09:27 UTC", 0, 1695115620000000000},
                {__LINE__, WTL_TIME_ISO, "2000-02-29", 0, 951782400000000000},
                {__LINE__, WTL_TIME_ISO, "1969-12-31T23:59:59.5Z", 0, -500000000},
                {__LINE__, WTL_TIME_ISO, "2023-13-01", -EINVAL, 0},
                {__LINE__, WTL_TIME_ISO, "2023-09-19T25:00:00Z", -EINVAL, 0},
                {__LINE__, WTL_TIME_ISO, "2023-09-19T09:27:43X", -EINVAL, 0},
                {__LINE__, WTL_TIME_ISO, "9999-01-01", -ERANGE, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_time_form form = {.unit = rows[i].unit};
        int64_t ns = 0;
        tap_line = rows[i].line;
        is_int(wtl_time_parse(rows[i].text, strlen(rows[i].text), &form, &ns), rows[i].rc, "\"%s\"",
               rows[i].text);
        is_int(ns, rows[i].ns, "ns of \"%s\"", rows[i].text);
    }
    tap_line = 0;
}

static void test_guess(void)
{
    static const struct {
        int line;
        const char *text;
        enum wtl_time_unit unit;
        enum wtl_time_epoch epoch;
    } rows[] = {{__LINE__, "0.066611", WTL_TIME_S, WTL_EPOCH_START},
                {__LINE__, "1695115663", WTL_TIME_S, WTL_EPOCH_1970},
                {__LINE__, "1695115663123", WTL_TIME_MS, WTL_EPOCH_1970},
                {__LINE__, "1695115663123456", WTL_TIME_US, WTL_EPOCH_1970},
                {__LINE__, "1695115663123456789", WTL_TIME_NS, WTL_EPOCH_1970},
                {__LINE__, "2023-09-19T09:27:43Z", WTL_TIME_ISO, WTL_EPOCH_1970}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_time_form form = {.unit = WTL_TIME_AUTO};
        tap_line = rows[i].line;
        ok(wtl_time_guess(rows[i].text, strlen(rows[i].text), &form), "\"%s\" is a time",
           rows[i].text);
        is_int(form.unit, rows[i].unit, "its unit");
        is_int(form.epoch, rows[i].epoch, "its epoch");
    }
    tap_line = 0;
    struct wtl_time_form form = {.unit = WTL_TIME_AUTO};
    ok(!wtl_time_guess("idle", 4, &form), "a word is none");
    char text[40];
    wtl_time_print(1695115663250000000, text, sizeof text);
    is_str(text, "2023-09-19T09:27:43.250000000Z", "printed again");
}

int main(void)
{
    test_parse();
    test_guess();
    return done_testing();
}

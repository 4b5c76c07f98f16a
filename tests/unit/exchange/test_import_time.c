/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of other tools: units, dates, zones, and what a time in a file says about all of them. */
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
    } rows[] = {
        {__LINE__, WTL_TIME_S, "1.5", 0, 1500000000},
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
        {__LINE__, WTL_TIME_ISO, "9999-01-01", -ERANGE, 0},
        {__LINE__, WTL_TIME_PS, "2500000", 0, 2500},
        {__LINE__, WTL_TIME_DAYS, "0.5", 0, 43200000000000},
        {__LINE__, WTL_TIME_DMY, "14.7.2026 3:04:05.5", 0, 1783998245500000000},
        {__LINE__, WTL_TIME_MDY, "7/14/2026 3:04:05 PM", 0, 1784041445000000000},
        {__LINE__, WTL_TIME_MDY, "7/14/2026 12:04:05 AM", 0, 1783987445000000000},
        {__LINE__, WTL_TIME_MDY, "14/7/2026", -EINVAL, 0},
        {__LINE__, WTL_TIME_ISO, "20260714 15:04:05", 0, 1784041445000000000},
        {__LINE__, WTL_TIME_ISO, "20260714T150405", -EINVAL, 0},
        {__LINE__, WTL_TIME_ISO, "20261314 15:04:05", -EINVAL, 0},
        {__LINE__, WTL_TIME_CTIME, "Sun Feb 28 00:17:04 2021 -0800", 0, 1614500224000000000}};
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

static void test_settle(void)
{
    static const struct {
        int line;
        const char *text;
        enum wtl_time_unit given, unit;
        enum wtl_time_epoch epoch;
        int rc;
    } rows[] = {{__LINE__, "0.066611", WTL_TIME_S, WTL_TIME_S, WTL_EPOCH_START, 0},
                {__LINE__, "0.066611", 0, 0, 0, -ENODATA},
                {__LINE__, "100000000", 0, 0, 0, -ENODATA},
                {__LINE__, "1695115663", 0, WTL_TIME_S, WTL_EPOCH_1970, 0},
                {__LINE__, "1695115663123", 0, WTL_TIME_MS, WTL_EPOCH_1970, 0},
                {__LINE__, "1695115663123456", 0, WTL_TIME_US, WTL_EPOCH_1970, 0},
                {__LINE__, "1695115663123456789", 0, WTL_TIME_NS, WTL_EPOCH_1970, 0},
                {__LINE__, "1695115663123", WTL_TIME_S, WTL_TIME_S, 0, -ERANGE},
                {__LINE__, "2023-09-19T09:27:43Z", 0, WTL_TIME_ISO, WTL_EPOCH_1970, 0},
                {__LINE__, "16/06/2020 09:59", 0, WTL_TIME_DMY, WTL_EPOCH_1970, 0},
                {__LINE__, "6/16/2020 09:59", 0, WTL_TIME_MDY, WTL_EPOCH_1970, 0},
                {__LINE__, "6.5.2020 09:59", 0, WTL_TIME_DMY, WTL_EPOCH_1970, 0},
                {__LINE__, "6/5/2020 09:59", 0, WTL_TIME_MDY, WTL_EPOCH_1970, -ENOTUNIQ},
                {__LINE__, "6/5/2020 09:59", WTL_TIME_MDY, WTL_TIME_MDY, WTL_EPOCH_1970, 0},
                {__LINE__, "Sun Feb 28 00:17:04 2021 -0800", 0, WTL_TIME_CTIME, WTL_EPOCH_1970, 0},
                {__LINE__, "idle", 0, 0, WTL_EPOCH_1970, -EINVAL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_time_form form = {.unit = rows[i].given};
        tap_line = rows[i].line;
        is_int(wtl_time_settle(rows[i].text, strlen(rows[i].text), &form), rows[i].rc, "\"%s\"",
               rows[i].text);
        is_int(form.unit, rows[i].unit, "its unit");
        is_int(form.epoch, rows[i].epoch, "its epoch");
    }
    tap_line = 0;
    char text[40];
    wtl_time_print(1695115663250000000, text, sizeof text);
    is_str(text, "2023-09-19T09:27:43.250000000Z", "printed again");
}

int main(void)
{
    test_parse();
    test_settle();
    return done_testing();
}

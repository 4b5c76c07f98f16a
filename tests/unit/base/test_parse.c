/* SPDX-License-Identifier: BSD-3-Clause */
/* Text to numbers: what is accepted, what is refused, and that a refusal changes nothing. */
#include "base/parse.h"

#include <errno.h>
#include <locale.h>

#include "tap.h"

static void test_u64(void)
{
    static const struct {
        int line;
        const char *text;
        int rc;
        uint64_t value;
    } rows[] = {
        {__LINE__, "0", 0, 0},
        {__LINE__, "007", 0, 7},
        {__LINE__, "18446744073709551615", 0, UINT64_MAX},
        {__LINE__, "18446744073709551616", -EOVERFLOW, 0},
        {__LINE__, "99999999999999999999", -EOVERFLOW, 0},
        {__LINE__, "", -EINVAL, 0},
        {__LINE__, "-1", -EINVAL, 0},
        {__LINE__, "+1", -EINVAL, 0},
        {__LINE__, " 1", -EINVAL, 0},
        {__LINE__, "1 ", -EINVAL, 0},
        {__LINE__, "1x", -EINVAL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 42;
        tap_line = rows[i].line;
        is_int(wtl_parse_u64(rows[i].text, &value), rows[i].rc, "\"%s\"", rows[i].text);
        ok(value == (rows[i].rc ? 42 : rows[i].value), "value");
    }
    tap_line = 0;
}

static void test_hex(void)
{
    uint64_t value = 42;
    is_int(wtl_parse_hex_u64("0xC0010299", &value), 0, "hexadecimal");
    is_int(value, 0xC0010299, "its value");
    is_int(wtl_parse_hex_u64("0xffffffffffffffff", &value), 0, "16 digits");
    ok(value == UINT64_MAX, "its value");
    is_int(wtl_parse_hex_u64("0x10000000000000000", &value), -EOVERFLOW, "17 digits");
    is_int(wtl_parse_hex_u64("0x", &value), -EINVAL, "no digits");
    is_int(wtl_parse_hex_u64("0x1g", &value), -EINVAL, "no hexadecimal digit");
    is_int(wtl_parse_hex_u64("12", &value), 0, "decimal");
    is_int(value, 12, "its value");
}

static void test_double(void)
{
    static const struct {
        int line;
        const char *text;
        int rc;
        double value;
    } rows[] = {
        {__LINE__, "1.5", 0, 1.5},          {__LINE__, "-3e-2", 0, -0.03},
        {__LINE__, ".5", 0, 0.5},           {__LINE__, "2.3283064365386962890625e-10", 0, 0x1p-32},
        {__LINE__, "1,5", -EINVAL, 0},      {__LINE__, "nan", -EINVAL, 0},
        {__LINE__, "inf", -EINVAL, 0},      {__LINE__, "0x10", -EINVAL, 0},
        {__LINE__, "1e999", -EOVERFLOW, 0}, {__LINE__, "1.5W", -EINVAL, 0},
        {__LINE__, "", -EINVAL, 0},         {__LINE__, ".", -EINVAL, 0},
    };
    /* A locale with a decimal comma, if available, must not change anything. */
    (void)setlocale(LC_ALL, "de_DE.UTF-8");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = 42;
        tap_line = rows[i].line;
        is_int(wtl_parse_double(rows[i].text, &value), rows[i].rc, "\"%s\"", rows[i].text);
        is_double(value, rows[i].rc ? 42 : rows[i].value, 0, "value");
    }
    tap_line = 0;
}

static void test_duration_and_bytes(void)
{
    static const struct {
        int line;
        const char *text;
        int rc;
        uint64_t ns;
    } durations[] = {
        {__LINE__, "2", 0, 2000000000},    {__LINE__, "10ms", 0, 10000000},
        {__LINE__, "1.5s", 0, 1500000000}, {__LINE__, "976.5625us", 0, 976563},
        {__LINE__, "1m", 0, 60000000000},  {__LINE__, "1d", 0, 86400000000000},
        {__LINE__, "7ns", 0, 7},           {__LINE__, "-1s", -EINVAL, 0},
        {__LINE__, "1 s", -EINVAL, 0},     {__LINE__, "1w", -EINVAL, 0},
        {__LINE__, "1e9d", -EOVERFLOW, 0}, {__LINE__, "ms", -EINVAL, 0},
    };
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        uint64_t value = 42;
        tap_line = durations[i].line;
        is_int(wtl_parse_duration(durations[i].text, &value), durations[i].rc, "duration \"%s\"",
               durations[i].text);
        is_int(value, durations[i].rc ? 42 : durations[i].ns, "value");
    }
    tap_line = 0;
}

static void test_cpulist(void)
{
    static const struct {
        int line;
        const char *text;
        int rc;
        uint8_t set[2];
    } rows[] = {
        {__LINE__, "0-3,8,10-11", 7, {0x0f, 0x0d}},
        {__LINE__, "", 0, {0, 0}},
        {__LINE__, "5", 1, {0x20, 0}},
        {__LINE__, "1-1,1", 1, {0x02, 0}},
        {__LINE__, "16", -EOVERFLOW, {0, 0}},
        {__LINE__, "3-1", -EINVAL, {0, 0}},
        {__LINE__, "1,", -EINVAL, {0x02, 0}},
        {__LINE__, "1-", -EINVAL, {0, 0}},
        {__LINE__, "a", -EINVAL, {0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t set[2] = {0};
        tap_line = rows[i].line;
        is_int(wtl_parse_cpulist(rows[i].text, set, 16), rows[i].rc, "list \"%s\"", rows[i].text);
        ok(memcmp(set, rows[i].set, 2) == 0, "its bits");
    }
    tap_line = 0;
    uint64_t value = 42;
    is_int(wtl_scan_u64("123", 2, &value), 2, "no more than n bytes are looked at");
    is_int(value, 12, "value");
    is_int(wtl_scan_u64("12\n", 3, &value), 2, "up to the first other byte");
    is_int(wtl_scan_u64("", 0, &value), -EINVAL, "nothing");
}

static void test_pair(void)
{
    static const char *const bad[] = {"", "1", "1,", ",1", "1,2,3", "1,x", "nan,1", "1 2"};
    char text[] = " 1.5 , -300\r\n", blank[] = "1\t 2\n";
    double first = 0, second = 0;
    is_int(wtl_parse_pair(text, ",", &first, &second), 0, "a pair");
    ok(first == 1.5 && second == -300, "both numbers");
    is_int(wtl_parse_pair(blank, " \t", &first, &second), 0, "with blanks in between");
    ok(first == 1 && second == 2, "both numbers");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char copy[16];
        (void)snprintf(copy, sizeof copy, "%s", bad[i]);
        ok(wtl_parse_pair(copy, ",", &first, &second) < 0, "refused: \"%s\"", bad[i]);
    }
}

int main(void)
{
    test_pair();
    test_u64();
    test_hex();
    test_double();
    test_duration_and_bytes();
    test_cpulist();
    return done_testing();
}

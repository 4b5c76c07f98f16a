/* SPDX-License-Identifier: BSD-3-Clause */
/* Integers from any double, time differences, exit codes. */
#include "base/whole.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "tap.h"

static void test_casts(void)
{
    static const struct {
        int line;
        double x;
        uint64_t u64;
        int64_t i64;
        int whole;
        size_t size; /* at most 7 */
    } cases[] = {
        {__LINE__, 0, 0, 0, 0, 0},
        {__LINE__, 3.9, 3, 3, 3, 3},
        {__LINE__, -3.9, 0, -3, -3, 0},
        {__LINE__, 6.9999, 6, 6, 6, 6},
        {__LINE__, 7, 7, 7, 7, 7},
        {__LINE__, 2147483647, 2147483647, 2147483647, INT_MAX, 7},
        {__LINE__, 1e10, 10000000000, 10000000000, INT_MAX, 7},
        {__LINE__, -1e10, 0, -10000000000, INT_MIN, 0},
        {__LINE__, 0x1p63, UINT64_C(1) << 63, INT64_MAX, INT_MAX, 7},
        {__LINE__, -0x1p63, 0, INT64_MIN, INT_MIN, 0},
        {__LINE__, 0x1p64, UINT64_MAX, INT64_MAX, INT_MAX, 7},
        {__LINE__, 1e300, UINT64_MAX, INT64_MAX, INT_MAX, 7},
        {__LINE__, -1e300, 0, INT64_MIN, INT_MIN, 0},
        {__LINE__, HUGE_VAL, UINT64_MAX, INT64_MAX, INT_MAX, 7},
        {__LINE__, -HUGE_VAL, 0, INT64_MIN, INT_MIN, 0},
        {__LINE__, NAN, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok(wtl_whole_u64(cases[i].x) == cases[i].u64 && wtl_whole_i64(cases[i].x) == cases[i].i64 &&
               wtl_whole_int(cases[i].x) == cases[i].whole &&
               wtl_whole_size(cases[i].x, 7) == cases[i].size,
           "line %d: %g as whole numbers", cases[i].line, cases[i].x);
}

static void test_times(void)
{
    is_double(wtl_seconds_between(5, 1000000005), 1, 0, "a second");
    is_double(wtl_seconds_between(INT64_MAX - 1, INT64_MAX), 1e-9, 0, "a nanosecond far away");
    is_double(wtl_seconds_between(INT64_MIN, INT64_MAX), 0x1p64 * 1e-9, 1,
              "more than 64 bits hold");
    is_double(wtl_seconds_between(INT64_MAX, INT64_MIN), -0x1p64 * 1e-9, 1, "and back");
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int three[] = {3, 1, 2};
    test_casts();
    test_times();
    wtl_sort(NULL, 0, sizeof(int), compare);
    wtl_sort(three, 3, sizeof *three, compare);
    ok(three[0] == 1 && three[2] == 3, "sorted, and nothing is sorted as well");
    ok(wtl_strerror(INT_MIN) && wtl_strerror(INT_MAX), "a code of a broken file has a text");
    is_str(wtl_strerror(-2), wtl_strerror(2), "as others");
    return done_testing();
}

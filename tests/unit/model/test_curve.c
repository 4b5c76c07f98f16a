/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/calibration/curve.h"

#include <errno.h>

#include "tap.h"

static void test_parse(void)
{
    static const struct row {
        int line;
        const char *text;
        int rc;
        size_t count;
    } rows[] = {
        {__LINE__, "0:50,0.5:80,1:120", 0, 3},
        {__LINE__, "0:0,1:1", 0, 2},
        {__LINE__, "0:50+0.5:80+1:120", 0, 3},
        {__LINE__, "0:50+", -EINVAL, 0},
        {__LINE__, "0:50", -EINVAL, 0},
        {__LINE__, "", -EINVAL, 0},
        {__LINE__, "0:50,", -EINVAL, 0},
        {__LINE__, ",0:50,1:60", -EINVAL, 0},
        {__LINE__, "0:50,0:60", -EINVAL, 0},
        {__LINE__, "1:50,0:60", -EINVAL, 0},
        {__LINE__, "0:-1,1:60", -EINVAL, 0},
        {__LINE__, "0:nan,1:60", -EINVAL, 0},
        {__LINE__, "0;50,1;60", -EINVAL, 0},
        {__LINE__, "0:1,1:2,2:3,3:4,4:5,5:6,6:7,7:8,8:9,9:1,10:1,11:1,12:1,13:1,14:1,15:1", 0, 16},
        {__LINE__, "0:1,1:2,2:3,3:4,4:5,5:6,6:7,7:8,8:9,9:1,10:1,11:1,12:1,13:1,14:1,15:1,16:1",
         -EINVAL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wtl_curve curve = {.count = 0};
        struct wattle_error err = {0};
        tap_line = rows[i].line;
        is_int(wtl_curve_parse(rows[i].text, &curve, &err), rows[i].rc, "'%s'", rows[i].text);
        is_int(curve.count, rows[i].count, "points; untouched on failure");
        ok((rows[i].rc < 0) == (err.text[0] != '\0'), "a failure has its sentence");
    }
    tap_line = 0;
}

int main(void)
{
    struct wtl_curve curve;
    test_parse();
    (void)wtl_curve_parse("0:50,0.5:80,1:120", &curve, NULL);
    is_double(wtl_curve_at(&curve, 0), 50, 0, "at the first point");
    is_double(wtl_curve_at(&curve, 0.25), 65, 1e-12, "between");
    is_double(wtl_curve_at(&curve, 0.5), 80, 1e-12, "at a point");
    is_double(wtl_curve_at(&curve, 0.75), 100, 1e-12, "between others");
    is_double(wtl_curve_at(&curve, 7), 120, 0, "flat behind the end");
    is_double(wtl_curve_at(&curve, -7), 50, 0, "flat before the start");
    static const double part[] = {0, 0.6, 1};
    wtl_curve_grid(&curve, part, 3, 100, 50);
    is_double(wtl_curve_at(&curve, 0.5), 130, 1e-12, "a grid scales");
    is_double(wtl_curve_at(&curve, 0.75), 140, 1e-12, "and interpolates");
    return done_testing();
}

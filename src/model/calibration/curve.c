/* SPDX-License-Identifier: BSD-3-Clause */
/* Piecewise linear curves: see curve.h. */
#include "model/calibration/curve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

/* One "x:y" of n bytes. */
static int parse_point(const char *text, size_t n, double *ret_x, double *ret_y)
{
    char copy[64];
    if (n >= sizeof copy)
        return -EINVAL;
    memcpy(copy, text, n);
    copy[n] = '\0';
    char *colon = strchr(copy, ':');
    if (!colon)
        return -EINVAL;
    *colon = '\0';
    if (wtl_parse_double(copy, ret_x) < 0 || wtl_parse_double(colon + 1, ret_y) < 0)
        return -EINVAL;
    return 0;
}

int wtl_curve_parse(const char *text, struct wtl_curve *ret_curve, struct wattle_error *err)
{
    struct wtl_curve curve = {0};
    const char *at = text;
    for (;;) {
        size_t n = strcspn(at, ",+");
        size_t i = curve.count;
        if (i == WTL_CURVE_MAX)
            return wtl_fail(err, -EINVAL, "curve: more than %d points", WTL_CURVE_MAX);
        if (parse_point(at, n, &curve.x[i], &curve.y[i]) < 0)
            return wtl_fail(
                err, -EINVAL,
                "curve: '%.*s' is not a point LOAD:WATTS; write, for example, 0:50,0.5:80,1:120",
                (int)n, at);
        if (curve.y[i] < 0 || (i > 0 && !(curve.x[i] > curve.x[i - 1])))
            return wtl_fail(err, -EINVAL,
                            "curve: '%.*s': loads must increase and watts must not be negative",
                            (int)n, at);
        curve.count++;
        if (at[n] == '\0')
            break;
        at += n + 1;
    }
    if (curve.count < 2)
        return wtl_fail(err, -EINVAL, "curve: at least two points are required");
    *ret_curve = curve;
    return 0;
}

void wtl_curve_grid(struct wtl_curve *curve,
                    const double *values,
                    size_t count,
                    double base,
                    double rise)
{
    if (count > WTL_CURVE_MAX)
        count = WTL_CURVE_MAX;
    curve->count = count;
    for (size_t i = 0; i < count; i++) {
        curve->x[i] = count > 1 ? (double)i / (double)(count - 1) : 0;
        curve->y[i] = base + values[i] * rise;
    }
}

double wtl_curve_at(const struct wtl_curve *curve, double x)
{
    size_t last = curve->count - 1;
    if (!(x > curve->x[0]))
        return curve->y[0];
    for (size_t i = 1; i <= last; i++) {
        if (x <= curve->x[i]) {
            double part = (x - curve->x[i - 1]) / (curve->x[i] - curve->x[i - 1]);
            return curve->y[i - 1] + part * (curve->y[i] - curve->y[i - 1]);
        }
    }
    return curve->y[last];
}

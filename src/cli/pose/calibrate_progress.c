/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of "wattle pose calibrate": one line that is overwritten on a terminal; otherwise one line per
 * turn, as for a job log. */
#include "cli/pose/calibrate.h"

#include <math.h>

#include "report/digits.h"

char *wtl_calibrate_minutes(char *buf, size_t n, double seconds)
{
    if (seconds < 90)
        (void)snprintf(buf, n, "%.0f s", ceil(seconds));
    else
        (void)snprintf(buf, n, "%.0f min", ceil(seconds / 60));
    return buf;
}

void wtl_calibrate_clear(const struct wtl_calibrate *calibrate)
{
    if (calibrate->progress)
        (void)fputs("\r\033[K", stderr);
}

void wtl_calibrate_show(const struct wtl_calibrate *calibrate,
                        const struct wtl_calibrate_load *load,
                        const char *what,
                        double power_w)
{
    char power[32], left[32];
    double about_s, most_s;
    if (!calibrate->progress)
        return;
    wtl_calibrate_time_left(calibrate, &about_s, &most_s);
    /* Time spent in the current turn. */
    uint64_t begun_ns = calibrate->turns_done ? calibrate->done_ns : calibrate->start_ns;
    uint64_t now_ns = wtl_world_monotonic(wtl_world_real());
    about_s = fmax(about_s - (double)(now_ns - begun_ns) * 1e-9, 1);
    (void)fprintf(stderr, "\r\033[K%zu of %zu: %s, %s", calibrate->turns_done + 1, calibrate->turns,
                  load->name, what);
    if (!isnan(power_w))
        (void)fprintf(stderr, ", %s W", wtl_digits_short(power, sizeof power, power_w));
    (void)fprintf(stderr, "; about %s left", wtl_calibrate_minutes(left, sizeof left, about_s));
}

void wtl_calibrate_tell_turn(const struct wtl_calibrate *calibrate,
                             const struct wtl_calibrate_load *load)
{
    char power[32], left[32];
    double about_s, most_s;
    wtl_calibrate_clear(calibrate);
    if (calibrate->progress || calibrate->options.run.quiet)
        return;
    const struct wtl_calibrate_run *run = &load->runs[load->count - 1];
    wtl_calibrate_time_left(calibrate, &about_s, &most_s);
    (void)fprintf(stderr, "%zu of %zu: %s, %s W%s", calibrate->turns_done, calibrate->turns,
                  load->name,
                  wtl_digits_short(power, sizeof power, load->results[load->count - 1].total_w),
                  run->settling.state == WTL_SETTLING_DRIFTED ? ", not settled" : "");
    if (calibrate->turns_done < calibrate->turns)
        (void)fprintf(stderr, "; about %s left", wtl_calibrate_minutes(left, sizeof left, about_s));
    (void)fputc('\n', stderr);
}

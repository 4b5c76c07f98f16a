/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests from text: see hold_request.h. */
#include "control/hold_request.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

const char *const wtl_ask_names[] = {"freq",        "governor", "epp", "turbo",
                                     "power-limit", "uncore",   NULL};

/* "2.1GHz": the number before a unit; the factor of the unit in *ret_factor. */
static int parse_quantity(const char *text,
                          size_t n,
                          const char *const *units,
                          const double *factors,
                          double *ret)
{
    char number[40];
    for (size_t i = 0; units[i]; i++) {
        size_t m = strlen(units[i]);
        if (n <= m || n - m >= sizeof number || memcmp(text + n - m, units[i], m) != 0)
            continue;
        memcpy(number, text, n - m);
        number[n - m] = '\0';
        double value;
        if (wtl_parse_double(number, &value) < 0 || value <= 0)
            return -EINVAL;
        *ret = value * factors[i];
        return 0;
    }
    return -EINVAL;
}

/* A bare whole number is in kHz, if it cannot be in MHz: as cpufreq and Slurm write frequencies. */
static int parse_frequency(const char *text, size_t n, double *ret_hz)
{
    static const char *const units[] = {"GHz", "MHz", "kHz", NULL};
    static const double factors[] = {1e9, 1e6, 1e3};
    char number[40];
    uint64_t khz;
    if (parse_quantity(text, n, units, factors, ret_hz) == 0)
        return *ret_hz >= 1e6 && *ret_hz <= 1e11 ? 0 : -EINVAL;
    if (n >= sizeof number)
        return -EINVAL;
    memcpy(number, text, n);
    number[n] = '\0';
    if (wtl_parse_u64(number, &khz) < 0 || khz < 100000 || khz > 100000000)
        return -EINVAL;
    *ret_hz = (double)khz * 1e3;
    return 0;
}

int wtl_hold_frequency(const char *text, double *ret_hz)
{
    return parse_frequency(text, strlen(text), ret_hz);
}

/* "1.2-2.1GHz": the unit of the second applies to both. */
static int parse_range(const char *text, const char *dash, struct wtl_frequency_wish *wish)
{
    char first[64];
    const char *second = dash + 1, *unit = second + strspn(second, "0123456789.");
    int rc = parse_frequency(text, (size_t)(dash - text), &wish->low_hz);
    if (rc < 0 && (size_t)snprintf(first, sizeof first, "%.*s%s", (int)(dash - text), text, unit) <
                      sizeof first)
        rc = wtl_hold_frequency(first, &wish->low_hz);
    if (rc < 0 || wtl_hold_frequency(second, &wish->high_hz) < 0 || wish->low_hz > wish->high_hz)
        return -EINVAL;
    return 0;
}

static int set_frequency(struct wtl_frequency_wish *ret_wish,
                         const char *option,
                         const char *text,
                         struct wattle_error *err)
{
    struct wtl_frequency_wish wish = {.form = WTL_FREQUENCY_ONE};
    const char *dash = strchr(text, '-');
    int rc = 0;
    if (strcmp(text, "min") == 0) {
        wish.form = WTL_FREQUENCY_MIN;
    } else if (strcmp(text, "max") == 0) {
        wish.form = WTL_FREQUENCY_MAX;
    } else if (dash) {
        wish.form = WTL_FREQUENCY_RANGE;
        rc = parse_range(text, dash, &wish);
    } else {
        rc = wtl_hold_frequency(text, &wish.low_hz);
        wish.high_hz = wish.low_hz;
    }
    if (rc < 0)
        return wtl_fail(
            err, -EINVAL,
            "--%s \"%.40s\": expected a frequency with its unit, a range, min or max: 2.1GHz, "
            "1.2-2.1GHz",
            option, text);
    *ret_wish = wish;
    return 0;
}

static int set_word(char *into,
                    size_t n,
                    const char *option,
                    const char *text,
                    struct wattle_error *err)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strlen(text);
    if (length == 0 || length >= n || strspn(text, letters) != length)
        return wtl_fail(
            err, -EINVAL,
            "--%s \"%.40s\": expected a word; \"wattle knobs\" lists those of this machine", option,
            text);
    memcpy(into, text, length + 1);
    return 0;
}

/* "[:1s][:on]", what follows the watts. */
static int parse_limit_rest(const char *text, uint64_t *ret_window_ns, bool *ret_on)
{
    char window[40];
    size_t n = strlen(text), m = sizeof ":on" - 1;
    *ret_on = n >= m && strcmp(text + n - m, ":on") == 0;
    n -= *ret_on ? m : 0;
    if (n == 0)
        return 0;
    if (text[0] != ':' || n > sizeof window)
        return -EINVAL;
    memcpy(window, text + 1, n - 1);
    window[n - 1] = '\0';
    return wtl_parse_duration(window, ret_window_ns) < 0 || *ret_window_ns == 0 ? -EINVAL : 0;
}

static int set_limit(struct wtl_hold_request *request, const char *text, struct wattle_error *err)
{
    static const char *const units[] = {"kW", "mW", "W", "", NULL};
    static const double factors[] = {1e3, 1e-3, 1, 1};
    size_t n = strcspn(text, ":");
    uint64_t window_ns = 0;
    double limit_w = 0;
    bool on;
    if (parse_quantity(text, n, units, factors, &limit_w) < 0 || limit_w > 1e6 ||
        parse_limit_rest(text + n, &window_ns, &on) < 0)
        return wtl_fail(
            err, -EINVAL,
            "--power-limit \"%.40s\": expected watts per package, a time window, and on for "
            "zones that are switched off: 150W, 150W:1s, 150W:on",
            text);
    request->limit_w = limit_w;
    request->window_s = (double)window_ns * 1e-9;
    request->limit_on = on;
    return 0;
}

static int set_turbo(struct wtl_hold_request *request, const char *text, struct wattle_error *err)
{
    bool on = strcmp(text, "on") == 0;
    if (!on && strcmp(text, "off") != 0)
        return wtl_fail(err, -EINVAL, "--turbo \"%.40s\": expected on or off", text);
    request->turbo = on ? 1 : -1;
    return 0;
}

int wtl_hold_set(struct wtl_hold_request *request,
                 enum wtl_ask ask,
                 const char *text,
                 struct wattle_error *err)
{
    switch (ask) {
    case WTL_ASK_FREQUENCY:
        return set_frequency(&request->frequency, "freq", text, err);
    case WTL_ASK_UNCORE:
        return set_frequency(&request->uncore, "uncore", text, err);
    case WTL_ASK_GOVERNOR:
        return set_word(request->governor, sizeof request->governor, "governor", text, err);
    case WTL_ASK_EPP:
        return set_word(request->epp, sizeof request->epp, "epp", text, err);
    case WTL_ASK_TURBO:
        return set_turbo(request, text, err);
    case WTL_ASK_POWER_LIMIT:
        return set_limit(request, text, err);
    default:
        return wtl_fail(err, -EINVAL, "unknown setting");
    }
}

bool wtl_hold_asks(const struct wtl_hold_request *r)
{
    return r->frequency.form != WTL_FREQUENCY_LEAVE || r->uncore.form != WTL_FREQUENCY_LEAVE ||
           r->governor[0] || r->epp[0] || r->turbo != 0 || r->limit_w > 0;
}

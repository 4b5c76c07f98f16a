/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of knobs, and their values for people: see knob.h. Files are those of Documentation/admin-guide/pm
 * (cpufreq, intel_pstate, amd-pstate, intel_uncore_frequency_scaling) and power/powercap of the kernel. */
#include "control/knob.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

const char *const wtl_scope_names[] = {"policy", "package", "machine"};

#define ROW(KIND, NAME, FILE, UNIT, SCALE, SCOPE, SUMMARY) \
    [WTL_KNOB_##KIND] = {WTL_KNOB_##KIND, NAME, FILE, UNIT, SCALE, WTL_SCOPE_##SCOPE, SUMMARY}
const struct wtl_knob_row wtl_knob_rows[WTL_KNOB_KINDS] = {
    ROW(TURBO_OFF, "turbo", "intel_pstate/no_turbo", "", 0, MACHINE, "turbo frequencies (0 = on)"),
    ROW(TURBO_ON, "turbo", "cpufreq/boost", "", 0, MACHINE, "turbo frequencies (1 = on)"),
    ROW(TURBO_CPU, "turbo", "boost", "", 0, POLICY, "turbo frequencies of these CPUs (1 = on)"),
    ROW(GOVERNOR, "governor", "scaling_governor", "", 0, POLICY, "rule that selects the frequency"),
    ROW(FREQUENCY_MIN, "frequency-min", "scaling_min_freq", "Hz", 1e3, POLICY, "lowest frequency"),
    ROW(FREQUENCY_MAX, "frequency-max", "scaling_max_freq", "Hz", 1e3, POLICY, "highest frequency"),
    ROW(FREQUENCY,
        "frequency",
        "scaling_setspeed",
        "Hz",
        1e3,
        POLICY,
        "frequency of the governor userspace"),
    ROW(EPP,
        "epp",
        "energy_performance_preference",
        "",
        0,
        POLICY,
        "energy or performance, for the processor"),
    ROW(UNCORE_MIN,
        "uncore-min",
        "min_freq_khz",
        "Hz",
        1e3,
        PACKAGE,
        "lowest frequency of caches and mesh"),
    ROW(UNCORE_MAX,
        "uncore-max",
        "max_freq_khz",
        "Hz",
        1e3,
        PACKAGE,
        "highest frequency of caches and mesh"),
    ROW(WINDOW, "power-window", "time_window_us", "s", 1e-6, PACKAGE, "window of a power limit"),
    ROW(LIMIT,
        "power-limit",
        "power_limit_uw",
        "W",
        1e-6,
        PACKAGE,
        "mean power allowed in its window"),
    ROW(ENABLED,
        "power-limits",
        "enabled",
        "",
        0,
        PACKAGE,
        "limits of this zone are in force (1 = on)"),
};

double wtl_knob_number(const char *value)
{
    uint64_t number;
    return wtl_parse_u64(value, &number) < 0 ? NAN : (double)number;
}

/* "2.1 GHz": in a unit that keeps numbers short. */
static void show_number(const char *unit, double value, char *text, size_t n)
{
    static const struct {
        const char *prefix;
        double factor;
    } prefixes[] = {{"G", 1e9}, {"M", 1e6}, {"k", 1e3}};
    for (size_t i = 0; unit[0] == 'H' && i < sizeof prefixes / sizeof *prefixes; i++) {
        if (value >= prefixes[i].factor) {
            (void)snprintf(text, n, "%.10g %s%s", value / prefixes[i].factor, prefixes[i].prefix,
                           unit);
            return;
        }
    }
    (void)snprintf(text, n, "%.6g %s", value, unit);
}

void wtl_knob_show(const struct wtl_knob_row *row, const char *value, char *text, size_t n)
{
    double number = wtl_knob_number(value);
    bool on = (strcmp(value, "1") == 0) != (row->kind == WTL_KNOB_TURBO_OFF);
    if (row->kind <= WTL_KNOB_TURBO_CPU || row->kind == WTL_KNOB_ENABLED)
        (void)snprintf(text, n, "%s", !value[0] ? "" : on ? "on" : "off");
    else if (row->scale > 0 && !isnan(number))
        show_number(row->unit, number * row->scale, text, n);
    else
        (void)snprintf(text, n, "%s", value);
}

void wtl_knob_why(const struct wtl_knob *knob, char *text, size_t n)
{
    static const struct {
        int code;
        const char *why;
    } reasons[] = {
        {-EACCES, "only root may change it"},
        {-EPERM, "only root may change it"},
        {-ENOTSUP, "this machine does not allow it"},
        {-EROFS, "/sys is read-only here"},
        {-EBUSY, "its CPUs are offline"},
    };
    int code = knob->write_error ? knob->write_error : knob->read_error;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (code == reasons[i].code) {
            (void)snprintf(text, n, "%s", reasons[i].why);
            return;
        }
    }
    (void)snprintf(text, n, "%s", code ? wtl_strerror(code) : "");
}

bool wtl_cpu_set_has(const struct wtl_cpu_set *set, int cpu)
{
    return cpu >= 0 && cpu < WTL_CPUS_MAX && (set->bits[cpu / 8] >> (cpu % 8) & 1);
}

bool wtl_cpu_set_meets(const struct wtl_cpu_set *a, const struct wtl_cpu_set *b)
{
    for (size_t i = 0; i < sizeof a->bits; i++) {
        if (a->bits[i] & b->bits[i])
            return true;
    }
    return false;
}

void wtl_cpu_set_without(const struct wtl_cpu_set *a,
                         const struct wtl_cpu_set *b,
                         char *text,
                         size_t n)
{
    size_t used = 0;
    text[0] = '\0';
    for (int cpu = 0; cpu < WTL_CPUS_MAX && used < n; cpu++) {
        int last = cpu;
        while (wtl_cpu_set_has(a, last) && !(b && wtl_cpu_set_has(b, last)))
            last++;
        if (last == cpu)
            continue;
        const char *comma = used > 0 ? "," : "";
        int put = last == cpu + 1
                      ? snprintf(text + used, n - used, "%s%d", comma, cpu)
                      : snprintf(text + used, n - used, "%s%d-%d", comma, cpu, last - 1);
        used += (size_t)put;
        cpu = last;
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Discovery of knobs on recorded hosts, and on machines in a folder with the drivers that differ. */
#define _GNU_SOURCE
#include <math.h>

#include "folder_world.h"

static const struct wtl_knob *find(const struct wtl_knob_list *knobs, const char *id)
{
    for (size_t i = 0; i < knobs->count; i++) {
        if (strcmp(knobs->items[i].id, id) == 0)
            return &knobs->items[i];
    }
    return NULL;
}

/* The hosts of tests/hosts: ids with their values, of root or of a user. */
static void test_hosts(void)
{
    static const struct {
        int line;
        const char *host, *id, *value, *cpus;
        size_t count;
    } rows[] = {
        {__LINE__, "xeon-2s-loaded", "turbo", "0", "0-7", 31},
        {__LINE__, "xeon-2s-loaded", "frequency-max:policy6", "2400000", "6", 31},
        {__LINE__, "xeon-2s-loaded", "power-limit:intel-rapl:1/short_term", "96000000", "4-7", 31},
        {__LINE__, "odd-server", "governor:policy4", "performance", "4", 12},
        {__LINE__, "server-untuned", "governor:policy0", "powersave", "0", 2},
        {__LINE__, "kvm-guest", NULL, NULL, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[512], cpus[64];
        struct wtl_world *world = NULL;
        struct wtl_knob_list knobs;
        struct wattle_error err;
        tap_line = rows[i].line;
        (void)snprintf(path, sizeof path, WATTLE_SOURCE_DIR "/tests/hosts/%s", rows[i].host);
        if (!ok(wtl_world_recorded(path, &world, &err) == 0, "host %s", rows[i].host))
            continue;
        is_int(wtl_knob_list_discover(world, &knobs), 0, "is searched");
        is_int(knobs.count, rows[i].count, "number of knobs");
        const struct wtl_knob *knob = rows[i].id ? find(&knobs, rows[i].id) : NULL;
        if (rows[i].id && ok(knob != NULL, "has %s", rows[i].id)) {
            is_str(knob->value, rows[i].value, "its value");
            wtl_cpu_set_without(&knobs.sets[knob->cpus], NULL, cpus, sizeof cpus);
            is_str(cpus, rows[i].cpus, "its CPUs");
        }
        wtl_knob_list_fini(&knobs);
        wtl_world_close(world);
    }
    tap_line = 0;
}

/* intel_pstate in its active mode: no list of frequencies, no setspeed, turbo inverted. */
static void test_intel(struct folder *f)
{
    static const char *const files[][2] = {{"scaling_driver", "intel_pstate"},
                                           {"scaling_governor", "powersave"},
                                           {"scaling_available_governors", "performance powersave"},
                                           {"scaling_min_freq", "800000"},
                                           {"scaling_max_freq", "3900000"},
                                           {"cpuinfo_min_freq", "800000"},
                                           {"cpuinfo_max_freq", "3900000"},
                                           {"energy_performance_preference", "balance_performance"},
                                           {NULL, NULL}};
    char text[64];
    struct wtl_knob_list knobs;
    folder_remove(f);
    folder_set(f, CPU "/online", "0-1");
    folder_set(f, CPU "/intel_pstate/no_turbo", "1");
    folder_set(f, CPU "/intel_pstate/status", "active");
    folder_set(f, CPU "/intel_uncore_frequency/package_00_die_00/min_freq_khz", "800000");
    folder_set(f, CPU "/intel_uncore_frequency/package_00_die_00/max_freq_khz", "2400000");
    folder_set(f, CPU "/intel_uncore_frequency/package_00_die_00/initial_max_freq_khz", "2400000");
    folder_policy(f, 0, "0", files);
    folder_policy(f, 1, "1", files);
    folder_policy(f, 2, "", files); /* its CPU is offline */
    is_int(wtl_knob_list_discover(&f->world, &knobs), 0, "intel_pstate");
    is_str(knobs.driver, "intel_pstate", "its driver");
    is_str(knobs.mode, "active", "and mode");
    const struct wtl_knob *turbo = find(&knobs, "turbo"),
                          *max = find(&knobs, "frequency-max:policy1");
    ok(!find(&knobs, "frequency:policy0"), "no setspeed");
    ok(!find(&knobs, "governor:policy2"), "nothing of a CPU that is offline");
    ok(find(&knobs, "uncore-max:package_00_die_00") != NULL, "the uncore");
    if (ok(turbo && max, "turbo and limits")) {
        wtl_knob_show(turbo->row, turbo->value, text, sizeof text);
        is_str(text, "off", "no_turbo = 1 is off");
        ok(max->least == 800000 && max->most == 3900000, "a range without a list");
        wtl_knob_show(max->row, max->value, text, sizeof text);
        is_str(text, "3.9 GHz", "a frequency for people");
    }
    wtl_knob_list_fini(&knobs);
}

static void test_requests(void)
{
    static const struct {
        int line;
        enum wtl_ask ask;
        const char *text;
        double low, high; /* NaN = refused */
    } rows[] = {
        {__LINE__, WTL_ASK_FREQUENCY, "2.1GHz", 2.1e9, 2.1e9},
        {__LINE__, WTL_ASK_FREQUENCY, "2100MHz", 2.1e9, 2.1e9},
        {__LINE__, WTL_ASK_FREQUENCY, "2301000", 2.301e9, 2.301e9},
        {__LINE__, WTL_ASK_FREQUENCY, "1.2-2.1GHz", 1.2e9, 2.1e9},
        {__LINE__, WTL_ASK_FREQUENCY, "800MHz-2.1GHz", 0.8e9, 2.1e9},
        {__LINE__, WTL_ASK_FREQUENCY, "2.1", NAN, NAN},
        {__LINE__, WTL_ASK_FREQUENCY, "2.1-1.2GHz", NAN, NAN},
        {__LINE__, WTL_ASK_FREQUENCY, "-1GHz", NAN, NAN},
        {__LINE__, WTL_ASK_FREQUENCY, "GHz", NAN, NAN},
        {__LINE__, WTL_ASK_FREQUENCY, "", NAN, NAN},
        {__LINE__, WTL_ASK_FREQUENCY, "1e30GHz", NAN, NAN},
        {__LINE__, WTL_ASK_FREQUENCY, "nanGHz", NAN, NAN},
        {__LINE__, WTL_ASK_POWER_LIMIT, "150W", 150, 0},
        {__LINE__, WTL_ASK_POWER_LIMIT, "150:0.5s", 150, 0.5},
        {__LINE__, WTL_ASK_POWER_LIMIT, "150W:on", 150, 0},
        {__LINE__, WTL_ASK_POWER_LIMIT, "150W:2s:on", 150, 2},
        {__LINE__, WTL_ASK_POWER_LIMIT, "150W:on:2s", NAN, NAN},
        {__LINE__, WTL_ASK_POWER_LIMIT, "150W:off", NAN, NAN},
        {__LINE__, WTL_ASK_POWER_LIMIT, "150W::on", NAN, NAN},
        {__LINE__, WTL_ASK_POWER_LIMIT, "0W", NAN, NAN},
        {__LINE__, WTL_ASK_POWER_LIMIT, "-5W", NAN, NAN},
        {__LINE__, WTL_ASK_POWER_LIMIT, "150W:", NAN, NAN},
        {__LINE__, WTL_ASK_TURBO, "yes", NAN, NAN},
        {__LINE__, WTL_ASK_GOVERNOR, "a b", NAN, NAN},
        {__LINE__, WTL_ASK_GOVERNOR, "a\nb", NAN, NAN},
        {__LINE__, WTL_ASK_EPP, "", NAN, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_hold_request r = {.cpus = NULL};
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        int rc = wtl_hold_set(&r, rows[i].ask, rows[i].text, &err);
        bool limit = rows[i].ask == WTL_ASK_POWER_LIMIT;
        is_int(rc, isnan(rows[i].low) ? -EINVAL : 0, "\"%s\"", rows[i].text);
        ok(rc == 0 || err.text[0], "with a sentence");
        ok(rc < 0 || (limit ? r.limit_w : r.frequency.low_hz) == rows[i].low, "its value");
        ok(rc < 0 || fabs((limit ? r.window_s : r.frequency.high_hz) - rows[i].high) < 1e-9,
           "and the other");
    }
    tap_line = 0;
}

int main(void)
{
    struct folder f;
    folder_create(&f);
    test_hosts();
    test_intel(&f);
    test_requests();
    folder_remove(&f);
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Each flag just below and above its threshold; unknown numbers raise none. */
#include "counters/flags.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

static struct wtl_flag_input quiet(void)
{
    return (struct wtl_flag_input){.window_s = 10,
                                   .throttle_events = 0,
                                   .limit_w = 100,
                                   .limit_start_w = 100,
                                   .package_w = 60,
                                   .machine_cpu_s = 20.4,
                                   .tree_cpu_s = 20,
                                   .own_cpu_s = 0.1,
                                   .machine_step_s = 0,
                                   .interval_part = 0.0011};
}

static struct wtl_result result;

/* The number of flags that the input raises. */
static size_t judge(const struct wtl_flag_input *in)
{
    wtl_result_fini(&result);
    is_int(wtl_flags_judge(in, &result), 0, "judged");
    return result.flag_count;
}

/* A package with its long-term limit, which is the lower one at the end. */
static void put_package(struct wtl_result *of,
                        int index,
                        double start_w,
                        double limit_w,
                        double drawn_w)
{
    struct wtl_result_channel *package = &of->channels[index];
    struct wtl_result_channel *limit = &of->channels[of->energy_count + (size_t)index];
    limit->channel = (struct wattle_channel){.quantity = WATTLE_POWER_LIMIT,
                                             .domain = WATTLE_DOMAIN_PACKAGE,
                                             .kind = WATTLE_GAUGE,
                                             .label = "package long_term",
                                             .index = index,
                                             .scale = 1e-6};
    limit->summary =
        (struct wtl_summary){.min_w = limit_w, .first_value = (uint64_t)(start_w * 1e6)};
    package->channel = (struct wattle_channel){.quantity = WATTLE_ENERGY,
                                               .domain = WATTLE_DOMAIN_PACKAGE,
                                               .kind = WATTLE_COUNTER,
                                               .flags = WATTLE_CHANNEL_PRIMARY,
                                               .index = index};
    package->summary.mean_w = drawn_w;
}

/* The text of CAPPED for two packages; "" = not raised. */
static const char *capped(const double first[3], const double second[3])
{
    static struct wtl_result_channel channels[4];
    static struct wtl_result of;
    static char text[sizeof of.flags->text];
    const struct wtl_flag_window window = {.edges_lost = NAN};
    of = wtl_result_unknown();
    of.channels = channels;
    of.channel_count = 4;
    of.energy_count = 2;
    put_package(&of, 0, first[0], first[1], first[2]);
    put_package(&of, 1, second[0], second[1], second[2]);
    is_int(wtl_flags_judge_result(&window, &of), 0, "judged");
    (void)snprintf(text, sizeof text, "%s", of.flag_count ? of.flags[0].text : "");
    of.channels = NULL;
    wtl_result_fini(&of);
    return text;
}

static void test_packages(void)
{
    static const double rests[] = {150, 150 - 3e-14, 60}, works[] = {150, 150, 149},
                        lowered[] = {200, 150, 60}, lower[] = {100, 100, 60};
    is_str(capped(rests, rests), "", "a limit whose mean is rounded was not lowered");
    ok(strstr(capped(rests, works), "drew 149 W"), "of equal limits, that of the one at its limit");
    ok(strstr(capped(works, rests), "drew 149 W"), "in any order");
    ok(strstr(capped(works, lowered), "from 200 to 150 W"), "or the one that was lowered");
    ok(strstr(capped(lowered, works), "from 200 to 150 W"), "in any order");
    is_str(capped(lower, works), "", "a lower limit takes effect first");
}

int main(void)
{
    static const struct row {
        int line;
        size_t offset; /* position of a double */
        double value;
        const char *names; /* raised, in order */
    } rows[] = {
        {__LINE__, offsetof(struct wtl_flag_input, window_s), 10, ""},
        {__LINE__, offsetof(struct wtl_flag_input, throttle_events), 1, "THROTTLED "},
        {__LINE__, offsetof(struct wtl_flag_input, throttle_events), NAN, ""},
        {__LINE__, offsetof(struct wtl_flag_input, gpu_hot_part), 0.1, "THROTTLED "},
        {__LINE__, offsetof(struct wtl_flag_input, gpu_hot_part), NAN, ""},
        {__LINE__, offsetof(struct wtl_flag_input, gpu_power_part), 0.1, "CAPPED "},
        {__LINE__, offsetof(struct wtl_flag_input, gpu_power_part), NAN, ""},
        {__LINE__, offsetof(struct wtl_flag_input, package_w), 94.9, ""},
        {__LINE__, offsetof(struct wtl_flag_input, package_w), 95.1, "CAPPED "},
        {__LINE__, offsetof(struct wtl_flag_input, package_w), NAN, ""},
        {__LINE__, offsetof(struct wtl_flag_input, limit_w), 80, "CAPPED "},
        {__LINE__, offsetof(struct wtl_flag_input, limit_w), 100 - 1e-12,
         ""},                                                            /* a mean is rounded */
        {__LINE__, offsetof(struct wtl_flag_input, limit_w), 99.95, ""}, /* "from 100 to 100 W" */
        {__LINE__, offsetof(struct wtl_flag_input, limit_w), 99.8, "CAPPED "},
        {__LINE__, offsetof(struct wtl_flag_input, limit_w), NAN, ""},
        {__LINE__, offsetof(struct wtl_flag_input, limit_start_w), 90,
         ""}, /* raised, not lowered */
        {__LINE__, offsetof(struct wtl_flag_input, machine_cpu_s), 20.59, ""},
        {__LINE__, offsetof(struct wtl_flag_input, machine_cpu_s), 20.61, "NOT ALONE "},
        {__LINE__, offsetof(struct wtl_flag_input, own_cpu_s), NAN, ""},
        {__LINE__, offsetof(struct wtl_flag_input, tree_cpu_s), 19, "NOT ALONE "},
        {__LINE__, offsetof(struct wtl_flag_input, tree_cpu_s), 30, ""},
        {__LINE__, offsetof(struct wtl_flag_input, tree_cpu_s), NAN, ""},
        {__LINE__, offsetof(struct wtl_flag_input, machine_step_s), 5, ""},
        {__LINE__, offsetof(struct wtl_flag_input, edges_lost), 1, "EDGES LOST "},
        {__LINE__, offsetof(struct wtl_flag_input, interval_part), 0.01, ""},
        {__LINE__, offsetof(struct wtl_flag_input, end_late_s), 0.099, ""}, /* of 10 s */
        {__LINE__, offsetof(struct wtl_flag_input, end_late_s), 0.101, "END LATE "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wtl_flag_input in = quiet();
        char names[128] = "";
        tap_line = rows[i].line;
        *(double *)(void *)((char *)&in + rows[i].offset) = rows[i].value;
        size_t n = judge(&in);
        for (size_t f = 0; f < n; f++) {
            size_t used = strlen(names);
            (void)snprintf(names + used, sizeof names - used, "%.23s ", result.flags[f].name);
            ok(strlen(result.flags[f].text) > 30, "%s", result.flags[f].text);
        }
        is_str(names, rows[i].names, "row %zu", i);
    }
    tap_line = 0;

    struct wtl_governor before = {.governor = "powersave", .turbo = 1, .digest = 1};
    struct wtl_governor after = {.governor = "performance", .turbo = 1, .digest = 2};
    struct wtl_flag_input in = quiet();
    in.before = &before;
    in.after = &before;
    is_int(judge(&in), 0, "the same governor");
    in.after = &after;
    is_int(judge(&in), 1, "another governor");
    is_str(result.flags[0].name, "GOVERNOR CHANGED", "its name");
    ok(strstr(result.flags[0].text, "powersave to performance") != NULL, "%s",
       result.flags[0].text);
    after.unread = -EMFILE;
    is_int(judge(&in), 1, "or one that could not be read");
    is_str(result.flags[0].name, "NOT CHECKED", "its name");
    ok(strstr(result.flags[0].text, "at the end (Too many open files)") != NULL, "%s",
       result.flags[0].text);
    after.unread = 0;
    in = quiet();
    in.edges_lost = 1;
    in.interval_part = INFINITY; /* of an energy of 0 */
    is_int(judge(&in), 1, "nothing is resolved");
    ok(strstr(result.flags[0].text, "inf") == NULL && strstr(result.flags[0].text, "interval"),
       "%s", result.flags[0].text);
    struct wtl_slow_counter slow = {
        .name = "powercap:package-0", .claimed_s = 1e-3, .stood_s = 20e-3};
    in = quiet();
    in.slow = &slow;
    in.interval_part = 1e-4;
    is_int(judge(&in), 0, "a late update that does not matter");
    in.interval_part = 0.02;
    is_int(judge(&in), 1, "or does");
    is_str(result.flags[0].name, "SLOW UPDATES", "its name");
    ok(strstr(result.flags[0].text, "for 20 ms at") && strstr(result.flags[0].text, "only to 2 %"),
       "%s", result.flags[0].text);
    slow.found_s = 49.9e-3;
    slow.window_s = 0.998;
    in.interval_part = 1e-6;
    is_int(judge(&in), 1, "a slow counter");
    ok(strstr(result.flags[0].text, "every 50 ms instead of every 1 ms") &&
           strstr(result.flags[0].text, "less than 1 s"),
       "%s", result.flags[0].text);
    in = quiet();
    in.suspended_ns = WTL_FLAG_SUSPEND_NS;
    is_int(judge(&in), 0, "clocks drift by less");
    in.suspended_ns++;
    is_int(judge(&in), 1, "slept");
    is_str(result.flags[0].name, "SUSPENDED", "its name");

    in = (struct wtl_flag_input){.window_s = 10,
                                 .throttle_events = 3,
                                 .limit_w = 50,
                                 .limit_start_w = 100,
                                 .package_w = 60,
                                 .machine_cpu_s = 50,
                                 .tree_cpu_s = 20,
                                 .own_cpu_s = 0,
                                 .machine_step_s = 0,
                                 .suspended_ns = UINT64_C(5000000000),
                                 .before = &before,
                                 .after = &after};
    is_int(judge(&in), 5, "all at once");
    test_packages();
    wtl_result_fini(&result);
    return done_testing();
}

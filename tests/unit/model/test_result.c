/* SPDX-License-Identifier: BSD-3-Clause */
/* Order, total and flags of a result. For which channels may be added see test_total. */
#include "model/result.h"

#include <math.h>

#include "tap.h"

struct wanted {
    int line;
    const char *name;
    enum wattle_domain domain;
    int index;
    enum wattle_quantity quantity;
    enum wattle_quality quality;
    unsigned flags;
    double energy_j, interval_j, mean_w;
    uint64_t unknown_ns;
};

static void make(struct wtl_result *result, const struct wanted *rows, size_t n)
{
    *result = (struct wtl_result){
        .channels = calloc(n, sizeof *result->channels), .channel_count = n, .wall_time_s = 10};
    for (size_t i = 0; i < n; i++) {
        struct wtl_result_channel *c = &result->channels[i];
        (void)snprintf(c->channel.name, sizeof c->channel.name, "%s", rows[i].name);
        c->channel.domain = rows[i].domain;
        c->channel.index = rows[i].index;
        c->channel.sub = -1;
        c->channel.quantity = rows[i].quantity;
        c->channel.quality = rows[i].quality;
        c->channel.flags = rows[i].flags;
        c->channel.scale = 1;
        c->summary.amount = rows[i].energy_j;
        c->summary.amount_half = rows[i].interval_j;
        c->summary.mean_w = rows[i].mean_w;
        c->summary.unknown_ns = rows[i].unknown_ns;
    }
}

#define PRIMARY WATTLE_CHANNEL_PRIMARY

static void test_measured(void)
{
    static const struct wanted rows[] = {
        {__LINE__, "t:core-0", WATTLE_DOMAIN_CORE, 0, WATTLE_TEMPERATURE, WATTLE_MEASURED, PRIMARY,
         0, 0, 55, 0},
        {__LINE__, "b:package-0", WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_MEASURED, 0, 101,
         1, 10.1, 0},
        {__LINE__, "a:package-0", WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         100, 3, 10, 0},
        {__LINE__, "a:package-1", WATTLE_DOMAIN_PACKAGE, 1, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         50, 4, 5, 0},
    };
    struct wtl_result result;
    make(&result, rows, 4);
    wtl_result_total(&result);
    is_str(result.channels[0].channel.name, "a:package-0", "primary channels come first");
    is_str(result.channels[1].channel.name, "a:package-1", "in the order in which they came");
    is_str(result.channels[2].channel.name, "b:package-0", "then the other ones of energy");
    is_str(result.channels[3].channel.name, "t:core-0", "then activity");
    is_int(result.energy_count, 3, "three are of energy");
    is_double(result.energy.j, 150, 0, "the total adds the primary ones");
    is_double(result.energy.half_j, 5, 1e-12, "intervals add as squares");
    is_double(result.total_w, 15, 0, "mean power adds");
    ok(isnan(result.energy.low_j) && isnan(result.energy.high_j), "no low and high when measured");
    ok(result.channels[0].channel.flags & WATTLE_CHANNEL_IN_TOTAL &&
           !(result.channels[2].channel.flags & WATTLE_CHANNEL_IN_TOTAL),
       "what is in the total is marked");
    is_int(result.flag_count, 0, "no flag");
    wtl_result_total(&result);
    is_double(result.energy.j, 150, 0, "a second time changes nothing");
    wtl_result_fini(&result);
    ok(!result.channels && result.channel_count == 0, "fini clears");
}

static void test_unknown(void)
{
    static const struct wanted rows[] = {
        {__LINE__, "a:package-0", WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         100, 3, 10, 250000000},
        {__LINE__, "a:package-1", WATTLE_DOMAIN_PACKAGE, 1, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         NAN, NAN, NAN, 0},
    };
    struct wtl_result result;
    make(&result, rows, 2);
    wtl_result_total(&result);
    ok(isnan(result.energy.j), "a total with an unknown part is unknown, not smaller");
    is_int((int)result.total_unknown_ns, 250000000, "its unknown time is that of its channel");
    if (is_int(result.flag_count, 1, "time without a value raises a flag")) {
        is_str(result.flags[0].name, "INCOMPLETE", "its name");
        ok(strstr(result.flags[0].text, "a:package-0") && strstr(result.flags[0].text, "0.25 s"),
           "it says which and how long: %s", result.flags[0].text);
    }
    wtl_result_fini(&result);

    static const struct wanted several[] = {
        {__LINE__, "a:package-0", WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         100, 3, 10, 250000000},
        {__LINE__, "a:package-1", WATTLE_DOMAIN_PACKAGE, 1, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         100, 3, 10, 750000000},
    };
    make(&result, several, 2);
    wtl_result_total(&result);
    if (is_int(result.flag_count, 1, "one flag for two"))
        ok(strstr(result.flags[0].text,
                  "lacks the energy of up to 0.75 s of a:package-0, a:package-1"),
           "it names both: %s", result.flags[0].text);
    wtl_result_fini(&result);

    static const struct wanted outside[] = {
        {__LINE__, "a:package-0", WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         100, 3, 10, 0},
        {__LINE__, "a:core-0", WATTLE_DOMAIN_CORE, 0, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY, 50,
         3, 10, 500000000},
    };
    make(&result, outside, 2);
    wtl_result_total(&result);
    is_double(result.energy.j, 100, 0, "a channel outside of the total takes nothing from it");
    is_int((int)result.total_unknown_ns, 0, "all of the total is known");
    if (is_int(result.flag_count, 1, "but its own energy has a flag")) {
        is_str(result.flags[0].name, "PARTIAL", "of another name");
        ok(strstr(result.flags[0].text, "a:core-0") && strstr(result.flags[0].text, "0.5 s"),
           "it says which and how long: %s", result.flags[0].text);
    }
    wtl_result_fini(&result);

    make(&result, rows, 0);
    wtl_result_total(&result);
    ok(isnan(result.energy.j) && isnan(result.total_w), "no channel, no total");
    wtl_result_fini(&result);
}

static void test_estimated(void)
{
    static const struct wanted rows[] = {
        {__LINE__, "estimate:node-0", WATTLE_DOMAIN_NODE, 0, WATTLE_POWER, WATTLE_ESTIMATED,
         PRIMARY, 100, 10, 10, 0},
    };
    struct wtl_result result;
    make(&result, rows, 1);
    result.channels[0].channel.ratio_low = 0.5;
    result.channels[0].channel.ratio_high = 2;
    wtl_result_total(&result);
    is_int(result.total.quality, WATTLE_ESTIMATED, "the total is an estimate");
    is_double(result.energy.low_j, 45, 1e-12, "low: ratio times the low end of the resolution");
    is_double(result.energy.high_j, 220, 1e-12, "high likewise");
    wtl_result_fini(&result);

    make(&result, rows, 1);
    wtl_result_total(&result);
    ok(isnan(result.energy.low_j) && isnan(result.energy.high_j), "unknown ratios stay unknown");
    wtl_result_fini(&result);
}

static void test_part_time(void)
{
    static const struct wanted rows[] = {
        {__LINE__, "a:gpu-0", WATTLE_DOMAIN_GPU, 0, WATTLE_POWER, WATTLE_MEASURED, PRIMARY, 100,
         300, 10, 0},
        {__LINE__, "a:gpu-1", WATTLE_DOMAIN_GPU, 1, WATTLE_POWER, WATTLE_MEASURED, PRIMARY, NAN,
         NAN, 10, 0},
    };
    struct wtl_result result;
    for (uint64_t window_ms = 25; window_ms <= 100; window_ms += 75) {
        make(&result, rows, 2);
        for (size_t i = 0; i < 2; i++) {
            result.channels[i].channel.kind = WATTLE_WINDOW_AVERAGE;
            result.channels[i].channel.refresh_ns = 100000000;
            result.channels[i].channel.window_ns = window_ms * 1000000;
        }
        wtl_result_total(&result);
        if (window_ms == 100) {
            is_int(result.flag_count, 0, "a window as long as the period sees all");
        } else if (is_int(result.flag_count, 1, "a shorter one raises one flag")) {
            const struct wtl_result_flag *flag = &result.flags[0];
            is_str(flag->name, "PART TIME", "its name");
            ok(strstr(flag->text, "a:gpu-0 (and 1 more) sees 25 % of the time"), "it says: %s",
               flag->text);
        }
        wtl_result_fini(&result);
    }
}

/* A gauge that has shown one round power, whose steps are not known. */
static void test_steps(void)
{
    static const struct wanted rows[] = {
        {__LINE__, "a:node-0", WATTLE_DOMAIN_NODE, 0, WATTLE_POWER, WATTLE_MEASURED, PRIMARY, 100,
         0.5, 100, 0},
    };
    static const struct {
        int line;
        uint64_t value, samples;
        double most_w;
        size_t flags;
    } cases[] = {
        {__LINE__, 100, 20, 100, 1}, {__LINE__, 97, 20, 97, 0},   /* of 1 W */
        {__LINE__, 100, 5, 100, 0},                               /* few readings */
        {__LINE__, 100, 20, 101, 0}, {__LINE__, 100, 20, NAN, 0}, /* another value; unknown */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wtl_result result;
        tap_line = cases[i].line;
        make(&result, rows, 1);
        struct wtl_summary *s = &result.channels[0].summary;
        result.channels[0].channel.kind = WATTLE_GAUGE;
        s->first_value = s->last_value = cases[i].value;
        s->samples = cases[i].samples;
        s->min_w = (double)cases[i].value;
        s->max_w = cases[i].most_w;
        wtl_result_total(&result);
        is_int(result.flag_count, cases[i].flags, "flags");
        ok(wtl_result_has_flag(&result, "STEP UNKNOWN") == (cases[i].flags > 0), "which one");
        if (result.flag_count > 0)
            ok(strstr(result.flags[0].text, "in each of 20 readings: if it shows steps of 25 W"),
               "it says: %s", result.flags[0].text);
        wtl_result_fini(&result);
    }
    tap_line = 0;
}

/* What lines before had is told once. */
static void test_corrected(void)
{
    static const struct wanted rows[] = {
        {__LINE__, "a:package-0", WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         100, 3, 10, 0},
    };
    static const double taken_back_j[] = {0, 12.3, 12.3, 20};
    double told_j = 0;
    for (size_t i = 0; i < sizeof taken_back_j / sizeof *taken_back_j; i++) {
        struct wtl_result result;
        make(&result, rows, 1);
        result.channels[0].summary.taken_back = taken_back_j[i];
        wtl_result_total(&result);
        is_int(wtl_result_flag_corrected(&result, &told_j), 0, "look");
        ok(wtl_result_has_flag(&result, "CORRECTED") == (i % 2 == 1), "line %zu", i);
        wtl_result_fini(&result);
    }
}

/* A GPU that sleeps all the time is no part of the total; once it has been read, it is. */
static void test_asleep(void)
{
    static const struct wanted rows[] = {
        {__LINE__, "a:package-0", WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         100, 3, 10, 0},
        {__LINE__, "b:gpu-0", WATTLE_DOMAIN_GPU, 0, WATTLE_ENERGY, WATTLE_MEASURED,
         PRIMARY | WATTLE_CHANNEL_ASLEEP, NAN, NAN, NAN, 10000000000},
        {__LINE__, "b:gpu-1", WATTLE_DOMAIN_GPU, 1, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY, NAN,
         NAN, NAN, 10000000000},
    };
    struct wtl_result result;
    make(&result, rows, 2);
    wtl_result_total(&result);
    is_double(result.energy.j, 100, 1e-9, "without it the total is known");
    ok(wtl_result_has_flag(&result, "PARTIAL") && !wtl_result_has_flag(&result, "INCOMPLETE"),
       "and complete");
    ok(result.channels[1].channel.flags & PRIMARY, "its channel is as it was");
    wtl_result_fini(&result);
    make(&result, rows, 2);
    result.channels[1].summary =
        (struct wtl_summary){.amount = 50, .samples = 7, .unknown_ns = 1000000000};
    wtl_result_total(&result);
    is_double(result.energy.j, 150, 1e-9, "what it drew once it was awake");
    ok(wtl_result_has_flag(&result, "INCOMPLETE"), "lacks the time before");
    wtl_result_fini(&result);
    make(&result, rows, 3);
    wtl_result_total(&result);
    ok(isnan(result.energy.j), "one that should have been read is missing");
    wtl_result_fini(&result);
}

static void test_flags(void)
{
    struct wtl_result result = {0};
    is_int(wtl_result_flag(&result, "CAPPED", "limit %d W", 90), 0, "a flag");
    is_int(wtl_result_flag(&result, "CAPPED", "limit %d W", 70), 0, "the same again");
    is_int(wtl_result_flag(&result, "NOT ALONE", "load"), 0, "another");
    is_int(result.flag_count, 2, "each stands once");
    is_str(result.flags[0].text, "limit 90 W", "with the first sentence");
    wtl_result_fini(&result);
}

static void test_parts(void)
{
    struct wtl_result result = wtl_result_unknown();
    char text[] = "made elsewhere";
    const struct wtl_result_text texts[] = {
        {text, &result.command}, {NULL, &result.host}, {"", &result.trace}};
    ok(isnan(result.energy.j) && isnan(result.work) && isnan(result.own_j), "nothing is known");
    is_int(wtl_result_texts(&result, texts, 3), 0, "texts");
    text[0] = 'x';
    is_str(result.command, "made elsewhere", "are its own");
    is_str(result.trace, "", "an empty one");
    is_str(result.host, NULL, "none is none");
    wtl_result_fini(&result);

    const struct wanted rows[] = {{.line = __LINE__, .name = "a"}};
    make(&result, rows, 1);
    const struct wtl_result_channel *first = &result.channels[0];
    ok(wtl_result_find(&result, first->channel.name) == first, "a channel by its name");
    ok(wtl_result_find(&result, "b") == NULL, "one that is not there");
    wtl_result_fini(&result);
}

/* During a run the newest samples of the channels are of different times. */
static void test_so_far(void)
{
    static const struct wanted rows[] = {
        {__LINE__, "a:package-0", WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         100, 3, 10, 0},
        {__LINE__, "a:package-1", WATTLE_DOMAIN_PACKAGE, 1, WATTLE_ENERGY, WATTLE_MEASURED, PRIMARY,
         50, 4, 5, 0},
    };
    const uint64_t ms = 1000000;
    struct wtl_result result;
    struct wtl_energy energy;
    make(&result, rows, 2);
    result.start_monotonic_ns = 1000 * ms;
    result.end_monotonic_ns = 11200 * ms;
    result.interval_ns = 100 * ms;
    result.channels[0].summary.last_ns = 11000 * ms;
    result.channels[1].summary.last_ns = 10800 * ms;
    wtl_result_total(&result);
    is_int(wtl_result_common_ns(&result, 100 * ms), 10800 * ms, "known up to the last of them");
    energy = wtl_result_energy_at(&result, 10800 * ms);
    is_double(energy.j, 148, 1e-9, "less what the other one has drawn since then");
    is_double(energy.half_j, hypot(5, 4), 1e-9, "which is in the interval");
    energy = wtl_result_energy_at(&result, 11000 * ms);
    is_double(energy.j, 150, 1e-9, "up to the newest sample nothing is made up");
    is_double(energy.half_j, hypot(3, 5), 1e-9, "but what may be missing is in the interval");
    result.channels[1].summary.last_ns = 5000 * ms;
    is_int(wtl_result_common_ns(&result, 100 * ms), 11000 * ms, "a silent channel delays nothing");
    energy = wtl_result_energy_at(&result, 11000 * ms);
    is_double(energy.half_j, 5, 1e-9, "it has unknown time instead of an interval");
    is_int(wtl_result_common_ns(&result, 2500 * ms), 5000 * ms, "slow sampling is no silence");
    result.channels[1].summary.last_ns = 0;
    result.end_monotonic_ns = 1200 * ms;
    result.channels[0].summary.last_ns = 1100 * ms;
    is_int(wtl_result_common_ns(&result, 100 * ms), 1000 * ms, "at the start nothing is known");
    wtl_result_fini(&result);
}

int main(void)
{
    test_measured();
    test_unknown();
    test_estimated();
    test_part_time();
    test_steps();
    test_corrected();
    test_asleep();
    test_flags();
    test_parts();
    test_so_far();
    return done_testing();
}

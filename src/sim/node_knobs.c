/* SPDX-License-Identifier: BSD-3-Clause */
/* The knobs of the simulated node: see node_knobs.h. */
#include "sim/node_knobs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

enum { TURBO_STATE_KHZ = 1000, GOVERNORS = 6, PREFERENCES = 5 };

enum governor { ONDEMAND, PERFORMANCE, POWERSAVE, USERSPACE, SCHEDUTIL, CONSERVATIVE };

static const char *const governor_names[GOVERNORS] = {"ondemand",  "performance", "powersave",
                                                      "userspace", "schedutil",   "conservative"};
static const char *const preference_names[PREFERENCES] = {
    "default", "performance", "balance_performance", "balance_power", "power"};
enum { PREFER_DEFAULT, PREFER_PERFORMANCE };

struct policy {
    enum governor governor;
    uint32_t min_khz, max_khz, speed_khz; /* as asked for */
    int preference;
};

struct zone {
    bool disabled;
    uint64_t limit_uw[2], window_us[2]; /* long, short */
};

struct wtl_sim_knobs {
    struct wtl_sim_knobs_config config;
    uint32_t low_khz, nominal_khz, high_khz;
    bool turbo_off;
    double forced_ghz, ceiling_ghz;
    struct zone zones[WTL_SIM_KNOB_ZONES];
    int policy_count;
    struct policy policies[];
};

struct wtl_sim_knobs_config wtl_sim_knobs_config_init(void)
{
    return (struct wtl_sim_knobs_config){
        .step_ghz = 0.1, .cpus = 2, .cpus_per_policy = 1, .tdp_w = 150};
}

int wtl_sim_knobs_policies(const struct wtl_sim_knobs_config *config)
{
    return (config->cpus + config->cpus_per_policy - 1) / config->cpus_per_policy;
}

void wtl_sim_knobs_cpus(const struct wtl_sim_knobs_config *config,
                        int policy,
                        int *ret_first,
                        int *ret_last)
{
    *ret_first = policy * config->cpus_per_policy;
    *ret_last = *ret_first + config->cpus_per_policy - 1;
    if (*ret_last >= config->cpus)
        *ret_last = config->cpus - 1;
}

static uint32_t khz_of(double ghz)
{
    return (uint32_t)(ghz * 1e6 + 0.5);
}

uint32_t wtl_sim_knobs_nominal_khz(double nominal_ghz)
{
    return khz_of(nominal_ghz);
}

uint32_t wtl_sim_knobs_low_khz(const struct wtl_sim_knobs_config *config, double nominal_ghz)
{
    if (config->low_ghz > 0)
        return khz_of(config->low_ghz);
    double steps = floor(nominal_ghz / 2 / config->step_ghz + 1e-6);
    return khz_of(steps >= 1 ? steps * config->step_ghz : nominal_ghz / 2);
}

uint32_t wtl_sim_knobs_high_khz(const struct wtl_sim_knobs_config *config, double nominal_ghz)
{
    if (!(config->turbo_ghz > nominal_ghz))
        return khz_of(nominal_ghz);
    return config->driver == WTL_SCALING_ACPI ? khz_of(nominal_ghz) + TURBO_STATE_KHZ
                                              : khz_of(config->turbo_ghz);
}

const char *wtl_sim_knobs_driver_name(enum wtl_scaling_driver driver)
{
    static const char *const names[] = {"acpi-cpufreq", "intel_pstate", "amd-pstate-epp"};
    return names[driver];
}

const char *wtl_sim_knobs_governors(enum wtl_scaling_driver driver)
{
    return driver == WTL_SCALING_ACPI
               ? "conservative ondemand userspace powersave performance schedutil"
               : "performance powersave";
}

const char *wtl_sim_knobs_preferences(void)
{
    return "default performance balance_performance balance_power power";
}

struct wtl_sim_knobs *wtl_sim_knobs_create(const struct wtl_sim_knobs_config *config,
                                           double nominal_ghz)
{
    int count = wtl_sim_knobs_policies(config);
    struct wtl_sim_knobs *knobs =
        calloc(1, sizeof *knobs + (size_t)count * sizeof *knobs->policies);
    if (!knobs)
        return NULL;
    knobs->config = *config;
    knobs->low_khz = wtl_sim_knobs_low_khz(config, nominal_ghz);
    knobs->nominal_khz = khz_of(nominal_ghz);
    knobs->high_khz = wtl_sim_knobs_high_khz(config, nominal_ghz);
    knobs->ceiling_ghz = INFINITY;
    knobs->policy_count = count;
    for (int i = 0; i < count; i++)
        knobs->policies[i] = (struct policy){
            .governor = config->driver == WTL_SCALING_ACPI ? ONDEMAND : POWERSAVE,
            .min_khz = knobs->low_khz,
            .max_khz = knobs->high_khz,
            .speed_khz = knobs->nominal_khz,
            .preference = PREFER_DEFAULT + 2,
        };
    uint64_t uw = (uint64_t)(config->tdp_w * 1e6);
    for (int i = 0; i < WTL_SIM_KNOB_ZONES; i++)
        knobs->zones[i] = (struct zone){.limit_uw = {uw, (uint64_t)(config->tdp_w * 1.2 * 1e6)},
                                        .window_us = {999424, 2440}};
    return knobs;
}

void wtl_sim_knobs_destroy(struct wtl_sim_knobs *knobs)
{
    free(knobs);
}

const struct wtl_sim_knobs_config *wtl_sim_knobs_config(const struct wtl_sim_knobs *knobs)
{
    return &knobs->config;
}

/* ---- the frequency that follows ---- */

/* A state of acpi-cpufreq at or, unless `up`, at the highest below a frequency. */
static uint32_t state_of(const struct wtl_sim_knobs *knobs, uint32_t khz, bool up)
{
    if (knobs->config.driver != WTL_SCALING_ACPI || khz >= knobs->nominal_khz)
        return khz; /* a range; or the nominal state and turbo, which are exact */
    double steps = (double)(knobs->nominal_khz - khz) / (knobs->config.step_ghz * 1e6);
    steps = up ? floor(steps + 1e-6) : ceil(steps - 1e-6);
    double found = (double)knobs->nominal_khz - steps * knobs->config.step_ghz * 1e6;
    return found > knobs->low_khz ? (uint32_t)(found + 0.5) : knobs->low_khz;
}

static uint32_t effective_min(const struct wtl_sim_knobs *knobs, const struct policy *policy)
{
    (void)knobs;
    return policy->min_khz < policy->max_khz ? policy->min_khz : policy->max_khz;
}

/* The state that a policy asks for. */
static uint32_t wanted_khz(const struct wtl_sim_knobs *knobs, const struct policy *policy)
{
    uint32_t low = effective_min(knobs, policy), high = policy->max_khz;
    uint32_t wanted = high;
    bool acpi = knobs->config.driver == WTL_SCALING_ACPI;
    if (policy->governor == USERSPACE)
        wanted = policy->speed_khz;
    else if (policy->governor == POWERSAVE && acpi)
        wanted = low;
    wanted = wanted < low ? low : wanted > high ? high : wanted;
    return state_of(knobs, wanted, policy->governor == USERSPACE || policy->governor == POWERSAVE);
}

static double policy_ghz(const struct wtl_sim_knobs *knobs, const struct policy *policy)
{
    uint32_t khz = wanted_khz(knobs, policy);
    if (knobs->forced_ghz > 0)
        return knobs->forced_ghz;
    if (khz > knobs->nominal_khz && knobs->turbo_off)
        khz = knobs->nominal_khz;
    if (khz > knobs->nominal_khz && knobs->config.driver == WTL_SCALING_ACPI)
        return knobs->config.turbo_ghz;
    return khz * 1e-6;
}

double wtl_sim_knobs_mean_ghz(const struct wtl_sim_knobs *knobs, double ceiling_ghz)
{
    double sum = 0;
    for (int i = 0; i < knobs->policy_count; i++) {
        int first, last;
        wtl_sim_knobs_cpus(&knobs->config, i, &first, &last);
        sum += (last - first + 1) * fmin(policy_ghz(knobs, &knobs->policies[i]), ceiling_ghz);
    }
    return sum / knobs->config.cpus;
}

void wtl_sim_knobs_range(const struct wtl_sim_knobs *knobs,
                         double *ret_low_ghz,
                         double *ret_high_ghz)
{
    *ret_low_ghz = knobs->low_khz * 1e-6;
    *ret_high_ghz = fmax(knobs->nominal_khz * 1e-6, knobs->config.turbo_ghz);
}

double wtl_sim_knobs_limit_w(const struct wtl_sim_knobs *knobs, int zone)
{
    double limit = INFINITY;
    if (zone < 0 || zone >= WTL_SIM_KNOB_ZONES || knobs->zones[zone].disabled)
        return limit;
    for (int i = 0; i < 2; i++) {
        double now = (double)knobs->zones[zone].limit_uw[i] * 1e-6;
        double first = knobs->config.tdp_w * (i ? 1.2 : 1);
        if (now < first - 1e-6)
            limit = fmin(limit, now);
    }
    return limit;
}

void wtl_sim_knobs_set_ceiling(struct wtl_sim_knobs *knobs, double ghz)
{
    knobs->ceiling_ghz = ghz;
}

void wtl_sim_knobs_force(struct wtl_sim_knobs *knobs, double ghz)
{
    knobs->forced_ghz = ghz;
}

/* ---- the files ---- */

static ssize_t show_zone(const struct wtl_sim_knobs *knobs,
                         enum wtl_sim_knob knob,
                         int index,
                         char *buf,
                         size_t n)
{
    const struct zone *zone = &knobs->zones[index];
    uint64_t value;
    switch (knob) {
    case WTL_SIM_KNOB_ENABLED:
        value = !zone->disabled;
        break;
    case WTL_SIM_KNOB_LIMIT_LONG:
    case WTL_SIM_KNOB_LIMIT_SHORT:
        value = zone->limit_uw[knob == WTL_SIM_KNOB_LIMIT_SHORT];
        break;
    default:
        value = zone->window_us[knob == WTL_SIM_KNOB_WINDOW_SHORT];
    }
    return snprintf(buf, n, "%llu\n", (unsigned long long)value);
}

static ssize_t show_policy(const struct wtl_sim_knobs *knobs,
                           enum wtl_sim_knob knob,
                           int index,
                           char *buf,
                           size_t n)
{
    const struct policy *policy = &knobs->policies[index];
    switch (knob) {
    case WTL_SIM_KNOB_CUR:
        return snprintf(buf, n, "%lu\n",
                        (unsigned long)khz_of(fmin(policy_ghz(knobs, policy), knobs->ceiling_ghz)));
    case WTL_SIM_KNOB_GOVERNOR:
        return snprintf(buf, n, "%s\n", governor_names[policy->governor]);
    case WTL_SIM_KNOB_MIN:
        return snprintf(buf, n, "%lu\n", (unsigned long)effective_min(knobs, policy));
    case WTL_SIM_KNOB_MAX:
        return snprintf(buf, n, "%lu\n", (unsigned long)policy->max_khz);
    case WTL_SIM_KNOB_EPP:
        return snprintf(buf, n, "%s\n", preference_names[policy->preference]);
    default:
        if (policy->governor != USERSPACE)
            return snprintf(buf, n, "<unsupported>\n");
        return snprintf(buf, n, "%lu\n", (unsigned long)policy->speed_khz);
    }
}

ssize_t wtl_sim_knobs_show(const struct wtl_sim_knobs *knobs,
                           enum wtl_sim_knob knob,
                           int index,
                           char *buf,
                           size_t n)
{
    if (knob == WTL_SIM_KNOB_BOOST || knob == WTL_SIM_KNOB_NO_TURBO)
        return snprintf(buf, n, "%d\n", knobs->turbo_off == (knob == WTL_SIM_KNOB_NO_TURBO));
    if (knob >= WTL_SIM_KNOB_ENABLED)
        return index >= 0 && index < WTL_SIM_KNOB_ZONES ? show_zone(knobs, knob, index, buf, n)
                                                        : -EIO;
    return index >= 0 && index < knobs->policy_count ? show_policy(knobs, knob, index, buf, n)
                                                     : -EIO;
}

/* A whole number; as in sysfs a line end may follow, and nothing else. */
static int number_of(const char *text, size_t n, uint64_t *ret)
{
    int used = wtl_scan_u64(text, n, ret);
    return used < 0 || ((size_t)used < n && text[used] != '\n') ? -EINVAL : 0;
}

static int word_of(const char *text, size_t n, const char *const *words, int count)
{
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    for (int i = 0; i < count; i++) {
        if (strlen(words[i]) == n && memcmp(words[i], text, n) == 0)
            return i;
    }
    return -EINVAL;
}

static int write_governor(struct wtl_sim_knobs *knobs, struct policy *policy, int governor)
{
    bool acpi = knobs->config.driver == WTL_SCALING_ACPI;
    if (governor < 0 || (!acpi && governor != PERFORMANCE && governor != POWERSAVE))
        return -EINVAL;
    if (governor == USERSPACE && policy->governor != USERSPACE)
        policy->speed_khz = wanted_khz(knobs, policy); /* it begins with the present one */
    policy->governor = (enum governor)governor;
    if (!acpi && governor == PERFORMANCE)
        policy->preference = PREFER_PERFORMANCE;
    return 0;
}

static int write_preference(const struct wtl_sim_knobs *knobs,
                            struct policy *policy,
                            int preference)
{
    if (knobs->config.driver == WTL_SCALING_ACPI || preference < 0)
        return -EINVAL;
    if (policy->governor == PERFORMANCE && preference != PREFER_PERFORMANCE)
        return -EBUSY;
    policy->preference = preference;
    return 0;
}

static int write_policy(struct wtl_sim_knobs *knobs,
                        enum wtl_sim_knob knob,
                        int index,
                        const char *text,
                        size_t n)
{
    struct policy *policy = &knobs->policies[index];
    uint64_t value;
    if (knob == WTL_SIM_KNOB_GOVERNOR)
        return write_governor(knobs, policy, word_of(text, n, governor_names, GOVERNORS));
    if (knob == WTL_SIM_KNOB_EPP)
        return write_preference(knobs, policy, word_of(text, n, preference_names, PREFERENCES));
    if (knob == WTL_SIM_KNOB_CUR)
        return -EACCES;
    if (number_of(text, n, &value) < 0 || value > UINT32_MAX ||
        (knob == WTL_SIM_KNOB_SETSPEED && policy->governor != USERSPACE))
        return -EINVAL;
    uint32_t khz = (uint32_t)value;
    khz = khz < knobs->low_khz ? knobs->low_khz : khz > knobs->high_khz ? knobs->high_khz : khz;
    if (knob == WTL_SIM_KNOB_MIN)
        policy->min_khz = khz;
    else if (knob == WTL_SIM_KNOB_MAX)
        policy->max_khz = khz;
    else
        policy->speed_khz = khz;
    return 0;
}

static int write_turbo(struct wtl_sim_knobs *knobs, enum wtl_sim_knob knob, uint64_t value)
{
    if (value > 1 || knobs->high_khz == knobs->nominal_khz)
        return -EINVAL;
    knobs->turbo_off = value == (knob == WTL_SIM_KNOB_NO_TURBO);
    return 0;
}

static int write_zone(struct wtl_sim_knobs *knobs,
                      enum wtl_sim_knob knob,
                      int index,
                      uint64_t value)
{
    struct zone *zone = &knobs->zones[index];
    bool is_short = knob == WTL_SIM_KNOB_LIMIT_SHORT || knob == WTL_SIM_KNOB_WINDOW_SHORT;
    if (knob == WTL_SIM_KNOB_ENABLED) {
        if (value > 1)
            return -EINVAL;
        zone->disabled = value == 0;
    } else if (value == 0) {
        return -EINVAL;
    } else if (knob == WTL_SIM_KNOB_LIMIT_LONG || knob == WTL_SIM_KNOB_LIMIT_SHORT) {
        zone->limit_uw[is_short] = value;
    } else {
        zone->window_us[is_short] = value;
    }
    return 0;
}

int wtl_sim_knobs_write(struct wtl_sim_knobs *knobs,
                        enum wtl_sim_knob knob,
                        int index,
                        const char *text,
                        size_t n)
{
    uint64_t value;
    int rc;
    if (knob < WTL_SIM_KNOB_BOOST) {
        rc = index >= 0 && index < knobs->policy_count ? write_policy(knobs, knob, index, text, n)
                                                       : -EINVAL;
    } else if (number_of(text, n, &value) < 0) {
        rc = -EINVAL;
    } else if (knob == WTL_SIM_KNOB_BOOST || knob == WTL_SIM_KNOB_NO_TURBO) {
        rc = write_turbo(knobs, knob, value);
    } else {
        rc = index >= 0 && index < WTL_SIM_KNOB_ZONES ? write_zone(knobs, knob, index, value)
                                                      : -EINVAL;
    }
    if (rc == 0)
        knobs->forced_ghz = 0;
    return rc;
}

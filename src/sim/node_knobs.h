/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The knobs of the simulated node: cpufreq policies, turbo and power limits, as a program writes them, and the
 * frequency that follows. Pure: no clock, no I/O.
 *
 * A policy runs at the highest frequency that its minimum, maximum and turbo allow, except with the governor
 * "userspace" (at scaling_setspeed) and, on acpi-cpufreq, "powersave" (at the lowest): the governors of Linux choose so
 * for busy CPUs, and only those cost energy here. As on acpi-cpufreq, turbo is a state 1 MHz above the nominal one: asked
 * for as such, it runs at the turbo frequency; elsewhere the range just extends to it.
 */
#ifndef WTL_SIM_NODE_KNOBS_H
#define WTL_SIM_NODE_KNOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { WTL_SIM_KNOB_ZONES = 64, WTL_SIM_KNOB_CPUS = 4096 };

enum wtl_scaling_driver {
    WTL_SCALING_ACPI,  /* acpi-cpufreq: a table of states, userspace, cpufreq/boost */
    WTL_SCALING_INTEL, /* intel_pstate: a range, EPP, intel_pstate/no_turbo */
    WTL_SCALING_AMD,   /* amd-pstate-epp: a range, EPP, cpufreq/boost */
};

/* The files. A knob's index is a policy's, or a zone's (the domain in the node). */
enum wtl_sim_knob {
    WTL_SIM_KNOB_CUR, /* read-only */
    WTL_SIM_KNOB_GOVERNOR,
    WTL_SIM_KNOB_MIN,
    WTL_SIM_KNOB_MAX,
    WTL_SIM_KNOB_SETSPEED,
    WTL_SIM_KNOB_EPP,
    WTL_SIM_KNOB_BOOST,    /* 1 = turbo allowed */
    WTL_SIM_KNOB_NO_TURBO, /* 1 = not */
    WTL_SIM_KNOB_ENABLED,
    WTL_SIM_KNOB_LIMIT_LONG,
    WTL_SIM_KNOB_LIMIT_SHORT,
    WTL_SIM_KNOB_WINDOW_LONG,
    WTL_SIM_KNOB_WINDOW_SHORT,
};

struct wtl_sim_knobs_config {
    enum wtl_scaling_driver driver;
    double low_ghz;   /* 0 = half of the nominal one, rounded down to a step */
    double turbo_ghz; /* 0 = no turbo */
    double step_ghz;  /* of acpi-cpufreq's table */
    int cpus;
    int cpus_per_policy; /* > 1: CPUs that change together */
    double
        tdp_w; /* long-term limit of each zone at the start; the short-term one is 1.2 times that */
};

struct wtl_sim_knobs;

/* acpi-cpufreq, steps of 0.1 GHz, no turbo, 2 CPUs, each its own policy, 150 W. */
struct wtl_sim_knobs_config wtl_sim_knobs_config_init(void);

/* Knobs of a node with this nominal frequency, all at their defaults. NULL: out of memory. */
struct wtl_sim_knobs *wtl_sim_knobs_create(const struct wtl_sim_knobs_config *config,
                                           double nominal_ghz);
void wtl_sim_knobs_destroy(struct wtl_sim_knobs *knobs); /* accepts NULL */

const struct wtl_sim_knobs_config *wtl_sim_knobs_config(const struct wtl_sim_knobs *knobs);
int wtl_sim_knobs_policies(const struct wtl_sim_knobs_config *config);
/* First and last CPU of a policy. */
void wtl_sim_knobs_cpus(const struct wtl_sim_knobs_config *config,
                        int policy,
                        int *ret_first,
                        int *ret_last);
/* kHz: cpuinfo_min_freq, base_frequency, cpuinfo_max_freq. */
uint32_t wtl_sim_knobs_low_khz(const struct wtl_sim_knobs_config *config, double nominal_ghz);
uint32_t wtl_sim_knobs_nominal_khz(double nominal_ghz);
uint32_t wtl_sim_knobs_high_khz(const struct wtl_sim_knobs_config *config, double nominal_ghz);
const char *wtl_sim_knobs_driver_name(enum wtl_scaling_driver driver);
/* Words of scaling_available_governors and energy_performance_available_preferences. */
const char *wtl_sim_knobs_governors(enum wtl_scaling_driver driver);
const char *wtl_sim_knobs_preferences(void);

/* What the file shows: length of the text in buf, with a line end. */
ssize_t wtl_sim_knobs_show(const struct wtl_sim_knobs *knobs,
                           enum wtl_sim_knob knob,
                           int index,
                           char *buf,
                           size_t n);
/* Write what a program wrote. 0; -EINVAL, -EBUSY, -EACCES as the kernel would answer. */
int wtl_sim_knobs_write(struct wtl_sim_knobs *knobs,
                        enum wtl_sim_knob knob,
                        int index,
                        const char *text,
                        size_t n);

/* All CPUs at this frequency, whatever the knobs say, until one is written. 0 = no longer. */
void wtl_sim_knobs_force(struct wtl_sim_knobs *knobs, double ghz);

/* Mean frequency of the CPUs, none above `ceiling_ghz`. */
double wtl_sim_knobs_mean_ghz(const struct wtl_sim_knobs *knobs, double ceiling_ghz);
/* The lowest and highest frequency that any CPU can have. */
void wtl_sim_knobs_range(const struct wtl_sim_knobs *knobs,
                         double *ret_low_ghz,
                         double *ret_high_ghz);
/* Limit that zone `index` enforces, W: the lower of the two; INFINITY = none. A limit is enforced once it is below its
 * value at the start, so that powers above the vendor's limit can be simulated. */
double wtl_sim_knobs_limit_w(const struct wtl_sim_knobs *knobs, int zone);
/* Set by the node: no CPU runs above it (INFINITY = no limit reached). */
void wtl_sim_knobs_set_ceiling(struct wtl_sim_knobs *knobs, double ghz);

#endif

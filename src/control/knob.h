/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Knobs: the settings of a machine that change its power and speed, as rows of one table (knob.c). Discovery
 * reads through the world and writes nothing; the writing is in hold.c and restore.c.
 *
 * A knob is one file: "frequency-max:policy0" is .../cpufreq/policy0/scaling_max_freq. Its value is text as
 * the kernel shows it. In Hz, W, s for people; raw in files.
 */
#ifndef WTL_CONTROL_KNOB_H
#define WTL_CONTROL_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/world/topology.h"
#include "base/world/world.h"

enum { WTL_KNOB_TEXT = 64, WTL_KNOB_PATH = 192, WTL_KNOB_CHOICES = 512 };

/* In the order in which they are written, and restored. */
enum wtl_knob_kind {
    WTL_KNOB_TURBO_OFF, /* intel_pstate/no_turbo: 1 = off */
    WTL_KNOB_TURBO_ON,  /* cpufreq/boost: 1 = on */
    WTL_KNOB_TURBO_CPU, /* policyN/boost: 1 = on */
    WTL_KNOB_GOVERNOR,
    WTL_KNOB_FREQUENCY_MIN,
    WTL_KNOB_FREQUENCY_MAX,
    WTL_KNOB_FREQUENCY, /* scaling_setspeed, of the governor userspace */
    WTL_KNOB_EPP,
    WTL_KNOB_UNCORE_MIN,
    WTL_KNOB_UNCORE_MAX,
    WTL_KNOB_WINDOW, /* time window of a power limit */
    WTL_KNOB_LIMIT,
    WTL_KNOB_ENABLED, /* of a zone with limits: 0 = none of them is in force */
    WTL_KNOB_KINDS
};

enum wtl_knob_scope { WTL_SCOPE_POLICY, WTL_SCOPE_PACKAGE, WTL_SCOPE_MACHINE };

/* What is the same for all knobs of a kind. */
struct wtl_knob_row {
    enum wtl_knob_kind kind;
    const char *name; /* "frequency-max" */
    const char *file; /* below the folder of its place */
    const char *unit; /* of a person: "Hz", "W", "s"; "" = a word */
    double scale;     /* raw value times this is in the unit; 0 = a word */
    enum wtl_knob_scope scope;
    const char *summary;
};
extern const struct wtl_knob_row wtl_knob_rows[WTL_KNOB_KINDS];
extern const char *const wtl_scope_names[];

struct wtl_knob {
    const struct wtl_knob_row *row;
    char id[WTL_KNOB_TEXT]; /* "frequency-max:policy0", "power-limit:package-0/long_term" */
    char path[WTL_KNOB_PATH];
    char value[WTL_KNOB_TEXT];      /* as read; "" = unreadable */
    int read_error;                 /* 0, or -errno of reading */
    int write_error;                /* 0 = this process may write it; -EACCES, -EROFS, ... */
    int place;                      /* number of the policy, package; 0 = the machine */
    double least, most;             /* of the raw value; NaN = unknown */
    char choices[WTL_KNOB_CHOICES]; /* words, or raw values, separated by blanks; "" = a range */
    bool of_package;                /* a limit of a whole package, not of its cores or memory */
    size_t cpus;                    /* index in wtl_knob_list.sets of the CPUs that it affects */
};

struct wtl_cpu_set {
    uint8_t bits[WTL_CPUS_MAX / 8];
};

struct wtl_knob_list {
    struct wtl_knob *items; /* by place, then in the order of kinds */
    size_t count;
    struct wtl_cpu_set *sets; /* sets[0] = all online CPUs */
    size_t set_count;
    char driver[32]; /* scaling_driver; "" = none */
    char mode[16];   /* of intel_pstate and amd_pstate: "active", ...; "" = none */
};

/* What this machine offers; an empty table is no error. 0 or -ENOMEM. wtl_knob_list_fini() in any case. */
int wtl_knob_list_discover(const struct wtl_world *world, struct wtl_knob_list *ret_knobs);
void wtl_knob_list_fini(struct wtl_knob_list *knobs);

/* Why this process may not write it, and what to do, as the end of a sentence; "" = it may. */
void wtl_knob_why(const struct wtl_knob *knob, char *text, size_t n);

/* The raw value as a number; NaN = it is a word, or unreadable. */
double wtl_knob_number(const char *value);

/* Value for people: "2.1 GHz", "150 W", "powersave". */
void wtl_knob_show(const struct wtl_knob_row *row, const char *value, char *text, size_t n);

bool wtl_cpu_set_has(const struct wtl_cpu_set *set, int cpu);
bool wtl_cpu_set_meets(const struct wtl_cpu_set *a, const struct wtl_cpu_set *b);
/* "0-3,8": the CPUs of a that are not in b (NULL = none). */
void wtl_cpu_set_without(const struct wtl_cpu_set *a,
                         const struct wtl_cpu_set *b,
                         char *text,
                         size_t n);

#endif

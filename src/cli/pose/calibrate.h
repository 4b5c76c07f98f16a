/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calibrate: what "wattle pose calibrate" knows, in the order in which it learns it: the loads and how they run
 * here (calibrate_loads.c), the runs (calibrate_run.c), what is stored (calibrate_store.c) and said
 * (calibrate_report.c).
 */
#ifndef WTL_CLI_CALIBRATE_H
#define WTL_CLI_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/compare/repeat.h"
#include "analysis/compare/settling.h"
#include "analysis/pose/pose_bounds.h"
#include "cli/pose/calibrate_options.h"
#include "cli/run/trials.h"
#include "model/result.h"

/* How one run went. */
struct wtl_calibrate_run {
    const struct wtl_result *result;
    struct wtl_settling settling;
    double waited_s;      /* from the start of the load to that of the measurement */
    double temperature_c; /* of the hottest package at the end; NaN = unknown */
};

struct wtl_calibrate_load {
    const struct wtl_calibrate *calibrate; /* that it is of */
    const char *name;                      /* as in the file: "omp_serial" */
    unsigned of_pmax;                      /* 1, or of Pmin: 0 */
    bool asked;                            /* by --loads, or by default */
    char why[512];                         /* it cannot run, and what would help; "" = it can */
    char how[128];                         /* "24 threads"; the load's own words, once it ran */
    char **argv;                           /* NULL-terminated; owned, its words are in text */
    char *text;                            /* owned */
    bool says_ready;                       /* it prints "ready" when all of it runs */
    bool hides_ranks;                      /* they are no children of what we start (srun) */
    unsigned dropped;                      /* runs that do not count */
    char dropped_for[512];                 /* why the last of them does not */

    struct wtl_result *results;     /* [count], of --runs; owned */
    struct wtl_calibrate_run *runs; /* beside them; owned */
    size_t count;
    size_t settled, drifted; /* runs in which power stood, or did not; of the others nobody knows */
    struct wtl_repeat repeat; /* once all is measured; count 0: none */
    bool repeated;
};

struct wtl_calibrate_warning {
    const char *name; /* "NOT_IDLE" */
    char text[800];   /* a sentence */
};

struct wtl_calibrate {
    struct wtl_calibrate_options options;
    struct wtl_trials series;
    unsigned threads; /* of each load */
    unsigned online;  /* CPUs of the machine */
    double cpu_limit; /* of the cgroup; 0 = none */
    char cpu[128];    /* model name; "" = unknown */
    char mpi[64];     /* "Open MPI 4.1.4"; "" = unknown */
    struct wtl_calibrate_load loads[WTL_CALIBRATE_LOADS];

    char path[4096];               /* where it is stored */
    bool stored, found_by_default; /* "wattle pose" finds it without being told */
    struct wtl_calibration *old;   /* what the file has already; NULL = it is not there */
    char not_stored[512];          /* why it was not; "" = it was, or will be */
    char hidden_by[4096]; /* a file that is read before and has such a section, too; "" = none */

    struct wtl_result idle; /* the machine before; valid when has_idle */
    bool has_idle;
    double busy_cpus; /* of others, before; NaN = unknown */
    uint64_t start_ns,
        done_ns; /* CLOCK_MONOTONIC; of the turns, done_ns: of the last one that is over */
    size_t turns, turns_done;
    double about_s, most_s;                 /* of all turns, before the first */
    bool progress;                          /* on a terminal */
    struct wtl_calibrate_warning *warnings; /* owned */
    size_t warning_count;
    int warnings_rc; /* -ENOMEM: they are not all */
};

/* ---- calibrate_loads.c ---- */

/* Find the programs, build the command lines, say of those that cannot run why. 0 or -ENOMEM. */
int wtl_calibrate_find(struct wtl_calibrate *calibrate);

/* Only an estimate is there, which follows CPU load and nothing else: of loads that are the same to it
 * but were not asked for by name, one is enough. */
void wtl_calibrate_leave_out(struct wtl_calibrate *calibrate);

static inline bool wtl_calibrate_runs(const struct wtl_calibrate_load *load)
{
    return load->asked && !load->why[0];
}

/* Seconds that the turns which are left will take: about, and at most. */
void wtl_calibrate_time_left(const struct wtl_calibrate *calibrate,
                             double *ret_about_s,
                             double *ret_most_s);

/* ---- calibrate_progress.c ---- */

/* "9 min", "40 s"; returns buf. */
char *wtl_calibrate_minutes(char *buf, size_t n, double seconds);

/* What goes on, on a terminal, and its end; power_w NaN = unknown. */
void wtl_calibrate_show(const struct wtl_calibrate *calibrate,
                        const struct wtl_calibrate_load *load,
                        const char *what,
                        double power_w);
void wtl_calibrate_clear(const struct wtl_calibrate *calibrate);

/* A turn is over whose run counts. */
void wtl_calibrate_tell_turn(const struct wtl_calibrate *calibrate,
                             const struct wtl_calibrate_load *load);

/* ---- calibrate_run.c ---- */

/* Start and stop each load once: those that fail have a why. 0, or -EINTR. */
int wtl_calibrate_try(struct wtl_calibrate *calibrate, struct wattle_error *err);

/* Measure the idle machine: others on it, and what sensors there are. 0; -EINTR; -ENODEV, with a sentence. */
int wtl_calibrate_idle(struct wtl_calibrate *calibrate, struct wattle_error *err);

/* All loads in turns, and their means. 0; -EINTR; others with a sentence. */
int wtl_calibrate_measure(struct wtl_calibrate *calibrate, struct wattle_error *err);

/* The first result that there is, of any load; NULL = none. */
const struct wtl_result *wtl_calibrate_any(const struct wtl_calibrate *calibrate);

/* ---- calibrate_store.c ---- */

/* What is measured of: the total, and each energy channel of the first result, by its number from 1. NULL = no more. */
const char *wtl_calibrate_item(const struct wtl_calibrate *calibrate, size_t item);

/* Mean power of a load, over its runs; half widths and ranges NaN = unknown. False: not measured. */
struct wtl_calibrate_power {
    double power_w, half_w; /* 95 % interval over runs */
    double low_w, high_w;   /* estimated: 95 % interval of the truth */
    size_t runs;
    enum wattle_quality quality;
};
bool wtl_calibrate_power_of(const struct wtl_calibrate *calibrate,
                            const struct wtl_calibrate_load *load,
                            size_t item,
                            struct wtl_calibrate_power *ret_power);

/* Pmin and Pmax of an item as "wattle pose" will choose them; where no load keeps all CPUs at Pmin, those
 * with omp_serial or mpi_serial. As wtl_pose_bounds_of(). */
int wtl_calibrate_bounds(const struct wtl_calibrate *calibrate,
                         size_t item,
                         struct wtl_pose_bounds *ret_bounds,
                         struct wattle_error *err);

/* Are they bounds? False, with why not: Pmin is not below Pmax, or nobody can tell them apart. */
bool wtl_calibrate_sound(const struct wtl_pose_bounds *bounds, char *why, size_t n);

/* Where to, and can it be written? Before anything runs; 0 or -errno with a sentence. */
int wtl_calibrate_place(struct wtl_calibrate *calibrate, struct wattle_error *err);
int wtl_calibrate_store(struct wtl_calibrate *calibrate, struct wattle_error *err);

/* ---- calibrate_report.c ---- */

/* The plan, for people. */
void wtl_calibrate_plan(const struct wtl_calibrate *calibrate,
                        FILE *out,
                        const struct wtl_style *style);

/* All that was found, in the form that was asked for. 0 or -ENOMEM. */
int wtl_calibrate_report(const struct wtl_calibrate *calibrate,
                         FILE *out,
                         const struct wtl_style *style,
                         struct wattle_error *err);

#endif

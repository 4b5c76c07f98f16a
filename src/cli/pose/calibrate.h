/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of "wattle pose calibrate", in the order in which it is determined: the loads and how to run them
 * (calibrate_loads.c), the runs (calibrate_run.c), what is stored (calibrate_store.c) and printed
 * (cmd_pose_calibrate.c).
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
#include "cli/run/run_options.h"
#include "cli/run/trials.h"
#include "model/result.h"

/* The loads, Pmin's first (docs/format/calibration.md). */
enum wtl_calibrate_name {
    WTL_CALIBRATE_OMP_SERIAL,
    WTL_CALIBRATE_OMP_PARALLEL,
    WTL_CALIBRATE_MPI_PARALLEL,
    WTL_CALIBRATE_MPI_SERIAL,
    WTL_CALIBRATE_FMA, /* the first of Pmax */
    WTL_CALIBRATE_STRESS_NG,
    WTL_CALIBRATE_FIRESTARTER,
    WTL_CALIBRATE_COMMAND,
    WTL_CALIBRATE_LOADS
};
extern const char *const wtl_calibrate_names[]; /* ended by NULL */

enum wtl_calibrate_wait { WTL_CALIBRATE_PASSIVE, WTL_CALIBRATE_ACTIVE };

struct wtl_calibrate_options {
    struct wtl_run_options run;     /* sensors, quiet, require_measured, cooldown_ns, force */
    unsigned loads;                 /* bit n = the load n; with named false: all of them */
    bool named;                     /* requested by name: one that cannot run is an error */
    unsigned runs;                  /* of each load */
    uint64_t time_ns, settle_ns;    /* of one measurement; maximum before it */
    unsigned threads;               /* 0 = one for each CPU that may be used */
    enum wtl_calibrate_wait wait;   /* of omp_serial */
    const char *launcher, *command; /* NULL = not given */
    const char *output;             /* NULL = the usual file */
    uint64_t seed;
    bool dry_run;
    enum wtl_format format;
};

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
    char why[512];                         /* why it cannot run and how to fix it; "" = it can */
    char how[128];                         /* "24 threads"; as reported by the load once it ran */
    char **argv;                           /* NULL-terminated; owned, its words are in text */
    char *text;                            /* owned */
    bool says_ready;                       /* it prints "ready" when all of it runs */
    bool hides_ranks;                      /* ranks are not children of the launcher (srun) */
    unsigned dropped;                      /* discarded runs */
    char dropped_for[512];                 /* why the last one was discarded */

    struct wtl_result *results;     /* [count], of --runs; owned */
    struct wtl_calibrate_run *runs; /* beside them; owned */
    size_t count;
    size_t settled,
        drifted; /* runs in which power was stable, or drifted; unknown for the others */
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
    bool stored, found_by_default; /* "wattle pose" finds it by default */
    struct wtl_calibration *old;   /* existing contents of the file; NULL = no file */
    char not_stored[512];          /* why it was not stored; "" = it was, or will be */
    char
        hidden_by[4096]; /* a file with higher precedence that also has such a section; "" = none */

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

/* Our own load: next to wattle, in libexec, or in PATH. folder: where wattle is. */
bool wtl_load_program_find(char *buf, size_t n, char *folder, size_t folder_n);

/* Find the programs and build the command lines, or record why a load cannot run. Returns 0 or -ENOMEM. */
int wtl_calibrate_find(struct wtl_calibrate *calibrate);

/* Only an estimate is available, which depends on CPU load only: of loads that are equal for it and were
 * not requested by name, run one. */
void wtl_calibrate_leave_out(struct wtl_calibrate *calibrate);

static inline bool wtl_calibrate_runs(const struct wtl_calibrate_load *load)
{
    return load->asked && !load->why[0];
}

/* Expected and maximum seconds for the remaining turns. */
void wtl_calibrate_time_left(const struct wtl_calibrate *calibrate,
                             double *ret_about_s,
                             double *ret_most_s);

/* "9 min", "40 s"; returns buf. */
char *wtl_calibrate_minutes(char *buf, size_t n, double seconds);

/* ---- calibrate_run.c ---- */

/* Start and stop each load once; record why if it fails. Returns 0 or -EINTR. */
int wtl_calibrate_try(struct wtl_calibrate *calibrate, struct wattle_error *err);

/* Measure the idle machine: other processes, and available sensors. Returns 0, -EINTR, or -ENODEV with a message. */
int wtl_calibrate_idle(struct wtl_calibrate *calibrate, struct wattle_error *err);

/* Run all loads in turns and compute their means. Returns 0, -EINTR, or others with a message. */
int wtl_calibrate_measure(struct wtl_calibrate *calibrate, struct wattle_error *err);

/* The first result of any load; NULL = none. */
const struct wtl_result *wtl_calibrate_any(const struct wtl_calibrate *calibrate);

/* ---- calibrate_store.c ---- */

/* "2026-07-14T08:00:00Z", as in calibration.conf. */
enum { WTL_CALIBRATE_DATE = 32 };
void wtl_calibrate_date(uint64_t realtime_ns, char buf[WTL_CALIBRATE_DATE]);

/* The measured items: the total, then each energy channel of the first result, numbered from 1. NULL = no more. */
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

/* Pmin and Pmax of an item as "wattle pose" chooses them; if no parallel load was measured for Pmin, with
 * omp_serial or mpi_serial. Returns as wtl_pose_bounds_of(). */
int wtl_calibrate_bounds(const struct wtl_calibrate *calibrate,
                         size_t item,
                         struct wtl_pose_bounds *ret_bounds,
                         struct wattle_error *err);

/* Are the bounds valid? False with the reason if Pmin is not below Pmax or they cannot be distinguished. */
bool wtl_calibrate_sound(const struct wtl_pose_bounds *bounds, char *why, size_t n);

/* The file of --output (NULL = not given), or the usual one. Returns 0 or -ENOENT with a message. */
int wtl_calibration_place(const char *given, char *path, size_t n, struct wattle_error *err);

/* Choose the file and check that it is writable, before anything runs. Returns 0 or -errno with a message. */
int wtl_calibrate_place(struct wtl_calibrate *calibrate, struct wattle_error *err);
int wtl_calibrate_store(struct wtl_calibrate *calibrate, struct wattle_error *err);

/* ---- calibrate_document.c ---- */

/* Its loads as CSV. The document is wtl_noun_calibrate. */
void wtl_calibrate_csv(const struct wtl_calibrate *calibrate, FILE *out);

/* List the warnings known so far. Returns 0 or -ENOMEM. */
int wtl_calibrate_warn(struct wtl_calibrate *calibrate);

#endif

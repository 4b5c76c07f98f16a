/* SPDX-License-Identifier: BSD-3-Clause */
/* What a measurement (measurement.h) is asked for, and what it holds, for the files that it is made of. */
#ifndef WTL_MEASURE_MEASUREMENT_STATE_H
#define WTL_MEASURE_MEASUREMENT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/governor.h"
#include "measure/run_trace.h"
#include "model/result.h"
#include "record/energy_page.h"
#include "record/session.h"
#include "source/busy.h"
#include "source/select.h"

/* Ticks of each counter to wait for before and after (docs/decisions/0003). */
enum { WTL_MEASUREMENT_EDGES = 3 };

/* A trace that another process has begun, to go on with it. */
struct wtl_measurement_begun {
    const char *spool;                  /* its folder for regions; NULL = none */
    const struct wtl_energy_link *page; /* held; NULL or empty = none */
};

/* What and how. The world must last longer than the measurement, as must the texts for the result; all else is borrowed for init and
 * open. */
struct wtl_measurement_options {
    const struct wtl_world *world;
    const struct wtl_settings *settings; /* of drivers, from the configuration; NULL = none */
    const char *sensors;                 /* as --sensor; NULL = what is there */
    struct wtl_target target;            /* all 0: the machine */
    const char *target_name;             /* for the result; NULL = told from the target */
    bool inside;            /* made by what is measured: wattle's own time is part of its time */
    bool activity;          /* record activity, too */
    bool sensors_required;  /* without a channel of energy or power it is not made */
    bool require_measured;  /* nor with an estimate only */
    const char *trace_path; /* NULL = no trace */
    struct wtl_run_trace_options trace;
    const struct wtl_measurement_begun
        *begun; /* that trace is gone on with; NULL = it is a new one */
    uint64_t interval_ns, activity_interval_ns; /* 0 = 1 s */
    int sampler_cpu;
    unsigned edges; /* ticks of each counter to wait for before and after; 0 = do not */
    bool own_page;  /* energies are published in memory, where there is no folder for regions */
    double work;    /* NaN = not given */
    const char *work_unit;
    const char *labels; /* model/labels.h; NULL or "" = none */
    const char
        *command_line; /* for result and trace; NULL = none, but with `inside` this program's */
    const char *node;  /* of a job: its name in the result; NULL = no job */
    /* For the trace; NULL = as the environment says. */
    const char *node_name, *node_key, *run_id, *groups;
    struct wtl_teller teller;
};

struct wtl_measurement {
    struct wtl_measurement_options options;
    struct wtl_run_trace trace;
    struct wtl_selection *selection;
    struct wtl_energy_writer *energy; /* for programs that ask while they run; NULL = none */
    struct wtl_session *session;      /* NULL = nothing to sample */
    struct wtl_governor before, after;
    struct wtl_busy busy; /* of the machine, where no channel tells */
    uint64_t busy_start_ns;
    uint64_t start_ns, end_ns;   /* 0 = not yet */
    uint64_t realtime_offset_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC at the start */
    double own_cpu_start_s;
};

#endif

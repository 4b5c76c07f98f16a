/* SPDX-License-Identifier: BSD-3-Clause */
/* Options and state of a measurement (measurement.h), for the files that implement it. */
#ifndef WTL_MEASURE_MEASUREMENT_STATE_H
#define WTL_MEASURE_MEASUREMENT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "account/cpu_times.h"
#include "account/share_calibration.h"
#include "counters/governor.h"
#include "measure/run_trace.h"
#include "model/result.h"
#include "record/energy_page.h"
#include "record/session.h"
#include "source/busy.h"
#include "source/select.h"

/* Ticks of each counter to wait for before and after (docs/decisions/0003). */
enum { WTL_MEASUREMENT_EDGES = 3 };

/* A trace begun by another process, to be continued. */
struct wtl_measurement_begun {
    const char *spool;                  /* its folder of regions; NULL = none */
    const struct wtl_energy_link *page; /* held; NULL or empty = none */
};

/* Options. The world and the texts for the result must outlive the measurement; everything else is
 * borrowed during init and open. */
struct wtl_measurement_options {
    const struct wtl_world *world;
    const struct wtl_settings *settings; /* driver settings, from the configuration; may be NULL */
    const char *sensors;                 /* as for --sensor; NULL = what is available */
    struct wtl_target target;            /* all 0: the machine */
    const char *target_name;             /* for the result; NULL = derived from the target */
    bool inside;            /* measured from inside the program: wattle's own time is part of the
                             * program's */
    bool activity;          /* also record activity */
    bool sensors_required;  /* fail without a channel of energy or power */
    bool require_measured;  /* and also with only an estimate */
    const char *trace_path; /* NULL = no trace */
    struct wtl_run_trace_options trace;
    const struct wtl_measurement_begun *begun;  /* continue this trace; NULL = create a new one */
    uint64_t interval_ns, activity_interval_ns; /* 0 = 1 s */
    uint64_t counters_interval_ns;              /* of the target's counter set; 0 = 100 ms */
    bool in_place;                              /* open sensors on this thread, without a timeout */
    int sampler_cpu;
    bool apart;        /* a thread for each source, so that one that hangs stops no other */
    unsigned patience; /* tenths of a second to wait for sensors that hang, in all; 0 = the usual */
    unsigned edges;    /* ticks of each counter to wait for before and after; 0 = none */
    bool
        more_commands; /* besides the target's tree, those of other processes of a launcher are measured */
    bool own_page; /* publish energies in memory if there is no folder for regions */
    /* Publish energies in this public page: generation, writer, boot id and rest are used. NULL =
     * none. If it cannot be created, the measurement fails. */
    const struct wtl_energy_page_options *public_page;
    double work; /* NaN = not given */
    const char *work_unit;
    const char *tasks;    /* "all" or "summary" of tasks are recorded; NULL = none */
    uint64_t tasks_limit; /* bytes that they may take */
    const char *labels;   /* model/labels.h; NULL or "" = none */
    const char *control; /* settings held for it: "freq=2.1GHz governor=performance"; NULL = none */
    double control_low_hz, control_high_hz; /* frequencies requested and accepted; 0 = none */
    const char *command_line; /* for result and trace; NULL = none, or this program's if `inside` */
    const char
        *series;      /* the verb of which this is one run of several, for the trace; NULL = none */
    const char *node; /* node of a job, shown in the result; NULL = not a job */
    /* For the trace; NULL = from the environment. */
    const char *node_name, *node_key, *run_id, *groups;
    struct wtl_teller teller;
};

struct wtl_gpu_shares;
struct wtl_counter_shares;

struct wtl_measurement {
    struct wtl_measurement_options options;
    struct wtl_run_trace trace;
    struct wtl_selection *selection;
    struct wtl_energy_writer *energy; /* for programs that read it during the run; NULL = none */
    struct wtl_session *session;      /* NULL = nothing to sample */
    struct wtl_governor before, after;
    struct wtl_busy busy; /* the machine's busy time, if no channel shows it */
    uint64_t busy_start_ns;
    uint64_t start_ns, end_ns;   /* 0 = not yet */
    uint64_t realtime_offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC at the start */
    double own_cpu_start_s;
    /* Shares: how energy is divided; with a calibration, the CPUs from just before the window. */
    struct wtl_share_model share_model;
    struct wtl_cpu_times cpu_times;
    struct wtl_counter_shares *counter_shares; /* NULL = not by hardware counters */
    char counter_note[256];                    /* why not; "" = not to be said */
    struct wtl_gpu_shares *gpu_shares;         /* NULL = the use of GPUs is not asked for */
    bool *may_on; /* CPUs on which the measured processes may run; NULL = all */
};

#endif

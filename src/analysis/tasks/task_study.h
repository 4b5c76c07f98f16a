/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tasks of a run cost, from its trace: reads power and activities, finds the lag of each sensor, fits the model and divides
 * the energy over types, workers and functions. Every output of "wattle tasks" is generated from this.
 *
 * Everything that a thread does is a type, waiting in a barrier, too, since it may spin; idling only if the program's processor time
 * says that its idle threads spin; never a thread that waits for another to end. What ran on a GPU explains the GPU's
 * channels and no others, and threads explain no GPU whose kernels are known. Workers lie in the sockets of their cores, if these are known; else all of them in each channel.
 */
#ifndef WTL_ANALYSIS_TASK_STUDY_H
#define WTL_ANALYSIS_TASK_STUDY_H

#include "analysis/tasks/activity.h"
#include "analysis/tasks/task_lag.h"
#include "analysis/tasks/task_model.h"
#include "model/calibration/calibration.h"
#include "model/result.h"

struct wtl_task_request {
    enum wtl_activity_by by;
    enum wtl_task_method method;
    const char *channel;                       /* name; NULL = those of the total */
    double idle_w, static_w;                   /* of the channel; NaN = calibration, or the trace */
    const struct wtl_calibration *calibration; /* or NULL */
    unsigned resamples;
    bool no_lag; /* sensors are where they say */
};

/* A thread, or a core. */
struct wtl_task_worker {
    char name[64]; /* "CPU 3", "thread 4711 (chol)" */
    int socket;    /* -1 = unknown */
    double busy_s;
    double energy_j; /* of its tasks, by their types; NaN = unknown */
    uint32_t thread;
    int32_t core;
    double *time_s; /* [types of the trace] */
    size_t room;
};

/* Which lanes and threads a channel is explained by, if not by the lanes of one card. */
enum wtl_task_card {
    WTL_TASK_THREADS = -1, /* by threads only: everything but GPUs */
    WTL_TASK_NOBODY = -2,  /* a GPU on which nothing ran, while others have lanes */
    WTL_TASK_EVERYBODY = -3
};

/* Channels that are read together. */
struct wtl_task_set {
    struct wtl_task_rows rows;
    struct wtl_task_curve curve;
    struct wtl_task_lag lag;
    size_t stretch_set;
    int socket;       /* workers of this socket only; -1 = all */
    int card;         /* lanes of this card only, or as in enum wtl_task_card */
    bool gauge;       /* of unknown window */
    double window_ns; /* of a gauge; 0 = none */
    double stale_ns;  /* a counter shows what it was about so long ago */
};

struct wtl_task_study {
    struct wtl_task_request request;
    struct wtl_trace_reader *reader;
    struct wtl_result result;
    struct wtl_task_set *sets;
    size_t set_count;
    struct wtl_task_model model;
    uint16_t *type_of;
    int *card_of; /* of each thread of the trace: the card whose lane it is, or WTL_TASK_THREADS */
    size_t thread_count;
    char (*cards)[24]; /* their PCI addresses */
    size_t card_count, card_room;
    struct wtl_task_worker *workers;
    size_t worker_count, worker_room;
    struct wtl_activity_faults faults;
    bool by_core;      /* all activities say their core */
    bool idle_spins;   /* threads that wait for work use processors: a type of its own */
    bool states_sleep; /* threads outside of tasks do not: P_S is not theirs */
    bool others;       /* the last type is all that were too many */
    bool
        only_total; /* what any part of it took is unknown: the tasks do not explain the power ... */
    bool
        too_few; /* ... or there are too few readings for intervals, without which no number holds */
    double
        outside_j; /* of the total's energy, not in any equation: gaps, and the ends of the run */
    double
        outside_cpu_s; /* processor time of the program when none of its threads is known to do anything; NaN = unknown */
    struct wtl_result_flag *flags;
    size_t flag_count;
};

/* 0; -ENODATA: no marks of tasks, or the model's reasons; or errors of the trace, with a sentence. In all cases
 * wtl_task_study_fini(). */
int wtl_task_study_read(const char *path,
                        const struct wtl_task_request *request,
                        struct wtl_task_study *study,
                        struct wattle_error *err);
void wtl_task_study_fini(struct wtl_task_study *study);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prediction: a run of which the beginning is known, against the runs of a model: which program it is, the letters to come,
 * and energy and time to its end. From runs on the same platform by what they still took (remainder.h), else from a run on
 * another one (transfer.h). What cannot be predicted says why.
 *
 *     wtl_predict(&question, &prediction, err);
 *     if (prediction.known) ... prediction.energy_j ...
 *     wtl_prediction_fini(&prediction);
 *
 * Pure: a model and strings of letters.
 */
#ifndef WTL_ANALYSIS_PREDICTION_H
#define WTL_ANALYSIS_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/phases/model.h"
#include "analysis/predict/match.h"
#include "analysis/predict/transfer.h"

enum {
    WTL_PREDICTED_LETTERS = 64,
    WTL_PREDICTED_PLATFORMS = 32,
    WTL_PREDICTED_NAME = 64,
    WTL_PREDICTED_CANDIDATES = 8
};

struct wtl_prediction_question {
    const struct wtl_phase_model *model;
    const struct wtl_dna *nodes; /* the beginning, in letters of the model */
    const struct wtl_dna
        *own; /* the same in letters of its own; NULL = no other platform is tried */
    const struct wtl_alphabet *own_alphabet;
    size_t node_count;
    const char *platform; /* where it runs; "" = unknown: the model's runs count as of the same */
    double done_s;
    double done_j;    /* NaN = unknown */
    double done_sd_j; /* of an energy that is derived from counters; 0 = measured */
    double idle_w;    /* of all its nodes; NaN: from the letter XXX of the model */
};

struct wtl_predicted_letter {
    char name[8];
    double begin_s, duration_s; /* after now */
    double probability;
};

/* A program that it may be, and its end if it is that one. */
struct wtl_predicted_candidate {
    const char *program; /* borrowed from the model */
    size_t runs, used;   /* stored; that the end is predicted from, 0 = none */
    double distance, probability;
    double energy_j, energy_low_j,
        energy_high_j; /* NaN = unknown; 95 % if it is this program; one run has no interval */
    double time_s, time_low_s, time_high_s;
};

/* What another platform would take. */
struct wtl_predicted_platform {
    char name[WTL_PREDICTED_NAME];
    double energy_j, energy_low_j, energy_high_j, time_s, time_low_s, time_high_s;
    size_t kernels;          /* that ran on both */
    size_t runs;             /* of the program that were measured there */
    double measured_j;       /* their mean energy; NaN = there are none */
    struct wattle_error why; /* why there is no estimate; "" = there is */
};

struct wtl_prediction {
    struct wtl_match match; /* names are borrowed from the model */
    bool known;             /* match.programs[0] is the answer */
    const char *program;    /* NULL = unknown run */
    double probability;     /* of the program, or that it is unknown */
    double progress;        /* share of its time that is over; NaN = unknown */
    double done_j, done_s;
    /* At the end of the program; 95 %, with all that it may be instead. NaN = unknown. */
    double energy_j, energy_low_j, energy_high_j;
    enum wattle_quality quality; /* of the stored energies it is predicted from: the lowest */
    bool simulated;              /* any of them */
    double time_s, time_low_s, time_high_s;
    struct wtl_predicted_candidate
        candidates[WTL_PREDICTED_CANDIDATES]; /* the most probable first */
    size_t candidate_count;
    size_t runs;                  /* that it is predicted from */
    const char *reference;        /* platform of the run it is predicted from; NULL = this one */
    struct wtl_transfer transfer; /* if so */
    struct wtl_predicted_letter next[WTL_PREDICTED_LETTERS]; /* of the first node */
    size_t next_count;
    const char *next_from; /* "runs": letters of the nearest run; "predictor"; NULL: none */
    double idle_w;         /* NaN = unknown */
    double
        variation_j; /* energy so far above that of the idle system: its part of the variation; NaN = unknown */
    struct wtl_predicted_platform platforms[WTL_PREDICTED_PLATFORMS]; /* the least energy first */
    size_t platform_count;
    double measured_j, measured_s; /* of the whole run, if it is known; else NaN */
    struct wattle_error why;       /* why there is no energy or no interval; "" = there is */
};

/* Returns 0, also for an unknown run; -ENODATA: nothing to compare with; -ENOMEM; with a sentence. */
int wtl_predict(const struct wtl_prediction_question *question,
                struct wtl_prediction *ret_prediction,
                struct wattle_error *err);
/* Not known, but more probably one of the programs than none of them. */
bool wtl_prediction_is_open(const struct wtl_prediction *prediction);
void wtl_prediction_fini(struct wtl_prediction *prediction);

/*
 * What `platform` (of the runs of `there`, NULL = of any) would take for the program of the reference, which ran here: its
 * kernels are the programs that ran here, in `here`, and there. Added to the list, which stays sorted.
 */
int wtl_predict_platform(const struct wtl_phase_model *here,
                         const struct wtl_match_run *reference,
                         const struct wtl_phase_model *there,
                         const char *platform,
                         struct wtl_prediction *prediction,
                         struct wattle_error *err);

/* A run of a model as the matcher sees it. */
struct wtl_match_run wtl_match_run_of(const struct wtl_model_run *run);

#endif

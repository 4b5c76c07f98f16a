/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A learnt model: alphabet and runs, one DNA per node of each run. Everything else follows from these and is computed when
 * it is asked for: transitions, energy per letter, the state of the system. The file is docs/format/phase-model.md.
 */
#ifndef WTL_ANALYSIS_PHASES_MODEL_H
#define WTL_ANALYSIS_PHASES_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

#include "analysis/phases/alphabet.h"
#include "analysis/phases/dna.h"
#include "analysis/predict/counter_energy.h"

#define WTL_PHASE_MODEL_VERSION 2     /* 1: without intervals of energies */
#define WTL_PHASE_MODEL_NODES   65536 /* nodes of a run */

struct wtl_model_run {
    char *name;     /* of the run: what is predicted, as "lu.C.16"; owned */
    char *platform; /* where it ran; owned */
    double duration_s;
    double energy_j;             /* sum over its nodes, of known_s */
    double known_s;              /* seconds times nodes */
    enum wattle_quality quality; /* the lowest of its nodes' energies */
    bool simulated;              /* it ran on a simulated node */
    struct wtl_dna *nodes; /* [node_count] by position: node 0 of every run is the first; owned */
    size_t node_count;
};

struct wtl_phase_model {
    unsigned version;
    char method[16]; /* how phases were found */
    double step_s;   /* length of letters; 0 = of phase length */
    struct wtl_alphabet alphabet;
    struct wtl_counter_energy power; /* from counters, for runs without a meter; columns 0 = none */
    struct wtl_model_run *runs;      /* owned */
    size_t run_count;
    size_t
        left_out; /* counters that the first run has beyond those of the alphabet; not in the file */
};

void wtl_phase_model_fini(struct wtl_phase_model *model); /* accepts a zeroed one */

void wtl_model_run_fini(struct wtl_model_run *run);

/* Take over a run (its names and nodes); 0, or -ENOMEM with the run still the caller's. */
int wtl_phase_model_add(struct wtl_phase_model *model, struct wtl_model_run *run);

/* From n bytes; name is for messages. 0; -EBADMSG with name, line and what is wrong: not a model, cut off, contradictory;
 * -ENOTSUP for a later version; -ENOMEM. */
int wtl_phase_model_parse(const char *name,
                          const char *text,
                          size_t n,
                          struct wtl_phase_model *ret_model,
                          struct wattle_error *err);
int wtl_phase_model_read(const char *path,
                         struct wtl_phase_model *ret_model,
                         struct wattle_error *err);
/* Errors of the stream show at wtl_flush(). */
void wtl_phase_model_write(const struct wtl_phase_model *model, FILE *out);

/* One letter's power over all runs and nodes: mean with its 95 % interval over occurrences, each with its own (NaN with
 * fewer than two). */
struct wtl_letter_power {
    size_t occurrences; /* with known energy */
    double seconds, energy_j, mean_w, low_w, high_w;
    double open_j; /* half width of energy_j from the borders of its phases */
};
int wtl_phase_model_powers(const struct wtl_phase_model *model,
                           struct wtl_letter_power **ret_powers, /* [alphabet.count], malloc'ed */
                           struct wattle_error *err);

/* Transitions of one node position over all runs. State 0 is the start and end of a run, state i + 1 letter i, the last
 * state every behaviour that is not in the alphabet. With letters of fixed length a letter may follow itself. */
struct wtl_transitions {
    size_t states;   /* alphabet.count + 2 */
    uint64_t *count; /* [states * states], row = from; owned */
    uint64_t runs;
};
int wtl_phase_model_transitions(const struct wtl_phase_model *model,
                                size_t node,
                                struct wtl_transitions *ret_transitions,
                                struct wattle_error *err);
void wtl_transitions_fini(struct wtl_transitions *transitions);
/* P(to | from); 0 if the state was never left. */
double wtl_transition_probability(const struct wtl_transitions *transitions,
                                  size_t from,
                                  size_t to);

/* The states of the system: for each change of any node's letter, the vector of the nodes' letters. */
struct wtl_system_state {
    double begin_s, end_s;
    const uint16_t *letters; /* [node_count]; WTL_DNA_UNKNOWN after the end of a node */
};
struct wtl_system_states {
    struct wtl_system_state *list; /* owned, with letters */
    uint16_t *letters;
    size_t count;
};
int wtl_model_run_states(const struct wtl_model_run *run,
                         struct wtl_system_states *ret_states,
                         struct wattle_error *err);
void wtl_system_states_fini(struct wtl_system_states *states);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DNA of one node's run: its letters with duration and energy, of phase length or of a fixed length (15 s in the
 * paper). A fixed letter is the one that fills most of its span; the last may be shorter.
 */
#ifndef WTL_ANALYSIS_PHASES_DNA_H
#define WTL_ANALYSIS_PHASES_DNA_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

struct wtl_alphabet;
struct wtl_counter_rows;
struct wtl_phase_list;

#define WTL_DNA_UNKNOWN UINT16_MAX /* a behaviour that is not in the alphabet */

struct wtl_base {
    uint16_t letter;   /* index into the alphabet, or WTL_DNA_UNKNOWN */
    uint16_t flags;    /* 0 */
    double duration_s; /* > 0 */
    double energy_j;   /* of the known part; 0 if known_s is 0 */
    double known_s;    /* seconds for which the energy is known, 0 to duration_s */
    double half_j; /* half width of its interval; 0 = not stated, as with letters of fixed length */
};

struct wtl_dna {
    struct wtl_base *list; /* owned */
    size_t count;
    double step_s; /* 0 = of phase length */
};

/* The length of letters of fixed length: whole rows, at least one; 0: of phase length. */
double wtl_dna_step(const struct wtl_counter_rows *rows, double step_s);

/* From phases that have letters (wtl_alphabet_spell); equal neighbours are joined if step_s is 0. step_s is rounded to
 * whole rows, at least one. 0, -ENOMEM. */
int wtl_dna_of_phases(const struct wtl_counter_rows *rows,
                      const struct wtl_phase_list *phases,
                      double step_s,
                      struct wtl_dna *ret_dna,
                      struct wattle_error *err);
void wtl_dna_fini(struct wtl_dna *dna);

/* Letters of fixed length from any DNA: [*ret_count], malloc'ed. For the predictors of predict/sequence.h. */
int wtl_dna_slots(const struct wtl_dna *dna,
                  double step_s,
                  uint16_t **ret_letters,
                  size_t *ret_count);

double wtl_dna_seconds(const struct wtl_dna *dna);
double wtl_dna_joules(const struct wtl_dna *dna, double *ret_known_s);

/* "A12 B3 XXX5": names with durations in seconds; "(17692, 21) (293, 15)" for codes. Malloc'ed; NULL if out of memory. */
char *wtl_dna_text(const struct wtl_dna *dna, const struct wtl_alphabet *alphabet);

#endif

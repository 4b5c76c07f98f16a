/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the alphabet share. */
#ifndef WTL_ANALYSIS_PHASES_ALPHABET_PARTS_H
#define WTL_ANALYSIS_PHASES_ALPHABET_PARTS_H

#include "analysis/phases/alphabet.h"

/* How far mean rates of some rows are from a letter: 0 to 1, or INFINITY for another behaviour. */
double wtl_alphabet_distance(const struct wtl_alphabet *alphabet,
                             const struct wtl_letter *letter,
                             const double *rates,
                             double rows);

/* Fewer rows neither become a letter nor show that the machine is idle. */
enum { WTL_LETTER_ROWS = 2 };
/* Whether the counters do hardly anything; whether n rows of this mean power (NaN = unknown) may be idle, too. */
bool wtl_alphabet_is_quiet(const struct wtl_alphabet *alphabet, const double *rates);
bool wtl_alphabet_is_idle(const struct wtl_alphabet *alphabet,
                          const double *rates,
                          double n,
                          double mean_w);

/* The paper's code of a phase, filled up with the smallest other ids if fewer than four counters vary; XXX if none do. */
uint16_t wtl_phase_code(const struct wtl_phase *phase);

/* The letter of a phase with these mean rates, or -1. */
int wtl_alphabet_letter_of(const struct wtl_alphabet *alphabet,
                           const struct wtl_phase *phase,
                           const double *rates,
                           double rows);

#endif

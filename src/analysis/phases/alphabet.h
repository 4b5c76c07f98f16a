/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An alphabet: the behaviours that recur in runs recorded with one counter set. The number of letters is found, not
 * given. Two phases are the same letter unless one of their mean rates differs by more than its noise explains
 * (significant) and by more than a share of the larger rate (relevant, 15 % by default). A phase is compared with the
 * letters so far, so phases can be added as they end, from any run and any node, each run read once.
 *
 *     wtl_alphabet_init(&alphabet, columns, names, set, err);
 *     wtl_alphabet_learn(&alphabet, rows, phases, err);    each run: new letters where needed; sets those of its phases
 *     wtl_alphabet_settle(&alphabet, &map, err);           merges letters that turned out to be alike
 *     wtl_alphabet_spell(&alphabet, rows, phases, err);    the letters of a run that is not learnt
 *     wtl_alphabet_fini(&alphabet);
 *
 * With the paper's method letters are codes (letter.h) and nothing is compared: one letter per set of four counters.
 */
#ifndef WTL_ANALYSIS_PHASES_ALPHABET_H
#define WTL_ANALYSIS_PHASES_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/phases/phase.h"

enum {
    WTL_ALPHABET_COLUMNS = WTL_ROW_COLUMNS,
    WTL_ALPHABET_NAME = WTL_ROW_NAME_MAX,
    WTL_ALPHABET_LETTERS = 4096
};

struct wtl_letter {
    char name[8];                        /* "A"; "17692"; "XXX" */
    uint16_t code;                       /* of the paper; WTL_LETTER_XXX if the method has none */
    bool idle;                           /* XXX */
    double centre[WTL_ALPHABET_COLUMNS]; /* mean rates; NaN = never measured */
    double seconds, rows, occurrences;   /* of the phases that formed it */
    double power_s;                      /* seconds of known power */
    double mean_w;                       /* NaN = unknown */
    double sd_w;                         /* of the mean power of its phases; NaN = fewer than two */
    double squares;                      /* sum of squared deviations of mean_w */
};

struct wtl_alphabet {
    char set[WTL_ALPHABET_NAME];
    size_t columns;
    char names[WTL_ALPHABET_COLUMNS][WTL_ALPHABET_NAME];
    double noise[WTL_ALPHABET_COLUMNS];    /* standard deviation of a row within a phase */
    double rows[WTL_ALPHABET_COLUMNS];     /* rows that noise is based on */
    double repeated[WTL_ALPHABET_COLUMNS]; /* lag-1 autocorrelation of that noise, 0 to 0.99 */
    double most[WTL_ALPHABET_COLUMNS];     /* largest mean rate of a phase */
    double alike;                          /* relevant difference of rates, a share */
    double
        idle_beta; /* a phase with less activity (wtl_alphabet_activity) may be idle; NaN = none */
    double
        idle_w; /* power of the idle machine, of which idle phases draw hardly more; 0 = unknown */
    bool idle_given;            /* it was measured; else it is that of the phases that draw least */
    bool codes;                 /* letters are sets of four counters, with codes of the paper */
    struct wtl_letter *letters; /* owned */
    size_t count;
};

/* A phase that draws more than the idle machine by this factor is not idle. */
#define WTL_ALPHABET_IDLE_MOST 1.2

/* The default of alphabet.alike. */
#define WTL_ALPHABET_ALIKE 0.15

/* names: [columns], each NUL-terminated in WTL_ALPHABET_NAME bytes. 0; -EINVAL for 0 or too many columns. */
int wtl_alphabet_init(struct wtl_alphabet *alphabet,
                      size_t columns,
                      const char (*names)[WTL_ALPHABET_NAME],
                      const char *set,
                      struct wattle_error *err);
void wtl_alphabet_fini(struct wtl_alphabet *alphabet);

/* Whether rows have the columns of the alphabet, in any order and with more of them: 0 with the column of the rows for
 * each of the alphabet, or -EINVAL with a sentence that names set and missing counter. */
int wtl_alphabet_fits(const struct wtl_alphabet *alphabet,
                      const struct wtl_counter_rows *rows,
                      size_t ret_column[WTL_ALPHABET_COLUMNS],
                      struct wattle_error *err);

/* Learn from the phases of a run, and set their letters: the index in the alphabet so far; -1 for a phase that is too
 * short to be a letter of its own and unlike all others. 0; -EINVAL as for wtl_alphabet_fits; -E2BIG for more than
 * WTL_ALPHABET_LETTERS; -ENOMEM. */
int wtl_alphabet_learn(struct wtl_alphabet *alphabet,
                       const struct wtl_counter_rows *rows,
                       struct wtl_phase_list *phases,
                       struct wattle_error *err);

/* After the last run: merge letters that are alike and name them in the order in which they were first seen. map[i] is the
 * new index of letter i; malloc'ed, may be NULL. 0 or -ENOMEM. */
int wtl_alphabet_settle(struct wtl_alphabet *alphabet, size_t **ret_map, struct wattle_error *err);

/* Set letter of each phase: the index of its letter, -1 = unlike all of them. */
int wtl_alphabet_spell(const struct wtl_alphabet *alphabet,
                       const struct wtl_counter_rows *rows,
                       struct wtl_phase_list *phases,
                       struct wattle_error *err);

/* What tells idle from work: cache misses per cycle if the set has both; else CPU time per second; else nothing (NULL),
 * and no phase is idle. */
const char *wtl_alphabet_activity_name(const struct wtl_alphabet *alphabet);
/* Its value for mean rates in the order of the alphabet's columns; NaN = unknown. */
double wtl_alphabet_activity(const struct wtl_alphabet *alphabet, const double *rates);

/* One behaviour of n rows with these mean rates, in the order of the alphabet's columns, and mean power (NaN = unknown): the
 * index of its letter, or -1. Allocates nothing; for streams. */
int wtl_alphabet_letter(const struct wtl_alphabet *alphabet,
                        const double *rates,
                        double n,
                        double mean_w);

/* The mean rates of a phase in the order of the alphabet's columns; NaN = unknown. column: of wtl_alphabet_fits. Returns
 * its rows with any rate. */
double wtl_alphabet_rates(const struct wtl_alphabet *alphabet,
                          const struct wtl_counter_rows *rows,
                          const struct wtl_phase *phase,
                          const size_t column[WTL_ALPHABET_COLUMNS],
                          double ret_rates[WTL_ALPHABET_COLUMNS]);

/* The index of a letter by name, or -1. */
int wtl_alphabet_find(const struct wtl_alphabet *alphabet, const char *name);

#endif

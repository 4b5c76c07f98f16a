/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An alphabet: the behaviours that recur in runs recorded with one counter set. The number of letters is found, not
 * given. Two phases are the same letter unless one of their mean rates differs by more than its noise explains
 * (significant) and by more than a share of the larger rate (relevant, 15 % by default). One phase is compared with the
 * letters so far, so phases can be added as they end, from any run and any node.
 *
 *     wtl_alphabet_init(&alphabet, columns, names, set);
 *     wtl_alphabet_noise(&alphabet, rows, phases, err);         of each run first: the noise of each counter
 *     wtl_alphabet_add(&alphabet, rows, phases, err);           of each run: new letters where needed
 *     wtl_alphabet_settle(&alphabet);                           merge letters that turned out to be alike
 *     wtl_alphabet_spell(&alphabet, rows, phases);              set the letter of each phase
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
    double idle_beta;           /* cache misses per cycle below which a phase is idle; NaN = none */
    bool codes;                 /* letters are codes of the paper */
    struct wtl_letter *letters; /* owned */
    size_t count;
};

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

int wtl_alphabet_noise(struct wtl_alphabet *alphabet,
                       const struct wtl_counter_rows *rows,
                       const struct wtl_phase_list *phases,
                       struct wattle_error *err);
int wtl_alphabet_add(struct wtl_alphabet *alphabet,
                     const struct wtl_counter_rows *rows,
                     const struct wtl_phase_list *phases,
                     struct wattle_error *err);
int wtl_alphabet_settle(struct wtl_alphabet *alphabet, struct wattle_error *err);

/* Set letter of each phase: the index of its letter, -1 = unlike all of them. */
int wtl_alphabet_spell(const struct wtl_alphabet *alphabet,
                       const struct wtl_counter_rows *rows,
                       struct wtl_phase_list *phases,
                       struct wattle_error *err);

/* One behaviour of n rows with these mean rates, in the order of the alphabet's columns: the index of its letter, or
 * -1. Allocates nothing; for streams. */
int wtl_alphabet_letter(const struct wtl_alphabet *alphabet, const double *rates, double n);

/* The index of a letter by name, or -1. */
int wtl_alphabet_find(const struct wtl_alphabet *alphabet, const char *name);

#endif

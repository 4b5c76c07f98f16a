/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfer: the energy and time of a program on this platform from its complete run on another one, the reference. The
 * letters of the two platforms differ, since every counter counts at another rate; they are laid on each other by what
 * does not depend on speed, the rates relative to each other, and by their order. Kernels that ran on both, complete, and
 * what has already run here show how much longer and how much more energy each letter takes (platform.h).
 *
 * Pure. One thread per call.
 */
#ifndef WTL_ANALYSIS_TRANSFER_H
#define WTL_ANALYSIS_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/predict/match.h"

/* Mean rates of a platform's letters, [count * columns]. */
struct wtl_transfer_letters {
    const double *centre;
    size_t count;
};

/* A kernel that ran on both platforms. */
struct wtl_transfer_kernel {
    const struct wtl_match_run *reference, *target;
};

/* The mean rates of an alphabet's letters in the columns of another one, NaN where it has none; malloc'ed, NULL if out of
 * memory. */
struct wtl_alphabet;
double *wtl_transfer_centres(const struct wtl_alphabet *alphabet,
                             const struct wtl_alphabet *columns);

struct wtl_transfer_question {
    size_t columns;
    struct wtl_transfer_letters reference_letters, target_letters;
    const struct wtl_transfer_kernel *kernels;
    size_t kernel_count;
    const struct wtl_match_run *reference; /* the program, complete */
    const struct wtl_match_run *target;    /* its beginning here; NULL = nothing has run here */
};

struct wtl_transfer {
    double done_j, done_s;                /* here, so far */
    double reference_j, reference_done_j; /* complete; up to the same letter */
    double reference_s, reference_done_s;
    double paper_j;                               /* of the paper's estimate; NaN: there is none */
    double energy_j, energy_low_j, energy_high_j; /* complete, by letters; 95 % */
    double time_s, time_low_s, time_high_s;
    double
        time_ratio_j; /* energy of the reference times the ratio of times: what is often done; NaN: nothing to take it from */
    double distance;  /* of the beginning from the reference, 0..1; NaN: no beginning */
    size_t kernels;   /* that could be used */
    size_t letters, letters_seen; /* of the rest; of them on both platforms */
};

/*
 * Returns 0; -ENODATA: nothing ran on both platforms; -EINVAL: the numbers of nodes differ; -EDOM: the reference has no
 * energy; -ERANGE: the beginning does not fit it; -ENOMEM; with a sentence.
 */
int wtl_transfer(const struct wtl_transfer_question *question,
                 struct wtl_transfer *ret_transfer,
                 struct wattle_error *err);

#endif

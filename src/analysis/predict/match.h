/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Match: which stored run is this one, of which only the beginning is known, how far has it got in it, and how sure is
 * that? "None of them" is an answer.
 *
 * Two strings of letters are aligned in time: each letter of the beginning is laid on a stretch of the stored run, in
 * order, both from their starts on, the end of the stored run free. What does not fit costs time: time under another
 * letter (times how unlike the two are), time skipped, and a share of the difference of durations. The distance is that
 * cost over the length of the beginning, 0..1.
 *
 * The probability of a program follows from its nearest run: how often are runs of the same program that far from each
 * other, how often are runs of others, both at the same progress and measured on the stored runs? It is not more certain
 * than what has been seen: one letter is that of many programs. A run that is far from all of them is unknown.
 *
 * Pure: the runs are arrays of strings, one per node. One thread per matcher.
 */
#ifndef WTL_ANALYSIS_MATCH_H
#define WTL_ANALYSIS_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

struct wtl_dna; /* analysis/phases/dna.h */

/* A run as the matcher sees it; everything is borrowed. */
struct wtl_match_run {
    const char *name; /* of the program: runs of one name are runs of one program */
    const char *platform;
    const struct wtl_dna *nodes;
    size_t node_count;
    enum wattle_quality quality; /* of its energy */
    bool simulated;
};

struct wtl_match_options {
    const double
        *unlike; /* [letters * letters], 0 = alike .. 1; NULL: two letters are equal or not */
    size_t letters;
    double duration_weight; /* share of a difference of durations that counts, 0..1 */
    const double *pace;     /* [letters]: durations here over those of the stored runs; NULL = 1 */
    double accept;          /* the least probability at which a run is known */
    double unknown;         /* least prior of an unknown run; of n programs 1 / (n + 1) */
    size_t elsewhere;       /* programs of other platforms only, each as probable as one of these */
};
struct wtl_match_options wtl_match_options_default(void);

/* Where one node is in a stored string. */
struct wtl_match_place {
    size_t base;   /* this letter of it */
    double into_s; /* seconds of it are over */
    double cost_s;
    double length_s; /* of the beginning */
};

/*
 * Align a beginning with a stored string. `open`: its last letter goes on. Gives up when the cost exceeds `bound_s`.
 * Returns true and the place with the least cost; false: more than the bound, or a string without time.
 */
struct wtl_matcher;
int wtl_matcher_create(const struct wtl_match_options *options, struct wtl_matcher **ret_matcher);
void wtl_matcher_destroy(struct wtl_matcher *matcher);
bool wtl_matcher_align(struct wtl_matcher *matcher,
                       const struct wtl_dna *beginning,
                       const struct wtl_dna *stored,
                       double bound_s,
                       struct wtl_match_place *ret_place);

/* Part of a letter of the beginning, and the stored letter that it is laid on. */
struct wtl_match_piece {
    size_t from, to;
    double seconds; /* of the beginning */
};

/*
 * The same alignment, with every piece of it, in order. whole: both strings are complete, so that their ends match, too.
 * Returns 0 with the pieces, malloc'ed; -ENODATA for a string without time; -E2BIG for strings too long for it; -ENOMEM.
 */
int wtl_match_pieces(const struct wtl_match_options *options,
                     const struct wtl_dna *beginning,
                     const struct wtl_dna *stored,
                     bool whole,
                     struct wtl_match_piece **ret_pieces,
                     size_t *ret_count,
                     struct wtl_match_place *ret_place);

enum { WTL_MATCH_KEPT = 64 /* nearest runs of a program */ };

/* A stored run that is near. */
struct wtl_match_found {
    size_t run;
    double distance; /* 0..1, over all nodes */
    double done_s,
        rest_s; /* of the stored run, before and after the place: the node that takes longest */
    double done_j, rest_j; /* likewise; sums over the nodes */
    double open_j;    /* what the borders of its letter leave open of how the two are divided */
    double unknown_s; /* of the stored run, without energy */
    size_t base; /* of its first node: the letter that goes on, and its seconds that are over */
    double into_s;
};

struct wtl_match_program {
    const char *name;    /* borrowed from its run */
    size_t runs;         /* stored */
    size_t first, count; /* its nearest runs in found[], nearest first */
    double distance;     /* of the nearest */
    double probability;
};

struct wtl_match {
    struct wtl_match_program *programs; /* the most probable first; owned */
    size_t program_count;
    struct wtl_match_found *found; /* owned */
    size_t found_count;
    double unknown;  /* probability of none of them; programs elsewhere among it */
    bool known;      /* programs[0] is the answer */
    size_t compared; /* runs of as many nodes */
    size_t left_out; /* runs of another number of nodes */
};

/*
 * Match the beginning (one string per node). Returns 0; -ENODATA: no runs, none of as many nodes, or a beginning without
 * letters; -ENOMEM; with a sentence.
 */
int wtl_match_find(const struct wtl_match_run *runs,
                   size_t run_count,
                   const struct wtl_match_run *beginning,
                   const struct wtl_match_options *options,
                   struct wtl_match *ret_match,
                   struct wattle_error *err);
void wtl_match_fini(struct wtl_match *match);

#endif

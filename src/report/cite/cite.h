/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cite: the description of a measurement for a paper: a paragraph for the methods section, written from the
 * traces, and references in BibTeX. Facts missing from a trace are listed as not recorded. Several traces are
 * repeats of one measurement.
 */
#ifndef WTL_REPORT_CITE_H
#define WTL_REPORT_CITE_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>
#include <wattle/error.h>

#include "report/noun.h"

enum wtl_cite_topic {
    WTL_CITE_MEASUREMENT = 0, /* what was measured, with what, where, when, how often */
    WTL_CITE_MACHINE,         /* processors, memory, kernel */
    WTL_CITE_SETTINGS,        /* governor, turbo, SMT, limits */
    WTL_CITE_SENSORS,         /* drivers, channels, units, refresh, filtering */
    WTL_CITE_SAMPLING,        /* interval, lateness */
    WTL_CITE_WINDOW,          /* what the energy refers to */
    WTL_CITE_TOTAL,           /* what it contains and leaves out */
    WTL_CITE_RESULT,
    WTL_CITE_INTERVALS, /* what they cover */
    WTL_CITE_QUALITY,   /* gaps, flags */
    WTL_CITE_COST,      /* of wattle itself */
    WTL_CITE_TOPICS
};

struct wtl_cite;

/* Read the traces, count >= 1. Returns 0; -EINVAL if they are not repeats of one measurement (the message
 * says how they differ); -ENOMEM; or the error of the reader. */
int wtl_cite_read(char *const *paths,
                  size_t count,
                  struct wtl_cite **ret_cite,
                  struct wattle_error *err);
void wtl_cite_free(struct wtl_cite *cite); /* accepts NULL */

/* Print the paragraph and the references as text. */
void wtl_cite_text(const struct wtl_cite *cite, FILE *out);

/* Print only the references. */
void wtl_cite_bibtex(const struct wtl_cite *cite, FILE *out);

/* The document wattle.cite/1 (docs/format/json.md); a new reference, NULL if out of memory. */
extern const struct wtl_noun wtl_noun_cite;
json_t *wtl_cite_json(const struct wtl_cite *cite);

#endif

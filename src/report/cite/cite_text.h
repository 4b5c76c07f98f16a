/* SPDX-License-Identifier: BSD-3-Clause */
/* A citation under construction: sentences by topic, and facts that no trace contains. */
#ifndef WTL_REPORT_CITE_TEXT_H
#define WTL_REPORT_CITE_TEXT_H

#include "report/cite/cite.h"
#include "report/cite/cite_facts.h"

enum { WTL_CITE_CELL = 64, WTL_CITE_LIST = 1024 };

struct wtl_cite_sentence {
    enum wtl_cite_topic topic;
    char *text;
};

struct wtl_cite {
    struct wtl_cite_facts facts;
    struct wtl_cite_sentence *sentences; /* by topic */
    size_t sentence_count;
    char missing[WTL_CITE_LIST]; /* "processor model, turbo"; "" = nothing */
    bool failed;                 /* out of memory */
};

/* Add a sentence. */
void wtl_cite_say(struct wtl_cite *cite, enum wtl_cite_topic topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* No trace says this. */
void wtl_cite_miss(struct wtl_cite *cite, const char *what);

/* The value of a key; when no trace has it, `what` is missing and NULL is returned. */
const char *wtl_cite_need(struct wtl_cite *cite, const char *key, const char *what);

/* Append to a list of WTL_CITE_LIST bytes, preceded by ", " unless it is empty; truncated if too long. */
void wtl_cite_list(char *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The result: of the only run, or the means of all. */
const struct wtl_result *wtl_cite_result(const struct wtl_cite *cite);

/* One file each. */
void wtl_cite_say_measurement(struct wtl_cite *cite);
void wtl_cite_say_machine(struct wtl_cite *cite);
void wtl_cite_say_sensors(struct wtl_cite *cite);
void wtl_cite_say_result(struct wtl_cite *cite);

#endif

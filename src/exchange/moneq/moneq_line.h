/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A line of a MonEQ file (Blue Gene/Q): a sample, a tag marker, a header. Its data files have 15
 * fields, since MonEQ writes no comma between the seconds and the row of the machine:
 * "6.5600010,1,0,15" is 6.560001 s, row 0, column 1. Lines with that comma, those of its paper
 * (nine fields) and those of its reducer's .dat (nine, tabs) are accepted, too.
 */
#ifndef WTL_EXCHANGE_MONEQ_LINE_H
#define WTL_EXCHANGE_MONEQ_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/quantity.h>

#include "exchange/import/import_table.h"

/* Power columns: the node card and its seven domains, in the order of the files. */
enum { WTL_MONEQ_DOMAINS = 7, WTL_MONEQ_POWERS = WTL_MONEQ_DOMAINS + 1 };

/* What a power column maps to. The names are those of MonEQ's files. */
struct wtl_moneq_power {
    const char *name;
    enum wattle_domain domain;
    int index;
};
extern const struct wtl_moneq_power wtl_moneq_powers[WTL_MONEQ_POWERS];

#define WTL_MONEQ_START "---MonEQ_START_POWER_TAG="
#define WTL_MONEQ_END   "---MonEQ_END_POWER_TAG="

enum wtl_moneq_what {
    WTL_MONEQ_SAMPLE = 0,
    WTL_MONEQ_TAG_START,
    WTL_MONEQ_TAG_END,
    WTL_MONEQ_NOTHING /* a header, or empty */
};

/* Row, column, midplane and node board. */
struct wtl_moneq_place {
    unsigned row, column, midplane, board;
};

struct wtl_moneq_line {
    enum wtl_moneq_what what;
    bool has_place; /* the sample has date, seconds since 1970 and place; else only its seconds */
    int64_t elapsed_ns; /* since MonEQ_Initialize() */
    int64_t epoch_s;    /* since 1970, truncated */
    int64_t date_s;     /* the date as if it were UTC; INT64_MIN = invalid */
    struct wtl_moneq_place place;
    struct wtl_import_cell power[WTL_MONEQ_POWERS];
    const char *tag; /* borrowed from the line; not NUL-terminated */
    size_t tag_length;
};

/* Parse n bytes. 0, or -EBADMSG with the reason in *ret_why ("13 fields instead of 15"),
 * borrowed. */
int wtl_moneq_line_parse(const char *text,
                         size_t n,
                         struct wtl_moneq_line *ret_line,
                         const char **ret_why);

/* "R0-C1-M0-N15" into text of 48 bytes. */
void wtl_moneq_place_print(const struct wtl_moneq_place *place, char *text);
/* Is the whole text such a place? */
bool wtl_moneq_place_parse(const char *text, struct wtl_moneq_place *ret_place);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Units and their spellings: a closed list. */
#ifndef WTL_EXCHANGE_UNIT_H
#define WTL_EXCHANGE_UNIT_H

#include <stddef.h>

#include <wattle/quantity.h>

struct wtl_unit {
    const char *name;
    enum wattle_quantity quantity;
    double scale; /* to the unit of the quantity */
};

/* All units, terminated by a NULL name. */
extern const struct wtl_unit wtl_units[];

/* Bytes of the micro sign (UTF-8 or Latin-1) or the Greek mu with which the character at p begins, n bytes being available; 0 = neither.
 * Each stands for the "u" of "uW". */
size_t wtl_micro_length(const char *p, size_t n);

/* A unit of the closed list by its name or another spelling of it; NULL. */
const struct wtl_unit *wtl_unit_find(const char *name, size_t n);

#endif

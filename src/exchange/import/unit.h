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

/* A unit of the closed list by its name or another spelling of it; NULL. */
const struct wtl_unit *wtl_unit_find(const char *name, size_t n);

#endif

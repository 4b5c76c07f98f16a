/* SPDX-License-Identifier: BSD-3-Clause */
/* What readings of a domain's energy can reveal to those who may read them. */
#ifndef WTL_RECORD_ENERGY_LEAKS_H
#define WTL_RECORD_ENERGY_LEAKS_H

#include <wattle/quantity.h>

/* One sentence of at most 111 bytes. Out of range: that of WATTLE_DOMAIN_OTHER. */
const char *wtl_energy_leaks(enum wattle_domain domain);

#endif

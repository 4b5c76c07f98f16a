/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of drivers. If two see the same domain, the first in the list is preferred. */
#ifndef WTL_SOURCE_REGISTRY_H
#define WTL_SOURCE_REGISTRY_H

#include "source/driver.h"

/* All drivers, NULL-terminated. */
extern const struct wtl_driver *const wtl_drivers[];

#endif

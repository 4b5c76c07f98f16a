/* SPDX-License-Identifier: BSD-3-Clause */
/* The one list of drivers. Its order is the preference when two see the same thing. */
#ifndef WTL_SOURCE_REGISTRY_H
#define WTL_SOURCE_REGISTRY_H

#include "source/driver.h"

/* All drivers, ended by NULL. */
extern const struct wtl_driver *const wtl_drivers[];

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy page that wattle_read() and similar calls use: that of this process's own measurement,
 * or of the folder that its regions go to. */
#ifndef WTL_PROFILER_READ_H
#define WTL_PROFILER_READ_H

#include "record/energy_page.h"

/* Use this page from now on, for the life of the process: other threads may be reading. Only the
 * first one given counts. */
void wtl_profiler_read_from(struct wtl_energy_reader *reader);

/* The page, looked up at the first call; NULL = none, or not yet. Thread-safe. */
const struct wtl_energy_reader *wtl_profiler_reader(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy page that wattle_read() and its like look at: that of this process's own measurement, or of the folder into
 * which its regions go. */
#ifndef WTL_PROFILER_READ_H
#define WTL_PROFILER_READ_H

#include "record/energy_page.h"

/* Look at this one from now on, and for as long as the process lives: others may be just reading. The first one given stays. */
void wtl_profiler_read_from(struct wtl_energy_reader *reader);

/* The page, found at the first call; NULL = there is none, or not yet. Any thread. */
const struct wtl_energy_reader *wtl_profiler_reader(void);

#endif

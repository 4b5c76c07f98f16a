/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "analysis/phases/phase_bounds.h"
#include "base/fail.h"

int wtl_phase_find_pelt(const struct wtl_counter_rows *rows,
                        const struct wtl_phase_options *options,
                        struct wtl_phase_bounds *bounds,
                        struct wattle_error *err)
{
    (void)rows;
    (void)options;
    (void)bounds;
    return wtl_fail(err, -ENOSYS, "not yet");
}

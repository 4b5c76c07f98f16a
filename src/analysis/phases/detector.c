/* SPDX-License-Identifier: BSD-3-Clause */
/* The streaming detector of phases: see detector.h. */
#include "analysis/phases/detector.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"

struct wtl_detector {
    size_t columns;
};

struct wtl_detector_options wtl_detector_options_default(void)
{
    return (struct wtl_detector_options){.method = WTL_PHASE_FOCUS, .false_alarms_per_row = 1e-6};
}

int wtl_detector_create(size_t columns,
                        const struct wtl_detector_options *options,
                        struct wtl_detector **ret_detector,
                        struct wattle_error *err)
{
    (void)columns;
    (void)options;
    (void)ret_detector;
    return wtl_fail(err, -ENOSYS, "phases cannot be found yet");
}

int wtl_detector_push(struct wtl_detector *detector, const double *row, size_t *ret_back)
{
    (void)detector;
    (void)row;
    (void)ret_back;
    return 0;
}

void wtl_detector_reset(struct wtl_detector *detector)
{
    (void)detector;
}

void wtl_detector_close(struct wtl_detector *detector)
{
    free(detector);
}

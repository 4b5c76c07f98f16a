/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model of shares in calibration.conf: section [shares HOST total] (docs/format/calibration.md). It is
 * used only under the conditions in which it was measured, as far as both are known.
 */
#ifndef WTL_ACCOUNT_SHARE_CALIBRATION_H
#define WTL_ACCOUNT_SHARE_CALIBRATION_H

#include <wattle/error.h>

#include "account/share.h"
#include "base/world/world.h"
#include "model/calibration/calibration.h"

#define WTL_SHARE_CALIBRATION_KIND "shares"
#define WTL_SHARE_CALIBRATION_ITEM "total"

/* The present conditions; NULL, "", 0 and turbo -1 = unknown. */
struct wtl_share_conditions {
    const char *sensor; /* names of the channels in the total, separated by blanks */
    bool simulated;
    unsigned cpus; /* online */
    const char *governor, *epp;
    int turbo;
    uint64_t min_khz, max_khz;
};

/* The model of a section. Returns 0; -EBADMSG with a message when a value is missing or not valid; -ESTALE with the
 * condition that differs. Pure. */
int wtl_share_calibration_read(const struct wtl_calibration_section *section,
                               const struct wtl_share_conditions *now,
                               struct wtl_share_model *ret_model,
                               struct wattle_error *err);

/* The same from the files where calibrations are searched for; -ENOENT with a message if there is no section for this host. */
int wtl_share_calibration_load(const struct wtl_world *world,
                               const struct wtl_share_conditions *now,
                               struct wtl_share_model *ret_model,
                               struct wattle_error *err);

#endif

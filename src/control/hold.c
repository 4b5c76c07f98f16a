/* SPDX-License-Identifier: BSD-3-Clause */
/* A hold: see hold.h. */
#include "control/hold.h"

#include <errno.h>

#include "base/fail.h"

const char *const wtl_ask_names[] = {"freq",        "governor", "epp", "turbo",
                                     "power-limit", "uncore",   NULL};

int wtl_hold_set(struct wtl_hold_request *request,
                 enum wtl_ask ask,
                 const char *text,
                 struct wattle_error *err)
{
    (void)request, (void)ask, (void)text;
    return wtl_fail(err, -ENOSYS, "not implemented");
}

int wtl_hold_frequency(const char *text, double *ret_hz)
{
    (void)text, (void)ret_hz;
    return -ENOSYS;
}

bool wtl_hold_asks(const struct wtl_hold_request *request)
{
    (void)request;
    return false;
}

int wtl_hold_begin(const struct wtl_control *control,
                   const struct wtl_hold_request *request,
                   struct wtl_hold **ret_hold,
                   struct wattle_error *err)
{
    (void)control, (void)request, (void)ret_hold;
    return wtl_fail(err, -ENOSYS, "not implemented");
}

int wtl_hold_end(struct wtl_hold *hold, struct wattle_error *err)
{
    (void)hold;
    return wtl_fail(err, -ENOSYS, "not implemented");
}

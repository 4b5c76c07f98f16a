/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of "wattle pose" that come with the next changes; weak, so that these take their place. */
#include <errno.h>

#include "analysis/pose_traces.h"
#include "base/fail.h"

__attribute__((weak)) int wtl_pose_subject_of_traces(char *const *paths,
                                                     size_t count,
                                                     const char *channel,
                                                     const char *region,
                                                     struct wtl_pose_subject *ret_subject,
                                                     struct wattle_error *err)
{
    (void)count;
    (void)channel;
    (void)region;
    (void)ret_subject;
    return wtl_fail(err, -ENOTSUP, "%s: traces cannot be read yet", paths[0]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of "wattle pose" that come with the next changes; weak, so that these take their place. */
#include <errno.h>

#include "analysis/pose_traces.h"
#include "base/fail.h"
#include "report/pose_figure.h"

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

__attribute__((weak)) int wtl_pose_figure_draw(const struct wtl_pose_study *study,
                                               const struct wtl_pose_figure_options *options,
                                               enum wtl_picture picture,
                                               FILE *out,
                                               char *caption,
                                               size_t n,
                                               struct wattle_error *err)
{
    (void)study;
    (void)options;
    (void)picture;
    (void)out;
    (void)caption;
    (void)n;
    return wtl_fail(err, -ENOTSUP, "drawing comes next");
}

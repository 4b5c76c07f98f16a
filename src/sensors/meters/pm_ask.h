/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pmlib server has, asked through the world. All calls return 0 or -errno, and never wait beyond the deadline. */
#ifndef WTL_SENSORS_PM_ASK_H
#define WTL_SENSORS_PM_ASK_H

#include "base/world/world.h"
#include "pmlib/wire.h"

/* The devices: their number, at most `most`, of which names[0 .. most-1] are filled in. *ret_dialect becomes WTL_PM_CPP if the
 * server's list shows it; else it is unchanged. */
int wtl_pm_ask_list(const struct wtl_world *world,
                    const char *address,
                    uint64_t deadline_ns,
                    char (*names)[WTL_PM_TEXT],
                    size_t most,
                    enum wtl_pm_dialect *ret_dialect);

/* -ENODEV: unknown device. */
int wtl_pm_ask_info(const struct wtl_world *world,
                    const char *address,
                    uint64_t deadline_ns,
                    const char *device,
                    struct wtl_pm_device *ret_device);

/* Names and descriptions of the lines. Some servers do not answer while something is measured. */
int wtl_pm_ask_lines(const struct wtl_world *world,
                     const char *address,
                     uint64_t deadline_ns,
                     const char *device,
                     void (*take)(void *context, const struct wtl_pm_line *line),
                     void *context);

/* Begin a stream of samples: the connection, or -errno; -ENODEV, -ERANGE (frequency too high). */
int wtl_pm_ask_stream(const struct wtl_world *world,
                      const char *address,
                      uint64_t deadline_ns,
                      const char *device,
                      int frequency);

#endif

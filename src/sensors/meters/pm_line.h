/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a pmlib server as channels. */
#ifndef WTL_SENSORS_PM_LINE_H
#define WTL_SENSORS_PM_LINE_H

#include "pmlib/wire.h"
#include "source/driver.h"

/* What a server says about the lines of a device. */
struct wtl_pm_lines {
    size_t count;
    struct wtl_pm_line_text {
        int32_t number;
        char name[32], description[128], computer[48];
    } list[WTL_PM_LINES];
};

/* For wtl_pm_ask_lines(): *context is a struct wtl_pm_lines. */
void wtl_pm_lines_take(void *context, const struct wtl_pm_line *line);

struct wtl_pm_place {
    const char *address, *device;
    uint64_t period_ns;
    double scale;
};

/* Add the channel of a line: by its description if the server is wattle-pm, else "other". Its number, or -errno. */
int wtl_pm_add_line(struct wtl_source *source,
                    const struct wtl_pm_place *place,
                    const struct wtl_pm_lines *known,
                    int32_t line);

/* Add the channel of a domain that is the sum of lines. 0, or -EINVAL for an unknown domain. */
int wtl_pm_add_sum(struct wtl_source *source,
                   const struct wtl_pm_place *place,
                   const char *domain,
                   const uint8_t lines[WTL_PM_MASK],
                   int32_t line_count,
                   struct wattle_error *err);

/* Parse a description of wattle-pm, "SENSOR:DOMAIN-INDEX[-SUB] QUALITY[ simulated], mean of each period": true, and domain,
 * index, sub, quality and flags of the channel. */
bool wtl_pm_description(const char *text, struct wattle_channel *channel);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* See share_rule.h. */
#include "model/shares/share_rule.h"

#include <stddef.h>
#include <string.h>

const char *const wtl_share_rule_names[] = {[WTL_SHARE_CPU_TIME] = "cpu_time",
                                            [WTL_SHARE_CALIBRATED] = "calibrated",
                                            [WTL_SHARE_COUNTERS] = "counters"};

enum wtl_share_rule wtl_share_rule_of(const char *name)
{
    for (size_t i = 0; name && i < WTL_SHARE_RULES; i++)
        if (strcmp(wtl_share_rule_names[i], name) == 0)
            return (enum wtl_share_rule)i;
    return WTL_SHARE_CPU_TIME;
}

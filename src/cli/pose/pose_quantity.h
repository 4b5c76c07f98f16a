/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with units as people type them: "3.5 s", "2min", "39 kJ", "10.8kWh", "181.14". */
#ifndef WTL_CLI_POSE_QUANTITY_H
#define WTL_CLI_POSE_QUANTITY_H

enum wtl_pose_dimension { WTL_POSE_OF_TIME, WTL_POSE_OF_ENERGY, WTL_POSE_OF_POWER };

/* Convert to seconds, joules or watts, which are also the default units. Returns 0, or -EINVAL if not valid (also nan, inf). */
int wtl_pose_quantity(const char *text, enum wtl_pose_dimension dimension, double *ret_value);

/* "a time, such as 3.5s or 2min": for messages. */
const char *wtl_pose_quantity_expected(enum wtl_pose_dimension dimension);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The key of a processor name in the tables. */
#ifndef WTL_SENSORS_CPU_KEY_H
#define WTL_SENSORS_CPU_KEY_H

#define WTL_CPU_KEY_MAX 24 /* size of a key in the tables, with its NUL */

/* "Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz" -> "e5-2620 v3"; "" when nothing remains of the name or the
 * key does not fit. */
void wtl_cpu_key(const char *name, char ret_key[WTL_CPU_KEY_MAX]);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* wattled's log: one line on stderr per change of state, with the prefixes of sd-daemon(3) under systemd
 * ("<4>" = warning), so that the journal knows the level. */
#ifndef WTL_DAEMON_LOG_H
#define WTL_DAEMON_LOG_H

enum wtl_log_level { WTL_LOG_ERROR = 3, WTL_LOG_WARNING = 4, WTL_LOG_INFO = 6 };

void wtl_log(enum wtl_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

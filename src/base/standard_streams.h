/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard streams that were closed before the program started, and the other descriptors. */
#ifndef WTL_BASE_STANDARD_STREAMS_H
#define WTL_BASE_STANDARD_STREAMS_H

/*
 * If a standard stream is closed, none of our files may get its number and our messages. A placeholder that
 * refuses writes takes it, and is closed again for programs that are executed. Call first in main().
 */
void wtl_hold_standard_streams(void);

/* Close all descriptors above them but `kept` (-1 = none), in a process that continues by itself: another one may be
 * waiting for their end. */
void wtl_close_others(int kept);

#endif

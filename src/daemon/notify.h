/* SPDX-License-Identifier: BSD-3-Clause */
/* Tell the service manager how wattled is doing: sd_notify(3), without its library. */
#ifndef WTL_DAEMON_NOTIFY_H
#define WTL_DAEMON_NOTIFY_H

/* Send a state ("READY=1"), if a service manager has asked for it in NOTIFY_SOCKET. */
void wtl_notify(const char *state);

#endif

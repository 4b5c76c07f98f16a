/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wattled that could not read a part of the node at its start, such as the counter of a package, starts anew once it can: its
 * privileges are given up when the sensors are open, so it cannot open another one. Until then it is two processes. The one that was
 * started keeps the privileges and does nothing but wait, pass on signals, and look from time to time: after 5 s, 10 s, .. and at last every
 * 10 minutes, in a process of its own that may hang. The other one serves. If more can be read, that one ends in order, as by TERM, and the
 * program is executed again in the first one, which stays the process that the service manager knows.
 *
 * Jobs that were open at any time before lack the part that was not read, and say so (daemon/jobs/job_channels.h).
 */
#ifndef WTL_DAEMON_RENEWAL_H
#define WTL_DAEMON_RENEWAL_H

#include "daemon/program/daemon.h"

/* lacks: what could not be read. argv: of this program. From a process without threads and without open sensors. Returns the exit status,
 * or does not return. */
int wtl_renewal_serve(const struct wtl_daemon_options *options, const char *lacks, char **argv);

#endif

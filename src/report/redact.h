/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report without what identifies people and machines. Texts are left out unless their member is known to hold wattle's own
 * words or a name that was chosen for a report: what a later version adds is left out until somebody looks at it.
 *
 * Left out (null, or the key is missing): host and node names, paths, arguments, run and job ids, environment, the machine's own
 * words for its sensors (which may hold serial numbers), metadata but for the kind of machine. Nodes and runs become "node 1", "run 1",
 * processes and threads are numbered, flags say what they mean in general. Names of regions, channels and labels stay, unless they
 * hold a path, an address or the name of a host: then they become "name 1". Numbers of energy, power and time stay.
 */
#ifndef WTL_REPORT_REDACT_H
#define WTL_REPORT_REDACT_H

#include <jansson.h>

/* A document wattle.report/1 or wattle.run-report/1, in place; its `redacted` becomes true. 0 or -ENOMEM. */
int wtl_redact(json_t *document);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report without what identifies people and machines. Texts are left out unless their member is known to hold wattle's own
 * words or a name that was chosen for a report: what a later version adds is left out until somebody looks at it.
 *
 * Left out (null, or the key is missing): host and node names, paths, arguments, run and job ids, environment, the machine's own
 * words for its sensors (which may hold serial numbers), metadata but for the kind of machine. Nodes and runs become "node 1", "run 1",
 * processes and threads are numbered, flags say what they mean in general. Names of regions, channels and labels and the unit of work stay, unless they
 * hold a path, an address or the name of a host: then they become "name 1". Numbers of energy, power and time stay.
 */
#ifndef WTL_REPORT_REDACT_H
#define WTL_REPORT_REDACT_H

#include <jansson.h>

#include "trace/reader.h"

/* Replaces a text by the same new name everywhere, and owns these names. */
struct wtl_redactor;

/*
 * A document wattle.report/1 or wattle.run-report/1, in place; its `redacted` becomes true. Names of hosts and nodes that the document holds become secrets; those that it
 * does not hold, as in a study of several runs, have to be added before. 0 or -ENOMEM.
 */
int wtl_redact(json_t *document, struct wtl_redactor *redactor);

/* The same rule for what is not a document: figures, and the studies of `wattle pose`. */

enum wtl_redacted_kind {
    WTL_REDACTED_NAME, /* kept, unless it holds a path, an address or a secret */
    WTL_REDACTED_NODE, /* "node 1" */
    WTL_REDACTED_RUN,  /* "run 1" */
    WTL_REDACTED_PROGRAM /* a command line: the program without its folder and arguments; NULL = it is not plain */
};

struct wtl_redactor *wtl_redactor_new(void); /* NULL without memory */
void wtl_redactor_free(struct wtl_redactor *redactor);

/* The name of a host, of a node, of a job; NULL and "" are none. */
void wtl_redactor_add_secret(struct wtl_redactor *redactor, const char *text);
/* The names in a trace. */
void wtl_redactor_add_secrets_of(struct wtl_redactor *redactor,
                                 const struct wtl_trace_reader *reader);

/* Those of all traces of a run, or of a single trace (analysis/cluster/run_names.h); none of what cannot be read. */
void wtl_redactor_add_secrets_at(struct wtl_redactor *redactor, const char *name);

/* The replacement of a text. redactor NULL: the text itself. */
const char *wtl_redacted(struct wtl_redactor *redactor,
                         enum wtl_redacted_kind kind,
                         const char *text);
/* The text of a flag: what it means in general. */
const char *wtl_redacted_flag(struct wtl_redactor *redactor, const char *name, const char *text);

#endif

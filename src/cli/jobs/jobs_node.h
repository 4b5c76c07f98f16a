/* SPDX-License-Identifier: BSD-3-Clause */
/* What the actions that ask this node's wattled have in common: a request, and the jobs of its reply. */
#ifndef WTL_CLI_JOBS_NODE_H
#define WTL_CLI_JOBS_NODE_H

#include "cli/node/job_list.h"
#include "options/options.h"

/* Parse the lines of a reply to a request about `id`, changing them; as wtl_node_job_list_parse(). */
typedef int wtl_jobs_parse(struct wtl_node_job_list *list, const char *id, char *lines);

/* Ask wattled ("end " and the id), and print the jobs of its reply, if parse is not NULL. Returns the exit status, after an
 * error was printed. */
int wtl_jobs_node_ask(const struct wtl_command *command,
                      const char *request,
                      const char *id,
                      wtl_jobs_parse *parse,
                      enum wtl_format format);

/* The one operand of a command line: an ID. Returns 0 or the exit status of the usage error that was printed. */
int wtl_jobs_node_id(const struct wtl_command *command,
                     const struct wtl_command_line *line,
                     const char **ret_id);

#endif

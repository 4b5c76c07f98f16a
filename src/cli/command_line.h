/* SPDX-License-Identifier: BSD-3-Clause */
/* The command as one line, for results and traces. */
#ifndef WTL_CLI_COMMAND_LINE_H
#define WTL_CLI_COMMAND_LINE_H

/* The arguments as a shell would take them again, with secrets hidden, cut where a trace could not
 * hold more; malloc'ed for the caller to free, NULL without memory. */
char *wtl_command_line(char *const *argv);

/* The same of a line for the shell, as it was given. */
char *wtl_command_line_shown(const char *line);

#endif

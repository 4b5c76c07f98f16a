/* SPDX-License-Identifier: BSD-3-Clause */
/* The command as one line, for results and traces. */
#ifndef WTL_CLI_COMMAND_LINE_H
#define WTL_CLI_COMMAND_LINE_H

/* The arguments quoted for a shell, with secrets hidden, cut to the maximum length in a trace; malloc'ed
 * for the caller to free, NULL if out of memory. */
char *wtl_command_line(char *const *argv);

/* The same for a shell command line, as given. */
char *wtl_command_line_shown(const char *line);

#endif

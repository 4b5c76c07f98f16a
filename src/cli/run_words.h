/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs named by the operands of a verb (analysis/cluster/run_names.h), and a line about skipped folder entries. */
#ifndef WTL_CLI_RUN_WORDS_H
#define WTL_CLI_RUN_WORDS_H

#include "analysis/cluster/run_names.h"
#include "options/options.h"

/* All runs of all arguments, and a line about what was skipped; once: without copies (run_set.h). Returns as wtl_run_names_add(); the caller frees the list. */
int wtl_run_words(const struct wtl_command *command,
                  char *const *words,
                  size_t count,
                  bool once,
                  struct wtl_trace_list *ret_names,
                  struct wattle_error *err);

/* The single run that an argument names; -EINVAL for several. The caller frees it. */
int wtl_run_word_single(const struct wtl_command *command,
                        const char *word,
                        char **ret_name,
                        struct wattle_error *err);

/* Leave out of the list each run that is in it already (analysis/cluster/run_set.h). 0 or -ENOMEM. */
int wtl_run_words_once(struct wtl_trace_list *names, struct wattle_error *err);

/* Report on stderr how many folder entries were skipped, the first one, and why. Prints nothing if none. */
void wtl_say_left_out(const struct wtl_command *command, const struct wtl_trace_list *list);

#endif

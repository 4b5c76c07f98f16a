/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs that the operands of a verb name (analysis/cluster/run_names.h), and the line on what folders hold besides. */
#ifndef WTL_CLI_RUN_WORDS_H
#define WTL_CLI_RUN_WORDS_H

#include "analysis/cluster/run_names.h"
#include "options/options.h"

/* All runs of all words, and the line on what is left out. What wtl_run_names_add() says; the caller frees the list. */
int wtl_run_words(const struct wtl_command *command,
                  char *const *words,
                  size_t count,
                  struct wtl_trace_list *ret_names,
                  struct wattle_error *err);

/* The one run that a word names; of several runs -EINVAL. For the caller to free. */
int wtl_run_word_single(const struct wtl_command *command,
                        const char *word,
                        char **ret_name,
                        struct wattle_error *err);

/* On standard error: how many entries of folders are left out, the first, and why. Nothing where all were taken. */
void wtl_say_left_out(const struct wtl_command *command, const struct wtl_trace_list *list);

#endif

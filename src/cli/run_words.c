/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_words.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_set.h"
#include "base/fail.h"

int wtl_run_words_once(struct wtl_trace_list *names, struct wattle_error *err)
{
    struct wtl_run_set seen = {0};
    int rc = wtl_run_set_add(&seen, names, 0) < 0 ? wtl_no_memory(err) : 0;
    wtl_run_set_fini(&seen);
    return rc;
}

void wtl_say_left_out(const struct wtl_command *command, const struct wtl_trace_list *list)
{
    if (list->left_count == 1)
        wtl_complain(command, "skipped %s", list->left ? list->left : "a file");
    else if (list->left_count > 1)
        wtl_complain(command, "skipped %zu files, the first is %s", list->left_count,
                     list->left ? list->left : "unknown");
}

int wtl_run_words(const struct wtl_command *command,
                  char *const *words,
                  size_t count,
                  bool once,
                  struct wtl_trace_list *ret_names,
                  struct wattle_error *err)
{
    int rc = 0;
    *ret_names = (struct wtl_trace_list){0};
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = wtl_run_names_add(ret_names, words[i], err);
    if (rc == 0 && once)
        rc = wtl_run_words_once(ret_names, err);
    if (rc == 0)
        wtl_say_left_out(command, ret_names);
    return rc;
}

int wtl_run_word_single(const struct wtl_command *command,
                        const char *word,
                        char **ret_name,
                        struct wattle_error *err)
{
    struct wtl_trace_list names = {0};
    int rc = wtl_run_name_single(&names, word, err);
    if (rc == 0) {
        wtl_say_left_out(command, &names);
        *ret_name = strdup(names.paths[0]);
        rc = *ret_name ? 0 : wtl_no_memory(err);
    }
    wtl_trace_list_fini(&names);
    return rc;
}

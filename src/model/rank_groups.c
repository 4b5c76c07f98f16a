/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of ranks, as in the paper's output partition: "1-10,11-32". */
#define _GNU_SOURCE
#include "model/rank_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

static int parse_one(const char *text, struct wtl_rank_group *group)
{
    uint64_t first, last;
    char word[64];
    if (strlen(text) >= sizeof word)
        return -EINVAL;
    (void)snprintf(word, sizeof word, "%s", text);
    char *dash = strchr(word, '-');
    if (dash)
        *dash = '\0';
    if (wtl_parse_u64(word, &first) < 0 || first > INT32_MAX)
        return -EINVAL;
    last = first;
    if (dash && (wtl_parse_u64(dash + 1, &last) < 0 || last > INT32_MAX || last < first))
        return -EINVAL;
    (void)snprintf(group->name, sizeof group->name, "%s", text);
    group->first = (int32_t)first;
    group->last = (int32_t)last;
    return 0;
}

int wtl_rank_groups_parse(const char *text,
                          struct wtl_rank_group **ret_groups,
                          size_t *ret_count,
                          struct wattle_error *err)
{
    char *copy = strdup(text), *rest = copy;
    struct wtl_rank_group *groups = calloc(strlen(text) + 1, sizeof *groups);
    size_t count = 0;
    if (!copy || !groups) {
        free(copy);
        free(groups);
        return wtl_no_memory(err);
    }
    int rc = 0;
    for (char *word; rc == 0 && (word = strsep(&rest, ",")) != NULL; count++) {
        rc = parse_one(word, &groups[count]);
        if (rc < 0)
            (void)wtl_fail(
                err, rc, "\"%.60s\" is not a group of ranks; write groups as \"1-10,11-32\"", word);
        for (size_t i = 0; rc == 0 && i < count; i++)
            if (strcmp(groups[i].name, groups[count].name) == 0)
                rc = wtl_fail(err, -EINVAL, "duplicate group of ranks %s", groups[i].name);
    }
    free(copy);
    if (rc < 0) {
        free(groups);
        return rc;
    }
    *ret_groups = groups;
    *ret_count = count;
    return 0;
}

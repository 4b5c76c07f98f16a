/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in a list of hosts, as Slurm writes it: "n[01-03,07],m1"; see host_list.h. */
#define _GNU_SOURCE
#include "base/config/host_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct names {
    char **items;
    size_t count, most;
};

static int add(struct names *names,
               const char *before,
               size_t n,
               const char *number,
               const char *behind)
{
    if (wtl_grow(&names->items, names->count, sizeof *names->items) < 0)
        return -ENOMEM;
    if (asprintf(&names->items[names->count], "%.*s%s%s", (int)n, before, number, behind) < 0)
        return -ENOMEM;
    names->count++;
    return 0;
}

/* "01-03" of "n[01-03,07]x": each number has as many digits as the first. */
static int add_range(struct names *names,
                     const char *before,
                     size_t n,
                     char *range,
                     const char *behind)
{
    char *end, number[32];
    unsigned long first = strtoul(range, &end, 10), last = first;
    int width = (int)(end - range);
    if (end == range || width > 18)
        return 0;
    if (*end == '-')
        last = strtoul(end + 1, &end, 10);
    int rc = *end ? -EINVAL : 0;
    for (; rc == 0 && first <= last && names->count < names->most; first++) {
        (void)snprintf(number, sizeof number, "%0*lu", width, first);
        rc = add(names, before, n, number, behind);
    }
    return rc == -ENOMEM ? rc : 0;
}

static int add_word(struct names *names, char *word)
{
    char *open = strchr(word, '['), *close = open ? strchr(open, ']') : NULL;
    if (!open)
        return word[0] && names->count < names->most ? add(names, word, strlen(word), "", "") : 0;
    if (!close)
        return 0;
    *close = '\0';
    char *rest = open + 1;
    int rc = 0;
    for (char *range; rc == 0 && (range = strsep(&rest, ",")) != NULL;)
        rc = add_range(names, word, (size_t)(open - word), range, close + 1);
    return rc;
}

int wtl_host_list_expand(const char *text, size_t most, char ***ret_names, size_t *ret_count)
{
    struct names names = {.most = most};
    char *copy = strdup(text), *word = copy;
    int rc = copy ? 0 : -ENOMEM;
    unsigned depth = 0;
    for (char *p = copy; rc == 0 && p; p++) {
        bool end = *p == '\0';
        depth += *p == '[';
        depth -= *p == ']' && depth > 0;
        if (!end && (*p != ',' || depth > 0))
            continue;
        *p = '\0';
        rc = add_word(&names, word);
        word = p + 1;
        if (end)
            break;
    }
    free(copy);
    if (rc < 0) {
        for (size_t i = 0; i < names.count; i++)
            free(names.items[i]);
        free(names.items);
        return rc;
    }
    *ret_names = names.items;
    *ret_count = names.count;
    return 0;
}

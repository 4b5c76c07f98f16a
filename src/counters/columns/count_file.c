/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files of the kernel: see count_file.h. */
#include "counters/columns/count_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "counters/columns/count_table.h"

int wtl_count_file_open(struct wtl_count_file *file,
                        const struct wtl_world *world,
                        const char *path)
{
    *file = (struct wtl_count_file){.fd = -1};
    int n = snprintf(file->path, sizeof file->path, "%s", path);
    if (n < 0 || (size_t)n >= sizeof file->path)
        return -ENAMETOOLONG;
    file->fd = world->ops->open(world, path, O_RDONLY);
    if (file->fd < 0)
        return file->fd;
    file->text = malloc(WTL_COUNT_FILE_SIZE);
    if (!file->text)
        return -ENOMEM;
    wtl_count_file_read(world, file);
    return file->size < 0 ? (int)file->size : 0;
}

void wtl_count_file_close(const struct wtl_world *world, struct wtl_count_file *file)
{
    if (file->fd >= 0)
        world->ops->close(world, file->fd);
    free(file->text);
    file->fd = -1;
    file->text = NULL;
}

void wtl_count_file_read(const struct wtl_world *world, struct wtl_count_file *file)
{
    ssize_t n = 0;
    size_t used = 0;
    /* The kernel returns long tables in pieces. */
    while (used < WTL_COUNT_FILE_SIZE - 1 &&
           (n = world->ops->pread(world, file->fd, file->text + used,
                                  WTL_COUNT_FILE_SIZE - 1 - used, (off_t)used)) > 0)
        used += (size_t)n;
    file->text[used] = '\0';
    file->size = n < 0 ? n : (ssize_t)used;
    if (used == WTL_COUNT_FILE_SIZE - 1)
        file->size = -EOVERFLOW;
}

/* The number after "WORD " at the start of a line. */
static int value_after(const char *text, const char *word, uint64_t *ret)
{
    size_t n = strlen(word);
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, word, n) != 0 || (at[n] != ' ' && at[n] != ':' && at[n] != '\t'))
            continue;
        at += n + 1;
        at += strspn(at, " \t");
        return wtl_scan_u64(at, strlen(at), ret) > 0 ? 0 : -EBADMSG;
    }
    return -EBADMSG;
}

static int used_memory(const char *text, uint64_t *ret)
{
    uint64_t total, available;
    if (value_after(text, "MemTotal", &total) < 0 ||
        value_after(text, "MemAvailable", &available) < 0 || available > total)
        return -EBADMSG;
    *ret = (total - available) * 1024;
    return 0;
}

int wtl_count_file_value(const struct wtl_world *world,
                         const struct wtl_count_file *file,
                         const struct wtl_count_rule *rule,
                         struct wtl_count_sum *sum,
                         uint64_t *ret_value)
{
    uint64_t value = 0;
    int rc = 0;
    if (file->size < 0)
        return (int)file->size;
    switch (rule->form) {
    case WTL_COUNT_NUMBER:
        rc = wtl_scan_u64(file->text, (size_t)file->size, &value) > 0 ? 0 : -EBADMSG;
        break;
    case WTL_COUNT_KEY:
        rc = value_after(file->text, rule->word, &value);
        break;
    case WTL_COUNT_USED:
        rc = used_memory(file->text, &value);
        break;
    case WTL_COUNT_NET:
    case WTL_COUNT_DISK:
        rc = wtl_count_table_sum(world, file->text, rule, sum, &value);
        break;
    case WTL_COUNT_IO_STAT:
        value = wtl_count_words_sum(file->text, rule->word);
        break;
    default:
        rc = -EINVAL;
        break;
    }
    if (rc == 0)
        *ret_value = value * rule->factor;
    return rc;
}

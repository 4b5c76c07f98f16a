/* SPDX-License-Identifier: BSD-3-Clause */
/* The size limit of spools with tasks: see task_limit.h. */
#define _GNU_SOURCE
#include "record/regions/task_limit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/parse.h"
#include "trace/spool/spool_layout.h"

/* The first chunks of a process are small on disk, and not counted. */
enum { FREE_CHUNKS = 4 };

int wtl_task_limit_read(struct wtl_task_limit *limit)
{
    const char *tasks = wtl_environment("WATTLE_TASKS");
    const char *most = wtl_environment("WATTLE_TASKS_LIMIT");

    *limit = (struct wtl_task_limit){0};
    if (!tasks || !tasks[0] || strcmp(tasks, "0") == 0)
        return 0;
    if (!most || wtl_parse_u64(most, &limit->bytes) < 0)
        limit->bytes = 0;
    return strcmp(tasks, "summary") == 0 ? 2 : 1;
}

/* The chunks of all processes, after adding one; 0 = unknown. */
static uint64_t count_one(const char *dir)
{
    char path[512];
    struct stat st = {0};
    int n = snprintf(path, sizeof(path), "%s/" WTL_TASK_LIMIT_FILE, dir);

    if (n < 0 || (size_t)n >= sizeof(path))
        return 0;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0)
        return 0;
    bool good = write(fd, "", 1) == 1 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    (void)close(fd); /* a byte that is lost makes the limit a chunk larger */
    return good && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

void wtl_task_limit_chunk(struct wtl_task_limit *limit, const char *dir)
{
    if (limit->bytes == 0 || ++limit->own <= FREE_CHUNKS)
        return;
    uint64_t chunks = count_one(dir), own = limit->own - FREE_CHUNKS;
    uint64_t most = limit->bytes / WTL_SPOOL_CHUNK;

    if ((chunks > own ? chunks : own) > most)
        limit->over = true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* I/O and memory of a process tree: see tree_count.h. */
#include "counters/columns/tree_count.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"

struct visit {
    struct wtl_tree_values *values;
    uint64_t page_size;
    pid_t root;
};

static int number_after(const char *text, const char *word, uint64_t *ret)
{
    const char *at = strstr(text, word);
    at = at ? at + strlen(word) : NULL;
    return at && wtl_scan_u64(at, strlen(at), ret) > 0 ? 0 : -EBADMSG;
}

static int add_io(const struct wtl_tree_walk *walk, pid_t pid, struct wtl_tree_values *values)
{
    char text[512];
    uint64_t got, written;
    ssize_t n = wtl_tree_walk_text(walk, pid, "io", text, sizeof text);
    if (n < 0)
        return (int)n;
    /* The line after the first of these words is "cancelled_write_bytes". */
    if (number_after(text, "\nread_bytes: ", &got) < 0 ||
        number_after(text, "\nwrite_bytes: ", &written) < 0)
        return -EBADMSG;
    values->list[WTL_TREE_READ] += got;
    values->list[WTL_TREE_WRITTEN] += written;
    return 0;
}

static int add_memory(const struct wtl_tree_walk *walk, pid_t pid, const struct visit *visit)
{
    char text[128];
    uint64_t pages;
    ssize_t n = wtl_tree_walk_text(walk, pid, "statm", text, sizeof text);
    const char *at = n < 0 ? NULL : strchr(text, ' ');
    if (!at || wtl_scan_u64(at + 1, strlen(at + 1), &pages) <= 0)
        return n < 0 ? (int)n : -EBADMSG;
    visit->values->list[WTL_TREE_MEMORY] += pages * visit->page_size;
    return 0;
}

/* I/O that may not be read leaves a sum incomplete, whichever process it is; an ended one is in its parent. */
static int add_process(const struct wtl_tree_walk *walk, pid_t pid, void *context)
{
    const struct visit *visit = context;
    struct wtl_tree_values *values = visit->values;
    int io = add_io(walk, pid, values), memory = add_memory(walk, pid, visit);
    bool gone = io == -ENOENT || io == -ESRCH;
    if (io < 0 && (pid == visit->root || !gone))
        values->io_status = io;
    if (pid == visit->root)
        values->memory_status = memory;
    return pid == visit->root && gone ? io : 0;
}

static void read_into(const struct wtl_tree_count *count,
                      const struct wtl_tree_walk *walk,
                      struct wtl_tree_values *values)
{
    struct visit visit = {.values = values, .page_size = count->page_size, .root = walk->pid};
    *values = (struct wtl_tree_values){.io_status = 0};
    int rc = wtl_tree_walk_all(walk, add_process, &visit);
    if (rc < 0)
        values->io_status = values->memory_status = rc;
}

int wtl_tree_count_open(struct wtl_tree_count *count, const struct wtl_world *world, pid_t pid)
{
    *count = (struct wtl_tree_count){.page_size = 4096};
    long page = world->ops->sysconf(world, _SC_PAGESIZE);
    if (page > 0)
        count->page_size = (uint64_t)page;
    int rc = wtl_tree_walk_init(&count->walk, world, pid);
    rc = rc < 0 ? rc : wtl_tree_walk_init(&count->last_walk, world, pid);
    if (rc == 0)
        wtl_tree_count_read(count);
    return rc;
}

void wtl_tree_count_close(struct wtl_tree_count *count)
{
    wtl_tree_walk_fini(&count->walk);
    wtl_tree_walk_fini(&count->last_walk);
}

void wtl_tree_count_read(struct wtl_tree_count *count)
{
    read_into(count, &count->walk, &count->now);
    bool gone = count->now.io_status == -ENOENT || count->now.io_status == -ESRCH;
    if (gone && atomic_load_explicit(&count->ended, memory_order_acquire))
        count->now = count->last;
}

void wtl_tree_count_end(struct wtl_tree_count *count)
{
    read_into(count, &count->last_walk, &count->last);
    atomic_store_explicit(&count->ended, true, memory_order_release);
}

int wtl_tree_count_value(struct wtl_tree_count *count, enum wtl_tree_value which, uint64_t *ret)
{
    const struct wtl_tree_values *values = &count->now;
    *ret = values->list[which];
    if (which == WTL_TREE_MEMORY)
        return values->memory_status;
    if (*ret < count->most[which])
        *ret = count->most[which];
    if (values->io_status == 0)
        count->most[which] = *ret;
    return values->io_status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run files of any bytes: the index unchanged, and again with corrected checksums, which lets it through to the fields;
 * then the run made from it, its totals, and the lists of nodes that a trace may name.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_state.h"
#include "analysis/cluster/run_totals.h"
#include "base/config/host_list.h"
#include "trace/blocks/bytes.h"
#include "trace/blocks/crc32c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_run(const char *path)
{
    struct wtl_run_file file;
    struct wtl_run *run;
    struct wtl_run_totals totals;
    struct wattle_error err;
    char *words[] = {(char *)(uintptr_t)path};
    if (wtl_run_file_read(path, &file, &err) == 0) {
        for (size_t i = 0; i < file.count; i++)
            if (!file.members[i].name[0])
                abort(); /* promised: a name */
        wtl_run_file_fini(&file);
    }
    if (wtl_run_open(words, 1, NULL, &run, &err) < 0)
        return;
    for (size_t i = 0; i < wtl_run_node_count(run); i++)
        if (wtl_run_find(run, wtl_run_node(run, i)->name) != (int)i)
            abort(); /* promised: names are unique */
    if (wtl_run_totals_of(run, &totals, &err) == 0)
        wtl_run_totals_fini(&totals);
    wtl_run_close(run);
}

static void run_bytes(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("run", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_run(path);
    close(fd);
}

/* Header and trailer with correct checksums. */
static void mend(uint8_t *data, size_t size)
{
    static const uint8_t magic[8] = {0xf5, 'W', 'R', 'U', 'N', '\r', '\n', 0x1a};
    if (size < 48)
        return;
    uint8_t *trailer = data + size - 32;
    uint64_t offset = wtl_load_u64(trailer) % (size - 32);
    memcpy(data, magic, sizeof magic);
    data[8] = 1;
    data[9] = 0;
    wtl_store_u32(data + 12, wtl_crc32c(data, 12));
    wtl_store_u64(trailer, offset);
    wtl_store_u64(trailer + 8, size - 32 - offset);
    wtl_store_u32(trailer + 16, wtl_crc32c(data + offset, size - 32 - offset));
    wtl_store_u32(trailer + 20, wtl_crc32c(trailer, 20));
    memcpy(trailer + 24, "wtl-run\n", 8);
}

static void expand(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), **names;
    size_t count;
    if (text && wtl_host_list_expand(text, 100, &names, &count) == 0) {
        if (count > 100)
            abort(); /* promised: no more */
        for (size_t i = 0; i < count; i++)
            free(names[i]);
        free(names);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536)
        return 0;
    expand(data, size);
    run_bytes(data, size);
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    mend(copy, size);
    run_bytes(copy, size);
    free(copy);
    return 0;
}

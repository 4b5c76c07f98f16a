/* SPDX-License-Identifier: BSD-3-Clause */
/* The spool reader on any bytes: as a complete file, and as one that arrives in two parts. Times of a thread never
 * decrease, and there are no more marks than the bytes can hold. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/spool/spool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct wtl_spool_now now = {"", {UINT64_C(1) << 40, UINT64_C(1) << 40}};

/* The marks from a cursor on. */
static void read_marks(struct wtl_spool_cursor *cursor, uint64_t *last_ns, size_t *left)
{
    struct wtl_mark mark;

    while (wtl_spool_next(cursor, &mark) > 0) {
        const char *name = wtl_spool_name(cursor->spool, mark.name);

        if (mark.time_ns < *last_ns || (*left)-- == 0 || (name && strlen(name) > WTL_NAME_BYTES))
            abort();
        *last_ns = mark.time_ns;
    }
}

static void read_whole(const uint8_t *data, size_t size)
{
    static struct wtl_spool_cursor cursor;
    struct wtl_spool *spool;
    size_t left = size;

    if (wtl_spool_open_bytes(data, size, &now, &spool, NULL) < 0)
        return;
    for (size_t i = 0; i < wtl_spool_info(spool)->threads; i++) {
        uint64_t last_ns = 0;

        wtl_spool_cursor_init(&cursor, spool, i);
        read_marks(&cursor, &last_ns, &left);
    }
    wtl_spool_close(spool);
}

/* The first thread is followed while the file grows. */
static void read_parts(const uint8_t *data, size_t size)
{
    static struct wtl_spool_cursor cursor;
    struct wtl_spool *spool;
    size_t part = size / 2, left = size;
    uint64_t last_ns = 0;
    char path[64];
    int fd = memfd_create("spool", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, part) != (ssize_t)part)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (wtl_spool_open(path, &now, false, &spool, NULL) == 0) {
        for (int look = 0; look < 3; look++) {
            if (look == 1 && write(fd, data + part, size - part) != (ssize_t)(size - part))
                abort();
            if (wtl_spool_refresh(spool, &now, look == 2) < 0)
                abort();
            if (wtl_spool_info(spool)->threads == 0)
                continue;
            if (!cursor.spool)
                wtl_spool_cursor_init(&cursor, spool, 0);
            read_marks(&cursor, &last_ns, &left);
        }
        cursor.spool = NULL;
        wtl_spool_close(spool);
    }
    (void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_whole(data, size);
    read_parts(data, size);
    return 0;
}

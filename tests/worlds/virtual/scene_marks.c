/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks in a spool: see scene_marks.h and docs/format/spool.md. */
#include "scene_marks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/whole.h"
#include "record/spool/spool_file.h"

struct mark {
    uint64_t at_ns;
    uint64_t other_ns; /* of the other end of the region */
    unsigned name;
    bool begins;
};

struct scene_marks {
    struct wtl_spool_file file;
    uint64_t start_ns;
    struct mark *list;
    size_t count, next;
    struct wtl_spool_record *at;
    void *chunks[2]; /* mapped: records and names */
};

/* Regions nest if they can: at the same instant ends come first, of inner regions before outer ones; then begins, of
 * outer ones before inner ones. A region without a length begins before it ends. */
static int order_of_marks(const void *a, const void *b)
{
    const struct mark *left = a, *right = b;
    if (left->at_ns != right->at_ns)
        return left->at_ns < right->at_ns ? -1 : 1;
    bool left_empty = left->at_ns == left->other_ns, right_empty = right->at_ns == right->other_ns;
    int left_class = left_empty ? 1 : left->begins ? 2 : 0;
    int right_class = right_empty ? 1 : right->begins ? 2 : 0;
    if (left_class != right_class)
        return left_class - right_class;
    if (left_empty && left->begins != right->begins)
        return left->begins ? -1 : 1;
    return (left->other_ns < right->other_ns) - (left->other_ns > right->other_ns);
}

static void list_marks(const struct scene *scene, struct scene_marks *marks)
{
    for (size_t i = 0; i < scene->region_count; i++) {
        const struct scene_region *r = &scene->regions[i];
        marks->list[marks->count++] = (struct mark){r->begin_ns, r->end_ns, r->name, true};
        if (r->end_ns <= scene->length_ns)
            marks->list[marks->count++] = (struct mark){r->end_ns, r->begin_ns, r->name, false};
    }
    wtl_sort(marks->list, marks->count, sizeof *marks->list, order_of_marks);
}

/* All of a new chunk. */
static void *whole_chunk(struct scene_marks *marks, enum wtl_chunk_type type)
{
    struct wtl_spool_file *file = &marks->file;
    size_t ready = 0;
    char *chunk = wtl_spool_file_chunk(file, type, &ready);
    marks->chunks[type == WTL_CHUNK_NAMES] = chunk;
    while (chunk && ready < WTL_SPOOL_CHUNK) {
        ready = wtl_spool_file_ready(file, chunk, ready);
        if (ready == 0)
            return NULL;
    }
    return chunk ? chunk + WTL_CHUNK_HEADER : NULL;
}

static void append_mark(struct scene_marks *marks,
                        enum wtl_spool_kind kind,
                        uint32_t id,
                        uint64_t time)
{
    *marks->at++ = (struct wtl_spool_record){time, wtl_spool_what(kind, id)};
}

static int write_names(const struct scene *scene, struct scene_marks *marks)
{
    char *at = whole_chunk(marks, WTL_CHUNK_NAMES);
    if (!at)
        return -ENOSPC;
    for (size_t i = 0; i < scene->name_count; i++) {
        struct wtl_spool_name name = {(uint32_t)i + 1, (uint32_t)strlen(scene->names[i])};
        memcpy(at, &name, sizeof name);
        memcpy(at + sizeof name, scene->names[i], name.length);
        at += sizeof name + (name.length + 7) / 8 * 8;
    }
    return 0;
}

int scene_marks_open(const struct scene *scene,
                     const char *folder,
                     uint64_t start_ns,
                     struct scene_marks **ret_marks)
{
    struct scene_marks *marks = calloc(1, sizeof *marks);
    if (!marks)
        return -ENOMEM;
    marks->start_ns = start_ns;
    marks->list = calloc(2 * scene->region_count + 1, sizeof *marks->list);
    int rc = marks->list ? wtl_spool_file_create(&marks->file, folder, false) : -ENOMEM;
    if (rc == 0) {
        marks->file.header->pair_time = marks->file.header->pair_ns = start_ns;
        marks->at = whole_chunk(marks, WTL_CHUNK_RECORDS);
        rc = marks->at ? write_names(scene, marks) : -ENOSPC;
    }
    if (rc < 0) {
        scene_marks_close(marks);
        return rc;
    }
    list_marks(scene, marks);
    append_mark(marks, WTL_SPOOL_THREAD, 1, start_ns);
    append_mark(marks, WTL_SPOOL_VALUE, 1001, start_ns);
    *ret_marks = marks;
    return 0;
}

uint64_t scene_marks_next_ns(const struct scene_marks *marks)
{
    return marks->next < marks->count ? marks->list[marks->next].at_ns : UINT64_MAX;
}

void scene_marks_make(struct scene_marks *marks)
{
    const struct mark *mark = &marks->list[marks->next++];
    append_mark(marks, mark->begins ? WTL_SPOOL_BEGIN : WTL_SPOOL_END, mark->name + 1,
                marks->start_ns + mark->at_ns);
}

void scene_marks_close(struct scene_marks *marks)
{
    if (!marks)
        return;
    if (marks->file.header) {
        wtl_spool_file_close(&marks->file);
        wtl_spool_file_forget(&marks->file);
    }
    for (size_t i = 0; i < sizeof marks->chunks / sizeof *marks->chunks; i++) {
        if (marks->chunks[i])
            (void)munmap(marks->chunks[i], WTL_SPOOL_CHUNK);
    }
    free(marks->list);
    free(marks);
}

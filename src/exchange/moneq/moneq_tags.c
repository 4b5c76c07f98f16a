/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags of a MonEQ file: see moneq_tags.h. */
#define _GNU_SOURCE
#include "exchange/moneq/moneq_tags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static int push(struct wtl_moneq_wait *wait, uint32_t name)
{
    if (wtl_grow(&wait->names, wait->count, sizeof *wait->names) < 0)
        return -ENOMEM;
    wait->names[wait->count++] = name;
    return 0;
}

static int add_mark(struct wtl_moneq_tags *tags, uint32_t name, bool begin, int64_t time_ns)
{
    if (wtl_grow(&tags->marks, tags->count, sizeof *tags->marks) < 0)
        return -ENOMEM;
    tags->marks[tags->count++] =
        (struct wtl_import_mark){.time_ns = time_ns, .name = name, .begin = begin};
    return 0;
}

int wtl_moneq_tags_marker(struct wtl_moneq_tags *tags,
                          bool start,
                          const char *name,
                          size_t n,
                          uint64_t line)
{
    bool fresh;
    char *text = strndup(name, n);
    int number = text ? wtl_string_set_add(&tags->names, text, &fresh) : -ENOMEM;
    free(text);
    if (number < 0)
        return number;
    tags->line = line;
    int rc =
        wtl_reserve_zeroed(&tags->open, &tags->open_room, (size_t)number + 1, sizeof *tags->open);
    return rc < 0 ? rc : push(start ? &tags->starts : &tags->ends, (uint32_t)number);
}

static bool has(const struct wtl_moneq_wait *wait, uint32_t name)
{
    for (size_t i = 0; i < wait->count; i++) {
        if (wait->names[i] == name)
            return true;
    }
    return false;
}

static void note(uint64_t *count, uint64_t *first_line, uint64_t line)
{
    if ((*count)++ == 0)
        *first_line = line;
}

static int end_tag(struct wtl_moneq_tags *tags, uint32_t name, int64_t time_ns)
{
    if (tags->open[name])
        tags->open[name]--;
    else
        note(&tags->without_start, &tags->without_start_line, tags->line);
    return add_mark(tags, name, false, time_ns);
}

/* Handle all markers of one instant: open tags end, new ones begin, and those without a sample
 * inside end. */
static int settle(struct wtl_moneq_tags *tags, struct wtl_moneq_wait *ends, int64_t time_ns)
{
    int rc = 0;
    size_t kept = 0;
    for (size_t i = 0; i < ends->count && rc == 0; i++) {
        uint32_t name = ends->names[i];
        if (tags->open[name] == 0 && has(&tags->starts, name))
            ends->names[kept++] = name;
        else
            rc = end_tag(tags, name, time_ns);
    }
    for (size_t i = 0; i < tags->starts.count && rc == 0; i++) {
        uint32_t name = tags->starts.names[i];
        if (tags->open[name]++)
            note(&tags->again, &tags->again_line, tags->line);
        rc = add_mark(tags, name, true, time_ns);
    }
    for (size_t i = 0; i < kept && rc == 0; i++)
        rc = end_tag(tags, ends->names[i], time_ns);
    ends->count = tags->starts.count = 0;
    return rc;
}

int wtl_moneq_tags_sample(struct wtl_moneq_tags *tags, int64_t time_ns)
{
    int64_t middle_ns = tags->any ? tags->last_ns + (time_ns - tags->last_ns) / 2 : time_ns;
    int rc = settle(tags, tags->ends_behind ? &tags->ends : &tags->late_ends, middle_ns);
    if (!tags->ends_behind) { /* the current sample is the last one inside these */
        struct wtl_moneq_wait empty = tags->late_ends;
        tags->late_ends = tags->ends;
        tags->ends = empty;
    }
    tags->any = true;
    tags->last_ns = time_ns;
    return rc;
}

int wtl_moneq_tags_end(struct wtl_moneq_tags *tags)
{
    int rc = settle(tags, &tags->late_ends, tags->last_ns);
    rc = rc < 0 ? rc : settle(tags, &tags->ends, tags->last_ns);
    for (uint32_t i = 1; i <= tags->names.count; i++)
        tags->without_end += tags->open[i];
    return rc;
}

void wtl_moneq_tags_fini(struct wtl_moneq_tags *tags)
{
    wtl_string_set_fini(&tags->names);
    free(tags->marks);
    free(tags->open);
    free(tags->starts.names);
    free(tags->ends.names);
    free(tags->late_ends.names);
    *tags = (struct wtl_moneq_tags){.count = 0};
}

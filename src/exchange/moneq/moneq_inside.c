/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the tag that a sample belongs to: see moneq_inside.h. */
#include "exchange/moneq/moneq_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "exchange/moneq/moneq_line.h"

static int fetch(struct wtl_moneq_inside *inside, struct wattle_error *err)
{
    int rc = wtl_trace_marks_next(inside->marks, &inside->next, err);
    inside->has_next = rc > 0;
    return rc < 0 ? rc : 0;
}

int wtl_moneq_inside_open(struct wtl_moneq_inside *inside,
                          struct wtl_trace_reader *reader,
                          struct wtl_moneq_names *names,
                          struct wattle_error *err)
{
    *inside = (struct wtl_moneq_inside){.reader = reader, .names = names};
    int rc = wtl_trace_reader_tables(reader, err);
    rc = rc < 0 ? rc : wtl_trace_marks_open(reader, WTL_ALL_THREADS, &inside->marks, err);
    return rc < 0 ? rc : fetch(inside, err);
}

static int begin(struct wtl_moneq_inside *inside, struct wattle_error *err)
{
    const char *name = wtl_trace_reader_string(inside->reader, inside->next.name);
    int tag = name ? wtl_moneq_names_number(inside->names, name) : 0;
    if (tag < 0)
        return wtl_no_memory_for(err, "the regions");
    if (tag == 0) /* its name is lost to damage */
        return 0;
    if (wtl_grow(&inside->open, inside->count, sizeof *inside->open) < 0)
        return wtl_no_memory_for(err, "the regions");
    inside->open[inside->count++] = (struct wtl_moneq_open){
        .thread = inside->next.thread, .tag = (uint32_t)tag, .line = inside->lines};
    return 0;
}

static bool is_open(const struct wtl_moneq_inside *inside, uint32_t tag)
{
    for (size_t i = inside->count; i-- > 0;) {
        if (inside->open[i].tag == tag)
            return true;
    }
    return false;
}

/* A visit between two lines; of several, the file has one. */
static int keep_empty(struct wtl_moneq_inside *inside, uint32_t tag, struct wattle_error *err)
{
    for (size_t i = 0; i < inside->empty_count; i++) {
        if (inside->empty[i] == tag)
            return 0;
    }
    if (wtl_grow(&inside->empty, inside->empty_count, sizeof *inside->empty) < 0)
        return wtl_no_memory_for(err, "the regions");
    inside->empty[inside->empty_count++] = tag;
    return 0;
}

static int drop(struct wtl_moneq_inside *inside, size_t i, struct wattle_error *err)
{
    const struct wtl_moneq_open gone = inside->open[i];
    memmove(&inside->open[i], &inside->open[i + 1], (--inside->count - i) * sizeof *inside->open);
    if (gone.tag == inside->written && !is_open(inside, gone.tag))
        inside->again = true;
    return gone.line == inside->lines ? keep_empty(inside, gone.tag, err) : 0;
}

/* Ends without a begin do not affect any line. */
static int end(struct wtl_moneq_inside *inside, struct wattle_error *err)
{
    const char *name = wtl_trace_reader_string(inside->reader, inside->next.name);
    int tag = name ? wtl_moneq_names_number(inside->names, name) : 0;
    if (tag < 0)
        return wtl_no_memory_for(err, "the regions");
    for (size_t i = inside->count; i-- > 0;) {
        if (inside->open[i].thread == inside->next.thread && inside->open[i].tag == (uint32_t)tag) {
            return drop(inside, i, err);
        }
    }
    return 0;
}

static int take(struct wtl_moneq_inside *inside, struct wattle_error *err)
{
    if (inside->next.kind == WTL_MARK_BEGIN)
        return begin(inside, err);
    if (inside->next.kind == WTL_MARK_END)
        return end(inside, err);
    int rc = 0;
    bool gone = inside->next.kind == WTL_MARK_THREAD_END;
    for (size_t i = inside->count; rc == 0 && gone && i-- > 0;) {
        if (inside->open[i].thread == inside->next.thread)
            rc = drop(inside, i, err);
    }
    return rc;
}

static void print(FILE *out,
                  const char *marker,
                  const struct wtl_moneq_inside *inside,
                  uint32_t tag)
{
    (void)fprintf(out, "%s%s\n", marker, wtl_moneq_names_tag(inside->names, tag));
}

/* The reducer creates an empty file for such a tag. */
static void print_empty(struct wtl_moneq_inside *inside, FILE *out)
{
    for (size_t i = 0; i < inside->empty_count; i++) {
        print(out, WTL_MONEQ_START, inside, inside->empty[i]);
        print(out, WTL_MONEQ_END, inside, inside->empty[i]);
    }
    inside->empty_count = 0;
}

/* A sample exactly at the border is inside. */
static bool is_before(const struct wtl_moneq_inside *inside, uint64_t time_ns)
{
    uint64_t limit_ns = time_ns + (inside->next.kind == WTL_MARK_BEGIN);
    return inside->has_next && inside->next.time_ns < limit_ns;
}

int wtl_moneq_inside_line(struct wtl_moneq_inside *inside,
                          uint64_t time_ns,
                          FILE *out,
                          struct wattle_error *err)
{
    int rc = 0;
    while (rc == 0 && is_before(inside, time_ns)) {
        rc = take(inside, err);
        rc = rc < 0 ? rc : fetch(inside, err);
    }
    uint32_t tag = inside->count ? inside->open[inside->count - 1].tag : 0;
    if (tag != inside->written || inside->again) {
        if (inside->written)
            print(out, WTL_MONEQ_END, inside, inside->written);
        print_empty(inside, out);
        if (tag)
            print(out, WTL_MONEQ_START, inside, tag);
    } else if (tag == 0) {
        print_empty(inside, out);
    }
    inside->between += inside->empty_count;
    inside->empty_count = 0;
    inside->written = tag;
    inside->again = false;
    inside->within += tag && inside->open[0].tag != tag;
    inside->lines++;
    return rc;
}

int wtl_moneq_inside_end(struct wtl_moneq_inside *inside, FILE *out, struct wattle_error *err)
{
    int rc = 0;
    while (rc == 0 && inside->has_next) {
        rc = take(inside, err);
        rc = rc < 0 ? rc : fetch(inside, err);
    }
    if (inside->written && inside->again)
        print(out, WTL_MONEQ_END, inside, inside->written);
    if (!inside->written || inside->again)
        print_empty(inside, out);
    inside->between += inside->empty_count;
    return rc;
}

void wtl_moneq_inside_close(struct wtl_moneq_inside *inside)
{
    wtl_trace_marks_close(inside->marks);
    free(inside->open);
    free(inside->empty);
    *inside = (struct wtl_moneq_inside){.count = 0};
}

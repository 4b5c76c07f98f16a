/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a run: what they contain, and reading them back. See run_cells.h. */
#define _GNU_SOURCE
#include "analysis/cluster/run_cells.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "base/whole.h"

#define STEPS_MAX  (UINT64_C(1) << 28)
#define STEP_LEAST UINT64_C(1000000)
/* Rows that any run may have; a run may have more for each byte of its traces, since a sample takes
 * at least a byte. */
#define ROWS_FREE (UINT64_C(1) << 22)
#define ROWS_BYTE UINT64_C(4)
#define STEP_ELSE UINT64_C(100000000)

static uint64_t usual_step(const struct wtl_run *run)
{
    uint64_t step_ns = 0;
    for (size_t i = 0; i < wtl_run_node_count(run); i++) {
        uint64_t interval_ns = wtl_run_node(run, i)->row->interval_ns;
        step_ns = interval_ns > step_ns ? interval_ns : step_ns;
    }
    if (step_ns == 0)
        return STEP_ELSE;
    return step_ns < STEP_LEAST ? STEP_LEAST : step_ns;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted by name, for fast lookup. */
static int list_tags(struct wtl_run_cells *cells)
{
    const struct wtl_run_totals *totals = cells->totals;
    size_t kept = 0;
    cells->tags = calloc(totals->region_count + 1, sizeof *cells->tags);
    if (!cells->tags)
        return -ENOMEM;
    for (size_t i = 0; i < totals->region_count; i++)
        if (totals->regions[i].name[0])
            cells->tags[cells->tag_count++] = totals->regions[i].name;
    wtl_sort((void *)cells->tags, cells->tag_count, sizeof *cells->tags, compare_names);
    for (size_t i = 0; i < cells->tag_count; i++)
        if (kept == 0 || strcmp(cells->tags[kept - 1], cells->tags[i]) != 0)
            cells->tags[kept++] = cells->tags[i];
    cells->tag_count = kept;
    cells->tag_bytes = (kept + 7) / 8;
    return 0;
}

void wtl_run_grid_steps(const struct wtl_run_grid *grid,
                        const struct wtl_run_node *node,
                        uint64_t *ret_first,
                        uint64_t *ret_count)
{
    uint64_t begin = (uint64_t)node->begin_ns - (uint64_t)grid->begin_ns;
    uint64_t end = (uint64_t)node->end_ns - (uint64_t)grid->begin_ns;
    *ret_first = begin / grid->step_ns;
    uint64_t behind = end / grid->step_ns + (end % grid->step_ns > 0);
    *ret_count = behind > *ret_first ? behind - *ret_first : 0;
}

/* The number of rows is limited by the samples: otherwise a short trace with a long window would
 * make a file of any size. */
static int check_rows(const struct wtl_run_cells *cells, struct wattle_error *err)
{
    double rows = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < wtl_run_node_count(cells->run); i++) {
        const struct wtl_run_node *node = wtl_run_node(cells->run, i);
        uint64_t first, count;
        wtl_run_grid_steps(&cells->grid, node, &first, &count);
        rows += (double)count;
        bytes += node->length;
    }
    if (rows <= (double)ROWS_FREE + (double)ROWS_BYTE * (double)bytes)
        return 0;
    return wtl_fail(err, -ERANGE,
                    "overall.csv would have %s rows, one per node and step of %s s, far more "
                    "than the samples in %llu bytes of traces; use a larger --step, or check the "
                    "start and end of the node windows with \"wattle stats\"",
                    WTL_IN_FIGURES(rows, 3), WTL_IN_FIGURES((double)cells->grid.step_ns * 1e-9, 3),
                    (unsigned long long)bytes);
}

int wtl_run_cells_init(struct wtl_run_cells *cells,
                       const struct wtl_run *run,
                       const struct wtl_run_totals *totals,
                       uint64_t step_ns,
                       struct wattle_error *err)
{
    *cells = (struct wtl_run_cells){.run = run, .totals = totals};
    uint64_t span_ns = (uint64_t)wtl_run_end(run) - (uint64_t)wtl_run_begin(run);
    cells->grid.begin_ns = wtl_run_begin(run);
    cells->grid.step_ns = step_ns ? step_ns : usual_step(run);
    cells->grid.steps = span_ns / cells->grid.step_ns + (span_ns % cells->grid.step_ns > 0);
    cells->column_count = WTL_CELLS_DOMAINS + totals->domain_count;
    if (cells->grid.steps > STEPS_MAX)
        return wtl_fail(err, -ERANGE,
                        "%s s from the first start to the last end are too many steps of %s s; "
                        "use a larger --step, or check the clocks of the nodes",
                        WTL_IN_FIGURES((double)span_ns * 1e-9, 3),
                        WTL_IN_FIGURES((double)cells->grid.step_ns * 1e-9, 3));
    int rc = check_rows(cells, err);
    if (rc < 0)
        return rc;
    return list_tags(cells) < 0 ? wtl_no_memory_for(err, "the region names") : 0;
}

void wtl_run_cells_fini(struct wtl_run_cells *cells)
{
    free((void *)cells->tags);
    cells->tags = NULL;
}

const char *wtl_run_cells_column(const struct wtl_run_cells *cells,
                                 size_t column,
                                 char *buf,
                                 size_t n)
{
    const struct wtl_run_totals *totals = cells->totals;
    if (column == WTL_CELLS_TOTAL || column == WTL_CELLS_TOTAL_ESTIMATED) {
        bool estimated = column == WTL_CELLS_TOTAL_ESTIMATED;
        if ((estimated ? totals->estimated.nodes : totals->measured.nodes) == 0)
            return NULL;
        (void)snprintf(buf, n, "%s", estimated ? "total_estimated_w" : "total_w");
        return buf;
    }
    const struct wtl_run_domain_sum *domain = &totals->domains[column - WTL_CELLS_DOMAINS];
    (void)snprintf(buf, n, "%s%s_w", wattle_domain_name(domain->domain),
                   domain->estimated ? "_estimated" : "");
    return buf;
}

/* ---- reading back ---- */

static int read_at(int fd, void *buf, size_t n, uint64_t offset)
{
    uint8_t *to = (uint8_t *)buf;
    while (n > 0) {
        ssize_t got = pread(fd, to, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        to += got;
        n -= (size_t)got;
        offset += (uint64_t)got;
    }
    return 0;
}

/* Add the values of a channel to a column. The first one sets it; an unknown value makes it
 * unknown. */
static void add_to(double *power_w, size_t stride, size_t n, const double *values, bool first)
{
    for (size_t k = 0; k < n; k++) {
        double *cell = &power_w[k * stride];
        *cell = first ? values[k] : *cell + values[k];
    }
}

/* Add the values of channel c to the columns of n steps that it is part of. */
static void add_channel(const struct wtl_run_cells *cells,
                        const struct wtl_run_cells_node *place,
                        uint32_t c,
                        size_t n,
                        const double *values,
                        double *power_w)
{
    size_t column = place->columns[c] / 2, stride = cells->column_count;
    bool seen = false, total_seen = false;
    for (uint32_t d = 0; d < c; d++) {
        seen |= place->columns[d] / 2 == column;
        total_seen |= (place->columns[d] & 1) != 0;
    }
    add_to(power_w + column, stride, n, values, !seen);
    bool estimated = cells->totals->domains[column - WTL_CELLS_DOMAINS].estimated;
    if (place->columns[c] & 1)
        add_to(power_w + (estimated ? WTL_CELLS_TOTAL_ESTIMATED : WTL_CELLS_TOTAL), stride, n,
               values, !total_seen);
}

int wtl_run_cells_read(const struct wtl_run_cells *cells,
                       const struct wtl_run_cells_node *place,
                       int fd,
                       uint64_t first,
                       size_t n,
                       double *room,
                       double *ret_power_w,
                       uint8_t *ret_tags)
{
    size_t stride = cells->column_count;
    uint64_t begin = first > place->first ? first : place->first;
    uint64_t end = place->first + place->count;
    end = first + n < end ? first + n : end;
    for (size_t i = 0; i < n * stride; i++)
        ret_power_w[i] = NAN;
    memset(ret_tags, 0, n * cells->tag_bytes);
    if (begin >= end)
        return 0;
    size_t count = (size_t)(end - begin);
    double *power_w = ret_power_w + (begin - first) * stride;
    for (uint32_t c = 0; c < place->channels; c++) {
        uint64_t at = place->offset + (c * place->count + (begin - place->first)) * sizeof *room;
        int rc = read_at(fd, room, count * sizeof *room, at);
        if (rc < 0)
            return rc;
        add_channel(cells, place, c, count, room, power_w);
    }
    if (!place->tagged)
        return 0;
    uint64_t bits = place->offset + place->channels * place->count * sizeof *room;
    return read_at(fd, ret_tags + (begin - first) * cells->tag_bytes, count * cells->tag_bytes,
                   bits + (begin - place->first) * cells->tag_bytes);
}

/* ---- parts of steps ---- */

enum { PARTS_AT_ONCE = 8 };

static size_t part_size(const struct wtl_run_cells_node *place)
{
    return sizeof(struct wtl_run_piece_record) + place->channels * sizeof(double);
}

static int hold_parts(struct wtl_run_pieces *parts)
{
    const struct wtl_run_cells_node *place = parts->place;
    uint64_t left = place->parts - parts->next;
    size_t n = left < PARTS_AT_ONCE ? (size_t)left : PARTS_AT_ONCE, size = part_size(place);
    if (!parts->held && !(parts->held = malloc(PARTS_AT_ONCE * size)))
        return -ENOMEM;
    uint64_t begin = place->offset + place->channels * place->count * sizeof(double) +
                     place->count * parts->cells->tag_bytes;
    int rc = read_at(parts->fd, parts->held, n * size, begin + parts->next * size);
    parts->next += n;
    parts->count = n;
    parts->at = 0;
    return rc;
}

int wtl_run_pieces_next(struct wtl_run_pieces *parts,
                        uint64_t step,
                        struct wtl_run_piece *ret_part,
                        double *ret_power_w)
{
    const struct wtl_run_cells_node *place = parts->place;
    struct wtl_run_piece_record record = {0};
    const uint8_t *from = NULL;
    int rc = 0;
    do {
        if (parts->at == parts->count && parts->next == place->parts)
            return 0;
        rc = parts->at == parts->count ? hold_parts(parts) : 0;
        if (rc < 0)
            return rc;
        from = parts->held + parts->at * part_size(place);
        memcpy(&record, from, sizeof record);
        if (record.step > step)
            return 0;
        parts->at++;
    } while (record.step < step);
    for (size_t i = 0; i < parts->cells->column_count; i++)
        ret_power_w[i] = NAN;
    for (uint32_t c = 0; c < place->channels; c++) {
        double power_w;
        memcpy(&power_w, from + sizeof record + c * sizeof power_w, sizeof power_w);
        add_channel(parts->cells, place, c, 1, &power_w, ret_power_w);
    }
    *ret_part = (struct wtl_run_piece){.tag = record.tag, .seconds = record.seconds};
    return 1;
}

void wtl_run_pieces_fini(struct wtl_run_pieces *parts)
{
    free(parts->held);
    parts->held = NULL;
}

/* ---- places ---- */

void wtl_run_cells_node_fini(struct wtl_run_cells_node *place)
{
    free(place->columns);
    place->columns = NULL;
}

void wtl_run_cells_node_put(struct wtl_bytes *bytes, const struct wtl_run_cells_node *place)
{
    wtl_bytes_put_u64(bytes, place->offset);
    wtl_bytes_put_u64(bytes, place->first);
    wtl_bytes_put_u64(bytes, place->count);
    wtl_bytes_put_u64(bytes, place->parts);
    wtl_bytes_put_u32(bytes, place->channels);
    wtl_bytes_put_u8(bytes, place->tagged);
    for (uint32_t i = 0; i < place->channels; i++)
        wtl_bytes_put_u16(bytes, place->columns[i]);
}

int wtl_run_cells_node_take(struct wtl_cursor *cursor, struct wtl_run_cells_node *ret_place)
{
    struct wtl_run_cells_node place = {.offset = wtl_cursor_u64(cursor)};
    place.first = wtl_cursor_u64(cursor);
    place.count = wtl_cursor_u64(cursor);
    place.parts = wtl_cursor_u64(cursor);
    place.channels = wtl_cursor_u32(cursor);
    place.tagged = wtl_cursor_u8(cursor) != 0;
    if (cursor->failed || place.channels > wtl_cursor_left(cursor) / 2)
        return -EBADMSG;
    place.columns = malloc((place.channels + 1) * sizeof *place.columns);
    if (!place.columns)
        return -ENOMEM;
    for (uint32_t i = 0; i < place.channels; i++)
        place.columns[i] = wtl_cursor_u16(cursor);
    *ret_place = place;
    return 0;
}

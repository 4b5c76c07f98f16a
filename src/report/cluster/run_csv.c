/* SPDX-License-Identifier: BSD-3-Clause */
/* The power of a run over time: see run_csv.h. The cells of all nodes are read for some steps at a time. */
#include "report/cluster/run_csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/whole.h"
#include "exchange/row_writer.h"

/* time_s, node, seconds stand before the powers. */
enum { FIXED = 3, MEMORY = 16 << 20, STEPS_LEAST = 4, STEPS_MOST = 65536, NAME_MAX_BYTES = 200 };

/* ---- names of files ---- */

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_';
}

char *wtl_run_csv_tag_file(const char *name, char *buf, size_t n)
{
    static const char digits[] = "0123456789ABCDEF";
    char escaped[NAME_MAX_BYTES + 4];
    size_t at = 0;
    const char *p = name;
    for (; *p && at < NAME_MAX_BYTES - 2; p++) {
        if (is_plain(*p) || (*p == '.' && p > name)) {
            escaped[at++] = *p;
            continue;
        }
        escaped[at++] = '%';
        escaped[at++] = digits[(uint8_t)*p >> 4];
        escaped[at++] = digits[(uint8_t)*p & 15];
    }
    escaped[at] = '\0';
    if (*p)
        (void)snprintf(buf, n, "tag-%.180s-%016llx.csv", escaped,
                       (unsigned long long)wtl_hash_text(name));
    else
        (void)snprintf(buf, n, "tag-%s.csv", escaped);
    return buf;
}

/* ---- rows ---- */

struct writing {
    const struct wtl_run_csv *csv;
    struct wtl_row_writer overall, untagged, *tags;
    size_t *columns; /* channels that any node has */
    size_t shown;
    size_t nodes, steps; /* at a time */
    double *room, *power_w;
    uint8_t *bits;
    struct wtl_run_pieces *parts; /* [nodes] */
    double *part_w;
    struct wtl_cell *cells;
};

static void begin_sheet(struct wtl_row_writer *sheet,
                        FILE *out,
                        const char *const *names,
                        size_t count)
{
    if (!out)
        return;
    wtl_row_writer_begin(sheet, out, WTL_ROW_WRITER_CSV, false, "run");
    wtl_row_writer_columns(sheet, names, count);
}

static int begin_sheets(struct writing *writing)
{
    const struct wtl_run_csv *csv = writing->csv;
    size_t all = csv->cells->column_count;
    char(*texts)[40] = calloc(all + 1, sizeof *texts);
    const char **names = calloc(all + FIXED + 1, sizeof *names);
    writing->columns = calloc(all + 1, sizeof *writing->columns);
    writing->tags = calloc(csv->tag_count + 1, sizeof *writing->tags);
    if (texts && names && writing->columns && writing->tags) {
        names[0] = "time_s";
        names[1] = "node";
        names[2] = "seconds";
        for (size_t c = 0; c < all; c++) {
            names[FIXED + writing->shown] =
                wtl_run_cells_column(csv->cells, c, texts[c], sizeof texts[c]);
            if (names[FIXED + writing->shown])
                writing->columns[writing->shown++] = c;
        }
        begin_sheet(&writing->overall, csv->overall, names, FIXED + writing->shown);
        begin_sheet(&writing->untagged, csv->untagged, names, FIXED + writing->shown);
        for (size_t t = 0; t < csv->tag_count; t++)
            begin_sheet(&writing->tags[t], csv->tags[t], names, FIXED + writing->shown);
    }
    bool good = texts && names && writing->columns && writing->tags;
    free(texts);
    free((void *)names);
    return good ? 0 : -ENOMEM;
}

static int find_memory(struct writing *writing)
{
    const struct wtl_run_cells *cells = writing->csv->cells;
    size_t cell = cells->column_count * sizeof(double) + cells->tag_bytes;
    writing->nodes = wtl_run_node_count(cells->run);
    writing->steps = MEMORY / (writing->nodes * cell + 1);
    if (writing->steps < STEPS_LEAST)
        writing->steps = STEPS_LEAST;
    if (writing->steps > STEPS_MOST)
        writing->steps = STEPS_MOST;
    if (writing->steps > cells->grid.steps)
        writing->steps = (size_t)cells->grid.steps + 1;
    writing->room = calloc(writing->steps, sizeof *writing->room);
    writing->power_w =
        calloc(writing->nodes * writing->steps * cells->column_count, sizeof *writing->power_w);
    writing->bits = calloc(writing->nodes * writing->steps * cells->tag_bytes + 1, 1);
    writing->cells = calloc(FIXED + cells->column_count, sizeof *writing->cells);
    writing->part_w = calloc(cells->column_count, sizeof *writing->part_w);
    writing->parts = calloc(writing->nodes + 1, sizeof *writing->parts);
    for (size_t i = 0; writing->parts && i < writing->nodes; i++)
        writing->parts[i] = (struct wtl_run_pieces){
            .cells = cells, .place = &writing->csv->places[i], .fd = writing->csv->fds[i]};
    return writing->room && writing->power_w && writing->bits && writing->cells &&
                   writing->part_w && writing->parts
               ? 0
               : -ENOMEM;
}

static void fill_row(struct writing *writing, double seconds, const double *power_w)
{
    writing->cells[2] = wtl_cell_number(seconds, -9);
    for (size_t c = 0; c < writing->shown; c++)
        writing->cells[FIXED + c] = wtl_cell_number(power_w[writing->columns[c]], -4);
}

/* The rows of the parts of a step, which regions have that are open for a part of it, and what is outside of all. 1: there are some. */
static int put_parts(struct writing *writing, size_t node, uint64_t step)
{
    const struct wtl_run_csv *csv = writing->csv;
    size_t count = FIXED + writing->shown;
    struct wtl_run_piece part;
    int some = 0, rc;
    while ((rc = wtl_run_pieces_next(&writing->parts[node], step, &part, writing->part_w)) > 0) {
        some = 1;
        fill_row(writing, part.seconds, writing->part_w);
        if (part.tag == csv->cells->tag_count && csv->untagged)
            wtl_row_writer_row(&writing->untagged, writing->cells, count);
        else if (part.tag >= csv->tag_first && part.tag < csv->tag_first + csv->tag_count)
            wtl_row_writer_row(&writing->tags[part.tag - csv->tag_first], writing->cells, count);
    }
    return rc < 0 ? rc : some;
}

static void put_row(struct writing *writing, const uint8_t *bits, bool split)
{
    const struct wtl_run_csv *csv = writing->csv;
    size_t count = FIXED + writing->shown;
    bool any = split;
    for (size_t b = 0; b < csv->cells->tag_bytes; b++)
        any |= bits[b] != 0;
    if (csv->overall)
        wtl_row_writer_row(&writing->overall, writing->cells, count);
    if (csv->untagged && !any)
        wtl_row_writer_row(&writing->untagged, writing->cells, count);
    for (size_t t = 0; any && t < csv->tag_count; t++) {
        size_t tag = csv->tag_first + t;
        if (bits[tag / 8] >> tag % 8 & 1)
            wtl_row_writer_row(&writing->tags[t], writing->cells, count);
    }
}

/* The part of the step in the node's window, over which its power is averaged. */
static double seconds_inside(const struct wtl_run_grid *grid,
                             uint64_t step,
                             const struct wtl_run_node *node)
{
    int64_t begin_ns = (int64_t)((uint64_t)grid->begin_ns + step * grid->step_ns);
    int64_t end_ns = (int64_t)((uint64_t)begin_ns + grid->step_ns);
    begin_ns = begin_ns < node->begin_ns ? node->begin_ns : begin_ns;
    end_ns = end_ns > node->end_ns ? node->end_ns : end_ns;
    return end_ns > begin_ns ? wtl_seconds_between(begin_ns, end_ns) : 0;
}

static int put_steps(struct writing *writing, uint64_t first, size_t n)
{
    const struct wtl_run_cells *cells = writing->csv->cells;
    for (size_t k = 0; k < n; k++) {
        uint64_t step = first + k;
        writing->cells[0] = wtl_cell_number((double)step * (double)cells->grid.step_ns * 1e-9, -7);
        for (size_t i = 0; i < writing->nodes; i++) {
            const struct wtl_run_cells_node *place = &writing->csv->places[i];
            const double *power_w =
                &writing->power_w[(i * writing->steps + k) * cells->column_count];
            if (step < place->first || step >= place->first + place->count)
                continue;
            const struct wtl_run_node *node = wtl_run_node(cells->run, i);
            writing->cells[1] = wtl_cell_text(node->name);
            int split = put_parts(writing, i, step);
            if (split < 0)
                return split;
            fill_row(writing, seconds_inside(&cells->grid, step, node), power_w);
            put_row(writing, &writing->bits[(i * writing->steps + k) * cells->tag_bytes],
                    split > 0);
        }
    }
    return 0;
}

static bool is_broken(const struct wtl_run_csv *csv)
{
    return (csv->overall && ferror(csv->overall)) || (csv->untagged && ferror(csv->untagged));
}

static int write_all(struct writing *writing)
{
    const struct wtl_run_csv *csv = writing->csv;
    const struct wtl_run_cells *cells = csv->cells;
    int rc = 0;
    for (uint64_t first = 0; rc == 0 && first < cells->grid.steps && !is_broken(csv);
         first += writing->steps) {
        uint64_t left = cells->grid.steps - first;
        size_t n = left < writing->steps ? (size_t)left : writing->steps;
        for (size_t i = 0; rc == 0 && i < writing->nodes; i++)
            rc = wtl_run_cells_read(cells, &csv->places[i], csv->fds[i], first, n, writing->room,
                                    &writing->power_w[i * writing->steps * cells->column_count],
                                    &writing->bits[i * writing->steps * cells->tag_bytes]);
        if (rc == 0)
            rc = put_steps(writing, first, n);
        if (csv->progress)
            csv->progress(csv->progress_context, first + n, cells->grid.steps);
    }
    return rc;
}

int wtl_run_csv_write(const struct wtl_run_csv *csv, struct wattle_error *err)
{
    struct writing writing = {.csv = csv};
    int rc = begin_sheets(&writing);
    rc = rc < 0 ? rc : find_memory(&writing);
    rc = rc < 0 ? rc : write_all(&writing);
    for (size_t i = 0; writing.parts && i < writing.nodes; i++)
        wtl_run_pieces_fini(&writing.parts[i]);
    free(writing.parts);
    free(writing.part_w);
    free(writing.columns);
    free(writing.tags);
    free(writing.room);
    free(writing.power_w);
    free(writing.bits);
    free(writing.cells);
    return rc < 0 ? wtl_fail(err, rc, "cannot write power over time: %s", wtl_strerror(rc)) : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Import: opens files, applies shifts, spreads rows of one time, merges files by time. See import.h. */
#define _GNU_SOURCE
#include "exchange/import/import.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/grow.h"
#include "exchange/import/import_table.h"

/* ---- shifted columns ---- */

/* Shifts single columns of a table by some rows relative to the others, as requested by --shift. Without a shift, rows
 * pass through unchanged. */

struct wtl_import_ring {
    int *shifts;
    size_t count;         /* number of columns */
    size_t ahead, behind; /* rows needed after and before the returned one */
    size_t depth;
    struct wtl_import_row *rows;   /* [depth] */
    struct wtl_import_cell *cells; /* [depth][count] */
    struct wtl_import_cell *out;   /* [count] */
    uint64_t read, given;          /* rows so far */
    bool ended;
};

/* Accepts NULL. */
static void import_ring_free(struct wtl_import_ring *ring)
{
    if (!ring)
        return;
    free(ring->shifts);
    free(ring->rows);
    free(ring->cells);
    free(ring->out);
    free(ring);
}

/* shifts[0 .. n-1], by column: -1 = use the value of the following row. NULL if out of memory. */
static struct wtl_import_ring *import_ring_create(const int *shifts, size_t n)
{
    struct wtl_import_ring *ring = calloc(1, sizeof *ring);
    if (!ring)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (shifts[i] < 0 && (size_t)-shifts[i] > ring->ahead)
            ring->ahead = (size_t)-shifts[i];
        if (shifts[i] > 0 && (size_t)shifts[i] > ring->behind)
            ring->behind = (size_t)shifts[i];
    }
    ring->count = n;
    ring->depth = ring->ahead + ring->behind + 1;
    if (ring->depth == 1)
        return ring;
    ring->shifts = malloc((n + 1) * sizeof *shifts);
    ring->rows = calloc(ring->depth, sizeof *ring->rows);
    ring->cells = calloc(ring->depth * (n + 1), sizeof *ring->cells);
    ring->out = calloc(n + 1, sizeof *ring->out);
    if (!ring->shifts || !ring->rows || !ring->cells || !ring->out) {
        import_ring_free(ring);
        return NULL;
    }
    memcpy(ring->shifts, shifts, n * sizeof *shifts);
    return ring;
}

static void keep_ring(struct wtl_import_ring *ring, const struct wtl_import_row *row)
{
    size_t slot = (size_t)(ring->read % ring->depth);
    struct wtl_import_cell *cells = ring->cells + slot * (ring->count + 1);
    size_t n = row->count < ring->count ? row->count : ring->count;
    memcpy(cells, row->cells, n * sizeof *cells);
    for (size_t i = n; i < ring->count; i++)
        cells[i].form = WTL_CELL_EMPTY;
    ring->rows[slot] = *row;
    ring->read++;
}

static void give(struct wtl_import_ring *ring, struct wtl_import_row *ret_row)
{
    struct wtl_import_row row = ring->rows[ring->given % ring->depth];
    for (size_t i = 0; i < ring->count; i++) {
        int64_t from = (int64_t)ring->given - ring->shifts[i];
        if (from < 0 || from >= (int64_t)ring->read)
            ring->out[i].form = WTL_CELL_EMPTY;
        else
            ring->out[i] =
                ring->cells[(size_t)((uint64_t)from % ring->depth) * (ring->count + 1) + i];
    }
    row.cells = ring->out;
    row.count = ring->count;
    ring->given++;
    *ret_row = row;
}

/* The next row, as from the table's own function. Values from before the first row or after the
 * last are empty. */
static int import_ring_next(struct wtl_import_ring *ring,
                            struct wtl_import_table *table,
                            struct wtl_import_row *ret_row,
                            struct wattle_error *err)
{
    if (ring->depth == 1)
        return table->ops->next(table, ret_row, err);
    while (!ring->ended && ring->read <= ring->given + ring->ahead) {
        struct wtl_import_row row;
        int rc = table->ops->next(table, &row, err);
        if (rc < 0)
            return rc;
        if (rc > 0)
            keep_ring(ring, &row);
        ring->ended = rc == 0;
    }
    if (ring->given == ring->read)
        return 0;
    give(ring, ret_row);
    return 1;
}

/* ---- rows of one time ---- */

/*
 * Rows of a recording whose times are coarser than its rows, as of a logger that writes ten values in each second with stamps in whole
 * seconds: rows of one time are spread evenly up to the next one, if an option says so. The last ones are as far apart as those before.
 */
/* Rows of one time; more are not a coarse clock. */
enum { ROWS_MAX = 100000 };

struct wtl_import_spread {
    size_t width;
    struct wtl_import_row *rows;   /* of one time, and at the end the first of the next */
    struct wtl_import_cell *cells; /* width of each */
    size_t count, rows_room, cells_room;
    size_t ready, given; /* rows with one time; how many of them were returned */
    int64_t step_ns;
    bool ended;
};

/* n: columns. NULL if out of memory. */
static struct wtl_import_spread *import_spread_create(size_t n)
{
    struct wtl_import_spread *spread = calloc(1, sizeof *spread);
    if (spread)
        spread->width = n;
    return spread;
}

/* Accepts NULL. */
static void import_spread_free(struct wtl_import_spread *spread)
{
    if (!spread)
        return;
    free(spread->rows);
    free(spread->cells);
    free(spread);
}

static int keep(struct wtl_import_spread *spread,
                const struct wtl_import_table *table,
                const struct wtl_import_row *row,
                struct wattle_error *err)
{
    if (spread->count > ROWS_MAX)
        return wtl_fail(err, -E2BIG, "%s:%llu: more than %d rows have the same time", table->path,
                        (unsigned long long)row->line, ROWS_MAX);
    if (wtl_reserve(&spread->rows, &spread->rows_room, spread->count + 1, sizeof *spread->rows) <
            0 ||
        wtl_reserve(&spread->cells, &spread->cells_room, (spread->count + 1) * spread->width,
                    sizeof *spread->cells) < 0)
        return wtl_no_memory_for(err, "%s", table->path);
    struct wtl_import_cell *to = spread->cells + spread->count * spread->width;
    memset(to, 0, spread->width * sizeof *to);
    for (size_t i = 0; i < spread->width; i++)
        to[i] = i < row->count ? row->cells[i] : (struct wtl_import_cell){.form = WTL_CELL_EMPTY};
    spread->rows[spread->count++] = *row;
    return 0;
}

/* Read the rows of one time and the first of the next. */
static int fill(struct wtl_import_spread *spread,
                struct wtl_import_ring *ring,
                struct wtl_import_table *table,
                struct wattle_error *err)
{
    struct wtl_import_row row;
    int rc = 0;
    if (spread->ready < spread->count) { /* the first of this time is there already */
        memmove(spread->cells, spread->cells + spread->ready * spread->width,
                spread->width * sizeof *spread->cells);
        spread->rows[0] = spread->rows[spread->ready];
        spread->count = 1;
    } else {
        spread->count = 0;
    }
    spread->given = spread->ready = 0;
    while (!spread->ended && spread->ready == 0) {
        rc = import_ring_next(ring, table, &row, err);
        spread->ended = rc <= 0;
        rc = rc > 0 ? keep(spread, table, &row, err) : rc;
        if (rc < 0)
            return rc;
        if (!spread->ended && spread->count > 1 && row.time_ns != spread->rows[0].time_ns)
            spread->ready = spread->count - 1;
    }
    if (spread->ready)
        spread->step_ns = (spread->rows[spread->ready].time_ns - spread->rows[0].time_ns) /
                          (int64_t)spread->ready;
    else
        spread->ready = spread->count;
    return 0;
}

/* The next row: 1, 0 at the end, -errno with a message. */
static int import_spread_next(struct wtl_import_spread *spread,
                              struct wtl_import_ring *ring,
                              struct wtl_import_table *table,
                              struct wtl_import_row *ret_row,
                              struct wattle_error *err)
{
    int rc = spread->given == spread->ready ? fill(spread, ring, table, err) : 0;
    if (rc < 0 || spread->ready == 0)
        return rc;
    *ret_row = spread->rows[spread->given];
    ret_row->cells = spread->cells + spread->given * spread->width;
    ret_row->count = spread->width;
    if (spread->step_ns > 0) /* else time goes back, which the import refuses */
        ret_row->time_ns += (int64_t)spread->given * spread->step_ns;
    spread->given++;
    return 1;
}

/* ---- import ---- */

static int begin_file(struct wtl_import *import,
                      struct wtl_import_file *file,
                      struct wattle_error *err)
{
    struct stat about;
    if (strcmp(file->path, "-") == 0)
        return wtl_fail(err, -EINVAL,
                        "recordings are read twice and cannot come from a pipe; give a file");
    int rc = wtl_import_open(import, file, err);
    if (rc < 0)
        return rc;
    assert(file->table);
    if (stat(file->path, &about) == 0 && !S_ISREG(about.st_mode))
        return wtl_fail(
            err, -EINVAL,
            "%s is not a regular file; recordings are read twice, so save it to a file first",
            file->path);
    file->bytes = (uint64_t)about.st_size;
    return 0;
}

/* Keep facts about the file that are still needed after its table is closed. */
static void keep_facts(struct wtl_import_file *file)
{
    const struct wtl_import_table *table = file->table;
    assert(table);
    file->time = table->time;
    file->losses = table->losses;
    memcpy(file->time_text, table->time_text, sizeof file->time_text);
    memcpy(file->shape_text, table->shape_text, sizeof file->shape_text);
    memcpy(file->program, table->program, sizeof file->program);
    memcpy(file->machine, table->machine, sizeof file->machine);
    memcpy(file->assumed, table->assumed, sizeof file->assumed);
}

/* Rows with the same time that fill different columns are valid: sensors with different rates
 * produce them. */
static bool adds(struct wtl_import_file *file, const struct wtl_import_row *row, bool anew)
{
    bool good = true;
    if (anew)
        memset(file->at_once, 0, file->column_count / 8 + 1);
    for (size_t i = 0; i < row->count && i < file->column_count && good; i++) {
        if (row->cells[i].form != WTL_CELL_EMPTY && !file->table->headers[i].is_label &&
            !file->table->headers[i].is_time)
            good = !(file->at_once[i / 8] >> (i % 8) & 1);
    }
    for (size_t i = 0; i < row->count && i < file->column_count && good; i++) {
        if (row->cells[i].form != WTL_CELL_EMPTY)
            file->at_once[i / 8] |= (uint8_t)(1 << (i % 8));
    }
    return good;
}

/* Handle a row that is not later than the previous one. 1 = skip it. */
static int check_order(struct wtl_import *import,
                       struct wtl_import_file *file,
                       const struct wtl_import_row *row,
                       struct wattle_error *err)
{
    bool later = !file->any_row || row->time_ns > file->last_ns;
    bool back = !later && row->time_ns < file->last_ns;
    if (!back && adds(file, row, later))
        return 0;
    if (!import->options->table.lenient)
        return wtl_fail(err, -EBADMSG,
                        "%s:%llu: the time is %s that of the previous row; skip such rows with "
                        "--lenient%s, or choose another time column with --time",
                        file->path, (unsigned long long)row->line,
                        back ? "earlier than" : "the same as",
                        !back ? ", spread rows of one time with --spread-times if they "
                                "followed each other"
                        : file->time.unit >= WTL_TIME_ISO && !file->time.zone
                            ? ", name the zone of its dates with --zone if summer time ended here"
                            : "");
    if (!file->first_disorder_line)
        file->first_disorder_line = row->line;
    file->back += back;
    file->repeated += !back;
    return 1;
}

/* Read the next row of a file into file->row. */
static int fetch(struct wtl_import *import, struct wtl_import_file *file, struct wattle_error *err)
{
    for (;;) {
        int rc = file->spread
                     ? import_spread_next(file->spread, file->ring, file->table, &file->row, err)
                     : import_ring_next(file->ring, file->table, &file->row, err);
        file->has_row = rc > 0;
        if (rc <= 0) {
            file->losses = file->table->losses;
            return rc;
        }
        rc = check_order(import, file, &file->row, err);
        if (rc < 0)
            return rc;
        if (rc > 0)
            continue;
        if (!file->any_row) {
            file->first_ns = file->row.time_ns;
        }
        file->any_row = true;
        file->has_cover = file->has_cover || file->row.cover_ns > 0;
        file->last_ns = file->row.time_ns;
        file->rows++;
        return 0;
    }
}

/* ---- all files ---- */

static int make_ring(struct wtl_import *import,
                     struct wtl_import_file *file,
                     struct wattle_error *err)
{
    int *shifts = calloc(file->column_count + 1, sizeof *shifts);
    if (!shifts)
        return wtl_no_memory_for(err, "the import");
    for (size_t i = 0; i < file->column_count; i++)
        shifts[i] = import->columns[file->first_column + i].shift;
    import_ring_free(file->ring);
    file->ring = import_ring_create(shifts, file->column_count);
    free(shifts);
    import_spread_free(file->spread);
    file->spread = import->options->spread ? import_spread_create(file->column_count) : NULL;
    if (import->options->spread && !file->spread)
        return wtl_no_memory_for(err, "the import");
    free(file->at_once);
    file->at_once = calloc(file->column_count / 8 + 1, 1);
    return file->ring && file->at_once ? 0 : wtl_no_memory_for(err, "the import");
}

int wtl_import_rewind(struct wtl_import *import, struct wattle_error *err)
{
    int rc = 0;
    import->given = NULL;
    for (size_t i = 0; rc == 0 && i < import->file_count; i++) {
        struct wtl_import_file *file = &import->files[i];
        if (file->any_row) { /* it was read */
            wtl_import_table_close(file->table);
            file->table = NULL;
            rc = wtl_import_open(import, file, err);
        }
        file->rows = file->back = file->repeated = file->first_disorder_line = 0;
        file->any_row = false;
        rc = rc < 0 ? rc : make_ring(import, file, err);
        rc = rc < 0 ? rc : fetch(import, file, err);
    }
    return rc;
}

struct wtl_import_file *wtl_import_next(struct wtl_import *import,
                                        int *ret_rc,
                                        struct wattle_error *err)
{
    struct wtl_import_file *found = NULL;
    *ret_rc = 0;
    /* The row returned last is done. */
    if (import->given)
        *ret_rc = fetch(import, import->given, err);
    for (size_t i = 0; i < import->file_count && *ret_rc == 0; i++) {
        struct wtl_import_file *file = &import->files[i];
        if (file->has_row && (!found || file->row.time_ns < found->row.time_ns))
            found = file;
    }
    import->given = *ret_rc < 0 ? NULL : found;
    if (import->given)
        found->given_ns = found->row.time_ns;
    return import->given;
}

/* Choose the clock for all files: since 1970, or since the start. */
static int choose_clock(struct wtl_import *import, struct wattle_error *err)
{
    const struct wtl_import_file *since_1970 = NULL, *since_start = NULL;
    for (size_t i = 0; i < import->file_count; i++) {
        const struct wtl_import_file *file = &import->files[i];
        if (file->time.epoch == WTL_EPOCH_1970)
            since_1970 = file;
        else
            since_start = file;
    }
    if (since_1970 && since_start)
        return wtl_fail(err, -EBADMSG,
                        "%s has times since 1970 but %s has times since its start, so they cannot "
                        "be aligned; import them one by one, or choose columns with --time",
                        since_1970->path, since_start->path);
    if (since_1970 && import->options->has_start)
        return wtl_fail(err, -EINVAL, "--start: %s already has times since 1970", since_1970->path);
    import->realtime = since_1970 || import->options->has_start;
    return 0;
}

int wtl_import_create(const struct wtl_import_options *options,
                      struct wtl_import **ret_import,
                      struct wattle_error *err)
{
    struct wtl_import *import = calloc(1, sizeof *import);
    if (!import)
        return wtl_no_memory_for(err, "the import");
    assert(options->path_count > 0);
    import->options = options;
    import->files = calloc(options->path_count + 1, sizeof *import->files);
    import->faults = calloc(WTL_IMPORT_FAULTS_MAX + 1, sizeof *import->faults);
    int rc = import->files && import->faults ? 0 : -ENOMEM;
    if (rc < 0) {
        wtl_import_destroy(import);
        return wtl_no_memory_for(err, "the import");
    }
    for (size_t i = 0; rc == 0 && i < options->path_count; i++) {
        struct wtl_import_file *file = &import->files[import->file_count++];
        file->path = options->paths[i];
        rc = begin_file(import, file, err);
        if (rc == 0) {
            keep_facts(file);
            rc = wtl_import_add_columns(import, file, err);
        }
    }
    rc = rc < 0 ? rc : choose_clock(import, err);
    if (rc < 0)
        wtl_import_destroy(import);
    else
        *ret_import = import;
    return rc;
}

void wtl_import_destroy(struct wtl_import *import)
{
    if (!import)
        return;
    for (size_t i = 0; i < import->file_count; i++) {
        struct wtl_import_file *file = &import->files[i];
        wtl_import_table_close(file->table);
        import_ring_free(file->ring);
        import_spread_free(file->spread);
        free(file->compression);
        free(file->at_once);
        wtl_format_fini(&file->split);
        for (size_t p = 0; p < file->pattern_count; p++)
            free(file->patterns[p].bits);
    }
    for (size_t i = 0; i < import->group_count; i++)
        free(import->groups[i].columns);
    wtl_import_pairs_free(import->pairs);
    free(import->groups);
    free(import->files);
    for (size_t i = 0; i < import->column_count; i++)
        free(import->columns[i].header);
    free(import->columns);
    free(import->faults);
    free(import);
}

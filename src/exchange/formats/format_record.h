/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Record: named cells of one row, block or object of a recording, whatever its shape. A shape takes lines and calls wtl_record_take()
 * for each record; a format (format.h) says which of its cells are the time, what the values are about, and values.
 */
#ifndef WTL_EXCHANGE_FORMAT_RECORD_H
#define WTL_EXCHANGE_FORMAT_RECORD_H

#include "exchange/formats/format.h"
#include "exchange/formats/long_table.h"

enum {
    WTL_RECORD_CELLS = 1024,
    WTL_RECORD_BYTES = 1 << 17,
    WTL_RECORD_DEPTH = 32,
    WTL_RECORD_SERIES = 1024
};

struct wtl_record_cell {
    const char *name, *text;
};

/* A level of JSON that is open. */
struct wtl_json_level {
    bool is_array;
    size_t index, cells, used; /* element; cells and bytes when it began */
    size_t path;               /* length of its own path */
};

struct wtl_record {
    struct wtl_long_format long_format;
    const struct wtl_file_format *format;
    bool lenient;
    struct wtl_import_table *table;
    struct wtl_long_state *state;
    struct wtl_record_cell cells[WTL_RECORD_CELLS];
    size_t count, own; /* cells; the first of the record itself, after those of what contains it */
    char bytes[WTL_RECORD_BYTES]; /* texts of cells that must outlive a line */
    size_t used;

    /* Tables: the header. */
    char *header;
    const char *headers[WTL_RECORD_CELLS];
    size_t width;
    char separator;
    uint64_t puts;             /* values that were put */
    char unit[16], unit_of[8]; /* a unit in a cell that is that of a column with this unit */

    /* JSON. */
    struct wtl_json_level levels[WTL_RECORD_DEPTH];
    size_t depth;
    char path[512], key[128];
    enum { WTL_JSON_BEGIN, WTL_JSON_NEXT, WTL_JSON_COLON, WTL_JSON_VALUE, WTL_JSON_AFTER } json;

    /* What rows are about, in order of appearance. */
    struct {
        char cell[24], text[72];
    } series[WTL_RECORD_SERIES];
    size_t series_count;

    /* Times. */
    char time_name[2][64];
    struct wtl_time_form form;
    bool has_time, waits, timed_rows, stopped;
    int64_t time_ns;
    uint8_t *seen; /* by column: has a value in this sample */
    size_t seen_room;
};

/* Take the record of cells. 0 or -errno with a message. */
int wtl_record_take(struct wtl_record *record, struct wattle_error *err);

/* Add a cell; texts must live until the record is taken. -E2BIG with a message. */
int wtl_record_add(struct wtl_record *record,
                   const char *name,
                   const char *text,
                   struct wattle_error *err);
/* A copy of a text that lives until `used` is set back; NULL = too long. */
const char *wtl_record_keep(struct wtl_record *record, const char *text, size_t n);

/* A line that the format expects, but does not understand: left out and counted with --lenient, else -EBADMSG. */
int wtl_record_lose(struct wtl_record *record, const char *text, struct wattle_error *err);

/* Open a file of a format as a table; takes ownership of the source, also on failure. 0 or -errno. */
int wtl_record_table_open(const char *path,
                          struct wtl_text_source *source,
                          const struct wtl_table_options *options,
                          const struct wtl_file_format *format,
                          struct wtl_import_table **ret_table,
                          struct wattle_error *err);

#endif

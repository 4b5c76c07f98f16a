/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection to a database engine: what the store needs of SQLite and PostgreSQL. The SQL is of both: parameters are
 * $1, $2, .. Values travel only as parameters, never inside SQL.
 */
#ifndef WTL_JOBS_DATABASE_DATABASE_H
#define WTL_JOBS_DATABASE_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "jobs/store_access.h"

struct wtl_sql_value {
    enum { WTL_SQL_NULL, WTL_SQL_WHOLE, WTL_SQL_REAL, WTL_SQL_TEXT } form;
    int64_t whole;
    double real;
    const char *text; /* borrowed during the call */
};

/* NaN is NULL. */
struct wtl_sql_value wtl_sql_whole(int64_t value);
struct wtl_sql_value wtl_sql_real(double value);
struct wtl_sql_value wtl_sql_text(const char *text);

struct wtl_database;

/* The columns of a row: NULL is NaN, "", or `unknown`. Texts are valid until the next row. */
struct wtl_sql_row {
    const struct wtl_database_engine *engine;
    void *cursor;
};
double wtl_sql_get_real(const struct wtl_sql_row *row, int column);
const char *wtl_sql_get_text(const struct wtl_sql_row *row, int column);
int64_t wtl_sql_get_whole(const struct wtl_sql_row *row, int column, int64_t unknown);

/* Returns 0 to go on. */
typedef int wtl_sql_take_fn(void *arg, const struct wtl_sql_row *row);

struct wtl_sql_statement {
    const char *text;
    const struct wtl_sql_value *values;
    size_t count;
    wtl_sql_take_fn *take; /* may be NULL, then rows are dropped */
    void *arg;
    int64_t *ret_changed; /* may be NULL; rows that INSERT, UPDATE, DELETE changed */
};

/* Errors as of wtl_store_put(). */
struct wtl_database_engine {
    const char *name;   /* "sqlite", "postgresql" */
    const char *prefix; /* of its URLs */
    int (*open)(const char *url,
                enum wtl_store_access access,
                struct wtl_database **ret_database,
                struct wattle_error *err);
    void (*close)(struct wtl_database *database);
    int (*run)(struct wtl_database *database,
               const struct wtl_sql_statement *statement,
               struct wattle_error *err);
    /* Statements without values, separated by semicolons. */
    int (*script)(struct wtl_database *database, const char *text, struct wattle_error *err);
    /* Rows of values into a table, COPY of a server; NULL in SQLite. text: "COPY .. FROM STDIN". Nothing else runs until the end, which
     * undoes nothing by itself; rc of it: as of this call. */
    int (*copy_begin)(struct wtl_database *database, const char *text, struct wattle_error *err);
    int (*copy_row)(struct wtl_database *database,
                    const struct wtl_sql_value *values,
                    size_t count,
                    struct wattle_error *err);
    int (*copy_end)(struct wtl_database *database, int rc, struct wattle_error *err);
    bool (*is_null)(void *cursor, int column);
    int64_t (*whole)(void *cursor, int column);
    double (*real)(void *cursor, int column);
    const char *(*text)(void *cursor, int column);
};

/* The first member of what open() makes. */
struct wtl_database {
    const struct wtl_database_engine *engine;
    char name[256]; /* without secrets */
};

extern const struct wtl_database_engine wtl_database_sqlite, wtl_database_postgresql;

#endif

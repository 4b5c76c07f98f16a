/* SPDX-License-Identifier: BSD-3-Clause */
/* SQLite, in a file; see database.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "jobs/database/database.h"
#include "jobs/database/library.h"

#define PREFIX "sqlite:"

#ifdef WTL_HAVE_SQLITE
#    include <fcntl.h>
#    include <unistd.h>

#    include <sqlite3.h>

/* Names without sqlite3_. */
#    define FUNCTIONS(X) \
        X(open_v2)       \
        X(close_v2)      \
        X(busy_timeout)  \
        X(exec)          \
        X(free)          \
        X(prepare_v2)    \
        X(finalize)      \
        X(reset)         \
        X(bind_null)     \
        X(bind_int64)    \
        X(bind_double)   \
        X(bind_text)     \
        X(step)          \
        X(column_type)   \
        X(column_int64)  \
        X(column_double) \
        X(column_text)   \
        X(changes)       \
        X(errmsg)        \
        X(extended_errcode)

static struct {
/* A declarator takes no parentheses around its parts: NOLINTNEXTLINE(bugprone-macro-parentheses) */
#    define MEMBER(name) __typeof__(sqlite3_##name) *name;
    FUNCTIONS(MEMBER)
#    undef MEMBER
} api;

enum { WAIT_MS = 30000, KEPT = 4 };

/* A statement, for the next one of the same text. */
struct kept {
    sqlite3_stmt *statement;
    char *text;
};

struct sqlite {
    struct wtl_database common;
    sqlite3 *handle;
    struct kept kept[KEPT]; /* the last ones */
    size_t oldest;          /* of them */
};

static int load(struct wattle_error *err)
{
    static const struct wtl_job_function functions[] = {
#    define ROW(name) {"sqlite3_" #    name, offsetof(__typeof__(api), name)},
        FUNCTIONS(ROW)
#    undef ROW
    };
    return api.open_v2
               ? 0
               : wtl_job_library_load(
                     "libsqlite3.so.0",
                     "the database of jobs requires SQLite, which is not installed (Debian: "
                     "libsqlite3-0, others: sqlite-libs)",
                     functions, sizeof functions / sizeof *functions, &api, err);
}

/* The class of an error of SQLite. */
static int code_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_FULL:
        return -EAGAIN;
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
        return -EBADMSG;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return -EACCES;
    case SQLITE_CANTOPEN:
        return -ENOENT;
    case SQLITE_NOMEM:
        return -ENOMEM;
    default:
        return -EIO;
    }
}

static const char *advice(int code)
{
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return "; restore it from a copy, or move it away to begin a new one";
    /* The files of locks beside it. */
    return code == SQLITE_READONLY ? "; even to read it, SQLite must be able to write in its folder"
                                   : "";
}

static int failed(const struct sqlite *sqlite, struct wattle_error *err)
{
    int code = api.extended_errcode(sqlite->handle);
    const char *text = api.errmsg(sqlite->handle);
    int rc = code_of(code);
    if (rc == -EIO && strstr(text, "no such table"))
        rc = -ENODATA;
    return wtl_fail(err, rc, "the database %s: %s%s", sqlite->common.name, text,
                    advice(code & 0xff));
}

static void forget(struct kept *kept)
{
    (void)api.finalize(kept->statement);
    free(kept->text);
    *kept = (struct kept){.text = NULL};
}

static void close_sqlite(struct wtl_database *database)
{
    struct sqlite *sqlite = (struct sqlite *)database;
    for (size_t i = 0; i < KEPT; i++)
        forget(&sqlite->kept[i]);
    (void)api.close_v2(sqlite->handle);
    free(sqlite);
}

static int script(struct wtl_database *database, const char *text, struct wattle_error *err)
{
    struct sqlite *sqlite = (struct sqlite *)database;
    return api.exec(sqlite->handle, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(sqlite, err);
}

/* Nobody else reads the rows of others from the file. */
static int create_file(const char *path, struct wattle_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return wtl_fail(err, -errno, "the database %s cannot be opened: %s", path,
                        wtl_strerror(errno));
    (void)close(fd);
    return 0;
}

static int check_path(const char *url,
                      const char *path,
                      enum wtl_store_access access_,
                      struct wattle_error *err)
{
    if (!*path)
        return wtl_fail(err, -EINVAL, "\"%s\" names no file", url);
    if (access_ != WTL_STORE_READ)
        return create_file(path, err);
    if (access(path, F_OK) < 0)
        return wtl_fail(err, -errno, "there is no database %s: %s", path, wtl_strerror(errno));
    return 0;
}

static int connect(struct sqlite *sqlite,
                   const char *path,
                   enum wtl_store_access access_,
                   struct wattle_error *err)
{
    bool reads = access_ == WTL_STORE_READ;
    int flags = (reads ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX;
    if (api.open_v2(path, &sqlite->handle, flags, NULL) != SQLITE_OK)
        return sqlite->handle ? failed(sqlite, err) : wtl_no_memory(err);
    (void)api.busy_timeout(sqlite->handle, WAIT_MS);
    int rc =
        script(&sqlite->common, "PRAGMA trusted_schema = OFF; PRAGMA cache_size = -65536", err);
    /* FULL: what is committed survives a power failure, since the spool forgets it then. */
    return rc < 0 || reads ? rc
                           : script(&sqlite->common,
                                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", err);
}

static int open_sqlite(const char *url,
                       enum wtl_store_access access_,
                       struct wtl_database **ret_database,
                       struct wattle_error *err)
{
    const char *path = url + strlen(PREFIX);
    int rc = load(err);
    rc = rc < 0 ? rc : check_path(url, path, access_, err);
    if (rc < 0)
        return rc;
    struct sqlite *sqlite = calloc(1, sizeof *sqlite);
    if (!sqlite)
        return wtl_no_memory(err);
    sqlite->common.engine = &wtl_database_sqlite;
    (void)snprintf(sqlite->common.name, sizeof sqlite->common.name, "%s", path);
    rc = connect(sqlite, path, access_, err);
    if (rc < 0)
        close_sqlite(&sqlite->common);
    else
        *ret_database = &sqlite->common;
    return rc;
}

static int prepare(struct sqlite *sqlite,
                   const char *text,
                   struct kept **ret_kept,
                   struct wattle_error *err)
{
    for (size_t i = 0; i < KEPT; i++) {
        *ret_kept = &sqlite->kept[i];
        if (sqlite->kept[i].text && strcmp(sqlite->kept[i].text, text) == 0)
            return 0;
    }
    struct kept *kept = *ret_kept = &sqlite->kept[sqlite->oldest];
    sqlite->oldest = (sqlite->oldest + 1) % KEPT;
    forget(kept);
    if (api.prepare_v2(sqlite->handle, text, -1, &kept->statement, NULL) != SQLITE_OK)
        return failed(sqlite, err);
    kept->text = strdup(text);
    return kept->text ? 0 : wtl_no_memory(err);
}

static int bind(sqlite3_stmt *prepared, size_t i, const struct wtl_sql_value *value)
{
    int at = (int)i + 1; /* $1, $2, .. appear in this order in all statements */
    switch (value->form) {
    case WTL_SQL_WHOLE:
        return api.bind_int64(prepared, at, value->whole);
    case WTL_SQL_REAL:
        return api.bind_double(prepared, at, value->real);
    case WTL_SQL_TEXT:
        return api.bind_text(prepared, at, value->text, -1, SQLITE_STATIC);
    case WTL_SQL_NULL:
        break;
    }
    return api.bind_null(prepared, at);
}

static int step(struct sqlite *sqlite,
                sqlite3_stmt *prepared,
                const struct wtl_sql_statement *statement,
                struct wattle_error *err)
{
    const struct wtl_sql_row row = {&wtl_database_sqlite, prepared};
    int code = SQLITE_OK, rc = 0;
    for (size_t i = 0; code == SQLITE_OK && i < statement->count; i++)
        code = bind(prepared, i, &statement->values[i]);
    if (code != SQLITE_OK)
        return failed(sqlite, err);
    while (rc == 0 && (code = api.step(prepared)) == SQLITE_ROW)
        rc = statement->take ? statement->take(statement->arg, &row) : 0;
    if (rc == 0 && code != SQLITE_DONE)
        return failed(sqlite, err);
    if (statement->ret_changed)
        *statement->ret_changed = api.changes(sqlite->handle);
    return rc;
}

static int run(struct wtl_database *database,
               const struct wtl_sql_statement *statement,
               struct wattle_error *err)
{
    struct sqlite *sqlite = (struct sqlite *)database;
    struct kept *kept;
    int rc = prepare(sqlite, statement->text, &kept, err);
    if (rc == 0) {
        rc = step(sqlite, kept->statement, statement, err);
        (void)api.reset(kept->statement);
    }
    if (rc != 0)
        forget(kept);
    return rc;
}

static bool is_null(void *cursor, int column)
{
    return api.column_type((sqlite3_stmt *)cursor, column) == SQLITE_NULL;
}

static int64_t whole(void *cursor, int column)
{
    return api.column_int64((sqlite3_stmt *)cursor, column);
}

static double real(void *cursor, int column)
{
    return api.column_double((sqlite3_stmt *)cursor, column);
}

static const char *text(void *cursor, int column)
{
    return (const char *)api.column_text((sqlite3_stmt *)cursor, column);
}

const struct wtl_database_engine wtl_database_sqlite = {
    .name = "sqlite",
    .prefix = PREFIX,
    .open = open_sqlite,
    .close = close_sqlite,
    .run = run,
    .script = script,
    .is_null = is_null,
    .whole = whole,
    .real = real,
    .text = text,
};
#else
static int open_sqlite(const char *url,
                       enum wtl_store_access access,
                       struct wtl_database **ret_database,
                       struct wattle_error *err)
{
    (void)url;
    (void)access;
    (void)ret_database;
    return wtl_fail(err, -ENOTSUP,
                    "this wattle was built without SQLite; build it where sqlite3.h is installed "
                    "(Debian: libsqlite3-dev)");
}

const struct wtl_database_engine wtl_database_sqlite = {
    .name = "sqlite",
    .prefix = PREFIX,
    .open = open_sqlite,
};
#endif

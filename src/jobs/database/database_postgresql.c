/* SPDX-License-Identifier: BSD-3-Clause */
/* PostgreSQL through libpq; see database.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "jobs/database/database.h"
#include "jobs/database/library.h"

#define PREFIX "postgresql:"

#ifdef WTL_HAVE_POSTGRESQL
#    include <libpq-fe.h>

/* Names without PQ. */
#    define FUNCTIONS(X)      \
        X(conninfoParse)      \
        X(conninfoFree)       \
        X(freemem)            \
        X(connectdbParams)    \
        X(status)             \
        X(finish)             \
        X(errorMessage)       \
        X(sslInUse)           \
        X(host)               \
        X(exec)               \
        X(prepare)            \
        X(sendQueryPrepared)  \
        X(setSingleRowMode)   \
        X(getResult)          \
        X(clear)              \
        X(resultStatus)       \
        X(resultErrorField)   \
        X(resultErrorMessage) \
        X(cmdTuples)          \
        X(ntuples)            \
        X(putCopyData)        \
        X(putCopyEnd)         \
        X(getisnull)          \
        X(getvalue)           \
        X(setNoticeProcessor)

static struct {
/* A declarator takes no parentheses around its parts: NOLINTNEXTLINE(bugprone-macro-parentheses) */
#    define MEMBER(name) __typeof__(PQ##name) *name;
    FUNCTIONS(MEMBER)
#    undef MEMBER
} api;

enum { PARAMETERS = 24, VALUES = 128, KEPT = 4 };

/* A prepared statement, for the next one of the same text; NULL = none. */
struct kept {
    char *text;
    char name[24];
};

struct postgresql {
    struct wtl_database common;
    PGconn *connection;
    struct kept kept[KEPT]; /* the last ones */
    size_t oldest;          /* of them */
    unsigned names;         /* that were given */
};

static int load(struct wattle_error *err)
{
    static const struct wtl_job_function functions[] = {
#    define ROW(name) {"PQ" #    name, offsetof(__typeof__(api), name)},
        FUNCTIONS(ROW)
#    undef ROW
    };
    return api.status ? 0
                      : wtl_job_library_load(
                            "libpq.so.5",
                            "a database in PostgreSQL requires libpq, which is not installed "
                            "(Debian: libpq5, others: libpq)",
                            functions, sizeof functions / sizeof *functions, &api, err);
}

/* The class of an SQLSTATE; NULL: there was no answer. */
static int code_of(const char *state)
{
    static const struct {
        const char *start;
        int code;
    } classes[] = {
        {"08", -EAGAIN},     {"40", -EAGAIN},     {"53", -EAGAIN}, {"55", -EAGAIN},
        {"57", -EAGAIN},     {"58", -EAGAIN},     {"25", -EAGAIN}, {"22", -EBADMSG},
        {"23", -EBADMSG},    {"42501", -EACCES},  {"28", -EACCES}, {"54", -EBADMSG},
        {"42P01", -ENODATA}, {"3F000", -ENODATA},
    };
    for (size_t i = 0; state && i < sizeof classes / sizeof *classes; i++)
        if (strncmp(state, classes[i].start, strlen(classes[i].start)) == 0)
            return classes[i].code;
    return state ? -EIO : -EAGAIN;
}

/* Messages of the server are lines: the first one, without "ERROR:  ". */
static int fail_with_message(const struct postgresql *postgresql,
                             int rc,
                             const char *text,
                             struct wattle_error *err)
{
    static const char head[] = "ERROR:  ";
    if (strncmp(text, head, sizeof head - 1) == 0)
        text += sizeof head - 1;
    return wtl_fail(err, rc, "the database %s: %.*s", postgresql->common.name,
                    (int)strcspn(text, "\n"), text);
}

static int failed(const struct postgresql *postgresql,
                  const PGresult *result,
                  struct wattle_error *err)
{
    if (!result || api.status(postgresql->connection) != CONNECTION_OK)
        return fail_with_message(postgresql, -EAGAIN, api.errorMessage(postgresql->connection),
                                 err);
    return fail_with_message(postgresql, code_of(api.resultErrorField(result, PG_DIAG_SQLSTATE)),
                             api.resultErrorMessage(result), err);
}

static void close_postgresql(struct wtl_database *database)
{
    struct postgresql *postgresql = (struct postgresql *)database;
    api.finish(postgresql->connection);
    for (size_t i = 0; i < KEPT; i++)
        free(postgresql->kept[i].text);
    free(postgresql);
}

static int script(struct wtl_database *database, const char *text, struct wattle_error *err)
{
    struct postgresql *postgresql = (struct postgresql *)database;
    PGresult *result = api.exec(postgresql->connection, text);
    ExecStatusType status = api.resultStatus(result);
    int rc = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
                 ? 0
                 : failed(postgresql, result, err);
    api.clear(result);
    return rc;
}

struct parameters {
    const char *names[PARAMETERS + 1], *values[PARAMETERS + 1];
    size_t count;
};

static const char *find(const struct parameters *parameters, const char *name)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->names[i], name) == 0)
            return parameters->values[i];
    return NULL;
}

static void set(struct parameters *parameters, const char *name, const char *value)
{
    if (parameters->count < PARAMETERS && !find(parameters, name)) {
        parameters->names[parameters->count] = name;
        parameters->values[parameters->count++] = value;
        parameters->names[parameters->count] = parameters->values[parameters->count] = NULL;
    }
}

/* A unix socket or loopback: not readable on the network. */
static bool is_local(const char *host, size_t n)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "::1"};
    if (n == 0 || *host == '/' || *host == '@')
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (n == strlen(names[i]) && memcmp(host, names[i], n) == 0)
            return true;
    return false;
}

static bool all_local(const char *hosts)
{
    while (hosts && *hosts) {
        size_t n = strcspn(hosts, ",");
        if (!is_local(hosts, n))
            return false;
        hosts += n + (hosts[n] == ',');
    }
    return true;
}

/* What the environment would set otherwise (libpq reads it where the URL says nothing). */
static const char *host_of(const struct parameters *parameters,
                           const char *name,
                           const char *variable)
{
    const char *value = find(parameters, name);
    return value ? value : secure_getenv(variable);
}

/* Over a network only with TLS, and with the server's certificate checked unless the URL says "require". */
static int require_tls(struct parameters *parameters, const char *name, struct wattle_error *err)
{
    const char *mode = find(parameters, "sslmode");
    if (all_local(host_of(parameters, "host", "PGHOST")) &&
        all_local(host_of(parameters, "hostaddr", "PGHOSTADDR")) && !find(parameters, "service") &&
        !secure_getenv("PGSERVICE"))
        return 0;
    if (mode && strcmp(mode, "require") != 0 && strncmp(mode, "verify-", 7) != 0)
        return wtl_fail(err, -EINVAL,
                        "the database %s is on another machine, and sslmode=%s would send records "
                        "without encryption; use verify-full",
                        name, mode);
    set(parameters, "sslmode", "verify-full");
    return 0;
}

static int check_tls(const struct postgresql *postgresql, struct wattle_error *err)
{
    const char *host = api.host(postgresql->connection);
    if (is_local(host ? host : "", host ? strlen(host) : 0) || api.sslInUse(postgresql->connection))
        return 0;
    return wtl_fail(err, -EINVAL, "the connection to the database %s is not encrypted",
                    postgresql->common.name);
}

static void drop_notice(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

static int connect(struct postgresql *postgresql,
                   const struct parameters *parameters,
                   struct wattle_error *err)
{
    postgresql->connection = api.connectdbParams(parameters->names, parameters->values, 0);
    if (!postgresql->connection)
        return wtl_no_memory(err);
    if (api.status(postgresql->connection) != CONNECTION_OK)
        return fail_with_message(postgresql, -EAGAIN, api.errorMessage(postgresql->connection),
                                 err);
    (void)api.setNoticeProcessor(postgresql->connection, drop_notice, NULL);
    int rc = check_tls(postgresql, err);
    /* Of the answers, only the numbers are read here: they must not depend on the server's settings. */
    return rc < 0 ? rc
                  : script(&postgresql->common,
                           "SET search_path = wattle, pg_temp; SET statement_timeout = '10min'; "
                           "SET lock_timeout = '60s'; SET extra_float_digits = 3; "
                           "SET standard_conforming_strings = on",
                           err);
}

/* HOST/DATABASE. */
static void name_it(struct postgresql *postgresql, const struct parameters *parameters)
{
    const char *host = find(parameters, "host"), *database = find(parameters, "dbname");
    (void)snprintf(postgresql->common.name, sizeof postgresql->common.name, "postgresql://%s/%s",
                   host && *host != '/' ? host : "", database ? database : "");
}

static int open_postgresql(const char *url,
                           enum wtl_store_access access,
                           struct wtl_database **ret_database,
                           struct wattle_error *err)
{
    struct parameters parameters = {.count = 0};
    char *why = NULL;
    (void)access; /* the server knows what the role may do */
    int rc = load(err);
    if (rc < 0)
        return rc;
    PQconninfoOption *options = api.conninfoParse(url, &why);
    if (!options) {
        rc = wtl_fail(err, -EINVAL,
                      "the URL of the database is malformed"); /* may contain a password */
        api.freemem(why);
        return rc;
    }
    for (PQconninfoOption *option = options; option->keyword; option++)
        if (option->val)
            set(&parameters, option->keyword, option->val);
    set(&parameters, "connect_timeout", "10");
    set(&parameters, "tcp_user_timeout", "60000");
    set(&parameters, "application_name", "wattle");
    set(&parameters, "client_encoding", "UTF8");
    struct postgresql *postgresql = calloc(1, sizeof *postgresql);
    if (postgresql) {
        postgresql->common.engine = &wtl_database_postgresql;
        name_it(postgresql, &parameters);
        rc = require_tls(&parameters, postgresql->common.name, err);
        rc = rc < 0 ? rc : connect(postgresql, &parameters, err);
        if (rc < 0)
            close_postgresql(&postgresql->common);
        else
            *ret_database = &postgresql->common;
    } else {
        rc = wtl_no_memory(err);
    }
    api.conninfoFree(options);
    return rc;
}

/* In a transaction that has failed the server keeps it: no other gets its name. */
static void forget(struct postgresql *postgresql, struct kept *kept)
{
    char text[40];
    if (!kept->text)
        return;
    (void)snprintf(text, sizeof text, "DEALLOCATE %s", kept->name);
    api.clear(api.exec(postgresql->connection, text));
    free(kept->text);
    kept->text = NULL;
}

static int prepare(struct postgresql *postgresql,
                   const char *text,
                   const char **ret_name,
                   struct wattle_error *err)
{
    for (size_t i = 0; i < KEPT; i++) {
        *ret_name = postgresql->kept[i].name;
        if (postgresql->kept[i].text && strcmp(postgresql->kept[i].text, text) == 0)
            return 0;
    }
    struct kept *kept = &postgresql->kept[postgresql->oldest];
    postgresql->oldest = (postgresql->oldest + 1) % KEPT;
    forget(postgresql, kept);
    (void)snprintf(kept->name, sizeof kept->name, "wattle_%u", postgresql->names++);
    *ret_name = kept->name;
    PGresult *result = api.prepare(postgresql->connection, kept->name, text, 0, NULL);
    int rc = api.resultStatus(result) == PGRES_COMMAND_OK ? 0 : failed(postgresql, result, err);
    api.clear(result);
    if (rc == 0 && !(kept->text = strdup(text)))
        rc = wtl_no_memory(err);
    return rc;
}

/* Numbers as text, in one buffer. */
struct values {
    const char *list[VALUES];
    char numbers[VALUES][32];
};

static void bind(struct values *values, const struct wtl_sql_statement *statement)
{
    for (size_t i = 0; i < statement->count && i < VALUES; i++) {
        const struct wtl_sql_value *value = &statement->values[i];
        values->list[i] = values->numbers[i];
        if (value->form == WTL_SQL_NULL)
            values->list[i] = NULL;
        else if (value->form == WTL_SQL_TEXT)
            values->list[i] = value->text;
        else if (value->form == WTL_SQL_WHOLE)
            (void)snprintf(values->numbers[i], sizeof values->numbers[i], "%lld",
                           (long long)value->whole);
        else
            (void)snprintf(values->numbers[i], sizeof values->numbers[i], "%.17g", value->real);
    }
}

/* Rows of one result. */
static int take_rows(const struct wtl_sql_statement *statement, PGresult *result)
{
    const struct wtl_sql_row row = {&wtl_database_postgresql, result};
    return api.ntuples(result) == 1 && statement->take ? statement->take(statement->arg, &row) : 0;
}

/* All results must be fetched, also after an error. */
static int fetch(struct postgresql *postgresql,
                 const struct wtl_sql_statement *statement,
                 struct wattle_error *err)
{
    PGresult *result;
    int rc = 0;
    while ((result = api.getResult(postgresql->connection)) != NULL) {
        ExecStatusType status = api.resultStatus(result);
        if (rc != 0)
            ;
        else if (status == PGRES_SINGLE_TUPLE)
            rc = take_rows(statement, result);
        else if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            rc = failed(postgresql, result, err);
        else if (statement->ret_changed)
            *statement->ret_changed = strtoll(api.cmdTuples(result), NULL, 10);
        api.clear(result);
    }
    return rc;
}

static int run(struct wtl_database *database,
               const struct wtl_sql_statement *statement,
               struct wattle_error *err)
{
    struct postgresql *postgresql = (struct postgresql *)database;
    struct values values;
    const char *name;
    int rc = prepare(postgresql, statement->text, &name, err);
    if (rc < 0)
        return rc;
    bind(&values, statement);
    if (!api.sendQueryPrepared(postgresql->connection, name, (int)statement->count, values.list,
                               NULL, NULL, 0))
        return failed(postgresql, NULL, err);
    (void)api.setSingleRowMode(postgresql->connection);
    return fetch(postgresql, statement, err);
}

static int copy_begin(struct wtl_database *database, const char *text, struct wattle_error *err)
{
    struct postgresql *postgresql = (struct postgresql *)database;
    PGresult *result = api.exec(postgresql->connection, text);
    int rc = api.resultStatus(result) == PGRES_COPY_IN ? 0 : failed(postgresql, result, err);
    api.clear(result);
    return rc;
}

/* The text format of COPY: a tab between values, \N for NULL. */
static void put_value(FILE *out, const struct wtl_sql_value *value)
{
    static const char specials[] = "\\\t\n\r";
    const char *at = value->text ? value->text : "";
    switch (value->form) {
    case WTL_SQL_NULL:
        (void)fputs("\\N", out);
        break;
    case WTL_SQL_WHOLE:
        (void)fprintf(out, "%lld", (long long)value->whole);
        break;
    case WTL_SQL_REAL:
        (void)fprintf(out, "%.17g", value->real);
        break;
    case WTL_SQL_TEXT:
        for (; *at; at++) {
            const char *special = strchr(specials, *at);
            if (special)
                (void)fputc('\\', out);
            (void)fputc(special ? "\\tnr"[special - specials] : *at, out);
        }
        break;
    }
}

static int copy_row(struct wtl_database *database,
                    const struct wtl_sql_value *values,
                    size_t count,
                    struct wattle_error *err)
{
    struct postgresql *postgresql = (struct postgresql *)database;
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return wtl_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        (void)fputs(i ? "\t" : "", out);
        put_value(out, &values[i]);
    }
    (void)fputc('\n', out);
    int rc = fclose(out) == 0 ? 0 : wtl_no_memory(err);
    if (rc == 0 && api.putCopyData(postgresql->connection, line, (int)size) != 1)
        rc = failed(postgresql, NULL, err);
    free(line);
    return rc;
}

static int copy_end(struct wtl_database *database, int rc, struct wattle_error *err)
{
    struct postgresql *postgresql = (struct postgresql *)database;
    PGresult *result;
    if (api.putCopyEnd(postgresql->connection, rc < 0 ? "given up" : NULL) != 1)
        return rc < 0 ? rc : failed(postgresql, NULL, err);
    while ((result = api.getResult(postgresql->connection)) != NULL) {
        if (rc == 0 && api.resultStatus(result) != PGRES_COMMAND_OK)
            rc = failed(postgresql, result, err);
        api.clear(result);
    }
    return rc;
}

static bool is_null(void *cursor, int column)
{
    return api.getisnull((PGresult *)cursor, 0, column) != 0;
}

static int64_t whole(void *cursor, int column)
{
    return strtoll(api.getvalue((PGresult *)cursor, 0, column), NULL, 10);
}

static double real(void *cursor, int column)
{
    double value;
    return wtl_parse_double(api.getvalue((PGresult *)cursor, 0, column), &value) == 0 ? value : NAN;
}

static const char *text(void *cursor, int column)
{
    return api.getvalue((PGresult *)cursor, 0, column);
}

const struct wtl_database_engine wtl_database_postgresql = {
    .name = "postgresql",
    .prefix = PREFIX,
    .open = open_postgresql,
    .close = close_postgresql,
    .run = run,
    .script = script,
    .copy_begin = copy_begin,
    .copy_row = copy_row,
    .copy_end = copy_end,
    .is_null = is_null,
    .whole = whole,
    .real = real,
    .text = text,
};
#else
static int open_postgresql(const char *url,
                           enum wtl_store_access access,
                           struct wtl_database **ret_database,
                           struct wattle_error *err)
{
    (void)url;
    (void)access;
    (void)ret_database;
    return wtl_fail(err, -ENOTSUP,
                    "this wattle was built without PostgreSQL; build it where libpq-fe.h is "
                    "installed (Debian: libpq-dev)");
}

const struct wtl_database_engine wtl_database_postgresql = {
    .name = "postgresql",
    .prefix = PREFIX,
    .open = open_postgresql,
};
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * likwid as a table: likwid-powermeter (joules of each socket and domain over one runtime),
 * likwid-perfctr -t (a line per interval, values by metric and hardware thread, separated by blanks
 * or with -O by commas) and likwid-perfctr -O without -t (one table of metrics). Joules and events
 * are counted since the previous line; other metrics are means over the interval.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "exchange/formats/long_table.h"
#include "exchange/import/import_words.h"

enum { WORDS = 4096, FIRST_VALUE = 4 };

static enum wattle_domain domain_of(const char *name, bool *ret_known)
{
    static const struct {
        const char *word;
        enum wattle_domain domain;
    } words[] = {{"PKG", WATTLE_DOMAIN_PACKAGE},   {"DRAM", WATTLE_DOMAIN_DRAM},
                 {"PLATFORM", WATTLE_DOMAIN_PSYS}, {"PP0", WATTLE_DOMAIN_CORE},
                 {"CORE", WATTLE_DOMAIN_CORE},     {"Core", WATTLE_DOMAIN_CORE},
                 {"PP1", WATTLE_DOMAIN_UNCORE}};
    *ret_known = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(name, words[i].word)) {
            *ret_known = true;
            return words[i].domain;
        }
    }
    return WATTLE_DOMAIN_OTHER;
}

/* A metric "Energy PKG [J]" or an event "RAPL_PKG_ENERGY". thread: the one of its value. */
static struct wtl_meaning meaning_of(const char *name, int thread)
{
    struct wtl_meaning meaning = {.sub = -1};
    bool known, event = !strpbrk(name, " [");
    enum wattle_domain domain = domain_of(name, &known);
    bool joules = strstr(name, "[J]") || strstr(name, "_ENERGY");
    bool power = strstr(name, "[W]") != NULL;
    if (joules)
        meaning = wtl_meaning_of(WATTLE_ENERGY, "J", WTL_IMPORT_DELTA);
    else if (power)
        meaning = wtl_meaning_of(WATTLE_POWER, "W", WTL_IMPORT_AVERAGE);
    else if (event)
        meaning = wtl_meaning_of(WATTLE_EVENTS, "", WTL_IMPORT_DELTA);
    else {
        wtl_import_words_guess(name, NULL, &meaning);
        if (!meaning.has_quantity)
            meaning = wtl_meaning_of(WATTLE_EVENTS, "", WTL_IMPORT_AVERAGE);
        meaning.kind = WTL_IMPORT_AVERAGE;
    }
    meaning.has_domain = meaning.has_index = true;
    meaning.domain = (joules || power) && known ? domain : WATTLE_DOMAIN_OTHER;
    meaning.index = thread;
    return meaning;
}

static bool says_nothing(const char *name)
{
    return strncmp(name, "Runtime", 7) == 0;
}

/* A value of a metric and a thread. Sensors of a socket show 0 on all but its first thread. Those
 * are skipped by thread, since the output does not say which socket a thread is on: the first
 * thread represents the socket. */
static int put_metric(struct wtl_import_table *table,
                      const char *metric,
                      int thread,
                      bool first,
                      const char *value,
                      struct wattle_error *err)
{
    char name[128];
    struct wtl_meaning meaning = meaning_of(metric, thread);
    bool of_socket = meaning.quantity == WATTLE_ENERGY || meaning.quantity == WATTLE_POWER;
    if (says_nothing(metric))
        return 0;
    struct wtl_import_cell cell = wtl_cell_read(value, strlen(value), '.');
    if (of_socket && !first && (cell.form != WTL_CELL_GOOD || cell.value.digits == 0))
        return 0;
    (void)snprintf(name, sizeof name, "%.90s thread %d", metric, thread);
    return wtl_long_put(table, name, cell, &meaning, err);
}

/* ---- likwid-perfctr -t ---- */

/* "# HWThreads: 0|1" */
static void take_threads(struct wtl_long_state *state, char *text)
{
    char *words[256];
    size_t n = wtl_long_split(text, strchr(text, '|') ? '|' : ',', words, 256);
    state->threads = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t id;
        char *word = words[i] + strspn(words[i], " ");
        if (wtl_parse_u64(word, &id) == 0 && id < 100000)
            state->thread_ids[state->threads++] = (int)id;
    }
}

/* "# GID|MetricsCount|CpuCount|Total runtime [s]|Metric|..." */
static void take_metrics(struct wtl_long_state *state, char *text)
{
    char *words[256];
    size_t n = wtl_long_split(text, '|', words, 256);
    state->column_count = 0;
    for (size_t i = FIRST_VALUE; i < n; i++)
        (void)snprintf(state->names[state->column_count++], sizeof state->names[0], "%s", words[i]);
}

static int take_interval(struct wtl_import_table *table,
                         struct wtl_long_state *state,
                         char *text,
                         struct wattle_error *err)
{
    char *words[WORDS];
    const struct wtl_time_form form = {.unit = WTL_TIME_S};
    int64_t ns;
    size_t n = wtl_long_split(text, strchr(text, ',') ? ',' : '\0', words, WORDS);
    if (state->threads == 0 || n < FIRST_VALUE + state->column_count * state->threads)
        return wtl_fail(err, -EBADMSG, "%s:%llu: the line has %zu values, but its header has %zu",
                        table->path, (unsigned long long)wtl_long_line(table), n,
                        FIRST_VALUE + state->column_count * state->threads);
    if (wtl_time_parse(words[3], strlen(words[3]), &form, &ns) < 0)
        return wtl_fail(err, -EBADMSG, "%s:%llu: \"%.30s\" is not a time", table->path,
                        (unsigned long long)wtl_long_line(table), words[3]);
    int rc = 0;
    for (size_t i = 0; i < state->column_count && rc == 0; i++) {
        for (size_t k = 0; k < state->threads && rc == 0; k++)
            rc = put_metric(table, state->names[i], state->thread_ids[k], k == 0,
                            words[FIRST_VALUE + i * state->threads + k], err);
    }
    return rc < 0 ? rc : wtl_long_time(table, ns, err);
}

/* ---- likwid-perfctr -O ---- */

/* "Metric,HWThread 0,HWThread 1,", then "Energy PKG [J],110.2,0,". */
static int take_metric_row(struct wtl_import_table *table,
                           struct wtl_long_state *state,
                           char *text,
                           struct wattle_error *err)
{
    char *words[300];
    const struct wtl_time_form form = {.unit = WTL_TIME_S};
    size_t n = wtl_long_split(text, ',', words, 300);
    if (strcmp(words[0], "Metric") == 0) {
        state->threads = 0;
        for (size_t i = 1; i < n && state->threads < 256; i++) {
            uint64_t id;
            if (strncmp(words[i], "HWThread ", 9) == 0 && wtl_parse_u64(words[i] + 9, &id) == 0 &&
                id < 100000)
                state->thread_ids[state->threads++] = (int)id;
        }
        return 0;
    }
    if (strncmp(words[0], "Runtime (RDTSC)", 15) == 0 && n > 1)
        (void)wtl_time_parse(words[1], strlen(words[1]), &form, &state->time_ns);
    int rc = 0;
    for (size_t k = 0; k < state->threads && k + 1 < n && rc == 0; k++)
        rc = put_metric(table, words[0], state->thread_ids[k], k == 0, words[k + 1], err);
    return rc;
}

static int take_perfctr(struct wtl_import_table *table,
                        struct wtl_long_state *state,
                        char *text,
                        struct wattle_error *err)
{
    if (strncmp(text, "TABLE,", 6) == 0) {
        /* A table of metrics; what follows it (statistics over threads) is another. */
        bool metrics = strstr(text, "Metric,") && !strstr(text, "STAT");
        int rc = state->mode == 'm' && state->time_ns > 0
                     ? wtl_long_time(table, state->time_ns, err)
                     : 0;
        state->mode = metrics ? 'm' : 'o';
        return rc;
    }
    return state->mode == 'm' ? take_metric_row(table, state, text, err) : 0;
}

/* ---- likwid-powermeter ---- */

static int take_power(struct wtl_import_table *table,
                      struct wtl_long_state *state,
                      const char *text,
                      struct wattle_error *err)
{
    uint64_t socket;
    const struct wtl_time_form form = {.unit = WTL_TIME_S};
    if (strncmp(text, "Runtime: ", 9) == 0) {
        (void)wtl_time_parse(text + 9, strcspn(text + 9, " "), &form, &state->time_ns);
        return 0;
    }
    if (strncmp(text, "Measure for socket ", 19) == 0 &&
        wtl_scan_u64(text + 19, strlen(text + 19), &socket) > 0 && socket < 10000)
        state->socket = (int)socket;
    else if (strncmp(text, "Domain ", 7) == 0)
        (void)snprintf(state->names[0], sizeof state->names[0], "%.*s", (int)strcspn(text + 7, ":"),
                       text + 7);
    if (strncmp(text, "Energy consumed: ", 17) != 0 || state->names[0][0] == '\0')
        return 0;
    char name[96];
    bool known;
    struct wtl_meaning meaning = wtl_meaning_of(WATTLE_ENERGY, "J", WTL_IMPORT_DELTA);
    meaning.domain = domain_of(state->names[0], &known);
    meaning.has_domain = meaning.has_index = true;
    meaning.index = state->socket;
    (void)snprintf(name, sizeof name, "%s socket %d [J]", state->names[0], state->socket);
    (void)snprintf(table->program, sizeof table->program, "likwid-powermeter");
    state->mode = 'p';
    return wtl_long_put(table, name, wtl_cell_read(text + 17, strcspn(text + 17, " "), '.'),
                        &meaning, err);
}

static int take_line(struct wtl_import_table *table,
                     struct wtl_long_state *state,
                     char *text,
                     size_t n,
                     struct wattle_error *err)
{
    if (!text) { /* powermeter and -O end with the file */
        bool waits = (state->mode == 'p' || state->mode == 'm') && state->time_ns > 0;
        return waits ? wtl_long_time(table, state->time_ns, err) : 0;
    }
    if (n == 0 || text[0] == '-')
        return 0;
    if (strncmp(text, "# HWThreads: ", 13) == 0) {
        (void)snprintf(table->program, sizeof table->program, "likwid-perfctr -t");
        take_threads(state, text + 13);
    } else if (strncmp(text, "# GID|", 6) == 0) {
        take_metrics(state, text + 2);
    } else if (state->column_count > 0 && isdigit((unsigned char)text[0])) {
        return take_interval(table, state, text, err);
    } else if (strchr(text, ',') && (state->mode != 'p')) {
        return take_perfctr(table, state, text, err);
    } else {
        return take_power(table, state, text, err);
    }
    return 0;
}

static const struct wtl_long_format format = {.name = "likwid",
                                              .what = "output of likwid",
                                              .line = take_line,
                                              .from_zero = true};

int wtl_likwid_table_open(const char *path,
                          struct wtl_text_source *source,
                          const struct wtl_table_options *options,
                          struct wtl_import_table **ret_table,
                          struct wattle_error *err)
{
    return wtl_long_table_open(path, source, options, &format, ret_table, err);
}

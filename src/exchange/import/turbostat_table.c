/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turbostat as a table: a header of column names, then rows for the system ("-" as its CPU) and for
 * each CPU; values of a package are in the row of its first CPU only. A sample begins with the row
 * of the system, or with each row of --Summary. Its time is Time_Of_Day_Seconds if present, else
 * counted by --time every:. Values are means over the interval, except temperatures, and joules
 * with --Joules.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "exchange/import/import_words.h"
#include "exchange/import/long_table.h"

enum { COLUMNS = 256 };

static const struct {
    const char *name;
    enum wattle_domain domain;
} package_columns[] = {
    {"PkgWatt", WATTLE_DOMAIN_PACKAGE}, {"Pkg_J", WATTLE_DOMAIN_PACKAGE},
    {"CorWatt", WATTLE_DOMAIN_CORE},    {"Cor_J", WATTLE_DOMAIN_CORE},
    {"GFXWatt", WATTLE_DOMAIN_UNCORE},  {"GFX_J", WATTLE_DOMAIN_UNCORE},
    {"RAMWatt", WATTLE_DOMAIN_DRAM},    {"RAM_J", WATTLE_DOMAIN_DRAM},
    {"PkgTmp", WATTLE_DOMAIN_PACKAGE},  {"SysWatt", WATTLE_DOMAIN_PSYS},
    {"Sys_J", WATTLE_DOMAIN_PSYS},
};

static int package_column(const char *name)
{
    for (size_t i = 0; i < sizeof package_columns / sizeof *package_columns; i++) {
        if (strcmp(package_columns[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

static bool is_header(char **words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], "Avg_MHz") == 0 || strcmp(words[i], "Busy%") == 0 ||
            strcmp(words[i], "CPU") == 0 || package_column(words[i]) >= 0)
            return true;
    }
    return false;
}

/* The word of a column in this row; NULL = empty, or no such column. */
static const char *word_at(const struct wtl_long_state *state,
                           char **words,
                           size_t n,
                           const char *name)
{
    for (size_t i = 0; i < state->column_count && i < n; i++) {
        if (strcmp(state->names[i], name) == 0)
            return words[i];
    }
    return NULL;
}

static int number_at(const struct wtl_long_state *state, char **words, size_t n, const char *name)
{
    const char *word = word_at(state, words, n, name);
    uint64_t value;
    return word && wtl_parse_u64(word, &value) == 0 && value < 100000 ? (int)value : -1;
}

static struct wtl_meaning meaning_of(const char *name, int package, int cpu)
{
    struct wtl_meaning meaning = {.sub = -1};
    int known = package_column(name);
    wtl_import_words_guess(name, NULL, &meaning);
    if (!meaning.has_quantity)
        meaning = wtl_meaning_of(WATTLE_EVENTS, "", WTL_IMPORT_AVERAGE);
    meaning.has_domain = meaning.has_index = true;
    meaning.domain = known >= 0 ? package_columns[known].domain
                     : cpu >= 0 ? WATTLE_DOMAIN_CORE
                                : WATTLE_DOMAIN_OTHER;
    meaning.index = known >= 0 ? package : cpu >= 0 ? cpu : 0;
    bool sum = strcmp(name, "IRQ") == 0 || strcmp(name, "SMI") == 0;
    meaning.kind = meaning.quantity == WATTLE_ENERGY || sum ? WTL_IMPORT_DELTA
                   : meaning.quantity == WATTLE_TEMPERATURE ? WTL_IMPORT_GAUGE
                                                            : WTL_IMPORT_AVERAGE;
    if (meaning.quantity == WATTLE_TEMPERATURE && !meaning.has_unit) {
        (void)snprintf(meaning.unit, sizeof meaning.unit, "C");
        meaning.has_unit = true;
    }
    return meaning;
}

/* Columns for place and time rather than values. */
static bool is_place(const char *name)
{
    static const char *const places[] = {
        "Package", "Die", "Node", "Core", "CPU", "APIC", "X2APIC", "Time_Of_Day_Seconds", "usec"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(places[i], name) == 0)
            return true;
    }
    return false;
}

static int put_row(struct wtl_import_table *table,
                   struct wtl_long_state *state,
                   char **words,
                   size_t n,
                   struct wattle_error *err)
{
    const char *cpu_word = word_at(state, words, n, "CPU");
    bool by_cpu = cpu_word != NULL, system = by_cpu && strcmp(cpu_word, "-") == 0;
    int cpu = number_at(state, words, n, "CPU"), package = number_at(state, words, n, "Package");
    int rc = 0;
    for (size_t i = 0; i < n && i < state->column_count && rc == 0; i++) {
        const char *name = state->names[i];
        bool of_package = package_column(name) >= 0;
        char full[128];
        /* The row of the system sums up the values of packages. */
        if (is_place(name) || (system && of_package))
            continue;
        if (of_package)
            (void)snprintf(full, sizeof full, "%.60s package %d", name, package < 0 ? 0 : package);
        else if (cpu >= 0)
            (void)snprintf(full, sizeof full, "%.60s cpu %d", name, cpu);
        else
            (void)snprintf(full, sizeof full, "%.60s", name);
        struct wtl_meaning meaning = meaning_of(name, package < 0 ? 0 : package, cpu);
        rc = wtl_long_put(table, full, wtl_cell_read(words[i], strlen(words[i]), '.'), &meaning,
                          err);
    }
    return rc;
}

static int sample_time(struct wtl_import_table *table,
                       struct wtl_long_state *state,
                       char **words,
                       size_t n,
                       struct wattle_error *err)
{
    const struct wtl_time_form form = {.unit = WTL_TIME_S};
    const char *word = word_at(state, words, n, "Time_Of_Day_Seconds");
    const char *cpu = word_at(state, words, n, "CPU");
    bool begins = !cpu || strcmp(cpu, "-") == 0 || state->samples == 0;
    if (word && !begins)
        return 0; /* all rows of a sample have the time of the first one */
    if (word && wtl_time_parse(word, strlen(word), &form, &state->time_ns) == 0) {
        table->time.epoch = WTL_EPOCH_1970;
        return 0;
    }
    if (state->every_ns == 0)
        return wtl_fail(
            err, -EBADMSG,
            "%s:%llu: the rows have no Time_Of_Day_Seconds; give the time between rows, for "
            "example --time every:5s, or record with --enable Time_Of_Day_Seconds",
            table->path, (unsigned long long)wtl_long_line(table));
    if (begins)
        state->time_ns += (int64_t)state->every_ns;
    return 0;
}

static int take_line(struct wtl_import_table *table,
                     struct wtl_long_state *state,
                     char *text,
                     size_t n,
                     struct wattle_error *err)
{
    char *words[COLUMNS];
    if (!text || n == 0)
        return 0;
    if (strncmp(text, "turbostat version ", 18) == 0)
        (void)snprintf(table->program, sizeof table->program, "turbostat %.40s", text + 18);
    size_t count = wtl_long_split(text, '\0', words, COLUMNS);
    if (is_header(words, count)) {
        for (size_t i = 0; i < count; i++)
            (void)snprintf(state->names[i], sizeof state->names[i], "%s", words[i]);
        state->column_count = count;
        return 0;
    }
    bool values = count > 0 && state->column_count > 0 &&
                  (isdigit((unsigned char)words[0][0]) || strcmp(words[0], "-") == 0);
    if (!values)
        return 0; /* turbostat's description of the processor, and the command's output */
    int rc = sample_time(table, state, words, count, err);
    rc = rc < 0 ? rc : put_row(table, state, words, count, err);
    return rc < 0 ? rc : wtl_long_time(table, state->time_ns, err);
}

static const struct wtl_long_format format = {.name = "turbostat",
                                              .what = "output of turbostat",
                                              .line = take_line};

int wtl_turbostat_table_open(const char *path,
                             struct wtl_text_source *source,
                             const struct wtl_table_options *options,
                             struct wtl_import_table **ret_table,
                             struct wattle_error *err)
{
    return wtl_long_table_open(path, source, options, &format, ret_table, err);
}

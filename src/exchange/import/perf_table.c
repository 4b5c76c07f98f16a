/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "perf stat" as a table: with -I (a row per interval, times since the start) or totals (one row
 * over the time elapsed), human-readable or with -x, for the machine or by socket, die, core and so
 * on. Counts are since the previous row. Unsupported events have no values.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "exchange/import/import_words.h"
#include "exchange/import/long_table.h"

enum { WORDS = 16 };

/* The fields of a line; NULL = absent. */
struct count {
    const char *time, *part, *value, *unit, *event;
};

static bool is_number(const char *text)
{
    return isdigit((unsigned char)*text) || *text == '<' ||
           (*text == '-' && isdigit((unsigned char)text[1]));
}

/* "S0", "S0-D0-C1", "N0", "CPU3". */
static bool is_part(const char *text)
{
    size_t letters = strspn(text, "SDCNPUL");
    return letters > 0 && isdigit((unsigned char)text[letters]);
}

/* The separator of a line of numbers; 0 = blanks. */
static char separator_of(const char *text)
{
    text += strspn(text, " \t");
    if (is_part(text))
        text += strcspn(text, " ,;|\t");
    else if (*text == '<')
        text += strcspn(text, ">") + 1;
    else
        text += strspn(text, "-0123456789.");
    return strchr(",;|:", *text) && *text ? *text : '\0';
}

/* [time] [part cpus] value [unit] event, as words; with a separator each field has a fixed
 * position. */
static bool take_apart(char **words, size_t n, bool separated, struct count *ret)
{
    struct count count = {NULL, NULL, NULL, NULL, NULL};
    size_t i = 0;
    bool timed = n > 1 && is_number(words[0]) && (is_number(words[1]) || is_part(words[1]));
    if (timed)
        count.time = words[i++];
    if (i + 2 < n && is_part(words[i])) {
        count.part = words[i];
        i += 2;
        if (!is_number(words[i]) && !separated)
            i--; /* per thread or CPU there is no number of CPUs */
    }
    if (i >= n || !is_number(words[i]))
        return false;
    count.value = words[i++];
    bool unit = separated || (i + 1 < n && words[i + 1][0] != '#');
    if (unit && i < n)
        count.unit = words[i++];
    if (i >= n || !*words[i])
        return false;
    count.event = words[i];
    *ret = count;
    return true;
}

static struct wtl_meaning meaning_of(const struct count *count)
{
    static const struct {
        const char *event;
        enum wattle_domain domain;
    } energies[] = {{"energy-pkg", WATTLE_DOMAIN_PACKAGE},
                    {"energy-cores", WATTLE_DOMAIN_CORE},
                    {"energy-ram", WATTLE_DOMAIN_DRAM},
                    {"energy-gpu", WATTLE_DOMAIN_UNCORE},
                    {"energy-psys", WATTLE_DOMAIN_PSYS}};
    const struct wtl_unit *unit =
        count->unit && *count->unit ? wtl_unit_find(count->unit, strlen(count->unit)) : NULL;
    struct wtl_meaning meaning = wtl_meaning_of(unit ? unit->quantity : WATTLE_EVENTS,
                                                unit ? unit->name : "", WTL_IMPORT_DELTA);
    meaning.has_domain = true; /* the only names that events contain */
    meaning.domain = WATTLE_DOMAIN_OTHER;
    for (size_t i = 0; i < sizeof energies / sizeof *energies; i++) {
        if (strstr(count->event, energies[i].event)) {
            meaning.domain = energies[i].domain;
            meaning.quantity = WATTLE_ENERGY;
        }
    }
    uint64_t index;
    if (count->part &&
        wtl_scan_u64(count->part + strspn(count->part, "SDCNPUL"),
                     strlen(count->part + strspn(count->part, "SDCNPUL")), &index) > 0 &&
        index < 100000) {
        meaning.index = (int)index;
        meaning.has_index = true;
    }
    return meaning;
}

/* A count; digits may be grouped with commas and blanks. */
static struct wtl_import_cell cell_of(const char *value)
{
    char digits[64];
    size_t n = 0;
    for (const char *p = value; *p && n + 1 < sizeof digits; p++) {
        if (*p != ',' || *value == '<')
            digits[n++] = *p;
    }
    digits[n] = '\0';
    return wtl_cell_read(digits, n, '.');
}

/* An event converted to a name. */
static void place_of(const char *event, char *place, size_t size)
{
    size_t n = 0;
    for (const char *p = event; *p && n + 1 < size; p++) {
        unsigned char c = (unsigned char)tolower((unsigned char)*p);
        if (isalnum(c))
            place[n++] = (char)c;
        else if (n > 0 && place[n - 1] != '_')
            place[n++] = '_';
    }
    while (n > 0 && place[n - 1] == '_')
        n--;
    place[n] = '\0';
}

static int put(struct wtl_import_table *table, const struct count *count, struct wattle_error *err)
{
    char name[160];
    (void)snprintf(name, sizeof name, "%.40s%s%.100s", count->part ? count->part : "",
                   count->part ? " " : "", count->event);
    struct wtl_meaning meaning = meaning_of(count);
    if (meaning.domain == WATTLE_DOMAIN_OTHER)
        place_of(count->event, meaning.place, sizeof meaning.place);
    return wtl_long_put(table, name, cell_of(count->value), &meaning, err);
}

static int total_time(struct wtl_import_table *table, const char *text, struct wattle_error *err)
{
    struct wtl_time_form form = {.unit = WTL_TIME_S};
    int64_t ns;
    text += strspn(text, " \t");
    if (wtl_time_parse(text, strcspn(text, " "), &form, &ns) < 0 || ns <= 0)
        return 0;
    return wtl_long_time(table, ns, err);
}

/* The end of the file: totals with -x do not include the elapsed time. */
static int end_totals(struct wtl_import_table *table,
                      struct wtl_long_state *state,
                      struct wattle_error *err)
{
    if (state->mode != 'x' || state->samples > 0)
        return 0;
    if (state->every_ns == 0)
        return wtl_fail(err, -EBADMSG,
                        "%s: totals of perf stat -x do not contain the run time; give it with "
                        "--time every:10s, or record with -I",
                        table->path);
    return wtl_long_time(table, (int64_t)state->every_ns, err);
}

static int take_line(struct wtl_import_table *table,
                     struct wtl_long_state *state,
                     char *text,
                     size_t n,
                     struct wattle_error *err)
{
    static const char comment[] = " \t";
    char *words[WORDS];
    struct count count;
    if (!text)
        return end_totals(table, state, err);
    if (strstr(text, "seconds time elapsed"))
        return total_time(table, text, err);
    char first = text[strspn(text, comment)];
    if (n == 0 || first == '#' || first == '\0' || first == '{' || first == '(')
        return first == '{'
                   ? wtl_fail(err, -ENOTSUP,
                              "%s: perf stat -j is not supported; record with -x or in text form",
                              table->path)
                   : 0;
    (void)snprintf(table->program, sizeof table->program, "perf stat");
    char separator = separator_of(text);
    size_t count_of_words = wtl_long_split(text, separator, words, WORDS);
    for (size_t i = 0; separator && i < count_of_words; i++)
        words[i] += strspn(words[i], " ");
    if (!take_apart(words, count_of_words, separator, &count) ||
        (count.unit && strcmp(count.unit, "seconds") == 0))
        return 0; /* "seconds user", "Performance counter stats for" */
    int rc = put(table, &count, err);
    if (!count.time)
        state->mode = separator ? 'x' : 't';
    else if (rc == 0)
        rc = total_time(table, count.time, err);
    return rc;
}

static const struct wtl_long_format format = {.name = "perf",
                                              .what = "output of perf stat",
                                              .line = take_line,
                                              .from_zero = true};

int wtl_perf_table_open(const char *path,
                        struct wtl_text_source *source,
                        const struct wtl_table_options *options,
                        struct wtl_import_table **ret_table,
                        struct wattle_error *err)
{
    return wtl_long_table_open(path, source, options, &format, ret_table, err);
}

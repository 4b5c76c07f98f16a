/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter sets: see counter_set.h. */
#define _GNU_SOURCE
#include "model/counters/counter_set.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/ini.h"
#include "base/expression/expression.h"
#include "base/fail.h"

/* Variables of every formula, after the columns that it uses. */
static const char *const own_variables[] = {"time", "energy"};
enum { OWN = 2 };

static bool is_name(const char *text, size_t n)
{
    if (n == 0 || n >= WTL_COUNTER_NAME || !isalpha((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    }
    return true;
}

static int column_of(const struct wtl_counter_set *set, const char *name, size_t n)
{
    for (size_t i = 0; i < set->column_count; i++) {
        if (strlen(set->columns[i].name) == n && memcmp(set->columns[i].name, name, n) == 0)
            return (int)i;
    }
    return -1;
}

int wtl_counter_set_column(const struct wtl_counter_set *set, const char *name)
{
    return column_of(set, name, strlen(name));
}

/* Is the name taken, in any case of its letters? Channels have lower-case names. */
static bool is_taken(const struct wtl_counter_set *set, const char *name)
{
    bool taken = false;
    for (size_t i = 0; i < set->column_count; i++)
        taken = taken || strcasecmp(set->columns[i].name, name) == 0;
    for (size_t i = 0; i < set->metric_count; i++)
        taken = taken || strcasecmp(set->metrics[i].name, name) == 0;
    for (size_t i = 0; i < OWN; i++)
        taken = taken || strcasecmp(own_variables[i], name) == 0;
    return taken;
}

/* Printable, and without the separators of the metadata. */
static bool is_text(const char *text, size_t most)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f || text[i] == ';')
            return false;
    }
    return n > 0 && n < most;
}

/* A sentence without file and line: the caller adds them. */
static int take_name(const struct wtl_counter_set *set, const char *name, struct wattle_error *err)
{
    if (!is_name(name, strlen(name)))
        return wtl_fail(err, -EBADMSG,
                        "\"%.40s\" is not a name: use a letter, then letters, digits and _, at "
                        "most %d characters",
                        name, WTL_COUNTER_NAME - 1);
    if (is_taken(set, name))
        return wtl_fail(err, -EBADMSG, "the name \"%s\" is taken; choose another one", name);
    return 0;
}

/* "class:event": which ones exist is known where they are counted. */
static int add_column(struct wtl_counter_set *set,
                      const char *name,
                      const char *source,
                      struct wattle_error *err)
{
    int rc = take_name(set, name, err);
    if (rc < 0)
        return rc;
    size_t word = strspn(source, "abcdefghijklmnopqrstuvwxyz");
    if (!is_text(source, WTL_COUNTER_SOURCE) || word == 0 || source[word] != ':' ||
        !source[word + 1] || strchr(source, ' '))
        return wtl_fail(err, -EBADMSG,
                        "\"%.100s\" is not a source such as perf:cycles or net:sent_bytes", source);
    if (set->column_count == WTL_COUNTER_COLUMNS)
        return wtl_fail(err, -EBADMSG, "more than %d columns", WTL_COUNTER_COLUMNS);
    struct wtl_counter_column *column = &set->columns[set->column_count++];
    (void)snprintf(column->name, sizeof column->name, "%s", name);
    (void)snprintf(column->source, sizeof column->source, "%s", source);
    return 0;
}

/* The columns that occur in a formula, each once. */
static int find_used(const struct wtl_counter_set *set, struct wtl_counter_metric *metric)
{
    bool seen[WTL_COUNTER_COLUMNS] = {false};
    for (const char *at = metric->formula; *at;) {
        size_t n = 0;
        while (isalnum((unsigned char)at[n]) || at[n] == '_')
            n++;
        int column = n > 0 ? column_of(set, at, n) : -1;
        if (column >= 0 && !seen[column]) {
            seen[column] = true;
            metric->used[metric->used_count++] = (unsigned char)column;
        }
        at += n > 0 ? n : 1;
    }
    return metric->used_count + OWN <= WTL_EXPRESSION_VARIABLES ? 0 : -EOVERFLOW;
}

static int compile(const struct wtl_counter_set *set,
                   struct wtl_counter_metric *metric,
                   struct wattle_error *err)
{
    const char *names[WTL_EXPRESSION_VARIABLES];
    struct wattle_error why = {""};
    if (find_used(set, metric) < 0)
        return wtl_fail(err, -EBADMSG, "%s uses more than %d columns", metric->name,
                        WTL_EXPRESSION_VARIABLES - OWN);
    for (size_t i = 0; i < metric->used_count; i++)
        names[i] = set->columns[metric->used[i]].name;
    memcpy(&names[metric->used_count], own_variables, sizeof own_variables);
    int rc = wtl_expression_compile(metric->formula, names, metric->used_count + OWN,
                                    &metric->expression, &why);
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    return rc < 0 ? wtl_fail(err, -EBADMSG, "%s: %.300s", metric->name, why.text) : 0;
}

static int add_metric(struct wtl_counter_set *set,
                      const char *name,
                      const char *unit,
                      const char *formula,
                      struct wattle_error *err)
{
    int rc = take_name(set, name, err);
    if (rc < 0)
        return rc;
    if (set->metric_count == WTL_COUNTER_METRICS)
        return wtl_fail(err, -EBADMSG, "more than %d metrics", WTL_COUNTER_METRICS);
    if (!is_text(formula, WTL_COUNTER_FORMULA))
        return wtl_fail(err, -EBADMSG, "%s: the formula is empty, or longer than %d characters",
                        name, WTL_COUNTER_FORMULA - 1);
    if (unit[0] && (!is_text(unit, WTL_COUNTER_NAME) || strpbrk(unit, "[]=")))
        return wtl_fail(err, -EBADMSG, "\"%.40s\" is not a unit such as GB/s", unit);
    struct wtl_counter_metric *metric = &set->metrics[set->metric_count];
    *metric = (struct wtl_counter_metric){.expression = NULL};
    (void)snprintf(metric->name, sizeof metric->name, "%s", name);
    (void)snprintf(metric->unit, sizeof metric->unit, "%s", unit);
    (void)snprintf(metric->formula, sizeof metric->formula, "%s", formula);
    rc = compile(set, metric, err);
    set->metric_count += rc == 0;
    return rc;
}

/* "NAME[UNIT]", or "NAME [UNIT]", or only "NAME"; split in place. */
static int add_metric_of_key(struct wtl_counter_set *set,
                             char *key,
                             const char *formula,
                             struct wattle_error *err)
{
    char *unit = strchr(key, '['), *end = unit ? strchr(unit, ']') : NULL;
    if (unit && (!end || end[1]))
        return wtl_fail(err, -EBADMSG, "\"%.60s\": expected NAME[UNIT]", key);
    if (unit) {
        *unit++ = *end = '\0';
        size_t n = strlen(key);
        while (n > 0 && (key[n - 1] == ' ' || key[n - 1] == '\t'))
            key[--n] = '\0';
    }
    return add_metric(set, key, unit ? unit : "", formula, err);
}

/* ---- files ---- */

static int take_pair(struct wtl_counter_set *set,
                     const char *section,
                     const struct wtl_ini_line *line,
                     struct wattle_error *err)
{
    char key[2 * WTL_COUNTER_NAME + 8];
    if (strcmp(section, "columns") == 0)
        return add_column(set, line->name, line->value, err);
    if (strcmp(section, "metrics") == 0) {
        (void)snprintf(key, sizeof key, "%s", line->name);
        return add_metric_of_key(set, key, line->value, err);
    }
    if (strcmp(line->name, "about") != 0)
        return wtl_fail(err, -EBADMSG, "unknown key \"%.40s\" in [set]; it has: about", line->name);
    if (!is_text(line->value, sizeof set->about))
        return wtl_fail(err, -EBADMSG, "about is empty, or longer than %zu characters",
                        sizeof set->about - 1);
    (void)snprintf(set->about, sizeof set->about, "%s", line->value);
    return 0;
}

static int take_section(const char *name, char section[16], struct wattle_error *err)
{
    if (strcmp(name, "set") != 0 && strcmp(name, "columns") != 0 && strcmp(name, "metrics") != 0)
        return wtl_fail(err, -EBADMSG, "unknown section [%.40s]; use [set], [columns], [metrics]",
                        name);
    (void)snprintf(section, 16, "%s", name);
    return 0;
}

static int parse(struct wtl_counter_set *set, struct wtl_ini *ini, struct wattle_error *err)
{
    char section[16] = "";
    struct wtl_ini_line line;
    struct wattle_error why = {""};
    int rc;
    while ((rc = wtl_ini_next(ini, &line, err)) > 0) {
        if (line.kind == WTL_INI_SECTION)
            rc = take_section(line.name, section, &why);
        else if (line.kind == WTL_INI_PAIR)
            rc = take_pair(set, section, &line, &why);
        if (rc == -ENOMEM)
            return wtl_no_memory(err);
        if (rc < 0)
            return wtl_fail(err, rc, "%.120s:%u: %s", ini->file, ini->number, why.text);
    }
    if (rc == 0 && set->column_count == 0)
        rc = wtl_fail(err, -EBADMSG, "%.120s: no columns; add [columns] with NAME = SOURCE lines",
                      ini->file);
    return rc;
}

void wtl_counter_set_fini(struct wtl_counter_set *set)
{
    for (size_t i = 0; i < set->metric_count; i++)
        wtl_expression_destroy(set->metrics[i].expression);
    *set = (struct wtl_counter_set){.column_count = 0};
}

int wtl_counter_set_parse(struct wtl_counter_set *ret_set,
                          const char *name,
                          const char *file,
                          const char *text,
                          size_t size,
                          struct wattle_error *err)
{
    struct wtl_ini ini = wtl_ini_of(file, text, size);
    *ret_set = (struct wtl_counter_set){.column_count = 0};
    (void)snprintf(ret_set->name, sizeof ret_set->name, "%s", name);
    int rc = parse(ret_set, &ini, err);
    if (rc < 0)
        wtl_counter_set_fini(ret_set);
    return rc;
}

/* ---- metrics ---- */

double wtl_counter_metric_value(const struct wtl_counter_set *set,
                                size_t i,
                                const double *amounts,
                                double time_s,
                                double energy_j)
{
    const struct wtl_counter_metric *metric = &set->metrics[i];
    const double own[OWN] = {time_s, energy_j};
    double values[WTL_EXPRESSION_VARIABLES];
    for (size_t k = 0; k < metric->used_count + OWN; k++) {
        values[k] = k < metric->used_count ? amounts[metric->used[k]] : own[k - metric->used_count];
        if (isnan(values[k]) && wtl_expression_uses(metric->expression, k))
            return NAN;
    }
    double value = wtl_expression_value(metric->expression, values);
    return isfinite(value) ? value : (double)NAN;
}

bool wtl_counter_metric_uses_energy(const struct wtl_counter_set *set, size_t i)
{
    const struct wtl_counter_metric *metric = &set->metrics[i];
    return wtl_expression_uses(metric->expression, metric->used_count + 1);
}

/* ---- metadata ---- */

static char *joined(const struct wtl_counter_set *set, bool metrics)
{
    char *text = NULL;
    size_t size, n = metrics ? set->metric_count : set->column_count;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const struct wtl_counter_metric *metric = &set->metrics[i];
        (void)fputs(i > 0 ? ";" : "", out);
        if (!metrics)
            (void)fprintf(out, "%s=%s", set->columns[i].name, set->columns[i].source);
        else if (metric->unit[0])
            (void)fprintf(out, "%s[%s]=%s", metric->name, metric->unit, metric->formula);
        else
            (void)fprintf(out, "%s=%s", metric->name, metric->formula);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

char *wtl_counter_set_columns_text(const struct wtl_counter_set *set)
{
    return joined(set, false);
}

char *wtl_counter_set_metrics_text(const struct wtl_counter_set *set)
{
    return joined(set, true);
}

/* Each "KEY=VALUE" of a text; a key may contain "[a=b]"? No: units have no "=". */
static int split(struct wtl_counter_set *set,
                 const char *text,
                 bool metrics,
                 struct wattle_error *err)
{
    char item[WTL_COUNTER_FORMULA + 2 * WTL_COUNTER_NAME + 8];
    while (text && *text) {
        size_t n = strcspn(text, ";");
        if (n >= sizeof item)
            return wtl_fail(err, -EBADMSG, "an item is longer than %zu characters",
                            sizeof item - 1);
        memcpy(item, text, n);
        item[n] = '\0';
        char *equals = strchr(item, '=');
        if (!equals)
            return wtl_fail(err, -EBADMSG, "\"%.60s\" is not NAME=VALUE", item);
        *equals = '\0';
        int rc = metrics ? add_metric_of_key(set, item, equals + 1, err)
                         : add_column(set, item, equals + 1, err);
        if (rc < 0)
            return rc;
        text += n + (text[n] == ';');
    }
    return 0;
}

int wtl_counter_set_from_texts(struct wtl_counter_set *ret_set,
                               const char *name,
                               const char *columns,
                               const char *metrics,
                               struct wattle_error *err)
{
    struct wattle_error why = {""};
    *ret_set = (struct wtl_counter_set){.column_count = 0};
    (void)snprintf(ret_set->name, sizeof ret_set->name, "%s", name ? name : "");
    int rc = split(ret_set, columns, false, &why);
    rc = rc < 0 ? rc : split(ret_set, metrics, true, &why);
    if (rc < 0)
        wtl_counter_set_fini(ret_set);
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    return rc < 0 ? wtl_fail(err, rc, "the counter set of the trace is damaged: %.300s", why.text)
                  : 0;
}

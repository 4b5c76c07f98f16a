/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in .pcf and .row files: see paraver_file.h. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/whole.h"
#include "exchange/import/text_source.h"
#include "exchange/paraver/paraver_file.h"

enum { LABELS_MAX = 1000000, DECIMALS_MAX = 18 };

struct reading {
    struct wtl_paraver_names *names;
    size_t type_room, value_room, node_room;
    uint32_t block;
    enum { NOWHERE, STATES, TYPES, VALUES } part;
    size_t first_type; /* of the block */
};

/* The file beside a .prv, or .prv.gz, with another suffix. */
static char *beside(const char *path, const char *suffix)
{
    size_t n = strlen(path);
    const char *const ends[] = {".gz", ".zst", ".prv"};
    char *name = NULL;
    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(ends[i]);
        if (n > length && strncmp(path + n - length, ends[i], length) == 0)
            n -= length;
    }
    return asprintf(&name, "%.*s.%s", (int)n, path, suffix) < 0 ? NULL : name;
}

/* What follows the first `count` numbers of a line. */
static bool split(const char *line, size_t count, int64_t *numbers, const char **ret_rest)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        line += strspn(line, " \t");
        bool negative = *line == '-';
        int n = wtl_scan_u64(line + negative, strlen(line + negative), &value);
        if (n <= 0 || value > INT64_MAX)
            return false;
        numbers[i] = negative ? -(int64_t)value : (int64_t)value;
        line += (size_t)n + negative;
    }
    if (*line && *line != ' ' && *line != '\t')
        return false;
    *ret_rest = line + strspn(line, " \t");
    return true;
}

/* A copy without what is not UTF-8 or not printable. */
static char *copy_label(const char *text)
{
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    char *copy = strndup(text, n < 200 ? n : 200);
    for (char *p = copy; p && *p; p++) {
        if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7F)
            *p = '?';
    }
    return copy;
}

static int add_type(struct reading *reading, uint32_t type, const char *label)
{
    struct wtl_paraver_names *names = reading->names;
    if (names->type_count >= LABELS_MAX)
        return -E2BIG;
    if (wtl_reserve(&names->types, &reading->type_room, names->type_count + 1,
                    sizeof *names->types) < 0)
        return -ENOMEM;
    struct wtl_paraver_type *entry = &names->types[names->type_count];
    *entry =
        (struct wtl_paraver_type){.type = type, .block = reading->block, .name = copy_label(label)};
    names->type_count += entry->name != NULL;
    return entry->name ? 0 : -ENOMEM;
}

static int add_value(struct reading *reading, uint32_t block, int64_t value, const char *label)
{
    struct wtl_paraver_names *names = reading->names;
    if (names->value_count >= LABELS_MAX)
        return -E2BIG;
    if (wtl_reserve(&names->values, &reading->value_room, names->value_count + 1,
                    sizeof *names->values) < 0)
        return -ENOMEM;
    struct wtl_paraver_value *entry = &names->values[names->value_count];
    *entry = (struct wtl_paraver_value){block, value, copy_label(label)};
    names->value_count += entry->name != NULL;
    return entry->name ? 0 : -ENOMEM;
}

/* "PRECISION 3": of all types of the block. */
static void set_decimals(struct reading *reading, const char *text)
{
    int64_t decimals;
    const char *rest;
    if (!split(text, 1, &decimals, &rest) || decimals < 0 || decimals > DECIMALS_MAX)
        return;
    for (size_t i = reading->first_type; i < reading->names->type_count; i++)
        reading->names->types[i].decimals = (int)decimals;
}

static int take_entry(struct reading *reading, const char *line)
{
    int64_t numbers[2];
    const char *rest;
    if (reading->part == TYPES && strncmp(line, "PRECISION", 9) == 0)
        set_decimals(reading, line + 9);
    else if (reading->part == TYPES && split(line, 2, numbers, &rest) && numbers[1] >= 0 &&
             numbers[1] <= UINT32_MAX)
        return add_type(reading, (uint32_t)numbers[1], rest);
    else if (reading->part == VALUES && split(line, 1, numbers, &rest))
        return add_value(reading, reading->block, numbers[0], rest);
    else if (reading->part == STATES && split(line, 1, numbers, &rest))
        return add_value(reading, 0, numbers[0], rest);
    return 0;
}

static int take_pcf(struct reading *reading, const char *line)
{
    if (strncmp(line, "EVENT_TYPE", 10) == 0) {
        reading->part = TYPES;
        reading->block++;
        reading->first_type = reading->names->type_count;
    } else if (strcmp(line, "VALUES") == 0) {
        reading->part = reading->part == TYPES || reading->part == VALUES ? VALUES : NOWHERE;
    } else if (strcmp(line, "STATES") == 0) {
        reading->part = STATES;
    } else if (isupper((unsigned char)line[0]) && strncmp(line, "PRECISION", 9) != 0) {
        reading->part = NOWHERE;
    } else {
        return take_entry(reading, line);
    }
    return 0;
}

static int take_row(struct reading *reading, const char *line)
{
    struct wtl_paraver_names *names = reading->names;
    if (strncmp(line, "LEVEL ", 6) == 0) {
        reading->part = strncmp(line + 6, "NODE", 4) == 0 ? VALUES : NOWHERE;
        return 0;
    }
    if (reading->part != VALUES || !*line)
        return 0;
    if (names->node_count >= LABELS_MAX)
        return -E2BIG;
    if (wtl_reserve((void *)&names->nodes, &reading->node_room, names->node_count + 1,
                    sizeof *names->nodes) < 0)
        return -ENOMEM;
    char *copy = copy_label(line);
    if (!copy)
        return -ENOMEM;
    names->nodes[names->node_count++] = copy;
    return 0;
}

static int read_one(struct wtl_paraver_names *names,
                    const char *path,
                    const char *suffix,
                    int (*take)(struct reading *reading, const char *line),
                    struct wattle_error *err)
{
    struct reading reading = {.names = names};
    struct wtl_text_source *source = NULL;
    char *name = beside(path, suffix), *line;
    size_t n;
    if (!name)
        return wtl_no_memory_for(err, "%s", path);
    int rc = access(name, F_OK) < 0 ? 0 : wtl_text_source_open(name, &source, err);
    while (source && rc >= 0 && (rc = wtl_text_source_next(source, &line, &n, err)) > 0) {
        rc = take(&reading, line);
        if (rc == -ENOMEM)
            rc = wtl_no_memory_for(err, "%s", name);
        else if (rc == -E2BIG)
            rc = wtl_fail(err, rc, "%s: more than %d names", name, LABELS_MAX);
    }
    wtl_text_source_close(source);
    free(name);
    return rc;
}

static int compare_types(const void *a, const void *b)
{
    const struct wtl_paraver_type *x = a, *y = b;
    return (x->type > y->type) - (x->type < y->type);
}

static int compare_values(const void *a, const void *b)
{
    const struct wtl_paraver_value *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

int wtl_paraver_names_read(struct wtl_paraver_names *names,
                           const char *path,
                           struct wattle_error *err)
{
    memset(names, 0, sizeof *names);
    int rc = read_one(names, path, "pcf", take_pcf, err);
    rc = rc < 0 ? rc : read_one(names, path, "row", take_row, err);
    if (rc < 0) {
        wtl_paraver_names_fini(names);
        return rc;
    }
    wtl_sort(names->types, names->type_count, sizeof *names->types, compare_types);
    wtl_sort(names->values, names->value_count, sizeof *names->values, compare_values);
    return 0;
}

void wtl_paraver_names_fini(struct wtl_paraver_names *names)
{
    for (size_t i = 0; i < names->type_count; i++)
        free(names->types[i].name);
    for (size_t i = 0; i < names->value_count; i++)
        free(names->values[i].name);
    for (size_t i = 0; i < names->node_count; i++)
        free(names->nodes[i]);
    free(names->types);
    free(names->values);
    free((void *)names->nodes);
    memset(names, 0, sizeof *names);
}

const struct wtl_paraver_type *wtl_paraver_type_find(const struct wtl_paraver_names *names,
                                                     uint32_t type)
{
    const struct wtl_paraver_type key = {.type = type};
    return names->type_count
               ? bsearch(&key, names->types, names->type_count, sizeof key, compare_types)
               : NULL;
}

const char *wtl_paraver_value_name(const struct wtl_paraver_names *names,
                                   uint32_t block,
                                   int64_t value)
{
    const struct wtl_paraver_value key = {.block = block, .value = value}, *found;
    found = names->value_count
                ? bsearch(&key, names->values, names->value_count, sizeof key, compare_values)
                : NULL;
    return found ? found->name : NULL;
}

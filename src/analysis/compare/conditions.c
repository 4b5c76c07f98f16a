/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions of two sides: see conditions.h. Keys are those of docs/format/trace.md. */
#define _GNU_SOURCE
#include "analysis/compare/conditions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_names.h"
#include "base/fail.h"
#include "base/grow.h"
#include "model/meta_key.h"
#include "trace/reader.h"

#define LIMITS "limit." /* CHANNEL.CONSTRAINT */

/* The keys compared. A key that ends in "." is a prefix. */
static const struct aspect {
    const char *key, *what;
    bool forbids;
} aspects[] = {
    {WTL_META_HOST_NAME, "node", true},
    {WTL_META_HOST_PRODUCT, "machine", true},
    {WTL_META_CPU_MODEL, "processor", true},
    {WTL_META_CPU_GOVERNOR, "governor", true},
    {WTL_META_CPU_EPP, "energy preference", true},
    {WTL_META_CPU_TURBO, "turbo", true},
    {WTL_META_CPU_MIN_KHZ, "lowest frequency [kHz]", true},
    {WTL_META_CPU_MAX_KHZ, "highest frequency [kHz]", true},
    {LIMITS, "power limit", true},
    {WTL_META_CPU_DRIVER, "frequency driver", false},
    {WTL_META_CPU_SMT, "SMT", false},
    {WTL_META_CPU_ONLINE, "CPUs online", false},
    {WTL_META_CPU_MICROCODE, "microcode", false},
    {WTL_META_BIOS_VERSION, "BIOS", false},
    {WTL_META_MEMORY_BYTES, "memory", false},
    {WTL_META_VIRTUAL_MACHINE, "virtual machine", false},
    {WTL_META_VIRTUAL_CONTAINER, "container", false},
    {WTL_META_VIRTUAL_CPU_LIMIT, "limit of CPU time", false},
    {WTL_META_KERNEL_RELEASE, "kernel", false},
    {WTL_META_KERNEL_CMDLINE, "kernel command line", false},
    {WTL_META_PROCESS_AFFINITY, "CPUs allowed", false},
    {"env.", "environment", false},
    {WTL_META_WORK_AMOUNT, "amount of work", false},
    {WTL_META_WORK_UNIT, "unit of work", false},
    {WTL_META_WATTLE_VERSION, "wattle", false},
    {WTL_META_RUN_SENSORS, "sensors asked for", false},
    {WTL_META_SAMPLER_INTERVAL_NS, "sampling interval [ns]", false},
};

struct entry {
    const struct aspect *aspect;
    char key[80];
    size_t count[2];    /* runs that have it */
    char values[2][64]; /* of A and of B, different ones joined */
};

struct table {
    struct entry *entries;
    size_t count;
};

static const struct aspect *aspect_of(const char *key)
{
    for (size_t i = 0; i < sizeof aspects / sizeof *aspects; i++) {
        size_t n = strlen(aspects[i].key);
        bool many = aspects[i].key[n - 1] == '.';
        if (many ? strncmp(key, aspects[i].key, n) == 0 : strcmp(key, aspects[i].key) == 0)
            return &aspects[i];
    }
    return NULL;
}

static struct entry *entry_of(struct table *table, const struct aspect *aspect, const char *key)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->entries[i].key, key) == 0)
            return &table->entries[i];
    }
    if (wtl_grow(&table->entries, table->count, sizeof *table->entries) < 0)
        return NULL;
    struct entry *entry = &table->entries[table->count++];
    *entry = (struct entry){.aspect = aspect};
    (void)snprintf(entry->key, sizeof entry->key, "%s", key);
    return entry;
}

/* Is value one of the list "x, y"? */
static bool is_listed(const char *list, const char *value)
{
    size_t n = strlen(value);
    for (const char *at = list; (at = strstr(at, value)); at++) {
        bool begins = at == list || (at - list >= 2 && at[-1] == ' ' && at[-2] == ',');
        if (begins && (at[n] == '\0' || at[n] == ','))
            return true;
    }
    return false;
}

/* Long values are cut; a hash after the cut distinguishes them (FNV-1a). */
static void shorten(char *buf, size_t n, const char *value)
{
    unsigned hash = 2166136261u;
    for (const char *at = value; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    if (snprintf(buf, n, "%s", value) >= (int)n)
        (void)snprintf(buf, n, "%.24s... #%08x", value, hash);
}

static void add_value(struct entry *entry, int side, const char *value)
{
    char shown[48], *list = entry->values[side];
    size_t used = strlen(list), room = sizeof entry->values[side] - used;
    shorten(shown, sizeof shown, value);
    if (used && is_listed(list, shown))
        return;
    if (snprintf(list + used, room, used ? ", %s" : "%s", shown) >= (int)room)
        (void)snprintf(list + sizeof entry->values[side] - 4, 4, "...");
}

static int add_trace(struct table *table, int side, const struct wtl_trace_reader *reader)
{
    size_t count = wtl_trace_reader_meta_count(reader);
    for (size_t i = 0; i < count; i++) {
        const char *key, *value;
        char name[80];
        if (wtl_trace_reader_meta_at(reader, i, &key, &value) < 0)
            continue;
        /* A value read again after the window is another value of the same key. */
        size_t n = strlen(key);
        bool after = n > 6 && strcmp(key + n - 6, ".after") == 0;
        (void)snprintf(name, sizeof name, "%.*s", (int)(after ? n - 6 : n), key);
        if (after && strcmp(name, WTL_META_CPU_TURBO) == 0)
            value = strcmp(value, "0") == 0 ? "off" : strcmp(value, "1") == 0 ? "on" : value;
        const struct aspect *aspect = aspect_of(name);
        if (!aspect)
            continue;
        struct entry *entry = entry_of(table, aspect, name);
        if (!entry)
            return -ENOMEM;
        entry->count[side] += !after;
        add_value(entry, side, value);
    }
    return 0;
}

static int add_side(struct table *table,
                    int side,
                    char *const *paths,
                    size_t n,
                    struct wattle_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct wtl_trace_reader *reader = NULL;
        rc = wtl_run_name_open_first(paths[i], &reader, err);
        if (rc == 0)
            rc = add_trace(table, side, reader);
        wtl_trace_reader_close(reader);
    }
    return rc;
}

/* Known in all runs or in none, with one value. */
static bool is_same(const struct entry *entry, size_t a_n, size_t b_n)
{
    return entry->count[0] == a_n && entry->count[1] == b_n &&
           strcmp(entry->values[0], entry->values[1]) == 0 && !strstr(entry->values[0], ", ");
}

/* A limit that some runs do not know is not another limit: it belongs to a sensor that they lack, which the totals say. */
static bool forbids(const struct entry *entry)
{
    const char *a = entry->values[0], *b = entry->values[1];
    bool limit = strcmp(entry->aspect->key, LIMITS) == 0;
    return entry->aspect->forbids &&
           (!limit || strstr(a, ", ") || strstr(b, ", ") || (a[0] && b[0] && strcmp(a, b) != 0));
}

static void describe(struct wtl_condition_difference *difference, const struct entry *entry)
{
    const char *rest = entry->key + strlen(entry->aspect->key);
    (void)snprintf(difference->what, sizeof difference->what, "%s%s%.28s", entry->aspect->what,
                   *rest ? " " : "", rest);
    (void)snprintf(difference->a, sizeof difference->a, "%s",
                   entry->count[0] ? entry->values[0] : "unknown");
    (void)snprintf(difference->b, sizeof difference->b, "%s",
                   entry->count[1] ? entry->values[1] : "unknown");
    difference->forbids = forbids(entry);
}

int wtl_conditions_read(char *const *a_paths,
                        size_t a_n,
                        char *const *b_paths,
                        size_t b_n,
                        struct wtl_conditions *ret_conditions,
                        struct wattle_error *err)
{
    struct table table = {NULL, 0};
    struct wtl_conditions conditions = {.node_unknown = true};
    int rc = add_side(&table, 0, a_paths, a_n, err);
    rc = rc < 0 ? rc : add_side(&table, 1, b_paths, b_n, err);
    if (rc == 0) {
        conditions.differences = calloc(table.count + 1, sizeof *conditions.differences);
        if (!conditions.differences)
            rc = -ENOMEM;
    }
    if (rc == -ENOMEM)
        (void)wtl_no_memory_for(err, "the conditions");
    for (int worse = 1; rc == 0 && worse >= 0; worse--) {
        for (size_t i = 0; i < table.count; i++) {
            const struct entry *entry = &table.entries[i];
            if (strcmp(entry->key, WTL_META_HOST_NAME) == 0)
                conditions.node_unknown = entry->count[0] != a_n || entry->count[1] != b_n;
            if (forbids(entry) == (worse == 1) && !is_same(entry, a_n, b_n))
                describe(&conditions.differences[conditions.count++], entry);
        }
    }
    free(table.entries);
    if (rc == 0)
        *ret_conditions = conditions;
    return rc;
}

void wtl_conditions_fini(struct wtl_conditions *conditions)
{
    free(conditions->differences);
    *conditions = (struct wtl_conditions){0};
}

bool wtl_conditions_forbid(const struct wtl_conditions *conditions, char *buf, size_t n)
{
    const struct wtl_condition_difference *first = conditions->differences;
    if (conditions->count > 0 && first && first->forbids) {
        (void)snprintf(buf, n, "the %s differs (A: %s, B: %s)", first->what, first->a, first->b);
        return true;
    }
    if (conditions->node_unknown)
        (void)snprintf(buf, n, "the traces do not say on which node they were recorded");
    return conditions->node_unknown;
}

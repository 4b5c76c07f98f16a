/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the rows of a table of the kernel: see count_table.h. */
#include "counters/columns/count_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/parse.h"

/* One row: its name, and the text of its fields. */
struct row {
    const char *name, *fields;
    size_t length; /* of the name */
};

/* The next row of a table, whose lines are "name: fields" or "major minor name fields"; false at the end. Titles have
 * no digit as the first field. */
static bool next_row(const char **at, enum wtl_count_form form, struct row *row)
{
    while (**at) {
        const char *line = *at, *end = line + strcspn(line, "\n");
        *at = end + (*end == '\n');
        line += strspn(line, " \t");
        for (int skip = form == WTL_COUNT_DISK ? 2 : 0; skip > 0; skip--) {
            line += strcspn(line, " \n");
            line += strspn(line, " ");
        }
        size_t n = strcspn(line, form == WTL_COUNT_DISK ? " \n" : ":|\n");
        if (n == 0 || (form != WTL_COUNT_DISK && line[n] != ':') || line + n >= end)
            continue;
        *row = (struct row){.name = line, .length = n, .fields = line + n + 1};
        return true;
    }
    return false;
}

static int field_of(const struct row *row, unsigned field, uint64_t *ret)
{
    const char *at = row->fields;
    for (unsigned i = 0;; i++) {
        at += strspn(at, " ");
        size_t n = strcspn(at, " \n");
        int used = wtl_scan_u64(at, n, ret);
        if (used <= 0 || (size_t)used != n)
            return -EBADMSG;
        if (i == field)
            return 0;
        at += n;
    }
}

static bool starts(const struct row *row, const char *word)
{
    size_t n = strlen(word);
    return row->length >= n && memcmp(row->name, word, n) == 0;
}

static bool is_named(const struct row *row, const char *name)
{
    return row->length == strlen(name) && starts(row, name);
}

/* Is there a device behind it? */
static bool has_device(const struct wtl_world *world,
                       enum wtl_count_form form,
                       const struct row *row)
{
    char path[128];
    int n = snprintf(path, sizeof path, "/sys/%s/%.*s/device",
                     form == WTL_COUNT_NET ? "class/net" : "block", (int)row->length, row->name);
    return n > 0 && (size_t)n < sizeof path && world->ops->exists(world, path);
}

/* Without devices: what does not pass on the traffic of another one. */
static bool is_plain(const struct wtl_world *world, enum wtl_count_form form, const struct row *row)
{
    static const char *const made[] = {"loop", "ram", "zram", "dm-", "md", "sr", "fd", NULL};
    char path[128];
    if (form == WTL_COUNT_NET)
        return !is_named(row, "lo");
    for (size_t i = 0; made[i]; i++) {
        if (starts(row, made[i]))
            return false;
    }
    /* Partitions have no folder. */
    int n = snprintf(path, sizeof path, "/sys/block/%.*s", (int)row->length, row->name);
    return n > 0 && (size_t)n < sizeof path &&
           (!world->ops->exists(world, "/sys/block") || world->ops->exists(world, path));
}

typedef bool counts_fn(const struct wtl_world *world,
                       enum wtl_count_form form,
                       const struct row *row);

static size_t choose_by(const struct wtl_world *world,
                        const char *text,
                        const struct wtl_count_rule *rule,
                        struct wtl_count_sum *sum,
                        counts_fn *counts)
{
    struct row row;
    size_t count = 0;
    memset(sum->chosen, 0, sizeof sum->chosen);
    for (size_t i = 0; i < WTL_COUNT_ROWS && next_row(&text, rule->form, &row); i++) {
        bool chosen = rule->word[0] ? is_named(&row, rule->word) : counts(world, rule->form, &row);
        sum->chosen[i / 8] |= (unsigned char)((unsigned)chosen << (i % 8));
        count += chosen;
    }
    return count;
}

/* Hash of the names of the rows, and their number. */
static uint64_t names_of(const char *text, enum wtl_count_form form, size_t *ret_count)
{
    struct row row;
    uint64_t hash = WTL_HASH_START;
    *ret_count = 0;
    while (next_row(&text, form, &row)) {
        hash = wtl_hash_bytes(hash, row.name, row.length + 1);
        ++*ret_count;
    }
    return hash;
}

static int choose(const struct wtl_world *world,
                  const char *text,
                  const struct wtl_count_rule *rule,
                  struct wtl_count_sum *sum,
                  bool *ret_changed)
{
    size_t rows;
    uint64_t names = names_of(text, rule->form, &rows);
    *ret_changed = false;
    if (rows > WTL_COUNT_ROWS)
        return -EOVERFLOW;
    if (!sum->started || names != sum->names) {
        *ret_changed = sum->started;
        sum->chosen_count = choose_by(world, text, rule, sum, has_device);
        if (sum->chosen_count == 0)
            sum->chosen_count = choose_by(world, text, rule, sum, is_plain);
        sum->names = names;
    }
    return sum->chosen_count > 0 ? 0 : -ENODEV;
}

int wtl_count_table_sum(const struct wtl_world *world,
                        const char *text,
                        const struct wtl_count_rule *rule,
                        struct wtl_count_sum *sum,
                        uint64_t *ret_sum)
{
    struct row row;
    bool changed;
    uint64_t all = 0, value;
    int rc = choose(world, text, rule, sum, &changed);
    for (size_t i = 0; rc == 0 && next_row(&text, rule->form, &row); i++) {
        if (!(sum->chosen[i / 8] >> (i % 8) & 1))
            continue;
        rc = field_of(&row, rule->field, &value);
        all += rc == 0 ? value : 0;
    }
    if (rc < 0)
        return rc;
    if (changed)
        sum->shift = all;
    sum->started = true;
    *ret_sum = all - sum->shift;
    if (all < sum->shift) { /* restarted: below what it was when the rows changed */
        sum->shift = 0;
        *ret_sum = all;
    }
    return 0;
}

uint64_t wtl_count_words_sum(const char *text, const char *word)
{
    size_t n = strlen(word);
    uint64_t sum = 0, value;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += n) {
        bool whole = at == text || at[-1] == ' ' || at[-1] == '\n';
        if (whole && at[n] == '=' && wtl_scan_u64(at + n + 1, strlen(at + n + 1), &value) > 0)
            sum += value;
    }
    return sum;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Merged metadata of several traces: a value is kept if all have it. */
#define _GNU_SOURCE
#include "report/cite/cite_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_names.h"
#include "analysis/traces/results.h"
#include "base/fail.h"
#include "base/grow.h"

static struct wtl_cite_fact *find(const struct wtl_cite_facts *facts, const char *key)
{
    for (size_t i = 0; i < facts->fact_count; i++)
        if (strcmp(facts->facts[i].key, key) == 0)
            return &facts->facts[i];
    return NULL;
}

const struct wtl_cite_fact *wtl_cite_fact(const struct wtl_cite_facts *facts, const char *key)
{
    return find(facts, key);
}

const char *wtl_cite_value(const struct wtl_cite_facts *facts, const char *key)
{
    const struct wtl_cite_fact *fact = find(facts, key);
    return !fact ? NULL : fact->varies ? "varying" : fact->value;
}

static int add(struct wtl_cite_facts *facts, const char *key, const char *value, bool varies)
{
    if (wtl_grow(&facts->facts, facts->fact_count, sizeof *facts->facts) < 0)
        return -ENOMEM;
    struct wtl_cite_fact *fact = &facts->facts[facts->fact_count];
    *fact = (struct wtl_cite_fact){strdup(key), strdup(value), varies};
    if (fact->key && fact->value) {
        facts->fact_count++;
        return 0;
    }
    free(fact->key);
    free(fact->value);
    return -ENOMEM;
}

/* Add the metadata of trace `number` (0 = the first). */
static int merge(struct wtl_cite_facts *facts, const struct wtl_trace_reader *reader, size_t number)
{
    size_t known = facts->fact_count;
    for (size_t i = 0; i < known; i++) {
        const char *value = wtl_trace_reader_meta(reader, facts->facts[i].key);
        facts->facts[i].varies |= !value || strcmp(value, facts->facts[i].value) != 0;
    }
    for (size_t i = 0; i < wtl_trace_reader_meta_count(reader); i++) {
        const char *key, *value;
        int rc = wtl_trace_reader_meta_at(reader, i, &key, &value);
        if (rc == 0 && !find(facts, key) && add(facts, key, value, number > 0) < 0)
            return -ENOMEM;
    }
    return 0;
}

static bool has_edges(const struct wtl_trace_reader *reader)
{
    for (size_t i = 0; i < wtl_trace_reader_group_count(reader); i++) {
        const struct wtl_trace_group *group = wtl_trace_reader_group(reader, i);
        if (group && group->flags & WTL_GROUP_EDGE)
            return true;
    }
    return false;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

/* Two traces of one measurement have one command, one target and one meaning of the total. */
static int compare(const struct wtl_result *a, const struct wtl_result *b, struct wattle_error *err)
{
    const char *what = NULL, *left = NULL, *right = NULL;
    if (!same(a->command, b->command)) {
        what = "command";
        left = or_none(a->command);
        right = or_none(b->command);
    } else if (!a->command && !same(a->target, b->target)) {
        what = "target";
        left = or_none(a->target);
        right = or_none(b->target);
    } else if (strcmp(a->total.contains, b->total.contains) != 0) {
        what = "total";
        left = a->total.contains[0] ? a->total.contains : "none";
        right = b->total.contains[0] ? b->total.contains : "none";
    }
    if (!what)
        return 0;
    return wtl_fail(err, -EINVAL,
                    "%s and %s are not repeats of one measurement: their %s differs (%.60s, "
                    "%.60s); cite them one at a time",
                    a->trace, b->trace, what, left, right);
}

static int merge_all(char *const *paths, struct wtl_cite_facts *facts, struct wattle_error *err)
{
    for (size_t i = 0; i < facts->count; i++) {
        struct wtl_trace_reader *reader;
        int rc = wtl_trace_reader_open(paths[i], &reader, err);
        if (rc < 0)
            return rc;
        rc = merge(facts, reader, i);
        facts->edges = (i == 0 || facts->edges) && has_edges(reader);
        wtl_trace_reader_close(reader);
        if (rc < 0)
            return wtl_no_memory(err);
    }
    return 0;
}

int wtl_cite_facts_read(char *const *paths,
                        size_t count,
                        struct wtl_cite_facts *ret_facts,
                        struct wattle_error *err)
{
    struct wtl_cite_facts facts = {0};
    for (size_t i = 0; i < count; i++) /* its nodes have different machines and sensors */
        if (wtl_run_name_is_run(paths[i]))
            return wtl_fail(err, -EINVAL,
                            "%s is a run of many nodes; cite the trace of one node (\"wattle "
                            "reduce\" lists them)",
                            paths[i]);
    int rc = wtl_run_results_read(paths, count, &facts.results, err);
    if (rc < 0)
        return rc;
    facts.count = count;
    for (size_t i = 1; i < count && rc == 0; i++)
        rc = compare(&facts.results[0], &facts.results[i], err);
    if (rc == 0)
        rc = merge_all(paths, &facts, err);
    if (rc == 0 && count > 1 && (rc = wtl_repeat_of(facts.results, count, &facts.repeat)) < 0)
        (void)wtl_no_memory(err);
    if (rc < 0)
        wtl_cite_facts_fini(&facts);
    else
        *ret_facts = facts;
    return rc;
}

void wtl_cite_facts_fini(struct wtl_cite_facts *facts)
{
    for (size_t i = 0; i < facts->fact_count; i++) {
        free(facts->facts[i].key);
        free(facts->facts[i].value);
    }
    free(facts->facts);
    wtl_repeat_fini(&facts->repeat);
    wtl_run_results_free(facts->results, facts->count);
    *facts = (struct wtl_cite_facts){0};
}

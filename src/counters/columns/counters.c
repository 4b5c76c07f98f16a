/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver `counters`: the columns of the target's counter set. Each is a channel whose label is the column's name, in the
 * order of their ids; missing ones have none. All are read together when the first of them is; a long set is read in
 * several calls, which take the rest of that reading.
 */
#define _GNU_SOURCE
#include "counters/columns/counters.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "counters/columns/columns.h"
#include "model/meta_key.h"

/* Shares above this are rounding of the clocks. */
static const double SHARE_FULL = 0.999;

struct counters {
    struct wtl_count_columns columns;
    unsigned char column_of[WTL_COUNTER_COLUMNS]; /* of each channel */
    size_t next;                                  /* channel that continues the last reading */
};

static int add_channel(struct wtl_source *source, size_t i)
{
    struct counters *counters = source->impl;
    const struct wtl_counter_state *state = &counters->columns.list[i];
    const char *name = counters->columns.set->columns[i].name;
    struct wattle_channel channel =
        wtl_channel_init(state->plan.domain, 0, state->plan.quantity, state->plan.kind);
    channel.scale = state->plan.scale;
    for (size_t k = 0; name[k]; k++)
        channel.name[k] = (char)tolower((unsigned char)name[k]);
    (void)snprintf(channel.label, sizeof channel.label, "%s", name);
    (void)snprintf(channel.location, sizeof channel.location, "%s", state->where);
    int at = wtl_source_add(source, &channel);
    if (at >= 0)
        counters->column_of[at] = (unsigned char)i;
    return at < 0 ? at : 0;
}

static int counters_open(struct wtl_source *source, struct wattle_error *err)
{
    const struct wtl_counter_set *set = source->target.counters;
    if (!set)
        return wtl_fail(err, -ENODEV, "counters: no counter set was asked for");
    struct counters *counters = calloc(1, sizeof *counters);
    if (!counters)
        return -ENOMEM;
    source->impl = counters;
    int rc = wtl_count_columns_open(&counters->columns, source->world, &source->target, set);
    for (size_t i = 0; i < set->column_count && rc == 0; i++) {
        const struct wtl_counter_state *state = &counters->columns.list[i];
        if (state->status == 0)
            rc = add_channel(source, i);
        else
            wtl_source_note(source, "%s: %s", set->columns[i].name, state->why.text);
        if (state->remedy.now[0])
            wtl_source_remedy(source, state->remedy.lasting, "%s", state->remedy.now);
        source->forbidden =
            source->forbidden || state->status == -EACCES || state->status == -EPERM;
    }
    return rc;
}

static void counters_read(struct wtl_source *source,
                          size_t first,
                          size_t n,
                          struct wattle_reading *out)
{
    struct counters *counters = source->impl;
    if (first == 0 || first != counters->next)
        wtl_count_columns_read(&counters->columns);
    counters->next = first + n;
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct wattle_reading){0};
        out[i].status = wtl_count_columns_value(&counters->columns, counters->column_of[first + i],
                                                &out[i].raw);
    }
}

static void counters_close(struct wtl_source *source)
{
    struct counters *counters = source->impl;
    if (!counters)
        return;
    if (counters->columns.list)
        wtl_count_columns_close(&counters->columns);
    free(counters);
    source->impl = NULL;
}

const struct wtl_driver wtl_driver_counters = {
    .name = WTL_COUNTER_SENSOR,
    .summary = "the events of a counter set: \"wattle run --counters\"",
    .flags = WTL_DRIVER_ACTIVITY | WTL_DRIVER_COUNTERS,
    .open = counters_open,
    .read = counters_read,
    .close = counters_close,
};

/* ---- descriptions ---- */

static void emit_text(wtl_counters_emit_fn *emit, void *context, const char *key, char *text)
{
    if (text && text[0])
        emit(context, key, text);
    free(text);
}

/* "NAME: sentence; ...": why columns are missing, or what to know about the others. */
static char *list_of(const struct wtl_count_columns *columns, bool missing)
{
    char *text = NULL;
    size_t size, n = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < columns->set->column_count; i++) {
        const struct wtl_counter_state *state = &columns->list[i];
        const char *what = state->status < 0 ? state->why.text : state->note;
        if ((state->status < 0) != missing || !what)
            continue;
        (void)fprintf(out, "%s%s: ", n++ > 0 ? "; " : "", columns->set->columns[i].name);
        for (; *what; what++)
            (void)fputc(*what == ';' ? ',' : *what, out);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

void wtl_counters_describe(const struct wtl_source *source,
                           wtl_counters_emit_fn *emit,
                           void *context)
{
    const struct counters *counters = source->impl;
    const struct wtl_counter_set *set = counters->columns.set;
    emit(context, WTL_META_COUNTERS_SET, set->name);
    emit(context, WTL_META_COUNTERS_SCOPE, wtl_counted_name(counters->columns.scope));
    emit_text(emit, context, WTL_META_COUNTERS_COLUMNS, wtl_counter_set_columns_text(set));
    emit_text(emit, context, WTL_META_COUNTERS_METRICS, wtl_counter_set_metrics_text(set));
    emit_text(emit, context, WTL_META_COUNTERS_MISSING, list_of(&counters->columns, true));
    emit_text(emit, context, WTL_META_COUNTERS_NOTE, list_of(&counters->columns, false));
}

void wtl_counters_multiplexed(const struct wtl_source *source,
                              char *list,
                              size_t n,
                              char *sentence,
                              size_t sentence_n)
{
    const struct counters *counters = source->impl;
    const struct wtl_count_columns *columns = &counters->columns;
    double least = 1;
    size_t count = 0, worst = 0, used = 0;
    list[0] = sentence[0] = '\0';
    for (size_t i = 0; i < columns->set->column_count; i++) {
        double share = wtl_count_columns_share(columns, i);
        if (!(share < SHARE_FULL))
            continue;
        if (count == 0 || share < least) {
            least = share;
            worst = i;
        }
        if (used < n)
            used += (size_t)snprintf(list + used, n - used, "%s%s=%.4f", count > 0 ? ";" : "",
                                     columns->set->columns[i].name, share);
        count++;
    }
    if (count > 0)
        (void)snprintf(sentence, sentence_n,
                       "%zu event%s shared the hardware counters and %s scaled; %s was counted "
                       "%.0f%% of the time",
                       count, count == 1 ? "" : "s", count == 1 ? "was" : "were",
                       columns->set->columns[worst].name, 100 * least);
}

bool wtl_counters_complaint(const struct wtl_source *source, char *sentence, size_t n)
{
    const struct counters *counters = source->impl;
    const struct wtl_count_columns *columns = &counters->columns;
    const struct wtl_counter_state *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < columns->set->column_count; i++) {
        const struct wtl_counter_state *state = &columns->list[i];
        bool denied = state->status == -EACCES || state->status == -EPERM;
        count += state->status < 0;
        if (state->status < 0 && (!first || (denied && first->status != -EACCES)))
            first = state;
    }
    if (!first)
        return false;
    (void)snprintf(
        sentence, n,
        "counters: %zu of %zu columns of \"%s\" cannot be counted: %s; \"wattle counters "
        "%s\" lists them",
        count, columns->set->column_count, columns->set->name, first->why.text, columns->set->name);
    return true;
}

void wtl_counters_ending(struct wtl_source *source)
{
    struct counters *counters = source->impl;
    if (counters->columns.has_tree)
        wtl_tree_count_end(&counters->columns.tree);
}

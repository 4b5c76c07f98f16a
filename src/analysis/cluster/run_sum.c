/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over nodes: see run_sum.h. */
#include "analysis/cluster/run_sum.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/whole.h"

/* A node's value, to be used in a spread. */
struct wtl_run_value {
    double value;
    size_t order;
    const char *node;
};

void wtl_run_part_add(struct wtl_run_part *part, const struct wtl_result_channel *channel)
{
    const struct wtl_energy energy = wtl_result_energy(channel);
    bool in_total = channel->channel.flags & WATTLE_CHANNEL_IN_TOTAL, first = part->channels++ == 0;
    wtl_energy_add(&part->sum, &energy);
    part->energy = wtl_energy_sum_of(&part->sum, false);
    if (in_total)
        part->in_total_j = part->in_total_any ? part->in_total_j + energy.j : energy.j;
    else if (!part->in_total_any)
        part->in_total_j = NAN;
    part->in_total_any |= in_total;
    part->in_total = in_total && (first || part->in_total);
    part->mean_w += channel->summary.mean_w;
    part->unknown_s = fmax(part->unknown_s, 1e-9 * (double)channel->summary.unknown_ns);
}

struct wtl_run_part wtl_run_part_total(const struct wtl_result *result)
{
    return (struct wtl_run_part){.channels = result->total.count,
                                 .in_total = true,
                                 .in_total_any = true,
                                 .energy = result->energy,
                                 .in_total_j = result->energy.j,
                                 .mean_w = result->total_w,
                                 .unknown_s = 1e-9 * (double)result->total_unknown_ns};
}

struct wtl_run_addend wtl_run_part_addend(const struct wtl_run_part *part, double window_s)
{
    return (struct wtl_run_addend){.energy =
                                       part->channels > 0 ? part->energy : wtl_energy_unknown(),
                                   .unknown_s = part->unknown_s,
                                   .full_j = part->mean_w * window_s};
}

int wtl_run_sum_add(struct wtl_run_sum *sum, const struct wtl_run_addend *addend, const char *node)
{
    double energy_j = addend->energy.j;
    wtl_energy_add(&sum->sum, &addend->energy);
    sum->unknown_s = fmax(sum->unknown_s, addend->unknown_s);
    if (isnan(energy_j))
        return 0;
    sum->full_j += addend->unknown_s > 0 ? addend->full_j : energy_j;
    sum->time_s += addend->time_s;
    sum->partial += addend->unknown_s > 0;
    if (wtl_grow(&sum->values, sum->nodes, sizeof *sum->values) < 0)
        return -ENOMEM;
    sum->values[sum->nodes] = (struct wtl_run_value){energy_j, sum->nodes, node};
    sum->nodes++;
    return 0;
}

static int compare_values(const void *a, const void *b)
{
    const struct wtl_run_value *x = (const struct wtl_run_value *)a;
    const struct wtl_run_value *y = (const struct wtl_run_value *)b;
    if (x->value < y->value || x->value > y->value)
        return x->value < y->value ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Sorts the values. */
static struct wtl_run_spread spread_of(struct wtl_run_value *values, size_t count)
{
    struct wtl_run_spread spread = {.nodes = count};
    double sum = 0, squares = 0;
    if (count == 0)
        return spread;
    for (size_t i = 0; i < count; i++)
        sum += values[i].value;
    spread.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i].value - spread.mean) * (values[i].value - spread.mean);
    spread.sd = count > 1 ? sqrt(squares / (double)(count - 1)) : (double)NAN;
    wtl_sort(values, count, sizeof *values, compare_values);
    const struct wtl_run_value *middle = &values[(count - 1) / 2];
    spread.min = values[0].value;
    spread.min_node = values[0].node;
    spread.median = middle->value;
    spread.median_node = middle->node;
    spread.max = values[count - 1].value;
    spread.max_node = values[count - 1].node;
    return spread;
}

void wtl_run_sum_close(struct wtl_run_sum *sum, bool whole, double time_s)
{
    double over_s = time_s > 0 ? time_s : sum->nodes ? sum->time_s / (double)sum->nodes : 0;
    sum->per = spread_of(sum->values, sum->nodes);
    free(sum->values);
    sum->values = NULL;
    sum->energy = wtl_energy_sum_of(&sum->sum, whole);
    sum->mean_w = over_s > 0 ? sum->full_j / over_s : (double)NAN;
    sum->unknown = sum->sum.unknown;
    if (isnan(sum->energy.j))
        sum->full_j = sum->mean_w = NAN;
}

/* ---- flags ---- */

static int add_flag(struct wtl_run_flags *flags,
                    const struct wtl_result_flag *flag,
                    const char *node)
{
    for (size_t i = 0; i < flags->count; i++) {
        if (strcmp(flags->items[i].flag.name, flag->name) == 0) {
            flags->items[i].nodes++;
            return 0;
        }
    }
    if (wtl_grow(&flags->items, flags->count, sizeof *flags->items) < 0)
        return -ENOMEM;
    flags->items[flags->count++] = (struct wtl_run_flag){.flag = *flag, .nodes = 1, .first = node};
    return 0;
}

int wtl_run_flags_add(struct wtl_run_flags *flags,
                      const struct wtl_result_flag *own,
                      size_t count,
                      const char *node)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = add_flag(flags, &own[i], node);
    return rc;
}

int wtl_run_flags_say(struct wtl_run_flags *flags,
                      size_t nodes,
                      const char *name,
                      const char *format,
                      ...)
{
    va_list args;
    if (wtl_grow(&flags->items, flags->count, sizeof *flags->items) < 0)
        return -ENOMEM;
    struct wtl_run_flag *item = &flags->items[flags->count++];
    *item = (struct wtl_run_flag){.nodes = nodes};
    va_start(args, format);
    (void)snprintf(item->flag.name, sizeof item->flag.name, "%s", name);
    (void)vsnprintf(item->flag.text, sizeof item->flag.text, format, args);
    va_end(args);
    return 0;
}

void wtl_run_flags_fini(struct wtl_run_flags *flags)
{
    free(flags->items);
    *flags = (struct wtl_run_flags){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data of "wattle sensors": the offers of all drivers, and the probe results of each channel. The text
 * has one paragraph per driver, with the remedy if it is unavailable, and one table of all channels; per-core
 * activity is summarised in one row.
 */
#define _GNU_SOURCE
#include "cli/sensors/sensor_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/errand.h"
#include "base/fail.h"
#include "model/quality.h"
#include "model/reading.h"
#include "report/digits.h"
#include "report/result/text_result.h"
#include "report/table.h"

enum { READS = 64, LABEL = 16, CELL = 64, COLUMNS = 6 };

/* Time limit for measuring update intervals: per channel, and in total. */
static const uint64_t CHANNEL_BUDGET_NS = 250000000, BUDGET_NS = 4000000000;

/* Data of the probe thread; left to the thread if the sensor does not answer. */
struct probing {
    struct wtl_pick pick;
    unsigned reads;
    uint64_t budget_ns;
    struct wtl_probe probe;
    int error;
};

static void probe(void *context)
{
    struct probing *one = context;
    one->error =
        wtl_probe_channel(one->pick.source, one->pick.at, one->reads, one->budget_ns, &one->probe);
}

static const struct wtl_errand_work probe_work = {probe, free};

/* Probe one channel, unless its sensor has not answered before. Returns 0 or -ENOMEM. */
static int probe_channel(struct wtl_sensor_list *list,
                         size_t i,
                         uint64_t budget_ns,
                         struct wtl_errand **errand,
                         unsigned *patience)
{
    struct wtl_selection *selection = list->selection;
    bool energy = wtl_channel_is_energy(&selection->channels[i]);
    for (size_t k = 0; k < i; k++) {
        if (selection->picks[k].source == selection->picks[i].source &&
            list->probe_errors[k] == -ETIMEDOUT) {
            list->probe_errors[i] = -ETIMEDOUT;
            return 0;
        }
    }
    struct probing *one = calloc(1, sizeof *one);
    if (!one)
        return -ENOMEM;
    one->pick = selection->picks[i];
    one->reads = energy ? READS : 4;
    one->budget_ns = energy ? budget_ns : 0;
    if (!wtl_errand_do(errand, &probe_work, one, patience)) {
        list->probe_errors[i] = -ETIMEDOUT;
        selection->held = one;
        return 0;
    }
    list->probes[i] = one->probe;
    list->probe_errors[i] = one->error;
    free(one);
    return 0;
}

int wtl_sensor_list_probe(struct wtl_sensor_list *list)
{
    const struct wtl_selection *selection = list->selection;
    struct wtl_errand *errand = NULL;
    unsigned patience = WTL_PATIENCE;
    size_t energies = 0;
    int rc = 0;
    list->probes = calloc(selection->count + 1, sizeof *list->probes);
    list->probe_errors = calloc(selection->count + 1, sizeof *list->probe_errors);
    if (!list->probes || !list->probe_errors)
        return -ENOMEM;
    for (size_t i = 0; i < selection->count; i++)
        energies += wtl_channel_is_energy(&selection->channels[i]) != 0;
    uint64_t budget_ns = BUDGET_NS / (energies ? energies : 1);
    if (budget_ns > CHANNEL_BUDGET_NS)
        budget_ns = CHANNEL_BUDGET_NS;
    for (size_t i = 0; i < selection->count && rc == 0; i++)
        rc = probe_channel(list, i, budget_ns, &errand, &patience);
    wtl_errand_end(errand);
    return rc;
}

void wtl_sensor_list_fini(struct wtl_sensor_list *list)
{
    free(list->probes);
    free(list->probe_errors);
    list->probes = NULL;
    list->probe_errors = NULL;
}

const char *wtl_offer_state(const struct wtl_offer *offer)
{
    switch (offer->status) {
    case 0:
        return "available";
    case -ENODEV:
    case -ENOENT:
        return "absent";
    case -EACCES:
    case -EPERM:
        return "forbidden";
    case -ECANCELED:
        return offer->driver->flags & (WTL_DRIVER_FALLBACK | WTL_DRIVER_RELAY) ? "not needed"
                                                                               : "not asked for";
    default:
        return "failed";
    }
}

/* ---- text ---- */

/* What a driver provides, or why not; the first of its notes. */
static void offer_text(const struct wtl_offer *offer, char *text, size_t size)
{
    const char *state = wtl_offer_state(offer), *why = offer->why.text;
    const char *about = offer->source.about[0] ? offer->source.about : offer->driver->summary;
    size_t name = strlen(offer->driver->name);
    /* The driver name is already printed before the paragraph. */
    if (strncmp(why, offer->driver->name, name) == 0 && why[name] == ':')
        why += name + 1 + strspn(why + name + 1, " ");
    if (offer->status == 0)
        (void)snprintf(text, size, "%s. %zu channel%s%s%s", about, offer->source.count,
                       offer->source.count == 1 ? "" : "s", why[0] ? "; but " : "", why);
    else if (offer->status == -ECANCELED && why[0])
        (void)snprintf(text, size, "%s", why);
    else
        (void)snprintf(text, size, "%s: %s", state, why[0] ? why : offer->driver->summary);
}

static void print_offer(FILE *out, const struct wtl_style *style, const struct wtl_offer *offer)
{
    char text[1024];
    enum wtl_emphasis emphasis = offer->status == -EACCES ? WTL_CAUTION : WTL_FAINT;
    if (offer->status == 0 || offer->status == -ECANCELED)
        emphasis = WTL_PLAIN;
    offer_text(offer, text, sizeof text);
    wtl_print_paragraph(out, style, emphasis, LABEL, offer->driver->name, text);
    for (size_t i = 1; offer->status == 0 && i < offer->source.note_count; i++)
        wtl_print_paragraph(out, style, emphasis, LABEL, "", offer->source.notes[i].text);
}

static const char *cost_cell(const struct wtl_sensor_list *list, size_t i, char *cell)
{
    if (!list->probes || (list->probe_errors[i] == 0 && list->probes[i].cost_ns == 0))
        return "-";
    if (list->probe_errors[i] < 0) {
        (void)snprintf(cell, CELL, "%s", wtl_strerror(list->probe_errors[i]));
        return cell;
    }
    return wtl_digits_time(cell, CELL, (double)list->probes[i].cost_ns * 1e-9);
}

/* "claimed / measured"; "-" = unknown. */
static const char *refresh_cell(const struct wtl_sensor_list *list, size_t i, char *cell)
{
    char claimed[CELL] = "-", measured[CELL] = "-";
    uint64_t claim_ns = list->selection->channels[i].refresh_ns;
    uint64_t real_ns = list->probes ? list->probes[i].refresh_ns : 0;
    if (claim_ns)
        (void)wtl_digits_time(claimed, sizeof claimed, (double)claim_ns * 1e-9);
    /* A value that differs with every read has no update interval. */
    if (real_ns && real_ns < 2 * list->probes[i].cost_ns)
        (void)snprintf(measured, sizeof measured, "every read");
    else if (real_ns)
        (void)wtl_digits_time(measured, sizeof measured, (double)real_ns * 1e-9);
    (void)snprintf(cell, CELL, "%.28s / %.28s", claimed, measured);
    return cell;
}

static const char *use_cell(const struct wtl_sensor_list *list, size_t i)
{
    const struct wattle_channel *channel = &list->selection->channels[i];
    if (channel->flags & WATTLE_CHANNEL_IN_TOTAL)
        return "total";
    if (i >= list->selection->recorded_count)
        return "on request";
    return channel->flags & WATTLE_CHANNEL_PRIMARY ? "recorded" : "second";
}

static void add_channels(const struct wtl_sensor_list *list, struct wtl_table *table)
{
    for (size_t i = 0; i < list->selection->count; i++) {
        const struct wattle_channel *channel = &list->selection->channels[i];
        char cost[CELL], refresh[CELL];
        if (!wtl_channel_is_energy(channel))
            continue;
        const char *cells[COLUMNS] = {channel->name,
                                      wattle_quantity_name(channel->quantity),
                                      wtl_channel_quality_word(channel),
                                      use_cell(list, i),
                                      cost_cell(list, i, cost),
                                      refresh_cell(list, i, refresh)};
        bool used = channel->flags & WATTLE_CHANNEL_IN_TOTAL;
        wtl_table_row(table, used ? WTL_STRONG : WTL_PLAIN, cells);
    }
}

static void print_total(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_selection *selection)
{
    const struct wtl_total *total = &selection->total;
    bool simulated = wtl_channels_are_simulated(selection->channels, selection->count);
    char text[512];
    if (total->count == 0) {
        wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "total",
                            "none: no channel can be summed");
        return;
    }
    (void)snprintf(text, sizeof text, "%s (%s)%s%s", total->contains,
                   wtl_quality_word(total->quality, simulated), total->excludes[0] ? "; not " : "",
                   total->excludes);
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "total", text);
}

int wtl_sensor_list_text(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_sensor_list *list)
{
    static const struct wtl_column columns[COLUMNS] = {
        {"channel", false}, {"quantity", false}, {"quality", false},
        {"use", false},     {"one read", true},  {"refresh / measured", true}};
    const struct wtl_selection *selection = list->selection;
    bool any = false;
    wtl_print_sentence(out, "\n Sensors of %s:\n\n", list->host[0] ? list->host : "this machine");
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < selection->offer_count; i++) {
            const struct wtl_offer *offer = &selection->offers[i];
            if (!(offer->driver->flags & WTL_DRIVER_ACTIVITY) == (pass == 0))
                print_offer(out, style, offer);
        }
        if (pass == 0)
            (void)fputs("\n Activity, also recorded:\n\n", out);
    }
    for (size_t i = 0; i < selection->count; i++)
        any |= wtl_channel_is_energy(&selection->channels[i]);
    (void)fputc('\n', out);
    if (any) {
        struct wtl_table *table = wtl_table_create(columns, COLUMNS);
        wtl_table_spare(table, 1, 3);
        wtl_table_spare(table, 4, 2);
        wtl_table_spare(table, 5, 1);
        add_channels(list, table);
        int rc = wtl_table_print(table, out, 1, style);
        wtl_table_destroy(table);
        if (rc < 0)
            return rc;
        (void)fputc('\n', out);
    }
    print_total(out, style, selection);
    (void)fputc('\n', out);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data of "wattle sensors": the offers of all drivers, and the probe results of each channel. The text
 * has one paragraph per driver, with the remedy if it is unavailable, and one table of all channels; per-core
 * activity is summarised in one row.
 */
#define _GNU_SOURCE
#include "cli/sensors/sensor_list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/errand.h"
#include "base/fail.h"
#include "cli/documents.h"
#include "model/quality.h"
#include "model/reading.h"
#include "record/energy_leaks.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/result/run_nouns.h"
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

/* ---- JSON "wattle.sensors/1" and CSV ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* ---- a channel ---- */

struct channel {
    const char *name, *domain, *label, *quantity, *unit, *kind, *within, *location, *read_error,
        *leaks;
    struct wtl_value_quality quality;
    bool primary, recorded, in_total;
    double scale, max_w, claimed_ns, measured_ns, cost_ns, cost_p90_ns;
};

static double known_ns(uint64_t ns)
{
    return ns ? (double)ns : (double)NAN;
}

static const char *text_or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static struct channel channel_of(const struct wtl_sensor_list *list, size_t i)
{
    const struct wattle_channel *c = &list->selection->channels[i];
    const struct wtl_probe none = {0}, *probe = list->probes ? &list->probes[i] : &none;
    int error = list->probe_errors ? list->probe_errors[i] : 0;
    return (struct channel){
        .name = c->name,
        .domain = wattle_domain_name(c->domain),
        .label = text_or_null(c->label),
        .quantity = wattle_quantity_name(c->quantity),
        .unit = wattle_quantity_unit(c->quantity),
        .kind = wattle_kind_name(c->kind),
        .within = text_or_null(c->within),
        .location = text_or_null(c->location),
        .leaks = wtl_channel_is_energy(c) ? wtl_energy_leaks(c->domain) : NULL,
        .read_error = error < 0 ? wtl_strerror(error) : NULL,
        .quality = {true, wtl_channel_is_simulated(c), c->quality},
        .primary = c->flags & WATTLE_CHANNEL_PRIMARY,
        .recorded =
            i<list->selection->recorded_count, .in_total = c->flags & WATTLE_CHANNEL_IN_TOTAL,
              .scale = c->scale, .max_w = c->max_w> 0
                ? c->max_w
                : (double)NAN,
        .claimed_ns = known_ns(c->refresh_ns),
        .measured_ns = known_ns(probe->refresh_ns),
        .cost_ns = known_ns(probe->cost_ns),
        .cost_p90_ns = known_ns(probe->cost_p90_ns)};
}

static const unsigned char quality_columns[] = {6, 7, 14}; /* in CSV */

static const struct wtl_member of_channel[] = {
    {"name", WTL_TEXT_AT(struct channel, name), .csv = 3, .csv_key = "channel",
     .meaning = "`sensor:domain-index[-sub]`"},
    {"domain", WTL_TEXT_AT(struct channel, domain), .csv = 4, .meaning = "as in wattle.run/1"},
    {"label", WTL_TEXT_OR_NULL(struct channel, label), .meaning = "label given by the machine"},
    {"quantity", WTL_TEXT_AT(struct channel, quantity), .csv = 5,
     .meaning = "energy, power, or the quantity of an activity"},
    {"unit", WTL_TEXT_AT(struct channel, unit), .meaning = "unit of the quantity"},
    {"kind", WTL_TEXT_AT(struct channel, kind), .meaning = "counter, gauge or window average"},
    {"", WTL_PART_AT(struct channel, quality, wtl_noun_quality), .csv_all = quality_columns},
    {"primary", WTL_BOOLEAN_AT(struct channel, primary), .csv = 8,
     .meaning = "it represents its domain and index"},
    {"recorded", WTL_BOOLEAN_AT(struct channel, recorded),
     .meaning = "`wattle run` would record it"},
    {"in_total", WTL_BOOLEAN_AT(struct channel, in_total), .csv = 9,
     .meaning = "part of the total"},
    {"within", WTL_TEXT_OR_NULL(struct channel, within), .meaning = "channel that contains it"},
    {"location", WTL_TEXT_OR_NULL(struct channel, location), .meaning = "path, event or register"},
    {"scale", WTL_NUMBER_OR_NULL(struct channel, scale), .meaning = "value of one raw tick"},
    {"max_w", WTL_NUMBER_OR_NULL(struct channel, max_w), .meaning = "upper bound of the power"},
    {"refresh_claimed_ns", WTL_NUMBER_OR_NULL(struct channel, claimed_ns), .csv = 11, .digits = 12,
     .meaning = "update interval, as documented"},
    {"refresh_measured_ns", WTL_NUMBER_OR_NULL(struct channel, measured_ns), .csv = 12,
     .digits = 12, .meaning = "update interval, as measured now"},
    {"cost_ns", WTL_NUMBER_OR_NULL(struct channel, cost_ns), .csv = 10, .digits = 12,
     .meaning = "median time of one reading"},
    {"cost_p90_ns", WTL_NUMBER_OR_NULL(struct channel, cost_p90_ns),
     .meaning = "90th percentile of the time of one reading"},
    {"read_error", WTL_TEXT_OR_NULL(struct channel, read_error),
     .meaning = "why it could not be read"},
    {"leaks", WTL_TEXT_OR_NULL(struct channel, leaks),
     .meaning = "what its readings can reveal about others on the node"},
    {.key = NULL}};
static const struct wtl_noun channel_noun = {"sensor channel", of_channel};

/* ---- a driver ---- */

struct driver {
    const struct wtl_sensor_list *list;
    const struct wtl_offer *offer;
    const char *name, *summary, *about, *state, *why, *remedy;
    bool activity;
};

static struct driver driver_of(const struct wtl_sensor_list *list, size_t k)
{
    const struct wtl_offer *offer = &list->selection->offers[k];
    return (struct driver){.list = list,
                           .offer = offer,
                           .name = offer->driver->name,
                           .summary = offer->driver->summary,
                           .about = text_or_null(offer->source.about),
                           .state = wtl_offer_state(offer),
                           .why = text_or_null(offer->why.text),
                           .remedy = text_or_null(offer->source.remedy.now),
                           .activity = offer->driver->flags & WTL_DRIVER_ACTIVITY};
}

/* Everything that an open driver cannot use; "why" has the first. */
static bool next_note(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_source *source = &((const struct driver *)of)->offer->source;
    if (*cursor >= source->note_count)
        return false;
    ret->text = source->notes[(*cursor)++].text;
    return true;
}

static bool next_channel(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct driver *driver = of;
    const struct wtl_selection *selection = driver->list->selection;
    while (*cursor < selection->count && selection->picks[*cursor].source != &driver->offer->source)
        ++*cursor;
    if (*cursor >= selection->count)
        return false;
    const struct channel channel = channel_of(driver->list, (*cursor)++);
    wtl_value_copy(ret, &channel, sizeof channel);
    return true;
}
_Static_assert(sizeof(struct channel) <= sizeof((struct wtl_value *)0)->room,
               "a value has room for a channel");

static const struct wtl_member of_driver[] = {
    {"name", WTL_TEXT_AT(struct driver, name), .csv = 1, .csv_key = "driver",
     .meaning = "name for `wattle run --sensor`"},
    {"summary", WTL_TEXT_OR_NULL(struct driver, summary), .meaning = "what the driver reads"},
    {"about", WTL_TEXT_OR_NULL(struct driver, about),
     .meaning = "what it is on this machine: of `page`, the wattled that it reads and its policy"},
    {"activity", WTL_BOOLEAN_AT(struct driver, activity),
     .meaning = "measures activity, not energy"},
    {"state", WTL_TEXT_AT(struct driver, state), .csv = 2,
     .meaning = "available, absent, forbidden, not needed, not asked for or failed"},
    {"why", WTL_TEXT_OR_NULL(struct driver, why), .csv = 13,
     .meaning = "what is missing and how to fix it; if available: the first of `notes`"},
    {"notes", WTL_MEMBER_LIST, .next = next_note,
     .meaning = "parts of an available driver that cannot be used, with remedies"},
    {"remedy", WTL_TEXT_OR_NULL(struct driver, remedy),
     .meaning = "shell command to run as root as a remedy; see also `wattle doctor`"},
    {"channels", WTL_MEMBER_LIST, .next = next_channel, .of = &channel_noun, .meaning = "below"},
    {.key = NULL}};
static const struct wtl_noun driver_noun = {"driver", of_driver};

/* ---- the total ---- */

struct total {
    struct wtl_value_quality quality;
    const char *contains, *excludes;
};

void wtl_selection_total(struct wtl_value *ret, const struct wtl_selection *selection)
{
    const struct wtl_total *sum = &selection->total;
    bool some = sum->count > 0;
    const struct total total = {
        .quality = {some, some && wtl_channels_are_simulated(selection->channels, selection->count),
                    sum->quality},
        .contains = some ? sum->contains : NULL,
        .excludes = some ? sum->excludes : NULL};
    memcpy(&ret->room, &total, sizeof total);
    ret->noun = &ret->room;
    ret->known = true;
}

static const struct wtl_member of_total[] = {
    {"", WTL_PART_AT(struct total, quality, wtl_noun_quality)},
    {"contains", WTL_TEXT_OR_NULL(struct total, contains),
     .meaning = "description, such as \"package + dram of 2 sockets\""},
    {"excludes", WTL_TEXT_OR_NULL(struct total, excludes),
     .meaning = "parts of the machine that are not in the total"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_selection_total = {"sensors total", of_total};

/* ---- the document ---- */

static bool next_driver(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_sensor_list *list = of;
    if (*cursor >= list->selection->offer_count)
        return false;
    const struct driver driver = driver_of(list, (*cursor)++);
    wtl_value_copy(ret, &driver, sizeof driver);
    return true;
}

WTL_MEMBER_GET(get_total)
{
    wtl_selection_total(ret, ((const struct wtl_sensor_list *)of)->selection);
}

static const struct wtl_member of_sensors[] = {
    {"host", WTL_NAME_AT(struct wtl_sensor_list, host), .nullable = true, .meaning = "host name"},
    {"drivers", WTL_MEMBER_LIST, .next = next_driver, .of = &driver_noun, .meaning = "below"},
    {"total", WTL_MEMBER_OBJECT, .get = get_total, .of = &wtl_noun_selection_total,
     .meaning = "total that `wattle run` would measure"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_sensors = {"sensors", of_sensors};

int wtl_sensor_list_json(FILE *out, const struct wtl_sensor_list *list)
{
    return wtl_json_print(out, wtl_noun_document("wattle.sensors/1", &wtl_noun_sensors, list));
}

/* ---- CSV: a row for each channel, or for a driver that has none ---- */

struct row {
    const struct driver *driver;
    const struct channel *channel;
};

static const struct wtl_member of_row[] = {{"", WTL_PART_OF(struct row, driver, driver_noun)},
                                           {"", WTL_PART_OF(struct row, channel, channel_noun)},
                                           {.key = NULL}};
const struct wtl_noun wtl_noun_sensors_row = {"sensors row", of_row};
/* NOLINTEND(bugprone-macro-parentheses) */

int wtl_sensor_list_csv(FILE *out, const struct wtl_sensor_list *list)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "sensors", &wtl_noun_sensors_row);
    for (size_t k = 0; k < list->selection->offer_count; k++) {
        const struct driver driver = driver_of(list, k);
        struct wtl_value item;
        size_t cursor = 0, rows = 0;
        for (; next_channel(&driver, &cursor, &item); rows++)
            wtl_noun_csv_row(&sheet, columns, &wtl_noun_sensors_row,
                             &(struct row){&driver, item.noun});
        if (rows == 0)
            wtl_noun_csv_row(&sheet, columns, &wtl_noun_sensors_row, &(struct row){&driver, NULL});
    }
    return 0;
}

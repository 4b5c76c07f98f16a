/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of sensors for programs: JSON "wattle.sensors/1" (docs/format/json.md) and CSV. */
#include "cli/sensors/sensor_list.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "cli/documents.h"
#include "model/quality.h"
#include "model/reading.h"
#include "record/energy_leaks.h"
#include "report/json_value.h"
#include "report/result/run_nouns.h"

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

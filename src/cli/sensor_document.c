/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of sensors for programs: JSON "wattle.sensors/1" (docs/format/json.md) and CSV. */
#include "cli/sensor_list.h"

#include <errno.h>
#include <math.h>

#include <jansson.h>

#include "base/fail.h"
#include "exchange/sheet.h"
#include "model/quality.h"
#include "model/reading.h"
#include "report/json_value.h"

static double known_ns(uint64_t ns)
{
    return ns ? (double)ns : (double)NAN;
}

static json_t *channel_of(const struct wtl_sensor_list *list, size_t i)
{
    const struct wattle_channel *c = &list->selection->channels[i];
    const struct wtl_probe *probe = list->probes ? &list->probes[i] : NULL;
    int error = list->probe_errors ? list->probe_errors[i] : 0;
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "name", wtl_json_text(c->name));
    wtl_json_set(&o, "domain", json_string(wattle_domain_name(c->domain)));
    wtl_json_set(&o, "label", wtl_json_text(c->label[0] ? c->label : NULL));
    wtl_json_set(&o, "quantity", json_string(wattle_quantity_name(c->quantity)));
    wtl_json_set(&o, "unit", json_string(wattle_quantity_unit(c->quantity)));
    wtl_json_set(&o, "kind", json_string(wattle_kind_name(c->kind)));
    wtl_json_set_quality(&o, true, c->quality, wtl_channel_is_simulated(c));
    wtl_json_set(&o, "primary", json_boolean(c->flags & WATTLE_CHANNEL_PRIMARY));
    wtl_json_set(&o, "recorded", json_boolean(i < list->selection->recorded_count));
    wtl_json_set(&o, "in_total", json_boolean(c->flags & WATTLE_CHANNEL_IN_TOTAL));
    wtl_json_set(&o, "within", wtl_json_text(c->within[0] ? c->within : NULL));
    wtl_json_set(&o, "location", wtl_json_text(c->location[0] ? c->location : NULL));
    wtl_json_set(&o, "scale", wtl_json_number(c->scale));
    wtl_json_set(&o, "max_w", wtl_json_number(c->max_w > 0 ? c->max_w : (double)NAN));
    wtl_json_set(&o, "refresh_claimed_ns", wtl_json_number(known_ns(c->refresh_ns)));
    wtl_json_set(&o, "refresh_measured_ns",
                 wtl_json_number(probe ? known_ns(probe->refresh_ns) : (double)NAN));
    wtl_json_set(&o, "cost_ns", wtl_json_number(probe ? known_ns(probe->cost_ns) : (double)NAN));
    wtl_json_set(&o, "cost_p90_ns",
                 wtl_json_number(probe ? known_ns(probe->cost_p90_ns) : (double)NAN));
    wtl_json_set(&o, "read_error", wtl_json_text(error < 0 ? wtl_strerror(error) : NULL));
    return wtl_json_done(&o);
}

/* Everything that an open driver could not use; "why" has the first of it. */
static json_t *notes_of(const struct wtl_offer *offer)
{
    struct wtl_json notes = wtl_json_array();
    for (size_t i = 0; i < offer->source.note_count; i++)
        wtl_json_add(&notes, wtl_json_text(offer->source.notes[i].text));
    return wtl_json_done(&notes);
}

static json_t *offer_of(const struct wtl_sensor_list *list, const struct wtl_offer *offer)
{
    struct wtl_json o = wtl_json_object(), channels = wtl_json_array();
    for (size_t i = 0; i < list->selection->count; i++) {
        if (list->selection->picks[i].source == &offer->source)
            wtl_json_add(&channels, channel_of(list, i));
    }
    bool activity = offer->driver->flags & WTL_DRIVER_ACTIVITY;
    wtl_json_set(&o, "name", json_string(offer->driver->name));
    wtl_json_set(&o, "summary", wtl_json_text(offer->driver->summary));
    wtl_json_set(&o, "activity", json_boolean(activity));
    wtl_json_set(&o, "state", json_string(wtl_offer_state(offer)));
    wtl_json_set(&o, "why", wtl_json_text(offer->why.text[0] ? offer->why.text : NULL));
    wtl_json_set(&o, "notes", notes_of(offer));
    const char *remedy = offer->source.remedy.now;
    wtl_json_set(&o, "remedy", wtl_json_text(remedy[0] ? remedy : NULL));
    wtl_json_set(&o, "channels", wtl_json_done(&channels));
    return wtl_json_done(&o);
}

int wtl_sensor_list_json(FILE *out, const struct wtl_sensor_list *list)
{
    const struct wtl_total *total = &list->selection->total;
    struct wtl_json o = wtl_json_document("wattle.sensors/1");
    struct wtl_json drivers = wtl_json_array(), sum = wtl_json_object();
    for (size_t i = 0; i < list->selection->offer_count; i++)
        wtl_json_add(&drivers, offer_of(list, &list->selection->offers[i]));
    bool some = total->count > 0;
    wtl_json_set_quality(
        &sum, some, total->quality,
        some && wtl_channels_are_simulated(list->selection->channels, list->selection->count));
    wtl_json_set(&sum, "contains", wtl_json_text(some ? total->contains : NULL));
    wtl_json_set(&sum, "excludes", wtl_json_text(some ? total->excludes : NULL));
    wtl_json_set(&o, "host", wtl_json_text(list->host[0] ? list->host : NULL));
    wtl_json_set(&o, "drivers", wtl_json_done(&drivers));
    wtl_json_set(&o, "total", wtl_json_done(&sum));
    return wtl_json_print(out, wtl_json_done(&o));
}

int wtl_sensor_list_csv(FILE *out, const struct wtl_sensor_list *list)
{
    static const char *const columns[] = {
        "driver",    "state",    "channel",  "domain",  "quantity",           "quality",
        "simulated", "primary",  "in_total", "cost_ns", "refresh_claimed_ns", "refresh_measured_ns",
        "why",       "simulates"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct wtl_sheet sheet;
    wtl_sheet_begin(&sheet, out, WTL_SHEET_CSV, false, "sensors");
    wtl_sheet_columns(&sheet, columns, COLUMNS);
    for (size_t k = 0; k < list->selection->offer_count; k++) {
        const struct wtl_offer *offer = &list->selection->offers[k];
        const char *why = offer->why.text[0] ? offer->why.text : NULL;
        bool any = false;
        for (size_t i = 0; i < list->selection->count; i++) {
            const struct wattle_channel *c = &list->selection->channels[i];
            if (list->selection->picks[i].source != &offer->source)
                continue;
            any = true;
            const struct wtl_cell cells[COLUMNS] = {
                wtl_cell_text(offer->driver->name),
                wtl_cell_text(wtl_offer_state(offer)),
                wtl_cell_text(c->name),
                wtl_cell_text(wattle_domain_name(c->domain)),
                wtl_cell_text(wattle_quantity_name(c->quantity)),
                wtl_cell_text(wtl_channel_quality_word(c)),
                wtl_cell_count(wtl_channel_is_simulated(c)),
                wtl_cell_count(!!(c->flags & WATTLE_CHANNEL_PRIMARY)),
                wtl_cell_count(!!(c->flags & WATTLE_CHANNEL_IN_TOTAL)),
                wtl_cell_number(list->probes ? known_ns(list->probes[i].cost_ns) : (double)NAN, 12),
                wtl_cell_number(known_ns(c->refresh_ns), 12),
                wtl_cell_number(list->probes ? known_ns(list->probes[i].refresh_ns) : (double)NAN,
                                12),
                wtl_cell_text(why),
                wtl_cell_text(wtl_quality_simulates(c->quality, wtl_channel_is_simulated(c)))};
            wtl_sheet_row(&sheet, cells, COLUMNS);
        }
        if (any)
            continue;
        struct wtl_cell cells[COLUMNS] = {wtl_cell_text(offer->driver->name),
                                          wtl_cell_text(wtl_offer_state(offer))};
        cells[COLUMNS - 2] = wtl_cell_text(why);
        wtl_sheet_row(&sheet, cells, COLUMNS);
    }
    return 0;
}

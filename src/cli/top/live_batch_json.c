/* SPDX-License-Identifier: BSD-3-Clause */
/* A look as one line of JSON, schema wattle.top/1: docs/format/json.md. */
#include "cli/top/live_batch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "model/gap.h"
#include "model/quality.h"
#include "report/json_value.h"

static json_t *power_of(const struct wtl_history *history)
{
    static const char *const states[] = {
        [WTL_HISTORY_KNOWN] = "known",     [WTL_HISTORY_WAITS] = "waiting",
        [WTL_HISTORY_STANDS] = "standing", [WTL_HISTORY_SILENT] = "silent",
        [WTL_HISTORY_GAP] = "gap",         [WTL_HISTORY_AVERAGE] = "average",
        [WTL_HISTORY_NONE] = "none"};
    struct wtl_json power = wtl_json_object();
    wtl_json_set(&power, "w", wtl_json_number(history->power_w));
    wtl_json_set(
        &power, "window_s",
        wtl_json_number(history->window_ns ? (double)history->window_ns * 1e-9 : (double)NAN));
    wtl_json_set(&power, "state", wtl_json_text(states[history->state]));
    wtl_json_set(&power, "greatest_w",
                 wtl_json_number(history->peak_w > 0 ? history->peak_w : (double)NAN));
    return wtl_json_done(&power);
}

static void add_energy(struct wtl_json *object, const struct wtl_live_view *view, size_t i)
{
    const struct wtl_energy energy = wtl_live_view_energy(view, i);
    wtl_json_set(object, "energy_j", wtl_json_number(energy.j));
    wtl_json_set(object, "resolution_interval_j", wtl_json_number(energy.half_j));
    if (i == WTL_LIVE_TOTAL)
        wtl_json_set_quality(object, true, view->result.total.quality,
                             wtl_result_is_simulated(&view->result));
    else
        wtl_json_set_quality(object, true, view->result.channels[i].channel.quality,
                             wtl_channel_is_simulated(&view->result.channels[i].channel));
}

static json_t *total_of(const struct wtl_live_view *view)
{
    const struct wtl_total *words = &view->result.total;
    struct wtl_json total = wtl_json_object();
    if (words->count == 0) {
        wtl_json_set(&total, "power", json_null());
        return wtl_json_done(&total);
    }
    wtl_json_set(&total, "power", power_of(&view->total));
    add_energy(&total, view, WTL_LIVE_TOTAL);
    wtl_json_set(&total, "low_j", wtl_json_number(view->result.energy.low_j));
    wtl_json_set(&total, "high_j", wtl_json_number(view->result.energy.high_j));
    wtl_json_set(&total, "contains", wtl_json_text(words->contains));
    wtl_json_set(&total, "excludes", wtl_json_text(words->excludes));
    return wtl_json_done(&total);
}

static json_t *channel_of(const struct wtl_live_view *view, size_t i)
{
    const struct wtl_result_channel *c = &view->result.channels[i];
    struct wtl_json channel = wtl_json_object(), reasons = wtl_json_array();
    bool is_limit;
    double full = wtl_live_view_scale(view, i, &is_limit);
    wtl_json_set(&channel, "name", wtl_json_text(c->channel.name));
    wtl_json_set(&channel, "domain", wtl_json_text(wattle_domain_name(c->channel.domain)));
    wtl_json_set(&channel, "in_total", json_boolean(c->channel.flags & WATTLE_CHANNEL_IN_TOTAL));
    wtl_json_set(&channel, "power", power_of(&view->channels[i].history));
    wtl_json_set(&channel, "limit_w", wtl_json_number(is_limit ? full : (double)NAN));
    add_energy(&channel, view, i);
    wtl_json_set(&channel, "gaps", wtl_json_count(c->summary.gaps));
    wtl_json_set(&channel, "gap_s", wtl_json_number((double)c->summary.gap_ns * 1e-9));
    wtl_json_set(&channel, "unknown_s", wtl_json_number((double)c->summary.unknown_ns * 1e-9));
    for (unsigned r = 0; r < WTL_GAP_REASON_COUNT; r++) {
        if (c->summary.gap_reasons & 1u << r)
            wtl_json_add(&reasons, wtl_json_text(wtl_gap_reason_name((enum wtl_gap_reason)r)));
    }
    wtl_json_set(&channel, "gap_reasons", wtl_json_done(&reasons));
    return wtl_json_done(&channel);
}

static json_t *spread_of(const struct wtl_live_spread *spread)
{
    if (spread->n == 0)
        return json_null();
    struct wtl_json object = wtl_json_object();
    wtl_json_set(&object, "mean", wtl_json_number(spread->mean));
    wtl_json_set(&object, "min", wtl_json_number(spread->low));
    wtl_json_set(&object, "max", wtl_json_number(spread->high));
    wtl_json_set(&object, "n", wtl_json_count(spread->n));
    return wtl_json_done(&object);
}

static json_t *activity_of(const struct wtl_live_view *view)
{
    struct wtl_json object = wtl_json_object();
    wtl_json_set(&object, "load", wtl_json_number(view->load));
    wtl_json_set(&object, "frequency_hz", spread_of(&view->frequency_hz));
    wtl_json_set(&object, "temperature_c", spread_of(&view->temperature_c));
    wtl_json_set(&object, "power_limit_w", spread_of(&view->limit_w));
    wtl_json_set(&object, "own_load", wtl_json_number(view->own_load));
    return wtl_json_done(&object);
}

static json_t *process_of(struct wtl_live_view *view, const struct wtl_process *process)
{
    struct wtl_json object = wtl_json_object();
    wtl_json_set(&object, "pid", wtl_json_count((uint64_t)process->stat.pid));
    wtl_json_set(&object, "user", wtl_json_text(wtl_user_name(&view->users, process->uid)));
    wtl_json_set(&object, "name", wtl_json_text(process->stat.name));
    wtl_json_set(&object, "command", wtl_json_text(process->command));
    wtl_json_set(&object, "kernel_thread", json_boolean(process->stat.kernel_thread));
    wtl_json_set(&object, "cpu", wtl_json_number(wtl_live_view_cpu(view, process)));
    wtl_json_set(&object, "power_w", wtl_json_number(process->power_w));
    wtl_json_set(&object, "energy_j", wtl_json_number(process->energy_j));
    return wtl_json_done(&object);
}

static json_t *share_of(const struct wtl_share_rest *rest, const char *unit, bool known)
{
    struct wtl_json object = wtl_json_object();
    double sum = rest->processes_j + rest->idle_j + rest->unseen_j, no = NAN;
    wtl_json_set(&object, "processes", wtl_json_number(known ? rest->processes_j : no));
    wtl_json_set(&object, "idle", wtl_json_number(known ? rest->idle_j : no));
    wtl_json_set(&object, "unseen", wtl_json_number(known ? rest->unseen_j : no));
    wtl_json_set(&object, "sum", wtl_json_number(known ? sum : no));
    wtl_json_set(&object, "unit", wtl_json_text(unit));
    return wtl_json_done(&object);
}

static json_t *shares_of(const struct wtl_live_view *view)
{
    const struct wtl_live_processes *p = view->processes;
    static const char *const origins[] = {[WTL_IDLE_UNKNOWN] = "unknown",
                                          [WTL_IDLE_GIVEN] = "given",
                                          [WTL_IDLE_MODEL] = "model",
                                          [WTL_IDLE_SEEN] = "seen"};
    struct wtl_json object = wtl_json_object();
    wtl_json_set(&object, "power", share_of(&p->power_w, "W", p->known));
    wtl_json_set(&object, "energy", share_of(&p->since, "J", true));
    wtl_json_set(&object, "ended_energy_j", wtl_json_number(p->table.ended_energy_j));
    wtl_json_set(&object, "idle_w", wtl_json_number(p->idle_w));
    wtl_json_set(&object, "idle_origin", wtl_json_text(origins[p->idle_origin]));
    wtl_json_set_quality(&object, true, p->power_w.quality, wtl_result_is_simulated(&view->result));
    return wtl_json_done(&object);
}

static void add_processes(struct wtl_json *document,
                          const struct wtl_live_batch *batch,
                          struct wtl_live_view *view)
{
    struct wtl_json list = wtl_json_array();
    size_t count = 0;
    const struct wtl_process **processes = wtl_live_view_processes(view, &count);
    for (size_t i = 0; i < count && i < batch->processes; i++)
        wtl_json_add(&list, process_of(view, processes[i]));
    free(processes);
    bool any = view->processes != NULL;
    wtl_json_set(document, "process_count",
                 any ? wtl_json_count(view->processes->table.count) : json_null());
    wtl_json_set(document, "processes", wtl_json_done(&list));
    wtl_json_set(document, "shares", any ? shares_of(view) : json_null());
}

int wtl_live_batch_json(struct wtl_live_batch *batch, struct wtl_live_view *view)
{
    struct wtl_json document = wtl_json_document("wattle.top/1");
    struct wtl_json channels = wtl_json_array(), flags = wtl_json_array();
    wtl_json_set(&document, "time_ns", wtl_json_count(view->realtime_ns));
    wtl_json_set(&document, "elapsed_s",
                 wtl_json_number((double)(view->now_ns - view->start_ns) * 1e-9));
    wtl_json_set(&document, "interval_s", wtl_json_number((double)view->every_ns * 1e-9));
    wtl_json_set(&document, "host", wtl_json_text(view->result.host));
    wtl_json_set(&document, "source", wtl_json_text(view->subject));
    wtl_json_set(&document, "ended", json_boolean(view->ended));
    wtl_json_set(&document, "note", wtl_json_text(view->note[0] ? view->note : NULL));
    wtl_json_set(&document, "total", total_of(view));
    for (size_t i = 0; i < view->channel_count; i++)
        wtl_json_add(&channels, channel_of(view, view->order[i]));
    wtl_json_set(&document, "channels", wtl_json_done(&channels));
    wtl_json_set(&document, "activity", activity_of(view));
    add_processes(&document, batch, view);
    for (size_t i = 0; i < view->result.flag_count; i++)
        wtl_json_add(&flags, wtl_json_text(view->result.flags[i].name));
    wtl_json_set(&document, "flags", wtl_json_done(&flags));
    json_t *json = wtl_json_done(&document);
    int rc = wtl_json_write(batch->out, json, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(json);
    (void)fputc('\n', batch->out);
    batch->lines++;
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads results from "wattle.run/1": see json_read.h. Values of the wrong type are unknown, like missing
 * ones: documents of other versions may have more or fewer fields. */
#include "report/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/traces/results.h"
#include "base/fail.h"
#include "model/quality.h"
#include "report/json_value.h"

enum { MOST_RUNS = 1000000 };

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static uint64_t count_at(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void copy_text(char *place, size_t n, const char *text)
{
    (void)snprintf(place, n, "%s", text ? text : "");
}

static enum wattle_quality quality_of(const json_t *object)
{
    return wtl_quality_of_words(text_at(object, "quality"), text_at(object, "simulates"));
}

static void fill_channel(const json_t *from, bool activity, struct wtl_result_channel *to)
{
    struct wattle_channel *channel = &to->channel;
    copy_text(channel->name, sizeof channel->name, text_at(from, "name"));
    copy_text(channel->label, sizeof channel->label, text_at(from, "label"));
    copy_text(channel->sensor, sizeof channel->sensor, text_at(from, "sensor"));
    channel->quality = quality_of(from);
    channel->quantity = activity ? WATTLE_POWER_LIMIT : WATTLE_ENERGY;
    if (json_is_true(json_object_get(from, "simulated")))
        channel->flags |= WATTLE_CHANNEL_SIMULATED;
    if (json_is_true(json_object_get(from, "primary")))
        channel->flags |= WATTLE_CHANNEL_PRIMARY;
    if (json_is_true(json_object_get(from, "in_total")))
        channel->flags |= WATTLE_CHANNEL_IN_TOTAL;
    to->summary.amount = number_at(from, "energy_j");
    to->summary.mean_w = number_at(from, activity ? "mean" : "mean_w");
    to->summary.min_w = number_at(from, activity ? "min" : "min_w");
    to->summary.max_w = number_at(from, activity ? "max" : "max_w");
}

static int fill_channels(const json_t *from, struct wtl_result *to)
{
    const json_t *energies = json_object_get(from, "channels");
    const json_t *activity = json_object_get(from, "activity"), *one;
    size_t i;
    to->channels =
        calloc(json_array_size(energies) + json_array_size(activity) + 1, sizeof *to->channels);
    if (!to->channels)
        return -ENOMEM;
    json_array_foreach(energies, i, one)
        fill_channel(one, false, &to->channels[to->energy_count++]);
    to->channel_count = to->energy_count;
    json_array_foreach(activity, i, one)
    {
        const char *quantity = text_at(one, "quantity");
        if (quantity && strcmp(quantity, wattle_quantity_name(WATTLE_POWER_LIMIT)) == 0)
            fill_channel(one, true, &to->channels[to->channel_count++]);
    }
    return 0;
}

static void fill_total(const json_t *from, struct wtl_result *to)
{
    const json_t *total = json_object_get(from, "total");
    to->total.count = json_array_size(json_object_get(total, "channels"));
    to->total.quality = quality_of(total);
    copy_text(to->total.contains, sizeof to->total.contains, text_at(total, "contains"));
    to->energy.quality = to->total.quality;
    to->energy.simulated = json_is_true(json_object_get(total, "simulated"));
    to->energy.j = number_at(total, "energy_j");
    to->energy.half_j = number_at(total, "resolution_interval_j");
    to->energy.low_j = number_at(total, "low_j");
    to->energy.high_j = number_at(total, "high_j");
    to->total_w = number_at(total, "mean_w");
}

static int fill(const json_t *from, struct wtl_result *to)
{
    const json_t *frequency = json_object_get(from, "frequency"), *value;
    const json_t *turbo = json_object_get(frequency, "turbo");
    const char *key;
    *to = wtl_result_unknown();
    const struct wtl_result_text texts[] = {{text_at(from, "command"), &to->command},
                                            {text_at(from, "target"), &to->target},
                                            {text_at(from, "host"), &to->host},
                                            {text_at(from, "trace"), &to->trace},
                                            {text_at(frequency, "governor"), &to->governor},
                                            {text_at(frequency, "epp"), &to->epp}};
    int rc = wtl_result_texts(to, texts, sizeof texts / sizeof *texts);
    rc = rc < 0 ? rc : fill_channels(from, to);
    if (rc < 0)
        return rc;
    fill_total(from, to);
    to->turbo = json_is_boolean(turbo) ? json_is_true(turbo) : -1;
    to->min_khz = count_at(frequency, "min_khz");
    to->max_khz = count_at(frequency, "max_khz");
    to->wall_time_s = number_at(from, "wall_time_s");
    const json_t *exit_code = json_object_get(from, "exit_code");
    if (json_is_integer(exit_code))
        to->exit_code = (int)json_integer_value(exit_code);
    to->start_realtime_ns = count_at(from, "start_realtime_ns");
    to->start_monotonic_ns = count_at(from, "start_monotonic_ns");
    to->own_cpu_s = number_at(json_object_get(from, "wattle"), "cpu_s");
    json_object_foreach((json_t *)(uintptr_t)json_object_get(from, "flag_texts"), key, value)
    {
        const char *text = json_string_value(value);
        if (rc == 0)
            rc = wtl_result_flag(to, key, "%s", text ? text : "");
    }
    return rc;
}

static int read_all(const json_t *document,
                    const char *path,
                    struct wtl_result **ret_results,
                    size_t *ret_count,
                    struct wattle_error *err)
{
    const char *schema = text_at(document, "schema");
    const json_t *runs = json_object_get(document, "runs");
    size_t count = json_is_array(runs) ? json_array_size(runs) : 1;
    if (!schema || strcmp(schema, "wattle.run/1") != 0 || count == 0)
        return wtl_fail(
            err, -EBADMSG,
            "%s: not a result of \"wattle run --format json\" or \"wattle check --save\"", path);
    if (count > MOST_RUNS)
        return wtl_fail(err, -EFBIG, "%s: too many runs (%zu)", path, count);
    struct wtl_result *results = calloc(count, sizeof *results);
    int rc = results ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = fill(json_is_array(runs) ? json_array_get(runs, i) : document, &results[i]);
    if (rc < 0) {
        wtl_run_results_free(results, count);
        return wtl_no_memory_for(err, "%s", path);
    }
    *ret_results = results;
    *ret_count = count;
    return 0;
}

int wtl_json_results_read(const char *path,
                          struct wtl_result **ret_results,
                          size_t *ret_count,
                          struct wattle_error *err)
{
    json_t *document = NULL;
    int rc = wtl_json_read(path, &document, err);
    rc = rc < 0 ? rc : read_all(document, path, ret_results, ret_count, err);
    json_decref(document);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Noise floors from "wattle.ab/1" and "wattle.compare/1": see noise_floor.h. */
#define _GNU_SOURCE
#include "report/compare/noise_floor.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/fail.h"
#include "report/json_value.h"

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* The floor of "wattle ab", of single runs; pairs = 0 when it has none. */
static struct wtl_noise_floor floor_of(const json_t *document)
{
    const json_t *floor = json_object_get(document, "noise_floor");
    double pairs = number_at(floor, "pairs");
    struct wtl_noise_floor read = {.pairs = pairs >= 1 && pairs < 1e9 ? (size_t)pairs : 0};
    for (int m = 0; m < WTL_METRIC_COUNT; m++) {
        const json_t *one = json_object_get(floor, wtl_metric_names[m]);
        const json_t *change = json_object_get(one, "change");
        double log_sd = number_at(one, "run_log_sd");
        read.of[m].ratio =
            (struct wtl_interval){1 + number_at(change, "value"), 1 + number_at(change, "low"),
                                  1 + number_at(change, "high")};
        read.of[m].log_sd = log_sd >= 0 ? log_sd : (double)NAN;
    }
    return read;
}

/* Of this node, and of this command? */
static int check(const json_t *document,
                 const char *path,
                 const char *command,
                 struct wattle_error *err)
{
    struct utsname node;
    const char *schema = json_string_value(json_object_get(document, "schema"));
    const char *host = json_string_value(json_object_get(document, "host"));
    const char *of = json_string_value(json_array_get(json_object_get(document, "commands"), 0));
    if (!schema || strcmp(schema, "wattle.ab/1") != 0)
        return wtl_fail(err, -EBADMSG, "%s is not a document of \"wattle ab --save\"", path);
    if (!host || uname(&node) < 0 || strcmp(host, node.nodename) != 0)
        return wtl_fail(err, -EXDEV,
                        "%s: this noise floor was measured on another node; without --noise-floor "
                        "one is measured here",
                        path);
    if (!of || strcmp(of, command) != 0)
        return wtl_fail(err, -EXDEV,
                        "%s: this noise floor was measured with another command A; without "
                        "--noise-floor one is measured here",
                        path);
    return 0;
}

int wtl_noise_floor_read(const char *path,
                         const char *command,
                         struct wtl_noise_floor *ret_floor,
                         struct wattle_error *err)
{
    json_t *document = NULL;
    int rc = wtl_json_read(path, &document, err);
    rc = rc < 0 ? rc : check(document, path, command, err);
    struct wtl_noise_floor floor = floor_of(document);
    json_decref(document);
    if (rc == 0 && floor.pairs == 0)
        rc = wtl_fail(err, -EBADMSG, "%s contains no noise floor; \"wattle ab --save\" writes one",
                      path);
    if (rc == 0)
        *ret_floor = floor;
    return rc;
}

/* ---- for "wattle compare" ---- */

/* The row's noise as that of a single run: a pair's ratio has two runs in it. */
static struct wtl_noise noise_of(const json_t *row, bool paired)
{
    const json_t *noise = json_object_get(row, "noise");
    const json_t *basis = json_object_get(row, "basis");
    struct wtl_noise floor = {number_at(noise, "log_sd"), number_at(noise, "df")};
    bool by_runs = json_is_string(basis) && strcmp(json_string_value(basis), "runs") == 0;
    if (!by_runs || !(floor.log_sd >= 0) || !(floor.df >= WTL_COMPARISON_RUNS - 1))
        return (struct wtl_noise){NAN, NAN};
    floor.log_sd *= paired ? M_SQRT1_2 : 1;
    return floor;
}

static size_t take_rows(const json_t *document, struct wtl_noise noise[4])
{
    static const char *const quantities[] = {"time", "energy", "power", "energy x time"};
    const json_t *rows = json_object_get(document, "rows"), *row;
    bool paired = json_is_true(json_object_get(document, "paired"));
    size_t i, found = 0;
    json_array_foreach(rows, i, row)
    {
        const char *group = json_string_value(json_object_get(row, "group"));
        const char *quantity = json_string_value(json_object_get(row, "quantity"));
        if (!group || !quantity || strcmp(group, "headline") != 0)
            continue;
        for (size_t k = 0; k < 4; k++) {
            if (strcmp(quantity, quantities[k]) != 0)
                continue;
            noise[k] = noise_of(row, paired);
            found += isnan(noise[k].log_sd) ? 0 : 1;
        }
    }
    return found;
}

static size_t take_floor(const json_t *document, struct wtl_noise noise[4])
{
    static const enum wtl_metric metrics[] = {WTL_METRIC_TIME, WTL_METRIC_ENERGY, WTL_METRIC_POWER,
                                              WTL_METRIC_EDP};
    struct wtl_noise_floor floor = floor_of(document);
    size_t found = 0;
    for (size_t k = 0; k < 4 && floor.pairs >= WTL_COMPARISON_RUNS; k++) {
        double log_sd = floor.of[metrics[k]].log_sd;
        if (isnan(log_sd))
            continue;
        noise[k] = (struct wtl_noise){log_sd, (double)(floor.pairs - 1)};
        found++;
    }
    return found;
}

int wtl_noise_read(const char *path,
                   struct wtl_noise ret_noise[4],
                   char **ret_host,
                   struct wattle_error *err)
{
    struct wtl_noise noise[4] = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
    json_t *document = NULL;
    struct wattle_error why = {""};
    int rc = wtl_json_read(path, &document, &why);
    if (rc < 0)
        return wtl_fail(err, rc,
                        "%s; a noise floor is the output of \"wattle compare --format json\" or "
                        "\"wattle ab --save\"",
                        why.text);
    const char *schema = json_string_value(json_object_get(document, "schema"));
    bool is_ab = schema && strcmp(schema, "wattle.ab/1") == 0;
    const json_t *of = is_ab ? document : json_object_get(document, "a");
    const char *host = json_string_value(json_object_get(of, "host"));
    char *copy = host ? strdup(host) : NULL;
    if (host && !copy)
        rc = wtl_no_memory(err);
    else if ((is_ab ? take_floor(document, noise) : take_rows(document, noise)) == 0)
        rc = wtl_fail(err, -EBADMSG,
                      "%s contains no noise floor: use the JSON of a comparison with at least %d "
                      "runs per side, or of \"wattle ab\" with as many pairs of A against A",
                      path, WTL_COMPARISON_RUNS);
    json_decref(document);
    if (rc < 0) {
        free(copy);
        return rc;
    }
    memcpy(ret_noise, noise, sizeof noise);
    *ret_host = copy;
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A noise floor from "wattle.ab/1": see noise_floor.h. */
#define _GNU_SOURCE
#include "report/noise_floor.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/fail.h"
#include "report/json_value.h"

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static int fill(const json_t *document,
                const char *path,
                struct wtl_noise_floor *ret_floor,
                struct wattle_error *err)
{
    const json_t *floor = json_object_get(document, "noise_floor");
    double pairs = number_at(floor, "pairs");
    struct wtl_noise_floor read = {.pairs = pairs >= 1 && pairs < 1e9 ? (size_t)pairs : 0};
    if (read.pairs == 0)
        return wtl_fail(err, -EBADMSG, "%s: it has no noise floor; \"wattle ab --save\" writes one",
                        path);
    for (int m = 0; m < WTL_METRIC_COUNT; m++) {
        const json_t *one = json_object_get(floor, wtl_metric_names[m]);
        const json_t *change = json_object_get(one, "change");
        double log_sd = number_at(one, "run_log_sd");
        read.of[m].ratio =
            (struct wtl_interval){1 + number_at(change, "value"), 1 + number_at(change, "low"),
                                  1 + number_at(change, "high")};
        read.of[m].log_sd = log_sd >= 0 ? log_sd : (double)NAN;
    }
    *ret_floor = read;
    return 0;
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
        return wtl_fail(err, -EBADMSG, "%s: it is no document of \"wattle ab --save\"", path);
    if (!host || uname(&node) < 0 || strcmp(host, node.nodename) != 0)
        return wtl_fail(err, -EXDEV,
                        "%s: its noise floor is of another node; leave --noise-floor out and one "
                        "is measured here",
                        path);
    if (!of || strcmp(of, command) != 0)
        return wtl_fail(err, -EXDEV,
                        "%s: its noise floor is of another command A; leave --noise-floor out and "
                        "one is measured",
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
    rc = rc < 0 ? rc : fill(document, path, ret_floor, err);
    json_decref(document);
    return rc;
}

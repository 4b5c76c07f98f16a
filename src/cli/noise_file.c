/* SPDX-License-Identifier: BSD-3-Clause */
/* A stored noise floor: see noise_file.h. */
#define _GNU_SOURCE
#include "cli/noise_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/fail.h"

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* The row's noise as that of a single run: a pair's ratio has two runs in it. */
static struct wtl_noise noise_of(const json_t *row, bool paired)
{
    const json_t *noise = json_object_get(row, "noise");
    const json_t *basis = json_object_get(row, "basis");
    struct wtl_noise floor = {number_of(noise, "log_sd"), number_of(noise, "df")};
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

/* The noise floor of "wattle ab", of single runs already. */
static size_t take_floor(const json_t *document, struct wtl_noise noise[4])
{
    static const char *const metrics[] = {"time", "energy", "power", "edp"};
    const json_t *floor = json_object_get(document, "noise_floor");
    double df = number_of(floor, "pairs") - 1;
    size_t found = 0;
    for (size_t k = 0; k < 4 && df >= WTL_COMPARISON_RUNS - 1; k++) {
        noise[k].log_sd = number_of(json_object_get(floor, metrics[k]), "run_log_sd");
        noise[k].df = df;
        found += noise[k].log_sd >= 0 ? 1 : 0;
        if (!(noise[k].log_sd >= 0))
            noise[k] = (struct wtl_noise){NAN, NAN};
    }
    return found;
}

int wtl_noise_file_read(const char *path,
                        struct wtl_noise ret_noise[4],
                        char **ret_host,
                        struct wattle_error *err)
{
    struct wtl_noise noise[4] = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
    json_error_t error;
    FILE *file = fopen(path, "re");
    if (!file)
        return wtl_fail(err, -errno, "%s: cannot be opened: %s", path, wtl_strerror(errno));
    json_t *document = json_loadf(file, 0, &error);
    (void)fclose(file);
    if (!document)
        return wtl_fail(err, -EINVAL,
                        "%s: no JSON (line %d: %.100s): a noise floor is what "
                        "\"wattle compare --format json\" printed or \"wattle ab --save\" wrote",
                        path, error.line, error.text);
    const char *schema = json_string_value(json_object_get(document, "schema"));
    bool is_ab = schema && strcmp(schema, "wattle.ab/1") == 0;
    const json_t *of = is_ab ? document : json_object_get(document, "a");
    const char *host = json_string_value(json_object_get(of, "host"));
    int rc = 0;
    char *copy = host ? strdup(host) : NULL;
    if (host && !copy)
        rc = wtl_fail(err, -ENOMEM, "not enough memory");
    else if ((is_ab ? take_floor(document, noise) : take_rows(document, noise)) == 0)
        rc =
            wtl_fail(err, -EINVAL,
                     "%s: holds no noise floor: it takes the JSON of a comparison with at least %d "
                     "runs a side, or of wattle ab with as many pairs of A against A",
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

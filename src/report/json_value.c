/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON values: see json_value.h. */
#define _GNU_SOURCE
#include "report/json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/utf8.h"
#include "model/quality.h"

json_t *wtl_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *wtl_json_count(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

json_t *wtl_json_text(const char *text)
{
    if (!text)
        return json_null();
    char *clean = wtl_utf8_dup(text);
    json_t *value = clean ? json_string(clean) : NULL;
    free(clean);
    return value;
}

struct wtl_json wtl_json_object(void)
{
    return (struct wtl_json){.json = json_object()};
}

struct wtl_json wtl_json_array(void)
{
    return (struct wtl_json){.json = json_array()};
}

struct wtl_json wtl_json_document(const char *schema)
{
    struct wtl_json document = wtl_json_object();
    wtl_json_set(&document, "schema", json_string(schema));
    wtl_json_set(&document, "wattle_version", json_string(WATTLE_VERSION));
    return document;
}

/* Keys are names of channels and flags at times: text of unknown origin, too. */
void wtl_json_set(struct wtl_json *object, const char *key, json_t *value)
{
    char *clean = wtl_utf8_dup(key);
    object->failed |= json_object_set_new(object->json, clean ? clean : "", value);
    object->failed |= !clean;
    free(clean);
}

void wtl_json_add(struct wtl_json *array, json_t *value)
{
    array->failed |= json_array_append_new(array->json, value);
}

void wtl_json_set_quality(struct wtl_json *object,
                          bool known,
                          enum wattle_quality quality,
                          bool simulated)
{
    const char *word = wtl_quality_word(quality, simulated);
    const char *simulates = wtl_quality_simulates(quality, simulated);
    wtl_json_set(object, "quality", wtl_json_text(known ? word : NULL));
    wtl_json_set(object, "simulated", json_boolean(simulated));
    wtl_json_set(object, "simulates", wtl_json_text(known ? simulates : NULL));
}

json_t *wtl_json_done(struct wtl_json *value)
{
    if (!value->failed)
        return value->json; /* NULL when it could not even be begun */
    json_decref(value->json);
    return NULL;
}

int wtl_json_print(FILE *out, json_t *document)
{
    if (!document)
        return -ENOMEM;
    (void)json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    (void)fputc('\n', out);
    json_decref(document);
    return 0;
}

int wtl_json_read(const char *path, json_t **ret_document, struct wattle_error *err)
{
    json_error_t why;
    struct stat about;
    FILE *file = fopen(path, "re");
    if (!file)
        return wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    if (fstat(fileno(file), &about) == 0 && about.st_size > 256000000) {
        (void)fclose(file);
        return wtl_fail(err, -EFBIG, "%s: it is too large for a result", path);
    }
    json_t *document = json_loadf(file, JSON_REJECT_DUPLICATES, &why);
    (void)fclose(file);
    if (!document)
        return wtl_fail(err, -EBADMSG, "%s: it is no JSON (line %d: %s)", path, why.line, why.text);
    if (!json_is_object(document)) {
        json_decref(document);
        return wtl_fail(err, -EBADMSG, "%s: it is JSON, but no document of wattle", path);
    }
    *ret_document = document;
    return 0;
}

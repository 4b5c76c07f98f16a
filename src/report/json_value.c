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

/* Keys may be names of channels and flags, which are also text of unknown origin. */
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

json_t *wtl_json_done(struct wtl_json *value)
{
    if (!value->failed)
        return value->json; /* NULL if it could not be started */
    json_decref(value->json);
    return NULL;
}

void wtl_json_put(FILE *out, const char *text, size_t n)
{
    enum { PIECE = 1024 };
    size_t from = 0, length;
    for (size_t i = 0; i < n; i += length) {
        length =
            1; /* blanks and line breaks are between the texts; in them jansson escapes those */
        bool kept = (unsigned char)text[i] < 0x7F ||
                    wtl_utf8_printable(text + i, n - i, &length) > 0 ||
                    wtl_utf8_length(text + i, n - i) == 0; /* no text of ours */
        if (kept && i + length - from < PIECE)
            continue;
        (void)fwrite(text + from, 1, i - from, out);
        from = kept ? i : i + length;
        if (!kept)
            (void)fprintf(out, "\\u%04X", wtl_utf8_code(text + i, length));
    }
    (void)fwrite(text + from, 1, n - from, out);
}

static int put_chunk(const char *text, size_t n, void *out)
{
    wtl_json_put(out, text, n);
    return 0;
}

int wtl_json_write(FILE *out, const json_t *value, size_t flags)
{
    return value && json_dump_callback(value, put_chunk, out, flags) == 0 ? 0 : -ENOMEM;
}

int wtl_json_print(FILE *out, json_t *document)
{
    int rc = wtl_json_write(out, document, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    (void)fputs(document ? "\n" : "", out);
    json_decref(document);
    return rc;
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
        return wtl_fail(err, -EFBIG, "%s: too large for a result", path);
    }
    json_t *document = json_loadf(file, JSON_REJECT_DUPLICATES, &why);
    (void)fclose(file);
    if (!document)
        return wtl_fail(err, -EBADMSG, "%s: not valid JSON (line %d: %s)", path, why.line,
                        why.text);
    if (!json_is_object(document)) {
        json_decref(document);
        return wtl_fail(err, -EBADMSG, "%s: valid JSON, but not a wattle document", path);
    }
    *ret_document = document;
    return 0;
}

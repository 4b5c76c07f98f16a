/* SPDX-License-Identifier: BSD-3-Clause */
/* Records and their lines; see record.h. */
#include "jobs/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <wattle/version.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/utf8.h"
#include "jobs/field.h"

/* Older versions whose records are read as well: so far there is none. */
static const char *const schemas[] = {WTL_JOB_RECORD_SCHEMA};

/* Enough digits for any double, so that a record is the same after its way to the database. */
enum { FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(17) };

void wtl_job_record_init(struct wtl_job_record *record)
{
    *record = (struct wtl_job_record){.channels = NULL};
    wtl_job_fields_init(&wtl_job_record_fields, record);
    (void)wtl_job_text_set(record->version, sizeof record->version, WATTLE_VERSION);
}

void wtl_job_record_fini(struct wtl_job_record *record)
{
    free(record->channels);
    record->channels = NULL;
    record->channel_count = 0;
}

int wtl_job_channel_add(struct wtl_job_record *record, struct wtl_job_channel **ret_channel)
{
    if (record->channel_count >= WTL_JOB_CHANNELS_MAX)
        return -E2BIG;
    int rc = wtl_grow(&record->channels, record->channel_count, sizeof *record->channels);
    if (rc < 0)
        return rc;
    struct wtl_job_channel *channel = &record->channels[record->channel_count++];
    memset(channel, 0, sizeof *channel);
    wtl_job_fields_init(&wtl_job_channel_fields, channel);
    *ret_channel = channel;
    return 0;
}

bool wtl_job_text_set(char *field, size_t size, const char *text)
{
    size_t left = text ? strlen(text) : 0, used = 0;
    while (left > 0) {
        size_t length, printable = wtl_utf8_printable(text, left, &length);
        size_t n = printable > 0 ? printable : 1;
        if (used + n >= size)
            break;
        if (printable > 0)
            memcpy(field + used, text, n);
        else
            field[used] = '?';
        used += n;
        text += length;
        left -= length;
    }
    field[used] = '\0';
    return left == 0;
}

int wtl_job_record_check(const struct wtl_job_record *record, struct wattle_error *err)
{
    int rc = wtl_job_fields_check(&wtl_job_record_fields, record, err);
    for (size_t i = 0; rc == 0 && i < record->channel_count; i++)
        rc = wtl_job_fields_check(&wtl_job_channel_fields, &record->channels[i], err);
    if (rc < 0)
        return rc;
    if (!record->unit[0] || !record->node[0])
        return wtl_fail(err, -EBADMSG, "a record of a job without its %s",
                        record->unit[0] ? "\"node\"" : "\"unit\"");
    return 0;
}

static json_t *channels_json(const struct wtl_job_record *record)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < record->channel_count; i++) {
        json_t *channel = json_object();
        if (!channel ||
            wtl_job_fields_store(&wtl_job_channel_fields, &record->channels[i], channel) < 0 ||
            json_array_append(list, channel) < 0) {
            json_decref(list);
            list = NULL;
        }
        json_decref(channel);
    }
    return list;
}

int wtl_job_record_line(const struct wtl_job_record *record,
                        char **ret_line,
                        size_t *ret_size,
                        struct wattle_error *err)
{
    int rc = wtl_job_record_check(record, err);
    if (rc < 0)
        return rc;
    json_t *object = json_object();
    bool made = object &&
                json_object_set_new(object, "schema", json_string(WTL_JOB_RECORD_SCHEMA)) == 0 &&
                wtl_job_fields_store(&wtl_job_record_fields, record, object) == 0 &&
                json_object_set_new(object, "channels", channels_json(record)) == 0;
    size_t size = made ? json_dumpb(object, NULL, 0, FLAGS) : 0;
    char *line = size > 0 ? malloc(size + 1) : NULL;
    if (line)
        (void)json_dumpb(object, line, size, FLAGS);
    json_decref(object);
    if (!made || (size > 0 && !line))
        return wtl_no_memory_for(err, "a record of a job");
    if (!line || size + 1 > WTL_JOB_LINE_MAX) {
        free(line);
        return wtl_fail(err, -EBADMSG,
                        "a record of a job that is not UTF-8, or longer than 64 KiB");
    }
    line[size] = '\n';
    *ret_line = line;
    *ret_size = size + 1;
    return 0;
}

static int load_channels(json_t *list, struct wtl_job_record *record, struct wattle_error *err)
{
    size_t n = json_array_size(list);
    int rc = 0;
    if (list && !json_is_null(list) && !json_is_array(list))
        return wtl_fail(err, -EBADMSG, "a record of a job with impossible \"channels\"");
    for (size_t i = 0; rc == 0 && i < n; i++) {
        json_t *object = json_array_get(list, i);
        struct wtl_job_channel *channel;
        rc = wtl_job_channel_add(record, &channel);
        if (rc == -ENOMEM)
            return wtl_no_memory_for(err, "a record of a job");
        if (rc < 0 || !json_is_object(object))
            return wtl_fail(err, -EBADMSG, "a record of a job with impossible \"channels\"");
        rc = wtl_job_fields_load(&wtl_job_channel_fields, object, channel, err);
    }
    return rc;
}

static bool is_known(const char *schema)
{
    for (size_t i = 0; schema && i < sizeof schemas / sizeof *schemas; i++)
        if (strcmp(schema, schemas[i]) == 0)
            return true;
    return false;
}

static int load(json_t *object, struct wtl_job_record *record, struct wattle_error *err)
{
    const char *schema = json_string_value(json_object_get(object, "schema"));
    if (!is_known(schema)) {
        char shown[64];
        (void)wtl_job_text_set(shown, sizeof shown, schema ? schema : "");
        return wtl_fail(
            err, -EBADMSG,
            "a record of a job of another version, \"%s\" instead of " WTL_JOB_RECORD_SCHEMA,
            shown);
    }
    int rc = wtl_job_fields_load(&wtl_job_record_fields, object, record, err);
    rc = rc < 0 ? rc : load_channels(json_object_get(object, "channels"), record, err);
    return rc < 0 ? rc : wtl_job_record_check(record, err);
}

static int parse_json(const char *text, size_t n, json_t **ret_json, struct wattle_error *err)
{
    json_error_t why;
    if (n > WTL_JOB_LINE_MAX)
        return wtl_fail(err, -EBADMSG, "a record of a job longer than 64 KiB");
    *ret_json = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
    if (*ret_json)
        return 0;
    if (json_error_code(&why) == json_error_out_of_memory)
        return wtl_no_memory_for(err, "a record of a job");
    return wtl_fail(err, -EBADMSG, "a record of a job is not JSON (at byte %d)", why.position);
}

int wtl_job_record_parse(const char *line,
                         size_t n,
                         struct wtl_job_record *ret_record,
                         struct wattle_error *err)
{
    json_t *object;
    int rc = parse_json(line, n, &object, err);
    if (rc < 0)
        return rc;
    memset(ret_record, 0, sizeof *ret_record);
    rc = load(object, ret_record, err);
    json_decref(object);
    if (rc < 0)
        wtl_job_record_fini(ret_record);
    return rc;
}

int wtl_job_channels_text(const struct wtl_job_record *record, char **ret_text)
{
    json_t *list = channels_json(record);
    char *text = list ? json_dumps(list, FLAGS) : NULL;
    json_decref(list);
    if (!text)
        return -ENOMEM;
    *ret_text = text;
    return 0;
}

int wtl_job_channels_parse(const char *text,
                           size_t n,
                           struct wtl_job_record *record,
                           struct wattle_error *err)
{
    json_t *list;
    if (!text || n == 0)
        return 0;
    int rc = parse_json(text, n, &list, err);
    if (rc < 0)
        return rc;
    rc = load_channels(list, record, err);
    json_decref(list);
    return rc;
}

static const char *word(const char *name, int value)
{
    for (size_t i = 0; i < wtl_job_record_fields.count; i++) {
        const struct wtl_job_field *field = &wtl_job_record_fields.list[i];
        if (strcmp(field->name, name) != 0)
            continue;
        for (int k = 0; field->words[k]; k++)
            if (k == value)
                return field->words[k];
    }
    return "unknown";
}

const char *wtl_job_kind_word(enum wtl_job_kind kind)
{
    return word("kind", (int)kind);
}

const char *wtl_job_state_word(enum wtl_job_state state)
{
    return word("state", (int)state);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be done with any field; see field.h. */
#include "jobs/field.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "jobs/job_text.h"

int64_t wtl_job_whole(const struct wtl_job_field *field, const void *base)
{
    const char *at = (const char *)base + field->offset;
    int64_t value;
    int word;
    if (field->form == WTL_JOB_FLAG)
        return *(const bool *)at;
    if (field->form == WTL_JOB_WORD) {
        memcpy(&word, at, sizeof word);
        return word;
    }
    memcpy(&value, at, sizeof value);
    return value;
}

double wtl_job_real(const struct wtl_job_field *field, const void *base)
{
    double value;
    memcpy(&value, (const char *)base + field->offset, sizeof value);
    return value;
}

static int words(const struct wtl_job_field *field)
{
    int n = 0;
    while (field->words[n])
        n++;
    return n;
}

static bool is_possible(const struct wtl_job_field *field, double value)
{
    return value >= field->lowest && value <= field->highest;
}

void wtl_job_set_whole(const struct wtl_job_field *field, void *base, int64_t value)
{
    char *at = (char *)base + field->offset;
    if (field->form == WTL_JOB_FLAG) {
        *(bool *)at = value != 0;
        return;
    }
    if (field->form == WTL_JOB_WORD) {
        int word = value >= 0 && value < words(field) ? (int)value : 0;
        memcpy(at, &word, sizeof word);
        return;
    }
    if (!is_possible(field, (double)value))
        value = field->unknown;
    memcpy(at, &value, sizeof value);
}

void wtl_job_set_real(const struct wtl_job_field *field, void *base, double value)
{
    if (!is_possible(field, value))
        value = NAN;
    memcpy((char *)base + field->offset, &value, sizeof value);
}

static void forget(const struct wtl_job_field *field, void *base)
{
    if (field->form == WTL_JOB_TEXT || field->form == WTL_JOB_KEY)
        *((char *)base + field->offset) = '\0';
    else if (field->form == WTL_JOB_REAL)
        wtl_job_set_real(field, base, NAN);
    else
        wtl_job_set_whole(field, base, field->unknown);
}

void wtl_job_fields_init(const struct wtl_job_fields *fields, void *base)
{
    for (size_t i = 0; i < fields->count; i++)
        forget(&fields->list[i], base);
}

static bool is_sound(const struct wtl_job_field *field, const void *base)
{
    switch (field->form) {
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
        return memchr(wtl_job_text(field, base), '\0', field->size) != NULL;
    case WTL_JOB_REAL:
        return isnan(wtl_job_real(field, base)) || is_possible(field, wtl_job_real(field, base));
    case WTL_JOB_WORD:
        return wtl_job_whole(field, base) >= 0 && wtl_job_whole(field, base) < words(field);
    case WTL_JOB_FLAG:
        return true;
    case WTL_JOB_WHOLE:
        break;
    }
    return wtl_job_whole(field, base) == field->unknown ||
           is_possible(field, (double)wtl_job_whole(field, base));
}

int wtl_job_fields_check(const struct wtl_job_fields *fields,
                         const void *base,
                         struct wattle_error *err)
{
    for (size_t i = 0; i < fields->count; i++)
        if (!is_sound(&fields->list[i], base))
            return wtl_fail(err, -EBADMSG, "a record of a job with an impossible \"%s\"",
                            fields->list[i].name);
    return 0;
}

static json_t *value_of(const struct wtl_job_field *field, const void *base)
{
    double real;
    int64_t whole;
    switch (field->form) {
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
        return json_string(wtl_job_text(field, base));
    case WTL_JOB_REAL:
        real = wtl_job_real(field, base);
        return isnan(real) ? json_null() : json_real(real);
    case WTL_JOB_FLAG:
        return json_boolean(wtl_job_whole(field, base));
    case WTL_JOB_WORD:
        return json_string(field->words[wtl_job_whole(field, base)]);
    case WTL_JOB_WHOLE:
        break;
    }
    whole = wtl_job_whole(field, base);
    return whole == field->unknown ? json_null() : json_integer(whole);
}

/* What wtl_job_fields_load() makes of a field that is missing. */
static bool is_missing(const struct wtl_job_field *field, const void *base)
{
    switch (field->form) {
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
        return !*wtl_job_text(field, base);
    case WTL_JOB_REAL:
        return isnan(wtl_job_real(field, base));
    case WTL_JOB_FLAG:
    case WTL_JOB_WORD:
    case WTL_JOB_WHOLE:
        break;
    }
    return wtl_job_whole(field, base) == field->unknown;
}

int wtl_job_fields_store(const struct wtl_job_fields *fields,
                         const void *base,
                         bool brief,
                         json_t *object)
{
    for (size_t i = 0; i < fields->count; i++)
        if (!(brief && is_missing(&fields->list[i], base)) &&
            json_object_set_new(object, fields->list[i].name, value_of(&fields->list[i], base)) < 0)
            return -ENOMEM;
    return 0;
}

/* True if the value is one for this field. A text that is too long is cut, unless it is part of the key. */
static bool set_text(const struct wtl_job_field *field, const json_t *value, void *base)
{
    if (!json_is_string(value))
        return false;
    bool fits =
        wtl_job_text_set((char *)base + field->offset, field->size, json_string_value(value));
    return fits || field->form == WTL_JOB_TEXT;
}

static bool set_word(const struct wtl_job_field *field, const json_t *value, void *base)
{
    if (!json_is_string(value))
        return false;
    for (int i = 0; i < words(field); i++)
        if (strcmp(field->words[i], json_string_value(value)) == 0)
            wtl_job_set_whole(field, base, i);
    return true;
}

static bool set_value(const struct wtl_job_field *field, const json_t *value, void *base)
{
    switch (field->form) {
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
        return set_text(field, value, base);
    case WTL_JOB_WORD:
        return set_word(field, value, base);
    case WTL_JOB_FLAG:
        wtl_job_set_whole(field, base, json_is_true(value));
        return json_is_boolean(value);
    case WTL_JOB_REAL:
        wtl_job_set_real(field, base, json_number_value(value));
        return json_is_number(value) && is_possible(field, json_number_value(value));
    case WTL_JOB_WHOLE:
        break;
    }
    wtl_job_set_whole(field, base, json_integer_value(value));
    return json_is_integer(value) && is_possible(field, (double)json_integer_value(value));
}

int wtl_job_fields_load(const struct wtl_job_fields *fields,
                        json_t *object,
                        void *base,
                        struct wattle_error *err)
{
    wtl_job_fields_init(fields, base);
    for (size_t i = 0; i < fields->count; i++) {
        const struct wtl_job_field *field = &fields->list[i];
        const json_t *value = json_object_get(object, field->name);
        if (value && !json_is_null(value) && !set_value(field, value, base))
            return wtl_fail(err, -EBADMSG, "a record of a job with an impossible \"%s\"",
                            field->name);
    }
    return 0;
}

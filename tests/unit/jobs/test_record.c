/* SPDX-License-Identifier: BSD-3-Clause */
/* Records and their lines: what is unknown stays unknown, what is impossible is refused. */
#include "jobs/record.h"

#include <errno.h>

#include "jobs/field.h"
#include "made_jobs.h"
#include "tap.h"

static struct wattle_error err;

static int parse(const char *text, struct wtl_job_record *record)
{
    return wtl_job_record_parse(text, strlen(text), record, &err);
}

static void test_unknown(void)
{
    struct wtl_job_record record, again;
    char *line;
    size_t n;
    wtl_job_record_init(&record);
    is_int(wtl_job_record_line(&record, &line, &n, &err), -EBADMSG, "not without a unit: %s",
           err.text);
    (void)wtl_job_text_set(record.unit, sizeof record.unit, "1");
    (void)wtl_job_text_set(record.node, sizeof record.node, "n");
    is_int(wtl_job_record_line(&record, &line, &n, &err), 0, "nothing known but the key");
    ok(strstr(line, "\"energy_j\":null") && strstr(line, "\"exit_status\":null") &&
           strstr(line, "\"begin_ns\":null"),
       "unknown numbers are null");
    ok(!strstr(line, ":0"), "and never 0");
    is_int(wtl_job_record_parse(line, n, &again, &err), 0, "it is read");
    ok(isnan(again.energy_j) && again.exit_status == -1 && again.uid == -1 &&
           again.max_rss_bytes == -1 && again.begin_ns == 0 && again.channel_count == 0,
       "and is as unknown");
    wtl_job_record_fini(&again);
    free(line);
}

static void test_round(void)
{
    struct made_jobs made = made_jobs(200);
    size_t wrong = 0;
    for (size_t i = 0; i < made.count; i++) {
        struct wtl_job_record again;
        char *line, *same = NULL;
        size_t n, m;
        if (wtl_job_record_line(&made.list[i], &line, &n, &err) < 0)
            abort();
        wrong += wtl_job_record_parse(line, n, &again, &err) < 0 ||
                 wtl_job_record_line(&again, &same, &m, &err) < 0 || n != m ||
                 memcmp(line, same, n) != 0 || again.channel_count != made.list[i].channel_count;
        wtl_job_record_fini(&again);
        free(same);
        free(line);
    }
    is_int(wrong, 0, "%zu records are the same after their way through a line", made.count);
    made_free(&made);
}

#define LINE(more) "{\"schema\":\"wattle.job-record/1\",\"unit\":\"1\",\"node\":\"n\"" more "}"

static const struct {
    int line;
    const char *text;
    int rc;
} lines[] = {
    {__LINE__, LINE(""), 0},
    {__LINE__, LINE(",\"more\":{\"than\":[\"is\",1]}"), 0},
    {__LINE__, LINE(",\"energy_j\":1e15"), 0},
    {__LINE__, LINE(",\"energy_j\":1e16"), -EBADMSG},
    {__LINE__, LINE(",\"energy_j\":-1"), -EBADMSG},
    {__LINE__, LINE(",\"energy_j\":\"1\""), -EBADMSG},
    {__LINE__, LINE(",\"energy_j\":1e999"), -EBADMSG},
    {__LINE__, LINE(",\"energy_j\":NaN"), -EBADMSG},
    {__LINE__, LINE(",\"idle_j\":-1"), 0},
    {__LINE__, LINE(",\"uid\":1.5"), -EBADMSG},
    {__LINE__, LINE(",\"uid\":4294967296"), -EBADMSG},
    {__LINE__, LINE(",\"begin_ns\":-1"), -EBADMSG},
    {__LINE__, LINE(",\"begin_ns\":9223372036854775807"), -EBADMSG},
    {__LINE__, LINE(",\"raw_job_id\":99999999999999999999"), -EBADMSG},
    {__LINE__, LINE(",\"simulated\":1"), -EBADMSG},
    {__LINE__, LINE(",\"channels\":{}"), -EBADMSG},
    {__LINE__, LINE(",\"channels\":[1]"), -EBADMSG},
    {__LINE__, LINE(",\"channels\":[{\"name\":\"x\",\"energy_j\":-1}]"), -EBADMSG},
    {__LINE__, LINE(",\"channels\":null"), 0},
    {__LINE__, LINE(",\"user\":\"a\\u0000b\""), -EBADMSG},
    {__LINE__, LINE(",\"unit\":\"2\""), -EBADMSG},
    {__LINE__, LINE(",\"user\":\"\xff\""), -EBADMSG},
    {__LINE__, "{\"schema\":\"wattle.job-record/2\",\"unit\":\"1\",\"node\":\"n\"}", -EBADMSG},
    {__LINE__, "{\"unit\":\"1\",\"node\":\"n\"}", -EBADMSG},
    {__LINE__, "{\"schema\":\"wattle.job-record/1\",\"unit\":\"1\"}", -EBADMSG},
    {__LINE__, "[]", -EBADMSG},
    {__LINE__, "null", -EBADMSG},
    {__LINE__, "", -EBADMSG},
    {__LINE__, "{", -EBADMSG},
};

static void test_lines(void)
{
    struct wtl_job_record record;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        tap_line = lines[i].line;
        int rc = parse(lines[i].text, &record);
        is_int(rc, lines[i].rc, "%.80s", lines[i].text);
        if (rc == 0)
            wtl_job_record_fini(&record);
    }
    tap_line = 0;
}

static void test_texts(void)
{
    char text[8], *line = malloc(1100000);
    struct wtl_job_record record;
    if (!line)
        abort();
    ok(wtl_job_text_set(text, sizeof text, "1234567"), "fits");
    ok(!wtl_job_text_set(text, sizeof text, "12345678"), "does not fit");
    is_str(text, "1234567", "cut");
    ok(!wtl_job_text_set(text, sizeof text, "123456\xc3\xa9"), "not within a character");
    is_str(text, "123456", "cut before it");
    ok(wtl_job_text_set(text, sizeof text, "a\n\x1b\xff z"), "hostile");
    is_str(text, "a??? z", "harmless");
    ok(wtl_job_text_set(text, sizeof text, NULL) && !text[0], "none");
    int n =
        snprintf(line, 1100000,
                 "{\"schema\":\"wattle.job-record/1\",\"unit\":\"1\",\"node\":\"n\",\"name\":\"");
    memset(line + n, 'x', 1000000);
    memcpy(line + n + 1000000, "\"}", 3);
    is_int(parse(line, &record), -EBADMSG, "a name of a million bytes: %s", err.text);
    memcpy(line + n + 5000, "\"}", 3);
    is_int(parse(line, &record), 0, "one of 5000");
    is_int(strlen(record.name), sizeof record.name - 1, "is cut");
    wtl_job_record_fini(&record);
    n = snprintf(line, 1100000, "{\"schema\":\"wattle.job-record/1\",\"node\":\"n\",\"unit\":\"");
    memset(line + n, 'x', 5000);
    memcpy(line + n + 5000, "\"}", 3);
    is_int(parse(line, &record), -EBADMSG, "a key is not cut: %s", err.text);
    free(line);
}

static void check_rows(const char *page, const struct wtl_job_fields *fields, bool columns)
{
    size_t missing = 0;
    for (size_t i = 0; i < fields->count; i++) {
        const struct wtl_job_field *field = &fields->list[i];
        char row[1024];
        if (columns)
            (void)snprintf(row, sizeof row, "| `%s` | `%s` | %s |\n", field->name, field->column,
                           field->help);
        else
            (void)snprintf(row, sizeof row, "| `%s` | %s |\n", field->name, field->help);
        if (!strstr(page, row) && missing++ < 100)
            printf("# missing: %s", row);
    }
    is_int(missing, 0, "docs/format/jobs.md has a row for each of %zu fields", fields->count);
}

static void test_page(void)
{
    FILE *file = fopen(WATTLE_SOURCE_DIR "/docs/format/jobs.md", "re");
    char *page = calloc(1, 100000);
    if (!page || !file || fread(page, 1, 99999, file) == 0)
        abort();
    check_rows(page, &wtl_job_record_fields, true);
    check_rows(page, &wtl_job_channel_fields, false);
    (void)fclose(file);
    free(page);
}

int main(void)
{
    test_page();
    test_unknown();
    test_round();
    test_lines();
    test_texts();
    return done_testing();
}

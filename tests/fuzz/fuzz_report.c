/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The document of a report, from any bytes as a trace: unchanged, and with corrected headers and checksums. Each
 * document has its fields, and its series are as long as their axes.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/cluster/run_result.h"
#include "report/result/report_document.h"
#include "trace/reader.h"

#include "mended_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t packed_length(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    size_t length = text ? strlen(text) : 0, end = length;
    while (end > 0 && text[end - 1] == '=')
        end--;
    return (length / 4 * 3 - (length - end)) / 4;
}

static void check(const json_t *document)
{
    static const char *const lists[] = {"power", "activity"};
    const json_t *times = json_object_get(document, "times"), *series;
    size_t i;
    for (int k = 0; k < 2; k++) {
        json_array_foreach(json_object_get(document, lists[k]), i, series)
        {
            const json_t *axis =
                json_array_get(times, (size_t)json_integer_value(json_object_get(series, "time")));
            size_t count = (size_t)json_integer_value(json_object_get(axis, "count"));
            if (!axis || packed_length(axis, "begin") != count ||
                packed_length(series, "min") != count || packed_length(series, "mean") != count ||
                packed_length(series, "max") != count)
                abort();
        }
    }
    if (!json_object_get(document, "provenance"))
        abort(); /* the last field */
}

static void run(const uint8_t *data, size_t size)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_result result = wtl_result_unknown();
    struct wattle_error err;
    json_t *document = NULL;
    char path[64];
    int fd = memfd_create("trace", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (wtl_trace_reader_open(path, &reader, &err) == 0 &&
        wtl_run_result_read(reader, path, &result, &err) == 0) {
        if (wtl_report_document(reader, &result, NULL, NULL, NULL, &document, &err) == 0)
            check(document);
        json_decref(document);
        wtl_result_fini(&result);
    }
    wtl_trace_reader_close(reader);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536)
        return 0;
    run(data, size);
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    mend_trace(copy, size);
    run(copy, size);
    free(copy);
    return 0;
}

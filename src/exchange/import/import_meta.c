/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the origin of an imported trace as metadata: files, mapping, faults. Keys:
 * docs/format/trace.md. A failed write is the writer's sticky error, reported at its end. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exchange/import/import.h"
#include "model/flag.h"
#include "model/meta_key.h"

/* A trace may have 4096 keys; anything beyond these limits is still in the columns' labels. */
enum { MAPPINGS = 2000, FAULTS = 256 };

static void put_text(struct wtl_trace_writer *writer, const char *key, const char *value)
{
    if (value && *value)
        (void)wtl_trace_writer_meta(writer, key, value);
}

static void put_count(struct wtl_trace_writer *writer, const char *key, unsigned long long value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%llu", value);
    put_text(writer, key, text);
}

static void put_file(const struct wtl_import *import,
                     struct wtl_trace_writer *writer,
                     size_t number)
{
    const struct wtl_import_file *file = &import->files[number];
    char key[64];
    int n = snprintf(key, sizeof key, "import.file.%zu.", number + 1);
    char *end = key + n;
    size_t left = sizeof key - (size_t)n;
    (void)snprintf(end, left, "name");
    put_text(writer, key, file->path);
    (void)snprintf(end, left, "bytes");
    put_count(writer, key, file->bytes);
    (void)snprintf(end, left, "compression");
    put_text(writer, key, file->compression);
    (void)snprintf(end, left, "rows");
    put_count(writer, key, file->rows);
    (void)snprintf(end, left, "time");
    put_text(writer, key, file->time_text);
    (void)snprintf(end, left, "shape");
    put_text(writer, key, file->shape_text);
    (void)snprintf(end, left, "program");
    put_text(writer, key, file->program);
    int64_t zero_ns = file->table && file->table->has_zero ? file->table->zero_ns : INT64_MIN / 2;
    zero_ns += import->offset_ns;
    if (zero_ns > 0) {
        (void)snprintf(end, left, "zero_ns");
        put_count(writer, key, (uint64_t)zero_ns);
    }
    if (number > 0)
        return;
    const char *node = import->options->node ? import->options->node : file->machine;
    put_text(writer, WTL_META_HOST_NAME, node);
    put_text(writer, WTL_META_NODE_NAME, node);
}

static void put_mapping(const struct wtl_import *import, struct wtl_trace_writer *writer)
{
    char key[80], value[512], target[160];
    size_t written = 0;
    for (size_t i = 0; i < import->column_count && written < MAPPINGS; i++) {
        const struct wtl_import_column *column = &import->columns[i];
        if (column->role != WTL_ROLE_CHANNEL)
            continue;
        wtl_import_target(column, target, sizeof target);
        (void)snprintf(key, sizeof key, "import.channel.%s", column->name);
        (void)snprintf(value, sizeof value, "%.120s::%.120s=%s%s", import->files[column->file].path,
                       column->header, target, column->asked ? " (as told)" : "");
        put_text(writer, key, value);
        if (column->shift) {
            (void)snprintf(key, sizeof key, "import.shift.%s", column->name);
            (void)snprintf(value, sizeof value, "%+d", column->shift);
            put_text(writer, key, value);
        }
        written++;
    }
}

static void put_faults(const struct wtl_import *import, struct wtl_trace_writer *writer)
{
    char key[48], value[800];
    for (size_t i = 0; i < import->fault_count && i < FAULTS; i++) {
        const struct wtl_import_fault *fault = &import->faults[i];
        (void)snprintf(key, sizeof key, "import.fault.%zu", i + 1);
        wtl_import_fault_sentence(import, fault, value, sizeof value);
        put_text(writer, key, value);
    }
    if (import->fault_count == 0)
        return;
    (void)snprintf(value, sizeof value,
                   "%zu fault%s in the data, kept as recorded; list with \"wattle export --what "
                   "metadata\" (import.fault.N)",
                   import->fault_count, import->fault_count == 1 ? "" : "s");
    put_text(writer, WTL_META_FLAGS WTL_FLAG_IMPORT_FAULTS, value);
}

struct wtl_import_fault *wtl_import_fault(struct wtl_import *import,
                                          const char *kind,
                                          size_t file,
                                          int column)
{
    bool full = import->fault_count == WTL_IMPORT_FAULTS_MAX;
    struct wtl_import_fault *fault = &import->faults[import->fault_count];
    import->fault_count += !full;
    import->faults_left_out += full;
    *fault = (struct wtl_import_fault){
        .kind = kind, .file = file, .column = column, .confidence = (double)NAN};
    return fault;
}

void wtl_import_fault_sentence(const struct wtl_import *import,
                               const struct wtl_import_fault *fault,
                               char *text,
                               size_t size)
{
    char where[200];
    const char *path = wtl_import_file_name(import->files[fault->file].path);
    if (fault->line)
        (void)snprintf(where, sizeof where, "%.150s:%llu", path, (unsigned long long)fault->line);
    else
        (void)snprintf(where, sizeof where, "%.150s", path);
    if (fault->column >= 0)
        (void)snprintf(text, size, "%s: %s: \"%.80s\" %s", where, fault->kind,
                       import->columns[fault->column].header, fault->text);
    else
        (void)snprintf(text, size, "%s: %s: %s", where, fault->kind, fault->text);
}

void wtl_import_put_meta(const struct wtl_import *import, struct wtl_trace_writer *writer)
{
    put_text(writer, WTL_META_WATTLE_VERSION, WATTLE_VERSION);
    put_text(writer, WTL_META_RUN_TARGET, "recording");
    put_text(writer, WTL_META_RUN_ID, import->options->run_id);
    put_text(writer, WTL_META_IMPORT_FORMAT, wtl_import_format_name(&import->files[0]));
    put_text(writer, WTL_META_FLAGS WTL_FLAG_ASSUMED, import->assumed);
    put_text(
        writer, WTL_META_IMPORT_QUALITY,
        "as recorded by another program: wattle did not measure these values, \"measured\" is the "
        "statement of the source");
    put_text(writer, WTL_META_CLOCK_NAME,
             import->realtime ? "CLOCK_REALTIME of the recording"
                              : "time since the start of the recording, plus 1 s");
    for (size_t i = 0; i < import->options->meta_count; i++) {
        const char *text = import->options->meta[i], *equals = strchr(text, '=');
        char key[80];
        (void)snprintf(key, sizeof key, "%.*s", equals ? (int)(equals - text) : 0, text);
        if (*key)
            put_text(writer, key, equals + 1);
    }
    for (size_t i = 0; i < import->file_count && i < 200; i++)
        put_file(import, writer, i);
    put_mapping(import, writer);
    put_faults(import, writer);
}

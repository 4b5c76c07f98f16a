/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a Paraver trace: refused with a message, or read twice with the same values; also its activities. */
#define _GNU_SOURCE
#include "import_fuzz.h"

#include "exchange/paraver/paraver_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], trace[64];
    struct wattle_error err = {""};
    struct wtl_trace_writer *writer = NULL;
    const struct wtl_trace_options options = {.force = true};
    import_fuzz("paraver", NULL, data, size);
    if (size < 1)
        return 0;
    int fd = make_file(data + 1, size - 1, path);
    int out = make_file(data, 0, trace);
    if (wtl_trace_writer_create(trace, &options, &writer, NULL) == 0) {
        int rc = wtl_paraver_marks(path, 1000000000, writer, &err);
        demand(rc == 0 || err.text[0] != '\0');
        (void)wtl_trace_writer_finish(writer, NULL);
    }
    (void)close(out);
    (void)close(fd);
    return 0;
}

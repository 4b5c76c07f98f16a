/* SPDX-License-Identifier: BSD-3-Clause */
/* What a Paraver trace says about itself that both its power (paraver_table.c) and its activities (paraver_marks.c) need. */
#ifndef WTL_EXCHANGE_PARAVER_POWER_H
#define WTL_EXCHANGE_PARAVER_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

#include "exchange/import/import_table.h"
#include "exchange/paraver/paraver_file.h"
#include "trace/writer.h"

/* Of wattle's own comments at the top. */
struct wtl_paraver_own {
    bool wattle;      /* it wrote the file: each power holds up to the next */
    bool pmlib;       /* its pmlib did: values at an instant, in microwatts */
    int64_t begin_ns; /* since 1970; 0 = unknown */
};

/* A comment line: does wattle say something about the file? */
void wtl_paraver_own_take(struct wtl_paraver_own *own, const char *line);

/* Whether events of a type are power or energy: by its number, or by the unit or words of its name. */
bool wtl_paraver_is_power(const struct wtl_paraver_names *names, uint32_t type);

/* Write the activities of the table's file to the trace, streaming; trace time = time of the file + offset_ns. */
int wtl_paraver_marks(const char *path,
                      int64_t offset_ns,
                      struct wtl_trace_writer *writer,
                      struct wattle_error *err);

#endif

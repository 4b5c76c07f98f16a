/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a table of codes: refused with a message, or read with numbers that are valid codes. The first byte
 * chooses the options. */
#include <math.h>
#include <stdlib.h>

#include "exchange/import/code_column.h"
#include "exchange/import/code_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_text_source *source;
    struct wtl_code_table table;
    struct wattle_error err = {""};
    if (size < 1)
        return 0;
    struct wtl_code_table_options options = {
        .may_lack_codes = data[0] & 1,
        .wants_parameter = data[0] & 2,
        .parameter = data[0] & 4 ? "cap_w" : NULL,
    };
    if (wtl_text_source_memory("codes.csv", data + 1, size - 1, &source, &err) < 0)
        return 0;
    if (wtl_code_table_read("codes.csv", source, &options, &table, &err) < 0) {
        demand(err.text[0] != '\0');
        return 0;
    }
    demand(table.count > 0);
    for (size_t i = 0; i < table.count; i++) {
        const struct wtl_code_row *row = &table.rows[i];
        demand(!table.has_codes || (row->t_s > 0 && row->e_j > 0));
        demand(isfinite(row->t_s) == table.has_codes && isfinite(row->e_j) == table.has_codes);
        demand(!(row->pmin_w < 0) && !(row->pmax_w < 0));
        demand(isnan(row->parameter) || table.parameter);
    }
    if (table.parameter) {
        char name[64], unit[16];
        wtl_code_parameter_split(table.parameter, name, unit);
    }
    wtl_code_table_fini(&table);
    return 0;
}

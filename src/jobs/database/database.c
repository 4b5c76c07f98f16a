/* SPDX-License-Identifier: BSD-3-Clause */
/* Values and columns, whatever the engine; see database.h. */
#include "jobs/database/database.h"

#include <math.h>

struct wtl_sql_value wtl_sql_whole(int64_t value)
{
    return (struct wtl_sql_value){.form = WTL_SQL_WHOLE, .whole = value};
}

struct wtl_sql_value wtl_sql_real(double value)
{
    return isfinite(value) ? (struct wtl_sql_value){.form = WTL_SQL_REAL, .real = value}
                           : (struct wtl_sql_value){.form = WTL_SQL_NULL};
}

struct wtl_sql_value wtl_sql_text(const char *text)
{
    return (struct wtl_sql_value){.form = WTL_SQL_TEXT, .text = text ? text : ""};
}

double wtl_sql_get_real(const struct wtl_sql_row *row, int column)
{
    return row->engine->is_null(row->cursor, column) ? NAN : row->engine->real(row->cursor, column);
}

const char *wtl_sql_get_text(const struct wtl_sql_row *row, int column)
{
    const char *text =
        row->engine->is_null(row->cursor, column) ? NULL : row->engine->text(row->cursor, column);
    return text ? text : "";
}

int64_t wtl_sql_get_whole(const struct wtl_sql_row *row, int column, int64_t unknown)
{
    return row->engine->is_null(row->cursor, column) ? unknown
                                                     : row->engine->whole(row->cursor, column);
}

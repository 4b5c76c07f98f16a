/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of codes: meaning of columns, units, labels, parameters; for invalid input see
 * tests/cli/pose-bad-input. */
#include "exchange/import/code_table.h"

#include <errno.h>
#include <math.h>

#include "exchange/import/code_column.h"
#include "tap.h"

static int read_text(const char *text,
                     struct wtl_code_table_options options,
                     struct wtl_code_table *table)
{
    struct wtl_text_source *source;
    struct wattle_error err = {""};
    if (wtl_text_source_memory("t.csv", text, strlen(text), &source, &err) < 0)
        exit(1);
    int rc = wtl_code_table_read("t.csv", source, &options, table, &err);
    if (rc < 0)
        diag("%s", err.text);
    return rc;
}

static const struct name_row {
    int line;
    const char *name;
    enum wtl_code_meaning meaning;
    double factor;
} names[] = {
    {__LINE__, "runtime_s", WTL_CODE_TIME, 1},
    {__LINE__, " Time [ms] ", WTL_CODE_TIME, 1e-3},
    {__LINE__, "wall time (min)", WTL_CODE_TIME, 60},
    {__LINE__, "t", WTL_CODE_TIME, 1},
    {__LINE__, "t_s", WTL_CODE_TIME, 1},
    {__LINE__, "threads", WTL_CODE_OTHER, 1},
    {__LINE__, "time_zone", WTL_CODE_OTHER, 1},
    {__LINE__, "ENERGY_J", WTL_CODE_ENERGY, 1},
    {__LINE__, "energy kWh", WTL_CODE_ENERGY, 3.6e6},
    {__LINE__, "energy_MJ", WTL_CODE_ENERGY, 1e6},
    {__LINE__, "energy_mJ", WTL_CODE_ENERGY, 1e-3},
    {__LINE__, "energy_mj", WTL_CODE_OTHER, 1}, /* milli or mega? */
    {__LINE__, "energy_half_kJ", WTL_CODE_HALF, 1e3},
    {__LINE__, "Energy half [Wh]", WTL_CODE_HALF, 3600},
    {__LINE__, "energy_half_s", WTL_CODE_OTHER, 1},
    {__LINE__, "pmin_w", WTL_CODE_PMIN, 1},
    {__LINE__, "P_max [kW]", WTL_CODE_PMAX, 1e3},
    {__LINE__, "time (\xc2\xb5s)", WTL_CODE_TIME, 1e-6},
    {__LINE__, "Energy (\xce\xbcJ)", WTL_CODE_ENERGY, 1e-6},
    {__LINE__, "Energy (\xe2\x82\xac)", WTL_CODE_OTHER, 1},
    {__LINE__, "time (%)", WTL_CODE_OTHER, 1},
    {__LINE__, "energy$", WTL_CODE_OTHER, 1},
    {__LINE__, "pmin_watts", WTL_CODE_PMIN, 1},
    {__LINE__, "Pmax [MW]", WTL_CODE_PMAX, 1e6},
    {__LINE__, "pmax_mW", WTL_CODE_PMAX, 1e-3},
    {__LINE__, "pmax_mw", WTL_CODE_OTHER, 1},
    {__LINE__, "Platform", WTL_CODE_GROUP, 1},
    {__LINE__, "model", WTL_CODE_LABEL, 1},
    {__LINE__, "cap_w", WTL_CODE_OTHER, 1},
    {__LINE__, "", WTL_CODE_OTHER, 1},
};

static void test_names(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct wtl_code_column column;
        tap_line = names[i].line;
        is_int(wtl_code_column_of(names[i].name, &column), 0, "\"%s\"", names[i].name);
        is_int(column.meaning, names[i].meaning, "its meaning");
        is_double(column.factor, names[i].factor, 0, "its unit");
        free(column.name);
    }
    tap_line = 0;
}

static void test_parameter_names(void)
{
    char name[64], unit[16];
    wtl_code_parameter_split("frequency_ghz", name, unit);
    is_str(name, "frequency", "frequency_ghz");
    is_str(unit, "GHz", "its unit");
    wtl_code_parameter_split("Cap [W]", name, unit);
    is_str(name, "Cap", "Cap [W]");
    is_str(unit, "W", "its unit");
    wtl_code_parameter_split("cap_MW", name, unit);
    is_str(unit, "MW", "mega is not milli");
    wtl_code_parameter_split("cap_mW", name, unit);
    is_str(unit, "mW", "nor milli mega");
    wtl_code_parameter_split("cap_mw", name, unit);
    is_str(name, "cap mw", "and what may be both is neither");
    is_str(unit, "", "no unit");
    wtl_code_parameter_split("w", name, unit);
    is_str(name, "w", "w is no unit of nothing");
    is_str(unit, "", "no unit");
    wtl_code_parameter_split("threads", name, unit);
    is_str(name, "threads", "threads");
}

static void test_rows(void)
{
    struct wtl_code_table table;
    const char *text = "platform,application,model,runtime_s,energy_kJ,pmin_w,note\n"
                       "# a comment\n"
                       "node,Path,OpenMP,2,3,,x\n"
                       "\n"
                       ",Tea,,4,5,100,\n";
    is_int(read_text(text, (struct wtl_code_table_options){0}, &table), 0, "a table");
    is_int(table.count, 2, "rows");
    is_str(table.rows[0].label, "Path OpenMP", "label parts are joined");
    is_str(table.rows[1].label, "Tea", "empty ones left out");
    is_str(table.rows[0].group, "node", "group");
    ok(!table.rows[1].group, "no group");
    is_double(table.rows[0].e_j, 3000, 0, "kJ");
    ok(isnan(table.rows[0].pmin_w) && isnan(table.rows[0].pmax_w), "bounds may be absent");
    is_double(table.rows[1].pmin_w, 100, 0, "or there");
    is_int(table.rows[1].line, 5, "line");
    ok(!table.parameter, "no parameter, since none is wanted");
    wtl_code_table_fini(&table);
}

static void test_parameter(void)
{
    struct wtl_code_table table;
    const char *one = "note,time,energy,cap_w\nfirst,1,2,-3\nsecond,1,2,\n";
    const char *two = "time,energy,cap_w,threads\n1,2,3,4\n";
    struct wtl_code_table_options wants = {.wants_parameter = true};
    struct wtl_code_table_options named = {.wants_parameter = true, .parameter = "threads"};
    is_int(read_text(one, wants, &table), 0, "the only further column of numbers");
    is_str(table.parameter, "cap_w", "its name");
    is_double(table.rows[0].parameter, -3, 0, "its number");
    ok(isnan(table.rows[1].parameter), "may be empty");
    wtl_code_table_fini(&table);
    is_int(read_text(two, wants, &table), -EBADMSG, "two of them");
    is_int(read_text(two, named, &table), 0, "named");
    is_double(table.rows[0].parameter, 4, 0, "is taken");
    wtl_code_table_fini(&table);
}

/* Bounds are never ignored; for time and energy one column with a known unit is enough. */
static void test_strange_units(void)
{
    static const char *const refused[] = {
        "time,energy,pmin_mw\n1,2,3\n",  "time,energy,Pmax [bhp]\n1,2,3\n",
        "time,energy,pmin (%)\n1,2,3\n", "time,Energy (\xe2\x82\xac)\n1,2\n",
        "time (%),energy\n1,2\n",
    };
    struct wtl_code_table table;
    struct wtl_code_table_options none = {.may_lack_codes = false};
    struct wtl_code_table_options wants = {.wants_parameter = true};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        is_int(read_text(refused[i], none, &table), -EBADMSG, "refused, table %zu", i);
    is_int(read_text("runtime_s,energy,time_zone\n1,2,3\n", wants, &table), 0, "a zone beside");
    ok(!table.parameter, "is no parameter either");
    wtl_code_table_fini(&table);
}

int main(void)
{
    test_names();
    test_parameter_names();
    test_rows();
    test_parameter();
    test_strange_units();
    return done_testing();
}

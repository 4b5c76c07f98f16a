/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Paraver trace of power: pmlib's event types, but integers, since Paraver reads no others: times in the unit of the
 * header, values in microwatts. A comment and the .pcf say so. A viewer draws a value up to the next one, so a sample that
 * is not known has a value of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pmclient/client_counter.h"
#include "pmclient/connection.h"

#undef pm_print_data_paraver

enum {
    TYPE_SUM = 500000009,
    TYPE_LINE = 500000010,
    DECIMALS = 6,
    UNKNOWN = -1000000 /* a power of just -1 W is the next number */
};

/* Units per second; 0 = unknown. */
static double units_of(const char *unit)
{
    return !unit || !unit[0] || strcmp(unit, "ns") == 0 ? 1e9
           : strcmp(unit, "us") == 0                    ? 1e6
           : strcmp(unit, "ms") == 0                    ? 1e3
                                                        : 0;
}

static void print_event(FILE *out, int64_t time, int type, double watts)
{
    long long value = isfinite(watts) ? llround(watts * 1e6) : UNKNOWN;
    if (isfinite(watts) && value == UNKNOWN)
        value--;
    (void)fprintf(out, "2:0:1:1:1:%" PRId64 ":%d:%lld\n", time, type, value);
}

/* Sets follow each other without the time between them. */
static void print_trace(FILE *out, const struct wtl_pm_table *table, const char *unit)
{
    double units = units_of(unit), total_s = 0, began_s = 0;
    char date[40];
    time_t now = time(NULL);
    struct tm local;
    for (int set = table->first_set; set < table->end_set; set++)
        total_s += wtl_pm_table_duration_s(table, set);
    if (!localtime_r(&now, &local) || strftime(date, sizeof date, "%d/%m/%Y at %H:%M", &local) == 0)
        date[0] = '\0';
    (void)fprintf(out, "#Paraver (%s):%lld_%s:1(1):1:1(1:1)\n# power in uW; %d = unknown\n", date,
                  llround(total_s * units), unit && unit[0] ? unit : "ns", UNKNOWN);
    for (int set = table->first_set; set < table->end_set; set++) {
        int n = wtl_pm_table_length(table, set);
        double duration_s = wtl_pm_table_duration_s(table, set);
        for (int i = 0; i < n; i++) {
            int64_t at = llround((began_s + (n > 1 ? i * duration_s / (n - 1) : 0)) * units);
            for (int column = 0; column < table->line_count && table->lines[column] >= 0; column++)
                print_event(out, at, TYPE_LINE + table->lines[column],
                            wtl_pm_table_at(table, column, set, i));
            print_event(out, at, TYPE_SUM, wtl_pm_table_sum(table, set, i));
        }
        began_s += duration_s;
    }
}

static void print_names(FILE *out, const struct wtl_pm_table *table)
{
    (void)fprintf(out, "EVENT_TYPE\n7    %d    sum [W]\n", TYPE_SUM);
    for (int column = 0; column < table->line_count && table->lines[column] >= 0; column++)
        (void)fprintf(out, "7    %d    line %d [W]\n", TYPE_LINE + table->lines[column],
                      table->lines[column]);
    (void)fprintf(out, "PRECISION %d\n", DECIMALS);
}

static int close_file(FILE *out, const char *file)
{
    bool failed = !out || ferror(out);
    if ((out && fclose(out) != 0) || failed)
        return wtl_pm_complain("cannot write \"%s\": %s", file, strerror(errno));
    return 1;
}

/* "power.pcf" beside "power.prv", unless somebody else wrote it. */
static int write_names(const char *file, const struct wtl_pm_table *table)
{
    char path[PATH_MAX];
    size_t n = strlen(file);
    if (n < 4 || n >= sizeof path || strcmp(file + n - 4, ".prv") != 0)
        return 1;
    (void)snprintf(path, sizeof path, "%.*s.pcf", (int)(n - 4), file);
    FILE *out = fopen(path, "wx");
    if (!out && errno == EEXIST)
        return 1;
    if (out)
        print_names(out, table);
    return close_file(out, path);
}

int pm_print_data_paraver(const char *file,
                          counter_t counter,
                          line_t lines,
                          int set,
                          const char *unit)
{
    struct wtl_pm_table table;
    if (wtl_pm_table_of(&counter, lines, set, &table) < 0)
        return -1;
    if (units_of(unit) <= 0)
        return wtl_pm_complain("unit \"%s\": use ns, us or ms", unit);
    FILE *out = fopen(file, "w");
    if (out)
        print_trace(out, &table, unit);
    return close_file(out, file) < 0 ? -1 : write_names(file, &table);
}

int pm_get_and_print_data_paraver(const char *file,
                                  counter_t *counter,
                                  line_t lines,
                                  int set,
                                  const char *unit)
{
    return pm_get_counter_data(counter) < 0
               ? -1
               : pm_print_data_paraver(file, *counter, lines, set, unit);
}

int pm_print_all_paraver(const char *file, counter_t *counter, const char *unit)
{
    line_t all;
    LINE_SET_ALL(&all);
    return pm_print_data_paraver(file, *counter, all, -1, unit);
}

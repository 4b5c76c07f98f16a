/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing what was fetched. The protocol has no times: the samples of a set are spread evenly from its start to its stop.
 * A sample that is not known stays NaN, also in sums and energies.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pmclient/client_counter.h"
#include "pmclient/connection.h"

#undef pm_print_data_stdout

int wtl_pm_table_of(const counter_t *counter, line_t lines, int set, struct wtl_pm_table *ret)
{
    if (!counter->measures || !counter->measures->energy.watts_sets)
        return wtl_pm_complain("no data was fetched; call pm_get_counter_data() first");
    const pm_measures *energy = &counter->measures->energy;
    int sets = energy->watts_sets_size - 1, column = 0;
    if (set < -1 || set >= sets || sets > counter->measures->next_timing)
        return wtl_pm_complain("there is no set %d; the counter has %d, from 0; -1 = all", set,
                               sets);
    *ret = (struct wtl_pm_table){.energy = energy,
                                 .timing = counter->measures->timing,
                                 .first_set = set < 0 ? 0 : set,
                                 .end_set = set < 0 ? sets : set + 1};
    if (counter->aggregate) {
        ret->line_count = 1;
        ret->lines[0] = -1;
        return 0;
    }
    line_t none, chosen = counter->lines;
    LINE_CLR_ALL(&none);
    if (memcmp(&chosen, &none, sizeof none) == 0) /* a server takes it for all lines */
        LINE_SET_ALL(&chosen);
    for (int i = 0; i < WTL_PM_LINES && i < counter->num_lines && column < energy->lines_len; i++) {
        if (!LINE_ISSET(i, &chosen))
            continue;
        if (LINE_ISSET(i, &lines)) {
            ret->lines[ret->line_count] = i;
            ret->columns[ret->line_count++] = column;
        }
        column++;
    }
    return 0;
}

int wtl_pm_table_length(const struct wtl_pm_table *table, int set)
{
    return table->energy->watts_sets[set + 1] - table->energy->watts_sets[set];
}

double wtl_pm_table_duration_s(const struct wtl_pm_table *table, int set)
{
    return table->timing[2 * set + 1] - table->timing[2 * set];
}

double wtl_pm_table_at(const struct wtl_pm_table *table, int column, int set, int i)
{
    const pm_measures *energy = table->energy;
    size_t per_line = (size_t)energy->watts_sets[energy->watts_sets_size - 1];
    return energy->watts[(size_t)table->columns[column] * per_line +
                         (size_t)energy->watts_sets[set] + (size_t)i];
}

double wtl_pm_table_sum(const struct wtl_pm_table *table, int set, int i)
{
    double sum = table->line_count > 0 ? 0 : (double)NAN;
    for (int column = 0; column < table->line_count; column++)
        sum += wtl_pm_table_at(table, column, set, i);
    return sum;
}

static void print_table(FILE *out, const struct wtl_pm_table *table, char separator)
{
    bool aggregated = table->line_count == 1 && table->lines[0] < 0;
    (void)fprintf(out, "Set_id%cTime", separator);
    for (int i = 0; i < table->line_count && !aggregated; i++)
        (void)fprintf(out, "%cLine %d", separator, table->lines[i]);
    (void)fprintf(out, "%c%s\n", separator, aggregated ? "Value_aggregate" : "Sum");
    for (int set = table->first_set; set < table->end_set; set++) {
        int n = wtl_pm_table_length(table, set);
        double step_s = n > 1 ? wtl_pm_table_duration_s(table, set) / (n - 1) : 0;
        for (int i = 0; i < n; i++) {
            (void)fprintf(out, "%d%c%f", set, separator, i * step_s);
            for (int column = 0; column < table->line_count && !aggregated; column++)
                (void)fprintf(out, "%c%f", separator, wtl_pm_table_at(table, column, set, i));
            (void)fprintf(out, "%c%f\n", separator, wtl_pm_table_sum(table, set, i));
        }
    }
}

static int print_file(const char *file,
                      const counter_t *counter,
                      line_t lines,
                      int set,
                      char separator)
{
    struct wtl_pm_table table = {0};
    if (wtl_pm_table_of(counter, lines, set, &table) < 0)
        return -1;
    FILE *out = fopen(file, "w");
    if (out)
        print_table(out, &table, separator);
    bool failed = !out || ferror(out);
    if ((out && fclose(out) != 0) || failed)
        return wtl_pm_complain("cannot write \"%s\": %s", file, strerror(errno));
    return 1;
}

int pm_print_data_stdout(counter_t counter, line_t lines, int set)
{
    struct wtl_pm_table table = {0};
    if (wtl_pm_table_of(&counter, lines, set, &table) < 0)
        return -1;
    print_table(stdout, &table, '\t');
    return 1;
}

int pm_print_data_text(const char *file, counter_t counter, line_t lines, int set)
{
    return print_file(file, &counter, lines, set, '\t');
}

int pm_print_data_csv(const char *file, counter_t counter, line_t lines, int set)
{
    return print_file(file, &counter, lines, set, ';');
}

int pm_print_all_stdout(counter_t *counter)
{
    line_t all;
    LINE_SET_ALL(&all);
    return pm_print_data_stdout(*counter, all, -1);
}

int pm_calculate_energy(counter_t counter, line_t lines, int set)
{
    struct wtl_pm_table table = {0};
    if (wtl_pm_table_of(&counter, lines, set, &table) < 0)
        return -1;
    for (int s = table.first_set; s < table.end_set; s++) {
        int n = wtl_pm_table_length(&table, s), unknown = 0;
        double sum = 0, time_s = wtl_pm_table_duration_s(&table, s);
        for (int i = 0; i < n; i++) {
            double watts = wtl_pm_table_sum(&table, s, i);
            unknown += isnan(watts) != 0;
            sum += watts;
        }
        double mean_w = n > 0 ? sum / n : (double)NAN;
        (void)fprintf(stdout, "%f\t%f\t%f\n", time_s, mean_w, mean_w * time_s);
        if (n == 0 || unknown > 0)
            (void)wtl_pm_complain("set %d: %d of %d samples are not known, so its energy is not", s,
                                  unknown, n);
    }
    return 1;
}

int pm_fprint_counter_info(const char *file, counter_t counter)
{
    FILE *out = fopen(file, "a");
    if (!out)
        return wtl_pm_complain("cannot write \"%s\": %s", file, strerror(errno));
    (void)fprintf(out,
                  "socket: %d\naggregate: %d\nlines of the device: %d\nactive lines:", counter.sock,
                  counter.aggregate, counter.num_lines);
    for (int i = 0; i < counter.num_lines; i++) {
        if (LINE_ISSET(i, &counter.lines))
            (void)fprintf(out, " %d", i);
    }
    (void)fprintf(out, "\nfrequency: %d\n", counter.interval);
    return fclose(out) == 0 ? 1 : wtl_pm_complain("cannot write \"%s\": %s", file, strerror(errno));
}

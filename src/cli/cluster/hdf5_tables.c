/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a trace as tables of an HDF5 profile: see hdf5_tables.h. */
#include "cli/cluster/hdf5_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/node_rows.h"
#include "base/fail.h"
#include "base/whole.h"
#include "counters/cputime.h"

/* State of a table while its rows are pulled. */
struct table {
    struct wtl_trace_reader *reader;
    struct wtl_hdf5_written *written;
    struct wtl_node_rows rows, frequency;
    size_t at, frequencies; /* frequencies: channels in the sum; 0 = no column */
    double carry_j;
    double joules, seconds; /* known since the start, up to the current row */
};

static const struct wtl_slurm_field energy_fields[] = {{"ElapsedTime", false}, {"EpochTime", false},
                                                       {"Power", false},       {"Joules", true},
                                                       {"Seconds", true},      {"Time", true}};
static const struct wtl_slurm_field task_fields[] = {
    {"ElapsedTime", false}, {"EpochTime", false}, {"CPUTime", true},      {"CPUUtilization", true},
    {"Seconds", true},      {"Time", true},       {"CPUFrequency", false}};
enum { ENERGY_FIELDS = 6, TASK_FIELDS = 6 /* and the frequency, where it is known */ };

/* Whole watts whose sum does not drift: rounded down or up, whichever keeps the energy of all rows so far closer to
 * the real one. */
static uint64_t round_power(struct table *table, double joules, double seconds)
{
    double mean = joules / seconds, down = floor(mean);
    if (!(mean > 0 && mean < 1e15))
        return wtl_whole_u64(mean);
    double left = table->carry_j + joules - down * seconds;
    bool up = fabs(left - seconds) < fabs(left);
    table->carry_j = up ? left - seconds : left;
    return wtl_whole_u64(down) + up;
}

/* The next row of which something is known, and its times: the second in which it ends, that of the day, and seconds
 * since the start. */
static bool next_row(struct table *table, union wtl_slurm_cell *cells, union wtl_slurm_cell *time)
{
    const struct wtl_node_rows *rows = &table->rows;
    while (table->at < rows->count && !(rows->known_s[table->at] > 0)) {
        table->written->unknown_rows++;
        table->at++;
    }
    if (table->at == rows->count)
        return false;
    uint64_t end_ns = wtl_node_rows_end(rows, table->at), realtime_ns;
    uint64_t elapsed_ns = end_ns - rows->begin_ns;
    cells[0].whole = elapsed_ns / 1000000000u + (elapsed_ns % 1000000000u > 0);
    if (wtl_trace_reader_realtime(table->reader, end_ns, &realtime_ns) < 0) {
        table->written->no_date = true;
        realtime_ns = elapsed_ns;
    }
    cells[1].whole = realtime_ns / 1000000000u;
    time->real = (double)elapsed_ns * 1e-9;
    table->at++;
    return true;
}

static bool next_energy(void *context, union wtl_slurm_cell *cells)
{
    struct table *table = context;
    if (!next_row(table, cells, &cells[5]))
        return false;
    double joules = table->rows.amount[table->at - 1], seconds = table->rows.known_s[table->at - 1];
    cells[2].whole = round_power(table, joules, seconds);
    cells[3].real = table->joules += joules;
    cells[4].real = table->seconds += seconds;
    return true;
}

static bool next_task(void *context, union wtl_slurm_cell *cells)
{
    struct table *table = context;
    if (!next_row(table, cells, &cells[5]))
        return false;
    double cpu_s = table->rows.amount[table->at - 1], seconds = table->rows.known_s[table->at - 1];
    cells[2].real = cpu_s;
    cells[3].real = 100 * cpu_s / seconds;
    cells[4].real = table->seconds += seconds;
    if (table->frequencies)
        cells[6].whole = wtl_whole_u64(table->frequency.amount[table->at - 1] /
                                       table->frequency.known_s[table->at - 1] /
                                       (double)table->frequencies * 1e-3);
    return true;
}

static bool is_known(const struct wtl_node_rows *rows)
{
    size_t k = 0;
    while (k < rows->count && !(rows->known_s[k] > 0))
        k++;
    return k < rows->count;
}

static int write_table(struct wtl_slurm_file *file,
                       const char *name,
                       const struct wtl_slurm_field *fields,
                       size_t count,
                       wtl_slurm_next_fn *next,
                       struct table *table,
                       struct wattle_error *err)
{
    if (!is_known(&table->rows))
        return 0;
    table->written->tables++;
    return wtl_slurm_file_table(file, name, fields, count, next, table, err);
}

static size_t find_frequencies(struct wtl_trace_reader *reader,
                               const struct wtl_result *result,
                               uint32_t *ids)
{
    size_t count = 0;
    for (size_t i = 0; i < result->channel_count; i++) {
        const struct wattle_channel *channel = &result->channels[i].channel;
        int id = channel->quantity == WATTLE_FREQUENCY
                     ? wtl_trace_reader_find_channel(reader, channel->name)
                     : -1;
        if (id >= 0)
            ids[count++] = (uint32_t)id;
    }
    return count;
}

static int read_rows(struct table *table,
                     const struct wtl_result *result,
                     const uint32_t *ids,
                     size_t count,
                     uint64_t step_ns,
                     struct wtl_node_rows *ret_rows,
                     struct wattle_error *err)
{
    return wtl_node_rows_read(table->reader, ids, count, result->start_monotonic_ns,
                              result->end_monotonic_ns, step_ns, ret_rows, err);
}

int wtl_hdf5_energy(struct wtl_slurm_file *file,
                    struct wtl_trace_reader *reader,
                    const struct wtl_result *result,
                    uint64_t step_ns,
                    struct wtl_hdf5_written *written,
                    struct wattle_error *err)
{
    struct table table = {.reader = reader, .written = written};
    int rc = result->total.count > 0
                 ? wtl_node_rows_of_total(reader, result, step_ns, &table.rows, err)
                 : 0;
    if (rc == 0)
        rc = write_table(file, "Energy", energy_fields, ENERGY_FIELDS, next_energy, &table, err);
    wtl_node_rows_fini(&table.rows);
    return rc;
}

/* A whole number cannot be unknown: the column is there only if it is known wherever the CPU time is. */
static bool frequency_is_whole(const struct table *table)
{
    for (size_t k = 0; k < table->rows.count; k++)
        if (table->rows.known_s[k] > 0 && !(table->frequency.known_s[k] > 0))
            return false;
    return true;
}

int wtl_hdf5_tasks(struct wtl_slurm_file *file,
                   int task,
                   struct wtl_trace_reader *reader,
                   const struct wtl_result *result,
                   uint64_t step_ns,
                   struct wtl_hdf5_written *written,
                   struct wattle_error *err)
{
    struct table table = {.reader = reader, .written = written};
    char name[32];
    int id = wtl_trace_reader_find_channel(reader, WTL_CPUTIME_TREE);
    id = id < 0 ? wtl_trace_reader_find_channel(reader, WTL_CPUTIME_CGROUP) : id;
    if (id < 0)
        return 0;
    uint32_t tree = (uint32_t)id, *ids = malloc((result->channel_count + 1) * sizeof *ids);
    if (!ids)
        return wtl_no_memory(err);
    int rc = read_rows(&table, result, &tree, 1, step_ns, &table.rows, err);
    if (rc == 0 && (table.frequencies = find_frequencies(reader, result, ids)) > 0) {
        rc = read_rows(&table, result, ids, table.frequencies, step_ns, &table.frequency, err);
        table.frequencies = rc == 0 && frequency_is_whole(&table) ? table.frequencies : 0;
    }
    (void)snprintf(name, sizeof name, "Tasks/%d", task);
    if (rc == 0)
        rc = write_table(file, name, task_fields, TASK_FIELDS + (table.frequencies > 0), next_task,
                         &table, err);
    wtl_node_rows_fini(&table.rows);
    wtl_node_rows_fini(&table.frequency);
    free(ids);
    return rc;
}

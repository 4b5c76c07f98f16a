/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a trace as tables of an HDF5 profile: see hdf5_tables.h. */
#include "cli/export/hdf5_tables.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/power/node_rows.h"
#include "base/fail.h"
#include "base/whole.h"
#include "counters/cputime.h"
#include "model/counters/counter_set.h"
#include "model/meta_key.h"

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
static const struct wtl_slurm_field network_fields[] = {
    {"ElapsedTime", false}, {"EpochTime", false}, {"PacketsIn", false}, {"PacketsOut", false},
    {"InMB", true},         {"OutMB", true},      {"Seconds", true},    {"Time", true}};
static const struct wtl_slurm_field filesystem_fields[] = {
    {"ElapsedTime", false}, {"EpochTime", false}, {"Reads", false},  {"ReadMB", true},
    {"Writes", false},      {"WriteMB", true},    {"Seconds", true}, {"Time", true}};
/* Counters in the order of these columns. */
enum { TRAFFIC = 4, TRAFFIC_FIELDS = 8 };
static const char *const network_counts[TRAFFIC] = {"net:received_packets", "net:sent_packets",
                                                    "net:received_bytes", "net:sent_bytes"};
static const char *const filesystem_counts[TRAFFIC] = {"disk:reads", "disk:read_bytes",
                                                       "disk:writes", "disk:written_bytes"};
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

/* ---- network and disks ---- */

struct traffic {
    struct table first; /* of the first counter, whose rows are counted */
    const struct wtl_slurm_field *fields;
    struct wtl_node_rows others[TRAFFIC - 1];
    double carry[TRAFFIC];
};

static const struct wtl_node_rows *rows_of(const struct traffic *traffic, size_t i)
{
    return i == 0 ? &traffic->first.rows : &traffic->others[i - 1];
}

/* Counts are whole: what is rounded off goes into the next row, so that their sum is right. */
static bool next_traffic(void *context, union wtl_slurm_cell *cells)
{
    struct traffic *traffic = context;
    struct table *table = &traffic->first;
    if (!next_row(table, cells, &cells[TRAFFIC_FIELDS - 1]))
        return false;
    for (size_t i = 0; i < TRAFFIC; i++) {
        double amount = rows_of(traffic, i)->amount[table->at - 1];
        if (traffic->fields[2 + i].real) {
            cells[2 + i].real = amount / (1 << 20);
            continue;
        }
        double due = amount + traffic->carry[i], whole = floor(due + 0.5);
        cells[2 + i].whole = wtl_whole_u64(whole);
        traffic->carry[i] = due - whole;
    }
    cells[TRAFFIC_FIELDS - 2].real = table->seconds += table->rows.known_s[table->at - 1];
    return true;
}

/* The ids of the channels with these counts; false: not all of them were recorded. */
static bool find_counts(struct wtl_trace_reader *reader,
                        const struct wtl_counter_set *set,
                        const struct wtl_result *result,
                        const char *const *sources,
                        uint32_t *ret_ids)
{
    for (size_t i = 0; i < TRAFFIC; i++) {
        const char *name = NULL;
        int id = -1;
        for (size_t k = 0; k < set->column_count; k++)
            if (strcmp(set->columns[k].source, sources[i]) == 0)
                name = set->columns[k].name;
        for (size_t k = 0; name && id < 0 && k < result->channel_count; k++) {
            const struct wattle_channel *channel = &result->channels[k].channel;
            if (strcmp(channel->sensor, WTL_COUNTER_SENSOR) == 0 &&
                strcmp(channel->label, name) == 0)
                id = wtl_trace_reader_find_channel(reader, channel->name);
        }
        if (id < 0)
            return false;
        ret_ids[i] = (uint32_t)id;
    }
    return true;
}

/* A count that is unknown where another is known cannot be told from 0. */
static void drop_unknown(struct traffic *traffic)
{
    struct wtl_node_rows *rows = &traffic->first.rows;
    for (size_t k = 0; k < rows->count; k++)
        for (size_t i = 1; i < TRAFFIC; i++)
            if (!(rows_of(traffic, i)->known_s[k] > 0))
                rows->known_s[k] = 0;
}

static int write_traffic(struct wtl_slurm_file *file,
                         const char *name,
                         const uint32_t *ids,
                         struct traffic *traffic,
                         const struct wtl_result *result,
                         uint64_t step_ns,
                         struct wattle_error *err)
{
    struct table *table = &traffic->first;
    int rc = 0;
    for (size_t i = 0; i < TRAFFIC && rc == 0; i++)
        rc = read_rows(table, result, &ids[i], 1, step_ns,
                       i == 0 ? &table->rows : &traffic->others[i - 1], err);
    if (rc == 0) {
        drop_unknown(traffic);
        table->written->tables += is_known(&table->rows);
        if (is_known(&table->rows))
            rc = wtl_slurm_file_table(file, name, traffic->fields, TRAFFIC_FIELDS, next_traffic,
                                      traffic, err);
    }
    wtl_node_rows_fini(&table->rows);
    for (size_t i = 1; i < TRAFFIC; i++)
        wtl_node_rows_fini(&traffic->others[i - 1]);
    return rc;
}

int wtl_hdf5_traffic(struct wtl_slurm_file *file,
                     struct wtl_trace_reader *reader,
                     const struct wtl_result *result,
                     uint64_t network_ns,
                     uint64_t filesystem_ns,
                     struct wtl_hdf5_written *written,
                     struct wattle_error *err)
{
    const char *columns = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_COLUMNS);
    const char *scope = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_SCOPE);
    struct traffic network = {.first = {.reader = reader, .written = written},
                              .fields = network_fields};
    struct traffic disks = {.first = {.reader = reader, .written = written},
                            .fields = filesystem_fields};
    struct wattle_error ignored;
    uint32_t ids[TRAFFIC];
    struct wtl_counter_set *set = columns ? malloc(sizeof *set) : NULL;
    if (!set)
        return columns ? wtl_no_memory(err) : 0;
    int rc = wtl_counter_set_from_texts(set, "", columns, NULL, &ignored);
    if (rc < 0) {
        free(set);
        return rc == -ENOMEM ? wtl_no_memory(err) : 0; /* another version's */
    }
    if (network_ns && find_counts(reader, set, result, network_counts, ids))
        rc = write_traffic(file, "Network", ids, &network, result, network_ns, err);
    /* Of a process tree only bytes are counted, but reads and writes of the whole machine. */
    bool alike = !scope || strcmp(scope, "tree") != 0;
    if (rc == 0 && filesystem_ns && alike &&
        find_counts(reader, set, result, filesystem_counts, ids))
        rc = write_traffic(file, "Filesystem", ids, &disks, result, filesystem_ns, err);
    wtl_counter_set_fini(set);
    free(set);
    return rc;
}

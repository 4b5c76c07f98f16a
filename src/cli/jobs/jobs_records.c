/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of jobs: see jobs_records.h. */
#define _GNU_SOURCE
#include "cli/jobs/jobs_records.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cli/documents.h"
#include "jobs/job_time.h"
#include "model/energy.h"
#include "report/digits.h"
#include "report/json_value.h"

int wtl_jobs_show_take(void *arg, const struct wtl_job_record *record)
{
    struct wtl_jobs_show *show = arg;
    if (wtl_grow(&show->records, show->count, sizeof *show->records) < 0)
        return -ENOMEM;
    struct wtl_jobs_record *copy = &show->records[show->count];
    copy->record = *record;
    copy->state = wtl_job_state_word(record->state);
    copy->record.channels = NULL;
    if (record->channel_count > 0) {
        copy->record.channels = malloc(record->channel_count * sizeof *record->channels);
        if (!copy->record.channels)
            return -ENOMEM;
        memcpy(copy->record.channels, record->channels,
               record->channel_count * sizeof *record->channels);
    }
    show->count++;
    return 0;
}

void wtl_jobs_show_fini(struct wtl_jobs_show *show)
{
    for (size_t i = 0; i < show->count; i++)
        free(show->records[i].record.channels);
    free(show->records);
    wtl_jobs_list_fini(&show->jobs);
}

/* ---- cells ---- */

static const struct wtl_job_record *record_of(const void *of)
{
    return &((const struct wtl_jobs_record *)of)->record;
}

static void elapsed_cell(const void *of, char *text, size_t n)
{
    int64_t ns = record_of(of)->elapsed_ns;
    (void)wtl_jobs_elapsed_cell(ns < 0 ? (double)NAN : 1e-9 * (double)ns, text, n);
}

static void charged_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_record *r = record_of(of);
    const struct wtl_jobs_estimate estimate = {.j = r->charged_j,
                                               .half_j = r->resolution_j,
                                               .low_j = r->charged_low_j,
                                               .high_j = r->charged_high_j,
                                               .lower = r->lower_bound};
    if (strcmp(r->quality, "estimated") == 0)
        (void)wtl_jobs_estimate_cell(&estimate, text, n);
    else
        (void)wtl_jobs_interval_cell(r->charged_j,
                                     isnan(r->charged_high_j) ? r->resolution_j
                                                              : r->charged_high_j - r->charged_j,
                                     r->lower_bound, text, n);
}

/* "": none. */
static void gpu_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_record *r = record_of(of);
    text[0] = '\0';
    if (r->gpu_j > 0)
        (void)wtl_jobs_energy_cell(r->gpu_j, (double)NAN, r->lower_bound, text, n);
}

/* "": all of it is the job's. */
static void node_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_record *r = record_of(of);
    text[0] = '\0';
    if (!isnan(r->energy_j) && !(fabs(r->energy_j - r->charged_j) <= 0))
        (void)wtl_jobs_interval_cell(r->energy_j, r->resolution_j, r->unknown_s > 0, text, n);
}

static void cpu_cell(const void *of, char *text, size_t n)
{
    (void)wtl_jobs_elapsed_cell(record_of(of)->cpu_s, text, n);
}

static void rss_cell(const void *of, char *text, size_t n)
{
    int64_t bytes = record_of(of)->max_rss_bytes;
    text[0] = '\0';
    if (bytes >= 0)
        (void)wtl_digits_bytes(text, n, (double)bytes);
}

static void rule_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_record *r = record_of(of);
    const char *quality = wtl_jobs_quality(r->quality, r->simulated);
    (void)snprintf(text, n, "%s%s%s", r->rule, r->rule[0] && quality[0] ? ", " : "", quality);
}

static void channel_energy_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_channel *channel = of;
    (void)wtl_jobs_interval_cell(channel->energy_j, channel->resolution_j, channel->unknown_s > 0,
                                 text, n);
}

static void channel_share_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_channel *channel = of;
    (void)wtl_jobs_interval_cell(channel->share_j, channel->resolution_j, channel->unknown_s > 0,
                                 text, n);
}

static void channel_name_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_channel *channel = of;
    (void)snprintf(text, n, "%s%s", channel->in_total ? "+ " : "  ", channel->name);
}

/* ---- the tables of members ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_member of_channel[] = {
    {"name", WTL_CHARS_AT(struct wtl_job_channel, name), .text = 1, .heading = "channel",
     .left = true, .cell = channel_name_cell, .meaning = "its name in `wattle sensors`"},
    {"domain", WTL_NAME_AT(struct wtl_job_channel, domain), .nullable = true,
     .meaning = "what it measures"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct wtl_job_channel, energy_j), .text = 3,
     .heading = "node's energy", .cell = channel_energy_cell,
     .meaning = "energy of the node on it"},
    {"share_j", WTL_NUMBER_OR_NULL(struct wtl_job_channel, share_j), .text = 2, .heading = "energy",
     .cell = channel_share_cell, .meaning = "of which the job is charged"},
    {"resolution_j", WTL_NUMBER_OR_NULL(struct wtl_job_channel, resolution_j),
     .meaning = "greatest error of energy_j by its ticks and the times of its readings"},
    {"unknown_s", WTL_NUMBER_OR_NULL(struct wtl_job_channel, unknown_s),
     .meaning = "time that it leaves out"},
    {"rule", WTL_NAME_AT(struct wtl_job_channel, rule), .nullable = true, .text = 5,
     .heading = "share", .left = true,
     .meaning = "of a GPU that the job had: reserved (by it alone), use (derived from the part of "
                "the GPU's time that its processes used), none (unknown); null: as of the record"},
    {"undivided_j", WTL_NUMBER_OR_NULL(struct wtl_job_channel, undivided_j),
     .meaning = "of a GPU: what the job shares with others in an unknown proportion, and is not "
                "charged; null: no such GPU"},
    {"quality", WTL_NAME_AT(struct wtl_job_channel, quality), .nullable = true, .text = 4,
     .heading = "quality", .left = true, .meaning = "measured, derived, estimated or simulated"},
    {"in_total", WTL_BOOLEAN_AT(struct wtl_job_channel, in_total), .meaning = "part of the total"},
    {.key = NULL}};
static const struct wtl_noun channel_noun = {"recorded channel", of_channel};

#define INT_OF(field, unit_, function)                                                           \
    .type = WTL_MEMBER_NUMBER, .unit = (unit_), .nullable = true, .get = function, .digits = 19, \
    .offset = offsetof(struct wtl_jobs_record, record.field)
#define COUNT_OF(field, function)                                  \
    .type = WTL_MEMBER_INTEGER, .nullable = true, .get = function, \
    .offset = offsetof(struct wtl_jobs_record, record.field)
#define NUMBER_OF(field) WTL_NUMBER_OR_NULL(struct wtl_jobs_record, record.field)
#define NAME_OF(field)   WTL_NAME_AT(struct wtl_jobs_record, record.field), .nullable = true
static const struct wtl_member of_record[] = {
    {"job", NAME_OF(job_id), .csv = 1, .meaning = "id of its job"},
    {"cluster", NAME_OF(cluster), .csv = 2, .meaning = "its cluster; null: none"},
    {"unit", NAME_OF(unit), .csv = 3, .meaning = "as in the list of jobs"},
    {"step", NAME_OF(step), .csv = 4, .text = 2, .heading = "step", .left = true,
     .meaning = "step of the job; null: the whole job, of which steps are parts"},
    {"node", NAME_OF(node), .csv = 5, .text = 1, .heading = "node", .left = true,
     .meaning = "where it ran"},
    {"boot_id", NAME_OF(boot_id), .csv = 6, .meaning = "which start of the node"},
    {"state", WTL_TEXT_AT(struct wtl_jobs_record, state), .csv = 7,
     .meaning = "ended; cut: the node stopped; unknown"},
    {"begin_s", INT_OF(begin_ns, "s", wtl_jobs_get_time), .csv = 8, .meaning = "begin since 1970"},
    {"end_s", INT_OF(end_ns, "s", wtl_jobs_get_time), .csv = 9, .meaning = "end"},
    {"elapsed_s", INT_OF(elapsed_ns, "s", wtl_jobs_get_duration), .csv = 10, .text = 3,
     .heading = "elapsed", .cell = elapsed_cell, .meaning = "by the clock that nobody sets"},
    {"exit_status", COUNT_OF(exit_status, wtl_jobs_get_from_0), .csv = 11,
     .meaning = "its exit status"},
    {"exit_signal", COUNT_OF(exit_signal, wtl_jobs_get_from_0), .csv = 12,
     .meaning = "signal that ended it; 0: none"},
    {"cpus", COUNT_OF(cpus, wtl_jobs_get_from_1), .csv = 13,
     .meaning = "CPUs of the job on the node"},
    {"node_cpus", COUNT_OF(node_cpus, wtl_jobs_get_from_1), .csv = 14,
     .meaning = "CPUs of the node"},
    {"cpu_s", NUMBER_OF(cpu_s), .csv = 15, .text = 4, .heading = "CPU time", .cell = cpu_cell,
     .meaning = "CPU time"},
    {"max_rss_bytes", COUNT_OF(max_rss_bytes, wtl_jobs_get_from_0), .csv = 16, .text = 5,
     .heading = "max RSS", .cell = rss_cell, .meaning = "greatest resident memory of a task"},
    {"max_rss_task", COUNT_OF(max_rss_task, wtl_jobs_get_from_0), .csv = 17,
     .meaning = "number of that task"},
    {"gpus", NAME_OF(gpus), .csv = 31, .meaning = "GPUs that it had reserved"},
    {"gpu_j", NUMBER_OF(gpu_j), .csv = 32, .digits = 15, .text = 9, .heading = "of it GPUs",
     .cell = gpu_cell, .meaning = "of charged_j: GPUs; null: unknown"},
    {"charged_j", NUMBER_OF(charged_j), .csv = 18, .digits = 15, .text = 6, .heading = "energy",
     .cell = charged_cell, .meaning = "energy that the job is charged"},
    {"charged_low_j", NUMBER_OF(charged_low_j), .csv = 33, .digits = 15,
     .meaning = "of an estimate, or a share by counters: lower end of the 95 % interval of "
                "charged_j; null: neither, or unknown"},
    {"charged_high_j", NUMBER_OF(charged_high_j), .csv = 34, .digits = 15,
     .meaning = "its upper end"},
    {"record_nodes", COUNT_OF(record_nodes, wtl_jobs_get_from_1), .csv = 35,
     .meaning = "number of nodes that the record is of, where only their sum is known; null: one"},
    {"energy_j", NUMBER_OF(energy_j), .csv = 19, .digits = 15, .text = 7,
     .heading = "node's energy", .cell = node_cell,
     .meaning = "energy of the node, with all that others used"},
    {"idle_j", NUMBER_OF(idle_j), .csv = 20, .meaning = "of which nobody used"},
    {"unattributed_j", NUMBER_OF(unattributed_j), .csv = 21,
     .meaning = "of which no job is charged"},
    {"resolution_j", NUMBER_OF(resolution_j), .csv = 22,
     .meaning = "greatest error of it by the ticks of counters and the times of readings"},
    {"unknown_s", NUMBER_OF(unknown_s), .csv = 23, .meaning = "time that is left out"},
    {"rule", NAME_OF(rule), .csv = 24, .text = 8, .heading = "share", .left = true,
     .cell = rule_cell,
     .meaning = "exclusive, counters, calibrated, cpu_time or node; null: unknown"},
    {"quality", NAME_OF(quality), .csv = 25, .meaning = "of the total"},
    {"simulated", WTL_BOOLEAN_AT(struct wtl_jobs_record, record.simulated), .csv = 26,
     .meaning = "of a simulated sensor"},
    {"lower_bound", WTL_BOOLEAN_AT(struct wtl_jobs_record, record.lower_bound), .csv = 27,
     .meaning = "something is left out"},
    {"problem", NAME_OF(problem), .csv = 28, .text = 9, .heading = "remark", .left = true,
     .meaning = "why energy is unknown, or in doubt"},
    {"trace", NAME_OF(trace), .csv = 29, .meaning = "file of its trace"},
    {"version", NAME_OF(version), .csv = 30, .meaning = "of wattle"},
    {"channels",
     WTL_LIST_AT(struct wtl_jobs_record, record.channels, record.channel_count, channel_noun),
     .meaning = "its channels"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_record = {"job record", of_record};

static const struct wtl_member of_show[] = {
    {"currency", WTL_TEXT_OR_NULL(struct wtl_jobs_show, jobs.currency), .meaning = "of prices"},
    {"jobs", WTL_LIST_AT(struct wtl_jobs_show, jobs.items, jobs.count, wtl_noun_jobs_item),
     .meaning = "all with this id"},
    {"records", WTL_LIST_AT(struct wtl_jobs_show, records, count, wtl_noun_jobs_record),
     .meaning = "theirs, one for each node and step"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_show = {"shown jobs", of_show};
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- text ---- */

static void line(FILE *out, const char *label, const char *text)
{
    if (text[0])
        wtl_print_sentence(out, "  %-10s%s\n", label, text);
}

static void print_times(const struct wtl_job_row *row, FILE *out)
{
    char begin[WTL_JOB_TIME_TEXT], end[WTL_JOB_TIME_TEXT], elapsed[WTL_JOBS_CELL], text[160];
    if (row->submit_ns > 0)
        line(out, "submitted", wtl_job_time_print(row->submit_ns, begin));
    (void)wtl_jobs_elapsed_cell(row->elapsed_ns < 0 ? (double)NAN : 1e-9 * (double)row->elapsed_ns,
                                elapsed, sizeof elapsed);
    (void)snprintf(text, sizeof text, "%s to %s, %s", wtl_job_time_print(row->begin_ns, begin),
                   wtl_job_time_print(row->end_ns, end), elapsed);
    line(out, "ran", text);
    if (row->state == WTL_JOB_CUT)
        line(out, "ended", "cut off: a node stopped during it");
    else if (wtl_jobs_ended_badly(row)) {
        (void)snprintf(text, sizeof text, row->exit_status > 0 ? "%s, with status %lld" : "%s",
                       row->slurm_state, (long long)row->exit_status);
        line(out, "ended", text);
    } else if (row->exit_signal > 0)
        (void)fprintf(out, "  %-10sby signal %lld\n", "ended", (long long)row->exit_signal);
    else if (row->exit_status >= 0)
        (void)fprintf(out, "  %-10swith status %lld\n", "ended", (long long)row->exit_status);
}

static void print_memory(const struct wtl_job_row *row, FILE *out)
{
    char rss[WTL_JOBS_CELL], text[400], task[40] = "";
    if (row->max_rss_bytes < 0)
        return;
    if (row->max_rss_task >= 0)
        (void)snprintf(task, sizeof task, ", task %lld", (long long)row->max_rss_task);
    (void)snprintf(text, sizeof text, "%s%s%s%s",
                   wtl_digits_bytes(rss, sizeof rss, (double)row->max_rss_bytes),
                   row->max_rss_node[0] ? " on " : "", row->max_rss_node, task);
    line(out, "max RSS", text);
}

/* What belongs to the charged energy, at the same end of its interval. */
static double of_bound(const struct wtl_job_row *row, double of_charged, double half_j)
{
    return row->lower_bound && row->charged_j > 0
               ? of_charged * wtl_energy_at_least(row->charged_j, half_j) / row->charged_j
               : of_charged;
}

static void print_energy(const struct wtl_jobs_item *item, const char *currency, FILE *out)
{
    const struct wtl_job_row *row = &item->row;
    char joules[WTL_JOBS_CELL], kwh[WTL_JOBS_CELL], cost[WTL_JOBS_CELL], text[5 * WTL_JOBS_CELL];
    bool ranged = row->charged_low_j < row->charged_high_j;
    double half_j = ranged           ? (row->charged_high_j - row->charged_low_j) / 2
                    : row->estimated ? row->resolution_j
                                     : item->energy.kinds.half_j;
    int n = snprintf(text, sizeof text, "%s", wtl_jobs_row_energy(row, joules, sizeof joules));
    if (!isnan(item->energy.charged_j))
        n += snprintf(
            text + n, sizeof text - (size_t)n, " = %s kWh",
            wtl_jobs_kwh_cell(item->energy.charged_j, half_j, row->lower_bound, kwh, sizeof kwh));
    if (!isnan(item->price))
        n += snprintf(text + n, sizeof text - (size_t)n, ", price %s %.16s",
                      wtl_jobs_price_cell(of_bound(row, item->price, half_j), row->lower_bound,
                                          cost, sizeof cost),
                      currency ? currency : "");
    if (!isnan(item->co2_g))
        (void)snprintf(text + n, sizeof text - (size_t)n, ", CO2 %s",
                       wtl_jobs_co2_cell(of_bound(row, item->co2_g, half_j), row->lower_bound, cost,
                                         sizeof cost));
    line(out, "energy", text);
    if (row->gpu_j > 0)
        line(
            out, "GPUs",
            wtl_jobs_energy_cell(row->gpu_j, (double)NAN, row->lower_bound, joules, sizeof joules));
    if (row->nodes > row->nodes_seen)
        (void)fprintf(out, "  %-10s%lld of %lld have reported\n", "nodes",
                      (long long)row->nodes_seen, (long long)row->nodes);
    if (wtl_jobs_is_share(row->rule))
        (void)fprintf(out, "  %-10sof shared nodes, by the model %s\n", "share", row->rule);
    if (row->estimated)
        line(out, "quality", "estimated from the load: a node without a sensor");
    if (row->simulated)
        line(out, "sensors", "simulated: not the energy of a real machine");
    line(out, isnan(row->charged_j) ? "reason" : "remark", row->problem);
    line(out, "trace", row->trace);
}

static bool is_of(const struct wtl_jobs_record *record, const struct wtl_job_row *row)
{
    return strcmp(record->record.unit, row->unit) == 0 &&
           strcmp(record->record.cluster, row->cluster) == 0;
}

/* The records of a job, without or with a step: they are next to each other only by unit and step, so that they are copied. */
static int print_records(const struct wtl_jobs_show *show,
                         const struct wtl_job_row *row,
                         bool steps,
                         FILE *out)
{
    struct wtl_jobs_record *some = malloc((show->count + 1) * sizeof *some);
    size_t n = 0;
    if (!some)
        return -ENOMEM;
    for (size_t i = 0; i < show->count; i++) {
        if (is_of(&show->records[i], row) && (show->records[i].record.step[0] != '\0') == steps)
            some[n++] = show->records[i]; /* borrowed */
    }
    int rc = 0;
    if (n > 0) {
        (void)fprintf(out, "\n%s:\n", steps ? "Steps, which are parts of the job" : "Nodes");
        rc = wtl_jobs_table_print(&wtl_noun_jobs_record, some, n, sizeof *some, NULL, NULL, out);
    }
    if (rc == 0 && !steps && n == 1 && some[0].record.channel_count > 0) {
        (void)fputs("\nChannels (+: in the total):\n", out);
        rc = wtl_jobs_table_print(&channel_noun, some[0].record.channels,
                                  some[0].record.channel_count, sizeof *some[0].record.channels,
                                  NULL, NULL, out);
    }
    if (!steps && n > 1)
        (void)fputs("Nodes of the same model can differ by 20 % and more for the same work.\n",
                    out);
    free(some);
    return rc;
}

static int print_job(const struct wtl_jobs_show *show, const struct wtl_jobs_item *item, FILE *out)
{
    const struct wtl_job_row *row = &item->row;
    wtl_print_sentence(out, "%s %s%s%s\n", row->kind == WTL_JOB_RUN ? "Run" : "Job", row->job_id,
                       row->cluster[0] ? " of cluster " : "", row->cluster);
    line(out, "name", row->name);
    line(out, "user", row->user);
    line(out, "account", row->account);
    line(out, "partition", row->partition);
    print_times(row, out);
    print_memory(row, out);
    print_energy(item, show->jobs.currency, out);
    int rc = print_records(show, row, false, out);
    return rc < 0 ? rc : print_records(show, row, true, out);
}

static int print_text(const struct wtl_jobs_show *show, FILE *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < show->jobs.count; i++) {
        if (i > 0)
            (void)fputc('\n', out);
        rc = print_job(show, &show->jobs.items[i], out);
    }
    return rc;
}

static void print_csv(const struct wtl_jobs_show *show, FILE *out)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "jobs show", &wtl_noun_jobs_record);
    for (size_t i = 0; i < show->count; i++)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_record, &show->records[i]);
}

int wtl_jobs_show_print(const struct wtl_jobs_show *show, enum wtl_format format, FILE *out)
{
    if (format == WTL_FORMAT_JSON)
        return wtl_json_print(out,
                              wtl_noun_document("wattle.jobs-show/1", &wtl_noun_jobs_show, show));
    if (format == WTL_FORMAT_TEXT)
        return print_text(show, out);
    print_csv(show, out);
    return 0;
}

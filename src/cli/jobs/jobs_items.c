/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of jobs: see jobs_items.h. */
#define _GNU_SOURCE
#include "cli/jobs/jobs_items.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cli/documents.h"
#include "jobs/job_time.h"
#include "report/json_value.h"
#include "report/noun.h"

/* ---- taking ---- */

/* Copy the texts of a row into one block. 0 or -ENOMEM. */
static int own_texts(struct wtl_jobs_item *item)
{
    struct wtl_job_row *row = &item->row;
    const char **const texts[] = {
        &row->cluster,   &row->unit,         &row->job_id,     &row->user,    &row->account,
        &row->partition, &row->name,         &row->rule,       &row->quality, &row->trace,
        &row->problem,   &row->max_rss_node, &row->slurm_state};
    enum { TEXTS = sizeof texts / sizeof *texts };
    size_t size = 0;
    for (size_t i = 0; i < TEXTS; i++) {
        *texts[i] = *texts[i] ? *texts[i] : "";
        size += strlen(*texts[i]) + 1;
    }
    char *at = item->text = malloc(size);
    if (!at)
        return -ENOMEM;
    for (size_t i = 0; i < TEXTS; i++) {
        size_t n = strlen(*texts[i]) + 1;
        memcpy(at, *texts[i], n);
        *texts[i] = at;
        at += n;
    }
    return 0;
}

int wtl_jobs_list_take(void *arg, const struct wtl_job_row *row)
{
    struct wtl_jobs_list *list = arg;
    if (list->limit > 0 && list->count == list->limit) {
        list->more = true;
        return 0;
    }
    if (wtl_grow(&list->items, list->count, sizeof *list->items) < 0)
        return -ENOMEM;
    struct wtl_jobs_item *item = &list->items[list->count];
    const struct wtl_factor *factor = wtl_factors_at(list->factors, row->end_ns);
    const struct wtl_jobs_sum energy = wtl_jobs_sum_of(row->charged_j, &row->kinds);
    *item = (struct wtl_jobs_item){.row = *row,
                                   .energy = energy,
                                   .price = wtl_jobs_price(factor, energy.charged_j),
                                   .co2_g = wtl_jobs_co2(factor, energy.charged_j),
                                   .kind = wtl_job_kind_word(row->kind),
                                   .state = wtl_job_state_word(row->state)};
    if (isnan(energy.charged_j) || isnan(energy.kinds.low_j)) /* the sum of no model, or no sum */
        item->row.charged_low_j = item->row.charged_high_j = (double)NAN;
    if (own_texts(item) < 0)
        return -ENOMEM;
    list->count++;
    return 0;
}

void wtl_jobs_list_fini(struct wtl_jobs_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].text);
    free(list->items);
    list->items = NULL;
    list->count = 0;
}

/* ---- cells ---- */

bool wtl_jobs_ended_badly(const struct wtl_job_row *row)
{
    return row->slurm_state[0] && strcmp(row->slurm_state, "COMPLETED") != 0;
}

char *wtl_jobs_row_energy(const struct wtl_job_row *row, char *text, size_t n)
{
    const struct wtl_jobs_estimate estimate = {.j = row->charged_j,
                                               .half_j = row->resolution_j, /* no model's */
                                               .low_j = row->charged_low_j,
                                               .high_j = row->charged_high_j,
                                               .lower = row->lower_bound};
    if (wtl_jobs_is_mixed(row->charged_j, &row->kinds))
        return wtl_jobs_kinds_cell(row->charged_j, &row->kinds, row->lower_bound, text, n);
    return row->estimated
               ? wtl_jobs_estimate_cell(&estimate, text, n)
               : wtl_jobs_kinds_cell(row->charged_j, &row->kinds, row->lower_bound, text, n);
}

static const struct wtl_job_row *row_of(const void *of)
{
    return &((const struct wtl_jobs_item *)of)->row;
}

static void end_cell(const void *of, char *text, size_t n)
{
    char time[WTL_JOB_TIME_TEXT];
    (void)snprintf(text, n, "%s", wtl_job_time_print(row_of(of)->end_ns, time));
}

static void elapsed_cell(const void *of, char *text, size_t n)
{
    int64_t ns = row_of(of)->elapsed_ns;
    (void)wtl_jobs_elapsed_cell(ns < 0 ? (double)NAN : 1e-9 * (double)ns, text, n);
}

/* "2", "1 of 2": those that have reported. */
static void nodes_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_row *row = row_of(of);
    if (row->nodes > row->nodes_seen)
        (void)snprintf(text, n, "%lld of %lld", (long long)row->nodes_seen, (long long)row->nodes);
    else
        (void)snprintf(text, n, "%lld", (long long)row->nodes_seen);
}

static void energy_cell(const void *of, char *text, size_t n)
{
    wtl_jobs_row_energy(row_of(of), text, n);
}

/* "": none. */
static void gpu_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_row *row = row_of(of);
    text[0] = '\0';
    if (row->gpu_j > 0)
        (void)wtl_jobs_energy_cell(row->gpu_j, (double)NAN, row->lower_bound, text, n);
}

/* "exclusive", "cpu_time"; with what it is worth. */
static void rule_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_row *row = row_of(of);
    const char *quality = wtl_jobs_quality(row->quality, row->simulated);
    (void)snprintf(text, n, "%s%s%s", row->rule, row->rule[0] && quality[0] ? ", " : "", quality);
}

/* "0", "signal 9", "CANCELLED", "FAILED 1"; "cut": the node stopped. */
static void exit_cell(const void *of, char *text, size_t n)
{
    const struct wtl_job_row *row = row_of(of);
    text[0] = '\0';
    if (row->state == WTL_JOB_CUT)
        (void)snprintf(text, n, "cut");
    else if (wtl_jobs_ended_badly(row))
        (void)snprintf(text, n, row->exit_status > 0 ? "%s %lld" : "%s", row->slurm_state,
                       (long long)row->exit_status);
    else if (row->exit_signal > 0)
        (void)snprintf(text, n, "signal %lld", (long long)row->exit_signal);
    else if (row->exit_status >= 0)
        (void)snprintf(text, n, "%lld", (long long)row->exit_status);
}

/* ---- values ---- */

/* A text in the row; "": null. */
WTL_MEMBER_GET(get_text)
{
    const char *text;
    memcpy(&text, (const char *)of + member->offset, sizeof text);
    wtl_value_text(ret, text && text[0] ? text : NULL);
}

/* ---- the tables of members ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define AT(field)      .offset = offsetof(struct wtl_jobs_item, row.field)
#define TEXT_OF(field) .type = WTL_MEMBER_TEXT, .nullable = true, .get = get_text, AT(field)
#define TIME_OF(field)                                                      \
    .type = WTL_MEMBER_NUMBER, .unit = "s", .digits = 19, .nullable = true, \
    .get = wtl_jobs_get_time, AT(field)
#define COUNT_OF(field, function) \
    .type = WTL_MEMBER_INTEGER, .nullable = true, .get = function, AT(field)
#define NUMBER_OF(field) WTL_NUMBER_OR_NULL(struct wtl_jobs_item, row.field)

static const struct wtl_member of_item[] = {
    {"job", TEXT_OF(job_id), .csv = 1, .text = 1, .heading = "job", .left = true,
     .meaning = "its id as users type it; of a `wattle run` its run id"},
    {"cluster", TEXT_OF(cluster), .csv = 2, .meaning = "its cluster; null: none"},
    {"unit", TEXT_OF(unit), .csv = 3,
     .meaning =
         "what distinguishes it from all others of its cluster: Slurm's SLUID, or id, time of "
         "submission and restarts; or the run id"},
    {"kind", WTL_TEXT_AT(struct wtl_jobs_item, kind), .csv = 4,
     .meaning = "slurm, run (`wattle run`) or job (`wattle jobs begin`)"},
    {"user", TEXT_OF(user), .csv = 5, .text = 2, .heading = "user", .left = true,
     .meaning = "who ran it"},
    {"account", TEXT_OF(account), .csv = 6, .text = 3, .heading = "account", .left = true,
     .meaning = "who is charged"},
    {"partition", TEXT_OF(partition), .csv = 7, .meaning = "partition of the cluster"},
    {"name", TEXT_OF(name), .csv = 8, .text = 4, .heading = "name", .left = true,
     .meaning = "name of the job, or the program of a run"},
    {"state", WTL_TEXT_AT(struct wtl_jobs_item, state), .csv = 9,
     .meaning = "ended; cut: a node stopped during it; unknown"},
    {"slurm_state", TEXT_OF(slurm_state), .csv = 41,
     .meaning = "how it ended by Slurm's accounting: COMPLETED, CANCELLED, TIMEOUT, ..; null: not "
                "imported from there"},
    {"submit_s", TIME_OF(submit_ns), .csv = 10, .meaning = "when it was submitted, since 1970"},
    {"begin_s", TIME_OF(begin_ns), .csv = 11, .meaning = "when it began on its first node"},
    {"end_s", TIME_OF(end_ns), .csv = 12, .text = 5, .heading = "end", .left = true,
     .cell = end_cell, .meaning = "when it ended on its last node"},
    {"elapsed_s", .type = WTL_MEMBER_NUMBER, .unit = "s", .nullable = true,
     .get = wtl_jobs_get_duration, AT(elapsed_ns), .csv = 13, .text = 6, .heading = "elapsed",
     .cell = elapsed_cell, .meaning = "longest time of it on a node"},
    {"exit_status", COUNT_OF(exit_status, wtl_jobs_get_from_0), .csv = 14, .text = 7,
     .heading = "exit", .left = true, .cell = exit_cell, .meaning = "highest exit status"},
    {"exit_signal", COUNT_OF(exit_signal, wtl_jobs_get_from_0), .csv = 15,
     .meaning = "signal that ended it; 0: none"},
    {"nodes", COUNT_OF(nodes, wtl_jobs_get_from_1), .csv = 16, .text = 8, .heading = "nodes",
     .cell = nodes_cell, .meaning = "number of its nodes"},
    {"nodes_seen", COUNT_OF(nodes_seen, wtl_jobs_get_from_0), .csv = 17,
     .meaning = "nodes that have reported"},
    {"nodes_known", COUNT_OF(nodes_known, wtl_jobs_get_from_0), .csv = 18,
     .meaning = "nodes whose energy is known"},
    {"cpus", COUNT_OF(cpus, wtl_jobs_get_from_1), .csv = 19, .meaning = "CPUs of it on all nodes"},
    {"cpu_s", NUMBER_OF(cpu_s), .csv = 20, .meaning = "CPU time"},
    {"max_rss_bytes", COUNT_OF(max_rss_bytes, wtl_jobs_get_from_0), .csv = 21,
     .meaning = "greatest resident memory of a task"},
    {"max_rss_task", COUNT_OF(max_rss_task, wtl_jobs_get_from_0), .csv = 22,
     .meaning = "number of that task"},
    {"max_rss_node", TEXT_OF(max_rss_node), .csv = 23, .meaning = "node of that task"},
    {"charged_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_item, energy.charged_j), .digits = 15,
     .csv = 24, .text = 9, .heading = "energy", .cell = energy_cell,
     .meaning = "energy that the job is charged: that of its nodes if it had them for itself, else "
                "its share; null: unknown, or it is of several kinds on its nodes, which are not "
                "added: see measured_j, estimated_j and simulated_j"},
    {"measured_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_item, energy.measured_j), .digits = 15,
     .csv = 42, .meaning = "of it measured or derived; null: none"},
    {"estimated_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_item, energy.kinds.estimated_j),
     .digits = 15, .csv = 43, .meaning = "of it estimated, on nodes without a sensor; null: none"},
    {"estimated_low_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_item, energy.kinds.low_j), .digits = 15,
     .csv = 44, .meaning = "lower end of its interval; null: none, or unknown"},
    {"estimated_high_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_item, energy.kinds.high_j),
     .digits = 15, .csv = 45, .meaning = "its upper end"},
    {"simulated_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_item, energy.kinds.simulated_j),
     .digits = 15, .csv = 46, .meaning = "of it simulated; null: none"},
    {"half_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_item, energy.kinds.half_j), .digits = 15,
     .csv = 47,
     .meaning = "half width of the 95 % interval of what is measured, or simulated: of its nodes, "
                "whose errors by resolution are independent; null: none, it is of both kinds, or "
                "unknown for a node"},
    {"charged_low_j", NUMBER_OF(charged_low_j), .digits = 15, .csv = 39,
     .meaning = "of an estimate: lower end of the 95 % interval of charged_j; null: no estimate, "
                "or unknown"},
    {"charged_high_j", NUMBER_OF(charged_high_j), .digits = 15, .csv = 40,
     .meaning = "its upper end"},
    {"gpu_j", NUMBER_OF(gpu_j), .digits = 15, .csv = 38, .text = 11, .heading = "of it GPUs",
     .cell = gpu_cell, .meaning = "of charged_j: GPUs; null: unknown"},
    {"lower_bound", WTL_BOOLEAN_AT(struct wtl_jobs_item, row.lower_bound), .csv = 25,
     .meaning = "a node has not reported, is unknown, or has a gap: energies are lower bounds"},
    {"resolution_j", NUMBER_OF(resolution_j), .csv = 26,
     .meaning = "greatest error of it by the ticks of counters and the times of readings"},
    {"unknown_s", NUMBER_OF(unknown_s), .csv = 27,
     .meaning = "longest time that a node leaves out"},
    {"rule", TEXT_OF(rule), .csv = 28, .text = 10, .heading = "share", .left = true,
     .cell = rule_cell,
     .meaning = "how the energy of the nodes was shared: exclusive (not at all), counters, "
                "calibrated or cpu_time; "
                "node: a run has all of it; null: unknown"},
    {"quality", TEXT_OF(quality), .csv = 29,
     .meaning = "measured, derived, estimated or simulated"},
    {"simulated", WTL_BOOLEAN_AT(struct wtl_jobs_item, row.simulated), .csv = 30,
     .meaning = "some of it is of a simulated sensor"},
    {"energy_j", NUMBER_OF(energy_j), .digits = 15, .csv = 31,
     .meaning = "energy of its nodes during it, with all that other jobs used"},
    {"idle_j", NUMBER_OF(idle_j), .csv = 32, .meaning = "of which nobody used"},
    {"unattributed_j", NUMBER_OF(unattributed_j), .csv = 33,
     .meaning = "of which no job is charged, such as daemons"},
    {"price", WTL_NUMBER_OR_NULL(struct wtl_jobs_item, price), .csv = 34,
     .meaning = "price of charged_j, with the factor of the time when it ended"},
    {"co2_g", WTL_NUMBER_OR_NULL(struct wtl_jobs_item, co2_g), .csv = 35, .unit = "g",
     .meaning = "CO2 of charged_j, likewise"},
    {"trace", TEXT_OF(trace), .csv = 36, .meaning = "file of its trace"},
    {"problem", TEXT_OF(problem), .csv = 37, .meaning = "why energy is unknown, or in doubt"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_item = {"listed job", of_item};

static const struct wtl_member of_list[] = {
    {"from_s", .type = WTL_MEMBER_NUMBER, .unit = "s", .get = wtl_jobs_get_time,
     .offset = offsetof(struct wtl_jobs_list, from_ns),
     .meaning = "jobs that ended then or later, since 1970"},
    {"to_s", .type = WTL_MEMBER_NUMBER, .unit = "s", .get = wtl_jobs_get_time,
     .offset = offsetof(struct wtl_jobs_list, to_ns), .meaning = "and before then"},
    {"currency", WTL_TEXT_OR_NULL(struct wtl_jobs_list, currency), .meaning = "of prices"},
    {"jobs", WTL_LIST_AT(struct wtl_jobs_list, items, count, wtl_noun_jobs_item),
     .meaning = "below"},
    {"more", WTL_BOOLEAN_AT(struct wtl_jobs_list, more),
     .meaning = "there are more jobs than --limit"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_list = {"jobs list", of_list};
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- printing ---- */

static void print_csv(const struct wtl_jobs_list *list, FILE *out)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "jobs list", &wtl_noun_jobs_item);
    for (size_t i = 0; i < list->count; i++)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_item, &list->items[i]);
}

void wtl_jobs_list_notes(const struct wtl_jobs_list *list, FILE *out)
{
    bool lower = false, unknown = false, shared = false, whole = false, mixed = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct wtl_job_row *row = &list->items[i].row;
        lower |= row->lower_bound && !isnan(row->charged_j);
        unknown |= isnan(row->charged_j);
        mixed |= isnan(list->items[i].energy.charged_j) && !isnan(row->charged_j);
        shared |= wtl_jobs_is_share(row->rule);
        whole |= strcmp(row->rule, "node") == 0;
    }
    if (lower)
        (void)fputs("at least: a node has not reported, or some time was not measured.\n", out);
    if (unknown)
        (void)fputs("unknown: not measured; \"wattle jobs show JOB\" says why.\n", out);
    wtl_jobs_kinds_notes(false, false, mixed, out);
    if (shared)
        (void)fputs("cpu_time, calibrated, counters: the job's share of a node, by this model.\n",
                    out);
    if (whole)
        (void)fputs("node: all that the node used during the run, as \"wattle run\" prints it.\n",
                    out);
}

static int print_text(const struct wtl_jobs_list *list, FILE *out)
{
    wtl_jobs_period_print(list->count == 0 ? "No jobs ended" : "Jobs that ended", list->from_ns,
                          list->to_ns, out);
    (void)fputs(list->count == 0 ? ".\n" : ":\n", out);
    if (list->count == 0)
        return 0;
    int rc = wtl_jobs_table_print(&wtl_noun_jobs_item, list->items, list->count,
                                  sizeof *list->items, NULL, NULL, out);
    if (list->more)
        (void)fprintf(out, "... and more: see --limit, or choose another period with --to\n");
    wtl_jobs_list_notes(list, out);
    return rc;
}

int wtl_jobs_list_print(const struct wtl_jobs_list *list, enum wtl_format format, FILE *out)
{
    if (format == WTL_FORMAT_JSON)
        return wtl_json_print(out,
                              wtl_noun_document("wattle.jobs-list/1", &wtl_noun_jobs_list, list));
    if (format == WTL_FORMAT_TEXT)
        return print_text(list, out);
    print_csv(list, out);
    return 0;
}

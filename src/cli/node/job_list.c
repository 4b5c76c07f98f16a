/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of a node: see job_list.h. The reply is wattled's, of the same user or root; what is not as expected is refused. */
#define _GNU_SOURCE
#include "cli/node/job_list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "cli/documents.h"
#include "model/energy.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/table.h"

/* ---- parsing ---- */

/* The next word of a line; "" = no more. */
static const char *next_word(char **rest)
{
    char *word = strsep(rest, " ");
    return word ? word : "";
}

static bool take_number(char **rest, double *ret)
{
    return wtl_parse_double(next_word(rest), ret) == 0 && isfinite(*ret);
}

/* "-": unknown, NaN. */
static bool take_value(char **rest, double *ret)
{
    const char *word = next_word(rest);
    *ret = (double)NAN;
    return strcmp(word, "-") == 0 || (wtl_parse_double(word, ret) == 0 && isfinite(*ret));
}

/* A name that fits, and is not empty. */
static bool take_name(char **rest, char *name, size_t n)
{
    const char *word = next_word(rest);
    return word[0] && (size_t)snprintf(name, n, "%s", word) < n;
}

/* "more N T": so many lines were left out, T of them of channels in the total. */
static bool take_more(struct wtl_node_job_list *list, const char *line)
{
    static const char label[] = "more ";
    uint64_t more, of_total;
    if (strncmp(line, label, sizeof label - 1) != 0)
        return false;
    line += sizeof label - 1;
    size_t digits = strcspn(line, " ");
    if (wtl_scan_u64(line, digits, &more) < 0 || line[digits] == '\0' ||
        wtl_parse_u64(line + digits + 1, &of_total) < 0)
        return false;
    list->more = (size_t)more;
    list->more_of_total = (size_t)of_total;
    return true;
}

static struct wtl_node_job_channel no_channel(void)
{
    return (struct wtl_node_job_channel){.energy_j = (double)NAN,
                                         .resolution_j = (double)NAN,
                                         .unknown_s = (double)NAN,
                                         .charged_j = (double)NAN,
                                         .others_j = (double)NAN,
                                         .idle_j = (double)NAN,
                                         .unattributed_j = (double)NAN};
}

static struct wtl_node_job *add_job(struct wtl_node_job_list *list, const char *state)
{
    const struct wtl_node_job_channel none = no_channel();
    if (wtl_grow(&list->jobs, list->count, sizeof *list->jobs) < 0)
        return NULL;
    list->jobs[list->count] = (struct wtl_node_job){.state = state,
                                                    .total = none,
                                                    .share_half_j = (double)NAN,
                                                    .cpu_s = (double)NAN,
                                                    .unseen_s = (double)NAN,
                                                    .peak_bytes = (double)NAN,
                                                    .fetched = 0};
    return &list->jobs[list->count++];
}

int wtl_node_job_list_parse(struct wtl_node_job_list *list, char *lines)
{
    char *line;
    *list = (struct wtl_node_job_list){.count = 0};
    while ((line = strsep(&lines, "\n"))) {
        if (!line[0] || take_more(list, line))
            continue;
        struct wtl_node_job *job = add_job(list, "open");
        if (!job)
            return -ENOMEM;
        if (!take_name(&line, job->id, sizeof job->id) || !take_number(&line, &job->begin_s) ||
            !take_number(&line, &job->elapsed_s))
            return -EBADMSG;
    }
    return 0;
}

/* What follows of a job whose energy is divided, and of a GPU that it had. */
static bool take_shares(char **line, struct wtl_node_job_channel *channel)
{
    if (*line &&
        (!take_value(line, &channel->charged_j) || !take_value(line, &channel->others_j) ||
         !take_value(line, &channel->idle_j) || !take_value(line, &channel->unattributed_j)))
        return false;
    return !*line || (take_value(line, &channel->undivided_j) &&
                      take_name(line, channel->rule, sizeof channel->rule));
}

static int add_channel(struct wtl_node_job *job, char *line)
{
    double in_total = 0;
    if (wtl_grow(&job->channels, job->channel_count, sizeof *job->channels) < 0)
        return -ENOMEM;
    struct wtl_node_job_channel *channel = &job->channels[job->channel_count];
    *channel = no_channel();
    if (!take_name(&line, channel->name, sizeof channel->name) ||
        !take_value(&line, &channel->energy_j) || !take_number(&line, &channel->unknown_s) ||
        !take_value(&line, &channel->resolution_j) || !take_number(&line, &in_total) ||
        !take_name(&line, channel->quality, sizeof channel->quality))
        return -EBADMSG;
    channel->in_total = in_total > 0;
    if (!take_shares(&line, channel))
        return -EBADMSG;
    if (isnan(channel->energy_j)) /* an unknown energy has no interval */
        channel->resolution_j = (double)NAN;
    job->channel_count++;
    return 0;
}

/* The sum of what is known: a lower bound as soon as one part leaves out some time, or all of it, or is not in the reply.
 * Unknown if nothing is known. */
static void add_up(struct wtl_node_job *job, size_t more_of_total)
{
    struct wtl_node_job_channel sum = {.in_total = true};
    size_t known = 0;
    sum.unknown_s = more_of_total > 0 ? job->elapsed_s : 0;
    for (size_t i = 0; i < job->channel_count; i++) {
        const struct wtl_node_job_channel *channel = &job->channels[i];
        if (!channel->in_total)
            continue;
        sum.unknown_s = fmax(sum.unknown_s, channel->unknown_s);
        if (isnan(channel->energy_j))
            continue;
        known++;
        sum.energy_j += channel->energy_j;
        sum.resolution_j += channel->resolution_j;
        sum.charged_j += channel->charged_j;
        sum.others_j += channel->others_j;
        sum.idle_j += channel->idle_j;
        sum.unattributed_j += channel->unattributed_j;
        sum.undivided_j += channel->undivided_j;
        if (strcmp(sum.quality, "derived") != 0) /* the weaker of the two */
            memcpy(sum.quality, channel->quality, sizeof sum.quality);
    }
    if (known > 0)
        job->total = sum;
}

/* A line "key = value" about the job. False: it is not one. */
static bool take_fact(struct wtl_node_job *job, char *line)
{
    const struct {
        const char *key;
        char *text;
        size_t size;
        double *number;
    } facts[] = {{"rule", job->rule, sizeof job->rule, NULL},
                 {"parent", job->parent, sizeof job->parent, NULL},
                 {"gpus", job->gpus, sizeof job->gpus, NULL},
                 {"boot", job->boot_id, sizeof job->boot_id, NULL},
                 {"id", job->id, sizeof job->id, NULL},
                 {"share_counters", job->share_counters, sizeof job->share_counters, NULL},
                 {"share_half_j", NULL, 0, &job->share_half_j},
                 {"cpu_s", NULL, 0, &job->cpu_s},
                 {"unseen_s", NULL, 0, &job->unseen_s},
                 {"gone_s", NULL, 0, &job->gone_s},
                 {"peak_bytes", NULL, 0, &job->peak_bytes},
                 {"fetched", NULL, 0, &job->fetched}};
    static const char *const states[] = {"open", "ended", "cut"};
    char *value = strchr(line, ' ');
    if (!value || strncmp(value, " = ", 3) != 0)
        return false;
    *value = '\0';
    value += 3;
    if (strcmp(line, "note") == 0)
        job->note = value;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (strcmp(line, "state") == 0 && strcmp(value, states[i]) == 0)
            job->state = states[i];
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (strcmp(line, facts[i].key) != 0)
            continue;
        if (facts[i].text)
            (void)snprintf(facts[i].text, facts[i].size, "%s", value);
        else if (wtl_parse_double(value, facts[i].number) < 0)
            *facts[i].number = (double)NAN;
    }
    return true;
}

int wtl_node_job_list_parse_ended(struct wtl_node_job_list *list, const char *id, char *lines)
{
    char *line = strsep(&lines, "\n");
    *list = (struct wtl_node_job_list){.count = 0};
    struct wtl_node_job *job = add_job(list, "ended");
    if (!job)
        return -ENOMEM;
    (void)snprintf(job->id, sizeof job->id, "%s", id);
    if (!line || !take_number(&line, &job->begin_s) || !take_number(&line, &job->elapsed_s))
        return -EBADMSG;
    int rc = 0;
    while (rc == 0 && (line = strsep(&lines, "\n"))) {
        if (line[0] && !take_more(list, line) && !take_fact(job, line))
            rc = add_channel(job, line);
    }
    add_up(job, list->more_of_total);
    return rc;
}

void wtl_node_job_list_fini(struct wtl_node_job_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->jobs[i].channels);
    free(list->jobs);
    *list = (struct wtl_node_job_list){.count = 0};
}

/* ---- text ---- */

static void begin_cell(const void *of, char *text, size_t n)
{
    time_t second = (time_t)((const struct wtl_node_job *)of)->begin_s;
    struct tm local;
    if (!localtime_r(&second, &local) || strftime(text, n, "%Y-%m-%d %H:%M:%S", &local) == 0)
        (void)snprintf(text, n, "-");
}

static void elapsed_cell(const void *of, char *text, size_t n)
{
    (void)wtl_digits_time(text, n, ((const struct wtl_node_job *)of)->elapsed_s);
}

/* "+": part of the total. */
static void name_cell(const void *of, char *text, size_t n)
{
    const struct wtl_node_job_channel *channel = of;
    (void)snprintf(text, n, "%s%s", channel->in_total ? "+ " : "  ", channel->name);
}

/* Some time is left out, and something bounds the rest. */
static bool is_bound(const struct wtl_node_job_channel *channel)
{
    return channel->unknown_s > 0 && !isnan(channel->resolution_j);
}

/* "at least" the lower end of its interval: some time is left out. Without an interval nothing is a bound. */
static void energy_cell(const void *of, char *text, size_t n)
{
    const struct wtl_node_job_channel *channel = of;
    double j = channel->energy_j, half_j = channel->resolution_j;
    char value[40];
    if (isnan(j)) {
        (void)snprintf(text, n, "unknown");
        return;
    }
    bool bound = is_bound(channel);
    if (bound) {
        half_j = (double)NAN; /* three digits */
        j = wtl_digits_lowered(wtl_energy_at_least(j, channel->resolution_j), half_j);
    }
    (void)snprintf(text, n, "%s%s J", bound ? "at least " : "",
                   wtl_digits_value(value, sizeof value, j, half_j));
}

/* Half the width of its interval; a bound has none. */
static void resolution_cell(const void *of, char *text, size_t n)
{
    const struct wtl_node_job_channel *channel = of;
    char value[40];
    if (isnan(channel->energy_j) || is_bound(channel))
        return;
    if (isnan(channel->resolution_j))
        (void)snprintf(text, n, "unknown");
    else
        (void)snprintf(
            text, n, "%s J",
            wtl_digits_value(value, sizeof value, channel->resolution_j, channel->resolution_j));
}

static void unknown_cell(const void *of, char *text, size_t n)
{
    const struct wtl_node_job_channel *channel = of;
    if (channel->unknown_s > 0)
        (void)wtl_digits_time(text, n, channel->unknown_s);
}

/* ---- the tables of members ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_member of_channel[] = {
    {"name", WTL_NAME_AT(struct wtl_node_job_channel, name), .nullable = true, .csv = 5,
     .csv_key = "channel", .text = 1, .heading = "channel", .left = true, .cell = name_cell,
     .meaning = "its name in `wattle sensors`; null: the total"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct wtl_node_job_channel, energy_j), .csv = 6, .digits = 12,
     .text = 2, .heading = "energy", .cell = energy_cell,
     .meaning =
         "energy between begin and end, a lower bound if `unknown_s` is not 0; null: unknown"},
    {"resolution_j", WTL_NUMBER_OR_NULL(struct wtl_node_job_channel, resolution_j), .csv = 7,
     .text = 3, .heading = "+-", .cell = resolution_cell,
     .meaning = "greatest error of it by the ticks of the counter and the times of its readings; "
                "null: unknown, "
                "since no power is known that bounds it"},
    {"unknown_s", WTL_NUMBER_OR_NULL(struct wtl_node_job_channel, unknown_s), .csv = 8, .text = 4,
     .heading = "left out", .cell = unknown_cell,
     .meaning = "time that `energy_j` leaves out; of the total, the longest of its channels"},
    {"quality", WTL_NAME_AT(struct wtl_node_job_channel, quality), .nullable = true, .csv = 9,
     .text = 5, .heading = "quality", .left = true, .meaning = "measured, derived or simulated"},
    {"in_total", WTL_BOOLEAN_AT(struct wtl_node_job_channel, in_total), .csv = 10,
     .meaning = "part of the total"},
    {"charged_j", WTL_NUMBER_OR_NULL(struct wtl_node_job_channel, charged_j), .csv = 11,
     .digits = 15,
     .meaning = "the share of the job: of a job that had the node for itself, all of it; null: "
                "unknown, or begun without `--cgroup`, `--pid`, `--reserved` or `--slurm`"},
    {"others_j", WTL_NUMBER_OR_NULL(struct wtl_node_job_channel, others_j), .csv = 12, .digits = 15,
     .meaning = "what other jobs are charged in the same time"},
    {"idle_j", WTL_NUMBER_OR_NULL(struct wtl_node_job_channel, idle_j), .csv = 13, .digits = 15,
     .meaning = "idle energy that no job has reserved"},
    {"unattributed_j", WTL_NUMBER_OR_NULL(struct wtl_node_job_channel, unattributed_j), .csv = 14,
     .digits = 15, .meaning = "the rest: with the three above, `energy_j`"},
    {"undivided_j", WTL_NUMBER_AT(struct wtl_node_job_channel, undivided_j), .csv = 15,
     .digits = 15,
     .meaning = "of GPUs: what the job shares with others, or a step with its job, in an unknown "
                "proportion, and is not charged"},
    {"rule", WTL_NAME_AT(struct wtl_node_job_channel, rule), .nullable = true, .csv = 16,
     .meaning = "of a GPU that the job had: reserved (by it alone), use (derived from the part of "
                "the GPU's time that its processes used), none (unknown); null: as the job's"},
    {.key = NULL}};
static const struct wtl_noun channel_noun = {"job channel", of_channel};

static const struct wtl_member of_job[] = {
    {"id", WTL_CHARS_AT(struct wtl_node_job, id), .csv = 1, .csv_key = "job", .text = 1,
     .heading = "job", .left = true, .meaning = "as given to `begin`"},
    {"state", WTL_TEXT_AT(struct wtl_node_job, state), .csv = 2, .text = 2, .heading = "state",
     .left = true, .meaning = "open, ended, or cut: the node stopped"},
    {"begin_s", WTL_NUMBER_AT(struct wtl_node_job, begin_s), .csv = 3, .digits = 16, .text = 3,
     .heading = "begin", .cell = begin_cell, .left = true,
     .meaning = "when it began, in seconds since 1970"},
    {"elapsed_s", WTL_NUMBER_AT(struct wtl_node_job, elapsed_s), .csv = 4, .digits = 9, .text = 4,
     .heading = "elapsed", .cell = elapsed_cell, .meaning = "since then, or until its end"},
    {"total", WTL_OBJECT_AT(struct wtl_node_job, total, channel_noun),
     .meaning = "of the channels in the total; its values are null while the job is open"},
    {"channels", WTL_LIST_AT(struct wtl_node_job, channels, channel_count, channel_noun),
     .meaning = "its channels; empty while it is open"},
    {"rule", WTL_NAME_AT(struct wtl_node_job, rule), .nullable = true,
     .meaning =
         "how its share was found: exclusive, counters, calibrated, cpu_time; none: it is unknown; "
         "null: the job is open, or energy is not divided"},
    {"share_half_j", WTL_NUMBER_OR_NULL(struct wtl_node_job, share_half_j),
     .meaning = "of a share by counters: half width of the 95 % interval of the total's "
                "`charged_j`, from how well the counters have predicted power; null: by another "
                "rule"},
    {"share_counters", WTL_NAME_AT(struct wtl_node_job, share_counters), .nullable = true,
     .meaning = "why its share is not by hardware counters; null: it is, or it had the node for "
                "itself"},
    {"parent", WTL_NAME_AT(struct wtl_node_job, parent), .nullable = true,
     .meaning = "the job that it is a step of, and part of"},
    {"gpus", WTL_NAME_AT(struct wtl_node_job, gpus), .nullable = true,
     .meaning = "the GPUs that it has reserved"},
    {"cpu_s", WTL_NUMBER_OR_NULL(struct wtl_node_job, cpu_s), .digits = 12,
     .meaning = "CPU time of its processes"},
    {"unseen_s", WTL_NUMBER_OR_NULL(struct wtl_node_job, unseen_s), .digits = 9,
     .meaning = "time before its end in which its CPU time was not seen, since its cgroup or its "
                "processes were gone"},
    {"peak_bytes", WTL_NUMBER_OR_NULL(struct wtl_node_job, peak_bytes), .digits = 17,
     .meaning = "the most memory of its cgroup at a time, page cache included"},
    {.key = NULL}};
static const struct wtl_noun job_noun = {"job", of_job};

static const struct wtl_member of_jobs[] = {
    {"jobs", WTL_LIST_AT(struct wtl_node_job_list, jobs, count, job_noun), .meaning = "below"},
    {"more", WTL_SIZE_AT(struct wtl_node_job_list, more),
     .meaning = "jobs, or channels of the job, that did not fit into the reply of wattled"},
    {"more_of_total", WTL_SIZE_AT(struct wtl_node_job_list, more_of_total),
     .meaning = "channels among them that the total should include: it is then a lower bound"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs = {"jobs", of_jobs};

struct row {
    const struct wtl_node_job *job;
    const struct wtl_node_job_channel *channel;
};

static const struct wtl_member of_row[] = {{"", WTL_PART_OF(struct row, job, job_noun)},
                                           {"", WTL_PART_OF(struct row, channel, channel_noun)},
                                           {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_row = {"jobs row", of_row};
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- printing ---- */

static void print_csv(const struct wtl_node_job_list *list, FILE *out)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "jobs", &wtl_noun_jobs_row);
    for (size_t i = 0; i < list->count; i++) {
        const struct wtl_node_job *job = &list->jobs[i];
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_row, &(struct row){job, &job->total});
        for (size_t k = 0; k < job->channel_count; k++)
            wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_row,
                             &(struct row){job, &job->channels[k]});
    }
}

static int print_table(const struct wtl_noun *noun,
                       const void *items,
                       size_t count,
                       size_t size,
                       const void *last,
                       FILE *out)
{
    struct wtl_column columns[WTL_NOUN_COLUMNS];
    struct wtl_style style = wtl_style_of(out);
    size_t n = wtl_noun_text_columns(noun, columns);
    struct wtl_table *table = wtl_table_create(columns, n);
    for (size_t i = 0; i < count; i++)
        wtl_noun_text_row(table, WTL_PLAIN, noun, (const char *)items + i * size);
    if (last)
        wtl_noun_text_row(table, WTL_STRONG, noun, last);
    int rc = wtl_table_print(table, out, 0, &style);
    wtl_table_destroy(table);
    return rc;
}

/* What the job is charged, and where the rest has gone. */
static void print_share(const struct wtl_node_job *job, FILE *out)
{
    static const char *const rules[][2] = {{"exclusive", "it had the node for itself"},
                                           {"counters", "by hardware counters"},
                                           {"calibrated", "by the calibration of this node"},
                                           {"cpu_time", "by CPU time, estimated"}};
    const struct wtl_node_job_channel *total = &job->total;
    char charged[80], others[40], idle[40], rest[40];
    if (strcmp(job->rule, "none") == 0 || (job->rule[0] && isnan(total->charged_j)))
        (void)fputs("The share of the job is unknown: its CPU time was never seen.\n", out);
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !isnan(total->charged_j); i++) {
        if (strcmp(job->rule, rules[i][0]) != 0)
            continue;
        if (isnan(job->share_half_j))
            (void)wtl_digits_value(charged, sizeof charged, total->charged_j, total->resolution_j);
        else
            (void)wtl_digits_interval(charged, sizeof charged, total->charged_j,
                                      job->share_half_j + total->resolution_j);
        (void)fprintf(
            out, "The job is charged %s J (%s); other jobs %s J, idle %s J, unattributed %s J.\n",
            charged, rules[i][1],
            wtl_digits_value(others, sizeof others, total->others_j, total->resolution_j),
            wtl_digits_value(idle, sizeof idle, total->idle_j, total->resolution_j),
            wtl_digits_value(rest, sizeof rest, total->unattributed_j, total->resolution_j));
    }
    if (job->share_counters[0])
        (void)fprintf(out, "Not by hardware counters: %s.\n", job->share_counters);
    if (total->undivided_j > 0)
        (void)fprintf(out,
                      "It shares %s J of GPUs with others in an unknown proportion, and is not "
                      "charged for it.\n",
                      wtl_digits_value(charged, sizeof charged, total->undivided_j, (double)NAN));
    if (job->unseen_s > 0) {
        char time[40];
        (void)fprintf(out, "What it used in the last %s was not seen: its processes were gone.\n",
                      wtl_digits_time(time, sizeof time, job->unseen_s));
    }
}

static int print_text(const struct wtl_node_job_list *list, FILE *out)
{
    const struct wtl_node_job *job = list->jobs;
    bool ended = list->count == 1 && strcmp(job->state, "open") != 0;
    int rc = 0;
    if (list->count == 0 && !list->more)
        (void)fputs("no open jobs\n", out);
    if (ended) {
        char time[40];
        (void)fprintf(out, "Energy of the node during job %s, %s:\n", job->id,
                      wtl_digits_time(time, sizeof time, job->elapsed_s));
        struct wtl_node_job_channel total = job->total;
        total.in_total = false; /* no mark: it is the total */
        (void)snprintf(total.name, sizeof total.name, "total");
        rc = print_table(&channel_noun, job->channels, job->channel_count, sizeof *job->channels,
                         &total, out);
        print_share(job, out);
    } else if (list->count > 0) {
        rc = print_table(&job_noun, list->jobs, list->count, sizeof *list->jobs, NULL, out);
    }
    if (list->more)
        (void)fprintf(out, "... and %zu more %s\n", list->more, ended ? "channels" : "jobs");
    if (list->more_of_total)
        (void)fprintf(
            out, "The total leaves out %zu channels that did not fit into the reply of wattled.\n",
            list->more_of_total);
    return rc;
}

int wtl_node_job_list_print(const struct wtl_node_job_list *list, enum wtl_format format, FILE *out)
{
    if (format == WTL_FORMAT_JSON)
        return wtl_json_print(out, wtl_noun_document("wattle.jobs/1", &wtl_noun_jobs, list));
    if (format == WTL_FORMAT_TEXT)
        return print_text(list, out);
    print_csv(list, out);
    return 0;
}

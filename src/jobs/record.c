/* SPDX-License-Identifier: BSD-3-Clause */
/* Records and their lines; see record.h. */
#include "jobs/record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <wattle/version.h>

#include "base/fail.h"
#include "base/grow.h"
#include "jobs/field.h"

/* Older versions whose records are also accepted; none yet. */
static const char *const schemas[] = {WTL_JOB_RECORD_SCHEMA};

/* Enough digits for any double, so that a record is the same after its way to the database. */
enum { FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(17) };

#define MOST_J  1e15 /* 30 GWh: more than any machine */
#define MOST_NS 4e18 /* the year 2096 */
#define MOST_S  1e10

static const char *const kinds[] = {"job", "slurm", "run", NULL};
static const char *const states[] = {"unknown", "ended", "cut", NULL};

#define AT(T, member)           offsetof(T, member), sizeof(((T *)NULL)->member)
#define R(member)               AT(struct wtl_job_record, member)
#define C(member)               AT(struct wtl_job_channel, member)
#define NO_RANGE                0, 0, 0, NULL
#define WHOLE(unknown, highest) unknown, 0, highest, NULL
#define REAL(lowest, highest)   0, lowest, highest, NULL
#define WORDS(words)            0, 0, 0, words

static const struct wtl_job_field record_fields[] = {
    {"cluster", "cluster", WTL_JOB_KEY, R(cluster), NO_RANGE, "name of the cluster; empty = none"},
    {"unit", "unit", WTL_JOB_KEY, R(unit), NO_RANGE,
     "what ran: Slurm's SLUID, or JOBID.SUBMITSECONDS.RESTARTS; the id of a run; the ID of a job "
     "of this node and its "
     "begin in seconds"},
    {"step", "step", WTL_JOB_KEY, R(step), NO_RANGE,
     "empty = the whole job; 0, 1, .., batch, extern, interactive"},
    {"node", "node", WTL_JOB_KEY, R(node), NO_RANGE, "name of the node"},
    {"boot_id", "boot_id", WTL_JOB_KEY, R(boot_id), NO_RANGE,
     "the boot of the node, from /proc/sys/kernel/random/boot_id"},
    {"kind", "kind", WTL_JOB_WORD, R(kind), WORDS(kinds),
     "slurm, run (of wattle run) or job (of wattle jobs begin)"},
    {"job_id", "job_id", WTL_JOB_TEXT, R(job_id), NO_RANGE,
     "as users type it: 12, 5_2 (array), 8+1 (heterogeneous)"},
    {"raw_job_id", "raw_job_id", WTL_JOB_WHOLE, R(raw_job_id), WHOLE(0, 9e18), "Slurm's number"},
    {"user", "user_name", WTL_JOB_TEXT, R(user), NO_RANGE, "name of the user"},
    {"uid", "uid", WTL_JOB_WHOLE, R(uid), WHOLE(-1, 4294967295.0), "number of the user"},
    {"account", "account", WTL_JOB_TEXT, R(account), NO_RANGE, "account that pays"},
    {"partition", "partition_name", WTL_JOB_TEXT, R(partition), NO_RANGE, "partition or queue"},
    {"name", "name", WTL_JOB_TEXT, R(name), NO_RANGE, "of the job, or the program of a run"},
    {"submit_ns", "submit_ns", WTL_JOB_WHOLE, R(submit_ns), WHOLE(0, MOST_NS),
     "submitted, ns since 1970"},
    {"begin_ns", "begin_ns", WTL_JOB_WHOLE, R(begin_ns), WHOLE(0, MOST_NS), "began, ns since 1970"},
    {"end_ns", "end_ns", WTL_JOB_WHOLE, R(end_ns), WHOLE(0, MOST_NS), "ended, ns since 1970"},
    {"elapsed_ns", "elapsed_ns", WTL_JOB_WHOLE, R(elapsed_ns), WHOLE(-1, MOST_NS),
     "duration by the monotonic clock"},
    {"state", "state", WTL_JOB_WORD, R(state), WORDS(states),
     "ended, cut (wattled or the node died before the end), unknown"},
    {"exit_status", "exit_status", WTL_JOB_WHOLE, R(exit_status), WHOLE(-1, 1e6), "exit status"},
    {"exit_signal", "exit_signal", WTL_JOB_WHOLE, R(exit_signal), WHOLE(-1, 1e6),
     "signal that ended it; 0 = none"},
    {"problem", "problem", WTL_JOB_TEXT, R(problem), NO_RANGE,
     "why its energy is unknown, or in doubt"},
    {"nodes", "nodes", WTL_JOB_WHOLE, R(nodes), WHOLE(0, 1e9), "number of nodes of the whole job"},
    {"cpus", "cpus", WTL_JOB_WHOLE, R(cpus), WHOLE(0, 1e9), "CPUs of the job on this node"},
    {"node_cpus", "node_cpus", WTL_JOB_WHOLE, R(node_cpus), WHOLE(0, 1e9), "CPUs of the node"},
    {"cpu_s", "cpu_s", WTL_JOB_REAL, R(cpu_s), REAL(0, MOST_S * 1e4), "CPU time in s"},
    {"max_rss_bytes", "max_rss_bytes", WTL_JOB_WHOLE, R(max_rss_bytes), WHOLE(-1, 9e18),
     "largest memory of a task"},
    {"max_rss_task", "max_rss_task", WTL_JOB_WHOLE, R(max_rss_task), WHOLE(-1, 1e9),
     "number of that task"},
    {"energy_j", "energy_j", WTL_JOB_REAL, R(energy_j), REAL(0, MOST_J),
     "energy of the node during the record"},
    {"resolution_j", "resolution_j", WTL_JOB_REAL, R(resolution_j), REAL(0, MOST_J),
     "half width of the interval of energy_j"},
    {"unknown_s", "unknown_s", WTL_JOB_REAL, R(unknown_s), REAL(0, MOST_S),
     "time missing from energy_j"},
    {"charged_j", "charged_j", WTL_JOB_REAL, R(charged_j), REAL(0, MOST_J),
     "what the job is charged; energy_j if it had the node for itself"},
    {"idle_j", "idle_j", WTL_JOB_REAL, R(idle_j), REAL(-MOST_J, MOST_J),
     "charged to no job: the idle node"},
    {"unattributed_j", "unattributed_j", WTL_JOB_REAL, R(unattributed_j), REAL(-MOST_J, MOST_J),
     "charged to no job: other processes"},
    {"gpus", "gpus", WTL_JOB_TEXT, R(gpus), NO_RANGE, "GPUs that it had reserved: 0,1 or names"},
    {"gpu_j", "gpu_j", WTL_JOB_REAL, R(gpu_j), REAL(0, MOST_J), "of charged_j: GPUs"},
    {"rule", "rule", WTL_JOB_TEXT, R(rule), NO_RANGE,
     "how it is charged: exclusive, counters, calibrated, cpu_time; empty = unknown"},
    {"quality", "quality", WTL_JOB_TEXT, R(quality), NO_RANGE,
     "measured, derived, estimated or simulated; empty = unknown"},
    {"simulated", "simulated", WTL_JOB_FLAG, R(simulated), NO_RANGE, "from a simulated node"},
    {"lower_bound", "lower_bound", WTL_JOB_FLAG, R(lower_bound), NO_RANGE,
     "energy is missing from charged_j"},
    {"trace", "trace", WTL_JOB_TEXT, R(trace), NO_RANGE, "path of a trace"},
    {"version", "version", WTL_JOB_TEXT, R(version), NO_RANGE, "version of wattle that wrote it"},
    {"record_nodes", "record_nodes", WTL_JOB_WHOLE, R(record_nodes), WHOLE(0, 1e9),
     "number of nodes that this record is of: more than one if only their sum is known"},
    {"slurm_state", "slurm_state", WTL_JOB_TEXT, R(slurm_state), NO_RANGE,
     "how it ended by Slurm's accounting: COMPLETED, CANCELLED, TIMEOUT, ..; empty = unknown"},
    {"charged_low_j", "charged_low_j", WTL_JOB_REAL, R(charged_low_j), REAL(0, MOST_J),
     "of an estimate, or a share by counters: lower end of the 95 % interval of charged_j"},
    {"charged_high_j", "charged_high_j", WTL_JOB_REAL, R(charged_high_j), REAL(0, MOST_J),
     "its upper end"},
};

static const struct wtl_job_field channel_fields[] = {
    {"name", "name", WTL_JOB_TEXT, C(name), NO_RANGE, "sensor:domain-index"},
    {"domain", "domain", WTL_JOB_TEXT, C(domain), NO_RANGE, "package, dram, .."},
    {"energy_j", "energy_j", WTL_JOB_REAL, C(energy_j), REAL(0, MOST_J), "energy of the channel"},
    {"resolution_j", "resolution_j", WTL_JOB_REAL, C(resolution_j), REAL(0, MOST_J),
     "half width of its interval"},
    {"unknown_s", "unknown_s", WTL_JOB_REAL, C(unknown_s), REAL(0, MOST_S), "time missing from it"},
    {"share_j", "share_j", WTL_JOB_REAL, C(share_j), REAL(0, MOST_J), "what the job is charged"},
    {"rule", "rule", WTL_JOB_TEXT, C(rule), NO_RANGE,
     "of a GPU: reserved, use (derived from what its processes used), none; empty = as of the "
     "record"},
    {"undivided_j", "undivided_j", WTL_JOB_REAL, C(undivided_j), REAL(0, MOST_J),
     "of a GPU: shared with others in an unknown proportion, and not in share_j"},
    {"quality", "quality", WTL_JOB_TEXT, C(quality), NO_RANGE, "as of the record"},
    {"in_total", "in_total", WTL_JOB_FLAG, C(in_total), NO_RANGE, "part of the record's energy_j"},
};

const struct wtl_job_fields wtl_job_record_fields = {record_fields,
                                                     sizeof record_fields / sizeof *record_fields};
const struct wtl_job_fields wtl_job_channel_fields = {channel_fields, sizeof channel_fields /
                                                                          sizeof *channel_fields};

void wtl_job_record_init(struct wtl_job_record *record)
{
    *record = (struct wtl_job_record){.channels = NULL};
    wtl_job_fields_init(&wtl_job_record_fields, record);
    (void)wtl_job_text_set(record->version, sizeof record->version, WATTLE_VERSION);
}

void wtl_job_record_fini(struct wtl_job_record *record)
{
    free(record->channels);
    record->channels = NULL;
    record->channel_count = 0;
}

int wtl_job_channel_add(struct wtl_job_record *record, struct wtl_job_channel **ret_channel)
{
    if (record->channel_count >= WTL_JOB_CHANNELS_MAX)
        return -E2BIG;
    int rc = wtl_grow(&record->channels, record->channel_count, sizeof *record->channels);
    if (rc < 0)
        return rc;
    struct wtl_job_channel *channel = &record->channels[record->channel_count++];
    memset(channel, 0, sizeof *channel);
    wtl_job_fields_init(&wtl_job_channel_fields, channel);
    *ret_channel = channel;
    return 0;
}

/* "nvml:gpu-0", "nvml:gpu_memory-0" */
static bool is_gpu(const struct wtl_job_channel *channel)
{
    const char *domain = strchr(channel->name, ':');
    return domain && strncmp(domain, ":gpu", 4) == 0 && (domain[4] == '-' || domain[4] == '_');
}

double wtl_job_record_gpu_j(const struct wtl_job_record *record)
{
    double sum_j = (double)NAN;
    for (size_t i = 0; i < record->channel_count; i++) {
        const struct wtl_job_channel *channel = &record->channels[i];
        if (channel->in_total && is_gpu(channel) && !isnan(channel->share_j))
            sum_j = isnan(sum_j) ? channel->share_j : sum_j + channel->share_j;
    }
    return sum_j;
}

int wtl_job_record_check(const struct wtl_job_record *record, struct wattle_error *err)
{
    int rc = wtl_job_fields_check(&wtl_job_record_fields, record, err);
    for (size_t i = 0; rc == 0 && i < record->channel_count; i++)
        rc = wtl_job_fields_check(&wtl_job_channel_fields, &record->channels[i], err);
    if (rc < 0)
        return rc;
    if (!record->unit[0] || !record->node[0])
        return wtl_fail(err, -EBADMSG, "a record of a job without its %s",
                        record->unit[0] ? "\"node\"" : "\"unit\"");
    return 0;
}

static json_t *channels_json(const struct wtl_job_record *record, bool brief)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < record->channel_count; i++) {
        json_t *channel = json_object();
        if (!channel ||
            wtl_job_fields_store(&wtl_job_channel_fields, &record->channels[i], brief, channel) <
                0 ||
            json_array_append(list, channel) < 0) {
            json_decref(list);
            list = NULL;
        }
        json_decref(channel);
    }
    return list;
}

int wtl_job_record_line(const struct wtl_job_record *record,
                        char **ret_line,
                        size_t *ret_size,
                        struct wattle_error *err)
{
    int rc = wtl_job_record_check(record, err);
    if (rc < 0)
        return rc;
    json_t *object = json_object();
    bool made = object &&
                json_object_set_new(object, "schema", json_string(WTL_JOB_RECORD_SCHEMA)) == 0 &&
                wtl_job_fields_store(&wtl_job_record_fields, record, false, object) == 0 &&
                json_object_set_new(object, "channels", channels_json(record, false)) == 0;
    size_t size = made ? json_dumpb(object, NULL, 0, FLAGS) : 0;
    char *line = size > 0 ? malloc(size + 2) : NULL;
    if (line)
        (void)json_dumpb(object, line, size, FLAGS);
    json_decref(object);
    if (!made || (size > 0 && !line))
        return wtl_no_memory_for(err, "a record of a job");
    if (!line || size + 1 > WTL_JOB_LINE_MAX) {
        free(line);
        return wtl_fail(err, -EBADMSG,
                        "a record of a job that is not UTF-8, or longer than 64 KiB");
    }
    line[size] = '\n';
    line[size + 1] = '\0';
    *ret_line = line;
    *ret_size = size + 1;
    return 0;
}

static int load_channels(json_t *list, struct wtl_job_record *record, struct wattle_error *err)
{
    size_t n = json_array_size(list);
    int rc = 0;
    if (list && !json_is_null(list) && !json_is_array(list))
        return wtl_fail(err, -EBADMSG, "a record of a job with impossible \"channels\"");
    for (size_t i = 0; rc == 0 && i < n; i++) {
        json_t *object = json_array_get(list, i);
        struct wtl_job_channel *channel;
        rc = wtl_job_channel_add(record, &channel);
        if (rc == -ENOMEM)
            return wtl_no_memory_for(err, "a record of a job");
        if (rc < 0 || !json_is_object(object))
            return wtl_fail(err, -EBADMSG, "a record of a job with impossible \"channels\"");
        rc = wtl_job_fields_load(&wtl_job_channel_fields, object, channel, err);
    }
    return rc;
}

static bool is_known(const char *schema)
{
    for (size_t i = 0; schema && i < sizeof schemas / sizeof *schemas; i++)
        if (strcmp(schema, schemas[i]) == 0)
            return true;
    return false;
}

static int load(json_t *object, struct wtl_job_record *record, struct wattle_error *err)
{
    const char *schema = json_string_value(json_object_get(object, "schema"));
    if (!is_known(schema)) {
        char shown[64];
        (void)wtl_job_text_set(shown, sizeof shown, schema ? schema : "");
        return wtl_fail(
            err, -EBADMSG,
            "a record of a job of another version, \"%s\" instead of " WTL_JOB_RECORD_SCHEMA,
            shown);
    }
    int rc = wtl_job_fields_load(&wtl_job_record_fields, object, record, err);
    rc = rc < 0 ? rc : load_channels(json_object_get(object, "channels"), record, err);
    return rc < 0 ? rc : wtl_job_record_check(record, err);
}

static int parse_json(const char *text, size_t n, json_t **ret_json, struct wattle_error *err)
{
    json_error_t why;
    if (n > WTL_JOB_LINE_MAX)
        return wtl_fail(err, -EBADMSG, "a record of a job longer than 64 KiB");
    *ret_json = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
    if (*ret_json)
        return 0;
    if (json_error_code(&why) == json_error_out_of_memory)
        return wtl_no_memory_for(err, "a record of a job");
    return wtl_fail(err, -EBADMSG, "a record of a job is not JSON (at byte %d)", why.position);
}

int wtl_job_record_parse(const char *line,
                         size_t n,
                         struct wtl_job_record *ret_record,
                         struct wattle_error *err)
{
    json_t *object = NULL;
    int rc = parse_json(line, n, &object, err);
    if (rc < 0)
        return rc;
    memset(ret_record, 0, sizeof *ret_record);
    rc = load(object, ret_record, err);
    json_decref(object);
    if (rc < 0)
        wtl_job_record_fini(ret_record);
    return rc;
}

int wtl_job_channels_text(const struct wtl_job_record *record, char **ret_text)
{
    json_t *list = channels_json(record, true);
    char *text = list ? json_dumps(list, FLAGS) : NULL;
    json_decref(list);
    if (!text)
        return -ENOMEM;
    *ret_text = text;
    return 0;
}

int wtl_job_channels_parse(const char *text,
                           size_t n,
                           struct wtl_job_record *record,
                           struct wattle_error *err)
{
    json_t *list = NULL;
    if (!text || n == 0)
        return 0;
    int rc = parse_json(text, n, &list, err);
    if (rc < 0)
        return rc;
    rc = load_channels(list, record, err);
    json_decref(list);
    return rc;
}

static const char *word(const char *name, int value)
{
    for (size_t i = 0; i < wtl_job_record_fields.count; i++) {
        const struct wtl_job_field *field = &wtl_job_record_fields.list[i];
        if (strcmp(field->name, name) != 0)
            continue;
        for (int k = 0; field->words[k]; k++)
            if (k == value)
                return field->words[k];
    }
    return "unknown";
}

const char *wtl_job_kind_word(enum wtl_job_kind kind)
{
    return word("kind", (int)kind);
}

const char *wtl_job_state_word(enum wtl_job_state state)
{
    return word("state", (int)state);
}

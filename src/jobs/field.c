/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of records and channels, and what can be done with any of them; see field.h. */
#include "jobs/field.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "jobs/record.h"

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
    {"problem", "problem", WTL_JOB_TEXT, R(problem), NO_RANGE, "why its energy is unknown"},
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
    {"rule", "rule", WTL_JOB_TEXT, R(rule), NO_RANGE,
     "how it is charged: exclusive, calibrated, cpu_time; empty = unknown"},
    {"quality", "quality", WTL_JOB_TEXT, R(quality), NO_RANGE,
     "measured, derived, estimated or simulated; empty = unknown"},
    {"simulated", "simulated", WTL_JOB_FLAG, R(simulated), NO_RANGE, "from a simulated node"},
    {"lower_bound", "lower_bound", WTL_JOB_FLAG, R(lower_bound), NO_RANGE,
     "energy is missing from charged_j"},
    {"trace", "trace", WTL_JOB_TEXT, R(trace), NO_RANGE, "path of a trace"},
    {"version", "version", WTL_JOB_TEXT, R(version), NO_RANGE, "version of wattle that wrote it"},
};

static const struct wtl_job_field channel_fields[] = {
    {"name", "name", WTL_JOB_TEXT, C(name), NO_RANGE, "sensor:domain-index"},
    {"domain", "domain", WTL_JOB_TEXT, C(domain), NO_RANGE, "package, dram, .."},
    {"energy_j", "energy_j", WTL_JOB_REAL, C(energy_j), REAL(0, MOST_J), "energy of the channel"},
    {"resolution_j", "resolution_j", WTL_JOB_REAL, C(resolution_j), REAL(0, MOST_J),
     "half width of its interval"},
    {"unknown_s", "unknown_s", WTL_JOB_REAL, C(unknown_s), REAL(0, MOST_S), "time missing from it"},
    {"share_j", "share_j", WTL_JOB_REAL, C(share_j), REAL(0, MOST_J), "what the job is charged"},
    {"quality", "quality", WTL_JOB_TEXT, C(quality), NO_RANGE, "as of the record"},
    {"in_total", "in_total", WTL_JOB_FLAG, C(in_total), NO_RANGE, "part of the record's energy_j"},
};

const struct wtl_job_fields wtl_job_record_fields = {record_fields,
                                                     sizeof record_fields / sizeof *record_fields};
const struct wtl_job_fields wtl_job_channel_fields = {channel_fields, sizeof channel_fields /
                                                                          sizeof *channel_fields};

int64_t wtl_job_whole(const struct wtl_job_field *field, const void *base)
{
    const char *at = (const char *)base + field->offset;
    int64_t value;
    int word;
    if (field->form == WTL_JOB_FLAG)
        return *(const bool *)at;
    if (field->form == WTL_JOB_WORD) {
        memcpy(&word, at, sizeof word);
        return word;
    }
    memcpy(&value, at, sizeof value);
    return value;
}

double wtl_job_real(const struct wtl_job_field *field, const void *base)
{
    double value;
    memcpy(&value, (const char *)base + field->offset, sizeof value);
    return value;
}

static int words(const struct wtl_job_field *field)
{
    int n = 0;
    while (field->words[n])
        n++;
    return n;
}

static bool is_possible(const struct wtl_job_field *field, double value)
{
    return value >= field->lowest && value <= field->highest;
}

void wtl_job_set_whole(const struct wtl_job_field *field, void *base, int64_t value)
{
    char *at = (char *)base + field->offset;
    if (field->form == WTL_JOB_FLAG) {
        *(bool *)at = value != 0;
        return;
    }
    if (field->form == WTL_JOB_WORD) {
        int word = value >= 0 && value < words(field) ? (int)value : 0;
        memcpy(at, &word, sizeof word);
        return;
    }
    if (!is_possible(field, (double)value))
        value = field->unknown;
    memcpy(at, &value, sizeof value);
}

void wtl_job_set_real(const struct wtl_job_field *field, void *base, double value)
{
    if (!is_possible(field, value))
        value = NAN;
    memcpy((char *)base + field->offset, &value, sizeof value);
}

static void forget(const struct wtl_job_field *field, void *base)
{
    if (field->form == WTL_JOB_TEXT || field->form == WTL_JOB_KEY)
        *((char *)base + field->offset) = '\0';
    else if (field->form == WTL_JOB_REAL)
        wtl_job_set_real(field, base, NAN);
    else
        wtl_job_set_whole(field, base, field->unknown);
}

void wtl_job_fields_init(const struct wtl_job_fields *fields, void *base)
{
    for (size_t i = 0; i < fields->count; i++)
        forget(&fields->list[i], base);
}

static bool is_sound(const struct wtl_job_field *field, const void *base)
{
    switch (field->form) {
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
        return memchr(wtl_job_text(field, base), '\0', field->size) != NULL;
    case WTL_JOB_REAL:
        return isnan(wtl_job_real(field, base)) || is_possible(field, wtl_job_real(field, base));
    case WTL_JOB_WORD:
        return wtl_job_whole(field, base) >= 0 && wtl_job_whole(field, base) < words(field);
    case WTL_JOB_FLAG:
        return true;
    case WTL_JOB_WHOLE:
        break;
    }
    return wtl_job_whole(field, base) == field->unknown ||
           is_possible(field, (double)wtl_job_whole(field, base));
}

int wtl_job_fields_check(const struct wtl_job_fields *fields,
                         const void *base,
                         struct wattle_error *err)
{
    for (size_t i = 0; i < fields->count; i++)
        if (!is_sound(&fields->list[i], base))
            return wtl_fail(err, -EBADMSG, "a record of a job with an impossible \"%s\"",
                            fields->list[i].name);
    return 0;
}

static json_t *value_of(const struct wtl_job_field *field, const void *base)
{
    double real;
    int64_t whole;
    switch (field->form) {
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
        return json_string(wtl_job_text(field, base));
    case WTL_JOB_REAL:
        real = wtl_job_real(field, base);
        return isnan(real) ? json_null() : json_real(real);
    case WTL_JOB_FLAG:
        return json_boolean(wtl_job_whole(field, base));
    case WTL_JOB_WORD:
        return json_string(field->words[wtl_job_whole(field, base)]);
    case WTL_JOB_WHOLE:
        break;
    }
    whole = wtl_job_whole(field, base);
    return whole == field->unknown ? json_null() : json_integer(whole);
}

int wtl_job_fields_store(const struct wtl_job_fields *fields, const void *base, json_t *object)
{
    for (size_t i = 0; i < fields->count; i++)
        if (json_object_set_new(object, fields->list[i].name, value_of(&fields->list[i], base)) < 0)
            return -ENOMEM;
    return 0;
}

/* True if the value is one for this field. A text that is too long is cut, unless it is part of the key. */
static bool set_text(const struct wtl_job_field *field, const json_t *value, void *base)
{
    if (!json_is_string(value))
        return false;
    bool fits =
        wtl_job_text_set((char *)base + field->offset, field->size, json_string_value(value));
    return fits || field->form == WTL_JOB_TEXT;
}

static bool set_word(const struct wtl_job_field *field, const json_t *value, void *base)
{
    if (!json_is_string(value))
        return false;
    for (int i = 0; i < words(field); i++)
        if (strcmp(field->words[i], json_string_value(value)) == 0)
            wtl_job_set_whole(field, base, i);
    return true;
}

static bool set_value(const struct wtl_job_field *field, const json_t *value, void *base)
{
    switch (field->form) {
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
        return set_text(field, value, base);
    case WTL_JOB_WORD:
        return set_word(field, value, base);
    case WTL_JOB_FLAG:
        wtl_job_set_whole(field, base, json_is_true(value));
        return json_is_boolean(value);
    case WTL_JOB_REAL:
        wtl_job_set_real(field, base, json_number_value(value));
        return json_is_number(value) && is_possible(field, json_number_value(value));
    case WTL_JOB_WHOLE:
        break;
    }
    wtl_job_set_whole(field, base, json_integer_value(value));
    return json_is_integer(value) && is_possible(field, (double)json_integer_value(value));
}

int wtl_job_fields_load(const struct wtl_job_fields *fields,
                        json_t *object,
                        void *base,
                        struct wattle_error *err)
{
    wtl_job_fields_init(fields, base);
    for (size_t i = 0; i < fields->count; i++) {
        const struct wtl_job_field *field = &fields->list[i];
        const json_t *value = json_object_get(object, field->name);
        if (value && !json_is_null(value) && !set_value(field, value, base))
            return wtl_fail(err, -EBADMSG, "a record of a job with an impossible \"%s\"",
                            field->name);
    }
    return 0;
}

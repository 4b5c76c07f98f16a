/* SPDX-License-Identifier: BSD-3-Clause */
/* A job as INI text in a file of its own: see ledger_job_file.h. */
#define _GNU_SOURCE
#include "daemon/ledger_job_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <wattle/page_layout.h>

#include "base/config/ini.h"
#include "base/grow.h"
#include "base/parse.h"
#include "daemon/folder.h"

#define SUFFIX WTL_JOB_SUFFIX

enum { FILE_MAX = 1 << 20 };

static const char *const state_names[] =
    {[WTL_JOB_OPEN] = "open", [WTL_JOB_ENDED] = "ended", [WTL_JOB_CUT] = "cut"};

const char *wtl_ledger_job_state_word(enum wtl_ledger_job_state state)
{
    return state_names[state];
}

void wtl_ledger_job_free(struct wtl_ledger_job *job)
{
    if (job) {
        wtl_tree_fini(&job->tree);
        free(job->channels);
    }
    free(job);
}

struct wtl_ledger_job *wtl_ledger_job_copy(const struct wtl_ledger_job *job)
{
    struct wtl_ledger_job *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *job;
    copy->tree = (struct wtl_process_tree){.count = 0};
    copy->channels = calloc(job->channel_count + 1, sizeof *copy->channels);
    if (!copy->channels) {
        free(copy);
        return NULL;
    }
    if (job->channel_count > 0)
        memcpy(copy->channels, job->channels, job->channel_count * sizeof *copy->channels);
    return copy;
}

/* ---- writing ---- */

/* A value that is not known has no line. */
static void put_number(FILE *out, const char *key, int digits, double value)
{
    if (isfinite(value))
        (void)fprintf(out, "%s = %.*g\n", key, digits, value);
}

static void put_text(FILE *out, const char *key, const char *value)
{
    if (value[0])
        (void)fprintf(out, "%s = %s\n", key, value);
}

static void put_count(FILE *out, const char *key, uint64_t value)
{
    if (value > 0)
        (void)fprintf(out, "%s = %llu\n", key, (unsigned long long)value);
}

/* What divides its energy. */
static void print_terms(FILE *out, const struct wtl_ledger_job *job)
{
    const struct wtl_job_terms *terms = &job->terms;
    if (!terms->given)
        return;
    (void)fprintf(out, "shared = 1\nreserved = %.9g\n", terms->reserved);
    put_text(out, "cgroup", terms->cgroup);
    put_text(out, "cpus", terms->cpus);
    put_text(out, "parent", terms->parent);
    put_text(out, "gpus", terms->gpus);
    put_text(out, "note", terms->note);
    put_count(out, "slurm", terms->slurm);
    put_count(out, "pid", terms->pid);
    put_count(out, "cpu_ns", job->use.cpu_ns);
    put_count(out, "peak_bytes", job->use.peak_bytes);
    put_count(out, "seen_ns", job->use.seen_ns);
    put_count(out, "cgroup_ns", job->use.cgroup_ns);
    put_count(out, "tree_ns", job->use.tree_ns);
    put_count(out, "gone_ns", job->use.gone_ns);
    put_count(out, "quiet_ns", job->use.quiet_ns);
    put_count(out, "has_cgroup", job->use.has_cgroup);
    put_count(out, "rules", job->use.rules);
    put_count(out, "uncounted", job->use.uncounted);
    put_count(out, "fetched", job->fetched);
}

static void print_shares(FILE *out, const struct wtl_ledger_job_channel *channel)
{
    (void)fprintf(out,
                  "charged_uj = %lld\nothers_uj = %lld\nidle_uj = %lld\nunattributed_uj = %lld\n"
                  "divided_cpu_ns = %llu\n",
                  (long long)channel->charged_uj, (long long)channel->others_uj,
                  (long long)channel->idle_uj, (long long)channel->unattributed_uj,
                  (unsigned long long)channel->divided_cpu_ns);
    put_count(out, "device_rule", channel->device_rule);
    if (channel->share_half_uj != 0)
        (void)fprintf(out, "share_half_uj = %lld\n", (long long)channel->share_half_uj);
    if (channel->undivided_uj != 0)
        (void)fprintf(out, "undivided_uj = %lld\n", (long long)channel->undivided_uj);
}

static void print_job(FILE *out, const struct wtl_ledger_job *job)
{
    (void)fprintf(
        out,
        "[job]\nid = %s\nstate = %s\nboot = %s\nbegin_realtime_ns = %llu\nbegin_ns = %llu\n"
        "until_ns = %llu\n",
        job->id, state_names[job->state], job->boot_id, (unsigned long long)job->begin_realtime_ns,
        (unsigned long long)job->begin_ns, (unsigned long long)job->until_ns);
    print_terms(out, job);
    for (size_t i = 0; i < job->channel_count; i++) {
        const struct wtl_ledger_job_channel *channel = &job->channels[i];
        (void)fprintf(out, "\n[channel %s]\n", channel->name);
        put_number(out, "begin_j", 17, channel->begin_j);
        put_number(out, "until_j", 17, channel->until_j);
        put_number(out, "energy_j", 9, wtl_ledger_job_energy_j(job, channel));
        (void)fprintf(out, "since_ns = %llu\nbegin_unknown_ns = %llu\nuntil_unknown_ns = %llu\n",
                      (unsigned long long)channel->since_ns,
                      (unsigned long long)channel->begin_unknown_ns,
                      (unsigned long long)channel->until_unknown_ns);
        put_number(out, "begin_doubt_j", 3, channel->begin_doubt_j);
        (void)fprintf(out, "begin_doubt_ns = %llu\n", (unsigned long long)channel->begin_doubt_ns);
        put_number(out, "resolution_j", 3, channel->resolution_j);
        (void)fprintf(out, "in_total = %d\nquality = %s\n", channel->in_total, channel->quality);
        if (job->terms.given)
            print_shares(out, channel);
    }
}

/* Written, flushed to the disk if so wanted, and closed: 0 or -errno. */
static int put_job(int fd, const struct wtl_ledger_job *job, bool flushed)
{
    FILE *out = fdopen(fd, "w");
    if (!out) {
        int rc = -errno;
        (void)close(fd); /* nothing was written */
        return rc;
    }
    errno = 0;
    print_job(out, job);
    bool failed = fflush(out) != 0 || ferror(out) || (flushed && fsync(fd) < 0);
    int rc = failed ? (errno ? -errno : -EIO) : 0;
    if (fclose(out) != 0 && rc == 0)
        rc = errno ? -errno : -EIO;
    return rc;
}

int wtl_ledger_job_write(const char *path, const struct wtl_ledger_job *job, bool flushed)
{
    int fd = wtl_folder_create_file(path);
    int rc = fd < 0 ? fd : put_job(fd, job, flushed);
    if (rc < 0 && fd >= 0)
        (void)unlink(path);
    return rc;
}

/* ---- reading ---- */

/* Where the values of a file go. */
enum value { TEXT, COUNT, FLAG, BITS, U32, NUMBER, AMOUNT };
struct field {
    const char *name;
    enum value value;
    size_t at, size;
};
#define FIELD(type, key, member, kind)                                               \
    {                                                                                \
        key, kind, offsetof(struct type, member), sizeof(((struct type *)0)->member) \
    }

static const struct field job_fields[] = {
    FIELD(wtl_ledger_job, "boot", boot_id, TEXT),
    FIELD(wtl_ledger_job, "begin_realtime_ns", begin_realtime_ns, COUNT),
    FIELD(wtl_ledger_job, "begin_ns", begin_ns, COUNT),
    FIELD(wtl_ledger_job, "until_ns", until_ns, COUNT),
    FIELD(wtl_ledger_job, "shared", terms.given, FLAG),
    FIELD(wtl_ledger_job, "cgroup", terms.cgroup, TEXT),
    FIELD(wtl_ledger_job, "cpus", terms.cpus, TEXT),
    FIELD(wtl_ledger_job, "parent", terms.parent, TEXT),
    FIELD(wtl_ledger_job, "gpus", terms.gpus, TEXT),
    FIELD(wtl_ledger_job, "reserved", terms.reserved, NUMBER),
    FIELD(wtl_ledger_job, "slurm", terms.slurm, U32),
    FIELD(wtl_ledger_job, "pid", terms.pid, U32),
    FIELD(wtl_ledger_job, "note", terms.note, TEXT),
    FIELD(wtl_ledger_job, "cpu_ns", use.cpu_ns, COUNT),
    FIELD(wtl_ledger_job, "peak_bytes", use.peak_bytes, COUNT),
    FIELD(wtl_ledger_job, "seen_ns", use.seen_ns, COUNT),
    FIELD(wtl_ledger_job, "cgroup_ns", use.cgroup_ns, COUNT),
    FIELD(wtl_ledger_job, "tree_ns", use.tree_ns, COUNT),
    FIELD(wtl_ledger_job, "gone_ns", use.gone_ns, COUNT),
    FIELD(wtl_ledger_job, "quiet_ns", use.quiet_ns, COUNT),
    FIELD(wtl_ledger_job, "has_cgroup", use.has_cgroup, FLAG),
    FIELD(wtl_ledger_job, "rules", use.rules, BITS),
    FIELD(wtl_ledger_job, "uncounted", use.uncounted, BITS),
    FIELD(wtl_ledger_job, "fetched", fetched, FLAG),
    {.name = NULL}};

static const struct field channel_fields[] = {
    FIELD(wtl_ledger_job_channel, "begin_j", begin_j, NUMBER),
    FIELD(wtl_ledger_job_channel, "until_j", until_j, NUMBER),
    FIELD(wtl_ledger_job_channel, "begin_doubt_j", begin_doubt_j, NUMBER),
    FIELD(wtl_ledger_job_channel, "begin_doubt_ns", begin_doubt_ns, COUNT),
    FIELD(wtl_ledger_job_channel, "resolution_j", resolution_j, NUMBER),
    FIELD(wtl_ledger_job_channel, "since_ns", since_ns, COUNT),
    FIELD(wtl_ledger_job_channel, "begin_unknown_ns", begin_unknown_ns, COUNT),
    FIELD(wtl_ledger_job_channel, "until_unknown_ns", until_unknown_ns, COUNT),
    FIELD(wtl_ledger_job_channel, "quality", quality, TEXT),
    FIELD(wtl_ledger_job_channel, "in_total", in_total, FLAG),
    FIELD(wtl_ledger_job_channel, "charged_uj", charged_uj, AMOUNT),
    FIELD(wtl_ledger_job_channel, "others_uj", others_uj, AMOUNT),
    FIELD(wtl_ledger_job_channel, "idle_uj", idle_uj, AMOUNT),
    FIELD(wtl_ledger_job_channel, "unattributed_uj", unattributed_uj, AMOUNT),
    FIELD(wtl_ledger_job_channel, "share_half_uj", share_half_uj, AMOUNT),
    FIELD(wtl_ledger_job_channel, "divided_cpu_ns", divided_cpu_ns, COUNT),
    FIELD(wtl_ledger_job_channel, "device_rule", device_rule, BITS),
    FIELD(wtl_ledger_job_channel, "undivided_uj", undivided_uj, AMOUNT),
    {.name = NULL}};

static bool take_whole(const struct field *field, const char *text, void *at)
{
    const uint64_t most[] = {
        [COUNT] = UINT64_MAX, [FLAG] = 1, [BITS] = 31, [U32] = UINT32_MAX, [AMOUNT] = INT64_MAX};
    bool negative = field->value == AMOUNT && text[0] == '-';
    uint64_t value;
    if (wtl_parse_u64(text + negative, &value) < 0 || value > most[field->value])
        return false;
    if (field->value == COUNT)
        *(uint64_t *)at = value;
    else if (field->value == FLAG)
        *(bool *)at = value == 1;
    else if (field->value == BITS)
        *(unsigned *)at = (unsigned)value;
    else if (field->value == U32)
        *(uint32_t *)at = (uint32_t)value;
    else
        *(int64_t *)at = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* A key of a table. False: its value is not valid. */
static bool take_field(const struct field *fields, void *of, const char *name, const char *value)
{
    while (fields->name && strcmp(fields->name, name) != 0)
        fields++;
    if (!fields->name)
        return true; /* of a later version */
    void *at = (char *)of + fields->at;
    if (fields->value == TEXT)
        return (size_t)snprintf(at, fields->size, "%s", value) < fields->size;
    if (fields->value == NUMBER)
        return wtl_parse_double(value, (double *)at) == 0 && isfinite(*(double *)at);
    return take_whole(fields, value, at);
}

/* A key of [job]. False: its value is not valid. */
static bool take_job_key(struct wtl_ledger_job *job, const char *name, const char *value)
{
    if (strcmp(name, "id") == 0)
        return wtl_job_id_is_valid(value) && strcmp(value, job->id) == 0;
    if (strcmp(name, "state") != 0)
        return take_field(job_fields, job, name, value);
    for (size_t i = 0; i < sizeof state_names / sizeof *state_names; i++) {
        if (strcmp(value, state_names[i]) == 0) {
            job->state = (enum wtl_ledger_job_state)i;
            return true;
        }
    }
    return false;
}

/* 0, -EBADMSG, -ENOMEM. */
static int add_channel(struct wtl_ledger_job *job, const char *name)
{
    static const char prefix[] = "channel ";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        strlen(name) - (sizeof prefix - 1) >= WATTLE_NAME_MAX ||
        job->channel_count == WATTLE_PAGE_CHANNELS_MAX)
        return -EBADMSG;
    if (wtl_grow(&job->channels, job->channel_count, sizeof *job->channels) < 0)
        return -ENOMEM;
    struct wtl_ledger_job_channel *channel = &job->channels[job->channel_count++];
    *channel = (struct wtl_ledger_job_channel){.begin_j = (double)NAN,
                                               .until_j = (double)NAN,
                                               .begin_doubt_j = (double)NAN,
                                               .resolution_j = (double)NAN};
    (void)snprintf(channel->name, sizeof channel->name, "%s", name + sizeof prefix - 1);
    return 0;
}

/* 0; -EBADMSG: the text is not that of a job; -ENOMEM. */
static int parse_job(const char *text, size_t size, struct wtl_ledger_job *job)
{
    struct wtl_ini ini = wtl_ini_of("job", text, size);
    struct wtl_ini_line line;
    struct wattle_error err;
    bool good = true, in_job = false;
    int rc, added = 0;
    while (good && added == 0 && (rc = wtl_ini_next(&ini, &line, &err)) > 0) {
        if (line.kind == WTL_INI_SECTION) {
            in_job = strcmp(line.name, "job") == 0;
            added = in_job ? 0 : add_channel(job, line.name);
        } else if (line.kind == WTL_INI_PAIR) {
            good = in_job ? take_job_key(job, line.name, line.value)
                   : job->channel_count > 0
                       ? take_field(channel_fields, &job->channels[job->channel_count - 1],
                                    line.name, line.value)
                       : false;
        }
    }
    if (added < 0)
        return added;
    return good && rc == 0 && job->boot_id[0] && job->begin_ns > 0 ? 0 : -EBADMSG;
}

/* Read a small regular file: malloc'ed text. 0, -EBADMSG: no such file that a job may be in, -ENOMEM, or -errno. */
static int read_file(int folder, const char *name, char **ret_text, size_t *ret_size)
{
    struct stat about;
    int rc = 0,
        fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ELOOP ? -EBADMSG : -errno;
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) || about.st_size <= 0 ||
        about.st_size > FILE_MAX)
        rc = -EBADMSG;
    else if (!(*ret_text = malloc((size_t)about.st_size)))
        rc = -ENOMEM;
    ssize_t got = rc == 0 ? pread(fd, *ret_text, (size_t)about.st_size, 0) : 0;
    *ret_size = got > 0 ? (size_t)got : 0;
    rc = got < 0 ? -errno : rc;
    (void)close(fd); /* read only */
    return rc;
}

bool wtl_ledger_job_file_id(const char *name, char *ret_id)
{
    size_t length = strlen(name);
    if (length <= sizeof SUFFIX - 1 || length - (sizeof SUFFIX - 1) > WTL_JOB_ID_MAX ||
        strcmp(name + length - (sizeof SUFFIX - 1), SUFFIX) != 0)
        return false;
    memcpy(ret_id, name, length - (sizeof SUFFIX - 1));
    ret_id[length - (sizeof SUFFIX - 1)] = '\0';
    return wtl_job_id_is_valid(ret_id);
}

int wtl_ledger_job_load(int folder, const char *name, struct wtl_ledger_job **ret_job)
{
    size_t size = 0;
    char *text = NULL, id[WTL_JOB_ID_MAX + 1];
    struct wtl_ledger_job *job = NULL;
    if (!wtl_ledger_job_file_id(name, id))
        return -ENOENT;
    int rc = read_file(folder, name, &text, &size);
    if (rc == 0)
        rc = (job = calloc(1, sizeof *job)) ? 0 : -ENOMEM;
    if (job) {
        memcpy(job->id, id, sizeof id);
        rc = parse_job(text, size, job);
    }
    free(text);
    if (rc == 0)
        *ret_job = job;
    else
        wtl_ledger_job_free(job);
    return rc;
}

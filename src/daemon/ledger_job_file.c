/* SPDX-License-Identifier: BSD-3-Clause */
/* A job as INI text in a file of its own: see ledger_job_file.h. */
#define _GNU_SOURCE
#include "daemon/ledger_job_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <wattle/page_layout.h>

#include "base/config/ini.h"
#include "base/grow.h"
#include "base/parse.h"

#define SUFFIX WTL_JOB_SUFFIX

enum { FILE_MAX = 1 << 20 };

static const char *const state_names[] =
    {[WTL_JOB_OPEN] = "open", [WTL_JOB_ENDED] = "ended", [WTL_JOB_CUT] = "cut"};

void wtl_ledger_job_free(struct wtl_ledger_job *job)
{
    if (job)
        free(job->channels);
    free(job);
}

struct wtl_ledger_job *wtl_ledger_job_copy(const struct wtl_ledger_job *job)
{
    struct wtl_ledger_job *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *job;
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

static void print_job(FILE *out, const struct wtl_ledger_job *job)
{
    (void)fprintf(
        out,
        "[job]\nid = %s\nstate = %s\nboot = %s\nbegin_realtime_ns = %llu\nbegin_ns = %llu\n"
        "until_ns = %llu\n",
        job->id, state_names[job->state], job->boot_id, (unsigned long long)job->begin_realtime_ns,
        (unsigned long long)job->begin_ns, (unsigned long long)job->until_ns);
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
        put_number(out, "resolution_j", 3, channel->resolution_j);
        (void)fprintf(out, "in_total = %d\nquality = %s\n", channel->in_total, channel->quality);
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
    (void)unlink(path); /* left by a wattled that was killed */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
    int rc = fd < 0 ? -errno : put_job(fd, job, flushed);
    if (rc < 0 && fd >= 0)
        (void)unlink(path);
    return rc;
}

/* ---- reading ---- */

static bool take_count(const char *text, uint64_t *ret)
{
    return wtl_parse_u64(text, ret) == 0;
}

static bool take_number(const char *text, double *ret)
{
    return wtl_parse_double(text, ret) == 0 && isfinite(*ret);
}

/* A key of [job]. False: its value is not valid. */
static bool take_job_key(struct wtl_ledger_job *job, const char *name, const char *value)
{
    if (strcmp(name, "id") == 0)
        return wtl_job_id_is_valid(value) && strcmp(value, job->id) == 0;
    if (strcmp(name, "boot") == 0)
        return (size_t)snprintf(job->boot_id, sizeof job->boot_id, "%s", value) <
               sizeof job->boot_id;
    if (strcmp(name, "begin_realtime_ns") == 0)
        return take_count(value, &job->begin_realtime_ns);
    if (strcmp(name, "begin_ns") == 0)
        return take_count(value, &job->begin_ns);
    if (strcmp(name, "until_ns") == 0)
        return take_count(value, &job->until_ns);
    if (strcmp(name, "state") != 0)
        return true; /* of a later version */
    for (size_t i = 0; i < sizeof state_names / sizeof *state_names; i++) {
        if (strcmp(value, state_names[i]) == 0) {
            job->state = (enum wtl_ledger_job_state)i;
            return true;
        }
    }
    return false;
}

static bool take_channel_key(struct wtl_ledger_job_channel *channel,
                             const char *name,
                             const char *value)
{
    uint64_t flag = 0;
    if (strcmp(name, "begin_j") == 0)
        return take_number(value, &channel->begin_j);
    if (strcmp(name, "until_j") == 0)
        return take_number(value, &channel->until_j);
    if (strcmp(name, "begin_doubt_j") == 0)
        return take_number(value, &channel->begin_doubt_j);
    if (strcmp(name, "resolution_j") == 0)
        return take_number(value, &channel->resolution_j);
    if (strcmp(name, "since_ns") == 0)
        return take_count(value, &channel->since_ns);
    if (strcmp(name, "begin_unknown_ns") == 0)
        return take_count(value, &channel->begin_unknown_ns);
    if (strcmp(name, "until_unknown_ns") == 0)
        return take_count(value, &channel->until_unknown_ns);
    if (strcmp(name, "quality") == 0)
        return (size_t)snprintf(channel->quality, sizeof channel->quality, "%s", value) <
               sizeof channel->quality;
    if (strcmp(name, "in_total") == 0) {
        bool valid = take_count(value, &flag) && flag <= 1;
        channel->in_total = flag == 1;
        return valid;
    }
    return true;
}

static bool add_channel(struct wtl_ledger_job *job, const char *name)
{
    static const char prefix[] = "channel ";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        strlen(name) - (sizeof prefix - 1) >= WATTLE_NAME_MAX ||
        job->channel_count == WATTLE_PAGE_CHANNELS_MAX)
        return false;
    if (wtl_grow(&job->channels, job->channel_count, sizeof *job->channels) < 0)
        return false;
    struct wtl_ledger_job_channel *channel = &job->channels[job->channel_count++];
    *channel = (struct wtl_ledger_job_channel){.begin_j = (double)NAN,
                                               .until_j = (double)NAN,
                                               .begin_doubt_j = (double)NAN,
                                               .resolution_j = (double)NAN};
    (void)snprintf(channel->name, sizeof channel->name, "%s", name + sizeof prefix - 1);
    return true;
}

/* False: the text is not that of a job. */
static bool parse_job(const char *text, size_t size, struct wtl_ledger_job *job)
{
    struct wtl_ini ini = wtl_ini_of("job", text, size);
    struct wtl_ini_line line;
    struct wattle_error err;
    bool good = true, in_job = false;
    int rc;
    while (good && (rc = wtl_ini_next(&ini, &line, &err)) > 0) {
        if (line.kind == WTL_INI_SECTION) {
            in_job = strcmp(line.name, "job") == 0;
            good = in_job || add_channel(job, line.name);
        } else if (line.kind == WTL_INI_PAIR) {
            good = in_job ? take_job_key(job, line.name, line.value)
                   : job->channel_count > 0
                       ? take_channel_key(&job->channels[job->channel_count - 1], line.name,
                                          line.value)
                       : false;
        }
    }
    return good && rc == 0 && job->boot_id[0] && job->begin_ns > 0;
}

/* Read a small regular file: malloc'ed text, NULL = it cannot be read. */
static char *read_file(int folder, const char *name, size_t *ret_size)
{
    struct stat about;
    char *text = NULL;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
        about.st_size <= FILE_MAX && (text = malloc((size_t)about.st_size))) {
        ssize_t got = pread(fd, text, (size_t)about.st_size, 0);
        *ret_size = got > 0 ? (size_t)got : 0;
    }
    (void)close(fd); /* read only */
    return text;
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

struct wtl_ledger_job *wtl_ledger_job_load(int folder, const char *name)
{
    size_t size = 0;
    struct wtl_ledger_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    char *text = wtl_ledger_job_file_id(name, job->id) ? read_file(folder, name, &size) : NULL;
    bool good = text && parse_job(text, size, job);
    free(text);
    if (good)
        return job;
    wtl_ledger_job_free(job);
    return NULL;
}

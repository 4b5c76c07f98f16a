/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the next look of a divider needs, in a file that is replaced after each look: one for all jobs, so that they are of one
 * instant. It is in the machine's byte order, and of one boot: what a node that stopped has left is in the files of the jobs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "daemon/folder.h"
#include "daemon/jobs/divider_state.h"

#define MAGIC "WTLSHARE"

enum { VERSION = 1, FILE_MAX = 1 << 28 };

struct head {
    char magic[8];
    uint32_t version, base_size, job_size, channel_size;
    char boot_id[40];
    uint64_t bases, jobs, size,
        check; /* size: of the file; check: hash of all of it, with 0 here */
};

/* A job, followed by its channels. */
struct job_state {
    char id[WTL_JOB_ID_MAX + 1];
    uint64_t begin_ns, until_ns, channels;
    struct wtl_job_use use;
};

/* ---- writing ---- */

static size_t size_of(const struct wtl_divider *divider,
                      struct wtl_ledger_job *const *jobs,
                      size_t count)
{
    size_t size = sizeof(struct head) + divider->count * sizeof *divider->bases;
    for (size_t i = 0; i < count; i++)
        size += sizeof(struct job_state) + jobs[i]->channel_count * sizeof *jobs[i]->channels;
    return size;
}

static char *append(char *at, const void *data, size_t n)
{
    if (n > 0)
        memcpy(at, data, n);
    return at + n;
}

static void fill(char *text,
                 size_t size,
                 const struct wtl_divider *divider,
                 const char *boot_id,
                 struct wtl_ledger_job *const *jobs,
                 size_t count)
{
    struct head head;
    memset(&head, 0, sizeof head); /* padding is part of the check */
    memcpy(head.magic, MAGIC, sizeof head.magic);
    head.version = VERSION;
    head.base_size = sizeof *divider->bases;
    head.job_size = sizeof(struct job_state);
    head.channel_size = sizeof(struct wtl_ledger_job_channel);
    (void)snprintf(head.boot_id, sizeof head.boot_id, "%s", boot_id);
    head.bases = divider->count;
    head.jobs = count;
    head.size = size;
    char *at = append(text + sizeof head, divider->bases, divider->count * sizeof *divider->bases);
    for (size_t i = 0; i < count; i++) {
        struct job_state state;
        memset(&state, 0, sizeof state);
        memcpy(state.id, jobs[i]->id, sizeof state.id);
        state.begin_ns = jobs[i]->begin_ns;
        state.until_ns = jobs[i]->until_ns;
        state.channels = jobs[i]->channel_count;
        state.use = jobs[i]->use;
        at = append(at, &state, sizeof state);
        at = append(at, jobs[i]->channels, jobs[i]->channel_count * sizeof *jobs[i]->channels);
    }
    memcpy(text, &head, sizeof head);
    head.check = wtl_hash_bytes(WTL_HASH_START, text, size);
    memcpy(text, &head, sizeof head);
}

static int write_file(const char *path, const char *text, size_t size)
{
    int fd = wtl_folder_create_file(path);
    if (fd < 0)
        return fd;
    ssize_t done = write(fd, text, size);
    int rc = done == (ssize_t)size ? 0 : done < 0 ? -errno : -ENOSPC;
    (void)close(fd); /* written as a whole, or not */
    if (rc < 0)
        (void)unlink(path);
    return rc;
}

int wtl_divider_save(const struct wtl_divider *divider,
                     const char *path,
                     const char *boot_id,
                     struct wtl_ledger_job *const *jobs,
                     size_t count)
{
    char fresh[PATH_MAX];
    size_t size = size_of(divider, jobs, count);
    char *text = size <= FILE_MAX ? malloc(size) : NULL;
    if (!text)
        return -ENOMEM;
    fill(text, size, divider, boot_id, jobs, count);
    (void)snprintf(fresh, sizeof fresh, "%s.new", path);
    int rc = write_file(fresh, text, size);
    free(text);
    return rc < 0 ? rc : rename(fresh, path) < 0 ? -errno : 0;
}

/* ---- reading ---- */

static char *read_file(const char *path, size_t *ret_size)
{
    struct stat about;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size >= (off_t)sizeof(struct head) && about.st_size <= FILE_MAX &&
        (text = malloc((size_t)about.st_size))) {
        ssize_t got = pread(fd, text, (size_t)about.st_size, 0);
        *ret_size = got > 0 ? (size_t)got : 0;
    }
    (void)close(fd); /* read only */
    return text;
}

/* Is it whole, of this boot and this program? */
static bool is_whole(char *text, size_t size, const char *boot_id, struct head *ret_head)
{
    struct head head;
    if (size < sizeof head)
        return false;
    memcpy(&head, text, sizeof head);
    *ret_head = head;
    head.check = 0;
    memcpy(text, &head, sizeof head);
    return memcmp(head.magic, MAGIC, sizeof head.magic) == 0 && head.version == VERSION &&
           head.base_size == sizeof(struct wtl_divider_base) &&
           head.job_size == sizeof(struct job_state) &&
           head.channel_size == sizeof(struct wtl_ledger_job_channel) && head.size == size &&
           strncmp(head.boot_id, boot_id, sizeof head.boot_id) == 0 &&
           head.bases <= WATTLE_PAGE_CHANNELS_MAX &&
           ret_head->check == wtl_hash_bytes(WTL_HASH_START, text, size);
}

static void take_job(const struct job_state *state,
                     const char *channels,
                     struct wtl_ledger_job *const *jobs,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct wtl_ledger_job *job = jobs[i];
        if (strncmp(job->id, state->id, sizeof state->id) != 0 ||
            job->begin_ns != state->begin_ns || job->channel_count != state->channels ||
            state->until_ns < job->until_ns)
            continue;
        job->until_ns = state->until_ns;
        job->use = state->use;
        memcpy(job->channels, channels, job->channel_count * sizeof *job->channels);
        for (size_t k = 0; k < job->channel_count; k++)
            job->channels[k].name[WATTLE_NAME_MAX - 1] =
                job->channels[k].quality[sizeof job->channels[k].quality - 1] = '\0';
    }
}

void wtl_divider_load(struct wtl_divider *divider,
                      const char *path,
                      const char *boot_id,
                      struct wtl_ledger_job *const *jobs,
                      size_t count)
{
    struct head head;
    size_t size = 0, at = sizeof head;
    char *text = read_file(path, &size);
    if (!text || !is_whole(text, size, boot_id, &head) ||
        head.bases > (size - at) / sizeof *divider->bases) {
        free(text);
        return;
    }
    size_t bytes = head.bases * sizeof *divider->bases;
    struct wtl_divider_base *bases = malloc(bytes + 1);
    if (bases) {
        memcpy(bases, text + at, bytes);
        for (size_t i = 0; i < head.bases; i++)
            bases[i].number = 0; /* divided by the CPU time since then */
        free(divider->bases);
        divider->bases = bases;
        divider->count = head.bases;
    }
    at += bytes;
    for (uint64_t i = 0; bases && i < head.jobs && size - at >= sizeof(struct job_state); i++) {
        struct job_state state;
        memcpy(&state, text + at, sizeof state);
        at += sizeof state;
        if (state.channels > (size - at) / sizeof(struct wtl_ledger_job_channel))
            break;
        take_job(&state, text + at, jobs, count);
        at += state.channels * sizeof(struct wtl_ledger_job_channel);
    }
    free(text);
}

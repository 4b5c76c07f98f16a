/* SPDX-License-Identifier: BSD-3-Clause */
/* Posting: see slurm_post.h. */
#define _GNU_SOURCE
#include "jobs/slurm_post.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "jobs/record.h"
#include "jobs/sacct.h"

static const int64_t JOULES_MAX = INT64_C(1000000000000000);
static const char mark[] = "wattle energy_j=";

static const char columns_old[] =
    "--format=JobID,JobIDRaw,Cluster,Submit,Start,End,State,ConsumedEnergyRaw,AdminComment";
static const char columns_new[] =
    "--format=JobID,JobIDRaw,Cluster,Submit,Start,End,State,ConsumedEnergyRaw,SLUID,AdminComment";

bool wtl_slurm_is_sluid(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t n = strlen(text);
    return n >= 8 && n <= 32 && strpbrk(text, letters) != NULL &&
           strspn(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == n;
}

bool wtl_slurm_is_job_id(const char *text)
{
    static const char digits[] = "0123456789";
    size_t n = strspn(text, digits);
    if (n == 0 || n > 20)
        return false;
    if (text[n] == '_' || text[n] == '+') {
        size_t rest = strspn(text + n + 1, digits);
        n = rest > 0 && rest <= 20 ? n + 1 + rest : n;
    }
    return text[n] == '\0';
}

static void start(struct wtl_slurm_argv *argv)
{
    static const char *const words[] = {"sacctmgr", "-Q", "-i", "modify", "job", "where"};
    for (size_t i = 0; i < WTL_SLURM_WORDS; i++)
        argv->words[i] = i < sizeof words / sizeof *words ? words[i] : NULL;
    argv->words[6] = argv->ids;
    argv->words[7] = "set";
    argv->words[8] = argv->value;
}

int wtl_slurm_post_energy(struct wtl_slurm_argv *argv,
                          const char *const *sluids,
                          size_t count,
                          int64_t joules)
{
    size_t used = 0;
    argv->words[0] = NULL;
    if (count == 0 || count > WTL_SLURM_BATCH || joules < 1 || joules > JOULES_MAX)
        return -EINVAL;
    for (size_t i = 0; i < count; i++) {
        if (!wtl_slurm_is_sluid(sluids[i]))
            return -EINVAL;
        used += (size_t)snprintf(argv->ids + used, sizeof argv->ids - used, "%s%s",
                                 i == 0 ? "jobid=" : ",", sluids[i]);
    }
    (void)snprintf(argv->value, sizeof argv->value, "tres=energy=%" PRId64, joules);
    start(argv);
    return 0;
}

int wtl_slurm_post_comment(struct wtl_slurm_argv *argv,
                           const char *id,
                           bool sluid,
                           int64_t joules,
                           const char *quality)
{
    argv->words[0] = NULL;
    bool known = sluid ? wtl_slurm_is_sluid(id) : wtl_slurm_is_job_id(id);
    if (!known || joules < 1 || joules > JOULES_MAX || strlen(quality) > 16 ||
        strspn(quality, "abcdefghijklmnopqrstuvwxyz") != strlen(quality))
        return -EINVAL;
    (void)snprintf(argv->ids, sizeof argv->ids, "jobid=%s", id);
    (void)snprintf(argv->value, sizeof argv->value, "AdminComment=%s%" PRId64 " quality=%s", mark,
                   joules, quality[0] ? quality : "unknown");
    start(argv);
    return 0;
}

/* A name of a cluster: nothing that sacct takes for a list or an option. */
static bool is_cluster(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("_.-", name[i]))
            return false;
    return n < 64;
}

int wtl_slurm_ask(struct wtl_slurm_argv *argv,
                  const uint64_t *raw_ids,
                  size_t count,
                  const char *cluster,
                  bool sluid)
{
    static const char *const words[] = {"sacct",         "--noheader",   "--parsable2",
                                        "--allocations", "--duplicates", "--allusers"};
    size_t n = 0, used = 0;
    for (size_t i = 0; i < WTL_SLURM_WORDS; i++)
        argv->words[i] = NULL;
    if (count == 0 || count > WTL_SLURM_BATCH || (cluster && !is_cluster(cluster)))
        return -EINVAL;
    for (; n < sizeof words / sizeof *words; n++)
        argv->words[n] = words[n];
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(argv->ids + used, sizeof argv->ids - used, "%s%" PRIu64,
                                 i == 0 ? "--jobs=" : ",", raw_ids[i]);
    argv->words[n++] = argv->ids;
    argv->words[n++] = sluid ? columns_new : columns_old;
    if (cluster && cluster[0]) {
        (void)snprintf(argv->value, sizeof argv->value, "--clusters=%s", cluster);
        argv->words[n] = argv->value;
    }
    return 0;
}

enum { CELLS = 10, CELL_BYTES = 512 };

/* Copy n bytes as far as they fit. */
static void copy(char cell[CELL_BYTES], const char *text, size_t n)
{
    n = n < CELL_BYTES ? n : CELL_BYTES - 1;
    memcpy(cell, text, n);
    cell[n] = '\0';
}

/* The first `count` cells of a line; the last one has all that is left. false: there are fewer. */
static bool cut(const char *line, size_t n, size_t count, char cells[CELLS][CELL_BYTES])
{
    for (size_t i = 0; i + 1 < count; i++) {
        const char *stop = memchr(line, '|', n);
        if (!stop)
            return false;
        copy(cells[i], line, (size_t)(stop - line));
        n -= (size_t)(stop - line) + 1;
        line = stop + 1;
    }
    copy(cells[count - 1], line, n);
    return true;
}

/* Seconds since 1970, as sacct was asked for; 0: "Unknown". */
static int64_t seconds_of(const char *text)
{
    uint64_t seconds;
    return wtl_parse_u64(text, &seconds) == 0 && seconds < UINT64_C(1) << 40 ? (int64_t)seconds : 0;
}

static double comment_energy(const char *comment)
{
    uint64_t joules;
    const char *number = comment + sizeof mark - 1;
    if (strncmp(comment, mark, sizeof mark - 1) != 0 ||
        wtl_scan_u64(number, strlen(number), &joules) <= 0)
        return (double)NAN;
    return (double)joules;
}

bool wtl_slurm_row_parse(const char *line, size_t n, bool sluid, struct wtl_slurm_row *ret_row)
{
    enum { JOB_ID, RAW_ID, CLUSTER, SUBMIT, START, END, STATE, ENERGY, SLUID };
    char cells[CELLS][CELL_BYTES];
    struct wtl_slurm_row row = {.raw_id = 0};
    double half_j;
    const size_t comment = sluid ? SLUID + 1 : SLUID;
    if (memchr(line, '\0', n) || !cut(line, n, comment + 1, cells) ||
        wtl_parse_u64(cells[RAW_ID], &row.raw_id) < 0)
        return false;
    (void)wtl_job_text_set(row.job_id, sizeof row.job_id, cells[JOB_ID]);
    (void)wtl_job_text_set(row.cluster, sizeof row.cluster, cells[CLUSTER]);
    (void)wtl_job_text_set(row.sluid, sizeof row.sluid, sluid ? cells[SLUID] : "");
    (void)wtl_job_text_set(row.comment, sizeof row.comment, cells[comment]);
    row.submit_s = seconds_of(cells[SUBMIT]);
    row.start_s = seconds_of(cells[START]);
    row.end_s = seconds_of(cells[END]);
    row.is_final = wtl_sacct_is_final(cells[STATE]);
    enum wtl_sacct_doubt doubt = wtl_sacct_energy(cells[ENERGY], &row.energy_j, &half_j);
    if (doubt != WTL_SACCT_BELIEVED && doubt != WTL_SACCT_ZERO)
        row.energy_j = (double)NAN;
    row.comment_j = comment_energy(row.comment);
    *ret_row = row;
    return true;
}

bool wtl_slurm_comment_is_free(const char *comment)
{
    return !comment[0] || strncmp(comment, mark, sizeof mark - 1) == 0;
}

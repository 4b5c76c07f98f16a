/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joules into Slurm's accounting: the arguments of sacct and sacctmgr, and what they print. No argument is made of anything that
 * is not checked: a list or a condition in an id would change other jobs, and sacctmgr without a condition changes all.
 *
 * From 25.11 on "modify job where jobid=SLUID set tres=energy=J"; a SLUID is exactly one record, while a plain id is all tasks of
 * an array, all components of a heterogeneous job, and the newest of several requeued ones. Before, AdminComment of the job.
 */
#ifndef WTL_JOBS_SLURM_POST_H
#define WTL_JOBS_SLURM_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

enum { WTL_SLURM_WORDS = 12, WTL_SLURM_BATCH = 200 };

/* Arguments of a program, up to a NULL; the texts are in it. Do not copy. */
struct wtl_slurm_argv {
    const char *words[WTL_SLURM_WORDS];
    char ids[WTL_SLURM_BATCH * 65 + 16];
    char value[160];
};

/* 8 to 32 letters and digits, with a letter: Slurm's own id of a record. */
bool wtl_slurm_is_sluid(const char *text);
/* "12", "5_2", "8+1". */
bool wtl_slurm_is_job_id(const char *text);

/* sacctmgr that sets the energy of these SLUIDs (1 to WTL_SLURM_BATCH), in whole joules of 1 to 10^15. 0, or -EINVAL: refused. */
int wtl_slurm_post_energy(struct wtl_slurm_argv *argv,
                          const char *const *sluids,
                          size_t count,
                          int64_t joules);

/* sacctmgr that sets AdminComment of one job, by its SLUID, or by its id without one, to "wattle energy_j=J quality=Q". */
int wtl_slurm_post_comment(struct wtl_slurm_argv *argv,
                           const char *id,
                           bool sluid,
                           int64_t joules,
                           const char *quality);

/* sacct that prints the rows of these jobs, by Slurm's numbers. */
int wtl_slurm_ask(struct wtl_slurm_argv *argv,
                  const uint64_t *raw_ids,
                  size_t count,
                  const char *cluster, /* NULL or "": that of Slurm */
                  bool sluid);

/* A row of its output. */
struct wtl_slurm_row {
    char job_id[64], sluid[40], cluster[64], comment[256];
    uint64_t raw_id;
    int64_t submit_s, start_s, end_s; /* 0 = unknown */
    bool is_final;
    double energy_j;  /* NaN = empty, or no value */
    double comment_j; /* of wattle's comment; NaN = none */
};

/* false: not such a row. */
bool wtl_slurm_row_parse(const char *line, size_t n, bool sluid, struct wtl_slurm_row *ret_row);

/* Is the comment empty or wattle's, so that it may be replaced? */
bool wtl_slurm_comment_is_free(const char *comment);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made_records FOLDER JOBS          the records of that many made jobs (made_jobs.h) into a spool
 * made_records FOLDER FIRST COUNT   COUNT small records with the units FIRST, FIRST + 1, ..
 */
#include "unit/jobs/made_jobs.h"

#include "jobs/job_spool.h"

static int append(const struct wtl_job_spool *spool, const struct wtl_job_record *record)
{
    struct wattle_error err = {""};
    int rc = wtl_job_spool_append(spool, record, NULL, &err);
    if (rc < 0)
        (void)fprintf(stderr, "made_records: %s\n", err.text);
    return rc;
}

static int append_made(const struct wtl_job_spool *spool, size_t jobs)
{
    struct made_jobs made = made_jobs(jobs);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < made.count; i++)
        rc = append(spool, &made.list[i]);
    printf("%zu\n", made.count);
    made_free(&made);
    return rc;
}

int main(int argc, char **argv)
{
    int rc = 0;
    if (argc < 3)
        return 2;
    const struct wtl_job_spool spool = {.folder = argv[1], .limit_bytes = UINT64_C(1) << 30};
    if (argc == 3)
        return append_made(&spool, strtoul(argv[2], NULL, 10)) < 0;
    unsigned long first = strtoul(argv[2], NULL, 10), count = strtoul(argv[3], NULL, 10);
    for (unsigned long i = first; rc == 0 && i < first + count; i++) {
        struct wtl_job_record record;
        wtl_job_record_init(&record);
        (void)snprintf(record.unit, sizeof record.unit, "small%lu", i);
        (void)snprintf(record.node, sizeof record.node, "n1");
        (void)snprintf(record.user, sizeof record.user, "small");
        record.begin_ns = MADE_START_NS;
        record.end_ns = MADE_START_NS + 1000000000;
        record.energy_j = record.charged_j = 1;
        rc = append(&spool, &record);
    }
    return rc < 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a record of a job: refused with a sentence, or a record that makes a line, which reads as the same record. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_job_record record, again;
    struct wattle_error err = {""};
    char *line, *same;
    size_t n, m;
    int rc = wtl_job_record_parse((const char *)data, size, &record, &err);
    if (rc < 0) {
        demand((rc == -EBADMSG || rc == -ENOMEM) && err.text[0]);
        return 0;
    }
    demand(record.unit[0] && record.node[0] && wtl_job_record_check(&record, &err) == 0);
    rc = wtl_job_record_line(&record, &line, &n, &err);
    if (rc == 0) {
        demand(n <= WTL_JOB_LINE_MAX && line[n - 1] == '\n' && !memchr(line, '\n', n - 1));
        demand(wtl_job_record_parse(line, n, &again, &err) == 0);
        demand(wtl_job_record_line(&again, &same, &m, &err) == 0 && n == m &&
               memcmp(line, same, n) == 0);
        free(same);
        free(line);
        wtl_job_record_fini(&again);
    }
    wtl_job_record_fini(&record);
    return 0;
}

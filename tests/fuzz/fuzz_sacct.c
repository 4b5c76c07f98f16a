/* SPDX-License-Identifier: BSD-3-Clause */
/* Any lines as the output of sacct: refused, or jobs whose records are such that a database takes them, and whose energy is unknown,
 * or not negative. The same lines as what sacct answers when its rows are compared. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/sacct.h"
#include "jobs/slurm_post.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take(void *arg, const struct wtl_sacct_job *job)
{
    (void)arg;
    if (!wtl_sacct_doubt_text(job->doubt)[0] ||
        (job->record != NULL) == wtl_sacct_drops_job(job->doubt))
        abort();
    if (!job->record)
        return 0;
    if (job->record->charged_j < 0 ||
        isnan(job->record->charged_j) != wtl_sacct_drops_energy(job->doubt))
        abort();
    char *line;
    size_t n;
    if (wtl_job_record_line(job->record, &line, &n, NULL) == 0)
        free(line);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *const end = text + size;
    struct wtl_sacct *sacct;
    struct wtl_slurm_row row;
    int rc = 0;
    if (wtl_sacct_create(take, NULL, &sacct) < 0)
        return 0;
    while (rc == 0 && text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((stop ? stop : end) - text);
        rc = wtl_sacct_line(sacct, text, n, NULL);
        if (wtl_slurm_row_parse(text, n, size % 2, &row) && row.energy_j < 0)
            abort();
        text += n + (stop != NULL);
    }
    if (rc == 0)
        (void)wtl_sacct_end(sacct, NULL);
    wtl_sacct_destroy(sacct);
    return 0;
}

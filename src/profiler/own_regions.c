/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions of the process that records: the same spools and the same fold as for the processes of
 * a command, only that the calls are told where to go instead of finding it in the environment. */
#define _GNU_SOURCE
#include "profiler/own_regions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/fold.h"
#include "record/region_place.h"
#include "record/spool_file.h"

struct wtl_own_regions {
    struct wtl_fold *fold;
    char *folder; /* absolute: the program may go elsewhere */
};

static int make_folder(const char *trace, char **ret_folder)
{
    char *path = realpath(trace, NULL);
    int rc = path ? wtl_spool_folder_begin(path, ret_folder) : -errno;

    free(path);
    return rc;
}

static void free_own(struct wtl_own_regions *own)
{
    free(own->folder);
    free(own);
}

int wtl_own_regions_start(const char *trace,
                          struct wtl_trace_writer *writer,
                          struct wtl_own_regions **ret_own)
{
    struct wtl_own_regions *own = calloc(1, sizeof(*own));
    int rc = own ? make_folder(trace, &own->folder) : -ENOMEM;

    *ret_own = NULL;
    if (rc == 0 && (rc = wtl_region_record(own->folder)) < 0)
        (void)wtl_spool_folder_end(own->folder);
    if (rc < 0) {
        if (own)
            free_own(own);
        return rc;
    }
    wtl_spool_folder_tell(own->folder, writer);
    *ret_own = own;
    return 0;
}

int wtl_own_regions_write(struct wtl_own_regions *own,
                          struct wtl_trace_writer *writer,
                          struct wattle_error *err)
{
    struct wtl_fold_report report;

    if (!own)
        return 0;
    wtl_region_stop();
    int rc = wtl_fold_open(own->folder, &own->fold, err);

    return rc < 0 ? rc : wtl_fold_write(own->fold, writer, &report, err);
}

void wtl_own_regions_close(struct wtl_own_regions *own, bool safe)
{
    if (!own)
        return;
    if (safe)
        (void)wtl_fold_remove(own->fold); /* what stays does no harm: it is in the trace already */
    wtl_fold_close(own->fold);
    free_own(own);
}

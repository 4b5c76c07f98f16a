/* SPDX-License-Identifier: BSD-3-Clause */

#include "measure/left_regions.h"

#include "measure/provenance.h"
#include "model/flag.h"

int wtl_left_regions_take_in(struct wtl_spool_merge *merge,
                             struct wtl_trace_reader *reader,
                             struct wtl_trace_writer *writer,
                             struct wtl_spool_merge_report *ret_report,
                             struct wattle_error *err)
{
    char losses[240];
    int rc = wtl_spool_merge_resume(merge, reader, err);
    rc = rc < 0 ? rc : wtl_spool_merge_write(merge, writer, ret_report, err);
    if (rc == 0 && wtl_spool_merge_losses(ret_report, losses, sizeof losses))
        wtl_provenance_flag(writer, WTL_FLAG_REGIONS_LOST, losses);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Epilogs that wattled has not answered, so that their jobs may still be open there: the newest of each slot, in the folder of the
 * spool. Whoever reaches wattled next ends them.
 */
#ifndef WTL_CLI_KEPT_END_H
#define WTL_CLI_KEPT_END_H

#include "jobs/record.h"

enum { WTL_KEPT_ENDS = 256 };

/* The slot of a job of Slurm. */
unsigned wtl_kept_end_slot(uint64_t raw_job_id);

/* A record of what the epilog knew. It is forgotten where it cannot be written. */
void wtl_kept_end_put(const struct wtl_job_record *record);

/* The record in this slot, if there is one; the caller calls wtl_job_record_fini(). */
bool wtl_kept_end_get(unsigned slot, struct wtl_job_record *ret_record);

void wtl_kept_end_drop(unsigned slot);

#endif

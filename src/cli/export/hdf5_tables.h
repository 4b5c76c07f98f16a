/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a node in an HDF5 profile, from its trace (docs/format/hdf5.md). */
#ifndef WTL_CLI_HDF5_TABLES_H
#define WTL_CLI_HDF5_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "exchange/hdf5/slurm_file.h"
#include "model/result.h"
#include "trace/reader.h"

struct wtl_hdf5_written {
    size_t tables;
    uint64_t unknown_rows; /* left out */
    bool no_date;          /* the trace does not know the time of day */
};

/* The total of the result, a row every step_ns. No total, or nothing known of it: no table. */
int wtl_hdf5_energy(struct wtl_slurm_file *file,
                    struct wtl_trace_reader *reader,
                    const struct wtl_result *result,
                    uint64_t step_ns,
                    struct wtl_hdf5_written *written,
                    struct wattle_error *err);

/* The CPU time of the measured command, as one task with this number. */
int wtl_hdf5_tasks(struct wtl_slurm_file *file,
                   int task,
                   struct wtl_trace_reader *reader,
                   const struct wtl_result *result,
                   uint64_t step_ns,
                   struct wtl_hdf5_written *written,
                   struct wattle_error *err);

/* Network: packets and bytes; Filesystem: reads and writes of the disks; from counters (--counters). All four counts of
 * a table are needed, else there is no such table. 0 ns = no such table. */
int wtl_hdf5_traffic(struct wtl_slurm_file *file,
                     struct wtl_trace_reader *reader,
                     const struct wtl_result *result,
                     uint64_t network_ns,
                     uint64_t filesystem_ns,
                     struct wtl_hdf5_written *written,
                     struct wattle_error *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The GPUs of MPI ranks: which of the total's GPUs the environment of each rank shows it, and their energy. The energy of a GPU that
 * a single rank sees is that of the rank, idle time included. One that several see is divided equally among them, which is an
 * estimate. A rank whose environment is not known may use any GPU, and counts as one that sees all.
 */
#ifndef WTL_ANALYSIS_RANK_DEVICES_H
#define WTL_ANALYSIS_RANK_DEVICES_H

#include <stddef.h>

#include "analysis/regions/mpi_rank.h"
#include "model/result.h"
#include "trace/reader.h"

enum { WTL_RANK_GPUS = 64 }; /* the bits of wtl_mpi_rank.gpus */

/* The GPUs of the total, in the order of the bits: their number, at most WTL_RANK_GPUS. */
size_t wtl_rank_gpus(const struct wtl_result *result,
                     const struct wtl_result_channel *ret[WTL_RANK_GPUS]);

/* Fills gpus, gpus_known and gpu_energy of the rows. */
void wtl_rank_devices(const struct wtl_trace_reader *reader,
                      const struct wtl_result *result,
                      struct wtl_mpi_rank *rows,
                      size_t count);

#endif

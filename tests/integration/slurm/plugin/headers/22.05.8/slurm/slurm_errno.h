/* SPDX-License-Identifier: BSD-3-Clause */
#define SLURM_SUCCESS 0
#define SLURM_ERROR   (-1)

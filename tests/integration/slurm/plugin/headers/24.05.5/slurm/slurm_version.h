/* SPDX-License-Identifier: BSD-3-Clause */
#define SLURM_VERSION_NUMBER 0x180505

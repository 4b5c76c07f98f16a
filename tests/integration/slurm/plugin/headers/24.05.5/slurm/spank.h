/* SPDX-License-Identifier: BSD-3-Clause */
void slurm_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

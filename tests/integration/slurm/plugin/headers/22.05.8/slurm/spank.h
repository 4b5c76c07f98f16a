/* SPDX-License-Identifier: BSD-3-Clause */
void slurm_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void slurm_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

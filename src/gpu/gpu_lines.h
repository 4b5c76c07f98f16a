/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers of wattle-gpu as lines: docs/format/gpu-helper.md. */
#ifndef WTL_GPU_LINES_H
#define WTL_GPU_LINES_H

#include <stdio.h>

#include "gpu/backend.h"

/* The answer to "list". */
void wtl_gpu_write_list(FILE *out,
                        const struct wtl_gpu_backend *backend,
                        const struct wtl_gpu_list *list);

/* The answer to "processes". */
void wtl_gpu_write_processes(FILE *out, const struct wtl_gpu_processes *processes);

/* "! ERRNO SENTENCE" */
void wtl_gpu_write_failure(FILE *out, int error, const char *sentence);

#endif

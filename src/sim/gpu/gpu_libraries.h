/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the fake vendor libraries are. */
#ifndef WTL_SIM_GPU_GPU_LIBRARIES_H
#define WTL_SIM_GPU_GPU_LIBRARIES_H

#include <stddef.h>

/* Their folder, beside this program as built or as installed: 0, or -ENOENT. */
int wtl_sim_gpu_libraries(char *folder, size_t n);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "load/load.h"

const char *wtl_load_kernel_name(enum wtl_load_kernel kernel)
{
    static const char *const names[] = {"omp_serial",   "omp_parallel", "mpi_serial",
                                        "mpi_parallel", "fma",          "gpu"};
    return names[kernel];
}

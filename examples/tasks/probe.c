/* SPDX-License-Identifier: BSD-3-Clause */
/* Can be compiled where there is an OpenMP runtime. */
#include <omp.h>

int main(void)
{
    return omp_get_thread_num();
}

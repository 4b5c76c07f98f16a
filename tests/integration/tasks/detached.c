/* SPDX-License-Identifier: BSD-3-Clause */
/* A task whose end is an event of another one. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int done = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;

#pragma omp task detach(event)
        done = 1;
#pragma omp task firstprivate(event)
        omp_fulfill_event(event);
#pragma omp taskwait
    }
    printf("detached %d\n", done);
    return 0;
}

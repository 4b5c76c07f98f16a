/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads: programs that keep the machine busy in a known way, to measure the minimum and maximum
 * power of a busy machine (docs/dev/load.md). The four of the POSE paper execute a single jump to
 * itself, the least that a busy core can do; fma does as much as possible at once.
 */
#ifndef WTL_LOAD_LOAD_H
#define WTL_LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

#include "load/cpu_choice.h"
#include "load/isa.h"

enum wtl_load_kernel {
    WTL_LOAD_OMP_SERIAL,   /* the master jumps while its team waits in the OpenMP runtime */
    WTL_LOAD_OMP_PARALLEL, /* all threads of the team jump */
    WTL_LOAD_MPI_SERIAL,   /* rank 0 jumps, the others wait in MPI_Barrier */
    WTL_LOAD_MPI_PARALLEL, /* all ranks jump */
    WTL_LOAD_FMA,          /* multiply-add units, caches and memory at once */
    WTL_LOAD_GPU,          /* multiply-add on a GPU, on and off at known moments */
    WTL_LOAD_KERNELS
};

/* How an OpenMP team waits for work; by default as the runtime or its environment decides. */
enum wtl_load_wait { WTL_WAIT_DEFAULT, WTL_WAIT_ACTIVE, WTL_WAIT_PASSIVE };

struct wtl_load {
    enum wtl_load_kernel kernel;
    uint64_t time_ns;           /* from the time at which all threads run */
    struct wtl_cpu_choice cpus; /* one thread on each; MPI: the CPUs this rank may use */
    enum wtl_load_wait wait;    /* omp_serial */
    const struct wtl_isa *isa;  /* fma */
    const char *omp_library;    /* NULL = the first one found */
    const char *mpi_library;    /* NULL = the launcher's */
    const char *device;         /* gpu: number or PCI address; NULL = the first one */
    const char *shape;          /* gpu: file of its on and off times (load_periods.h); NULL = on */
    int fd;                     /* for the lines "ready" and "done" */
    bool json;                  /* print these as JSON */
};

const char *wtl_load_kernel_name(enum wtl_load_kernel kernel); /* "omp_serial" */

/*
 * Run a load until its time is over or TERM, INT or HUP arrives. Return -errno with a message if it
 * cannot run; else they do not return: the process exits with 0 when its time is over, or dies of
 * the signal that ended it. There is no other way to end threads in an endless jump.
 */
int wtl_load_omp(const struct wtl_load *load, struct wattle_error *err);
int wtl_load_mpi(const struct wtl_load *load, struct wattle_error *err);
int wtl_load_fma(const struct wtl_load *load, struct wattle_error *err);
int wtl_load_gpu(const struct wtl_load *load, struct wattle_error *err);

#endif

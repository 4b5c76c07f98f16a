/* SPDX-License-Identifier: BSD-3-Clause */
/* wattle-load: one load, until its time is over. */
#include <stdio.h>
#include <unistd.h>

#include "base/flush.h"
#include "load/ending.h"
#include "load/load.h"
#include "load/load_list.h"
#include "load/load_options.h"

enum { FAILED = 1, USAGE = 2 };

static const char help[] =
    "Usage: wattle-load KERNEL [OPTIONS]\n"
    "Load the machine in a known way, to measure the least and the greatest power of a busy one.\n"
    "\n"
    "Kernels of least power, one instruction that jumps to itself:\n"
    "  omp_serial    the master of an OpenMP team jumps, the others wait for work\n"
    "  omp_parallel  all threads of an OpenMP team jump\n"
    "  mpi_serial    rank 0 jumps, the other ranks wait in a barrier; to be started by mpirun, "
    "srun\n"
    "  mpi_parallel  all ranks jump; to be started by mpirun, srun\n"
    "and of greatest power:\n"
    "  fma           multiply-add units, all caches and memory at once\n"
    "\n"
    "Options:\n"
    "      --time DUR               end after this time: 90s, 5m (default 5m)\n"
    "      --threads N              threads, one on each CPU (default: all CPUs that may be used)\n"
    "      --cpus LIST              of these CPUs: 0-3,8\n"
    "      --wait active|passive    how the team of omp_serial waits: spinning, or asleep\n"
    "                               (default as the OpenMP runtime, or OMP_WAIT_POLICY, has it)\n"
    "      --isa NAME               instruction set level of fma (default: the widest that runs "
    "here)\n"
    "      --openmp-library NAME    OpenMP runtime: a path, or a name as libomp.so.5\n"
    "                               (default: libgomp, else libomp, else libiomp5)\n"
    "      --mpi-library NAME       MPI library (default: that of the launcher)\n"
    "      --ready FD               print the lines ready and done there (default 1)\n"
    "      --format text|json       how these lines, and the list, look (default text)\n"
    "      --list                   show kernels and instruction set levels, and what stands "
    "against them\n"
    "  -h, --help                   show this and exit\n"
    "      --version                show the version and exit\n"
    "\n"
    "A load ends after its time, by TERM, INT or HUP, and with the process that started it.\n"
    "\n"
    "Examples:\n"
    "  wattle-load fma --time 30s\n"
    "  wattle run -- wattle-load omp_parallel --time 30s\n"
    "  wattle-load omp_serial --wait passive --openmp-library libomp.so.5\n"
    "  mpirun -n 24 wattle-load mpi_serial --time 1m\n"
    "  wattle-load --list --format json\n"
    "\n"
    "Exit status: 0 when the time was over, 1 when the load could not run, 2 for wrong usage; "
    "ended by\n"
    "a signal it dies of it.\n";

static int run(const struct wtl_load *load, struct wattle_error *err)
{
    switch (load->kernel) {
    case WTL_LOAD_FMA:
        return wtl_load_fma(load, err);
    case WTL_LOAD_OMP_SERIAL:
    case WTL_LOAD_OMP_PARALLEL:
        return wtl_load_omp(load, err);
    default:
        return wtl_load_mpi(load, err);
    }
}

int main(int argc, char **argv)
{
    static struct wtl_load_options options;
    struct wattle_error err = {""};
    pid_t parent = getppid();
    if (wtl_load_options_parse(&options, argc, argv, &err) < 0) {
        (void)fprintf(stderr, "wattle-load: %s\n", err.text);
        return USAGE;
    }
    int rc = 0;
    if (options.help)
        (void)fputs(help, stdout);
    else if (options.version)
        (void)printf("wattle-load %s\n", WATTLE_VERSION);
    else if (options.list)
        rc = wtl_load_list(options.load.json, stdout, &err);
    else {
        wtl_ending_with_parent(parent);
        rc = run(&options.load, &err);
    }
    if (rc == 0)
        rc = wtl_flush(stdout, &err);
    if (rc < 0)
        (void)fprintf(stderr, "wattle-load: %s\n", err.text);
    return rc < 0 ? FAILED : 0;
}

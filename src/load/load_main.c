/* SPDX-License-Identifier: BSD-3-Clause */
/* wattle-load: one load, until its time is over. */
#include <stdio.h>
#include <unistd.h>

#include "base/flush.h"
#include "load/ending.h"
#include "load/load.h"
#include "load/load_list.h"
#include "load/load_options.h"

enum { FAILED = 1 };

static int run(const struct wtl_load *load, struct wattle_error *err)
{
    switch (load->kernel) {
    case WTL_LOAD_FMA:
        return wtl_load_fma(load, err);
    case WTL_LOAD_GPU:
        return wtl_load_gpu(load, err);
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
    int rc = 0, status = wtl_load_options_read(&options, argc, argv);
    if (status > 0)
        return status;
    if (status == WTL_GO_ON && options.version)
        (void)printf("wattle-load %s\n", WATTLE_VERSION);
    else if (status == WTL_GO_ON && options.list)
        rc = wtl_load_list(options.load.json, stdout, &err);
    else if (status == WTL_GO_ON) {
        wtl_ending_with_parent(parent);
        rc = run(&options.load, &err);
    }
    if (rc == 0)
        rc = wtl_flush(stdout, &err);
    if (rc < 0)
        wtl_complain(&wtl_load_command, "%s", err.text);
    return rc < 0 ? wtl_exit_failed(FAILED) : 0;
}

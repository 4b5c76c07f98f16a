/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wattle-reduce-mpi: "wattle reduce" on the ranks of an MPI job, for runs too large for one machine. It loads
 * the MPI library of the launcher at run time, so one program without mpi.h works with all of them.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/flush.h"
#include "cli/commands.h"
#include "cli/reduce/reduce.h"
#include "cli/run/leftover.h"
#include "mpi/mpi_library.h"

enum { SINGLE = 0 }; /* MPI_THREAD_SINGLE of both binary interfaces */

static int send_bytes(void *context, int to, const void *bytes, size_t n)
{
    return wtl_mpi_send((const struct wtl_mpi_library *)context, to, bytes, n);
}

static int receive_bytes(void *context, int from, void *bytes, size_t n)
{
    return wtl_mpi_receive((const struct wtl_mpi_library *)context, from, bytes, n);
}

static const struct wtl_command command = {
    .verb = "reduce",
    .program = "wattle-reduce-mpi",
    .operands = "DIR|TRACE...",
    .summary = "run \"wattle reduce\" on the ranks of an MPI job",
    .text = "Start it with mpirun or srun. Prints and writes the same as \"wattle reduce\".\nThe "
            "traces and the output folder must be visible to all ranks.\n",
    .options = wtl_reduce_option_table,
    .examples = "mpirun -n 16 wattle-reduce-mpi traces/ -o out\n",
    .usage_exit = WTL_EXIT_USAGE,
};

static int reduce(const struct wtl_reduce *request, struct wtl_mpi_library *library)
{
    struct wtl_team team = {
        .context = library, .send = send_bytes, .receive = receive_bytes, .size = 1};
    int provided = 0;
    if (library->init_thread(NULL, NULL, SINGLE, &provided) != 0 ||
        wtl_mpi_rank(library, &team.rank) != 0 || wtl_mpi_size(library, &team.size) != 0) {
        wtl_complain(&command, "%s cannot start; use the MPI library of the launcher",
                     library->name);
        return WTL_EXIT_FAILED;
    }
    int status = wtl_reduce_run(&command, request, &team);
    if (team.rank == 0 && status == WTL_EXIT_OK) {
        struct wattle_error err = {""};
        if (wtl_flush(stdout, &err) < 0) {
            wtl_complain(&command, "standard output: %s", err.text);
            status = wtl_exit_failed(WTL_EXIT_FAILED);
        }
    }
    (void)library->finalize();
    return status;
}

int main(int argc, char **argv)
{
    struct wtl_reduce request;
    struct wtl_mpi_library library;
    struct wattle_error err = {""};
    if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        (void)puts("wattle-reduce-mpi " WATTLE_VERSION);
        return WTL_EXIT_OK;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    int status = wtl_reduce_options(&command, argc, argv, &request);
    if (status != WTL_GO_ON)
        return status;
    if (wtl_mpi_library_open(&library, NULL, &err) < 0) {
        wtl_complain(&command, "%s; without MPI use \"wattle reduce\"", err.text);
        return WTL_EXIT_FAILED;
    }
    wtl_leftovers_guard();
    return reduce(&request, &library);
}

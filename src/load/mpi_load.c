/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_serial and mpi_parallel. In a jumping rank, a second thread jumps while the main thread
 * sleeps until the time is over and then calls MPI_Finalize: the launcher sees all ranks end
 * normally. Only the main thread calls MPI (MPI_THREAD_FUNNELED).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "load/announce.h"
#include "load/ending.h"
#include "load/jump.h"
#include "load/load.h"
#include "mpi/mpi_library.h"

enum { FUNNELED = 1 }; /* MPI_THREAD_FUNNELED in both ABIs */

struct jumper {
    int cpu; /* -1 = as bound by the launcher */
    int rc;
    pthread_barrier_t pinned;
};

static void *jump(void *data)
{
    struct jumper *jumper = data;
    jumper->rc = jumper->cpu < 0 ? 0 : wtl_cpu_pin(jumper->cpu);
    (void)pthread_barrier_wait(&jumper->pinned);
    wtl_jump();
    return NULL;
}

static json_t *library_version(const struct wtl_mpi_library *library)
{
    char text[8192 + 1] = ""; /* MPICH's MPI_MAX_LIBRARY_VERSION_STRING is the largest */
    int n = 0;
    if (!library->version || library->version(text, &n) != 0)
        return json_null();
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    text[strcspn(text, ",\n")] = '\0';
    json_t *version = json_string(text);
    return version ? version : json_null();
}

static int announce(const struct wtl_load *load,
                    const struct wtl_mpi_library *library,
                    int ranks,
                    struct wattle_error *err)
{
    json_t *line = wtl_announce(load, "ready");
    if (line) {
        json_object_set_new(line, "ranks", json_integer(ranks));
        json_t *version = library_version(library);
        const char *of = json_string_value(version);
        json_object_set_new(line, "library", json_string(library->name));
        json_object_set_new(
            line, "how",
            json_sprintf("%d rank%s, %s", ranks, ranks == 1 ? "" : "s", of ? of : library->name));
        json_object_set_new(line, "runtime", version);
    }
    return wtl_announce_send(load, line, err);
}

/* If the launcher does not number the ranks of a node, assume that all are on this one. */
static int cpu_of(const struct wtl_load *load, int rank, int ranks)
{
    int local = wtl_mpi_local_rank(), locals = wtl_mpi_local_size();
    return wtl_cpu_choice_of_rank(&load->cpus, local < 0 ? rank : local,
                                  local < 0 || locals < 0 ? ranks : locals);
}

/* Wait in the barrier for rank 0, with an alarm later than its expected end, so that nothing waits
 * forever. */
static void wait_for_first(const struct wtl_load *load,
                           const struct wtl_mpi_library *library,
                           int rank,
                           int ranks)
{
    int cpu = cpu_of(load, rank, ranks);
    if (cpu >= 0)
        (void)wtl_cpu_pin(cpu); /* it may wait on another CPU as well */
    (void)alarm((unsigned)(load->time_ns / 1000000000u) + 60);
    (void)wtl_mpi_barrier(library);
    (void)alarm(0);
}

/* Jump in a separate thread until the end: 0, or -errno. */
static int jump_in_thread(const struct wtl_load *load,
                          const struct wtl_mpi_library *library,
                          int rank,
                          int ranks,
                          struct wattle_error *err)
{
    static struct jumper jumper; /* outlives this call */
    pthread_t thread;
    jumper.cpu = cpu_of(load, rank, ranks);
    (void)pthread_barrier_init(&jumper.pinned, NULL, 2);
    wtl_ending_block();
    int rc = -pthread_create(&thread, NULL, jump, &jumper);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot create a thread: %s", wtl_strerror(rc));
    (void)pthread_barrier_wait(&jumper.pinned);
    if (jumper.rc < 0)
        return wtl_fail(err, jumper.rc, "CPU %d: the rank could not be pinned: %s", jumper.cpu,
                        wtl_strerror(jumper.rc));
    /* In mpi_serial the others are about to enter the barrier now; in mpi_parallel all jump. */
    if (load->kernel == WTL_LOAD_MPI_PARALLEL)
        (void)wtl_mpi_barrier(library);
    struct wtl_load_clock clock = wtl_load_clock_start();
    rc = rank == 0 ? announce(load, library, ranks, err) : 0;
    if (rc < 0)
        return rc;
    int number = wtl_ending_wait(load->time_ns);
    if (rank == 0) {
        json_t *line = wtl_announce(load, "done");
        wtl_announce_end(line, &clock, number);
        rc = wtl_announce_send(load, line, err);
    }
    if (number)
        wtl_ending_leave(number);
    return rc;
}

int wtl_load_mpi(const struct wtl_load *load, struct wattle_error *err)
{
    struct wtl_mpi_library library;
    int rank = 0, provided = 0;
    int rc = wtl_mpi_library_open(&library, load->mpi_library, err);
    if (rc < 0)
        return rc;
    int launched = wtl_mpi_launched_size(), ranks = 0;
    if (library.init_thread(NULL, NULL, FUNNELED, &provided) != 0 ||
        wtl_mpi_rank(&library, &rank) != 0 || wtl_mpi_size(&library, &ranks) != 0 ||
        wtl_mpi_barrier(&library) != 0)
        return wtl_fail(err, -EIO, "cannot initialise %s", library.name);
    if (launched > 0 && launched != ranks)
        return wtl_fail(err, -ELIBBAD,
                        "the launcher started %d ranks, but %s reports %d: it is not the "
                        "launcher's library; give that one with --mpi-library",
                        launched, library.name, ranks);
    bool waits = load->kernel == WTL_LOAD_MPI_SERIAL && rank > 0;
    if (waits)
        wait_for_first(load, &library, rank, ranks);
    else
        rc = jump_in_thread(load, &library, rank, ranks, err);
    if (rc == 0 && load->kernel == WTL_LOAD_MPI_SERIAL && rank == 0)
        (void)wtl_mpi_barrier(&library);
    if (rc < 0)
        return rc;
    (void)library.finalize();
    wtl_ending_leave(0); /* skip the library's exit handlers */
}

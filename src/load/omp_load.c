/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp_serial and omp_parallel. The main thread is the OpenMP master, as in any program; in addition
 * to the team one sleeping thread announces that the load is ready, keeps its time and ends the
 * process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "load/announce.h"
#include "load/ending.h"
#include "load/jump.h"
#include "load/load.h"
#include "load/omp_runtime.h"

struct team {
    const struct wtl_load *load;
    struct wtl_omp_runtime runtime;
    atomic_size_t arrived;
    atomic_int failed; /* -errno of pinning, or the number of threads that were actually started */
    atomic_int came;
    sem_t ready;
};

/* "24 threads, wait passive, libgomp.so.1": what the power of a load depends on. */
static json_t *how(const struct team *team)
{
    const struct wtl_load *load = team->load;
    const char *slash = strrchr(team->runtime.library, '/');
    bool serial = load->kernel == WTL_LOAD_OMP_SERIAL;
    const char *wait = wtl_omp_runtime_wait(load->wait);
    return json_sprintf("%zu thread%s%s%s, %s", load->cpus.count, load->cpus.count > 1 ? "s" : "",
                        serial ? ", wait " : "", serial ? wait : "",
                        slash ? slash + 1 : team->runtime.library);
}

/* Sleep until all are in their loop, then until the end. */
static void *keep_time(void *data)
{
    struct team *team = data;
    const struct wtl_load *load = team->load;
    struct wattle_error err = {""};
    char cpus[256];
    while (sem_wait(&team->ready) < 0 && errno == EINTR)
        ;
    json_t *line = wtl_announce(load, "ready");
    wtl_cpu_choice_text(&load->cpus, cpus, sizeof cpus);
    if (line) {
        json_object_set_new(line, "threads", json_integer((json_int_t)load->cpus.count));
        json_object_set_new(line, "cpus", json_string(cpus));
        json_object_set_new(line, "runtime", json_string(team->runtime.library));
        json_object_set_new(line, "wait", json_string(wtl_omp_runtime_wait(load->wait)));
        json_object_set_new(line, "how", how(team));
    }
    struct wtl_load_clock clock = wtl_load_clock_start();
    int rc = wtl_announce_send(load, line, &err);
    if (rc == 0) {
        int number = wtl_ending_wait(load->time_ns);
        line = wtl_announce(load, "done");
        wtl_announce_end(line, &clock, number);
        rc = wtl_announce_send(load, line, &err);
        if (rc == 0)
            wtl_ending_leave(number);
    }
    (void)fprintf(stderr, "wattle-load: %s\n", err.text);
    _Exit(1);
}

/* Pin a thread of the team; true if the whole team is pinned. */
static void pin(struct team *team)
{
    int number = team->runtime.thread_num();
    int came = team->runtime.num_threads();
    atomic_store(&team->came, came);
    if ((size_t)number < team->load->cpus.count) {
        int rc = wtl_cpu_pin(team->load->cpus.cpu[number]);
        if (rc < 0)
            atomic_store(&team->failed, rc);
    }
}

/* Body of the region that creates the team, and of the one that is never reached. */
static void touch(void *data)
{
    volatile int private_one;
    private_one = 1;
    (void)private_one;
    pin(data);
}

static void jump_all(void *data)
{
    struct team *team = data;
    if (atomic_fetch_add(&team->arrived, 1) + 1 == team->load->cpus.count)
        (void)sem_post(&team->ready);
    wtl_jump();
}

int wtl_load_omp(const struct wtl_load *load, struct wattle_error *err)
{
    static struct team team; /* outlives this call: threads stay in it */
    pthread_t timekeeper;
    unsigned threads = (unsigned)load->cpus.count;
    team.load = load;
    int rc = wtl_omp_runtime_open(&team.runtime, load->omp_library, load->wait, err);
    if (rc < 0)
        return rc;
    wtl_ending_block();
    (void)sem_init(&team.ready, 0, 0);
    rc = -pthread_create(&timekeeper, NULL, keep_time, &team);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot create a thread: %s", wtl_strerror(rc));
    team.runtime.parallel(touch, &team, threads, 0);
    if (atomic_load(&team.came) != (int)threads)
        return wtl_fail(err, -EAGAIN,
                        "%s started %d of %u threads; check the process limit (ulimit -u)",
                        team.runtime.library, atomic_load(&team.came), threads);
    if (atomic_load(&team.failed) < 0)
        return wtl_fail(err, atomic_load(&team.failed), "a thread could not be pinned: %s",
                        wtl_strerror(atomic_load(&team.failed)));
    if (load->kernel == WTL_LOAD_OMP_PARALLEL) {
        team.runtime.parallel(jump_all, &team, threads, 0);
    } else {
        (void)sem_post(&team.ready);
        wtl_jump();
        team.runtime.parallel(touch, &team, threads, 0);
    }
    return 0;
}

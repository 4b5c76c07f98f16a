/* SPDX-License-Identifier: BSD-3-Clause */
/* The load fma: a pinned thread on each CPU runs the kernel of fma_kernel.h; the main thread sleeps. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/world/world.h"
#include "load/announce.h"
#include "load/caches.h"
#include "load/ending.h"
#include "load/fma_data.h"
#include "load/load.h"

enum { BATCH = 500 }; /* rounds between checks of `stop`: about 50 us to 1 ms */

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t came;
    size_t ready; /* threads at the barrier, including failed ones */
    bool open;
    pthread_cond_t opened;
    atomic_bool stop;
};

struct worker {
    const struct wtl_load *load;
    struct gate *gate;
    struct wtl_fma_sizes sizes;
    int cpu;
    pthread_t thread;
    int rc; /* from pinning and allocation */
    uint64_t rounds;
    bool sound; /* the state is still in the kernel's range */
};

static void come(struct gate *gate)
{
    (void)pthread_mutex_lock(&gate->lock);
    gate->ready++;
    (void)pthread_cond_signal(&gate->came);
    while (!gate->open)
        (void)pthread_cond_wait(&gate->opened, &gate->lock);
    (void)pthread_mutex_unlock(&gate->lock);
}

static void *work(void *data)
{
    struct worker *worker = data;
    struct wtl_fma_data own = {0};
    uint64_t rounds = 0;
    worker->rc = wtl_cpu_pin(worker->cpu);
    if (worker->rc == 0)
        worker->rc = wtl_fma_data_make(&own, &worker->sizes); /* first touched by this CPU */
    come(worker->gate);
    while (worker->rc == 0 && !atomic_load_explicit(&worker->gate->stop, memory_order_relaxed)) {
        worker->load->isa->run(&own.work, BATCH);
        rounds += BATCH;
    }
    worker->rounds = rounds;
    worker->sound = worker->rc == 0 && wtl_fma_data_sound(&own, worker->load->isa->groups);
    wtl_fma_data_fini(&own);
    return NULL;
}

static void announce_ready(const struct wtl_load *load, json_t *line)
{
    char cpus[256];
    wtl_cpu_choice_text(&load->cpus, cpus, sizeof cpus);
    if (!line)
        return;
    json_object_set_new(line, "threads", json_integer((json_int_t)load->cpus.count));
    json_object_set_new(line, "cpus", json_string(cpus));
    json_object_set_new(line, "isa", json_string(load->isa->name));
    json_object_set_new(line, "how",
                        json_sprintf("fma %s %zu thread%s", load->isa->name, load->cpus.count,
                                     load->cpus.count > 1 ? "s" : ""));
}

/* Rates summed over all threads. */
static void announce_work(json_t *line, const struct worker *workers, size_t count)
{
    double seconds = json_real_value(json_object_get(line, "seconds")), rounds = 0;
    bool sound = true;
    for (size_t i = 0; i < count; i++) {
        rounds += (double)workers[i].rounds;
        sound = sound && workers[i].sound;
    }
    if (!line)
        return;
    const struct {
        const char *key;
        double per_round;
    } rates[] = {{"gflop_per_s", WTL_FMA_FLOPS * 1e-9},
                 {"l1_gb_per_s", WTL_FMA_L1 * 1.5 * 64e-9},
                 {"l2_gb_per_s", WTL_FMA_UNITS * 2 * 64e-9},
                 {"l3_gb_per_s", WTL_FMA_L3 * 2 * 64e-9},
                 {"memory_gb_per_s", 2 * 64e-9}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        json_object_set_new(line, rates[i].key,
                            seconds > 0 ? json_real(rounds * rates[i].per_round / seconds)
                                        : json_null());
    json_object_set_new(line, "check", json_string(sound ? "ok" : "failed"));
}

/* Release the threads, wait for the end, stop them. *ret_signal is the signal that ended it. */
static int run(const struct wtl_load *load,
               struct worker *workers,
               struct gate *gate,
               int *ret_signal,
               struct wattle_error *err)
{
    size_t count = load->cpus.count;
    json_t *line = wtl_announce(load, "ready");
    (void)pthread_mutex_lock(&gate->lock);
    gate->open = true;
    (void)pthread_cond_broadcast(&gate->opened);
    (void)pthread_mutex_unlock(&gate->lock);
    announce_ready(load, line);
    struct wtl_load_clock clock = wtl_load_clock_start();
    int rc = wtl_announce_send(load, line, err);
    *ret_signal = rc < 0 ? 0 : wtl_ending_wait(load->time_ns);
    line = wtl_announce(load, "done");
    wtl_announce_end(line, &clock, *ret_signal);
    atomic_store(&gate->stop, true);
    for (size_t i = 0; i < count; i++)
        (void)pthread_join(workers[i].thread, NULL);
    announce_work(line, workers, count);
    if (rc < 0) {
        json_decref(line);
        return rc;
    }
    rc = wtl_announce_send(load, line, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (!workers[i].sound)
            rc = wtl_fail(err, -EIO, "CPU %d computed a wrong result and is not reliable",
                          workers[i].cpu);
    }
    return rc;
}

static struct wtl_fma_sizes sizes_of(const struct wtl_load *load, int cpu)
{
    const struct wtl_world *world = wtl_world_real();
    struct wtl_caches caches = wtl_caches_of(world, cpu, &load->cpus);
    return wtl_fma_sizes_for(&caches, load->cpus.count, wtl_memory_available(world));
}

/* Create the threads, and wait until all have their memory. */
static int make_workers(const struct wtl_load *load,
                        struct worker *workers,
                        struct gate *gate,
                        size_t *ret_made,
                        struct wattle_error *err)
{
    int rc = 0;
    size_t made = 0;
    for (; rc == 0 && made < load->cpus.count; made += rc == 0) {
        workers[made] = (struct worker){.load = load, .gate = gate, .cpu = load->cpus.cpu[made]};
        workers[made].sizes = sizes_of(load, workers[made].cpu);
        rc = -pthread_create(&workers[made].thread, NULL, work, &workers[made]);
    }
    *ret_made = made;
    if (rc < 0)
        return wtl_fail(err, rc, "cannot create thread %zu of %zu: %s", made + 1, load->cpus.count,
                        wtl_strerror(rc));
    (void)pthread_mutex_lock(&gate->lock);
    while (gate->ready < made)
        (void)pthread_cond_wait(&gate->came, &gate->lock);
    (void)pthread_mutex_unlock(&gate->lock);
    for (size_t i = 0; i < made; i++) {
        if (workers[i].rc < 0)
            return wtl_fail(err, workers[i].rc, "the thread of CPU %d: %s", workers[i].cpu,
                            wtl_strerror(workers[i].rc));
    }
    return 0;
}

int wtl_load_fma(const struct wtl_load *load, struct wattle_error *err)
{
    struct gate gate = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .came = PTHREAD_COND_INITIALIZER,
                        .opened = PTHREAD_COND_INITIALIZER};
    struct worker *workers = calloc(load->cpus.count, sizeof *workers);
    size_t made = 0;
    int number = 0;
    if (!workers)
        return wtl_no_memory(err);
    wtl_ending_block();
    int rc = make_workers(load, workers, &gate, &made, err);
    if (rc == 0) {
        rc = run(load, workers, &gate, &number, err);
    } else {
        (void)pthread_mutex_lock(&gate.lock);
        gate.open = true;
        atomic_store(&gate.stop, true);
        (void)pthread_cond_broadcast(&gate.opened);
        (void)pthread_mutex_unlock(&gate.lock);
        for (size_t i = 0; i < made; i++)
            (void)pthread_join(workers[i].thread, NULL);
    }
    free(workers);
    if (rc == 0)
        wtl_ending_leave(number);
    return rc;
}

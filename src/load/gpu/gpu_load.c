/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A load on a GPU: fused multiply-adds in registers, on all multiprocessors, in kernels of up to 0.2 s, queued for up to 0.6 s. So it
 * is switched on and off at known moments: on when the first kernel is launched, off when the last one has ended; both are announced,
 * also where the host came late to launch more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "load/announce.h"
#include "load/ending.h"
#include "load/gpu/gpu_engine.h"
#include "load/load.h"
#include "load/load_periods.h"

static const double CHUNK_S = 0.2, BATCH_S = 0.6, MEASURED_S = 0.002, LEAST_S = 0.00002;
enum { FIRST_ROUNDS = 20000, REPEATS = 5 };

struct burner {
    const struct wtl_gpu_engine *engine;
    struct wtl_engine_device device;
    double rounds_per_s;
};

/*
 * How many rounds a second: double them until a kernel takes some milliseconds. On a busy machine the host is away now and then, and a kernel
 * seems to take longer: the fastest counts.
 */
static int measure_rounds(struct burner *b, struct wattle_error *err)
{
    struct wtl_engine_burn burnt = {0, 0};
    unsigned long_enough = 0;
    double fastest = 0;
    int rc = b->engine->burn(1, 1, &burnt, err); /* compiles */
    for (unsigned rounds = FIRST_ROUNDS; rc == 0 && rounds < 1u << 30 && long_enough < REPEATS;) {
        rc = b->engine->burn(rounds, 1, &burnt, err);
        double took = fmax(burnt.ended_s - burnt.began_s, 1e-6), rate = (double)rounds / took;
        bool is_long = took > MEASURED_S;
        b->rounds_per_s = is_long ? fmax(fastest, rate) : rate;
        fastest = is_long ? b->rounds_per_s : fastest;
        long_enough += is_long;
        rounds *= is_long ? 1 : 2;
    }
    return rc;
}

/* A switch of the load, when it was. */
static int announce_step(const struct wtl_load *load,
                         double time_s,
                         bool on,
                         struct wattle_error *err)
{
    json_t *line = wtl_announce(load, "step");
    (void)json_object_set_new(line, "time_ns", json_integer((json_int_t)(time_s * 1e9)));
    (void)json_object_set_new(line, "load", json_integer(on));
    return wtl_announce_send(load, line, err);
}

/* When the last kernel ended is known from the device, which the host may learn late. */
static int be_on(const struct wtl_load *load,
                 struct burner *b,
                 double until_s,
                 struct wattle_error *err)
{
    double began = wtl_engine_now_s();
    int rc = 0;
    /* A short rest would only add a pause before it. */
    double least_s = fmax(LEAST_S, (until_s - began) / 10);
    for (double left = until_s - began; rc == 0 && left > least_s; left = until_s - began) {
        double batch_s = fmin(left, BATCH_S);
        unsigned kernels = (unsigned)ceil(batch_s / CHUNK_S);
        struct wtl_engine_burn burnt = {began, began};
        rc = b->engine->burn((unsigned)fmax(1, batch_s / kernels * b->rounds_per_s), kernels,
                             &burnt, err);
        rc = rc < 0 ? rc
                    : announce_step(load, burnt.began_s, true, err); /* now, since it takes time */
        rc = rc < 0 ? rc : announce_step(load, burnt.ended_s, false, err);
        began = wtl_engine_now_s();
    }
    return rc;
}

static void be_off(double until_s)
{
    struct timespec until = {.tv_sec = (time_t)until_s,
                             .tv_nsec = (long)((until_s - floor(until_s)) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

static int run(const struct wtl_load *load,
               struct burner *b,
               const struct wtl_load_period *periods,
               size_t count,
               struct wattle_error *err)
{
    double now = wtl_engine_now_s(), start = now - periods[0].from_s;
    int rc = periods[0].on ? 0 : announce_step(load, now, false, err);
    for (size_t i = 0; rc == 0 && i + 1 < count; i++) {
        double until = start + periods[i + 1].from_s;
        if (periods[i].on)
            rc = be_on(load, b, until, err);
        else
            be_off(until);
    }
    return rc < 0 ? rc : announce_step(load, wtl_engine_now_s(), false, err);
}

int wtl_load_gpu(const struct wtl_load *load, struct wattle_error *err)
{
    static struct burner burner;
    struct wtl_load_period all[] = {{0, true}, {(double)load->time_ns * 1e-9, false}};
    struct wtl_load_period *read = NULL;
    int count = load->shape ? wtl_load_periods_read(load->shape, &read, err) : 2;
    int rc = count < 0 ? count : wtl_engine_open(load->device, &burner.engine, &burner.device, err);
    rc = rc < 0 ? rc : measure_rounds(&burner, err);
    if (rc == 0) {
        json_t *line = wtl_announce(load, "ready");
        (void)json_object_set_new(line, "device", json_string(burner.device.name));
        (void)json_object_set_new(line, "pci", json_string(burner.device.pci));
        rc = wtl_announce_send(load, line, err);
    }
    struct wtl_load_clock clock = wtl_load_clock_start();
    rc = rc < 0 ? rc : run(load, &burner, read ? read : all, read ? (size_t)count : 2, err);
    free(read);
    if (rc < 0)
        return rc;
    json_t *line = wtl_announce(load, "done");
    wtl_announce_end(line, &clock, 0);
    rc = wtl_announce_send(load, line, err);
    if (rc == 0)
        wtl_ending_leave(0); /* without the exit handlers of the driver */
    return rc;
}

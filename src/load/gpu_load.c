/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A load on a GPU: fused multiply-adds in registers, on all multiprocessors, in kernels of up to 0.2 s, queued for up to 0.6 s. So it is switched on and off at known moments: on when the first kernel is launched, off when, by the
 * device's own clock, the last one has ended; both are announced. The kernel is PTX text, which the driver compiles for any device
 * since Maxwell.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/fail.h"
#include "load/announce.h"
#include "load/cuda.h"
#include "load/ending.h"
#include "load/load.h"
#include "load/load_periods.h"

/* out[thread] gets a sum, so that nothing is optimised away. */
static const char kernel_text[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry wattle_burn(.param .u64 out, .param .u32 rounds)\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .f32 %f<7>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [rounds];\n"
    "mov.u32 %r2, %tid.x;\ncvt.rn.f32.u32 %f1, %r2;\n"
    "mov.f32 %f2, 0f3F000000;\nmov.f32 %f3, 0f3E800000;\nmov.f32 %f4, 0f3F400000;\n"
    "mov.f32 %f5, 0f3F7FF000;\nmov.f32 %f6, 0f3A000000;\n"
    "again:\n"
    "fma.rn.f32 %f1, %f1, %f5, %f6;\nfma.rn.f32 %f2, %f2, %f5, %f6;\n"
    "fma.rn.f32 %f3, %f3, %f5, %f6;\nfma.rn.f32 %f4, %f4, %f5, %f6;\n"
    "fma.rn.f32 %f1, %f1, %f5, %f6;\nfma.rn.f32 %f2, %f2, %f5, %f6;\n"
    "fma.rn.f32 %f3, %f3, %f5, %f6;\nfma.rn.f32 %f4, %f4, %f5, %f6;\n"
    "sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra again;\n"
    "add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\nadd.f32 %f1, %f1, %f3;\n"
    "cvta.to.global.u64 %rd1, %rd1;\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
    "st.global.f32 [%rd3], %f1;\nret;\n}\n";

enum { THREADS = 256, BLOCKS_EACH = 8, FIRST_ROUNDS = 20000 };
static const double CHUNK_S = 0.2, BATCH_S = 0.6, MEASURED_S = 0.002, LEAST_S = 0.00002;

struct burner {
    struct wtl_cuda cuda;
    struct wtl_cuda_function *function;
    unsigned long long out;
    unsigned blocks;
    struct wtl_cuda_event *from, *to;
    double rounds_per_s;
    char name[96], pci[32];
};

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Kernels of so many rounds, one after the other, until the last one has ended; the seconds that the device took. */
static int burn(struct burner *b,
                unsigned rounds,
                unsigned kernels,
                double *ret_s,
                struct wattle_error *err)
{
    const struct wtl_cuda *cuda = &b->cuda;
    void *parameters[] = {&b->out, &rounds};
    float took_ms = 0;
    int rc = wtl_cuda_check(cuda, cuda->event_record(b->from, NULL), "cuEventRecord", err);
    for (unsigned i = 0; rc == 0 && i < kernels; i++)
        rc = wtl_cuda_check(
            cuda,
            cuda->launch(b->function, b->blocks, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL),
            "cuLaunchKernel", err);
    rc = rc < 0 ? rc : wtl_cuda_check(cuda, cuda->event_record(b->to, NULL), "cuEventRecord", err);
    rc = rc < 0 ? rc : wtl_cuda_check(cuda, cuda->context_synchronize(), "cuCtxSynchronize", err);
    rc = rc < 0 ? rc
                : wtl_cuda_check(cuda, cuda->event_elapsed(&took_ms, b->from, b->to),
                                 "cuEventElapsedTime", err);
    *ret_s = (double)took_ms * 1e-3;
    return rc;
}

/* How many rounds a second: double them until a kernel takes some milliseconds. */
static int measure_rounds(struct burner *b, struct wattle_error *err)
{
    double took;
    int rc = burn(b, 1, 1, &took, err); /* compiles */
    for (unsigned rounds = FIRST_ROUNDS; rc == 0 && rounds < 1u << 30; rounds *= 2) {
        rc = burn(b, rounds, 1, &took, err);
        b->rounds_per_s = (double)rounds / fmax(took, 1e-6);
        if (took > MEASURED_S)
            break;
    }
    return rc;
}

/* Device: its number as CUDA counts, or its PCI address. */
static int choose(struct burner *b, const char *wanted, int *ret_device, struct wattle_error *err)
{
    const struct wtl_cuda *cuda = &b->cuda;
    int count = 0, rc = wtl_cuda_check(cuda, cuda->device_count(&count), "cuDeviceGetCount", err);
    for (int i = 0; rc == 0 && i < count; i++) {
        char number[16];
        (void)snprintf(number, sizeof number, "%d", i);
        if (cuda->device_get(ret_device, i) != WTL_CUDA_OK ||
            cuda->device_pci(b->pci, sizeof b->pci, *ret_device) != WTL_CUDA_OK)
            continue;
        if (!wanted || strcmp(wanted, number) == 0 || strcasecmp(wanted, b->pci) == 0)
            return wtl_cuda_check(cuda, cuda->device_name(b->name, sizeof b->name, *ret_device),
                                  "cuDeviceGetName", err);
    }
    if (rc < 0)
        return rc;
    return wtl_fail(err, -ENODEV, "CUDA shows %d devices, and not %s; see CUDA_VISIBLE_DEVICES",
                    count, wanted ? wanted : "any");
}

static int prepare(struct burner *b, const char *wanted, struct wattle_error *err)
{
    const struct wtl_cuda *cuda = &b->cuda;
    struct wtl_cuda_context *context;
    struct wtl_cuda_module *module;
    int device = 0, processors = 0;
    int rc = wtl_cuda_open(&b->cuda, err);
    rc = rc < 0 ? rc : choose(b, wanted, &device, err);
    rc = rc < 0
             ? rc
             : wtl_cuda_check(cuda,
                              cuda->device_attribute(&processors, WTL_CUDA_MULTIPROCESSORS, device),
                              "cuDeviceGetAttribute", err);
    rc = rc < 0
             ? rc
             : wtl_cuda_check(cuda, cuda->context_create(&context, 0, device), "cuCtxCreate", err);
    rc = rc < 0 ? rc
                : wtl_cuda_check(cuda, cuda->module_load(&module, kernel_text), "cuModuleLoadData",
                                 err);
    rc = rc < 0 ? rc
                : wtl_cuda_check(cuda, cuda->module_function(&b->function, module, "wattle_burn"),
                                 "cuModuleGetFunction", err);
    rc = rc < 0 ? rc
                : wtl_cuda_check(cuda, cuda->memory_allocate(&b->out, sizeof(float) * THREADS),
                                 "cuMemAlloc", err);
    rc = rc < 0 ? rc : wtl_cuda_check(cuda, cuda->event_create(&b->from, 0), "cuEventCreate", err);
    rc = rc < 0 ? rc : wtl_cuda_check(cuda, cuda->event_create(&b->to, 0), "cuEventCreate", err);
    b->blocks = (unsigned)(processors > 0 ? processors : 1) * BLOCKS_EACH;
    return rc < 0 ? rc : measure_rounds(b, err);
}

/* A switch of the load, when it was. */
static int tell(const struct wtl_load *load, double time_s, bool on, struct wattle_error *err)
{
    json_t *line = wtl_announce(load, "step");
    (void)json_object_set_new(line, "time_ns", json_integer((json_int_t)(time_s * 1e9)));
    (void)json_object_set_new(line, "load", json_integer(on));
    return wtl_announce_send(load, line, err);
}

/* When the last kernel ended is known from the device, which the host may learn late. */
static int be_on(struct burner *b, double until_s, double *ret_ended_s, struct wattle_error *err)
{
    double began = now_s();
    int rc = 0;
    *ret_ended_s = began;
    /* A short rest would only add a pause before it. */
    double least_s = fmax(LEAST_S, (until_s - began) / 10);
    for (double left = until_s - began; rc == 0 && left > least_s; left = until_s - began) {
        double took = 0, batch_s = fmin(left, BATCH_S);
        unsigned kernels = (unsigned)ceil(batch_s / CHUNK_S);
        rc = burn(b, (unsigned)fmax(1, batch_s / kernels * b->rounds_per_s), kernels, &took, err);
        *ret_ended_s = began + took;
        began = now_s();
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
    double start = now_s() - periods[0].from_s, began = now_s();
    int rc = 0;
    for (size_t i = 0; rc == 0 && i + 1 < count; i++) {
        double until = start + periods[i + 1].from_s, ended = until;
        bool on = periods[i].on;
        if (on) {
            began = now_s();
            rc = be_on(b, until, &ended, err);
        } else {
            be_off(until);
        }
        if (rc == 0 && (i == 0 || on != periods[i - 1].on))
            rc = tell(load, began, on, err); /* now, since it takes time */
        began = ended;
    }
    return rc < 0 ? rc : tell(load, began, false, err);
}

int wtl_load_gpu(const struct wtl_load *load, struct wattle_error *err)
{
    static struct burner burner;
    struct wtl_load_period all[] = {{0, true}, {(double)load->time_ns * 1e-9, false}};
    struct wtl_load_period *read = NULL;
    int count = load->shape ? wtl_load_periods_read(load->shape, &read, err) : 2;
    int rc = count < 0 ? count : prepare(&burner, load->device, err);
    if (rc == 0) {
        json_t *line = wtl_announce(load, "ready");
        (void)json_object_set_new(line, "device", json_string(burner.name));
        (void)json_object_set_new(line, "pci", json_string(burner.pci));
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

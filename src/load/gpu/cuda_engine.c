/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The load's kernel by CUDA and by HIP, whose functions differ in their names only. CUDA gets PTX text, which the driver compiles for
 * any device since Maxwell, HIP a source that AMD's compiler at run time (hiprtc) translates. How long kernels took is from the
 * device's own clock.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "load/gpu/cuda.h"
#include "load/gpu/gpu_engine.h"

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

/* The same for HIP. */
static const char kernel_source[] =
    "extern \"C\" __global__ void wattle_burn(float *out, unsigned rounds)\n{\n"
    "float a = threadIdx.x, b = 0.5f, c = 0.25f, d = 0.75f;\n"
    "const float x = 0.99976f, y = 0.000488f;\n"
    "do {\n"
    "a = __builtin_fmaf(a, x, y); b = __builtin_fmaf(b, x, y);\n"
    "c = __builtin_fmaf(c, x, y); d = __builtin_fmaf(d, x, y);\n"
    "a = __builtin_fmaf(a, x, y); b = __builtin_fmaf(b, x, y);\n"
    "c = __builtin_fmaf(c, x, y); d = __builtin_fmaf(d, x, y);\n"
    "} while (--rounds != 0);\n"
    "out[threadIdx.x] = a + b + c + d;\n}\n";

enum { THREADS = 256, BLOCKS_EACH = 8 };

static struct burner {
    struct wtl_cuda cuda;
    struct wtl_cuda_function *function;
    unsigned long long out;
    unsigned blocks;
    struct wtl_cuda_event *from, *to;
} burner;

/* The host may be away between two calls: the device's begin is bounded by the clock around the first launch, its end by its own
 * clock from the first event on. */
static int burn(unsigned rounds,
                unsigned kernels,
                struct wtl_engine_burn *ret,
                struct wattle_error *err)
{
    struct burner *b = &burner;
    const struct wtl_cuda *cuda = &b->cuda;
    void *parameters[] = {&b->out, &rounds};
    float took_ms = 0;
    double before = wtl_engine_now_s(), launched = 0;
    int rc = wtl_cuda_check(cuda, cuda->event_record(b->from, NULL), "event_record", err);
    double recorded = wtl_engine_now_s();
    for (unsigned i = 0; rc == 0 && i < kernels; i++) {
        rc = wtl_cuda_check(
            cuda,
            cuda->launch(b->function, b->blocks, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL),
            "launch", err);
        launched = i == 0 ? wtl_engine_now_s() : launched;
    }
    rc = rc < 0 ? rc : wtl_cuda_check(cuda, cuda->event_record(b->to, NULL), "event_record", err);
    rc = rc < 0 ? rc : wtl_cuda_check(cuda, cuda->synchronize(), "synchronize", err);
    rc = rc < 0 ? rc
                : wtl_cuda_check(cuda, cuda->event_elapsed(&took_ms, b->from, b->to),
                                 "event_elapsed", err);
    ret->began_s = (recorded + launched) / 2;
    ret->ended_s = (before + recorded) / 2 + (double)took_ms * 1e-3;
    if (ret->ended_s < ret->began_s)
        ret->ended_s = ret->began_s;
    return rc;
}

static int choose(const struct wtl_cuda *cuda,
                  const char *wanted,
                  struct wtl_engine_device *ret,
                  int *ret_device,
                  struct wattle_error *err)
{
    int count = 0, rc = wtl_cuda_check(cuda, cuda->device_count(&count), "device_count", err);
    for (int i = 0; rc == 0 && i < count; i++) {
        if (cuda->device_get(ret_device, i) != WTL_CUDA_OK ||
            cuda->device_pci(ret->pci, sizeof ret->pci, *ret_device) != WTL_CUDA_OK)
            continue;
        if (wtl_engine_is_wanted(wanted, i, ret->pci))
            return wtl_cuda_check(cuda, cuda->device_name(ret->name, sizeof ret->name, *ret_device),
                                  "device_name", err);
    }
    if (rc < 0)
        return rc;
    return wtl_fail(err, -ENODEV, "%s shows %d devices, and not %s; see %s", cuda->kind->name,
                    count, wanted ? wanted : "any", cuda->kind->variable);
}

static int prepare(const char *image, int device, struct wattle_error *err)
{
    struct burner *b = &burner;
    const struct wtl_cuda *cuda = &b->cuda;
    struct wtl_cuda_context *context;
    struct wtl_cuda_module *module;
    int processors = 0;
    int rc = wtl_cuda_check(
        cuda, cuda->device_attribute(&processors, cuda->kind->multiprocessors, device),
        "device_attribute", err);
    if (rc == 0)
        rc = wtl_cuda_check(cuda,
                            cuda->kind->has_contexts ? cuda->context_create(&context, 0, device)
                                                     : cuda->device_set(device),
                            "context_create", err);
    rc = rc < 0 ? rc : wtl_cuda_check(cuda, cuda->module_load(&module, image), "module_load", err);
    rc = rc < 0 ? rc
                : wtl_cuda_check(cuda, cuda->module_function(&b->function, module, "wattle_burn"),
                                 "module_function", err);
    rc = rc < 0 ? rc
                : wtl_cuda_check(cuda, cuda->memory_allocate(&b->out, sizeof(float) * THREADS),
                                 "memory_allocate", err);
    rc = rc < 0 ? rc : wtl_cuda_check(cuda, cuda->event_create(&b->from, 0), "event_create", err);
    rc = rc < 0 ? rc : wtl_cuda_check(cuda, cuda->event_create(&b->to, 0), "event_create", err);
    b->blocks = (unsigned)(processors > 0 ? processors : 1) * BLOCKS_EACH;
    return rc;
}

static int cuda_open(const char *wanted, struct wtl_engine_device *ret, struct wattle_error *err)
{
    int device = 0, rc = wtl_cuda_open(&burner.cuda, &wtl_cuda_itself, err);
    rc = rc < 0 ? rc : choose(&burner.cuda, wanted, ret, &device, err);
    return rc < 0 ? rc : prepare(kernel_text, device, err);
}

/* hiprtc compiles for the device that is current. */
static int hip_open(const char *wanted, struct wtl_engine_device *ret, struct wattle_error *err)
{
    void *code = NULL;
    const struct wtl_cuda *hip = &burner.cuda;
    int device = 0, rc = wtl_cuda_open(&burner.cuda, &wtl_cuda_hip, err);
    rc = rc < 0 ? rc : choose(hip, wanted, ret, &device, err);
    rc = rc < 0 ? rc : wtl_cuda_check(hip, hip->device_set(device), "device_set", err);
    rc = rc < 0 ? rc : wtl_hip_compile(hip, kernel_source, &code, err);
    rc = rc < 0 ? rc : prepare(code, device, err);
    free(code);
    return rc;
}

const struct wtl_gpu_engine wtl_engine_cuda = {"CUDA", cuda_open, burn};
const struct wtl_gpu_engine wtl_engine_hip = {"HIP", hip_open, burn};

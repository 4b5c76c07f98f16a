/* SPDX-License-Identifier: BSD-3-Clause */
/* wattle-load: one load, until its time is over. */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/text/wrap.h"
#include "load/ending.h"
#include "load/gpu/gpu_engine.h"
#include "load/isa.h"
#include "load/load.h"
#include "load/load_options.h"
#include "load/omp_runtime.h"
#include "mpi/mpi_library.h"

/* ---- wattle-load --list ---- */

/* Why it cannot run here and now; "" if it can. */
static void kernel_refusal(enum wtl_load_kernel kernel, struct wattle_error *ret_why)
{
    struct wtl_omp_runtime runtime;
    struct wtl_mpi_library library;
    const struct wtl_gpu_engine *engine;
    struct wtl_engine_device device;
    ret_why->text[0] = '\0';
    if (kernel == WTL_LOAD_OMP_SERIAL || kernel == WTL_LOAD_OMP_PARALLEL)
        (void)wtl_omp_runtime_open(&runtime, NULL, WTL_WAIT_DEFAULT, ret_why);
    else if (kernel == WTL_LOAD_GPU)
        (void)wtl_engine_open(NULL, &engine, &device, ret_why);
    else if (kernel != WTL_LOAD_FMA)
        (void)wtl_mpi_library_open(&library, NULL, ret_why);
}

static json_t *item(const char *name, const char *what, const char *why)
{
    return json_pack("{s:s, s:s, s:b, s:o}", "name", name, "what", what, "runs", !*why, "why",
                     *why ? json_string(why) : json_null());
}

static const char *const whats[] = {
    "the master of an OpenMP team jumps, the others wait for work",
    "all threads of an OpenMP team jump",
    "rank 0 jumps, the other ranks wait in a barrier",
    "all ranks jump",
    "multiply-add units, all caches and memory at once",
    "multiply-add on a GPU (CUDA, HIP, Level Zero), on and off at known moments",
};

static json_t *list(void)
{
    json_t *kernels = json_array(), *levels = json_array();
    struct wtl_isa_machine machine = wtl_isa_machine();
    struct wattle_error why;
    for (int i = 0; i < WTL_LOAD_KERNELS; i++) {
        kernel_refusal((enum wtl_load_kernel)i, &why);
        (void)json_array_append_new(
            kernels, item(wtl_load_kernel_name((enum wtl_load_kernel)i), whats[i], why.text));
    }
    for (size_t i = 0; wtl_isa_at(i); i++) {
        const struct wtl_isa *isa = wtl_isa_at(i);
        const char *refusal = wtl_isa_refusal(isa, &machine);
        (void)json_array_append_new(levels, item(isa->name, isa->what, refusal ? refusal : ""));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:s}", "schema", "wattle.load-list/1", "wattle_version",
                     WATTLE_VERSION, "kernels", kernels, "isa", levels, "best_isa",
                     wtl_isa_best(&machine)->name);
}

enum { WHAT_COLUMN = 21 };

static void print_wrapped(FILE *out, const char *text)
{
    wtl_wrap(out, text, WHAT_COLUMN, WHAT_COLUMN, wtl_page_width(out));
    (void)fputc('\n', out);
}

static void print_text(FILE *out, const char *title, json_t *items)
{
    size_t i;
    json_t *row;
    (void)fprintf(out, "%s\n", title);
    json_array_foreach(items, i, row)
    {
        const char *why = json_string_value(json_object_get(row, "why"));
        (void)fprintf(out, "  %-13s %-4s ", json_string_value(json_object_get(row, "name")),
                      why ? "no" : "yes");
        print_wrapped(out, json_string_value(json_object_get(row, "what")));
        if (why) {
            (void)fprintf(out, "%*s", WHAT_COLUMN, "");
            print_wrapped(out, why);
        }
    }
}

/* As text or as a document wattle.load-list/1. 0; -ENOMEM. Write errors stay in the stream. */
static int load_list(bool json, FILE *out, struct wattle_error *err)
{
    json_t *document = list();
    if (!document)
        return wtl_no_memory(err);
    if (json) {
        (void)json_dumpf(document, out, JSON_INDENT(2));
        (void)fputc('\n', out);
    } else {
        print_text(out, "kernel        runs what", json_object_get(document, "kernels"));
        print_text(out, "level of fma  runs what", json_object_get(document, "isa"));
    }
    json_decref(document);
    return 0;
}

/* ---- the load ---- */

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
        rc = load_list(options.load.json, stdout, &err);
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

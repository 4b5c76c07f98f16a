/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rates of the load fma, for each instruction set level that runs here: floating point
 * operations compared with a bare loop of the same level that touches no memory, and bytes of
 * memory compared with a triad a[i] = b[i] + s*c[i] (counted like STREAM: 24 bytes per element). On
 * one CPU and on all. Rates are per second of CPU time, to reduce the influence of other programs;
 * median and range of five interleaved turns. Power is measured elsewhere: `wattle run --
 * wattle-load fma --isa LEVEL`. Asserts nothing.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/world/world.h"
#include "bench_spread.h"
#include "load/caches.h"
#include "load/fma_data.h"
#include "load/isa.h"

enum { TURNS = 5, KINDS = 3, BARE_CHAINS = 12 };
enum kind { KERNEL, BARE, TRIAD };

static const double turn_s = 0.2;
static volatile double sink;
static struct wtl_cpu_choice choice;

typedef double vec2 __attribute__((vector_size(16)));
typedef double vec4 __attribute__((vector_size(32)));
typedef double vec8 __attribute__((vector_size(64)));

/* n multiply-adds on each of 12 chains in registers; returns the number of operations. */
#define BARE_LOOP(name, vec, lanes, target)                           \
    target static double bare_##name(uint64_t n)                      \
    {                                                                 \
        const vec zero = {0}, m = zero + WTL_FMA_M1, c = zero + 0.1;  \
        vec x0 = c, x1 = m, x2 = c + m, x3 = -x0, x4 = -x1, x5 = -x2; \
        vec x6 = x2 + c, x7 = x6 + c, x8 = x7 + c, x9 = x8 + c;       \
        vec x10 = -x8, x11 = -x9;                                     \
        for (uint64_t i = 0; i < n; i++) {                            \
            x0 = x0 * m + c, x1 = x1 * m + c, x2 = x2 * m + c;        \
            x3 = x3 * m + c, x4 = x4 * m + c, x5 = x5 * m + c;        \
            x6 = x6 * m + c, x7 = x7 * m + c, x8 = x8 * m + c;        \
            x9 = x9 * m + c, x10 = x10 * m + c, x11 = x11 * m + c;    \
            __asm__ volatile("");                                     \
        }                                                             \
        x0 += x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11; \
        sink = x0[0];                                                 \
        return (double)n * 2 * (lanes)*BARE_CHAINS;                   \
    }

#define PLAIN
BARE_LOOP(generic, vec2, 2, PLAIN)
#if defined(__x86_64__)
BARE_LOOP(avx, vec4, 4, __attribute__((target("avx"))))
BARE_LOOP(avx2, vec4, 4, __attribute__((target("avx2,fma"))))
BARE_LOOP(avx512f, vec8, 8, __attribute__((target("avx512f"))))
#endif

static const struct {
    const char *name;
    double (*run)(uint64_t n);
} bares[] = {
#if defined(__x86_64__)
    {"avx512f", bare_avx512f}, {"avx2", bare_avx2}, {"avx", bare_avx}, {"sse2", bare_generic},
#elif defined(__aarch64__)
    {"neon", bare_generic}, /* the compiler's contraction fuses it there */
#endif
    {"generic", bare_generic},
};

struct thread {
    pthread_t id;
    int cpu;
    enum kind kind;
    const struct wtl_isa *isa;
    struct wtl_fma_data *data;
    double *triad; /* three arrays of triad_count */
    size_t triad_count;
    double flops, bytes, cpu_s;
};

static double cpu_seconds(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void triad(struct thread *t)
{
    double *a = t->triad, *b = a + t->triad_count, *c = b + t->triad_count;
    for (size_t i = 0; i < t->triad_count; i++)
        a[i] = b[i] + 3.0 * c[i];
    sink = a[t->triad_count / 2];
    t->bytes += 24 * (double)t->triad_count;
    t->flops += 2 * (double)t->triad_count;
}

static void bare(struct thread *t)
{
    size_t i = 0;
    while (strcmp(bares[i].name, t->isa->name) != 0)
        i++;
    t->flops += bares[i].run(1000000);
}

static void kernel(struct thread *t)
{
    enum { ROUNDS = 2000 };
    t->isa->run(&t->data->work, ROUNDS);
    t->flops += (double)ROUNDS * WTL_FMA_FLOPS;
    t->bytes += ROUNDS * 2 * 64.0;
}

static void *turn(void *data)
{
    struct thread *t = data;
    static void (*const kinds[])(struct thread *) = {kernel, bare, triad};
    (void)wtl_cpu_pin(t->cpu);
    t->flops = t->bytes = 0;
    double start = cpu_seconds();
    while ((t->cpu_s = cpu_seconds() - start) < turn_s)
        kinds[t->kind](t);
    return NULL;
}

struct rates {
    double gflops[TURNS], gbytes[TURNS];
};

static void all_turns(struct thread *threads, size_t count, int number, struct rates *rates)
{
    for (size_t i = 0; i < count; i++)
        (void)pthread_create(&threads[i].id, NULL, turn, &threads[i]);
    rates->gflops[number] = rates->gbytes[number] = 0;
    for (size_t i = 0; i < count; i++) {
        (void)pthread_join(threads[i].id, NULL);
        rates->gflops[number] += threads[i].flops / threads[i].cpu_s * 1e-9;
        rates->gbytes[number] += threads[i].bytes / threads[i].cpu_s * 1e-9;
    }
}

static void print(const char *what, const char *unit, double values[TURNS], double share_of)
{
    struct bench_spread spread = bench_spread_of(values, TURNS);
    printf("  %-26s ", what);
    bench_spread_print(&spread, 1, 2, unit);
    if (share_of > 0)
        printf("  %3.0f %%", 100 * values[TURNS / 2] / share_of);
    putchar('\n');
}

static void level(const struct wtl_isa *isa, struct thread *threads, size_t count)
{
    static struct rates rates[KINDS];
    for (int number = 0; number < TURNS; number++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (size_t i = 0; i < count; i++) {
                threads[i].isa = isa;
                threads[i].kind = (enum kind)kind;
            }
            all_turns(threads, count, number, &rates[kind]);
        }
    }
    printf("%s, %zu thread%s\n", isa->name, count, count > 1 ? "s" : "");
    print("bare loop", "GFLOP/s", rates[BARE].gflops, 0);
    print("wattle-load fma", "GFLOP/s", rates[KERNEL].gflops, rates[BARE].gflops[TURNS / 2]);
    print("triad", "GB/s", rates[TRIAD].gbytes, 0);
    print("wattle-load fma", "GB/s", rates[KERNEL].gbytes, rates[TRIAD].gbytes[TURNS / 2]);
}

/* The data of a thread, first touched on its CPU; a quarter of the memory that the load takes,
 * since the triad needs more arrays. */
static void *make(void *of)
{
    struct thread *t = of;
    const struct wtl_world *world = wtl_world_real();
    (void)wtl_cpu_pin(t->cpu);
    struct wtl_caches caches = wtl_caches_of(world, t->cpu, &choice);
    struct wtl_fma_sizes sizes =
        wtl_fma_sizes_for(&caches, 4 * choice.count, wtl_memory_available(world));
    t->triad_count = sizes.memory / sizeof *t->triad;
    t->data = calloc(1, sizeof *t->data);
    t->triad = malloc(3 * t->triad_count * sizeof *t->triad);
    if (!t->data || !t->triad || wtl_fma_data_make(t->data, &sizes) < 0) {
        (void)fputs("bench_load: not enough memory\n", stderr);
        exit(1);
    }
    for (size_t i = 0; i < 3 * t->triad_count; i++)
        t->triad[i] = 1.0 + (double)(i & 1023) * 1e-3;
    return NULL;
}

int main(void)
{
    struct wattle_error err;
    struct wtl_isa_machine machine = wtl_isa_machine();
    if (wtl_cpu_choice_allowed(&choice, &err) < 0)
        return 1;
    struct thread *threads = calloc(choice.count, sizeof *threads);
    if (!threads)
        return 1;
    for (size_t i = 0; i < choice.count; i++) {
        threads[i] = (struct thread){.cpu = choice.cpu[i]};
        (void)pthread_create(&threads[i].id, NULL, make, &threads[i]);
        (void)pthread_join(threads[i].id, NULL);
    }
    for (size_t i = 0; wtl_isa_at(i); i++) {
        const char *refusal = wtl_isa_refusal(wtl_isa_at(i), &machine);
        if (refusal) {
            printf("%s: %s\n", wtl_isa_at(i)->name, refusal);
            continue;
        }
        level(wtl_isa_at(i), threads, 1);
        if (choice.count > 1)
            level(wtl_isa_at(i), threads, choice.count);
    }
    for (size_t i = 0; i < choice.count; i++) {
        wtl_fma_data_fini(threads[i].data);
        free(threads[i].data);
        free(threads[i].triad);
    }
    free(threads);
    return 0;
}

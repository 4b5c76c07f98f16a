/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/fma_data.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/random.h"

#define MEMORY_LEAST ((size_t)32 << 20)
#define MEMORY_MOST  ((size_t)256 << 20)

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

struct wtl_fma_sizes wtl_fma_sizes_for(const struct wtl_caches *caches,
                                       size_t threads,
                                       uint64_t available)
{
    const size_t least = 64u << 10;
    struct wtl_fma_sizes sizes = {
        .l2 = most(caches->l2 / 2, least),
        .l3 = most(most(caches->l3 / 2, caches->l2 + caches->l2 / 2), least),
        .memory = most(4 * caches->l3, MEMORY_LEAST)};
    uint64_t bound = available / 4 / threads;
    sizes.memory = sizes.memory > MEMORY_MOST ? MEMORY_MOST : sizes.memory;
    sizes.memory = sizes.memory > bound ? most((size_t)bound, least) : sizes.memory;
    sizes.l2 &= ~(size_t)4095;
    sizes.l3 &= ~(size_t)4095;
    sizes.memory &= ~(size_t)4095;
    return sizes;
}

/* Random in +-[1,2), with all 52 bits of the mantissa. */
static double random_addend(uint64_t n)
{
    uint64_t bits = (wtl_random_bits(0, n) & 0x800fffffffffffffu) | 0x3ff0000000000000u;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void fill(double *numbers, size_t count, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = random_addend(++*seed);
}

/* The next `lines` of the map. */
static double *next_lines(double **at, size_t lines)
{
    double *taken = *at;
    *at += lines * WTL_FMA_LINE;
    return taken;
}

static struct wtl_fma_stream stream(double **at, size_t bytes, uint64_t *seed)
{
    size_t lines = bytes / 128;
    struct wtl_fma_stream made = {.lines = lines};
    made.in = next_lines(at, lines + WTL_FMA_AHEAD);
    made.out = next_lines(at, lines + WTL_FMA_AHEAD);
    fill(made.in, lines * WTL_FMA_LINE, seed);
    memset(made.out, 0xff, lines * WTL_FMA_LINE * sizeof(double)); /* NaN until written; touched */
    return made;
}

int wtl_fma_data_make(struct wtl_fma_data *ret_data, const struct wtl_fma_sizes *sizes)
{
    size_t fixed = (WTL_FMA_GROUPS + WTL_FMA_L1 * 2 + 6 * WTL_FMA_AHEAD) * sizeof(double[8]);
    struct wtl_fma_data data = {.map_size = fixed + sizes->l2 + sizes->l3 + sizes->memory};
    uint64_t seed = 0;
    data.map =
        mmap(NULL, data.map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data.map == MAP_FAILED)
        return -errno;
    (void)madvise(data.map, data.map_size, MADV_HUGEPAGE); /* the TLB must not be the limit */
    double *at = data.map;
    data.work.state = next_lines(&at, WTL_FMA_GROUPS);
    data.work.l1_in = next_lines(&at, WTL_FMA_L1);
    data.work.l1_out = next_lines(&at, WTL_FMA_L1);
    fill(data.work.state, (size_t)WTL_FMA_GROUPS * WTL_FMA_LINE, &seed);
    fill(data.work.l1_in, (size_t)WTL_FMA_L1 * WTL_FMA_LINE, &seed);
    data.work.l2 = stream(&at, sizes->l2, &seed);
    data.work.l3 = stream(&at, sizes->l3, &seed);
    data.work.memory = stream(&at, sizes->memory, &seed);
    *ret_data = data;
    return 0;
}

void wtl_fma_data_fini(struct wtl_fma_data *data)
{
    if (data->map)
        (void)munmap(data->map, data->map_size);
    *data = (struct wtl_fma_data){0};
}

bool wtl_fma_data_sound(const struct wtl_fma_data *data, unsigned groups)
{
    bool sound = true;
    for (size_t i = 0; i < (size_t)groups * WTL_FMA_LINE; i++)
        sound = sound && fabs(data->work.state[i]) < WTL_FMA_BOUND;
    return sound;
}

static uint64_t hash_of(uint64_t hash, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

uint64_t wtl_fma_data_checksum(const struct wtl_fma_data *data, unsigned groups)
{
    const struct wtl_fma_work *work = &data->work;
    uint64_t hash = hash_of(0xcbf29ce484222325u, work->state, (size_t)groups * WTL_FMA_LINE);
    hash = hash_of(hash, work->l1_out, (size_t)WTL_FMA_L1 / 2 * WTL_FMA_LINE);
    hash = hash_of(hash, work->l2.out, work->l2.lines * WTL_FMA_LINE);
    hash = hash_of(hash, work->l3.out, work->l3.lines * WTL_FMA_LINE);
    return hash_of(hash, work->memory.out, work->memory.lines * WTL_FMA_LINE);
}

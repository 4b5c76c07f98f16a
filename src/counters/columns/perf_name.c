/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of perf events: see perf_name.h. */
#include "counters/columns/perf_name.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

/* The arguments of libpfm4 4.x (perfmon/pfmlib.h, pfmlib_perf_event.h): part of its ABI. */
enum { PFM_SUCCESS = 0, PFM_PLM0 = 1, PFM_PLM3 = 8, PFM_OS_PERF_EVENT = 1 };
struct pfm_argument {
    struct perf_event_attr *attr;
    char **text;
    size_t size;
    int index, cpu, flags, pad;
};

#define CACHE(cache, op, result)                                      \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
     PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
} names[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS)},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS)},
    {"L1-dcache-stores", PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS)},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS)},
    {"LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS)},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS)},
    {"LLC-stores", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, ACCESS)},
    {"LLC-store-misses", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS)},
    {"dTLB-loads", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS)},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS)},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS)},
    {"branch-loads", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, ACCESS)},
    {"branch-load-misses", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, MISS)},
    {"node-loads", PERF_TYPE_HW_CACHE, CACHE(NODE, READ, ACCESS)},
    {"node-load-misses", PERF_TYPE_HW_CACHE, CACHE(NODE, READ, MISS)},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
};

const char *wtl_perf_name(size_t i)
{
    return i < sizeof names / sizeof *names ? names[i].name : NULL;
}

bool wtl_perf_code_is_software(const struct wtl_perf_code *code)
{
    return code->type == PERF_TYPE_SOFTWARE;
}

bool wtl_perf_code_needs_kernel(const struct wtl_perf_code *code)
{
    return wtl_perf_code_is_software(code) && (code->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                               code->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* 0; -ENOENT: the library does not know it; -ENOTSUP: there is no library, or it does not know the processor. */
static int ask_pfm(const struct wtl_world *world, const char *name, struct wtl_perf_code *ret_code)
{
    int (*initialize)(void) = NULL;
    int (*encode)(const char *, int, int, void *) = NULL;
    void *library = world->ops->dlopen(world, WTL_PFM_LIBRARY);
    if (!library)
        return -ENOTSUP;
    void *symbol = world->ops->dlsym(world, library, "pfm_initialize");
    memcpy(&initialize, &symbol, sizeof symbol);
    symbol = world->ops->dlsym(world, library, "pfm_get_os_event_encoding");
    memcpy(&encode, &symbol, sizeof symbol);
    struct perf_event_attr attr = {.size = sizeof attr};
    struct pfm_argument argument = {.attr = &attr, .size = sizeof argument, .cpu = -1};
    int rc = initialize && encode && initialize() == PFM_SUCCESS ? 0 : -ENOTSUP;
    if (rc == 0 && encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &argument) != PFM_SUCCESS)
        rc = -ENOENT;
    if (rc == 0)
        *ret_code = (struct wtl_perf_code){.type = attr.type,
                                           .config = attr.config,
                                           .config1 = attr.config1,
                                           .config2 = attr.config2,
                                           .of_pfm = true};
    world->ops->dlclose(world, library);
    return rc;
}

/* "r" and hexadecimal digits, as perf(1) writes it. */
static bool is_raw(const char *name)
{
    return name[0] == 'r' && name[1] &&
           strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1);
}

int wtl_perf_code(const struct wtl_world *world,
                  const char *name,
                  struct wtl_perf_code *ret_code,
                  struct wattle_error *err)
{
    *ret_code = (struct wtl_perf_code){.type = PERF_TYPE_RAW};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0) {
            ret_code->type = names[i].type;
            ret_code->config = names[i].config;
            return 0;
        }
    }
    if (is_raw(name)) {
        char text[WTL_PERF_RAW_MAX + 3] = "0x";
        size_t n = strlen(name + 1);
        if (n > WTL_PERF_RAW_MAX)
            return wtl_fail(err, -EINVAL, "the raw code %.40s has more than %d digits", name,
                            WTL_PERF_RAW_MAX);
        memcpy(text + 2, name + 1, n + 1);
        return wtl_parse_hex_u64(text, &ret_code->config) < 0
                   ? wtl_fail(err, -EINVAL, "%.40s is not a raw code", name)
                   : 0;
    }
    int rc = ask_pfm(world, name, ret_code);
    if (rc == -ENOTSUP)
        return wtl_fail(err, -ENOENT,
                        "not an event of the kernel; for the names of the processor's own events "
                        "install libpfm4");
    return rc < 0 ? wtl_fail(err, rc, "neither the kernel nor libpfm4 knows this event here") : 0;
}

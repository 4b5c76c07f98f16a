/* SPDX-License-Identifier: BSD-3-Clause */
/* Which levels run, given CPUID and XCR0; and on this machine, compared with the compiler's own
 * check. */
#include "load/isa.h"

#include "tap.h"

#if defined(__x86_64__)
enum { FMA3 = 1 << 12, OSXSAVE = 1 << 27, AVX = 1 << 28, AVX2 = 1 << 5, AVX512F = 1 << 16 };

static const struct {
    const char *name;
    struct wtl_isa_machine machine;
    const char *best;
    const char *refused, *why; /* a level, and part of the reason */
} rows[] = {
    {"nothing but the base", {0, 0, 0}, "sse2", "avx", "processor"},
    {"Sandy Bridge", {OSXSAVE | AVX, 0, 7}, "avx", "avx2", "processor"},
    {"Haswell", {OSXSAVE | AVX | FMA3, AVX2, 7}, "avx2", "avx512f", "processor"},
    {"Skylake-SP", {OSXSAVE | AVX | FMA3, AVX2 | AVX512F, 0xe7}, "avx512f", NULL, NULL},
    {"AVX2 without FMA3", {OSXSAVE | AVX, AVX2, 7}, "avx", "avx2", "processor"},
    {"a system that keeps no ZMM",
     {OSXSAVE | AVX | FMA3, AVX2 | AVX512F, 7},
     "avx2",
     "avx512f",
     "operating system"},
    {"a system that keeps ZMM in part",
     {OSXSAVE | AVX | FMA3, AVX2 | AVX512F, 0x67},
     "avx2",
     "avx512f",
     "operating system"},
    {"a system that keeps no YMM",
     {OSXSAVE | AVX | FMA3, AVX2, 3},
     "sse2",
     "avx2",
     "operating system"},
    {"a system without XSAVE", {AVX | FMA3, AVX2, 0}, "sse2", "avx", "operating system"},
};

static void check_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        is_str(wtl_isa_best(&rows[i].machine)->name, rows[i].best, "%s: best", rows[i].name);
        if (!rows[i].refused)
            continue;
        const char *why = wtl_isa_refusal(wtl_isa_find(rows[i].refused), &rows[i].machine);
        ok(why && strstr(why, rows[i].why), "%s: no %s for want of the %s", rows[i].name,
           rows[i].refused, rows[i].why);
    }
}

/* libgcc and compiler-rt check XCR0, too. */
static void check_this_machine(void)
{
    struct wtl_isa_machine machine = wtl_isa_machine();
    __builtin_cpu_init();
    is_int(!wtl_isa_refusal(wtl_isa_find("avx512f"), &machine),
           __builtin_cpu_supports("avx512f") != 0, "avx512f as the compiler's library has it");
    is_int(!wtl_isa_refusal(wtl_isa_find("avx2"), &machine),
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), "avx2");
    is_int(!wtl_isa_refusal(wtl_isa_find("avx"), &machine), __builtin_cpu_supports("avx") != 0,
           "avx");
}
#else
static void check_rows(void)
{
    skip("the levels of x86-64 are not built here");
}
static void check_this_machine(void)
{
    struct wtl_isa_machine machine = wtl_isa_machine();
    ok(!wtl_isa_refusal(wtl_isa_best(&machine), &machine), "the best runs");
}
#endif

int main(void)
{
    size_t count = 0;
    struct wtl_isa_machine none = {0, 0, 0};
    check_rows();
    check_this_machine();
    for (; wtl_isa_at(count); count++) {
        const struct wtl_isa *isa = wtl_isa_at(count);
        ok(wtl_isa_find(isa->name) == isa && isa->run, "%s is found by its name", isa->name);
        is_int(WTL_FMA_UNIT % isa->groups, 0, "%s: a unit is whole groups", isa->name);
        ok(isa->groups <= WTL_FMA_GROUPS, "%s: the state has room", isa->name);
    }
    ok(!wtl_isa_find("avx1024"), "an unknown name is not found");
    ok(!wtl_isa_refusal(wtl_isa_at(count - 1), &none), "the last one needs nothing");
    return done_testing();
}

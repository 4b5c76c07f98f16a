/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A level of x86 is usable if CPUID reports its instructions, and XCR0 says that the operating
 * system saves its registers on a context switch; XCR0 can be read only if CPUID reports OSXSAVE.
 * Bits: Intel SDM vol. 1, 13.2, 13.3 and 14.3; vol. 2, CPUID.
 */
#include "load/isa.h"

#include <string.h>
#if defined(__x86_64__)
#    include <cpuid.h>
#endif

#define BIT(n) (1u << (n))

enum { FMA3 = 12, OSXSAVE = 27, AVX = 28 };   /* leaf 1, ecx */
enum { AVX2 = 5, AVX512F = 16 };              /* leaf 7, ebx */
enum { XMM_YMM = 0x6, XMM_YMM_ZMM_K = 0xe6 }; /* xcr0 */

static const struct wtl_isa levels[] = {
#if defined(__x86_64__)
    {"avx512f", "AVX-512F: vectors of 8 doubles, fused multiply-add", 8, 12, true,
     BIT(OSXSAVE) | BIT(AVX), BIT(AVX512F), XMM_YMM_ZMM_K, wtl_fma_avx512f},
    {"avx2", "AVX2 and FMA3: vectors of 4 doubles, fused multiply-add", 4, 6, true,
     BIT(OSXSAVE) | BIT(AVX) | BIT(FMA3), BIT(AVX2), XMM_YMM, wtl_fma_avx2},
    {"avx", "AVX: vectors of 4 doubles, multiply and add apart", 4, 6, false,
     BIT(OSXSAVE) | BIT(AVX), 0, XMM_YMM, wtl_fma_avx},
    {"sse2", "SSE2: vectors of 2 doubles, multiply and add apart", 2, 3, false, 0, 0, 0,
     wtl_fma_sse2},
#elif defined(__aarch64__)
    {"neon", "Advanced SIMD: vectors of 2 doubles, fused multiply-add", 2, 4, true, 0, 0, 0,
     wtl_fma_neon},
#endif
    {"generic", "plain C, for any processor of this kind", 2, 3, false, 0, 0, 0, wtl_fma_generic},
};

const struct wtl_isa *wtl_isa_at(size_t i)
{
    return i < sizeof levels / sizeof *levels ? &levels[i] : NULL;
}

const struct wtl_isa *wtl_isa_find(const char *name)
{
    size_t i = 0;
    while (wtl_isa_at(i) && strcmp(levels[i].name, name) != 0)
        i++;
    return wtl_isa_at(i);
}

struct wtl_isa_machine wtl_isa_machine(void)
{
    struct wtl_isa_machine machine = {0};
#if defined(__x86_64__)
    unsigned a, b, c, d, low, high;
    if (__get_cpuid(1, &a, &b, &c, &d))
        machine.leaf1_ecx = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        machine.leaf7_ebx = b;
    if (machine.leaf1_ecx & BIT(OSXSAVE)) {
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        machine.xcr0 = (uint64_t)high << 32 | low;
    }
#endif
    return machine;
}

const char *wtl_isa_refusal(const struct wtl_isa *isa, const struct wtl_isa_machine *machine)
{
    uint32_t instructions = isa->leaf1_ecx & ~BIT(OSXSAVE);
    if (instructions & ~machine->leaf1_ecx || isa->leaf7_ebx & ~machine->leaf7_ebx)
        return "this processor does not have it";
    if (isa->leaf1_ecx & ~machine->leaf1_ecx || isa->xcr0 & ~machine->xcr0)
        return "the operating system does not keep its registers";
    return NULL;
}

const struct wtl_isa *wtl_isa_best(const struct wtl_isa_machine *machine)
{
    size_t i = 0;
    while (wtl_isa_at(i + 1) && wtl_isa_refusal(&levels[i], machine))
        i++;
    return wtl_isa_at(i);
}

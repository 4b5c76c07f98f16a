/* SPDX-License-Identifier: BSD-3-Clause */
/* Instruction set levels of the kernel of maximum power, and which of them are usable here. */
#ifndef WTL_LOAD_ISA_H
#define WTL_LOAD_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/fma_kernel.h"

/* What decides on x86: CPUID registers, and XCR0, which says which registers the operating system
 * saves. All 0 on other machines. */
struct wtl_isa_machine {
    uint32_t leaf1_ecx, leaf7_ebx;
    uint64_t xcr0; /* valid if leaf1_ecx has OSXSAVE */
};

struct wtl_isa {
    const char *name;              /* "avx512f" */
    const char *what;              /* "AVX-512F, 8 doubles, fused" */
    unsigned lanes;                /* doubles in a vector */
    unsigned groups;               /* lines of state */
    bool fused;                    /* multiply-add with a single rounding */
    uint32_t leaf1_ecx, leaf7_ebx; /* required processor bits */
    uint64_t xcr0;                 /* ... and required bits set by the operating system */
    wtl_fma_function *run;
};

/* The levels this program was built with, widest first; NULL after the last. */
const struct wtl_isa *wtl_isa_at(size_t i);
const struct wtl_isa *wtl_isa_find(const char *name); /* NULL = unknown */

/* This machine. */
struct wtl_isa_machine wtl_isa_machine(void);

/* NULL if the level runs on the machine, else why not: a static string. */
const char *wtl_isa_refusal(const struct wtl_isa *isa, const struct wtl_isa_machine *machine);

/* The widest level that runs on the machine; there is always one. */
const struct wtl_isa *wtl_isa_best(const struct wtl_isa_machine *machine);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Instruction set levels of the kernel of greatest power, and which of them run here. */
#ifndef WTL_LOAD_ISA_H
#define WTL_LOAD_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/fma_kernel.h"

/* What decides on x86: registers of CPUID, and XCR0, in which the operating system says which registers
 * it saves. All 0 where there are none. */
struct wtl_isa_machine {
    uint32_t leaf1_ecx, leaf7_ebx;
    uint64_t xcr0; /* valid when leaf1_ecx has OSXSAVE */
};

struct wtl_isa {
    const char *name;              /* "avx512f" */
    const char *what;              /* "AVX-512F, 8 doubles, fused" */
    unsigned lanes;                /* doubles in a vector */
    unsigned groups;               /* lines of state */
    bool fused;                    /* one rounding for multiply and add */
    uint32_t leaf1_ecx, leaf7_ebx; /* bits the processor must have */
    uint64_t xcr0;                 /* ... and the operating system must have set */
    wtl_fma_function *run;
};

/* The levels this program was built with, the widest first; NULL behind the last. */
const struct wtl_isa *wtl_isa_at(size_t i);
const struct wtl_isa *wtl_isa_find(const char *name); /* NULL = unknown */

/* This machine. */
struct wtl_isa_machine wtl_isa_machine(void);

/* NULL when the level runs on the machine, else why not: a phrase of static storage. */
const char *wtl_isa_refusal(const struct wtl_isa *isa, const struct wtl_isa_machine *machine);

/* The widest level that runs on the machine; there is always one. */
const struct wtl_isa *wtl_isa_best(const struct wtl_isa_machine *machine);

#endif

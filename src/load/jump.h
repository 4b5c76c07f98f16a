/* SPDX-License-Identifier: BSD-3-Clause */
/* The load of minimum power: one instruction, a jump to itself. */
#ifndef WTL_LOAD_JUMP_H
#define WTL_LOAD_JUMP_H

/*
 * Does not return, but is not declared noreturn: the compiler must keep the code after it, such as
 * the second parallel region of omp_serial, and must not treat the thread as ended. Inlined in
 * every build, so that a test can find it.
 */
static inline __attribute__((always_inline)) void wtl_jump(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("1: jmp 1b");
#elif defined(__aarch64__) || defined(__arm__) || defined(__powerpc__)
    __asm__ volatile("1: b 1b");
#elif defined(__riscv)
    __asm__ volatile("1: j 1b");
#else
    for (volatile int always = 1; always;)
        __asm__ volatile("");
#endif
}

#endif

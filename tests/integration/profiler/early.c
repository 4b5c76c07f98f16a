/* SPDX-License-Identifier: BSD-3-Clause */
/* A library for LD_PRELOAD that measures from its constructor on: nothing calls finalize. */
#include <wattle/profiler.h>

__attribute__((constructor)) static void early(void)
{
    (void)wattle_init(NULL); /* has told what is wrong */
}

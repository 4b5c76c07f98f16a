/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX2 and FMA3: vectors of 4. */
#define FMA_NAME   wtl_fma_avx2
#define FMA_LANES  4
#define FMA_CHAINS 12
#include "load/fma_body.h"

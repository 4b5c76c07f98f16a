/* SPDX-License-Identifier: BSD-3-Clause */
/* Advanced SIMD: vectors of 2. */
#define FMA_NAME   wtl_fma_neon
#define FMA_LANES  2
#define FMA_CHAINS 16
#include "load/fma_body.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX-512F: vectors of 8. */
#define FMA_NAME   wtl_fma_avx512f
#define FMA_LANES  8
#define FMA_CHAINS 12
#include "load/fma_body.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX: vectors of 4, separate multiply and add. */
#define FMA_NAME   wtl_fma_avx
#define FMA_LANES  4
#define FMA_CHAINS 12
#include "load/fma_body.h"

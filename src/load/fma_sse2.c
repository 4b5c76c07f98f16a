/* SPDX-License-Identifier: BSD-3-Clause */
/* SSE2: vectors of 2, separate multiply and add. */
#define FMA_NAME   wtl_fma_sse2
#define FMA_LANES  2
#define FMA_CHAINS 12
#include "load/fma_body.h"

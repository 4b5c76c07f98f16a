/* SPDX-License-Identifier: BSD-3-Clause */
/* what any machine can. */
#define FMA_NAME   wtl_fma_generic
#define FMA_LANES  2
#define FMA_CHAINS 12
#include "load/fma_body.h"

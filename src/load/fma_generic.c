/* SPDX-License-Identifier: BSD-3-Clause */
/* runs on any machine. */
#define FMA_NAME   wtl_fma_generic
#define FMA_LANES  2
#define FMA_CHAINS 12
#include "load/fma_body.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* The conversation of wattle-gpu: requests in, answers out (docs/format/gpu-helper.md). */
#ifndef WTL_GPU_SERVE_H
#define WTL_GPU_SERVE_H

#include <signal.h>

#include "gpu/backend.h"

/*
 * Answer requests from the descriptor `in` on `out` until its end: 0, or -errno. library as for open. *release, set by the handler of a
 * signal that the caller has blocked, closes the library, as the request "release" does: for release_s seconds, so that a reset or a
 * change of MIG can begin, reads fail with EBUSY.
 */
int wtl_gpu_serve(const struct wtl_gpu_backend *backend,
                  const char *library,
                  int in,
                  int out,
                  unsigned release_s,
                  volatile sig_atomic_t *release);

#endif

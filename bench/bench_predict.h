/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WTL_BENCH_PREDICT_H
#define WTL_BENCH_PREDICT_H

#include <stddef.h>

void bench_predict_x1(size_t worlds);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WTL_BENCH_PREDICT_H
#define WTL_BENCH_PREDICT_H

#include <stddef.h>

void bench_predict_x1(size_t worlds);
void bench_predict_unknown(size_t count);
void bench_predict_intervals(size_t count);
void bench_predict_two_nodes(void);
void bench_predict_speed(void);
void bench_predict_recording(const char *folder);

#endif

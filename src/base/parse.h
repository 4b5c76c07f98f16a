/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strict conversion of text to numbers: the whole text must be the number, nothing is guessed. All functions
 * return 0, -EINVAL when the text does not match the grammar, -EOVERFLOW when the value does not fit, and set
 * *ret only on success. Independent of the locale. Safe from any thread.
 */
#ifndef WTL_BASE_PARSE_H
#define WTL_BASE_PARSE_H

#include <stddef.h>
#include <stdint.h>

/* Decimal digits only: "42". */
int wtl_parse_u64(const char *text, uint64_t *ret);
/* "0x1f" or decimal. */
int wtl_parse_hex_u64(const char *text, uint64_t *ret);
/* A finite decimal floating point number: "1.5", "-3e-2". No nan, inf, hex. */
int wtl_parse_double(const char *text, double *ret);
/* Two such numbers with one of the bytes of `between` in between, and blanks around both: "1.5, 300". Cuts the text. */
int wtl_parse_pair(char *text, const char *between, double *ret_first, double *ret_second);
/* A duration: NUMBER[ns|us|ms|s|m|h|d], no unit = seconds; "10ms", "1.5s", "2". Not negative. */
int wtl_parse_duration(const char *text, uint64_t *ret_ns);
/* A sampling interval: a duration with a unit, since a bare number may mean milliseconds or seconds: -EDOM. 0 needs none. */
int wtl_parse_interval(const char *text, uint64_t *ret_ns);
/* A list as written by the kernel, "0-3,8,10-11", into bits of set (nbits): the number of bits set. After
 * a failure some bits may be set. */
int wtl_parse_cpulist(const char *text, uint8_t *set, size_t nbits);

/* The same from a buffer that is not NUL-terminated: digits up to the first other byte; number of bytes
 * used, or -EINVAL, -EOVERFLOW. For the hot path. */
int wtl_scan_u64(const char *text, size_t n, uint64_t *ret);

#endif

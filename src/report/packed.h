/* SPDX-License-Identifier: BSD-3-Clause */
/* Many numbers as one text of JSON: base64 of 32-bit little-endian IEEE floats; NaN stays NaN. */
#ifndef WTL_REPORT_PACKED_H
#define WTL_REPORT_PACKED_H

#include <stddef.h>

#include <jansson.h>

/* A new reference; NULL if out of memory. */
json_t *wtl_json_packed(const float *values, size_t count);

/* Bytes as base64, freed by the caller; NULL if out of memory. */
char *wtl_base64(const void *bytes, size_t count);

#endif

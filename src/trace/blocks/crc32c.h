/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C, the checksum of blocks. */
#ifndef WTL_TRACE_CRC32C_H
#define WTL_TRACE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t wtl_crc32c(const void *data, size_t n);

/* The same without the CPU instruction, for machines that lack it and for the test. */
uint32_t wtl_crc32c_portable(const void *data, size_t n);

#endif

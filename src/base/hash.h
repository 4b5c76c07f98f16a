/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash of bytes: 64-bit FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo). The same on every machine and in every
 * version, since such hashes are stored in traces and file names. Not safe against an adversary.
 */
#ifndef WTL_BASE_HASH_H
#define WTL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WTL_HASH_START UINT64_C(0xcbf29ce484222325)

/* Continue from `hash` (WTL_HASH_START at first) with n bytes. */
static inline uint64_t wtl_hash_bytes(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Hash a string without its NUL. */
static inline uint64_t wtl_hash_text(const char *text)
{
    return wtl_hash_bytes(WTL_HASH_START, text, strlen(text));
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NVTX agrees on with a tool: numbers and layouts of NVTX 2 and 3, as published. A program that is annotated with NVTX opens the library
 * named by NVTX_INJECTION64_PATH at its first annotation, and calls InitializeInjectionNvtx2(get_table).
 */
#ifndef NVTX_ABI_H
#define NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum { NVTX_TABLE_CALLBACKS = 1 };
enum { NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5 };

/* Places in the table of the core, and of the calls with a domain. */
enum {
    NVTX_MARK_EX = 1,
    NVTX_MARK_A = 2,
    NVTX_MARK_W = 3,
    NVTX_START_EX = 4,
    NVTX_START_A = 5,
    NVTX_START_W = 6,
    NVTX_END = 7,
    NVTX_PUSH_EX = 8,
    NVTX_PUSH_A = 9,
    NVTX_PUSH_W = 10,
    NVTX_POP = 11
};
enum {
    NVTX_DOMAIN_MARK_EX = 1,
    NVTX_DOMAIN_START_EX = 2,
    NVTX_DOMAIN_END = 3,
    NVTX_DOMAIN_PUSH_EX = 4,
    NVTX_DOMAIN_POP = 5,
    NVTX_DOMAIN_STRING_A = 10,
    NVTX_DOMAIN_STRING_W = 11,
    NVTX_DOMAIN_CREATE_A = 12,
    NVTX_DOMAIN_CREATE_W = 13
};

enum { NVTX_MESSAGE_ASCII = 1, NVTX_MESSAGE_UNICODE = 2, NVTX_MESSAGE_REGISTERED = 3 };

struct nvtx_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *unicode;
        const void *registered;
    } message;
};

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
    size_t size;
    /* Gives an array of addresses of functions, to be replaced, and their number. */
    int (*table)(int module, nvtx_function ***ret_table, unsigned *ret_count);
};

typedef const void *nvtx_get_table(uint32_t table);

#endif

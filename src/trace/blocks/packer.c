/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zstd for payloads. The compressor's windows and tables are limited to the size of our blocks, to keep a
 * recorder's memory small: a default context of level 1 would take half a megabyte.
 */
#include <errno.h>
#include <stdlib.h>

#include <zstd.h>

#include "trace/blocks/block.h"

enum { PACK_FROM = 128 }; /* smaller payloads do not gain enough for a frame */

struct wtl_packer {
    ZSTD_CCtx *context;
};

static int set_parameters(ZSTD_CCtx *context, int level)
{
    const struct {
        ZSTD_cParameter parameter;
        int value;
    } settings[] = {
        {ZSTD_c_compressionLevel, level > 0 ? level : 1},
        {ZSTD_c_windowLog, 14},
        {ZSTD_c_hashLog, 10},
        {ZSTD_c_chainLog, 10},
        {ZSTD_c_strategy, level > 2 ? ZSTD_greedy : ZSTD_fast},
        {ZSTD_c_checksumFlag, 0},
        {ZSTD_c_contentSizeFlag, 1},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (ZSTD_isError(ZSTD_CCtx_setParameter(context, settings[i].parameter, settings[i].value)))
            return -EINVAL;
    return 0;
}

int wtl_packer_create(int level, struct wtl_packer **ret_packer)
{
    struct wtl_packer *packer = malloc(sizeof *packer);
    if (!packer)
        return -ENOMEM;
    packer->context = ZSTD_createCCtx();
    if (!packer->context || set_parameters(packer->context, level) < 0) {
        int code = packer->context ? -EINVAL : -ENOMEM;
        wtl_packer_destroy(packer);
        return code;
    }
    *ret_packer = packer;
    return 0;
}

void wtl_packer_destroy(struct wtl_packer *packer)
{
    if (!packer)
        return;
    ZSTD_freeCCtx(packer->context);
    free(packer);
}

size_t wtl_packer_frame(struct wtl_packer *packer,
                        const uint8_t *data,
                        size_t n,
                        struct wtl_bytes *out)
{
    if (n < 2)
        return 0;
    uint8_t *room = wtl_bytes_reserve(out, n - 1);
    if (!room)
        return 0;
    size_t length = ZSTD_compress2(packer->context, room, n - 1, data, n);
    if (ZSTD_isError(length)) /* usually: it would not be smaller */
        return 0;
    out->length += length;
    return length;
}

uint8_t wtl_packer_payload(struct wtl_packer *packer,
                           const uint8_t *data,
                           size_t n,
                           struct wtl_bytes *out)
{
    size_t start = out->length;
    if (n >= PACK_FROM) {
        wtl_bytes_put_u32(out, (uint32_t)n);
        size_t length = wtl_packer_frame(packer, data, n, out);
        if (length > 0 && length + 4 < n)
            return WTL_BLOCK_ZSTD;
        out->length = start;
    }
    wtl_bytes_put(out, data, n);
    return 0;
}

struct wtl_unpacker {
    ZSTD_DCtx *context; /* about 100 kB; NULL until the first frame: totals need none */
    struct wtl_bytes memory;
};

int wtl_unpacker_create(struct wtl_unpacker **ret_unpacker)
{
    *ret_unpacker = calloc(1, sizeof **ret_unpacker);
    return *ret_unpacker ? 0 : -ENOMEM;
}

void wtl_unpacker_destroy(struct wtl_unpacker *unpacker)
{
    if (!unpacker)
        return;
    ZSTD_freeDCtx(unpacker->context);
    wtl_bytes_fini(&unpacker->memory);
    free(unpacker);
}

int wtl_unpacker_frame(struct wtl_unpacker *unpacker,
                       const uint8_t *frame,
                       size_t length,
                       uint8_t *ret_data,
                       size_t n)
{
    if (!unpacker->context)
        unpacker->context = ZSTD_createDCtx();
    if (!unpacker->context)
        return -ENOMEM;
    size_t got = ZSTD_decompressDCtx(unpacker->context, ret_data, n, frame, length);
    return ZSTD_isError(got) || got != n ? -EBADMSG : 0;
}

int wtl_unpacker_payload(struct wtl_unpacker *unpacker,
                         const struct wtl_block_head *head,
                         const uint8_t *payload,
                         struct wtl_cursor *ret_cursor)
{
    struct wtl_cursor cursor = wtl_cursor_init(payload, head->length);
    if (!(head->flags & WTL_BLOCK_ZSTD)) {
        *ret_cursor = cursor;
        return 0;
    }
    size_t n = wtl_cursor_u32(&cursor);
    if (cursor.failed || n > WTL_PAYLOAD_MAX)
        return -EBADMSG;
    wtl_bytes_reset(&unpacker->memory);
    uint8_t *room = wtl_bytes_reserve(&unpacker->memory, n + 1);
    if (!room)
        return -ENOMEM;
    int code = wtl_unpacker_frame(unpacker, cursor.at, wtl_cursor_left(&cursor), room, n);
    if (code == 0)
        *ret_cursor = wtl_cursor_init(room, n);
    return code;
}

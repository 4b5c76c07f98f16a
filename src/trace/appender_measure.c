/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the end and the contents of a truncated file, for an appender after its last whole block. */
#include <errno.h>

#include "trace/appender.h"
#include "trace/blocks/walk.h"

static void count_item(struct wtl_appender *appender,
                       const struct wtl_walk_item *item,
                       enum wtl_walk_result found,
                       bool good)
{
    if (found == WTL_WALK_BLOCK) {
        wtl_index_add(appender->index, item->offset, &item->head);
        appender->sequence = item->head.sequence + 1;
    }
    if (good) {
        appender->blocks++;
        appender->types |= item->head.type < 64 ? (uint64_t)1 << item->head.type : 0;
        appender->needed += item->head.flags & WTL_BLOCK_NEEDED ? 1 : 0;
    } else {
        appender->damaged++;
        appender->damaged_bytes += item->bytes;
    }
    appender->offset = item->offset + item->bytes;
}

/* Finds the index, the counts and the end of the last block by walking over the existing data. An index
 * block with nothing after it was left by an interrupted finish, and is written again. */
int wtl_appender_measure(struct wtl_appender *appender, uint64_t *ret_cut_bytes)
{
    struct wtl_walk walk;
    struct wtl_walk_item item, held;
    bool is_held = false;
    int found, code = 0;
    wtl_walk_init(&walk, appender->fd, 0, UINT64_MAX);
    walk.final = true;
    while ((found = wtl_walk_next(&walk, &item)) > 0) {
        const uint8_t *payload;
        code = found == WTL_WALK_BLOCK ? wtl_walk_payload(&walk, &item, &payload) : -EBADMSG;
        if (code < 0 && code != -EBADMSG)
            break;
        if (is_held)
            count_item(appender, &held, WTL_WALK_BLOCK, true);
        is_held = code == 0 && item.head.type == WTL_BLOCK_INDEX;
        if (is_held)
            held = item;
        else
            count_item(appender, &item, (enum wtl_walk_result)found, code == 0);
        code = 0;
    }
    *ret_cut_bytes = walk.left + (is_held ? held.bytes : 0);
    wtl_walk_fini(&walk);
    return found < 0 ? found : code;
}

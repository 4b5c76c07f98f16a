/* SPDX-License-Identifier: BSD-3-Clause */
/* Records added to tables: what is replaced, what is limited. A few hundred bytes of a file may
 * unpack to megabytes of records, so neither their number nor their texts may grow without
 * limit. */
#include <errno.h>

#include "tap.h"
#include "trace/tables.h"

static int load(struct wtl_tables *tables, unsigned type, const struct wtl_bytes *bytes)
{
    return wtl_tables_load(tables, type, wtl_cursor_init(bytes->data, bytes->length));
}

static void check_metadata(void)
{
    struct wtl_tables tables = {0};
    struct wtl_bytes bytes = {0};

    wtl_record_put(&bytes, WTL_BLOCK_METADATA, 0,
                   &(struct wtl_meta){.key = "host.name", .value = "n1"});
    wtl_record_put(&bytes, WTL_BLOCK_METADATA, 0,
                   &(struct wtl_meta){.key = "run.command", .value = "true"});
    wtl_record_put(&bytes, WTL_BLOCK_METADATA, 0, &(struct wtl_meta){.key = "", .value = "no key"});
    is_int(load(&tables, WTL_BLOCK_METADATA, &bytes), 0, "metadata");
    is_int(load(&tables, WTL_BLOCK_METADATA, &bytes), 0, "and again");
    is_int(tables.rooms.count, 1, "what is repeated takes no room");
    wtl_bytes_reset(&bytes);
    wtl_record_put(&bytes, WTL_BLOCK_METADATA, 0,
                   &(struct wtl_meta){.key = "host.name", .value = "n2"});
    is_int(load(&tables, WTL_BLOCK_METADATA, &bytes), 0, "another value");
    is_int(tables.meta.count, 3, "keys");
    is_str(wtl_tables_find_meta(&tables, "host.name")->value, "n2", "is replaced");
    is_str(wtl_tables_find_meta(&tables, "run.command")->value, "true", "others stay");
    is_str(wtl_tables_find_meta(&tables, "")->value, "no key", "an empty key");
    ok(!wtl_tables_find_meta(&tables, "host"), "a part of a key is none");

    char key[16];
    for (int i = 3; i < WTL_TRACE_META_MAX; i++) {
        (void)snprintf(key, sizeof(key), "k%d", i);
        wtl_record_put(&bytes, WTL_BLOCK_METADATA, 0, &(struct wtl_meta){.key = key, .value = ""});
    }
    is_int(load(&tables, WTL_BLOCK_METADATA, &bytes), 0, "as many keys as there may be");
    wtl_bytes_reset(&bytes);
    wtl_record_put(&bytes, WTL_BLOCK_METADATA, 0,
                   &(struct wtl_meta){.key = "one more", .value = ""});
    is_int(load(&tables, WTL_BLOCK_METADATA, &bytes), -EBADMSG, "one more is refused");
    is_int(tables.meta.count, WTL_TRACE_META_MAX, "none is added");
    wtl_tables_fini(&tables);
    wtl_bytes_fini(&bytes);
}

static void check_groups(void)
{
    static const uint32_t channels[] = {3, 1, 2};
    struct wtl_tables tables = {0};
    struct wtl_bytes bytes = {0};
    struct wtl_trace_group group = {.channels = channels, .flags = 0};

    for (uint32_t i = 0; i < 3; i++) {
        group.count = i + 1;
        wtl_record_put(&bytes, WTL_BLOCK_GROUPS, i, &group);
    }
    is_int(load(&tables, WTL_BLOCK_GROUPS, &bytes), 0, "groups");
    is_int(load(&tables, WTL_BLOCK_GROUPS, &bytes), 0, "repeated");
    is_int(tables.rooms.count, 1, "take no more room");
    for (uint32_t i = 0; i < 3; i++) {
        const struct wtl_trace_group *found = wtl_tables_group(&tables, i);

        ok(found && found->count == i + 1 && memcmp(found->channels, channels, 4 * (i + 1)) == 0,
           "group %u has its channels", i);
    }
    wtl_tables_fini(&tables);
    wtl_bytes_fini(&bytes);
}

/* One valid record and 16 MiB of nothing: what a small compressed block can claim. */
static void check_room(void)
{
    struct wtl_tables tables = {0};
    struct wtl_bytes bytes = {0};
    uint8_t *payload = calloc(1, WTL_PAYLOAD_MAX);
    const char *x = "x";

    for (uint32_t i = 1; payload && i <= 20; i++) {
        wtl_bytes_reset(&bytes);
        wtl_record_put(&bytes, WTL_BLOCK_STRINGS, i, &x);
        memcpy(payload, bytes.data, bytes.length);
        is_int(
            wtl_tables_load(&tables, WTL_BLOCK_STRINGS, wtl_cursor_init(payload, WTL_PAYLOAD_MAX)),
            -EBADMSG, "a payload that is no row of records");
    }
    is_int(tables.strings.count, 16, "beyond 256 MiB nothing is taken in");
    wtl_tables_fini(&tables);
    wtl_bytes_fini(&bytes);
    free(payload);
}

int main(void)
{
    check_metadata();
    check_groups();
    check_room();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Records come by time, rank, and as they were given, whether they fit into memory or not. */
#include <errno.h>

#include "exchange/tracks/track_sort.h"

#include "tap.h"

/* Of a known generator, so that the order is the same on each machine. */
static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void test_order(size_t records, size_t memory)
{
    struct wtl_track_sort *sort = NULL;
    struct wtl_track_record record, last = {.time_ns = 0};
    struct wattle_error err = {""};
    uint32_t state = 7;
    size_t count = 0, wrong = 0;
    uint64_t sum = 0, seen = 0;
    int rc = wtl_track_sort_create("/tmp", memory, &sort, &err);
    for (size_t i = 0; i < records && rc == 0; i++) {
        record = (struct wtl_track_record){
            .time_ns = next(&state) % 97, .rank = (uint16_t)(next(&state) % 3), .value = i};
        sum += record.value;
        rc = wtl_track_sort_add(sort, &record, &err);
    }
    is_int(rc, 0, "%zu records, %zu in memory", records, memory);
    is_int((long long)wtl_track_sort_count(sort), (long long)records, "all are counted");
    while ((rc = wtl_track_sort_next(sort, &record, &err)) > 0) {
        bool later = record.time_ns > last.time_ns ||
                     (record.time_ns == last.time_ns &&
                      (record.rank > last.rank ||
                       (record.rank == last.rank && (count == 0 || record.order > last.order))));
        wrong += !later;
        last = record;
        seen += record.value;
        count++;
    }
    is_int(rc, 0, "the end");
    is_int((long long)count, (long long)records, "all come");
    is_int((long long)wrong, 0, "in order");
    ok(seen == sum, "each once");
    is_int(wtl_track_sort_next(sort, &record, &err), 0, "still the end");
    wtl_track_sort_destroy(sort);
}

static void test_folder(void)
{
    struct wtl_track_sort *sort = NULL;
    struct wattle_error err = {""};
    const struct wtl_track_record record = {.time_ns = 1};
    is_int(wtl_track_sort_create("/nowhere", 1, &sort, &err), 0, "nothing is opened at first");
    is_int(wtl_track_sort_add(sort, &record, &err), 0, "in memory");
    is_int(wtl_track_sort_add(sort, &record, &err), -ENOENT, "no such folder");
    ok(err.text[0], "%s", err.text);
    wtl_track_sort_destroy(sort);
    wtl_track_sort_destroy(NULL);
}

int main(void)
{
    test_order(0, 4);
    test_order(1, 4);
    test_order(1000, 0);
    test_order(1000, 7);
    test_order(1000, 250);
    test_order(20000, 1000);
    test_folder();
    return done_testing();
}

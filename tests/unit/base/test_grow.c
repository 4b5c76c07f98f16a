/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing lists: existing items are kept, new ones are in the right place, and no size
 * overflows. */
#include <stdint.h>

#include "base/grow.h"
#include "tap.h"

static void test_one_by_one(void)
{
    uint32_t *list = NULL, wrong = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        if (wtl_grow(&list, i, sizeof *list) < 0)
            break;
        list[i] = i;
    }
    for (uint32_t i = 0; list && i < 1000; i++)
        wrong += list[i] != i;
    ok(list && wrong == 0, "a thousand items, one by one");
    is_int(wtl_grow(&list, SIZE_MAX / 2 + 1, sizeof *list), -ENOMEM, "too many");
    is_int(list[999], 999, "and the list is as it was");
    free(list);
}

static void test_room(void)
{
    uint32_t *list = NULL;
    size_t room = 0;
    is_int(wtl_reserve(&list, &room, 3, sizeof *list), 0, "room for 3");
    ok(room >= 3, "and it is told");
    for (uint32_t i = 0; i < 3; i++)
        list[i] = i;
    const uint32_t *before = list;
    is_int(wtl_reserve(&list, &room, room, sizeof *list), 0, "as much as there is");
    ok(list == before, "moves nothing");
    size_t wanted = 5 * room;
    is_int(wtl_reserve(&list, &room, wanted, sizeof *list), 0, "a leap");
    ok(room >= wanted && list[2] == 2, "has room, and what was there");
    wanted = room;
    is_int(wtl_reserve(&list, &room, SIZE_MAX / 4 + 1, sizeof *list), -ENOMEM, "more than bytes");
    ok(room == wanted && list[2] == 2, "changes nothing");
    free(list);
}

static void test_zeroed(void)
{
    uint32_t *list = NULL, sum = 0;
    size_t room = 0;
    is_int(wtl_reserve_zeroed(&list, &room, 1, sizeof *list), 0, "room for one");
    list[0] = 7;
    is_int(wtl_reserve_zeroed(&list, &room, 100, sizeof *list), 0, "and for a hundred");
    for (size_t i = 0; i < room; i++)
        sum += list[i];
    is_int(sum, 7, "new items are 0, old ones stay");
    size_t before = room;
    is_int(wtl_reserve_zeroed(&list, &room, SIZE_MAX, sizeof *list), -ENOMEM, "more than bytes");
    ok(room == before && list[0] == 7, "changes nothing");
    free(list);
}

int main(void)
{
    test_one_by_one();
    test_room();
    test_zeroed();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Natural order: it is an order (antisymmetric, transitive), and the one that people expect. */
#include "base/natural.h"

#include "tap.h"

/* In order. */
static const char *const names[] = {
    "",
    "-",
    "a",
    "a1b",
    "a1b2",
    "a2",
    "a10",
    "cpu0",
    "cpu1",
    "cpu2",
    "cpu10",
    "cpu100",
    "cpux",
    "hwmon9",
    "hwmon10",
    "intel-rapl",
    "intel-rapl-mmio:0",
    "intel-rapl:0",
    "intel-rapl:0:0",
    "intel-rapl:0:10",
    "intel-rapl:1",
    "z99999999999999999999",
    "z100000000000000000000",
};
#define COUNT ((int)(sizeof names / sizeof *names))

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

int main(void)
{
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < COUNT; k++) {
            if (sign(wtl_natural_compare(names[i], names[k])) != sign(i - k))
                ok(false, "\"%s\" and \"%s\"", names[i], names[k]);
        }
    }
    is_int(wtl_natural_compare("cpu01", "cpu1"), 0, "leading zeros do not count");
    char *shuffled[COUNT];
    for (int i = 0; i < COUNT; i++)
        shuffled[(i * 7) % COUNT] = (char *)names[i];
    char **sorted = wtl_natural_sorted(shuffled, COUNT);
    int wrong = 0;
    for (int i = 0; sorted && i < COUNT; i++)
        wrong += strcmp(sorted[i], names[i]) != 0;
    ok(sorted && wrong == 0, "sorted");
    free(sorted);
    sorted = wtl_natural_sorted(NULL, 0);
    ok(sorted != NULL, "nothing sorts, too");
    free(sorted);
    return done_testing();
}

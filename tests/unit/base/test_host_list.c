/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of hosts: which are valid, and which hosts are in them. */
#include "base/config/host_list.h"

#include "tap.h"

int main(void)
{
    static const struct {
        int line;
        const char *list, *host;
        bool has;
    } rows[] = {
        {__LINE__, "node1", "node1", true},
        {__LINE__, "node1", "node10", false},
        {__LINE__, "node1", "node1.cluster.example", true},
        {__LINE__, "node1.cluster.example", "node1.cluster.example", true},
        {__LINE__, "node1.cluster.example", "node1", false},
        {__LINE__, "a,b,node1", "node1", true},
        {__LINE__, "node[01-16]", "node01", true},
        {__LINE__, "node[01-16]", "node16", true},
        {__LINE__, "node[01-16]", "node17", false},
        {__LINE__, "node[01-16]", "node1", false},
        {__LINE__, "node[01-16]", "node001", false},
        {__LINE__, "node[1-16]", "node01", false},
        {__LINE__, "node[1-16]", "node9", true},
        {__LINE__, "node[98-102]", "node102", true},
        {__LINE__, "node[1,3,5-7]-ib", "node6-ib", true},
        {__LINE__, "node[1,3,5-7]-ib", "node4-ib", false},
        {__LINE__, "n[1-2]0", "n10", true},
        {__LINE__, "n[1-2][0-9]", "n27", true},
        {__LINE__, "r[1-4]n[01-99],login*", "login-b", true},
        {__LINE__, "r[1-4]n[01-99],login*", "r4n42", true},
        {__LINE__, "r[1-4]n[01-99],login*", "r5n42", false},
        {__LINE__, "gpu?", "gpu1", true},
        {__LINE__, "gpu?", "gpu", false},
        {__LINE__, "*", "", true},
        {__LINE__, "*-x-*", "a-x-x-b", true},
        {__LINE__, "****a", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        ok(wtl_host_list_is_valid(rows[i].list), "%s is a list", rows[i].list);
        is_int(wtl_host_list_has(rows[i].list, rows[i].host), rows[i].has, "%s in %s", rows[i].host,
               rows[i].list);
    }
    tap_line = 0;
    static const char *const bad[] = {"",       ",",       "a,",     ",a",      "a,,b",
                                      "a b",    "node[",   "node[]", "node[1-", "n[1-]",
                                      "n[2-1]", "n[a]",    "n[1,]",  "n[1]]",   "n/m",
                                      "*****",  "n[1--2]", "é",      "n[1-2",   "n[1234567890]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ok(!wtl_host_list_is_valid(bad[i]), "\"%s\" is not a list", bad[i]);
        ok(!wtl_host_list_has(bad[i], "x"), "and has no host");
    }
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of /proc/PID/stat and status, valid and invalid. */
#include "account/process_stat.h"

#include <errno.h>

#include "tap.h"

#define TAIL " 0 -1 4194304 1 2 3 4 250 50 7 8 20 0 1 0 4711 1 2 3\n"

static void test_good(void)
{
    struct wtl_process_stat stat;
    is_int(wtl_process_stat_parse("17 (a ) S (b) R 1 17 17" TAIL, &stat), 0, "brackets in a name");
    is_int(stat.pid, 17, "pid");
    is_str(stat.name, "a ) S (b", "name");
    is_int(stat.state, 'R', "state");
    is_int(stat.cpu_ns, 3000000000, "user and system, not that of children");
    is_int(stat.start_ticks, 4711, "start");
    ok(!stat.kernel_thread, "no kernel thread");
    is_int(wtl_process_stat_parse(
               "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0 5 0 0", &stat),
           0, "a kernel thread");
    ok(stat.kernel_thread, "is one");
    is_int(wtl_process_stat_parse("9 ("
                                  "0123456789012345678901234567890123456789"
                                  "0123456789012345678901234567890123456789) S 1 1 1" TAIL,
                                  &stat),
           0, "a long name");
    is_int(strlen(stat.name), sizeof stat.name - 1, "is cut");
    is_int(wtl_process_stat_parse("5 () S 1 1 1" TAIL, &stat), 0, "no name");
    is_str(stat.name, "", "is empty");
}

static void test_bad(void)
{
    static const char *const texts[] = {
        "",
        "x",
        "17",
        "17 (a",
        "17 a) S 1",
        "(a) S 1 1 1" TAIL,
        "17 (a) S 1 1 1 0 -1 4194304 1 2 3 4 250 50 7 8 20 0 1 0",
        "17 (a) S 1 1 1 0 -1 4194304 1 2 3 4 2x0 50 7 8 20 0 1 0 4 1",
        "17 (a) S 1 1 1 0 -1 4194304 1 2 3 4 -1 50 7 8 20 0 1 0 4 1",
        "17 (a) SS 1 1 1" TAIL,
        "0 (a) S 1 1 1" TAIL,
        "99999999999 (a) S 1 1 1" TAIL,
        "17 (a) S 1 1 1 0 -1 4194304 1 2 3 4 99999999999999999999999 "
        "50 7 8 20 0 1 0 4 1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wtl_process_stat stat = {.pid = 42};
        is_int(wtl_process_stat_parse(texts[i], &stat), -EBADMSG, "refused: %zu", i);
        is_int(stat.pid, 42, "and nothing changed");
    }
}

static void test_user(void)
{
    is_int(wtl_process_status_uid("Name:\tx\nUmask:\t0022\nUid:\t1000\t33\t1000\t1000\nGid:\t1\n"),
           33, "the effective user");
    is_int(wtl_process_status_uid("Name:\tx\n"), WTL_UID_UNKNOWN, "none");
    is_int(wtl_process_status_uid("Name:\tx\nUid:\n"), WTL_UID_UNKNOWN, "no number");
    is_int(wtl_process_status_uid("Name:\tx\nUid:\t1\n"), WTL_UID_UNKNOWN, "one number only");
    is_int(wtl_process_status_uid("Name:\tx\nUid:\t1\t4294967296\n"), WTL_UID_UNKNOWN, "too large");
}

int main(void)
{
    test_good();
    test_bad();
    test_user();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A host whose processes come, go and swap pids, with known CPU time. */
#define _GNU_SOURCE
#include "account/process_table.h"

#include <errno.h>

#include "../sensors/made_host.h"
#include "base/world/world_recorded.h"
#include "tap.h"

/* USER and START in ticks of 10 ms; FLAGS as in the kernel. */
#define STAT(pid, name, flags, user, start) \
#    pid " (" name ") S 1 1 1 0 -1 " #    flags " 0 0 0 0 " #    user " 0 0 0 20 0 1 0 " #    start " 0 0"

/* The boot clock begins at 1005 s: 100500 ticks. */
static const char script[] = "1\t/proc/100/stat\t" STAT(
    100,
    "worker",
    0,
    150,
    200) "\n"
         "2\t/proc/100/stat\t" STAT(
             100,
             "worker",
             0,
             250,
             200) "\n"
                  "3\t/proc/100/stat\t" STAT(
                      100,
                      "other",
                      0,
                      10,
                      100750) "\n"
                              "3\t/proc/100/cmdline\tother\n"
                              "1\t/proc/200/stat\t" STAT(
                                  200,
                                  "shell",
                                  0,
                                  20,
                                  300) "\n"
                                       "2\t/proc/200/stat\t" STAT(
                                           200,
                                           "exec'd",
                                           0,
                                           50,
                                           300) "\n"
                                                "2\t/proc/200/cmdline\t./exec'd --all\n"
                                                "3\t/proc/200\t!gone\n"
                                                "0\t/proc/300\t!gone\n"
                                                "1\t/proc/300\t!ok\n"
                                                "0\t/proc/400\t!gone\n"
                                                "2\t/proc/400\t!ok\n"
                                                "3\t/proc/2/stat\tnonsense\n";

static struct made_host make(void)
{
    struct made_host host = {0};
    made_host_put(&host, "root/proc/2/stat", STAT(2, "kthreadd", 2129984, 1, 0));
    made_host_put(&host, "root/proc/2/status", "Name:\tkthreadd\nUid:\t0\t0\t0\t0\n");
    made_host_put(&host, "root/proc/100/stat", STAT(100, "worker", 0, 100, 200));
    made_host_put(&host, "root/proc/100/status", "Name:\tworker\nUid:\t1000\t1000\t1000\t1000\n");
    made_host_put(&host, "root/proc/100/cmdline", "worker -n 3");
    made_host_put(&host, "root/proc/200/stat", STAT(200, "shell", 0, 20, 300));
    made_host_put(&host, "root/proc/200/cmdline", "sh");
    made_host_put(&host, "root/proc/300/stat", STAT(300, "young", 0, 7, 100550));
    made_host_put(&host, "root/proc/400/stat", STAT(400, "hidden", 0, 9000, 400));
    made_host_put(&host, "root/proc/stat", "cpu 1 2 3\n");
    made_host_put(&host, "script.tsv", script);
    return host;
}

static void at(struct made_host *host, struct wtl_process_table *table, double seconds)
{
    struct wattle_error err = {""};
    uint64_t start_ns = UINT64_C(1000) * 1000000000;
    (void)host->world->ops->sleep_until(host->world, start_ns + (uint64_t)(seconds * 1e9));
    is_int(wtl_process_table_look(table, &err), 0, "look at %g s %s", seconds, err.text);
}

static struct wtl_process *find(struct wtl_process_table *table, pid_t pid)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->items[i].stat.pid == pid)
            return &table->items[i];
    }
    static struct wtl_process none;
    ok(false, "process %d is there", (int)pid);
    return &none;
}

static void test_looks(void)
{
    struct made_host host = make();
    struct wtl_process_table table;
    wtl_process_table_init(&table, made_host_open(&host));
    at(&host, &table, 0.5);
    is_int(table.count, 3, "three processes; what is no number is none");
    is_int(find(&table, 100)->used_ns, 0, "the first look knows no use");
    is_int(find(&table, 100)->uid, 1000, "user");
    is_int(find(&table, 200)->uid, WTL_UID_UNKNOWN, "no status, no user");
    is_str(find(&table, 100)->command, "worker -n 3", "command");
    is_str(find(&table, 2)->command, "kthreadd", "a kernel thread has its name");
    ok(find(&table, 2)->stat.kernel_thread, "and is one");
    find(&table, 100)->energy_j = 5;
    find(&table, 200)->energy_j = 3;

    at(&host, &table, 1.5);
    is_int(find(&table, 100)->used_ns, 500000000, "0.5 s used");
    is_double(find(&table, 100)->energy_j, 5, 0, "the owner's number is carried");
    is_int(find(&table, 300)->used_ns, 70000000, "a new one used all that it shows");
    is_int(table.ended, 0, "none ended");

    at(&host, &table, 2.5);
    is_int(find(&table, 100)->used_ns, 1000000000, "1 s used");
    is_int(find(&table, 400)->used_ns, 0, "one that was hidden before brings no old time");
    is_str(find(&table, 200)->command, "./exec'd --all", "exec: another command");
    is_int(find(&table, 200)->used_ns, 300000000, "of the same process");

    at(&host, &table, 3.5);
    is_int(find(&table, 100)->used_ns, 100000000, "a pid used again is a new process");
    is_double(find(&table, 100)->energy_j, 0, 0, "with nothing of the old one");
    is_str(find(&table, 100)->stat.name, "other", "and its own name");
    is_int(table.ended, 3, "worker, exec'd and the unreadable one went");
    is_double(table.ended_energy_j, 8, 0, "their numbers are kept together");
    wtl_process_table_fini(&table);
    is_int(table.count, 0, "nothing is left");
    is_int(wtl_world_recorded_open_fds(host.world), 0, "nothing is open");
    made_host_close(&host);
}

static void test_nothing(void)
{
    struct made_host host = {0};
    struct wtl_process_table table;
    struct wattle_error err = {""};
    made_host_put(&host, "root/sys/x", "");
    wtl_process_table_init(&table, made_host_open(&host));
    is_int(wtl_process_table_look(&table, &err), -ENOENT, "no /proc");
    ok(strstr(err.text, "/proc") != NULL, "says so: %s", err.text);
    wtl_process_table_fini(&table);
    made_host_close(&host);
}

static void test_real(void)
{
    struct wtl_process_table table;
    struct wattle_error err = {""};
    wtl_process_table_init(&table, wtl_world_real());
    is_int(wtl_process_table_look(&table, &err), 0, "this machine %s", err.text);
    is_int(find(&table, getpid())->uid, geteuid(), "our own user");
    is_int(wtl_process_table_look(&table, &err), 0, "again");
    ok(find(&table, getpid())->command[0] != '\0', "our own command");
    wtl_process_table_fini(&table);
}

int main(void)
{
    test_looks();
    test_nothing();
    test_real();
    return done_testing();
}

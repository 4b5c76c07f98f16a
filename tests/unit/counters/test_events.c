/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of this kernel whose truth is known: a program that touches so many pages, switches so often, writes so much. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/columns/columns.h"
#include "tap.h"

enum { PAGES = 5000, SWITCHES = 500 };

/* In the child, when released: touch pages, in a child of its own that ends; wait in sleeps. */
static void work(int go)
{
    char byte;
    (void)!read(go, &byte, 1);
    pid_t inner = fork();
    if (inner == 0) {
        char *memory = mmap(NULL, (size_t)PAGES * 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            _exit(1);
        (void)madvise(memory, (size_t)PAGES * 4096, MADV_NOHUGEPAGE);
        for (size_t i = 0; i < PAGES; i++)
            memory[i * 4096] = 1;
        for (int i = 0; i < SWITCHES; i++)
            (void)usleep(1);
        _exit(0);
    }
    (void)waitpid(inner, NULL, 0);
    _exit(0);
}

int main(void)
{
    static const char text[] = "[columns]\nF = cpu:page_faults\nS = cpu:context_switches\n"
                               "T = cpu:task_clock\nP = perf:page-faults\n"
                               "Q = perf:PERF_COUNT_SW_PAGE_FAULTS\n";
    struct wtl_counter_set set;
    struct wattle_error err = {""};
    struct wtl_count_columns columns;
    int go[2];
    uint64_t before[5] = {0}, after[5] = {0};
    is_int(wtl_counter_set_parse(&set, "t", "t.ini", text, strlen(text), &err), 0, "%s", err.text);
    if (pipe(go) < 0)
        skip_all("no pipe");
    pid_t child = fork();
    if (child == 0)
        work(go[0]);
    const struct wtl_target target = {.pid = child, .inherit = true};
    is_int(wtl_count_columns_open(&columns, wtl_world_real(), &target, &set), 0, "opens");
    bool counts = columns.list[0].status == 0 && columns.list[1].status == 0;
    if (!counts)
        diag("%s", columns.list[0].why.text);
    wtl_count_columns_read(&columns);
    for (size_t i = 0; i < 5; i++)
        (void)wtl_count_columns_value(&columns, i, &before[i]);
    (void)!write(go[1], "x", 1);
    (void)waitpid(child, NULL, 0);
    wtl_count_columns_read(&columns);
    for (size_t i = 0; i < 5; i++)
        (void)wtl_count_columns_value(&columns, i, &after[i]);
    if (counts) {
        uint64_t faults = after[0] - before[0], switches = after[1] - before[1];
        ok(faults >= PAGES && faults < PAGES + 1000, "faults of a child that has ended: %llu",
           (unsigned long long)faults);
        ok(switches >= SWITCHES && switches < 20 * SWITCHES, "switches: %llu",
           (unsigned long long)switches);
        is_int(after[3] - before[3], faults, "the same event by its name in perf");
        if (columns.list[4].status == 0)
            is_int(after[4] - before[4], faults, "and by its name in libpfm4");
        else
            diag("libpfm4: %s", columns.list[4].why.text);
        ok(after[2] > before[2], "CPU time");
    }
    wtl_count_columns_close(&columns);
    wtl_counter_set_fini(&set);
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/cpu_choice.h"

#include <errno.h>
#include <sched.h>

#include "tap.h"

static struct wtl_cpu_choice choice;

static void set_choice(void)
{
    static const int cpus[] = {0, 1, 2, 3, 8, 10, 11, 1030};
    choice.count = sizeof cpus / sizeof *cpus;
    memcpy(choice.cpu, cpus, sizeof cpus);
}

static const struct {
    int line;
    const char *list;
    size_t n;
    const char *want; /* NULL = refused, with this word: */
    const char *word;
} rows[] = {
    {__LINE__, NULL, 0, "0-3,8,10-11,1030", NULL},
    {__LINE__, NULL, 5, "0-3,8", NULL},
    {__LINE__, "2-3,10", 0, "2-3,10", NULL},
    {__LINE__, "1030", 1, "1030", NULL},
    {__LINE__, "10,2", 1, "2", NULL},
    {__LINE__, NULL, 9, NULL, "the 8 usable CPUs (0-3,8,10-11,1030)"},
    {__LINE__, "2-3", 3, NULL, "the 2 usable CPUs (2-3)"},
    {__LINE__, "3-5", 0, NULL, "CPU 4 cannot be used"},
    {__LINE__, "", 0, NULL, "expected CPU numbers"},
    {__LINE__, "x", 0, NULL, "expected CPU numbers"},
    {__LINE__, "5-3", 0, NULL, "expected CPU numbers"},
    {__LINE__, "999999", 0, NULL, "expected CPU numbers"},
};

static void check_text(void)
{
    char text[12];
    set_choice();
    wtl_cpu_choice_text(&choice, text, sizeof text);
    is_str(text, "0-3,8...", "cut where a number ends");
    choice.count = 1;
    wtl_cpu_choice_text(&choice, text, 2);
    is_str(text, "0", "just fits");
}

/* Eight ranks on eight CPUs: not bound, dealt out over two domains, bound to a CPU each. */
static void check_ranks(void)
{
    int uses[8] = {0}, here = 0;
    struct wtl_cpu_choice all = {.count = 8};
    for (int i = 0; i < 8; i++)
        all.cpu[i] = i;
    for (int local = 0; local < 8; local++) {
        struct wtl_cpu_choice domain = {.count = 4}, one = {.count = 1, .cpu = {local}};
        for (int i = 0; i < 4; i++)
            domain.cpu[i] = 4 * (local % 2) + i;
        uses[wtl_cpu_choice_of_rank(&all, local, 8)]++;
        is_int(wtl_cpu_choice_of_rank(&domain, local, 8), -1, "rank %d stays in its domain", local);
        is_int(wtl_cpu_choice_of_rank(&one, local, 8), local, "or on its CPU");
    }
    for (int i = 0; i < 8; i++)
        here += uses[i] == 1;
    is_int(here, 8, "without a binding, each CPU has one rank");
    is_int(wtl_cpu_choice_of_rank(&all, 9, 9), -1, "more ranks than CPUs: the system spreads them");
    is_int(wtl_cpu_choice_of_rank(&all, -1, -1), -1, "a launcher that says nothing");
}

static void check_this_machine(void)
{
    struct wattle_error err = {""};
    is_int(wtl_cpu_choice_allowed(&choice, &err), 0, "the mask is read");
    ok(choice.count > 0, "some CPU may be used");
    int last = choice.cpu[choice.count - 1];
    is_int(wtl_cpu_pin(last), 0, "pinned");
    is_int(sched_getcpu(), last, "and there");
    is_int(wtl_cpu_choice_allowed(&choice, &err), 0, "read again");
    is_int(choice.count, 1, "of one CPU now");
    ok(wtl_cpu_pin(WTL_LOAD_CPUS - 1) < 0, "a CPU that is not there");
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_error err = {""};
        char text[80], before[80];
        tap_line = rows[i].line;
        set_choice();
        wtl_cpu_choice_text(&choice, before, sizeof before);
        int rc = wtl_cpu_choice_narrow(&choice, rows[i].list, rows[i].n, &err);
        wtl_cpu_choice_text(&choice, text, sizeof text);
        is_int(rc, rows[i].want ? 0 : -EINVAL, "result");
        is_str(text, rows[i].want ? rows[i].want : before, "what is left");
        if (!rows[i].want)
            ok(strstr(err.text, rows[i].word), "%s", err.text);
    }
    tap_line = 0;
    check_text();
    check_ranks();
    check_this_machine();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between two sides of traces, and which of them prevent a verdict. */
#include "analysis/compare/conditions.h"

#include <stdio.h>
#include <unistd.h>

#include "trace/writer.h"

#include "tap.h"

/* Pairs of key and value, terminated by NULL. */
static void make(const char *path, const char *const *pairs)
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *w;
    if (wtl_trace_writer_create(path, &options, &w, NULL) < 0)
        skip_all("no trace can be written here");
    for (size_t i = 0; pairs[i]; i += 2)
        (void)wtl_trace_writer_meta(w, pairs[i], pairs[i + 1]);
    (void)wtl_trace_writer_finish(w, NULL);
}
#define MAKE(path, ...) make(path, (const char *const[]){__VA_ARGS__, NULL})

static char a1[] = "cond-a1.wtl", a2[] = "cond-a2.wtl", b1[] = "cond-b1.wtl", b2[] = "cond-b2.wtl";
static char *const a[] = {a1, a2}, *const b[] = {b1, b2};

static const struct wtl_condition_difference *find(const struct wtl_conditions *conditions,
                                                   const char *what)
{
    for (size_t i = 0; i < conditions->count; i++) {
        if (strcmp(conditions->differences[i].what, what) == 0)
            return &conditions->differences[i];
    }
    return NULL;
}

static struct wtl_conditions compare(size_t n)
{
    struct wtl_conditions conditions = {0};
    struct wattle_error err = {""};
    is_int(wtl_conditions_read(a, n, b, n, &conditions, &err), 0, "compare %s", err.text);
    return conditions;
}

static void test_same(void)
{
    char why[128] = "";
    MAKE(a1, "host.name", "n1", "cpu.governor", "powersave", "kernel.release", "6", "run.id", "x");
    MAKE(b1, "host.name", "n1", "cpu.governor", "powersave", "kernel.release", "6", "run.id", "y");
    struct wtl_conditions conditions = compare(1);
    is_int(conditions.count, 0, "the same");
    ok(!conditions.node_unknown && !wtl_conditions_forbid(&conditions, why, sizeof why),
       "allows a verdict");
    wtl_conditions_fini(&conditions);
}

static void test_different(void)
{
    char why[128] = "";
    MAKE(a1, "host.name", "n1", "kernel.release", "5", "limit.package-0.long_term_w", "100");
    MAKE(b1, "host.name", "n1", "kernel.release", "6", "limit.package-0.long_term_w", "80",
         "cpu.turbo", "on");
    struct wtl_conditions conditions = compare(1);
    is_int(conditions.count, 3, "three differ");
    const struct wtl_condition_difference *limit =
        find(&conditions, "power limit package-0.long_term_w");
    ok(limit && limit->forbids && strcmp(limit->a, "100") == 0 && strcmp(limit->b, "80") == 0,
       "a limit, by its name");
    const struct wtl_condition_difference *turbo = find(&conditions, "turbo");
    ok(turbo && turbo->forbids && strcmp(turbo->a, "unknown") == 0,
       "what only one side tells differs");
    const struct wtl_condition_difference *kernel = find(&conditions, "kernel");
    ok(kernel && !kernel->forbids && kernel == &conditions.differences[2],
       "a kernel is only told, behind what forbids");
    ok(wtl_conditions_forbid(&conditions, why, sizeof why) && strstr(why, "power limit"),
       "no verdict: %s", why);
    wtl_conditions_fini(&conditions);
}

static void test_within(void)
{
    char why[128] = "";
    MAKE(a1, "host.name", "n1", "cpu.governor", "powersave");
    MAKE(a2, "host.name", "n1", "cpu.governor", "performance");
    MAKE(b1, "host.name", "n1", "cpu.governor", "powersave");
    MAKE(b2, "host.name", "n1", "cpu.governor", "performance");
    struct wtl_conditions conditions = compare(2);
    const struct wtl_condition_difference *governor = find(&conditions, "governor");
    ok(governor && strcmp(governor->a, "powersave, performance") == 0,
       "a side that mixes differs, though the other does the same");
    wtl_conditions_fini(&conditions);
    MAKE(a2, "host.name", "n1", "cpu.governor", "powersave");
    MAKE(b2, "host.name", "n1", "cpu.governor", "powersave", "cpu.governor.after", "performance");
    conditions = compare(2);
    governor = find(&conditions, "governor");
    ok(governor && strcmp(governor->b, "powersave, performance") == 0,
       "a change during a run, too");
    wtl_conditions_fini(&conditions);
    MAKE(b2, "cpu.governor", "powersave", "cpu.turbo", "on", "cpu.turbo.after", "1");
    MAKE(b1, "host.name", "n1", "cpu.governor", "powersave", "cpu.turbo", "on");
    MAKE(a1, "host.name", "n1", "cpu.governor", "powersave", "cpu.turbo", "on");
    MAKE(a2, "host.name", "n1", "cpu.governor", "powersave", "cpu.turbo", "on");
    conditions = compare(2);
    ok(conditions.node_unknown && !find(&conditions, "turbo"),
       "turbo on and 1 are the same; a node that one run does not tell is unknown");
    ok(wtl_conditions_forbid(&conditions, why, sizeof why), "and forbids: %s", why);
    wtl_conditions_fini(&conditions);
}

static void test_long(void)
{
    char x[400], y[400];
    memset(x, 'k', sizeof x);
    x[399] = '\0';
    memcpy(y, x, sizeof y);
    y[350] = 'j';
    MAKE(a1, "host.name", "n1", "kernel.cmdline", x);
    MAKE(b1, "host.name", "n1", "kernel.cmdline", y);
    struct wtl_conditions conditions = compare(1);
    ok(find(&conditions, "kernel command line") && conditions.count == 1,
       "values that differ behind the cut differ");
    wtl_conditions_fini(&conditions);
    MAKE(b1, "host.name", "n1", "kernel.cmdline", x);
    conditions = compare(1);
    is_int(conditions.count, 0, "long ones that are the same do not");
    wtl_conditions_fini(&conditions);
}

int main(void)
{
    struct wtl_conditions conditions;
    struct wattle_error err = {""};
    char none[] = "cond-none.wtl", *const missing[] = {none};
    test_same();
    test_different();
    test_within();
    test_long();
    ok(wtl_conditions_read(missing, 1, b, 1, &conditions, &err) < 0 && strstr(err.text, none),
       "no such trace: %s", err.text);
    for (size_t i = 0; i < 2; i++) {
        (void)unlink(a[i]);
        (void)unlink(b[i]);
    }
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter sets: files as they should be and as they should not, metrics, the texts of a trace. */
#define _GNU_SOURCE
#include "model/counters/counter_set.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static int parse(struct wtl_counter_set *set, const char *text, struct wattle_error *err)
{
    return wtl_counter_set_parse(set, "mine", "mine.ini", text, strlen(text), err);
}

static const char good[] = "# a set\n"
                           "[set]\nabout = two things\n"
                           "[columns]\nCYCLES = perf:cycles\nINSTR = perf:instructions\n"
                           "MEM = memory:used_bytes\n"
                           "[metrics]\nIPC = INSTR / CYCLES\n"
                           "nJ_per_instr[nJ] = 1e9 * energy / INSTR\n"
                           "speed [GB/s] = 1e-9 * MEM / time\n";

static void test_good(void)
{
    struct wtl_counter_set set;
    struct wattle_error err = {""};
    if (!ok(parse(&set, good, &err) == 0, "parsed %s", err.text))
        return;
    is_int(set.column_count, 3, "columns");
    is_str(set.columns[1].source, "perf:instructions", "source");
    is_str(set.about, "two things", "about");
    is_int(set.metric_count, 3, "metrics");
    is_str(set.metrics[2].unit, "GB/s", "unit");
    is_str(set.metrics[2].name, "speed", "the name without its unit");
    is_int(wtl_counter_set_column(&set, "MEM"), 2, "its id");
    is_int(wtl_counter_set_column(&set, "mem"), -1, "case matters");
    const double amounts[] = {2e9, 3e9, 5e9};
    is_double(wtl_counter_metric_value(&set, 0, amounts, 2, 6), 1.5, 1e-12, "IPC");
    is_double(wtl_counter_metric_value(&set, 1, amounts, 2, 6), 2, 1e-12, "nJ");
    is_double(wtl_counter_metric_value(&set, 2, amounts, 2, 6), 2.5, 1e-12, "GB/s");
    const double none[] = {0, NAN, 5e9};
    ok(isnan(wtl_counter_metric_value(&set, 0, none, 2, 6)), "an unknown count: unknown");
    ok(isnan(wtl_counter_metric_value(&set, 1, amounts, 2, (double)NAN)), "unknown energy");
    is_double(wtl_counter_metric_value(&set, 2, none, 2, (double)NAN), 2.5, 1e-12,
              "what it does not use may be unknown");
    const double zero[] = {0, 3, 5};
    ok(isnan(wtl_counter_metric_value(&set, 0, zero, 2, 6)), "divided by 0: unknown");

    char *columns = wtl_counter_set_columns_text(&set),
         *metrics = wtl_counter_set_metrics_text(&set);
    is_str(columns, "CYCLES=perf:cycles;INSTR=perf:instructions;MEM=memory:used_bytes", "columns");
    struct wtl_counter_set again;
    is_int(wtl_counter_set_from_texts(&again, "mine", columns, metrics, &err), 0, "from the texts");
    is_int(again.metric_count, 3, "all metrics %s", err.text);
    is_str(again.metrics[1].unit, "nJ", "with units");
    is_double(wtl_counter_metric_value(&again, 1, amounts, 2, 6), 2, 1e-12,
              "that compute the same");
    wtl_counter_set_fini(&again);
    wtl_counter_set_fini(&set);
    free(columns);
    free(metrics);
}

static void test_bad(void)
{
    static const struct {
        int line;
        const char *text, *says;
    } rows[] = {
        {__LINE__, "", "no columns"},
        {__LINE__, "[set]\nabout = x\n", "no columns"},
        {__LINE__, "[colums]\nA = perf:cycles\n", "mine.ini:1: unknown section [colums]"},
        {__LINE__, "[set]\nabuot = x\n", "mine.ini:2: unknown key \"abuot\""},
        {__LINE__, "[columns]\nA B = perf:cycles\n", "\"A B\" is not a name"},
        {__LINE__, "[columns]\n1A = perf:cycles\n", "is not a name"},
        {__LINE__, "[columns]\nA_name_with_24_characters = perf:cycles\n", "at most 23"},
        {__LINE__, "[columns]\nA = perf:cycles\na = perf:instructions\n",
         "mine.ini:3: the name \"a\" is taken"},
        {__LINE__, "[columns]\ntime = perf:cycles\n", "is taken"},
        {__LINE__, "[columns]\nenergy = perf:cycles\n", "is taken"},
        {__LINE__, "[columns]\nA = cycles\n", "is not a source"},
        {__LINE__, "[columns]\nA = perf:\n", "is not a source"},
        {__LINE__, "[columns]\nA = perf:a;B=perf:c\n", "is not a source"},
        {__LINE__, "[columns]\nA = perf:cycles\n[metrics]\nB = A / C\n", "mine.ini:4: B:"},
        {__LINE__, "[columns]\nA = perf:cycles\n[metrics]\nB = A +\n", "mine.ini:4: B:"},
        {__LINE__, "[columns]\nA = perf:cycles\n[metrics]\nB[x = A\n", "expected NAME[UNIT]"},
        {__LINE__, "[columns]\nA = perf:cycles\n[metrics]\nB[a;b] = A\n", "is not a unit"},
        {__LINE__, "[columns]\nA = perf:cycles\n[metrics]\nB = A; C\n", "B: the formula"},
        {__LINE__, "[columns]\nA = perf:cycles\n[metrics]\nB =\n", "B: the formula is empty"},
        {__LINE__, "[columns]\nA = perf:cycles\nA\n", "mine.ini:3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_counter_set set;
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        is_int(parse(&set, rows[i].text, &err), -EBADMSG, "refused");
        ok(strstr(err.text, rows[i].says) != NULL, "says \"%s\": %s", rows[i].says, err.text);
        is_int(set.column_count, 0, "nothing is left");
    }
    tap_line = 0;
}

/* As many as there may be, and one more; a formula of more columns than an expression takes. */
static void test_limits(void)
{
    struct wtl_counter_set set;
    struct wattle_error err = {""};
    char text[16384] = "[columns]\n";
    for (int i = 0; i < WTL_COUNTER_COLUMNS; i++)
        (void)sprintf(text + strlen(text), "C%d = perf:cycles\n", i);
    is_int(parse(&set, text, &err), 0, "64 columns %s", err.text);
    is_int(set.column_count, WTL_COUNTER_COLUMNS, "all");
    wtl_counter_set_fini(&set);
    size_t end = strlen(text);
    (void)strcat(text, "C64 = perf:cycles\n");
    is_int(parse(&set, text, &err), -EBADMSG, "65");
    ok(strstr(err.text, "more than 64 columns") != NULL, "%s", err.text);
    text[end] = '\0';
    (void)strcat(text, "[metrics]\nsum = C0");
    for (int i = 1; i < 30; i++)
        (void)sprintf(text + strlen(text), "+C%d", i);
    is_int(parse(&set, text, &err), 0, "a sum of 30 %s", err.text);
    double amounts[WTL_COUNTER_COLUMNS];
    for (int i = 0; i < WTL_COUNTER_COLUMNS; i++)
        amounts[i] = i;
    is_double(wtl_counter_metric_value(&set, 0, amounts, 1, 1), 435, 1e-9, "their sum");
    wtl_counter_set_fini(&set);
    (void)strcat(text, "+C30");
    is_int(parse(&set, text, &err), -EBADMSG, "of 31");
    ok(strstr(err.text, "more than 30 columns") != NULL, "%s", err.text);
    end = strlen("[columns]\nC = perf:cycles\n[metrics]\n");
    (void)strcpy(text, "[columns]\nC = perf:cycles\n[metrics]\n");
    for (int i = 0; i <= WTL_COUNTER_METRICS; i++)
        (void)sprintf(text + strlen(text), "m%d = C\n", i);
    is_int(parse(&set, text, &err), -EBADMSG, "33 metrics");
    ok(strstr(err.text, "more than 32 metrics") != NULL, "%s", err.text);
}

/* The sets that are installed. */
static void test_shipped(void)
{
    static const char *const names[] = {"default", "paper", "software", "memory", "energy"};
    struct wtl_counter_set set;
    struct wattle_error err = {""};
    char path[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, WATTLE_SOURCE_DIR "/counters/%s.ini", names[i]);
        if (!ok(wtl_counter_set_load(&set, wtl_world_real(), path, &err) == 0, "%s %s", names[i],
                err.text))
            continue;
        is_str(set.name, names[i], "name of the file");
        ok(set.about[0] && set.metric_count > 0, "described, with metrics");
        wtl_counter_set_fini(&set);
    }
    (void)snprintf(path, sizeof path, WATTLE_SOURCE_DIR "/counters/paper.ini");
    is_int(wtl_counter_set_load(&set, wtl_world_real(), path, &err), 0, "paper");
    is_int(set.column_count, 14, "fourteen");
    is_int(wtl_counter_set_column(&set, "netRECVpkt"), 12, "the letter 17692 is 4 5 1 12");
    is_int(wtl_counter_set_column(&set, "netSENTbyte"), 4, "4");
    is_int(wtl_counter_set_column(&set, "CACHE_REFERENCES"), 1, "1");
    wtl_counter_set_fini(&set);
    is_int(wtl_counter_set_load(&set, wtl_world_real(), "no-such-set", &err), -ENOENT, "unknown");
    is_int(wtl_counter_set_load(&set, wtl_world_real(), "../paper", &err), -ENOENT, "not there");
    is_int(wtl_counter_set_load(&set, wtl_world_real(), "/dev/zero", &err) < 0, 1, "not a set: %s",
           err.text);
}

int main(void)
{
    test_good();
    test_bad();
    test_limits();
    test_shipped();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Option tables: every way to write an option, and what is said of every way to get it wrong. */
#define _GNU_SOURCE
#include "cli/options.h"

#include "said.h"
#include "tap.h"

enum { LEVEL = 1, LOUD, LENGTH, QUIET };

static const struct wtl_option options_table[] = {
    {LEVEL, 'l', "level", "N", "how high"},
    {LOUD, 0, "loud", NULL, "louder"},
    {LENGTH, 0, "length", "DUR", "how long"},
    {QUIET, 'q', "quiet", NULL, "quiet"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};
static const struct wtl_command plain = {.verb = "try",
                                         .operands = "FILE",
                                         .summary = "try it",
                                         .options = options_table,
                                         .usage_exit = 2};
static const struct wtl_command stopping = {.verb = "wrap",
                                            .operands = "COMMAND",
                                            .summary = "wrap it",
                                            .options = options_table,
                                            .usage_exit = 125,
                                            .runs_command = true};

/* A scan of words separated by spaces as text: "1=7 2 | FILE" - ids, values, then the operands. */
static const char *scan_of(const struct wtl_command *command, const char *line, int *ret_exit)
{
    static char text[256], words[256];
    char *argv[16] = {(char *)(uintptr_t)command->verb}, *rest = NULL;
    int argc = 1, id;
    size_t used = 0;
    struct wtl_options scan;
    const char *value = NULL;
    (void)snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    wtl_options_init(&scan, command, argc, argv);
    text[0] = '\0';
    while ((id = wtl_options_next(&scan, &value)) > 0) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, value ? "%d=%s " : "%d ", id, value);
    }
    *ret_exit = id == WTL_OPTIONS_STOP ? scan.exit_code : 0;
    if (id == WTL_OPTIONS_STOP)
        return text;
    used += (size_t)snprintf(text + used, sizeof text - used, "|");
    for (int i = scan.operand; i < argc; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %s", argv[i]);
    return text;
}

static void test_scans(void)
{
    static const struct {
        int line;
        const struct wtl_command *command;
        const char *words, *want;
    } rows[] = {
        {__LINE__, &plain, "", "|"},
        {__LINE__, &plain, "a b", "| a b"},
        {__LINE__, &plain, "-l 7 a", "1=7 | a"},
        {__LINE__, &plain, "-l7 a", "1=7 | a"},
        {__LINE__, &plain, "--level 7", "1=7 |"},
        {__LINE__, &plain, "--level=7", "1=7 |"},
        {__LINE__, &plain, "--lev 7", "1=7 |"},
        {__LINE__, &plain, "-ql 7", "4 1=7 |"},
        {__LINE__, &plain, "a --loud b", "2 | a b"},
        {__LINE__, &plain, "--loud -- --level", "2 | --level"},
        {__LINE__, &plain, "--level --loud", "1=--loud |"},
        {__LINE__, &stopping, "--loud a --loud -q", "2 | a --loud -q"},
        {__LINE__, &stopping, "-l 7 -- a -l 8", "1=7 | a -l 8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status;
        tap_line = rows[i].line;
        is_str(scan_of(rows[i].command, rows[i].words, &status), rows[i].want, "\"%s\"",
               rows[i].words);
        is_int(status, 0, "and is right");
    }
    tap_line = 0;
}

static void test_wrong(void)
{
    static const struct {
        int line;
        const struct wtl_command *command;
        const char *words, *said;
        int status;
    } rows[] = {
        {__LINE__, &plain, "-x", "wattle try: unknown option \"-x\" (see \"wattle try --help\")\n",
         2},
        {__LINE__, &plain, "--lvel 7",
         "wattle try: unknown option \"--lvel\"; did you mean \"--level\"? (see \"wattle try "
         "--help\")\n",
         2},
        {__LINE__, &plain, "--le 7",
         "wattle try: \"--le\" may mean several options; give more of its name (see \"wattle try "
         "--help\")\n",
         2},
        {__LINE__, &plain, "--zzzzzzzzz",
         "wattle try: unknown option \"--zzzzzzzzz\" (see \"wattle try --help\")\n", 2},
        {__LINE__, &plain, "--level",
         "wattle try: --level needs an argument, N (see \"wattle try --help\")\n", 2},
        {__LINE__, &plain, "-l",
         "wattle try: --level needs an argument, N (see \"wattle try --help\")\n", 2},
        {__LINE__, &plain, "--loud=3",
         "wattle try: --loud takes no argument (see \"wattle try --help\")\n", 2},
        {__LINE__, &stopping, "--lvel=7 a",
         "wattle wrap: unknown option \"--lvel\"; did you mean \"--level\"? (see \"wattle wrap "
         "--help\")\n",
         125},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status;
        tap_line = rows[i].line;
        said_begin();
        (void)scan_of(rows[i].command, rows[i].words, &status);
        is_str(said_end(), rows[i].said, "\"%s\"", rows[i].words);
        is_int(status, rows[i].status, "its status");
    }
    tap_line = 0;
}

static void test_durations(void)
{
    static const struct {
        int line;
        const char *text;
        bool positive;
        int status;
        uint64_t ns;
    } rows[] = {
        {__LINE__, "10ms", true, 0, 10000000}, {__LINE__, "2", true, 0, 2000000000},
        {__LINE__, "0", false, 0, 0},          {__LINE__, "0", true, 2, 1},
        {__LINE__, "-1s", false, 2, 1},        {__LINE__, "", false, 2, 1},
        {__LINE__, "1e300", false, 2, 1},      {__LINE__, "5 ms", true, 2, 1},
        {__LINE__, "5mss", true, 2, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t ns = 1;
        tap_line = rows[i].line;
        said_begin();
        is_int(wtl_option_duration(&plain, "--length", rows[i].text, rows[i].positive, &ns),
               rows[i].status, "\"%s\"", rows[i].text);
        ok((strstr(said_end(), "--length: ") != NULL) == (rows[i].status != 0), "it is named");
        is_int(ns, rows[i].ns, "untouched when it is wrong");
    }
    tap_line = 0;
}

static void test_numbers(void)
{
    uint64_t value = 5;
    said_begin();
    is_int(wtl_option_u64(&plain, "--level", "7", 1, 7, &value), 0, "the most");
    is_int(value, 7, "is taken");
    is_int(wtl_option_u64(&plain, "--level", "8", 1, 7, &value), 2, "more than the most");
    is_int(wtl_option_u64(&plain, "--level", "0", 1, 7, &value), 2, "less than the least");
    is_int(wtl_option_u64(&plain, "--level", "99999999999999999999999", 1, UINT64_MAX, &value), 2,
           "more than there are");
    is_int(wtl_option_u64(&plain, "--level", "7x", 1, 7, &value), 2, "no number");
    is_int(wtl_option_u64(&plain, "--level", "-3", 0, 7, &value), 2, "below none");
    is_int(value, 7, "and all these change nothing");
    const char *said = said_end();
    ok(strstr(said, "8 is more than 7") && strstr(said, "0 is less than 1") &&
           strstr(said, "\"7x\" is not a whole number"),
       "what is wrong with each");
}

static void test_choices(void)
{
    static const char *const three[] = {"text", "json", "csv", NULL}, *const one[] = {"all", NULL};
    size_t choice = 9;
    said_begin();
    is_int(wtl_option_choice(&plain, "--form", "csv", three, &choice), 0, "a choice");
    is_int(choice, 2, "is the third");
    is_int(wtl_option_choice(&plain, "--form", "jsn", three, &choice), 2, "a slip");
    is_int(wtl_option_choice(&plain, "--form", "parquet", three, &choice), 2, "another one");
    is_int(wtl_option_choice(&plain, "--form", "", three, &choice), 2, "none");
    is_int(wtl_option_choice(&plain, "--form", "some", one, &choice), 2, "of one");
    is_int(choice, 2, "and all these change nothing");
    const char *said = said_end();
    ok(strstr(said, "unknown \"jsn\"; did you mean \"json\"? It is one of text, json or csv"),
       "the nearest is named");
    ok(strstr(said, "unknown \"parquet\"; it is one of text, json or csv"), "or all");
    ok(strstr(said, "unknown \"some\"; what it takes is all"), "or the only one");
}

int main(void)
{
    test_scans();
    test_wrong();
    test_durations();
    test_numbers();
    test_choices();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Option tables: every way to write an option, and the error for every mistake. */
#define _GNU_SOURCE
#include "options/options.h"

#include <stdlib.h>
#include <string.h>

#include "said.h"
#include "tap.h"

struct request {
    uint64_t length_ns, bytes;
    const char *level, *order;
    struct wtl_words names;
    bool loud, quiet, polite, all;
    unsigned form, count;
    int cpu;
    double part;
};

static int take_order(const struct wtl_command *command, void *place, const char *value)
{
    *(const char **)place = value;
    return value[0] == '!' ? wtl_usage(command, "--order: not so") : 0;
}

static const char *const forms[] = {"text", "json", "csv", NULL}, *const all[] = {"all", NULL};

static const struct wtl_option options_table[] = {
    {'l', "level", "N", "how high", WTL_TAKES_TEXT(struct request, level)},
    {0, "loud", NULL, "louder", WTL_SETS(struct request, loud)},
    {0, "length", "DUR", "how long", WTL_TAKES_DURATION(struct request, length_ns, 1)},
    {'q', "quiet", NULL, "quiet", WTL_SETS(struct request, quiet)},
    {0, "rude", NULL, "be rude", WTL_CLEARS(struct request, polite)},
    {0, "which", "all", "which", WTL_TAKES_WORD(struct request, all, all)},
    {0, "name", "NAME", "a name", WTL_TAKES_LIST(struct request, names), .is_input = true},
    {0, "bytes", "N", "bytes", WTL_TAKES_U64(struct request, bytes, 0, 1000)},
    {0, "count", "N", "count", WTL_TAKES_UNSIGNED(struct request, count, 2, 9)},
    {0, "cpu", "N", "cpu", WTL_TAKES_INT(struct request, cpu, 0, 7)},
    {0, "part", "PART", "part", WTL_TAKES_PERCENT(struct request, part)},
    {0, "form", "FORM", "form", WTL_TAKES_CHOICE(struct request, form, forms)},
    {0, "order", "ORDER", "order", WTL_CALLS(struct request, order, take_order)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
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

/* The command line as words separated by spaces. */
static int read_line(const struct wtl_command *command,
                     const char *line,
                     struct request *request,
                     struct wtl_command_line *ret_line)
{
    static char words[256];
    static char *argv[32];
    char *rest = NULL;
    int argc = 1;
    argv[0] = (char *)(uintptr_t)command->verb;
    (void)snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok_r(words, " ", &rest); word && argc < 31;
         word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    return wtl_options_read(command, argc, argv, request, NULL, ret_line);
}

/* The result: "level=7 loud | FILE" - options, then the operands. */
static const char *reading_of(const struct wtl_command *command, const char *words, int *ret_exit)
{
    static char text[256];
    struct request request = {.level = NULL};
    struct wtl_command_line line;
    *ret_exit = read_line(command, words, &request, &line);
    (void)snprintf(text, sizeof text, "%s%s %s%s|", request.level ? "level=" : "",
                   request.level ? request.level : "", request.loud ? "loud " : "",
                   request.quiet ? "quiet " : "");
    for (size_t i = 0, used; i < line.count; i++) {
        used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, " %s", line.words[i]);
    }
    return text + (text[0] == ' ');
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
        {__LINE__, &plain, "-l 7 a", "level=7 | a"},
        {__LINE__, &plain, "-l7 a", "level=7 | a"},
        {__LINE__, &plain, "--level 7", "level=7 |"},
        {__LINE__, &plain, "--level=7", "level=7 |"},
        {__LINE__, &plain, "--lev 7", "level=7 |"},
        {__LINE__, &plain, "-ql 7", "level=7 quiet |"},
        {__LINE__, &plain, "a --loud b", "loud | a b"},
        {__LINE__, &plain, "--loud -- --level", "loud | --level"},
        {__LINE__, &plain, "--level --loud", "level=--loud |"},
        {__LINE__, &stopping, "--loud a --loud -q", "loud | a --loud -q"},
        {__LINE__, &stopping, "-l 7 -- a -l 8", "level=7 | a -l 8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status;
        tap_line = rows[i].line;
        is_str(reading_of(rows[i].command, rows[i].words, &status), rows[i].want, "\"%s\"",
               rows[i].words);
        is_int(status, WTL_GO_ON, "and is right");
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
         "wattle try: \"--le\" is ambiguous; write more of its name (see \"wattle try "
         "--help\")\n",
         2},
        {__LINE__, &plain, "--zzzzzzzzz",
         "wattle try: unknown option \"--zzzzzzzzz\" (see \"wattle try --help\")\n", 2},
        {__LINE__, &plain, "--level",
         "wattle try: --level requires an argument, N (see \"wattle try --help\")\n", 2},
        {__LINE__, &plain, "-l",
         "wattle try: --level requires an argument, N (see \"wattle try --help\")\n", 2},
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
        (void)reading_of(rows[i].command, rows[i].words, &status);
        is_str(said_end(), rows[i].said, "\"%s\"", rows[i].words);
        is_int(status, rows[i].status, "its status");
    }
    tap_line = 0;
}

static void test_kinds(void)
{
    struct request request = {.polite = true};
    struct wtl_command_line line;
    is_int(read_line(&plain,
                     "--length 2s --rude --which all --name a --name b --bytes 1000 --count 9 "
                     "--cpu 7 --part 1% --form csv --order up x",
                     &request, &line),
           WTL_GO_ON, "all kinds");
    is_int(request.length_ns, 2000000000, "a duration");
    ok(!request.polite && request.all, "words");
    ok(request.names.count == 2 && strcmp(request.names.items[1], "b") == 0, "a list");
    ok(request.bytes == 1000 && request.count == 9 && request.cpu == 7, "numbers");
    ok(request.part == 0.01 && request.form == 2, "a part, and a choice");
    is_str(request.order, "up", "what a function takes");
    static const char *const two[] = {"loud", "form", NULL};
    ok(wtl_option_given(&plain, &line, "rude") && !wtl_option_given(&plain, &line, "loud"),
       "what was given is known");
    is_str(wtl_option_first_given(&plain, &line, two), "form", "also of several");
    free(request.names.items);

    static const char *const wrong[] = {"--length 0", "--which some", "--bytes 1001", "--count 1",
                                        "--cpu 8",    "--part 0%",    "--form xml",   "--order !"};
    said_begin();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        is_int(read_line(&plain, wrong[i], &request, &line), 2, "%s is refused", wrong[i]);
    ok(strstr(said_end(), "--count: 1 is less than 2") != NULL, "and said why");
}

static const char *noted[4];
static size_t noted_count;

static void note(const char *word)
{
    noted[noted_count++ % 4] = word;
}

static int take_word(const struct wtl_command *command, void *place, const char *word)
{
    struct request *request = place;
    (void)command;
    return wtl_words_add(&request->names, request->loud ? "LOUD" : word);
}

static void test_operands(void)
{
    static const struct wtl_command in_order = {
        .verb = "try", .operands = "X", .options = options_table, .take_operand = take_word};
    static const struct wtl_command none = {
        .verb = "try", .operands = "", .options = options_table, .usage_exit = 2};
    char words[][8] = {"try", "a", "--loud", "b", "--", "-q"};
    char *argv[] = {words[0], words[1], words[2], words[3], words[4], words[5], NULL};
    struct request request = {.loud = false};
    struct wtl_command_line line;
    is_int(wtl_options_read(&in_order, 6, argv, &request, note, &line), WTL_GO_ON, "in order");
    ok(request.names.count == 3 && strcmp(request.names.items[0], "a") == 0 &&
           strcmp(request.names.items[1], "LOUD") == 0 && !request.quiet,
       "words are taken where they stand, those after \"--\" as well");
    ok(noted_count == 3 && strcmp(noted[1], "b") == 0, "they are noted");
    free(request.names.items);
    said_begin();
    is_int(read_line(&none, "--loud a", &request, &line), 2, "no operand is expected");
    ok(strstr(said_end(), "unexpected argument \"a\"") != NULL, "it is named");
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
    ok(strstr(said, "unknown \"some\"; allowed is all"), "or the only one");
}

int main(void)
{
    test_scans();
    test_wrong();
    test_kinds();
    test_operands();
    test_durations();
    test_numbers();
    test_choices();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command lines: see options.h. The tables are small, so the table for getopt_long is built on the stack for
 * each parse.
 */
#define _GNU_SOURCE
#include "options/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/grow.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "base/text/wrap.h"
#include "base/utf8.h"

enum { HELP_COLUMN = 28, FIRST_ID = 256, NAME_ROOM = 64 };

static const struct wtl_option *row_at(const struct wtl_command *command, size_t i)
{
    return command->options[i].name ? &command->options[i] : NULL;
}

/* The command as typed: "wattle stats", "wattle-reduce-mpi". */
static const char *name_of(const struct wtl_command *command, char name[NAME_ROOM])
{
    if (command && command->program)
        return command->program;
    (void)snprintf(name, NAME_ROOM, "wattle%s%.40s", command ? " " : "",
                   command ? command->verb : "");
    return name;
}

/*
 * Whether the reader of standard output, or of another pipe that was flushed, closed it ("| head") before all
 * output was written. A program then ends quietly: wtl_complain() prints nothing, and the status is that of
 * wtl_exit_failed().
 */
static bool reader_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return wtl_pipe_closed() ||
           (ferror(stdout) && poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP));
}

int wtl_exit_failed(int status)
{
    return reader_gone() ? 128 + SIGPIPE : status;
}

/* Print a message in one write, so that it is not interleaved with the output of a command. */
__attribute__((format(printf, 3, 0))) static void tell(const struct wtl_command *command,
                                                       const char *tail,
                                                       const char *format,
                                                       va_list args)
{
    char sentence[1024], name[NAME_ROOM];
    if (reader_gone())
        return; /* "| head" has read enough */
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    wtl_utf8_clean(sentence); /* it contains file names and strings from traces */
    (void)fprintf(stderr, "%s: %s%s\n", name_of(command, name), sentence, tail);
}

void wtl_complain(const struct wtl_command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(command, "", format, args);
    va_end(args);
}

int wtl_usage(const struct wtl_command *command, const char *format, ...)
{
    char tail[96], name[NAME_ROOM];
    va_list args;
    (void)snprintf(tail, sizeof tail, " (see \"%s --help\")", name_of(command, name));
    va_start(args, format);
    tell(command, tail, format, args);
    va_end(args);
    return command->usage_exit;
}

/* Print a text whose further lines begin in column `indent`. */
static void print_lines(FILE *out, const char *text, int indent)
{
    for (const char *p = text; *p; p++) {
        (void)fputc(*p, out);
        if (*p == '\n' && p[1])
            (void)fprintf(out, "%*s", indent, "");
    }
}

static void print_option(FILE *out, const struct wtl_option *row)
{
    char left[64];
    int n = row->letter ? snprintf(left, sizeof left, "  -%c, --%s", row->letter, row->name)
                        : snprintf(left, sizeof left, "      --%s", row->name);
    if (row->argument)
        n += snprintf(left + n, sizeof left - (size_t)n, " %s", row->argument);
    if (n + 2 > HELP_COLUMN)
        (void)fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
    else
        (void)fprintf(out, "%-*s", HELP_COLUMN, left);
    print_lines(out, row->help, HELP_COLUMN);
    (void)fputc('\n', out);
}

static void print_help(FILE *out, const struct wtl_command *command)
{
    char name[NAME_ROOM];
    (void)fprintf(out, "Usage: %s [OPTION]...%s%s\n%s\n", name_of(command, name),
                  command->operands[0] ? " " : "", command->operands, command->summary);
    if (command->text)
        (void)fprintf(out, "\n%s", command->text);
    (void)fputs("\nOptions:\n", out);
    for (size_t i = 0; row_at(command, i); i++)
        print_option(out, row_at(command, i));
    if (command->examples) {
        (void)fputs("\nExamples:\n  ", out);
        print_lines(out, command->examples, 2);
    }
}

void wtl_command_help(const struct wtl_command *command)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print_help(out ? out : stdout, command);
    if (out && fclose(out) == 0)
        wtl_wrap_laid_out(stdout, text, wtl_page_width(stdout));
    free(text);
}

/* Convert the option table for getopt_long. */
static void fill(const struct wtl_command *command,
                 struct option longs[WTL_MOST_OPTIONS + 1],
                 char shorts[2 * WTL_MOST_OPTIONS + 4])
{
    char *s = shorts;
    if (command->runs_command || command->take_operand)
        *s++ = command->runs_command ? '+' : '-';
    *s++ = ':'; /* distinguishes a missing argument from an unknown option */
    size_t i = 0;
    for (const struct wtl_option *row; i < WTL_MOST_OPTIONS && (row = row_at(command, i)); i++) {
        longs[i] = (struct option){.name = row->name,
                                   .has_arg = !row->argument     ? no_argument
                                              : row->is_optional ? optional_argument
                                                                 : required_argument,
                                   .val = FIRST_ID + (int)i};
        if (row->letter) {
            *s++ = row->letter;
            if (row->argument)
                *s++ = ':';
        }
    }
    longs[i] = (struct option){0};
    *s = '\0';
}

static const struct wtl_option *row_of(const struct wtl_command *command, int value)
{
    if (value >= FIRST_ID)
        return row_at(command, (size_t)(value - FIRST_ID));
    for (size_t i = 0; row_at(command, i); i++) {
        if (value && row_at(command, i)->letter == value)
            return row_at(command, i);
    }
    return NULL;
}

/* Report why getopt_long rejected an argument; `given` is the word it was parsing. */
static int refuse(const struct wtl_command *command, int what, const char *given)
{
    if (what == ':') {
        const struct wtl_option *row = row_of(command, optopt);
        return wtl_usage(command, "--%s requires an argument, %s", row ? row->name : "option",
                         row ? row->argument : "VALUE");
    }
    if (optopt >= FIRST_ID) {
        const struct wtl_option *row = row_of(command, optopt);
        return wtl_usage(command, "--%s takes no argument", row ? row->name : "option");
    }
    if (optopt)
        return wtl_usage(command, "unknown option \"-%c\"", optopt);
    char name[64];
    const char *names[WTL_MOST_OPTIONS];
    size_t n = 0;
    unsigned matches = 0;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    for (const struct wtl_option *row; n < WTL_MOST_OPTIONS && (row = row_at(command, n)); n++) {
        names[n] = row->name;
        matches += strncmp(name, row->name, strlen(name)) == 0;
    }
    if (matches > 1)
        return wtl_usage(command, "\"--%s\" is ambiguous; write more of its name", name);
    const char *near = wtl_nearest(name, names, n);
    if (near)
        return wtl_usage(command, "unknown option \"--%s\"; did you mean \"--%s\"?", name, near);
    return wtl_usage(command, "unknown option \"--%s\"", name);
}

int wtl_words_add(struct wtl_words *words, const char *word)
{
    if (wtl_grow(&words->items, words->count, sizeof *words->items) < 0)
        return -ENOMEM;
    words->items[words->count++] = word;
    return 0;
}

const struct wtl_option *wtl_option_find(const struct wtl_option *rows, const char *name)
{
    while (rows->name && strcmp(rows->name, name) != 0)
        rows++;
    return rows->name ? rows : NULL;
}

bool wtl_option_given(const struct wtl_command *command,
                      const struct wtl_command_line *line,
                      const char *name)
{
    const struct wtl_option *row = wtl_option_find(command->options, name);
    assert(row);
    return line->given & 1ull << (row - command->options);
}

const char *wtl_option_first_given(const struct wtl_command *command,
                                   const struct wtl_command_line *line,
                                   const char *const *names)
{
    while (*names && !wtl_option_given(command, line, *names))
        names++;
    return *names;
}

/* Numeric kinds, all parsed the same way first. */
static int store_number(const struct wtl_command *command,
                        const struct wtl_option *row,
                        const char *option,
                        void *place,
                        const char *value)
{
    uint64_t number = 0;
    int status;
    if (row->kind == WTL_OPTION_DURATION)
        status = (row->needs_unit ? wtl_option_interval : wtl_option_duration)(
            command, option, value, row->least > 0, &number);
    else
        status = wtl_option_u64(command, option, value, row->least, row->most, &number);
    if (status)
        return status;
    if (row->kind == WTL_OPTION_UNSIGNED)
        *(unsigned *)place = (unsigned)number;
    else if (row->kind == WTL_OPTION_INT)
        *(int *)place = (int)number;
    else
        *(uint64_t *)place = number;
    return 0;
}

/* One of the row's choices. */
static int store_choice(const struct wtl_command *command,
                        const struct wtl_option *row,
                        const char *option,
                        void *place,
                        const char *value)
{
    size_t choice = 0;
    int status = wtl_option_choice(command, option, value, row->choices, &choice);
    if (status)
        return status;
    if (row->kind == WTL_OPTION_SET)
        *(bool *)place = true;
    else
        *(unsigned *)place = (unsigned)choice;
    return 0;
}

static int store_text(const struct wtl_command *command,
                      const struct wtl_option *row,
                      const char *option,
                      void *place,
                      const char *value)
{
    if (row->is_no_stream && value && strcmp(value, "-") == 0)
        return wtl_usage(command, "%s -: cannot write this to standard output; give a file name",
                         option);
    if ((row->is_no_stream || row->is_input) && !(value && value[0]))
        return wtl_usage(command, "%s: the name is empty", option);
    *(const char **)place = value;
    return 0;
}

int wtl_option_store(const struct wtl_command *command,
                     const struct wtl_option *row,
                     void *request,
                     const char *value)
{
    char option[NAME_ROOM];
    void *place = (char *)request + row->place;
    const char *text = value ? value : "";
    (void)snprintf(option, sizeof option, "--%s", row->name);
    switch (row->kind) {
    case WTL_OPTION_CALL:
        return row->take(command, place, value);
    case WTL_OPTION_SET:
    case WTL_OPTION_CHOICE:
        if (row->choices)
            return store_choice(command, row, option, place, text);
        *(bool *)place = true;
        return 0;
    case WTL_OPTION_CLEAR:
        *(bool *)place = false;
        return 0;
    case WTL_OPTION_TEXT:
        return store_text(command, row, option, place, value);
    case WTL_OPTION_LIST:
        if (wtl_words_add(place, value) == 0)
            return 0;
        wtl_complain(command, WTL_NO_MEMORY);
        return command->usage_exit;
    case WTL_OPTION_PERCENT:
        return wtl_option_percent(command, option, text, 0, place);
    default:
        return store_number(command, row, option, place, text);
    }
}

/* An operand: handled here, or left for the line. 0, or the exit status of the error. */
static int take_word(const struct wtl_command *command,
                     void *request,
                     void (*note)(const char *word),
                     const char *word)
{
    if (note && !command->runs_command)
        note(word);
    return command->take_operand ? command->take_operand(command, request, word) : 0;
}

/* Handle what getopt_long found: 0, WTL_GO_ON at the end of the options, or an exit status; *ret_stop =
 * stop here. */
static int read_option(const struct wtl_command *command,
                       int what,
                       char **argv,
                       void *request,
                       void (*note)(const char *word),
                       struct wtl_command_line *line,
                       bool *ret_stop)
{
    if (what == 1 && command->take_operand)
        return take_word(command, request, note, optarg);
    const struct wtl_option *row = what == ':' || what == '?' ? NULL : row_of(command, what);
    if (!row)
        return refuse(command, what, argv[optind - 1]);
    if (row->kind == WTL_OPTION_SHOW) {
        wtl_command_help(command);
        *ret_stop = true;
        return 0;
    }
    line->given |= 1ull << (row - command->options);
    if (row->is_optional && !optarg && argv[optind] && argv[optind][0] != '-')
        optarg = argv[optind++];
    if (note && row->is_input)
        note(optarg);
    return wtl_option_store(command, row, request, row->argument ? optarg : NULL);
}

int wtl_options_read(const struct wtl_command *command,
                     int argc,
                     char **argv,
                     void *request,
                     void (*note)(const char *word),
                     struct wtl_command_line *ret_line)
{
    struct option longs[WTL_MOST_OPTIONS + 1];
    char shorts[2 * WTL_MOST_OPTIONS + 4];
    bool stop = false;
    *ret_line = (struct wtl_command_line){.words = argv + argc};
    fill(command, longs, shorts);
    optind = 0; /* glibc: forget an earlier parse */
    opterr = 0;
    for (int what; (what = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        int status = read_option(command, what, argv, request, note, ret_line, &stop);
        if (stop || status)
            return status;
    }
    ret_line->words = argv + optind;
    ret_line->count = (size_t)(argc - optind);
    for (size_t i = 0; i < ret_line->count; i++) {
        int status = take_word(command, request, note, ret_line->words[i]);
        if (status)
            return status;
    }
    if (ret_line->count > 0 && !command->operands[0])
        return wtl_usage(command, "unexpected argument \"%s\"", ret_line->words[0]);
    return WTL_GO_ON;
}

int wtl_option_duration(const struct wtl_command *command,
                        const char *option,
                        const char *text,
                        bool positive,
                        uint64_t *ret_ns)
{
    uint64_t ns;
    int rc = wtl_parse_duration(text, &ns);
    if (rc == -EOVERFLOW)
        return wtl_usage(command, "%s: \"%s\" is too long", option, text);
    if (rc < 0)
        return wtl_usage(command,
                         "%s: \"%s\" is not a time; write a number with ns, us, ms, s, m, h or d, "
                         "such as 10ms or 1.5s",
                         option, text);
    if (positive && ns == 0)
        return wtl_usage(command, "%s: the time must be more than 0", option);
    *ret_ns = ns;
    return 0;
}

/* No program reads a sensor more often. */
enum { INTERVAL_LEAST_NS = 1000 };

int wtl_option_interval(const struct wtl_command *command,
                        const char *option,
                        const char *text,
                        bool positive,
                        uint64_t *ret_ns)
{
    uint64_t ns;
    if (wtl_parse_interval(text, &ns) == -EDOM)
        return wtl_usage(command, "%s: \"%s\" has no unit; write %sms or %ss", option, text, text,
                         text);
    int status = wtl_option_duration(command, option, text, positive, ret_ns);
    return status == 0 && positive && *ret_ns < INTERVAL_LEAST_NS
               ? wtl_usage(command, "%s: \"%s\" is less than 1us", option, text)
               : status;
}

int wtl_option_u64(const struct wtl_command *command,
                   const char *option,
                   const char *text,
                   uint64_t least,
                   uint64_t most,
                   uint64_t *ret_value)
{
    uint64_t value;
    int rc = wtl_parse_u64(text, &value);
    if (rc == -EINVAL)
        return wtl_usage(command, "%s: \"%s\" is not a whole number", option, text);
    if (rc < 0 || value > most)
        return wtl_usage(command, "%s: %s is more than %llu", option, text,
                         (unsigned long long)most);
    if (value < least)
        return wtl_usage(command, "%s: %s is less than %llu", option, text,
                         (unsigned long long)least);
    *ret_value = value;
    return 0;
}

int wtl_option_percent(const struct wtl_command *command,
                       const char *option,
                       const char *text,
                       double least,
                       double *ret_part)
{
    const char *start = text + (text[0] == '+');
    char number[32];
    size_t n = strlen(start);
    double percent = 0;
    bool sign = n > 0 && start[n - 1] == '%';
    while (sign && n > 1 && start[n - 2] == ' ')
        n--;
    if (!sign || n > sizeof number || (start != text && (start[0] == '-' || start[0] == '+')))
        return wtl_usage(command,
                         "%s: \"%s\" is not a percentage; write a number with %%, such as 2%%",
                         option, text);
    memcpy(number, start, n - 1);
    number[n - 1] = '\0';
    if (wtl_parse_double(number, &percent) < 0)
        return wtl_usage(command,
                         "%s: \"%s\" is not a percentage; write a number with %%, such as 2%%",
                         option, text);
    if (percent / 100 <= least)
        return wtl_usage(command, "%s: it must be more than %g %%", option, least * 100);
    *ret_part = percent / 100;
    return 0;
}

int wtl_option_choice(const struct wtl_command *command,
                      const char *option,
                      const char *text,
                      const char *const *choices,
                      size_t *ret_choice)
{
    char list[256] = "";
    size_t n = 0, used = 0;
    for (; choices[n]; n++) {
        if (strcmp(choices[n], text) == 0) {
            *ret_choice = n;
            return 0;
        }
        const char *before = n == 0 ? "" : choices[n + 1] ? ", " : " or ";
        int more = snprintf(list + used, sizeof list - used, "%s%s", before, choices[n]);
        used += more > 0 && (size_t)more < sizeof list - used ? (size_t)more : 0;
    }
    const char *near = wtl_nearest(text, choices, n);
    if (near)
        return wtl_usage(command, "%s: unknown \"%s\"; did you mean \"%s\"? It is one of %s",
                         option, text, near, list);
    return wtl_usage(command,
                     n == 1 ? "%s: unknown \"%s\"; allowed is %s"
                            : "%s: unknown \"%s\"; it is one of %s",
                     option, text, list);
}

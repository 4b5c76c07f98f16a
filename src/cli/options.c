/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Option tables at work: see options.h. The tables are small, so getopt_long's own form of them is
 * made anew for each scan, on the stack.
 */
#define _GNU_SOURCE
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "cli/inputs.h"

enum { MOST_OPTIONS = 64, HELP_COLUMN = 28, FIRST_ID = 256, NAME_ROOM = 64 };

static const struct wtl_option *row_at(const struct wtl_command *command, size_t i)
{
    return command->options[i].name ? &command->options[i] : NULL;
}

/* As one types it: "wattle stats", "wattle-reduce-mpi". */
static const char *name_of(const struct wtl_command *command, char name[NAME_ROOM])
{
    if (command && command->program)
        return command->program;
    (void)snprintf(name, NAME_ROOM, "wattle%s%.40s", command ? " " : "",
                   command ? command->verb : "");
    return name;
}

bool wtl_stdout_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return ferror(stdout) && poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}

/* A sentence in one write, so that it stays whole beside what a command prints. */
__attribute__((format(printf, 3, 0))) static void tell(const struct wtl_command *command,
                                                       const char *tail,
                                                       const char *format,
                                                       va_list args)
{
    char sentence[1024], name[NAME_ROOM];
    if (wtl_stdout_gone())
        return; /* "| head" has what it wanted */
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    wtl_utf8_clean(sentence); /* names of files and texts of traces are in it */
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

/* The text of an option's help, its further lines under its first. */
static void print_help_text(const char *text)
{
    for (const char *p = text; *p; p++) {
        (void)putchar(*p);
        if (*p == '\n')
            (void)printf("%*s", HELP_COLUMN, "");
    }
    (void)putchar('\n');
}

static void print_option(const struct wtl_option *row)
{
    char left[64];
    int n = row->letter ? snprintf(left, sizeof left, "  -%c, --%s", row->letter, row->name)
                        : snprintf(left, sizeof left, "      --%s", row->name);
    if (row->argument)
        n += snprintf(left + n, sizeof left - (size_t)n, " %s", row->argument);
    if (n + 2 > HELP_COLUMN)
        (void)printf("%s\n%*s", left, HELP_COLUMN, "");
    else
        (void)printf("%-*s", HELP_COLUMN, left);
    print_help_text(row->help);
}

void wtl_command_help(const struct wtl_command *command)
{
    char name[NAME_ROOM];
    (void)printf("Usage: %s [OPTION]...%s%s\n%s\n", name_of(command, name),
                 command->operands[0] ? " " : "", command->operands, command->summary);
    if (command->text)
        (void)printf("\n%s", command->text);
    (void)printf("\nOptions:\n");
    for (size_t i = 0; row_at(command, i); i++)
        print_option(row_at(command, i));
    if (command->examples) {
        (void)printf("\nExamples:\n  ");
        for (const char *p = command->examples; *p; p++) {
            (void)putchar(*p);
            if (*p == '\n' && p[1])
                (void)printf("  ");
        }
    }
}

void wtl_options_init(struct wtl_options *scan,
                      const struct wtl_command *command,
                      int argc,
                      char **argv)
{
    *scan = (struct wtl_options){.command = command, .argc = argc, .argv = argv, .first = true};
}

/* The option table as getopt_long wants it. */
static void fill(const struct wtl_command *command,
                 struct option longs[MOST_OPTIONS + 1],
                 char shorts[2 * MOST_OPTIONS + 4])
{
    char *s = shorts;
    if (command->runs_command || command->operands_in_order)
        *s++ = command->runs_command ? '+' : '-';
    *s++ = ':'; /* a missing argument is told apart from an unknown option */
    size_t i = 0;
    for (const struct wtl_option *row; i < MOST_OPTIONS && (row = row_at(command, i)); i++) {
        longs[i] = (struct option){.name = row->name,
                                   .has_arg = row->argument ? required_argument : no_argument,
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

/* Why getopt_long refused; `given` is the word it was looking at. */
static int refuse(const struct wtl_command *command, int what, const char *given)
{
    if (what == ':') {
        const struct wtl_option *row = row_of(command, optopt);
        return wtl_usage(command, "--%s needs an argument, %s", row ? row->name : "option",
                         row ? row->argument : "VALUE");
    }
    if (optopt >= FIRST_ID) {
        const struct wtl_option *row = row_of(command, optopt);
        return wtl_usage(command, "--%s takes no argument", row ? row->name : "option");
    }
    if (optopt)
        return wtl_usage(command, "unknown option \"-%c\"", optopt);
    char name[64];
    const char *names[MOST_OPTIONS];
    size_t n = 0;
    unsigned matches = 0;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    for (const struct wtl_option *row; n < MOST_OPTIONS && (row = row_at(command, n)); n++) {
        names[n] = row->name;
        matches += strncmp(name, row->name, strlen(name)) == 0;
    }
    if (matches > 1)
        return wtl_usage(command, "\"--%s\" may mean several options; give more of its name", name);
    const char *near = wtl_nearest(name, names, n);
    if (near)
        return wtl_usage(command, "unknown option \"--%s\"; did you mean \"--%s\"?", name, near);
    return wtl_usage(command, "unknown option \"--%s\"", name);
}

/* Options whose value is the name of a file or folder that is read, by their long names. */
static bool names_input(const struct wtl_option *row)
{
    static const char *const names[] = {"noise",     "noise-floor", "against",     "input",
                                        "candidate", "code",        "calibration", "mapping",
                                        "a",         "b",           "sensor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(row->name, names[i]) == 0)
            return true;
    }
    return false;
}

int wtl_options_next(struct wtl_options *scan, const char **ret_value)
{
    struct option longs[MOST_OPTIONS + 1];
    char shorts[2 * MOST_OPTIONS + 4];
    fill(scan->command, longs, shorts);
    if (scan->first) {
        optind = 0; /* glibc: forget an earlier scan */
        opterr = 0;
        scan->first = false;
    }
    int what = getopt_long(scan->argc, scan->argv, shorts, longs, NULL);
    if (what == -1) {
        scan->operand = optind;
        for (int i = optind; i < scan->argc && !scan->command->runs_command; i++)
            wtl_input_note(scan->argv[i]);
        return WTL_OPTIONS_END;
    }
    if (what == 1 && scan->command->operands_in_order) {
        wtl_input_note(optarg);
        *ret_value = optarg;
        return WTL_OPTIONS_OPERAND;
    }
    const struct wtl_option *row = what == ':' || what == '?' ? NULL : row_of(scan->command, what);
    if (!row) {
        scan->exit_code = refuse(scan->command, what, scan->argv[optind - 1]);
        return WTL_OPTIONS_STOP;
    }
    if (row->id == WTL_OPTION_HELP) {
        wtl_command_help(scan->command);
        scan->exit_code = 0;
        return WTL_OPTIONS_STOP;
    }
    *ret_value = row->argument ? optarg : NULL;
    if (*ret_value && names_input(row))
        wtl_input_note(*ret_value);
    scan->row = row;
    return row->id;
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
        return wtl_usage(command, "%s: \"%s\" is too long a time", option, text);
    if (rc < 0)
        return wtl_usage(command,
                         "%s: \"%s\" is not a time; give a number with ns, us, ms, s, m, h or d, "
                         "such as 10ms or 1.5s",
                         option, text);
    if (positive && ns == 0)
        return wtl_usage(command, "%s: the time must be more than 0", option);
    *ret_ns = ns;
    return 0;
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
                         "%s: \"%s\" is not in per cent; give a number with %%, such as 2%%",
                         option, text);
    memcpy(number, start, n - 1);
    number[n - 1] = '\0';
    if (wtl_parse_double(number, &percent) < 0)
        return wtl_usage(command,
                         "%s: \"%s\" is not in per cent; give a number with %%, such as 2%%",
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
                     n == 1 ? "%s: unknown \"%s\"; what it takes is %s"
                            : "%s: unknown \"%s\"; it is one of %s",
                     option, text, list);
}

int wtl_option_format(const struct wtl_command *command,
                      const char *text,
                      enum wtl_format *ret_format)
{
    size_t choice = 0;
    int status = wtl_option_choice(command, "--format", text, wtl_format_names, &choice);
    if (status == 0)
        *ret_format = (enum wtl_format)choice;
    return status;
}

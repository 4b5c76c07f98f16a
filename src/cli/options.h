/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the commands. Each command has one const table; --help is printed from it and
 * getopt_long(3) is fed with it, so that help, man page and completion can be compared with one
 * list. -h/--help is handled here for all and stands in the table like any other option.
 *
 *     struct wtl_options scan;
 *     const char *value;
 *     wtl_options_init(&scan, &command, argc, argv);       argv[0] = the verb
 *     for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
 *         if (id < 0)
 *             return scan.exit_code;                        told, or help printed
 *         ...
 *     }
 *     operands: argv[scan.operand .. argc-1]
 */
#ifndef WTL_CLI_OPTIONS_H
#define WTL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

struct wtl_option {
    int id;               /* of the command's own enum, >= 1; WTL_OPTION_HELP for --help */
    char letter;          /* 'i' for -i; 0 = none */
    const char *name;     /* "interval"; the table ends with NULL */
    const char *argument; /* "DUR"; NULL = takes none */
    const char *help;     /* one sentence without the stop; "\n" breaks the line */
};

struct wtl_command {
    const char *verb;                  /* "stats" */
    int (*run)(int argc, char **argv); /* argv[0] is the verb; the exit status is returned */
    const char *operands;              /* "TRACE..." */
    const char *summary;               /* one line, also for the list of verbs */
    const char *text;                  /* more for --help; NULL = none */
    const struct wtl_option *options;  /* ended by a NULL name */
    const char *examples;              /* lines without indent, ended by "\n" each */
    int usage_exit;                    /* exit status of a usage error: 2; run: 125 */
    bool runs_command;      /* operands are a command: the first ends the options, signals stay */
    const char *program;    /* of its own: "wattle-reduce-mpi"; NULL = a verb of wattle */
    bool operands_in_order; /* operands are handed out between the options, where they stand */
};

enum { WTL_OPTION_HELP = 1000 };
enum { WTL_OPTIONS_END = 0, WTL_OPTIONS_STOP = -1, WTL_OPTIONS_OPERAND = 1001 };

/* What every table has last. */
#define WTL_OPTION_HELP_ROW                                      \
    {                                                            \
        WTL_OPTION_HELP, 'h', "help", NULL, "show this and exit" \
    }

/* The caller's storage; nothing to free. One scan at a time in a process (getopt's own state). */
struct wtl_options {
    const struct wtl_command *command;
    int argc;
    char **argv;
    int exit_code; /* valid after WTL_OPTIONS_STOP */
    int operand;   /* valid after WTL_OPTIONS_END: number of the first operand in argv */
    const struct wtl_option *row; /* of the option that next() gave */
    bool first;
};

void wtl_options_init(struct wtl_options *scan,
                      const struct wtl_command *command,
                      int argc,
                      char **argv);

/*
 * The id of the next option, its argument in *ret_value (NULL when it takes none);
 * WTL_OPTIONS_OPERAND for an operand (operands_in_order; those behind "--" are left); WTL_OPTIONS_END
 * when there is none left; WTL_OPTIONS_STOP when --help was printed or a usage error was told on
 * stderr: return scan->exit_code then.
 */
int wtl_options_next(struct wtl_options *scan, const char **ret_value);

/* Print the command's help on stdout. */
void wtl_command_help(const struct wtl_command *command);

/* Tell a usage error ("wattle VERB: sentence", and where help is): returns command->usage_exit. */
int wtl_usage(const struct wtl_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Tell any other failure ("wattle VERB: sentence"). */
void wtl_complain(const struct wtl_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Arguments of options, strictly. Return 0, or the usage exit status once the sentence that names
 * the option, what was given and what is expected has been printed.
 */
int wtl_option_duration(const struct wtl_command *command,
                        const char *option, /* "--interval" */
                        const char *text,
                        bool positive, /* 0 is refused */
                        uint64_t *ret_ns);
int wtl_option_u64(const struct wtl_command *command,
                   const char *option,
                   const char *text,
                   uint64_t least,
                   uint64_t most,
                   uint64_t *ret_value);
/* A part of something: "1%", "+2.5%", "-3 %"; as a number, 0.01 = 1 %. More than least. */
int wtl_option_percent(const struct wtl_command *command,
                       const char *option,
                       const char *text,
                       double least,
                       double *ret_part);
/* The number of a word in a list ended by NULL ("text", "json", "csv"). */
int wtl_option_choice(const struct wtl_command *command,
                      const char *option,
                      const char *text,
                      const char *const *choices,
                      size_t *ret_choice);

/* --format text|json|csv. */
int wtl_option_format(const struct wtl_command *command,
                      const char *text,
                      enum wtl_format *ret_format);

/* Has the reader of standard output gone away ("| head") before all was written? That is no error to
 * speak of: nothing is printed about it, and the status is that of SIGPIPE. */
bool wtl_stdout_gone(void);

#endif

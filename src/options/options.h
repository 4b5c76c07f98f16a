/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command lines. Each command has one const table of its options: it is used to print --help and to parse the
 * command line, and each row says where in the command's request the value is stored.
 *
 *     struct request { uint64_t interval_ns; const char *output; bool force; };
 *     static const struct wtl_option rows[] = {
 *         {'i', "interval", "DUR", "sample every DUR", WTL_TAKES_DURATION(struct request, interval_ns, 1)},
 *         {'o', "output", "FILE", "write to FILE", WTL_TAKES_TEXT(struct request, output)},
 *         {0, "force", NULL, "overwrite FILE", WTL_SETS(struct request, force)},
 *         WTL_OPTION_HELP, WTL_OPTIONS_END};
 *
 *     struct wtl_command_line line;
 *     int status = wtl_options_read(&command, argc, argv, &request, NULL, &line);
 *     if (status != WTL_GO_ON)
 *         return status;
 *     operands: line.words[0 .. line.count-1]
 */
#ifndef WTL_OPTIONS_OPTIONS_H
#define WTL_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wtl_command;

/* Words of the command line in order. The array is owned, the words belong to argv. */
struct wtl_words {
    const char **items;
    size_t count;
};

/* Append. 0 or -ENOMEM. free(words->items) at the end. */
int wtl_words_add(struct wtl_words *words, const char *word);

enum wtl_option_kind {
    WTL_OPTION_CALL,     /* take() */
    WTL_OPTION_SHOW,     /* --help */
    WTL_OPTION_SET,      /* sets a bool to true; with choices, given as their one word */
    WTL_OPTION_CLEAR,    /* sets a bool to false */
    WTL_OPTION_TEXT,     /* const char * */
    WTL_OPTION_LIST,     /* struct wtl_words, appended */
    WTL_OPTION_DURATION, /* uint64_t in ns, from least to most */
    WTL_OPTION_U64,      /* uint64_t, from least to most */
    WTL_OPTION_UNSIGNED, /* unsigned, likewise */
    WTL_OPTION_INT,      /* int, likewise */
    WTL_OPTION_PERCENT,  /* double, 0.01 for "1%"; more than 0 */
    WTL_OPTION_CHOICE,   /* unsigned or an enum: index of the word in choices */
};

/* For options that no other kind can parse: 0, or the exit status of the error that was printed. `place`
 * points to the field that the row names. */
typedef int wtl_option_take(const struct wtl_command *command, void *place, const char *value);

struct wtl_option {
    char letter;          /* 'i' for -i; 0 = none */
    const char *name;     /* "interval"; the table ends with NULL */
    const char *argument; /* "DUR"; NULL = no argument */
    const char *help;     /* one sentence without a full stop; "\n" breaks the line */
    enum wtl_option_kind kind;
    size_t place; /* offset in the request, bytes */
    uint64_t least, most;
    const char *const *choices; /* NULL-terminated */
    wtl_option_take *take;
    bool is_input;     /* the value is the name of a file to read */
    bool is_no_stream; /* the value is the name of a file or folder: "-" is refused */
    bool needs_unit;   /* for durations: a bare number is refused */
    bool is_optional;  /* the argument may be missing: the value is then NULL; a next word that does
                        * not begin with "-" is the argument */
};

/* Names of types and fields take no parentheses: NOLINTBEGIN(bugprone-macro-parentheses) */
/* The offset of a field, checked to have this type; for an enum, its size is checked. */
#define WTL_PLACE(T, field, type) \
    (offsetof(T, field) + 0 * sizeof(char[_Generic(((T *)0)->field, type : 1, default : -1)]))
#define WTL_ENUM_PLACE(T, field) \
    (offsetof(T, field) + 0 * sizeof(char[sizeof(((T *)0)->field) == sizeof(unsigned) ? 1 : -1]))

#define WTL_SETS(T, field)              .kind = WTL_OPTION_SET, .place = WTL_PLACE(T, field, bool)
#define WTL_CLEARS(T, field)            .kind = WTL_OPTION_CLEAR, .place = WTL_PLACE(T, field, bool)
#define WTL_TAKES_WORD(T, field, words) WTL_SETS(T, field), .choices = (words)
#define WTL_TAKES_TEXT(T, field)        .kind = WTL_OPTION_TEXT, .place = WTL_PLACE(T, field, const char *)
#define WTL_TAKES_INPUT(T, field)       WTL_TAKES_TEXT(T, field), .is_input = true
/* Files that cannot be written to a stream, such as traces; and folders. */
#define WTL_TAKES_FILE(T, field) WTL_TAKES_TEXT(T, field), .is_no_stream = true
#define WTL_TAKES_LIST(T, field) \
    .kind = WTL_OPTION_LIST, .place = WTL_PLACE(T, field, struct wtl_words)
#define WTL_TAKES_DURATION(T, field, from_ns)                                                \
    .kind = WTL_OPTION_DURATION, .place = WTL_PLACE(T, field, uint64_t), .least = (from_ns), \
    .most = UINT64_MAX
/* A sampling interval: a bare "100" is refused, since some users mean milliseconds and some seconds. */
#define WTL_TAKES_INTERVAL(T, field, from_ns) \
    WTL_TAKES_DURATION(T, field, from_ns), .needs_unit = true
#define WTL_TAKES_U64(T, field, from, to) \
    .kind = WTL_OPTION_U64, .place = WTL_PLACE(T, field, uint64_t), .least = (from), .most = (to)
#define WTL_TAKES_UNSIGNED(T, field, from, to)                                            \
    .kind = WTL_OPTION_UNSIGNED, .place = WTL_PLACE(T, field, unsigned), .least = (from), \
    .most = (to)
#define WTL_TAKES_INT(T, field, from, to) \
    .kind = WTL_OPTION_INT, .place = WTL_PLACE(T, field, int), .least = (from), .most = (to)
#define WTL_TAKES_PERCENT(T, field) .kind = WTL_OPTION_PERCENT, .place = WTL_PLACE(T, field, double)
#define WTL_TAKES_CHOICE(T, field, words) \
    .kind = WTL_OPTION_CHOICE, .place = WTL_ENUM_PLACE(T, field), .choices = (words)
#define WTL_CALLS(T, field, function) \
    .kind = WTL_OPTION_CALL, .place = offsetof(T, field), .take = (function)
/* The function takes the whole request. */
#define WTL_CALLS_WITH_ALL(function) .kind = WTL_OPTION_CALL, .take = (function)

/* NOLINTEND(bugprone-macro-parentheses) */

/* The last rows of every table. */
#define WTL_OPTION_HELP                                                                           \
    {                                                                                             \
        .letter = 'h', .name = "help", .help = "show this help and exit", .kind = WTL_OPTION_SHOW \
    }
#define WTL_OPTIONS_END \
    {                   \
        .name = NULL    \
    }

struct wtl_command {
    const char *verb;                  /* "stats" */
    int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit status */
    const char *operands;              /* "TRACE..."; "" = no operands */
    const char *summary;               /* one line, also for the list of verbs */
    const char *text;                  /* additional text for --help; NULL = none */
    const struct wtl_option *options;
    const char *examples; /* lines without indentation, each ended by "\n" */
    int usage_exit;       /* exit status of a usage error: 2; run: 125 */
    bool runs_command;    /* operands are a command: the first one ends the options, signals are
                             left alone */
    bool takes_signals;   /* handles signals itself; others follow the rule in main */
    const char *program;  /* a separate program: "wattle-reduce-mpi"; NULL = a verb of wattle */
    /* For operands that belong to the options before them: called for each operand in order, with the
     * request. NULL = operands are left in wtl_command_line. */
    wtl_option_take *take_operand;
};

/* A parsed command line. */
struct wtl_command_line {
    char **words; /* the operands, from argv */
    size_t count;
    uint64_t given; /* bit n = row n of the table was given */
};

enum { WTL_GO_ON = -1, WTL_MOST_OPTIONS = 64 };

/*
 * Parse a command line into *request, which holds the defaults. Returns WTL_GO_ON; else the exit status,
 * after --help or an error was printed. note (or NULL) is called with each operand and each value that may
 * name an input. One call at a time per process (getopt has global state). The strings in *request belong to
 * argv.
 */
int wtl_options_read(const struct wtl_command *command,
                     int argc,
                     char **argv,
                     void *request,
                     void (*note)(const char *word),
                     struct wtl_command_line *ret_line);

/* Store one value as the command line would for this row. 0, or the exit status of the error that was
 * printed. */
int wtl_option_store(const struct wtl_command *command,
                     const struct wtl_option *row,
                     void *request,
                     const char *value);

/* The row with this name; NULL = none. */
const struct wtl_option *wtl_option_find(const struct wtl_option *rows, const char *name);

/* Whether this option was given. The name must be in the table. */
bool wtl_option_given(const struct wtl_command *command,
                      const struct wtl_command_line *line,
                      const char *name);

/* The first of these names (NULL-terminated) that was given, or NULL. */
const char *wtl_option_first_given(const struct wtl_command *command,
                                   const struct wtl_command_line *line,
                                   const char *const *names);

/* Print the command's help on stdout. */
void wtl_command_help(const struct wtl_command *command);

/* Print a usage error ("wattle VERB: sentence", and how to get help); returns command->usage_exit. */
int wtl_usage(const struct wtl_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Print any other error ("wattle VERB: sentence"). */
void wtl_complain(const struct wtl_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Parse arguments of options, strictly. Return 0, or the usage exit status after printing the option's name,
 * the given value and what is expected.
 */
int wtl_option_duration(const struct wtl_command *command,
                        const char *option, /* "--interval" */
                        const char *text,
                        bool positive, /* 0 is refused */
                        uint64_t *ret_ns);
/* A sampling interval: likewise, but a bare number is refused with its two likely meanings. */
int wtl_option_interval(const struct wtl_command *command,
                        const char *option,
                        const char *text,
                        bool positive,
                        uint64_t *ret_ns);
int wtl_option_u64(const struct wtl_command *command,
                   const char *option,
                   const char *text,
                   uint64_t least,
                   uint64_t most,
                   uint64_t *ret_value);
/* A percentage: "1%", "+2.5%", "-3 %"; as a number, 0.01 = 1 %. Must exceed least. */
int wtl_option_percent(const struct wtl_command *command,
                       const char *option,
                       const char *text,
                       double least,
                       double *ret_part);
/* Index of a word in a NULL-terminated list ("text", "json", "csv"). */
int wtl_option_choice(const struct wtl_command *command,
                      const char *option,
                      const char *text,
                      const char *const *choices,
                      size_t *ret_choice);

/* Exit status of a verb that failed: `status`, or 128 + SIGPIPE if the reason is a reader that closed its
 * pipe. */
int wtl_exit_failed(int status);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command lines. Each command has one const table of its options: --help is printed from it, the
 * command line is read by it, and a row says where in the command's request its value goes.
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

/* Words of the command line in their order. The array is owned, the words are argv's. */
struct wtl_words {
    const char **items;
    size_t count;
};

/* Append. 0 or -ENOMEM. free(words->items) at the end. */
int wtl_words_add(struct wtl_words *words, const char *word);

enum wtl_option_kind {
    WTL_OPTION_CALL,     /* take() */
    WTL_OPTION_SHOW,     /* --help */
    WTL_OPTION_SET,      /* a bool becomes true; with choices, by their one word */
    WTL_OPTION_CLEAR,    /* a bool becomes false */
    WTL_OPTION_TEXT,     /* const char * */
    WTL_OPTION_LIST,     /* struct wtl_words, appended */
    WTL_OPTION_DURATION, /* uint64_t in ns, from least to most */
    WTL_OPTION_U64,      /* uint64_t, from least to most */
    WTL_OPTION_UNSIGNED, /* unsigned, likewise */
    WTL_OPTION_INT,      /* int, likewise */
    WTL_OPTION_PERCENT,  /* double, 0.01 for "1%"; more than 0 */
    WTL_OPTION_CHOICE,   /* unsigned or an enum: the number of the word in choices */
};

/* An option that none of the kinds can read: 0, or the exit status of the error that was printed. `place` points to what the row
 * names. */
typedef int wtl_option_take(const struct wtl_command *command, void *place, const char *value);

struct wtl_option {
    char letter;          /* 'i' for -i; 0 = none */
    const char *name;     /* "interval"; the table ends with NULL */
    const char *argument; /* "DUR"; NULL = takes none */
    const char *help;     /* one sentence without the stop; "\n" breaks the line */
    enum wtl_option_kind kind;
    size_t place; /* in the request, bytes */
    uint64_t least, most;
    const char *const *choices; /* ended by NULL */
    wtl_option_take *take;
    bool is_input;     /* the value names a file that is read */
    bool is_no_stream; /* the value names a file or a folder: "-" is refused */
    bool needs_unit;   /* of durations: a bare number is refused */
};

/* Names of types and fields take no parentheses: NOLINTBEGIN(bugprone-macro-parentheses) */
/* The offset of a field, which must have this type; of an enum, the size of one. */
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
/* A time between samples: "100" is refused, since some mean milliseconds and some seconds. */
#define WTL_TAKES_INTERVAL(T, field) WTL_TAKES_DURATION(T, field, 1), .needs_unit = true
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

/* What every table has last. */
#define WTL_OPTION_HELP                                                                      \
    {                                                                                        \
        .letter = 'h', .name = "help", .help = "show this and exit", .kind = WTL_OPTION_SHOW \
    }
#define WTL_OPTIONS_END \
    {                   \
        .name = NULL    \
    }

struct wtl_command {
    const char *verb;                  /* "stats" */
    int (*run)(int argc, char **argv); /* argv[0] is the verb; the exit status is returned */
    const char *operands;              /* "TRACE..."; "" = none are taken */
    const char *summary;               /* one line, also for the list of verbs */
    const char *text;                  /* more for --help; NULL = none */
    const struct wtl_option *options;
    const char *examples; /* lines without indent, ended by "\n" each */
    int usage_exit;       /* exit status of a usage error: 2; run: 125 */
    bool runs_command;    /* operands are a command: the first ends the options, signals stay */
    bool takes_signals;   /* it ends by them as it chooses; others by main's rule */
    const char *program;  /* of its own: "wattle-reduce-mpi"; NULL = a verb of wattle */
    /* Where operands belong to the options before them: each of them in its place, with the request. NULL = they
     * are left for wtl_command_line. */
    wtl_option_take *take_operand;
};

/* What was on a command line. */
struct wtl_command_line {
    char **words; /* the operands, of argv */
    size_t count;
    uint64_t given; /* bit n = row n of the table was there */
};

enum { WTL_GO_ON = -1, WTL_MOST_OPTIONS = 64 };

/*
 * Read a command line into *request, which holds the defaults. WTL_GO_ON; else the exit status, all being said: --help was
 * printed, or an error. note (or NULL) is called with each operand and each value that may name an input.
 * One at a time in a process (getopt's own state). The texts in *request are argv's.
 */
int wtl_options_read(const struct wtl_command *command,
                     int argc,
                     char **argv,
                     void *request,
                     void (*note)(const char *word),
                     struct wtl_command_line *ret_line);

/* Store one value by a row, as the command line does. 0, or the exit status of the error that was printed. */
int wtl_option_store(const struct wtl_command *command,
                     const struct wtl_option *row,
                     void *request,
                     const char *value);

/* The row of this name; NULL = none. */
const struct wtl_option *wtl_option_find(const struct wtl_option *rows, const char *name);

/* Was this option given? The name must be in the table. */
bool wtl_option_given(const struct wtl_command *command,
                      const struct wtl_command_line *line,
                      const char *name);

/* The first of these names (ended by NULL) that was given, or NULL. */
const char *wtl_option_first_given(const struct wtl_command *command,
                                   const struct wtl_command_line *line,
                                   const char *const *names);

/* Print the command's help on stdout. */
void wtl_command_help(const struct wtl_command *command);

/* Print a usage error ("wattle VERB: sentence", and where help is): returns command->usage_exit. */
int wtl_usage(const struct wtl_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Print any other error ("wattle VERB: sentence"). */
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

/*
 * Has the reader of standard output, or of another pipe that was flushed, closed it ("| head") before everything was written?
 * That ends a program quietly: wtl_complain() prints nothing, and wtl_exit_failed() is the status.
 */
bool wtl_reader_gone(void);

/* The status of a verb that failed: `status`, or 128 + SIGPIPE where the reason is a reader that closed its pipe. */
int wtl_exit_failed(int status);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the verbs: options/options.h, with the formats of a result and the inputs that no output may replace. */
#ifndef WTL_CLI_VERB_H
#define WTL_CLI_VERB_H

#include "cli/inputs.h"
#include "options/options.h"
#include "report/report.h"

/* --format text|json|csv. */
#define WTL_OPTION_FORMAT(T, field)                                                         \
    {                                                                                       \
        .name = "format", .argument = "FORMAT", .help = "text, json or csv (default text)", \
        WTL_TAKES_CHOICE(T, field, wtl_format_names)                                        \
    }

/* -v: text with everything that is known. */
#define WTL_OPTION_VERBOSE(T, field)                                                               \
    {                                                                                              \
        'v', "verbose", NULL,                                                                      \
            "also print energy x time, memory, gaps, what the\ntotal leaves out, and the cost of " \
            "wattle itself",                                                                       \
            WTL_SETS(T, field)                                                                     \
    }

/* wtl_options_read() for a verb: its operands, and options that name inputs, are noted as such. */
static inline int wtl_command_read(const struct wtl_command *command,
                                   int argc,
                                   char **argv,
                                   void *request,
                                   struct wtl_command_line *ret_line)
{
    return wtl_options_read(command, argc, argv, request, wtl_input_note, ret_line);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle import": from the command line and from mapping files with the same options, one
 * per line (docs/format/import.md). */
#ifndef WTL_CLI_IMPORT_OPTIONS_H
#define WTL_CLI_IMPORT_OPTIONS_H

#include <stdbool.h>

#include "cli/verb.h"
#include "exchange/import/import.h"

struct wtl_import_request {
    struct wtl_import_options import;
    const char *output;
    const char *save_format;
    bool force, dry_run, strict, list_formats;
    bool brief; /* one of many: a line of report */
    enum wtl_format format;
    /* owned: */
    struct wtl_words columns, shifts, split, meta, ignore, only, texts;
};

extern const struct wtl_option wtl_import_table_of_options[];

/* Returns WTL_GO_ON, or the exit status after a message. Call wtl_import_request_fini() in any case. */
int wtl_import_request_parse(struct wtl_import_request *request, int argc, char **argv);
void wtl_import_request_fini(struct wtl_import_request *request);

#endif

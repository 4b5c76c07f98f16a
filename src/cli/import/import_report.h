/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of an import: files, the mapping of their columns, faults. */
#ifndef WTL_CLI_IMPORT_REPORT_H
#define WTL_CLI_IMPORT_REPORT_H

#include <stdio.h>

#include "exchange/import/import.h"
#include "report/report.h"

/* trace NULL: none was written. 0 or -ENOMEM. */
int wtl_import_print_text(FILE *out, const struct wtl_import *import, const char *trace);
int wtl_import_print_json(FILE *out, const struct wtl_import *import, const char *trace);

/* Of one of many: a line, and its faults. */
int wtl_import_print_line(FILE *out, const struct wtl_import *import, const char *trace);

#endif

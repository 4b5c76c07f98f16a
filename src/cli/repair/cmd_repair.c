/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle repair": add the footer to traces that were cut off, and report what was recovered. */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/documents.h"
#include "cli/run_words.h"
#include "exchange/row_writer.h"
#include "measure/left_regions.h"
#include "record/spool/spool_file.h"
#include "record/spool/spool_merge.h"
#include "report/digits.h"
#include "report/report.h"
#include "report/table.h"
#include "trace/repair.h"

enum { COLUMNS = 9 };

const char *const wtl_repair_columns[] = {"trace",     "state",   "rows",  "blocks",  "span_s",
                                          "cut_bytes", "damaged", "marks", "failure", NULL};

struct repair_request {
    enum wtl_format format;
};

static const struct wtl_option options_table[] = {
    WTL_OPTION_FORMAT(struct repair_request, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* What the processes of a run left in TRACE.d. */
struct left {
    char folder[4096];
    struct wtl_spool_merge *merge;
    struct wtl_spool_merge_report report;
    struct wattle_error err;
    bool taken; /* it was added to the trace, as far as readable */
};

static void print_text(const char *path,
                       const struct wtl_trace_repair *repair,
                       const struct left *left)
{
    char time[64];
    if (repair->had_footer) {
        wtl_print_sentence(stdout, "%s: already complete\n", path);
        return;
    }
    wtl_print_sentence(stdout, "%s: footer %s; %llu rows in %llu blocks", path,
                       repair->reopened ? "rewritten" : "added", (unsigned long long)repair->rows,
                       (unsigned long long)repair->blocks);
    if (repair->last_ns > repair->first_ns)
        (void)printf(" over %s",
                     wtl_digits_time(time, sizeof time,
                                     (double)(repair->last_ns - repair->first_ns) * 1e-9));
    if (repair->cut_bytes)
        (void)printf("; the last block was incomplete, %llu bytes lost",
                     (unsigned long long)repair->cut_bytes);
    if (repair->damaged)
        (void)printf("; %llu unreadable stretch%s counted as gaps",
                     (unsigned long long)repair->damaged, repair->damaged == 1 ? "" : "es");
    if (left->taken)
        (void)printf("; added %llu marks of %llu process%s", (unsigned long long)left->report.marks,
                     (unsigned long long)left->report.spools, left->report.spools == 1 ? "" : "es");
    if (left->report.bad)
        wtl_print_sentence(stdout, "; %llu file%s in %s cannot be read and were kept",
                           (unsigned long long)left->report.bad, left->report.bad == 1 ? "" : "s",
                           left->folder);
    (void)putchar('\n');
}

static void print_row(struct wtl_row_writer *sheet,
                      const char *path,
                      const struct wtl_trace_repair *repair,
                      const struct left *left,
                      const char *failure)
{
    bool known = !failure;
    double span_s = (double)(repair->last_ns - repair->first_ns) * 1e-9;
    const struct wtl_cell none = wtl_cell_text(NULL);
    const struct wtl_cell cells[] = {wtl_cell_text(path),
                                     wtl_cell_text(failure              ? "failed"
                                                   : repair->had_footer ? "complete"
                                                                        : "repaired"),
                                     known ? wtl_cell_count(repair->rows) : none,
                                     known ? wtl_cell_count(repair->blocks) : none,
                                     known ? wtl_cell_number(span_s, -9) : none,
                                     known ? wtl_cell_count(repair->cut_bytes) : none,
                                     known ? wtl_cell_count(repair->damaged) : none,
                                     known ? wtl_cell_count(left->report.marks) : none,
                                     wtl_cell_text(failure)};
    wtl_row_writer_row(sheet, cells, COLUMNS);
}

static int take_in(void *context, struct wtl_trace_reader *reader, struct wtl_trace_writer *writer)
{
    struct left *left = context;
    int rc = wtl_left_regions_take_in(left->merge, reader, writer, &left->report, &left->err);
    left->taken = rc == 0;
    return rc;
}

/* The folder in which the processes of this run left their regions. A trace that cannot be read has none; repair reports why. */
static void find_left(const char *path, struct left *left)
{
    struct wtl_trace_reader *reader;
    int n = snprintf(left->folder, sizeof left->folder, "%s.d", path);
    if (n < 0 || n >= (int)sizeof left->folder || access(left->folder, F_OK) < 0 ||
        wtl_trace_reader_open(path, &reader, NULL) < 0)
        return;
    if (wtl_spool_folder_of(path, reader, left->folder, sizeof left->folder) == 0)
        (void)wtl_spool_merge_open(left->folder, &left->merge,
                                   NULL); /* otherwise nothing can be added */
    wtl_trace_reader_close(reader);
}

/* Repair one trace, with the regions in its folder. */
static int repair_one(const char *path,
                      struct left *left,
                      struct wtl_trace_repair *repair,
                      struct wattle_error *err)
{
    *left = (struct left){0};
    find_left(path, left);
    bool any = left->merge && wtl_spool_merge_count(left->merge) > 0;
    int rc = wtl_trace_repair_with(path, any ? take_in : NULL, left, repair, err);
    if (rc == 0 && left->merge && (left->taken || !any))
        (void)wtl_spool_merge_remove(left->merge); /* leftovers are already in the trace */
    else if (rc == 0 && any)
        wtl_complain(&wtl_repair_command,
                     "%s holds regions of processes that ended before wattle could add them; the "
                     "trace %s, so the folder is kept",
                     left->folder,
                     repair->had_footer ? "is complete" : "is damaged and holds part of them");
    wtl_spool_merge_close(left->merge);
    left->merge = NULL;
    return rc;
}

/* Returns the exit status. */
static int repair_all(char **paths, size_t count, enum wtl_format format)
{
    struct wtl_row_writer sheet;
    int status = WTL_EXIT_OK;
    if (format != WTL_FORMAT_TEXT) {
        wtl_row_writer_begin(&sheet, stdout,
                             format == WTL_FORMAT_JSON ? WTL_ROW_WRITER_JSON : WTL_ROW_WRITER_CSV,
                             false, "repair");
        wtl_row_writer_columns(&sheet, wtl_repair_columns, COLUMNS);
    }
    for (size_t i = 0; i < count; i++) {
        struct wtl_trace_repair repair = {0};
        struct wattle_error err = {""};
        struct left left;
        int rc = repair_one(paths[i], &left, &repair, &err);
        if (rc < 0) {
            wtl_complain(&wtl_repair_command, "%s", err.text);
            status = WTL_EXIT_FAILED;
        }
        if (format != WTL_FORMAT_TEXT)
            print_row(&sheet, paths[i], &repair, &left, rc < 0 ? err.text : NULL);
        else if (rc == 0)
            print_text(paths[i], &repair, &left);
    }
    if (format != WTL_FORMAT_TEXT)
        wtl_row_writer_end(&sheet);
    return status;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_repair_command;
    struct wtl_command_line line;
    struct repair_request request = {.format = WTL_FORMAT_TEXT};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count == 0)
        return wtl_usage(command, "no trace given");
    struct wtl_trace_list traces = {0};
    struct wattle_error err = {""};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < line.count; i++)
        rc = wtl_trace_list_add(&traces, line.words[i], &err);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    else
        wtl_say_left_out(command, &traces);
    status = rc < 0 ? WTL_EXIT_FAILED : repair_all(traces.paths, traces.count, request.format);
    wtl_trace_list_fini(&traces);
    return status;
}

const struct wtl_command wtl_repair_command = {
    .verb = "repair",
    .run = run,
    .operands = "TRACE|DIR...",
    .summary = "repair traces cut off by a crash or a full disk",
    .text = "Adds the missing end of the file, and the regions that the command's processes\nleft "
            "in TRACE.d. Data in the file is kept; a complete trace changes only if\nsuch regions "
            "exist. Other verbs also read unrepaired traces, only more slowly.\n",
    .options = options_table,
    .examples = "wattle repair wattle-node1-20260101-120000-4711.wtl\n"
                "wattle repair --format json *.wtl\n",
    .usage_exit = WTL_EXIT_USAGE,
};

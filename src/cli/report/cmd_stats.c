/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle stats": the result of runs from their traces, as "wattle run" printed it. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/cluster/run.h"
#include "analysis/regions/mpi_time.h"
#include "analysis/traces/results.h"
#include "base/fail.h"
#include "base/flush.h"
#include "cli/run_words.h"
#include "model/quality.h"
#include "report/cluster/run_report.h"
#include "report/json_value.h"
#include "report/report.h"
#include "report/result/counter_text.h"
#include "report/result/json_result.h"
#include "report/result/mpi.h"
#include "report/result/regions.h"
#include "report/result/text_result.h"

struct stats {
    enum wtl_format format;
    bool regions, repeats, verbose;
    struct wtl_result *results;
    size_t count;
};

static const struct wtl_option options_table[] = {
    WTL_OPTION_FORMAT(struct stats, format),
    {0, "regions", NULL, "also print the energy of each region (csv: only)",
     WTL_SETS(struct stats, regions)},
    {0, "repeats", NULL,
     "treat the traces as repeats of one measurement:\nprint means and their spread",
     WTL_SETS(struct stats, repeats)},
    WTL_OPTION_VERBOSE(struct stats, verbose),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static struct wtl_style style_of(const struct stats *stats)
{
    struct wtl_style style = wtl_style_of(stdout);
    style.verbose = stats->verbose;
    return style;
}

/* Time and energy in MPI calls, for a trace with ranks. */
static int print_mpi(FILE *out, const struct stats *stats, size_t i, struct wattle_error *err)
{
    struct wtl_style style = style_of(stats);
    struct wtl_mpi_time mpi;
    int rc = wtl_mpi_time_read(&stats->results[i], &mpi, err);
    if (rc < 0)
        return rc;
    rc = wtl_text_mpi(out, &style, &stats->results[i], &mpi, stats->regions);
    wtl_mpi_time_fini(&mpi);
    return rc < 0 ? wtl_no_memory(err) : 0;
}

/* The run of an argument; NULL: a single trace. */
static int open_run(const char *name, struct wtl_run **ret_run, struct wattle_error *err)
{
    char *const words[] = {(char *)(uintptr_t)name};
    *ret_run = NULL;
    return wtl_run_name_is_run(name) ? wtl_run_open(words, 1, NULL, ret_run, err) : 0;
}

static int print_nodes(FILE *out,
                       const char *path,
                       const struct wtl_style *style,
                       struct wattle_error *err)
{
    struct wtl_run *run;
    int rc = open_run(path, &run, err);
    if (rc == 0 && run && (rc = wtl_text_run_nodes(out, style, run)) < 0)
        (void)wtl_no_memory(err);
    wtl_run_close(run);
    return rc;
}

static int print_regions(FILE *out, const struct stats *stats, size_t i, struct wattle_error *err)
{
    struct wtl_style style = style_of(stats);
    struct wtl_region_table table;
    int rc = wtl_region_table_open(&stats->results[i], &table, err);
    if (rc < 0)
        return rc;
    rc = wtl_text_regions(out, &style, &table);
    wtl_region_table_close(&table);
    return rc < 0 ? wtl_no_memory(err) : 0;
}

static int print_counters(FILE *out, const struct stats *stats, size_t i, struct wattle_error *err)
{
    struct wtl_style style = style_of(stats);
    struct wtl_counter_table table;
    int rc = wtl_counter_table_open(&stats->results[i], NULL, stats->regions, &table, err);
    if (rc < 0)
        return rc;
    rc = wtl_text_counters(out, &style, &table);
    wtl_counter_table_close(&table);
    return rc < 0 ? wtl_no_memory(err) : 0;
}

/* Nodes, ranks, regions and counters. */
static int print_parts(FILE *out, const struct stats *stats, size_t i, struct wattle_error *err)
{
    const char *trace = stats->results[i].trace;
    struct wtl_style style = style_of(stats);
    int rc = wtl_run_name_is_run(trace) ? print_nodes(out, trace, &style, err)
                                        : print_mpi(out, stats, i, err);
    if (rc == 0 && stats->regions)
        rc = print_regions(out, stats, i, err);
    return rc < 0 ? rc : print_counters(out, stats, i, err);
}

/* A result and its parts; the next command comes last. */
static int print_trace(const struct stats *stats, size_t i, struct wattle_error *err)
{
    struct wtl_style style = style_of(stats);
    char *parts = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&parts, &size);
    if (!out)
        return wtl_no_memory(err);
    int rc = print_parts(out, stats, i, err);
    if (fclose(out) != 0 && rc == 0)
        rc = wtl_no_memory(err);
    if (wtl_text_result(stdout, &style, &stats->results[i], NULL) < 0 && rc == 0)
        rc = wtl_no_memory(err);
    if (size > 0)
        (void)fprintf(stdout, "\n%s", parts);
    wtl_text_next(stdout, stats->results[i].trace);
    free(parts);
    return rc;
}

static int print_text(const struct stats *stats, struct wattle_error *err)
{
    struct wtl_style style = style_of(stats);
    int rc = 0;
    if (stats->repeats)
        return wtl_report_results(stdout, WTL_FORMAT_TEXT, stats->results, stats->count, &style,
                                  err);
    for (size_t i = 0; i < stats->count && rc == 0; i++) {
        if (i > 0)
            (void)fputc('\n', stdout);
        rc = print_trace(stats, i, err);
    }
    int flushed = wtl_flush(stdout, err);
    return rc < 0 ? rc : flushed;
}

/* The document of trace i, with its regions; NULL with err set, or if out of memory. */
static json_t *document_of(const struct stats *stats, size_t i, struct wattle_error *err)
{
    const struct wtl_result *result = &stats->results[i];
    struct wtl_region_table regions = {0};
    struct wtl_json document = {.json = NULL};
    struct wtl_mpi_time mpi = {.count = 0};
    struct wtl_counter_table counters;
    struct wtl_run *run = NULL;
    int rc = wtl_counter_table_open(result, NULL, stats->regions, &counters, err);
    rc = rc < 0 ? rc : open_run(result->trace, &run, err);
    if (rc == 0 && !run)
        rc = wtl_mpi_time_read(result, &mpi, err);
    if (rc == 0 && stats->regions)
        rc = wtl_region_table_open(result, &regions, err);
    if (rc == 0) {
        document.json = wtl_json_results_value(result, 1, stats->regions ? &regions : NULL,
                                               mpi.count > 0 ? &mpi : NULL,
                                               counters.set.column_count > 0 ? &counters : NULL);
        if (run)
            wtl_json_set(&document, "nodes", wtl_json_run_nodes(run));
        wtl_region_table_close(&regions);
    }
    wtl_mpi_time_fini(&mpi);
    wtl_counter_table_close(&counters);
    wtl_run_close(run);
    return wtl_json_done(&document);
}

static int print_json(const struct stats *stats, struct wattle_error *err)
{
    json_t *document;
    if (stats->repeats) {
        document = wtl_json_results_value(stats->results, stats->count, NULL, NULL, NULL);
    } else if (stats->count == 1) {
        document = document_of(stats, 0, err);
    } else {
        struct wtl_json all = wtl_json_document("wattle.stats/1"), list = wtl_json_array();
        for (size_t i = 0; i < stats->count; i++)
            wtl_json_add(&list, document_of(stats, i, err));
        wtl_json_set(&all, "results", wtl_json_done(&list));
        document = wtl_json_done(&all);
    }
    if (!document)
        return err->text[0] ? -EIO : wtl_no_memory(err);
    (void)wtl_json_print(stdout, document);
    return wtl_flush(stdout, err);
}

static int print_csv(const struct stats *stats, struct wattle_error *err)
{
    struct wtl_row_writer sheet;
    struct wtl_region_table table;
    if (!stats->regions)
        return wtl_report_results(stdout, WTL_FORMAT_CSV, stats->results, stats->count, NULL, err);
    size_t columns = wtl_csv_regions_begin(&sheet, stdout);
    for (size_t i = 0; i < stats->count; i++) {
        int rc = wtl_region_table_open(&stats->results[i], &table, err);
        if (rc < 0)
            return rc;
        wtl_csv_regions(&sheet, columns, i + 1, &table);
        wtl_region_table_close(&table);
    }
    return wtl_flush(stdout, err);
}

static int print(const struct stats *stats, struct wattle_error *err)
{
    if (stats->format == WTL_FORMAT_TEXT)
        return print_text(stats, err);
    return stats->format == WTL_FORMAT_JSON ? print_json(stats, err) : print_csv(stats, err);
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_stats_command;
    struct wtl_command_line line;
    struct stats stats = {.format = WTL_FORMAT_TEXT};
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &stats, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count == 0)
        return wtl_usage(command, "no trace given");
    if (stats.regions && stats.repeats)
        return wtl_usage(command, "--regions cannot be used with --repeats");
    /* All are read before printing, so that nothing is printed if one is not a trace. */
    struct wtl_trace_list names;
    int rc = wtl_run_words(command, line.words, line.count, stats.repeats, &names, &err);
    stats.count = names.count;
    rc = rc < 0 ? rc : wtl_run_results_read(names.paths, stats.count, &stats.results, &err);
    rc = rc < 0 ? rc : print(&stats, &err);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    wtl_run_results_free(stats.results, stats.count);
    wtl_trace_list_fini(&names);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_stats_command = {
    .verb = "stats",
    .run = run,
    .operands = "TRACE|DIR...",
    .summary = "print the result of a run from its trace",
    .text = "Prints the same numbers as \"wattle run\". An incomplete trace (cut off or "
            "still\nbeing written) shows what it holds so far. A run file of \"wattle reduce\" "
            "shows\nthe sum over its nodes, and each node.\n",
    .options = options_table,
    .examples = "wattle stats app.wtl\n"
                "wattle stats --regions app.wtl\n"
                "wattle stats --repeats app-1.wtl app-2.wtl app-3.wtl\n"
                "wattle stats --format json app.wtl | jq .total.energy_j\n",
    .usage_exit = WTL_EXIT_USAGE,
};

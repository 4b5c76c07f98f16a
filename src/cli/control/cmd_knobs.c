/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle knobs": the settings of this machine that change power and speed. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/commands.h"
#include "cli/documents.h"
#include "control/knob.h"
#include "exchange/row_writer.h"
#include "report/table.h"

struct knobs_request {
    const char *host;
    enum wtl_format format;
    bool verbose;
};

static const struct wtl_option options_table[] = {
    WTL_OPTION_FORMAT(struct knobs_request, format),
    {'v', "verbose", NULL, "one line per knob, also where all CPUs are alike",
     WTL_SETS(struct knobs_request, verbose)},
    {0, "host", "DIR", "show a recorded host instead of this machine",
     WTL_TAKES_TEXT(struct knobs_request, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* "1.2 GHz to 3.5 GHz", or the words. */
static void describe_range(const struct wtl_knob *knob, char *text, size_t n)
{
    char low[WTL_KNOB_TEXT] = "", high[WTL_KNOB_TEXT] = "", raw[32];
    if (knob->row->kind <= WTL_KNOB_TURBO_CPU) {
        (void)snprintf(text, n, "on, off");
        return;
    }
    if (!isnan(knob->least)) {
        (void)snprintf(raw, sizeof raw, "%.0f", knob->least);
        wtl_knob_show(knob->row, raw, low, sizeof low);
    }
    if (!isnan(knob->most)) {
        (void)snprintf(raw, sizeof raw, "%.0f", knob->most);
        wtl_knob_show(knob->row, raw, high, sizeof high);
    }
    bool words = knob->row->scale <= 0 || (!low[0] && !high[0]);
    if (words)
        (void)snprintf(text, n, "%s", knob->choices);
    else if (low[0] && high[0])
        (void)snprintf(text, n, "%s to %s", low, high);
    else
        (void)snprintf(text, n, "%s%s", low[0] ? "from " : "up to ", low[0] ? low : high);
}

/* Whether two knobs have the same line but for their place. */
static bool alike(const struct wtl_knob *a, const struct wtl_knob *b)
{
    char of_a[WTL_KNOB_CHOICES], of_b[WTL_KNOB_CHOICES];
    describe_range(a, of_a, sizeof of_a);
    describe_range(b, of_b, sizeof of_b);
    return a->row == b->row && a->row->scope == WTL_SCOPE_POLICY &&
           strcmp(a->value, b->value) == 0 && a->write_error == b->write_error &&
           a->read_error == b->read_error && strcmp(of_a, of_b) == 0;
}

/* The CPUs of all knobs that are alike. */
static struct wtl_cpu_set join(const struct wtl_knob_list *knobs,
                               size_t first,
                               bool each,
                               bool *done)
{
    struct wtl_cpu_set cpus = knobs->sets[knobs->items[first].cpus];
    for (size_t i = first + 1; i < knobs->count && !each; i++) {
        if (done[i] || !alike(&knobs->items[first], &knobs->items[i]))
            continue;
        done[i] = true;
        for (size_t k = 0; k < sizeof cpus.bits; k++)
            cpus.bits[k] |= knobs->sets[knobs->items[i].cpus].bits[k];
    }
    return cpus;
}

static void add_row(struct wtl_table *table,
                    const struct wtl_knob *knob,
                    const struct wtl_cpu_set *cpus,
                    bool each)
{
    char list[128], value[WTL_KNOB_TEXT], range[WTL_KNOB_CHOICES], why[128];
    bool alone = each || knob->row->scope != WTL_SCOPE_POLICY;
    wtl_cpu_set_without(cpus, NULL, list, sizeof list);
    wtl_knob_show(knob->row, knob->value, value, sizeof value);
    describe_range(knob, range, sizeof range);
    wtl_knob_why(knob, why, sizeof why);
    const char *cells[] = {alone ? knob->id : knob->row->name, list, value[0] ? value : "-",
                           range[0] ? range : "-", why[0] ? why : "yes"};
    wtl_table_row(table, why[0] ? WTL_FAINT : WTL_PLAIN, cells);
}

static int print_text(const struct wtl_knob_list *knobs, bool each)
{
    static const struct wtl_column columns[] = {{"knob", false},
                                                {"CPUs", false},
                                                {"value", false},
                                                {"range", false},
                                                {"may be changed", false}};
    struct wtl_style style = wtl_style_of(stdout);
    bool *done = calloc(knobs->count + 1, sizeof *done);
    struct wtl_table *table = wtl_table_create(columns, 5);
    if (!done) {
        wtl_table_destroy(table);
        return -ENOMEM;
    }
    for (size_t i = 0; i < knobs->count; i++) {
        if (done[i])
            continue;
        struct wtl_cpu_set cpus = join(knobs, i, each, done);
        add_row(table, &knobs->items[i], &cpus, each);
    }
    if (knobs->driver[0])
        wtl_print_sentence(stdout, "cpufreq driver %s%s%s\n\n", knobs->driver,
                           knobs->mode[0] ? ", " : "", knobs->mode);
    int rc = knobs->count > 0 ? wtl_table_print(table, stdout, 0, &style) : 0;
    if (knobs->count == 0)
        (void)puts("no knobs: this machine has neither cpufreq nor power limits, as most virtual "
                   "machines");
    wtl_table_destroy(table);
    free(done);
    return rc;
}

const char *const wtl_knobs_columns[] = {"knob",       "kind", "scope", "cpus",    "value",
                                         "shown",      "unit", "min",   "max",     "choices",
                                         "changeable", "why",  "path",  "summary", NULL};

static struct wtl_cell number(double value)
{
    return wtl_cell_number(value, 12); /* NaN = unknown */
}

static void print_sheet(const struct wtl_knob_list *knobs, enum wtl_row_writer_form form)
{
    struct wtl_row_writer sheet;
    wtl_row_writer_begin(&sheet, stdout, form, false, "knobs");
    wtl_row_writer_note(&sheet, "driver", knobs->driver);
    wtl_row_writer_note(&sheet, "mode", knobs->mode);
    wtl_row_writer_columns(&sheet, wtl_knobs_columns, 14);
    for (size_t i = 0; i < knobs->count; i++) {
        const struct wtl_knob *knob = &knobs->items[i];
        char list[4096], shown[WTL_KNOB_TEXT], why[128];
        double scale = knob->row->scale > 0 ? knob->row->scale : 1;
        wtl_cpu_set_without(&knobs->sets[knob->cpus], NULL, list, sizeof list);
        wtl_knob_show(knob->row, knob->value, shown, sizeof shown);
        wtl_knob_why(knob, why, sizeof why);
        const struct wtl_cell cells[] = {wtl_cell_text(knob->id),
                                         wtl_cell_text(knob->row->name),
                                         wtl_cell_text(wtl_scope_names[knob->row->scope]),
                                         wtl_cell_text(list),
                                         wtl_cell_text(knob->value),
                                         wtl_cell_text(shown),
                                         wtl_cell_text(knob->row->unit),
                                         number(knob->least * scale),
                                         number(knob->most * scale),
                                         wtl_cell_text(knob->choices),
                                         wtl_cell_text(why[0] ? "no" : "yes"),
                                         wtl_cell_text(why),
                                         wtl_cell_text(knob->path),
                                         wtl_cell_text(knob->row->summary)};
        wtl_row_writer_row(&sheet, cells, 14);
    }
    wtl_row_writer_end(&sheet);
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_knobs_command;
    struct knobs_request request = {.format = WTL_FORMAT_TEXT};
    struct wtl_command_line line;
    struct wtl_world *recorded = NULL;
    struct wtl_knob_list knobs = {.items = NULL};
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    int rc = request.host ? wtl_world_recorded(request.host, &recorded, &err) : 0;
    if (rc == 0 &&
        (rc = wtl_knob_list_discover(recorded ? recorded : wtl_world_real(), &knobs)) < 0)
        rc = wtl_no_memory(&err);
    if (rc == 0 && request.format == WTL_FORMAT_TEXT)
        rc = print_text(&knobs, request.verbose) < 0 ? wtl_no_memory(&err) : 0;
    else if (rc == 0)
        print_sheet(&knobs,
                    request.format == WTL_FORMAT_JSON ? WTL_ROW_WRITER_JSON : WTL_ROW_WRITER_CSV);
    wtl_knob_list_fini(&knobs);
    wtl_world_close(recorded);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_knobs_command = {
    .verb = "knobs",
    .run = run,
    .operands = "",
    .summary = "list settings of frequency and power, and who may change them",
    .text =
        "Governor, frequency limits, energy preference, turbo, uncore frequency and power\nlimits, "
        "as far as the machine "
        "has them. \"wattle hold\" and \"wattle run\" change them\nfor the time of a command.\n",
    .options = options_table,
    .examples = "wattle knobs\n"
                "wattle knobs --format json | jq .rows\n",
    .usage_exit = WTL_EXIT_USAGE,
};

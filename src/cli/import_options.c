/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of an import: see import_options.h. */
#define _GNU_SOURCE
#include "cli/import_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "exchange/text_source.h"

enum {
    SOURCE = 1,
    OUTPUT,
    FORCE,
    DRY_RUN,
    TIME,
    COLUMN,
    IGNORE,
    ONLY,
    COVER,
    SHIFT,
    SEPARATOR,
    DECIMAL,
    NO_HEADER,
    START,
    MAPPING,
    LENIENT,
    STRICT,
    FORMAT
};

const struct wtl_option wtl_import_table_of_options[] = {
    {SOURCE, 0, "from", "FORMAT",
     "csv, perf (perf stat), turbostat, likwid or\nmoneq (default csv)"},
    {OUTPUT, 'o', "output", "TRACE",
     "the trace to write; it appears only when it is\nwhole. Of moneq: a folder for several "
     "traces"},
    {FORCE, 0, "force", NULL, "replace a trace that is there"},
    {DRY_RUN, 'n', "dry-run", NULL, "show the mapping and the faults, write nothing"},
    {TIME, 0, "time", "SPEC",
     "column of times as COLUMN[:UNIT[:EPOCH]], unit s,\nms, us, ns, min, h or "
     "iso, epoch 1970 or start;\nor every:1s for rows without a time"},
    {COLUMN, 'c', "column", "MAP",
     "what a column is, as\nCOLUMN=PLACE[:QUANTITY][:UNIT][:KIND], such "
     "as\n\"PkgWatt=package-0:power:W\"; again for others"},
    {IGNORE, 0, "ignore", "COLUMN", "leave out columns of this name or pattern"},
    {ONLY, 0, "only", "COLUMN", "take columns of this name or pattern, no others"},
    {COVER, 0, "cover", "SPEC",
     "column that says how long the energy of a row\ncovers, as COLUMN[:UNIT]; "
     "\"none\" = there is none"},
    {SHIFT, 0, "shift", "MOVE",
     "move a column by rows against the others, such\nas \"rapl_power=-1row\" "
     "for one that is late by one"},
    {SEPARATOR, 0, "separator", "CHAR",
     "between cells: comma, semicolon, tab, bar, blank\n(default: "
     "guessed)"},
    {DECIMAL, 0, "decimal", "SIGN", "decimal sign: point or comma (default: guessed)"},
    {NO_HEADER, 0, "no-header", NULL, "the first row holds numbers, not names"},
    {START, 0, "start", "TIME",
     "when time 0 was, such as 2026-01-02T03:04:05Z,\nfor files that count from "
     "their start"},
    {MAPPING, 'm', "mapping", "FILE",
     "read options from FILE, one a line without the\ndashes, such as "
     "\"time = t_s:s\""},
    {LENIENT, 0, "lenient", NULL,
     "leave out rows that cannot be read, and count\nthem; text in a number "
     "column becomes a gap"},
    {STRICT, 0, "strict", NULL, "fail, and write nothing, when the data have\nfaults"},
    {FORMAT, 0, "format", "FORMAT", "text or json (default text)"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static const struct wtl_command *command(void)
{
    return &wtl_import_command;
}

static int add(struct wtl_words_list *list, const char *text)
{
    const char **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items) {
        wtl_complain(command(), "not enough memory for its options");
        return WTL_EXIT_FAILED;
    }
    list->items = items;
    list->items[list->count++] = text;
    return 0;
}

static int take_mapping(struct wtl_import_request *request, const char *path);

static int take_start(struct wtl_import_request *request, const char *value)
{
    struct wtl_time_form form = {.unit = WTL_TIME_AUTO, .epoch = WTL_EPOCH_1970};
    struct wtl_import_options *import = &request->import;
    if (!wtl_time_guess(value, strlen(value), &form) ||
        wtl_time_parse(value, strlen(value), &form, &import->start_realtime_ns) < 0 ||
        import->start_realtime_ns <= 0)
        return wtl_usage(
            command(),
            "--start: \"%s\" is not a time such as 2026-01-02T03:04:05Z or seconds since "
            "1970",
            value);
    import->has_start = true;
    return 0;
}

static int take_sign(struct wtl_import_request *request, int id, const char *value)
{
    static const char *const separators[] = {"comma", "semicolon", "tab", "bar", "blank", NULL};
    static const char *const points[] = {"point", "comma", NULL};
    size_t choice = 0;
    if (id == DECIMAL) {
        int status = wtl_option_choice(command(), "--decimal", value, points, &choice);
        request->import.table.point = ".,"[choice];
        return status;
    }
    if (value[0] && !value[1] && strchr(",;|\t ", value[0])) {
        request->import.table.separator = value[0];
        return 0;
    }
    int status = wtl_option_choice(command(), "--separator", value, separators, &choice);
    request->import.table.separator = ",;\t| "[choice];
    return status;
}

/* Options that may be given again; NULL = id is none of them. */
static struct wtl_words_list *list_of(struct wtl_import_request *request, int id)
{
    return id == COLUMN   ? &request->columns
           : id == SHIFT  ? &request->shifts
           : id == IGNORE ? &request->ignore
           : id == ONLY   ? &request->only
                          : NULL;
}

static void take_switch(struct wtl_import_request *request, int id)
{
    request->force |= id == FORCE;
    request->dry_run |= id == DRY_RUN;
    request->strict |= id == STRICT;
    request->import.table.lenient |= id == LENIENT;
    if (id == NO_HEADER)
        request->import.table.header = 0;
}

static int take_format(struct wtl_import_request *request, const char *value)
{
    int status = wtl_option_format(command(), value, &request->format);
    if (status == 0 && request->format == WTL_FORMAT_CSV)
        status = wtl_usage(command(), "--format: the report is text or json; \"wattle export\" "
                                      "writes CSV");
    return status;
}

/* 0, or the exit status of the usage error that was told. */
static int take_option(struct wtl_import_request *request, int id, const char *value)
{
    struct wtl_import_options *import = &request->import;
    size_t choice = 0;
    int status = 0;
    if (list_of(request, id))
        return add(list_of(request, id), value);
    switch (id) {
    case SOURCE:
        status = wtl_option_choice(command(), "--from", value, wtl_import_format_names, &choice);
        import->format = (enum wtl_import_format)choice;
        return status;
    case OUTPUT:
        request->output = value;
        return 0;
    case TIME:
        import->table.time = value;
        return 0;
    case COVER:
        import->table.cover = value;
        return 0;
    case SEPARATOR:
    case DECIMAL:
        return take_sign(request, id, value);
    case START:
        return take_start(request, value);
    case MAPPING:
        return take_mapping(request, value);
    case FORMAT:
        return take_format(request, value);
    default:
        take_switch(request, id);
        return 0;
    }
}

/* ---- mapping files ---- */

static char *strip(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        text[--n] = '\0';
    return text;
}

/* "time = t_s:s", "lenient", "[import]", "# comment". */
static int take_line(struct wtl_import_request *request,
                     const char *path,
                     uint64_t number,
                     char *line)
{
    char *text = strip(line);
    if (!*text || *text == '#' || *text == ';' || strcmp(text, "[import]") == 0)
        return 0;
    char *value = text + strcspn(text, "=");
    if (*value)
        *value++ = '\0';
    const char *name = strip(text);
    value = strip(value);
    const struct wtl_option *row = wtl_import_table_of_options;
    while (row->name && strcmp(row->name, name) != 0)
        row++;
    if (!row->name || row->id == MAPPING || row->id == OUTPUT || row->id == WTL_OPTION_HELP)
        return wtl_usage(command(),
                         "%s:%llu: \"%s\" is no option of an import that a mapping may hold", path,
                         (unsigned long long)number, name);
    if (!row->argument != !*value)
        return wtl_usage(command(), "%s:%llu: %s %s", path, (unsigned long long)number, name,
                         row->argument ? "needs a value" : "takes no value");
    return take_option(request, row->id, value);
}

static int take_mapping(struct wtl_import_request *request, const char *path)
{
    struct wtl_text_source *source = NULL;
    struct wattle_error err = {""};
    char *line;
    size_t length;
    int rc = wtl_text_source_open(path, &source, &err), status = 0;
    while (rc >= 0 && status == 0 &&
           (rc = wtl_text_source_next(source, &line, &length, &err)) > 0) {
        char *copy = strdup(line);
        status = copy ? add(&request->texts, copy) : WTL_EXIT_FAILED;
        if (status == 0)
            status = take_line(request, path, wtl_text_source_line(source), copy);
        else
            free(copy);
    }
    if (rc < 0)
        status = wtl_usage(command(), "--mapping: %s", err.text);
    wtl_text_source_close(source);
    return status;
}

/* ---- all ---- */

int wtl_import_request_parse(struct wtl_import_request *request,
                             int argc,
                             char **argv,
                             bool *ret_stop)
{
    struct wtl_options scan;
    const char *value;
    int status = 0;
    *request = (struct wtl_import_request){.import = {.table = {.header = -1}}};
    *ret_stop = true;
    wtl_options_init(&scan, command(), argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        status = id < 0 ? scan.exit_code : take_option(request, id, value);
        if (id < 0 || status)
            return status;
    }
    for (int i = scan.operand; i < argc && status == 0; i++)
        status = add(&request->paths, argv[i]);
    if (status)
        return status;
    if (request->paths.count == 0)
        return wtl_usage(command(), "no file is named");
    if (!request->output && !request->dry_run)
        return wtl_usage(command(), "no trace is named: give -o TRACE, or --dry-run to only look");
    struct wtl_import_options *import = &request->import;
    import->paths = request->paths.items;
    import->path_count = request->paths.count;
    import->columns = request->columns.items;
    import->column_count = request->columns.count;
    import->shifts = request->shifts.items;
    import->shift_count = request->shifts.count;
    import->ignore = request->ignore.items;
    import->ignore_count = request->ignore.count;
    import->only = request->only.items;
    import->only_count = request->only.count;
    *ret_stop = false;
    return 0;
}

void wtl_import_request_fini(struct wtl_import_request *request)
{
    for (size_t i = 0; i < request->texts.count; i++)
        free((char *)request->texts.items[i]); /* copied by take_mapping */
    free(request->texts.items);
    free(request->paths.items);
    free(request->columns.items);
    free(request->shifts.items);
    free(request->ignore.items);
    free(request->only.items);
    *request = (struct wtl_import_request){.output = NULL};
}

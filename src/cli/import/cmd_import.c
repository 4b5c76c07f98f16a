/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle import": create a trace from recordings of other programs. */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/fail.h"
#include "base/flush.h"
#include "base/parse.h"
#include "cli/import/import_report.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/run/progress.h"
#include "exchange/import/import.h"
#include "exchange/import/text_source.h"
#include "exchange/moneq/moneq_files.h"
#include "report/table.h"

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

/* The trace has a temporary name until it is complete. */
static int name_part(const struct wtl_import_request *request,
                     char **ret_part,
                     struct wattle_error *err)
{
    struct stat about;
    assert(request->output);
    bool there = stat(request->output, &about) == 0;
    if (there && S_ISDIR(about.st_mode))
        return wtl_fail(err, -EISDIR, "%s is a folder; name a file in it", request->output);
    if (there && (!S_ISREG(about.st_mode) || strncmp(request->output, "/dev/", 5) == 0))
        return wtl_fail(err, -EINVAL, "%s: not a regular file; choose another path for the trace",
                        request->output);
    int rc = wtl_output_free(request->output, request->force, err);
    rc = rc < 0 ? rc : wtl_input_spare(request->output, err);
    if (rc < 0)
        return rc;
    if (asprintf(ret_part, "%s.part-%d", request->output, (int)getpid()) < 0) {
        *ret_part = NULL;
        return wtl_no_memory(err);
    }
    return 0;
}

static int check_strict(const struct wtl_import_request *request,
                        const struct wtl_import *import,
                        struct wattle_error *err)
{
    if (!request->strict || import->fault_count == 0)
        return 0;
    return wtl_fail(err, -EBADMSG,
                    "found %zu fault%s in the data and --strict was given; nothing was written",
                    import->fault_count, import->fault_count == 1 ? "" : "s");
}

static int give_name(const struct wtl_import_request *request,
                     const char *part,
                     struct wattle_error *err)
{
    int rc = 0;
    assert(request->output && part);
    if (request->force ? rename(part, request->output) < 0 : link(part, request->output) < 0)
        rc = -errno;
    if (rc == -EEXIST)
        return wtl_fail_exists(err, request->output); /* by now */
    if (rc < 0 && rename(part, request->output) < 0)  /* no hard links here */
        return wtl_fail(err, -errno, "%s: %s", request->output, wtl_strerror(errno));
    if (!request->force)
        (void)unlink(part); /* the second name, or nothing */
    return 0;
}

static int write_trace(const struct wtl_import_request *request,
                       struct wtl_import *import,
                       struct wattle_error *err)
{
    struct wtl_trace_writer *writer = NULL;
    char *part = NULL;
    int rc = name_part(request, &part, err);
    if (rc < 0)
        return rc;
    assert(part);
    rc = wtl_trace_writer_create(part, &(struct wtl_trace_options){.force = true}, &writer, NULL);
    if (rc < 0) {
        (void)wtl_fail(err, rc, "cannot write %s: %s", request->output, wtl_strerror(rc));
    } else {
        rc = wtl_import_write(import, writer, err);
        rc = rc < 0 ? rc : check_strict(request, import, err);
        if (rc < 0) {
            wtl_trace_writer_abandon(writer);
        } else {
            wtl_import_put_meta(import, writer);
            rc = wtl_trace_writer_finish(writer, err);
        }
        rc = rc < 0 ? rc : give_name(request, part, err);
        if (rc < 0)
            (void)unlink(part);
    }
    free(part);
    return rc;
}

static int print(const struct wtl_import_request *request,
                 const struct wtl_import *import,
                 struct wattle_error *err)
{
    const char *trace = request->dry_run ? NULL : request->output;
    int rc = request->format == WTL_FORMAT_JSON ? wtl_import_print_json(stdout, import, trace)
             : request->brief                   ? wtl_import_print_line(stdout, import, trace)
                                                : wtl_import_print_text(stdout, import, trace);
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(stdout, err);
}

/* The files are read twice: to look what is in them, and to write it. */
struct reading {
    struct wtl_progress progress;
    const char *step;
};

static void show_reading(void *context, uint64_t done, uint64_t all)
{
    struct reading *reading = context;
    wtl_progress_step(&reading->progress, reading->step, done, all);
}

/* A question on the terminal; only "y" says yes. */
static bool ask(void *context, const char *question)
{
    char answer[16] = "";
    (void)context;
    (void)fprintf(stderr, "wattle import: %s [y/N] ", question);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

/* ---- options: from the command line, and from mapping files with the same options, one per line (docs/format/import.md) ---- */

static int take_start(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_time_form form = {.unit = WTL_TIME_AUTO};
    struct wtl_import_options *import = &((struct wtl_import_request *)place)->import;
    if (wtl_time_settle(value, strlen(value), &form) < 0 || form.epoch != WTL_EPOCH_1970 ||
        wtl_time_parse(value, strlen(value), &form, &import->start_realtime_ns) < 0 ||
        import->start_realtime_ns <= 0)
        return wtl_usage(
            command,
            "--start: \"%s\" is not a time such as 2026-01-02T03:04:05Z or seconds since "
            "1970",
            value);
    import->has_start = true;
    return 0;
}

static int take_decimal(const struct wtl_command *command, void *place, const char *value)
{
    static const char *const points[] = {"point", "comma", NULL};
    size_t choice = 0;
    int status = wtl_option_choice(command, "--decimal", value, points, &choice);
    ((struct wtl_import_request *)place)->import.table.point = ".,"[choice];
    return status;
}

static int take_separator(const struct wtl_command *command, void *place, const char *value)
{
    static const char *const separators[] = {"comma", "semicolon", "tab", "bar", "blank", NULL};
    struct wtl_table_options *table = &((struct wtl_import_request *)place)->import.table;
    size_t choice = 0;
    if (value[0] && !value[1] && strchr(",;|\t ", value[0])) {
        table->separator = value[0];
        return 0;
    }
    int status = wtl_option_choice(command, "--separator", value, separators, &choice);
    table->separator = ",;\t| "[choice];
    return status;
}

static int take_time_format(const struct wtl_command *command, void *place, const char *value)
{
    size_t choice = 0;
    int status = wtl_option_choice(command, "--time-format", value,
                                   wtl_time_unit_names + WTL_TIME_ISO, &choice);
    ((struct wtl_import_request *)place)->import.table.time_format =
        (enum wtl_time_unit)(WTL_TIME_ISO + choice);
    return status;
}

static int take_zone(const struct wtl_command *command, void *place, const char *value)
{
    if (!wtl_time_has_zone(value))
        return wtl_usage(
            command, "--zone: \"%s\" is no time zone of this system, such as Europe/Berlin", value);
    ((struct wtl_import_request *)place)->import.table.zone = value;
    return 0;
}

static int take_no_header(const struct wtl_command *command, void *place, const char *value)
{
    (void)command, (void)value;
    ((struct wtl_import_request *)place)->import.table.header = 0;
    return 0;
}

static int take_most_lost(const struct wtl_command *command, void *place, const char *value)
{
    double percent;
    if (wtl_parse_double(value, &percent) < 0 || !(percent > 0 && percent <= 100))
        return wtl_usage(command, "--most-lost: \"%s\" is not a percentage", value);
    ((struct wtl_import_request *)place)->import.most_lost = percent / 100;
    return 0;
}

static int take_mapping(const struct wtl_command *command, void *place, const char *path);

static const char *const output_formats[] = {"text", "json", NULL};

static const struct wtl_option import_table_of_options[] = {
    {0, "from", "FORMAT",
     "a format of --formats, likwid, moneq, or csv: by\nheaders and options (default: recognised)",
     WTL_TAKES_TEXT(struct wtl_import_request, import.from)},
    {0, "formats", NULL, "list the formats that are recognised",
     WTL_SETS(struct wtl_import_request, list_formats)},
    {'o', "output", "TRACE",
     "write this trace, which appears only when it is\ncomplete; for moneq: a folder for several "
     "traces",
     WTL_TAKES_FILE(struct wtl_import_request, output)},
    {0, "force", NULL, "overwrite an existing trace", WTL_SETS(struct wtl_import_request, force)},
    {'n', "dry-run", NULL, "show mapping and faults, write nothing",
     WTL_SETS(struct wtl_import_request, dry_run)},
    {0, "time", "SPEC",
     "time column, as COLUMN[:UNIT[:EPOCH]]; unit s, ms,\nus, ns, min, h or iso, epoch 1970 or "
     "start; or\nevery:1s for rows without a time",
     WTL_TAKES_TEXT(struct wtl_import_request, import.table.time)},
    {'c', "column", "MAP",
     "meaning of a column, as\nCOLUMN=PLACE[:QUANTITY][:UNIT][:KIND], such "
     "as\n\"PkgWatt=package-0:power:W\"; repeatable",
     WTL_TAKES_LIST(struct wtl_import_request, columns)},
    {0, "ignore", "COLUMN", "skip columns with this name or pattern",
     WTL_TAKES_LIST(struct wtl_import_request, ignore)},
    {0, "only", "COLUMN", "use only columns with this name or pattern",
     WTL_TAKES_LIST(struct wtl_import_request, only)},
    {0, "cover", "SPEC",
     "column with the time that the energy of a row\ncovers, as COLUMN[:UNIT], or \"none\"",
     WTL_TAKES_TEXT(struct wtl_import_request, import.table.cover)},
    {0, "split", "COLUMN",
     "a column that names what a row is about, such as\n\"gpu\": a channel for each; repeatable",
     WTL_TAKES_LIST(struct wtl_import_request, split)},
    {0, "shift", "MOVE",
     "shift a column by rows relative to the others, such\nas \"rapl_power=-1row\" if it is one "
     "row late",
     WTL_TAKES_LIST(struct wtl_import_request, shifts)},
    {0, "separator", "CHAR", "separator: comma, semicolon, tab, bar or blank\n(default: guessed)",
     WTL_CALLS_WITH_ALL(take_separator)},
    {0, "decimal", "SIGN", "decimal sign: point or comma (default: guessed)",
     WTL_CALLS_WITH_ALL(take_decimal)},
    {0, "thousands", NULL, "digits are grouped: 1,234.5, or 1.234,5 with\n--decimal comma",
     WTL_SETS(struct wtl_import_request, import.table.thousands)},
    {0, "time-format", "FORMAT",
     "of dates: iso, dmy (31/1/2026), mdy (1/31/2026),\nctime, or clock for a time without a date",
     WTL_CALLS_WITH_ALL(take_time_format)},
    {0, "zone", "NAME", "time zone of dates that have none, such as\nEurope/Berlin (default: UTC)",
     WTL_CALLS_WITH_ALL(take_zone)},
    {0, "spread-times", NULL,
     "the times are coarser than the rows: rows of one time\nare spread evenly up to the next",
     WTL_SETS(struct wtl_import_request, import.spread)},
    {0, "no-header", NULL, "the first row holds values, not column names",
     WTL_CALLS_WITH_ALL(take_no_header)},
    {0, "start", "TIME",
     "date of time 0, such as 2026-01-02T03:04:05Z, for\nfiles with times since their start",
     WTL_CALLS_WITH_ALL(take_start)},
    {'m', "mapping", "FILE",
     "read options from FILE, one per line without\ndashes, such as \"time = t_s:s\"",
     WTL_CALLS_WITH_ALL(take_mapping), .is_input = true},
    {'y', "yes", NULL,
     "assume what is likely where a unit or the like is\nnot stated; results are flagged ASSUMED",
     WTL_SETS(struct wtl_import_request, import.table.assume)},
    {0, "save-format", "FILE", "write the mapping to this file, for --mapping",
     WTL_TAKES_FILE(struct wtl_import_request, save_format)},
    {0, "node", "NAME", "the machine of the recording",
     WTL_TAKES_TEXT(struct wtl_import_request, import.node)},
    {0, "meta", "KEY=VALUE",
     "a fact about the run or the machine, such as\n\"host.cpu_model=EPYC 7742\"; repeatable",
     WTL_TAKES_LIST(struct wtl_import_request, meta)},
    {0, "lenient", NULL, "skip and count unreadable rows; text in a number\ncolumn becomes a gap",
     WTL_SETS(struct wtl_import_request, import.table.lenient)},
    {0, "most-lost", "PERCENT", "that --lenient may leave out (default 5)",
     WTL_CALLS_WITH_ALL(take_most_lost)},
    {0, "strict", NULL, "fail and write nothing if the data has faults",
     WTL_SETS(struct wtl_import_request, strict)},
    {0, "format", "FORMAT", "text or json (default text)",
     WTL_TAKES_CHOICE(struct wtl_import_request, format, output_formats)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

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
static int take_line(const struct wtl_command *command,
                     struct wtl_import_request *request,
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
    const struct wtl_option *row = wtl_option_find(import_table_of_options, name);
    if (!row || row->take == take_mapping || row->kind == WTL_OPTION_SHOW ||
        strcmp(name, "output") == 0 || strcmp(name, "save-format") == 0 ||
        strcmp(name, "formats") == 0)
        return wtl_usage(command, "%s:%llu: \"%s\" is not an import option allowed in a mapping",
                         path, (unsigned long long)number, name);
    if (!row->argument != !*value)
        return wtl_usage(command, "%s:%llu: %s %s", path, (unsigned long long)number, name,
                         row->argument ? "requires a value" : "takes no value");
    return wtl_option_store(command, row, request, value);
}

static int take_mapping(const struct wtl_command *command, void *place, const char *path)
{
    struct wtl_import_request *request = place;
    struct wtl_text_source *source = NULL;
    struct wattle_error err = {""};
    char *line;
    size_t length;
    int rc = wtl_text_source_open(path, &source, &err), status = 0;
    while (rc >= 0 && status == 0 &&
           (rc = wtl_text_source_next(source, &line, &length, &err)) > 0) {
        char *copy = strdup(line);
        if (copy && wtl_words_add(&request->texts, copy) == 0) {
            /* The list holds it, which the analyser does not see. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
            status = take_line(command, request, path, wtl_text_source_line(source), copy);
        } else {
            free(copy);
            wtl_complain(command, WTL_NO_MEMORY);
            status = WTL_EXIT_FAILED;
        }
    }
    if (rc < 0)
        status = wtl_usage(command, "--mapping: %s", err.text);
    wtl_text_source_close(source);
    return status;
}

/* ---- all ---- */

/* Returns WTL_GO_ON, or the exit status after a message. Call import_request_fini() in any case. */
static int import_request_parse(struct wtl_import_request *request, int argc, char **argv)
{
    const struct wtl_command *command = &wtl_import_command;
    struct wtl_command_line line;
    *request = (struct wtl_import_request){.import = {.table = {.header = -1}}};
    int status = wtl_command_read(command, argc, argv, request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (request->list_formats)
        return WTL_GO_ON;
    if (line.count == 0)
        return wtl_usage(command, "no file given");
    if (!request->output && !request->dry_run)
        return wtl_usage(command, "no trace given; use -o TRACE, or --dry-run to write nothing");
    struct wtl_import_options *import = &request->import;
    import->paths = (const char *const *)line.words;
    import->path_count = line.count;
    import->columns = request->columns.items;
    import->column_count = request->columns.count;
    import->split = request->split.items;
    import->split_count = request->split.count;
    import->meta = request->meta.items;
    import->meta_count = request->meta.count;
    import->shifts = request->shifts.items;
    import->shift_count = request->shifts.count;
    import->ignore = request->ignore.items;
    import->ignore_count = request->ignore.count;
    import->only = request->only.items;
    import->only_count = request->only.count;
    return WTL_GO_ON;
}

static void import_request_fini(struct wtl_import_request *request)
{
    for (size_t i = 0; i < request->texts.count; i++)
        free((char *)request->texts.items[i]); /* copied by take_mapping */
    free(request->texts.items);
    free(request->columns.items);
    free(request->shifts.items);
    free(request->split.items);
    free(request->meta.items);
    free(request->ignore.items);
    free(request->only.items);
    *request = (struct wtl_import_request){.output = NULL};
}

/* ---- format files: where they are, their list, and the mapping of an import as such a file ---- */

/* Those of the user (the folder formats of the configuration) and those that come with wattle. 0 or -errno: one of them is invalid. */
static int import_load_formats(struct wtl_formats *formats, struct wattle_error *err)
{
    char folder[PATH_MAX];
    wtl_config_user_path(wtl_world_real(), "formats", folder, sizeof folder);
    int rc = *folder ? wtl_formats_add(formats, folder, err) : 0;
    /* Beside the program: PREFIX/bin/wattle and PREFIX/share/wattle/formats. */
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 64);
    if (rc < 0 || n <= 0)
        return rc;
    folder[n] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(folder, '/');
        *(slash ? slash : folder) = '\0';
    }
    size_t used = strlen(folder);
    (void)snprintf(folder + used, sizeof folder - used, "/share/wattle/formats");
    return wtl_formats_add(formats, folder, err);
}

/* Is it a format, or a reader? NULL is. */
static bool import_is_format(const struct wtl_formats *formats, const char *name)
{
    bool found = !name || wtl_format_find(formats, name);
    for (size_t i = 0; !found && wtl_import_format_names[i]; i++)
        found = strcmp(wtl_import_format_names[i], name) == 0;
    return found;
}

static int import_list_formats(FILE *out,
                               const struct wtl_formats *formats,
                               struct wattle_error *err)
{
    static const struct wtl_column columns[] = {{"format", false}, {"recordings", false}};
    struct wtl_table *table = wtl_table_create(columns, 2);
    for (size_t i = 0; i < formats->count; i++)
        wtl_table_row(table, WTL_PLAIN,
                      (const char *const[]){formats->items[i].name, formats->items[i].about});
    wtl_table_row(
        table, WTL_PLAIN,
        (const char *const[]){"likwid", "likwid-powermeter, likwid-perfctr with -t or -O"});
    wtl_table_row(
        table, WTL_PLAIN,
        (const char *const[]){"moneq", "files of MonEQ on Blue Gene/Q (only with --from)"});
    wtl_table_row(table, WTL_PLAIN,
                  (const char *const[]){"otf2", "OTF2 archives with power (traces.otf2)"});
    wtl_table_row(table, WTL_PLAIN,
                  (const char *const[]){"paraver", "Paraver traces with power (.prv)"});
    int rc = wtl_table_print(table, out, 1, NULL);
    wtl_table_destroy(table);
    rc = rc < 0 ? wtl_no_memory(err) : wtl_flush(out, err);
    return rc < 0 || formats->broken.count == 0
               ? rc
               : wtl_fail(err, -EBADMSG, "%zu format file%s broken", formats->broken.count,
                          formats->broken.count == 1 ? " is" : "s are");
}

/* Write the mapping as a file for --mapping; force: replace an existing one. 0 or -errno. */
static int import_save_format(const char *path,
                              bool force,
                              const struct wtl_import *import,
                              struct wattle_error *err)
{
    FILE *out = fopen(path, force ? "we" : "wxe");
    char target[160];
    if (!out)
        return errno == EEXIST
                   ? wtl_fail_exists(err, path)
                   : wtl_fail(err, -errno, "cannot write %s: %s", path, wtl_strerror(errno));
    (void)fputs("[import]\n", out);
    const struct wtl_import_file *file = &import->files[0];
    if (file->format && file->format != &file->split)
        (void)fprintf(out, "from = %s\n", file->format->name);
    else if (file->reader == WTL_IMPORT_CSV)
        (void)fprintf(out, "time = %s\n", file->time_text);
    if (import->options->table.zone)
        (void)fprintf(out, "zone = %s\n", import->options->table.zone);
    if (import->options->spread)
        (void)fputs("spread-times\n", out);
    for (size_t i = 0; i < import->options->split_count; i++)
        (void)fprintf(out, "split = %s\n", import->options->split[i]);
    for (size_t i = 0; i < import->column_count; i++) {
        const struct wtl_import_column *column = &import->columns[i];
        if (column->role == WTL_ROLE_CHANNEL) {
            wtl_import_target(column, target, sizeof target);
            (void)fprintf(out, "column = %s=%s\n", column->header, target);
        } else if (column->role == WTL_ROLE_IGNORED && strcmp(column->why, "--ignore") == 0) {
            (void)fprintf(out, "ignore = %s\n", column->header);
        }
    }
    return fclose(out) == 0
               ? 0
               : wtl_fail(err, -errno, "cannot write %s: %s", path, wtl_strerror(errno));
}

/* ---- a trace ---- */

static int convert(const struct wtl_import_request *given, struct wattle_error *err)
{
    struct wtl_import *import = NULL;
    struct reading reading = {.step = "reading, first pass"};
    struct wtl_import_request copy = *given;
    const struct wtl_import_request *request = &copy;
    wtl_progress_begin(&reading.progress, true, false);
    copy.import.progress = show_reading;
    copy.import.progress_context = &reading;
    copy.import.ask = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) ? ask : NULL;
    int rc = wtl_import_create(&request->import, &import, err);
    rc = rc < 0 ? rc : wtl_import_survey(import, err);
    reading.step = "reading, second pass";
    if (rc == 0 && request->dry_run) {
        rc = wtl_import_write(import, NULL, err);
        wtl_progress_clear(&reading.progress);
        rc = rc < 0 ? rc : print(request, import, err);
        rc = rc < 0 ? rc : check_strict(request, import, err);
        rc = rc < 0 || !request->save_format
                 ? rc
                 : import_save_format(request->save_format, request->force, import, err);
    } else if (rc == 0) {
        rc = write_trace(request, import, err);
        wtl_progress_clear(&reading.progress);
        rc = rc < 0 ? rc : print(request, import, err);
        rc = rc < 0 || !request->save_format
                 ? rc
                 : import_save_format(request->save_format, request->force, import, err);
    }
    wtl_progress_clear(&reading.progress);
    wtl_import_destroy(import);
    return rc;
}

/* ---- a run of MonEQ: a trace for each node card ---- */

/* The folder of the traces: an existing one, or a name that ends in a slash. */
static int make_folder(const char *output, bool *ret_folder, struct wattle_error *err)
{
    struct stat about;
    size_t n = strlen(output);
    bool slash = n > 0 && output[n - 1] == '/';
    *ret_folder = slash || (stat(output, &about) == 0 && S_ISDIR(about.st_mode));
    if (slash && mkdir(output, 0777) < 0 && errno != EEXIST)
        return wtl_fail(err, -errno, "%s: %s", output, wtl_strerror(errno));
    return 0;
}

static int convert_part(const struct wtl_import_request *request,
                        const struct wtl_moneq_files *files,
                        const struct wtl_moneq_part *part,
                        bool folder,
                        struct wattle_error *err)
{
    struct wtl_import_request one = *request;
    const char *paths[1] = {part->path};
    char *output = NULL;
    one.import.paths = paths;
    one.import.path_count = 1;
    one.import.table.part = part->part;
    one.import.run_id = files->run_id;
    one.brief = files->count > 1;
    size_t n = folder ? strlen(request->output) : 0;
    while (n > 1 && request->output[n - 1] == '/')
        n--;
    if (folder && asprintf(&output, "%.*s/%s.wtl", (int)n, request->output, part->name) < 0)
        return wtl_no_memory(err);
    one.output = folder ? output : request->output;
    int rc = convert(&one, err);
    free(output);
    return rc;
}

static int convert_moneq(const struct wtl_import_request *request, struct wattle_error *err)
{
    struct wtl_moneq_files files;
    bool folder = false;
    int rc = wtl_moneq_files_find(request->import.paths, request->import.path_count, &files, err);
    if (rc == 0 && !request->dry_run)
        rc = make_folder(request->output, &folder, err);
    if (rc == 0 && !request->dry_run && !folder && files.count > 1)
        rc = wtl_fail(err, -EEXIST,
                      "the files contain %zu node cards and each becomes a trace; choose a folder "
                      "with -o %s/",
                      files.count, request->output);
    for (size_t i = 0; rc == 0 && i < files.count; i++)
        rc = convert_part(request, &files, &files.parts[i], folder, err);
    wtl_moneq_files_fini(&files);
    return rc;
}

/* Messages quote text from the files, which may contain anything. */
static void complain(struct wattle_error *err)
{
    for (char *p = err->text; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7F)
            *p = '?';
    }
    wtl_complain(&wtl_import_command, "%s", err->text);
}

static int serve(struct wtl_import_request *request, struct wattle_error *err)
{
    struct wtl_formats formats = {.items = NULL};
    const char *from = request->import.from;
    int rc = import_load_formats(&formats, err);
    request->import.formats = &formats;
    for (size_t i = 0; i < formats.broken.count; i++)
        wtl_complain(&wtl_import_command, "format left out: %s", formats.broken.items[i]);
    if (rc == 0 && request->list_formats)
        rc = import_list_formats(stdout, &formats, err);
    else if (rc == 0 && !import_is_format(&formats, from))
        rc = wtl_fail(err, -EINVAL, "--from: no format \"%.40s\"; see --formats", from);
    else if (rc == 0)
        rc = from && strcmp(from, "moneq") == 0 ? convert_moneq(request, err)
                                                : convert(request, err);
    request->import.formats = NULL;
    wtl_formats_fini(&formats);
    return rc;
}

static int run(int argc, char **argv)
{
    struct wtl_import_request request;
    struct wattle_error err = {""};
    int status = import_request_parse(&request, argc, argv);
    int rc = status == WTL_GO_ON ? serve(&request, &err) : 0;
    status = status == WTL_GO_ON ? WTL_EXIT_OK : status;
    if (rc < 0) {
        complain(&err);
        status = rc == -EINVAL ? WTL_EXIT_USAGE : WTL_EXIT_FAILED;
    }
    import_request_fini(&request);
    return status;
}

const struct wtl_command wtl_import_command = {
    .verb = "import",
    .run = run,
    .operands = "FILE...",
    .summary = "create a trace from recordings of other programs",
    .text = "Recognises the recordings of many programs (--formats). The columns of other\nfiles "
            "are read by the "
            "units in their headers, and by options; nothing is guessed.\nSeveral files of one "
            "machine are joined by time. Faults in the\n"
            "data are reported, not repaired. Files may be compressed with\ngzip or zstd.\n",
    .options = import_table_of_options,
    .examples = "wattle import power.csv -o power.wtl\n"
                "wattle import --dry-run power.csv\n"
                "wattle import --time 'timestamp:ms' --column 'PkgWatt=package-0:power:W' log.csv "
                "-o log.wtl\n"
                "wattle import rapl.csv.gz meter.csv -o run.wtl\n"
                "wattle import --split gpu log.csv --time timestamp:iso -o gpus.wtl\n"
                "wattle import --from moneq run/ -o traces/\n",
    .usage_exit = WTL_EXIT_USAGE,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle import": create a trace from recordings of other programs. */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/import/import_formats.h"
#include "cli/import/import_options.h"
#include "cli/import/import_report.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/run/progress.h"
#include "exchange/moneq/moneq_files.h"

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
                 : wtl_import_save_format(request->save_format, request->force, import, err);
    } else if (rc == 0) {
        rc = write_trace(request, import, err);
        wtl_progress_clear(&reading.progress);
        rc = rc < 0 ? rc : print(request, import, err);
        rc = rc < 0 || !request->save_format
                 ? rc
                 : wtl_import_save_format(request->save_format, request->force, import, err);
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
    int rc = wtl_import_load_formats(&formats, err);
    request->import.formats = &formats;
    for (size_t i = 0; i < formats.broken.count; i++)
        wtl_complain(&wtl_import_command, "format left out: %s", formats.broken.items[i]);
    if (rc == 0 && request->list_formats)
        rc = wtl_import_list_formats(stdout, &formats, err);
    else if (rc == 0 && !wtl_import_is_format(&formats, from))
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
    int status = wtl_import_request_parse(&request, argc, argv);
    int rc = status == WTL_GO_ON ? serve(&request, &err) : 0;
    status = status == WTL_GO_ON ? WTL_EXIT_OK : status;
    if (rc < 0) {
        complain(&err);
        status = rc == -EINVAL ? WTL_EXIT_USAGE : WTL_EXIT_FAILED;
    }
    wtl_import_request_fini(&request);
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
    .options = wtl_import_table_of_options,
    .examples = "wattle import power.csv -o power.wtl\n"
                "wattle import --dry-run power.csv\n"
                "wattle import --time 'timestamp:ms' --column 'PkgWatt=package-0:power:W' log.csv "
                "-o log.wtl\n"
                "wattle import rapl.csv.gz meter.csv -o run.wtl\n"
                "wattle import --split gpu log.csv --time timestamp:iso -o gpus.wtl\n"
                "wattle import --from moneq run/ -o traces/\n",
    .usage_exit = WTL_EXIT_USAGE,
};

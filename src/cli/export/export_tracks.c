/* SPDX-License-Identifier: BSD-3-Clause */
/* A run for trace viewers: see cmd_export.h. Files appear under their names when all of them are complete. */
#define _GNU_SOURCE
#include "cli/export/cmd_export.h"

#include <assert.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/cluster/run.h"
#include "base/fail.h"
#include "cli/output.h"
#include "exchange/otf2/otf2_write.h"
#include "exchange/tracks/paraver_write.h"
#include "exchange/tracks/perfetto_write.h"

/* ---- the three formats ---- */

/* "app.prv" and "app" are app.prv, app.pcf and app.row. */
static int write_paraver(const struct wtl_export_tracks *options,
                         struct wtl_track_source *source,
                         struct wattle_error *err)
{
    static const char *const suffixes[] = {"prv", "pcf", "row"};
    struct wtl_output outputs[3] = {{0}, {0}, {0}};
    char *paths[3] = {NULL, NULL, NULL};
    size_t length = strlen(options->output), opened = 0;
    int rc = 0;
    if (length > 4 && strcmp(options->output + length - 4, ".prv") == 0)
        length -= 4;
    for (size_t i = 0; i < 3 && rc == 0; i++) {
        if (asprintf(&paths[i], "%.*s.%s", (int)length, options->output, suffixes[i]) < 0) {
            paths[i] = NULL;
            rc = wtl_no_memory(err);
        }
        rc = rc < 0 ? rc : wtl_output_open(&outputs[i], paths[i], options->force, err);
        opened += rc == 0;
    }
    if (rc == 0) {
        const struct wtl_paraver_files files = {outputs[0].stream, outputs[1].stream,
                                                outputs[2].stream};
        rc = wtl_paraver_write(&source->tracks, source->records, &files, err);
    }
    for (size_t i = 0; i < opened && rc == 0; i++)
        rc = wtl_output_close(&outputs[i], err);
    for (size_t i = 0; i < opened && rc == 0; i++)
        rc = wtl_output_commit(&outputs[i], err);
    for (size_t i = 0; i < opened; i++)
        wtl_output_drop(&outputs[i]);
    for (size_t i = 0; i < 3; i++)
        free(paths[i]);
    return rc;
}

static int write_perfetto(const struct wtl_export_tracks *options,
                          struct wtl_track_source *source,
                          struct wattle_error *err)
{
    struct wtl_output output = {0};
    int rc = wtl_output_open(&output, options->output, options->force, err);
    if (rc < 0)
        return rc;
    rc = wtl_perfetto_write(&source->tracks, source->records, output.stream, err);
    return rc < 0 ? wtl_output_fail(&output, rc, err) : wtl_output_commit(&output, err);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about;
    (void)kind;
    (void)at;
    (void)remove(path); /* what cannot be removed is left */
    return 0;
}

/* A folder that exists is not written into: an archive is one folder. */
static int check_folder(const char *folder, struct wattle_error *err)
{
    if (rmdir(folder) == 0 || errno == ENOENT)
        return 0;
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
        return wtl_fail(err, -EEXIST,
                        "%s exists, and an OTF2 archive is a folder of its own; choose another "
                        "name, or remove it",
                        folder);
    return wtl_fail(err, -errno, "%s: %s", folder, wtl_strerror(errno));
}

static int write_otf2(const struct wtl_export_tracks *options,
                      struct wtl_track_source *source,
                      struct wattle_error *err)
{
    char *folder = strdup(options->output), *part = NULL;
    size_t length = folder ? strlen(folder) : 0;
    while (folder && length > 1 && folder[length - 1] == '/')
        folder[--length] = '\0';
    if (folder && asprintf(&part, "%s.part-%d", folder, (int)getpid()) < 0)
        part = NULL;
    int rc = folder && part ? check_folder(folder, err) : wtl_no_memory(err);
    assert(rc < 0 || (folder && part));
    if (rc == 0) {
        rc = wtl_otf2_write(&source->tracks, source->records, part, folder, err);
        if (rc == 0 && rename(part, folder) < 0)
            rc = wtl_fail(err, -errno, "%s: %s", folder, wtl_strerror(errno));
        if (rc < 0)
            (void)nftw(part, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    free(folder);
    free(part);
    return rc;
}

/* ---- the run ---- */

/* One node of it. */
static int keep_node(const struct wtl_run *run,
                     const char *node,
                     struct wtl_run **ret_run,
                     struct wattle_error *err)
{
    int found = wtl_run_find(run, node);
    bool *keep = calloc(wtl_run_node_count(run) + 1, sizeof *keep);
    int rc = keep ? 0 : wtl_no_memory(err);
    if (rc == 0 && found < 0)
        rc = wtl_fail(err, -EINVAL, "no node \"%.60s\" in this run; \"wattle stats\" lists them",
                      node);
    if (rc == 0) {
        assert(keep);
        keep[found] = true;
        rc = wtl_run_part(run, keep, ret_run, err);
    }
    free(keep);
    return rc;
}

static int check_run(const struct wtl_run *run, struct wattle_error *err)
{
    size_t refused = wtl_run_refused_count(run);
    if (refused == 0)
        return 0;
    const struct wtl_run_refused *first = wtl_run_refused(run, 0);
    return wtl_fail(err, -EBADMSG, "%s is left out: %s%s; name the traces of one run", first->path,
                    first->why, refused > 1 ? ", and others" : "");
}

/* ---- what the files cannot contain ---- */

static void report_count(const struct wtl_command *command,
                         uint64_t count,
                         const char *one,
                         const char *many)
{
    if (count)
        wtl_complain(command, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

static void report_losses(const struct wtl_command *command,
                          const struct wtl_run *run,
                          const struct wtl_track_losses *losses)
{
    for (size_t i = 0; i < wtl_run_missing_count(run); i++)
        wtl_complain(command, "node %s of the job has no trace", wtl_run_missing(run, i));
    report_count(command, losses->no_duration, "activity is left out: it began and ended together",
                 "activities are left out: they began and ended together");
    report_count(command, losses->messages_unpaired,
                 "send or receive is left out: its other side is not in the traces",
                 "sends and receives are left out: their other side is not in the traces");
    report_count(command, losses->ends_missing, "activity had no end and was closed",
                 "activities had no end and were closed");
    report_count(command, losses->begins_missing, "end without a begin is left out",
                 "ends without a begin are left out");
    report_count(command, losses->cut_processes,
                 "process reached the size limit: its later tasks are missing",
                 "processes reached the size limit: their later tasks are missing");
    if (losses->summary)
        wtl_complain(command, "tasks were recorded with --tasks=summary: they have no begins and "
                              "ends, and are left out");
    if (losses->simulated || losses->estimated)
        wtl_complain(command,
                     "the power of some channels is %s; the files say so, but viewers may "
                     "not show it",
                     losses->estimated ? "estimated" : "simulated");
    if (losses->part_time)
        wtl_complain(command,
                     "a gauge sees a part of the time; Paraver and OTF2 files say so in a comment, "
                     "but viewers show its power as that of all the time");
}

/* Where temporary files go: beside the output. */
static char *folder_of(const char *output)
{
    const char *slash = output ? strrchr(output, '/') : NULL;
    const char *temporary = getenv("TMPDIR");
    if (!output || strcmp(output, "-") == 0)
        return strdup(temporary && *temporary ? temporary : "/tmp");
    if (slash && !slash[1]) { /* "FOLDER/" */
        while (slash > output && *slash == '/')
            slash--;
        while (slash > output && *slash != '/')
            slash--;
        slash = *slash == '/' ? slash : NULL;
    }
    return slash ? strndup(output, slash > output ? (size_t)(slash - output) : 1) : strdup(".");
}

static int convert(const struct wtl_command *command,
                   const struct wtl_export_tracks *options,
                   const struct wtl_run *run,
                   struct wtl_track_losses *ret_losses,
                   struct wattle_error *err)
{
    static int (*const writers[])(const struct wtl_export_tracks *, struct wtl_track_source *,
                                  struct wattle_error *) = {[WTL_TRACKS_PARAVER] = write_paraver,
                                                            [WTL_TRACKS_OTF2] = write_otf2,
                                                            [WTL_TRACKS_PERFETTO] = write_perfetto};
    struct wtl_track_source source;
    char *folder = folder_of(options->output);
    if (!folder)
        return wtl_no_memory(err);
    int rc = wtl_track_source_open(&source, command, run, &options->choice, folder, err);
    rc = rc < 0 ? rc : writers[options->form](options, &source, err);
    *ret_losses = source.losses;
    wtl_track_source_fini(&source);
    free(folder);
    return rc;
}

int wtl_export_tracks(const struct wtl_command *command,
                      char *const *words,
                      size_t n,
                      const struct wtl_export_tracks *options,
                      struct wattle_error *err)
{
    struct wtl_run *run = NULL, *part = NULL;
    struct wtl_track_losses losses = {.summary = false};
    int rc = wtl_run_open(words, n, NULL, &run, err);
    rc = rc < 0 ? rc : check_run(run, err);
    if (rc == 0 && options->node)
        rc = keep_node(run, options->node, &part, err);
    if (rc == 0) {
        const struct wtl_run *chosen = part ? part : run;
        rc = convert(command, options, chosen, &losses, err);
        if (rc == 0)
            report_losses(command, chosen, &losses);
    }
    wtl_run_close(part);
    wtl_run_close(run);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reducing a run: traces are distributed over the members of the team, their rows are gathered, and every
 * member builds the same run from them. Only rank 0 decides and prints.
 */
#define _GNU_SOURCE
#include "cli/reduce/reduce.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_totals.h"
#include "base/fail.h"
#include "base/grow.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/run/progress.h"
#include "cli/run_words.h"
#include "report/cluster/run_report.h"
#include "trace/run_file.h"

const struct wtl_option wtl_reduce_option_table[] = {
    {'o', "output", "DIR",
     "write run.wtl and the CSV files to this folder,\nwhich is created; default: print totals "
     "only",
     WTL_TAKES_FILE(struct wtl_reduce, output)},
    {0, "force", NULL, "overwrite existing files", WTL_SETS(struct wtl_reduce, force)},
    {0, "partial", NULL, "continue when some traces are refused or missing",
     WTL_SETS(struct wtl_reduce, partial)},
    {0, "run", "ID", "run to reduce, if the traces are of several",
     WTL_TAKES_TEXT(struct wtl_reduce, run_id)},
    {'g', "groups", "RANKS",
     "one output per group of MPI ranks, for the nodes\nthey ran on: \"1-10,11-32\"; all: one "
     "output for all\nnodes (default: as set in the traces)",
     WTL_TAKES_TEXT(struct wtl_reduce, groups)},
    {0, "step", "DUR",
     "time between CSV rows (default: the longest\nsampling interval of any node)",
     WTL_TAKES_DURATION(struct wtl_reduce, step_ns, 1)},
    WTL_OPTION_FORMAT(struct wtl_reduce, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

int wtl_reduce_options(const struct wtl_command *command,
                       int argc,
                       char **argv,
                       struct wtl_reduce *ret_request)
{
    struct wtl_command_line line;
    *ret_request = (struct wtl_reduce){.format = WTL_FORMAT_TEXT};
    int status = wtl_command_read(command, argc, argv, ret_request, &line);
    if (status != WTL_GO_ON)
        return status;
    ret_request->words = line.words;
    ret_request->word_count = line.count;
    if (line.count == 0)
        return wtl_usage(command, "no trace given; name the folder with the run's traces");
    if (ret_request->step_ns && !ret_request->output)
        return wtl_usage(command, "--step applies to the CSV files and requires --output DIR");
    if (ret_request->output && !ret_request->output[0])
        return wtl_usage(command, "--output requires a folder");
    return WTL_GO_ON;
}

/* ---- gathering ---- */

static void put_refused(struct wtl_bytes *bytes, const struct wtl_run_refused *refused)
{
    wtl_bytes_put_u64(bytes, strlen(refused->path));
    wtl_bytes_put(bytes, refused->path, strlen(refused->path));
    wtl_bytes_put(bytes, refused->why, sizeof refused->why);
}

static int take_refused(struct wtl_cursor *cursor, struct wtl_run_refused *refused)
{
    uint64_t n = wtl_cursor_u64(cursor);
    const uint8_t *path = wtl_cursor_take(cursor, n);
    const uint8_t *why = wtl_cursor_take(cursor, sizeof refused->why);
    if (!path || !why)
        return -EBADMSG;
    memcpy(refused->why, why, sizeof refused->why);
    refused->path = strndup((const char *)path, n);
    return refused->path ? 0 : -ENOMEM;
}

/* This member's share of the parts. Without other members, rows are stored directly at their destination. */
static int read_share(const struct wtl_team *team,
                      const struct wtl_run_parts *parts,
                      const struct wtl_run_selection *options,
                      struct wtl_run_gathered *gathered,
                      struct wattle_error *err)
{
    gathered->rows = calloc(parts->count + 1, sizeof *gathered->rows);
    gathered->refused = calloc(parts->count + 1, sizeof *gathered->refused);
    if (!gathered->rows || !gathered->refused)
        return wtl_no_memory_for(err, "%zu traces", parts->count);
    int rc = 0;
    for (size_t i = (size_t)team->rank; rc == 0 && i < parts->count; i += (size_t)team->size) {
        struct wtl_run_refused refused;
        rc = wtl_run_part_read(&parts->parts[i], options, &gathered->rows[gathered->row_count],
                               &refused, err);
        if (rc == 0 && refused.path)
            gathered->refused[gathered->refused_count++] = refused;
        else if (rc == 0)
            gathered->row_count++;
        wtl_team_progress(team, "traces", i + 1, parts->count);
    }
    wtl_team_progress(team, NULL, 0, 0);
    return rc;
}

static int unpack(const struct wtl_bytes *bytes, size_t most, struct wtl_run_gathered *gathered)
{
    struct wtl_cursor cursor = wtl_cursor_init(bytes->data, bytes->length);
    gathered->rows = calloc(most + 1, sizeof *gathered->rows);
    gathered->refused = calloc(most + 1, sizeof *gathered->refused);
    int rc = gathered->rows && gathered->refused ? 0 : -ENOMEM;
    while (rc == 0 && wtl_cursor_left(&cursor) > 0) {
        if (gathered->row_count + gathered->refused_count == most)
            return -EBADMSG;
        if (wtl_cursor_u8(&cursor)) {
            rc = take_refused(&cursor, &gathered->refused[gathered->refused_count]);
            gathered->refused_count += rc == 0;
        } else {
            rc = wtl_run_row_take(&cursor, &gathered->rows[gathered->row_count]);
            gathered->row_count += rc == 0;
        }
    }
    return rc;
}

static int take_list(const struct wtl_bytes *bytes, struct wtl_trace_list *list)
{
    struct wtl_cursor cursor = wtl_cursor_init(bytes->data, bytes->length);
    uint64_t count = wtl_cursor_u64(&cursor);
    if (count > wtl_cursor_left(&cursor) / sizeof count)
        return -EBADMSG;
    list->paths = calloc(count + 1, sizeof *list->paths);
    if (!list->paths)
        return -ENOMEM;
    for (; list->count < count; list->count++) {
        uint64_t n = wtl_cursor_u64(&cursor);
        const uint8_t *path = wtl_cursor_take(&cursor, n);
        list->paths[list->count] = path ? strndup((const char *)path, n) : NULL;
        if (!list->paths[list->count])
            return path ? -ENOMEM : -EBADMSG;
    }
    return 0;
}

/* Rank 0 lists the traces for all members: a folder may change meanwhile, or look different on other nodes for some time. */
static int list_traces(const struct wtl_reduce *request,
                       const struct wtl_team *team,
                       struct wtl_trace_list *list,
                       struct wattle_error *err)
{
    struct wtl_bytes bytes = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && team->rank == 0 && i < request->word_count; i++)
        rc = wtl_trace_list_add(list, request->words[i], err);
    if (team->size == 1)
        return rc;
    wtl_bytes_put_u64(&bytes, list->count);
    for (size_t i = 0; i < list->count; i++) {
        wtl_bytes_put_u64(&bytes, strlen(list->paths[i]));
        wtl_bytes_put(&bytes, list->paths[i], strlen(list->paths[i]));
    }
    if (rc == 0 && bytes.failed)
        rc = wtl_no_memory(err);
    rc = wtl_team_agree(team, rc, err);
    if (rc == 0 && (rc = wtl_team_broadcast(team, &bytes)) == 0 && team->rank > 0)
        rc = take_list(&bytes, list);
    if (rc < 0 && !err->text[0])
        (void)wtl_fail(err, rc, "cannot exchange the list of traces between ranks: %s",
                       wtl_strerror(rc));
    wtl_bytes_fini(&bytes);
    return rc;
}

/* Send the rows of all members to every member. */
static int share(const struct wtl_team *team, size_t parts, struct wtl_run_gathered *gathered)
{
    struct wtl_bytes bytes = {0};
    for (size_t i = 0; i < gathered->row_count; i++) {
        wtl_bytes_put_u8(&bytes, 0);
        wtl_run_row_put(&bytes, &gathered->rows[i]);
    }
    for (size_t i = 0; i < gathered->refused_count; i++) {
        wtl_bytes_put_u8(&bytes, 1);
        put_refused(&bytes, &gathered->refused[i]);
    }
    wtl_run_gathered_fini(gathered);
    int rc = bytes.failed ? -ENOMEM : 0;
    struct wattle_error err = {""};
    rc = wtl_team_agree(team, rc, &err);
    rc = rc < 0 ? rc : wtl_team_gather(team, &bytes);
    rc = rc < 0 ? rc : wtl_team_broadcast(team, &bytes);
    rc = rc < 0 ? rc : unpack(&bytes, parts, gathered);
    wtl_bytes_fini(&bytes);
    return rc;
}

/* Traces that are not needed. */
static void leave_others(const struct wtl_command *command,
                         const struct wtl_team *team,
                         const struct wtl_run *run)
{
    size_t others = wtl_run_other_count(run);
    for (size_t i = 0; i < wtl_run_copy_count(run); i++) {
        const char *copy = wtl_run_copy(run, i);
        wtl_input_release(copy); /* as the run.wtl of an earlier reduction */
        if (team->rank == 0)
            wtl_complain(command, "skipped %s: other files have the same traces", copy);
    }
    if (others > 0 && team->rank == 0)
        wtl_complain(command, "skipped %zu trace%s of other runs", others, others == 1 ? "" : "s");
}

static int open_run(const struct wtl_command *command,
                    const struct wtl_reduce *request,
                    const struct wtl_team *team,
                    struct wtl_run **ret_run,
                    struct wattle_error *err)
{
    const struct wtl_run_selection options = {.run_id = request->run_id,
                                              .ranks = request->groups &&
                                                       strcmp(request->groups, "all") != 0,
                                              .groups = request->output && !request->groups};
    struct wtl_trace_list list = {0};
    struct wtl_run_parts parts = {0};
    struct wtl_run_gathered gathered = {0};
    int rc = list_traces(request, team, &list, err);
    if (rc == 0 && team->rank == 0)
        wtl_say_left_out(command, &list);
    rc = rc < 0 ? rc : wtl_run_parts_of(&list, &parts, err);
    rc = rc < 0 ? rc : read_share(team, &parts, &options, &gathered, err);
    rc = wtl_team_agree(team, rc, err);
    if (rc == 0 && team->size > 1 && (rc = share(team, parts.count, &gathered)) < 0)
        (void)wtl_fail(err, rc, "cannot exchange the data read between ranks: %s",
                       wtl_strerror(rc));
    rc = rc < 0 ? rc : wtl_run_of(&gathered, &options, ret_run, err);
    if (rc == 0)
        leave_others(command, team, *ret_run);
    wtl_run_gathered_fini(&gathered);
    wtl_run_parts_fini(&parts);
    wtl_trace_list_fini(&list);
    return rc;
}

/* ---- groups of ranks ---- */

static bool has_rank(const struct wtl_run_row *row, const struct wtl_rank_group *group)
{
    for (uint32_t i = 0; i < row->rank_count; i++)
        if (row->ranks[i] >= group->first && row->ranks[i] <= group->last)
            return true;
    return false;
}

/* Note nodes that are also in other groups. */
static int note_shared(const struct wtl_run *run,
                       const struct wtl_rank_group *groups,
                       size_t count,
                       size_t own,
                       struct wtl_reduction *reduction)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_node *node = wtl_run_node(run, i);
        for (size_t g = 0; rc == 0 && g < count; g++)
            if (g != own && has_rank(node->row, &groups[own]) && has_rank(node->row, &groups[g]))
                rc = wtl_reduction_note(reduction,
                                        "node %s is also in group %s: a node is measured as a "
                                        "whole, so both groups contain its data",
                                        node->name, groups[g].name);
    }
    return rc;
}

static int make_group(const struct wtl_reduce *request,
                      const struct wtl_run *run,
                      const struct wtl_rank_group *groups,
                      size_t count,
                      size_t own,
                      struct wtl_reduction *reduction,
                      struct wattle_error *err)
{
    bool *keep = calloc(wtl_run_node_count(run) + 1, sizeof *keep);
    size_t kept = 0;
    if (!keep)
        return wtl_no_memory(err);
    for (size_t i = 0; i < wtl_run_node_count(run); i++) {
        keep[i] = has_rank(wtl_run_node(run, i)->row, &groups[own]);
        kept += keep[i];
    }
    int rc = kept ? wtl_run_part(run, keep, &reduction->run, err)
                  : wtl_fail(err, -ENOENT,
                             "no node ran a rank of group %s; ranks start at 0 and are known only "
                             "for jobs run under libwattle-mpi or a launcher that sets them; use "
                             "--groups all for one output with all nodes",
                             groups[own].name);
    free(keep);
    reduction->group = groups[own].name;
    if (rc == 0 && request->output &&
        asprintf(&reduction->folder, "%s/ranks-%s", request->output, groups[own].name) < 0) {
        reduction->folder = NULL;
        rc = wtl_no_memory(err);
    }
    if (rc == 0 && note_shared(run, groups, count, own, reduction) < 0)
        rc = wtl_no_memory(err);
    return rc;
}

/* Note ranks that are in no group, in the first reduction. */
static int note_left(const struct wtl_run *run,
                     const struct wtl_rank_group *groups,
                     size_t count,
                     struct wtl_reduction *first)
{
    int rc = 0;
    size_t left = 0;
    int32_t least = 0;
    for (size_t i = 0; i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        for (uint32_t r = 0; r < row->rank_count; r++) {
            bool found = false;
            for (size_t g = 0; g < count; g++)
                found |= row->ranks[r] >= groups[g].first && row->ranks[r] <= groups[g].last;
            least = found || (left > 0 && least < row->ranks[r]) ? least : row->ranks[r];
            left += !found;
        }
    }
    if (left > 0)
        rc = wtl_reduction_note(first, "%zu rank%s in no group, the first is %d", left,
                                left == 1 ? " is" : "s are", (int)least);
    return rc;
}

/* ---- all ---- */

struct reducing {
    struct wtl_run *run;
    const char *asked; /* groups by the traces, not the command line; borrowed */
    struct wtl_rank_group *groups;
    size_t group_count;
    struct wtl_reduction *all;
    size_t count;
};

static void fini(struct reducing *reducing)
{
    for (size_t i = 0; i < reducing->count; i++) {
        struct wtl_reduction *one = &reducing->all[i];
        for (size_t k = 0; k < one->written_count; k++)
            free(one->written[k]);
        for (size_t k = 0; k < one->note_count; k++)
            free(one->notes[k]);
        free(one->written);
        free(one->notes);
        free(one->folder);
        if (one->totals)
            wtl_run_totals_fini(one->totals);
        free(one->totals);
        if (one->run != reducing->run)
            wtl_run_close(one->run);
    }
    free(reducing->all);
    free(reducing->groups);
    wtl_run_close(reducing->run);
}

static int set_up_one(const struct wtl_reduce *request,
                      struct reducing *reducing,
                      size_t i,
                      struct wattle_error *err)
{
    struct wtl_reduction *one = &reducing->all[i];
    int rc = 0;
    if (reducing->group_count) {
        rc = make_group(request, reducing->run, reducing->groups, reducing->group_count, i, one,
                        err);
    } else {
        one->run = reducing->run;
        one->folder = request->output ? strdup(request->output) : NULL;
    }
    if (rc < 0)
        return rc;
    one->totals = calloc(1, sizeof *one->totals);
    if (!one->totals || (request->output && !one->folder))
        return wtl_no_memory(err);
    return wtl_run_totals_of(one->run, one->totals, err);
}

static int set_up(const struct wtl_reduce *request,
                  struct reducing *reducing,
                  struct wattle_error *err)
{
    size_t count = reducing->group_count ? reducing->group_count : 1;
    int rc = 0;
    reducing->all = calloc(count, sizeof *reducing->all);
    if (!reducing->all)
        return wtl_no_memory(err);
    reducing->count = count;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = set_up_one(request, reducing, i, err);
    if (rc == 0 && reducing->asked &&
        wtl_reduction_note(&reducing->all[0],
                           "using the groups %.200s from the traces (run.groups); choose others "
                           "with --groups, or --groups all for one output with all nodes",
                           reducing->asked) < 0)
        rc = wtl_no_memory(err);
    if (rc == 0 && reducing->group_count &&
        note_left(reducing->run, reducing->groups, reducing->group_count, &reducing->all[0]) < 0)
        rc = wtl_no_memory(err);
    return rc;
}

/* Without --groups: use the groups set by the program or its environment, if files are written. */
static int choose_groups(const struct wtl_reduce *request,
                         struct reducing *reducing,
                         struct wattle_error *err)
{
    const char *text = NULL;
    struct wattle_error why = {""};
    for (size_t i = 0; request->output && i < wtl_run_node_count(reducing->run); i++) {
        const struct wtl_run_node *node = wtl_run_node(reducing->run, i);
        const struct wtl_run_node *first = wtl_run_node(reducing->run, 0);
        if (strcmp(node->row->groups, first->row->groups) != 0)
            return wtl_fail(err, -EINVAL,
                            "nodes have different rank groups (run.groups): %.60s has \"%.60s\", "
                            "%.60s has \"%.60s\"; choose with --groups LIST or --groups all",
                            first->name, first->row->groups, node->name, node->row->groups);
        text = node->row->groups;
    }
    if (!text || !text[0])
        return 0;
    reducing->asked = text;
    int rc = wtl_rank_groups_parse(text, &reducing->groups, &reducing->group_count, &why);
    return rc < 0 ? wtl_fail(err, rc,
                             "rank groups in the traces (run.groups): %.200s; choose others with "
                             "--groups LIST or --groups all",
                             why.text)
                  : 0;
}

/* Is the run complete? Missing and refused traces are listed on stderr. */
static bool is_whole(const struct wtl_command *command, const struct wtl_run *run, bool speak)
{
    size_t refused = wtl_run_refused_count(run), missing = wtl_run_missing_count(run);
    for (size_t i = 0; speak && i < refused; i++)
        wtl_complain(command, "%s: %s", wtl_run_refused(run, i)->path,
                     wtl_run_refused(run, i)->why);
    for (size_t i = 0; speak && i < missing; i++)
        wtl_complain(command, "%s: this node of the job has no trace", wtl_run_missing(run, i));
    if (speak && refused + missing > 0)
        wtl_complain(command,
                     "nothing was reduced; use --partial to reduce the other %zu node%s and list "
                     "what is missing",
                     wtl_run_node_count(run), wtl_run_node_count(run) == 1 ? "" : "s");
    return refused + missing == 0;
}

static int print(const struct wtl_reduce *request,
                 const struct reducing *reducing,
                 struct wattle_error *err)
{
    struct wtl_run_report *reports = calloc(reducing->count + 1, sizeof *reports);
    struct wtl_style style = wtl_style_of(stdout);
    if (!reports)
        return wtl_no_memory(err);
    for (size_t i = 0; i < reducing->count; i++) {
        const struct wtl_reduction *one = &reducing->all[i];
        reports[i] = (struct wtl_run_report){.run = one->run,
                                             .totals = one->totals,
                                             .group = one->group,
                                             .written = (const char *const *)one->written,
                                             .written_count = one->written_count,
                                             .notes = (const char *const *)one->notes,
                                             .note_count = one->note_count};
    }
    int rc = wtl_report_runs(stdout, request->format, reports, reducing->count, &style, err);
    free(reports);
    return rc;
}

/* ---- files of an earlier reduction, of other groups of ranks or all nodes ---- */

struct others {
    const struct wtl_reduce *request;
    const struct wtl_reduction *all;
    size_t count, removed;
};

static bool is_own(const struct others *others, const char *folder)
{
    for (size_t i = 0; i < others->count; i++)
        if (strcmp(others->all[i].folder, folder) == 0)
            return true;
    return false;
}

/* Other groups of the same run may be side by side. */
static bool is_of_run(const struct others *others, const char *folder)
{
    struct wtl_run_file file;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/run.wtl", folder);
    if (n < 0 || (size_t)n >= sizeof path || wtl_run_file_read(path, &file, NULL) < 0)
        return false;
    bool same = file.run_id && strcmp(file.run_id, wtl_run_id(others->all[0].run)) == 0;
    wtl_run_file_fini(&file);
    return same;
}

static int clear_file(struct others *others, const char *path, struct wattle_error *err)
{
    if (!others->request->force)
        return wtl_fail(err, -EEXIST,
                        "%s already exists from another reduction; use --force to remove it", path);
    int rc = wtl_input_spare(path, err);
    if (rc == 0 && unlink(path) < 0)
        rc = wtl_fail(err, -errno, "cannot remove %s of an earlier reduction: %s", path,
                      wtl_strerror(errno));
    others->removed += rc == 0;
    return rc;
}

/* What a reduction made in a folder, and nothing else. */
static int clear_folder(struct others *others, const char *folder, struct wattle_error *err)
{
    bool stays = is_own(others, folder) || (!others->request->force && is_of_run(others, folder));
    DIR *entries = stays ? NULL : opendir(folder);
    int rc = 0;
    for (const struct dirent *entry; rc == 0 && entries && (entry = readdir(entries));) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0) {
            path = NULL;
            rc = wtl_no_memory(err);
        } else if (strcmp(entry->d_name, "run.wtl") == 0
                       ? wtl_run_file_is(path) > 0
                       : wtl_reduce_is_rows(path, entry->d_name)) {
            rc = clear_file(others, path, err);
        }
        free(path);
    }
    if (entries)
        (void)closedir(entries); /* read only */
    return rc;
}

static int clear_groups(struct others *others, struct wattle_error *err)
{
    const char *output = others->request->output;
    DIR *entries = opendir(output);
    int rc = 0;
    for (const struct dirent *entry; rc == 0 && entries && (entry = readdir(entries));) {
        char *folder = NULL;
        if (strncmp(entry->d_name, "ranks-", 6) != 0)
            continue;
        if (asprintf(&folder, "%s/%s", output, entry->d_name) < 0) {
            rc = wtl_no_memory(err);
            break;
        }
        rc = clear_folder(others, folder, err);
        if (rc == 0 && others->request->force && !is_own(others, folder))
            (void)rmdir(folder); /* it stays if there is anything else in it */
        free(folder);
    }
    if (entries)
        (void)closedir(entries); /* read only */
    return rc;
}

/* Files in request->output from an earlier reduction by other groups. Without force, called before
 * writing: -EEXIST if they belong to another run. With force, called after writing: removes them.
 * Called by rank 0. */
static int reduce_clear_others(const struct wtl_reduce *request,
                               struct wtl_reduction *all,
                               size_t count,
                               struct wattle_error *err)
{
    struct others others = {.request = request, .all = all, .count = count};
    int rc = clear_folder(&others, request->output, err);
    rc = rc < 0 ? rc : clear_groups(&others, err);
    if (rc == 0 && others.removed > 0 &&
        wtl_reduction_note(&all[0], "removed %zu file%s of an earlier reduction by other groups",
                           others.removed, others.removed == 1 ? "" : "s") < 0)
        rc = wtl_no_memory(err);
    return rc;
}

/* ---- the reduction ---- */

/* All members come here, whatever rc is so far. */
static int write_all(const struct wtl_reduce *request,
                     const struct wtl_team *team,
                     struct reducing *reducing,
                     int rc,
                     struct wattle_error *err)
{
    if (rc == 0 && team->rank == 0 && !request->force)
        rc = reduce_clear_others(request, reducing->all, reducing->count, err);
    for (size_t i = 0; i < reducing->count; i++) {
        rc = wtl_team_agree(team, rc, err);
        rc = rc < 0 ? rc : wtl_reduce_write(request, team, &reducing->all[i], err);
    }
    if (rc == 0 && team->rank == 0 && request->force)
        rc = reduce_clear_others(request, reducing->all, reducing->count, err);
    return rc;
}

static int reduce(const struct wtl_command *command,
                  const struct wtl_reduce *request,
                  const struct wtl_team *team,
                  struct reducing *reducing,
                  struct wattle_error *err)
{
    bool given = request->groups && strcmp(request->groups, "all") != 0;
    int rc = given ? wtl_rank_groups_parse(request->groups, &reducing->groups,
                                           &reducing->group_count, err)
                   : 0;
    rc = rc < 0 ? rc : open_run(command, request, team, &reducing->run, err);
    if (rc < 0)
        return rc;
    if (!request->partial && !is_whole(command, reducing->run, team->rank == 0))
        return -ECANCELED; /* told */
    rc = request->groups ? 0 : choose_groups(request, reducing, err);
    rc = rc < 0 ? rc : set_up(request, reducing, err);
    rc = request->output ? write_all(request, team, reducing, rc, err) : rc;
    rc = wtl_team_agree(team, rc, err);
    return rc < 0 || team->rank > 0 ? rc : print(request, reducing, err);
}

int wtl_reduce_run(const struct wtl_command *command,
                   const struct wtl_reduce *request,
                   const struct wtl_team *team)
{
    struct reducing reducing = {0};
    struct wattle_error err = {""};
    int rc = reduce(command, request, team, &reducing, &err);
    wtl_team_progress(team, NULL, 0, 0);
    if (rc < 0 && rc != -ECANCELED && team->rank == 0)
        wtl_complain(command, "%s", err.text);
    fini(&reducing);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A run as MonEQ's files: see cmd_export.h. */
#define _GNU_SOURCE
#include "cli/export/cmd_export.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/cluster/run.h"
#include "base/fail.h"
#include "cli/output.h"
#include "exchange/moneq/moneq_export.h"
#include "exchange/moneq/moneq_note.h"

/* The machine had 16 node boards in a midplane, 2 midplanes in a rack. */
enum { BOARDS = 16, MIDPLANES = 2, COLUMNS = 16 };

struct conversion {
    const struct wtl_command *command; /* for sentences */
    const char *folder;
    bool force, own_places, estimated;
    uint64_t step_ns;
    struct wtl_run *run;
    struct wtl_moneq_names names;
    struct wtl_output notes, tags, *nodes; /* nodes by number; no temporary for a skipped node */
    char *notes_path, *tags_path, **node_paths;
    size_t exported, gaps;
    struct wtl_moneq_written sum;
};

static int is_data(const struct dirent *entry)
{
    return strncmp(entry->d_name, "MonEQ-", 6) == 0;
}

/* The reducer treats all files "MonEQ-..." in a folder as one run. */
static int make_folder(const struct conversion *c, struct wattle_error *err)
{
    struct dirent **entries = NULL;
    if (mkdir(c->folder, 0777) < 0 && errno != EEXIST)
        return wtl_fail(err, -errno, "%s: %s", c->folder, wtl_strerror(errno));
    int count = scandir(c->folder, &entries, is_data, NULL);
    if (count < 0)
        return wtl_fail(err, -errno, "%s: %s", c->folder, wtl_strerror(errno));
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    if (count > 0 && !c->force)
        return wtl_fail(
            err, -EEXIST,
            "%s already holds %d MonEQ file%s, which the reducer would add to this run; choose "
            "another folder, or use --force to overwrite files of the same name",
            c->folder, count, count == 1 ? "" : "s");
    return 0;
}

/* If all nodes are named by their place, they keep it. */
static struct wtl_moneq_place place_of(const struct conversion *c, size_t i)
{
    struct wtl_moneq_place place;
    if (c->own_places && wtl_moneq_place_parse(wtl_run_node(c->run, i)->name, &place))
        return place;
    unsigned n = (unsigned)i, midplane = n / BOARDS, rack = midplane / MIDPLANES;
    return (struct wtl_moneq_place){.row = rack / COLUMNS,
                                    .column = rack % COLUMNS,
                                    .midplane = midplane % MIDPLANES,
                                    .board = n % BOARDS};
}

static int open_output(const struct conversion *c,
                       const char *name,
                       struct wtl_output *ret_output,
                       char **ret_path,
                       struct wattle_error *err)
{
    if (asprintf(ret_path, "%s/%s", c->folder, name) < 0) {
        *ret_path = NULL;
        return wtl_no_memory(err);
    }
    return wtl_output_open(ret_output, *ret_path, c->force, err);
}

static void add_up(struct wtl_moneq_written *sum, const struct wtl_moneq_written *one)
{
    sum->lines += one->lines;
    sum->unknown_lines += one->unknown_lines;
    sum->between += one->between;
    sum->within += one->within;
    sum->simulated |= one->simulated;
    for (size_t i = 0; i < WTL_MONEQ_POWERS; i++)
        sum->has[i] |= one->has[i];
}

static void note_node(struct conversion *c,
                      const char *name,
                      const struct wtl_run_node *node,
                      const struct wtl_moneq_written *written)
{
    struct wtl_moneq_note note = {.ends_behind = true,
                                  .means = written->means,
                                  .simulated = written->simulated,
                                  .quality = written->quality};
    add_up(&c->sum, written);
    c->estimated |= written->quality == WATTLE_ESTIMATED;
    note.start_realtime_ns = written->start_realtime_ns;
    (void)snprintf(note.run_id, sizeof note.run_id, "%s", wtl_run_id(c->run));
    (void)snprintf(note.node, sizeof note.node, "%s", node->name);
    memcpy(note.traits, written->traits, sizeof note.traits);
    wtl_moneq_note_print(c->notes.stream, name, &note);
    for (size_t i = 0; i < written->gap_count; i++)
        wtl_moneq_note_print_gap(c->notes.stream, name, &written->gaps[i]);
    c->gaps += written->gap_count;
    c->exported++;
}

/* Write the file of a node and close it under a temporary name. A node without power over time is skipped with a message. */
static int convert_node(struct conversion *c, size_t i, struct wattle_error *err)
{
    const struct wtl_run_node *node = wtl_run_node(c->run, i);
    const struct wtl_moneq_writing writing = {
        .place = place_of(c, i), .step_ns = c->step_ns, .names = &c->names};
    struct wtl_moneq_written written = {.lines = 0};
    struct wtl_trace_reader *reader = NULL;
    struct wtl_output *output = &c->nodes[i];
    char place[48], name[64];
    wtl_moneq_place_print(&writing.place, place);
    (void)snprintf(name, sizeof name, "MonEQ-%s.txt", place);
    int rc = wtl_run_node_open(c->run, i, &reader, err);
    rc = rc < 0 ? rc : open_output(c, name, output, &c->node_paths[i], err);
    bool opened = rc == 0;
    rc = rc < 0 ? rc : wtl_moneq_write(reader, &writing, output->stream, &written, err);
    if (rc == 0 && written.lines == 0)
        rc = wtl_fail(err, -ENODATA, "fewer than two samples, so no power can be computed");
    if (rc == 0 && (rc = wtl_output_close(output, err)) == 0)
        note_node(c, name, node, &written);
    free(written.gaps);
    wtl_trace_reader_close(reader);
    if (rc < 0 && opened)
        wtl_output_drop(output);
    if (rc != -ENODATA || !opened)
        return rc;
    wtl_complain(c->command, "skipped %s: %s", node->path, err->text);
    return 0;
}

static int write_tags(struct conversion *c, struct wattle_error *err)
{
    if (c->names.tags.count == 0) /* as MonEQ does: no file means no tags */
        return 0;
    int rc = open_output(c, WTL_MONEQ_TAGS_FILE, &c->tags, &c->tags_path, err);
    if (rc == 0)
        wtl_moneq_names_print(&c->names, c->tags.stream);
    return rc < 0 ? rc : wtl_output_close(&c->tags, err);
}

/* ---- what the files cannot contain ---- */

static void tell_count(const struct conversion *c,
                       uint64_t count,
                       const char *one,
                       const char *many,
                       const char *rest)
{
    if (count)
        wtl_complain(c->command, "%llu %s %s", (unsigned long long)count, count == 1 ? one : many,
                     rest);
}

static void report_conversion(const struct conversion *c)
{
    const struct wtl_moneq_written *sum = &c->sum;
    char absent[160] = "";
    for (size_t i = 0; i < WTL_MONEQ_POWERS; i++) {
        if (!sum->has[i])
            (void)snprintf(absent + strlen(absent), sizeof absent - strlen(absent), "%s%s",
                           absent[0] ? ", " : "", wtl_moneq_powers[i].name);
    }
    if (absent[0])
        wtl_complain(c->command, "no sensor for %s: written as nan", absent);
    if (c->estimated)
        wtl_complain(c->command,
                     "the power is estimated, but MonEQ files cannot say so (" WTL_MONEQ_NOTE_FILE
                     " in the same folder does); state it where you use them");
    if (sum->simulated)
        wtl_complain(c->command,
                     "the power is simulated, but MonEQ files cannot say so (" WTL_MONEQ_NOTE_FILE
                     " in the same folder does); state it where you use them");
    tell_count(c, sum->unknown_lines, "line is", "lines are", "skipped: node power unknown");
    tell_count(c, c->gaps, "time without lines is", "times without lines are",
               "named in " WTL_MONEQ_NOTE_FILE
               " only: MonEQ files cannot say that the power there is "
               "unknown, and other readers draw it across");
    tell_count(c, sum->between, "region", "regions",
               "began and ended between two lines inside another region: not in the files");
    tell_count(c, sum->within, "line lies", "lines lie",
               "in more than one region: assigned to the one that began last");
    tell_count(c, c->names.changed, "region name is", "region names are",
               "not valid as a tag name and written differently in " WTL_MONEQ_TAGS_FILE);
}

static int check_run(const struct conversion *c, struct wattle_error *err)
{
    size_t refused = wtl_run_refused_count(c->run);
    if (refused == 0)
        return 0;
    const struct wtl_run_refused *first = wtl_run_refused(c->run, 0);
    return wtl_fail(err, -EBADMSG, "%s is left out: %s%s; name the traces of one run", first->path,
                    first->why, refused > 1 ? ", and others" : "");
}

static int write_files(struct conversion *c, struct wattle_error *err)
{
    size_t count = wtl_run_node_count(c->run);
    c->nodes = calloc(count + 1, sizeof *c->nodes);
    c->node_paths = (char **)calloc(count + 1, sizeof *c->node_paths);
    if (!c->nodes || !c->node_paths)
        return wtl_no_memory(err);
    int rc = open_output(c, WTL_MONEQ_NOTE_FILE, &c->notes, &c->notes_path, err);
    if (rc == 0)
        wtl_moneq_note_begin(c->notes.stream);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = convert_node(c, i, err);
    if (rc == 0 && c->exported == 0)
        rc = wtl_fail(err, -ENODATA, "no node to export");
    rc = rc < 0 ? rc : write_tags(c, err);
    return rc < 0 ? rc : wtl_output_close(&c->notes, err);
}

/* All files are written: rename them; either all appear or none. */
static int commit_files(struct conversion *c, int rc, struct wattle_error *err)
{
    for (size_t i = 0; c->nodes && c->node_paths && i < wtl_run_node_count(c->run); i++) {
        if (rc == 0 && c->nodes[i].temporary)
            rc = wtl_output_commit(&c->nodes[i], err);
        wtl_output_drop(&c->nodes[i]);
        free(c->node_paths[i]);
    }
    rc = rc < 0 || !c->tags_path ? rc : wtl_output_commit(&c->tags, err);
    rc = rc < 0 ? rc : wtl_output_commit(&c->notes, err);
    wtl_output_drop(&c->tags);
    wtl_output_drop(&c->notes);
    free(c->nodes);
    free((void *)c->node_paths);
    free(c->tags_path);
    free(c->notes_path);
    return rc;
}

static int convert(struct conversion *c, struct wattle_error *err)
{
    int rc = check_run(c, err);
    rc = rc < 0 ? rc : make_folder(c, err);
    if (rc < 0)
        return rc;
    rc = write_files(c, err);
    rc = commit_files(c, rc, err);
    for (size_t i = 0; rc == 0 && i < wtl_run_missing_count(c->run); i++)
        wtl_complain(c->command, "%s: this node of the job has no trace",
                     wtl_run_missing(c->run, i));
    if (rc == 0)
        report_conversion(c);
    return rc;
}

int wtl_export_moneq(const struct wtl_command *command,
                     char *const *words,
                     size_t n,
                     const char *folder,
                     bool force,
                     uint64_t step_ns,
                     struct wattle_error *err)
{
    struct conversion c = {.command = command,
                           .folder = folder,
                           .force = force,
                           .own_places = true,
                           .step_ns = step_ns ? step_ns : WTL_MONEQ_STEP_NS};
    struct wtl_moneq_place place;
    int rc = wtl_run_open(words, n, NULL, &c.run, err);
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(c.run); i++)
        c.own_places = c.own_places && wtl_moneq_place_parse(wtl_run_node(c.run, i)->name, &place);
    rc = rc < 0 ? rc : convert(&c, err);
    wtl_moneq_names_fini(&c.names);
    wtl_run_close(c.run);
    return rc;
}

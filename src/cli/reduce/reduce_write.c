/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a reduction. Every member copies the traces of its nodes to their places in the run file and
 * writes their cells to its own file; rank 0 creates the CSV files from these and renames all files.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/cluster/run_cells.h"
#include "base/fail.h"
#include "base/grow.h"
#include "cli/output.h"
#include "cli/reduce/reduce.h"
#include "report/cluster/run_csv.h"
#include "trace/run_file.h"

/* Other files are opened as well: temporarily, and by the MPI library. */
enum { TAGS_AT_ONCE = 128, SPARE_FILES = 16, COPY_BYTES = 1 << 16 };

struct task {
    const struct wtl_reduce *request;
    const struct wtl_team *team;
    struct wtl_reduction *reduction;
    struct wtl_run_file file;
    struct wtl_run_cells cells;
    struct wtl_output run_file; /* rank 0 */
    struct wtl_bytes part;      /* temporary name of the run file */
    int cells_fd;               /* this member's */
    char *cells_path;           /* NULL: already unlinked */
    struct wtl_leftover *cells_leftover;
    bool made[2];                      /* by this call: the output folder, and that of the group */
    size_t kept_open, most_open;       /* files of others' cells */
    struct wtl_run_cells_node *places; /* [nodes] */
    int *fds;                          /* [nodes], rank 0 */
};

int wtl_reduction_note(struct wtl_reduction *reduction, const char *format, ...)
{
    va_list args;
    if (wtl_grow(&reduction->notes, reduction->note_count, sizeof *reduction->notes) < 0)
        return -ENOMEM;
    va_start(args, format);
    int n = vasprintf(&reduction->notes[reduction->note_count], format, args);
    va_end(args);
    if (n < 0)
        return -ENOMEM;
    reduction->note_count++;
    return 0;
}

static size_t node_count(const struct task *task)
{
    return wtl_run_node_count(task->reduction->run);
}

/* Number of files that may still be opened; at least 1. */
static size_t files_left(void)
{
    struct rlimit limit;
    size_t open_now = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        open_now++;
    if (folder)
        (void)closedir(folder);
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    size_t used = open_now + SPARE_FILES;
    return limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 1;
}

static int fail_memory(struct wattle_error *err)
{
    return wtl_no_memory(err);
}

/* ---- folder and names ---- */

static int make_folder(const char *path, bool *ret_made, struct wattle_error *err)
{
    struct stat about;
    *ret_made = mkdir(path, 0777) == 0;
    if (*ret_made || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return 0;
    int rc = errno == EEXIST ? -ENOTDIR : -errno;
    return wtl_fail(err, rc, "cannot create %s: %s; choose another folder with --output", path,
                    wtl_strerror(rc));
}

static char *path_in(const struct task *task, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", task->reduction->folder, name) < 0 ? NULL : path;
}

/* Report an existing file before starting. */
static int is_free(const struct task *task, const char *name, struct wattle_error *err)
{
    char *path = path_in(task, name);
    if (!path)
        return fail_memory(err);
    int rc = wtl_output_free(path, task->request->force, err);
    free(path);
    return rc;
}

bool wtl_reduce_is_rows(const char *path, const char *name)
{
    static const char head[] = "time_s,node,seconds";
    char start[sizeof head] = "";
    size_t n = strlen(name);
    bool named = strcmp(name, "untagged.csv") == 0 || strcmp(name, "overall.csv") == 0 ||
                 (n > 8 && strncmp(name, "tag-", 4) == 0 && strcmp(name + n - 4, ".csv") == 0);
    int fd = named ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    ssize_t got = fd < 0 ? 0 : read(fd, start, sizeof head - 1);
    if (fd >= 0)
        (void)close(fd); /* opened for reading */
    return got > 0 && strcmp(start, head) == 0;
}

/* Rows by region of another reduction. */
static bool is_older(const struct task *task, const char *path, const char *name)
{
    for (size_t i = 0; i < task->reduction->written_count; i++)
        if (strcmp(task->reduction->written[i], path) == 0)
            return false;
    return strcmp(name, "overall.csv") != 0 && wtl_reduce_is_rows(path, name);
}

/* Rows by region of an older reduction, of another run perhaps, do not stay beside the new ones: with force they are removed, and without it
 * they are told. */
static int clear_older(const struct task *task, struct wattle_error *err)
{
    struct wtl_reduction *reduction = task->reduction;
    DIR *folder = opendir(reduction->folder);
    size_t removed = 0;
    int rc = 0;
    if (!folder)
        return wtl_fail(err, -errno, "%s: %s", reduction->folder, wtl_strerror(errno));
    for (const struct dirent *entry; rc == 0 && (entry = readdir(folder));) {
        char *path = path_in(task, entry->d_name);
        if (!path)
            rc = fail_memory(err);
        else if (!is_older(task, path, entry->d_name))
            rc = 0;
        else if (!task->request->force)
            rc = wtl_fail(err, -EEXIST,
                          "%s already exists from another reduction; use --force to remove it",
                          path);
        else if (unlink(path) < 0)
            rc = wtl_fail(err, -errno, "cannot remove %s of an older reduction: %s", path,
                          wtl_strerror(errno));
        else
            removed++;
        free(path);
    }
    (void)closedir(folder); /* read only */
    if (rc == 0 && removed > 0)
        rc = wtl_reduction_note(
            reduction,
            "removed %zu file%s of an older reduction, for regions that this run does not have",
            removed, removed == 1 ? "" : "s");
    return rc;
}

static int look_at_folder(struct task *task, struct wattle_error *err)
{
    char name[256];
    int rc = make_folder(task->request->output, &task->made[0], err);
    rc = rc < 0 ? rc : make_folder(task->reduction->folder, &task->made[1], err);
    rc = rc < 0 ? rc : is_free(task, "run.wtl", err);
    rc = rc < 0 ? rc : is_free(task, "overall.csv", err);
    for (size_t t = 0; rc == 0 && t < task->cells.tag_count; t++)
        rc = is_free(task, wtl_run_csv_tag_file(task->cells.tags[t], name, sizeof name), err);
    if (rc == 0 && task->cells.tag_count > 0)
        rc = is_free(task, "untagged.csv", err);
    return rc < 0 || task->request->force ? rc : clear_older(task, err);
}

static int open_output(const struct task *task,
                       struct wtl_output *output,
                       const char *name,
                       struct wattle_error *err)
{
    char *path = path_in(task, name);
    int rc = path ? wtl_output_open(output, path, task->request->force, err) : fail_memory(err);
    if (rc < 0) {
        free(path);
        *output = (struct wtl_output){0};
    }
    return rc;
}

/* Add its name to the list of files written. */
static int commit_output(struct task *task, struct wtl_output *output, struct wattle_error *err)
{
    struct wtl_reduction *reduction = task->reduction;
    char *path = (char *)(uintptr_t)output->path;
    if (wtl_grow(&reduction->written, reduction->written_count, sizeof *reduction->written) < 0)
        return fail_memory(err);
    int rc = wtl_output_commit(output, err);
    output->path = NULL;
    if (rc < 0)
        free(path);
    else
        reduction->written[reduction->written_count++] = path;
    return rc;
}

static void drop_output(struct wtl_output *output)
{
    char *path = (char *)(uintptr_t)output->path;
    wtl_output_drop(output);
    output->path = NULL;
    free(path);
}

/* ---- the run file ---- */

static int plan_file(struct task *task)
{
    const struct wtl_run *run = task->reduction->run;
    struct wtl_run_file *file = &task->file;
    file->run_id = strdup(wtl_run_id(run));
    file->begin_ns = wtl_run_begin(run);
    file->members = calloc(node_count(task) + 1, sizeof *file->members);
    if (!file->run_id || !file->members)
        return -ENOMEM;
    for (; file->count < node_count(task); file->count++) {
        const struct wtl_run_node *node = wtl_run_node(run, file->count);
        struct wtl_run_member *member = &file->members[file->count];
        *member = (struct wtl_run_member){
            .name = strdup(node->name), .length = node->length, .clock = node->clock};
        if (!member->name)
            return -ENOMEM;
    }
    (void)wtl_run_file_place(file);
    return wtl_run_file_note(run, task->reduction->group, file);
}

static int copy_members(struct task *task, int fd, struct wattle_error *err)
{
    const struct wtl_team *team = task->team;
    int rc = 0;
    for (size_t i = (size_t)team->rank; rc == 0 && i < node_count(task); i += (size_t)team->size) {
        const struct wtl_run_node *node = wtl_run_node(task->reduction->run, i);
        const struct wtl_trace_part part = {
            .path = node->path, .offset = node->offset, .length = node->length};
        rc = wtl_run_file_copy(fd, &task->file.members[i], &part, err);
        wtl_team_progress(team, "copied", i + 1, node_count(task));
    }
    return rc;
}

/* Rank 0 creates the file and sends its temporary name to the others. */
static int make_file(struct task *task, struct wattle_error *err)
{
    int rc = 0;
    if (task->team->rank == 0) {
        rc = open_output(task, &task->run_file, "run.wtl", err);
        if (rc == 0 && task->run_file.temporary)
            wtl_bytes_put(&task->part, task->run_file.temporary,
                          strlen(task->run_file.temporary) + 1);
    }
    rc = wtl_team_agree(task->team, rc, err);
    if (rc == 0 && task->team->size > 1 && (rc = wtl_team_broadcast(task->team, &task->part)) < 0)
        (void)wtl_fail(err, rc, "run.wtl: %s", wtl_strerror(rc));
    return rc;
}

/* Ranks other than 0. */
static int fill_as_other(struct task *task, struct wattle_error *err)
{
    const char *path = (const char *)task->part.data;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return wtl_fail(err, -errno, "%s: %s; the output folder must be visible to all ranks", path,
                        wtl_strerror(errno));
    int rc = copy_members(task, fd, err);
    if (rc == 0 && fsync(fd) < 0 && errno != EINVAL)
        rc = wtl_fail(err, -errno, "run.wtl: %s", wtl_strerror(errno));
    (void)close(fd); /* its failure would have been that of fsync */
    return rc;
}

static int fill_file(struct task *task, struct wattle_error *err)
{
    bool first = task->team->rank == 0;
    int rc = make_file(task, err);
    if (rc == 0 && first)
        rc = copy_members(task, fileno(task->run_file.stream), err);
    else if (rc == 0)
        rc = fill_as_other(task, err);
    rc = wtl_team_agree(task->team, rc, err);
    return rc < 0 || !first ? rc
                            : wtl_run_file_finish(fileno(task->run_file.stream),
                                                  task->run_file.path, &task->file, err);
}

/* ---- cells ---- */

static int open_cells(struct task *task, struct wattle_error *err)
{
    task->cells_path = path_in(task, ".cells-XXXXXX");
    if (!task->cells_path)
        return fail_memory(err);
    if (task->team->size > 1) /* rank 0 opens it by name; a signal may arrive after mkostemp */
        task->cells_leftover = wtl_leftover_add(task->cells_path);
    task->cells_fd = mkostemp(task->cells_path, O_CLOEXEC);
    if (task->cells_fd < 0) {
        int rc = wtl_fail(err, -errno, "%s: %s", task->cells_path, wtl_strerror(errno));
        wtl_leftover_forget(task->cells_leftover);
        task->cells_leftover = NULL;
        free(task->cells_path);
        task->cells_path = NULL;
        return rc;
    }
    if (task->team->size > 1)
        return 0;
    (void)unlink(task->cells_path); /* nobody else needs it */
    free(task->cells_path);
    task->cells_path = NULL;
    return 0;
}

static int write_cells(struct task *task, struct wattle_error *err)
{
    const struct wtl_team *team = task->team;
    uint64_t offset = 0;
    int rc = open_cells(task, err);
    task->places = calloc(node_count(task) + 1, sizeof *task->places);
    task->fds = calloc(node_count(task) + 1, sizeof *task->fds);
    if (!task->places || !task->fds)
        return fail_memory(err);
    for (size_t i = (size_t)team->rank; rc == 0 && i < node_count(task); i += (size_t)team->size) {
        rc = wtl_run_cells_write(&task->cells, i, task->cells_fd, &offset, &task->places[i], err);
        task->fds[i] = task->cells_fd;
        wtl_team_progress(team, "nodes", i + 1, node_count(task));
    }
    return rc;
}

/* The message of one member about its file and the contents. */
static void put_cells(const struct task *task, struct wtl_bytes *bytes)
{
    wtl_bytes_put_text(bytes, task->cells_path);
    for (size_t i = (size_t)task->team->rank; i < node_count(task); i += (size_t)task->team->size)
        wtl_run_cells_node_put(bytes, &task->places[i]);
}

/* Append to this member's file, from *ret_base on. */
static int append_cells(struct task *task, int fd, uint64_t *ret_base, struct wattle_error *err)
{
    off_t end = lseek(task->cells_fd, 0, SEEK_END);
    char *room = malloc(COPY_BYTES);
    int rc = !room ? -ENOMEM : end < 0 ? -errno : 0;
    *ret_base = end < 0 ? 0 : (uint64_t)end;
    for (ssize_t got = 0; rc == 0 && (got = read(fd, room, COPY_BYTES)) != 0;) {
        ssize_t put = got < 0 ? -1 : 0;
        for (ssize_t at = 0; put >= 0 && at < got; at += put)
            put = write(task->cells_fd, room + at, (size_t)(got - at));
        rc = put < 0 && errno != EINTR ? -errno : 0;
    }
    free(room);
    return rc < 0
               ? wtl_fail(err, rc, "cannot receive the cells of another rank: %s", wtl_strerror(rc))
               : 0;
}

/* Once open, the file is unlinked. To limit open files, others are appended to our own. */
static int open_other(struct task *task,
                      const char *path,
                      int *ret_fd,
                      uint64_t *ret_base,
                      struct wattle_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *ret_base = 0;
    *ret_fd = fd;
    if (fd < 0)
        return wtl_fail(err, -errno, "%s: %s; the output folder must be visible to all ranks", path,
                        wtl_strerror(errno));
    (void)unlink(path); /* or its owner does */
    if (task->kept_open < task->most_open) {
        task->kept_open++;
        return 0;
    }
    int rc = append_cells(task, fd, ret_base, err);
    (void)close(fd); /* opened for reading */
    *ret_fd = task->cells_fd;
    return rc;
}

static int take_cells(struct task *task,
                      struct wtl_cursor *cursor,
                      size_t rank,
                      struct wattle_error *err)
{
    const char *text;
    size_t n = wtl_cursor_text(cursor, &text);
    uint64_t base = 0;
    int fd = task->cells_fd, rc = 0;
    char *path = cursor->failed ? NULL : strndup(text, n);
    if (!path)
        rc = fail_memory(err);
    else if (rank > 0 && rank < node_count(task)) /* else it is ours, or empty */
        rc = open_other(task, path, &fd, &base, err);
    free(path);
    for (size_t i = rank; rc == 0 && i < node_count(task); i += (size_t)task->team->size) {
        task->fds[i] = fd;
        if (rank == 0)
            wtl_run_cells_node_fini(&task->places[i]);
        rc = wtl_run_cells_node_take(cursor, &task->places[i]);
        task->places[i].offset += base;
        if (rc < 0)
            (void)wtl_fail(err, rc, "cannot decode the cells of another rank");
    }
    return rc;
}

static int gather_cells(struct task *task, struct wattle_error *err)
{
    struct wtl_bytes bytes = {0};
    put_cells(task, &bytes);
    int rc = bytes.failed ? fail_memory(err) : wtl_team_gather(task->team, &bytes);
    struct wtl_cursor cursor = wtl_cursor_init(bytes.data, bytes.length);
    size_t left = files_left();
    task->most_open = left > TAGS_AT_ONCE ? left - TAGS_AT_ONCE : 0;
    for (size_t r = 0; rc == 0 && task->team->rank == 0 && r < (size_t)task->team->size; r++)
        rc = take_cells(task, &cursor, r, err);
    wtl_bytes_fini(&bytes);
    return rc;
}

/* ---- CSV ---- */

static void on_rows(void *context, uint64_t done, uint64_t all)
{
    wtl_team_progress((const struct wtl_team *)context, "steps", done, all);
}

/* The files of one pass over the cells; the first pass writes all rows and those outside all regions. */
struct sheets {
    bool whole, outside;
    struct wtl_output overall, untagged, *tags;
    FILE **streams; /* of the tags */
    size_t first, count;
};

static int open_sheets(struct task *task, struct sheets *sheets, struct wattle_error *err)
{
    char name[256];
    int rc = sheets->whole ? open_output(task, &sheets->overall, "overall.csv", err) : 0;
    if (rc == 0 && sheets->outside)
        rc = open_output(task, &sheets->untagged, "untagged.csv", err);
    for (size_t t = 0; rc == 0 && t < sheets->count; t++) {
        (void)wtl_run_csv_tag_file(task->cells.tags[sheets->first + t], name, sizeof name);
        rc = open_output(task, &sheets->tags[t], name, err);
        sheets->streams[t] = sheets->tags[t].stream;
    }
    return rc;
}

static int commit_sheets(struct task *task, struct sheets *sheets, struct wattle_error *err)
{
    int rc = sheets->whole ? commit_output(task, &sheets->overall, err) : 0;
    if (rc == 0 && sheets->outside)
        rc = commit_output(task, &sheets->untagged, err);
    for (size_t t = 0; rc == 0 && t < sheets->count; t++)
        rc = commit_output(task, &sheets->tags[t], err);
    return rc;
}

static int write_sheets(struct task *task, struct sheets *sheets, struct wattle_error *err)
{
    int rc = open_sheets(task, sheets, err);
    const struct wtl_run_csv csv = {.cells = &task->cells,
                                    .places = task->places,
                                    .fds = task->fds,
                                    .overall = sheets->overall.stream,
                                    .untagged = sheets->untagged.stream,
                                    .tags = sheets->streams,
                                    .tag_first = sheets->first,
                                    .tag_count = sheets->count,
                                    .progress = on_rows,
                                    .progress_context = (void *)(uintptr_t)task->team};
    rc = rc < 0 ? rc : wtl_run_csv_write(&csv, err);
    rc = rc < 0 ? rc : commit_sheets(task, sheets, err);
    drop_output(&sheets->overall);
    drop_output(&sheets->untagged);
    for (size_t t = 0; t < sheets->count; t++)
        drop_output(&sheets->tags[t]);
    return rc;
}

static int write_pass(struct task *task, size_t first, size_t count, struct wattle_error *err)
{
    struct sheets sheets = {.whole = first == 0,
                            .outside = first == 0 && task->cells.tag_count > 0,
                            .tags = calloc(count + 1, sizeof *sheets.tags),
                            .streams = (FILE **)calloc(count + 1, sizeof(FILE *)),
                            .first = first,
                            .count = count};
    int rc = sheets.tags && sheets.streams ? write_sheets(task, &sheets, err) : fail_memory(err);
    free(sheets.tags);
    free((void *)sheets.streams);
    return rc;
}

static int write_csvs(struct task *task, struct wattle_error *err)
{
    size_t first = 0, most = files_left();
    int rc = 0;
    most = most < TAGS_AT_ONCE ? most : TAGS_AT_ONCE;
    do {
        size_t left = task->cells.tag_count - first;
        size_t count = left < most ? left : most;
        rc = write_pass(task, first, count, err);
        first += count;
    } while (rc == 0 && first < task->cells.tag_count);
    return rc;
}

/* ---- all ---- */

static void fini(struct task *task)
{
    size_t nodes = node_count(task);
    for (size_t i = 1; task->fds && task->team->size > 1 && task->team->rank == 0 && i < nodes &&
                       i < (size_t)task->team->size;
         i++) {
        if (task->fds[i] > 0 && task->fds[i] != task->cells_fd)
            (void)close(task->fds[i]); /* opened for reading */
    }
    for (size_t i = 0; task->places && i < nodes; i++)
        wtl_run_cells_node_fini(&task->places[i]);
    if (task->cells_fd >= 0)
        (void)close(task->cells_fd); /* its contents are no longer needed */
    if (task->cells_path)
        (void)unlink(task->cells_path);
    wtl_leftover_forget(task->cells_leftover);
    drop_output(&task->run_file);
    free(task->cells_path);
    free(task->places);
    free(task->fds);
    wtl_bytes_fini(&task->part);
    wtl_run_file_fini(&task->file);
    wtl_run_cells_fini(&task->cells);
}

static int write_all(struct task *task, struct wattle_error *err)
{
    int rc = wtl_run_cells_init(&task->cells, task->reduction->run, task->reduction->totals,
                                task->request->step_ns, err);
    if (rc == 0 && plan_file(task) < 0)
        rc = fail_memory(err);
    if (rc == 0 && task->team->rank == 0)
        rc = look_at_folder(task, err);
    rc = wtl_team_agree(task->team, rc, err);
    rc = rc < 0 ? rc : fill_file(task, err);
    rc = wtl_team_agree(task->team, rc, err);
    rc = rc < 0 ? rc : write_cells(task, err);
    rc = wtl_team_agree(task->team, rc, err);
    if (rc == 0 && task->team->size > 1)
        rc = gather_cells(task, err);
    if (task->team->rank == 0) {
        rc = rc < 0 ? rc : write_csvs(task, err);
        rc = rc < 0 ? rc : clear_older(task, err);
        rc = rc < 0 ? rc : commit_output(task, &task->run_file, err);
    }
    return wtl_team_agree(task->team, rc, err);
}

int wtl_reduce_write(const struct wtl_reduce *request,
                     const struct wtl_team *team,
                     struct wtl_reduction *reduction,
                     struct wattle_error *err)
{
    struct task task = {.request = request, .team = team, .reduction = reduction, .cells_fd = -1};
    int rc = write_all(&task, err);
    fini(&task);
    if (rc < 0 && task.made[1])
        (void)rmdir(reduction->folder); /* empty, since its files were removed */
    if (rc < 0 && task.made[0])
        (void)rmdir(request->output);
    return rc;
}

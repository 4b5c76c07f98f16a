/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes files in the layout of Slurm's profiles: see slurm_file.h. */
#define _GNU_SOURCE
#include "exchange/hdf5/slurm_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "exchange/hdf5/hdf5_library.h"

enum { SLAB = 1024 /* rows written at once, and of a chunk */, NAME = 256 };

struct wtl_slurm_file {
    struct wtl_hdf5 h5;
    wtl_hid file, steps, nodes, step, node, tasks; /* groups; 0 = not open */
    char *path;                                    /* in messages */
};

/* The library does not say why: errno is that of its last system call, if it failed in one. */
static int failed(const struct wtl_slurm_file *file, const char *what, struct wattle_error *err)
{
    int why = errno;
    return why == ENOSPC || why == EDQUOT || why == EFBIG || why == EIO || why == EACCES
               ? wtl_fail(err, -why, "%s: cannot write %s: %s", file->path, what, wtl_strerror(why))
               : wtl_fail(err, -EIO, "%s: libhdf5 cannot write %s", file->path, what);
}

void wtl_slurm_group_name(const char *name, char *ret_name, size_t n)
{
    (void)snprintf(ret_name, n, "%s", name[0] ? name : "_");
    for (char *c = ret_name; *c; c++)
        *c = *c == '/' || (unsigned char)*c < ' ' ? '_' : *c;
    if (ret_name[0] == '.') /* the group itself, a hidden file */
        ret_name[0] = '_';
}

static void close_group(struct wtl_slurm_file *file, wtl_hid *group)
{
    if (*group > 0)
        (void)file->h5.Gclose(*group);
    *group = 0;
}

static int open_group(struct wtl_slurm_file *file,
                      wtl_hid where,
                      const char *name,
                      wtl_hid *ret_group,
                      struct wattle_error *err)
{
    char safe[NAME];
    wtl_slurm_group_name(name, safe, sizeof safe);
    errno = 0;
    *ret_group = file->h5.Gcreate2(where, safe, 0, 0, 0);
    if (*ret_group > 0)
        return 0;
    *ret_group = 0;
    return failed(file, safe, err);
}

/* ---- attributes: data spaces of one element, as Slurm writes them ---- */

static int put_attribute(struct wtl_slurm_file *file,
                         wtl_hid where,
                         const char *name,
                         wtl_hid type,
                         const void *value,
                         struct wattle_error *err)
{
    const struct wtl_hdf5 *h5 = &file->h5;
    const wtl_hsize one = 1;
    errno = 0;
    wtl_hid space = h5->Screate_simple(1, &one, NULL);
    wtl_hid attribute = space < 0 ? -1 : h5->Acreate2(where, name, type, space, 0, 0);
    int rc = attribute < 0 ? -1 : h5->Awrite(attribute, type, value);
    if (attribute >= 0)
        (void)h5->Aclose(attribute);
    if (space >= 0)
        (void)h5->Sclose(space);
    return rc < 0 ? failed(file, name, err) : 0;
}

static int put_int(struct wtl_slurm_file *file,
                   wtl_hid where,
                   const char *name,
                   int value,
                   struct wattle_error *err)
{
    return put_attribute(file, where, name, file->h5.native_int, &value, err);
}

static int put_text(struct wtl_slurm_file *file,
                    wtl_hid where,
                    const char *name,
                    const char *text,
                    struct wattle_error *err)
{
    wtl_hid type = file->h5.Tcopy(file->h5.c_string);
    size_t length = strlen(text);
    int rc = type < 0 || file->h5.Tset_size(type, length ? length : 1) < 0
                 ? failed(file, name, err)
                 : put_attribute(file, where, name, type, text, err);
    if (type >= 0)
        (void)file->h5.Tclose(type);
    return rc;
}

/* ---- groups ---- */

int wtl_slurm_file_create(const char *path,
                          const char *shown,
                          struct wtl_slurm_file **ret_file,
                          struct wattle_error *err)
{
    struct wtl_slurm_file *file = calloc(1, sizeof *file);
    *ret_file = NULL;
    if (!file || !(file->path = strdup(shown))) {
        free(file);
        return wtl_no_memory(err);
    }
    int rc = wtl_hdf5_load(&file->h5, err);
    errno = 0;
    if (rc == 0 && (file->file = file->h5.Fcreate(path, WTL_H5F_TRUNCATE, 0, 0)) < 0)
        rc = failed(file, "its header", err);
    if (rc < 0) {
        free(file->path);
        free(file);
        return rc;
    }
    *ret_file = file;
    return 0;
}

int wtl_slurm_file_step(struct wtl_slurm_file *file,
                        const char *step,
                        size_t nodes,
                        struct wattle_error *err)
{
    int rc = file->steps ? 0 : open_group(file, file->file, "Steps", &file->steps, err);
    close_group(file, &file->tasks);
    close_group(file, &file->node);
    close_group(file, &file->nodes);
    close_group(file, &file->step);
    rc = rc < 0 ? rc : open_group(file, file->steps, step, &file->step, err);
    rc = rc < 0 ? rc : put_int(file, file->step, "Number of Nodes", (int)nodes, err);
    return rc < 0 ? rc : open_group(file, file->step, "Nodes", &file->nodes, err);
}

int wtl_slurm_file_node(struct wtl_slurm_file *file,
                        const struct wtl_slurm_about *node,
                        struct wattle_error *err)
{
    close_group(file, &file->tasks);
    close_group(file, &file->node);
    int rc = open_group(file, file->nodes ? file->nodes : file->file, node->name, &file->node, err);
    rc = rc < 0 ? rc : put_int(file, file->node, "Node Index", node->index, err);
    rc = rc < 0 ? rc : put_text(file, file->node, "Node Name", node->name, err);
    rc = rc < 0 ? rc : put_int(file, file->node, "Number of Tasks", node->tasks, err);
    rc = rc < 0 ? rc : put_int(file, file->node, "CPUs per Task", node->cpus_per_task, err);
    rc = rc < 0 ? rc : put_text(file, file->node, "Start Time", node->start_time, err);
    for (const struct wtl_slurm_note *note = node->notes; note && note->name && rc == 0; note++)
        rc = put_text(file, file->node, note->name, note->text, err);
    return rc;
}

/* ---- tables ---- */

struct table {
    struct wtl_slurm_file *file;
    const char *name;
    wtl_hid type, set;
    wtl_hsize rows;
};

static int make_type(struct table *table, const struct wtl_slurm_field *fields, size_t count)
{
    const struct wtl_hdf5 *h5 = &table->file->h5;
    table->type = h5->Tcreate(WTL_H5T_COMPOUND, count * sizeof(union wtl_slurm_cell));
    int rc = table->type < 0 ? -1 : 0;
    for (size_t i = 0; i < count && rc >= 0; i++)
        rc = h5->Tinsert(table->type, fields[i].name, i * sizeof(union wtl_slurm_cell),
                         fields[i].real ? h5->native_double : h5->native_uint64);
    return rc;
}

/* A "packet table": one dimension without a limit, in chunks, compressed. */
static int make_set(struct table *table, wtl_hid where, const char *name)
{
    const struct wtl_hdf5 *h5 = &table->file->h5;
    const wtl_hsize none = 0, chunk = SLAB, limit = WTL_H5S_UNLIMITED;
    wtl_hid space = h5->Screate_simple(1, &none, &limit);
    wtl_hid how = h5->Pcreate(h5->dataset_creation);
    if (space >= 0 && how >= 0 && h5->Pset_chunk(how, 1, &chunk) >= 0 &&
        h5->Pset_deflate(how, 1) >= 0)
        table->set = h5->Dcreate2(where, name, table->type, space, 0, how, 0);
    if (how >= 0)
        (void)h5->Pclose(how);
    if (space >= 0)
        (void)h5->Sclose(space);
    return table->set < 0 ? -1 : 0;
}

static int append(struct table *table, const union wtl_slurm_cell *cells, size_t rows)
{
    const struct wtl_hdf5 *h5 = &table->file->h5;
    const wtl_hsize start = table->rows, count = rows, size = table->rows + rows;
    if (h5->Dset_extent(table->set, &size) < 0)
        return -1;
    wtl_hid there = h5->Dget_space(table->set), here = h5->Screate_simple(1, &count, NULL);
    int rc =
        there < 0 || here < 0 ||
                h5->Sselect_hyperslab(there, WTL_H5S_SELECT_SET, &start, NULL, &count, NULL) < 0
            ? -1
            : h5->Dwrite(table->set, table->type, here, there, 0, cells);
    if (here >= 0)
        (void)h5->Sclose(here);
    if (there >= 0)
        (void)h5->Sclose(there);
    table->rows = size;
    return rc;
}

/* The group of a table, and its name there. */
static int find_place(struct wtl_slurm_file *file,
                      const char *name,
                      wtl_hid *ret_where,
                      const char **ret_name,
                      struct wattle_error *err)
{
    static const char tasks[] = "Tasks/";
    bool inside = strncmp(name, tasks, sizeof tasks - 1) == 0;
    int rc = inside && !file->tasks ? open_group(file, file->node, "Tasks", &file->tasks, err) : 0;
    *ret_where = inside ? file->tasks : file->node;
    *ret_name = inside ? name + sizeof tasks - 1 : name;
    return rc;
}

static int write_rows(struct table *table,
                      const struct wtl_slurm_field *fields,
                      size_t field_count,
                      wtl_slurm_next_fn *next,
                      void *context,
                      struct wattle_error *err)
{
    union wtl_slurm_cell *cells = malloc(SLAB * (field_count + 1) * sizeof *cells);
    size_t filled;
    int rc = cells ? 0 : wtl_no_memory(err);
    do {
        for (filled = 0; rc == 0 && filled < SLAB && next(context, cells + filled * field_count);)
            filled++;
        if (filled == 0)
            break;
        wtl_hid where;
        const char *name;
        errno = 0;
        if (table->set < 0 &&
            ((rc = find_place(table->file, table->name, &where, &name, err)) < 0 ||
             make_type(table, fields, field_count) < 0 || make_set(table, where, name) < 0))
            rc = rc < 0 ? rc : failed(table->file, table->name, err);
        if (rc == 0 && append(table, cells, filled) < 0)
            rc = failed(table->file, table->name, err);
    } while (rc == 0 && filled == SLAB);
    free(cells);
    return rc;
}

int wtl_slurm_file_table(struct wtl_slurm_file *file,
                         const char *name,
                         const struct wtl_slurm_field *fields,
                         size_t field_count,
                         wtl_slurm_next_fn *next,
                         void *context,
                         struct wattle_error *err)
{
    struct table table = {.file = file, .name = name, .type = -1, .set = -1};
    int rc = write_rows(&table, fields, field_count, next, context, err);
    errno = 0;
    if (table.set >= 0 && file->h5.Dclose(table.set) < 0 && rc == 0)
        rc = failed(file, name, err);
    if (table.type >= 0)
        (void)file->h5.Tclose(table.type);
    return rc;
}

int wtl_slurm_file_close(struct wtl_slurm_file *file, size_t steps, struct wattle_error *err)
{
    if (!file)
        return 0;
    wtl_hid *const groups[] = {&file->tasks, &file->node, &file->nodes, &file->step, &file->steps};
    int rc = steps ? put_int(file, file->file, "Number of Steps", (int)steps, err) : 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        close_group(file, groups[i]);
    errno = 0;
    if (file->h5.Fflush(file->file, 0) < 0 && rc == 0)
        rc = failed(file, "the end of the file", err);
    if (file->h5.Fclose(file->file) < 0 && rc == 0)
        rc = failed(file, "the end of the file", err);
    free(file->path);
    free(file);
    return rc;
}

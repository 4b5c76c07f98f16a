/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file in the layout of Slurm's HDF5 profiles (docs/format/hdf5.md), as sh5util writes and reads it: the merged file
 * of a job, or the file of one node and step.
 *
 *     wtl_slurm_file_create(path, path, &file, err);
 *     wtl_slurm_file_step(file, "0", 2, err);                 not for a file of one node
 *     wtl_slurm_file_node(file, &node, err);
 *     wtl_slurm_file_table(file, "Energy", fields, n, next, context, err);
 *     wtl_slurm_file_close(file, steps, err);
 *
 * Each call goes on where the one before it ended: a node is in the last step, a table in the last node.
 */
#ifndef WTL_EXCHANGE_SLURM_FILE_H
#define WTL_EXCHANGE_SLURM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

struct wtl_slurm_file;

struct wtl_slurm_field {
    const char *name;
    bool real; /* a double, else an unsigned integer of 64 bits */
};

union wtl_slurm_cell {
    uint64_t whole;
    double real;
};

struct wtl_slurm_about {
    const char *name;
    int index, tasks, cpus_per_task;
    const char *start_time; /* as ctime(3) prints it, without its newline */
    /* What Slurm's layout has no place for, as text attributes; name NULL ends. */
    const struct wtl_slurm_note {
        const char *name, *text;
    } * notes;
};

/* Overwrites the file; shown: its name in messages. Returns 0; -ENOTSUP without libhdf5; -EIO; or -ENOMEM; with a message, like all calls. */
int wtl_slurm_file_create(const char *path,
                          const char *shown,
                          struct wtl_slurm_file **ret_file,
                          struct wattle_error *err);

/* Names of steps and nodes become names of groups: a "/" in them, which HDF5 does not allow, becomes "_". */
int wtl_slurm_file_step(struct wtl_slurm_file *file,
                        const char *step,
                        size_t nodes,
                        struct wattle_error *err);
int wtl_slurm_file_node(struct wtl_slurm_file *file,
                        const struct wtl_slurm_about *node,
                        struct wattle_error *err);

/* The next row into cells; false: no more. */
typedef bool wtl_slurm_next_fn(void *context, union wtl_slurm_cell *cells);

/* A table, "Energy" or "Tasks/0". No row: no table, as in Slurm. */
int wtl_slurm_file_table(struct wtl_slurm_file *file,
                         const char *name,
                         const struct wtl_slurm_field *fields,
                         size_t field_count,
                         wtl_slurm_next_fn *next,
                         void *context,
                         struct wattle_error *err);

/* steps: of a job file; 0 = the file of one node. Frees the file, also on failure; accepts NULL. */
int wtl_slurm_file_close(struct wtl_slurm_file *file, size_t steps, struct wattle_error *err);

/* The name of a group: at most n - 1 bytes. */
void wtl_slurm_group_name(const char *name, char *ret_name, size_t n);

#endif

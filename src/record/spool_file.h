/* SPDX-License-Identifier: BSD-3-Clause */
/* The file behind the region calls of one process: created, grown and mapped, chunk by chunk. */
#ifndef WTL_RECORD_SPOOL_FILE_H
#define WTL_RECORD_SPOOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/spool.h"

struct wtl_spool_file {
    char path[512];
    dev_t device;
    ino_t inode;
    struct wtl_spool_header *header; /* mapped; NULL = no file */
    uint8_t *free_begin, *free_end;  /* mapped chunks that nobody has yet */
    uint64_t size;                   /* bytes allocated */
    uint32_t chunks;                 /* handed out */
    uint32_t step;                   /* chunks of the next growth */
    uint32_t sparse; /* the first chunks, which get their blocks one after the other */
    int error;       /* errno for which it last could not grow */
};

/* Make the folder of spools, of this user alone; one that is there must be a folder of this user, not a link that somebody
 * has laid to elsewhere (-EPERM), and is closed to others. Returns 0 or -errno. */
int wtl_spool_folder_make(const char *dir);

/* Create DIR/PID (or PID.1, PID.2, ... when an earlier program of this pid left one). The header of a
 * file that was closed gives up its place in memory. Returns 0 or -errno. */
int wtl_spool_file_create(struct wtl_spool_file *file, const char *dir, bool tsc);

/* A fresh chunk of WTL_SPOOL_CHUNK bytes with its header filled in; NULL when the file cannot grow
 * (full disk, quota, limit on file size, out of reach): file->error. *ret_ready bytes of it may be written. */
void *wtl_spool_file_chunk(struct wtl_spool_file *file,
                           enum wtl_chunk_type type,
                           size_t *ret_ready);

/* More of a chunk, of which `ready` bytes may be written: how many now, or 0 as above. */
size_t wtl_spool_file_ready(struct wtl_spool_file *file, void *chunk, size_t ready);

/* No more chunks. The header stays mapped: a call may be just counting its drop there. */
void wtl_spool_file_close(struct wtl_spool_file *file);

/* Drop the mappings, keep the file; for the child of a fork. */
void wtl_spool_file_forget(struct wtl_spool_file *file);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The file behind the region calls of one process: created, grown and mapped, chunk by chunk. */
#ifndef WTL_RECORD_SPOOL_FILE_H
#define WTL_RECORD_SPOOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/reader.h"
#include "trace/spool/spool.h"
#include "trace/writer.h"

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

/* The folder of spools of one run, TRACE.d/run-XXXXXX, with a name that no other run had: what others have left in TRACE.d, or their
 * processes write still, does not come into this one. Its path is the caller's. Returns 0, -ENOMEM, or as above. */
int wtl_spool_folder_begin(const char *trace, char **ret_folder);

/* Tell the trace, for repair, which folder is its own. */
void wtl_spool_folder_tell(const char *folder, struct wtl_trace_writer *writer);

/* The folder of a trace, as it tells; one of an earlier version does not, and has TRACE.d itself. Returns 0 or -ENAMETOOLONG. */
int wtl_spool_folder_of(const char *trace,
                        const struct wtl_trace_reader *reader,
                        char *path,
                        size_t n);

/* Remove such a folder, and TRACE.d, where nothing is left in them. Returns 0 or -errno. */
int wtl_spool_folder_end(const char *folder);

/* Is it the name of a folder that was made so? */
bool wtl_spool_folder_is_name(const char *name);

/* Create DIR/PID (or PID.1, PID.2, ... when an earlier program of this pid left one). The header of a
 * file that was closed gives up its place in memory. Returns 0 or -errno. */
int wtl_spool_file_create(struct wtl_spool_file *file, const char *dir, bool tsc);

/* A process that could not do that leaves word, as far as it may: a link DIR/PID.lost to the number of the error, which takes neither a
 * descriptor nor a block. */
void wtl_spool_file_refused(const char *dir, int error);

#define WTL_SPOOL_LOST ".lost"

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

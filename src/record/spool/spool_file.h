/* SPDX-License-Identifier: BSD-3-Clause */
/* The spool file of one process's region calls: created, grown and mapped, chunk by chunk. */
#ifndef WTL_RECORD_SPOOL_FILE_H
#define WTL_RECORD_SPOOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/spool/spool_ahead.h"
#include "trace/reader.h"
#include "trace/spool/spool.h"
#include "trace/writer.h"

struct wtl_spool_file {
    char path[512];
    dev_t device;
    ino_t inode;
    struct wtl_spool_header *header; /* mapped; NULL = no file */
    uint8_t *free_begin, *free_end;  /* mapped chunks not yet in use */
    uint32_t free_number;            /* of the first of them */
    bool populated;                  /* their page faults were taken ahead */
    uint64_t size;                   /* bytes allocated */
    uint32_t step;                   /* chunks to add the next time */
    uint32_t sparse;                 /* the first chunks, which get their blocks gradually */
    int error;                       /* errno of the last failure to grow */
    struct wtl_spool_ahead *ahead;   /* prepares the next ones; NULL = not prepared */
    uint64_t last_ns;                /* when the last chunk was handed out */
};

/* Create the folder of spools, accessible to this user only; an existing one must be a folder of
 * this user, not a link to elsewhere (-EPERM), and is made private. Returns 0 or -errno. */
int wtl_spool_folder_make(const char *dir);

/* Create the spool folder of one run, TRACE.d/run-XXXXXX, with a name that no other run had:
 * whatever others left in TRACE.d, or are still writing there, does not get into this one. The
 * caller frees the path. Returns 0, -ENOMEM, or as above. */
int wtl_spool_folder_begin(const char *trace, char **ret_folder);

/* Record in the trace which folder belongs to it, for repair. */
void wtl_spool_folder_tell(const char *folder, struct wtl_trace_writer *writer);

/* The spool folder recorded in a trace; traces of earlier versions do not have it and use TRACE.d
 * itself. Returns 0 or -ENAMETOOLONG. */
int wtl_spool_folder_of(const char *trace,
                        const struct wtl_trace_reader *reader,
                        char *path,
                        size_t n);

/* Remove such a folder, and TRACE.d, if they are empty. Returns 0 or -errno. */
int wtl_spool_folder_end(const char *folder);

/* Is this the name of a folder created by wtl_spool_folder_begin()? */
bool wtl_spool_folder_is_name(const char *name);

/* Create DIR/PID (or PID.1, PID.2, ... if an earlier program with this pid left one). A closed
 * file's header mapping is replaced. ahead (set it afterwards) prepares chunks if they are used up quickly. Returns 0 or -errno. */
int wtl_spool_file_create(struct wtl_spool_file *file, const char *dir, bool tsc);

/* A process that could not do that leaves a note if possible: a link DIR/PID.lost to the error
 * number, which needs neither a descriptor nor a block. */
void wtl_spool_file_refused(const char *dir, int error);

#define WTL_SPOOL_LOST ".lost"

/* A fresh chunk of WTL_SPOOL_CHUNK bytes with its header filled in; NULL if the file cannot grow
 * (full disk, quota, file size limit, unreachable): see file->error. The first *ret_ready bytes of
 * it may be written. */
void *wtl_spool_file_chunk(struct wtl_spool_file *file,
                           enum wtl_chunk_type type,
                           size_t *ret_ready);

/* Make more of a chunk writable, of which `ready` bytes are so far: returns the new number, or 0 as
 * above. */
size_t wtl_spool_file_ready(struct wtl_spool_file *file, void *chunk, size_t ready);

/* No more chunks. The header stays mapped: a call may be counting its drop there right now. */
void wtl_spool_file_close(struct wtl_spool_file *file);

/* Drop the mappings but keep the file; for a child of fork. */
void wtl_spool_file_forget(struct wtl_spool_file *file);

#endif

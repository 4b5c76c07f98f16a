/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors of the library among those of the program it is loaded into. A program may close all of them
 * (to become a daemon, for example) and reuse the same numbers for its own files. Code that keeps a
 * descriptor across calls therefore remembers what it referred to, and checks this before each write and
 * after each read.
 *
 *     fd = wtl_own_file_take(open(...), &id);            a high number, that the program does not get by chance
 *     if (!wtl_own_file_is(fd, &id))                     it has been closed
 *         fd = wtl_own_file_again(path, flags, &id);     the same file once more
 *     wtl_own_file_close(fd, &id);                       unless the number was reused
 *
 * The program can still close a descriptor between check and use: this requires a thread that does so within
 * a microsecond.
 */
#ifndef WTL_BASE_OWN_FILE_H
#define WTL_BASE_OWN_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct wtl_file_id {
    uint64_t device, inode;
    uint64_t event; /* for perf events, which all share one inode; 0 = none */
};

/* Move a descriptor to a high number, as far as the limit allows, and remember what it refers to; a
 * negative value (an errno) is passed on. Returns the descriptor, or -errno; then fd is closed. */
int wtl_own_file_take(int fd, struct wtl_file_id *ret_id);

/* Whether it still refers to the same file. */
bool wtl_own_file_is(int fd, const struct wtl_file_id *id);

/* Open the same file again: a descriptor as from take; -ESTALE when the name now refers to another file,
 * or the errno of open(2). */
int wtl_own_file_again(const char *path, int flags, const struct wtl_file_id *id);

/* Check that the name refers to this file: 0, -ESTALE when it now refers to another one, or the errno of
 * stat(2). */
int wtl_own_file_named(const char *path, const struct wtl_file_id *id);

/* Close it if it still refers to the same file. No effect if fd < 0. */
void wtl_own_file_close(int fd, const struct wtl_file_id *id);

/* Whether a file may have this size. Beyond the limit of this process (RLIMIT_FSIZE) the kernel would send
 * SIGXFSZ. */
bool wtl_file_may_have(uint64_t size);

#endif

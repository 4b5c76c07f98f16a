/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors of the library among those of the program it is in. A program may close all of them (to become a daemon, say) and
 * gets the same numbers again for files of its own: who keeps a descriptor over calls remembers what it was, and asks
 * before he writes, and behind each read.
 *
 *     fd = wtl_own_file_take(open(...), &id);            a high number, that the program does not get by chance
 *     if (!wtl_own_file_is(fd, &id))                     it has been closed
 *         fd = wtl_own_file_again(path, flags, &id);     the same file once more
 *     wtl_own_file_close(fd, &id);                       unless it has become somebody else's
 *
 * Between the question and its use a program may still close: that takes a thread that does so within a microsecond.
 */
#ifndef WTL_BASE_OWN_FILE_H
#define WTL_BASE_OWN_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct wtl_file_id {
    uint64_t device, inode;
    uint64_t event; /* of a perf event, which have one inode for all; 0 = none */
};

/* Move a descriptor (or pass on what is negative: a negative errno) to a high number, as far as the limit allows, and remember what
 * it is. Returns the descriptor, or -errno; then fd is closed. */
int wtl_own_file_take(int fd, struct wtl_file_id *ret_id);

/* Is it still what it was? */
bool wtl_own_file_is(int fd, const struct wtl_file_id *id);

/* Open the same file again: a descriptor as of take; -ESTALE when another one has its name now, or what open(2) said. */
int wtl_own_file_again(const char *path, int flags, const struct wtl_file_id *id);

/* Has the name this file? 0, -ESTALE when another one has it now, or what stat(2) said. */
int wtl_own_file_named(const char *path, const struct wtl_file_id *id);

/* Close it, when it is still what it was. fd < 0: nothing. */
void wtl_own_file_close(int fd, const struct wtl_file_id *id);

/* May a file have so many bytes? Beyond the limit of this process (RLIMIT_FSIZE) the kernel would send it SIGXFSZ. */
bool wtl_file_may_have(uint64_t size);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes come to an energy page (energy_page.h has what is in it). The page is memory without a name
 * (memfd_create(2)), sealed so that nobody can make it longer or shorter: a mapping of it is safe whatever other processes do. The
 * file "energy" in the folder of spools says where it is: /proc/PID/fd/N of the process that samples.
 *
 * Who may take over when that one dies holds the page open (wtl_energy_link_find() with `writable`), since its memory lives as long as
 * somebody holds or maps it.
 */
#ifndef WTL_RECORD_ENERGY_LINK_H
#define WTL_RECORD_ENERGY_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/own_file.h"

#define WTL_ENERGY_FILE "energy" /* in the folder of spools */

/* All zero = none. */
struct wtl_energy_link {
    void *at; /* mapped: for writing as well, where it was opened so */
    size_t size;
    int fd;
    struct wtl_file_id id;
};

/* Sealed memory of a size, zero. Returns 0 or -errno. */
int wtl_energy_link_make(size_t size, struct wtl_energy_link *ret_link);

/* Say in a folder where it is, in the place of what the file said before. Returns 0 or -errno. */
int wtl_energy_link_tell(const struct wtl_energy_link *link, const char *folder);

/* The page of a folder, of this user only. Returns 0; -ENOENT when there is none, or its process is gone or in another PID namespace; -EPERM,
 * -EBADMSG for what is no page. */
int wtl_energy_link_find(const char *folder, bool writable, struct wtl_energy_link *ret_link);

/* Hold the page of a folder, for the case that its process dies; called again, it looks whether the folder tells another one
 * now. What is held stays when nothing is found. */
void wtl_energy_link_hold(const char *folder, struct wtl_energy_link *link);

/* Another mapping of one that is held writable. Returns 0 or -errno. */
int wtl_energy_link_again(const struct wtl_energy_link *held, struct wtl_energy_link *ret_link);

/* Who samples, as the file says: 0, or as wtl_energy_link_find(). */
int wtl_energy_link_pid(const char *folder, pid_t *ret_pid);

/* Remove the file that says where the page is; another one of that name stays, and so does what is behind a link. */
void wtl_energy_link_remove(const char *folder);
void wtl_energy_link_remove_at(int folder);

/* Let go; the mapping as well. */
void wtl_energy_link_close(struct wtl_energy_link *link);

/* Let go of the descriptor alone: the mapping stays for the life of the process. */
void wtl_energy_link_keep(struct wtl_energy_link *link);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes find an energy page (its content: energy_page.h). The page is anonymous memory
 * (memfd_create(2)), sealed against resizing, so that a mapping of it is safe whatever other
 * processes do. The file "energy" in the spool folder says where it is: /proc/PID/fd/N of the
 * sampling process.
 *
 * A process that may take over when that one dies keeps the page open (wtl_energy_link_find() with
 * `writable`), since the memory lives only as long as a process holds or maps it.
 */
#ifndef WTL_RECORD_ENERGY_LINK_H
#define WTL_RECORD_ENERGY_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/own_file.h"

#define WTL_ENERGY_FILE "energy" /* in the spool folder */

/* All zero = none. */
struct wtl_energy_link {
    void *at; /* mapped; also writable if opened so */
    size_t size;
    int fd;
    struct wtl_file_id id;
};

/* Create sealed, zeroed memory of a given size. Returns 0 or -errno. */
int wtl_energy_link_make(size_t size, struct wtl_energy_link *ret_link);

/*
 * The same for other users to read: mode 0444, and other processes cannot change its size, get a writable
 * mapping or change the seals. *ret_reading_fd is open for reading only, to be passed to them; the
 * caller closes it. *ret_sealed: Linux 5.1 or newer; before, only the mode prevents writing. Returns
 * 0 or -errno.
 */
int wtl_energy_link_make_public(size_t size,
                                struct wtl_energy_link *ret_link,
                                int *ret_reading_fd,
                                bool *ret_sealed);

/* Write its location to the file in a folder, replacing what the file said. Returns 0 or -errno. */
int wtl_energy_link_tell(const struct wtl_energy_link *link, const char *folder);

/* Open the page of a folder, if it belongs to this user. Returns 0; -ENOENT if there is no page, or
 * its process is gone or in another PID namespace; -EPERM; -EBADMSG if it is not a page. */
int wtl_energy_link_find(const char *folder, bool writable, struct wtl_energy_link *ret_link);

/* Keep the page of a folder open in case its process dies; when called again, check whether the
 * folder now names another one. If nothing is found, the page already held is kept. */
void wtl_energy_link_hold(const char *folder, struct wtl_energy_link *link);

/* Map again a page that is held writable. Returns 0 or -errno. */
int wtl_energy_link_again(const struct wtl_energy_link *held, struct wtl_energy_link *ret_link);

/* The sampling process that the file names: 0, or an error as for wtl_energy_link_find(). */
int wtl_energy_link_pid(const char *folder, pid_t *ret_pid);

/* Remove the file that says where the page is, unless it names another page or is a link. */
void wtl_energy_link_remove(const char *folder);
void wtl_energy_link_remove_at(int folder);

/* Close the descriptor and the mapping. */
void wtl_energy_link_close(struct wtl_energy_link *link);

/* Close only the descriptor: the mapping stays for the life of the process. */
void wtl_energy_link_keep(struct wtl_energy_link *link);

#endif

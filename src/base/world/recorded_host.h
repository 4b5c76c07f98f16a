/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a recorded host, parsed: files, paths inside its root, and the small text files next to it
 * (env, uname, cpuid, euid). Shared by the parts of the recorded world. */
#ifndef WTL_BASE_RECORDED_HOST_H
#define WTL_BASE_RECORDED_HOST_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/utsname.h>

#include <wattle/error.h>

#include "base/world/dialogue.h"
#include "base/world/script.h"

struct wtl_cpuid_row {
    uint32_t leaf, subleaf, regs[4];
};

struct wtl_recorded_host {
    int root_fd; /* of the folder root/; -1 = not open */
    struct wtl_script script;
    struct wtl_dialogue dialogue;
    struct utsname name;
    char *env; /* NAME=value, each NUL-terminated, ended by an empty one */
    struct wtl_cpuid_row *cpuid;
    size_t cpuid_count;
    uid_t euid;
};

/* Returns 0, -ENOENT, -EBADMSG with file and line, -ENOMEM. On failure nothing stays open. */
int wtl_recorded_host_load(const char *folder,
                           struct wtl_recorded_host *ret_host,
                           struct wattle_error *err);
void wtl_recorded_host_fini(struct wtl_recorded_host *host);

/* Open a file or folder of a recorded host for reading: a descriptor, -EINVAL if it is neither (a FIFO, a
 * device), -ELOOP for a link, -EFBIG for a file above 16 MiB, or -errno. Never blocks. */
int wtl_recorded_host_open(int folder_fd, const char *name, int flags);

/*
 * Resolve the symbolic links of an absolute path inside the root; an absolute target and ".." at the top stay
 * inside. keep_last: a link in the last position is not followed. out receives the path without links ("/"
 * for the root). Returns 0, -ELOOP, -ENAMETOOLONG, -EINVAL. A component that does not exist is not an error
 * here.
 */
int wtl_recorded_resolve(const struct wtl_recorded_host *host,
                         const char *path,
                         int keep_last,
                         char out[PATH_MAX]);

/* The rows of one path (resolved): their number, the first in *ret_rows. */
size_t wtl_recorded_rows(const struct wtl_recorded_host *host,
                         const char *path,
                         const struct wtl_script_row **ret_rows);

#endif

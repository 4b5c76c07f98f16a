/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calibration: measured once per machine so that it need not be measured again. calibration.conf contains
 * sections of numbers, for many machines in one file, since home folders are shared
 * (docs/format/calibration.md). With --calibration FILE only that file is read, else the first of
 * $WATTLE_CALIBRATION, ~/.config/wattle/calibration.conf and /etc/wattle/calibration.conf that contains the
 * requested section.
 */
#ifndef WTL_MODEL_CALIBRATION_H
#define WTL_MODEL_CALIBRATION_H

#include <stddef.h>

#include <wattle/error.h>

#include "base/world/world.h"

struct wtl_calibration; /* the contents of one file */

/* Names and values without surrounding blanks; no line breaks. */
struct wtl_calibration_entry {
    const char *key, *value;
};

/* A section: [KIND HOST ITEM], e.g. [pose node17 total], with its entries in file order. KIND and HOST
 * contain no blanks; ITEM may. In a section of another form the missing parts are "". */
struct wtl_calibration_section {
    const char *kind, *host, *item;
    const struct wtl_calibration_entry *entries;
    size_t count;
};

/* Parse n bytes; name is used in messages. A section, or a key in a section, must occur only once per
 * file. 0; -EBADMSG with file, line and remedy; -ENOMEM. */
int wtl_calibration_text(const char *name,
                         const char *text,
                         size_t n,
                         struct wtl_calibration **ret_calibration,
                         struct wattle_error *err);
void wtl_calibration_destroy(struct wtl_calibration *calibration); /* accepts NULL */

/* All sections in file order. Results of these two functions are borrowed until the calibration is destroyed. */
size_t wtl_calibration_count(const struct wtl_calibration *calibration);
const struct wtl_calibration_section *wtl_calibration_section(
    const struct wtl_calibration *calibration,
    size_t i);
/* The section, or NULL. */
const struct wtl_calibration_section *wtl_calibration_find(
    const struct wtl_calibration *calibration,
    const char *kind,
    const char *host,
    const char *item);

/* The value of a key as text (NULL = missing) or number (NaN = missing or not a number). */
const char *wtl_calibration_get(const struct wtl_calibration_section *section, const char *key);
double wtl_calibration_number(const struct wtl_calibration_section *section, const char *key);

/* The default paths in a world: "" without HOME. */
const char *wtl_calibration_system_path(void);
void wtl_calibration_user_path(const struct wtl_world *world, char *buf, size_t n);

/*
 * Find a section in the files above. explicit_path is the argument of --calibration, or NULL. 0 with the
 * calibration that contains it (owned by the caller) and its path in path[n]; -ENOENT with a message that
 * lists the files searched, what they contain for that host and how to calibrate; -EBADMSG as above; or the
 * reason why a file that exists, or was named, cannot be read.
 */
int wtl_calibration_load(const struct wtl_world *world,
                         const char *explicit_path,
                         const char *kind,
                         const char *host,
                         const char *item,
                         struct wtl_calibration **ret_calibration,
                         char *path,
                         size_t n,
                         struct wattle_error *err);

/* The file that is written for `path`: symbolic links are followed by name, even to a file that does not
 * exist yet. 0 or -errno with a message. */
int wtl_calibration_target(const char *path, char *buf, size_t n, struct wattle_error *err);

/*
 * Store sections in a file, replacing those of the same kind, host and item, else appending them. Everything
 * else stays unchanged, byte by byte, including comments; a comment inside a section that is replaced is
 * removed with it. An entry with the key "#" is written as a comment.
 *
 * The file is replaced as a whole or not at all, and is on disk when this returns. Its mode is kept, a new
 * file gets the mode of the umask; for a symbolic link the target is replaced; missing folders are created.
 * Many processes may do this at the same time, also on several nodes: FILE.lock serialises them, so that none
 * overwrites sections of another.
 *
 * 0; -EBADMSG when the existing file cannot be parsed as a calibration; -EINVAL when a name or value cannot
 * be stored in such a file; errno of open(2), rename(2) and others, each with a message.
 */
int wtl_calibration_store(const char *path,
                          const struct wtl_calibration_section *sections,
                          size_t count,
                          struct wattle_error *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calibration: what was measured once about a machine, so that it need not be measured again: sections of
 * numbers in calibration.conf, for many machines in one file, since homes are shared (docs/format/calibration.md).
 * Read from --calibration FILE alone when it is given, else from the first of $WATTLE_CALIBRATION,
 * ~/.config/wattle/calibration.conf and /etc/wattle/calibration.conf that has the section that is asked for.
 */
#ifndef WTL_MODEL_CALIBRATION_H
#define WTL_MODEL_CALIBRATION_H

#include <stddef.h>

#include <wattle/error.h>

#include "base/world/world.h"

struct wtl_calibration; /* the contents of one file */

/* Names and values without blanks around them; no line breaks. */
struct wtl_calibration_entry {
    const char *key, *value;
};

/* A section: [KIND HOST ITEM], e.g. [pose node17 total], with its entries in the order of the file. KIND and
 * HOST have no blanks; ITEM may. What a section of another form lacks is "". */
struct wtl_calibration_section {
    const char *kind, *host, *item;
    const struct wtl_calibration_entry *entries;
    size_t count;
};

/* Parse n bytes; name is how messages call it. A section, or a key in one, must stand once in a file.
 * 0; -EBADMSG with file, line and remedy; -ENOMEM. */
int wtl_calibration_text(const char *name,
                         const char *text,
                         size_t n,
                         struct wtl_calibration **ret_calibration,
                         struct wattle_error *err);
void wtl_calibration_destroy(struct wtl_calibration *calibration); /* accepts NULL */

/* All sections in the order of the file. What these two give is borrowed until the calibration is destroyed. */
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

/* The value of a key as text (NULL = absent) or number (NaN = absent or none). */
const char *wtl_calibration_get(const struct wtl_calibration_section *section, const char *key);
double wtl_calibration_number(const struct wtl_calibration_section *section, const char *key);

/* The places of a world: "" where there is none (no HOME). */
const char *wtl_calibration_system_path(void);
void wtl_calibration_user_path(const struct wtl_world *world, char *buf, size_t n);

/*
 * Find a section through the files above. explicit_path is that of --calibration or NULL. 0 with the
 * calibration that has it (the caller's) and the path it is from in path[n]; -ENOENT with a sentence that
 * names the files that were looked into, what they know of that host and how to calibrate; -EBADMSG as above;
 * why a file that is there, or was named, cannot be read.
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

/* The file that is written for `path`: symbolic links are followed by name, also to one that is not there yet.
 * 0 or -errno with a sentence. */
int wtl_calibration_target(const char *path, char *buf, size_t n, struct wattle_error *err);

/*
 * Put sections into a file, in the place of those of the same kind, host and item, else at its end. All else
 * stays as it is, byte by byte, comments included; a comment within a section that is replaced goes with
 * it. An entry with the key "#" is written as a comment.
 *
 * The file appears whole or not at all, and is on the disk when this returns. Its mode stays, a new one gets
 * that of the umask; of a symbolic link the target is replaced; folders that are missing are made. Many
 * processes may do so at once, on many nodes, too: FILE.lock keeps them apart, so none undoes other sections.
 *
 * 0; -EBADMSG when the file that is there cannot be read as a calibration; -EINVAL when a name or value cannot
 * stand in such a file; errno of open(2), rename(2) and others, each with a sentence.
 */
int wtl_calibration_store(const char *path,
                          const struct wtl_calibration_section *sections,
                          size_t count,
                          struct wattle_error *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines of an INI file: [section], "key = value", comments that start with # or ;, and empty
 * ones. A value is the rest of its line without the blanks around it; it has no quotes and no comment
 * behind it. What is none of these is refused with file and line. Which sections and keys there may
 * be is the caller's affair.
 *
 *     struct wtl_ini ini = wtl_ini_of("wattle.conf", text, size);
 *     struct wtl_ini_line line;
 *     while ((rc = wtl_ini_next(&ini, &line, err)) > 0) ..
 */
#ifndef WTL_BASE_INI_H
#define WTL_BASE_INI_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "base/world/world.h"

/* Limits; what is beyond is malformed. */
enum { WTL_INI_FILE_MAX = 1 << 20, WTL_INI_LINE_MAX = 4096 };

struct wtl_ini {
    const char *file; /* as messages call it; borrowed, as is the text */
    const char *text;
    size_t size;

    size_t at;       /* of the next line */
    unsigned number; /* of the line that was read last, from 1 */
    bool in_section;
    char line[WTL_INI_LINE_MAX]; /* that line */
};

enum wtl_ini_kind {
    WTL_INI_EMPTY,   /* nothing but blanks */
    WTL_INI_COMMENT, /* also: with nothing behind its # */
    WTL_INI_SECTION, /* name */
    WTL_INI_PAIR     /* name = value, behind a section */
};

/* Texts are the reader's own, until the next line is read. */
struct wtl_ini_line {
    enum wtl_ini_kind kind;
    const char *name, *value; /* NULL where the kind has none */
    size_t offset, size;      /* of its bytes in the text, the line break included */
};

struct wtl_ini wtl_ini_of(const char *file, const char *text, size_t size);

/* The next line: 1; 0 at the end; -EBADMSG with file, line and what is wrong. */
int wtl_ini_next(struct wtl_ini *ini, struct wtl_ini_line *ret_line, struct wattle_error *err);

/*
 * A whole file for it, malloc'ed for the caller, not NUL terminated. Returns 0; -ENOENT without a sentence
 * when there is none, or when its folder may not be entered (somebody else's HOME); -EBADMSG: longer
 * than an INI file; why it cannot be read.
 */
int wtl_ini_load(const struct wtl_world *world,
                 const char *path,
                 char **ret_text,
                 size_t *ret_size,
                 struct wattle_error *err);

#endif

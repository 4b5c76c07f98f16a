/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines of an INI file: [section], "key = value", comments that start with # or ;, and empty lines. A
 * value is the rest of its line without surrounding blanks; there are no quotes and no trailing comments.
 * Anything else is rejected with file and line. The caller decides which sections and keys are allowed.
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

/* Limits; anything larger is malformed. */
enum { WTL_INI_FILE_MAX = 1 << 20, WTL_INI_LINE_MAX = 4096 };

struct wtl_ini {
    const char *file; /* name in messages; borrowed, like the text */
    const char *text;
    size_t size;

    size_t at;       /* of the next line */
    unsigned number; /* of the last line read, from 1 */
    bool in_section;
    char line[WTL_INI_LINE_MAX]; /* that line */
};

enum wtl_ini_kind {
    WTL_INI_EMPTY,   /* nothing but blanks */
    WTL_INI_COMMENT, /* also an empty one */
    WTL_INI_SECTION, /* name */
    WTL_INI_PAIR     /* name = value, within a section */
};

/* The strings belong to the reader and are valid until the next line is read. */
struct wtl_ini_line {
    enum wtl_ini_kind kind;
    const char *name, *value; /* NULL if the kind has none */
    size_t offset, size;      /* of the line in the text, including the line break */
};

struct wtl_ini wtl_ini_of(const char *file, const char *text, size_t size);

/* Read the next line: 1; 0 at the end; -EBADMSG with file, line and what is wrong. */
int wtl_ini_next(struct wtl_ini *ini, struct wtl_ini_line *ret_line, struct wattle_error *err);

/* Continue after a line that wtl_ini_next() has refused. True if that line starts with "[": what follows belongs to
 * a section whose name is not known. */
bool wtl_ini_skip(struct wtl_ini *ini);

/*
 * Load a whole file for parsing, malloc'ed for the caller, not NUL-terminated. Returns 0; -ENOENT without a
 * message when it does not exist, or when its folder may not be entered (another user's HOME); -EBADMSG when
 * it is longer than an INI file may be; otherwise the reason why it cannot be read.
 */
int wtl_ini_load(const struct wtl_world *world,
                 const char *path,
                 char **ret_text,
                 size_t *ret_size,
                 struct wattle_error *err);

#endif

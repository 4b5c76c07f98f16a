/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration: a table of declared keys. The value of a key comes from the first of these that sets it:
 *
 *     WATTLE_<SECTION>_<KEY>            the environment; "sensor " is omitted from the section name
 *     ~/.config/wattle/wattle.conf      or $XDG_CONFIG_HOME/wattle/wattle.conf
 *     /etc/wattle/wattle.conf
 *     the default in the table
 *
 * The files are INI (base/ini.h). A section [NAME @HOSTS] (base/host_list.h) applies only on these hosts, and
 * takes precedence over [NAME] in the same file. Nothing is guessed: an unknown section or key, a duplicate key and an
 * invalid value are errors that name file and line. In the system's file, which the user cannot change, they are
 * warnings: the line is ignored. Sections of other programs are skipped.
 */
#ifndef WTL_BASE_CONFIG_H
#define WTL_BASE_CONFIG_H

#include <stddef.h>

#include <wattle/error.h>

#include "base/world/world.h"

enum wtl_config_form {
    WTL_CONFIG_TEXT,     /* any text */
    WTL_CONFIG_DURATION, /* "10ms", more than 0 */
    WTL_CONFIG_COUNT,    /* whole, not negative */
    WTL_CONFIG_WORD      /* one of `words` */
};

struct wtl_config_key {
    const char *section; /* "run", "sensor estimate" */
    const char *name;    /* "interval" */
    const char *default_text;
    const char *help; /* one sentence */
    enum wtl_config_form form;
    const char *words; /* "text json csv"; NULL for other forms */
};

struct wtl_config;

/* Create with defaults only. The keys must outlive it. 0 or -ENOMEM. */
int wtl_config_create(const struct wtl_config_key *keys,
                      size_t count,
                      struct wtl_config **ret_config);
void wtl_config_destroy(struct wtl_config *config); /* accepts NULL */

/* Sections that belong to other programs: neither read nor refused. "sensor *" stands for all that begin so. Up to a NULL;
 * borrowed. */
void wtl_config_others(struct wtl_config *config, const char *const sections[]);

/* The host whose sections apply; wtl_config_load() takes it from the world. Longer names are cut off. */
void wtl_config_host(struct wtl_config *config, const char *host);

/*
 * Apply the text of a file; `name` is its name in messages. All or nothing. Returns 0, -EBADMSG with file,
 * line and remedy, or -ENOMEM.
 */
int wtl_config_text(struct wtl_config *config,
                    const char *name,
                    const char *text,
                    size_t size,
                    struct wattle_error *err);

/* Load both files and the environment of a world. A missing file is not an error, and what is wrong in the
 * system's file is a warning. Returns 0; as wtl_config_text() for the user's file, -EINVAL for a variable, or the
 * reason why a file cannot be read. */
int wtl_config_load(struct wtl_config *config,
                    const struct wtl_world *world,
                    struct wattle_error *err);

/* The same without the user's file, and with another one instead of the system's (NULL: the system's): for programs of
 * the system. */
int wtl_config_load_system(struct wtl_config *config,
                           const struct wtl_world *world,
                           const char *path,
                           struct wattle_error *err);

/* What is wrong in the system's file and is ignored, one sentence each that names file and line; at most 64.
 * Borrowed. NULL when i is out of range. */
const char *wtl_config_warning(const struct wtl_config *config, size_t i);

/* One value without a table, for programs that measure themselves: from the same places, but unknown keys and
 * unreadable files are skipped. "" = not set, or longer than n. */
void wtl_config_find(const struct wtl_world *world,
                     const char *section,
                     const char *name,
                     char *buf,
                     size_t n);

/* The value of a declared key, never NULL; NULL for a key that is not in the table. Borrowed until the
 * config changes. */
const char *wtl_config_get(const struct wtl_config *config, const char *section, const char *name);

/* All entries, in table order. origin: "default", "FILE:LINE", "WATTLE_RUN_INTERVAL". */
struct wtl_config_entry {
    const struct wtl_config_key *key;
    const char *value;
    const char *origin;
    bool is_default;
};
size_t wtl_config_count(const struct wtl_config *config);
struct wtl_config_entry wtl_config_entry(const struct wtl_config *config, size_t i);

/* Write the name of the environment variable for a section's key into buf; "" when it does not fit. */
void wtl_config_variable(const char *section, const char *name, char *buf, size_t n);

/* Paths of the two files in a world: "" without HOME. name is the file name, such as
 * "wattle.conf": other files in the same folder are found the same way. */
const char *wtl_config_system_path(void);
void wtl_config_user_path(const struct wtl_world *world, const char *name, char *buf, size_t n);

#endif

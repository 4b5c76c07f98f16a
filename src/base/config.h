/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration: a table of declared keys, and their values from the first of these that has one
 *
 *     WATTLE_<SECTION>_<KEY>            the environment; "sensor " is left out of a section's name
 *     ~/.config/wattle/wattle.conf      or $XDG_CONFIG_HOME/wattle/wattle.conf
 *     /etc/wattle/wattle.conf
 *     the default in the table
 *
 * The files are INI (base/ini.h). Nothing is guessed: an unknown section or key, a key given twice and
 * a value that does not fit are failures that name file and line.
 */
#ifndef WTL_BASE_CONFIG_H
#define WTL_BASE_CONFIG_H

#include <stddef.h>

#include <wattle/error.h>

#include "base/world/world.h"

enum wtl_config_form {
    WTL_CONFIG_TEXT,     /* anything */
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
    const char *words; /* "text json csv"; NULL when the form is another */
};

struct wtl_config;

/* Defaults only. The keys must outlive it. 0 or -ENOMEM. */
int wtl_config_create(const struct wtl_config_key *keys,
                      size_t count,
                      struct wtl_config **ret_config);
void wtl_config_destroy(struct wtl_config *config); /* accepts NULL */

/*
 * Take over what a file says; `name` is how messages call it. All or nothing.
 * Returns 0, -EBADMSG with file, line and remedy, or -ENOMEM.
 */
int wtl_config_text(struct wtl_config *config,
                    const char *name,
                    const char *text,
                    size_t size,
                    struct wattle_error *err);

/* Both files and the environment of a world. A file that is absent is no failure. Returns 0; as
 * wtl_config_text() for a file, -EINVAL for a variable, or why a file cannot be read. */
int wtl_config_load(struct wtl_config *config,
                    const struct wtl_world *world,
                    struct wattle_error *err);

/* The value of a declared key, never NULL; NULL for a key that is not in the table. Borrowed until
 * the config is changed. */
const char *wtl_config_get(const struct wtl_config *config, const char *section, const char *name);

/* All of it, in the order of the table. origin: "default", "FILE:LINE", "WATTLE_RUN_INTERVAL". */
struct wtl_config_entry {
    const struct wtl_config_key *key;
    const char *value;
    const char *origin;
    bool is_default;
};
size_t wtl_config_count(const struct wtl_config *config);
struct wtl_config_entry wtl_config_entry(const struct wtl_config *config, size_t i);

/* The name of the environment variable of a section's key into buf; "" when it does not fit. */
void wtl_config_variable(const char *section, const char *name, char *buf, size_t n);

/* The paths of the two files in a world: "" when there is none (no HOME). name is that of the file, as
 * "wattle.conf": others of the same folder are looked for in the same way. */
const char *wtl_config_system_path(void);
void wtl_config_user_path(const struct wtl_world *world, const char *name, char *buf, size_t n);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration, see config.h: one value and one origin per declared key. The values of a file are parsed
 * into a second set, which replaces the first only if the whole file is valid.
 */
#define _GNU_SOURCE
#include "base/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/ini.h"
#include "base/nearest.h"
#include "base/parse.h"

struct slot {
    char *value;  /* NULL = the default */
    char *origin; /* NULL = the default */
};

struct wtl_config {
    const struct wtl_config_key *keys;
    struct slot *slots; /* one per key */
    size_t count;
};

int wtl_config_create(const struct wtl_config_key *keys,
                      size_t count,
                      struct wtl_config **ret_config)
{
    struct wtl_config *config = malloc(sizeof *config);
    struct slot *slots = calloc(count ? count : 1, sizeof *slots);
    if (!config || !slots) {
        free(config);
        free(slots);
        return -ENOMEM;
    }
    *config = (struct wtl_config){.keys = keys, .slots = slots, .count = count};
    *ret_config = config;
    return 0;
}

static void free_slots(struct slot *slots, size_t count)
{
    for (size_t i = 0; slots && i < count; i++) {
        free(slots[i].value);
        free(slots[i].origin);
    }
    free(slots);
}

void wtl_config_destroy(struct wtl_config *config)
{
    if (!config)
        return;
    free_slots(config->slots, config->count);
    free(config);
}

/* Index of the key, or count. */
static size_t find(const struct wtl_config *config, const char *section, const char *name)
{
    size_t i = 0;
    while (i < config->count && (strcmp(config->keys[i].section, section) != 0 ||
                                 strcmp(config->keys[i].name, name) != 0))
        i++;
    return i;
}

static int put(struct slot *slot, const char *value, const char *origin)
{
    char *value_copy = strdup(value), *origin_copy = strdup(origin);
    if (!value_copy || !origin_copy) {
        free(value_copy);
        free(origin_copy);
        return -ENOMEM;
    }
    free(slot->value);
    free(slot->origin);
    *slot = (struct slot){.value = value_copy, .origin = origin_copy};
    return 0;
}

static bool among(const char *words, const char *value)
{
    size_t n = strlen(value);
    for (const char *p = words; *p;) {
        size_t length = strcspn(p, " ");
        if (length == n && memcmp(p, value, n) == 0)
            return true;
        p += length + strspn(p + length, " ");
    }
    return false;
}

/* Check that the value has the key's form: 0, or -EINVAL with a message that starts with `where`. */
static int check(const struct wtl_config_key *key,
                 const char *value,
                 const char *where,
                 struct wattle_error *err)
{
    uint64_t number;
    switch (key->form) {
    case WTL_CONFIG_TEXT:
        return 0;
    case WTL_CONFIG_DURATION:
        if (wtl_parse_duration(value, &number) == 0 && number > 0)
            return 0;
        return wtl_fail(err, -EINVAL,
                        "%s: %s: \"%s\" is not a time above 0; write, for example, 10ms", where,
                        key->name, value);
    case WTL_CONFIG_COUNT:
        if (wtl_parse_u64(value, &number) == 0)
            return 0;
        return wtl_fail(err, -EINVAL, "%s: %s: \"%s\" is not a whole number", where, key->name,
                        value);
    case WTL_CONFIG_WORD:
        if (among(key->words, value))
            return 0;
        return wtl_fail(err, -EINVAL, "%s: %s: \"%s\" is not one of: %s", where, key->name, value,
                        key->words);
    }
    return -EINVAL;
}

/* ---- the parser ---- */

/* The section, or key of section `within`, that is most similar; NULL when none is similar. */
static const char *nearest(const struct wtl_config *config, const char *within, const char *word)
{
    const char *pair[2] = {NULL, NULL}; /* best match so far, and a candidate */
    for (size_t i = 0; i < config->count; i++) {
        const struct wtl_config_key *key = &config->keys[i];
        bool inside = within && strcmp(key->section, within) == 0;
        pair[1] = !within ? key->section : inside ? key->name : NULL;
        pair[0] = wtl_nearest(word, pair, 2);
    }
    return pair[0];
}

static int unknown_section(const struct wtl_config *config,
                           const struct wtl_ini *ini,
                           const char *section,
                           struct wattle_error *err)
{
    const char *near = nearest(config, NULL, section);
    return wtl_fail(err, -EBADMSG, "%s:%u: unknown section [%s]%s%s%s", ini->file, ini->number,
                    section, near ? "; did you mean [" : "; see \"wattle config\" for all",
                    near ? near : "", near ? "]?" : "");
}

static int unknown_key(const struct wtl_config *config,
                       const struct wtl_ini *ini,
                       const char *section,
                       const char *name,
                       struct wattle_error *err)
{
    const char *near = nearest(config, section, name);
    return wtl_fail(err, -EBADMSG, "%s:%u: unknown key \"%s\" in [%s]%s%s%s", ini->file,
                    ini->number, name, section,
                    near ? "; did you mean \"" : "; see \"wattle config\" for all",
                    near ? near : "", near ? "\"?" : "");
}

/* Sets *ret_section to the declared section of that name. */
static int take_section(const struct wtl_config *config,
                        const struct wtl_ini *ini,
                        const char *name,
                        const char **ret_section,
                        struct wattle_error *err)
{
    for (size_t i = 0; i < config->count; i++) {
        if (strcmp(config->keys[i].section, name) == 0) {
            *ret_section = config->keys[i].section;
            return 0;
        }
    }
    return unknown_section(config, ini, name, err);
}

static int take_pair(const struct wtl_config *config,
                     const struct wtl_ini *ini,
                     const char *section,
                     const struct wtl_ini_line *line,
                     struct slot *slots,
                     struct wattle_error *err)
{
    size_t i = find(config, section, line->name);
    if (i == config->count)
        return unknown_key(config, ini, section, line->name, err);
    if (slots[i].value)
        return wtl_fail(err, -EBADMSG, "%s:%u: duplicate key \"%s\", first at %s", ini->file,
                        ini->number, line->name, slots[i].origin);
    char origin[4096 + 16];
    (void)snprintf(origin, sizeof origin, "%s:%u", ini->file, ini->number);
    int rc = check(&config->keys[i], line->value, origin, err);
    if (rc < 0)
        return -EBADMSG;
    return put(&slots[i], line->value, origin);
}

static int parse(const struct wtl_config *config,
                 const char *name,
                 const char *text,
                 size_t size,
                 struct slot *slots,
                 struct wattle_error *err)
{
    struct wtl_ini ini = wtl_ini_of(name, text, size);
    struct wtl_ini_line line;
    const char *section = NULL;
    int rc;
    while ((rc = wtl_ini_next(&ini, &line, err)) > 0) {
        if (line.kind == WTL_INI_SECTION)
            rc = take_section(config, &ini, line.name, &section, err);
        else if (line.kind == WTL_INI_PAIR)
            rc = take_pair(config, &ini, section, &line, slots, err);
        if (rc < 0)
            break;
    }
    return rc;
}

int wtl_config_text(struct wtl_config *config,
                    const char *name,
                    const char *text,
                    size_t size,
                    struct wattle_error *err)
{
    struct slot *slots = calloc(config->count ? config->count : 1, sizeof *slots);
    if (!slots)
        return -ENOMEM;
    int rc = parse(config, name, text, size, slots, err);
    for (size_t i = 0; rc == 0 && i < config->count; i++) {
        if (!slots[i].value)
            continue;
        struct slot old = config->slots[i];
        config->slots[i] = slots[i];
        slots[i] = old;
    }
    free_slots(slots, config->count);
    return rc;
}

/* ---- places ---- */

static int load_file(struct wtl_config *config,
                     const struct wtl_world *world,
                     const char *path,
                     struct wattle_error *err)
{
    char *text = NULL;
    size_t size = 0;
    int rc = wtl_ini_load(world, path, &text, &size, err);
    if (rc == -ENOENT)
        return 0;
    if (rc == 0)
        rc = wtl_config_text(config, path, text, size, err);
    free(text);
    return rc;
}

void wtl_config_variable(const char *section, const char *name, char *buf, size_t n)
{
    if (strncmp(section, "sensor ", 7) == 0)
        section += 7;
    int length = snprintf(buf, n, "WATTLE_%s_%s", section, name);
    if (length < 0 || (size_t)length >= n) {
        buf[0] = '\0';
        return;
    }
    for (char *p = buf; *p; p++)
        *p = *p == '-' || *p == ' ' ? '_' : (char)toupper((unsigned char)*p);
}

static int load_environment(struct wtl_config *config,
                            const struct wtl_world *world,
                            struct wattle_error *err)
{
    for (size_t i = 0; i < config->count; i++) {
        char variable[96];
        wtl_config_variable(config->keys[i].section, config->keys[i].name, variable,
                            sizeof variable);
        const char *value = variable[0] ? world->ops->getenv(world, variable) : NULL;
        if (!value)
            continue;
        int rc = check(&config->keys[i], value, variable, err);
        if (rc == 0)
            rc = put(&config->slots[i], value, variable);
        if (rc < 0)
            return rc;
    }
    return 0;
}

const char *wtl_config_system_path(void)
{
    return "/etc/wattle/wattle.conf";
}

void wtl_config_user_path(const struct wtl_world *world, const char *name, char *buf, size_t n)
{
    const char *xdg = world->ops->getenv(world, "XDG_CONFIG_HOME");
    const char *home = world->ops->getenv(world, "HOME");
    int length = 0;
    if (xdg && xdg[0] == '/') /* its specification says to ignore a relative path */
        length = snprintf(buf, n, "%s/wattle/%s", xdg, name);
    else if (home && home[0] == '/')
        length = snprintf(buf, n, "%s/.config/wattle/%s", home, name);
    if (length <= 0 || (size_t)length >= n)
        buf[0] = '\0';
}

int wtl_config_load(struct wtl_config *config,
                    const struct wtl_world *world,
                    struct wattle_error *err)
{
    char user[4096];
    wtl_config_user_path(world, "wattle.conf", user, sizeof user);
    int rc = load_file(config, world, wtl_config_system_path(), err);
    if (rc == 0 && user[0])
        rc = load_file(config, world, user, err);
    return rc < 0 ? rc : load_environment(config, world, err);
}

/* ---- without a table ---- */

static void find_in_file(const struct wtl_world *world,
                         const char *path,
                         const char *section,
                         const char *name,
                         char *buf,
                         size_t n)
{
    char *text = NULL;
    size_t size = 0;
    struct wtl_ini_line line;
    bool in_section = false;
    if (wtl_ini_load(world, path, &text, &size, NULL) < 0)
        return;
    struct wtl_ini ini = wtl_ini_of(path, text, size);
    while (wtl_ini_next(&ini, &line, NULL) > 0) {
        if (line.kind == WTL_INI_SECTION)
            in_section = strcmp(line.name, section) == 0;
        else if (line.kind == WTL_INI_PAIR && in_section && strcmp(line.name, name) == 0)
            (void)snprintf(buf, n, "%s", strlen(line.value) < n ? line.value : "");
    }
    free(text);
}

void wtl_config_find(const struct wtl_world *world,
                     const char *section,
                     const char *name,
                     char *buf,
                     size_t n)
{
    char text[4096];
    const char *value;
    buf[0] = '\0';
    wtl_config_variable(section, name, text, sizeof text);
    if (text[0] && (value = world->ops->getenv(world, text)) != NULL) {
        (void)snprintf(buf, n, "%s", strlen(value) < n ? value : "");
        return;
    }
    wtl_config_user_path(world, "wattle.conf", text, sizeof text);
    if (text[0])
        find_in_file(world, text, section, name, buf, n);
    if (!buf[0])
        find_in_file(world, wtl_config_system_path(), section, name, buf, n);
}

/* ---- values ---- */

const char *wtl_config_get(const struct wtl_config *config, const char *section, const char *name)
{
    size_t i = find(config, section, name);
    return i < config->count ? wtl_config_entry(config, i).value : NULL;
}

size_t wtl_config_count(const struct wtl_config *config)
{
    return config->count;
}

struct wtl_config_entry wtl_config_entry(const struct wtl_config *config, size_t i)
{
    const struct wtl_config_key *key = &config->keys[i];
    const struct slot *slot = &config->slots[i];
    return (struct wtl_config_entry){.key = key,
                                     .value = slot->value ? slot->value : key->default_text,
                                     .origin = slot->value ? slot->origin : "default",
                                     .is_default = !slot->value};
}

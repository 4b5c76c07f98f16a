/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration, see config.h: one value and one origin per declared key. The values of a file are parsed
 * into two other sets, one of the sections with a list of hosts, which replace the first only if the whole file is
 * valid, or if it may have errors.
 */
#define _GNU_SOURCE
#include "base/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/config/host_list.h"
#include "base/config/ini.h"
#include "base/fail.h"
#include "base/nearest.h"
#include "base/parse.h"

struct slot {
    char *value;  /* NULL = the default */
    char *origin; /* NULL = the default */
    unsigned line;
};

enum { WARNINGS_MAX = 64 };

struct wtl_config {
    const struct wtl_config_key *keys;
    struct slot *slots; /* one per key */
    size_t count;
    const char *const *others; /* sections of other programs; NULL = none */
    char host[256];
    char *warnings[WARNINGS_MAX];
    size_t warning_count;
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
    for (size_t i = 0; i < config->warning_count; i++)
        free(config->warnings[i]);
    free(config);
}

void wtl_config_others(struct wtl_config *config, const char *const sections[])
{
    config->others = sections;
}

void wtl_config_host(struct wtl_config *config, const char *host)
{
    (void)snprintf(config->host, sizeof config->host, "%s", host);
}

const char *wtl_config_warning(const struct wtl_config *config, size_t i)
{
    return i < config->warning_count ? config->warnings[i] : NULL;
}

static void warn(struct wtl_config *config, const struct wattle_error *err)
{
    char *text = config->warning_count < WARNINGS_MAX ? strdup(err->text) : NULL;
    if (text)
        config->warnings[config->warning_count++] = text;
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

static int set_slot(struct slot *slot, const char *value, const char *origin, unsigned line)
{
    char *value_copy = strdup(value), *origin_copy = strdup(origin);
    if (!value_copy || !origin_copy) {
        free(value_copy);
        free(origin_copy);
        return -ENOMEM;
    }
    free(slot->value);
    free(slot->origin);
    *slot = (struct slot){.value = value_copy, .origin = origin_copy, .line = line};
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

struct reader {
    struct wtl_config *config;
    struct wtl_ini ini;
    bool tolerant;        /* what is wrong is a warning */
    const char *section;  /* NULL = its keys are skipped */
    bool of_hosts;        /* it has a list of hosts .. */
    bool is_here;         /* .. with this one; or no list */
    unsigned line;        /* where it starts */
    struct slot *sets[2]; /* of all hosts, and of this one */
};

/* Split "NAME @HOSTS" in place: the list, or NULL. */
static const char *split_hosts(char *name)
{
    char *at = strchr(name, '@');
    if (!at || at == name || (at[-1] != ' ' && at[-1] != '\t'))
        return NULL;
    const char *hosts = at + 1 + strspn(at + 1, " \t");
    while (at > name && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    *at = '\0';
    return hosts;
}

static bool is_of_others(const struct wtl_config *config, const char *name)
{
    const char *const *other = config->others;
    for (; other && *other; other++) {
        size_t n = strcspn(*other, "*");
        if (strncmp(*other, name, n) == 0 && ((*other)[n] == '*' || name[n] == '\0'))
            return true;
    }
    return false;
}

/* Sets reader->section to the declared section of that name. */
static int take_section(struct reader *reader, const char *text, struct wattle_error *err)
{
    const struct wtl_config *config = reader->config;
    char name[WTL_INI_LINE_MAX];
    (void)snprintf(name, sizeof name, "%s", text);
    const char *hosts = split_hosts(name);
    reader->section = NULL;
    reader->line = reader->ini.number;
    reader->of_hosts = hosts != NULL;
    if (hosts && !wtl_host_list_is_valid(hosts))
        return wtl_fail(err, -EBADMSG,
                        "%s:%u: \"%.100s\" is not a list of hosts; write, for example, [%.60s "
                        "@node[01-16],login*]",
                        reader->ini.file, reader->ini.number, hosts, name);
    reader->is_here = !hosts || wtl_host_list_has(hosts, config->host);
    for (size_t i = 0; i < config->count; i++) {
        if (strcmp(config->keys[i].section, name) == 0) {
            reader->section = config->keys[i].section;
            return 0;
        }
    }
    return is_of_others(config, name) ? 0 : unknown_section(config, &reader->ini, name, err);
}

static int take_pair(struct reader *reader,
                     const struct wtl_ini_line *line,
                     struct wattle_error *err)
{
    const struct wtl_config *config = reader->config;
    const struct wtl_ini *ini = &reader->ini;
    if (!reader->section)
        return 0;
    size_t i = find(config, reader->section, line->name);
    if (i == config->count)
        return unknown_key(config, ini, reader->section, line->name, err);
    struct slot *slot = &reader->sets[reader->of_hosts][i];
    /* Of several sections with this host, the last one counts. */
    if (slot->value && (!reader->of_hosts || slot->line >= reader->line))
        return wtl_fail(err, -EBADMSG, "%s:%u: duplicate key \"%s\", first at %s", ini->file,
                        ini->number, line->name, slot->origin);
    char origin[4096 + 16];
    (void)snprintf(origin, sizeof origin, "%s:%u", ini->file, ini->number);
    int rc = check(&config->keys[i], line->value, origin, err);
    if (rc < 0)
        return -EBADMSG;
    return reader->is_here ? set_slot(slot, line->value, origin, ini->number) : 0;
}

static int parse(struct reader *reader, struct wattle_error *err)
{
    for (;;) {
        struct wtl_ini_line line;
        int got = wtl_ini_next(&reader->ini, &line, err), rc = got;
        if (got > 0 && line.kind == WTL_INI_SECTION)
            rc = take_section(reader, line.name, err);
        else if (got > 0 && line.kind == WTL_INI_PAIR)
            rc = take_pair(reader, &line, err);
        if (got == 0 || (rc < 0 && (!reader->tolerant || rc != -EBADMSG)))
            return rc;
        if (rc < 0)
            warn(reader->config, err);
        if (got < 0 && wtl_ini_skip(&reader->ini)) {
            reader->ini.in_section = true;
            reader->section = NULL;
        }
    }
}

static void take_slots(struct wtl_config *config, struct slot *slots)
{
    for (size_t i = 0; i < config->count; i++) {
        if (!slots[i].value)
            continue;
        struct slot old = config->slots[i];
        config->slots[i] = slots[i];
        slots[i] = old;
    }
}

static int read_text(struct wtl_config *config,
                     const char *name,
                     const char *text,
                     size_t size,
                     bool tolerant,
                     struct wattle_error *err)
{
    struct wattle_error local; /* err may be NULL */
    struct slot *slots = calloc(config->count ? 2 * config->count : 1, sizeof *slots);
    if (!slots)
        return -ENOMEM;
    struct reader reader = {.config = config,
                            .ini = wtl_ini_of(name, text, size),
                            .tolerant = tolerant,
                            .sets = {slots, slots + config->count}};
    int rc = parse(&reader, err ? err : &local);
    if (rc == 0) {
        take_slots(config, reader.sets[0]);
        take_slots(config, reader.sets[1]);
    }
    free_slots(slots, 2 * config->count);
    return rc;
}

int wtl_config_text(struct wtl_config *config,
                    const char *name,
                    const char *text,
                    size_t size,
                    struct wattle_error *err)
{
    return read_text(config, name, text, size, false, err);
}

/* ---- places ---- */

static int load_file(struct wtl_config *config,
                     const struct wtl_world *world,
                     const char *path,
                     bool tolerant,
                     struct wattle_error *err)
{
    struct wattle_error local = {""};
    char *text = NULL;
    size_t size = 0;
    int rc = wtl_ini_load(world, path, &text, &size, &local);
    if (rc == 0)
        rc = read_text(config, path, text, size, tolerant, &local);
    free(text);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0 && rc != -ENOMEM && tolerant) {
        warn(config, &local);
        return 0;
    }
    return rc < 0 ? wtl_fail(err, rc, "%s", local.text) : 0;
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
            rc = set_slot(&config->slots[i], value, variable, 0);
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

static int load_system_file(struct wtl_config *config,
                            const struct wtl_world *world,
                            const char *path,
                            struct wattle_error *err)
{
    struct utsname name;
    if (world->ops->uname(world, &name) == 0)
        wtl_config_host(config, name.nodename);
    return load_file(config, world, path, true, err);
}

int wtl_config_load_system(struct wtl_config *config,
                           const struct wtl_world *world,
                           const char *path,
                           struct wattle_error *err)
{
    int rc = load_system_file(config, world, path ? path : wtl_config_system_path(), err);
    return rc < 0 ? rc : load_environment(config, world, err);
}

int wtl_config_load(struct wtl_config *config,
                    const struct wtl_world *world,
                    struct wattle_error *err)
{
    char user[4096];
    wtl_config_user_path(world, "wattle.conf", user, sizeof user);
    int rc = load_system_file(config, world, wtl_config_system_path(), err);
    if (rc == 0 && user[0])
        rc = load_file(config, world, user, false, err);
    return rc < 0 ? rc : load_environment(config, world, err);
}

/* ---- without a table ---- */

/* Look for one key in a text: the value of the sections of this host takes precedence. */
static void find_in_text(struct wtl_ini *ini,
                         const char *host,
                         const char *section,
                         const char *name,
                         char *buf,
                         size_t n)
{
    struct wtl_ini_line line;
    bool in_section = false, of_hosts = false, found = false;
    int rc;
    while ((rc = wtl_ini_next(ini, &line, NULL)) != 0) {
        if (rc < 0) {
            in_section = !wtl_ini_skip(ini) && in_section;
        } else if (line.kind == WTL_INI_SECTION) {
            char title[WTL_INI_LINE_MAX];
            (void)snprintf(title, sizeof title, "%s", line.name);
            const char *hosts = split_hosts(title);
            of_hosts = hosts != NULL;
            in_section =
                strcmp(title, section) == 0 &&
                (!hosts || (wtl_host_list_is_valid(hosts) && wtl_host_list_has(hosts, host)));
        } else if (line.kind == WTL_INI_PAIR && in_section && strcmp(line.name, name) == 0 &&
                   (of_hosts || !found)) {
            (void)snprintf(buf, n, "%s", strlen(line.value) < n ? line.value : "");
            found |= of_hosts;
        }
    }
}

static void find_in_file(const struct wtl_world *world,
                         const char *path,
                         const char *section,
                         const char *name,
                         char *buf,
                         size_t n)
{
    struct utsname host;
    char *text = NULL;
    size_t size = 0;
    if (world->ops->uname(world, &host) < 0)
        host.nodename[0] = '\0';
    if (wtl_ini_load(world, path, &text, &size, NULL) < 0)
        return;
    struct wtl_ini ini = wtl_ini_of(path, text, size);
    find_in_text(&ini, host.nodename, section, name, buf, n);
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

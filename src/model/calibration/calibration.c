/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of a calibration file: see calibration.h. All strings are in the sections that own them. */
#define _GNU_SOURCE
#include "model/calibration/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/ini.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"

/* A section with the data that only its owner needs. */
struct owned {
    struct wtl_calibration_section section;
    struct wtl_calibration_entry *entries; /* section.entries */
    char *name;                            /* kind, host and item point into it */
    unsigned line;
};

struct wtl_calibration {
    struct owned *sections;
    size_t count;
};

/* Split "KIND HOST ITEM" in place. */
static void split(char *name, struct wtl_calibration_section *section)
{
    const char **words[] = {&section->kind, &section->host};
    for (size_t i = 0; i < 2; i++) {
        *words[i] = name;
        name += strcspn(name, " \t");
        if (*name)
            *name++ = '\0';
        name += strspn(name, " \t");
    }
    section->item = name;
}

static bool is_named(const struct wtl_calibration_section *section,
                     const char *kind,
                     const char *host,
                     const char *item)
{
    return strcmp(section->kind, kind) == 0 && strcmp(section->host, host) == 0 &&
           strcmp(section->item, item) == 0;
}

static int add_section(struct wtl_calibration *calibration,
                       const struct wtl_ini *ini,
                       const char *name,
                       struct wattle_error *err)
{
    struct owned added = {.line = ini->number};
    if (!*name)
        return wtl_fail(err, -EBADMSG, "%s:%u: not a valid section; write [KIND HOST ITEM]",
                        ini->file, ini->number);
    if (wtl_grow(&calibration->sections, calibration->count, sizeof *calibration->sections) < 0 ||
        !(added.name = strdup(name)))
        return -ENOMEM;
    struct owned *sections = calibration->sections;
    split(added.name, &added.section);
    for (size_t i = 0; i < calibration->count; i++) {
        if (!is_named(&sections[i].section, added.section.kind, added.section.host,
                      added.section.item))
            continue;
        free(added.name);
        return wtl_fail(err, -EBADMSG,
                        "%s:%u: duplicate section [%s], first in line %u; remove one", ini->file,
                        ini->number, name, sections[i].line);
    }
    sections[calibration->count++] = added;
    return 0;
}

static int add_entry(struct owned *owned,
                     const struct wtl_ini *ini,
                     const struct wtl_ini_line *line,
                     struct wattle_error *err)
{
    if (!*line->name)
        return wtl_fail(err, -EBADMSG, "%s:%u: missing key before =", ini->file, ini->number);
    if (wtl_calibration_get(&owned->section, line->name))
        return wtl_fail(err, -EBADMSG, "%s:%u: duplicate key \"%s\" in this section", ini->file,
                        ini->number, line->name);
    if (wtl_grow(&owned->entries, owned->section.count, sizeof *owned->entries) < 0)
        return -ENOMEM;
    owned->section.entries = owned->entries;
    size_t key_size = strlen(line->name) + 1, value_size = strlen(line->value) + 1;
    char *text = malloc(key_size + value_size);
    if (!text)
        return -ENOMEM;
    memcpy(text, line->name, key_size);
    memcpy(text + key_size, line->value, value_size);
    owned->entries[owned->section.count++] =
        (struct wtl_calibration_entry){.key = text, .value = text + key_size};
    return 0;
}

int wtl_calibration_text(const char *name,
                         const char *text,
                         size_t n,
                         struct wtl_calibration **ret_calibration,
                         struct wattle_error *err)
{
    struct wtl_calibration *calibration = calloc(1, sizeof *calibration);
    struct wtl_ini ini = wtl_ini_of(name, text, n);
    struct wtl_ini_line line;
    int rc = calibration ? 1 : -ENOMEM;
    while (rc >= 0 && (rc = wtl_ini_next(&ini, &line, err)) > 0) {
        if (line.kind == WTL_INI_SECTION)
            rc = add_section(calibration, &ini, line.name, err);
        else if (line.kind == WTL_INI_PAIR && calibration->count > 0) /* ensured by the reader */
            rc = add_entry(&calibration->sections[calibration->count - 1], &ini, &line, err);
    }
    if (rc == -ENOMEM)
        (void)wtl_no_memory_for(err, "%s", name);
    if (rc < 0)
        wtl_calibration_destroy(calibration);
    else
        *ret_calibration = calibration;
    return rc;
}

void wtl_calibration_destroy(struct wtl_calibration *calibration)
{
    for (size_t i = 0; calibration && i < calibration->count; i++) {
        struct owned *owned = &calibration->sections[i];
        for (size_t k = 0; k < owned->section.count; k++)
            free((void *)owned->entries[k].key); /* the value follows it in the same block */
        free(owned->entries);
        free(owned->name);
    }
    if (calibration)
        free(calibration->sections);
    free(calibration);
}

size_t wtl_calibration_count(const struct wtl_calibration *calibration)
{
    return calibration->count;
}

const struct wtl_calibration_section *wtl_calibration_section(
    const struct wtl_calibration *calibration,
    size_t i)
{
    return &calibration->sections[i].section;
}

const struct wtl_calibration_section *wtl_calibration_find(
    const struct wtl_calibration *calibration,
    const char *kind,
    const char *host,
    const char *item)
{
    for (size_t i = 0; i < calibration->count; i++) {
        if (is_named(&calibration->sections[i].section, kind, host, item))
            return &calibration->sections[i].section;
    }
    return NULL;
}

const char *wtl_calibration_get(const struct wtl_calibration_section *section, const char *key)
{
    for (size_t i = 0; i < section->count; i++) {
        if (strcmp(section->entries[i].key, key) == 0)
            return section->entries[i].value;
    }
    return NULL;
}

double wtl_calibration_number(const struct wtl_calibration_section *section, const char *key)
{
    const char *text = wtl_calibration_get(section, key);
    double value;
    return text && wtl_parse_double(text, &value) == 0 ? value : (double)NAN;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and places of powercap zones: see zone.h. */
#include "model/zone.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

bool wtl_zone_is(const char *folder)
{
    return strchr(folder, ':') != NULL;
}

/* Parse "package-3", "package-0-die-1", "psys", "psys-1"; true if the name is sufficient. */
static bool parse_name(const char *name, struct wtl_zone *zone)
{
    static const struct {
        const char *word;
        enum wattle_domain domain;
    } words[] = {{"package-", WATTLE_DOMAIN_PACKAGE}, {"psys-", WATTLE_DOMAIN_PSYS}};
    if (strcmp(name, "psys") == 0) {
        zone->domain = WATTLE_DOMAIN_PSYS;
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        uint64_t number;
        if (strncmp(name, words[i].word, n) != 0)
            continue;
        int used = wtl_scan_u64(name + n, strlen(name + n), &number);
        if (used < 0 || number > INT16_MAX)
            continue;
        zone->domain = words[i].domain;
        zone->index = (int)number;
        const char *rest = name + n + used;
        if (strncmp(rest, "-die-", 5) == 0 && wtl_parse_u64(rest + 5, &number) == 0 &&
            number <= INT16_MAX)
            zone->sub = (int)number;
        return true;
    }
    return false;
}

/* The package that contains a subzone, found from the folder name without the last ":N". */
static void find_parent(const struct wtl_world *world, struct wtl_zone *zone)
{
    char path[128], name[32];
    const char *colon = strrchr(zone->folder, ':');
    struct wtl_zone parent = {.sub = -1};
    if (!colon || colon == strchr(zone->folder, ':'))
        return;
    (void)snprintf(path, sizeof path, WTL_ZONES "/%.*s/name", (int)(colon - zone->folder),
                   zone->folder);
    if (wtl_world_text(world, path, name, sizeof name) < 0 || !parse_name(name, &parent))
        return;
    zone->index = parent.index;
    zone->sub = parent.sub;
}

int wtl_zone_identify(const struct wtl_world *world,
                      const char *folder,
                      struct wtl_zone *ret_zone,
                      struct wattle_error *err)
{
    static const struct {
        const char *name;
        enum wattle_domain domain;
    } below[] = {{"core", WATTLE_DOMAIN_CORE},
                 {"uncore", WATTLE_DOMAIN_UNCORE},
                 {"dram", WATTLE_DOMAIN_DRAM}};
    struct wtl_zone zone = {.folder = folder, .domain = WATTLE_DOMAIN_OTHER, .sub = -1};
    char path[128];
    (void)snprintf(path, sizeof path, WTL_ZONES "/%.60s/name", folder);
    ssize_t n = wtl_world_text(world, path, zone.name, sizeof zone.name);
    if (n < 0)
        return wtl_fail(err, (int)n,
                        WTL_ZONES "/*/name: %s; container engines hide the zones: start the "
                                  "container with --security-opt systempaths=unconfined (docker) "
                                  "or unmask=/sys/devices/virtual/powercap (podman)",
                        wtl_strerror((int)n));
    if (!parse_name(zone.name, &zone)) {
        for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
            if (strcmp(zone.name, below[i].name) == 0)
                zone.domain = below[i].domain;
        }
        if (zone.domain != WATTLE_DOMAIN_OTHER)
            find_parent(world, &zone);
    }
    *ret_zone = zone;
    return 0;
}

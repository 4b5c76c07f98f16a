/* SPDX-License-Identifier: BSD-3-Clause */
/* A cache in front of getpwuid_r(3): see user_name.h. */
#define _GNU_SOURCE
#include "cli/run/user_name.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/process_stat.h"
#include "base/grow.h"

const char *wtl_user_name(struct wtl_user_names *names, uint32_t uid)
{
    static const char unknown[] = "?";
    char text[4096];
    struct passwd entry, *found = NULL;
    if (uid == WTL_UID_UNKNOWN)
        return unknown;
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i].uid == uid)
            return names->items[i].name;
    }
    if (wtl_grow(&names->items, names->count, sizeof *names->items) < 0)
        return unknown;
    struct wtl_user_name *item = &names->items[names->count++];
    item->uid = uid;
    if (!names->numbers && getpwuid_r(uid, &entry, text, sizeof text, &found) == 0 && found)
        (void)snprintf(item->name, sizeof item->name, "%.32s", entry.pw_name);
    else
        (void)snprintf(item->name, sizeof item->name, "%" PRIu32, uid);
    return item->name;
}

void wtl_user_names_fini(struct wtl_user_names *names)
{
    free(names->items);
    *names = (struct wtl_user_names){0};
}

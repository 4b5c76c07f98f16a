/* SPDX-License-Identifier: BSD-3-Clause */
/* User names, each looked up once, since a lookup may query a directory server. */
#ifndef WTL_CLI_USER_NAME_H
#define WTL_CLI_USER_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wtl_user_names {
    struct wtl_user_name {
        uint32_t uid;
        char name[33];
    } * items;
    size_t count;
    bool numbers; /* no lookup: users of another machine */
};

/* The name; the number if unknown, "?" for WTL_UID_UNKNOWN. Valid until the next call. */
const char *wtl_user_name(struct wtl_user_names *names, uint32_t uid);

void wtl_user_names_fini(struct wtl_user_names *names);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-in: no privilege is given up. */
#include "daemon/privilege.h"

int wtl_privilege_drop(const char *user,
                       struct wtl_privilege_report *ret_report,
                       struct wattle_error *err)
{
    (void)user;
    (void)err;
    *ret_report = (struct wtl_privilege_report){.log = "privileges are kept"};
    return 0;
}

int wtl_privilege_filter(struct wtl_privilege_report *report, struct wattle_error *err)
{
    (void)err;
    report->filter_on = false;
    return 0;
}

void wtl_privilege_explain(FILE *out)
{
    (void)fputs("wattled keeps all privileges.\n", out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The privileges of wattled: what it holds at start, what it gives up once its sensors are open, and the
 * system calls that remain. The tables in privilege_table.c are the source of `wattled --explain`, of
 * docs/dev/security.md and of the seccomp filter.
 */
#ifndef WTL_DAEMON_PRIVILEGE_H
#define WTL_DAEMON_PRIVILEGE_H

#include <stdbool.h>
#include <stdio.h>

#include <wattle/error.h>

struct wtl_privilege_report {
    bool user_changed, capabilities_dropped, filter_on; /* as far as was possible here */
    char log[256];                                      /* one sentence for the log */
};

/*
 * Become `user` ("" = stay), without supplementary groups or with those of that user, with no capability, no_new_privs, not dumpable. Call it with the
 * sensors open and before any thread is started; whatever is in a folder of that user is opened after it, since root
 * must not follow names that another user can replace. Not being root is not an error: what is held is dropped. Returns 0;
 * -ENOENT: no such user; -EPERM: not possible here; -EBUSY: another thread runs; each with a sentence.
 */
int wtl_privilege_drop(const char *user,
                       bool with_groups,
                       struct wtl_privilege_report *ret_report,
                       struct wattle_error *err);

/* Allow only the system calls of the table, for all threads of the process (TSYNC). 0; -ENOTSUP: not supported here, said
 * in the report; -EPERM with a sentence. */
int wtl_privilege_filter(struct wtl_privilege_report *report, struct wattle_error *err);

/* Print what wattled holds and why: capabilities, files, sockets, system calls. */
void wtl_privilege_explain(FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A request to wattled, parsed from the packet of a stranger (docs/format/page.md). Pure, fuzzed. */
#ifndef WTL_DAEMON_REQUEST_H
#define WTL_DAEMON_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { WTL_REQUEST_MAX = 255, WTL_JOB_ID_MAX = 64 };

enum wtl_request_verb {
    WTL_REQUEST_PAGE,
    WTL_REQUEST_STATUS,
    WTL_REQUEST_BEGIN,
    WTL_REQUEST_END,
    WTL_REQUEST_JOBS,
    WTL_REQUEST_ALLOW,
    WTL_REQUEST_DENY,
    WTL_REQUEST_RELOAD
};

struct wtl_request_line {
    enum wtl_request_verb verb;
    uint32_t version;             /* page */
    char job[WTL_JOB_ID_MAX + 1]; /* begin, end */
    uid_t uid;                    /* allow, deny */
};

/* 0, or -EINVAL; *ret_why then is what is wrong with it, a constant text. */
int wtl_request_parse(const char *packet,
                      size_t size,
                      struct wtl_request_line *ret_request,
                      const char **ret_why);

/* 1 to 64 of A-Z a-z 0-9 . _ + -, the first a letter or digit. */
bool wtl_job_id_is_valid(const char *id);

/* Does only root make this request? */
bool wtl_request_is_privileged(enum wtl_request_verb verb);

#endif

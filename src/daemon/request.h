/* SPDX-License-Identifier: BSD-3-Clause */
/* A request to wattled, parsed from the packet of a stranger (docs/format/page.md). Pure, fuzzed. */
#ifndef WTL_DAEMON_REQUEST_H
#define WTL_DAEMON_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    WTL_REQUEST_MAX = 2048,     /* with the lines of a job */
    WTL_REQUEST_LINE_MAX = 255, /* its first line */
    WTL_JOB_ID_MAX = 64,
    WTL_JOB_PATH_MAX = 255,
    WTL_JOB_NOTE_MAX = 1400
};

enum wtl_request_verb {
    WTL_REQUEST_PAGE,
    WTL_REQUEST_STATUS,
    WTL_REQUEST_BEGIN,
    WTL_REQUEST_END,
    WTL_REQUEST_JOBS,
    WTL_REQUEST_LEFT,
    WTL_REQUEST_JOB,
    WTL_REQUEST_FETCHED,
    WTL_REQUEST_ALLOW,
    WTL_REQUEST_DENY,
    WTL_REQUEST_RELOAD
};

/* The lines after "begin ID": what the job is, so that energy can be divided among jobs. "" and 0 = not given. */
struct wtl_job_terms {
    bool given;                        /* lines follow, or at least the end of the first one */
    char cgroup[WTL_JOB_PATH_MAX + 1]; /* as in /proc/PID/cgroup */
    char cpus[WTL_JOB_PATH_MAX + 1];   /* a list: it may run on these */
    char parent[WTL_JOB_ID_MAX + 1];   /* a step of this job */
    char gpus[WTL_JOB_PATH_MAX + 1];   /* a list: these are its own */
    double reserved;                   /* part of the node, 0 to 1 */
    uint32_t slurm;                    /* the processes below the slurmstepd of this job */
    uint32_t pid;                      /* the processes below this one */
    char note[WTL_JOB_NOTE_MAX + 1];   /* anything, in one line */
    double ended_s; /* of end: when it had ended, in seconds since 1970; 0 = now */
};

struct wtl_request_line {
    enum wtl_request_verb verb;
    uint32_t version;             /* page */
    char job[WTL_JOB_ID_MAX + 1]; /* begin, end, job, fetched */
    uid_t uid;                    /* allow, deny */
    struct wtl_job_terms terms;   /* begin; of end, whether lines follow, and ended_s */
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

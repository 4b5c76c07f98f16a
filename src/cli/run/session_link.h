/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bracket: "wattle start" puts a measuring process into the background, "wattle mark" and "wattle stop" find
 * it and talk to it. One bracket at a time for a session on a node: the job's where there is one, else that of the shell
 * (getsid(2)); WATTLE_SESSION names one of several.
 *
 * In the folder of seats (record/seat.h) lie a socket, at which the measuring process listens, and a
 * note of who that is. A note without anybody behind the socket is what a killed one leaves.
 */
#ifndef WTL_CLI_SESSION_LINK_H
#define WTL_CLI_SESSION_LINK_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

#include <wattle/error.h>

#include "base/world/world.h"
#include "record/seat.h"

enum { WTL_SESSION_LINK_MESSAGE = 1024 }; /* bytes of a request or a reply, at most */

/* "start --export" says here, too, what it has put into WATTLE_RUN_ID; where the two are the same, the user has said nothing. */
#define WTL_SESSION_LINK_RUN_ID "WATTLE_BRACKET_RUN_ID"

struct wtl_session_link {
    struct wtl_seat_key key; /* as of processes that have WATTLE_JOB=job */
    char job[160];
    struct sockaddr_un address;
    char note[512];
};

struct wtl_session_link_note {
    pid_t pid;
    char trace[512]; /* absolute */
};

/* Where this session's bracket is, whether or not there is one. 0, or -errno with a sentence. */
int wtl_session_link_find(const struct wtl_world *world,
                          struct wtl_session_link *ret_bracket,
                          struct wattle_error *err);

/* 0; -ENOENT when nobody has left one; -EBADMSG when it says nothing. */
int wtl_session_link_read_note(const struct wtl_session_link *bracket,
                               struct wtl_session_link_note *ret_note);
int wtl_session_link_write_note(const struct wtl_session_link *bracket,
                                const struct wtl_session_link_note *note);

/* Listen; what a dead process has left there is removed. By who has the seat. The descriptor, or -errno. */
int wtl_session_link_listen(const struct wtl_session_link *bracket);

/* The end of a bracket: socket and note go. */
void wtl_session_link_remove(const struct wtl_session_link *bracket);

/*
 * Ask the measuring process, which gets our stdout and stderr to print on, and wait for its answer.
 * Returns 0; -ECANCELED with the sentence of its refusal; -ESRCH, with a sentence, when nobody measures; -ETIMEDOUT, with one, when
 * the process is stopped, or has not answered for a minute: the request is then void; or -errno.
 */
int wtl_session_link_ask(const struct wtl_session_link *bracket,
                         const char *request,
                         struct wattle_error *err);

/* Is WATTLE_RUN_ID of a bracket's making? */
bool wtl_session_link_named_run(void);

/* A run's name for what is measured now in this job, the next time another. */
void wtl_session_link_name_run(const char *job, char run_id[64]);

/*
 * The shell that has called: the parent, or, where that is only a subshell of it as in $(...), the shell
 * it was forked from.
 */
pid_t wtl_session_link_shell(void);

#endif

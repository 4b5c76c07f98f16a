/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bracket: "wattle start" puts a measuring process into the background, "wattle mark" and "wattle
 * stop" find it and talk to it. One bracket at a time per session on a node: the job's if there is
 * one, else the shell's (getsid(2)); WATTLE_SESSION selects one of several. The folder of seats
 * (record/seat.h) contains a socket on which the measuring process listens, and a note that
 * identifies it. A note without a process listening was left by a killed one.
 */
#ifndef WTL_CLI_SESSION_LINK_H
#define WTL_CLI_SESSION_LINK_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

#include <wattle/error.h>

#include "base/world/world.h"
#include "record/seat.h"

enum { WTL_SESSION_LINK_MESSAGE = 1024 }; /* maximum bytes of a request or a reply */

/* "start --export" also stores here what it set in WATTLE_RUN_ID; if both are equal, the user has not set it. */
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

/* The location of this session's bracket, whether or not one exists. Returns 0, or -errno with a message. */
int wtl_session_link_find(const struct wtl_world *world,
                          struct wtl_session_link *ret_bracket,
                          struct wattle_error *err);

/* Returns 0; -ENOENT if there is none; -EBADMSG if it is invalid. */
int wtl_session_link_read_note(const struct wtl_session_link *bracket,
                               struct wtl_session_link_note *ret_note);
int wtl_session_link_write_note(const struct wtl_session_link *bracket,
                                const struct wtl_session_link_note *note);

/* Listen; leftovers of a dead process are removed. Called by the owner of the seat. Returns the descriptor, or -errno. */
int wtl_session_link_listen(const struct wtl_session_link *bracket);

/* End a bracket: remove socket and note. */
void wtl_session_link_remove(const struct wtl_session_link *bracket);

/*
 * Send a request to the measuring process, which prints on our stdout and stderr, and wait for its answer.
 * Returns 0; -ECANCELED with the message of its refusal; -ESRCH with a message if no process measures;
 * -ETIMEDOUT with a message if the process is stopped or has not answered for a minute (the request is then
 * void); or -errno.
 */
int wtl_session_link_ask(const struct wtl_session_link *bracket,
                         const char *request,
                         struct wattle_error *err);

/* Was WATTLE_RUN_ID set by a bracket? */
bool wtl_session_link_named_run(void);

/* A run name for the current measurement of this job; different for the next one. */
void wtl_session_link_name_run(const char *job, char run_id[64]);

/*
 * The calling shell: the parent, or, if that is a subshell as in $(...), the shell it was forked from.
 */
pid_t wtl_session_link_shell(void);

#endif

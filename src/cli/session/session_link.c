/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding a bracket and talking to it: see session_link.h. */
#define _GNU_SOURCE
#include "cli/session/session_link.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/parse.h"

int wtl_session_link_find(const struct wtl_world *world,
                          struct wtl_session_link *ret_bracket,
                          struct wattle_error *err)
{
    const char *name = world->ops->getenv(world, "WATTLE_SESSION");
    const char *given = world->ops->getenv(world, "WATTLE_JOB"); /* of "start --export" */
    struct wtl_session_link b = {.address = {.sun_family = AF_UNIX}};
    char folder[400];
    int rc = wtl_seat_key_of(world, &b.key);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot get the name of this node: %s", wtl_strerror(rc));
    if (name && strlen(name) > 100)
        return wtl_fail(err, -EINVAL, "WATTLE_SESSION: the name must have 1 to 100 bytes");
    if (name && name[0])
        (void)snprintf(b.job, sizeof b.job, "session-%.100s", name);
    else if (given && given[0])
        (void)snprintf(b.job, sizeof b.job, "%.159s", given);
    else if (b.key.job[0])
        (void)snprintf(b.job, sizeof b.job, "%.159s", b.key.job);
    else
        (void)snprintf(b.job, sizeof b.job, "session-%d", (int)getsid(0));
    (void)snprintf(b.key.job, sizeof b.key.job, "job:%s", b.job); /* as record/launcher.c has it */
    if ((rc = wtl_seat_folder(world, folder, sizeof folder, err)) < 0)
        return rc;
    uint64_t hash = wtl_hash_bytes(WTL_HASH_START, b.key.node, strlen(b.key.node) + 1);
    hash = wtl_hash_bytes(hash, b.key.job, strlen(b.key.job) + 1);
    int n = snprintf(b.address.sun_path, sizeof b.address.sun_path, "%s/%016" PRIx64 ".sock",
                     folder, hash);
    if (n < 0 || (size_t)n >= sizeof b.address.sun_path)
        return wtl_fail(err, -ENAMETOOLONG,
                        "%.200s: too long for a socket path; set WATTLE_SEATS to a shorter one",
                        folder);
    (void)snprintf(b.note, sizeof b.note, "%s/%016" PRIx64 ".note", folder, hash);
    *ret_bracket = b;
    return 0;
}

int wtl_session_link_read_note(const struct wtl_session_link *bracket,
                               struct wtl_session_link_note *ret_note)
{
    struct wtl_session_link_note note = {.pid = 0};
    char text[sizeof note.trace + 32];
    uint64_t pid;
    int fd = open(bracket->note, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, text, sizeof text - 1);
    (void)close(fd);
    if (n <= 0)
        return -EBADMSG;
    text[n] = '\0';
    char *trace = strchr(text, '\n');
    if (!trace)
        return -EBADMSG;
    *trace++ = '\0';
    if (wtl_parse_u64(text, &pid) < 0 || pid == 0 || pid > INT32_MAX ||
        strlen(trace) >= sizeof note.trace)
        return -EBADMSG;
    note.pid = (pid_t)pid;
    memcpy(note.trace, trace, strlen(trace) + 1);
    *ret_note = note;
    return 0;
}

int wtl_session_link_write_note(const struct wtl_session_link *bracket,
                                const struct wtl_session_link_note *note)
{
    char text[sizeof note->trace + 32];
    int n = snprintf(text, sizeof text, "%d\n%s", (int)note->pid, note->trace);
    int fd = open(bracket->note, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    ssize_t put = write(fd, text, (size_t)n);
    int rc = put == n ? 0 : put < 0 ? -errno : -ENOSPC;
    (void)close(fd);
    return rc;
}

void wtl_session_link_remove(const struct wtl_session_link *bracket)
{
    (void)unlink(bracket->address.sun_path);
    (void)unlink(bracket->note);
}

int wtl_session_link_listen(const struct wtl_session_link *bracket)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    (void)unlink(bracket->address.sun_path);
    mode_t mask = umask(0077);
    int rc = bind(fd, (const struct sockaddr *)&bracket->address, sizeof bracket->address);
    rc = rc == 0 ? listen(fd, 8) : rc;
    rc = rc < 0 ? -errno : 0;
    (void)umask(mask);
    if (rc < 0)
        (void)close(fd);
    return rc < 0 ? rc : fd;
}

/* Why there is no answer. */
static int tell_nobody(const struct wtl_session_link *bracket, struct wattle_error *err)
{
    struct wtl_session_link_note note = {.pid = 0};
    if (wtl_session_link_read_note(bracket, &note) < 0)
        return wtl_fail(err, -ESRCH,
                        "no measurement is running in this session; start one with \"wattle "
                        "start\", or set WATTLE_SESSION to the session of another shell");
    return wtl_fail(err, -ESRCH,
                    "the measuring process %d died before \"wattle stop\"; complete its trace with "
                    "\"wattle repair %.300s\"",
                    (int)note.pid, note.trace);
}

/* ---- asking ---- */

/* Polling interval and total time to wait for an answer: finishing a long trace takes time. */
enum { LOOK_MS = 200, ANSWER_WAIT_S = 60, LOOKS = ANSWER_WAIT_S * 1000 / LOOK_MS };

/* The part of /proc/PID/stat after the name: ") STATE PARENT ...". NULL: no such process. */
static char *fields_of(pid_t pid, char text[1024])
{
    char path[40];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, 1023);
    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    return strrchr(text, ')'); /* the name may contain anything */
}

/* Can it still answer? Returns 0, or why not. */
static int check_answering(const struct wtl_session_link *bracket,
                           int looks,
                           struct wattle_error *err)
{
    struct wtl_session_link_note note = {.pid = 0};
    if (wtl_session_link_read_note(bracket, &note) < 0)
        return looks < LOOKS ? 0
                             : wtl_fail(err, -ETIMEDOUT, "the measuring process does not answer");
    char text[1024];
    const char *fields = fields_of(note.pid, text);
    if (fields && strncmp(fields, ") T", 3) == 0)
        return wtl_fail(err, -ETIMEDOUT,
                        "the measuring process %d is stopped and does not answer; resume it with "
                        "\"kill -CONT %d\" and try again",
                        (int)note.pid, (int)note.pid);
    if (looks < LOOKS)
        return 0;
    return wtl_fail(err, -ETIMEDOUT,
                    "the measuring process %d has not answered for %d s; wait for it, or run "
                    "\"kill -KILL %d\" and \"wattle repair %.300s\"",
                    (int)note.pid, (int)ANSWER_WAIT_S, (int)note.pid, note.trace);
}

/* The request, with our stdout and stderr. */
static int send_request(int fd, const char *request)
{
    int streams[2] = {STDOUT_FILENO, STDERR_FILENO};
    char control[CMSG_SPACE(sizeof streams)];
    struct iovec part = {(void *)(uintptr_t)request, strlen(request)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control};
    message.msg_controllen = sizeof control;
    memset(control, 0, sizeof control);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof streams);
    memcpy(CMSG_DATA(header), streams, sizeof streams);
    return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Done, or failed permanently? A socket timeout and a signal are not the end. */
static bool is_pending(int rc)
{
    return rc == -EAGAIN || rc == -EWOULDBLOCK || rc == -EINTR || rc == -EINPROGRESS;
}

/* The next step of the conversation: connect, send, receive. Bytes of the reply, 0 for the steps before, or -errno. */
static ssize_t converse(int fd,
                        int step,
                        const struct wtl_session_link *bracket,
                        const char *request,
                        char *reply)
{
    ssize_t n = 0;
    if (step == 0)
        n = connect(fd, (const struct sockaddr *)&bracket->address, sizeof bracket->address);
    else if (step == 1)
        return send_request(fd, request);
    else
        n = recv(fd, reply, WTL_SESSION_LINK_MESSAGE, 0);
    return n < 0 ? -errno : step == 2 && n == 0 ? -ECONNRESET : n;
}

int wtl_session_link_ask(const struct wtl_session_link *bracket,
                         const char *request,
                         struct wattle_error *err)
{
    struct timeval look = {.tv_usec = LOOK_MS * 1000}; /* SNDTIMEO holds for connect(2) as well */
    char reply[WTL_SESSION_LINK_MESSAGE + 1] = "";
    ssize_t n = 0;
    int rc = 0, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return wtl_fail(err, -errno, "cannot create a socket: %s", wtl_strerror(-errno));
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &look, sizeof look);
    for (int step = 0, looks = 0; step < 3 && rc == 0; step += n >= 0) {
        n = converse(fd, step, bracket, request, reply);
        if (n < 0 && is_pending((int)n))
            rc = check_answering(bracket, ++looks, err);
        else if (n < 0)
            rc = (int)n;
    }
    (void)close(fd);
    if (rc == -ENOENT || rc == -ECONNREFUSED || rc == -EPIPE || rc == -ECONNRESET)
        return tell_nobody(bracket, err);
    if (rc == -ETIMEDOUT)
        return rc;
    if (rc < 0)
        return wtl_fail(err, rc, "%s: %s", bracket->address.sun_path, wtl_strerror(rc));
    reply[n] = '\0';
    return reply[0] == '0' ? 0 : wtl_fail(err, -ECANCELED, "%s", reply + 1);
}

/* ---- run.id ---- */

bool wtl_session_link_named_run(void)
{
    const char *run = getenv("WATTLE_RUN_ID"), *bracket = getenv(WTL_SESSION_LINK_RUN_ID);
    return run && bracket && bracket[0] && strcmp(run, bracket) == 0;
}

void wtl_session_link_name_run(const char *job, char run_id[64])
{
    (void)snprintf(run_id, 64, "%.30s-%lld-%d", job, (long long)time(NULL), (int)getpid());
}

/* ---- which session it is ---- */

/* Parent and start of the stack of a process; a fork has the stack start of its parent. Returns 0 or -ENOENT. */
static int look_at(pid_t pid, pid_t *ret_parent, char stack[32])
{
    char text[1024];
    char *field = fields_of(pid, text);
    for (int number = 2; field; number++) {
        if (number == 4)
            *ret_parent = (pid_t)strtol(field, NULL, 10);
        if (number == 28) {
            (void)snprintf(stack, 32, "%.*s", (int)strcspn(field, " "), field);
            return 0;
        }
        field = strchr(field, ' ');
        field = field ? field + 1 : NULL;
    }
    return -ENOENT;
}

pid_t wtl_session_link_shell(void)
{
    pid_t shell = getppid(), parent = 0, above = 0;
    char stack[32], stack_above[32];
    /* If the kernel hides it, the field is 0. */
    while (look_at(shell, &parent, stack) == 0 && strcmp(stack, "0") != 0 && parent > 1 &&
           look_at(parent, &above, stack_above) == 0 && strcmp(stack, stack_above) == 0)
        shell = parent;
    return shell;
}

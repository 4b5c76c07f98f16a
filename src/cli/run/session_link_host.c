/* SPDX-License-Identifier: BSD-3-Clause */
/* The measuring process of a bracket: see session_link_host.h. */
#define _GNU_SOURCE
#include "cli/run/session_link_host.h"

#include <wattle/region.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "record/regions/region_place.h"

enum { PATIENCE_S = 2, LOOK_MS = 100 };

static void reply(int client, const char *sentence)
{
    char text[WTL_SESSION_LINK_MESSAGE];
    int n = snprintf(text, sizeof text, "%c%s", sentence ? '1' : '0', sentence ? sentence : "");
    n = n >= (int)sizeof text ? (int)sizeof text - 1 : n;
    (void)send(client, text, (size_t)n, MSG_NOSIGNAL); /* the client may have exited */
    (void)close(client);
}

void wtl_session_link_answer(struct wtl_session_link_host *host, const char *sentence)
{
    if (host->out >= 0)
        (void)close(host->out);
    if (host->client >= 0)
        reply(host->client, sentence);
    host->client = host->out = -1;
}

/* ---- requests ---- */

/* Receive a request and the streams sent with it (-1 = none). Returns its bytes, or -errno. */
static ssize_t receive(int client, char *text, size_t size, int streams[2])
{
    char control[CMSG_SPACE(2 * sizeof(int))];
    struct iovec part = {text, size - 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control};
    message.msg_controllen = sizeof control;
    streams[0] = streams[1] = -1;
    ssize_t n = recvmsg(client, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(2 * sizeof(int)))
        memcpy(streams, CMSG_DATA(header), 2 * sizeof(int));
    text[n < 0 ? 0 : n] = '\0';
    return n < 0 ? -errno : n;
}

static void end_stage(struct wtl_session_link_host *host)
{
    if (host->stage) /* 0 would be a refused name */
        wattle_region_end(host->stage);
    host->stage = 0;
}

/* Why a stage is not recorded; NULL: it is. */
static const char *unrecorded(struct wtl_session_link_host *host)
{
    if (wattle_recording())
        return NULL;
    if (wtl_region_state() == WTL_REGION_FULL)
        return "the stage was not recorded: cannot extend the region file (full disk, quota, or "
               "file size limit); free space, run \"wattle stop\", and start again";
    if (host->no_spool == 0)
        return "stages are not recorded: the folder for regions could not be created; see the "
               "warning of \"wattle start\"";
    (void)wtl_fail(&host->err, 0,
                   "stages are not recorded: cannot create the region file (%s); free space, run "
                   "\"wattle stop\", and start again",
                   wtl_strerror(host->no_spool));
    return host->err.text;
}

/* The previous stage ends where the new one starts. Returns NULL, or the message of a refusal. */
static const char *mark(struct wtl_session_link_host *host, const char *name)
{
    uint32_t id = wattle_region_id(name);
    const char *why = unrecorded(host);
    if (why)
        return why;
    if (id == 0)
        return "stage names have 1 to 255 bytes, and at most 65535 different names are recorded";
    end_stage(host);
    wattle_region_begin(id);
    why = unrecorded(host); /* no space for it */
    host->stage = why ? 0 : id;
    return why;
}

/* Further messages go to the client that requested the end. */
static void keep_client(struct wtl_session_link_host *host, int client, const int streams[2])
{
    host->client = client;
    host->out = streams[0];
    if (streams[1] >= 0) {
        (void)dup2(streams[1], STDERR_FILENO);
        (void)close(streams[1]);
    }
}

static void close_streams(const int streams[2])
{
    for (int i = 0; i < 2; i++) {
        if (streams[i] >= 0)
            (void)close(streams[i]);
    }
}

/* "json", "default" (that of start), with "verbose" after it or not. */
static void take_form(struct wtl_session_link_host *host, const char *text)
{
    size_t n = strcspn(text, " ");
    for (size_t i = 0; wtl_format_names[i]; i++) {
        if (strlen(wtl_format_names[i]) == n && strncmp(text, wtl_format_names[i], n) == 0)
            host->format = (enum wtl_format)i;
    }
    host->verbose = strcmp(text + n, " verbose") == 0;
}

/* Returns true if it is the end. */
static bool handle(struct wtl_session_link_host *host, int client, const char *text, int streams[2])
{
    const char *refusal = "unknown request; \"wattle start\" runs another version of wattle";
    if (strncmp(text, "stop ", 5) == 0) {
        take_form(host, text + 5);
        end_stage(host);
        keep_client(host, client, streams);
        return true;
    }
    if (strncmp(text, "mark ", 5) == 0)
        refusal = mark(host, text + 5);
    else if (strcmp(text, "end") == 0 && host->stage == 0)
        refusal = "no stage is open; start one with \"wattle mark NAME\"";
    else if (strcmp(text, "end") == 0) {
        end_stage(host);
        refusal = unrecorded(host);
    }
    close_streams(streams);
    reply(client, refusal);
    return false;
}

static bool is_of_user(int client)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

/* The client sent this while this process was stopped and has given up: the request is outdated. */
static bool has_gone(int client)
{
    struct pollfd end = {.fd = client};
    return poll(&end, 1, 0) == 1 && end.revents & POLLHUP;
}

static bool accept_one(struct wtl_session_link_host *host)
{
    struct timeval patience = {.tv_sec = PATIENCE_S};
    char text[WTL_SESSION_LINK_MESSAGE + 1];
    int streams[2];
    int client = accept4(host->listening, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
        return false;
    /* A silent client must not block the others. */
    (void)setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool asked = is_of_user(client) && receive(client, text, sizeof text, streams) > 0;
    if (!asked || has_gone(client)) {
        if (asked)
            close_streams(streams);
        (void)close(client);
        return false;
    }
    return handle(host, client, text, streams);
}

/* ---- the window ---- */

/* Listen, write the note, notify the starter, and close its streams. Returns 0 or -errno. */
static int put_up(struct wtl_session_link_host *host, const struct wtl_measurement *measurement)
{
    struct wtl_session_link_note note = {.pid = getpid()};
    struct wtl_seat_note seat_note = {.trace = ""};
    const char *path = wtl_run_trace_path(&measurement->trace);
    char *trace = realpath(path ? path : "", NULL);
    const char *spool = wtl_run_trace_folder(&measurement->trace);
    (void)snprintf(note.trace, sizeof note.trace, "%.511s", trace ? trace : "");
    (void)snprintf(seat_note.trace, sizeof seat_note.trace, "%.511s", trace ? trace : "");
    (void)snprintf(seat_note.spool, sizeof seat_note.spool, "%.511s", spool ? spool : "");
    free(trace);
    if (spool)
        host->no_spool = wtl_region_record(spool); /* marks say that they are not recorded */
    host->listening = wtl_session_link_listen(host->bracket);
    int rc = host->listening < 0 ? host->listening : 0;
    rc = rc < 0 ? rc : wtl_session_link_write_note(host->bracket, &note);
    rc = rc < 0 ? rc : wtl_seat_publish(host->seat, &seat_note);
    if (rc < 0)
        return wtl_fail(&host->err, rc, "%s: %s", host->bracket->address.sun_path,
                        wtl_strerror(rc));
    const char *said = spool ? spool : "";
    (void)!write(host->report, said, strlen(said) + 1); /* it also waits for end of file */
    (void)close(host->report);
    host->report = -1;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        (void)dup2(null, fd);
    if (null > STDERR_FILENO)
        (void)close(null);
    return 0;
}

void wtl_session_link_attend(void *context, struct wtl_measurement *measurement)
{
    struct wtl_session_link_host *host = context;
    bool done = put_up(host, measurement) < 0;
    host->failed = done;
    while (!done) {
        struct pollfd fds[3] = {{.fd = host->listening, .events = POLLIN},
                                {.fd = host->signals->fd, .events = POLLIN},
                                {.fd = host->watch->pidfd, .events = POLLIN}};
        (void)poll(fds, 3, host->watch->folder >= 0 ? LOOK_MS : -1);
        done = wtl_signals_ended(host->signals) || accept_one(host) || wtl_watch_ended(host->watch);
    }
    end_stage(host);
    if (host->listening >= 0)
        (void)close(host->listening);
    host->listening = -1;
}

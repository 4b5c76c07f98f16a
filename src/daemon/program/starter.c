/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that starts wattle-gpu: see starter.h. An order is one packet; only START is answered. */
#define _GNU_SOURCE
#include "daemon/program/starter.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "daemon/privilege.h"

enum { KNOWN = 16, ANSWER_S = 3 };
enum order_kind { START, REAP, SEAL };

static const char program[] = "wattle-gpu";

struct order {
    enum order_kind kind;
    pid_t child;
    uint64_t deadline_ns;
    char vendor[32], library[512]; /* "" = none */
};

struct answer {
    int rc;
    pid_t child;
};

struct wtl_starter {
    struct wtl_world world; /* first: the operations below find the rest by it */
    struct wtl_world_ops ops;
    pthread_mutex_t lock; /* one order at a time */
    int fd;               /* -1: it has ended, or does not answer */
    pid_t process;
    bool used;
};

/* ---- the process ---- */

struct orders {
    struct order list[KNOWN];
    size_t count;
    bool sealed;
};

static bool is_known(const struct orders *orders, const struct order *order)
{
    for (size_t i = 0; i < orders->count; i++) {
        if (strcmp(orders->list[i].vendor, order->vendor) == 0 &&
            strcmp(orders->list[i].library, order->library) == 0)
            return true;
    }
    return false;
}

/* The descriptor of a new wattle-gpu, or -errno. */
static int start(const struct wtl_world *world,
                 struct orders *orders,
                 const struct order *order,
                 pid_t *ret_child)
{
    const char *const argv[] = {program, order->vendor, order->library[0] ? order->library : NULL,
                                NULL};
    if (!is_known(orders, order)) {
        if (orders->sealed || orders->count == KNOWN)
            return -EPERM;
        orders->list[orders->count++] = *order;
    }
    return wtl_world_converse(world, argv, ret_child);
}

/* With a descriptor unless fd is negative, which is the error then. */
static bool send_answer(int to, int fd, pid_t child)
{
    struct answer answer = {.rc = fd < 0 ? fd : 0, .child = child};
    struct iovec part = {&answer, sizeof answer};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(head), &fd, sizeof fd);
    }
    return sendmsg(to, &message, MSG_NOSIGNAL) == (ssize_t)sizeof answer;
}

static bool obey(const struct wtl_world *world, int fd, struct orders *orders, struct order *order)
{
    order->vendor[sizeof order->vendor - 1] = order->library[sizeof order->library - 1] = '\0';
    if (order->kind == SEAL)
        orders->sealed = true;
    if (order->kind == REAP)
        (void)world->ops->reap(world, order->child, order->deadline_ns); /* its own only */
    if (order->kind != START)
        return true;
    pid_t child = 0;
    int peer = start(world, orders, order, &child);
    bool sent = send_answer(fd, peer, child);
    if (peer >= 0)
        world->ops->close(world, peer);
    return sent;
}

static _Noreturn void serve(const struct wtl_world *world, const char *user, int fd)
{
    struct orders orders = {.count = 0};
    struct order order;
    struct wtl_privilege_report report;
    struct wattle_error err;
    (void)signal(SIGTERM, SIG_IGN); /* it ends with its input, after wattled; these cannot fail */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    bool goes_on = wtl_privilege_drop(user, true, &report, &err) == 0;
    while (goes_on)
        goes_on = recv(fd, &order, sizeof order, 0) == (ssize_t)sizeof order &&
                  obey(world, fd, &orders, &order);
    _exit(0);
}

/* ---- wattled's side ---- */

static struct wtl_starter *starter_of(const struct wtl_world *world)
{
    return (struct wtl_starter *)(uintptr_t)world;
}

static bool send_order(const struct wtl_starter *starter, const struct order *order)
{
    return starter->fd >= 0 &&
           send(starter->fd, order, sizeof *order, MSG_NOSIGNAL) == (ssize_t)sizeof *order;
}

/* The descriptor, or -errno. */
static int receive_answer(const struct wtl_starter *starter, pid_t *ret_child)
{
    int fd = -1;
    struct answer answer = {0};
    struct iovec part = {&answer, sizeof answer};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)];
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    ssize_t got = recvmsg(starter->fd, &message, MSG_CMSG_CLOEXEC);
    if (got != (ssize_t)sizeof answer)
        return got < 0 && errno == EAGAIN ? -ETIMEDOUT : -EPIPE;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (answer.rc == 0 && head && head->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(head), sizeof fd);
    *ret_child = answer.child;
    return answer.rc < 0 ? answer.rc : fd < 0 ? -EMFILE : fd;
}

static int starter_converse(const struct wtl_world *world,
                            const char *const argv[],
                            pid_t *ret_child)
{
    struct wtl_starter *starter = starter_of(world);
    struct order order = {.kind = START};
    const char *vendor = argv[0] ? argv[1] : NULL, *library = vendor ? argv[2] : NULL;
    if (!vendor || strcmp(argv[0], program) != 0 || strlen(vendor) >= sizeof order.vendor ||
        (library && strlen(library) >= sizeof order.library))
        return -EINVAL;
    (void)snprintf(order.vendor, sizeof order.vendor, "%s", vendor);
    (void)snprintf(order.library, sizeof order.library, "%s", library ? library : "");
    (void)pthread_mutex_lock(&starter->lock); /* these cannot fail */
    int rc = send_order(starter, &order) ? receive_answer(starter, ret_child) : -EPIPE;
    starter->used = true;
    if ((rc == -ETIMEDOUT || rc == -EPIPE) && starter->fd >= 0) {
        (void)close(starter->fd); /* a late answer would be taken for the next one */
        starter->fd = -1;
    }
    (void)pthread_mutex_unlock(&starter->lock);
    return rc == -EPIPE ? -EPERM : rc;
}

/* Not waited for: its status is not needed. */
static int starter_reap(const struct wtl_world *world, pid_t child, uint64_t deadline_ns)
{
    struct wtl_starter *starter = starter_of(world);
    const struct order order = {.kind = REAP, .child = child, .deadline_ns = deadline_ns};
    (void)pthread_mutex_lock(&starter->lock); /* these cannot fail */
    bool sent = send_order(starter, &order);
    (void)pthread_mutex_unlock(&starter->lock);
    return sent ? 0 : -ECHILD;
}

int wtl_starter_open(const struct wtl_world *world,
                     const char *user,
                     struct wtl_starter **ret_starter,
                     struct wattle_error *err)
{
    int ends[2] = {-1, -1};
    const struct timeval patience = {.tv_sec = ANSWER_S};
    struct wtl_starter *starter = calloc(1, sizeof *starter);
    if (!starter)
        return wtl_no_memory_for(err, "wattled");
    starter->process = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 &&
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0)
        starter->process = fork();
    if (starter->process == 0) {
        (void)close(ends[0]); /* nothing was sent */
        serve(world, user, ends[1]);
    }
    int rc = starter->process > 0 ? 0 : -errno;
    if (ends[1] >= 0)
        (void)close(ends[1]); /* the other process has it */
    if (rc < 0) {
        if (ends[0] >= 0)
            (void)close(ends[0]); /* nothing was sent */
        free(starter);
        return wtl_fail(err, rc, "cannot start a process for GPUs: %s", wtl_strerror(rc));
    }
    starter->ops = *world->ops;
    starter->ops.converse = starter_converse;
    starter->ops.reap = starter_reap;
    starter->ops.spawn = NULL; /* reap() would not know its child */
    starter->world = *world;
    starter->world.ops = &starter->ops;
    starter->fd = ends[0];
    (void)pthread_mutex_init(&starter->lock, NULL); /* cannot fail without attributes */
    *ret_starter = starter;
    return 0;
}

const struct wtl_world *wtl_starter_world(const struct wtl_starter *starter)
{
    return &starter->world;
}

void wtl_starter_seal(struct wtl_starter *starter)
{
    const struct order order = {.kind = SEAL};
    if (starter->used && send_order(starter, &order))
        return;
    if (starter->fd >= 0)
        (void)close(starter->fd);
    starter->fd = -1;
    (void)waitpid(starter->process, NULL, 0); /* its input has ended */
}

void wtl_starter_close(struct wtl_starter *starter)
{
    if (!starter)
        return;
    if (starter->fd >= 0)
        (void)close(starter->fd); /* it ends, as does what it has started */
    (void)pthread_mutex_destroy(&starter->lock);
    free(starter);
}

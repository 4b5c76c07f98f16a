/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices and serial lines, and communication with all kinds of peers: see peer.h. Every descriptor is
 * non-blocking; calls that wait use poll. */
#define _GNU_SOURCE
#include "base/world/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "base/parse.h"

uint64_t wtl_peer_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int wtl_peer_poll(int fd, short events, uint64_t deadline_ns)
{
    for (;;) {
        uint64_t now_ns = wtl_peer_now();
        uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
        struct timespec left = {.tv_sec = (time_t)(left_ns / 1000000000u),
                                .tv_nsec = (long)(left_ns % 1000000000u)};
        struct pollfd one = {.fd = fd, .events = events};
        int count = ppoll(&one, 1, &left, NULL);
        if (count > 0)
            return one.revents & POLLNVAL ? -EBADF : 0;
        if (count < 0 && errno != EINTR)
            return -errno;
        if (count == 0 && left_ns == 0)
            return -ETIMEDOUT;
    }
}

static const struct {
    uint64_t baud;
    speed_t speed;
} speeds[] = {
    {300, B300},       {600, B600},       {1200, B1200},     {2400, B2400},   {4800, B4800},
    {9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600}, {115200, B115200},
    {230400, B230400}, {460800, B460800}, {921600, B921600},
};

/* Convert "9600" and "8N1" to flags: 0 or -EINVAL. */
static int parse_line(const char *baud, const char *mode, struct termios *line)
{
    uint64_t number;
    size_t i = 0, count = sizeof speeds / sizeof *speeds;
    if (wtl_parse_u64(baud, &number) < 0 || strlen(mode) != 3 || !strchr("78", mode[0]) ||
        !strchr("NEO", mode[1]) || !strchr("12", mode[2]))
        return -EINVAL;
    while (i < count && speeds[i].baud != number)
        i++;
    if (i == count)
        return -EINVAL;
    cfmakeraw(line);
    line->c_cflag &= ~(tcflag_t)(CSIZE | PARENB | PARODD | CSTOPB | CRTSCTS | HUPCL);
    line->c_cflag |= CLOCAL | CREAD | (mode[0] == '7' ? CS7 : CS8) | (mode[1] == 'N' ? 0 : PARENB) |
                     (mode[1] == 'O' ? PARODD : 0) | (mode[2] == '2' ? CSTOPB : 0);
    line->c_cc[VMIN] = 1;
    line->c_cc[VTIME] = 0;
    return cfsetspeed(line, speeds[i].speed) < 0 ? -EINVAL : 0;
}

/* Configure the line as requested, or -EINVAL if the device does not support it. Data in its buffers is
 * discarded as old. */
static int set_line(int fd, const char *baud, const char *mode)
{
    struct termios wanted, got;
    if (tcgetattr(fd, &wanted) < 0)
        return -errno;
    int rc = parse_line(baud, mode, &wanted);
    if (rc < 0)
        return rc;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) /* another process would receive our answers */
        return errno == EWOULDBLOCK ? -EBUSY : -errno;
    if (tcsetattr(fd, TCSANOW, &wanted) < 0 || tcgetattr(fd, &got) < 0 ||
        tcflush(fd, TCIOFLUSH) < 0)
        return -errno;
    return got.c_cflag == wanted.c_cflag && cfgetispeed(&got) == cfgetispeed(&wanted) ? 0 : -EINVAL;
}

static int open_device(const char *path)
{
    int fd;
    do
        fd = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

static int open_line(const char *address)
{
    char path[PATH_MAX];
    size_t n = strlen(address);
    if (n >= sizeof path)
        return -ENAMETOOLONG;
    memcpy(path, address, n + 1);
    char *mode = strrchr(path, ':'), *baud = NULL;
    if (mode) {
        *mode++ = '\0';
        baud = strrchr(path, ':');
    }
    if (!baud || path[0] != '/')
        return -EINVAL;
    *baud++ = '\0';
    int fd = open_device(path), rc = fd < 0 ? fd : set_line(fd, baud, mode);
    if (fd >= 0 && rc < 0)
        (void)close(fd); /* nothing was sent */
    return rc < 0 ? rc : fd;
}

int wtl_peer_connect(const struct wtl_world *world, const char *address, uint64_t deadline_ns)
{
    (void)world;
    if (address[0] == '/')
        return open_device(address);
    return strncmp(address, "tty:", 4) == 0 ? open_line(address + 4)
                                            : wtl_peer_socket(address, deadline_ns);
}

/* After -EAGAIN: a device may report readiness repeatedly without data, but not beyond the deadline. */
static int again(int fd, short events, uint64_t deadline_ns)
{
    return wtl_peer_now() < deadline_ns ? wtl_peer_poll(fd, events, deadline_ns) : -ETIMEDOUT;
}

int wtl_peer_send(const struct wtl_world *world,
                  int fd,
                  const void *data,
                  size_t n,
                  uint64_t deadline_ns)
{
    const char *at = data;
    (void)world;
    while (n > 0) {
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == ENOTSOCK)
            sent = write(fd, at, n); /* a device: no SIGPIPE */
        int rc = sent > 0 ? 0 : sent == 0 ? -EIO : -errno;
        if (rc == -EAGAIN)
            rc = again(fd, POLLOUT, deadline_ns);
        if (rc < 0 && rc != -EINTR)
            return rc;
        at += sent > 0 ? sent : 0;
        n -= sent > 0 ? (size_t)sent : 0;
    }
    return 0;
}

/* recv(2), or read(2) if it is not a socket. */
static ssize_t receive_some(int fd, void *buf, size_t n)
{
    struct iovec part = {.iov_base = buf, .iov_len = n};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT);
    if (got < 0 && errno == ENOTSOCK)
        got = read(fd, buf, n);
    if (got < 0)
        return -errno;
    return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : got;
}

ssize_t wtl_peer_recv(const struct wtl_world *world,
                      int fd,
                      void *buf,
                      size_t n,
                      uint64_t deadline_ns)
{
    (void)world;
    for (;;) {
        ssize_t got = receive_some(fd, buf, n);
        int rc = got == -EAGAIN ? again(fd, POLLIN, deadline_ns) : 0;
        if (rc < 0)
            return rc;
        if (got != -EAGAIN && got != -EINTR)
            return got;
    }
}

int wtl_peer_wait(const struct wtl_world *world, int fd, uint64_t deadline_ns)
{
    (void)world;
    return wtl_peer_poll(fd, POLLIN, deadline_ns);
}

/* Write the addresses of the parts into the block, or zeros: 0, -EINVAL if one is outside the block. */
static int point(const struct wtl_ioctl *call, bool at_parts)
{
    for (size_t i = 0; i < call->part_count; i++) {
        const struct wtl_ioctl_part *part = &call->parts[i];
        void *pointer = at_parts ? part->data : NULL;
        if (call->size < sizeof pointer || part->at > call->size - sizeof pointer)
            return -EINVAL;
        memcpy((char *)call->block + part->at, &pointer, sizeof pointer);
    }
    return 0;
}

int wtl_peer_ioctl(const struct wtl_world *world, int fd, const struct wtl_ioctl *call)
{
    (void)world;
    int result = point(call, true);
    if (result == 0) {
        do
            result = ioctl(fd, call->request, call->block);
        while (result < 0 && errno == EINTR);
        result = result < 0 ? -errno : result;
    }
    (void)point(call, false);
    return result;
}

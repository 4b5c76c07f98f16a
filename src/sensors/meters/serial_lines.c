/* SPDX-License-Identifier: BSD-3-Clause */
#include "sensors/meters/serial_lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint64_t SECOND_NS = 1000000000;

int wtl_serial_init(struct wtl_serial_lines *serial,
                    const char *address,
                    const char *line,
                    const char *greeting,
                    char end)
{
    *serial = (struct wtl_serial_lines){.fd = -1, .greeting = greeting, .end = end};
    bool device = address[0] == '/';
    int n = snprintf(serial->address, sizeof serial->address, "%s%s%s%s", device ? "tty:" : "",
                     address, device ? ":" : "", device ? line : "");
    return address[0] == '\0' || n < 0 || (size_t)n >= sizeof serial->address ? -EINVAL : 0;
}

static void hang_up(const struct wtl_world *world, struct wtl_serial_lines *serial, int error)
{
    if (serial->fd >= 0)
        world->ops->close(world, serial->fd);
    serial->fd = -1;
    serial->error = error;
    serial->used = serial->next = 0;
    serial->skipping = false;
    serial->retry_ns = wtl_world_monotonic(world) + SECOND_NS;
}

int wtl_serial_connect(const struct wtl_world *world, struct wtl_serial_lines *serial)
{
    uint64_t deadline_ns = wtl_world_monotonic(world) + SECOND_NS;
    int fd = wtl_world_connect(world, serial->address, deadline_ns), rc = fd < 0 ? fd : 0;
    if (fd >= 0) {
        serial->fd = fd;
        rc = world->ops->send(world, fd, serial->greeting, strlen(serial->greeting), deadline_ns);
    }
    if (rc < 0)
        hang_up(world, serial, rc);
    return rc;
}

void wtl_serial_close(const struct wtl_world *world, struct wtl_serial_lines *serial)
{
    hang_up(world, serial, 0);
}

/* A line that is complete in the text: 1, -EBADMSG, or 0 = none. */
static int take_line(struct wtl_serial_lines *serial, const char **ret_line)
{
    char *from = serial->text + serial->next, *to = serial->text + serial->used;
    char *end = memchr(from, serial->end, (size_t)(to - from));
    if (!end)
        return 0;
    serial->next = (size_t)(end + 1 - serial->text);
    bool skipped = serial->skipping;
    serial->skipping = false;
    if (skipped || end - from >= WTL_SERIAL_LINE)
        return -EBADMSG;
    for (char *c = from; c < end; c++)
        *c = *c != '\0' ? *c : '?';
    *end = '\0';
    *ret_line = from;
    return 1;
}

/* Receive more: 0, or -errno. */
static int receive(const struct wtl_world *world,
                   struct wtl_serial_lines *serial,
                   uint64_t deadline_ns)
{
    memmove(serial->text, serial->text + serial->next, serial->used - serial->next);
    serial->used -= serial->next;
    serial->next = 0;
    if (serial->used >= WTL_SERIAL_LINE) {
        serial->skipping = true;
        serial->used = 0;
    }
    ssize_t n = world->ops->recv(world, serial->fd, serial->text + serial->used,
                                 sizeof serial->text - serial->used, deadline_ns);
    if (n <= 0)
        return n < 0 ? (int)n : -ENODEV;
    serial->used += (size_t)n;
    serial->bytes += (uint64_t)n;
    return 0;
}

int wtl_serial_next(const struct wtl_world *world,
                    struct wtl_serial_lines *serial,
                    uint64_t deadline_ns,
                    const char **ret_line)
{
    if (serial->fd < 0) {
        if (wtl_world_monotonic(world) < serial->retry_ns)
            return 0;
        int rc = wtl_serial_connect(world, serial);
        if (rc < 0)
            return rc;
    }
    for (;;) {
        int rc = take_line(serial, ret_line);
        if (rc != 0)
            return rc;
        rc = receive(world, serial, deadline_ns);
        if (rc == -ETIMEDOUT || rc == -EINTR || rc == -EAGAIN)
            return 0;
        if (rc < 0) {
            rc = rc == -EIO ? -ENODEV : rc; /* what the kernel says once a USB adapter is gone */
            hang_up(world, serial, rc);
            return rc;
        }
    }
}

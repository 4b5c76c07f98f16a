/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions to a pmlib server: see pm_ask.h. */
#define _GNU_SOURCE
#include "sensors/meters/pm_ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { REPLY_MAX = 1 << 20, REPLY_MIN = 4096 };

static int send_request(const struct wtl_world *world,
                        const char *address,
                        uint64_t deadline_ns,
                        const struct wtl_pm_request *request)
{
    uint8_t bytes[WTL_PM_REQUEST_MAX];
    size_t n = wtl_pm_request_write(request, bytes);
    int fd = wtl_world_connect(world, address, deadline_ns);
    if (fd < 0)
        return fd;
    int rc = world->ops->send(world, fd, bytes, n, deadline_ns);
    if (rc == 0)
        return fd;
    world->ops->close(world, fd);
    return rc;
}

/* A request and its whole reply, up to the end of the connection: malloc'ed bytes, their number in *ret_n. What has come before
 * the deadline counts if the server does not close. */
static int ask(const struct wtl_world *world,
               const char *address,
               uint64_t deadline_ns,
               const struct wtl_pm_request *request,
               uint8_t **ret_bytes,
               size_t *ret_n)
{
    size_t room = REPLY_MIN, used = 0;
    uint8_t *bytes = malloc(room);
    int fd = bytes ? send_request(world, address, deadline_ns, request) : -ENOMEM;
    ssize_t got = fd < 0 ? fd : 1;
    while (got > 0 && used < REPLY_MAX) {
        if (used == room && wtl_reserve(&bytes, &room, used + REPLY_MIN, 1) < 0) {
            got = -ENOMEM;
            break;
        }
        got = world->ops->recv(world, fd, bytes + used, room - used, deadline_ns);
        used += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        world->ops->close(world, fd);
    if (got < 0 && (used == 0 || got == -ENOMEM)) {
        free(bytes);
        return (int)got;
    }
    *ret_bytes = bytes;
    *ret_n = used;
    return 0;
}

static struct wtl_pm_request request_of(enum wtl_pm_mark mark, const char *device)
{
    struct wtl_pm_request request = {.mark = (int32_t)mark};
    (void)snprintf(request.name, sizeof request.name, "%s", device);
    return request;
}

/* All bytes are there: more will not come. */
static int complete(int rc)
{
    return rc == -EAGAIN ? -EBADMSG : rc;
}

int wtl_pm_ask_list(const struct wtl_world *world,
                    const char *address,
                    uint64_t deadline_ns,
                    char (*names)[WTL_PM_TEXT],
                    size_t most,
                    enum wtl_pm_dialect *ret_dialect)
{
    const struct wtl_pm_request request = request_of(WTL_PM_LIST, "");
    struct wtl_pm_reader from = {.used = 0};
    uint8_t *bytes;
    size_t count = 0;
    int rc = ask(world, address, deadline_ns, &request, &bytes, &from.size);
    if (rc < 0)
        return rc;
    from.at = bytes;
    do
        rc = wtl_pm_list_next(&from, names[count], ret_dialect);
    while (rc > 0 && ++count < most);
    free(bytes);
    return rc < 0 ? rc : (int)count;
}

int wtl_pm_ask_info(const struct wtl_world *world,
                    const char *address,
                    uint64_t deadline_ns,
                    const char *device,
                    struct wtl_pm_device *ret_device)
{
    const struct wtl_pm_request request = request_of(WTL_PM_INFO, device);
    struct wtl_pm_reader from = {.used = 0};
    uint8_t *bytes;
    int rc = ask(world, address, deadline_ns, &request, &bytes, &from.size);
    if (rc < 0)
        return rc;
    from.at = bytes;
    rc = complete(wtl_pm_info_read(&from, ret_device));
    free(bytes);
    return rc;
}

int wtl_pm_ask_lines(const struct wtl_world *world,
                     const char *address,
                     uint64_t deadline_ns,
                     const char *device,
                     void (*take)(void *context, const struct wtl_pm_line *line),
                     void *context)
{
    const struct wtl_pm_request request = request_of(WTL_PM_STATUS, "");
    struct wtl_pm_reader from = {.used = 0};
    uint8_t *bytes;
    int rc = ask(world, address, deadline_ns, &request, &bytes, &from.size);
    if (rc < 0)
        return rc;
    from.at = bytes;
    rc = complete(wtl_pm_status_read(&from, device, take, context));
    free(bytes);
    return rc;
}

int wtl_pm_ask_stream(const struct wtl_world *world,
                      const char *address,
                      uint64_t deadline_ns,
                      const char *device,
                      int frequency)
{
    struct wtl_pm_request request = request_of(WTL_PM_READ, device);
    uint8_t status[4];
    size_t used = 0;
    int32_t code = 0;
    request.frequency = frequency;
    int fd = send_request(world, address, deadline_ns, &request);
    if (fd < 0)
        return fd;
    ssize_t got = 1;
    while (got > 0 && used < sizeof status) {
        got = world->ops->recv(world, fd, status + used, sizeof status - used, deadline_ns);
        used += got > 0 ? (size_t)got : 0;
    }
    memcpy(&code, status, used == sizeof status ? sizeof code : 0);
    if (used == sizeof status && code == 0)
        return fd;
    world->ops->close(world, fd);
    return got < 0                   ? (int)got
           : used < sizeof status    ? -ECONNRESET
           : code == WTL_PM_TOO_FAST ? -ERANGE
                                     : -ENODEV;
}

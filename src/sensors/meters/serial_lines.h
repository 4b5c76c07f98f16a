/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines from a serial meter: connects, cuts what comes into lines, and connects again, once a second, after the cable was pulled.
 * Which lines are good is up to the caller. Allocates nothing.
 */
#ifndef WTL_SENSORS_SERIAL_LINES_H
#define WTL_SENSORS_SERIAL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/world/world.h"

enum { WTL_SERIAL_LINE = 512 }; /* longest line, with its NUL */

struct wtl_serial_lines {
    char address[160];
    const char *greeting; /* sent whenever it connects; borrowed */
    char end;             /* of a line */
    int fd;               /* -1 = not connected */
    int error;            /* why not */
    uint64_t retry_ns;
    char text[1024];
    size_t used, next; /* bytes in text; start of what was not yet handed out */
    bool skipping;     /* in a line that is too long */
    uint64_t bytes;    /* received in total */
};

/* Set the address: "/dev/ttyUSB0" (at `line`, such as "115200:8N1") or an address of the world. -EINVAL: none, or too long. */
int wtl_serial_init(struct wtl_serial_lines *serial,
                    const char *address,
                    const char *line,
                    const char *greeting,
                    char end);

/* Connect now. Returns 0 or -errno. */
int wtl_serial_connect(const struct wtl_world *world, struct wtl_serial_lines *serial);

/*
 * The next line without its end, NUL-terminated, valid until the next call; zeros in it become '?'. Waits for it until
 * deadline_ns; a deadline in the past takes what is there. Returns 1; 0 = none by then; -EBADMSG for a line that was too long, of which nothing
 * is kept; another -errno while there is no connection, once for each reason and attempt.
 */
int wtl_serial_next(const struct wtl_world *world,
                    struct wtl_serial_lines *serial,
                    uint64_t deadline_ns,
                    const char **ret_line);
void wtl_serial_close(const struct wtl_world *world, struct wtl_serial_lines *serial);

#endif

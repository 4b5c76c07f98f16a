/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's configuration, from a file or unpacked from /proc: see kernel_config.h. */
#include "cli/doctor/kernel_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <zlib.h>

enum { TEXT_MAX = 4 << 20, GZIP = 16 + MAX_WBITS };

/* n bytes of gzip into text that ends in NUL. */
static ssize_t unpack(char *packed, size_t n, char **ret_text)
{
    z_stream stream = {.next_in = (Bytef *)packed, .avail_in = (uInt)n};
    char *text = malloc(TEXT_MAX + 1);
    if (!text || inflateInit2(&stream, GZIP) != Z_OK) {
        free(text);
        return -ENOMEM;
    }
    stream.next_out = (Bytef *)text;
    stream.avail_out = TEXT_MAX;
    int rc = inflate(&stream, Z_FINISH);
    size_t length = TEXT_MAX - stream.avail_out;
    (void)inflateEnd(&stream); /* frees; says nothing new */
    if (rc != Z_STREAM_END) {
        free(text);
        return -EBADMSG;
    }
    text[length] = '\0';
    *ret_text = text;
    return (ssize_t)length;
}

ssize_t wtl_kernel_config(const struct wtl_world *world, char **ret_text)
{
    struct utsname name;
    char path[128], *packed;
    if (world->ops->uname(world, &name) < 0)
        return -ENOENT;
    (void)snprintf(path, sizeof path, "/boot/config-%.80s", name.release);
    ssize_t n = wtl_world_slurp(world, path, ret_text);
    if (n >= 0 || n == -ENOMEM)
        return n;
    n = wtl_world_slurp(world, "/proc/config.gz", &packed);
    if (n < 0)
        return n == -ENOMEM ? n : -ENOENT;
    n = unpack(packed, (size_t)n, ret_text);
    free(packed);
    return n;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Write errors, reported once: see flush.h. */
#include "base/flush.h"

#include <errno.h>
#include <stdatomic.h>

#include "base/fail.h"

static atomic_bool closed;

bool wtl_pipe_closed(void)
{
    return atomic_load(&closed);
}

int wtl_flush(FILE *out, struct wattle_error *err)
{
    errno = 0;
    if (ferror(out)) /* the buffer may be empty by now: write one more byte to get the reason
                        again */
        (void)fputc('\n', out);
    if (fflush(out) == 0 && !ferror(out))
        return 0;
    int code = errno ? -errno : -EIO;
    if (code == -EPIPE)
        atomic_store(&closed, true);
    if (errno == 0) /* an earlier write failed, and its errno was lost */
        return wtl_fail(err, code,
                        "not completely written (full disk, quota, or file size limit); free "
                        "space, or write elsewhere");
    const char *remedy = code == -ENOSPC  ? "; free space, or write elsewhere"
                         : code == -EPIPE ? "; the reader closed the pipe"
                                          : "";
    return wtl_fail(err, code, "%s%s", wtl_strerror(code), remedy);
}

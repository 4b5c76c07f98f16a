/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream that failed at any time reports it at the end, with a remedy. */
#define _GNU_SOURCE
#include "base/flush.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "tap.h"

int main(void)
{
    struct wattle_error err = {""};
    int ends[2];
    FILE *good = tmpfile(), *full = fopen("/dev/full", "w");
    fputs("x", good);
    is_int(wtl_flush(good, &err), 0, "what can be written");
    is_str(err.text, "", "needs no words");
    fclose(good);
    if (full) {
        fputs("x", full);
        is_int(wtl_flush(full, &err), -ENOSPC, "a full disk");
        ok(strstr(err.text, "free space"), "and what helps: %s", err.text);
        fclose(full);
        full = fopen("/dev/full", "w");
        (void)setvbuf(full, NULL, _IONBF, 0);
        fputs("x", full);
        is_int(wtl_flush(full, &err), -ENOSPC, "a write that failed before, with its reason");
        ok(strstr(err.text, "free space") && !strstr(err.text, "Input"), "what it was: %s",
           err.text);
        fclose(full);
    } else {
        skip("no /dev/full here");
    }
    signal(SIGPIPE, SIG_IGN);
    if (ok(pipe(ends) == 0, "a pipe")) {
        FILE *out = fdopen(ends[1], "w");
        close(ends[0]);
        fputs("x", out);
        is_int(wtl_flush(out, &err), -EPIPE, "a reader that has gone away");
        ok(wtl_flush(out, NULL) < 0, "is told again, also to whom wants no words");
        fclose(out);
    }
    return done_testing();
}

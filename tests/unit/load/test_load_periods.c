/* SPDX-License-Identifier: BSD-3-Clause */
/* On and off times of a load from a file; what is wrong with a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "load/load_periods.h"

#include "tap.h"

static int read_text(const char *text, struct wtl_load_period **ret, struct wattle_error *err)
{
    char path[] = "/tmp/wattle-periods-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        exit(1);
    (void)close(fd);
    int rc = wtl_load_periods_read(path, ret, err);
    (void)unlink(path);
    return rc;
}

int main(void)
{
    static const char *const bad[] = {"",           "0 1\n",       "0 1\n1\n",     "0 1\n0 0\n",
                                      "1 1\n0 0\n", "-1 1\n2 0\n", "0 1 x\n2 0\n", "nan 1\n2 0\n"};
    struct wtl_load_period *periods;
    struct wattle_error err = {""};
    if (is_int(read_text("0 0\n0.5 1\n0.75 0\n", &periods, &err), 3, "three lines: %s", err.text)) {
        ok(!periods[0].on && periods[1].on && !periods[2].on, "off, on, off");
        is_double(periods[1].from_s, 0.5, 1e-12, "from half a second on");
    }
    free(periods);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        is_int(read_text(bad[i], &periods, &err), -EBADMSG, "refused: %s", err.text);
    is_int(wtl_load_periods_read("/nonexistent/file", &periods, &err), -ENOENT, "%s", err.text);
    return done_testing();
}

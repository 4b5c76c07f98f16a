/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress: on a terminal only, not before 2 s, with the time left, and gone at the end. */
#define _GNU_SOURCE
#include "cli/run/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/world/world.h"
#include "tap.h"

static int master = -1, real_stderr = -1;

/* What reached the terminal since the last look. */
static const char *seen(void)
{
    static char text[4096];
    ssize_t n = read(master, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static bool open_terminal(void)
{
    struct termios mode;
    master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
        return false;
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0 || tcgetattr(slave, &mode) < 0)
        return false;
    cfmakeraw(&mode);
    (void)tcsetattr(slave, TCSANOW, &mode);
    real_stderr = dup(STDERR_FILENO);
    return dup2(slave, STDERR_FILENO) >= 0;
}

int main(void)
{
    struct wtl_progress progress;
    if (!open_terminal())
        skip_all("no terminal here");
    (void)setenv("TERM", "xterm", 1);

    wtl_progress_begin(&progress, true, false);
    wtl_progress_step(&progress, "nodes", 1, 300);
    wtl_progress_clear(&progress);
    is_str(seen(), "", "nothing before 2 s, and nothing to clear");

    uint64_t now_ns = wtl_world_monotonic(wtl_world_real());
    progress.begin_ns = progress.step_ns = now_ns - 10000000000;
    wtl_progress_step(&progress, "nodes", 100, 300);
    is_str(seen(), "\r\033[Knodes: 100 of 300, about 20 s left", "what is done, and the time left");
    wtl_progress_step(&progress, "nodes", 101, 300);
    is_str(seen(), "", "not more often than can be read");
    progress.next_ns = 0;
    wtl_progress_step(&progress, "copied", 0, 3);
    is_str(seen(), "\r\033[Kcopied: 0 of 3", "a new step has a time of its own");
    progress.next_ns = 0;
    wtl_progress_step(&progress, "reading", 50000000, 200000000);
    ok(strstr(seen(), "reading: 25 %") != NULL, "bytes in percent");
    progress.next_ns = 0;
    wtl_progress_step(&progress, "result", 0, 0);
    is_str(seen(), "\r\033[Kresult ...", "an unknown part");
    wtl_progress_clear(&progress);
    is_str(seen(), "\r\033[K", "gone at the end");
    wtl_progress_clear(&progress);
    is_str(seen(), "", "once");

    (void)setenv("TERM", "dumb", 1);
    wtl_progress_begin(&progress, true, false);
    ok(!progress.shown, "not on a terminal that cannot move its cursor");
    (void)dup2(real_stderr, STDERR_FILENO);
    (void)setenv("TERM", "xterm", 1);
    wtl_progress_begin(&progress, false, false);
    ok(!progress.shown, "not if it is not wanted");
    int file = open("progress.err", O_RDWR | O_CREAT | O_TRUNC, 0666);
    (void)dup2(file, STDERR_FILENO);
    wtl_progress_begin(&progress, true, false);
    ok(!progress.shown, "not into a file");
    progress.begin_ns = 1;
    wtl_progress_step(&progress, "nodes", 1, 300);
    wtl_progress_clear(&progress);
    is_int(lseek(file, 0, SEEK_END), 0, "which stays empty");
    (void)dup2(real_stderr, STDERR_FILENO);
    return done_testing();
}

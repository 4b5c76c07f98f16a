/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/ending.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Those of the three signals that the parent did not set to be ignored, as nohup does with HUP. A
 * blocked signal becomes pending even if it is ignored, so those must be excluded here. */
static sigset_t ends(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void)sigaddset(&set, numbers[i]);
    }
    return set;
}

void wtl_ending_with_parent(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        (void)raise(SIGTERM);
}

void wtl_ending_block(void)
{
    sigset_t set = ends();
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static uint64_t now_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int wtl_ending_wait(uint64_t ns)
{
    sigset_t set = ends();
    uint64_t start = now_ns();
    for (uint64_t past = 0; past < ns; past = now_ns() - start) {
        struct timespec left = {.tv_sec = (time_t)((ns - past) / 1000000000u),
                                .tv_nsec = (long)((ns - past) % 1000000000u)};
        int number = sigtimedwait(&set, NULL, &left);
        if (number > 0)
            return number;
    }
    return 0;
}

void wtl_ending_leave(int number)
{
    if (number) {
        sigset_t set = ends();
        (void)signal(number, SIG_DFL);
        (void)raise(number);
        (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    }
    _exit(0);
}

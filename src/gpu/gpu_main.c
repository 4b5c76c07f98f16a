/* SPDX-License-Identifier: BSD-3-Clause */
/* wattle-gpu: asks one vendor's library, on behalf of the drivers in src/sensors/gpu. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpu/gpu_serve.h"

enum { FAILED = 1, USAGE = 2, RELEASE_S = 20 };

static volatile sig_atomic_t release;

static void on_release(int signal)
{
    (void)signal;
    release = 1;
}

static const struct wtl_gpu_backend *const backends[] = {&wtl_gpu_nvml, &wtl_gpu_rocm,
                                                         &wtl_gpu_levelzero, NULL};

static const struct wtl_gpu_backend *find(const char *name)
{
    for (const struct wtl_gpu_backend *const *at = backends; *at; at++) {
        if (strcmp((*at)->name, name) == 0)
            return *at;
    }
    return NULL;
}

/* Libraries print to the standard streams; what they print must not become part of an answer. */
static int take_stream(int stream, int flags)
{
    int mine = fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int null = open("/dev/null", flags | O_CLOEXEC);
    if (mine < 0 || null < 0 || dup2(null, stream) < 0)
        return -1;
    (void)close(null); /* nothing was written */
    return mine;
}

static const char usage[] =
    "Usage: wattle-gpu nvml|rocm|levelzero [LIBRARY]\n"
    "Answers requests about GPUs from standard input; started by wattle. See wattle-gpu(1).\n";

static int serve(const struct wtl_gpu_backend *backend, const char *library)
{
    const struct sigaction on = {.sa_handler = on_release};
    sigset_t blocked;
    (void)sigemptyset(&blocked); /* these two cannot fail */
    (void)sigaddset(&blocked, SIGUSR1);
    if (sigprocmask(SIG_BLOCK, &blocked, NULL) < 0 || sigaction(SIGUSR1, &on, NULL) < 0 ||
        signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        return FAILED;
    int in = take_stream(STDIN_FILENO, O_RDONLY), out = take_stream(STDOUT_FILENO, O_WRONLY);
    if (in < 0 || out < 0)
        return FAILED;
    return wtl_gpu_serve(backend, library, in, out, RELEASE_S, &release) < 0 ? FAILED : 0;
}

static int print_text(const char *text, FILE *out, int status)
{
    return fputs(text, out) < 0 || fflush(out) != 0 ? FAILED : status;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    const struct wtl_gpu_backend *backend = find(word);
    if (backend && argc <= 3)
        return serve(backend, argc == 3 ? argv[2] : NULL);
    if (argc == 2 && strcmp(word, "--version") == 0)
        return print_text("wattle-gpu " WATTLE_VERSION "\n", stdout, 0);
    if (argc == 2 && strcmp(word, "--help") == 0)
        return print_text(usage, stdout, 0);
    return print_text(usage, stderr, USAGE);
}

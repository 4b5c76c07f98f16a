/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fake vendor libraries read the GPUs of the simulated node from its files: what is common to them. Each includes this once;
 * it depends on nothing else of wattle, since it is loaded into any program.
 */
#ifndef WTL_SIM_GPU_FAKE_H
#define WTL_SIM_GPU_FAKE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { FAKE_GPUS = 16, FAKE_TEXT = 768 };

/* A folder with the same files may stand in for the node, for tests without one. */
static inline const char *fake_root(void)
{
    const char *root = getenv("WATTLE_SIM_GPUS");
    return root ? root : "/sys/wattle-sim/gpu";
}

/* The text of a file, without the line end: its length, or -errno. */
static inline int fake_read(const char *path, char text[FAKE_TEXT])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, text, FAKE_TEXT - 1);
    int error = errno;
    (void)close(fd);
    if (n < 0 && error == EFAULT)
        __builtin_trap(); /* the fault "crash" */
    if (n < 0)
        return -error;
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    return (int)n;
}

/* A file of a GPU. -ENODEV: the GPU is lost; -ENOENT: it has no such value. */
static inline int fake_get(int gpu, const char *name, char text[FAKE_TEXT])
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%d/%s", fake_root(), gpu, name);
    int n = fake_read(path, text);
    if (n != -ENOENT)
        return n;
    (void)snprintf(path, sizeof path, "%s/%d/mig", fake_root(), gpu); /* one that each has */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -ENODEV;
    (void)close(fd);
    return -ENOENT;
}

static inline int fake_gpus(void)
{
    int n = 0;
    for (char path[256]; n < FAKE_GPUS; n++) {
        struct stat about;
        (void)snprintf(path, sizeof path, "%s/%d", fake_root(), n);
        if (stat(path, &about) < 0)
            break;
    }
    return n;
}

/* Domain, bus and device of "0000:17:00.0". */
static inline void fake_place(const char *pci, unsigned place[3])
{
    char *at = (char *)pci;
    for (size_t i = 0; i < 3; i++) {
        place[i] = (unsigned)strtoul(at, &at, 16);
        at += *at == ':';
    }
}

static inline bool fake_library_is(const char *word)
{
    char path[256], text[FAKE_TEXT];
    (void)snprintf(path, sizeof path, "%s/library", fake_root());
    return fake_read(path, text) >= 0 && strcmp(text, word) == 0;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* libwattle loaded and unloaded while it measures, as a plugin of a program may do: "loader LIBRARY". Then again: the
 * second one is a fresh library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void *symbol(void *library, const char *name, void *ret_function)
{
    void *address = dlsym(library, name);
    memcpy(ret_function, &address, sizeof address); /* ISO C has no cast from one to the other */
    return address;
}

static int once(const char *path)
{
    int (*init)(const void *);
    void (*begin)(const char *), (*end)(const char *);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("dlopen: %s\n", dlerror());
        return 1;
    }
    if (!symbol(library, "wattle_init", &init) ||
        !symbol(library, "wattle_region_begin_name", &begin) ||
        !symbol(library, "wattle_region_end_name", &end))
        return 1;
    printf("init %d\n", init(NULL));
    begin("loaded");
    (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    end("loaded");
    printf("dlclose %d\n", dlclose(library));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2 || once(argv[1]) != 0 || once(argv[1]) != 0)
        return 1;
    (void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL); /* no thread is left */
    printf("done\n");
    return 0;
}

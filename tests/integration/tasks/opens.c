/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is not OpenMP itself and opens a library that is: 15 tasks. */
#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*run)(void);

    if (!library)
        return 1;
    *(void **)&run = dlsym(library, "run");
    if (!run)
        return 1;
    run();
    return 0;
}

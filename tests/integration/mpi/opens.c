/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that opens its MPI module itself, like Python and Julia: opens FILE.so, which contains the main of work. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = handle ? dlsym(handle, "main") : NULL;
    int (*work)(int argc, char **argv);

    if (!symbol) {
        (void)fprintf(stderr, "opens: %s\n", dlerror());
        return 1;
    }
    memcpy(&work, &symbol, sizeof(work));
    return work(1, argv);
}

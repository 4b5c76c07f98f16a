/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool for OpenMP: says on standard output that it was started. */
#include <stdint.h>
#include <stdio.h>

struct result {
    int (*initialize)(void *lookup, int device, uint64_t *data);
    void (*finalize)(uint64_t *data);
    uint64_t data;
};

struct result *ompt_start_tool(unsigned version, const char *runtime);

static int initialize(void *lookup, int device, uint64_t *data)
{
    (void)lookup;
    (void)device;
    (void)data;
    (void)printf("other tool\n");
    return 1;
}

static void finalize(uint64_t *data)
{
    (void)data;
}

struct result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct result result = {initialize, finalize, 0};

    (void)version;
    (void)runtime;
    return &result;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Does what Kokkos does with a tool: opens the library named in KOKKOS_TOOLS_LIBS, looks up the callbacks and calls
 * those that exist, with the prototypes published by Kokkos Tools. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct space {
    char name[64];
};
struct settings {
    bool requires_global_fencing;
    bool padding[255];
};

static void (*init)(const int, const uint64_t, const uint32_t, void *);
static void (*finalize)(void);
static void (*settings)(const uint32_t, struct settings *);
static void (*begin[4])(const char *, const uint32_t, uint64_t *);
static void (*end[4])(const uint64_t);
static void (*push)(const char *);
static void (*pop)(void);
static void (*create)(const char *, uint32_t *);
static void (*section[3])(const uint32_t);
static void (*mark)(const char *);
static void (*begin_copy)(struct space,
                          const char *,
                          const void *,
                          struct space,
                          const char *,
                          const void *,
                          uint64_t);
static void (*end_copy)(void);

static void *tool;

static void find(const char *name, void *function)
{
    void *found = dlsym(tool, name);

    if (!found) {
        printf("no %s\n", name);
        exit(3);
    }
    memcpy(function, &found, sizeof found);
}

static void find_all(void)
{
    static const char *const kinds[4] = {"parallel_for", "parallel_reduce", "parallel_scan",
                                         "fence"};
    static const char *const sections[3] = {"start", "stop", "destroy"};
    char name[64];

    find("kokkosp_init_library", &init);
    find("kokkosp_finalize_library", &finalize);
    find("kokkosp_request_tool_settings", &settings);
    for (int i = 0; i < 4; i++) {
        (void)snprintf(name, sizeof name, "kokkosp_begin_%s", kinds[i]);
        find(name, &begin[i]);
        (void)snprintf(name, sizeof name, "kokkosp_end_%s", kinds[i]);
        find(name, &end[i]);
    }
    for (int i = 0; i < 3; i++) {
        (void)snprintf(name, sizeof name, "kokkosp_%s_profile_section", sections[i]);
        find(name, &section[i]);
    }
    find("kokkosp_push_profile_region", &push);
    find("kokkosp_pop_profile_region", &pop);
    find("kokkosp_create_profile_section", &create);
    find("kokkosp_profile_event", &mark);
    find("kokkosp_begin_deep_copy", &begin_copy);
    find("kokkosp_end_deep_copy", &end_copy);
}

static void *kernels(void *unused)
{
    static const char *const names[4] = {"axpy", "dot", "prefix", "Kokkos::fence"};

    (void)unused;
    for (int i = 0; i < 100; i++)
        for (int kind = 0; kind < 4; kind++) {
            uint64_t handle = 12345;

            begin[kind](names[kind], 0, &handle);
            end[kind](handle);
        }
    return NULL;
}

int main(void)
{
    struct space host = {"Host"}, device = {"Cuda"};
    char functor[400];
    uint64_t handle;
    uint32_t id;
    struct settings wanted = {.requires_global_fencing = false};
    pthread_t other;

    tool = dlopen(getenv("KOKKOS_TOOLS_LIBS"), RTLD_NOW | RTLD_GLOBAL);
    if (!tool) {
        printf("%s\n", dlerror());
        return 2;
    }
    find_all();
    init(0, 20211015, 1, NULL);
    settings(1, &wanted);
    printf("fences: %s\n", wanted.requires_global_fencing ? "yes" : "no");
    (void)kernels(NULL);
    if (pthread_create(&other, NULL, kernels, NULL) != 0)
        return 2;
    (void)pthread_join(other, NULL);
    for (int i = 0; i < 100; i++) /* deeper than the capacity */
        push("nest");
    for (int i = 0; i < 100; i++)
        pop();
    pop(); /* one too many */
    push("outer");
    begin_copy(device, "x", NULL, host, "y", NULL, 800);
    end_copy();
    pop();
    create("section", &id);
    section[0](id);
    section[1](id);
    section[2](id);
    mark("checkpoint");
    mark("checkpoint");
    memset(functor, 'F', sizeof functor - 1);
    functor[sizeof functor - 1] = '\0';
    begin[0](functor, 0, &handle); /* two names that differ only in the last letter */
    end[0](handle);
    functor[sizeof functor - 2] = 'G';
    begin[0](functor, 0, &handle);
    end[0](handle);
    begin[0]("", 0, &handle);
    end[0](handle);
    end[0](UINT64_MAX); /* an invalid handle */
    finalize();
    return 0;
}

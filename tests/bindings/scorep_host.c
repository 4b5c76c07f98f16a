/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scorep_host PLUGIN TOKEN SECONDS: does what Score-P does with a metric plugin, in its order, with declarations of its own, and prints the
 * values as "NAME UNIT MODE TIME VALUE". The clock counts in units of 100 ns from 1000 on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As in Score-P's published header, where the enumerations are of int size. */
struct properties {
    char *name;
    char *description;
    int mode;
    int value_type;
    int base;
    int64_t exponent;
    char *unit;
};

struct pair {
    uint64_t timestamp;
    uint64_t value;
};

struct info {
    uint32_t plugin_version;
    int run_per;
    int sync;
    uint64_t delta_t;
    int32_t (*initialize)(void);
    void (*finalize)(void);
    struct properties *(*get_event_info)(char *);
    int32_t (*add_counter)(char *);
    uint64_t (*get_current_value)(int32_t);
    bool (*get_optional_value)(int32_t, uint64_t *);
    void (*set_clock_function)(uint64_t (*)(void));
    uint64_t (*get_all_values)(int32_t, struct pair **);
    void (*synchronize)(bool, int);
    uint64_t reserved[92];
};

static uint64_t ticks(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    static uint64_t first;
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    first = first ? first : ns;
    return 1000 + (ns - first) / 100;
}

int main(int argc, char **argv)
{
    struct info (*get)(void);
    void *library = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void *symbol = library ? dlsym(library, "SCOREP_MetricPlugin_wattle_plugin_get_info") : NULL;
    if (!symbol) {
        (void)fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    memcpy(&get, &symbol, sizeof get);
    struct info plugin = get();
    if (plugin.plugin_version > 1 || plugin.run_per != 2 || plugin.sync != 3 ||
        !plugin.initialize || !plugin.add_counter || !plugin.get_event_info || !plugin.finalize ||
        !plugin.get_all_values)
        return 3;
    plugin.set_clock_function(ticks);
    if (plugin.initialize() != 0)
        return 4;
    struct properties *list = plugin.get_event_info(argv[2]);
    int32_t ids[64], count = 0;
    for (; list[count].name && count < 64; count++)
        ids[count] = plugin.add_counter(list[count].name);
    plugin.synchronize(false, 0); /* of another thread */
    plugin.synchronize(true, 0);
    struct timespec rest = {(time_t)atof(argv[3]),
                            (long)((atof(argv[3]) - (double)(time_t)atof(argv[3])) * 1e9)};
    (void)nanosleep(&rest, NULL);
    plugin.synchronize(true, 2);
    for (int32_t i = 0; i < count; i++) {
        struct pair *pairs = NULL;
        uint64_t n = plugin.get_all_values(ids[i], &pairs);
        for (uint64_t k = 0; k < n; k++) {
            double value;
            memcpy(&value, &pairs[k].value, sizeof value);
            printf("%s %s %d %llu %.9g\n", list[i].name, list[i].unit, list[i].mode,
                   (unsigned long long)pairs[k].timestamp, value);
        }
        free(pairs);
        free(list[i].name);
        free(list[i].description);
        free(list[i].unit);
    }
    free(list);
    plugin.finalize();
    return count ? 0 : 5;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface of Score-P's metric plugins, version 1, as far as wattle uses it: names, order and types of the members are those of
 * Score-P's published interface, so that the plugin is built without Score-P. Hosts of version 0 have a larger structure with the same begin.
 */
#ifndef WATTLE_METRIC_ABI_H
#define WATTLE_METRIC_ABI_H

#include <stdbool.h>
#include <stdint.h>

enum { METRIC_VERSION = 1 };

/* Enumerations of int size. */
enum { METRIC_PER_THREAD = 0, METRIC_PER_PROCESS, METRIC_PER_HOST, METRIC_ONCE };
enum { METRIC_STRICTLY_SYNC = 0, METRIC_SYNC, METRIC_ASYNC_EVENT, METRIC_ASYNC };
enum { METRIC_VALUE_INT64 = 0, METRIC_VALUE_UINT64, METRIC_VALUE_DOUBLE };
enum { METRIC_BASE_BINARY = 0, METRIC_BASE_DECIMAL };
enum { METRIC_ACCUMULATED_START = 0, METRIC_ABSOLUTE_POINT = 4, METRIC_ABSOLUTE_LAST = 5 };
enum { METRIC_BEGIN = 0, METRIC_BEGIN_MPP, METRIC_END };

struct metric_properties {
    char *name; /* NULL: the end of a list */
    char *description;
    int mode, value_type, base;
    int64_t exponent;
    char *unit;
};

struct metric_pair {
    uint64_t time, value;
};

struct metric_plugin_info {
    uint32_t version;
    int run_per, sync;
    uint64_t delta_t;
    int32_t (*initialize)(void);
    void (*finalize)(void);
    struct metric_properties *(*get_event_info)(char *token);
    int32_t (*add_counter)(char *name);
    uint64_t (*get_current_value)(int32_t id);
    bool (*get_optional_value)(int32_t id, uint64_t *ret_value);
    void (*set_clock_function)(uint64_t (*clock)(void));
    uint64_t (*get_all_values)(int32_t id, struct metric_pair **ret_pairs);
    void (*synchronize)(bool is_responsible, int mode);
    uint64_t reserved[92];
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Where each source of a counter set is read: see count_plan.h. */
#include "counters/columns/count_plan.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

enum { NO_CODE = -1 };

/* One source. In paths, "%c" stands for the folder of the cgroup. */
struct known {
    const char *name, *about;
    enum wattle_quantity quantity;
    int software; /* event of perf for trees and cgroups; NO_CODE = none */
    enum wtl_count_feed machine, tree;
    const char *path, *word; /* of the machine */
    enum wtl_count_form form;
    unsigned field;
    uint64_t factor;
    enum wtl_tree_value tree_value;
    struct {
        const char *path, *word;
        enum wtl_count_form form;
        uint64_t factor;
    } cgroup[WTL_COUNT_WAYS];
};

#define NET  "/proc/net/dev"
#define DISK "/proc/diskstats"

static const struct known sources[] = {
    {.name = "cpu:task_clock",
     .about = "CPU time",
     .quantity = WATTLE_CPU_TIME,
     .software = NO_CODE,
     .machine = WTL_FEED_BUSY,
     .tree = WTL_FEED_TREE_TIME,
     .cgroup = {{"%c/cpu.stat", "usage_usec", WTL_COUNT_KEY, 1000},
                {"%c/cpuacct.usage", "", WTL_COUNT_NUMBER, 1}}},
    {.name = "cpu:context_switches",
     .about = "context switches",
     .quantity = WATTLE_EVENTS,
     .software = PERF_COUNT_SW_CONTEXT_SWITCHES,
     .machine = WTL_FEED_FILE,
     .tree = WTL_FEED_PERF,
     .path = "/proc/stat",
     .word = "ctxt",
     .form = WTL_COUNT_KEY,
     .factor = 1},
    {.name = "cpu:migrations",
     .about = "moves of a thread to another CPU",
     .quantity = WATTLE_EVENTS,
     .software = PERF_COUNT_SW_CPU_MIGRATIONS,
     .machine = WTL_FEED_PERF,
     .tree = WTL_FEED_PERF},
    {.name = "cpu:page_faults",
     .about = "page faults",
     .quantity = WATTLE_EVENTS,
     .software = PERF_COUNT_SW_PAGE_FAULTS,
     .machine = WTL_FEED_FILE,
     .tree = WTL_FEED_PERF,
     .path = "/proc/vmstat",
     .word = "pgfault",
     .form = WTL_COUNT_KEY,
     .factor = 1,
     .cgroup = {{"%c/memory.stat", "pgfault", WTL_COUNT_KEY, 1}}},
    {.name = "cpu:major_faults",
     .about = "page faults that waited for a disk",
     .quantity = WATTLE_EVENTS,
     .software = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
     .machine = WTL_FEED_FILE,
     .tree = WTL_FEED_PERF,
     .path = "/proc/vmstat",
     .word = "pgmajfault",
     .form = WTL_COUNT_KEY,
     .factor = 1,
     .cgroup = {{"%c/memory.stat", "pgmajfault", WTL_COUNT_KEY, 1}}},
    {.name = "memory:used_bytes",
     .about = "memory in use",
     .quantity = WATTLE_BYTES,
     .software = NO_CODE,
     .machine = WTL_FEED_FILE,
     .tree = WTL_FEED_TREE,
     .tree_value = WTL_TREE_MEMORY,
     .path = "/proc/meminfo",
     .form = WTL_COUNT_USED,
     .factor = 1,
     .cgroup = {{"%c/memory.current", "", WTL_COUNT_NUMBER, 1},
                {"%c/memory.usage_in_bytes", "", WTL_COUNT_NUMBER, 1}}},
    {"net:received_bytes",
     "bytes received",
     WATTLE_BYTES,
     NO_CODE,
     WTL_FEED_FILE,
     WTL_FEED_FILE,
     NET,
     "",
     WTL_COUNT_NET,
     0,
     1,
     0,
     {{0}}},
    {"net:received_packets",
     "packets received",
     WATTLE_EVENTS,
     NO_CODE,
     WTL_FEED_FILE,
     WTL_FEED_FILE,
     NET,
     "",
     WTL_COUNT_NET,
     1,
     1,
     0,
     {{0}}},
    {"net:sent_bytes",
     "bytes sent",
     WATTLE_BYTES,
     NO_CODE,
     WTL_FEED_FILE,
     WTL_FEED_FILE,
     NET,
     "",
     WTL_COUNT_NET,
     8,
     1,
     0,
     {{0}}},
    {"net:sent_packets",
     "packets sent",
     WATTLE_EVENTS,
     NO_CODE,
     WTL_FEED_FILE,
     WTL_FEED_FILE,
     NET,
     "",
     WTL_COUNT_NET,
     9,
     1,
     0,
     {{0}}},
    {"disk:reads",
     "reads of disks",
     WATTLE_EVENTS,
     NO_CODE,
     WTL_FEED_FILE,
     WTL_FEED_FILE,
     DISK,
     "",
     WTL_COUNT_DISK,
     0,
     1,
     0,
     {{"%c/io.stat", "rios", WTL_COUNT_IO_STAT, 1}}},
    {"disk:read_bytes",
     "bytes read from disks",
     WATTLE_BYTES,
     NO_CODE,
     WTL_FEED_FILE,
     WTL_FEED_TREE,
     DISK,
     "",
     WTL_COUNT_DISK,
     2,
     512,
     WTL_TREE_READ,
     {{"%c/io.stat", "rbytes", WTL_COUNT_IO_STAT, 1}}},
    {"disk:writes",
     "writes to disks",
     WATTLE_EVENTS,
     NO_CODE,
     WTL_FEED_FILE,
     WTL_FEED_FILE,
     DISK,
     "",
     WTL_COUNT_DISK,
     4,
     1,
     0,
     {{"%c/io.stat", "wios", WTL_COUNT_IO_STAT, 1}}},
    {"disk:written_bytes",
     "bytes written to disks",
     WATTLE_BYTES,
     NO_CODE,
     WTL_FEED_FILE,
     WTL_FEED_TREE,
     DISK,
     "",
     WTL_COUNT_DISK,
     6,
     512,
     WTL_TREE_WRITTEN,
     {{"%c/io.stat", "wbytes", WTL_COUNT_IO_STAT, 1}}},
};

const char *wtl_count_source(size_t i, const char **ret_about)
{
    if (i >= sizeof sources / sizeof *sources)
        return NULL;
    *ret_about = sources[i].about;
    return sources[i].name;
}

static void plan_file(struct wtl_count_way *way,
                      const struct known *known,
                      const struct wtl_target *target,
                      const char *of)
{
    way->feed = WTL_FEED_FILE;
    way->rule = (struct wtl_count_rule){
        .form = known->form, .field = known->field, .factor = known->factor};
    (void)snprintf(way->rule.word, sizeof way->rule.word, "%s",
                   of            ? of
                   : known->word ? known->word
                                 : "");
    /* The interfaces of a running process may be others than those of this one. */
    if (known->form == WTL_COUNT_NET && target->pid > 0 && !target->inherit)
        (void)snprintf(way->path, sizeof way->path, "/proc/%d/net/dev", (int)target->pid);
    else
        (void)snprintf(way->path, sizeof way->path, "%s", known->path);
}

static void plan_software(struct wtl_count_way *way, const struct known *known)
{
    *way = (struct wtl_count_way){
        .feed = WTL_FEED_PERF,
        .code = {.type = PERF_TYPE_SOFTWARE, .config = (uint64_t)known->software}};
}

static void plan_cgroup(struct wtl_count_plan *plan,
                        const struct known *known,
                        const struct wtl_target *target)
{
    size_t n = 0;
    for (size_t i = 0; i < WTL_COUNT_WAYS && known->cgroup[i].path; i++) {
        struct wtl_count_way *way = &plan->ways[n];
        int length = snprintf(way->path, sizeof way->path, "%s%s", target->cgroup,
                              known->cgroup[i].path + 2);
        if (length < 0 || (size_t)length >= sizeof way->path)
            continue;
        way->feed = WTL_FEED_FILE;
        way->rule = (struct wtl_count_rule){.form = known->cgroup[i].form,
                                            .factor = known->cgroup[i].factor};
        (void)snprintf(way->rule.word, sizeof way->rule.word, "%s", known->cgroup[i].word);
        n++;
    }
    if (known->software != NO_CODE && n < WTL_COUNT_WAYS)
        plan_software(&plan->ways[n], known);
}

static void plan_known(struct wtl_count_plan *plan,
                       const struct known *known,
                       const struct wtl_target *target,
                       enum wtl_counted scope,
                       const char *of)
{
    enum wtl_count_feed feed = scope == WTL_COUNTED_TREE && !of ? known->tree : known->machine;
    plan->of_machine = scope != WTL_COUNTED_MACHINE && feed == WTL_FEED_FILE;
    if (scope == WTL_COUNTED_CGROUP && !of && known->form != WTL_COUNT_NET) {
        plan->of_machine = false;
        plan_cgroup(plan, known, target);
    } else if (feed == WTL_FEED_FILE) {
        plan_file(&plan->ways[0], known, target, of);
    } else if (feed == WTL_FEED_PERF) {
        plan_software(&plan->ways[0], known);
    } else {
        plan->ways[0].feed = feed;
        plan->ways[0].tree = known->tree_value;
    }
}

static void describe(struct wtl_count_plan *plan, const struct known *known)
{
    plan->quantity = known->quantity;
    plan->kind = strncmp(known->name, "memory:", 7) == 0 ? WATTLE_GAUGE : WATTLE_COUNTER;
    plan->scale = known->quantity == WATTLE_CPU_TIME ? 1e-9 : 1;
    if (known->form == WTL_COUNT_NET)
        plan->domain = WATTLE_DOMAIN_NETWORK;
    if (known->form == WTL_COUNT_DISK)
        plan->domain = WATTLE_DOMAIN_DISK;
}

static int unknown(const char *source, struct wattle_error *err)
{
    char list[400] = "";
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s, ", sources[i].name);
    }
    return wtl_fail(err, -ENOENT, "no source \"%.40s\"; there are: %sperf:EVENT", source, list);
}

int wtl_count_plan(const struct wtl_world *world,
                   const struct wtl_target *target,
                   enum wtl_counted scope,
                   const char *source,
                   struct wtl_count_plan *ret_plan,
                   struct wattle_error *err)
{
    const char *at = strchr(source, '@');
    size_t n = at ? (size_t)(at - source) : strlen(source);
    *ret_plan = (struct wtl_count_plan){.domain = WATTLE_DOMAIN_OTHER,
                                        .quantity = WATTLE_EVENTS,
                                        .kind = WATTLE_COUNTER,
                                        .scale = 1};
    if (strncmp(source, "perf:", 5) == 0) {
        struct wtl_count_way *way = &ret_plan->ways[0];
        way->feed = WTL_FEED_PERF;
        if (strcmp(source + 5, "task-clock") == 0 && scope != WTL_COUNTED_TREE)
            return wtl_fail(err, -ENOENT,
                            "perf's task-clock of a CPU also counts idle time; use cpu:task_clock");
        if (strcmp(source + 5, "task-clock") == 0) {
            ret_plan->quantity = WATTLE_CPU_TIME;
            ret_plan->scale = 1e-9;
        }
        return wtl_perf_code(world, source + 5, &way->code, err);
    }
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const struct known *known = &sources[i];
        bool table = known->form == WTL_COUNT_NET || known->form == WTL_COUNT_DISK;
        if (strlen(known->name) != n || memcmp(known->name, source, n) != 0)
            continue;
        if (at && (!table || !at[1] || strlen(at + 1) >= WTL_COUNT_WORD))
            return wtl_fail(err, -ENOENT, "\"%.80s\": only net: and disk: take @NAME", source);
        describe(ret_plan, known);
        plan_known(ret_plan, known, target, scope, at ? at + 1 : NULL);
        return 0;
    }
    return unknown(source, err);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads /proc: see process_table.h. Each scan lists the folder and reads one file per process; user and
 * arguments are read when a process is new or has changed its name (exec).
 */
#define _GNU_SOURCE
#include "account/process_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/secrets.h"

enum { COMMAND_MOST = 1024 };

/* Start times are rounded down to ticks, and the boot clock is not read at the same instant as the list. */
static const uint64_t START_SLACK_NS = 2 * WTL_PROCESS_TICK_NS;

void wtl_process_table_init(struct wtl_process_table *table, const struct wtl_world *world)
{
    *table = (struct wtl_process_table){.world = world};
}

static void free_items(struct wtl_process *items, size_t count)
{
    for (size_t i = 0; items && i < count; i++) {
        free(items[i].command);
        free(items[i].cpus);
    }
    free(items);
}

void wtl_process_table_fini(struct wtl_process_table *table)
{
    free_items(table->items, table->count);
    wtl_process_table_init(table, table->world);
}

/* The arguments, which are each NUL-terminated, as one string. */
static char *command_of(const struct wtl_process_table *table,
                        const char *pid,
                        const struct wtl_process_stat *stat)
{
    char text[COMMAND_MOST], shown[COMMAND_MOST];
    size_t used;
    ssize_t n =
        stat->kernel_thread ? 0 : wtl_process_read(table->world, pid, "cmdline", text, sizeof text);
    while (n > 0 && (text[n - 1] == '\0' || text[n - 1] == '\n'))
        n--;
    if (n <= 0)
        return strdup(stat->name);
    used = wtl_secrets_arguments(text, (size_t)n, shown, sizeof shown);
    return strndup(shown, used);
}

/* User and CPUs. 0 or -ENOMEM. */
static int read_status(const struct wtl_process_table *table,
                       const char *pid,
                       struct wtl_process *process)
{
    char text[8192], cpus[1024];
    if (wtl_process_read(table->world, pid, "status", text, sizeof text) <= 0)
        return 0;
    process->uid = wtl_process_status_uid(text);
    if (!wtl_process_status_cpus(text, cpus, sizeof cpus))
        return 0;
    process->cpus = strdup(cpus);
    return process->cpus ? 0 : -ENOMEM;
}

/* CPU time used since then by a process that was not in the last scan. */
static uint64_t used_by_new(const struct wtl_process_table *table,
                            const struct wtl_process_stat *stat)
{
    if (table->look_ns == 0)
        return 0;
    /* It existed before but was not visible: when it used its CPU time is unknown. */
    if (stat->start_ticks * WTL_PROCESS_TICK_NS + START_SLACK_NS < table->look_boot_ns)
        return 0;
    return stat->cpu_ns;
}

/* Fill one entry; `before` is the same process at the last look, or NULL. 0, -ENOMEM. */
static int fill(const struct wtl_process_table *table,
                const char *pid,
                const struct wtl_process_stat *stat,
                struct wtl_process *before,
                struct wtl_process *ret_process)
{
    struct wtl_process process = {.stat = *stat, .uid = WTL_UID_UNKNOWN};
    bool same_name = before && strcmp(before->stat.name, stat->name) == 0;
    if (before) {
        process.used_ns =
            stat->cpu_ns > before->stat.cpu_ns ? stat->cpu_ns - before->stat.cpu_ns : 0;
        process.pending_s = before->pending_s;
        process.power_w = before->power_w;
        process.energy_j = before->energy_j;
        /* A process's clock never decreases; hold the last value when rounding makes it appear to. */
        if (stat->cpu_ns < before->stat.cpu_ns)
            process.stat.cpu_ns = before->stat.cpu_ns;
    } else {
        process.used_ns = used_by_new(table, stat);
    }
    if (same_name) {
        process.uid = before->uid;
        process.command = strdup(before->command);
        process.cpus = before->cpus ? strdup(before->cpus) : NULL;
    } else {
        if (read_status(table, pid, &process) < 0)
            return -ENOMEM;
        process.command = command_of(table, pid, stat);
    }
    *ret_process = process; /* what there is, for the caller to free */
    return process.command && (!same_name || !before->cpus || process.cpus) ? 0 : -ENOMEM;
}

static struct wtl_process *find(const struct wtl_process_table *table,
                                const struct wtl_process_stat *stat,
                                size_t *at)
{
    while (*at < table->count && table->items[*at].stat.pid < stat->pid)
        (*at)++;
    if (*at == table->count || table->items[*at].stat.pid != stat->pid ||
        table->items[*at].stat.start_ticks != stat->start_ticks)
        return NULL;
    return &table->items[*at];
}

struct look {
    struct wtl_process *items;
    size_t count, kept;
    double kept_energy_j;
};

static int look_at_all(const struct wtl_process_table *table,
                       char *const *names,
                       int count,
                       struct look *look)
{
    char text[1024];
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        struct wtl_process_stat stat;
        if (!isdigit((unsigned char)names[i][0]) ||
            wtl_process_read(table->world, names[i], "stat", text, sizeof text) <= 0 ||
            wtl_process_stat_parse(text, &stat) < 0)
            continue; /* not a process, or one that has just ended */
        struct wtl_process *before = find(table, &stat, &at);
        int rc = fill(table, names[i], &stat, before, &look->items[look->count]);
        look->count++;
        if (rc < 0)
            return rc;
        look->kept += before != NULL;
        look->kept_energy_j += before ? before->energy_j : 0;
    }
    return 0;
}

static double energy_of(const struct wtl_process_table *table)
{
    double sum = 0;
    for (size_t i = 0; i < table->count; i++)
        sum += table->items[i].energy_j;
    return sum;
}

int wtl_process_table_look(struct wtl_process_table *table, struct wattle_error *err)
{
    const struct wtl_world *world = table->world;
    char **names = NULL;
    uint64_t boot_ns = world->ops->now_ns(world, CLOCK_BOOTTIME);
    uint64_t now_ns = wtl_world_monotonic(world);
    int count = world->ops->list(world, "/proc", &names); /* sorted by number */
    if (count < 0)
        return wtl_fail(err, count, "/proc: %s", wtl_strerror(count));
    struct look look = {.items = calloc((size_t)count + 1, sizeof *look.items)};
    int rc = look.items ? look_at_all(table, names, count, &look) : -ENOMEM;
    free(names);
    if (rc < 0) {
        free_items(look.items, look.count);
        return wtl_no_memory_for(err, "the list of processes");
    }
    table->ended = table->count - look.kept;
    table->ended_energy_j += energy_of(table) - look.kept_energy_j;
    free_items(table->items, table->count);
    table->items = look.items;
    table->count = look.count;
    table->look_ns = now_ns;
    table->look_boot_ns = boot_ns;
    return 0;
}

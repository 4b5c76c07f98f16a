/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters: each is read twice and continues at that rate in the recording: see gather.h. */
#define _GNU_SOURCE
#include "cli/gather/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "base/parse.h"

#define PAUSE_NS UINT64_C(300000000) /* between the two readings */

/* The count of an event now. */
static int read_event(const struct wtl_world *world, const struct wtl_note *note, uint64_t *ret)
{
    struct perf_event_attr attr = {.type = note->type, .size = sizeof attr, .config = note->config};
    int fd = world->ops->perf_event_open(world, &attr, -1, note->cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return fd;
    ssize_t n = world->ops->read(world, fd, ret, sizeof *ret);
    world->ops->close(world, fd);
    return n == sizeof *ret ? 0 : -EIO;
}

int wtl_gather_event(struct wtl_gather *gather, const struct wtl_note *note)
{
    char path[96];
    uint64_t count = 0;
    if (note->status < 0 && note->status != -EACCES && note->status != -EPERM)
        return 0;
    (void)snprintf(path, sizeof path, "/perf/%u/0x%llx/%d", note->type,
                   (unsigned long long)note->config, note->cpu);
    struct wtl_gathered *entry = wtl_gather_entry(gather, path);
    if (!entry)
        return -ENOMEM;
    int rc = note->status < 0 ? note->status : read_event(gather->world, note, &count);
    if (rc < 0)
        wtl_gather_fails(entry, rc);
    if (!entry->text && asprintf(&entry->text, "%llu\n", (unsigned long long)count) < 0)
        entry->text = NULL;
    return entry->text ? 0 : -ENOMEM;
}

/* A counter that has grown since its first reading gets a rate; a unit and a time stamp stay after the number. */
static void find_rate(const struct wtl_gather *gather, struct wtl_gathered *entry)
{
    char text[128], *unit;
    uint64_t number, now_ns = wtl_world_monotonic(gather->world);
    if (!entry->counts || entry->script[0] || now_ns <= entry->number_ns ||
        wtl_world_text(gather->world, entry->path, text, sizeof text) <= 0)
        return;
    int used = wtl_scan_u64(text, strlen(text), &number);
    if (used <= 0 || number <= entry->number)
        return;
    double rate = (double)(number - entry->number) * 1e9 / (double)(now_ns - entry->number_ns);
    if (!(rate >= 1 && rate < 1e13))
        return;
    unit = text + used;
    char letter = unit[0] == ' ' ? unit[1] : '\0';
    bool stamped = letter && unit[2] == ' ' && strstr(unit, " us");
    (void)snprintf(entry->script, sizeof entry->script, "%llu+%llu/s%s%.*s%s",
                   (unsigned long long)entry->number, (unsigned long long)rate,
                   stamped ? "~100ms" : "", letter ? 2 : 0, unit, stamped ? " @us us" : "");
}

/* Energy events also continue to count. */
static void find_event_rate(const struct wtl_gather *gather,
                            const struct wtl_note *note,
                            uint64_t first_ns)
{
    char path[96];
    uint64_t count, before;
    (void)snprintf(path, sizeof path, "/perf/%u/0x%llx/%d", note->type,
                   (unsigned long long)note->config, note->cpu);
    struct wtl_gathered *entry = wtl_gather_entry((struct wtl_gather *)gather, path);
    uint64_t now_ns = wtl_world_monotonic(gather->world);
    if (!entry || !entry->text || entry->script[0] || now_ns <= first_ns ||
        wtl_scan_u64(entry->text, strlen(entry->text), &before) <= 0 ||
        read_event(gather->world, note, &count) < 0 || count <= before)
        return;
    (void)snprintf(
        entry->script, sizeof entry->script, "%llu+%llu/s", (unsigned long long)before,
        (unsigned long long)((double)(count - before) * 1e9 / (double)(now_ns - first_ns)));
}

int wtl_gather_rates(struct wtl_gather *gather, const struct wtl_note *notes, size_t count)
{
    uint64_t first_ns = wtl_world_monotonic(gather->world);
    int rc = gather->world->ops->sleep_until(gather->world, first_ns + PAUSE_NS);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < gather->count; i++)
        find_rate(gather, &gather->entries[i]);
    for (size_t i = 0; i < count; i++) {
        if (notes[i].kind == WTL_NOTE_PERF && notes[i].status == 0)
            find_event_rate(gather, &notes[i], first_ns);
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run everything on a world that records accesses, and create entries from them: see gather.h. Paths are
 * handled in gather_paths.c, counters in gather_rates.c, and gather_clean.c removes what must not be saved.
 */
#define _GNU_SOURCE
#include "cli/gather/gather.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/world/world_noting.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/kernel_config.h"
#include "source/registry.h"

#define ANSWERS_NS UINT64_C(300000000) /* between the two times that peers are asked */

struct wtl_gathered *wtl_gather_entry(struct wtl_gather *gather, const char *path)
{
    size_t low = 0, high = gather->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(gather->entries[middle].path, path);
        if (order == 0)
            return &gather->entries[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (wtl_grow(&gather->entries, gather->count, sizeof *gather->entries) < 0)
        return NULL;
    char *copy = strdup(path);
    if (!copy)
        return NULL;
    struct wtl_gathered *entry = &gather->entries[low];
    memmove(entry + 1, entry, (gather->count - low) * sizeof *entry);
    gather->count++;
    *entry = (struct wtl_gathered){.path = copy, .kind = WTL_GATHERED_FILE};
    return entry;
}

static int take_register(struct wtl_gather *gather, const struct wtl_note *note)
{
    const struct wtl_world *world = gather->world;
    char path[64];
    uint64_t value;
    (void)snprintf(path, sizeof path, "/dev/cpu/%d/msr", note->cpu);
    if (note->status == -ENOENT || note->status == -ENODEV || note->status == -ENXIO)
        return 0;
    struct wtl_gathered *entry = wtl_gather_entry(gather, path);
    if (!entry)
        return -ENOMEM;
    entry->kind = WTL_GATHERED_FOLDER;
    if (note->reg == UINT32_MAX && note->status < 0)
        wtl_gather_fails(entry, note->status);
    if (note->reg == UINT32_MAX || note->status < 0)
        return 0;
    (void)snprintf(path, sizeof path, "/dev/cpu/%d/msr/0x%x", note->cpu, note->reg);
    entry = wtl_gather_entry(gather, path);
    int fd = entry ? world->ops->msr_open(world, note->cpu) : -ENOMEM;
    if (fd >= 0 && world->ops->msr_read(world, fd, note->reg, &value) == 0 &&
        asprintf(&entry->text, "0x%llx\n", (unsigned long long)value) < 0)
        entry->text = NULL;
    if (fd >= 0)
        world->ops->close(world, fd);
    return entry ? 0 : -ENOMEM;
}

/* Variables that affect what sensors find; for those that identify a container, only that they are set. */
static int take_variable(struct wtl_gather *gather, const char *name)
{
    const char *value = gather->world->ops->getenv(gather->world, name);
    bool ours = strncmp(name, "WATTLE_", 7) == 0, engine = strstr(name, "_NAME") != NULL;
    char *env;
    if (!value || (!ours && !engine && strcmp(name, "TERM") != 0))
        return 0;
    if (strpbrk(value, "/\n")) { /* a path may hold a name */
        gather->left_out++;
        return 0;
    }
    if (asprintf(&env, "%s%s=%s\n", gather->env ? gather->env : "", name, engine ? "x" : value) < 0)
        return -ENOMEM;
    free(gather->env);
    gather->env = env;
    return 0;
}

static int take_cpuid(struct wtl_gather *gather, const struct wtl_note *note)
{
    char *text;
    const uint32_t *r = note->regs;
    if (note->status < 0)
        return 0;
    if (asprintf(&text, "%s0x%x 0x%x 0x%x 0x%x 0x%x 0x%x\n", gather->cpuid ? gather->cpuid : "",
                 (unsigned)(note->config >> 32), (unsigned)note->config, r[0], r[1], r[2],
                 r[3]) < 0)
        return -ENOMEM;
    free(gather->cpuid);
    gather->cpuid = text;
    return 0;
}

/* Saved unpacked, as the file that is looked for first; unneeded lines are removed by cleaning. */
static int take_config(struct wtl_gather *gather)
{
    char path[128], *text;
    struct utsname name;
    ssize_t n = wtl_kernel_config(gather->world, &text);
    if (n < 0 || gather->world->ops->uname(gather->world, &name) < 0)
        return n == -ENOMEM ? (int)n : 0;
    (void)snprintf(path, sizeof path, "/boot/config-%.80s", name.release);
    struct wtl_gathered *entry = wtl_gather_entry(gather, path);
    if (!entry || entry->text) {
        free(text);
        return entry ? 0 : -ENOMEM;
    }
    entry->text = text;
    return 0;
}

static int take(struct wtl_gather *gather, const struct wtl_note *note)
{
    switch (note->kind) {
    case WTL_NOTE_FILE:
        if (strcmp(note->name, "/proc/config.gz") == 0)
            return note->status == 0 ? take_config(gather) : 0;
        return wtl_gather_file(gather, note->name, note->status, true);
    case WTL_NOTE_EXISTS:
    case WTL_NOTE_LINK:
        return wtl_gather_file(gather, note->name, note->status == -EINVAL ? 0 : note->status,
                               false);
    case WTL_NOTE_FOLDER:
        return wtl_gather_folder(gather, note->name, note->status);
    case WTL_NOTE_PERF:
        return wtl_gather_event(gather, note);
    case WTL_NOTE_MSR:
        return take_register(gather, note);
    case WTL_NOTE_CPUID:
        return take_cpuid(gather, note);
    case WTL_NOTE_ENV:
        return take_variable(gather, note->name);
    default:
        return 0;
    }
}

/* Files that no driver reads yet but that help to write one: those in each entry of these folders. */
static void look_around(const struct wtl_world *world)
{
    static const char *const folders[] = {"/sys/class/powercap", "/sys/class/hwmon",
                                          "/sys/class/power_supply", "/sys/cray"};
    static const char *const files[] = {
        "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name",
        "/sys/class/dmi/id/board_name", "/sys/devices/system/cpu/online",
        "/sys/devices/system/cpu/present"};
    char path[PATH_MAX], text[4096], **things, **names;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        (void)wtl_world_text(world, files[i], text, sizeof text);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int count = world->ops->list(world, folders[i], &things);
        for (int k = 0; k < count; k++) {
            (void)snprintf(path, sizeof path, "%s/%s", folders[i], things[k]);
            int n = world->ops->list(world, path, &names);
            for (int j = 0; j < n; j++) {
                (void)snprintf(path, sizeof path, "%s/%s/%s", folders[i], things[k], names[j]);
                if (wtl_gather_allows(path))
                    (void)wtl_world_text(world, path, text, sizeof text); /* it is noted */
            }
            if (n >= 0)
                free(names);
        }
        if (count >= 0)
            free(things);
    }
}

/* Ask peers what their drivers would ask in a measurement, twice. Returns 0, -ENOMEM or -EINTR. */
static int read_all(struct wtl_selection *selection, const struct wtl_world *world)
{
    for (int look = 0; look < 2; look++) {
        int rc = look ? world->ops->sleep_until(world, wtl_world_monotonic(world) + ANSWERS_NS) : 0;
        for (size_t i = 0; i < selection->offer_count && rc == 0; i++) {
            struct wtl_source *source = &selection->offers[i].source;
            if (selection->offers[i].status < 0 || selection->offers[i].is_silent)
                continue;
            struct wattle_reading *out = calloc(source->count, sizeof *out);
            rc = out ? 0 : -ENOMEM;
            if (out)
                source->driver->read(source, 0, source->count, out);
            free(out);
        }
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The dialogues of drivers that have some. 0, -ENOMEM, -EINTR. */
static int take_dialogues(struct wtl_gather *gather,
                          struct wtl_selection *selection,
                          const struct wtl_world *noting)
{
    int rc = wtl_world_noted_dialogues(noting, &gather->dialogues);
    if (rc < 0 || !gather->dialogues[0])
        return rc;
    rc = read_all(selection, noting);
    free(gather->dialogues);
    gather->dialogues = NULL;
    return rc < 0 ? rc : wtl_world_noted_dialogues(noting, &gather->dialogues);
}

/* Run all drivers and the doctor on a world that records accesses. */
static int look(struct wtl_gather *gather, struct wtl_world *noting, struct wattle_error *err)
{
    struct wtl_request request = {.drivers = wtl_drivers,
                                  .activity = true,
                                  .in_place = true}; /* the noting world ends soon */
    struct wtl_selection *selection;
    struct wtl_doctor doctor;
    int rc = wtl_selection_open(&request, noting, &selection, err);
    if (rc < 0)
        return rc;
    rc = wtl_doctor_examine(&doctor, noting, selection);
    for (size_t i = 0; i < selection->offer_count; i++) {
        size_t used = strlen(gather->drivers);
        const struct wtl_offer *offer = &selection->offers[i];
        if ((offer->status == 0 || offer->status == -EACCES) &&
            !(offer->driver->flags & WTL_DRIVER_ACTIVITY))
            (void)snprintf(gather->drivers + used, sizeof gather->drivers - used, "%s%s",
                           used ? ", " : "", offer->driver->name);
    }
    wtl_doctor_fini(&doctor);
    if (rc == 0)
        rc = take_dialogues(gather, selection, noting);
    wtl_selection_close(selection);
    look_around(noting);
    if (rc == -EINTR)
        return rc;
    return rc < 0 || !wtl_world_noted_all(noting) ? wtl_no_memory(err) : 0;
}

/* Remove identifying data; keep that the machine is simulated. */
static int finish(struct wtl_gather *gather)
{
    char *env;
    for (size_t i = 0; i < gather->count; i++) {
        int rc = wtl_gather_clean(gather, &gather->entries[i]);
        if (rc < 0)
            return rc;
    }
    if (wtl_gather_clean_dialogues(gather) < 0)
        return -ENOMEM;
    if (!gather->world->simulated || (gather->env && strstr(gather->env, "WATTLE_SIMULATED")))
        return 0;
    if (asprintf(&env, "%sWATTLE_SIMULATED=1\n", gather->env ? gather->env : "") < 0)
        return -ENOMEM;
    free(gather->env);
    gather->env = env;
    return 0;
}

int wtl_gather_collect(struct wtl_gather *gather,
                       const struct wtl_world *world,
                       struct wattle_error *err)
{
    struct wtl_world *noting;
    size_t count;
    *gather = (struct wtl_gather){.world = world, .euid = world->ops->geteuid(world)};
    int rc = wtl_world_noting(world, &noting);
    if (rc < 0)
        return wtl_no_memory(err);
    if (world->ops->uname(world, &gather->name) < 0)
        gather->name = (struct utsname){.sysname = "Linux"};
    (void)snprintf(gather->name.nodename, sizeof gather->name.nodename, "recorded");
    rc = look(gather, noting, err);
    const struct wtl_note *notes = wtl_world_noted(noting, &count);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = take(gather, &notes[i]);
    if (rc == 0)
        rc = wtl_gather_rates(gather, notes, count);
    if (rc == 0)
        rc = finish(gather);
    wtl_world_noting_close(noting);
    if (rc == -ENOMEM)
        (void)wtl_no_memory(err);
    else if (rc == -EINTR)
        (void)wtl_fail(err, rc, "interrupted; nothing was saved");
    return rc;
}

void wtl_gather_fini(struct wtl_gather *gather)
{
    for (size_t i = 0; i < gather->count; i++) {
        free(gather->entries[i].path);
        free(gather->entries[i].text);
    }
    free(gather->entries);
    free(gather->env);
    free(gather->cpuid);
    free(gather->dialogues);
    wtl_gather_replaced_free(gather);
    *gather = (struct wtl_gather){0};
}

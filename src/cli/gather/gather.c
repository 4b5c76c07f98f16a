/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run everything on a world that records accesses, and create entries from them: see gather.h.
 * gather_clean.c removes what must not be saved.
 */
#define _GNU_SOURCE
#include "cli/gather/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/world/world_noting.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/kernel_config.h"
#include "source/registry.h"

#define ANSWERS_NS UINT64_C(300000000) /* between the two times that peers are asked */

/* The entry of a path, created if missing; NULL if out of memory. */
static struct wtl_gathered *gather_entry(struct wtl_gather *gather, const char *path)
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

/* ---- paths: files with contents, folders with names, links on the path ---- */

enum { LINKS = 40, CONTENT_MAX = 1 << 20 };

/* Is it a link? Its target, and an entry for it. -ENOENT when it is none. */
static int take_link(struct wtl_gather *gather, const char *path, char target[PATH_MAX])
{
    ssize_t n = gather->world->ops->readlink(gather->world, path, target, PATH_MAX);
    if (n < 0)
        return -ENOENT;
    struct wtl_gathered *entry = gather_entry(gather, path);
    if (!entry)
        return -ENOMEM;
    if (entry->kind == WTL_GATHERED_LINK)
        return 0;
    entry->kind = WTL_GATHERED_LINK;
    free(entry->text);
    entry->text = strdup(target);
    return entry->text ? 0 : -ENOMEM;
}

/* Append one part of a path to out; "." and ".." are resolved. Returns 0 or -ENAMETOOLONG. */
static int append_part(char out[PATH_MAX], const char *part, size_t n)
{
    size_t used = strlen(out);
    if (n == 1 && part[0] == '.')
        return 0;
    if (n == 2 && part[0] == '.' && part[1] == '.') {
        if (used > 0)
            *strrchr(out, '/') = '\0';
        return 0;
    }
    if (used + n + 2 > PATH_MAX)
        return -ENAMETOOLONG;
    (void)snprintf(out + used, PATH_MAX - used, "/%.*s", (int)n, part);
    return 0;
}

/* The path without links, which become entries on the way. Returns 0, -ELOOP, -ENAMETOOLONG, -ENOMEM. */
static int canonical(struct wtl_gather *gather, const char *path, char out[PATH_MAX])
{
    char rest[PATH_MAX], target[PATH_MAX], joined[2 * PATH_MAX];
    int links = 0;
    out[0] = '\0';
    if ((size_t)snprintf(rest, sizeof rest, "%s", path) >= sizeof rest)
        return -ENAMETOOLONG;
    for (char *p = rest; *(p += strspn(p, "/"));) {
        size_t n = strcspn(p, "/"), used = strlen(out);
        int rc = append_part(out, p, n);
        p += n;
        if (rc == 0 && strlen(out) > used && strcmp(out, "/proc/self") != 0)
            rc = take_link(gather, out, target);
        else if (rc == 0)
            rc = -ENOENT;
        if (rc == -ENOENT)
            continue;
        if (rc < 0 || ++links > LINKS)
            return rc < 0 ? rc : -ELOOP;
        (void)snprintf(joined, sizeof joined, "%s/%s", target, p);
        if (strlen(joined) >= sizeof rest)
            return -ENAMETOOLONG;
        memcpy(rest, joined, strlen(joined) + 1);
        out[target[0] == '/' ? 0 : used] = '\0';
        p = rest;
    }
    return 0;
}

/* The failure as the script writes it. */
static const char *failure_word(int error)
{
    static const struct {
        int error;
        const char *word;
    } words[] = {{EACCES, "!EACCES"},      {EPERM, "!EPERM"},   {ENODEV, "!ENODEV"},
                 {ENODATA, "!ENODATA"},    {EINVAL, "!EINVAL"}, {EAGAIN, "!EAGAIN"},
                 {ETIMEDOUT, "!ETIMEDOUT"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].error == error)
            return words[i].word;
    }
    return "!EIO";
}

/* In the recording, reading it fails so. */
static void gather_fails(struct wtl_gathered *entry, int status)
{
    (void)snprintf(entry->script, sizeof entry->script, "%s", failure_word(-status));
}

/* Is the number in this file a counter, so that two readings give its rate? */
static bool is_counter(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return strstr(name, "energy") != NULL || strcmp(name, "freshness") == 0;
}

static int take_content(struct wtl_gather *gather, struct wtl_gathered *entry)
{
    const struct wtl_world *world = gather->world;
    char *text;
    uint64_t now_ns = wtl_world_monotonic(world);
    ssize_t n = wtl_world_slurp(world, entry->path, &text);
    if (n == -ENOMEM)
        return (int)n;
    if (n == -EISDIR) {
        entry->kind = WTL_GATHERED_FOLDER;
        return 0;
    }
    if (n < 0 && n != -ENOENT)
        gather_fails(entry, (int)n);
    if (n < 0)
        return 0;
    if (n > CONTENT_MAX)
        text[CONTENT_MAX] = '\0';
    free(entry->text);
    entry->text = text;
    entry->size = strlen(text);
    entry->counts = is_counter(entry->path) && wtl_scan_u64(text, entry->size, &entry->number) > 0;
    entry->number_ns = now_ns;
    return 0;
}

/* Resolve the path: 1 with its entry if it exists and may be saved, else 0, or -ENOMEM. */
static int place(struct wtl_gather *gather, const char *path, struct wtl_gathered **ret_entry)
{
    char real[PATH_MAX];
    if (!wtl_gather_allows(path)) {
        gather->left_out++;
        return 0;
    }
    int rc = canonical(gather, path, real);
    if (rc < 0 || !real[0] || !wtl_gather_allows(real))
        return rc == -ENOMEM ? rc : 0;
    if (!gather->world->ops->exists(gather->world, real))
        return 0; /* a link that leads nowhere is an entry already */
    *ret_entry = gather_entry(gather, real);
    return *ret_entry ? 1 : -ENOMEM;
}

static bool is_folder(const struct wtl_world *world, const char *path)
{
    char **names;
    int count = world->ops->list(world, path, &names);
    if (count >= 0)
        free(names);
    return count >= 0;
}

/* Add a path that was opened, looked up (content: also read it) or listed, with its status. Returns 0 or
 * -ENOMEM. Paths that do not exist or must not be saved get no entry. */
static int gather_file(struct wtl_gather *gather, const char *path, int status, bool content)
{
    struct wtl_gathered *entry;
    if (status == -ENOENT || status == -ENOTDIR || status == -ENODEV || status == -ENXIO)
        return 0;
    int rc = place(gather, path, &entry);
    if (rc <= 0)
        return rc;
    if (status == 0 && entry->kind == WTL_GATHERED_FILE && !entry->text &&
        is_folder(gather->world, entry->path))
        entry->kind = WTL_GATHERED_FOLDER;
    if (entry->kind != WTL_GATHERED_FILE)
        return 0;
    if (status < 0)
        gather_fails(entry, status);
    return status == 0 && content && !entry->text ? take_content(gather, entry) : 0;
}

/* The names in a folder, not their contents. */
static int take_names(struct wtl_gather *gather, const char *folder)
{
    char child[PATH_MAX + 256], **names;
    int rc = 0, count = gather->world->ops->list(gather->world, folder, &names);
    for (int i = 0; i < count && rc == 0; i++) {
        (void)snprintf(child, sizeof child, "%s/%s", folder, names[i]);
        if (wtl_gather_allows(child))
            rc = gather_file(gather, child, 0, false);
    }
    if (count >= 0)
        free(names);
    return rc;
}

static int gather_folder(struct wtl_gather *gather, const char *path, int status)
{
    struct wtl_gathered *entry;
    char real[PATH_MAX];
    if (status < 0 && status != -EACCES && status != -EPERM)
        return 0;
    int rc = place(gather, path, &entry);
    if (rc <= 0)
        return rc;
    entry->kind = WTL_GATHERED_FOLDER;
    if (status < 0)
        gather_fails(entry, status);
    if (status < 0 || (size_t)snprintf(real, sizeof real, "%s", entry->path) >= sizeof real)
        return 0;
    return take_names(gather, real); /* entries move */
}

static int take_register(struct wtl_gather *gather, const struct wtl_note *note)
{
    const struct wtl_world *world = gather->world;
    char path[64];
    uint64_t value;
    (void)snprintf(path, sizeof path, "/dev/cpu/%d/msr", note->cpu);
    if (note->status == -ENOENT || note->status == -ENODEV || note->status == -ENXIO)
        return 0;
    struct wtl_gathered *entry = gather_entry(gather, path);
    if (!entry)
        return -ENOMEM;
    entry->kind = WTL_GATHERED_FOLDER;
    if (note->reg == UINT32_MAX && note->status < 0)
        gather_fails(entry, note->status);
    if (note->reg == UINT32_MAX || note->status < 0)
        return 0;
    (void)snprintf(path, sizeof path, "/dev/cpu/%d/msr/0x%x", note->cpu, note->reg);
    entry = gather_entry(gather, path);
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
    struct wtl_gathered *entry = gather_entry(gather, path);
    if (!entry || entry->text) {
        free(text);
        return entry ? 0 : -ENOMEM;
    }
    entry->text = text;
    return 0;
}

/* ---- counters: each is read twice and continues at that rate in the recording ---- */

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

/* An event of perf: the same. */
static int gather_event(struct wtl_gather *gather, const struct wtl_note *note)
{
    char path[96];
    uint64_t count = 0;
    if (note->status < 0 && note->status != -EACCES && note->status != -EPERM)
        return 0;
    (void)snprintf(path, sizeof path, "/perf/%u/0x%llx/%d", note->type,
                   (unsigned long long)note->config, note->cpu);
    struct wtl_gathered *entry = gather_entry(gather, path);
    if (!entry)
        return -ENOMEM;
    int rc = note->status < 0 ? note->status : read_event(gather->world, note, &count);
    if (rc < 0)
        gather_fails(entry, rc);
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
    struct wtl_gathered *entry = gather_entry((struct wtl_gather *)gather, path);
    uint64_t now_ns = wtl_world_monotonic(gather->world);
    if (!entry || !entry->text || entry->script[0] || now_ns <= first_ns ||
        wtl_scan_u64(entry->text, strlen(entry->text), &before) <= 0 ||
        read_event(gather->world, note, &count) < 0 || count <= before)
        return;
    (void)snprintf(
        entry->script, sizeof entry->script, "%llu+%llu/s", (unsigned long long)before,
        (unsigned long long)((double)(count - before) * 1e9 / (double)(now_ns - first_ns)));
}

/* Read all counters a second time, after a pause. Returns 0 or -EINTR. */
static int gather_rates(struct wtl_gather *gather, const struct wtl_note *notes, size_t count)
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

/* ---- all ---- */

static int add_note(struct wtl_gather *gather, const struct wtl_note *note)
{
    switch (note->kind) {
    case WTL_NOTE_FILE:
        if (strcmp(note->name, "/proc/config.gz") == 0)
            return note->status == 0 ? take_config(gather) : 0;
        return gather_file(gather, note->name, note->status, true);
    case WTL_NOTE_EXISTS:
    case WTL_NOTE_LINK:
        return gather_file(gather, note->name, note->status == -EINVAL ? 0 : note->status, false);
    case WTL_NOTE_FOLDER:
        return gather_folder(gather, note->name, note->status);
    case WTL_NOTE_PERF:
        return gather_event(gather, note);
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
static int read_machine(struct wtl_gather *gather,
                        struct wtl_world *noting,
                        struct wattle_error *err)
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
    rc = read_machine(gather, noting, err);
    const struct wtl_note *notes = wtl_world_noted(noting, &count);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = add_note(gather, &notes[i]);
    if (rc == 0)
        rc = gather_rates(gather, notes, count);
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

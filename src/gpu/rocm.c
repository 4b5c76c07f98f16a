/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AMD GPUs, by AMD SMI where it is there and by ROCm SMI otherwise. The rules that hold for both: what a device without
 * values of its own is (second die of a package, part of a divided device), which channel tells the energy, what is not
 * woken. Facts and their sources: docs/dev/gpu-libraries.md.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config/visible_devices.h"
#include "base/fail.h"
#include "gpu/amd.h"
#include "gpu/amd_metrics.h"

enum { DEVICES_MAX = 256 };

enum { LIBRARIES = 2, NEWEST = 40 };
static const struct wtl_amd_library *const both[LIBRARIES] = {&wtl_amd_smi, &wtl_amd_rocm_smi};
static const char *const files[LIBRARIES] = {"libamd_smi.so", "librocm_smi64.so"};

static struct {
    void *handle;
    const struct wtl_amd_library *library;
    struct wtl_amd_residency earlier[DEVICES_MAX][WTL_AMD_REASONS];
} opened;

/* A row per channel; key[0] is `what`, key[1] the library's number of the device. */
static const struct {
    enum wtl_amd_what what;
    const char *word;
    enum wattle_quantity quantity;
    enum wattle_kind kind;
    double scale; /* 0: that of the energy counter */
    bool activity;
} rows[] = {
    {WTL_AMD_ENERGY, "energy", WATTLE_ENERGY, WATTLE_COUNTER, 0, false},
    {WTL_AMD_POWER, "power", WATTLE_POWER, WATTLE_GAUGE, 1e-6, false},
    {WTL_AMD_POWER_LIMIT, "power_limit", WATTLE_POWER_LIMIT, WATTLE_GAUGE, 1e-6, true},
    {WTL_AMD_BUSY, "gpu_use", WATTLE_RATIO, WATTLE_GAUGE, 0.01, true},
    {WTL_AMD_MEMORY_BUSY, "memory_use", WATTLE_RATIO, WATTLE_GAUGE, 0.01, true},
    {WTL_AMD_MEMORY_USED, "memory_used", WATTLE_BYTES, WATTLE_GAUGE, 1, true},
    {WTL_AMD_CLOCK, "gpu_clock", WATTLE_FREQUENCY, WATTLE_GAUGE, 1, true},
    {WTL_AMD_MEMORY_CLOCK, "memory_clock", WATTLE_FREQUENCY, WATTLE_GAUGE, 1, true},
    {WTL_AMD_EDGE, "temperature", WATTLE_TEMPERATURE, WATTLE_GAUGE, 1e-3, true},
    {WTL_AMD_HOTSPOT, "hotspot_temperature", WATTLE_TEMPERATURE, WATTLE_GAUGE, 1e-3, true},
    {WTL_AMD_MEMORY_TEMPERATURE, "memory_temperature", WATTLE_TEMPERATURE, WATTLE_GAUGE, 1e-3,
     true},
    {WTL_AMD_SLOWED_POWER, "slowed_power", WATTLE_RATIO, WATTLE_GAUGE, 1e-6, true},
    {WTL_AMD_SLOWED_HEAT, "slowed_heat", WATTLE_RATIO, WATTLE_GAUGE, 1e-6, true},
    {WTL_AMD_SLOWED_OTHER, "slowed_other", WATTLE_RATIO, WATTLE_GAUGE, 1e-6, true},
};

/* The drivers count in 2^-16 J (15.259 uJ); the libraries round it to 15.3, which is 0.27 % too much. */
double wtl_amd_tick_j(double resolution_uj)
{
    const double tick_j = 1.0 / 65536, micro = 1e-6, rounding = 0.01;
    return fabs(resolution_uj * micro / tick_j - 1) < rounding ? tick_j : 0;
}

static void write_pci(char *text, size_t n, uint64_t bdf)
{
    (void)snprintf(text, n, "%04x:%02x:%02x.%x", (unsigned)(bdf >> 32) & 0xffff,
                   (unsigned)(bdf >> 8) & 0xff, (unsigned)(bdf >> 3) & 0x1f, (unsigned)bdf & 7);
}

/* A file of sysfs could not be read, or was not found: gone is the device if its folder is. */
static int lost_or_io(const char *pci)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%s", pci);
    return access(path, F_OK) == 0 ? -EIO : -ENODEV;
}

static int value_of(const struct wtl_gpu_device *device,
                    uint64_t number,
                    enum wtl_amd_what what,
                    uint64_t *ret_raw,
                    bool *ret_average)
{
    if (what >= WTL_AMD_SLOWED_POWER) {
        enum wtl_amd_reason reason = (enum wtl_amd_reason)(what - WTL_AMD_SLOWED_POWER);
        return wtl_amd_slowed_now(device->pci, reason, &opened.earlier[number][reason], ret_raw);
    }
    int rc = opened.library->get((size_t)number, what, ret_raw, ret_average);
    return rc == -ENODEV ? lost_or_io(device->pci) : rc;
}

/* What can be said of a device before its values are read. */
struct found {
    struct wtl_gpu_device device;
    struct wtl_amd_device library;
    const char *other; /* address of the second die whose energy this has too, or NULL */
    bool open;         /* it has channels: not a part, not asleep, not lost */
    bool unit_unknown; /* of the energy counter, which is not used then */
    bool second;       /* second die of a package: all of its energy and power is 0 */
    uint64_t energy, power_uw, limit_uw;
    int energy_rc, power_rc, limit_rc;
    bool average;
};

/* Of one that has just been reset with its driver, the counter begins at 0. */
static void await_energy(struct found *found, size_t number, struct wtl_gpu_list *list)
{
    bool unused, draws = found->power_rc == 0 && found->power_uw > 0;
    while (draws && found->energy_rc == 0 && found->energy == 0 && wtl_gpu_wait_for_count(list))
        found->energy_rc =
            value_of(&found->device, number, WTL_AMD_ENERGY, &found->energy, &unused);
}

/*
 * Second dies (MI200) answer 0 for energy and power: their package's first die has those of both. Energy alone may be 0 on
 * devices without the counter.
 */
static void read_device(struct found *found, size_t number, struct wtl_gpu_list *list)
{
    bool unused;
    const struct wtl_gpu_device *device = &found->device;
    found->energy_rc = value_of(device, number, WTL_AMD_ENERGY, &found->energy, &unused);
    found->power_rc = value_of(device, number, WTL_AMD_POWER, &found->power_uw, &found->average);
    found->limit_rc = value_of(device, number, WTL_AMD_POWER_LIMIT, &found->limit_uw, &unused);
    await_energy(found, number, list);
    bool no_energy = found->energy_rc == 0 && found->energy == 0;
    bool no_power = found->power_rc == -ENOTSUP || (found->power_rc == 0 && found->power_uw == 0);
    bool told = found->power_rc == 0 || found->limit_rc == 0,
         limited = found->limit_rc == 0 && found->limit_uw > 0;
    found->second = no_energy && no_power && told && !limited;
    found->unit_unknown =
        found->energy_rc == 0 && !no_energy && opened.library->energy_tick_j() <= 0;
    if (no_energy || found->unit_unknown)
        found->energy_rc = -ENOTSUP;
}

/* The first die of a second die's package: the device with the widest link to it, if only one has it. */
static int partner_of(const struct found *found, size_t count, size_t second)
{
    uint64_t most = 0;
    int partner = WTL_GPU_NO;
    for (size_t i = 0; i < count; i++) {
        uint64_t width = 0;
        if (i == second || found[i].second || !found[i].open ||
            opened.library->bandwidth(second, i, &width) < 0 || width == 0)
            continue;
        if (width == most)
            partner = WTL_GPU_NO;
        if (width > most)
            partner = (int)i;
        most = width > most ? width : most;
    }
    return partner;
}

static void pair_dies(struct found *found, size_t count, struct wtl_gpu_list *list)
{
    for (size_t i = 0; i < count; i++) {
        if (!found[i].second)
            continue;
        int first = partner_of(found, count, i);
        found[i].device.die = 1;
        found[i].device.dies = 2;
        if (first < 0) {
            wtl_gpu_note(
                list, "gpu-%zu: second die of a package; the first die reports the energy of both",
                i);
            continue;
        }
        found[first].device.dies = 2;
        found[first].other = found[i].device.pci;
    }
}

static void add_channel(struct wtl_gpu_list *list,
                        const struct found *found,
                        size_t number,
                        size_t row,
                        double scale)
{
    const double transients = 2; /* above the limit, for a moment */
    struct wtl_gpu_channel channel =
        wtl_gpu_channel_init((int)number, rows[row].word, rows[row].quantity, rows[row].kind);
    channel.scale = scale;
    channel.activity = rows[row].activity;
    channel.key[0] = rows[row].what;
    channel.key[1] = number;
    (void)snprintf(channel.location, sizeof channel.location, "%s %s%s%s",
                   rows[row].what < WTL_AMD_WHAT_COUNT ? opened.library->calls[rows[row].what]
                                                       : "gpu_metrics",
                   found->device.pci, found->other && !channel.activity ? " and " : "",
                   found->other && !channel.activity ? found->other : "");
    if (!channel.activity && found->limit_rc == 0)
        channel.max_w = transients * 1e-6 * (double)found->limit_uw;
    if (rows[row].what == WTL_AMD_ENERGY)
        channel.refresh_ns =
            1000000; /* amdgpu does not ask the device again within a millisecond */
    if (rows[row].what == WTL_AMD_POWER) {
        channel.spare = found->energy_rc == 0;
        channel.kind = found->average ? WATTLE_WINDOW_AVERAGE : WATTLE_GAUGE;
        if (found->average)
            (void)snprintf(channel.word, sizeof channel.word, "power_average");
    }
    (void)wtl_gpu_add_channel(list, &channel); /* out of memory is remembered */
}

static void note_missing(struct wtl_gpu_list *list, size_t number, const char *word, int rc)
{
    wtl_gpu_note(list, "gpu-%zu: %s: %s", number, word,
                 rc == -ENOTSUP  ? "not supported"
                 : rc == -EACCES ? "no permission; join the groups render and video, or use wattled"
                                 : wtl_strerror(rc));
}

/* Whether the row has a value: what was seen before, or what is read. */
static int look_at(const struct found *found, size_t number, enum wtl_amd_what what)
{
    uint64_t raw;
    bool unused;
    switch (what) {
    case WTL_AMD_ENERGY:
        return found->energy_rc;
    case WTL_AMD_POWER:
        return found->power_rc;
    case WTL_AMD_POWER_LIMIT:
        return found->limit_rc;
    default:
        return value_of(&found->device, number, what, &raw, &unused);
    }
}

static void add_row(struct wtl_gpu_list *list, const struct found *found, size_t number, size_t row)
{
    enum wtl_amd_what what = rows[row].what;
    bool main = what == WTL_AMD_ENERGY || what == WTL_AMD_POWER;
    if (found->second && (main || what == WTL_AMD_POWER_LIMIT || what >= WTL_AMD_SLOWED_POWER))
        return;
    int rc = look_at(found, number, what);
    double scale = rows[row].scale;
    if (what == WTL_AMD_ENERGY)
        scale = opened.library->energy_tick_j();
    if ((rc == 0 || rc == -ENODATA) && scale > 0)
        add_channel(list, found, number, row, scale);
    else if (what == WTL_AMD_ENERGY && found->unit_unknown)
        wtl_gpu_note(list, "gpu-%zu: energy: a counter with an unknown unit is not used", number);
    else if (main || rc != -ENOTSUP)
        note_missing(list, number, rows[row].word, rc);
}

/* A part of a divided device (CPX and the like) has the address of the device; its values would be those of all parts. */
static int whole_of(const struct found *found, size_t number)
{
    const uint64_t function = 7;
    for (size_t i = 0; i < number; i++)
        if (found[i].device.pci[0] &&
            (found[i].library.bdf | function) == (found[number].library.bdf | function))
            return (int)i;
    return WTL_GPU_NO;
}

/* A device that cannot be described stays in the list, so that the others keep their numbers, without channels. */
static int describe(struct found *found,
                    size_t number,
                    int *shown_by_rocr,
                    struct wtl_gpu_list *list)
{
    struct wtl_gpu_device *device = &found[number].device;
    struct wtl_amd_device *library = &found[number].library;
    *device = wtl_gpu_device_init();
    int rc = opened.library->describe(number, library);
    if (rc < 0) {
        (void)snprintf(device->name, sizeof device->name, "AMD GPU");
        wtl_gpu_note(list, "gpu-%zu: %s cannot describe it: %s", number, opened.library->name,
                     wtl_strerror(rc));
        return rc;
    }
    write_pci(device->pci, sizeof device->pci, library->bdf);
    (void)snprintf(device->uuid, sizeof device->uuid, "%s", library->uuid);
    (void)snprintf(device->name, sizeof device->name, "%s", library->name);
    device->numa = wtl_gpu_numa_of(device->pci);
    device->asleep = wtl_gpu_is_asleep(device->pci);
    device->parent = whole_of(found, number);
    const struct wtl_visible_devices visible = wtl_visible_devices();
    device->hidden = !wtl_visible_to_rocm(&visible, (int)number, device->uuid, shown_by_rocr);
    found[number].open = device->parent < 0 && !device->asleep;
    if (device->asleep) /* nothing was looked at */
        found[number].energy_rc = found[number].power_rc = found[number].limit_rc = -ENODATA;
    return 0;
}

static void add_channels(struct wtl_gpu_list *list, const struct found *found, size_t number)
{
    for (size_t row = 0; found->open && row < sizeof rows / sizeof *rows; row++)
        add_row(list, found, number, row);
    if (!found->device.asleep)
        return;
    /* Whether it has a counter, and of which unit, is not known before it is awake. */
    for (size_t row = 0; found->device.parent < 0 && row < sizeof rows / sizeof *rows; row++)
        if (rows[row].what == WTL_AMD_POWER)
            add_channel(list, found, number, row, rows[row].scale);
    wtl_gpu_note(list, "gpu-%zu: asleep and not woken; its power is measured once it is awake",
                 number);
}

static int list_devices(struct found *found,
                        size_t count,
                        struct wtl_gpu_list *list,
                        struct wattle_error *err)
{
    int failed = 0, shown_by_rocr = 0;
    size_t described = 0;
    for (size_t i = 0; i < count; i++) {
        int rc = describe(found, i, &shown_by_rocr, list);
        described += rc == 0;
        failed = rc < 0 ? rc : failed;
    }
    if (described == 0)
        return wtl_fail(err, failed, "%s: cannot describe any GPU: %s", opened.library->name,
                        wtl_strerror(failed));
    for (size_t i = 0; i < count; i++)
        if (found[i].open)
            read_device(&found[i], i, list);
    pair_dies(found, count, list);
    for (size_t i = 0; i < count; i++) {
        (void)wtl_gpu_add_device(list, &found[i].device); /* out of memory is remembered */
        add_channels(list, &found[i], i);
    }
    return list->out_of_memory ? wtl_no_memory(err) : 0;
}

static void rocm_close(void)
{
    if (opened.library)
        opened.library->close();
    if (opened.handle)
        (void)dlclose(opened.handle); /* also when the library refuses */
    memset(&opened, 0, sizeof opened);
}

/* Open one of the two from a file: its devices are counted on success. */
static int open_file(const struct wtl_amd_library *library,
                     const char *file,
                     struct wtl_gpu_list *list,
                     size_t *ret_count,
                     struct wattle_error *err)
{
    int rc = wtl_gpu_library(&wtl_gpu_rocm, file, &opened.handle, err);
    if (rc < 0)
        return rc;
    rc = dlsym(opened.handle, library->mark)
             ? library->open(&wtl_gpu_rocm, opened.handle, list, ret_count, err)
             : wtl_fail(err, -ENOTSUP, "rocm: %s is not %s", file, library->name);
    if (rc < 0) {
        (void)dlclose(opened.handle); /* nothing of it is used */
        opened.handle = NULL;
        return rc;
    }
    opened.library = library;
    return 0;
}

__attribute__((format(printf, 3, 4))) static bool is_there(char *path,
                                                           size_t n,
                                                           const char *format,
                                                           ...)
{
    va_list args;
    va_start(args, format);
    int used = vsnprintf(path, n, format, args);
    va_end(args);
    void *handle = used > 0 && (size_t)used < n ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (handle)
        (void)dlclose(handle); /* opened again below */
    return handle != NULL;
}

/* In the folder of the newest of several versions side by side. */
static bool is_beside(const char *file, char *path, size_t n)
{
    glob_t found;
    char pattern[64];
    const char *newest = NULL;
    (void)snprintf(pattern, sizeof pattern, "/opt/rocm-*/lib*/%s", file);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc; i++)
        newest = !newest || strverscmp(found.gl_pathv[i], newest) > 0 ? found.gl_pathv[i] : newest;
    bool there = newest && is_there(path, n, "%s", newest);
    globfree(&found);
    return there;
}

/* Where it is: ROCm's packages do not always tell the dynamic linker of their folder, and those that programs need at run time
 * have the name with its version only. */
static bool find_file(const char *file, char *path, size_t n)
{
    const char *rocm = getenv("ROCM_PATH");
    if ((rocm && rocm[0] == '/' && is_there(path, n, "%s/lib/%s", rocm, file)) ||
        is_there(path, n, "%s", file))
        return true;
    for (int version = NEWEST; version > 0; version--) {
        if (is_there(path, n, "%s.%d", file, version))
            return true;
    }
    return is_there(path, n, "/opt/rocm/lib/%s", file) ||
           is_there(path, n, "/opt/rocm/lib64/%s", file) || is_beside(file, path, n);
}

/* The first library that finds devices; why AMD SMI did not is a note if ROCm SMI does. */
static int open_any(struct wtl_gpu_list *list, size_t *ret_count, struct wattle_error *err)
{
    struct wattle_error first = {0};
    int rc = 0;
    for (size_t i = 0; i < LIBRARIES; i++) {
        char file[PATH_MAX];
        if (!find_file(files[i], file, sizeof file))
            continue;
        struct wattle_error why = {0};
        int now = open_file(both[i], file, list, ret_count, &why);
        if (now == 0 && rc < 0)
            wtl_gpu_note(list, "%s is used instead of %s: %s", both[i]->name, both[0]->name,
                         first.text);
        if (now == 0)
            return 0;
        if (rc == 0) {
            rc = now;
            first = why;
        }
    }
    if (rc == 0) /* none is there: the sentence of the one to install */
        return wtl_gpu_library(&wtl_gpu_rocm, NULL, &opened.handle, err);
    return wtl_fail(err, rc, "%s", first.text);
}

static int rocm_open(const char *file, struct wtl_gpu_list *list, struct wattle_error *err)
{
    size_t count = 0;
    int rc;
    if (!file)
        rc = open_any(list, &count, err);
    else {
        rc = open_file(both[0], file, list, &count, err);
        if (rc == -ENOTSUP)
            rc = open_file(both[1], file, list, &count, err);
    }
    if (rc < 0)
        return rc;
    count = count < DEVICES_MAX ? count : DEVICES_MAX;
    struct found *found = count > 0 ? calloc(count, sizeof *found) : NULL;
    rc = found ? list_devices(found, count, list, err) : wtl_no_memory(err);
    free(found);
    if (rc < 0)
        rocm_close();
    return rc;
}

static int rocm_read(const struct wtl_gpu_list *list, size_t channel, uint64_t *ret_raw)
{
    const struct wtl_gpu_channel *from = &list->channels[channel];
    const struct wtl_gpu_device *device = &list->devices[from->device];
    bool average = false;
    uint64_t raw = 0;
    if (!opened.library)
        return -ENODEV;
    if (wtl_gpu_is_asleep(device->pci)) /* reading would wake it */
        return -ENODATA;
    int rc = value_of(device, from->key[1], (enum wtl_amd_what)from->key[0], &raw, &average);
    if (rc == 0 && from->kind == WATTLE_COUNTER && raw == 0)
        rc = -ENODATA; /* a counter that has counted is not 0: the device is in reset */
    if (rc == 0)
        *ret_raw = raw;
    return rc;
}

static int rocm_processes(const struct wtl_gpu_list *list,
                          size_t device,
                          struct wtl_gpu_processes *ret)
{
    (void)list;
    return opened.library && opened.library->processes ? opened.library->processes(device, ret)
                                                       : -ENOTSUP;
}

const struct wtl_gpu_backend wtl_gpu_rocm = {.name = "rocm",
                                             .needs =
                                                 "AMD's ROCm (packages amd-smi-lib, rocm-smi-lib)",
                                             .libraries = {"libamd_smi.so", "librocm_smi64.so"},
                                             .open = rocm_open,
                                             .read = rocm_read,
                                             .processes = rocm_processes,
                                             .close = rocm_close};

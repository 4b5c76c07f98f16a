/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drivers "nvml", "rocm" and "levelzero" (energy and power), and "nvml_use", "rocm_use" and "levelzero_use" (activity): what
 * wattle-gpu tells of the GPUs of one vendor. Each source has its own process, which is asked for all its channels in one
 * request, a round: each channel shows its value of the round once, with its own time.
 *
 * After a crash or a hang the process is started again, and the list compared: if the devices are others, the numbers of the
 * channels mean something else, and all of them have a gap from then on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/hash.h"
#include "sensors/gpu/gauge_table.h"
#include "sensors/gpu/gpu_stream.h"
#include "source/driver.h"

/* Of a list: below the patience for drivers that are opened (base/errand.h). A library that starts eight GPUs which no process
 * has kept awake takes several seconds. */
static const uint64_t LIST_NS = 9000000000, READ_NS = 2000000000;

/* What shows that there may be such devices, so that no process is started elsewhere: files, or one of the libraries in a
 * folder of LD_LIBRARY_PATH. */
struct vendor {
    const char *name, *who, *remedy;
    const char *files[4], *libraries[4];
};

static const struct vendor vendors[] = {
    {"nvml",
     "NVIDIA",
     "load NVIDIA's driver with: modprobe nvidia",
     {"/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg"},
     {"libnvidia-ml.so.1"}},
    {"rocm",
     "AMD",
     "load AMD's driver with: modprobe amdgpu",
     {"/dev/kfd"},
     {"libamd_smi.so", "librocm_smi64.so"}},
    {"levelzero",
     "Intel",
     "load Intel's driver with: modprobe xe, or i915",
     {"/sys/bus/pci/drivers/xe", "/sys/bus/pci/drivers/i915"},
     {"libze_loader.so.1"}},
};

struct gpu {
    const struct vendor *vendor;
    bool activity;
    struct wtl_gpu_stream stream;
    uint64_t identity; /* of the list from which the channels were made */
    struct slot {
        int number;     /* the helper's */
        bool wanted;    /* asked for in each round */
        uint64_t round; /* the one of the value below; 0 = none */
        bool shown;
        struct wattle_reading value;
    } * slots; /* parallel to the source's channels */
    size_t count;
    uint64_t round;
    struct wtl_gpu_line_device devices[WTL_GPU_DEVICES];
    int device_count;
};

/* ---- presence ---- */

static bool is_in_path(const struct wtl_world *world, const char *library)
{
    const char *at = world->ops->getenv(world, "LD_LIBRARY_PATH");
    while (at && *at) {
        char path[512];
        size_t n = strcspn(at, ":");
        if (n > 0 &&
            snprintf(path, sizeof path, "%.*s/%s", (int)n, at, library) < (int)sizeof path &&
            world->ops->exists(world, path))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

/* A recording of a simulated node, of whose folders nothing is kept: only its conversation tells. */
static bool is_kept(const struct wtl_world *world)
{
    return world->simulated && world->virtual_time;
}

static bool is_present(const struct wtl_world *world, const struct vendor *vendor)
{
    if (is_kept(world))
        return true;
    for (size_t i = 0; i < sizeof vendor->files / sizeof *vendor->files; i++) {
        if (vendor->files[i] && !world->simulated && world->ops->exists(world, vendor->files[i]))
            return true; /* those of a simulated node are in the path only */
        if (vendor->libraries[i] && is_in_path(world, vendor->libraries[i]))
            return true;
    }
    return false;
}

/* ---- the list ---- */

/* Add to a number that identifies the list what makes its channels what they are. */
static uint64_t identify(uint64_t identity, const struct wtl_gpu_line *line)
{
    char text[512] = "";
    if (line->kind == WTL_GPU_LINE_DEVICE)
        (void)snprintf(text, sizeof text, "device %d %s %s %d", line->number, line->device.uuid,
                       line->device.pci, line->device.parent);
    else if (line->kind == WTL_GPU_LINE_CHANNEL)
        (void)snprintf(text, sizeof text, "channel %d %d %s %d %d %d %.17g %llu %s", line->number,
                       line->of_device, line->channel.name, line->channel.sub,
                       (int)line->channel.kind, (int)line->channel.quantity, line->channel.scale,
                       (unsigned long long)line->channel.modulus, line->channel.location);
    return wtl_hash_bytes(identity, text, strlen(text));
}

/* Ask for the list and hand each line to `take` (NULL: none): 0 with its identity, or -errno. */
static int ask_list(struct gpu *gpu,
                    int (*take)(struct wtl_source *source, const struct wtl_gpu_line *line),
                    struct wtl_source *source,
                    uint64_t *ret_identity,
                    struct wattle_error *err)
{
    struct wtl_gpu_line line;
    struct wtl_gpu_stream *stream = &gpu->stream;
    uint64_t deadline_ns = wtl_world_monotonic(stream->world) + LIST_NS;
    int rc = wtl_gpu_stream_ask(stream, "list\n", deadline_ns);
    *ret_identity = WTL_HASH_START;
    for (line.kind = WTL_GPU_LINE_OTHER; rc == 0 && line.kind != WTL_GPU_LINE_END;) {
        char none[] = "", *text = none;
        rc = wtl_gpu_stream_line(stream, &text, deadline_ns);
        if (rc == 0 && wtl_gpu_line_parse(text, &line) < 0) {
            rc = -EBADMSG;
            wtl_gpu_stream_end(stream, rc);
        }
        if (rc == 0 && line.kind == WTL_GPU_LINE_FAILURE)
            return wtl_fail(err, -line.number, "%s", line.text);
        if (rc == 0)
            *ret_identity = identify(*ret_identity, &line);
        if (rc == 0 && take)
            rc = take(source, &line);
    }
    stream->is_new = rc < 0;
    return rc;
}

/* ---- opening ---- */

static void take_device(struct wtl_source *source, const struct wtl_gpu_line *line)
{
    struct gpu *gpu = source->impl;
    const struct wtl_gpu_line_device *device = &line->device;
    if (line->number != gpu->device_count || line->number >= WTL_GPU_DEVICES)
        return; /* its channels are then not taken */
    gpu->devices[gpu->device_count++] = *device;
    if (gpu->activity)
        return;
    if (device->parent >= 0)
        wtl_source_note(source,
                        "gpu-%d has MIG instances: they have no sensor of their own, and its "
                        "energy is that of all of them",
                        device->parent);
    else if (device->hidden)
        wtl_source_note(source,
                        "gpu-%d (%.48s) is hidden from programs by the environment; its energy is "
                        "measured as well",
                        line->number, device->uuid);
}

/* "pci 0000:65:00.0, node 1, GPU-5f1a, nvmlDeviceGetTotalEnergyConsumption" */
static void place(const struct wtl_gpu_line_device *device, struct wattle_channel *channel)
{
    char call[96], node[24] = "", text[sizeof channel->location + 64];
    (void)snprintf(call, sizeof call, "%.95s", channel->location);
    if (device->numa >= 0)
        (void)snprintf(node, sizeof node, ", node %d", device->numa);
    (void)snprintf(text, sizeof text, "%s%s%s%s%s%s%s", device->pci[0] ? "pci " : "", device->pci,
                   node, device->pci[0] ? ", " : "", device->uuid, device->uuid[0] ? ", " : "",
                   call);
    (void)snprintf(channel->location, sizeof channel->location, "%.159s", text);
}

static int take_channel(struct wtl_source *source, const struct wtl_gpu_line *line)
{
    struct gpu *gpu = source->impl;
    struct wattle_channel channel = line->channel;
    if (line->activity != gpu->activity || line->of_device >= gpu->device_count)
        return 0;
    const struct wtl_gpu_line_device *device = &gpu->devices[line->of_device];
    bool is_named = line->activity || line->spare || channel.domain == WATTLE_DOMAIN_BOARD ||
                    channel.domain == WATTLE_DOMAIN_OTHER;
    channel.index = line->of_device;
    if (!is_named)
        channel.name[0] = '\0';
    if (line->awake)
        channel.flags |= WATTLE_CHANNEL_AWAKE;
    if (device->asleep)
        channel.flags |= WATTLE_CHANNEL_ASLEEP;
    if (line->activity) /* it is not energy of the GPU's domain */
        channel.flags &= ~(unsigned)WATTLE_CHANNEL_PRIMARY;
    place(device, &channel);
    (void)snprintf(channel.label, sizeof channel.label, "%.31s", device->name);
    if (wtl_grow(&gpu->slots, gpu->count, sizeof *gpu->slots) < 0)
        return -ENOMEM;
    int rc = wtl_source_add(source, &channel);
    if (rc < 0)
        return rc == -ENOMEM ? rc : 0; /* named twice: the first one counts */
    wtl_gauge_known(source, (size_t)rc, device->name);
    gpu->slots[gpu->count++] = (struct slot){.number = line->number, .wanted = !line->spare};
    return 0;
}

static int take_line(struct wtl_source *source, const struct wtl_gpu_line *line)
{
    struct gpu *gpu = source->impl;
    switch (line->kind) {
    case WTL_GPU_LINE_PROTOCOL:
        return line->number == 1 ? 0 : -EPROTO;
    case WTL_GPU_LINE_LIBRARY:
        (void)snprintf(source->about, sizeof source->about, "%s of %s GPUs, library %.80s",
                       gpu->activity ? "use, clocks, limits and heat" : "energy and power",
                       gpu->vendor->who, line->text[0] ? line->text : "unknown");
        return 0;
    case WTL_GPU_LINE_DEVICE:
        take_device(source, line);
        return 0;
    case WTL_GPU_LINE_CHANNEL:
        return gpu->count < WTL_GPU_CHANNELS ? take_channel(source, line) : 0;
    case WTL_GPU_LINE_NOTE:
        if (!gpu->activity)
            wtl_source_note(source, "%s", line->text);
        return 0;
    default:
        return 0;
    }
}

static int cannot_start(const struct gpu *gpu, int rc, struct wattle_error *err)
{
    const char *name = gpu->vendor->name;
    if (rc == -ENOTSUP)
        return wtl_fail(err, -EACCES,
                        "%s: inside another program no process may be started that reads GPUs; "
                        "start wattled, or the program with \"wattle run\"",
                        name);
    if (rc == -ENOENT)
        return wtl_fail(err, -ENODEV, "%s: wattle-gpu not found; it is installed with wattle",
                        name);
    return wtl_fail(err, rc, "%s: cannot start wattle-gpu: %s", name, wtl_strerror(rc));
}

static int no_list(const struct gpu *gpu, int rc, struct wattle_error *err)
{
    const char *name = gpu->vendor->name;
    if (rc == -EPIPE)
        return wtl_fail(err, -EIO,
                        "%s: the library crashed while it listed the devices; reinstall it", name);
    if (rc == -ETIMEDOUT)
        return wtl_fail(err, rc, "%s: the library did not list the devices in %.0f s; see dmesg",
                        name, (double)LIST_NS * 1e-9);
    if (rc == -EPROTO || rc == -EBADMSG)
        return wtl_fail(err, rc, "%s: wattle-gpu is of another version; reinstall wattle", name);
    return rc;
}

static void take_library(struct wtl_source *source, struct gpu *gpu)
{
    char variable[64];
    const char *library = wtl_source_param(source, "library");
    if (!library[0]) { /* that of the energy's driver serves both */
        wtl_config_variable(gpu->vendor->name, "library", variable, sizeof variable);
        library = source->world->ops->getenv(source->world, variable);
    }
    (void)snprintf(gpu->stream.library, sizeof gpu->stream.library, "%s", library ? library : "");
}

static int open_vendor(struct wtl_source *source,
                       const struct vendor *vendor,
                       bool activity,
                       struct wattle_error *err)
{
    struct gpu *gpu = source->impl = calloc(1, sizeof *gpu);
    if (!gpu)
        return -ENOMEM;
    gpu->vendor = vendor;
    gpu->activity = activity;
    wtl_gpu_stream_init(&gpu->stream, source->world, vendor->name);
    take_library(source, gpu);
    bool present = gpu->stream.library[0] || is_present(source->world, vendor);
    int rc = present ? wtl_gpu_stream_start(&gpu->stream) : -ENODEV;
    if (!present || (rc == -ENOENT && is_kept(source->world)))
        return wtl_fail(err, -ENODEV, "%s: no %s GPU with its driver; if there is one, %s",
                        source->driver->name, vendor->who, vendor->remedy);
    if (rc < 0)
        return cannot_start(gpu, rc, err);
    struct wattle_error why = {""};
    rc = ask_list(gpu, take_line, source, &gpu->identity, &why);
    if (rc < 0 && why.text[0])
        return wtl_fail(err, rc, "%s", why.text);
    return rc < 0 ? no_list(gpu, rc, err) : 0;
}

/* ---- reading ---- */

/* Have a running process with the known list. */
static int start_round(struct gpu *gpu)
{
    uint64_t identity = gpu->identity;
    int rc = wtl_gpu_stream_start(&gpu->stream);
    if (rc == 0 && gpu->stream.is_new)
        rc = ask_list(gpu, NULL, NULL, &identity, NULL);
    if (rc == 0 && identity != gpu->identity) {
        wtl_gpu_stream_end(&gpu->stream, -ENODEV);
        rc = -ENODEV;
    }
    return rc;
}

/* Ask for up to WTL_GPU_VALUES of the wanted channels from *at on, before `end`; *at moves on. */
static int ask_some(struct gpu *gpu, size_t *at, size_t end)
{
    char request[4096];
    size_t asked[WTL_GPU_VALUES], n = 0;
    struct wattle_reading values[WTL_GPU_VALUES];
    struct wtl_gpu_line line;
    struct wtl_gpu_asked asked_at = {.from_ns = wtl_world_monotonic(gpu->stream.world)};
    uint64_t deadline_ns = asked_at.from_ns + READ_NS;
    int used = snprintf(request, sizeof request, "read");
    for (; *at < end && n < WTL_GPU_VALUES; (*at)++) {
        if (!gpu->slots[*at].wanted)
            continue;
        asked[n++] = *at;
        used +=
            snprintf(request + used, sizeof request - (size_t)used, " %d", gpu->slots[*at].number);
    }
    if (n == 0)
        return 0;
    memcpy(request + used, "\n", 2);
    char none[] = "", *text = none;
    int rc = wtl_gpu_stream_ask(&gpu->stream, request, deadline_ns);
    if (rc == 0)
        rc = wtl_gpu_stream_line(&gpu->stream, &text, deadline_ns);
    if (rc < 0)
        return rc;
    if (text[0] == '!' && wtl_gpu_line_parse(text, &line) == 0)
        return line.number == ESTALE ? -ENODEV : -line.number;
    asked_at.to_ns = wtl_world_monotonic(gpu->stream.world);
    if (wtl_gpu_values_parse(text, n, asked_at, values) < 0) {
        wtl_gpu_stream_end(&gpu->stream, -EBADMSG);
        return -EBADMSG;
    }
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = &gpu->slots[asked[i]];
        slot->value = values[i];
        slot->round = gpu->round;
        slot->shown = false;
    }
    wtl_gpu_stream_good(&gpu->stream);
    return 0;
}

_Static_assert(WTL_GPU_VALUES * 8 + 8 < 4096, "room for the numbers of a request");

/* Ask for the wanted channels from `first` on, before `end`. */
static int ask_from(struct gpu *gpu, size_t first, size_t end)
{
    int rc = start_round(gpu);
    for (size_t at = first; rc == 0 && at < end;)
        rc = ask_some(gpu, &at, end);
    return rc == -EPIPE ? -EIO : rc; /* it crashed */
}

static bool is_due(const struct gpu *gpu, const struct slot *slot)
{
    return slot->round == 0 || slot->round != gpu->round || slot->shown;
}

/* One that is wanted for the first time joins the round that the others are in: a new one for it alone would leave the
 * others a round behind from then on. */
static int refresh(struct gpu *gpu, size_t channel)
{
    struct slot *slot = &gpu->slots[channel];
    bool joins = !slot->wanted && gpu->round > 0;
    slot->wanted = true;
    if (joins)
        return ask_from(gpu, channel, channel + 1);
    gpu->round++;
    return ask_from(gpu, 0, gpu->count);
}

static struct wattle_reading read_one(struct gpu *gpu, size_t channel)
{
    struct slot *slot = &gpu->slots[channel];
    int rc = is_due(gpu, slot) ? refresh(gpu, channel) : 0;
    slot->shown = true;
    if (rc < 0)
        return (struct wattle_reading){.status = rc,
                                       .time_ns = wtl_world_monotonic(gpu->stream.world)};
    return slot->value;
}

static void gpu_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = read_one(source->impl, first + i);
}

static void gpu_close(struct wtl_source *source)
{
    struct gpu *gpu = source->impl;
    if (gpu) {
        wtl_gpu_stream_close(&gpu->stream);
        free(gpu->slots);
    }
    free(gpu);
    source->impl = NULL;
}

/* ---- the drivers ---- */

static const struct wtl_param gpu_params[] = {
    {"library", "", "file of the vendor's library, instead of the installed one"},
    {NULL, NULL, NULL},
};

#define ENERGY_FLAGS   (WTL_DRIVER_SLOW | WTL_DRIVER_BRISK | WTL_DRIVER_TIMED)
#define ACTIVITY_FLAGS (WTL_DRIVER_SLOW | WTL_DRIVER_ACTIVITY | WTL_DRIVER_TIMED)

#define DRIVER(NAME, VENDOR, ACTIVITY, FLAGS, SUMMARY)                          \
    static int open_##NAME(struct wtl_source *source, struct wattle_error *err) \
    {                                                                           \
        return open_vendor(source, &vendors[VENDOR], ACTIVITY, err);            \
    }                                                                           \
    static bool is_lengthy_##NAME(const struct wtl_world *world)                \
    {                                                                           \
        return is_present(world, &vendors[VENDOR]);                             \
    }                                                                           \
    extern const struct wtl_driver wtl_driver_##NAME;                           \
    const struct wtl_driver wtl_driver_##NAME = {.name = #NAME,                 \
                                                 .summary = (SUMMARY),          \
                                                 .flags = (FLAGS),              \
                                                 .params = gpu_params,          \
                                                 .open = open_##NAME,           \
                                                 .read = gpu_read,              \
                                                 .close = gpu_close,            \
                                                 .is_lengthy = is_lengthy_##NAME}

DRIVER(nvml, 0, false, ENERGY_FLAGS, "energy and power of NVIDIA's GPUs (libnvidia-ml)");
DRIVER(rocm, 1, false, ENERGY_FLAGS, "energy and power of AMD's GPUs (AMD SMI or ROCm SMI)");
DRIVER(levelzero, 2, false, ENERGY_FLAGS, "energy and power of Intel's GPUs (Level Zero Sysman)");
DRIVER(nvml_use, 0, true, ACTIVITY_FLAGS, "use, clocks, limits and heat of NVIDIA's GPUs");
DRIVER(rocm_use, 1, true, ACTIVITY_FLAGS, "use, clocks, limits and heat of AMD's GPUs");
DRIVER(levelzero_use, 2, true, ACTIVITY_FLAGS, "use, clocks, limits and heat of Intel's GPUs");

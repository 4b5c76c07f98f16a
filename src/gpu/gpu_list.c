/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of devices and channels that a backend fills: see backend.h. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/grow.h"
#include "gpu/backend.h"

struct wtl_gpu_device wtl_gpu_device_init(void)
{
    return (struct wtl_gpu_device){
        .parent = WTL_GPU_NO, .numa = WTL_GPU_NO, .module = WTL_GPU_NO, .dies = 1};
}

struct wtl_gpu_channel wtl_gpu_channel_init(int device,
                                            const char *word,
                                            enum wattle_quantity quantity,
                                            enum wattle_kind kind)
{
    struct wtl_gpu_channel channel = {.device = device,
                                      .quantity = quantity,
                                      .kind = kind,
                                      .domain = WATTLE_DOMAIN_GPU,
                                      .sub = WTL_GPU_NO,
                                      .scale = 1};
    (void)snprintf(channel.word, sizeof channel.word, "%s", word);
    return channel;
}

int wtl_gpu_add_device(struct wtl_gpu_list *list, const struct wtl_gpu_device *device)
{
    if (wtl_grow(&list->devices, list->device_count, sizeof *list->devices) < 0) {
        list->out_of_memory = true;
        return -ENOMEM;
    }
    list->devices[list->device_count] = *device;
    return (int)list->device_count++;
}

int wtl_gpu_add_channel(struct wtl_gpu_list *list, const struct wtl_gpu_channel *channel)
{
    if (wtl_grow(&list->channels, list->channel_count, sizeof *list->channels) < 0) {
        list->out_of_memory = true;
        return -ENOMEM;
    }
    list->channels[list->channel_count] = *channel;
    return (int)list->channel_count++;
}

void wtl_gpu_note(struct wtl_gpu_list *list, const char *format, ...)
{
    if (wtl_grow(&list->notes, list->note_count, sizeof *list->notes) < 0) {
        list->out_of_memory = true;
        return;
    }
    struct wtl_gpu_note *note = &list->notes[list->note_count++];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(note->text, sizeof note->text, format, args);
    va_end(args);
}

bool wtl_gpu_wait_for_count(struct wtl_gpu_list *list)
{
    enum { WAITS = 25 };
    const struct timespec ten_ms = {.tv_nsec = 10000000};
    return list->waits++ < WAITS && nanosleep(&ten_ms, NULL) == 0;
}

/* Whether a power gauge of the same part shows that it draws some. */
static bool draws(const struct wtl_gpu_backend *backend,
                  const struct wtl_gpu_list *list,
                  const struct wtl_gpu_channel *part)
{
    for (size_t i = 0; i < list->channel_count; i++) {
        const struct wtl_gpu_channel *one = &list->channels[i];
        uint64_t raw = 0;
        if (one->quantity == WATTLE_POWER && !one->activity && one->domain == part->domain &&
            one->device == part->device && one->sub == part->sub &&
            backend->read(list, i, &raw) == 0 && raw > 0)
            return true;
    }
    return false;
}

void wtl_gpu_mark_awake(const struct wtl_gpu_backend *backend, struct wtl_gpu_list *list)
{
    for (size_t i = 0; i < list->channel_count; i++) {
        struct wtl_gpu_channel *one = &list->channels[i];
        const char *pci = list->devices[one->device].pci;
        one->awake = one->quantity == WATTLE_ENERGY && one->kind == WATTLE_COUNTER && pci[0] &&
                     !wtl_gpu_may_sleep(pci) && draws(backend, list, one);
    }
}

void wtl_gpu_list_fini(struct wtl_gpu_list *list)
{
    free(list->devices);
    free(list->channels);
    free(list->notes);
    *list = (struct wtl_gpu_list){0};
}

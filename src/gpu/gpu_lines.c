/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers as lines: see gpu_lines.h. */
#include "gpu/gpu_lines.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_encoded(FILE *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte > ' ' && byte < 0x7f && byte != '%')
            (void)fputc(byte, out);
        else
            (void)fprintf(out, "%%%02X", byte);
    }
}

static void put_text(FILE *out, const char *key, const char *text)
{
    if (!text[0])
        return;
    (void)fprintf(out, " %s=", key);
    put_encoded(out, text);
}

static void put_index(FILE *out, const char *key, int value)
{
    if (value >= 0)
        (void)fprintf(out, " %s=%d", key, value);
}

static void put_u64(FILE *out, const char *key, uint64_t value)
{
    if (value > 0)
        (void)fprintf(out, " %s=%" PRIu64, key, value);
}

static void put_flag(FILE *out, const char *key, bool is)
{
    if (is)
        (void)fprintf(out, " %s=yes", key);
}

static void put_device(FILE *out, size_t number, const struct wtl_gpu_device *device)
{
    (void)fprintf(out, "device %zu", number);
    put_text(out, "name", device->name);
    put_text(out, "uuid", device->uuid);
    put_text(out, "pci", device->pci);
    put_index(out, "parent", device->parent);
    put_index(out, "numa", device->numa);
    put_index(out, "module", device->module);
    if (device->dies > 1)
        (void)fprintf(out, " die=%d dies=%d", device->die, device->dies);
    put_flag(out, "hidden", device->hidden);
    put_flag(out, "asleep", device->asleep);
    (void)fputc('\n', out);
}

static void put_channel(FILE *out, size_t number, const struct wtl_gpu_channel *channel)
{
    (void)fprintf(out, "channel %zu device=%d word=%s quantity=%d kind=%d domain=%d scale=%.17g",
                  number, channel->device, channel->word, (int)channel->quantity,
                  (int)channel->kind, (int)channel->domain, channel->scale);
    put_index(out, "sub", channel->sub);
    put_u64(out, "modulus", channel->modulus);
    put_u64(out, "refresh_ns", channel->refresh_ns);
    put_u64(out, "window_ns", channel->window_ns);
    if (channel->max_w > 0)
        (void)fprintf(out, " max_w=%.17g", channel->max_w);
    put_flag(out, "awake", channel->awake);
    put_flag(out, "activity", channel->activity);
    put_flag(out, "spare", channel->spare);
    put_text(out, "location", channel->location);
    (void)fputc('\n', out);
}

void wtl_gpu_write_list(FILE *out,
                        const struct wtl_gpu_backend *backend,
                        const struct wtl_gpu_list *list)
{
    (void)fprintf(out, "protocol 1\nlibrary %s ", backend->name);
    put_encoded(out, list->library);
    (void)fputc('\n', out);
    for (size_t i = 0; i < list->device_count; i++)
        put_device(out, i, &list->devices[i]);
    for (size_t i = 0; i < list->channel_count; i++)
        put_channel(out, i, &list->channels[i]);
    for (size_t i = 0; i < list->note_count; i++) {
        (void)fputs("note ", out);
        put_encoded(out, list->notes[i].text);
        (void)fputc('\n', out);
    }
    (void)fputs(".\n", out);
}

void wtl_gpu_write_processes(FILE *out, const struct wtl_gpu_processes *processes)
{
    for (size_t i = 0; i < processes->count; i++) {
        const struct wtl_gpu_process *one = &processes->list[i];
        (void)fprintf(out, "process %ld", one->pid);
        if (one->used >= 0)
            (void)fprintf(out, " used=%.6f", one->used);
        if (one->memory != UINT64_MAX)
            (void)fprintf(out, " memory=%" PRIu64, one->memory);
        (void)fputc('\n', out);
    }
    (void)fputs(".\n", out);
}

void wtl_gpu_write_failure(FILE *out, int error, const char *sentence)
{
    (void)fprintf(out, "! %d %s\n", abs(error), sentence);
}

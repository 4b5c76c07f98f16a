/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to wattle-gpu: any bytes, as its whole input, against a backend without a library. Each complete line is answered. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/gpu_serve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int made_open(const char *library, struct wtl_gpu_list *list, struct wattle_error *err)
{
    (void)library, (void)err;
    struct wtl_gpu_device device = wtl_gpu_device_init();
    struct wtl_gpu_channel energy =
        wtl_gpu_channel_init(0, "energy", WATTLE_ENERGY, WATTLE_COUNTER);
    (void)wtl_gpu_add_device(list, &device);
    for (int i = 0; i < 3; i++)
        (void)wtl_gpu_add_channel(list, &energy);
    return 0;
}

static int made_read(const struct wtl_gpu_list *list, size_t channel, uint64_t *ret_raw)
{
    if (channel >= list->channel_count)
        abort();
    *ret_raw = UINT64_MAX;
    return channel == 1 ? -4095 : 0;
}

static int made_processes(const struct wtl_gpu_list *list,
                          size_t device,
                          struct wtl_gpu_processes *ret)
{
    (void)ret;
    if (device >= list->device_count)
        abort();
    return 0;
}

static void made_close(void)
{
}

static const struct wtl_gpu_backend made = {.name = "made",
                                            .open = made_open,
                                            .read = made_read,
                                            .processes = made_processes,
                                            .close = made_close};

static void check_answers(int out, size_t lines)
{
    static char text[1 << 20];
    ssize_t got = pread(out, text, sizeof text, 0);
    size_t ends = 0, from = 0;
    for (size_t i = 0; got > 0 && i < (size_t)got; i++) {
        if (text[i] != '\n')
            continue;
        ends += text[from] == '.' || text[from] == '=' || text[from] == '!';
        from = i + 1;
    }
    if (got < 0 || from != (size_t)got || ((size_t)got < sizeof text && ends > lines))
        abort(); /* a line without end, or more answers than requests */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static volatile sig_atomic_t release;
    size_t lines = 0;
    int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    if (size < 100000 && in >= 0 && out >= 0 && write(in, data, size) == (ssize_t)size &&
        lseek(in, 0, SEEK_SET) == 0) {
        (void)wtl_gpu_serve(&made, NULL, in, out, 0, &release); /* an endless line is a failure */
        if (lines < 50)
            check_answers(out, lines);
    }
    (void)close(in);
    (void)close(out);
    return 0;
}

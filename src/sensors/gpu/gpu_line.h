/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that wattle-gpu sends (docs/format/gpu-helper.md), parsed. They come from another process: everything is bounded. */
#ifndef WTL_SENSORS_GPU_LINE_H
#define WTL_SENSORS_GPU_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/channel.h>
#include <wattle/sensors.h>

enum { WTL_GPU_LINE = 16384, WTL_GPU_VALUES = 256, WTL_GPU_DEVICES = 64, WTL_GPU_CHANNELS = 1024 };

enum wtl_gpu_line_kind {
    WTL_GPU_LINE_OTHER,    /* to be skipped */
    WTL_GPU_LINE_PROTOCOL, /* number */
    WTL_GPU_LINE_LIBRARY,  /* text: its version */
    WTL_GPU_LINE_DEVICE,   /* number, device */
    WTL_GPU_LINE_CHANNEL,  /* number, channel, of_device, activity, spare */
    WTL_GPU_LINE_PROCESS,  /* number: its PID; used */
    WTL_GPU_LINE_NOTE,     /* text */
    WTL_GPU_LINE_VALUES,   /* text: what follows "= " */
    WTL_GPU_LINE_FAILURE,  /* number: errno; text: the sentence */
    WTL_GPU_LINE_END
};

struct wtl_gpu_line {
    enum wtl_gpu_line_kind kind;
    int number;
    char text[256];
    struct wtl_gpu_line_device {
        char name[96], uuid[64], pci[16];
        int parent, numa, module, die, dies; /* -1 = none */
        bool hidden, asleep;
    } device;
    struct wattle_channel channel; /* its name is the word, its location the call */
    int of_device;
    bool activity, awake, spare;
    double used; /* share of the device's time, 0 to 1; NaN = unknown */
};

/* Parse a line without its end, in place: 0, -EBADMSG. */
int wtl_gpu_line_parse(char *line, struct wtl_gpu_line *ret);

/* When a request was sent, and when its answer was here. */
struct wtl_gpu_asked {
    uint64_t from_ns, to_ns;
};

/* Parse "= RAW@TIME !ERRNO@TIME ..." of n values: 0, -EBADMSG. A time that is not between request and answer makes a failed
 * reading of it (-ETIME, at the time of the answer): what it would be a value of is not known. Does not allocate. */
int wtl_gpu_values_parse(const char *line,
                         size_t n,
                         struct wtl_gpu_asked asked,
                         struct wattle_reading *ret);

#endif

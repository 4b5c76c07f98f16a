/* SPDX-License-Identifier: BSD-3-Clause */
/* The drivers of GPU libraries: lines of wattle-gpu, and the recorded host gpu-h100. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sensors/gpu/gpu_line.h"

#include "host.h"

extern const struct wtl_driver wtl_driver_nvml, wtl_driver_nvml_use, wtl_driver_rocm;

static void test_lines(void)
{
    static const struct {
        int line;
        const char *text;
        int rc;
        enum wtl_gpu_line_kind kind;
        int number;
    } rows[] = {
        {__LINE__, ".", 0, WTL_GPU_LINE_END, 0},
        {__LINE__, "", 0, WTL_GPU_LINE_OTHER, 0},
        {__LINE__, "later something=new", 0, WTL_GPU_LINE_OTHER, 0},
        {__LINE__, "protocol 1", 0, WTL_GPU_LINE_PROTOCOL, 1},
        {__LINE__, "protocol x", -EBADMSG, WTL_GPU_LINE_PROTOCOL, 0},
        {__LINE__, "library nvml 535.1", 0, WTL_GPU_LINE_LIBRARY, 0},
        {__LINE__, "device 3 name=A%20B pci=0000:65:00.0 later=1", 0, WTL_GPU_LINE_DEVICE, 3},
        {__LINE__, "device 3 name=A%2", -EBADMSG, WTL_GPU_LINE_DEVICE, 3},
        {__LINE__, "device 3 name", -EBADMSG, WTL_GPU_LINE_DEVICE, 3},
        {__LINE__, "device -1 name=A", -EBADMSG, WTL_GPU_LINE_DEVICE, 0},
        {__LINE__, "device", -EBADMSG, WTL_GPU_LINE_DEVICE, 0},
        {__LINE__, "channel 7 device=0 word=energy quantity=0 kind=0 scale=0.001", 0,
         WTL_GPU_LINE_CHANNEL, 7},
        {__LINE__, "channel 7 word=energy quantity=0 kind=0", -EBADMSG, WTL_GPU_LINE_CHANNEL, 7},
        {__LINE__, "channel 7 device=0 word=Energy", -EBADMSG, WTL_GPU_LINE_CHANNEL, 7},
        {__LINE__, "channel 7 device=0 word=e scale=0", -EBADMSG, WTL_GPU_LINE_CHANNEL, 7},
        {__LINE__, "channel 7 device=0 word=e kind=3", -EBADMSG, WTL_GPU_LINE_CHANNEL, 7},
        {__LINE__, "channel 7 device=0 word=e quantity=99", -EBADMSG, WTL_GPU_LINE_CHANNEL, 7},
        {__LINE__, "channel 7 device=0 word=e max_w=-1", -EBADMSG, WTL_GPU_LINE_CHANNEL, 7},
        {__LINE__, "process 12 used=0.25 memory=1", 0, WTL_GPU_LINE_PROCESS, 12},
        {__LINE__, "process 12", 0, WTL_GPU_LINE_PROCESS, 12},
        {__LINE__, "process 0 used=0.25", -EBADMSG, WTL_GPU_LINE_PROCESS, 0},
        {__LINE__, "process 12 used=1.5", -EBADMSG, WTL_GPU_LINE_PROCESS, 12},
        {__LINE__, "process -1", -EBADMSG, WTL_GPU_LINE_PROCESS, 0},
        {__LINE__, "note a%0Ab", 0, WTL_GPU_LINE_NOTE, 0},
        {__LINE__, "! 13 no permission", 0, WTL_GPU_LINE_FAILURE, 13},
        {__LINE__, "! 0 none", -EBADMSG, WTL_GPU_LINE_FAILURE, 0},
        {__LINE__, "! no permission", -EBADMSG, WTL_GPU_LINE_FAILURE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[128];
        struct wtl_gpu_line line = {.number = 0};
        tap_line = rows[i].line;
        (void)snprintf(text, sizeof text, "%s", rows[i].text);
        int rc = wtl_gpu_line_parse(text, &line);
        is_int(rc, rows[i].rc, "\"%s\"", rows[i].text);
        if (rc == 0)
            ok(line.kind == rows[i].kind && line.number == rows[i].number, "its kind");
    }
    tap_line = 0;
    char text[] = "device 0 name=A%20%1B%41 uuid=%47PU-1 parent=2 dies=2 hidden=yes asleep=no";
    struct wtl_gpu_line line;
    is_int(wtl_gpu_line_parse(text, &line), 0, "a device");
    is_str(line.device.name, "A ?A", "decoded, without what a terminal would obey");
    is_str(line.device.uuid, "GPU-1", "decoded");
    ok(line.device.parent == 2 && line.device.numa == -1 && line.device.dies == 2 &&
           line.device.hidden && !line.device.asleep,
       "numbers and flags");
    char note[] = "note a%0Ab";
    is_int(wtl_gpu_line_parse(note, &line), 0, "a note");
    is_str(line.text, "a?b", "is one line");
    char awake[] = "channel 0 device=0 word=energy scale=0.001 awake=yes";
    ok(wtl_gpu_line_parse(awake, &line) == 0 && line.awake, "a counter that cannot stand still");
    char maybe[] = "channel 0 device=0 word=energy scale=0.001";
    ok(wtl_gpu_line_parse(maybe, &line) == 0 && !line.awake, "and one that may");
}

static void test_values(void)
{
    static const struct {
        int line;
        const char *text;
        size_t n;
        int rc;
    } rows[] = {
        {__LINE__, "= 1@2", 1, 0},
        {__LINE__, "= 1@2 !19@3", 2, 0},
        {__LINE__, "= 1@2 3@4", 1, -EBADMSG},
        {__LINE__, "= 1@2", 2, -EBADMSG},
        {__LINE__, "=", 1, -EBADMSG},
        {__LINE__, "= 1", 1, -EBADMSG},
        {__LINE__, "= !0@1", 1, -EBADMSG},
        {__LINE__, "= -1@1", 1, -EBADMSG},
        {__LINE__, "= 1@2 ", 1, -EBADMSG},
        {__LINE__, "1@2", 1, -EBADMSG},
        {__LINE__, "= 99999999999999999999@1", 1, -EBADMSG},
    };
    const struct wtl_gpu_asked any_time = {0, UINT64_MAX};
    struct wattle_reading got[2];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_int(wtl_gpu_values_parse(rows[i].text, rows[i].n, any_time, got), rows[i].rc, "\"%s\"",
               rows[i].text);
    }
    tap_line = 0;
    is_int(wtl_gpu_values_parse("= 18446744073709551615@2 !19@3", 2, any_time, got), 0,
           "two values");
    ok(got[0].raw == UINT64_MAX && got[0].time_ns == 2 && got[0].status == 0, "the first");
    ok(got[1].raw == 0 && got[1].time_ns == 3 && got[1].status == -ENODEV, "the second failed");
}

/* Asked at 100, answered at 200. */
static void test_times(void)
{
    static const struct {
        int line;
        const char *text, *what;
        uint64_t time_ns, raw;
        int status;
    } rows[] = {
        {__LINE__, "= 7@100", "at once", 100, 7, 0},
        {__LINE__, "= 7@200", "just now", 200, 7, 0},
        {__LINE__, "= 7@99", "before the request", 200, 0, -ETIME},
        {__LINE__, "= 7@0", "at the start of the machine", 200, 0, -ETIME},
        {__LINE__, "= 7@201", "in the future", 200, 0, -ETIME},
        {__LINE__, "= 7@18446744073709551615", "at the end of time", 200, 0, -ETIME},
        {__LINE__, "= !19@150", "a failure", 150, 0, -ENODEV},
        {__LINE__, "= !19@1000", "a failure in the future", 200, 0, -ENODEV},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_reading got;
        tap_line = rows[i].line;
        is_int(wtl_gpu_values_parse(rows[i].text, 1, (struct wtl_gpu_asked){100, 200}, &got), 0,
               "%s", rows[i].what);
        ok(got.time_ns == rows[i].time_ns && got.raw == rows[i].raw && got.status == rows[i].status,
           "time, value and status");
    }
    tap_line = 0;
}

static void test_channels(void)
{
    struct host host = host_open("gpu-h100", &wtl_driver_nvml, NULL);
    is_int(host.rc, 0, "opens: %s", host.said);
    is_int((long)host.source.count, 3, "channels");
    const struct wattle_channel *energy = host_channel(&host, "nvml:gpu-1");
    const struct wattle_channel *power = host_channel(&host, "nvml:power_instant-0");
    ok(energy && power, "named");
    if (!energy || !power)
        return;
    is_str(energy->label, "NVIDIA H100 80GB HBM3", "label");
    is_str(energy->location,
           "pci 0000:3b:00.0, node 1, GPU-66666666-7777-8888-9999-aaaaaaaaaaaa, "
           "nvmlDeviceGetTotalEnergyConsumption",
           "provenance");
    ok(energy->quantity == WATTLE_ENERGY && energy->kind == WATTLE_COUNTER &&
           energy->domain == WATTLE_DOMAIN_GPU && energy->max_w == 1400 &&
           energy->flags & WATTLE_CHANNEL_SLOW,
       "an energy counter");
    ok(power->quantity == WATTLE_POWER && power->kind == WATTLE_WINDOW_AVERAGE &&
           power->window_ns < power->refresh_ns,
       "a gauge that sees a part of the time, as is known of the model");
    ok(strstr(host.said, "MIG"), "instances are mentioned: %s", host.said);
    host_close(&host, "gpu-h100");

    host = host_open("gpu-h100", &wtl_driver_nvml_use, NULL);
    is_int(host.rc, 0, "opens: %s", host.said);
    ok(host_channel(&host, "nvml_use:sm_clock-0") && host_channel(&host, "nvml_use:power_limit-1"),
       "activity");
    host_close(&host, "gpu-h100");

    host = host_open("gpu-h100", &wtl_driver_rocm, NULL);
    is_int(host.rc, -ENODEV, "no other vendor");
    ok(strstr(host.said, "AMD"), "says so: %s", host.said);
    host_close(&host, "gpu-h100");
}

static void test_truth(void)
{
    static const struct {
        int line;
        double from, to, gpu_0, gpu_1;
    } rows[] = {{__LINE__, 1, 4, 300, 100}, {__LINE__, 4, 6, 500, 100}, {__LINE__, 6, 7, 700, 100}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open("gpu-h100", &wtl_driver_nvml, NULL);
        tap_line = rows[i].line;
        is_double(host_power(&host, "nvml:gpu-0", rows[i].from, rows[i].to), rows[i].gpu_0, 0.5,
                  "gpu-0");
        host_close(&host, "gpu-h100");
        host = host_open("gpu-h100", &wtl_driver_nvml, NULL);
        is_double(host_power(&host, "nvml:gpu-1", rows[i].from, rows[i].to), rows[i].gpu_1, 0.5,
                  "gpu-1");
        host_close(&host, "gpu-h100");
    }
    tap_line = 0;
}

/* One round serves both; each shows it once. */
static void test_rounds(void)
{
    struct host host = host_open("gpu-h100", &wtl_driver_nvml, NULL);
    host_at(&host, 1);
    struct wattle_reading a = host_read(&host, "nvml:gpu-0"), b = host_read(&host, "nvml:gpu-1");
    struct wattle_reading c = host_read(&host, "nvml:gpu-0");
    ok(a.time_ns == b.time_ns, "one request for both");
    ok(c.time_ns > a.time_ns, "and a new one for what has been shown");
    host_close(&host, "gpu-h100");

    host = host_open("gpu-h100", &wtl_driver_nvml, NULL);
    uint64_t before_ns = 0;
    for (int second = 1; second < 4; second++) { /* a gauge, spare, is read beside the counters */
        host_at(&host, second);
        a = host_read(&host, "nvml:gpu-0");
        c = host_read(&host, "nvml:power_instant-0");
        b = host_read(&host, "nvml:gpu-1");
        is_int(c.status, 0, "the gauge is read");
        ok(b.time_ns == a.time_ns && a.time_ns - before_ns > 900000000,
           "no value is of an earlier round");
        before_ns = a.time_ns;
    }
    host_close(&host, "gpu-h100");
}

static void test_failures(void)
{
    static const struct {
        int line;
        double at;
        int gpu_0, gpu_1;
        const char *what;
    } rows[] = {
        {__LINE__, 7, 0, 0, "before"},
        {__LINE__, 8.5, 0, -ENODEV, "a lost device does not affect the other"},
        {__LINE__, 10.5, 0, 0, "it is back"},
        {__LINE__, 12.5, -EIO, -EIO, "a crash"},
        {__LINE__, 12.6, -EIO, -EIO, "not started again at once"},
        {__LINE__, 14, 0, 0, "started again"},
        {__LINE__, 20.5, -ETIMEDOUT, -ETIMEDOUT, "a hang"},
    };
    struct host host = host_open("gpu-h100", &wtl_driver_nvml, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        host_at(&host, rows[i].at);
        struct wattle_reading a = host_read(&host, "nvml:gpu-0");
        struct wattle_reading b = host_read(&host, "nvml:gpu-1");
        is_int(a.status, rows[i].gpu_0, "%s: gpu-0", rows[i].what);
        is_int(b.status, rows[i].gpu_1, "%s: gpu-1", rows[i].what);
        ok(a.time_ns > 0 && (a.status == 0) == (a.raw > 0), "time, and no number with a failure");
    }
    tap_line = 0;
    host_close(&host, "gpu-h100");
}

int main(void)
{
    test_lines();
    test_values();
    test_times();
    test_channels();
    test_truth();
    test_rounds();
    test_failures();
    return done_testing();
}

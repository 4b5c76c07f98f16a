/* SPDX-License-Identifier: BSD-3-Clause */
/* The conversation of wattle-gpu with a backend whose devices are made up: every request, and the library closed and opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config/visible_devices.h"
#include "base/fail.h"
#include "base/grow.h"
#include "gpu/gpu_serve.h"

#include "tap.h"

static int opened, closed, changes_at = -1, refuses_at = -1;
static double scale_later = 0.001;

static int made_open(const char *library, struct wtl_gpu_list *list, struct wattle_error *err)
{
    int turn = opened++;
    if (turn == refuses_at)
        return wtl_fail(err, -EACCES, "made: no permission for %s", library ? library : "it");
    struct wtl_gpu_device device = wtl_gpu_device_init();
    struct wtl_gpu_channel energy =
                               wtl_gpu_channel_init(0, "energy", WATTLE_ENERGY, WATTLE_COUNTER),
                           clock = wtl_gpu_channel_init(0, "clock", WATTLE_FREQUENCY, WATTLE_GAUGE);
    (void)snprintf(list->library, sizeof list->library, "1 b");
    (void)snprintf(device.name, sizeof device.name, "50 %% \xc3\xa4");
    (void)snprintf(device.uuid, sizeof device.uuid, "GPU-%d", turn == changes_at);
    device.numa = 1;
    energy.scale = turn > 0 ? scale_later : 0.001;
    clock.activity = true;
    (void)wtl_gpu_add_device(list, &device);
    (void)wtl_gpu_add_channel(list, &energy);
    (void)wtl_gpu_add_channel(list, &clock);
    wtl_gpu_note(list, "a note");
    return 0;
}

static unsigned release_s; /* for which a released library stays closed */

static int made_read(const struct wtl_gpu_list *list, size_t channel, uint64_t *ret_raw)
{
    (void)list;
    *ret_raw = 7;
    return channel == 1 ? -ENODEV : 0;
}

static int made_processes(const struct wtl_gpu_list *list,
                          size_t device,
                          struct wtl_gpu_processes *ret)
{
    (void)list, (void)device;
    if (wtl_grow(&ret->list, ret->count, sizeof *ret->list) < 0)
        return -ENOMEM;
    ret->list[ret->count++] =
        (struct wtl_gpu_process){.pid = 12, .used = 0.5, .memory = UINT64_MAX};
    return 0;
}

static void made_close(void)
{
    closed++;
}

static const struct wtl_gpu_backend made = {.name = "made",
                                            .open = made_open,
                                            .read = made_read,
                                            .processes = made_processes,
                                            .close = made_close};

/* The answers to requests, with every time replaced by '#': each is what follows an '@'. */
static int talk(const char *requests, char *answers, size_t size)
{
    int in[2], out[2];
    static volatile sig_atomic_t release;
    static char raw[65536];
    opened = closed = 0;
    if (pipe(in) < 0 || pipe(out) < 0)
        return -1;
    ok(write(in[1], requests, strlen(requests)) == (ssize_t)strlen(requests), "asked");
    (void)close(in[1]);
    int rc = wtl_gpu_serve(&made, NULL, in[0], out[1], release_s, &release);
    (void)close(out[1]);
    ssize_t got = read(out[0], raw, sizeof raw - 1);
    (void)close(in[0]);
    (void)close(out[0]);
    raw[got > 0 ? got : 0] = '\0';
    size_t used = 0;
    for (const char *at = raw; *at && used + 2 < size; at++) {
        answers[used++] = *at;
        if (*at == '@') {
            at += strspn(at + 1, "0123456789");
            answers[used++] = '#';
        }
    }
    answers[used] = '\0';
    return rc;
}

#define LIST                                                                              \
    "protocol 1\nlibrary made 1%20b\ndevice 0 name=50%20%25%20%C3%A4 uuid=GPU-0 numa=1\n" \
    "channel 0 device=0 word=energy quantity=0 kind=0 domain=6 scale=0.001\n"             \
    "channel 1 device=0 word=clock quantity=3 kind=1 domain=6 scale=1 activity=yes\n"     \
    "note a%20note\n.\n"

#define BUSY "! 16 made: let go of the devices, as asked; reads go on in a while\n"

static void test_requests(void)
{
    static const struct {
        int line;
        const char *requests, *answers;
        int changes_at, refuses_at, opened;
    } rows[] = {
        {__LINE__, "", "", -1, -1, 0},
        {__LINE__, "list\n", LIST, -1, -1, 1},
        {__LINE__, "list\nread 0 1\n", LIST "= 7@# !19@#\n", -1, -1, 1},
        {__LINE__, "list\nread 1 0 0\n", LIST "= !19@# 7@# 7@#\n", -1, -1, 1},
        {__LINE__, "list\nread 2\n", LIST "! 22 made: read needs 1 to 256 numbers of channels\n",
         -1, -1, 1},
        {__LINE__, "list\nread\n", LIST "! 22 made: read needs 1 to 256 numbers of channels\n", -1,
         -1, 1},
        {__LINE__, "list\nread 0x\n", LIST "! 22 made: read needs 1 to 256 numbers of channels\n",
         -1, -1, 1},
        {__LINE__, "read 0\n", "! 22 made: ask for the list first\n", -1, -1, 0},
        {__LINE__, "list\nprocesses 0\n", LIST "process 12 used=0.500000\n.\n", -1, -1, 1},
        {__LINE__, "list\nprocesses 9\n",
         LIST "! 22 made: processes needs the number of a device\n", -1, -1, 1},
        {__LINE__, "sing\n", "! 95 made: unknown request\n", -1, -1, 0},
        {__LINE__, "list\n", "! 13 made: no permission for it\n", -1, 0, 1},
        {__LINE__, "list\nrelease\nread 0\n", LIST ".\n= 7@#\n", -1, -1, 2},
        {__LINE__, "list\nrelease\nread 0\n", LIST ".\n! 116 made: the devices have changed\n", 1,
         -1, 2},
        {__LINE__, "list\nrelease\nread 0\nread 0\n",
         LIST ".\n! 13 made: no permission for it\n= 7@#\n", -1, 1, 3},
    };
    static char answers[65536];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        changes_at = rows[i].changes_at;
        refuses_at = rows[i].refuses_at;
        is_int(talk(rows[i].requests, answers, sizeof answers), 0, "ends with its input");
        is_str(answers, rows[i].answers, "answers");
        is_int(opened, rows[i].opened, "opened");
        is_int(closed, opened - (rows[i].refuses_at >= 0), "closed as often");
    }
    tap_line = 0;
    release_s = 3600;
    changes_at = refuses_at = -1;
    is_int(talk("list\nrelease\nread 0\nread 1\n", answers, sizeof answers), 0, "ends");
    is_str(answers, LIST ".\n" BUSY BUSY, "closed for a while");
    release_s = 0;
    scale_later = 1e-6;
    (void)talk("list\nrelease\nread 0\n", answers, sizeof answers);
    is_str(answers, LIST ".\n! 116 made: the devices have changed\n", "joules of another unit");
    scale_later = 0.001;
    static char endless[5000];
    memset(endless, 'r', sizeof endless - 1);
    is_int(talk(endless, answers, sizeof answers), -EMSGSIZE, "a request without end");
}

static uint64_t power_raw;
static int power_status;

static int read_power(const struct wtl_gpu_list *list, size_t channel, uint64_t *ret_raw)
{
    (void)list, (void)channel;
    *ret_raw = power_raw;
    return power_status;
}

/* A counter and a gauge beside it. The address is of no device, so that it has no power management. */
static void test_awake(void)
{
    static const struct wtl_gpu_backend backend = {.read = read_power};
    static const struct {
        int line;
        const char *pci;
        int sub; /* of the gauge */
        uint64_t raw;
        int status;
        bool awake;
    } rows[] = {
        {__LINE__, "ffff:fe:1d.7", WTL_GPU_NO, 30000, 0, true},
        {__LINE__, "ffff:fe:1d.7", WTL_GPU_NO, 0, 0, false},
        {__LINE__, "ffff:fe:1d.7", WTL_GPU_NO, 30000, -ENODATA, false},
        {__LINE__, "ffff:fe:1d.7", 0, 30000, 0, false},
        {__LINE__, "", WTL_GPU_NO, 30000, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_gpu_list list = {0};
        struct wtl_gpu_device device = wtl_gpu_device_init();
        struct wtl_gpu_channel energy =
                                   wtl_gpu_channel_init(0, "energy", WATTLE_ENERGY, WATTLE_COUNTER),
                               power = wtl_gpu_channel_init(0, "power", WATTLE_POWER, WATTLE_GAUGE);
        tap_line = rows[i].line;
        (void)snprintf(device.pci, sizeof device.pci, "%s", rows[i].pci);
        power.sub = rows[i].sub;
        power_raw = rows[i].raw;
        power_status = rows[i].status;
        ok(wtl_gpu_add_device(&list, &device) == 0 && wtl_gpu_add_channel(&list, &energy) == 0 &&
               wtl_gpu_add_channel(&list, &power) == 1,
           "a list");
        wtl_gpu_mark_awake(&backend, &list);
        is_int(list.channels[0].awake, rows[i].awake, "the counter");
        ok(!list.channels[1].awake, "not the gauge");
        wtl_gpu_list_fini(&list);
    }
    tap_line = 0;
}

static void test_cost(void)
{
    static char answers[65536];
    changes_at = refuses_at = -1;
    is_int(talk("list\ncost\nread 0 1\nread 0\ncost\n", answers, sizeof answers), 0, "ends");
    ok(strstr(answers, "cost requests=0 values=0 library_ns=0 cpu_ns="), "nothing was read so far");
    ok(strstr(answers, "cost requests=2 values=3 library_ns="), "then three values: %s", answers);
}

static void test_visible(void)
{
    static const struct {
        int line;
        const char *list;
        int index;
        const char *uuid;
        bool visible;
    } rows[] = {
        {__LINE__, NULL, 3, "GPU-a", true},
        {__LINE__, "", 0, "GPU-a", false},
        {__LINE__, "0,2", 2, "GPU-a", true},
        {__LINE__, "0,2", 1, "GPU-a", false},
        {__LINE__, "GPU-ab,GPU-c", 5, "GPU-c1", true},
        {__LINE__, "GPU-ab", 5, "GPU-a", false},
        {__LINE__, "0,-1,2", 2, "GPU-a", false},
        {__LINE__, "10", 1, "GPU-a", false},
        {__LINE__, "NoDevFiles", 0, "GPU-a", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_int(wtl_visible_in_list(rows[i].list, rows[i].index, rows[i].uuid), rows[i].visible,
               "\"%s\"", rows[i].list ? rows[i].list : "(none)");
    }
    tap_line = 0;
}

int main(void)
{
    test_requests();
    test_awake();
    test_cost();
    test_visible();
    return done_testing();
}

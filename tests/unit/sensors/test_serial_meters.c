/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drivers of serial meters on a pseudo-terminal, whose other end is the meter: its lines, damage, a cable that is pulled, a meter that
 * restarts. Time is the test's own, so that nothing waits for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/world/world.h"
#include "model/reading.h"
#include "record/continuity.h"
#include "sensors/meters/meter_line.h"
#include "source/driver.h"
#include "tap.h"

extern const struct wtl_driver wtl_driver_line_meter, wtl_driver_wattsup;

struct rig {
    int meter; /* our end */
    char device[64];
    const char *first; /* what the meter says when it is greeted */
    char greeting[64];
    struct wtl_source source;
    struct wattle_error err;
    int rc;
};

static uint64_t later_ns; /* by how much the world's clock is ahead */
static uint64_t most_ns;  /* that anything is waited for; 0 = as long as the driver wants */

static uint64_t now_ns(const struct wtl_world *world, clockid_t clock)
{
    (void)world;
    return wtl_world_real()->ops->now_ns(wtl_world_real(), clock) + later_ns;
}

/* Deadlines are on this clock: the real one gets them as they are. */
static ssize_t receive(const struct wtl_world *world,
                       int fd,
                       void *buf,
                       size_t n,
                       uint64_t deadline)
{
    (void)world;
    uint64_t real = deadline > later_ns ? deadline - later_ns : 0;
    uint64_t most = wtl_world_real()->ops->now_ns(wtl_world_real(), CLOCK_MONOTONIC) + most_ns;
    real = most_ns > 0 && real > most ? most : real;
    return wtl_world_real()->ops->recv(wtl_world_real(), fd, buf, n, real);
}

static const char *settings_folder;

static const char *environment(const struct wtl_world *world, const char *name)
{
    (void)world;
    return strcmp(name, "WATTLE_CALIBRATION") == 0 ? settings_folder : NULL;
}

static const struct wtl_world *test_world(void)
{
    static struct wtl_world_ops ops;
    static struct wtl_world world;
    ops = *wtl_world_real()->ops;
    ops.now_ns = now_ns;
    ops.recv = receive;
    ops.getenv = environment;
    world = *wtl_world_real();
    world.ops = &ops;
    return &world;
}

static void say(const struct rig *rig, const char *text)
{
    size_t n = strlen(text);
    if (write(rig->meter, text, n) != (ssize_t)n)
        diag("the line is full");
}

static void *answer(void *argument)
{
    struct rig *rig = argument;
    struct pollfd look = {.fd = rig->meter, .events = POLLIN};
    if (poll(&look, 1, 20000) > 0 && look.revents & POLLIN)
        (void)!read(rig->meter, rig->greeting, sizeof rig->greeting - 1);
    say(rig, rig->first);
    return NULL;
}

/* A pseudo-terminal; its name may be another one than before. */
static void plug(struct rig *rig)
{
    rig->meter = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (rig->meter < 0 || grantpt(rig->meter) < 0 || unlockpt(rig->meter) < 0 ||
        ptsname_r(rig->meter, rig->device, sizeof rig->device) != 0)
        skip_all("no pseudo-terminals here");
}

static void start(struct rig *rig, const struct wtl_driver *driver, const char *first)
{
    static struct wtl_setting one;
    static struct wtl_settings settings;
    pthread_t thread;
    *rig = (struct rig){.first = first};
    plug(rig);
    one = (struct wtl_setting){driver->name, "address", rig->device};
    settings = (struct wtl_settings){1, &one};
    (void)pthread_create(&thread, NULL, answer, rig);
    rig->rc = wtl_source_open(&rig->source, driver, test_world(), &settings, NULL, &rig->err);
    (void)pthread_join(thread, NULL);
    if (rig->rc < 0)
        diag("%s", rig->err.text);
}

static void end(struct rig *rig)
{
    wtl_source_close(&rig->source);
    if (rig->meter >= 0)
        (void)close(rig->meter);
}

/* Bytes reach the other end of a pseudo-terminal a little later: read until the wanted comes, or there is nothing else. */
static struct wattle_reading read_one(struct rig *rig, size_t channel)
{
    struct wattle_reading out;
    (void)usleep(20000);
    rig->source.driver->read(&rig->source, channel, 1, &out);
    return out;
}

static const char *framed(const char *body)
{
    static char lines[8][600]; /* a few are used at the same time */
    static unsigned turn;
    char *line = lines[turn++ % 8];
    (void)snprintf(line, sizeof lines[0], "$%s*%04X\r\n", body, wtl_meter_crc(body, strlen(body)));
    return line;
}

static const char *introduction(const char *channels[], unsigned boot)
{
    static char text[2000];
    char body[200];
    unsigned count = 0;
    while (channels[count])
        count++;
    (void)snprintf(body, sizeof body, "WM1,rig,%u,40000,%u", boot, count);
    (void)snprintf(text, sizeof text, "12,13*00FF\r\n%s", framed(body)); /* the end of a line */
    for (unsigned i = 0; i < count; i++)
        strcat(text, framed(channels[i]));
    return text;
}

/* One counter and one mean power: what is lost, and what is not. */
static void check_line_meter(void)
{
    const char *channels[] = {"WC1,0,uJ,node,wall", "WC1,1,mW,board,12V", NULL};
    char first[2500];
    struct rig rig;
    (void)snprintf(first, sizeof first, "%s%s", introduction(channels, 7),
                   framed("WD1,7,100,1000000,5000000,30000"));
    start(&rig, &wtl_driver_line_meter, first);
    if (!ok(rig.rc == 0 && rig.source.count == 2, "it opens with two channels"))
        goto out;
    is_str(rig.greeting, "?\n", "it greets the meter");
    is_str(rig.source.channels[0].name, "line_meter:node-0", "the first");
    is_str(rig.source.channels[1].name, "line_meter:board-0", "the second");
    is_int(rig.source.channels[0].quality, WATTLE_MEASURED, "a counter is measured");
    is_int(rig.source.channels[1].quality, WATTLE_DERIVED, "an integral is derived");
    struct wattle_reading wall = read_one(&rig, 0), rail = read_one(&rig, 1), next;
    ok(wall.status == 0 && rail.status == 0 && wall.time_ns > 0, "both have values");
    is_int(read_one(&rig, 0).time_ns, wall.time_ns, "nothing new has the same time");

    say(&rig, framed("WD1,7,101,1040000,9000000,50000"));
    next = read_one(&rig, 0);
    is_int(next.raw - wall.raw, 4000000000, "4 J in nJ");
    is_int(next.time_ns - wall.time_ns <= 40000000 + 20000000, 1, "times follow the meter's");
    next = read_one(&rig, 1);
    is_int(next.raw - rail.raw, UINT64_C(50000) * 40000, "50 W for 40 ms");
    wall = read_one(&rig, 0);
    rail = next;

    say(&rig, "$WD1,7,102,1080000,99000000,70000*1234\n"); /* a wrong watt, and its checksum */
    is_int(read_one(&rig, 0).status, -EBADMSG, "a damaged line is a gap");
    is_int(read_one(&rig, 1).status, -EBADMSG, "on each channel");
    is_int(read_one(&rig, 0).status, 0, "once");
    say(&rig, framed("WD1,7,103,1120000,17000000,50000"));
    is_int(read_one(&rig, 0).raw - wall.raw, 8000000000, "the counter has it all");
    next = read_one(&rig, 1);
    ok(next.status == 0 && next.raw < rail.raw, "the mean has lost some, and says so");
    rail = next;
    say(&rig, framed("WD1,7,105,1200000,25000000,50000"));   /* 104 is lost, ... */
    say(&rig, framed("WD1,7,106,61200000,25000001,600000")); /* ... and then 36 kJ come */
    next = read_one(&rig, 1);
    ok(next.status == 0 && next.raw < rail.raw,
       "what comes until the next reading does not make up for what is lost");
out:
    end(&rig);
}

static const struct wtl_gap *last_gap;

static void keep_gap(void *context, const struct wtl_gap *gap)
{
    static struct wtl_gap kept;
    (void)context;
    kept = *gap;
    last_gap = &kept;
}

/* Restarts, a pulled cable, and what the recording makes of it. */
static void check_restart(void)
{
    const char *channels[] = {"WC1,0,uJ,node,wall", NULL};
    char first[2500];
    struct rig rig;
    struct wtl_continuity continuity;
    uint64_t value = 0, before = 0;
    (void)snprintf(first, sizeof first, "%s%s", introduction(channels, 7),
                   framed("WD1,7,1,1000000,5000000"));
    start(&rig, &wtl_driver_line_meter, first);
    if (!ok(rig.rc == 0, "it opens"))
        goto out;
    wtl_continuity_init(&continuity, &rig.source.channels[0], keep_gap, NULL);
    struct wattle_reading r = read_one(&rig, 0);
    (void)wtl_continuity_read(&continuity, r.time_ns, r.raw, &before);
    say(&rig, framed("WD1,8,0,2000,30000000")); /* another boot, and a larger counter */
    r = read_one(&rig, 0);
    ok(r.status == 0 && !wtl_continuity_read(&continuity, r.time_ns + 1000000000, r.raw, &value),
       "a restart may be one wrong value");
    ok(wtl_continuity_read(&continuity, r.time_ns + 2000000000, r.raw, &value),
       "it goes on after a restart");
    is_int(value - before, 0, "without the energy that nobody measured");
    ok(last_gap && last_gap->reason == WTL_GAP_RESET &&
           wtl_gap_loses_energy(last_gap->reason, WATTLE_COUNTER),
       "which is a gap that loses energy");

    later_ns += UINT64_C(5000000000);
    is_int(read_one(&rig, 0).status, -ETIMEDOUT, "silence is a gap");
    (void)close(rig.meter);
    rig.meter = -1;
    is_int(read_one(&rig, 0).status, -ENODEV, "a pulled cable is a gap");
    is_int(read_one(&rig, 0).status, -ENODEV, "and stays one");
out:
    end(&rig);
}

/* Counts of an ADC need a calibration. */
static void check_calibration(void)
{
    const char *channels[] = {"WC1,0,adc,board,hall", "WC1,1,adc,board,shunt",
                              "WC1,2,adc,board,none", NULL};
    char first[2500], path[] = "/tmp/wattle-test.XXXXXX";
    static const char text[] =
        "[meter rig hall]\noffset_counts = 2048\nvolts = 12\nadc_volts_per_count = 0.001\n"
        "volts_per_ampere = 0.1\n[meter rig shunt]\noffset_counts = 0\nvolts = 5\n"
        "adc_volts_per_count = 0.001\nshunt_ohms = 0.01\namplifier_gain = 20\n";
    struct rig rig;
    int fd = mkstemp(path);
    ok(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1, "a calibration");
    settings_folder = path;
    (void)snprintf(first, sizeof first, "%s%s", introduction(channels, 7),
                   framed("WD1,7,1,1000000,2048,0,5"));
    start(&rig, &wtl_driver_line_meter, first);
    if (ok(rig.rc == 0 && rig.source.count == 2, "two of three channels are calibrated")) {
        ok(rig.source.note_count == 1 && strstr(rig.source.notes[0].text, "[meter rig none]"),
           "the third is noted: %s", rig.source.note_count ? rig.source.notes[0].text : "");
        uint64_t hall = read_one(&rig, 0).raw, shunt = read_one(&rig, 1).raw;
        say(&rig, framed("WD1,7,2,2000000,2148,200,5"));
        is_int(read_one(&rig, 0).raw - hall, 12000000000, "100 counts: 1 A at 12 V for 1 s");
        is_int(read_one(&rig, 1).raw - shunt, 5000000000, "200 counts: 1 A at 5 V for 1 s");
        say(&rig, framed("WD1,7,3,3000000,2047,-,5"));
        uint64_t same = read_one(&rig, 0).raw - hall;
        is_int(same, 12000000000, "noise below 0 does not count down");
        is_int(read_one(&rig, 1).status, -ENODATA, "an unknown value is a gap");
    }
    end(&rig);
    (void)close(fd);
    (void)unlink(path);
    settings_folder = NULL;
}

/* Another speed shows as garbage. */
static void check_garbage(void)
{
    struct rig rig;
    char garbage[3000];
    for (size_t i = 0; i + 1 < sizeof garbage; i++)
        garbage[i] = (char)(1 + (i * 2654435761u >> 7) % 255);
    garbage[sizeof garbage - 1] = '\0';
    most_ns = 300000000;
    start(&rig, &wtl_driver_line_meter, garbage);
    most_ns = 0;
    is_int(rig.rc, -ENODEV, "no meter");
    ok(strstr(rig.err.text, "check address and speed") != NULL, "it says: %s", rig.err.text);
    end(&rig);
    rig = (struct rig){.meter = -1};
    rig.rc =
        wtl_source_open(&rig.source, &wtl_driver_line_meter, test_world(), NULL, NULL, &rig.err);
    is_int(rig.rc, -ENODEV, "no address");
    end(&rig);
}

static void check_wattsup(void)
{
    struct rig rig;
    start(&rig, &wtl_driver_wattsup,
          "0,_,97,_,_,600,1217;\r\n#d,-,18,1184,1203,1012,40,_,_,_,1190,_,_,_,_,_,97,_,_,600,1217;"
          "\r\n");
    if (!ok(rig.rc == 0 && rig.source.count == 1, "a WattsUp opens"))
        goto out;
    is_str(rig.greeting, "#L,W,3,E,,1;", "it is asked for a record each second");
    is_str(rig.source.channels[0].name, "wattsup:node-0", "its channel");
    struct wattle_reading r = read_one(&rig, 0);
    is_double(wtl_channel_value(&rig.source.channels[0], r.raw), 118.4, 1e-9, "118.4 W");
    say(&rig, "#d,-,18,1284,1203,1096,40,_,_,_,1190,_,_,_");
    is_int(read_one(&rig, 0).time_ns, r.time_ns, "half a record is nothing new");
    say(&rig, ",_,_,97,_,_,600,1217;\r\n");
    is_double(0.1 * (double)read_one(&rig, 0).raw, 128.4, 1e-9, "until it is whole");
    say(&rig, "#d,-,18,11284,1203,1096,40,_,_,_,1190,_,_,_,_,_,97,_,_,600,1217;\r\n");
    is_int(read_one(&rig, 0).status, -EBADMSG, "1128 W at 132 VA is damage");
    is_double(0.1 * (double)read_one(&rig, 0).raw, 128.4, 1e-9, "the last one stays the last one");
    later_ns += UINT64_C(4000000000);
    is_int(read_one(&rig, 0).status, -ETIMEDOUT, "silence is a gap");
out:
    end(&rig);
}

int main(void)
{
    check_line_meter();
    check_restart();
    check_calibration();
    check_garbage();
    check_wattsup();
    return done_testing();
}

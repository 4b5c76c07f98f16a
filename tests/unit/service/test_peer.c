/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a pmlib server whose meter is known: energies, gaps, late values, limits of memory, streams. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <string.h>

#include "service/pm_peer.h"

#include "tap.h"

static const uint64_t MS = 1000000;
static struct wtl_pm_value values[2];
static uint64_t now_ns = 1000000000;

static void read_value(void *context, size_t channel, struct wtl_pm_value *ret)
{
    (void)context;
    *ret = values[channel];
}

static struct wtl_pm_meter_line lines[2] = {{.name = "a", .channel = 0},
                                            {.name = "b", .channel = 1}};
static struct wtl_pm_meter meter = {.name = "m",
                                    .max_frequency = 100,
                                    .line_count = 2,
                                    .lines = lines,
                                    .patience_ns = 35000000};
static struct wtl_pm_service service;
static struct wtl_pm_peer peer;

static void begin(enum wtl_pm_dialect dialect, size_t memory)
{
    service = (struct wtl_pm_service){.meters = {.list = &meter, .count = 1, .read = read_value},
                                      .dialect = dialect,
                                      .memory = {.limit = memory}};
    for (int i = 0; i < 2; i++)
        values[i] = (struct wtl_pm_value){.time_ns = now_ns, .since_ns = 1};
    wtl_pm_peer_init(&peer, &service, "127.0.0.1");
}

static size_t ask(const struct wtl_pm_request *request, void *reply, size_t most)
{
    uint8_t bytes[WTL_PM_REQUEST_MAX];
    const uint8_t *out;
    size_t n = wtl_pm_request_write(request, bytes), got = 0, part;
    wtl_pm_peer_feed(&peer, bytes, n, now_ns);
    while ((out = wtl_pm_peer_pull(&peer, &part)) != NULL) {
        if (got + part <= most)
            memcpy((uint8_t *)reply + got, out, part);
        got += part;
        wtl_pm_peer_sent(&peer, part, now_ns);
    }
    return got;
}

static int32_t command(int32_t mark)
{
    int32_t status = -100;
    (void)ask(&(struct wtl_pm_request){.mark = mark}, &status, sizeof status);
    return status;
}

static int32_t create(int32_t frequency, int32_t aggregate)
{
    int32_t status = -100;
    (void)ask(&(struct wtl_pm_request){.mark = WTL_PM_CREATE,
                                       .name = "m",
                                       .frequency = frequency,
                                       .aggregate = aggregate,
                                       .mask = {3}},
              &status, sizeof status);
    return status;
}

/* Time passes; a line has a newer value with this power, or none if it is negative. */
static void pass(uint64_t ns, double a_w, double b_w)
{
    const double watts[] = {a_w, b_w};
    now_ns += ns;
    for (int i = 0; i < 2; i++) {
        if (watts[i] < 0)
            continue;
        values[i].energy_j += watts[i] * (double)(now_ns - values[i].time_ns) * 1e-9;
        values[i].time_ns = now_ns;
    }
    wtl_pm_peer_tick(&peer, now_ns);
}

static struct {
    int32_t count, bound_count, lines, bounds[2];
    double watts[64];
} __attribute__((packed)) data;

static void get(void)
{
    memset(&data, 0, sizeof data);
    (void)ask(&(struct wtl_pm_request){.mark = WTL_PM_GET}, &data, sizeof data);
}

/* The reply to a GET that had to wait, as far as there is one now. */
static size_t got_late(void)
{
    const uint8_t *out;
    size_t got = 0, part;
    memset(&data, 0, sizeof data);
    while ((out = wtl_pm_peer_pull(&peer, &part)) != NULL) {
        if (got + part <= sizeof data)
            memcpy((uint8_t *)&data + got, out, part);
        got += part;
        wtl_pm_peer_sent(&peer, part, now_ns);
    }
    return got;
}

static void test_means(void)
{
    begin(WTL_PM_G2, 1 << 20);
    is_int(create(50, 0), 0, "50 Hz of 100");
    is_int(command(WTL_PM_START), 0, "start");
    for (int i = 0; i < 4; i++)
        pass(10 * MS, i % 2 ? 30 : 10, 7);
    is_int(command(WTL_PM_STOP), 0, "stop");
    get();
    is_int(data.count, 4, "two samples of two lines");
    is_double(data.watts[0], 20, 1e-9, "the mean of a period, not its last value");
    is_double(data.watts[2], 7, 1e-9, "the other line");
    wtl_pm_peer_fini(&peer);

    begin(WTL_PM_G2, 1 << 20);
    is_int(create(100, 1), 0, "aggregated");
    is_int(command(WTL_PM_START), 0, "start");
    pass(10 * MS, 10, 5);
    pass(10 * MS, -1, -1);
    pass(10 * MS, -1, 5);
    pass(10 * MS, 40, 5); /* 40 W for 30 ms */
    is_int(command(WTL_PM_STOP), 0, "stop");
    get();
    is_int(data.count, 4, "four samples");
    for (int i = 0; i < 4; i++)
        is_double(data.watts[i], i == 0 ? 15 : 45, 1e-9,
                  "a late value is the mean of the time before it");
    wtl_pm_peer_fini(&peer);
}

static void test_gaps(void)
{
    begin(WTL_PM_G2, 1 << 20);
    (void)create(100, 0);
    (void)command(WTL_PM_START);
    pass(10 * MS, 10, 10);
    for (int i = 0; i < 6; i++)
        pass(10 * MS, 10, -1);
    values[1].status = -EIO;
    pass(10 * MS, 10, -1);
    values[1].status = 0;
    pass(10 * MS, 10, 10);
    pass(10 * MS, 10, 10);
    values[0].unknown_ns += 1000;
    pass(10 * MS, 10, 10);
    pass(10 * MS, 10, 10);
    (void)command(WTL_PM_STOP);
    get();
    int unknown[2] = {0, 0};
    for (int i = 0; i < 24; i++)
        unknown[i / 12] += isnan(data.watts[i]) != 0;
    is_int(data.count, 24, "twelve samples of two lines");
    is_int(unknown[0], 1, "a period with unknown energy is NaN");
    ok(unknown[1] >= 4, "so are %d that nothing is known about", unknown[1]);
    ok(!isnan(data.watts[12]) && !isnan(data.watts[22]), "the others are not");
    wtl_pm_peer_fini(&peer);

    begin(WTL_PM_G2, 1 << 20);
    (void)create(100, 1);
    (void)command(WTL_PM_START);
    pass(3 * MS, 12, 3);
    (void)command(WTL_PM_STOP);
    get();
    is_int(data.count, 1, "a set shorter than a period has one sample");
    is_double(data.watts[0], 15, 1e-9, "its mean");
    (void)command(WTL_PM_START);
    now_ns += MS;
    (void)command(WTL_PM_STOP);
    get();
    is_int(data.count, 0, "and none if no line had a new value");
    wtl_pm_peer_fini(&peer);

    begin(WTL_PM_G2, 1 << 20);
    (void)create(100, 1);
    (void)command(WTL_PM_START);
    pass(10 * MS, 10, 10);
    pass(50 * MS, 30, 10); /* the server did not run */
    (void)command(WTL_PM_STOP);
    get();
    double sum = 0;
    for (int i = 0; i < data.count; i++)
        sum += data.watts[i];
    is_int(data.count, 6, "a late server takes the samples that were due");
    is_double(sum * 0.01, 0.01 * 20 + 0.05 * 40, 1e-9, "and loses no energy");
    wtl_pm_peer_fini(&peer);
}

/* The page is written by another wattled, or by none any more: what was shown meanwhile was a guess, and is none of the samples. */
static void test_restart(void)
{
    for (int comes_back = 0; comes_back < 2; comes_back++) {
        begin(WTL_PM_G2, 1 << 20);
        (void)create(100, 0);
        (void)command(WTL_PM_START);
        pass(10 * MS, 10, 10);
        pass(10 * MS, 10, -1);
        pass(10 * MS, 10, -1);
        values[1].status = comes_back ? 0 : -ESTALE;
        values[1].since_ns += (uint64_t)comes_back;
        values[1].energy_j = 0;
        pass(10 * MS, 10, comes_back ? 10 : -1);
        (void)command(WTL_PM_STOP);
        get();
        if (!comes_back) {
            is_int(data.count, 0, "a reply waits for a value");
            pass(1900 * MS, 10, -1);
            is_int((long)got_late(), 0, "still");
            pass(200 * MS, 10, -1);
            is_int((long)got_late(), 20 + 8 * 8, "but not for long");
        }
        is_int(data.count, 8, "four samples of two lines");
        ok(!isnan(data.watts[3]) && !isnan(data.watts[4]), "until then there are values");
        for (int i = 1; i < 4; i++)
            ok(isnan(data.watts[4 + i]), "%s: sample %d is unknown",
               comes_back ? "a new page" : "no page", i);
        wtl_pm_peer_fini(&peer);
    }
}

/* wattled is late when the set ends, and knows all of it later. */
static void test_late_end(void)
{
    for (int stale = 0; stale < 2; stale++) {
        begin(WTL_PM_G2, 1 << 20);
        (void)create(100, 0);
        (void)command(WTL_PM_START);
        pass(10 * MS, 10, 10);
        for (int i = 0; i < 5; i++)
            pass(10 * MS, 10, -1);
        if (stale)
            values[1].status = -ESTALE;
        pass(10 * MS, 10, -1);
        is_int(command(WTL_PM_STOP), 0, "stop does not wait");
        get();
        is_int(data.count, 0, "get waits");
        values[1].status = 0;
        pass(20 * MS, 10, 50); /* 50 W since the last value, 80 ms ago */
        is_int((long)got_late(), 20 + 14 * 8, "then it replies");
        is_double(data.watts[7], 10, 1e-9, "the first sample");
        for (int i = 1; i < 7; i++)
            is_double(data.watts[7 + i], 50, 1e-9, "sample %d is known", i);
        is_int((long)peer.out_sent, 0, "nothing is left of a reply that was sent");
        wtl_pm_peer_fini(&peer);
    }
}

static void test_memory(void)
{
    begin(WTL_PM_G2, 16384);
    is_int(create(0, 0), 0, "a counter fits");
    is_int(command(WTL_PM_START), 0, "start");
    for (int i = 0; i < 5000; i++)
        pass(10 * MS, 10, 10);
    ok(service.memory.used <= 16384, "%zu bytes are used", service.memory.used);
    is_int(command(WTL_PM_STOP), -1, "stop says that samples are lost");
    is_int(command(WTL_PM_GET), -1, "and there is no data, rather than a part");
    is_int(command(WTL_PM_START), 0, "the next start begins anew");
    pass(10 * MS, 10, 10);
    is_int(command(WTL_PM_STOP), 0, "and works");
    get();
    is_int(data.count, 2, "again");
    wtl_pm_peer_fini(&peer);
    is_int(service.memory.used, 0, "all is given back");

    begin(WTL_PM_G2, 8);
    is_int(create(0, 0), -100, "without any memory there is not even a reply");
    is_int(peer.state, WTL_PM_LEAVING, "but the end of the connection");
    wtl_pm_peer_fini(&peer);
}

static void test_stream(void)
{
    int32_t status = -100;
    struct {
        int32_t lines;
        double watts[2];
    } __attribute__((packed)) record;
    const uint8_t *out;
    size_t n;
    begin(WTL_PM_G2, 1 << 20);
    (void)ask(&(struct wtl_pm_request){.mark = WTL_PM_READ, .name = "m", .frequency = 50}, &status,
              4);
    is_int(status, 0, "a stream");
    pass(20 * MS, 10, 20);
    out = wtl_pm_peer_pull(&peer, &n);
    is_int(n, sizeof record, "a record of all lines");
    memcpy(&record, out, n < sizeof record ? n : sizeof record);
    ok(record.lines == 2 && record.watts[0] == 10 && record.watts[1] == 20, "of means");
    for (int i = 0; i < 100000; i++)
        pass(20 * MS, 10, 20);
    (void)wtl_pm_peer_pull(&peer, &n);
    ok(n < 100000, "a reader that does not read costs %zu bytes", n);
    size_t most = 0;
    for (int i = 0; i < 100000; i++) {
        pass(20 * MS, 10, 20);
        most = service.memory.used > most ? service.memory.used : most;
        (void)wtl_pm_peer_pull(&peer, &n);
        wtl_pm_peer_sent(&peer, n < 20 ? n : 20, now_ns);
    }
    ok(most < 100000 && peer.state == WTL_PM_STREAMING, "one that is always behind costs %zu bytes",
       most);
    const int32_t words[] = {1, 1, 0};
    wtl_pm_peer_feed(&peer, (const uint8_t *)words, sizeof words, now_ns);
    is_int(peer.state, WTL_PM_LEAVING, "0 ends it");
    wtl_pm_peer_fini(&peer);

    begin(WTL_PM_G2, 1 << 20);
    int32_t reply[2] = {0, 0};
    (void)ask(&(struct wtl_pm_request){.mark = WTL_PM_READ, .name = "m", .frequency = 101}, reply,
              8);
    ok(reply[0] == -2 && reply[1] == 100, "too fast: -2 and the fastest");
    wtl_pm_peer_fini(&peer);
}

int main(void)
{
    test_means();
    test_gaps();
    test_restart();
    test_late_end();
    test_memory();
    test_stream();
    return done_testing();
}

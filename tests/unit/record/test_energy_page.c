/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy page: what a writer publishes for counters and gauges of known power is returned by a
 * reader, for now and for past times; faults are unknown time and no energy; invalid files are
 * refused; a writer takes over.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <wattle/page.h>

#include "record/energy_page.h"
#include "record/energy_slot.h"
#include "tap.h"

static const uint64_t MS = 1000000, T0 = UINT64_C(1000000000);
static const uint64_t MODULUS = UINT64_C(262144000000);

static char folder[] = "/tmp/wattle-energy-XXXXXX";

static struct wattle_channel counter(void)
{
    return (struct wattle_channel){.name = "powercap:package-0",
                                   .domain = WATTLE_DOMAIN_PACKAGE,
                                   .sub = -1,
                                   .quantity = WATTLE_ENERGY,
                                   .kind = WATTLE_COUNTER,
                                   .flags = WATTLE_CHANNEL_IN_TOTAL,
                                   .scale = 1e-6,
                                   .modulus = MODULUS,
                                   .refresh_ns = MS};
}

static struct wattle_channel gauge(void)
{
    return (struct wattle_channel){.name = "hwmon:node-0",
                                   .domain = WATTLE_DOMAIN_NODE,
                                   .sub = -1,
                                   .quantity = WATTLE_POWER,
                                   .kind = WATTLE_GAUGE,
                                   .scale = 1e-3};
}

static struct wattle_channel activity(void)
{
    return (struct wattle_channel){.name = "cputime:node-0",
                                   .quantity = WATTLE_CPU_TIME,
                                   .kind = WATTLE_COUNTER,
                                   .scale = 1e-9};
}

/* Raw value at a time of a counter of microjoules: 100 W, starting 100 J below its wrap. */
static uint64_t raw_at(uint64_t time_ns)
{
    return (MODULUS - 100000000 + (time_ns - T0) / 10) % MODULUS;
}

static int map_page(int fd, struct wattle_page *page)
{
    const void *at;
    size_t size;
    int rc = wattle_page_map_(fd, &at, &size);
    return rc < 0 ? rc : wattle_page_use_(page, at, size);
}

struct page {
    struct wattle_channel channels[3];
    struct wtl_energy_writer *writer;
    struct wtl_energy_reader *reader;
};

static bool open_held(struct page *page, const char *where, const struct wtl_energy_link *held)
{
    page->channels[0] = activity();
    page->channels[1] = counter();
    page->channels[2] = gauge();
    page->reader = NULL;
    int rc =
        wtl_energy_page_open_writer(&(struct wtl_energy_page_options){.folder = where,
                                                                      .held = held,
                                                                      .channels = page->channels,
                                                                      .count = 3,
                                                                      .interval_ns = 10 * MS},
                                    &page->writer);
    if (rc == 0 && where)
        rc = wtl_energy_page_open(where, &page->reader);
    else if (rc == 0) {
        size_t size;
        const struct wattle_page_header *header = wtl_energy_page_lend(page->writer, &size);
        rc = wtl_energy_page_attach(header, size, &page->reader);
    }
    return ok(rc == 0, "a page %s: %s", where ? "in a folder" : "in memory", strerror(-rc));
}

static bool open_page(struct page *page, const char *where)
{
    return open_held(page, where, NULL);
}

static void close_page(struct page *page)
{
    wtl_energy_page_close_writer(page->writer);
    wtl_energy_page_close(page->reader);
}

/* Counter 0 and gauge 1 of the page: 100 W and 50 W, in steps of 10 ms. */
static void feed(struct page *page, uint64_t from_ns, uint64_t to_ns)
{
    for (uint64_t t = from_ns; t <= to_ns; t += 10 * MS) {
        wtl_energy_page_publish(page->writer, 0, t, t, 0); /* activity: passed over */
        wtl_energy_page_publish(page->writer, 1, t, raw_at(t), 0);
        wtl_energy_page_publish(page->writer, 2, t, 50000, 0);
    }
}

static struct wattle_page_point newest(const struct page *page, size_t i)
{
    struct wtl_energy_view view = {.unknown = true};
    is_int(wtl_energy_page_look(page->reader, i, &view), 0, "look");
    return view.newest;
}

static void test_energy(const char *where)
{
    struct page page;
    struct wtl_energy_view view;
    if (!open_page(&page, where))
        return;
    is_int(wtl_energy_page_count(page.reader), 2, "energy and power, no activity");
    is_str(wtl_energy_page_channel(page.reader, 0)->name, "powercap:package-0", "their names");
    is_int(wtl_energy_page_pid(page.reader), getpid(), "who samples");
    is_int(wtl_energy_page_look(page.reader, 0, &view), 0, "before the first sample");
    ok(view.newest.time_ns == 0 && view.start.time_ns == 0, "nothing is known");
    feed(&page, T0, T0 + 95 * MS);
    wtl_energy_page_begin(page.writer, T0 + 95 * MS);
    feed(&page, T0 + 100 * MS, T0 + 30000 * MS);
    struct wattle_page_point n = newest(&page, 0);
    is_double(n.energy_j, 3000, 1e-6, "a counter over a wrap");
    is_int(n.unknown_ns, 0, "all of it known");
    is_double(newest(&page, 1).energy_j, 1500, 1e-6, "a gauge");
    is_double(newest(&page, 1).variance_j2, 0, 1e-12, "that stands still");
    is_int(wtl_energy_page_look(page.reader, 0, &view), 0, "look");
    is_int(view.start.time_ns, T0 + 95 * MS, "the window begins where it was said");
    is_double(view.start.energy_j, 9.5, 1e-6, "between two samples");
    ok(!wtl_energy_page_ended(page.reader), "it goes on");
    wtl_energy_page_close_writer(page.writer);
    ok(wtl_energy_page_ended(page.reader), "it has ended");
    is_double(newest(&page, 0).energy_j, 3000, 1e-6, "what was read stays");
    wtl_energy_page_close(page.reader);
}

/* A gauge whose power grows with time, so that each instant has a distinct energy: P = 1 W * t /
 * s. */
static void test_past(void)
{
    struct page page;
    const uint64_t samples = 200000; /* 2000 s at 10 ms */
    uint64_t end = T0 + (samples - 1) * 10 * MS;
    if (!open_page(&page, NULL))
        return;
    double worst_part = 0, worst_j = 0;
    for (uint64_t t = T0; t <= end; t += 10 * MS)
        wtl_energy_page_publish(page.writer, 2, t, (t - T0) / MS, 0);
    for (uint64_t age = 15 * MS; age < end - T0; age = age * 11 / 10 + 7 * MS) {
        struct wattle_page_point a, b;
        uint64_t time = end - age;
        if (wtl_energy_page_around(page.reader, 1, time, &a, &b) < 0 || a.time_ns == 0 ||
            b.time_ns == 0 || a.time_ns > time || b.time_ns < time) {
            ok(false, "samples around %llu ms ago", (unsigned long long)(age / MS));
            break;
        }
        double part = (double)(b.time_ns - a.time_ns) / (double)age;
        if (age > 640 * MS && part > worst_part)
            worst_part = part;
        double s = (double)(a.time_ns - T0) * 1e-9;
        worst_j = fmax(worst_j, fabs(a.energy_j - s * s / 2));
    }
    ok(worst_part > 0 && worst_part <= 1.0 / 28, "samples are at most a thirtieth or so apart: %g",
       worst_part);
    ok(worst_j < 1e-3, "and hold what had been used: off by %g J", worst_j);
    struct wattle_page_point a = {1, 1, 1, 1}, b = {1, 1, 1, 1};
    is_int(wtl_energy_page_around(page.reader, 1, T0 - 1, &a, &b), 0, "before the first sample");
    ok(a.time_ns == 0 && b.time_ns == T0, "there is none before");
    is_int(wtl_energy_page_around(page.reader, 1, end + MS, &a, &b), 0, "behind the last one");
    ok(a.time_ns == end && b.time_ns == 0, "there is none behind");
    is_int(wtl_energy_page_around(page.reader, 0, T0, &a, &b), 0, "of a channel without samples");
    ok(a.time_ns == 0 && b.time_ns == 0, "there is none at all");
    close_page(&page);
}

static void test_faults(void)
{
    struct page page;
    struct wtl_energy_view view;
    if (!open_page(&page, NULL))
        return;
    feed(&page, T0, T0 + 1000 * MS);
    for (uint64_t t = T0 + 1010 * MS; t <= T0 + 1500 * MS; t += 10 * MS) {
        wtl_energy_page_publish(page.writer, 1, t, 0, -EIO);
        wtl_energy_page_publish(page.writer, 2, t, 0, -EIO);
    }
    is_int(wtl_energy_page_look(page.reader, 0, &view), 0, "reads fail");
    ok(view.unknown && view.newest.time_ns == T0 + 1000 * MS, "nothing is known since");
    feed(&page, T0 + 1510 * MS, T0 + 2000 * MS);
    is_double(newest(&page, 0).energy_j, 200, 1e-6, "a counter goes on: nothing is lost");
    is_int(newest(&page, 0).unknown_ns, 0, "and all is known");
    is_double(newest(&page, 1).energy_j, 100 - 0.51 * 50, 1e-6, "a gauge was not seen");
    is_int(newest(&page, 1).unknown_ns, 510 * MS, "which is said");
    wtl_energy_page_publish(page.writer, 1, T0 + 2010 * MS, raw_at(T0 + 2010 * MS) - 40000000, 0);
    is_int(wtl_energy_page_look(page.reader, 0, &view), 0, "one value is 40 J too low");
    ok(view.unknown && view.newest.time_ns == T0 + 2000 * MS, "nothing is known since");
    feed(&page, T0 + 2020 * MS, T0 + 2050 * MS);
    is_double(newest(&page, 0).energy_j, 205, 1e-6,
              "the next one shows what it was: nothing is lost");
    is_int(newest(&page, 0).unknown_ns, 0, "and all is known");
    wtl_energy_page_publish(page.writer, 1, T0 + 2060 * MS, 5, 0); /* down: no wrap explains it */
    wtl_energy_page_publish(page.writer, 1, T0 + 2120 * MS, 6, 0);
    is_double(newest(&page, 0).energy_j, 205, 1e-6, "a counter that starts again adds nothing");
    is_int(newest(&page, 0).unknown_ns, 70 * MS, "but unknown time");
    for (uint64_t t = T0 + 2130 * MS; t <= T0 + 4010 * MS; t += 10 * MS)
        wtl_energy_page_publish(page.writer, 1, t, 6, 0);
    is_int(wtl_energy_page_look(page.reader, 0, &view), 0, "a counter stands still");
    ok(view.unknown, "a package that draws nothing has stalled");
    is_int(view.newest.unknown_ns, view.newest.time_ns - (T0 + 2050 * MS),
           "all is unknown since it was last seen to count");
    wtl_energy_page_publish(page.writer, 1, T0 + 4020 * MS, 900, 0);
    is_double(newest(&page, 0).energy_j, 205, 1e-6, "what it shows then belongs nowhere");
    is_int(newest(&page, 0).unknown_ns, 1970 * MS, "the stall is unknown");
    wtl_energy_page_publish(page.writer, 99, T0, 0, 0);
    wtl_energy_page_publish(page.writer, 1, T0, 0, 0);
    is_int(newest(&page, 0).time_ns, T0 + 4020 * MS,
           "an old time and a foreign channel change nothing");
    close_page(&page);
}

/* The gaps are those of the trace: the same readings go through the same rule. */
static void test_same_rule(void)
{
    struct page page;
    struct wtl_energy_view view;
    struct wattle_channel slow = counter();
    slow.domain = WATTLE_DOMAIN_DRAM;
    slow.scale = 0.2; /* 0.5 W: a unit each 0.4 s */
    if (!open_page(&page, NULL))
        return;
    for (uint64_t t = T0; t <= T0 + 1000 * MS; t += 10 * MS)
        wtl_energy_page_publish(page.writer, 2, t, t == T0 + 500 * MS ? 65535000 : 50000, 0);
    is_double(newest(&page, 1).energy_j, 50 - 0.02 * 50, 1e-6, "65 kW are not counted");
    is_int(newest(&page, 1).unknown_ns, 20 * MS, "but unknown time");
    close_page(&page);

    if (wtl_energy_page_open_writer(&(struct wtl_energy_page_options){.folder = NULL,
                                                                      .held = NULL,
                                                                      .channels = &slow,
                                                                      .count = 1,
                                                                      .interval_ns = 10 * MS},
                                    &page.writer) < 0)
        return;
    size_t size;
    const struct wattle_page_header *header = wtl_energy_page_lend(page.writer, &size);
    is_int(wtl_energy_page_attach(header, size, &page.reader), 0, "a counter of few units");
    bool unknown = false;
    for (uint64_t t = T0; t <= T0 + 10000 * MS; t += 10 * MS) {
        wtl_energy_page_publish(page.writer, 0, t, (t - T0) / (400 * MS), 0);
        unknown |= wtl_energy_page_look(page.reader, 0, &view) < 0 ||
                   (view.unknown && t >= T0 + 400 * MS); /* before, it is unknown whether it
                                                          * counts */
    }
    ok(!unknown, "has not stalled between two of them");
    is_double(view.newest.energy_j, 5, 1e-6, "and all of it is known");
    close_page(&page);
}

static void test_take_over(void)
{
    struct page first, second;
    if (!open_page(&first, folder))
        return;
    wtl_energy_page_begin(first.writer, T0);
    feed(&first, T0, T0 + 1000 * MS);
    uint64_t key = wtl_energy_page_key(first.reader);
    struct wtl_energy_link held = {.at = NULL};
    wtl_energy_link_hold(folder, &held);
    ok(held.at != NULL, "who may take over holds the page");
    wtl_energy_page_forget_writer(first.writer); /* as if it had been killed */
    struct wtl_energy_reader *late = NULL;
    is_int(wtl_energy_page_open(folder, &late), -ENOENT, "then nobody tells where the page is");
    if (!open_held(&second, folder, &held))
        return;
    wtl_energy_link_hold(folder, &held);
    is_int(wtl_energy_page_open(folder, &late), 0, "but the one that took over does");
    ok(late && wtl_energy_page_key(late) == key, "the same one");
    wtl_energy_page_close(late);
    ok(wtl_energy_page_key(second.reader) == key, "the page is the same");
    feed(&second, T0 + 3000 * MS, T0 + 4000 * MS);
    is_double(newest(&first, 0).energy_j, 400, 1e-6,
              "for those who had it, too: a counter goes on");
    is_int(newest(&first, 0).unknown_ns, 0, "all of it known");
    is_double(newest(&first, 1).energy_j, 100, 1e-6, "a gauge without the pause");
    is_int(newest(&first, 1).unknown_ns, 2000 * MS, "which is unknown");
    wtl_energy_page_forget_writer(second.writer);

    struct wattle_channel other = counter();
    other.scale = 1;
    is_int(wtl_energy_page_open_writer(&(struct wtl_energy_page_options){.folder = folder,
                                                                         .held = &held,
                                                                         .channels = &other,
                                                                         .count = 1,
                                                                         .interval_ns = 10 * MS},
                                       &second.writer),
           0, "other channels");
    wtl_energy_link_close(&held);
    struct wtl_energy_reader *reader = NULL;
    is_int(wtl_energy_page_open(folder, &reader), 0, "make another page");
    ok(reader && wtl_energy_page_key(reader) != key && wtl_energy_page_count(reader) == 1,
       "of their own");
    wtl_energy_page_close(reader);
    wtl_energy_page_close_writer(second.writer);
    wtl_energy_page_close(second.reader);
    wtl_energy_page_close(first.reader);
    is_int(wtl_energy_page_open(folder, &reader), -ENOENT, "a page that has ended is gone");
}

/* A counter that claims 1 ms and ticks every 100 ms: polls saw it stand still, and all readings are of different ticks. */
static void test_slow(void)
{
    struct page page, second;
    struct wtl_energy_link held = {.at = NULL};
    if (!open_page(&page, folder))
        return;
    is_int(wtl_energy_page_refresh_ns(page.reader, 0), MS, "it claims 1 ms");
    for (uint64_t t = T0; t <= T0 + 20 * MS; t += MS / 10)
        wtl_energy_page_poll(page.writer, 1, t, raw_at(T0));
    is_int(wtl_energy_page_refresh_ns(page.reader, 0), 20 * MS, "but stood still for 20 ms");
    is_int(newest(&page, 0).time_ns, 0, "a poll is no reading");
    for (unsigned i = 0; i < 5; i++)
        wtl_energy_page_publish(page.writer, 1, T0 + (100 * i + 30) * MS, raw_at(T0 + 100 * i * MS),
                                0);
    is_int(wtl_energy_page_refresh_ns(page.reader, 0), 100 * MS, "for up to 100 ms, then");
    is_int(wtl_energy_page_refresh_ns(page.reader, 1), 0, "nothing is said of others");
    wtl_energy_link_hold(folder, &held);
    wtl_energy_page_forget_writer(page.writer); /* as if it had been killed */
    if (!open_held(&second, folder, &held))
        return;
    ok(wtl_energy_page_key(second.reader) == wtl_energy_page_key(page.reader),
       "who takes over continues in that page");
    wtl_energy_page_publish(second.writer, 1, T0 + 530 * MS, raw_at(T0 + 500 * MS), 0);
    is_int(wtl_energy_page_refresh_ns(page.reader, 0), 100 * MS, "and knows it, too");
    wtl_energy_link_close(&held);
    close_page(&second);
    wtl_energy_page_close(page.reader);
}

static struct wattle_page_slot *slot_of(const struct page *page, size_t i)
{
    size_t size;
    struct wattle_page map = {.header = wtl_energy_page_lend(page->writer, &size), .socket = -1};
    map.size = size;
    return (struct wattle_page_slot *)(uintptr_t)wattle_page_slot_at(&map, i);
}

/* A writer that was killed at any moment of an update: readers have a complete sample at once, the
 * one before or the new one, and the next writer continues from it. */
static void test_torn(void)
{
    struct page page;
    struct wtl_energy_view view;
    struct wattle_page_point a, b;
    if (!open_page(&page, NULL))
        return;
    feed(&page, T0, T0 + 10 * MS);
    struct wattle_page_slot *slot = slot_of(&page, 0), before = *slot;
    wtl_energy_page_publish(page.writer, 1, T0 + 20 * MS, raw_at(T0 + 20 * MS), 0);
    struct wattle_page_slot after = *slot;
    is_int(before.sequence & 1, 0, "the sequence is even before");
    is_int(after.sequence - before.sequence, 2, "and after an update");
    const struct wattle_page_now torn = {.time_ns = 7, .energy_j = 7};
    for (int step = 0; step < 4;
         step++) { /* nothing stored, half of copy 0, all of it, half of 1 */
        *slot = step < 2 ? before : after;
        slot->sequence = before.sequence + (step < 1 ? 0 : step < 3 ? 1 : 2);
        slot->now[0] = step == 1 ? torn : slot->now[0];
        slot->now[1] = step == 2 ? before.now[1] : step == 3 ? torn : slot->now[1];
        double expected_j = step < 3 ? 1 : 2;
        is_int(wtl_energy_page_look(page.reader, 0, &view), 0, "killed at step %d: look", step);
        ok(fabs(view.newest.energy_j - expected_j) < 1e-9, "%g J", view.newest.energy_j);
        is_int(wtl_energy_page_around(page.reader, 0, T0, &a, &b), 0, "its past");
        ok(a.time_ns == T0 && b.time_ns == T0 + 10 * MS, "is complete");
        struct wattle_page_now now = wtl_energy_unlatch(slot);
        ok(fabs(now.energy_j - expected_j) < 1e-9 && slot->sequence % 2 == 0 &&
               memcmp(&slot->now[0], &slot->now[1], sizeof now) == 0,
           "the next writer continues from there");
    }
    slot->now[0].count = slot->now[1].count = UINT64_C(1) << 63; /* never lead outside */
    is_int(wtl_energy_page_look(page.reader, 0, &view), 0, "a count that makes no sense");
    is_int(wtl_energy_page_around(page.reader, 0, T0, &a, &b), 0, "is survived");
    close_page(&page);
}

/* What a public page says besides its energy, and that nobody but its writer can change it. */
static void test_public(void)
{
    struct wattle_channel channels[] = {counter(), gauge()};
    struct wtl_energy_writer *writer;
    struct wattle_page page = {.socket = -1};
    struct wattle_page_now now, moved;
    struct stat status;
    bool sealed;
    if (!is_int(
            wtl_energy_page_open_writer(&(struct wtl_energy_page_options){.channels = channels,
                                                                          .count = 2,
                                                                          .interval_ns = MS,
                                                                          .public = true,
                                                                          .generation = 3,
                                                                          .writer = "wattled 1"},
                                        &writer),
            0, "a public page"))
        return;
    int fd = wtl_energy_page_fd(writer, &sealed);
    is_int(map_page(fd, &page), 0, "is mapped by a stranger");
    is_int((int)page.header->generation, 3, "its generation");
    is_str(page.header->writer, "wattled 1", "who writes it");
    ok(wattle_page_channel_at(&page, 0)->leaks[0] != '\0', "what it can leak");
    is_int(wattle_page_read(&page, 0, &now), -ENODATA, "no sample yet");
    is_int(wattle_page_read(&page, 2, &now), -EINVAL, "no such channel");
    for (uint64_t t = T0; t <= T0 + 100 * MS; t += MS) {
        wtl_energy_page_publish(writer, 0, t, raw_at(t), 0);
        wtl_energy_page_publish(writer, 1, t, 50000, 0);
    }
    is_int(wattle_page_read(&page, 0, &now), 0, "a sample");
    ok(fabs(now.energy_j - 10) < 1e-9, "%g J", now.energy_j);
    ok(fabs(now.power_w - 100) < 1e-6 && now.power_ns >= 20 * MS, "%g W over %g ms", now.power_w,
       (double)now.power_ns * 1e-6);
    ok(now.changed_ns == T0 + 100 * MS && now.before_ns == T0 + 99 * MS, "the last tick");
    is_int(wattle_page_read(&page, 1, &now), 0, "a gauge");
    ok(fabs(now.power_w - 50) < 1e-9 && now.power_ns == 0, "%g W", now.power_w);

    char path[40];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ok(fcntl(fd, F_GETFL) % 4 == O_RDONLY, "the descriptor is for reading");
    ok(fstat(fd, &status) == 0 && (status.st_mode & 0777) == 0444, "mode 0444");
    ok(ftruncate(fd, 0) < 0, "cutting it short fails");
    ok(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED,
       "mapping it for writing fails");
    ok(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) < 0, "the seals are final");
    if (sealed) { /* as root, the mode alone would not do */
        int again = open(path, O_RDWR | O_CLOEXEC);
        ok(again < 0 ||
               (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0) == MAP_FAILED &&
                ftruncate(again, 0) < 0 && pwrite(again, "x", 1, 0) < 0),
           "opening it again for writing is of no use");
        if (again >= 0)
            (void)close(again);
    }

    is_int(wtl_energy_page_renew(writer, 4), 0, "renew");
    is_int((int)wattle_page_state(&page), WATTLE_PAGE_RETIRED, "the old page is retired");
    is_int(wattle_page_read(&page, 0, &now), -ESTALE, "as a reader is told");
    struct wattle_page fresh = {.socket = -1};
    is_int(map_page(wtl_energy_page_fd(writer, &sealed), &fresh), 0, "the new page");
    is_int(wattle_page_read(&fresh, 0, &moved), -ENODATA, "has no values yet");
    for (uint64_t n = 5; n < 9; n++)
        is_int(wtl_energy_page_renew(writer, n), 0, "renewed, though lanes have not moved yet");
    is_int((int)wattle_page_state(&fresh), WATTLE_PAGE_RETIRED, "which retires each page");
    wattle_page_close(&fresh);
    fresh.socket = -1;
    is_int(map_page(wtl_energy_page_fd(writer, &sealed), &fresh), 0, "the newest page");
    for (size_t i = 0; i < 2; i++)
        wtl_energy_page_publish(writer, i, T0 + 101 * MS, i ? 50000 : raw_at(T0 + 101 * MS), 0);
    is_int(wattle_page_read(&fresh, 0, &moved), 0, "has samples");
    ok(fabs(moved.energy_j - 10.1) < 1e-9, "and continues: %g J", moved.energy_j);
    wattle_page_close(&page);
    wtl_energy_page_close_writer(writer);
    is_int((int)wattle_page_state(&fresh), WATTLE_PAGE_RETIRED,
           "closed: another wattled may follow");
    wattle_page_close(&fresh);
}

static bool rest_of(void *context,
                    const struct wattle_channel *channel,
                    struct wattle_page_now *ret)
{
    *ret = *(const struct wattle_page_now *)context;
    return channel->kind == WATTLE_COUNTER;
}

/* A counter continues from a ledger: over the time without a writer exactly, and from another value
 * that no wrap explains with a gap. */
static void test_rest(void)
{
    struct wattle_channel channel = counter();
    channel.max_w = 300;
    for (int reset = 0; reset < 2; reset++) {
        struct wattle_page_now left = {.time_ns = T0,
                                       .energy_j = 1234,
                                       .changed_ns = T0,
                                       .raw = 5000000000,
                                       .raw_ns = T0,
                                       .ticks = 1234000000,
                                       .count = 77};
        struct wtl_energy_writer *writer;
        size_t size;
        if (!is_int(
                wtl_energy_page_open_writer(&(struct wtl_energy_page_options){.channels = &channel,
                                                                              .count = 1,
                                                                              .interval_ns = MS,
                                                                              .rest = rest_of,
                                                                              .context = &left},
                                            &writer),
                0, "a page that continues"))
            return;
        struct wattle_page page = {.header = wtl_energy_page_lend(writer, &size), .socket = -1};
        page.size = size;
        struct wattle_page_now now;
        is_int(wattle_page_read(&page, 0, &now), 0, "before its first sample");
        ok(fabs(now.energy_j - 1234) < 1e-9, "what was left: %g J", now.energy_j);
        uint64_t from_ns = T0 + 3000 * MS;
        for (uint64_t t = from_ns; t <= from_ns + 100 * MS; t += MS)
            wtl_energy_page_publish(writer, 0, t, reset ? t / 10 : 5000000000 + (t - T0) / 10, 0);
        is_int(wattle_page_read(&page, 0, &now), 0, "after 3 s");
        /* that it began again is certain after 25 ms */
        ok(fabs(now.energy_j - (reset ? 1241.5 : 1544)) < 1e-6, "%g J", now.energy_j);
        ok(reset ? now.unknown_ns >= 3025 * MS - MS : now.unknown_ns == 0, "unknown: %g s",
           (double)now.unknown_ns * 1e-9);
        wtl_energy_page_close_writer(writer);
    }
}

static void spoil(off_t at, const void *bytes, size_t n)
{
    struct wtl_energy_link link;
    if (wtl_energy_link_find(folder, true, &link) < 0)
        abort();
    memcpy((char *)link.at + at, bytes, n);
    wtl_energy_link_close(&link);
}

static void test_spoilt(void)
{
    struct page page;
    struct wtl_energy_reader *reader = NULL;
    static const struct {
        const char *what;
        off_t at;
        uint32_t value;
    } rows[] = {{"another magic", 0, 1},        {"another version", 8, 1},
                {"a larger head", 12, 4096},    {"larger channels", 16, 8},
                {"smaller slots", 20, 8},       {"too many channels", 24, 3},
                {"none at all", 24, 0},         {"more levels", 28, 30},
                {"longer rings", 32, 128},      {"no such domain", 256 + 416, 99},
                {"no such kind", 256 + 424, 99}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!open_page(&page, folder))
            return;
        spoil(rows[i].at, &rows[i].value, sizeof rows[i].value);
        is_int(wtl_energy_page_open(folder, &reader), -EBADMSG, "%s", rows[i].what);
        close_page(&page);
    }
    ok(reader == NULL, "no failure touched the result");
    struct wattle_channel none = activity();
    is_int(
        wtl_energy_page_open_writer(
            &(struct wtl_energy_page_options){
                .folder = folder, .held = NULL, .channels = &none, .count = 1, .interval_ns = MS},
            &page.writer),
        -ENODATA, "no energy, no page");
    is_int(
        wtl_energy_page_open_writer(&(struct wtl_energy_page_options){.folder = "/no/such/folder",
                                                                      .held = NULL,
                                                                      .channels = page.channels,
                                                                      .count = 3,
                                                                      .interval_ns = MS},
                                    &page.writer),
        -ENOENT, "no folder, no page");
    wtl_energy_page_close_writer(NULL);
    wtl_energy_page_close(NULL);
}

/* Other kinds of files in its place. */
static void test_files(void)
{
    struct page page;
    char path[200];
    struct wtl_energy_reader *reader = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", folder, WTL_ENERGY_FILE);
    if (!open_page(&page, folder))
        return;
    wtl_energy_page_close(page.reader);
    wtl_energy_page_forget_writer(page.writer);
    is_int(truncate(path, 20), 0, "a short file");
    is_int(wtl_energy_page_open(folder, &reader), -EBADMSG, "is refused");
    (void)unlink(path);
    is_int(symlink("/etc/passwd", path), 0, "a link");
    is_int(wtl_energy_page_open(folder, &reader), -EPERM, "is refused");
    (void)unlink(path);
    is_int(mkdir(path, 0700), 0, "a folder");
    is_int(wtl_energy_page_open(folder, &reader), -EPERM, "is refused");
    (void)rmdir(path);
    is_int(mkfifo(path, 0600), 0, "a fifo");
    is_int(wtl_energy_page_open(folder, &reader), -EPERM, "is refused, and not waited for");
    (void)unlink(path);
    ok(reader == NULL, "no failure touched the result");
}

/* Another process of this user does its worst to the file and to the page: no mapping is ever
 * without memory. */
static void test_truncated(void)
{
    struct page page;
    struct wtl_energy_view view;
    struct wtl_energy_link link;
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", folder, WTL_ENERGY_FILE);
    if (!open_page(&page, folder))
        return;
    feed(&page, T0, T0 + 10 * MS);
    is_int(wtl_energy_link_find(folder, true, &link), 0, "the page is found");
    is_int(truncate(path, 0), 0, "the file is cut to nothing");
    ok(ftruncate(link.fd, 0) < 0 && errno == EPERM, "the page cannot be cut");
    ok(ftruncate(link.fd, 1 << 20) < 0 && errno == EPERM, "nor made longer");
    wtl_energy_link_close(&link);
    feed(&page, T0 + 20 * MS, T0 + 30 * MS);
    is_int(wtl_energy_page_look(page.reader, 0, &view), 0, "what is published is read");
    is_double(view.newest.energy_j, 3, 1e-6, "on and on");
    close_page(&page);
}

/* Memory that can be resized is not mapped, whatever the file says. */
static void test_unsealed(void)
{
    struct page page;
    struct wtl_energy_link link;
    char path[200];
    struct stat status = {0};
    uint64_t words[5] = {0};
    (void)snprintf(path, sizeof path, "%s/%s", folder, WTL_ENERGY_FILE);
    if (!open_page(&page, folder))
        return;
    int fd = memfd_create("not-sealed", MFD_CLOEXEC), file = open(path, O_RDWR | O_CLOEXEC);
    is_int(ftruncate(fd, 1 << 20), 0, "memory that is not sealed");
    (void)fstat(fd, &status);
    is_int(pread(file, words, sizeof words, 0), sizeof words, "the file is 40 bytes");
    words[2] = (uint64_t)(uint32_t)fd;
    words[3] = (uint64_t)status.st_dev;
    words[4] = (uint64_t)status.st_ino;
    is_int(pwrite(file, words, sizeof words, 0), sizeof words, "and names another page");
    is_int(wtl_energy_link_find(folder, false, &link), -EPERM, "which is refused");
    words[4]++;
    is_int(pwrite(file, words, sizeof words, 0), sizeof words, "one that is gone");
    is_int(wtl_energy_link_find(folder, false, &link), -ENOENT, "is not found");
    (void)close(fd);
    (void)close(file);
    close_page(&page);
}

static atomic_bool over;

static void *read_always(void *arg)
{
    const struct page *page = arg;
    uint64_t torn = 0, last_ns = 0;
    while (!atomic_load(&over)) {
        struct wtl_energy_view view;
        struct wattle_page_point a, b;
        if (wtl_energy_page_look(page->reader, 0, &view) == 0 && view.newest.time_ns) {
            double seconds = (double)(view.newest.time_ns - T0) * 1e-9;
            torn +=
                fabs(view.newest.energy_j - 100 * seconds) > 1e-5 || view.newest.time_ns < last_ns;
            last_ns = view.newest.time_ns;
            if (wtl_energy_page_around(page->reader, 0, last_ns - 333 * MS, &a, &b) == 0 &&
                a.time_ns)
                torn += fabs(a.energy_j - 100 * (double)(a.time_ns - T0) * 1e-9) > 1e-5 ||
                        a.time_ns > last_ns - 333 * MS;
        }
    }
    return (void *)(uintptr_t)torn;
}

static void test_at_once(void)
{
    struct page page;
    pthread_t threads[2];
    void *torn[2];
    if (!open_page(&page, NULL))
        return;
    for (size_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, read_always, &page) != 0)
            abort();
    feed(&page, T0, T0 + 1000000 * MS);
    atomic_store(&over, true);
    for (size_t i = 0; i < 2; i++)
        (void)pthread_join(threads[i], &torn[i]);
    ok(torn[0] == NULL && torn[1] == NULL, "what is read while it is written fits together");
    close_page(&page);
}

/* A gauge continues from a ledger, too: its energy in the time without a writer is unknown. */
static bool rest_of_gauge(void *context,
                          const struct wattle_channel *channel,
                          struct wattle_page_now *ret)
{
    (void)channel;
    *ret = *(const struct wattle_page_now *)context;
    return true;
}

static void test_rest_of_gauge(void)
{
    struct wattle_channel channel = counter();
    struct wattle_page_now left = {
        .time_ns = T0, .raw_ns = T0, .changed_ns = T0, .energy_j = 1234, .raw = 50};
    struct wattle_page_now now;
    struct wattle_page page = {.socket = -1};
    struct wtl_energy_writer *writer;
    bool sealed;
    channel.kind = WATTLE_GAUGE;
    channel.quantity = WATTLE_POWER;
    channel.scale = 1;
    const struct wtl_energy_page_options options = {.channels = &channel,
                                                    .count = 1,
                                                    .interval_ns = MS,
                                                    .public = true,
                                                    .rest = rest_of_gauge,
                                                    .context = &left};
    if (!ok(wtl_energy_page_open_writer(&options, &writer) == 0 &&
                map_page(wtl_energy_page_fd(writer, &sealed), &page) == 0,
            "a gauge"))
        return;
    wtl_energy_page_publish(writer, 0, T0 + 2000 * MS, 50, 0);
    is_int(wattle_page_read(&page, 0, &now), 0, "the first reading");
    is_double(now.energy_j, 1234, 1e-9, "adds nothing");
    is_int((int)(now.unknown_ns / MS), 2000, "the time before it is unknown");
    wtl_energy_page_publish(writer, 0, T0 + 3000 * MS, 50, 0);
    (void)wattle_page_read(&page, 0, &now);
    is_double(now.energy_j, 1284, 1e-9, "the next one does");
    wattle_page_close(&page);
    wtl_energy_page_close_writer(writer);
}

/* Readings that were too high, by what could have been counted: what was handed out stays, and nothing of it is energy in the end. The time
 * until the counter has counted as much again is unknown, like that of the readings. */
static void test_too_high(void)
{
    struct page page;
    struct wattle_page_point was = {0}, now;
    bool falls = false, at_least = true;
    const uint64_t every_ns = 100 * MS;
    if (!open_page(&page, NULL))
        return;
    for (unsigned k = 0; k <= 60; k++) {
        bool high = k == 20 || k == 21;
        uint64_t raw = raw_at(T0 + k * every_ns) + (high ? 12000000 : 0);
        wtl_energy_page_publish(page.writer, 1, T0 + k * every_ns, raw % MODULUS, 0);
        now = newest(&page, 0);
        falls = falls || now.energy_j < was.energy_j;
        double true_j = (double)(now.time_ns - T0) * 100e-9;
        at_least = at_least && (high || now.energy_j <= true_j + 1e-6 || (k > 21 && k < 24));
        was = now;
    }
    ok(!falls, "it never counts down");
    ok(at_least, "what was too high is paid back at once");
    /* From the reading before them to the second one after the fall, and until the 32 J that they counted have been counted again. */
    is_double((double)now.unknown_ns * 1e-9, 0.4 + 0.4, 1e-6, "unknown");
    is_double(now.energy_j, 600 - 40, 1e-6, "the energy is that of the rest");
    close_page(&page);
}

/* Half of the steps of a gauge are beside its joules. */
static void test_steps(void)
{
    struct page page;
    struct wattle_page_now now;
    struct wattle_page at;
    if (!open_page(&page, NULL))
        return;
    size_t size;
    const struct wattle_page_header *header = wtl_energy_page_lend(page.writer, &size);
    is_int(wattle_page_use_(&at, header, size), 0, "read as others do");
    feed(&page, T0, T0 + 1000 * MS);
    is_int(wattle_page_read(&at, 1, &now), 0, "a gauge");
    is_double(now.off_w, 0.5, 1e-9, "of 50 W only: steps of 1 W at most are assumed");
    for (unsigned k = 1; k <= 8; k++)
        wtl_energy_page_publish(page.writer, 2, T0 + (1000 + 10 * k) * MS, 25000 * (2 + k % 3), 0);
    is_int(wattle_page_read(&at, 1, &now), 0, "a gauge");
    is_double(now.off_w, 12.5, 1e-9, "which then shows steps of 25 W");
    is_int(wattle_page_read(&at, 0, &now), 0, "a counter");
    is_double(now.off_w, 0, 1e-9, "has none");
    close_page(&page);
}

int main(void)
{
    if (!mkdtemp(folder))
        abort();
    test_energy(NULL);
    test_energy(folder);
    test_past();
    test_faults();
    test_same_rule();
    test_take_over();
    test_slow();
    test_torn();
    test_public();
    test_rest();
    test_rest_of_gauge();
    test_spoilt();
    test_files();
    test_truncated();
    test_unsealed();
    test_at_once();
    test_too_high();
    test_steps();
    is_int(rmdir(folder), 0, "nothing is left");
    return done_testing();
}

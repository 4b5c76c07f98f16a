/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver of wattled's page: the server and the writer of the page are in this process, the clock of the driver
 * can be put forward. What the page shows is what is read; what it does not know, and what nobody writes any more,
 * fails or is a reset, never energy; pages that are wrong are refused with a sentence.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <wattle/page.h>

#include "base/world/world.h"
#include "daemon/server.h"
#include "record/continuity.h"
#include "record/energy_page.h"
#include "source/registry.h"
#include "source/select.h"
#include "tap.h"

extern const struct wtl_driver wtl_driver_page;

static const uint64_t MS = 1000000, SECOND = 1000000000;

static char folder[] = "/tmp/wattle-page-XXXXXX", path[64];

/* ---- wattled ---- */

static struct {
    struct wtl_server *server;
    pthread_t thread;
    atomic_bool stop;
    _Atomic int fd;
    const char *_Atomic reply;
    const char *boot_id;
    struct wattle_channel channels[2];
    struct wtl_energy_writer *writer;
    uint64_t ticks;
} node;

static void on_request(void *context,
                       uid_t uid,
                       const struct wtl_request_line *request,
                       struct wtl_reply *reply)
{
    (void)context, (void)uid, (void)request;
    const char *text = atomic_load(&node.reply);
    wtl_reply_add(reply, "%s", text);
    if (strncmp(text, "ok", 2) == 0)
        reply->fd = atomic_load(&node.fd);
}

static void on_readers(void *context, size_t full, size_t coarse)
{
    (void)context, (void)full, (void)coarse;
}

static bool may_read(void *context, uid_t uid, enum wtl_presence presence)
{
    (void)context, (void)uid, (void)presence;
    return true;
}

static const struct wtl_server_ops ops = {on_request, on_readers, may_read};

static void *serve(void *arg)
{
    (void)arg;
    while (!atomic_load(&node.stop)) {
        struct pollfd one = {.fd = wtl_server_fd(node.server), .events = POLLIN};
        (void)poll(&one, 1, 5);
        wtl_server_serve(node.server);
    }
    return NULL;
}

static void start_server(int fd, const char *reply)
{
    struct wattle_error err = {""};
    atomic_store(&node.fd, fd);
    atomic_store(&node.reply, reply);
    atomic_store(&node.stop, false);
    if (!ok(wtl_server_open(path, &ops, NULL, &node.server, &err) == 0, "wattled%s", err.text) ||
        pthread_create(&node.thread, NULL, serve, NULL) != 0)
        exit(done_testing());
}

static void stop_server(void)
{
    atomic_store(&node.stop, true);
    (void)pthread_join(node.thread, NULL);
    wtl_server_close(node.server);
}

/* The clock of the driver. */
static uint64_t ahead_ns;
static void (*meanwhile)(void); /* what happens, once, after it has looked at the clock */
static struct wtl_world_ops world_ops;
static struct wtl_world world;

static uint64_t now_ns(const struct wtl_world *of, clockid_t clock)
{
    uint64_t time_ns = wtl_world_real()->ops->now_ns(of, clock) + ahead_ns;
    void (*happens)(void) = meanwhile;
    meanwhile = NULL;
    if (happens)
        happens();
    return time_ns;
}

/* Opening does not wait for a sample. */
static int sleep_not(const struct wtl_world *of, uint64_t deadline_ns)
{
    (void)of, (void)deadline_ns;
    return -EINTR;
}

static uint64_t now(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

static void rest_until(uint64_t time_ns)
{
    (void)wtl_world_real()->ops->sleep_until(wtl_world_real(), time_ns);
}

/* A sample of both channels: the counter has grown by so many uJ. */
static void publish(uint64_t grown, int status)
{
    uint64_t time_ns = now();
    node.ticks += grown;
    wtl_energy_page_publish(node.writer, 0, time_ns, node.ticks, status);
    wtl_energy_page_publish(node.writer, 1, time_ns, 50000, status);
}

static bool no_rest(void *context,
                    const struct wattle_channel *channel,
                    struct wattle_page_now *ret)
{
    (void)context, (void)channel, (void)ret;
    return false;
}

/* The newest values of the writer that went before: the ledger. */
static struct wattle_page_now rests[2];

static bool take_rest(void *context,
                      const struct wattle_channel *channel,
                      struct wattle_page_now *ret)
{
    (void)context;
    *ret = rests[channel->kind == WATTLE_GAUGE];
    return true;
}

static void open_writer(uint64_t generation, bool coarse, bool rest)
{
    node.channels[0] = (struct wattle_channel){.name = "powercap:package-0",
                                               .sensor = "powercap",
                                               .location = "/sys/class/powercap/intel-rapl:0",
                                               .domain = WATTLE_DOMAIN_PACKAGE,
                                               .sub = -1,
                                               .quantity = WATTLE_ENERGY,
                                               .kind = WATTLE_COUNTER,
                                               .scale = coarse ? 1 : 1e-6,
                                               .refresh_ns = coarse ? SECOND : MS};
    node.channels[1] = (struct wattle_channel){.name = "hwmon:board-0",
                                               .sensor = "hwmon",
                                               .domain = WATTLE_DOMAIN_BOARD,
                                               .sub = -1,
                                               .quantity = WATTLE_POWER,
                                               .kind = WATTLE_GAUGE,
                                               .scale = 1e-3};
    struct wtl_energy_page_options options = {.channels = node.channels,
                                              .count = 2,
                                              .interval_ns = coarse ? SECOND : MS,
                                              .public = true,
                                              .coarse = coarse,
                                              .generation = generation,
                                              .writer = "wattled 1",
                                              .boot_id = node.boot_id,
                                              .rest = rest ? take_rest : no_rest};
    if (!is_int(wtl_energy_page_open_writer(&options, &node.writer), 0, "a page"))
        exit(done_testing());
    publish(0, 0);
}

static int page_fd(void)
{
    bool sealed;
    return wtl_energy_page_fd(node.writer, &sealed);
}

static void start(uint64_t generation)
{
    node.boot_id = NULL;
    node.ticks = 0;
    open_writer(generation, false, false);
    start_server(page_fd(), "ok full");
}

static void stop(void)
{
    stop_server();
    wtl_energy_page_close_writer(node.writer);
}

/* ---- the driver ---- */

static struct wtl_source source;
static struct wattle_error said;

static int open_driver(void)
{
    said.text[0] = '\0';
    return wtl_source_open(&source, &wtl_driver_page, &world, NULL, NULL, &said);
}

static struct wattle_reading read_channel(size_t i)
{
    struct wattle_reading reading = {0};
    source.driver->read(&source, i, 1, &reading);
    return reading;
}

/* Read until the status is this: the server runs beside, and new pages are asked for between readings. */
static struct wattle_reading await_status(size_t i, int status, uint64_t later_than_ns)
{
    struct wattle_reading reading = read_channel(i);
    for (int tries = 0; tries < 2000; tries++) {
        if (reading.status == status && (status != 0 || reading.time_ns > later_than_ns))
            break;
        rest_until(now() + 2 * MS);
        reading = read_channel(i);
    }
    return reading;
}

/* What the recorder makes of readings: the ticks since the first one, and the gaps that lose energy. */
struct view {
    struct wtl_continuity continuity;
    uint64_t ticks;
    unsigned losses;
};

static void note_loss(void *context, const struct wtl_gap *gap)
{
    struct view *view = context;
    view->losses += wtl_gap_loses_energy(gap->reason, view->continuity.channel->kind);
}

static void take(struct view *view, struct wattle_reading reading)
{
    if (!view->continuity.channel)
        wtl_continuity_init(&view->continuity, &source.channels[0], note_loss, view);
    if (reading.status < 0)
        wtl_continuity_miss(&view->continuity, reading.time_ns, WTL_GAP_READ_FAILED,
                            -reading.status);
    else if (reading.time_ns > view->continuity.last_ns)
        (void)wtl_continuity_read(&view->continuity, reading.time_ns, reading.raw, &view->ticks);
}

static void test_normal(void)
{
    start(1);
    struct view view = {0};
    publish(1000, 0);
    if (!is_int(open_driver(), 0, "opens%s", said.text))
        return;
    is_int(source.count, 2, "channels of the page");
    const struct wattle_channel *channel = &source.channels[0];
    is_str(channel->name, "powercap:package-0", "the name");
    is_str(channel->sensor, "powercap", "the sensor");
    is_str(channel->location, "/sys/class/powercap/intel-rapl:0", "the location");
    ok(channel->flags == WATTLE_CHANNEL_RELAYED && channel->scale == 1e-6 &&
           channel->refresh_ns == MS && channel->modulus == 0,
       "the rest of it");
    is_int(source.note_count, 0, "nothing is missing");
    uint64_t before_ns = now();
    publish(2000, 0);
    uint64_t after_ns = now();
    struct wattle_reading first = read_channel(0);
    ok(first.status == 0 && first.time_ns >= before_ns && first.time_ns <= after_ns,
       "a reading has the time of its sample");
    take(&view, first);
    struct wattle_reading again = read_channel(0);
    ok(again.time_ns == first.time_ns && again.raw == first.raw, "the same until there is another");
    publish(5000, 0);
    take(&view, read_channel(0));
    is_int(view.ticks, 5000, "energy");
    is_int(read_channel(1).raw, 50000, "a gauge");
    publish(0, -EIO);
    is_int(read_channel(0).status, -EIO, "a sensor of wattled that fails");
    publish(1000, 0);
    take(&view, read_channel(0));
    ok(view.ticks == 6000 && view.losses == 0, "loses nothing");
    wtl_source_close(&source);
    stop();
}

static void test_lost(void)
{
    start(1);
    struct view view = {0};
    publish(1000, 0);
    is_int(open_driver(), 0, "opens");
    take(&view, read_channel(0));
    (void)read_channel(1);
    wtl_energy_page_lose(node.writer, 0, 5 * MS);
    wtl_energy_page_lose(node.writer, 1, 5 * MS);
    publish(700, 0);
    take(&view, read_channel(0));
    ok(view.ticks == 0 && view.losses == 1, "time that the page does not know is a gap");
    is_int(read_channel(1).status, -ENODATA, "also of a gauge");
    publish(300, 0);
    take(&view, read_channel(0));
    ok(view.ticks == 300 && view.losses == 1, "then it counts on");
    is_int(read_channel(1).status, 0, "and the gauge");
    wtl_source_close(&source);
    stop();
}

static void test_renewed(void)
{
    start(1);
    struct view view = {0};
    publish(1000, 0);
    is_int(open_driver(), 0, "opens");
    take(&view, read_channel(0));
    publish(400, 0);
    is_int(wtl_energy_page_renew(node.writer, 2), 0, "another page");
    atomic_store(&node.fd, page_fd());
    uint64_t renewed_ns = now();
    publish(500, 0);
    struct wattle_reading reading = await_status(0, 0, renewed_ns);
    take(&view, reading);
    ok(reading.time_ns > renewed_ns, "is found by itself");
    ok(view.ticks == 900 && view.losses == 0, "and continues: %ju", (uintmax_t)view.ticks);
    wtl_source_close(&source);
    stop();
}

/* Killed: nobody marks the page. Returns the ticks that are read over it. */
static void restart(uint64_t generation, bool ledger, struct view *view)
{
    struct wattle_page page = {.socket = -1};
    const void *at;
    size_t size;
    start(5);
    publish(1000, 0);
    is_int(open_driver(), 0, "opens");
    take(view, read_channel(0));
    if (wattle_page_map_(page_fd(), &at, &size) == 0 && wattle_page_use_(&page, at, size) == 0) {
        (void)wattle_page_read(&page, 0, &rests[0]);
        (void)wattle_page_read(&page, 1, &rests[1]);
        wattle_page_close(&page);
    }
    stop_server();
    wtl_energy_page_forget_writer(node.writer);
    node.ticks += 800;
    open_writer(generation, false, ledger);
    uint64_t since_ns = now();
    publish(100, 0);
    ahead_ns += 100 * MS; /* the old page is quiet */
    take(view, read_channel(0));
    rest_until(now() + 3 * MS);
    take(view, read_channel(0));
    start_server(page_fd(), "ok full");
    publish(100, 0);
    take(view, await_status(0, 0, since_ns));
    ahead_ns = 0;
    wtl_source_close(&source);
    stop();
}

static void test_restarted(void)
{
    struct view exact = {0}, lost = {0}, later = {0};
    restart(6, true, &exact);
    ok(exact.ticks == 1000 && exact.losses == 0, "over a restart with the ledger: %ju",
       (uintmax_t)exact.ticks);
    restart(1, false, &lost);
    ok(lost.ticks == 0 && lost.losses == 1, "without it, a gap: %ju", (uintmax_t)lost.ticks);
    restart(9, false, &later);
    ok(later.ticks == 0 && later.losses == 1, "also where generations went on: %ju",
       (uintmax_t)later.ticks);
}

static void test_stale(void)
{
    start(1);
    publish(1000, 0);
    is_int(open_driver(), 0, "opens");
    is_int(read_channel(0).status, 0, "read");
    ahead_ns = 200 * MS; /* and a machine with other work takes its time */
    is_int(read_channel(0).status, 0, "not yet old");
    ahead_ns = 2 * SECOND;
    struct wattle_reading old = read_channel(0);
    ok(old.status == -ESTALE && old.raw == 0 && old.time_ns > 0, "a page nobody writes: a gap");
    ahead_ns = 0;
    wtl_source_close(&source);
    stop();
}

static void test_denied(void)
{
    start(1);
    atomic_store(&node.reply, "no denied ask for\x1b[31m a job");
    is_int(open_driver(), -EACCES, "denied");
    is_str(said.text, "page: ask for?[31m a job", "in the words of wattled, printable");
    atomic_store(&node.reply, "no sensors none");
    is_int(open_driver(), -ENODEV, "no sensors");
    atomic_store(&node.reply, "no version of 3");
    is_int(open_driver(), -EBADMSG, "another version");
    atomic_store(&node.reply, "hello");
    is_int(open_driver(), -EBADMSG, "garbage");
    atomic_store(&node.fd, -1);
    atomic_store(&node.reply, "ok full");
    is_int(open_driver(), -EBADMSG, "no page");
    atomic_store(&node.fd, page_fd());
    is_int(open_driver(), 0, "allowed");
    is_int(read_channel(0).status, 0, "reads");
    atomic_store(&node.reply, "no denied not any more");
    is_int(wtl_energy_page_renew(node.writer, 2), 0, "revoked");
    is_int(await_status(0, -EACCES, 0).status, -EACCES, "is a gap with this reason");
    wtl_source_close(&source);
    stop();
    is_int(open_driver(), -ENODEV, "no wattled");
    ok(strstr(said.text, "not running") != NULL, "%s", said.text);
}

static void test_coarse(void)
{
    node.boot_id = NULL;
    node.ticks = 0;
    open_writer(1, true, false);
    start_server(page_fd(), "ok coarse");
    is_int(open_driver(), 0, "a coarse page");
    is_int(source.note_count, 1, "says so");
    ok(source.note_count && strstr(source.notes[0].text, "every 1 s, in steps of 1 J"), "%s",
       source.note_count ? source.notes[0].text : "");
    ok(source.channels[0].flags & WATTLE_CHANNEL_COARSE && source.channels[0].scale == 1 &&
           source.channels[0].refresh_ns == SECOND,
       "with its rate and resolution");
    wtl_source_close(&source);
    stop();
}

/* ---- pages of strangers ---- */

/* A copy of the page that its maker can still write, sealed as said. */
static int copy_page(int seals, struct wattle_page_header **ret_header)
{
    struct wattle_page page = {.socket = -1};
    const void *from;
    size_t size;
    if (wattle_page_map_(page_fd(), &from, &size) < 0)
        return -1;
    page.header = from;
    page.size = size;
    int fd = memfd_create("stranger", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *at = fd >= 0 && ftruncate(fd, (off_t)size) == 0
                   ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : MAP_FAILED;
    if (at != MAP_FAILED) {
        memcpy(at, from, size);
        (void)fcntl(fd, F_ADD_SEALS, seals);
        *ret_header = at;
    }
    wattle_page_close(&page);
    return fd;
}

static void test_strangers(void)
{
    enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW };
    static const struct {
        int line, seals;
        const char *what;
        size_t at;
        uint32_t value;
        int rc;
    } rows[] = {
#define FIELD(member) offsetof(struct wattle_page_header, member)
#define ROW(member)   sizeof(struct wattle_page_header) + offsetof(struct wattle_page_channel, member)
        {__LINE__, SEALS, "unchanged", FIELD(reserved), 0, 0},
        {__LINE__, F_SEAL_GROW, "can shrink", FIELD(reserved), 0, -EBADMSG},
        {__LINE__, 0, "not sealed", FIELD(reserved), 0, -EBADMSG},
        {__LINE__, SEALS, "magic", FIELD(magic), 7, -EBADMSG},
        {__LINE__, SEALS, "version", FIELD(version), 3, -EBADMSG},
        {__LINE__, SEALS, "count", FIELD(channel_count), 1024, -EBADMSG},
        {__LINE__, SEALS, "another boot", FIELD(boot_id), 0x61616161, -ESTALE},
        {__LINE__, SEALS, "domain", ROW(domain), 4711, -EBADMSG},
        {__LINE__, SEALS, "quantity", ROW(quantity), 5, -EBADMSG},
        {__LINE__, SEALS, "index", ROW(index), 0x80000000, -EBADMSG},
        {__LINE__, SEALS, "name", ROW(name), 0x1b1b1b1b, -EBADMSG},
        {__LINE__, SEALS, "label", ROW(label), 0x0a0a0a0a, -EBADMSG},
        {__LINE__, SEALS, "scale", ROW(scale) + 4, 0x7ff80000, -EBADMSG},
    };
    start(1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_page_header *header = NULL;
        tap_line = rows[i].line;
        int fd = copy_page(rows[i].seals, &header);
        if (!ok(header != NULL, "a copy"))
            continue;
        memcpy((char *)header + rows[i].at, &rows[i].value, sizeof rows[i].value);
        atomic_store(&node.fd, fd);
        is_int(open_driver(), rows[i].rc, "%s: %s", rows[i].what, said.text);
        ok(rows[i].rc == 0 || said.text[0], "a sentence");
        wtl_source_close(&source);
        (void)close(fd);
    }
    tap_line = 0;
    stop();
}

static void publish_next(void)
{
    rest_until(now() + 1);
    publish(2000, 0);
}

/* A sample that comes while the reader waits for a CPU, after it has looked at the clock, is not one of a time to come. */
static void test_meanwhile(void)
{
    start(1);
    publish(1000, 0);
    is_int(open_driver(), 0, "a page");
    uint64_t raw = read_channel(0).raw;
    meanwhile = publish_next;
    struct wattle_reading reading = read_channel(0);
    is_int(reading.status, 0, "a sample that has just come");
    is_int((intmax_t)(reading.raw - raw), 2000, "is shown");
    wtl_source_close(&source);
    stop();
}

/* A page that is changed after it was checked leads nowhere. */
static void test_changing(void)
{
    struct wattle_page_header *header = NULL;
    start(1);
    publish(1000, 0);
    int fd = copy_page(F_SEAL_SHRINK | F_SEAL_GROW, &header);
    atomic_store(&node.fd, fd);
    is_int(open_driver(), 0, "a page of a stranger");
    struct wattle_page_slot *slot =
        (void *)((char *)header + sizeof *header + 2 * sizeof(struct wattle_page_channel));
    header->channel_count = 1024;
    header->beat_ns = now();
    is_int(read_channel(0).status, 0, "another count");
    slot->now[0].time_ns = slot->now[1].time_ns = UINT64_MAX;
    is_int(read_channel(0).status, -EBADMSG, "a time to come");
    slot->now[0].status = slot->now[1].status = 1u << 31;
    slot->now[0].time_ns = slot->now[1].time_ns = now();
    is_int(read_channel(0).status, -EIO, "a status that is none");
    header->interval_ns = UINT64_MAX;
    (void)read_channel(1);
    wtl_source_close(&source);
    (void)close(fd);
    stop();
}

/* Descriptors that nobody asked for do not stay open. */
static void test_descriptors(void)
{
    int pair[2], fds[2] = {0, 0}, got;
    char reply[64], space[CMSG_SPACE(sizeof fds)];
    char full[] = "ok full";
    struct iovec part = {full, 7};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    memset(space, 0, sizeof space);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fds)};
    memcpy(CMSG_DATA(head), fds, sizeof fds);
    if (!ok(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0, "a pair"))
        return;
    int next = dup(0);
    (void)close(next);
    ok(sendmsg(pair[0], &message, 0) == 7, "two descriptors");
    is_int(wattle_page_receive_(pair[1], reply, sizeof reply, &got), 7, "a reply");
    is_int(got, next, "one is taken");
    (void)close(got);
    int after = dup(0), again = dup(0);
    ok(after == next && again == next + 1, "the other is closed");
    (void)close(after);
    (void)close(again);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

/* ---- selection ---- */

static int open_denied(struct wtl_source *of, struct wattle_error *err)
{
    (void)of;
    (void)snprintf(err->text, sizeof err->text, "direct: permission denied");
    return -EACCES;
}

static int open_same(struct wtl_source *of, struct wattle_error *err)
{
    (void)err;
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    int rc = wtl_source_add(of, &channel);
    return rc < 0 ? rc : 0;
}

static void read_same(struct wtl_source *of, size_t first, size_t n, struct wattle_reading *out)
{
    (void)of, (void)first;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct wattle_reading){.raw = 1};
}

static const struct wtl_driver denied = {.name = "powercap",
                                         .open = open_denied,
                                         .read = read_same},
                               direct = {.name = "powercap", .open = open_same, .read = read_same};

static struct wtl_selection *choose(const struct wtl_driver *first,
                                    const char *which,
                                    bool as_wattled)
{
    const struct wtl_driver *drivers[] = {first, &wtl_driver_page, NULL};
    struct wtl_selection *selection = NULL;
    struct wattle_error err = {""};
    is_int(wtl_selection_open(
               &(struct wtl_request){
                   .drivers = drivers, .which = which, .in_place = true, .direct = as_wattled},
               &world, &selection, &err),
           0, "a selection%s", err.text);
    return selection;
}

static void test_selection(void)
{
    start(1);
    struct wtl_selection *s = choose(&direct, NULL, false);
    is_int(s->offers[1].status, -ECANCELED, "not needed where the sensors can be read");
    wtl_selection_close(s);
    s = choose(&denied, NULL, false);
    ok(s->offers[1].status == 0 && s->recorded_count == 2 &&
           s->channels[0].flags & WATTLE_CHANNEL_IN_TOTAL,
       "used where they cannot");
    wtl_selection_close(s);
    s = choose(&denied, NULL, true);
    is_int(s->offers[1].status, -ECANCELED, "never by wattled itself");
    wtl_selection_close(s);
    s = choose(&direct, "powercap,page", false);
    is_int(s->count, 2, "one channel, once, if both are named");
    ok(!(s->channels[0].flags & WATTLE_CHANNEL_RELAYED), "the one read directly");
    wtl_selection_close(s);
    s = choose(&direct, "page", false);
    ok(s->recorded_count == 2 && s->channels[0].flags & WATTLE_CHANNEL_RELAYED, "or by wattled");
    wtl_selection_close(s);
    stop();
}

int main(void)
{
    world = *wtl_world_real();
    world_ops = *world.ops;
    world_ops.now_ns = now_ns;
    world_ops.sleep_until = sleep_not;
    world.ops = &world_ops;
    world.simulated = false;
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof path, "%s/socket", folder);
    if (setenv("WATTLE_SOCKET", path, 1) < 0)
        return 1;
    test_normal();
    test_lost();
    test_renewed();
    test_restarted();
    test_stale();
    test_denied();
    test_coarse();
    test_strangers();
    test_meanwhile();
    test_changing();
    test_descriptors();
    test_selection();
    (void)rmdir(folder);
    return done_testing();
}

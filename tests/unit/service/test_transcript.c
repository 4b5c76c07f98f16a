/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions of pmlib's own clients and servers, recorded byte by byte (tests/unit/pmlib/transcript.txt): what clients sent is
 * fed to a peer, which must answer with the same bytes. Its device shows what the next GET of the recording contains.
 */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include "service/pm_peer.h"

#include "tap.h"

enum { BYTES = 16384, EVENTS = 64, PERIOD_MS = 50 };

/* One side's bytes, in order. */
struct event {
    bool sent; /* by the client */
    size_t n;
    uint8_t bytes[512];
};

struct recording {
    char title[120];
    struct event events[EVENTS];
    size_t count;
    bool closed;
};

/* The device of the recording: its sample i of a line since the last start. */
static struct {
    const struct recording *recording;
    enum wtl_pm_dialect dialect;
    int set, line_of[4], lines;
    const int32_t *bounds;
    int32_t sets, samples;
    const uint8_t *data;
    uint64_t start_ns, now_ns, period_ns;
} world;

static void read_line(void *context, size_t channel, struct wtl_pm_value *ret)
{
    (void)context;
    *ret = (struct wtl_pm_value){.time_ns = world.now_ns, .instant = true, .power_w = 0};
    for (int line = 0; line < world.lines && world.data; line++) {
        int32_t i = (int32_t)((world.now_ns - world.start_ns) / world.period_ns) - 1;
        if (world.line_of[line] != (int)channel || i < 0)
            continue;
        int64_t at = wtl_pm_sample_at(world.dialect, world.samples, world.lines, world.bounds,
                                      world.sets, line, world.set, i);
        struct wtl_pm_reader from = {.at = world.data, .size = (size_t)world.samples * 8};
        from.used = (size_t)(at < 0 ? 0 : at) * wtl_pm_sample_size(world.dialect);
        (void)wtl_pm_take_sample(&from, world.dialect, &ret->power_w);
    }
}

static struct wtl_pm_meter_line four[4] = {{.channel = 0},
                                           {.channel = 1},
                                           {.channel = 2},
                                           {.channel = 3}};
static struct wtl_pm_meter meters[] = {
    {.name = "LMG450-1",
     .max_frequency = 20,
     .line_count = 4,
     .lines = four,
     .patience_ns = 1000000000},
    {.name = "WattsUp-1",
     .max_frequency = 1,
     .line_count = 1,
     .lines = four,
     .patience_ns = 1000000000},
    {.name = "RampMeter",
     .max_frequency = 10,
     .line_count = 4,
     .lines = four,
     .patience_ns = 1000000000},
    {.name = "SlowMeter",
     .max_frequency = 2,
     .line_count = 1,
     .lines = four,
     .patience_ns = 1000000000},
};

/* All bytes of one side, from event `first` on, up to the next of the other side. */
static size_t reply_after(const struct recording *recording, size_t first, uint8_t bytes[BYTES])
{
    size_t n = 0;
    for (size_t i = first; i < recording->count && !recording->events[i].sent; i++) {
        memcpy(bytes + n, recording->events[i].bytes, recording->events[i].n);
        n += recording->events[i].n;
    }
    return n;
}

static int32_t mark_of(const struct event *event)
{
    int32_t mark = -100;
    memcpy(&mark, event->bytes, event->n >= 4 ? 4 : 0);
    return mark;
}

/* What the next GET of this connection has shows what the device must have shown. */
static int32_t prepare_device(const struct recording *recording, size_t at, bool aggregate)
{
    static uint8_t bytes[BYTES];
    static int32_t bounds[16];
    struct wtl_pm_data data;
    world.data = NULL;
    for (size_t i = at + 1; i < recording->count; i++) {
        if (!recording->events[i].sent || mark_of(&recording->events[i]) != WTL_PM_GET)
            continue;
        struct wtl_pm_reader from = {.at = bytes, .size = reply_after(recording, i + 1, bytes)};
        if (wtl_pm_data_read(&from, 100000, &data) < 0)
            continue; /* refused */
        for (int32_t b = 0; b < data.bound_count && b < 16; b++)
            (void)wtl_pm_take_i32(&from, &bounds[b]);
        world.samples = data.sample_count;
        world.lines = aggregate ? 1 : data.line_count;
        world.bounds = bounds;
        world.sets = data.bound_count - 1;
        world.data = bytes + from.used;
        return world.set < world.sets ? bounds[world.set + 1] - bounds[world.set] : 0;
    }
    return 1;
}

/* A set begins now. */
static void aim(const struct wtl_pm_peer *peer)
{
    world.start_ns = world.now_ns;
    world.period_ns = peer->counter.period_ns;
    for (int i = 0; i < 4 && i < peer->counter.line_count; i++)
        world.line_of[i] = peer->counter.lines[i];
}

static void advance(struct wtl_pm_peer *peer, int32_t periods)
{
    for (int32_t i = 0; i < periods; i++) {
        world.now_ns += world.period_ns;
        wtl_pm_peer_tick(peer, world.now_ns);
    }
}

/* Feed one request, in two pieces, and collect the reply. */
static size_t exchange(struct wtl_pm_peer *peer, const struct event *event, uint8_t reply[BYTES])
{
    size_t n, got = 0, half = event->n / 2;
    const uint8_t *bytes;
    wtl_pm_peer_feed(peer, event->bytes, half, world.now_ns);
    wtl_pm_peer_feed(peer, event->bytes + half, event->n - half, world.now_ns);
    while ((bytes = wtl_pm_peer_pull(peer, &n)) != NULL) {
        size_t part = n > 100 ? 100 : n;
        memcpy(reply + got, bytes, part);
        got += part;
        wtl_pm_peer_sent(peer, part, world.now_ns);
    }
    return got;
}

/* Where this server answers differently on purpose (docs/format/pmlib.md). */
static bool differs(const struct recording *recording)
{
    static const char *const titles[] = {"CMD_STATUS", "CREATE freq -1", "READ_DEVICE freq 0"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (strstr(recording->title, titles[i]))
            return true;
    }
    return false;
}

static void replay(const struct recording *recording, enum wtl_pm_dialect dialect)
{
    static uint8_t got[BYTES], wanted[BYTES];
    struct wtl_pm_service service = {.meters = {.count = 2, .read = read_line},
                                     .dialect = dialect,
                                     .memory = {.limit = 1 << 22}};
    struct wtl_pm_peer peer;
    /* The recorded servers have different devices. */
    service.meters.list = dialect == WTL_PM_CPP ? meters : meters + 2;
    wtl_pm_peer_init(&peer, &service, "127.0.0.1");
    world.dialect = dialect;
    world.set = 0;
    for (size_t i = 0; i < recording->count; i++) {
        const struct event *event = &recording->events[i];
        if (!event->sent)
            continue;
        int32_t mark = mark_of(event), periods = 0;
        bool begins = peer.state == WTL_PM_COUNTING && !peer.counter.active &&
                      (mark == WTL_PM_START || mark == WTL_PM_CONTINUE);
        if (begins) {
            world.set = mark == WTL_PM_START ? 0 : peer.counter.bound_count - 1;
            periods = prepare_device(recording, i, peer.counter.aggregate);
            aim(&peer);
        }
        size_t n = exchange(&peer, event, got), want = reply_after(recording, i + 1, wanted);
        ok(n == want && memcmp(got, wanted, n) == 0, "%s: mark %d: %zu bytes, recorded %zu",
           recording->title, (int)mark, n, want);
        if (begins)
            advance(&peer, periods);
    }
    is_int(peer.state == WTL_PM_LEAVING, recording->closed, "%s: the end of the connection",
           recording->title);
    wtl_pm_peer_fini(&peer);
    is_int(service.memory.used, 0, "%s: no memory is left", recording->title);
}

/* ---- the file ---- */

static size_t parse_hex(const char *text, uint8_t *bytes, size_t most)
{
    size_t n = 0;
    unsigned value;
    int used;
    /* NOLINTNEXTLINE(cert-err34-c): two hexadecimal digits */
    while (n < most && sscanf(text, " %2x%n", &value, &used) == 1) {
        bytes[n++] = (uint8_t)value;
        text += used;
    }
    return n;
}

static void add(struct recording *recording, bool sent, const char *hex)
{
    if (recording->count == EVENTS) {
        ok(false, "%s: too long", recording->title);
        return;
    }
    struct event *event = &recording->events[recording->count++];
    static uint8_t bytes[BYTES];
    size_t n = parse_hex(hex, bytes, sizeof bytes), at = 0;
    event->sent = sent;
    while (n - at > sizeof event->bytes && recording->count < EVENTS) {
        memcpy(event->bytes, bytes + at, event->n = sizeof event->bytes);
        at += sizeof event->bytes;
        event = &recording->events[recording->count++];
        event->sent = sent;
    }
    memcpy(event->bytes, bytes + at, event->n = n - at);
}

/* Sections A to C: "conn N C->S 4 bytes : 07 00 ..", interleaved. */
static void take_wire_line(struct recording *recordings, char section, const char *line)
{
    int number = line[5] - '0';
    struct recording *one = &recordings[number];
    const char *colon = strchr(line, ':');
    if (strstr(line, "OPEN"))
        *one = (struct recording){.count = 0};
    (void)snprintf(one->title, sizeof one->title, "%c, connection %d", section, number);
    if (strstr(line, "S->C EOF"))
        one->closed = true;
    else if (colon)
        add(one, strstr(line, "C->S") != NULL, colon + 1);
}

/* Section E: a title, "  sent: ..", "  got : .. [EOF]". */
static void take_block_line(struct recording *one, enum wtl_pm_dialect dialect, const char *line)
{
    if (strncmp(line, "  sent:", 7) == 0) {
        add(one, true, line + 7);
    } else if (strncmp(line, "  got :", 7) == 0) {
        add(one, false, line + 7);
        one->closed = strstr(line, "[EOF]") != NULL;
    } else if (line[0] != ' ') {
        if (one->count > 0 && !differs(one))
            replay(one, dialect);
        *one = (struct recording){.count = 0};
        (void)snprintf(one->title, sizeof one->title, "E, %.*s", (int)strcspn(line, "\n"), line);
    }
}

int main(void)
{
    static struct recording recordings[10];
    static char line[BYTES * 4];
    FILE *file = fopen(WATTLE_SOURCE_DIR "/tests/unit/pmlib/transcript.txt", "r");
    char section = ' ';
    if (!ok(file != NULL, "the recording"))
        return done_testing();
    world.now_ns = 1000000000;
    while (fgets(line, sizeof line, file)) {
        bool heading = line[0] >= 'A' && line[0] <= 'F' && line[1] == '.';
        if (heading || strncmp(line, "====", 4) == 0) {
            for (int i = 1; i < 10 && section <= 'C'; i++) {
                if (recordings[i].count > 0)
                    replay(&recordings[i], section == 'A'   ? WTL_PM_G2
                                           : section == 'B' ? WTL_PM_CPP
                                                            : WTL_PM_G1);
            }
            if (section == 'E')
                take_block_line(&recordings[0], WTL_PM_CPP, "end\n");
            memset(recordings, 0, sizeof recordings);
        }
        section = heading ? line[0] : section;
        if (strncmp(line, "conn ", 5) == 0 && section <= 'C')
            take_wire_line(recordings, section, line);
        else if (section == 'E' && !heading)
            take_block_line(&recordings[0], WTL_PM_CPP, line);
    }
    (void)fclose(file);
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy page of wattled (docs/format/page.md): what a privileged process of this node reads, for users who
 * may not read it themselves. A channel of the page is a channel here, under the name of its sensor. A reading
 * is the newest sample of the page with the time of that sample; it is a few loads from memory.
 *
 * Joules continue in another page: when wattled renews it or is restarted, this driver asks for the new one,
 * between readings and without waiting. What the page itself does not know (unknown_ns has grown, or since_ns
 * says that energies count anew) must not look like energy of some time: then the top bit of the raw value is
 * flipped, which is recognised as a reset.
 *
 * Nothing here trusts the page: another process writes it, and WATTLE_SOCKET can name anybody's socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/page.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "model/course/course.h"
#include "model/reading.h"
#include "source/driver.h"

enum { REPLY = WATTLE_PAGE_TEXT + 32, STATUS = 4001, BOOT_ID = 40, NOWHERE = -1 };

static const char REQUEST[] = "page 2";
static const uint64_t MS = 1000000;
static const uint64_t PATIENCE_NS = 2000000000; /* with wattled, while opening */
static const uint64_t FRESH_NS = 300000000;     /* to wait for a sample at readers' rate */
static const uint64_t STALE_NS = 1000000000;    /* age of a page nobody writes any more, at least */
static const uint64_t INTERVALS = 3;            /* and so many of its intervals */
static const uint64_t INTERVAL_MAX_NS = UINT64_C(3600) * 1000000000;
static const uint64_t QUIET_NS = 20000000;     /* without a sample, before asking why */
static const uint64_t AGAIN_NS = 50000000;     /* between attempts */
static const uint64_t REFUSED_NS = 1000000000; /* after a refusal */

struct relay {
    int slot;            /* of the page; NOWHERE = not in it */
    bool known;          /* a sample has been shown */
    uint64_t raw;        /* shown last ... */
    uint64_t time_ns;    /* ... and its time */
    uint64_t said_ns;    /* time of the last reading, also of a failed one */
    uint64_t unknown_ns; /* as in the page */
    uint64_t since_ns;
    uint64_t run_bit;
};

struct node_page {
    struct wattle_page page;    /* its socket is not used: */
    int fd;                     /* of the connection, in the world; -1 = none */
    bool asked;                 /* a request awaits its reply */
    uint64_t asked_ns, next_ns; /* when asked; not before this again */
    int refusal;                /* what wattled said last: status of every reading; 0 = none */
    char address[140], boot_id[BOOT_ID];
    struct relay *relays;
};

/* ---- checking what is in a page ---- */

static bool is_text(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] >= ' ' && text[i] <= '~')
        i++;
    return i < n && text[i] == '\0';
}

/* Numbers that a channel may have. */
static bool has_sense(const struct wattle_page_channel *row)
{
    bool energy = row->quantity == WATTLE_ENERGY && row->kind == WATTLE_COUNTER;
    bool power = row->quantity == WATTLE_POWER &&
                 (row->kind == WATTLE_GAUGE || row->kind == WATTLE_WINDOW_AVERAGE);
    return (energy || power) && row->domain <= WATTLE_DOMAIN_OTHER &&
           row->quality <= WATTLE_ESTIMATED && row->index >= 0 && row->sub >= -1 &&
           isfinite(row->scale) && row->scale > 0 && isfinite(row->max_w) && row->max_w >= 0 &&
           isfinite(row->ratio_low) && isfinite(row->ratio_high);
}

/* A copy of a row as a channel, checked: it may change while it is read. 0 or -EBADMSG. */
static int take_channel(const struct wattle_page_channel *at,
                        bool coarse,
                        struct wattle_channel *to)
{
    struct wattle_page_channel row = *at;
    struct wattle_channel named;
    if (!is_text(row.name, sizeof row.name) || !is_text(row.sensor, sizeof row.sensor) ||
        !is_text(row.within, sizeof row.within) || !is_text(row.location, sizeof row.location) ||
        !is_text(row.label, sizeof row.label) || !has_sense(&row))
        return -EBADMSG;
    *to = (struct wattle_channel){.domain = (enum wattle_domain)row.domain,
                                  .index = row.index,
                                  .sub = row.sub,
                                  .quantity = (enum wattle_quantity)row.quantity,
                                  .kind = (enum wattle_kind)row.kind,
                                  .quality = (enum wattle_quality)row.quality,
                                  .flags =
                                      row.flags & (WATTLE_CHANNEL_SIMULATED | WATTLE_CHANNEL_AWAKE),
                                  .scale = row.scale,
                                  .refresh_ns = row.refresh_ns,
                                  .window_ns = row.window_ns,
                                  .max_w = row.max_w,
                                  .ratio_low = row.ratio_low,
                                  .ratio_high = row.ratio_high};
    to->flags |= WATTLE_CHANNEL_RELAYED | (coarse ? WATTLE_CHANNEL_COARSE : 0u);
    memcpy(to->sensor, row.sensor, sizeof to->sensor);
    memcpy(to->location, row.location, sizeof to->location);
    memcpy(to->label, row.label, sizeof to->label);
    named = *to;
    wtl_channel_set_name(&named, NULL);
    return strcmp(named.name, row.name) == 0 ? 0 : -EBADMSG;
}

/* Does the page belong to this boot? One that says nothing does. */
static bool is_of_boot(const struct node_page *node, const struct wattle_page_header *header)
{
    char boot_id[BOOT_ID];
    memcpy(boot_id, header->boot_id, sizeof boot_id);
    boot_id[sizeof boot_id - 1] = '\0';
    return !boot_id[0] || !node->boot_id[0] || strcmp(boot_id, node->boot_id) == 0;
}

static bool is_coarse(const struct node_page *node)
{
    return node->page.header->detail == WATTLE_PAGE_COARSE;
}

static uint64_t interval_of(const struct node_page *node)
{
    uint64_t interval_ns = wattle_page_load_(&node->page.header->interval_ns);
    return interval_ns < INTERVAL_MAX_NS ? interval_ns : INTERVAL_MAX_NS;
}

/* ---- asking wattled ---- */

static void hang_up(struct wtl_source *source, struct node_page *node, uint64_t next_ns)
{
    if (node->fd >= 0)
        source->world->ops->close(source->world, node->fd);
    node->fd = -1;
    node->asked = false;
    node->next_ns = next_ns;
}

static int ask(struct wtl_source *source,
               struct node_page *node,
               uint64_t now_ns,
               uint64_t until_ns)
{
    const struct wtl_world *world = source->world;
    if (node->fd < 0)
        node->fd = wtl_world_connect(world, node->address, until_ns);
    if (node->fd < 0)
        return node->fd;
    int rc = world->ops->send(world, node->fd, REQUEST, sizeof REQUEST - 1, until_ns);
    node->asked = rc == 0;
    node->asked_ns = now_ns;
    return rc;
}

static void give_back(struct wtl_source *source, struct node_page *node)
{
    if (node->page.header)
        source->world->ops->unmap(source->world,
                                  (struct wtl_memory){node->page.header, node->page.size});
    node->page.header = NULL;
}

/* Where a channel is in the page, described as before; else NOWHERE. */
static int find_slot(const struct node_page *node, const struct wattle_channel *channel)
{
    for (size_t i = 0; i < wattle_page_count(&node->page); i++) {
        struct wattle_channel found;
        if (take_channel(wattle_page_channel_at(&node->page, i), is_coarse(node), &found) < 0)
            continue;
        wtl_channel_set_name(&found, NULL);
        if (strcmp(found.name, channel->name) == 0 && found.kind == channel->kind &&
            found.scale == channel->scale && found.quality == channel->quality &&
            ((found.flags ^ channel->flags) & WATTLE_CHANNEL_COARSE) == 0)
            return (int)i;
    }
    return NOWHERE;
}

/* Continue in another page. */
static void adopt(struct wtl_source *source, struct node_page *node, const struct wattle_page *page)
{
    give_back(source, node);
    node->page = *page;
    for (size_t i = 0; i < source->count; i++)
        node->relays[i].slot = find_slot(node, &source->channels[i]);
}

/* A reply: the page that came with it, or the refusal with a sentence. *ret_rc: -ETIMEDOUT = not yet. */
static int take_reply(struct wtl_source *source,
                      struct node_page *node,
                      uint64_t until_ns,
                      char *reply,
                      const char **ret_text,
                      struct wattle_page *ret_page)
{
    struct wtl_memory memory;
    *ret_text = "";
    *ret_page = (struct wattle_page){.socket = -1};
    ssize_t got = wtl_world_recv_memory(source->world, node->fd, reply, REPLY, &memory, until_ns);
    int rc = got > 0 ? wattle_page_verdict_(reply, ret_text) : got == 0 ? -ECONNRESET : (int)got;
    if (rc == 0 && (!memory.at || wattle_page_check_(memory.at, memory.size) < 0))
        rc = -EBADMSG;
    if (rc == 0 && !is_of_boot(node, memory.at))
        rc = -ESTALE;
    if (rc == 0)
        *ret_page = (struct wattle_page){.header = memory.at, .size = memory.size, .socket = -1};
    else if (memory.at)
        source->world->ops->unmap(source->world, memory);
    return rc;
}

/* One step towards a page that is written, without waiting: see whether wattled is still there, connect, ask,
 * take the reply. A connection that ends while nothing was asked is closed by wattled. */
static void seek(struct wtl_source *source, struct node_page *node, uint64_t now_ns)
{
    struct wattle_page page;
    char reply[REPLY];
    const char *text;
    if (now_ns < node->next_ns)
        return;
    bool retired = wattle_page_state(&node->page) != WATTLE_PAGE_LIVE;
    if (node->fd < 0 || (retired && !node->asked)) {
        if (ask(source, node, now_ns, 0) < 0)
            hang_up(source, node, now_ns + AGAIN_NS);
        return;
    }
    int rc = take_reply(source, node, 0, reply, &text, &page);
    if (rc == -ETIMEDOUT) {
        if (node->asked && now_ns - node->asked_ns > PATIENCE_NS)
            hang_up(source, node, now_ns);
        return;
    }
    node->refusal = rc == -EACCES || rc == -ENODEV || rc == -EBADMSG ? rc : 0;
    if (rc < 0) {
        hang_up(source, node, now_ns + (node->refusal ? REFUSED_NS : 0));
        return;
    }
    node->asked = false;
    node->next_ns = now_ns;
    adopt(source, node, &page);
}

/* ---- reading ---- */

static struct wattle_reading fail(struct relay *relay, int status, uint64_t now_ns)
{
    relay->said_ns = now_ns;
    return (struct wattle_reading){.status = status, .time_ns = now_ns};
}

/* Nothing new. */
static struct wattle_reading repeat(struct relay *relay, uint64_t now_ns)
{
    if (!relay->known || relay->said_ns != relay->time_ns)
        return fail(relay, -ESTALE, now_ns);
    return (struct wattle_reading){.raw = relay->raw, .time_ns = relay->time_ns};
}

/* A sample later than the last. A gauge cannot show by its value that time was lost: one failed reading. */
static struct wattle_reading show(const struct wattle_channel *channel,
                                  struct relay *relay,
                                  const struct wattle_page_now *now,
                                  uint64_t now_ns)
{
    bool lost =
        relay->known && (now->unknown_ns != relay->unknown_ns || now->since_ns != relay->since_ns);
    relay->unknown_ns = now->unknown_ns;
    relay->since_ns = now->since_ns;
    if (lost && channel->kind != WATTLE_COUNTER)
        return fail(relay, -ENODATA, now_ns);
    relay->run_bit ^= lost ? WTL_ANOTHER_RUN : 0;
    relay->raw = channel->kind == WATTLE_COUNTER ? (now->ticks & ~WTL_ANOTHER_RUN) | relay->run_bit
                                                 : now->raw;
    relay->known = true;
    relay->time_ns = relay->said_ns = now->time_ns;
    return (struct wattle_reading){.raw = relay->raw, .time_ns = relay->time_ns};
}

/* The page has no such channel any more; of a coarse page in place of a full one, the user may not know it. */
static int gone_status(const struct wattle_channel *channel, const struct node_page *node)
{
    bool was_coarse = channel->flags & WATTLE_CHANNEL_COARSE;
    return was_coarse == is_coarse(node) ? -ENODEV : -EACCES;
}

static struct wattle_reading read_relay(const struct wtl_world *world,
                                        const struct wattle_channel *channel,
                                        const struct node_page *node,
                                        struct relay *relay,
                                        uint64_t now_ns)
{
    struct wattle_page_now now;
    if (node->refusal)
        return fail(relay, node->refusal, now_ns);
    if (relay->slot == NOWHERE)
        return fail(relay, gone_status(channel, node), now_ns);
    uint64_t limit_ns = INTERVALS * interval_of(node);
    uint64_t beat_ns = wattle_page_load_(&node->page.header->beat_ns);
    if (now_ns > beat_ns && now_ns - beat_ns > (limit_ns > STALE_NS ? limit_ns : STALE_NS))
        return fail(relay, -ESTALE, now_ns);
    if (wattle_page_copy_(wattle_page_slot_at(&node->page, (size_t)relay->slot), &now) < 0)
        return repeat(relay, now_ns);
    if (now.time_ns == 0) /* or not yet in a page that has replaced another */
        return relay->known ? repeat(relay, now_ns) : fail(relay, -ENODATA, now_ns);
    if (now.time_ns > now_ns) /* a sample that came since */
        now_ns = wtl_world_monotonic(world);
    if (now.time_ns > now_ns)
        return fail(relay, -EBADMSG, now_ns);
    if (now.status != 0)
        return fail(relay, now.status < 4096 ? -(int)now.status : -EIO, now_ns);
    return now.time_ns > relay->said_ns ? show(channel, relay, &now, now_ns)
                                        : repeat(relay, now_ns);
}

static void page_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    struct node_page *node = source->impl;
    uint64_t now_ns = wtl_world_monotonic(source->world);
    uint64_t beat_ns = wattle_page_load_(&node->page.header->beat_ns);
    uint64_t quiet_ns = interval_of(node) + QUIET_NS;
    if (wattle_page_state(&node->page) != WATTLE_PAGE_LIVE || node->asked || node->refusal ||
        node->fd < 0 || (now_ns > beat_ns && now_ns - beat_ns > quiet_ns)) {
        seek(source, node, now_ns);
        now_ns = wtl_world_monotonic(source->world);
    }
    for (size_t i = 0; i < n; i++)
        out[i] = read_relay(source->world, &source->channels[first + i], node,
                            &node->relays[first + i], now_ns);
}

/* ---- opening ---- */

static int refuse(struct wattle_error *err, int rc, const char *text)
{
    char why[WATTLE_PAGE_TEXT];
    if (rc == -ESTALE)
        return wtl_fail(err, rc,
                        "page: the energy page is of another boot of this node; restart wattled");
    if (rc == -ENOTSUP)
        rc = -ENOENT; /* a recorded host */
    (void)wattle_page_refuse_(why, sizeof why, rc, text);
    if (rc == -ENOENT || rc == -ECONNREFUSED || rc == -ENOTDIR)
        rc = -ENODEV;
    return wtl_fail(err, rc, "page: %s", why);
}

/* wattled reads at once when a reader comes, and then at readers' rate. Times of a coarse page are rounded down to
 * whole intervals. */
static void await_sample(const struct wtl_source *source, const struct node_page *node)
{
    uint64_t since_ns = wtl_world_monotonic(source->world), now_ns = since_ns;
    uint64_t rounded_ns = is_coarse(node) ? interval_of(node) : 0;
    while (wattle_page_load_(&node->page.header->beat_ns) + rounded_ns < since_ns &&
           now_ns - since_ns < FRESH_NS) {
        if (source->world->ops->sleep_until(source->world, now_ns + MS) < 0)
            return;
        now_ns = wtl_world_monotonic(source->world);
    }
}

/* The channels of the page. It is refused as a whole if one of them makes no sense. */
static int add_channels(struct wtl_source *source, struct node_page *node, struct wattle_error *err)
{
    size_t count = wattle_page_count(&node->page);
    node->relays = calloc(count + 1, sizeof *node->relays);
    if (!node->relays)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct wattle_channel channel;
        int rc = take_channel(wattle_page_channel_at(&node->page, i), is_coarse(node), &channel);
        if (rc == 0 && source->world->simulated && !(channel.flags & WATTLE_CHANNEL_SIMULATED))
            return wtl_fail(
                err, -ENODEV,
                "page: wattled measures the real machine, not this simulated node; start "
                "it within the simulation");
        if (rc == 0)
            rc = wtl_source_add(source, &channel);
        if (rc == -ENOMEM)
            return rc;
        if (rc < 0)
            return wtl_fail(err, -EBADMSG,
                            "page: the energy page is damaged: its channel %zu is invalid; "
                            "restart wattled",
                            i);
        node->relays[rc].slot = (int)i;
    }
    return 0;
}

/* What wattled says about itself: "who may read", into policy. Not having it is no failure. */
static void ask_policy(const struct wtl_source *source,
                       const struct node_page *node,
                       char *policy,
                       size_t n)
{
    static const char request[] = "status", key[] = "\nreaders_allowed = ";
    const struct wtl_world *world = source->world;
    uint64_t until_ns = wtl_world_monotonic(world) + PATIENCE_NS;
    char reply[STATUS];
    policy[0] = '\0';
    if (world->ops->send(world, node->fd, request, sizeof request - 1, until_ns) < 0)
        return;
    ssize_t got = world->ops->recv(world, node->fd, reply, sizeof reply - 1, until_ns);
    reply[got > 0 ? got : 0] = '\0';
    char *line = strstr(reply, key);
    if (!line)
        return;
    line += sizeof key - 1;
    line[strcspn(line, "\n")] = '\0';
    wattle_page_clean_(policy, n, line);
}

static void describe(struct wtl_source *source, const struct node_page *node)
{
    char policy[100], writer[sizeof node->page.header->writer], program[sizeof writer];
    ask_policy(source, node, policy, sizeof policy);
    memcpy(writer, node->page.header->writer, sizeof writer);
    writer[sizeof writer - 1] = '\0';
    wattle_page_clean_(program, sizeof program, writer);
    (void)snprintf(source->about, sizeof source->about, "via %s: %s readings%s%s",
                   program[0] ? program : "wattled", is_coarse(node) ? "coarse" : "full",
                   policy[0] ? ", for " : "", policy);

    double scale_j = 0;
    for (size_t i = 0; i < source->count; i++)
        scale_j = fmax(scale_j, source->channels[i].scale);
    if (is_coarse(node))
        wtl_source_note(source,
                        "wattled gives this user coarse readings: every %s s, in steps of %s J; "
                        "short runs have wide intervals",
                        WTL_IN_FIGURES((double)interval_of(node) * 1e-9, 3),
                        WTL_IN_FIGURES(scale_j, 3));
}

static void find_address(const struct wtl_source *source, struct node_page *node)
{
    const char *set = source->world->ops->getenv(source->world, "WATTLE_SOCKET");
    (void)snprintf(node->address, sizeof node->address, "packet:%s",
                   set && set[0] ? set : WATTLE_PAGE_SOCKET);
}

static int page_open(struct wtl_source *source, struct wattle_error *err)
{
    char reply[REPLY];
    const char *text = "";
    struct node_page *node = calloc(1, sizeof *node);
    if (!node)
        return -ENOMEM;
    source->impl = node;
    node->fd = -1;
    find_address(source, node);
    (void)wtl_source_text(source, node->boot_id, sizeof node->boot_id,
                          "/proc/sys/kernel/random/boot_id");
    uint64_t now_ns = wtl_world_monotonic(source->world), until_ns = now_ns + PATIENCE_NS;
    int rc = source->world->ops->recv_memory ? ask(source, node, now_ns, until_ns) : -ENOTSUP;
    if (rc == 0)
        rc = take_reply(source, node, until_ns, reply, &text, &node->page);
    if (rc < 0)
        return refuse(err, rc, text);
    node->asked = false;
    rc = add_channels(source, node, err);
    if (rc == 0) {
        await_sample(source, node);
        describe(source, node);
    }
    return rc;
}

static void page_close(struct wtl_source *source)
{
    struct node_page *node = source->impl;
    if (!node)
        return;
    hang_up(source, node, 0);
    give_back(source, node);
    free(node->relays);
    free(node);
}

const struct wtl_driver wtl_driver_page = {
    .name = "page",
    .summary = "what wattled reads, for users who may not read the sensors themselves",
    .flags = WTL_DRIVER_TIMED | WTL_DRIVER_RELAY,
    .open = page_open,
    .read = page_read,
    .close = page_close,
};

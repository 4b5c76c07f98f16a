/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of the energy page: see page_meters.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WATTLE_PAGE_PATIENCE_MS 200
#include <wattle/channel.h>
#include <wattle/page.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "service/page_meters.h"

static const uint64_t SECOND_NS = 1000000000;
static const uint64_t LINGER_NS = 5000000000; /* with a page that nothing needs */
static const uint64_t AGAIN_NS = 500000000;   /* between attempts to open it */
static const uint64_t STALE_NS = 1000000000;  /* since the page was written, at least */
static const uint64_t PATIENCE_NS = 20000000; /* with a value, beyond its refreshes */
static const uint64_t UNKNOWN_NS = 100000000; /* refresh of a channel that does not say */
enum { REFRESHES = 3, MISSING = -1 };

struct wtl_pm_page {
    struct wattle_page page; /* header NULL = closed */
    uint64_t needed_ns, again_ns;
    int status; /* of the last attempt */
    size_t count;
    struct wattle_page_channel *rows; /* the channels that the devices know */
    int *slots;                       /* parallel: where each is in the page now */
    bool changed;
};

/* ---- devices ---- */

static bool is_word(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] > ' ' && text[i] <= '~')
        i++;
    return i > 0 && i < n && text[i] == '\0';
}

static bool is_usable(const struct wattle_page_channel *row)
{
    return is_word(row->name, sizeof row->name) && is_word(row->sensor, sizeof row->sensor) &&
           (row->quantity == WATTLE_ENERGY || row->quantity == WATTLE_POWER);
}

/* The name of a channel without its sensor. */
static const char *short_name(const struct wattle_page_channel *row)
{
    const char *colon = strchr(row->name, ':');
    return colon ? colon + 1 : row->name;
}

/* The device of a channel. */
static void device_of(const struct wattle_page_channel *row, char *name, size_t n)
{
    bool alone = row->domain == WATTLE_DOMAIN_BOARD || row->domain == WATTLE_DOMAIN_PSU ||
                 row->domain == WATTLE_DOMAIN_OTHER;
    int length = (int)strcspn(short_name(row), "-");
    if (alone)
        (void)snprintf(name, n, "%s", row->name);
    else
        (void)snprintf(name, n, "%s:%.*s%s", row->sensor, length, short_name(row),
                       row->sub >= 0 ? "-parts" : "");
}

static int rate_of(const struct wattle_page_channel *row, uint64_t interval_ns, int max_rate)
{
    uint64_t refresh_ns = row->refresh_ns ? row->refresh_ns : UNKNOWN_NS;
    if (refresh_ns < interval_ns)
        refresh_ns = interval_ns;
    uint64_t rate = SECOND_NS / refresh_ns;
    return rate < 1 ? 1 : rate < (uint64_t)max_rate ? (int)rate : max_rate;
}

/* What a client must know to label the values as wattle does (docs/format/pmlib.md). */
static void describe(const struct wattle_page_channel *row, char *text, size_t n)
{
    static const char *const qualities[] = {"measured", "derived", "estimated"};
    (void)snprintf(text, n, "%s %s%s, mean of each period", row->name,
                   row->quality <= WATTLE_ESTIMATED ? qualities[row->quality] : "?",
                   row->flags & WATTLE_CHANNEL_SIMULATED ? " simulated" : "");
}

static struct wtl_pm_meter *find_or_add(struct wtl_pm_meters *meters, const char *name)
{
    for (size_t i = 0; i < meters->count; i++) {
        if (strcmp(meters->list[i].name, name) == 0)
            return &meters->list[i];
    }
    if (wtl_grow(&meters->list, meters->count, sizeof *meters->list) < 0)
        return NULL;
    struct wtl_pm_meter *meter = &meters->list[meters->count++];
    *meter = (struct wtl_pm_meter){.max_frequency = WTL_PM_LINES};
    (void)snprintf(meter->name, sizeof meter->name, "%s", name);
    return meter;
}

/* Add a channel to a device; beyond 128 lines it is left out. */
static int add_line(struct wtl_pm_meters *meters,
                    const char *name,
                    const struct wattle_page_channel *row,
                    size_t channel,
                    int rate,
                    uint64_t refresh_ns)
{
    struct wtl_pm_meter *meter = find_or_add(meters, name);
    if (!meter)
        return -ENOMEM;
    if (meter->line_count == WTL_PM_LINES)
        return 0;
    if (wtl_grow(&meter->lines, meter->line_count, sizeof *meter->lines) < 0)
        return -ENOMEM;
    struct wtl_pm_meter_line *line = &meter->lines[meter->line_count];
    *line = (struct wtl_pm_meter_line){.channel = channel};
    (void)snprintf(line->name, sizeof line->name, "%s", short_name(row));
    describe(row, line->description, sizeof line->description);
    if (meter->line_count++ == 0 || rate < meter->max_frequency)
        meter->max_frequency = rate;
    if (meter->patience_ns < REFRESHES * refresh_ns + PATIENCE_NS)
        meter->patience_ns = REFRESHES * refresh_ns + PATIENCE_NS;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct wtl_pm_meter *)a)->name, ((const struct wtl_pm_meter *)b)->name);
}

int wtl_pm_meters_of(const struct wattle_page_channel *rows,
                     size_t count,
                     uint64_t interval_ns,
                     int max_rate,
                     struct wtl_pm_meters *ret_meters)
{
    int rc = 0;
    *ret_meters = (struct wtl_pm_meters){.list = NULL};
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct wattle_page_channel row = rows[i];
        char name[64];
        if (!is_usable(&row))
            continue;
        int rate = rate_of(&row, interval_ns, max_rate);
        uint64_t refresh_ns = row.refresh_ns > interval_ns ? row.refresh_ns : interval_ns;
        device_of(&row, name, sizeof name);
        rc = add_line(ret_meters, name, &row, i, rate, refresh_ns);
        if (rc == 0 && row.flags & WATTLE_CHANNEL_IN_TOTAL)
            rc = add_line(ret_meters, "total", &row, i, rate, refresh_ns);
    }
    if (rc < 0)
        wtl_pm_meters_fini(ret_meters);
    else
        wtl_sort(ret_meters->list, ret_meters->count, sizeof *ret_meters->list, by_name);
    return rc;
}

/* ---- the page ---- */

bool wtl_pm_channels_differ(const struct wattle_page_channel *before,
                            size_t before_count,
                            const struct wattle_page_channel *rows,
                            size_t count)
{
    const uint32_t labels = WATTLE_CHANNEL_IN_TOTAL | WATTLE_CHANNEL_SIMULATED;
    for (size_t i = 0; i < count; i++) {
        bool known = false, same = false;
        for (size_t k = 0; k < before_count && !known; k++) {
            known = strncmp(rows[i].name, before[k].name, WATTLE_NAME_MAX) == 0;
            same = known && rows[i].quality == before[k].quality &&
                   (rows[i].flags & labels) == (before[k].flags & labels);
        }
        if (!same && (known || rows[i].flags & WATTLE_CHANNEL_IN_TOTAL))
            return true;
    }
    return false;
}

/* Where the known channels are in the page that is open. */
static void find_slots(struct wtl_pm_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        page->slots[i] = MISSING;
        for (size_t at = 0; at < wattle_page_count(&page->page); at++) {
            const char *name = wattle_page_channel_at(&page->page, at)->name;
            if (strncmp(name, page->rows[i].name, WATTLE_NAME_MAX) == 0)
                page->slots[i] = (int)at;
        }
    }
}

static int look_again(struct wtl_pm_page *page)
{
    size_t count = wattle_page_count(&page->page);
    page->changed =
        count > 0 && wtl_pm_channels_differ(page->rows, page->count,
                                            wattle_page_channel_at(&page->page, 0), count);
    find_slots(page);
    return page->changed ? -ESTALE : 0;
}

bool wtl_pm_page_changed(const struct wtl_pm_page *page)
{
    return page->changed;
}

static void renew(struct wtl_pm_page *page, uint64_t now_ns)
{
    char why[WATTLE_PAGE_TEXT];
    if (now_ns < page->again_ns)
        return;
    wattle_page_close(&page->page);
    page->status = wattle_page_open(&page->page, why, sizeof why);
    page->again_ns = now_ns + AGAIN_NS;
    if (page->status == 0)
        page->status = look_again(page);
}

static int read_slot(const struct wtl_pm_page *page, size_t channel, struct wattle_page_now *now)
{
    uint64_t limit_ns = REFRESHES * wattle_page_load_(&page->page.header->interval_ns);
    if (page->changed || page->slots[channel] == MISSING)
        return page->changed ? -ESTALE : -ENODEV;
    if (wattle_page_age_ns(&page->page) > (limit_ns > STALE_NS ? limit_ns : STALE_NS))
        return -ESTALE;
    int rc = wattle_page_read(&page->page, (size_t)page->slots[channel], now);
    return rc == 0 && now->status != 0 ? -EIO : rc;
}

static void read_channel(void *context, size_t channel, struct wtl_pm_value *ret_value)
{
    struct wtl_pm_page *page = context;
    struct wattle_page_now now = {.time_ns = 0};
    struct timespec clock;
    (void)clock_gettime(CLOCK_MONOTONIC, &clock); /* cannot fail */
    uint64_t now_ns = (uint64_t)clock.tv_sec * SECOND_NS + (uint64_t)clock.tv_nsec;
    if (!page->page.header || wattle_page_state(&page->page) != WATTLE_PAGE_LIVE)
        renew(page, now_ns);
    int rc = page->page.header ? read_slot(page, channel, &now) : page->status;
    *ret_value = (struct wtl_pm_value){.time_ns = now.time_ns,
                                       .energy_j = now.energy_j,
                                       .unknown_ns = now.unknown_ns,
                                       .since_ns = now.since_ns,
                                       .status = rc};
}

bool wtl_pm_page_need(struct wtl_pm_page *page, bool needed, uint64_t now_ns)
{
    if (needed) {
        page->needed_ns = now_ns;
        if (!page->page.header)
            renew(page, now_ns);
    } else if (page->page.header && now_ns - page->needed_ns > LINGER_NS) {
        wattle_page_close(&page->page);
        page->again_ns = 0;
    }
    return page->page.header != NULL;
}

static int take_channels(struct wtl_pm_page *page, int max_rate, struct wtl_pm_meters *ret_meters)
{
    const struct wattle_page_header *header = page->page.header;
    bool coarse = header->detail == WATTLE_PAGE_COARSE;
    uint64_t interval_ns = coarse ? wattle_page_load_(&header->interval_ns) : 0;
    page->count = wattle_page_count(&page->page);
    page->rows = calloc(page->count, sizeof *page->rows);
    page->slots = calloc(page->count, sizeof *page->slots);
    if (!page->rows || !page->slots)
        return -ENOMEM;
    for (size_t i = 0; i < page->count; i++) {
        page->rows[i] = *wattle_page_channel_at(&page->page, i);
        page->rows[i].name[WATTLE_NAME_MAX - 1] = '\0';
    }
    find_slots(page);
    return wtl_pm_meters_of(wattle_page_channel_at(&page->page, 0), page->count, interval_ns,
                            max_rate, ret_meters);
}

int wtl_pm_page_open(int max_rate,
                     struct wtl_pm_page **ret_page,
                     struct wtl_pm_meters *ret_meters,
                     struct wattle_error *err)
{
    char why[WATTLE_PAGE_TEXT];
    struct wtl_pm_page *page = calloc(1, sizeof *page);
    *ret_meters = (struct wtl_pm_meters){.list = NULL};
    if (!page)
        return wtl_no_memory(err);
    int rc = wattle_page_open(&page->page, why, sizeof why);
    if (rc < 0) {
        free(page);
        return wtl_fail(err, rc, "%s", why);
    }
    rc = take_channels(page, max_rate, ret_meters);
    if (rc < 0) {
        wtl_pm_page_close(page);
        return wtl_no_memory(err);
    }
    ret_meters->read = read_channel;
    ret_meters->context = page;
    (void)gethostname(ret_meters->computer, sizeof ret_meters->computer - 1); /* "" if unknown */
    *ret_page = page;
    return 0;
}

void wtl_pm_page_close(struct wtl_pm_page *page)
{
    if (!page)
        return;
    wattle_page_close(&page->page);
    free(page->rows);
    free(page->slots);
    free(page);
}

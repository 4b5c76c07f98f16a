/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The selection: see select.h. Three steps: parse the request, open the drivers in list order, then consider
 * all their channels together: which are primary, which contain which, which are recorded, which are part of
 * the total.
 */
#include "source/select.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "model/card/card.h"
#include "source/cover.h"

static size_t count_drivers(const struct wtl_driver *const *drivers)
{
    size_t n = 0;
    while (drivers[n])
        n++;
    return n;
}

static bool has_param(const struct wtl_driver *driver, const char *name, size_t n)
{
    for (const struct wtl_param *p = driver->params; p && p->name; p++) {
        if (strlen(p->name) == n && strncmp(p->name, name, n) == 0)
            return true;
    }
    return false;
}

/* The ":key=" that ends a value, or the end of the text. Only keys of this driver end a value: paths
 * contain colons. */
static char *value_end(const struct wtl_driver *driver, char *value)
{
    for (char *p = strchr(value, ':'); p; p = strchr(p + 1, ':')) {
        size_t n = strcspn(p + 1, "=:");
        if (p[1 + n] == '=' && has_param(driver, p + 1, n))
            return p;
    }
    return value + strlen(value);
}

static int add_setting(struct wtl_settings *settings,
                       const char *driver,
                       const char *key,
                       const char *value)
{
    struct wtl_setting *list = (struct wtl_setting *)settings->list;
    size_t room = settings->count;
    if (wtl_reserve(&list, &room, settings->count + 1, sizeof *list) < 0)
        return -ENOMEM;
    list[settings->count] = (struct wtl_setting){.driver = driver, .key = key, .value = value};
    settings->list = list;
    settings->count++;
    return 0;
}

/* Append a word; truncated when too long. */
static void append(char *text, size_t size, const char *word)
{
    size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
}

static int unknown_setting(const struct wtl_driver *driver,
                           const char *text,
                           struct wattle_error *err)
{
    char known[160] = "";
    for (const struct wtl_param *p = driver->params; p && p->name; p++)
        append(known, sizeof known, p->name);
    return wtl_fail(
        err, -EINVAL,
        "sensor %s: no setting '%.40s'; it has: %s (to select the sensor write only \"%s\")",
        driver->name, text, known[0] ? known : "none", driver->name);
}

static int unknown_sensor(const struct wtl_request *request,
                          const char *name,
                          struct wattle_error *err)
{
    char known[256] = "";
    for (size_t i = 0; request->drivers[i]; i++)
        append(known, sizeof known, request->drivers[i]->name);
    return wtl_fail(err, -EINVAL, "unknown sensor \"%.40s\"; available: %s, all", name, known);
}

/* The request while it is being parsed. */
struct wish {
    struct wtl_settings settings; /* those of the text, after those of the request */
    char *text;                   /* request->which, split in place */
    bool *named;                  /* parallel to the drivers */
};

/* Whether a text begins with "key=". */
static bool has_key(const struct wtl_driver *driver, const char *text)
{
    size_t n = strcspn(text, "=");
    return text[n] == '=' && has_param(driver, text, n);
}

/* "[value:]key=value:key=value" for one driver, split in place. */
static int parse_settings(struct wish *wish,
                          const struct wtl_driver *driver,
                          char *text,
                          struct wattle_error *err)
{
    bool keyless = driver->flags & WTL_DRIVER_ADDRESS && !has_key(driver, text);
    for (; *text; keyless = false) {
        if (!keyless && !has_key(driver, text))
            return unknown_setting(driver, text, err);
        size_t n = strcspn(text, "=");
        const char *key = keyless ? driver->params[0].name : text;
        char *value = keyless ? text : text + n + 1, *end = value_end(driver, value);
        char *next = *end ? end + 1 : end;
        if (!keyless)
            text[n] = '\0';
        *end = '\0';
        int rc = add_setting(&wish->settings, driver->name, key, value);
        if (rc < 0)
            return rc;
        text = next;
    }
    return 0;
}

/* One item of the list, NAME[:settings]; marks the drivers that match. */
static int parse_item(const struct wtl_request *request,
                      struct wish *wish,
                      char *item,
                      struct wattle_error *err)
{
    char *colon = strchr(item, ':');
    if (colon)
        *colon++ = '\0';
    if (strcmp(item, "all") == 0 && !colon) {
        for (size_t i = 0; request->drivers[i]; i++) {
            if (!(request->drivers[i]->flags & (WTL_DRIVER_MANUAL | WTL_DRIVER_ACTIVITY)))
                wish->named[i] = true;
        }
        return 0;
    }
    size_t at = 0;
    while (request->drivers[at] && strcmp(request->drivers[at]->name, item) != 0)
        at++;
    if (!request->drivers[at])
        return unknown_sensor(request, item, err);
    wish->named[at] = true;
    return colon ? parse_settings(wish, request->drivers[at], colon, err) : 0;
}

static int parse_which(const struct wtl_request *request,
                       struct wish *wish,
                       struct wattle_error *err)
{
    int rc = 0;
    for (size_t i = 0; request->settings && i < request->settings->count && rc == 0; i++) {
        const struct wtl_setting *one = &request->settings->list[i];
        rc = add_setting(&wish->settings, one->driver, one->key, one->value);
    }
    if (rc < 0 || !request->which)
        return rc;
    size_t n = strlen(request->which);
    wish->text = malloc(n + 1);
    if (!wish->text)
        return -ENOMEM;
    memcpy(wish->text, request->which, n + 1);
    char *next = wish->text;
    while (next && rc == 0) {
        char *item = next;
        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        rc = parse_item(request, wish, item, err);
    }
    return rc;
}

static bool is_energy_driver(const struct wtl_driver *driver)
{
    return !(driver->flags & WTL_DRIVER_ACTIVITY);
}

static const char *activity_not_wanted(const struct wtl_request *request,
                                       const struct wtl_driver *driver)
{
    if (driver->flags & WTL_DRIVER_COUNTERS)
        return request->target && request->target->counters
                   ? NULL
                   : "not without --counters; see \"wattle counters\"";
    return request->activity ? NULL : "activity was not asked for";
}

/* Why a driver is not tried at all, or NULL. */
static const char *not_wanted(const struct wtl_request *request,
                              const struct wtl_driver *driver,
                              bool named,
                              bool found,
                              bool lacking)
{
    if (driver->flags & WTL_DRIVER_RELAY && request->direct)
        return "not used by what it would read";
    if (named &&
        !(driver->flags & WTL_DRIVER_COUNTERS)) /* without a set there is nothing to open */
        return NULL;
    if (!is_energy_driver(driver))
        return activity_not_wanted(request, driver);
    if (request->which)
        return "not named";
    if (driver->flags & WTL_DRIVER_MANUAL)
        return "opened only if selected";
    if (driver->flags & WTL_DRIVER_FALLBACK && found)
        return "not needed: a sensor is available";
    if (driver->flags & WTL_DRIVER_RELAY && found && !lacking)
        return "not needed: the sensors can be read directly";
    return NULL;
}

static void read_nothing(struct wtl_source *source,
                         size_t first,
                         size_t n,
                         struct wattle_reading *out)
{
    (void)source, (void)first;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct wattle_reading){.status = -ETIMEDOUT};
}

static size_t count_known(const struct wtl_request *request, const char *sensor)
{
    size_t n = 0;
    for (size_t i = 0; i < request->known_count; i++)
        n += strcmp(request->known[i].sensor, sensor) == 0;
    return n;
}

/* Add the known channels of a driver that does not answer. 0, -ENODATA when there are none, or -ENOMEM. */
static int stand_in(const struct wtl_request *request,
                    const struct wtl_world *world,
                    struct wtl_offer *offer)
{
    const char *sensor = offer->driver->name;
    size_t n = count_known(request, sensor);
    struct wtl_driver *dumb = n ? malloc(sizeof *dumb) : NULL;
    struct wattle_channel *channels = n ? calloc(n, sizeof *channels) : NULL;
    if (!dumb || !channels) {
        free(dumb);
        free(channels);
        return n ? -ENOMEM : -ENODATA;
    }
    *dumb = *offer->driver;
    dumb->read = read_nothing;
    dumb->close = NULL; /* the source frees it like any driver state */
    offer->source = (struct wtl_source){
        .driver = dumb, .world = world, .channels = channels, .count = n, .impl = dumb};
    for (size_t i = 0, at = 0; i < request->known_count; i++) {
        if (strcmp(request->known[i].sensor, sensor) == 0)
            channels[at++] = request->known[i];
    }
    return 0;
}

static int open_offer(const struct wtl_request *request,
                      struct wtl_opener *opener,
                      struct wtl_offer *offer)
{
    offer->status = wtl_opener_open(opener, offer->driver, &offer->source, &offer->why);
    if (offer->status == -ETIMEDOUT) {
        offer->is_silent = true;
        int rc = stand_in(request, opener->world, offer);
        if (rc != -ENODATA)
            offer->status = rc;
    }
    if (offer->status == 0 && offer->source.note_count)
        offer->why = offer->source.notes[0];
    return offer->status;
}

/* In which order drivers are opened, whatever their place in the list. */
enum { PASS_DIRECT, PASS_RELAY, PASS_FALLBACK, PASSES };

static int pass_of(const struct wtl_driver *driver)
{
    if (driver->flags & WTL_DRIVER_RELAY)
        return PASS_RELAY;
    return driver->flags & WTL_DRIVER_FALLBACK ? PASS_FALLBACK : PASS_DIRECT;
}

/* What is open so far: a sensor; and whether one may not be read. */
struct standing {
    bool found, lacking;
};

/* The offers of a pass: those that were begun, or those that were not. */
static int open_turn(const struct wtl_request *request,
                     struct wtl_opener *opener,
                     struct wtl_selection *selection,
                     const bool *named,
                     int pass,
                     bool begun,
                     struct standing *standing)
{
    for (size_t i = 0; i < selection->offer_count; i++) {
        struct wtl_offer *offer = &selection->offers[i];
        const struct wtl_driver *driver = request->drivers[i];
        if (pass_of(driver) != pass || wtl_opener_has_begun(opener, driver) != begun)
            continue;
        offer->driver = driver;
        const char *reason =
            not_wanted(request, driver, named[i], standing->found, standing->lacking);
        if (reason)
            offer->status = wtl_fail(&offer->why, -ECANCELED, "%s: %s", driver->name, reason);
        else if (open_offer(request, opener, offer) == -ENOMEM)
            return -ENOMEM;
        standing->found |= offer->status == 0 && is_energy_driver(driver);
        standing->lacking |=
            is_energy_driver(driver) && (offer->status == -EACCES || offer->source.forbidden);
    }
    return 0;
}

static int open_offers(const struct wtl_request *request,
                       struct wtl_opener *opener,
                       struct wtl_selection *selection,
                       const bool *named)
{
    struct standing standing = {false, false};
    int rc = 0;
    for (size_t i = 0; i < selection->offer_count; i++) {
        const struct wtl_driver *driver = request->drivers[i];
        if (pass_of(driver) == PASS_DIRECT && !not_wanted(request, driver, named[i], false, false))
            wtl_opener_begin(opener, driver);
    }
    for (int pass = 0; rc == 0 && pass < PASSES;
         pass++) { /* others once it is known that they are needed */
        rc = open_turn(request, opener, selection, named, pass, false, &standing);
        if (rc == 0)
            rc = open_turn(request, opener, selection, named, pass, true, &standing);
    }
    return rc;
}

/* Whether a contains b, judging by the domains only. Sockets that are APUs are numbered as their packages: should the orders differ,
 * the sum of all is still right. */
static bool contains(const struct wattle_channel *outer, enum wattle_domain b)
{
    const enum wattle_domain a = outer->domain;
    if (wtl_is_apu(outer) && (b == WATTLE_DOMAIN_PACKAGE || b == WATTLE_DOMAIN_CORE))
        return true;
    switch (a) {
    case WATTLE_DOMAIN_NODE:
        return b != WATTLE_DOMAIN_NODE;
    case WATTLE_DOMAIN_PSYS:
        return b == WATTLE_DOMAIN_PACKAGE || b == WATTLE_DOMAIN_CORE || b == WATTLE_DOMAIN_UNCORE ||
               b == WATTLE_DOMAIN_DRAM;
    case WATTLE_DOMAIN_PACKAGE:
        return b == WATTLE_DOMAIN_CORE || b == WATTLE_DOMAIN_UNCORE;
    case WATTLE_DOMAIN_GPU:
        return b == WATTLE_DOMAIN_GPU_MEMORY;
    default:
        return false;
    }
}

/* Within one socket or card: how closely a encloses b. A part with a number contains only parts with the
 * same number. */
static int nearness_in_place(const struct wattle_channel *a, const struct wattle_channel *b)
{
    if (!wtl_same_card(a, b))
        return 0;
    if (a->domain == b->domain) /* core 5 within the cores, a rail of a card */
        return a->sub < 0 && b->sub >= 0 ? 5 : 0;
    if (a->sub < 0)
        return 3;
    return a->sub == b->sub ? 4 : 0;
}

/* How closely a encloses b: 0 = not at all, larger = closer. */
static int nearness(const struct wattle_channel *a, const struct wattle_channel *b)
{
    if (!(a->flags & WATTLE_CHANNEL_PRIMARY) || a == b || !wtl_channel_is_energy(a) ||
        (a->quality == WATTLE_ESTIMATED) != (b->quality == WATTLE_ESTIMATED))
        return 0;
    if (a->domain != b->domain && !contains(a, b->domain))
        return 0;
    if (a->domain != b->domain && a->domain == WATTLE_DOMAIN_NODE)
        return !wtl_is_module(a) || a->index == b->index; /* its GPU has the number of its module */
    if (a->domain != b->domain && a->domain == WATTLE_DOMAIN_PSYS)
        return 2;
    return nearness_in_place(a, b);
}

static void draw_tree(struct wtl_selection *selection)
{
    for (size_t i = 0; i < selection->count; i++) {
        struct wattle_channel *inner = &selection->channels[i];
        int best = 0;
        for (size_t j = 0; j < selection->count && wtl_channel_is_energy(inner); j++) {
            const struct wattle_channel *outer = &selection->channels[j];
            int near = nearness(outer, inner);
            if (near <= best)
                continue;
            best = near;
            memcpy(inner->within, outer->name, sizeof inner->within);
        }
    }
}

/* The first channel of each place is primary; channels are in driver order. A measured channel takes
 * precedence over an estimate regardless of order. */
static void mark_primaries(struct wattle_channel *channels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct wattle_channel *one = &channels[i];
        bool first = wtl_channel_is_energy(one);
        for (size_t j = 0; j < count && first; j++) {
            const struct wattle_channel *other = &channels[j];
            bool same = j != i && wtl_channel_is_energy(other) && other->domain == one->domain &&
                        wtl_same_card(other, one) && other->sub == one->sub;
            bool before = (other->quality == WATTLE_ESTIMATED) == (one->quality == WATTLE_ESTIMATED)
                              ? j < i
                              : one->quality == WATTLE_ESTIMATED;
            first = !(same && before);
        }
        one->flags &= ~(unsigned)WATTLE_CHANNEL_PRIMARY;
        if (first)
            one->flags |= WATTLE_CHANNEL_PRIMARY;
    }
}

/* Is it a relayed channel that is read directly as well? */
static bool is_there(const struct wtl_selection *selection, const struct wattle_channel *channel)
{
    for (size_t i = 0; channel->flags & WATTLE_CHANNEL_RELAYED && i < selection->count; i++) {
        if (strcmp(selection->channels[i].name, channel->name) == 0)
            return true;
    }
    return false;
}

static int gather(struct wtl_selection *selection)
{
    size_t count = 0;
    for (size_t i = 0; i < selection->offer_count; i++)
        count += selection->offers[i].source.count;
    selection->channels = calloc(count + 1, sizeof *selection->channels);
    selection->picks = calloc(count + 1, sizeof *selection->picks);
    if (!selection->channels || !selection->picks)
        return -ENOMEM;
    for (size_t i = 0; i < selection->offer_count; i++) {
        struct wtl_source *source = &selection->offers[i].source;
        for (size_t at = 0; at < source->count; at++) {
            if (is_there(selection, &source->channels[at]))
                continue;
            selection->channels[selection->count] = source->channels[at];
            selection->picks[selection->count++] = (struct wtl_pick){.source = source, .at = at};
        }
    }
    return 0;
}

/* Move the recorded channels to the front; otherwise the order is kept. */
static int partition(struct wtl_selection *selection, const bool *named)
{
    size_t n = selection->count, kept = 0;
    struct wattle_channel *channels = calloc(n + 1, sizeof *channels);
    struct wtl_pick *picks = calloc(n + 1, sizeof *picks);
    if (!channels || !picks) {
        free(channels);
        free(picks);
        return -ENOMEM;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            size_t offer = 0;
            while (&selection->offers[offer].source != selection->picks[i].source)
                offer++;
            bool recorded = named[offer] || !wtl_channel_is_energy(&selection->channels[i]) ||
                            selection->channels[i].flags & WATTLE_CHANNEL_PRIMARY ||
                            wtl_cover_is_refused(selection, i);
            if (recorded != (pass == 0))
                continue;
            channels[kept] = selection->channels[i];
            picks[kept++] = selection->picks[i];
        }
        if (pass == 0)
            selection->recorded_count = kept;
    }
    free(selection->channels);
    free(selection->picks);
    selection->channels = channels;
    selection->picks = picks;
    return 0;
}

static int relate(struct wtl_selection *selection, const struct wtl_world *world, const bool *named)
{
    int rc = gather(selection);
    if (rc < 0)
        return rc;
    mark_primaries(selection->channels, selection->count);
    wtl_cover_refuse(selection);
    draw_tree(selection);
    rc = partition(selection, named);
    if (rc < 0)
        return rc;
    wtl_total_choose(selection->channels, selection->recorded_count, &selection->total);
    return wtl_cover_find_lacks(selection, world);
}

static int open_all(const struct wtl_request *request,
                    const struct wtl_world *world,
                    const struct wish *wish,
                    struct wtl_selection *selection)
{
    size_t count = count_drivers(request->drivers);
    int rc = wtl_terms_create(&wish->settings, request->target, &selection->terms);
    selection->offers = rc == 0 ? calloc(count + 1, sizeof *selection->offers) : NULL;
    if (!selection->offers)
        return -ENOMEM;
    selection->offer_count = count;
    struct wtl_opener opener = {.world = world,
                                .terms = selection->terms,
                                .in_place = request->in_place,
                                .patience = request->patience ? request->patience : WTL_PATIENCE};
    rc = open_offers(request, &opener, selection, wish->named);
    wtl_opener_end(&opener);
    return rc < 0 ? rc : relate(selection, world, wish->named);
}

int wtl_selection_open(const struct wtl_request *request,
                       const struct wtl_world *world,
                       struct wtl_selection **ret_selection,
                       struct wattle_error *err)
{
    struct wish wish = {.named = calloc(count_drivers(request->drivers) + 1, sizeof *wish.named)};
    struct wtl_selection *selection = calloc(1, sizeof *selection);
    int rc = selection && wish.named ? 0 : -ENOMEM;
    rc = rc < 0 ? rc : parse_which(request, &wish, err);
    rc = rc < 0 ? rc : open_all(request, world, &wish, selection);
    free((struct wtl_setting *)wish.settings.list);
    free(wish.text);
    free(wish.named);
    if (rc < 0) {
        wtl_selection_close(selection);
        return rc == -ENOMEM ? wtl_fail(err, rc, "out of memory while opening the sensors") : rc;
    }
    *ret_selection = selection;
    return 0;
}

/* Still used by a thread; reachable from here for leak checkers. */
static struct wtl_selection *_Atomic held_ones;

static void keep_held(struct wtl_selection *selection)
{
    selection->next_held = atomic_load_explicit(&held_ones, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&held_ones, &selection->next_held, selection,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

void wtl_selection_close(struct wtl_selection *selection)
{
    if (selection && selection->held)
        keep_held(selection);
    if (!selection || selection->held)
        return;
    for (size_t i = 0; i < selection->offer_count; i++)
        wtl_source_close(&selection->offers[i].source);
    free(selection->offers);
    free(selection->channels);
    free(selection->picks);
    if (selection->close_kept)
        selection->close_kept(selection->kept);
    wtl_terms_release(selection->terms);
    free(selection);
}

int wtl_selection_check(const struct wtl_selection *selection, struct wattle_error *err)
{
    const struct wtl_offer *best = NULL;
    for (size_t i = 0; i < selection->recorded_count; i++) {
        if (wtl_channel_is_energy(&selection->channels[i]))
            return 0;
    }
    /* The most helpful first: present but forbidden, then any failure other than absence. */
    for (size_t i = 0; i < selection->offer_count; i++) {
        const struct wtl_offer *offer = &selection->offers[i];
        if (offer->status == 0 || offer->status == -ECANCELED || !is_energy_driver(offer->driver))
            continue;
        int rank = offer->status == -EACCES ? 2 : offer->status != -ENODEV;
        int best_rank = !best ? -1 : best->status == -EACCES ? 2 : best->status != -ENODEV;
        if (rank > best_rank)
            best = offer;
    }
    if (!best)
        return wtl_fail(err, -ENODEV, "no energy or power sensor is open; see \"wattle sensors\"");
    int code = best->status == -EACCES ? -EACCES : -ENODEV;
    return wtl_fail(err, code, "no energy or power sensor can be read: %s", best->why.text);
}

const char *wtl_selection_silent(const struct wtl_selection *selection, size_t *at)
{
    while (*at < selection->offer_count) {
        const struct wtl_offer *offer = &selection->offers[(*at)++];
        if (offer->is_silent && is_energy_driver(offer->driver))
            return offer->why.text;
    }
    return NULL;
}

size_t wtl_selection_run(const struct wtl_selection *selection, size_t i)
{
    const struct wtl_pick *first = &selection->picks[i];
    size_t n = 1;
    unsigned slow = selection->channels[i].flags & WATTLE_CHANNEL_SLOW;
    if (first->source->driver->flags & WTL_DRIVER_TIMED)
        return 1;
    while (i + n < selection->recorded_count && selection->picks[i + n].source == first->source &&
           selection->picks[i + n].at == first->at + n &&
           (selection->channels[i + n].flags & WATTLE_CHANNEL_SLOW) == slow)
        n++;
    return n;
}

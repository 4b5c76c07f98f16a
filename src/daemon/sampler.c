/* SPDX-License-Identifier: BSD-3-Clause */
/* wattled's measurement: see sampler.h. */
#define _GNU_SOURCE
#include "daemon/sampler.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/version.h>

#include "base/fail.h"
#include "daemon/health.h"
#include "daemon/log.h"
#include "measure/measurement.h"
#include "measure/shares.h"

static const uint64_t PATIENCE_NS = 1000000000;
static const uint64_t HANGING_NS =
    20000000; /* patience while a sensor hangs: enough for the others */
static const uint64_t RENEW_NS = 20000000; /* longest interval while channels move to a new page */
static const uint64_t OPEN_AGAIN_NS = 500000000; /* to sensors that could not be read */
enum { OPEN_TRIES = 4 };
enum { PATIENCE_TENTHS = 15 };        /* at the start and at the end */
static const double WRAP_PART = 0.25; /* of the shortest wrap, for the idle interval */

struct wtl_sampler {
    struct wtl_measurement m;
    struct wtl_measurement_options options;
    struct wtl_energy_page_options page_options;
    struct wtl_ledger *ledger;
    struct wattle_page page;
    uint64_t interval_ns; /* at present */
    bool started;
    bool hangs; /* a sensor, at the last sample that was waited for */
    char boot_id[40];
};

static void warn(void *context, const char *sentence)
{
    (void)context;
    wtl_log(WTL_LOG_WARNING, "%s", sentence);
}

/* What the ledger has of a channel. */
static bool rest_of(void *context,
                    const struct wattle_channel *channel,
                    struct wattle_page_now *ret)
{
    const struct wtl_sampler *sampler = context;
    struct wtl_ledger_entry entry;
    if (!wtl_ledger_find(sampler->ledger, channel->name, channel->scale, &entry))
        return false;
    *ret = entry.now;
    return true;
}

/* When a node starts, a counter may not be readable for a moment; later there is no right to open it any more. */
static int open_sensors(struct wtl_sampler *sampler, struct wattle_error *err)
{
    const struct wtl_world *world = sampler->options.world;
    int rc = wtl_measurement_open_sensors(&sampler->m, err);
    for (unsigned i = 0; i < OPEN_TRIES && rc == 0 && sampler->m.selection->lacks[0]; i++) {
        (void)world->ops->sleep_until(world, wtl_world_monotonic(world) + OPEN_AGAIN_NS);
        wtl_selection_close(sampler->m.selection);
        sampler->m.selection = NULL;
        rc = wtl_measurement_open_sensors(&sampler->m, err);
    }
    return rc;
}

int wtl_sampler_open(const struct wtl_world *world,
                     const struct wtl_daemon_settings *settings,
                     struct wtl_sampler **ret_sampler,
                     struct wattle_error *err)
{
    struct wtl_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return wtl_no_memory_for(err, "the sensors");
    sampler->page.socket = -1;
    sampler->options =
        (struct wtl_measurement_options){.world = world,
                                         .settings = settings->drivers,
                                         .sensors = settings->sensors[0] ? settings->sensors : NULL,
                                         .target_name = "node",
                                         .sensors_required = true,
                                         .require_measured = true,
                                         .in_place = true,
                                         .interval_ns = settings->interval_ns,
                                         .sampler_cpu = WTL_SAMPLER_CPU_ANY,
                                         .apart = true,
                                         .patience = PATIENCE_TENTHS,
                                         .work = (double)NAN,
                                         .public_page = &sampler->page_options,
                                         .teller = {.warn = warn}};
    int rc = wtl_measurement_init(&sampler->m, &sampler->options, err);
    rc = rc < 0 ? rc : open_sensors(sampler, err);
    if (rc < 0) {
        wtl_sampler_close(sampler);
        return rc;
    }
    *ret_sampler = sampler;
    return 0;
}

const struct wtl_selection *wtl_sampler_selection(const struct wtl_sampler *sampler)
{
    return sampler->m.selection;
}

int wtl_sampler_share_model(const struct wtl_sampler *sampler,
                            struct wtl_share_model *ret_model,
                            struct wattle_error *err)
{
    return wtl_measurement_share_model(&sampler->m, ret_model, err);
}

/* The mapping of the page for this process. */
static void use_page(struct wtl_sampler *sampler)
{
    size_t size;
    sampler->page.header = wtl_energy_page_lend(sampler->m.energy, &size);
    sampler->page.size = size;
}

int wtl_sampler_start(struct wtl_sampler *sampler,
                      struct wtl_ledger *ledger,
                      const char *boot_id,
                      struct wattle_error *err)
{
    sampler->ledger = ledger;
    (void)snprintf(sampler->boot_id, sizeof sampler->boot_id, "%s", boot_id);
    sampler->page_options =
        (struct wtl_energy_page_options){.generation = wtl_ledger_generation(ledger),
                                         .writer = "wattled " WATTLE_VERSION,
                                         .boot_id = sampler->boot_id,
                                         .rest = rest_of,
                                         .context = sampler};
    int rc = wtl_measurement_open(&sampler->m, err);
    if (rc < 0)
        return rc;
    if (!sampler->m.energy)
        return wtl_fail(err, -ENODEV, "no sensor of energy or power; see \"wattle sensors\"");
    use_page(sampler);
    (void)wtl_measurement_prepare(&sampler->m); /* false only for a thread that is watched */
    wtl_measurement_start(&sampler->m);
    wtl_measurement_begin(&sampler->m);
    sampler->interval_ns = sampler->options.interval_ns;
    sampler->started = true;
    return 0;
}

uint64_t wtl_sampler_idle_ns(const struct wtl_sampler *sampler, uint64_t wanted_ns)
{
    const struct wtl_selection *selection = sampler->m.selection;
    double most_ns = (double)wanted_ns;
    for (size_t i = 0; i < selection->recorded_count; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        if (channel->kind != WATTLE_COUNTER || channel->modulus == 0 || channel->max_w <= 0)
            continue;
        double wrap_ns = (double)channel->modulus * channel->scale / channel->max_w * 1e9;
        most_ns = fmin(most_ns, WRAP_PART * wrap_ns);
    }
    return (uint64_t)most_ns;
}

void wtl_sampler_pace(struct wtl_sampler *sampler, uint64_t interval_ns)
{
    if (sampler->interval_ns == interval_ns)
        return;
    sampler->interval_ns = interval_ns;
    wtl_energy_page_set_interval(sampler->m.energy, interval_ns);
    (void)wtl_session_pace(sampler->m.session, interval_ns,
                           0); /* asked; the answer comes in time */
}

int wtl_sampler_now(struct wtl_sampler *sampler)
{
    uint64_t patience_ns = sampler->hangs ? HANGING_NS : PATIENCE_NS;
    int rc = wtl_session_pace(sampler->m.session, sampler->interval_ns, patience_ns);
    sampler->hangs = rc < 0;
    return rc;
}

int wtl_sampler_border(struct wtl_sampler *sampler)
{
    const struct wtl_world *world = sampler->options.world;
    int rc = wtl_sampler_now(sampler);
    uint64_t wait_ns = wtl_health_proof_ns(&sampler->page);
    if (rc < 0 || wait_ns == 0)
        return rc;
    (void)world->ops->sleep_until(world, wtl_world_monotonic(world) + wait_ns);
    return wtl_sampler_now(sampler);
}

const struct wattle_page *wtl_sampler_page(const struct wtl_sampler *sampler)
{
    return &sampler->page;
}

int wtl_sampler_page_fd(const struct wtl_sampler *sampler, bool *ret_sealed)
{
    return wtl_energy_page_fd(sampler->m.energy, ret_sealed);
}

int wtl_sampler_renew(struct wtl_sampler *sampler)
{
    uint64_t interval_ns = sampler->interval_ns, least_ns = sampler->options.interval_ns;
    if (interval_ns > RENEW_NS)
        wtl_sampler_pace(sampler, RENEW_NS > least_ns ? RENEW_NS : least_ns);
    int rc = wtl_energy_page_renew(sampler->m.energy, wtl_ledger_generation(sampler->ledger));
    if (rc == 0)
        use_page(sampler);
    wtl_sampler_pace(sampler, interval_ns);
    return rc;
}

int wtl_sampler_save(struct wtl_sampler *sampler)
{
    int rc = 0;
    for (size_t i = 0; i < wattle_page_count(&sampler->page); i++) {
        const struct wattle_page_channel *channel = wattle_page_channel_at(&sampler->page, i);
        struct wtl_ledger_entry entry = {.scale = channel->scale};
        memcpy(entry.name, channel->name, sizeof entry.name);
        int read = wattle_page_read(&sampler->page, i, &entry.now);
        if (read == 0 || read == -ESTALE)
            read = wtl_ledger_store(sampler->ledger, &entry);
        rc = rc < 0 || read == -ENODATA ? rc : read;
    }
    return rc;
}

void wtl_sampler_close(struct wtl_sampler *sampler)
{
    if (!sampler)
        return;
    if (sampler->started) {
        (void)wtl_sampler_now(sampler); /* if a sensor hangs, what was known before is saved */
        (void)wtl_sampler_save(sampler);
        wtl_measurement_end(&sampler->m, wtl_world_monotonic(sampler->options.world));
    }
    wtl_measurement_close(&sampler->m);
    free(sampler);
}

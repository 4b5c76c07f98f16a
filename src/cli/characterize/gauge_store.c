/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found becomes a section [gpu HOST CHANNEL] of calibration.conf, and comes from there again. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/fail.h"
#include "cli/characterize/characterize.h"
#include "model/calibration/calibration.h"
#include "sensors/gpu/gauge_table.h"

enum { KEYS = 24, TEXT = 64 };

struct section {
    struct wtl_calibration_entry entries[KEYS];
    char texts[KEYS][TEXT];
    size_t count;
};

static void add_number(struct section *section, const char *key, double value)
{
    if (!isfinite(value) || section->count == KEYS)
        return;
    char *text = section->texts[section->count];
    (void)snprintf(text, TEXT, "%.9g", value);
    section->entries[section->count++] = (struct wtl_calibration_entry){key, text};
}

static void put_pair(struct section *section,
                     const char *key,
                     const char *half_key,
                     struct wtl_gauge_value value)
{
    add_number(section, key, value.value);
    if (isfinite(value.value))
        add_number(section, half_key, value.half);
}

static void put_date(struct section *section)
{
    time_t now = time(NULL);
    struct tm utc;
    char *text = section->texts[section->count];
    if (gmtime_r(&now, &utc) && strftime(text, TEXT, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0)
        section->entries[section->count++] = (struct wtl_calibration_entry){"date", text};
}

static struct wtl_gauge_value get_pair(const struct wtl_calibration_section *section,
                                       const char *key,
                                       const char *half_key)
{
    return (struct wtl_gauge_value){wtl_calibration_number(section, key),
                                    wtl_calibration_number(section, half_key)};
}

int wtl_characterize_load(const struct wtl_world *world,
                          const char *channel,
                          struct wtl_gauge *ret_gauge,
                          struct wattle_error *err)
{
    struct wtl_calibration *calibration = NULL;
    struct utsname name;
    char path[512];
    int rc = world->ops->uname(world, &name);
    rc = rc < 0 ? rc
                : wtl_calibration_load(world, NULL, WTL_GAUGE_CALIBRATION, name.nodename, channel,
                                       &calibration, path, sizeof path, err);
    if (rc < 0)
        return rc;
    const struct wtl_calibration_section *section =
        wtl_calibration_find(calibration, WTL_GAUGE_CALIBRATION, name.nodename, channel);
    *ret_gauge = (struct wtl_gauge){.period = get_pair(section, "period_s", "period_half_s"),
                                    .window = get_pair(section, "window_s", "window_half_s"),
                                    .delay = get_pair(section, "delay_s", "delay_half_s"),
                                    .tau = get_pair(section, "filter_s", "filter_half_s"),
                                    .excess = get_pair(section, "excess", "excess_half"),
                                    .idle_w = get_pair(section, "idle_w", "idle_half_w"),
                                    .load_w = get_pair(section, "load_w", "load_half_w"),
                                    .quantum_w = wtl_calibration_number(section, "quantum_w")};
    if (!(ret_gauge->period.value > 0) || !isfinite(ret_gauge->delay.value))
        rc = wtl_fail(err, -ENODATA, "%.300s: no period_s and delay_s in [%s %.64s %s]", path,
                      WTL_GAUGE_CALIBRATION, name.nodename, channel);
    wtl_calibration_destroy(calibration);
    return rc;
}

int wtl_characterize_store(struct wtl_characterize *c, struct wattle_error *err)
{
    const struct wtl_gauge *g = &c->gauge;
    struct section section = {.count = 0};
    char path[512];
    if (c->simulated && !c->calibration)
        return wtl_fail(err, -EINVAL,
                        "the sensor is simulated, so the result must not be stored as this "
                        "machine's; choose a file with --output, or --no-store");
    if (c->calibration)
        (void)snprintf(path, sizeof path, "%s", c->calibration);
    else
        wtl_calibration_user_path(wtl_world_real(), path, sizeof path);
    if (!path[0])
        return wtl_fail(err, -ENOENT, "no home folder to store in; choose a file with --output");
    put_date(&section);
    put_pair(&section, "period_s", "period_half_s", g->period);
    put_pair(&section, "window_s", "window_half_s", g->window);
    put_pair(&section, "delay_s", "delay_half_s", g->delay);
    put_pair(&section, "filter_s", "filter_half_s", g->tau);
    put_pair(&section, "excess", "excess_half", g->excess);
    put_pair(&section, "idle_w", "idle_half_w", g->idle_w);
    put_pair(&section, "load_w", "load_half_w", g->load_w);
    add_number(&section, "quantum_w", g->quantum_w);
    section.entries[section.count++] =
        (struct wtl_calibration_entry){"simulated", c->simulated ? "yes" : "no"};
    struct wtl_calibration_section whole = {.kind = WTL_GAUGE_CALIBRATION,
                                            .host = c->host,
                                            .item = c->name,
                                            .entries = section.entries,
                                            .count = section.count};
    int rc = wtl_calibration_store(path, &whole, 1, err);
    if (rc == 0)
        (void)snprintf(c->stored, sizeof c->stored, "%s", path);
    return rc;
}

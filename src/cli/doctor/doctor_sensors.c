/* SPDX-License-Identifier: BSD-3-Clause */
/* The offers of the drivers as findings: their messages and remedies, with a severity. */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <string.h>

#include "cli/sensors/sensor_list.h"

static const char group[] = "sensors";

/* The message without the driver name and the remedy, which are printed separately. */
static void trim(const struct wtl_offer *offer, bool has_cure, char *what, size_t n)
{
    static const char *const tails[] = {"; as root run:", "; run as root", "; on one, try:"};
    const char *why = offer->why.text, *name = offer->driver->name;
    if (strncmp(why, name, strlen(name)) == 0 && why[strlen(name)] == ':')
        why += strlen(name) + 1 + strspn(why + strlen(name) + 1, " ");
    (void)snprintf(what, n, "%s", why);
    for (size_t i = 0; has_cure && i < sizeof tails / sizeof *tails; i++) {
        char *tail = strstr(what, tails[i]);
        if (tail)
            *tail = '\0';
    }
}

static void add_cures(struct wtl_finding *finding, const struct wtl_remedy *remedy)
{
    wtl_doctor_cure(finding, "now", "%s", remedy->now);
    if (remedy->lasting[0])
        wtl_doctor_cure(finding, "for good", "%s", remedy->lasting);
}

static void say_available(struct wtl_doctor *doctor, const struct wtl_offer *offer)
{
    const struct wtl_remedy *remedy = &offer->source.remedy;
    struct wtl_finding *f;
    char what[sizeof offer->why.text];
    trim(offer, remedy->now[0] != '\0', what, sizeof what);
    size_t n = offer->source.count;
    if (remedy->now[0]) {
        f = wtl_doctor_say(doctor, group, offer->driver->name, WTL_HEALTH_BETTER,
                           "%zu channel%s, others missing: %s", n, n == 1 ? "" : "s", what);
        wtl_doctor_gain(f, "energy of more parts of the machine");
        add_cures(f, remedy);
        return;
    }
    wtl_doctor_say(doctor, group, offer->driver->name, WTL_HEALTH_OK, "%zu channel%s%s%s", n,
                   n == 1 ? "" : "s", what[0] ? "; " : "", what);
}

/* Suggest loading a module only on a physical machine and only if nothing else measures. */
static bool may_be_loaded(const struct wtl_doctor *doctor)
{
    return !doctor->where.machine[0] && !doctor->where.container[0] && !doctor->measured;
}

static void say_missing(struct wtl_doctor *doctor, const struct wtl_offer *offer)
{
    const struct wtl_remedy *remedy = &offer->source.remedy;
    bool forbidden = offer->status == -EACCES || offer->status == -EPERM;
    bool absent = offer->status == -ENODEV || offer->status == -ENOENT;
    bool cures = remedy->now[0] && (forbidden || (absent && may_be_loaded(doctor)));
    enum wtl_health health = wtl_doctor_severity(doctor);
    char what[sizeof offer->why.text];
    if (absent)
        health = cures ? WTL_HEALTH_BETTER : WTL_HEALTH_NONE;
    trim(offer, cures, what, sizeof what);
    struct wtl_finding *f = wtl_doctor_say(doctor, group, offer->driver->name, health, "%s%s%s",
                                           wtl_offer_state(offer), what[0] ? ": " : "", what);
    if (!cures)
        return;
    add_cures(f, remedy);
    if (forbidden && strcmp(offer->driver->name, "perf") == 0)
        wtl_doctor_cure(f, "wattle only", "setcap cap_perfmon+ep \"$(command -v wattle)\"");
    wtl_doctor_gain(f, doctor->measured ? "a second source; not needed for what is measured now"
                                        : "measured energy instead of an estimate or nothing");
}

/* wattled is another way to measured energy where users may not read the sensors: what the administrator would
 * do, and what a user can send to the administrator. */
static void say_relay(struct wtl_doctor *doctor, const struct wtl_offer *offer, bool forbidden)
{
    enum wtl_health health = forbidden ? wtl_doctor_severity(doctor) : WTL_HEALTH_NONE;
    unsigned uid = (unsigned)doctor->world->ops->geteuid(doctor->world);
    bool refused = offer->status == -EACCES;
    char what[sizeof offer->why.text];
    trim(offer, false, what, sizeof what);
    if (offer->status == -ECANCELED) {
        wtl_doctor_say(doctor, group, offer->driver->name, WTL_HEALTH_NONE, "%s", what);
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(doctor, group, offer->driver->name, health, "%s: %s",
                                           wtl_offer_state(offer), what);
    if (!forbidden)
        return;
    if (refused)
        wtl_doctor_cure(f, "now", "wattle allow %u", uid);
    else
        wtl_doctor_cure(f, "for good", "systemctl enable --now wattled");
    wtl_doctor_gain(f, "measured energy for the users that the site allows, without a right to "
                       "read the sensors");
    wtl_doctor_say(
        doctor, group, "ask", WTL_HEALTH_BETTER,
        "to send to the administrator: \"Users of %.64s may not read its energy counters. "
        "Please %s, so that my programs can measure their energy (user %u). The guide of "
        "wattled says what readings reveal; 'wattle doctor' shows two other ways, a "
        "capability and a udev rule.\"",
        doctor->host, refused ? "allow me to read from wattled" : "start wattled", uid);
}

/* May a sensor that exists here not be read? */
static bool is_forbidden(const struct wtl_selection *selection)
{
    for (size_t i = 0; i < selection->offer_count; i++) {
        const struct wtl_offer *offer = &selection->offers[i];
        if (!(offer->driver->flags & (WTL_DRIVER_ACTIVITY | WTL_DRIVER_RELAY)) &&
            (offer->status == -EACCES || offer->status == -EPERM || offer->source.forbidden))
            return true;
    }
    return false;
}

/* The estimate is used if nothing measures; it is not a measurement. */
static void say_estimate(struct wtl_doctor *doctor, const struct wtl_offer *offer)
{
    char what[sizeof offer->why.text];
    trim(offer, false, what, sizeof what);
    if (doctor->measured)
        wtl_doctor_say(doctor, group, "estimate", WTL_HEALTH_NONE,
                       "not needed: a sensor is available");
    else if (offer->status == 0)
        wtl_doctor_say(doctor, group, "estimate", WTL_HEALTH_BETTER,
                       "no sensor available: power is estimated from the load%s%s",
                       what[0] ? "; " : "", what);
    else
        wtl_doctor_say(doctor, group, "estimate", WTL_HEALTH_BLOCKED,
                       "not even an estimate is possible: %s", what);
}

void wtl_doctor_sensors(struct wtl_doctor *doctor)
{
    for (size_t i = 0; i < doctor->selection->offer_count; i++) {
        const struct wtl_offer *offer = &doctor->selection->offers[i];
        unsigned flags = offer->driver->flags;
        if (flags & (WTL_DRIVER_ACTIVITY | WTL_DRIVER_MANUAL))
            continue;
        if (flags & WTL_DRIVER_FALLBACK)
            say_estimate(doctor, offer);
        else if (offer->status == 0)
            say_available(doctor, offer);
        else if (flags & WTL_DRIVER_RELAY)
            say_relay(doctor, offer, is_forbidden(doctor->selection));
        else
            say_missing(doctor, offer);
    }
}

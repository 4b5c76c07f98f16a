/* SPDX-License-Identifier: BSD-3-Clause */
/* See share_calibration.h. */
#define _GNU_SOURCE
#include "account/share_calibration.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

static int read_factor(const struct wtl_calibration_section *section,
                       const char *key,
                       double usual,
                       double most,
                       double *ret,
                       struct wattle_error *err)
{
    const char *text = wtl_calibration_get(section, key);
    *ret = text ? wtl_calibration_number(section, key) : usual;
    if (isfinite(*ret) && *ret >= 0 && *ret <= most)
        return 0;
    return wtl_fail(
        err, -EBADMSG, "calibration [%s %s %s]: %s = %.40s is not a number from 0 to %g",
        section->kind, section->host, section->item, key, text ? text : "(missing)", most);
}

/* Does a condition differ? An absent one is unknown. */
static bool differs(const struct wtl_calibration_section *section,
                    const char *key,
                    const char *now,
                    struct wattle_error *err)
{
    const char *then = wtl_calibration_get(section, key);
    if (!then || !now || !*now || strcmp(then, now) == 0)
        return false;
    (void)wtl_fail(
        err, -ESTALE,
        "the calibration of shares is for %s %.80s, and it is now %.80s; repeat \"wattle pose "
        "calibrate\"",
        key, then, now);
    return true;
}

static bool any_differs(const struct wtl_calibration_section *section,
                        const struct wtl_share_conditions *now,
                        struct wattle_error *err)
{
    char cpus[16] = "", min_khz[24] = "", max_khz[24] = "";
    if (now->cpus)
        (void)snprintf(cpus, sizeof cpus, "%u", now->cpus);
    if (now->min_khz)
        (void)snprintf(min_khz, sizeof min_khz, "%llu", (unsigned long long)now->min_khz);
    if (now->max_khz)
        (void)snprintf(max_khz, sizeof max_khz, "%llu", (unsigned long long)now->max_khz);
    const char *const conditions[][2] = {
        {"sensor", now->sensor}, {"simulated", now->simulated ? "yes" : "no"},
        {"cpus", cpus},          {"governor", now->governor},
        {"epp", now->epp},       {"turbo", now->turbo < 0 ? NULL : now->turbo ? "yes" : "no"},
        {"min_khz", min_khz},    {"max_khz", max_khz}};
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (differs(section, conditions[i][0], conditions[i][1], err))
            return true;
    return false;
}

int wtl_share_calibration_read(const struct wtl_calibration_section *section,
                               const struct wtl_share_conditions *now,
                               struct wtl_share_model *ret_model,
                               struct wattle_error *err)
{
    struct wtl_share_model model = {.rule = WTL_SHARE_CALIBRATED, .idle = WTL_IDLE_CALIBRATED};
    struct wtl_node_model *node = &model.node;
    int rc = read_factor(section, "idle_w", NAN, 1e6, &node->idle_w, err);
    rc = rc < 0 ? rc : read_factor(section, "activation_w", 0, 1e6, &node->activation_w, err);
    rc =
        rc < 0 ? rc : read_factor(section, "smt_part", WTL_SHARE_SMT_PART, 1, &node->smt_part, err);
    rc = rc < 0 ? rc
                : read_factor(section, "frequency_exponent", WTL_SHARE_EXPONENT, 4,
                              &node->frequency_exponent, err);
    rc = rc < 0 ? rc : read_factor(section, "reference_ghz", 0, 100, &node->reference_ghz, err);
    if (rc < 0)
        return rc;
    if (any_differs(section, now, err))
        return -ESTALE;
    model.learns = !wtl_calibration_get(section, "activation_w");
    *ret_model = model;
    return 0;
}

int wtl_share_calibration_load(const struct wtl_world *world,
                               const struct wtl_share_conditions *now,
                               struct wtl_share_model *ret_model,
                               struct wattle_error *err)
{
    struct wtl_calibration *calibration = NULL;
    struct wattle_error why = {""};
    struct utsname name;
    char path[512];
    int rc = world->ops->uname(world, &name);
    rc = rc < 0 ? rc
                : wtl_calibration_load(world, NULL, WTL_SHARE_CALIBRATION_KIND, name.nodename,
                                       WTL_SHARE_CALIBRATION_ITEM, &calibration, path, sizeof path,
                                       &why);
    if (rc == -ENOENT)
        return wtl_fail(
            err, rc, "idle power is not calibrated; calibrate it with \"wattle pose calibrate\"");
    if (rc < 0)
        return wtl_fail(err, rc, "%s", why.text);
    rc = wtl_share_calibration_read(wtl_calibration_find(calibration, WTL_SHARE_CALIBRATION_KIND,
                                                         name.nodename, WTL_SHARE_CALIBRATION_ITEM),
                                    now, ret_model, err);
    wtl_calibration_destroy(calibration);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of <wattle/control.h>: a hold by a program, for a part of itself. */
#include <wattle/control.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "control/hold.h"

struct wattle_hold {
    struct wtl_hold *hold;
    struct wattle_control *control;
    struct wattle_hold *next;
};

struct wattle_control {
    double low_hz, high_hz; /* NaN = unknown */
    struct wattle_hold *holds;
    struct wattle_error said; /* the first sentence since it was cleared; "" = none */
};

static void note(void *context, const char *sentence)
{
    struct wattle_control *control = context;
    if (!control->said.text[0])
        (void)snprintf(control->said.text, sizeof control->said.text, "%s", sentence);
}

/* The range of all policies, and whether any of them may be written. */
static int discover_range(struct wattle_control *control, struct wattle_error *err)
{
    struct wtl_knob_list knobs;
    int rc = wtl_knob_list_discover(wtl_world_real(), &knobs), write_error = -ENODEV;
    control->low_hz = control->high_hz = (double)NAN;
    for (size_t i = 0; rc == 0 && i < knobs.count; i++) {
        const struct wtl_knob *knob = &knobs.items[i];
        if (write_error != 0 && (write_error == -ENODEV || knob->write_error == 0))
            write_error = knob->write_error;
        if (knob->row->kind != WTL_KNOB_FREQUENCY_MAX)
            continue;
        control->low_hz = fmin(control->low_hz, knob->least * knob->row->scale);
        control->high_hz = fmax(control->high_hz, knob->most * knob->row->scale);
    }
    wtl_knob_list_fini(&knobs);
    if (rc < 0)
        return wtl_no_memory_for(err, "the settings of this machine");
    if (write_error == -ENODEV)
        return wtl_fail(
            err, -ENODEV,
            "this machine has neither cpufreq nor power limits, as most virtual machines");
    if (write_error < 0)
        return wtl_fail(err, -EACCES,
                        "only root may change frequency and power of this machine; use an option "
                        "of srun if the site offers it");
    return 0;
}

int wattle_control_open(struct wattle_control **ret_control, struct wattle_error *err)
{
    if (!ret_control)
        return wtl_fail(err, -EINVAL, "wattle_control_open: ret_control is NULL");
    struct wattle_control *control = calloc(1, sizeof *control);
    if (!control)
        return wtl_no_memory_for(err, "a wattle_control");
    int rc = discover_range(control, err);
    if (rc < 0) {
        free(control);
        return rc;
    }
    *ret_control = control;
    return 0;
}

void wattle_control_close(struct wattle_control *control)
{
    while (control && control->holds) {
        struct wattle_hold *hold = control->holds;
        control->holds = hold->next;
        (void)wattle_control_restore(hold, NULL); /* what is open stays in the journal */
    }
    free(control);
}

/* "freq=1.6GHz turbo=off" */
static int parse(const char *settings, struct wtl_hold_request *request, struct wattle_error *err)
{
    for (const char *at = settings + strspn(settings, " "); *at; at += strspn(at, " ")) {
        char word[128];
        size_t n = strcspn(at, " ");
        if (n >= sizeof word)
            return wtl_fail(err, -EINVAL, "\"%.40s...\" is too long for a setting", at);
        memcpy(word, at, n);
        word[n] = '\0';
        at += n;
        char *value = strchr(word, '=');
        unsigned ask = 0;
        if (value)
            *value++ = '\0';
        while (wtl_ask_names[ask] && strcmp(wtl_ask_names[ask], word) != 0)
            ask++;
        if (!value || !wtl_ask_names[ask])
            return wtl_fail(err, -EINVAL,
                            "\"%s\": expected NAME=VALUE with freq, governor, epp, turbo, "
                            "power-limit or uncore",
                            word);
        int rc = wtl_hold_set(request, ask, value, err);
        if (rc < 0)
            return rc;
    }
    return wtl_hold_asks(request)
               ? 0
               : wtl_fail(err, -EINVAL,
                          "no settings given: expected, for example, \"freq=1.6GHz\"");
}

int wattle_control_set(struct wattle_control *control,
                       const char *settings,
                       struct wattle_hold **ret_hold,
                       struct wattle_error *err)
{
    struct wtl_hold_request request = {.cpus = NULL};
    struct wtl_control place = {.world = wtl_world_real(), .tell = note, .context = control};
    if (!control || !settings || !ret_hold)
        return wtl_fail(err, -EINVAL, "wattle_control_set: an argument is NULL");
    int rc = parse(settings, &request, err);
    if (rc < 0)
        return rc;
    struct wattle_hold *hold = calloc(1, sizeof *hold);
    if (!hold)
        return wtl_no_memory_for(err, "a wattle_hold");
    rc = wtl_hold_begin(&place, &request, &hold->hold, err);
    if (rc < 0) {
        free(hold);
        return rc;
    }
    hold->control = control;
    hold->next = control->holds;
    control->holds = hold;
    *ret_hold = hold;
    return 0;
}

int wattle_control_restore(struct wattle_hold *hold, struct wattle_error *err)
{
    if (!hold)
        return 0;
    struct wattle_control *control = hold->control;
    for (struct wattle_hold **at = &control->holds; *at; at = &(*at)->next) {
        if (*at != hold)
            continue;
        *at = hold->next;
        break;
    }
    control->said.text[0] = '\0';
    int rc = wtl_hold_end(hold->hold, err);
    free(hold);
    return rc == 0 && control->said.text[0] ? wtl_fail(err, -ESTALE, "%s", control->said.text) : rc;
}

int wattle_control_range(const struct wattle_control *control,
                         double *ret_low_hz,
                         double *ret_high_hz,
                         struct wattle_error *err)
{
    if (!control || !ret_low_hz || !ret_high_hz)
        return wtl_fail(err, -EINVAL, "wattle_control_range: an argument is NULL");
    if (isnan(control->low_hz) || isnan(control->high_hz))
        return wtl_fail(err, -ENODEV,
                        "the range of frequencies is unknown: this machine has no cpufreq driver, "
                        "or it reports none");
    *ret_low_hz = control->low_hz;
    *ret_high_hz = control->high_hz;
    return 0;
}

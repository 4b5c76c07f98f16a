/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found as text, JSON and CSV. */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/text/figures.h"
#include "cli/characterize/characterize.h"
#include "cli/documents.h"
#include "report/json_value.h"
#include "report/noun.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define PAIR(name, field, text)                                                                   \
    {name "_s", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.field.value), .meaning = text}, \
    {                                                                                             \
        name "_half_s", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.field.half),            \
            .meaning = "half width of its 95 % interval"                                          \
    }

static const struct wtl_member members[] = {
    {"host", WTL_NAME_AT(struct wtl_characterize, host), .nullable = true,
     .meaning = "name of the node"},
    {"channel", WTL_NAME_AT(struct wtl_characterize, name), .nullable = true,
     .meaning = "name of the gauge"},
    {"device", WTL_NAME_AT(struct wtl_characterize, device_name), .nullable = true,
     .meaning = "name of the GPU"},
    {"simulated", WTL_BOOLEAN_AT(struct wtl_characterize, simulated),
     .meaning = "the gauge belongs to a simulated node"},
    {"readings", WTL_SIZE_AT(struct wtl_characterize, reading_count), .meaning = "number"},
    {"values", WTL_SIZE_AT(struct wtl_characterize, gauge.updates),
     .meaning = "number of published values that were used"},
    {"claimed_period_s", WTL_NUMBER_OR_NULL(struct wtl_characterize, claimed_period_s),
     .meaning = "what was known of the period before"},
    {"claimed_window_s", WTL_NUMBER_OR_NULL(struct wtl_characterize, claimed_window_s),
     .meaning = "likewise of the window"},
    PAIR("period", period, "from one published value to the next"),
    PAIR("window", window, "time that a value averages; null: cannot be told"),
    PAIR("delay", delay, "from the end of the window until the value is published"),
    PAIR("filter", tau, "time constant of a first-order filter; 0: none is seen"),
    {"seen", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.duty.value), .unit = "1",
     .meaning = "part of the time that is in a window"},
    {"excess", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.excess.value), .unit = "1",
     .meaning = "energy shown too much of a load that changes; not 0: the gauge is not linear"},
    {"excess_half", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.excess.half), .unit = "1",
     .meaning = "half width of its 95 % interval"},
    {"idle_w", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.idle_w.value),
     .meaning = "power without load"},
    {"load_w", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.load_w.value),
     .meaning = "power under load"},
    {"quantum_w", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.quantum_w),
     .meaning = "step of the values; null: none is seen"},
    {"jitter_s", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.jitter_s),
     .meaning = "rms of the moments of publication around their grid"},
    {"residual_w", WTL_NUMBER_OR_NULL(struct wtl_characterize, gauge.residual_w),
     .meaning = "rms of what this description does not explain"},
    {"stored", WTL_NAME_AT(struct wtl_characterize, stored), .nullable = true,
     .meaning = "calibration.conf in which it was stored"},
    {.key = NULL}};
/* NOLINTEND(bugprone-macro-parentheses) */
const struct wtl_noun wtl_noun_characterize = {"characterize", members};

static void print_time(FILE *out, const char *what, struct wtl_gauge_value value, const char *why)
{
    if (isnan(value.value))
        (void)fprintf(out, "  %-9s ?          %s\n", what, why);
    else
        (void)fprintf(out, "  %-9s %s ms +- %s ms\n", what, WTL_IN_FIGURES(value.value * 1e3, 4),
                      WTL_IN_FIGURES(value.half * 1e3, 2));
}

static void print_text(const struct wtl_characterize *c, FILE *out)
{
    const struct wtl_gauge *g = &c->gauge;
    (void)fprintf(out, "%s%s%s%s: %zu values in %zu readings\n\n",
                  c->name[0] ? c->name : "The gauge", c->device_name[0] ? ", " : "", c->device_name,
                  c->simulated ? " (simulated)" : "", g->updates, c->reading_count);
    print_time(out, "period", g->period, "");
    print_time(out, "window", g->window,
               g->slow_filter ? "hidden behind the filter" : "other windows fit as well");
    print_time(out, "delay", g->delay, "");
    if (g->tau.value > 0)
        print_time(out, "filter", g->tau, "");
    else
        (void)fprintf(out, "  filter    none is seen\n");
    (void)fprintf(out, "  power     %s W idle, %s W under load", WTL_IN_FIGURES(g->idle_w.value, 4),
                  WTL_IN_FIGURES(g->load_w.value, 4));
    if (isfinite(g->quantum_w))
        (void)fprintf(out, ", in steps of %s W", WTL_IN_FIGURES(g->quantum_w, 3));
    (void)fputc('\n', out);
    if (g->duty.value < 0.99)
        (void)fprintf(
            out,
            "\nIt sees %s %% of the time. The energy of a job from it has an interval that holds "
            "what it\nhas not seen; an energy counter, where there is one, has none.\n",
            WTL_IN_FIGURES(100 * g->duty.value, 3));
    if (fabs(g->excess.value) > fmax(g->excess.half, 0.005))
        (void)fprintf(
            out,
            "\nIt is not linear, or the load was not as it said: of a load that changes it shows\n"
            "%+.2g %% more than of one that stands. Energies from it are wrong by as much.\n",
            100 * g->excess.value);
    if (c->stored[0])
        (void)fprintf(out, "\nStored in %s.\n", c->stored);
}

static const char *const csv_columns[] = {"what", "value", "half_width", NULL};

static void print_csv(const struct wtl_characterize *c, FILE *out)
{
    const struct {
        const char *what;
        struct wtl_gauge_value value;
    } rows[] = {{"period_s", c->gauge.period}, {"window_s", c->gauge.window},
                {"delay_s", c->gauge.delay},   {"filter_s", c->gauge.tau},
                {"seen", c->gauge.duty},       {"excess", c->gauge.excess},
                {"idle_w", c->gauge.idle_w},   {"load_w", c->gauge.load_w}};
    (void)fprintf(out, "%s,%s,%s\n", csv_columns[0], csv_columns[1], csv_columns[2]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)fprintf(out, "%s,", rows[i].what);
        if (isfinite(rows[i].value.value))
            (void)fprintf(out, "%.9g,%.9g\n", rows[i].value.value, rows[i].value.half);
        else
            (void)fputs(",\n", out);
    }
}

int wtl_characterize_print(const struct wtl_characterize *c, FILE *out, struct wattle_error *err)
{
    int rc = 0;
    if (c->format == WTL_FORMAT_JSON)
        rc = wtl_json_print(out,
                            wtl_noun_document("wattle.characterize/1", &wtl_noun_characterize, c));
    else if (c->format == WTL_FORMAT_CSV)
        print_csv(c, out);
    else
        print_text(c, out);
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(out, err);
}

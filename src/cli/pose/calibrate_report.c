/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan and the outcome of "wattle pose calibrate", for people: see calibrate.h. */
#define _GNU_SOURCE
#include "cli/pose/calibrate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/documents.h"
#include "cli/pose/calibrate_document.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/result/text_result.h"
#include "report/table.h"

enum { LABEL = 15 };

static const char *bound_of(const struct wtl_calibrate_load *load)
{
    return load->of_pmax ? "Pmax" : "Pmin";
}

static void print_warnings(const struct wtl_calibrate *calibrate,
                           FILE *out,
                           const struct wtl_style *style)
{
    for (size_t i = 0; i < calibrate->warning_count; i++)
        wtl_print_paragraph(out, style, WTL_CAUTION, LABEL, "Warning", calibrate->warnings[i].text);
}

/* ---- the plan ---- */

void wtl_calibrate_plan(const struct wtl_calibrate *calibrate,
                        FILE *out,
                        const struct wtl_style *style)
{
    const struct wtl_calibrate_options *o = &calibrate->options;
    char text[700], about[32], most[32], time[32];
    size_t loads = 0;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++)
        loads += wtl_calibrate_runs(&calibrate->loads[i]);
    (void)wtl_calibrate_minutes(about, sizeof about, calibrate->about_s);
    (void)wtl_calibrate_minutes(most, sizeof most, calibrate->most_s);
    (void)wtl_digits_time(time, sizeof time, (double)o->time_ns * 1e-9);
    (void)snprintf(
        text, sizeof text,
        "%zu loads on %u CPUs, %u runs of %s each once power is stable: about %s, at most %s",
        loads, calibrate->threads, o->runs, time, about, most);
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Plan", text);
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        const struct wtl_calibrate_load *load = &calibrate->loads[i];
        if (!load->asked)
            continue;
        (void)snprintf(text, sizeof text, "%s  %s%s", bound_of(load),
                       load->why[0] ? "cannot run: " : "", load->why[0] ? load->why : load->how);
        wtl_print_paragraph(out, style, load->why[0] ? WTL_CAUTION : WTL_PLAIN, LABEL, load->name,
                            text);
    }
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Stored in", calibrate->path);
    print_warnings(calibrate, out, style);
}

/* ---- text ---- */

static void add_rows(const struct wtl_calibrate *calibrate,
                     const struct wtl_calibrate_load *load,
                     struct wtl_table *table)
{
    char power[64], settled[32], name[80];
    for (size_t item = 0; wtl_calibrate_item(calibrate, item); item++) {
        struct wtl_calibrate_power p;
        if ((item == 1 && !wtl_calibrate_item(calibrate, 2)) ||
            !wtl_calibrate_power_of(calibrate, load, item, &p))
            continue; /* one channel is the total again */
        if (p.quality == WATTLE_ESTIMATED)
            (void)wtl_digits_estimate(power, sizeof power, p.power_w, p.low_w, p.high_w);
        else
            (void)wtl_digits_interval(power, sizeof power, p.power_w, p.half_w);
        (void)snprintf(settled, sizeof settled, "%zu of %zu", load->settled, load->count);
        if (load->settled + load->drifted == 0)
            (void)snprintf(settled, sizeof settled, "unknown");
        (void)snprintf(name, sizeof name, "%s%s", item ? "  " : "",
                       item ? wtl_calibrate_item(calibrate, item) : load->name);
        const char *cells[] = {name, item ? "" : bound_of(load), power, item ? "" : settled};
        wtl_table_row(table, item ? WTL_FAINT : WTL_PLAIN, cells);
    }
}

static int print_table(const struct wtl_calibrate *calibrate,
                       FILE *out,
                       const struct wtl_style *style)
{
    static const struct wtl_column columns[] = {
        {"load", false}, {"for", false}, {"power [W]", true}, {"settled", true}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++)
        add_rows(calibrate, &calibrate->loads[i], table);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

static void print_bound(const char *label,
                        const struct wtl_pose_bound *bound,
                        FILE *out,
                        const struct wtl_style *style)
{
    char power[64], text[256];
    (void)wtl_digits_interval(power, sizeof power, bound->power_w, bound->half_w);
    if (label[2] == 'a')
        (void)snprintf(text, sizeof text, "%s W: %s, the load with the highest power", power,
                       bound->name);
    else if (strstr(bound->name, "parallel"))
        (void)snprintf(text, sizeof text,
                       "%s W: %s, for codes that keep all cores busy; choose another with \"wattle "
                       "pose --floor NAME\"",
                       power, bound->name);
    else
        (void)snprintf(text, sizeof text,
                       "%s W: %s, with \"wattle pose --floor %s\", since no load that keeps all "
                       "cores busy was measured",
                       power, bound->name, bound->name);
    wtl_print_paragraph(out, style, WTL_STRONG, LABEL, label, text);
}

static void print_stored(const struct wtl_calibrate *calibrate,
                         FILE *out,
                         const struct wtl_style *style)
{
    char text[2 * sizeof calibrate->path + 200];
    if (calibrate->stored && calibrate->hidden_by[0])
        (void)snprintf(text, sizeof text,
                       "%s; but %s takes precedence and also has this machine: remove its "
                       "sections, or use --calibration",
                       calibrate->path, calibrate->hidden_by);
    else if (calibrate->stored)
        (void)snprintf(text, sizeof text, "%s%s", calibrate->path,
                       calibrate->found_by_default
                           ? "; used by \"wattle pose\""
                           : "; use it with \"wattle pose --calibration FILE\"");
    else
        (void)snprintf(text, sizeof text, "nothing; any earlier calibration is kept");
    wtl_print_paragraph(out, style, calibrate->stored ? WTL_PLAIN : WTL_CAUTION, LABEL, "Stored",
                        text);
}

static void print_machine(const struct wtl_calibrate *calibrate,
                          FILE *out,
                          const struct wtl_style *style)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    char text[512], power[32];
    (void)snprintf(text, sizeof text, "%s%s%s, %u of %u CPUs, governor %s%s%s, turbo %s",
                   any->host ? any->host : "unknown host", calibrate->cpu[0] ? ": " : "",
                   calibrate->cpu, calibrate->threads, calibrate->online,
                   any->governor ? any->governor : "unknown", any->epp ? ", EPP " : "",
                   any->epp ? any->epp : "",
                   any->turbo < 0 ? "unknown"
                   : any->turbo   ? "on"
                                  : "off");
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Machine", text);
    (void)snprintf(text, sizeof text, "%s, %s", any->total.contains, wtl_result_quality_word(any));
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Power is of", text);
    if (isnan(calibrate->idle.total_w))
        return;
    (void)snprintf(text, sizeof text, "%s W, before the first run",
                   wtl_digits_short(power, sizeof power, calibrate->idle.total_w));
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Idle", text);
}

static int print_text(const struct wtl_calibrate *calibrate,
                      FILE *out,
                      const struct wtl_style *style)
{
    struct wtl_pose_bounds bounds;
    struct wattle_error why = {""};
    print_machine(calibrate, out, style);
    (void)fputc('\n', out);
    int rc = print_table(calibrate, out, style);
    (void)fputc('\n', out);
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        if (calibrate->loads[i].count > 0)
            wtl_print_paragraph(out, style, WTL_FAINT, LABEL, calibrate->loads[i].name,
                                calibrate->loads[i].how);
    }
    bool has = wtl_calibrate_bounds(calibrate, 0, &bounds, &why) == 0;
    if (has && wtl_calibrate_sound(&bounds, why.text, sizeof why.text)) {
        print_bound("Pmin", &bounds.pmin, out, style);
        print_bound("Pmax", &bounds.pmax, out, style);
    } else {
        wtl_print_paragraph(out, style, WTL_CAUTION, LABEL, "No bounds", why.text);
    }
    print_stored(calibrate, out, style);
    print_warnings(calibrate, out, style);
    return rc;
}

int wtl_calibrate_report(const struct wtl_calibrate *calibrate,
                         FILE *out,
                         const struct wtl_style *style,
                         struct wattle_error *err)
{
    int rc = 0;
    bool measured = wtl_calibrate_any(calibrate) != NULL;
    if (calibrate->options.format == WTL_FORMAT_JSON)
        rc = wtl_json_print(
            out, wtl_noun_document("wattle.calibrate/1", &wtl_noun_calibrate, calibrate));
    else if (calibrate->options.format == WTL_FORMAT_CSV)
        wtl_calibrate_csv(calibrate, out);
    else if (measured)
        rc = print_text(calibrate, out, style);
    else
        wtl_calibrate_plan(calibrate, out, style);
    if (rc < 0)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}

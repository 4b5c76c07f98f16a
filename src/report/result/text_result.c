/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A result as text: a title, the table of channels, then one paragraph for each thing that is
 * known. What is unknown is left out, except where its absence would be taken for a zero.
 */
#define _GNU_SOURCE
#include "report/result/text_result.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"
#include "model/gap.h"
#include "model/labels.h"
#include "report/digits.h"
#include "report/table.h"

enum { CELL = 64, TITLE = 60 };

__attribute__((format(printf, 3, 4))) static void fact(FILE *out,
                                                       const char *label,
                                                       const char *format,
                                                       ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, label, text);
}

/* The command, cut to fit. */
static void print_command(FILE *out, const char *command)
{
    size_t n = strlen(command), fits = 0;
    for (size_t columns = 0; fits < n && columns < TITLE; columns++) {
        size_t length = wtl_utf8_length(command + fits, n - fits);
        fits += length ? length : 1;
    }
    wtl_print_clean(out, command, fits);
    (void)fputs(fits < n ? "..." : "", out);
}

static void print_title(FILE *out, const struct wtl_result *r, const struct wtl_repeat *repeat)
{
    (void)fputs("\n Energy of ", out);
    if (r->command)
        print_command(out, r->command);
    else if (!r->target || strcmp(r->target, "machine") == 0)
        (void)fputs("the machine", out);
    else
        print_command(out, r->target);
    if (r->node) {
        (void)fputs(", on ", out);
        wtl_print_clean(out, r->node, strlen(r->node));
    }
    if (repeat)
        (void)fprintf(out, ", mean of %zu runs", repeat->n);
    /* 128+N is signal N, as a shell has it; Linux has 64 of them. */
    if (r->exit_code > 128 && r->exit_code <= 128 + 64)
        (void)fprintf(out, ", died of signal %d", r->exit_code - 128);
    else if (r->exit_code > 0)
        (void)fprintf(out, ", exit status %d", r->exit_code);
    (void)fputs(":\n\n", out);
}

struct wtl_energy wtl_total_energy(const struct wtl_result *r, const struct wtl_repeat *repeat)
{
    struct wtl_energy energy = r->energy;
    if (repeat)
        energy.half_j = repeat->energy_j.ci95;
    return energy;
}

static void print_time(FILE *out, const struct wtl_result *r, const struct wtl_repeat *repeat)
{
    char a[CELL], b[CELL];
    double t = r->wall_time_s;
    if (repeat && !isnan(repeat->wall_time_s.ci95))
        fact(out, "time", "%s s", wtl_digits_interval(a, sizeof a, t, repeat->wall_time_s.ci95));
    else if (repeat || !(t >= 1)) /* NaN: a trace without its window */
        fact(out, "time", "%s", wtl_digits_time(a, sizeof a, t));
    else
        fact(out, "time", "%.4f s", t);
    if (isnan(r->energy.j))
        return;
    const struct wtl_energy energy = wtl_total_energy(r, repeat);
    double half = wtl_digits_half(&energy), edp = energy.j * t;
    double half_edp = repeat ? repeat->edp_js.ci95 : half * t;
    double half_ed2p = repeat ? repeat->ed2p_js2.ci95 : half * t * t;
    if (r->total.quality == WATTLE_ESTIMATED) {
        half_edp = half * t;
        half_ed2p = half * t * t;
    }
    fact(out, "energy x time", "EDP %sJ s, ED2P %sJ s^2",
         wtl_digits_product(a, sizeof a, edp, half_edp),
         wtl_digits_product(b, sizeof b, edp * t, half_ed2p));
}

/* What is worked out from CPU time has no interval of its own: three digits, of an estimate two. */
static const char *share_text(char *buf, size_t n, double joules, enum wattle_quality quality)
{
    return wtl_digits_value(buf, n, joules,
                            quality == WATTLE_ESTIMATED ? fabs(joules) : (double)NAN);
}

static void print_process(FILE *out, const struct wtl_result *r)
{
    char a[CELL], b[CELL];
    if (!isnan(r->cpu_s) && !isnan(r->max_rss_bytes))
        fact(out, "process tree", "%s of CPU time, at most %s of memory in one process",
             wtl_digits_time(a, sizeof a, r->cpu_s),
             wtl_digits_bytes(b, sizeof b, r->max_rss_bytes));
    else if (!isnan(r->cpu_s))
        fact(out, "process tree", "%s of CPU time", wtl_digits_time(a, sizeof a, r->cpu_s));
    if (!isnan(r->energy_share_j))
        fact(out, "its share", "%s J of the total (%s)",
             share_text(a, sizeof a, r->energy_share_j, r->share_quality),
             r->share_quality == WATTLE_ESTIMATED ? "estimated"
                                                  : "derived from CPU time, not measured");
}

static void print_idle(FILE *out, const struct wtl_result *r, const struct wtl_repeat *repeat)
{
    char a[CELL], b[CELL], c[CELL];
    if (isnan(r->idle_before_w) && isnan(r->idle_after_w))
        return;
    fact(out, "idle", "%s W before, %s W after",
         wtl_digits_value(a, sizeof a, r->idle_before_w, NAN),
         wtl_digits_value(b, sizeof b, r->idle_after_w, NAN));
    if (!isnan(r->above_idle_j)) {
        /* The idle machine's power is known to about half of what changed meanwhile. */
        double drift = fabs(r->idle_after_w - r->idle_before_w) / 2 * r->wall_time_s;
        const struct wtl_energy total = wtl_total_energy(r, repeat);
        double half = isnan(drift) ? (double)NAN : hypot(drift, wtl_digits_half(&total));
        fact(out, "above idle", "%s J", wtl_digits_interval(c, sizeof c, r->above_idle_j, half));
    }
}

static void print_work(FILE *out, const struct wtl_result *r, const struct wtl_repeat *repeat)
{
    char a[CELL], b[CELL];
    if (isnan(r->work) || !(r->work > 0))
        return;
    const char *unit = r->work_unit ? r->work_unit : "unit";
    if (isnan(r->energy.j)) {
        fact(out, "per work", "unknown");
        return;
    }
    const struct wtl_energy total = wtl_total_energy(r, repeat);
    double per = total.j / r->work, half = wtl_digits_half(&total) / r->work;
    fact(out, "per work", "%sJ per %s, %s%s per J", wtl_digits_si(a, sizeof a, per, half), unit,
         wtl_digits_si(b, sizeof b, 1 / per, half / per / per), unit);
}

static void print_labels(FILE *out, const struct wtl_result *r)
{
    char text[WTL_LABELS_SIZE];
    size_t used = 0;
    struct wtl_label label;
    for (const char *at = r->labels ? r->labels : ""; wtl_labels_next(&at, &label);) {
        int n = snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "", label.key,
                         label.value);
        used += n > 0 && (size_t)n < sizeof text - used ? (size_t)n : 0;
    }
    if (used)
        wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "labels", text);
}

static void print_gaps(FILE *out, const struct wtl_result *r)
{
    for (size_t i = 0; i < r->channel_count; i++) {
        const struct wtl_summary *s = &r->channels[i].summary;
        char reasons[160] = "", time[CELL], missing[64];
        size_t used = 0;
        if (s->gaps == 0)
            continue;
        for (unsigned k = 0; k < WTL_GAP_REASON_COUNT; k++) {
            if (!(s->gap_reasons >> k & 1))
                continue;
            int n = snprintf(reasons + used, sizeof reasons - used, "%s%s", used ? ", " : "",
                             wtl_gap_reason_name((enum wtl_gap_reason)k));
            used += n > 0 && (size_t)n < sizeof reasons - used ? (size_t)n : 0;
        }
        fact(out, "gap", "%s: %llu time%s, %s in all (%s)%s", r->channels[i].channel.name,
             (unsigned long long)s->gaps, s->gaps == 1 ? "" : "s",
             wtl_digits_time(time, sizeof time, (double)s->gap_ns * 1e-9), reasons,
             wtl_gap_incomplete(missing, sizeof missing, s->unknown_ns));
    }
}

static void print_flags(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    for (size_t i = 0; i < r->flag_count; i++) {
        char label[32];
        (void)snprintf(label, sizeof label, "! %s", r->flags[i].name);
        wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, label, r->flags[i].text);
    }
}

static void print_own(FILE *out, const struct wtl_result *r)
{
    char cpu[CELL], number[CELL], every[CELL], joules[CELL + 8] = "", late[CELL + 24] = "";
    char where[32] = "";
    if (isnan(r->own_cpu_s) || r->interval_ns == 0)
        return;
    if (r->sampler_cpu >= 0)
        (void)snprintf(where, sizeof where, " on CPU %d", r->sampler_cpu);
    if (!isnan(r->own_j))
        (void)snprintf(joules, sizeof joules, ", %s J",
                       share_text(number, sizeof number, r->own_j, r->total.quality));
    if (r->late_max_ns > 0) /* else no sample fell due within the window */
        (void)snprintf(late, sizeof late, ", 99 %% less than %s late",
                       wtl_digits_time(number, sizeof number, (double)r->late_p99_ns * 1e-9));
    fact(out, "wattle itself", "%s of CPU time%s; a sample every %s%s%s, %llu missed%s",
         wtl_digits_time(cpu, sizeof cpu, r->own_cpu_s), joules,
         wtl_digits_time(every, sizeof every, (double)r->interval_ns * 1e-9), where, late,
         (unsigned long long)r->missed, r->dropped ? ", samples were dropped" : "");
}

int wtl_text_result(FILE *out,
                    const struct wtl_style *style,
                    const struct wtl_result *result,
                    const struct wtl_repeat *repeat)
{
    print_title(out, result, repeat);
    int rc = wtl_text_channels(out, style, result, repeat);
    print_time(out, result, repeat);
    print_process(out, result);
    print_idle(out, result, repeat);
    print_work(out, result, repeat);
    print_labels(out, result);
    print_gaps(out, result);
    print_flags(out, style, result);
    print_own(out, result);
    if (result->trace && !repeat)
        fact(out, "trace", "%s", result->trace);
    (void)fputc('\n', out);
    return rc;
}

int wtl_text_runs(FILE *out,
                  const struct wtl_style *style,
                  const struct wtl_result *results,
                  size_t count)
{
    static const struct wtl_column columns[] = {{"run", true},      {"energy [J]", true},
                                                {"mean [W]", true}, {"time [s]", true},
                                                {"exit", true},     {"trace", false}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct wtl_table *table = wtl_table_create(columns, COLUMNS);
    for (size_t i = 0; i < count; i++) {
        const struct wtl_result *r = &results[i];
        char run[24], energy[CELL], power[CELL], wall[CELL], code[16];
        double half = wtl_digits_half(&r->energy);
        (void)snprintf(run, sizeof run, "%zu", i + 1);
        (void)snprintf(wall, sizeof wall, "%.4f", r->wall_time_s);
        (void)snprintf(code, sizeof code, r->exit_code < 0 ? "-" : "%d", r->exit_code);
        (void)wtl_digits_value(energy, sizeof energy, r->energy.j, half);
        (void)wtl_digits_value(power, sizeof power, r->total_w, half / r->energy.j * r->total_w);
        const char *cells[COLUMNS] = {run, energy, power, wall, code, r->trace};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    (void)fputc('\n', out);
    return rc;
}

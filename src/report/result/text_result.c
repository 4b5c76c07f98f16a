/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A result as text: a headline, the table of channels, then one line for each fact that most
 * readers need; verbose adds all others. Unknown values are left out, unless they would then be
 * taken for zero.
 */
#define _GNU_SOURCE
#include "report/result/text_result.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell_word.h"
#include "base/text/figures.h"
#include "base/utf8.h"
#include "model/gap.h"
#include "model/labels.h"
#include "report/digits.h"
#include "report/table.h"

enum { CELL = 64, BESIDE_COMMAND = 36 };

__attribute__((format(printf, 4, 5))) static void fact(FILE *out,
                                                       const struct wtl_style *style,
                                                       const char *label,
                                                       const char *format,
                                                       ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, label, text);
}

/* The command, cut to fit. */
static void print_command(FILE *out, const struct wtl_style *style, const char *command)
{
    size_t n = strlen(command), fits = 0, room = (size_t)(wtl_style_width(style) - BESIDE_COMMAND);
    for (size_t columns = 0; fits < n && columns < room; columns++) {
        size_t length = wtl_utf8_length(command + fits, n - fits);
        fits += length ? length : 1;
    }
    if (wtl_utf8_columns(command) <=
        room + sizeof "..." - 1) /* as short as what would replace its end */
        fits = n;
    wtl_print_clean(out, command, fits);
    (void)fputs(fits < n ? "..." : "", out);
}

static const char *time_text(char *buf,
                             size_t n,
                             const struct wtl_result *r,
                             const struct wtl_repeat *repeat)
{
    char digits[CELL];
    double t = r->wall_time_s;
    if (repeat && !isnan(repeat->wall_time_s.ci95))
        (void)snprintf(buf, n, "%s s",
                       wtl_digits_interval(digits, sizeof digits, t, repeat->wall_time_s.ci95));
    else if (repeat || t < 1)
        (void)wtl_digits_time(buf, n, t);
    else
        (void)snprintf(buf, n, "%.4f s", t);
    return buf;
}

static void print_title(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_result *r,
                        const struct wtl_repeat *repeat)
{
    char time[CELL];
    (void)fputs(" Energy of ", out);
    if (r->command)
        print_command(out, style, r->command);
    else if (!r->target || strcmp(r->target, "machine") == 0)
        (void)fputs("the machine", out);
    else
        print_command(out, style, r->target);
    if (repeat || !isnan(r->wall_time_s))
        (void)fprintf(out, " in %s", time_text(time, sizeof time, r, repeat));
    else /* a trace without its window */
        (void)fputs(", start and end unknown", out);
    if (r->node) {
        (void)fputs(", on ", out);
        wtl_print_clean(out, r->node, strlen(r->node));
    }
    if (repeat)
        (void)fprintf(out, ", mean of %zu runs", repeat->n);
    /* 128+N is signal N, as in a shell; Linux has 64 of them. */
    if (r->exit_code > 128 && r->exit_code <= 128 + 64)
        (void)fprintf(out, ", killed by signal %d", r->exit_code - 128);
    else if (r->exit_code > 0)
        (void)fprintf(out, ", exit status %d", r->exit_code);
    (void)fputs(":\n", out);
}

struct wtl_energy wtl_total_energy(const struct wtl_result *r, const struct wtl_repeat *repeat)
{
    struct wtl_energy energy = r->energy;
    if (repeat)
        energy.half_j = repeat->energy_j.ci95;
    return energy;
}

static void print_products(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_result *r,
                           const struct wtl_repeat *repeat)
{
    char a[CELL], b[CELL];
    double t = r->wall_time_s;
    if (isnan(r->energy.j))
        return;
    const struct wtl_energy energy = wtl_total_energy(r, repeat);
    double half = wtl_digits_half(&energy), edp = energy.j * t;
    if (r->total.quality == WATTLE_ESTIMATED) {
        fact(
            out, style, "energy x time", "EDP %s J s, ED2P %s J s^2 (estimated)",
            wtl_digits_estimate(a, sizeof a, edp, energy.low_j * t, energy.high_j * t),
            wtl_digits_estimate(b, sizeof b, edp * t, energy.low_j * t * t, energy.high_j * t * t));
        return;
    }
    double half_edp = repeat ? repeat->edp_js.ci95 : half * t;
    double half_ed2p = repeat ? repeat->ed2p_js2.ci95 : half * t * t;
    fact(out, style, "energy x time", "EDP %sJ s, ED2P %sJ s^2",
         wtl_digits_product(a, sizeof a, edp, half_edp),
         wtl_digits_product(b, sizeof b, edp * t, half_ed2p));
}

/* Values derived from CPU time have no interval: three digits, or two if estimated. */
static const char *share_text(char *buf, size_t n, double joules, enum wattle_quality quality)
{
    return wtl_digits_value(buf, n, joules,
                            quality == WATTLE_ESTIMATED ? fabs(joules) : (double)NAN);
}

static void print_process(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    char a[CELL], b[CELL];
    if (isnan(r->cpu_s))
        return;
    bool memory = !isnan(r->max_rss_bytes);
    fact(out, style, "process tree", "%s of CPU time%s%s%s", wtl_digits_time(a, sizeof a, r->cpu_s),
         memory ? ", at most " : "", memory ? wtl_digits_bytes(b, sizeof b, r->max_rss_bytes) : "",
         memory ? " of memory in one process" : "");
}

enum { PARTS = 4, PARTS_TEXT = 24 };

/* Parts of a sum, rounded so that they add up to the rounded sum. */
static void parts_text(const double parts_j[PARTS], double sum_j, char texts[PARTS][PARTS_TEXT])
{
    double digits = sum_j > 0 ? 3 - floor(log10(sum_j)) : 3;
    int decimals = (int)fmin(fmax(digits, 0), 6);
    const double step = pow(10, -decimals);
    long long rest = llround(sum_j / step);
    for (size_t i = 0; i < PARTS; i++) {
        long long part = i + 1 < PARTS ? llround(parts_j[i] / step) : rest;
        rest -= part;
        (void)snprintf(texts[i], PARTS_TEXT, "%.*f", decimals, (double)part * step);
    }
}

/* By the calibrated model, or hardware counters. */
static void print_parts(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_result *r,
                        const char *what)
{
    const double parts_j[PARTS] = {r->energy_share_j, r->others_share_j, r->share_idle_j};
    char texts[PARTS][PARTS_TEXT], half[CELL], interval[CELL + 8] = "";
    parts_text(parts_j, r->energy.j, texts);
    if (r->share_half_j > 0) /* or unknown */
        (void)snprintf(interval, sizeof interval, " +- %s",
                       wtl_digits_value(half, sizeof half, r->share_half_j, r->share_half_j));
    fact(out, style, what, "%s J%s of the total%s (%s); others %s J, idle %s J, unattributed %s J",
         texts[0], interval, r->share_rule == WTL_SHARE_COUNTERS ? " by counters" : "",
         r->share_quality == WATTLE_ESTIMATED ? "estimated" : "derived", texts[1], texts[2],
         texts[3]);
}

/* What of it is energy of GPUs. */
static void print_gpu_parts(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    const double parts_j[PARTS] = {r->gpu_share_j, r->gpu_others_j, r->gpu_idle_j};
    double known_j = r->gpu_share_j + r->gpu_others_j + r->gpu_idle_j;
    double sum_j = known_j + r->gpu_unattributed_j;
    char texts[PARTS][PARTS_TEXT];
    if (!(sum_j > 0)) /* or unknown */
        return;
    parts_text(parts_j, sum_j, texts);
    if (known_j > 0)
        fact(out, style, "of it GPUs",
             "%s J by time on them (derived); others %s J, idle %s J, unattributed %s J", texts[0],
             texts[1], texts[2], texts[3]);
    else
        fact(out, style, "of it GPUs", "unknown: the use of GPUs is not known; %s J unattributed",
             texts[3]);
}

static void print_share(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    char joules[CELL];
    bool cgroup = r->target && strncmp(r->target, "cgroup", 6) == 0;
    if (isnan(r->energy_share_j))
        return;
    const char *what = r->command ? "this command" : cgroup ? "this cgroup" : "this process";
    if (r->share_rule != WTL_SHARE_CPU_TIME && !isnan(r->energy.j)) {
        print_parts(out, style, r, what);
    } else {
        fact(out, style, what, "%s J of the total by CPU time%s (%s)",
             share_text(joules, sizeof joules, r->energy_share_j, r->share_quality),
             r->gpu_share_j > 0 ? " and time on GPUs" : "",
             r->share_quality == WATTLE_ESTIMATED ? "estimated" : "derived, not measured");
    }
    print_gpu_parts(out, style, r);
}

static void print_idle(FILE *out,
                       const struct wtl_style *style,
                       const struct wtl_result *r,
                       const struct wtl_repeat *repeat)
{
    char a[CELL], b[CELL], c[CELL];
    if (isnan(r->idle_before_w) && isnan(r->idle_after_w))
        return;
    fact(out, style, "idle", "%s W before, %s W after",
         wtl_digits_value(a, sizeof a, r->idle_before_w, NAN),
         wtl_digits_value(b, sizeof b, r->idle_after_w, NAN));
    if (!isnan(r->above_idle_j)) {
        /* The idle machine's power is known to about half of its change between the two
         * measurements. */
        double drift = fabs(r->idle_after_w - r->idle_before_w) / 2 * r->wall_time_s;
        const struct wtl_energy total = wtl_total_energy(r, repeat);
        double half = isnan(drift) ? (double)NAN : hypot(drift, wtl_digits_half(&total));
        fact(out, style, "above idle", "%s J",
             wtl_digits_interval(c, sizeof c, r->above_idle_j, half));
    } else if (r->total_unknown_ns > 0) {
        fact(out, style, "above idle", "unknown: the total leaves out time");
    }
}

static void print_work(FILE *out,
                       const struct wtl_style *style,
                       const struct wtl_result *r,
                       const struct wtl_repeat *repeat)
{
    char a[CELL], b[CELL];
    if (isnan(r->work) || !(r->work > 0))
        return;
    const char *unit = r->work_unit ? r->work_unit : "unit";
    if (isnan(r->energy.j)) {
        fact(out, style, "per work", "unknown");
        return;
    }
    const struct wtl_energy total = wtl_total_energy(r, repeat);
    double per = total.j / r->work, half = wtl_digits_half(&total) / r->work;
    if (r->total.quality == WATTLE_ESTIMATED) {
        char low[CELL], high[CELL];
        fact(out, style, "per work", "%sJ per %s (estimated, %sJ to %sJ)",
             wtl_digits_si(a, sizeof a, per, half), unit,
             wtl_digits_si(low, sizeof low, total.low_j / r->work, half),
             wtl_digits_si(high, sizeof high, total.high_j / r->work, half));
        return;
    }
    fact(out, style, "per work", "%sJ per %s, %s%s per J", wtl_digits_si(a, sizeof a, per, half),
         unit, wtl_digits_si(b, sizeof b, 1 / per, half / per / per), unit);
}

/* Tasks and where to look at them. */
static void print_tasks(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    char cut[CELL] = "";
    if (r->task_marks == 0)
        return; /* a flag says so */
    if (r->tasks_cut > 0)
        (void)snprintf(cut, sizeof cut, ", cut at the size limit");
    fact(out, style, "tasks", "%" PRIu64 " complete (%" PRIu64 " marks%s%s)%s%s", r->tasks_complete,
         r->task_marks, r->tasks && strcmp(r->tasks, "summary") == 0 ? ", summary" : "", cut,
         r->trace ? "; energy by type: wattle tasks " : "", r->trace ? r->trace : "");
}

/* Requested against achieved. */
static void print_control(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    char asked[CELL] = "", achieved[CELL] = "; achieved frequency unknown (no core reports it)";
    char drawn[CELL] = "";
    size_t cores, packages;
    double hz = wtl_result_frequency(r, &cores), watts = wtl_result_package_power(r, &packages);
    if (!r->control)
        return;
    if (strstr(r->control, "power-limit=") && isnan(watts))
        (void)snprintf(drawn, sizeof drawn, "; achieved power unknown (no package is measured)");
    else if (strstr(r->control, "power-limit="))
        (void)snprintf(drawn, sizeof drawn, "; achieved %s W (mean of %zu package%s)",
                       WTL_IN_FIGURES(watts, 4), packages, packages == 1 ? "" : "s");
    if (r->asked_low_hz < r->asked_high_hz)
        (void)snprintf(asked, sizeof asked, ": requested %s to %s GHz",
                       WTL_IN_FIGURES(r->asked_low_hz / 1e9, 4),
                       WTL_IN_FIGURES(r->asked_high_hz / 1e9, 4));
    else if (!isnan(r->asked_high_hz))
        (void)snprintf(asked, sizeof asked, ": requested %s GHz",
                       WTL_IN_FIGURES(r->asked_high_hz / 1e9, 4));
    if (!isnan(hz))
        (void)snprintf(achieved, sizeof achieved, "%s %s GHz (mean of %zu cores)",
                       asked[0] ? ", achieved" : "; mean frequency", WTL_IN_FIGURES(hz / 1e9, 4),
                       cores);
    fact(out, style, "settings", "%s%s%s%s", r->control, asked, achieved, drawn);
}

static void print_labels(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
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
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "labels", text);
}

static void print_gaps(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
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
        fact(out, style, "gap", "%s: %llu time%s, %s in all (%s)%s", r->channels[i].channel.name,
             (unsigned long long)s->gaps, s->gaps == 1 ? "" : "s",
             wtl_digits_time(time, sizeof time, (double)s->gap_ns * 1e-9), reasons,
             wtl_gap_incomplete(missing, sizeof missing, s->unknown_ns));
    }
}

/* The length of the first clauses of a sentence that fit into so many columns; all of it if not
 * even one fits, so that no warning is cut in the middle. */
static size_t clauses_that_fit(const char *text, size_t room)
{
    size_t fits = 0, columns = 0;
    int depth = 0; /* of parentheses */
    for (size_t i = 0; text[i]; i++) {
        bool ends = strchr(":;,", text[i]) ? text[i + 1] == ' ' : strncmp(text + i, " (", 2) == 0;
        if (ends && depth == 0 && columns + strlen(" ...") <= room)
            fits = i;
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        columns += (text[i] & 0xC0) != 0x80;
    }
    return columns <= room || fits == 0 ? strlen(text) : fits;
}

static void print_flags(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    size_t room = (size_t)(wtl_style_width(style) - WTL_TEXT_INDENT - WTL_TEXT_LABEL);
    for (size_t i = 0; i < r->flag_count; i++) {
        char label[32], text[1024];
        const char *all = r->flags[i].text;
        size_t n = style && style->verbose ? strlen(all) : clauses_that_fit(all, room);
        const char *more = all[n] ? " ..." : "";
        (void)snprintf(label, sizeof label, "! %s", r->flags[i].name);
        (void)snprintf(text, sizeof text, "%.*s%s", (int)n, all, more);
        wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, label, text);
    }
}

static void print_own(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    char cpu[CELL], number[CELL], every[CELL], joules[CELL + 20] = "", late[CELL + 24] = "";
    char where[32] = "";
    if (r->sampler_cpu >= 0)
        (void)snprintf(where, sizeof where, " on CPU %d", r->sampler_cpu);
    if (!isnan(r->own_j))
        (void)snprintf(joules, sizeof joules, ", %s J%s",
                       share_text(number, sizeof number, r->own_j, r->total.quality),
                       r->total.quality == WATTLE_ESTIMATED ? " (estimated)" : "");
    if (r->late_max_ns > 0) /* else no sample fell due within the window */
        (void)snprintf(late, sizeof late, ", 99 %% less than %s late",
                       wtl_digits_time(number, sizeof number, (double)r->late_p99_ns * 1e-9));
    fact(out, style, "wattle itself", "%s of CPU time%s; a sample every %s%s%s, %llu missed%s",
         wtl_digits_time(cpu, sizeof cpu, r->own_cpu_s), joules,
         wtl_digits_time(every, sizeof every, (double)r->interval_ns * 1e-9), where, late,
         (unsigned long long)r->missed, r->dropped ? ", samples were dropped" : "");
}

/* What a reader must know about wattle itself: a cost above 1 % of a CPU, missing samples. */
static void warn_of_own(FILE *out, const struct wtl_style *style, const struct wtl_result *r)
{
    char number[CELL];
    double part = r->own_cpu_s / r->wall_time_s;
    if (part > 0.01)
        fact(out, style, "wattle itself", "%s of CPU time, %s %% of one CPU",
             wtl_digits_time(number, sizeof number, r->own_cpu_s), WTL_IN_FIGURES(part * 100, 2));
    if (r->missed > 0 || r->dropped)
        fact(out, style, "! SAMPLES", "%llu missed%s", (unsigned long long)r->missed,
             r->dropped ? ", others dropped" : "");
}

/* The command that shows the trace, on a line of its own, so that it can be copied. */
void wtl_text_next(FILE *out, const char *trace)
{
    char *word = NULL;
    size_t size = 0;
    FILE *quoted = open_memstream(&word, &size);
    if (quoted)
        wtl_shell_word(quoted, trace, wtl_shell_needs_quotes(trace));
    if (quoted && fclose(quoted) == 0) {
        (void)fprintf(out, "%*s%-*swattle report ", WTL_TEXT_INDENT, "", WTL_TEXT_LABEL, "trace");
        wtl_print_clean(out, word, size);
        (void)fputc('\n', out);
    }
    free(word);
}

int wtl_text_result(FILE *out,
                    const struct wtl_style *style,
                    const struct wtl_result *result,
                    const struct wtl_repeat *repeat)
{
    bool verbose = style && style->verbose;
    bool knows_own = !isnan(result->own_cpu_s) && result->interval_ns > 0;
    print_title(out, style, result, repeat);
    int rc = wtl_text_channels(out, style, result, repeat);
    print_share(out, style, result);
    print_idle(out, style, result, repeat);
    print_work(out, style, result, repeat);
    print_tasks(out, style, result);
    print_control(out, style, result);
    print_labels(out, style, result);
    if (verbose) {
        print_products(out, style, result, repeat);
        print_process(out, style, result);
        print_gaps(out, style, result);
    }
    print_flags(out, style, result);
    if (knows_own)
        (verbose ? print_own : warn_of_own)(out, style, result);
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
    bool traces = false;
    for (size_t i = 0; i < count; i++)
        traces |= results[i].trace && results[i].trace[0];
    struct wtl_table *table = wtl_table_create(columns, traces ? COLUMNS : COLUMNS - 1);
    wtl_table_spare(table, 2, 1);
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
    return rc;
}

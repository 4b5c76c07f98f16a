/* SPDX-License-Identifier: BSD-3-Clause */
/* Updates as lines of text: see live_batch.h. */
#define _GNU_SOURCE
#include "cli/top/live_batch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/utf8.h"
#include "cli/documents.h"
#include "model/flag.h"
#include "model/gap.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/result/run_nouns.h"
#include "report/table.h"

enum {
    TITLES_EVERY = 20,
    TEXT_CHANNELS = 6,
    POWER_WIDTH = 9,
    FIXED_WIDTH = 8 + 10 + 19 + 11, /* time, total [W], total [J], quality */
    PROCESS_WIDTH = 25              /* its title */
};

static const char *without_sensor(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

static int width_of(const char *title)
{
    int n = (int)wtl_utf8_columns(title);
    return n > POWER_WIDTH ? n : POWER_WIDTH;
}

/* The channels with a text column: those of the total that fit; without a total, the first. */
static size_t text_channels(FILE *out,
                            const struct wtl_live_view *view,
                            size_t chosen[TEXT_CHANNELS])
{
    int room = wtl_page_width(out) - FIXED_WIDTH - (view->processes ? PROCESS_WIDTH : 0);
    size_t n = 0;
    for (size_t i = 0; i < view->channel_count && n < TEXT_CHANNELS; i++) {
        size_t k = view->order[i];
        if (view->result.total.count > 0 &&
            !(view->result.channels[k].channel.flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        room -= 1 + width_of(without_sensor(view->channels[k].name));
        if (room < 0)
            break;
        chosen[n++] = k;
    }
    return n;
}

static void print_titles(FILE *out, const struct wtl_live_view *view)
{
    size_t chosen[TEXT_CHANNELS], n = text_channels(out, view, chosen);
    int room = wtl_page_width(out) - FIXED_WIDTH;
    (void)fprintf(out, "%8s %9s %18s", "time [s]", "total [W]", "total [J]");
    for (size_t i = 0; i < n; i++) {
        const char *title = without_sensor(view->channels[chosen[i]].name);
        (void)fprintf(out, " %*s", width_of(title) - (int)wtl_utf8_columns(title), "");
        wtl_print_clean(out, title, strlen(title));
        room -= 1 + width_of(title);
    }
    (void)fprintf(out, "  %-9s", "quality");
    if (view->processes && room >= PROCESS_WIDTH)
        (void)fprintf(out, "  top process (%s)",
                      wtl_quality_word(view->processes->power_w.quality, false));
    (void)fputc('\n', out);
}

/* "  1.20 W 4711 name" in the given columns, or nothing. */
static void print_process(FILE *out,
                          const struct wtl_live_view *view,
                          const struct wtl_process *process,
                          int room)
{
    char power[32], text[64];
    if (view->processes->power_w.quality == WATTLE_ESTIMATED)
        (void)wtl_digits_value(power, sizeof power, process->power_w, fabs(process->power_w));
    else
        (void)snprintf(power, sizeof power, "%.2f", process->power_w);
    int used = snprintf(text, sizeof text, "  %s W %d ", power, (int)process->stat.pid);
    if (used >= room)
        return;
    (void)fputs(text, out);
    wtl_print_clean(out, process->stat.name, strnlen(process->stat.name, (size_t)(room - used)));
}

/* The time to which the energy of the line belongs, and the power: that of the newest reading. Milliseconds while six digits of the
 * energy show them. */
static void print_time(FILE *out, const struct wtl_live_view *view)
{
    double elapsed_s = (double)(view->now_ns - view->start_ns) * 1e-9;
    double until_s =
        view->result.total.count > 0 ? wtl_live_view_until_s(view, WTL_LIVE_TOTAL) : (double)NAN;
    double time_s = isnan(until_s) ? elapsed_s : until_s;
    (void)fprintf(out, "%8.*f", time_s < 1e4 ? 3 : time_s < 1e5 ? 2 : 1, time_s);
}

static void print_line(struct wtl_live_batch *batch, struct wtl_live_view *view)
{
    size_t chosen[TEXT_CHANNELS], n = text_channels(batch->out, view, chosen), count;
    char text[96];
    if (batch->lines % TITLES_EVERY == 0)
        print_titles(batch->out, view);
    print_time(batch->out, view);
    (void)fprintf(batch->out, " %9s",
                  wtl_live_view_power_text(view, WTL_LIVE_TOTAL, text, sizeof text));
    (void)fprintf(batch->out, " %18s",
                  wtl_live_view_energy_text(view, WTL_LIVE_TOTAL, text, sizeof text));
    for (size_t i = 0; i < n; i++)
        (void)fprintf(batch->out, " %*s", width_of(without_sensor(view->channels[chosen[i]].name)),
                      wtl_live_view_power_text(view, chosen[i], text, sizeof text));
    int room = wtl_page_width(batch->out) - FIXED_WIDTH;
    for (size_t i = 0; i < n; i++)
        room -= 1 + width_of(without_sensor(view->channels[chosen[i]].name));
    (void)fprintf(batch->out, "  %-9s",
                  view->result.total.count ? wtl_live_view_quality(view, WTL_LIVE_TOTAL) : "none");
    const struct wtl_process **list = wtl_live_view_processes(view, &count);
    if (count > 0 && room >= PROCESS_WIDTH && !isnan(list[0]->power_w))
        print_process(batch->out, view, list[0], room);
    free(list);
    (void)fputs(wtl_gap_incomplete(text, sizeof text, view->result.total_unknown_ns), batch->out);
    if (wtl_result_has_flag(&view->result, WTL_FLAG_CORRECTED))
        (void)fputs("  " WTL_FLAG_CORRECTED, batch->out);
    (void)fputc('\n', batch->out);
    if (view->note[0])
        wtl_print_sentence(batch->out, "# %s\n", view->note);
    batch->lines++;
}

/* ---- JSON "wattle.top/1": a line for each update; and CSV ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* Items with power and energy: the total, a channel, a process, or the rest of the total. */
struct row {
    uint64_t time_ns, pid; /* 0: not a process */
    double elapsed_s, until_s;
    const char *what, *name, *domain, *user, *command, *excludes;
    bool in_total, kernel_thread;
    double power_w, power_half_w, gpu_w, energy_j, half_j, low_j, high_j, cpu, limit_w, unknown_s;
    struct wtl_value_quality quality;
    const struct wtl_result_flag *flags; /* of the update */
    size_t flag_count;
    const struct wtl_history *history;        /* of a channel or the total; NULL: nothing to sum */
    const struct wtl_result_channel *channel; /* of a channel */
};
_Static_assert(sizeof(struct row) <= sizeof((struct wtl_value *)0)->room,
               "a value has room for a row");

static struct row row_of(const struct wtl_live_view *view, const char *what, const char *name)
{
    return (struct row){.time_ns = view->realtime_ns,
                        .elapsed_s = (double)(view->now_ns - view->start_ns) * 1e-9,
                        .what = what,
                        .name = name,
                        .until_s = (double)NAN,
                        .power_half_w = (double)NAN,
                        .gpu_w = (double)NAN,
                        .half_j = (double)NAN,
                        .cpu = (double)NAN,
                        .limit_w = (double)NAN,
                        .unknown_s = (double)NAN,
                        .flags = view->result.flags,
                        .flag_count = view->result.flag_count};
}

static void set_energy(struct row *row, const struct wtl_live_view *view, size_t i)
{
    const struct wtl_energy energy = wtl_live_view_energy(view, i);
    uint64_t unknown_ns = i == WTL_LIVE_TOTAL ? view->result.total_unknown_ns
                                              : view->result.channels[i].summary.unknown_ns;
    row->until_s = wtl_live_view_until_s(view, i);
    row->unknown_s = (double)unknown_ns * 1e-9;
    row->power_w = row->history->power_w;
    row->energy_j = energy.j;
    row->half_j = energy.half_j;
}

static struct row row_of_total(const struct wtl_live_view *view)
{
    const struct wtl_result *r = &view->result;
    struct row row = row_of(view, "total", r->total.contains);
    if (r->total.count == 0)
        return row;
    row.history = &view->total;
    row.low_j = r->energy.low_j;
    row.high_j = r->energy.high_j;
    row.excludes = r->total.excludes;
    row.cpu = view->load;
    row.quality = (struct wtl_value_quality){true, wtl_result_is_simulated(r), r->total.quality};
    set_energy(&row, view, WTL_LIVE_TOTAL);
    return row;
}

static struct row row_of_channel(const struct wtl_live_view *view, size_t i)
{
    const struct wattle_channel *channel = &view->result.channels[i].channel;
    struct row row = row_of(view, "channel", channel->name);
    bool is_limit;
    double full = wtl_live_view_scale(view, i, &is_limit);
    row.history = &view->channels[i].history;
    row.channel = &view->result.channels[i];
    row.domain = wattle_domain_name(channel->domain);
    row.in_total = channel->flags & WATTLE_CHANNEL_IN_TOTAL;
    row.limit_w = is_limit ? full : (double)NAN;
    row.quality =
        (struct wtl_value_quality){true, wtl_channel_is_simulated(channel), channel->quality};
    set_energy(&row, view, i);
    return row;
}

static struct wtl_value_quality share_quality(const struct wtl_live_view *view)
{
    return (struct wtl_value_quality){true, wtl_result_is_simulated(&view->result),
                                      view->processes->power_w.quality};
}

static struct row row_of_process(struct wtl_live_view *view, const struct wtl_process *process)
{
    struct row row = row_of(view, "process", process->stat.name);
    row.pid = (uint64_t)process->stat.pid;
    row.kernel_thread = process->stat.kernel_thread;
    row.power_w = process->power_w;
    row.power_half_w = process->half_w;
    row.energy_j = process->energy_j;
    if (view->processes->gpus)
        row.gpu_w = process->gpu_w;
    row.cpu = wtl_live_view_cpu(view, process);
    row.user = wtl_user_name(&view->users, process->uid);
    row.command = process->command;
    row.quality = share_quality(view);
    return row;
}

static struct row row_of_rest(const struct wtl_live_view *view,
                              const char *name,
                              double power_w,
                              double energy_j)
{
    struct row row = row_of(view, "rest", name);
    row.power_w = power_w;
    row.energy_j = energy_j;
    row.quality = share_quality(view);
    return row;
}

static const unsigned char quality_columns[] = {8, 0, 13};
static const struct wtl_member of_row[] = {
    {"time_ns", WTL_COUNT_AT(struct row, time_ns), .csv = 1},
    {"elapsed_s", WTL_NUMBER_AT(struct row, elapsed_s), .csv = 2, .digits = -3},
    {"what", WTL_TEXT_AT(struct row, what), .csv = 3},
    {"name", WTL_TEXT_AT(struct row, name), .csv = 4},
    {"power_w", WTL_NUMBER_OR_NULL(struct row, power_w), .csv = 5, .digits = 6},
    {"energy_j", WTL_NUMBER_OR_NULL(struct row, energy_j), .csv = 6},
    {"interval_j", WTL_NUMBER_OR_NULL(struct row, half_j), .csv = 7, .digits = 3},
    {"", WTL_PART_AT(struct row, quality, wtl_noun_quality), .csv_all = quality_columns},
    {"pid", WTL_COUNT_OR_NULL(struct row, pid), .csv = 9},
    {"user", WTL_TEXT_OR_NULL(struct row, user), .csv = 10},
    {"cpu", WTL_NUMBER_OR_NULL(struct row, cpu), .csv = 11, .digits = 4},
    {"command", WTL_TEXT_OR_NULL(struct row, command), .csv = 12},
    {"gpu_w", WTL_NUMBER_OR_NULL(struct row, gpu_w), .csv = 14, .digits = 6},
    {"until_s", WTL_NUMBER_OR_NULL(struct row, until_s), .csv = 15, .digits = -6},
    {"unknown_s", WTL_NUMBER_OR_NULL(struct row, unknown_s), .csv = 16, .digits = -6},
    {"flags", WTL_NAMES_AT(struct row, flags, flag_count), .csv = 17},
    {.key = NULL}};
const struct wtl_noun wtl_noun_top_row = {"top row", of_row};

/* ---- total and channels ---- */

WTL_MEMBER_GET(window_of)
{
    wtl_get_seconds(member, of, ret);
    ret->known = ret->number > 0;
}

WTL_MEMBER_GET(greatest_of)
{
    wtl_get_double(member, of, ret);
    ret->known = ret->number > 0;
}

static const char *const states[] = {
    [WTL_HISTORY_KNOWN] = "known",     [WTL_HISTORY_WAITS] = "waiting",
    [WTL_HISTORY_STANDS] = "standing", [WTL_HISTORY_SILENT] = "silent",
    [WTL_HISTORY_GAP] = "gap",         [WTL_HISTORY_AVERAGE] = "average",
    [WTL_HISTORY_NONE] = "none"};

static const struct wtl_member of_power[] = {
    {"w", WTL_NUMBER_OR_NULL(struct wtl_history, power_w), .unit = "W",
     .meaning = "mean over `window_s`"},
    {"window_s", WTL_MEMBER_NUMBER, .nullable = true, .get = window_of,
     .offset = offsetof(struct wtl_history, window_ns),
     .meaning = "window that ends at the newest reading"},
    {"state", WTL_WORD_AT(struct wtl_history, state, states),
     .meaning = "known, average (of a complete trace), or why `w` is null: waiting, standing, "
                "silent, gap or none (nothing to sum)"},
    {"greatest_w", WTL_MEMBER_NUMBER, .nullable = true, .get = greatest_of,
     .offset = offsetof(struct wtl_history, peak_w), .meaning = "maximum of the values shown"},
    {.key = NULL}};
static const struct wtl_noun noun_power = {"power now", of_power};

static const struct wtl_member of_row_energy[] = {
    {"energy_j", WTL_NUMBER_OR_NULL(struct row, energy_j), .meaning = "since the start"},
    {"resolution_interval_j", WTL_NUMBER_OR_NULL(struct row, half_j),
     .meaning = "half width of the 95 % interval"},
    {"until_s", WTL_NUMBER_OR_NULL(struct row, until_s), .unit = "s",
     .meaning = "end of the counted time since the start: the newest reading, before `elapsed_s`"},
    {"", WTL_PART_AT(struct row, quality, wtl_noun_quality)},
    {.key = NULL}};
static const struct wtl_noun row_energy = {"energy now", of_row_energy};

static const struct wtl_member of_total_energy[] = {
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &row_energy},
    {"low_j", WTL_NUMBER_OR_NULL(struct row, low_j),
     .meaning = "for an estimate: lower end of the 95 % interval of the true value"},
    {"high_j", WTL_NUMBER_OR_NULL(struct row, high_j), .meaning = "upper end"},
    {"contains", WTL_TEXT_AT(struct row, name), .meaning = "what the total contains"},
    {"excludes", WTL_TEXT_AT(struct row, excludes), .meaning = "what the total leaves out"},
    {.key = NULL}};
static const struct wtl_noun total_energy = {"energy of the total", of_total_energy};

WTL_MEMBER_GET(energy_of)
{
    wtl_value_noun(ret, ((const struct row *)of)->history ? of : NULL);
}

static const struct wtl_member of_total[] = {
    {"power", WTL_OBJECT_OF(struct row, history, noun_power), .nullable = true, .meaning = "below"},
    {"", WTL_MEMBER_PART, .get = energy_of, .of = &total_energy, .when = "a total"},
    {.key = NULL}};
static const struct wtl_noun total = {"total now", of_total};

static const struct wtl_member of_channel[] = {
    {"name", WTL_TEXT_AT(struct row, name), .meaning = "`sensor:domain-index[-sub]`"},
    {"domain", WTL_TEXT_AT(struct row, domain), .meaning = "as in wattle.run/1"},
    {"in_total", WTL_BOOLEAN_AT(struct row, in_total), .meaning = "part of the total"},
    {"power", WTL_OBJECT_OF(struct row, history, noun_power), .meaning = "below"},
    {"limit_w", WTL_NUMBER_OR_NULL(struct row, limit_w), .meaning = "power limit"},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &row_energy},
    {"", WTL_PART_OF(struct row, channel, wtl_noun_lost)},
    {.key = NULL}};
static const struct wtl_noun channel = {"channel now", of_channel};

/* ---- activity and processes ---- */

static const struct wtl_member of_spread[] = {
    {"mean", WTL_NUMBER_AT(struct wtl_live_spread, mean), .meaning = "over `n` channels"},
    {"min", WTL_NUMBER_AT(struct wtl_live_spread, low), .meaning = "minimum"},
    {"max", WTL_NUMBER_AT(struct wtl_live_spread, high), .meaning = "maximum"},
    {"n", WTL_SIZE_AT(struct wtl_live_spread, n), .meaning = "number of channels"},
    {.key = NULL}};
static const struct wtl_noun spread = {"spread over channels", of_spread};

WTL_MEMBER_GET(spread_of)
{
    wtl_get_here(member, of, ret);
    ret->known = ((const struct wtl_live_spread *)ret->noun)->n > 0;
}
#define SPREAD_AT(member)                                                         \
    .type = WTL_MEMBER_OBJECT, .nullable = true, .get = spread_of, .of = &spread, \
    .offset = offsetof(struct wtl_live_view, member), .meaning = "over its channels"

static const struct wtl_member of_activity[] = {
    {"load", WTL_NUMBER_OR_NULL(struct wtl_live_view, load), .meaning = "load of all CPUs, 0 to 1"},
    {"frequency_hz", SPREAD_AT(frequency_hz)},
    {"temperature_c", SPREAD_AT(temperature_c)},
    {"power_limit_w", SPREAD_AT(limit_w)},
    {"own_load", WTL_NUMBER_OR_NULL(struct wtl_live_view, own_load),
     .meaning = "load of wattle, 1 is one CPU"},
    {.key = NULL}};
static const struct wtl_noun activity = {"activity now", of_activity};

static const struct wtl_member of_process[] = {
    {"pid", WTL_COUNT_OR_NULL(struct row, pid), .meaning = "process ID"},
    {"user", WTL_TEXT_OR_NULL(struct row, user), .meaning = "user name"},
    {"name", WTL_TEXT_AT(struct row, name), .meaning = "command name"},
    {"command", WTL_TEXT_OR_NULL(struct row, command), .meaning = "its arguments"},
    {"kernel_thread", WTL_BOOLEAN_AT(struct row, kernel_thread),
     .meaning = "it is a kernel thread"},
    {"cpu", WTL_NUMBER_OR_NULL(struct row, cpu), .meaning = "load, 1 is one CPU"},
    {"power_w", WTL_NUMBER_OR_NULL(struct row, power_w), .meaning = "its share"},
    {"power_half_w", WTL_NUMBER_OR_NULL(struct row, power_half_w),
     .meaning = "half width of its 95 % interval by counters; null: by another rule"},
    {"gpu_w", WTL_NUMBER_OR_NULL(struct row, gpu_w),
     .meaning = "of it on GPUs, derived from the time on them; null: none can be asked about"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct row, energy_j), .meaning = "since the start"},
    {.key = NULL}};
static const struct wtl_noun noun_process = {"process now", of_process};

struct share {
    struct wtl_share_rest of;
    const char *unit;
};

WTL_MEMBER_GET(sum_of)
{
    const struct wtl_share_rest *rest = of;
    wtl_value_number(ret, rest->jobs_j + rest->idle_j + rest->unattributed_j);
}

static const struct wtl_member of_share[] = {
    {"processes", WTL_NUMBER_OR_NULL(struct share, of.jobs_j), .meaning = "all processes"},
    {"idle", WTL_NUMBER_OR_NULL(struct share, of.idle_j),
     .meaning = "idle energy, charged to no process"},
    {"unattributed", WTL_NUMBER_OR_NULL(struct share, of.unattributed_j),
     .meaning = "charged to nobody; may be negative"},
    {"sum", WTL_MEMBER_NUMBER, .nullable = true, .get = sum_of, .meaning = "sum of these three"},
    {"unit", WTL_TEXT_AT(struct share, unit), .meaning = "W, J"},
    {.key = NULL}};
static const struct wtl_noun share = {"share", of_share};

struct shares {
    struct share power, energy;
    double ended_j, idle_w;
    enum wtl_idle_origin origin;
    enum wtl_share_rule rule;
    const char *counters;
    struct wtl_value_quality quality;
};

static const struct wtl_member of_shares[] = {
    {"power", WTL_OBJECT_AT(struct shares, power, share), .meaning = "current power"},
    {"energy", WTL_OBJECT_AT(struct shares, energy, share), .meaning = "since the start"},
    {"ended_energy_j", WTL_NUMBER_AT(struct shares, ended_j),
     .meaning = "energy of ended processes, part of `processes`"},
    {"idle_w", WTL_NUMBER_OR_NULL(struct shares, idle_w), .meaning = "power of the idle machine"},
    {"idle_origin", WTL_WORD_AT(struct shares, origin, wtl_idle_origin_names),
     .meaning = "given, calibrated, model, seen or unknown"},
    {"rule", WTL_WORD_AT(struct shares, rule, wtl_share_rule_names),
     .meaning = "counters, calibrated, or cpu_time"},
    {"counters", WTL_TEXT_OR_NULL(struct shares, counters),
     .meaning = "why hardware counters are not used; null: they are, or not yet: what they cost is "
                "learnt first"},
    {"", WTL_PART_AT(struct shares, quality, wtl_noun_quality)},
    {.key = NULL}};
static const struct wtl_noun shares_noun = {"shares", of_shares};

/* ---- the document ---- */

struct document {
    struct wtl_live_view *view;
    struct row total;
    const struct wtl_process **processes; /* those that are shown */
    size_t process_count, flag_count;
    const struct wtl_result_flag *flags;
};

static struct document document_of(const struct wtl_live_batch *batch, struct wtl_live_view *view)
{
    struct document document = {.view = view,
                                .total = row_of_total(view),
                                .flags = view->result.flags,
                                .flag_count = view->result.flag_count};
    size_t count;
    document.processes = wtl_live_view_processes(view, &count);
    count = document.processes ? count : 0;
    document.process_count = count < batch->processes ? count : batch->processes;
    return document;
}

static bool next_channel(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_live_view *view = ((const struct document *)of)->view;
    if (*cursor >= view->channel_count)
        return false;
    const struct row row = row_of_channel(view, view->order[(*cursor)++]);
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

WTL_MEMBER_GET(process_count)
{
    const struct wtl_live_processes *processes = ((const struct document *)of)->view->processes;
    if (processes)
        wtl_value_count(ret, processes->table.count);
}

static bool next_process(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct document *document = of;
    if (*cursor >= document->process_count)
        return false;
    const struct row row = row_of_process(document->view, document->processes[(*cursor)++]);
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

WTL_MEMBER_GET(shares_of)
{
    static const struct wtl_share_rest unknown = {
        .jobs_j = (double)NAN, .idle_j = (double)NAN, .unattributed_j = (double)NAN};
    const struct wtl_live_view *view = ((const struct document *)of)->view;
    const struct wtl_live_processes *p = view->processes;
    if (!p)
        return;
    const char *why = p->no_counters.text;
    const struct shares shares = {.power = {p->known ? p->power_w : unknown, "W"},
                                  .energy = {p->since, "J"},
                                  .ended_j = p->table.ended_energy_j,
                                  .idle_w = wtl_share_idle_w(&p->model),
                                  .origin = p->model.idle,
                                  .rule = p->power_w.rule,
                                  .counters = why[0] ? why : NULL,
                                  .quality = share_quality(view)};
    wtl_value_copy(ret, &shares, sizeof shares);
}

static const struct wtl_member of_view[] = {
    {"interval_s", WTL_SECONDS_AT(struct wtl_live_view, every_ns),
     .meaning = "requested update interval"},
    {"host", WTL_TEXT_OR_NULL(struct wtl_live_view, result.host), .meaning = "host name"},
    {"source", WTL_TEXT_AT(struct wtl_live_view, subject),
     .meaning = "`machine`, or the path of the trace"},
    {"ended", WTL_BOOLEAN_AT(struct wtl_live_view, ended), .meaning = "the trace is complete"},
    {"note", WTL_NAME_AT(struct wtl_live_view, note), .nullable = true,
     .meaning = "state of the trace"},
    {.key = NULL}};
static const struct wtl_noun view_noun = {"view", of_view};

static const struct wtl_member of_document[] = {
    {"time_ns", WTL_COUNT_AT(struct document, total.time_ns),
     .meaning =
         "time of the update since 1970-01-01 UTC; for a trace: of its newest sample; 0 = unknown"},
    {"elapsed_s", WTL_NUMBER_AT(struct document, total.elapsed_s),
     .meaning = "since the start of the measurement"},
    {"", WTL_PART_OF(struct document, view, view_noun)},
    {"total", WTL_OBJECT_AT(struct document, total, total), .meaning = "below"},
    {"channels", WTL_MEMBER_LIST, .next = next_channel, .of = &channel,
     .meaning = "channels of energy and power, each after the one that contains it; below"},
    {"activity", WTL_OBJECT_OF(struct document, view, activity), .meaning = "below"},
    {"process_count", WTL_MEMBER_INTEGER, .nullable = true, .get = process_count,
     .meaning = "number of processes; null without a list"},
    {"processes", WTL_MEMBER_LIST, .next = next_process, .of = &noun_process,
     .meaning = "first processes in the requested order; below"},
    {"shares", WTL_MEMBER_OBJECT, .nullable = true, .get = shares_of, .of = &shares_noun,
     .meaning = "below"},
    {"flags", WTL_NAMES_AT(struct document, flags, flag_count), .meaning = "as in wattle.run/1"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_top = {"top", of_document};
/* NOLINTEND(bugprone-macro-parentheses) */

/* The parts. 0, or -ENOMEM. */
static int live_batch_json(struct wtl_live_batch *batch, struct wtl_live_view *view)
{
    const struct document document = document_of(batch, view);
    json_t *json = wtl_noun_document("wattle.top/1", &wtl_noun_top, &document);
    int rc = wtl_json_write(batch->out, json, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(json);
    free(document.processes);
    (void)fputc('\n', batch->out);
    batch->lines++;
    return rc;
}

static void print_row(struct wtl_live_batch *batch, const struct row row)
{
    wtl_noun_csv_row(&batch->sheet, batch->columns, &wtl_noun_top_row, &row);
}

static void live_batch_csv(struct wtl_live_batch *batch, struct wtl_live_view *view)
{
    const struct document document = document_of(batch, view);
    const struct wtl_live_processes *p = view->processes;
    if (batch->lines++ == 0)
        batch->columns = wtl_noun_csv_begin(&batch->sheet, batch->out, "top", &wtl_noun_top_row);
    if (document.total.history)
        print_row(batch, document.total);
    for (size_t i = 0; i < view->channel_count; i++)
        print_row(batch, row_of_channel(view, view->order[i]));
    for (size_t i = 0; i < document.process_count; i++)
        print_row(batch, row_of_process(view, document.processes[i]));
    if (p) {
        print_row(batch, row_of_rest(view, "processes", p->power_w.jobs_j, p->since.jobs_j));
        print_row(batch, row_of_rest(view, "idle", p->power_w.idle_j, p->since.idle_j));
        print_row(batch, row_of_rest(view, "unattributed", p->power_w.unattributed_j,
                                     p->since.unattributed_j));
    }
    free(document.processes);
}

/* ---- an update ---- */

int wtl_live_batch_show(void *context, struct wtl_live_view *view, struct wattle_error *err)
{
    struct wtl_live_batch *batch = context;
    int rc = 0;
    if (batch->format == WTL_FORMAT_TEXT)
        print_line(batch, view);
    else if (batch->format == WTL_FORMAT_CSV)
        live_batch_csv(batch, view);
    else
        rc = live_batch_json(batch, view);
    if (rc < 0)
        return wtl_no_memory_for(err, "a line");
    return wtl_flush(batch->out, err);
}

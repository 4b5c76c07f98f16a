/* SPDX-License-Identifier: BSD-3-Clause */
/* A run: its channels, its total, the cost of measuring it, its flags. */
#include "report/result/run_nouns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/traces/results.h"
#include "model/gap.h"
#include "model/labels.h"
#include "model/quality.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
_Static_assert(sizeof(struct wtl_label) <= sizeof((struct wtl_value *)0)->room,
               "a value has room for a label");

/* ---- how a value came to be ---- */

void wtl_value_quality(struct wtl_value *ret,
                       bool known,
                       enum wattle_quality quality,
                       bool simulated)
{
    const struct wtl_value_quality value = {known, simulated, quality};
    wtl_value_copy(ret, &value, sizeof value);
}

void wtl_get_energy_quality(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_get_here(member, of, ret);
    const struct wtl_energy *energy = ret->noun;
    wtl_value_quality(ret, true, energy->quality, energy->simulated);
}

WTL_MEMBER_GET(quality_word)
{
    const struct wtl_value_quality *q = of;
    wtl_value_text(ret, q->known ? wtl_quality_word(q->quality, q->simulated) : NULL);
}

WTL_MEMBER_GET(simulates)
{
    const struct wtl_value_quality *q = of;
    wtl_value_text(ret, q->known ? wtl_quality_simulates(q->quality, q->simulated) : NULL);
}

static const struct wtl_member of_quality[] = {
    {"quality", WTL_MEMBER_TEXT, .nullable = true, .get = quality_word,
     .meaning = "measured, derived, estimated or simulated; for a total the lowest of its "
                "channels; estimated is never added to measured"},
    {"simulated", WTL_BOOLEAN_AT(struct wtl_value_quality, simulated),
     .meaning = "comes from a simulated node"},
    {"simulates", WTL_MEMBER_TEXT, .nullable = true, .get = simulates,
     .meaning = "if simulated: quality on a real machine, measured or derived"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_quality = {"quality", of_quality};

/* ---- flags ---- */

static const struct wtl_member of_flag[] = {
    {"name", WTL_CHARS_AT(struct wtl_result_flag, name), .meaning = "as in wattle(1)"},
    {"text", WTL_CHARS_AT(struct wtl_result_flag, text), .meaning = "a sentence"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_flag = {"flag", of_flag};

/* ---- intervals ---- */

static const struct wtl_member of_interval[] = {
    {"value", WTL_NUMBER_OR_NULL(struct wtl_interval, value),
     .meaning = "for a change, a fraction: -0.031 is 3.1 % less"},
    {"low", WTL_NUMBER_OR_NULL(struct wtl_interval, low),
     .meaning = "lower end of the interval; null: unknown"},
    {"high", WTL_NUMBER_OR_NULL(struct wtl_interval, high), .meaning = "upper end"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_interval = {"interval", of_interval};

void wtl_change_of_ratio(struct wtl_value *ret, const struct wtl_interval *ratio)
{
    const struct wtl_interval change = {ratio->value - 1, ratio->low - 1, ratio->high - 1};
    wtl_value_copy(ret, &change, sizeof change);
}

/* ---- energy ---- */

static const struct wtl_member of_energy[] = {
    {"energy_j", WTL_NUMBER_OR_NULL(struct wtl_energy, j),
     .meaning = "energy over the window; for a total, null if any of its channels is unknown"},
    {"resolution_interval_j", WTL_NUMBER_OR_NULL(struct wtl_energy, half_j),
     .meaning = "half width of the 95 % interval from ticks, timing and gaps; in a total, added in "
                "quadrature. Repeats: of one run (root mean square)"},
    {"low_j", WTL_NUMBER_OR_NULL(struct wtl_energy, low_j),
     .meaning = "if estimated: lower end of the 95 % interval of the true value, resolution "
                "included; in a total, added linearly"},
    {"high_j", WTL_NUMBER_OR_NULL(struct wtl_energy, high_j), .meaning = "upper end"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_energy = {"energy", of_energy};

/* Their columns in the CSV of results. */
static const unsigned char quality_columns[] = {5, 6, 23}, energy_columns[] = {10, 11, 12, 13};

/* ---- channels ---- */

static const struct wtl_result_channel *channel_of(const void *of)
{
    return of;
}

WTL_MEMBER_GET(domain_of)
{
    wtl_value_text(ret, wattle_domain_name(channel_of(of)->channel.domain));
}

WTL_MEMBER_GET(channel_quality)
{
    const struct wattle_channel *channel = &channel_of(of)->channel;
    wtl_value_quality(ret, true, channel->quality, wtl_channel_is_simulated(channel));
}

WTL_MEMBER_GET(is_primary)
{
    wtl_value_bool(ret, channel_of(of)->channel.flags & WATTLE_CHANNEL_PRIMARY);
}

WTL_MEMBER_GET(is_in_total)
{
    wtl_value_bool(ret, channel_of(of)->channel.flags & WATTLE_CHANNEL_IN_TOTAL);
}

WTL_MEMBER_GET(channel_energy)
{
    const struct wtl_energy energy = wtl_result_energy(channel_of(of));
    wtl_value_copy(ret, &energy, sizeof energy);
}

WTL_MEMBER_GET(stat_window)
{
    uint64_t ns = channel_of(of)->summary.stat_window_ns;
    wtl_value_number(ret, ns ? (double)ns * 1e-6 : (double)NAN);
}

static bool next_reason(const void *of, size_t *cursor, struct wtl_value *ret)
{
    while (*cursor < WTL_GAP_REASON_COUNT) {
        size_t reason = (*cursor)++;
        if (!(channel_of(of)->summary.gap_reasons >> reason & 1))
            continue;
        ret->text = wtl_gap_reason_name((enum wtl_gap_reason)reason);
        return true;
    }
    return false;
}

static const struct wtl_member of_lost[] = {
    {"gaps", WTL_COUNT_AT(struct wtl_result_channel, summary.gaps), .csv = 19,
     .meaning = "number of stretches without a reliable value"},
    {"gap_s", WTL_SECONDS_AT(struct wtl_result_channel, summary.gap_ns), .csv = 20,
     .meaning = "time in gaps, overlaps counted once"},
    {"unknown_s", WTL_SECONDS_AT(struct wtl_result_channel, summary.unknown_ns), .csv = 22,
     .meaning = "part of it that is missing from the sum or energy"},
    {"gap_reasons", WTL_MEMBER_LIST, .next = next_reason,
     .meaning = "read failed, stalled, reset, lost wrap, suspended, overrun, damaged, not sampled, "
                "implausible value, device lost"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_lost = {"gaps", of_lost};

static const struct wtl_member of_samples[] = {
    {"samples", WTL_COUNT_AT(struct wtl_result_channel, summary.samples), .csv = 18,
     .meaning = "number of good readings in the window"},
    {"stale", WTL_COUNT_AT(struct wtl_result_channel, summary.stale),
     .meaning = "of these, readings of an unchanged counter"},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &wtl_noun_lost},
    {.key = NULL}};
static const struct wtl_noun samples = {"samples", of_samples};

static const struct wtl_member of_channel[] = {
    {"name", WTL_NAME_AT(struct wtl_result_channel, channel.name), .csv = 2,
     .meaning = "`sensor:domain-index[-sub]`"},
    {"domain", WTL_MEMBER_TEXT, .get = domain_of, .csv = 3,
     .meaning = "node, psys, package, core, uncore, dram, gpu, gpu_memory, board, psu, network, "
                "disk, other"},
    {"index", WTL_INT_AT(struct wtl_result_channel, channel.index),
     .meaning = "socket, card or supply"},
    {"sub", WTL_INT_OR_NULL(struct wtl_result_channel, channel.sub),
     .meaning = "core or rail within the index"},
    {"sensor", WTL_NAME_AT(struct wtl_result_channel, channel.sensor), .csv = 4,
     .meaning = "the driver"},
    {"label", WTL_NAME_AT(struct wtl_result_channel, channel.label), .nullable = true,
     .meaning = "label given by the machine"},
    {"", WTL_MEMBER_PART, .get = channel_quality, .of = &wtl_noun_quality,
     .csv_all = quality_columns},
    {"primary", WTL_MEMBER_BOOLEAN, .get = is_primary, .csv = 7,
     .meaning = "it represents its domain and index"},
    {"in_total", WTL_MEMBER_BOOLEAN, .get = is_in_total, .csv = 8, .meaning = "part of the total"},
    {"within", WTL_NAME_AT(struct wtl_result_channel, channel.within), .nullable = true, .csv = 9,
     .meaning = "channel that contains it"},
    {"", WTL_MEMBER_PART, .get = channel_energy, .of = &wtl_noun_energy, .csv_all = energy_columns},
    {"mean_w", WTL_NUMBER_OR_NULL(struct wtl_result_channel, summary.mean_w), .csv = 14,
     .meaning = "energy of the known part of the window, divided by its time"},
    {"min_w", WTL_NUMBER_OR_NULL(struct wtl_result_channel, summary.min_w), .csv = 15,
     .meaning = "minimum of the mean power over stretches of at least `stat_window_ms`"},
    {"max_w", WTL_NUMBER_OR_NULL(struct wtl_result_channel, summary.max_w), .csv = 16,
     .meaning = "the greatest"},
    {"sd_w", WTL_NUMBER_OR_NULL(struct wtl_result_channel, summary.sd_w),
     .meaning = "standard deviation over these stretches"},
    {"stat_window_ms", WTL_MEMBER_NUMBER, .nullable = true, .get = stat_window, .csv = 17,
     .meaning = "128 hardware updates, or 250 ms (at least 20 updates) if those take longer: over "
                "fewer, constant power would seem to vary with the update seen by each reading; "
                "null if the update interval is unknown"},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &samples},
    {.key = NULL}};
static const struct wtl_noun channel = {"channel", of_channel};

/* ---- activity ---- */

static bool is_counter(const void *of)
{
    return channel_of(of)->channel.kind == WATTLE_COUNTER;
}

WTL_MEMBER_GET(quantity_of)
{
    wtl_value_text(ret, wattle_quantity_name(channel_of(of)->channel.quantity));
}

WTL_MEMBER_GET(unit_of)
{
    wtl_value_text(ret, wattle_quantity_unit(channel_of(of)->channel.quantity));
}

WTL_MEMBER_GET(sum_of)
{
    wtl_value_number(ret, is_counter(of) ? channel_of(of)->summary.amount : (double)NAN);
}

WTL_MEMBER_GET(gauge_of)
{
    wtl_get_double(member, of, ret);
    ret->known &= !is_counter(of);
}

#define GAUGE(member)                                             \
    .type = WTL_MEMBER_NUMBER, .nullable = true, .get = gauge_of, \
    .offset = offsetof(struct wtl_result_channel, summary.member)

static const struct wtl_member of_activity[] = {
    {"name", WTL_NAME_AT(struct wtl_result_channel, channel.name),
     .meaning = "`sensor:domain-index[-sub]`"},
    {"sensor", WTL_NAME_AT(struct wtl_result_channel, channel.sensor), .meaning = "the driver"},
    {"label", WTL_NAME_AT(struct wtl_result_channel, channel.label), .nullable = true,
     .meaning = "label given by the machine"},
    {"quantity", WTL_MEMBER_TEXT, .get = quantity_of,
     .meaning = "cpu_time, frequency, temperature, count, bytes, ratio, power_limit"},
    {"unit", WTL_MEMBER_TEXT, .get = unit_of, .meaning = "unit of the next four"},
    {"sum", WTL_MEMBER_NUMBER, .nullable = true, .get = sum_of,
     .meaning = "counters: increase in the window"},
    {"mean", GAUGE(mean_w), .meaning = "others: mean over the window"},
    {"min", GAUGE(min_w), .meaning = "the least"},
    {"max", GAUGE(max_w), .meaning = "the greatest"},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &samples},
    {.key = NULL}};
static const struct wtl_noun activity = {"activity", of_activity};

/* ---- the total ---- */

static const struct wtl_result *result_of(const void *of)
{
    return of;
}

static bool next_in_total(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_result *r = result_of(of);
    while (*cursor < r->energy_count) {
        const struct wattle_channel *at = &r->channels[(*cursor)++].channel;
        if (!(at->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        ret->text = at->name;
        return true;
    }
    return false;
}

/* The words of "GPUs, network". */
static bool next_excluded(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return wtl_next_word(ret, cursor, result_of(of)->total.excludes);
}

WTL_MEMBER_GET(contains)
{
    const struct wtl_result *r = result_of(of);
    wtl_value_text(ret, r->total.count > 0 ? r->total.contains : NULL);
}

WTL_MEMBER_GET(total_quality)
{
    const struct wtl_result *r = result_of(of);
    wtl_value_quality(ret, r->total.count > 0, r->total.quality, wtl_result_is_simulated(r));
}

static const struct wtl_member of_origin[] = {
    {"host", WTL_TEXT_OR_NULL(struct wtl_result, host), .meaning = "host name"},
    {"", WTL_MEMBER_PART, .get = total_quality, .of = &wtl_noun_quality},
    {"contains", WTL_MEMBER_TEXT, .nullable = true, .get = contains,
     .meaning = "what the total contains"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_origin = {"origin", of_origin};

static const struct wtl_member of_total[] = {
    {"", WTL_PART_AT(struct wtl_result, energy, wtl_noun_energy), .csv_all = energy_columns},
    {"mean_w", WTL_NUMBER_OR_NULL(struct wtl_result, total_w), .csv = 14, .meaning = "mean power"},
    {"unknown_s", WTL_SECONDS_AT(struct wtl_result, total_unknown_ns), .csv = 22,
     .meaning = "time whose energy is left out, maximum over channels; not 0: INCOMPLETE"},
    {"", WTL_MEMBER_PART, .get = total_quality, .of = &wtl_noun_quality,
     .csv_all = quality_columns},
    {"channels", WTL_MEMBER_LIST, .next = next_in_total,
     .meaning = "names of the channels in the total"},
    {"contains", WTL_MEMBER_TEXT, .nullable = true, .get = contains,
     .meaning = "description, such as \"package + dram of 2 sockets\""},
    {"excludes", WTL_MEMBER_LIST, .next = next_excluded,
     .meaning = "parts of the machine that are not in the total"},
    {.key = NULL}};
static const struct wtl_noun total = {"total", of_total};

/* ---- process, frequency, idle, work, wattle ---- */

WTL_MEMBER_GET(max_rss)
{
    double bytes = result_of(of)->max_rss_bytes;
    if (bytes >= 0 && bytes < 0x1p63)
        wtl_value_count(ret, (uint64_t)bytes);
}

WTL_MEMBER_GET(share_quality)
{
    const struct wtl_result *r = result_of(of);
    bool known = !isnan(r->energy_share_j);
    wtl_value_quality(ret, known, r->share_quality, known && wtl_result_is_simulated(r));
}

WTL_MEMBER_GET(share_rule)
{
    const struct wtl_result *r = result_of(of);
    if (!isnan(r->energy_share_j))
        wtl_value_text(ret, wtl_share_rule_names[r->share_rule]);
}

WTL_MEMBER_GET(share_counters)
{
    const struct wtl_result *r = result_of(of);
    if (!isnan(r->energy_share_j) && r->share_counters[0])
        wtl_value_text(ret, r->share_counters);
}

static const struct wtl_member of_process[] = {
    {"cpu_s", WTL_NUMBER_OR_NULL(struct wtl_result, cpu_s),
     .meaning = "user and system time of the process tree"},
    {"max_rss_bytes", WTL_MEMBER_INTEGER, .nullable = true, .get = max_rss,
     .meaning = "largest resident set of one process"},
    {"energy_share_j", WTL_NUMBER_OR_NULL(struct wtl_result, energy_share_j),
     .meaning = "share of the process tree in the total"},
    {"share_half_j", WTL_NUMBER_OR_NULL(struct wtl_result, share_half_j),
     .meaning = "half width of the 95 % interval of `energy_share_j` by counters, without that of "
                "the total; null: by another rule, whose error is not measured"},
    {"others_share_j", WTL_NUMBER_OR_NULL(struct wtl_result, others_share_j),
     .meaning = "share of all other processes"},
    {"idle_j", WTL_NUMBER_OR_NULL(struct wtl_result, share_idle_j),
     .meaning = "idle energy, charged to no process; 0 if idle power is unknown"},
    {"unattributed_j", WTL_NUMBER_OR_NULL(struct wtl_result, unattributed_j),
     .meaning = "unattributed: what remains of the total; may be negative"},
    {"gpu_share_j", WTL_NUMBER_OR_NULL(struct wtl_result, gpu_share_j),
     .meaning = "energy of GPUs in `energy_share_j`, derived from the time that the process tree "
                "used them; null: no GPU is in the total"},
    {"gpu_others_j", WTL_NUMBER_OR_NULL(struct wtl_result, gpu_others_j),
     .meaning = "of GPUs in `others_share_j`"},
    {"gpu_idle_j", WTL_NUMBER_OR_NULL(struct wtl_result, gpu_idle_j),
     .meaning = "of GPUs in `idle_j`: nobody used them"},
    {"gpu_unattributed_j", WTL_NUMBER_OR_NULL(struct wtl_result, gpu_unattributed_j),
     .meaning = "of GPUs in `unattributed_j`: it is not known who used them"},
    {"share_rule", WTL_MEMBER_TEXT, .nullable = true, .get = share_rule,
     .meaning = "counters, calibrated, or cpu_time"},
    {"share_counters", WTL_MEMBER_TEXT, .nullable = true, .get = share_counters,
     .meaning = "why hardware counters were not used; null: they were, or nothing was to be "
                "divided by them"},
    {"", WTL_MEMBER_PART, .get = share_quality, .of = &wtl_noun_quality},
    {.key = NULL}};
static const struct wtl_noun process = {"process", of_process};

static const struct wtl_member of_frequency[] = {
    {"governor", WTL_TEXT_OR_NULL(struct wtl_result, governor),
     .meaning = "of the first CPU; `mixed` if CPUs differ"},
    {"epp", WTL_TEXT_OR_NULL(struct wtl_result, epp),
     .meaning = "energy performance preference, likewise"},
    {"turbo", WTL_SWITCH_OR_NULL(struct wtl_result, turbo), .meaning = "turbo is on"},
    {"min_khz", WTL_COUNT_OR_NULL(struct wtl_result, min_khz), .unit = "kHz",
     .meaning = "minimum frequency allowed to the governor, of the first CPU"},
    {"max_khz", WTL_COUNT_OR_NULL(struct wtl_result, max_khz), .unit = "kHz",
     .meaning = "greatest"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_frequency = {"frequency", of_frequency};

WTL_MEMBER_GET(control_of)
{
    ret->known = result_of(of)->control != NULL;
}

WTL_MEMBER_GET(achieved)
{
    wtl_value_number(ret, wtl_result_frequency(result_of(of), NULL));
}

WTL_MEMBER_GET(cores)
{
    size_t count;
    (void)wtl_result_frequency(result_of(of), &count);
    wtl_value_number(ret, (double)count);
}

WTL_MEMBER_GET(drawn)
{
    wtl_value_number(ret, wtl_result_package_power(result_of(of), NULL));
}

static const struct wtl_member of_control[] = {
    {"asked", WTL_TEXT_OR_NULL(struct wtl_result, control),
     .meaning = "settings, by the names of the options of `wattle run`, or the option of srun"},
    {"low_hz", WTL_NUMBER_OR_NULL(struct wtl_result, asked_low_hz),
     .meaning = "lowest frequency that was requested"},
    {"high_hz", WTL_NUMBER_OR_NULL(struct wtl_result, asked_high_hz), .meaning = "highest"},
    {"achieved_hz", WTL_MEMBER_NUMBER, .nullable = true, .get = achieved, .unit = "Hz",
     .meaning = "mean over the window of the cores that report their frequency; null if none does"},
    {"cores", WTL_MEMBER_NUMBER, .get = cores, .meaning = "how many cores these are"},
    {"achieved_w", WTL_MEMBER_NUMBER, .nullable = true, .get = drawn, .unit = "W",
     .meaning = "mean power over the window of a package, beside the limit of each; null if none "
                "is measured"},
    {.key = NULL}};
static const struct wtl_noun control = {"control", of_control};

WTL_MEMBER_GET(idle_of)
{
    const struct wtl_result *r = result_of(of);
    ret->known = !isnan(r->idle_before_w) || !isnan(r->idle_after_w);
}

static const struct wtl_member of_idle[] = {
    {"before_w", WTL_NUMBER_OR_NULL(struct wtl_result, idle_before_w),
     .meaning = "power of the idle machine before the run"},
    {"after_w", WTL_NUMBER_OR_NULL(struct wtl_result, idle_after_w), .meaning = "and after"},
    {"above_j", WTL_NUMBER_OR_NULL(struct wtl_result, above_idle_j),
     .meaning = "energy of the window above the mean of both; null: it leaves out time"},
    {.key = NULL}};
static const struct wtl_noun idle = {"idle", of_idle};

WTL_MEMBER_GET(work_of)
{
    ret->known = result_of(of)->work > 0; /* nor is it NaN */
}

WTL_MEMBER_GET(j_per_unit)
{
    wtl_value_number(ret, result_of(of)->energy.j / result_of(of)->work);
}

static const struct wtl_member of_work[] = {
    {"amount", WTL_NUMBER_AT(struct wtl_result, work), .meaning = "N"},
    {"unit", WTL_TEXT_OR_NULL(struct wtl_result, work_unit), .meaning = "UNIT"},
    {"j_per_unit", WTL_MEMBER_NUMBER, .nullable = true, .get = j_per_unit, .unit = "J",
     .meaning = "energy divided by amount"},
    {.key = NULL}};
static const struct wtl_noun work = {"work", of_work};

WTL_MEMBER_GET(tasks_of)
{
    ret->known = result_of(of)->tasks || result_of(of)->task_marks > 0;
}

static const struct wtl_member of_tasks[] = {
    {"recording", WTL_TEXT_OR_NULL(struct wtl_result, tasks),
     .meaning = "`all` or `summary`; null: recorded without `--tasks`"},
    {"marks", WTL_COUNT_AT(struct wtl_result, task_marks), .meaning = "marks of tasks and states"},
    {"complete", WTL_COUNT_AT(struct wtl_result, tasks_complete),
     .meaning = "tasks that were done"},
    {"cut", WTL_COUNT_AT(struct wtl_result, tasks_cut),
     .meaning = "processes that reached `--tasks-limit`, with only a summary from then on"},
    {.key = NULL}};
static const struct wtl_noun tasks = {"tasks", of_tasks};

/* A measurement that was cut off has not recorded its cost and lateness. */
static bool has_told(const void *of)
{
    return !isnan(result_of(of)->own_cpu_s);
}

WTL_MEMBER_GET(told_count)
{
    wtl_get_u64(member, of, ret);
    ret->known = has_told(of);
}

WTL_MEMBER_GET(lateness)
{
    wtl_get_seconds(member, of, ret);
    ret->number *= 1e6;
    ret->known = has_told(of) && result_of(of)->late_max_ns > 0;
}

WTL_MEMBER_GET(interval_of)
{
    uint64_t ns = result_of(of)->interval_ns;
    wtl_value_number(ret, ns > 0 ? (double)ns * 1e-6 : (double)NAN);
}

#define LATENESS(member)                                                        \
    .type = WTL_MEMBER_NUMBER, .unit = "us", .nullable = true, .get = lateness, \
    .offset = offsetof(struct wtl_result, member)
#define TOLD(member)                                                 \
    .type = WTL_MEMBER_INTEGER, .nullable = true, .get = told_count, \
    .offset = offsetof(struct wtl_result, member)

static const struct wtl_member of_own[] = {
    {"cpu_s", WTL_NUMBER_OR_NULL(struct wtl_result, own_cpu_s),
     .meaning = "CPU time of wattle in the window"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct wtl_result, own_j),
     .meaning = "share of wattle in the total, derived"},
    {"interval_ms", WTL_MEMBER_NUMBER, .nullable = true, .get = interval_of,
     .meaning = "between samples"},
    {"late_p50_us", LATENESS(late_p50_ns),
     .meaning = "median delay of samples; null if none was due in the window"},
    {"late_p99_us", LATENESS(late_p99_ns), .meaning = "99 of 100"},
    {"late_max_us", LATENESS(late_max_ns), .meaning = "all"},
    {"missed", TOLD(missed), .meaning = "deadlines"},
    {"dropped", TOLD(dropped), .meaning = "samples lost inside wattle"},
    {"sampler_cpu", WTL_INT_OR_NULL(struct wtl_result, sampler_cpu),
     .meaning = "CPU that the sampler was pinned to; null: none"},
    {.key = NULL}};
static const struct wtl_noun own = {"wattle", of_own};

/* ---- one run ---- */

WTL_MEMBER_GET(edp)
{
    wtl_value_number(ret, result_of(of)->energy.j * result_of(of)->wall_time_s);
}

WTL_MEMBER_GET(ed2p)
{
    double time_s = result_of(of)->wall_time_s;
    wtl_value_number(ret, result_of(of)->energy.j * time_s * time_s);
}

static bool next_activity(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_result *r = result_of(of);
    *cursor = *cursor ? *cursor : r->energy_count;
    return wtl_next_struct(ret, cursor, r->channels, r->channel_count, sizeof *r->channels);
}

static bool next_flag_text(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_result *r = result_of(of);
    if (*cursor >= r->flag_count)
        return false;
    ret->key = r->flags[*cursor].name;
    ret->text = r->flags[(*cursor)++].text;
    return true;
}

static bool next_label(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const char *all = result_of(of)->labels ? result_of(of)->labels : "", *at = all + *cursor;
    struct wtl_label *label = (struct wtl_label *)(void *)&ret->room;
    if (!wtl_labels_next(&at, label))
        return false;
    *cursor = (size_t)(at - all);
    ret->key = label->key;
    ret->text = label->value;
    return true;
}

#define OF_RESULT(type_, noun_) .type = (type_), .get = wtl_get_here, .of = &(noun_)

static const struct wtl_member of_result[] = {
    {"command", WTL_TEXT_OR_NULL(struct wtl_result, command),
     .meaning = "command, quoted for a shell; null if none was run"},
    {"target", WTL_TEXT_OR_NULL(struct wtl_result, target),
     .meaning = "`command`, `pid 17`, `cgroup PATH` or `machine`"},
    {"host", WTL_TEXT_OR_NULL(struct wtl_result, host), .meaning = "host name"},
    {"exit_code", WTL_INT_OR_NULL(struct wtl_result, exit_code),
     .meaning = "exit status of the command, 128 + N for signal N; null without a command. "
                "Repeats: the first that is not 0"},
    {"wall_time_s", WTL_NUMBER_OR_NULL(struct wtl_result, wall_time_s), .csv = 21,
     .meaning = "length of the window"},
    {"start_monotonic_ns", WTL_COUNT_OR_NULL(struct wtl_result, start_monotonic_ns),
     .meaning =
         "release of the command to exec, CLOCK_MONOTONIC; null at the top level of repeats"},
    {"end_monotonic_ns", WTL_COUNT_OR_NULL(struct wtl_result, end_monotonic_ns),
     .meaning = "detection of its end"},
    {"start_realtime_ns", WTL_COUNT_OR_NULL(struct wtl_result, start_realtime_ns),
     .meaning = "start since 1970-01-01 UTC"},
    {"channels", WTL_LIST_AT(struct wtl_result, channels, energy_count, channel),
     .meaning = "channels of energy and power, below; primary ones first"},
    {"total", OF_RESULT(WTL_MEMBER_OBJECT, total), .meaning = "below"},
    {"edp_js", WTL_MEMBER_NUMBER, .nullable = true, .get = edp, .unit = "J s",
     .meaning = "energy x time"},
    {"ed2p_js2", WTL_MEMBER_NUMBER, .nullable = true, .get = ed2p, .unit = "J s^2",
     .meaning = "energy x time^2"},
    {"process", OF_RESULT(WTL_MEMBER_OBJECT, process),
     .meaning = "the command's process tree, below"},
    {"flags", WTL_NAMES_AT(struct wtl_result, flags, flag_count), .csv = 24,
     .meaning = "names, as in wattle(1): `THROTTLED`, `INCOMPLETE`, `UNFINISHED`, ..."},
    {"flag_texts", WTL_MEMBER_MAP, .next = next_flag_text,
     .meaning = "a sentence for each flag, by name"},
    {"frequency", OF_RESULT(WTL_MEMBER_OBJECT, wtl_noun_frequency),
     .meaning = "frequency control at the start, below"},
    {"control", WTL_MEMBER_OBJECT, .nullable = true, .get = control_of, .of = &control,
     .meaning = "settings that were requested for the run, below; null without"},
    {"idle", WTL_MEMBER_OBJECT, .nullable = true, .get = idle_of, .of = &idle,
     .meaning = "with `--idle`, below"},
    {"work", WTL_MEMBER_OBJECT, .nullable = true, .get = work_of, .of = &work,
     .meaning = "with `--work N:UNIT`, below"},
    {"tasks", WTL_MEMBER_OBJECT, .nullable = true, .get = tasks_of, .of = &tasks,
     .meaning = "with `--tasks`, below"},
    {"labels", WTL_MEMBER_MAP, .next = next_label,
     .meaning =
         "labels from `--label` and WATTLE_LABELS, by key; for repeats: those that all runs share"},
    {"activity", WTL_MEMBER_LIST, .next = next_activity, .of = &activity,
     .meaning = "other channels, below"},
    {"wattle", OF_RESULT(WTL_MEMBER_OBJECT, own), .meaning = "cost of wattle itself, below"},
    {"trace", WTL_TEXT_OR_NULL(struct wtl_result, trace), .meaning = "path of the trace"},
    {.key = NULL}};
static const struct wtl_noun result = {"result", of_result};

/* ---- rows of CSV ---- */

WTL_MEMBER_GET(is_total)
{
    wtl_value_text(ret, "total");
}

static const struct wtl_member of_channel_row[] = {
    {"run", WTL_COUNT_AT(struct wtl_result_row, run), .csv = 1, .meaning = "from 1"},
    {"", WTL_PART_OF(struct wtl_result_row, channel, channel)},
    {"", WTL_PART_OF(struct wtl_result_row, result, result)},
    {.key = NULL}};
const struct wtl_noun wtl_noun_channel_row = {"results", of_channel_row};

static const struct wtl_member of_total_row[] = {
    {"run", WTL_COUNT_AT(struct wtl_result_row, run), .csv = 1, .meaning = "from 1"},
    {"name", WTL_MEMBER_TEXT, .get = is_total, .csv = 2, .meaning = "`total`"},
    {"", WTL_PART_OF(struct wtl_result_row, result, total)},
    {"", WTL_PART_OF(struct wtl_result_row, result, result)},
    {.key = NULL}};
const struct wtl_noun wtl_noun_total_row = {"total row", of_total_row};

/* ---- repeats ---- */

static const struct wtl_member of_spread[] = {
    {"mean", WTL_NUMBER_OR_NULL(struct wtl_spread, mean), .meaning = "null if unknown in any run"},
    {"sd", WTL_NUMBER_OR_NULL(struct wtl_spread, sd),
     .meaning = "standard deviation over runs; null for n < 2"},
    {"ci95", WTL_NUMBER_OR_NULL(struct wtl_spread, ci95),
     .meaning = "half width of the 95 % interval of the mean (Student's t); null for n < 3"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_spread = {"spread", of_spread};

struct channel_spread {
    struct wtl_spread energy_j, mean_w;
};

static const struct wtl_member of_channel_spread[] = {
    {"energy_j", WTL_OBJECT_AT(struct channel_spread, energy_j, wtl_noun_spread),
     .meaning = "energy of the channel"},
    {"mean_w", WTL_OBJECT_AT(struct channel_spread, mean_w, wtl_noun_spread),
     .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun channel_spread = {"channel spread", of_channel_spread};

static bool next_spread(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_repeat *repeat = of;
    size_t i = (*cursor)++;
    if (i >= repeat->mean.energy_count)
        return false;
    const struct channel_spread both = {repeat->channel_j[i], repeat->channel_w[i]};
    memcpy(&ret->room, &both, sizeof both);
    ret->key = repeat->mean.channels[i].channel.name;
    ret->noun = &ret->room;
    return true;
}

/* Names of channels whose means are those of passes. */
static bool next_of_passes(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_repeat *repeat = of;
    while (*cursor < repeat->mean.energy_count) {
        const struct wtl_result_channel *at = &repeat->mean.channels[(*cursor)++];
        if (!(at->passes_half_j > 0))
            continue;
        ret->text = at->channel.name;
        return true;
    }
    return false;
}

#define SPREAD(member) \
    WTL_OBJECT_AT(struct wtl_repeat, member, wtl_noun_spread), .meaning = "a spread"

static const struct wtl_member of_repeat[] = {
    {"n", WTL_SIZE_AT(struct wtl_repeat, n), .meaning = "number of runs"},
    {"wall_time_s", SPREAD(wall_time_s)},
    {"energy_j", SPREAD(energy_j)},
    {"mean_w", SPREAD(power_w)},
    {"edp_js", SPREAD(edp_js)},
    {"ed2p_js2", SPREAD(ed2p_js2)},
    {"cpu_s", SPREAD(cpu_s)},
    {"channels", WTL_MEMBER_MAP, .next = next_spread, .of = &channel_spread,
     .meaning = "spread of `energy_j` and `mean_w` of each channel, by name"},
    {"passes", WTL_MEMBER_LIST, .next = next_of_passes,
     .meaning = "names of the channels whose energies are those of `--passes`: ci95 of these, and "
                "of a total with them, is that of the blocks of passes"},
    {.key = NULL}};
static const struct wtl_noun repeat = {"repeat", of_repeat};

/* ---- the document ---- */

WTL_MEMBER_GET(regions_of_content)
{
    wtl_value_noun(ret, ((const struct wtl_run_content *)of)->regions);
}

WTL_MEMBER_GET(mpi_of_content)
{
    ret->known = ((const struct wtl_run_content *)of)->mpi;
}

static const struct wtl_member of_run[] = {
    {"", WTL_PART_OF(struct wtl_run_content, result, result)},
    {"mpi", WTL_MEMBER_OBJECT, .get = mpi_of_content, .of = &wtl_noun_mpi,
     .when = "`wattle stats` of one trace of a program with MPI ranks under libwattle-mpi(7)",
     .meaning = "below"},
    {"counters", WTL_OBJECT_OF(struct wtl_run_content, counters, wtl_noun_counters),
     .when = "`wattle stats` of one trace with a counter set", .meaning = "below"},
    {"regions", WTL_LIST_AT(struct wtl_region_table, rows, count, wtl_noun_region),
     .get = regions_of_content, .when = "`wattle stats --regions`", .meaning = "below"},
    {"repeat", WTL_OBJECT_OF(struct wtl_run_content, repeat, repeat), .when = "repeats",
     .meaning = "below"},
    {"runs", WTL_LIST_AT(struct wtl_run_content, runs, run_count, result), .when = "repeats",
     .meaning = "fields of this table (without `schema`, `wattle_version`, `repeat`, `runs`) for "
                "each run"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_run = {"results of a run", of_run};

/* ---- in another document ---- */

static const struct wtl_member of_run_document[] = {
    {"schema", WTL_MEMBER_TEXT, .meaning = "`wattle.run/1`"},
    {"wattle_version", WTL_MEMBER_TEXT, .meaning = "version of the program that printed it"},
    {"", WTL_MEMBER_PART, .of = &wtl_noun_run},
    {.key = NULL}};
const struct wtl_noun wtl_noun_run_document = {"run document", of_run_document};

/* NOLINTEND(bugprone-macro-parentheses) */

/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts results into what is shown at each update: see live_view.h. */
#define _GNU_SOURCE
#include "cli/top/live_view.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole.h"
#include "model/quality.h"
#include "model/reading.h"
#include "report/digits.h"
#include "report/result/text_result.h"

enum { DEEPEST = 8 };

void wtl_live_view_init(struct wtl_live_view *view, uint64_t every_ns)
{
    *view = (struct wtl_live_view){.subject = "machine",
                                   .every_ns = every_ns,
                                   .load = NAN,
                                   .own_load = NAN,
                                   .own_cpu_s = NAN,
                                   .result = wtl_result_unknown()};
}

void wtl_live_view_fini(struct wtl_live_view *view)
{
    wtl_result_fini(&view->result);
    wtl_user_names_fini(&view->users);
    free(view->channels);
    free(view->order);
    view->channels = NULL;
    view->order = NULL;
}

static const struct wattle_channel *channel_at(const struct wtl_live_view *view, size_t i)
{
    return &view->result.channels[i].channel;
}

/* State is parallel to the channels of the new result; the number of channels of a trace may grow. */
static int match_channels(struct wtl_live_view *view, bool from_start)
{
    const struct wtl_result *result = &view->result;
    size_t n = result->energy_count;
    bool same = n == view->channel_count && view->channels;
    for (size_t i = 0; i < n && same; i++)
        same = strcmp(view->channels[i].name, result->channels[i].channel.name) == 0;
    if (same)
        return 0;
    struct wtl_live_channel *channels = calloc(n + 1, sizeof *channels);
    size_t *order = calloc(n + 1, sizeof *order);
    if (!channels || !order) {
        free(channels);
        free(order);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        struct wtl_live_channel *channel = &channels[i];
        (void)snprintf(channel->name, sizeof channel->name, "%s", result->channels[i].channel.name);
        for (size_t k = 0; view->channels && k < view->channel_count; k++) {
            if (strcmp(view->channels[k].name, channel->name) == 0)
                *channel = view->channels[k];
        }
        if (from_start && channel->history.looks == 0)
            wtl_history_begin(&channel->history, result->start_monotonic_ns);
    }
    free(view->channels);
    free(view->order);
    view->channels = channels;
    view->channel_count = n;
    view->order = order;
    return 0;
}

/* Is channel i contained in the energy channel `around` (NULL: in none)? */
static bool lies_within(const struct wtl_live_view *view, size_t i, const char *around)
{
    const struct wattle_channel *channel = channel_at(view, i);
    if (around)
        return strcmp(channel->within, around) == 0 && strcmp(channel->name, around) != 0;
    for (size_t k = 0; k < view->channel_count && channel->within[0]; k++) {
        if (k != i && strcmp(channel_at(view, k)->name, channel->within) == 0)
            return false;
    }
    return true;
}

/* Place the channels within `around`, each followed by those it contains; returns the number placed. */
static size_t place(struct wtl_live_view *view, const char *around, int depth, size_t placed)
{
    for (size_t i = 0; i < view->channel_count && depth < DEEPEST; i++) {
        if (placed == view->channel_count || !lies_within(view, i, around))
            continue;
        view->channels[i].depth = depth;
        view->order[placed++] = i;
        placed = place(view, channel_at(view, i)->name, depth + 1, placed);
    }
    return placed;
}

/* Power of the total: the sum of its channels, if all are known. */
static void look_at_total(struct wtl_live_view *view)
{
    struct wtl_history *total = &view->total;
    double sum_w = 0;
    total->state = WTL_HISTORY_KNOWN;
    total->window_ns = 0;
    for (size_t i = 0; i < view->channel_count; i++) {
        const struct wtl_history *history = &view->channels[i].history;
        if (!(channel_at(view, i)->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        sum_w += history->power_w;
        if (history->state != WTL_HISTORY_KNOWN && total->state == WTL_HISTORY_KNOWN)
            total->state = history->state;
        if (history->window_ns > total->window_ns)
            total->window_ns = history->window_ns;
    }
    if (view->result.total.count == 0) {
        *total = (struct wtl_history){.state = WTL_HISTORY_NONE, .power_w = NAN};
        return;
    }
    total->power_w = sum_w;
    if (total->state != WTL_HISTORY_WAITS || total->history_count > 0)
        wtl_history_past(total, total->power_w);
}

/* Current values of a quantity over its channels; for a finished trace, their means. */
static struct wtl_live_spread spread_of(const struct wtl_result *result,
                                        enum wattle_quantity quantity,
                                        enum wattle_domain domain,
                                        const char *label)
{
    struct wtl_live_spread spread = {0};
    for (size_t i = result->energy_count; i < result->channel_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        double value = isnan(c->summary.last_w) ? c->summary.mean_w : c->summary.last_w;
        if (c->channel.quantity != quantity || isnan(value) ||
            (domain != WATTLE_DOMAIN_COUNT && c->channel.domain != domain) ||
            (label && !strstr(c->channel.label, label)))
            continue;
        spread.low = spread.n ? fmin(spread.low, value) : value;
        spread.high = spread.n ? fmax(spread.high, value) : value;
        spread.mean += (value - spread.mean) / (double)(spread.n + 1);
        spread.n++;
    }
    return spread;
}

static void look_at_activity(struct wtl_live_view *view)
{
    const struct wtl_result *r = &view->result;
    view->frequency_hz = spread_of(r, WATTLE_FREQUENCY, WATTLE_DOMAIN_COUNT, NULL);
    view->temperature_c = spread_of(r, WATTLE_TEMPERATURE, WATTLE_DOMAIN_COUNT, NULL);
    view->limit_w = spread_of(r, WATTLE_POWER_LIMIT, WATTLE_DOMAIN_PACKAGE, "long_term");
}

int wtl_live_view_look(struct wtl_live_view *view,
                       struct wtl_result *result,
                       uint64_t now_ns,
                       bool from_start)
{
    double own_before_s = view->own_cpu_s;
    uint64_t before_ns = view->now_ns;
    wtl_result_fini(&view->result);
    view->result = *result;
    *result = wtl_result_unknown();
    int rc = match_channels(view, from_start);
    if (rc < 0)
        return rc;
    bool all = place(view, NULL, 0, 0) == view->channel_count;
    for (size_t i = 0; i < view->channel_count && !all; i++) { /* some contain each other */
        view->channels[i].depth = 0;
        view->order[i] = i;
    }
    view->now_ns = now_ns;
    if (view->looks++ == 0) {
        view->start_ns = view->result.start_monotonic_ns;
        view->base_ns = view->start_ns;
    }
    for (size_t i = 0; i < view->channel_count; i++)
        wtl_history_look(&view->channels[i].history, channel_at(view, i),
                         &view->result.channels[i].summary, now_ns, view->every_ns);
    look_at_total(view);
    look_at_activity(view);
    rc = wtl_result_flag_corrected(&view->result, &view->corrected_j);
    view->own_cpu_s = view->is_trace ? (double)NAN : view->result.own_cpu_s;
    view->own_load = NAN;
    if (now_ns > before_ns && before_ns > 0)
        view->own_load = (view->own_cpu_s - own_before_s) / (double)(now_ns - before_ns) * 1e9;
    return rc;
}

void wtl_live_view_end(struct wtl_live_view *view)
{
    const struct wtl_result *r = &view->result;
    uint64_t window_ns = r->end_monotonic_ns - r->start_monotonic_ns;
    for (size_t i = 0; i < view->channel_count; i++)
        wtl_history_end(&view->channels[i].history, r->channels[i].summary.mean_w, window_ns);
    if (r->total.count > 0)
        wtl_history_end(&view->total, r->total_w, window_ns);
    view->ended = true;
}

void wtl_live_view_silence(struct wtl_live_view *view)
{
    for (size_t i = 0; i < view->channel_count; i++)
        wtl_history_silence(&view->channels[i].history);
    wtl_history_silence(&view->total);
}

void wtl_live_view_reset(struct wtl_live_view *view)
{
    for (size_t i = 0; i < view->channel_count; i++) {
        const struct wtl_summary *s = &view->result.channels[i].summary;
        view->channels[i].base_j = isnan(s->amount) ? 0 : s->amount;
        view->channels[i].base_half_j = s->amount_half;
        wtl_history_reset(&view->channels[i].history);
    }
    wtl_history_reset(&view->total);
    view->base_ns = view->now_ns;
    if (view->processes)
        wtl_live_processes_reset(view->processes);
}

static bool was_reset(const struct wtl_live_view *view)
{
    return view->base_ns != view->start_ns;
}

/* Since the start. The channels of a total that goes on are not known up to the same time. */
static struct wtl_energy whole_of(const struct wtl_live_view *view, size_t i)
{
    if (i != WTL_LIVE_TOTAL)
        return wtl_result_energy(&view->result.channels[i]);
    return view->result.until_ns && view->result.total.count > 0
               ? wtl_result_energy_at(&view->result, wtl_live_view_total_ns(view))
               : view->result.energy;
}

struct wtl_energy wtl_live_view_energy(const struct wtl_live_view *view, size_t i)
{
    const struct wtl_energy whole = whole_of(view, i);
    struct wtl_energy_sum sum = {0};
    struct wtl_energy energy = whole;
    if (!was_reset(view))
        return whole;
    if (i != WTL_LIVE_TOTAL) {
        /* Maximum difference of two readings, each with the uncertainty of the energy up to it. */
        energy.j -= view->channels[i].base_j;
        energy.half_j = hypot(energy.half_j, view->channels[i].base_half_j);
        wtl_energy_range_as(&energy, &whole);
        return energy;
    }
    for (size_t k = 0; k < view->channel_count; k++) {
        if (!(channel_at(view, k)->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        energy = wtl_live_view_energy(view, k);
        wtl_energy_add(&sum, &energy);
    }
    return wtl_energy_sum_of(&sum, false);
}

double wtl_live_view_error(const struct wtl_live_view *view, size_t i)
{
    const struct wtl_energy whole = whole_of(view, i);
    double error = wtl_energy_half(&whole) / whole.j;
    return whole.quality != WATTLE_ESTIMATED ? 0 : isfinite(error) ? error : 1;
}

char *wtl_live_view_energy_text(const struct wtl_live_view *view, size_t i, char *buf, size_t n)
{
    const struct wtl_energy energy = wtl_live_view_energy(view, i);
    return wtl_digits_energy(buf, n, &energy);
}

char *wtl_live_view_power_text(const struct wtl_live_view *view, size_t i, char *buf, size_t n)
{
    const struct wtl_history *history =
        i == WTL_LIVE_TOTAL ? &view->total : &view->channels[i].history;
    double error = wtl_live_view_error(view, i);
    if (isnan(history->power_w))
        (void)snprintf(buf, n, "%s", wtl_history_state_word(history->state));
    else if (error > 0)
        (void)wtl_digits_value(buf, n, history->power_w, error * fabs(history->power_w));
    else
        (void)snprintf(buf, n, "%.2f", history->power_w);
    return buf;
}

uint64_t wtl_live_view_total_ns(const struct wtl_live_view *view)
{
    uint64_t newest_ns = 0;
    for (size_t i = 0; i < view->channel_count; i++) {
        uint64_t last_ns = view->result.channels[i].summary.last_ns;
        if (channel_at(view, i)->flags & WATTLE_CHANNEL_IN_TOTAL && last_ns > newest_ns)
            newest_ns = last_ns;
    }
    return newest_ns;
}

double wtl_live_view_until_s(const struct wtl_live_view *view, size_t i)
{
    uint64_t until_ns = i == WTL_LIVE_TOTAL ? wtl_live_view_total_ns(view)
                                            : view->result.channels[i].summary.last_ns;
    double elapsed_s = (double)(view->now_ns - view->start_ns) * 1e-9;
    if (view->ended) /* the energy of the window */
        return elapsed_s;
    return until_ns > view->start_ns ? fmin((double)(until_ns - view->start_ns) * 1e-9, elapsed_s)
                                     : (double)NAN;
}

double wtl_live_view_scale(const struct wtl_live_view *view, size_t i, bool *ret_is_limit)
{
    const struct wtl_history *history =
        i == WTL_LIVE_TOTAL ? &view->total : &view->channels[i].history;
    double limit_w = NAN;
    for (size_t k = view->result.energy_count;
         i != WTL_LIVE_TOTAL && k < view->result.channel_count; k++) {
        const struct wtl_result_channel *limit = &view->result.channels[k];
        if (limit->channel.quantity == WATTLE_POWER_LIMIT &&
            limit->channel.domain == channel_at(view, i)->domain &&
            limit->channel.index == channel_at(view, i)->index &&
            strstr(limit->channel.label, "long_term"))
            limit_w = isnan(limit->summary.last_w) ? limit->summary.mean_w : limit->summary.last_w;
    }
    bool is_limit = limit_w > 0 && limit_w >= history->peak_w;
    if (ret_is_limit)
        *ret_is_limit = is_limit;
    return is_limit ? limit_w : history->peak_w;
}

const char *wtl_live_view_quality(const struct wtl_live_view *view, size_t i)
{
    if (i != WTL_LIVE_TOTAL)
        return wtl_channel_quality_word(channel_at(view, i));
    return wtl_result_quality_word(&view->result);
}

/* ---- keys; the letters are those of top(1) and htop(1) where they exist ---- */

/* What + and - step through. */
static const uint64_t steps_ns[] = {100000000,  200000000,   500000000,   1000000000, 2000000000,
                                    5000000000, 10000000000, 30000000000, 60000000000};
enum { STEPS = sizeof steps_ns / sizeof *steps_ns, PAGE = 10 };

static void slower(struct wtl_live_view *view)
{
    for (size_t i = 0; i < STEPS; i++) {
        if (steps_ns[i] > view->every_ns) {
            view->every_ns = steps_ns[i];
            return;
        }
    }
}

static void faster(struct wtl_live_view *view)
{
    for (size_t i = STEPS; i > 0; i--) {
        if (steps_ns[i - 1] < view->every_ns) {
            view->every_ns = steps_ns[i - 1];
            return;
        }
    }
}

static void edit_filter(struct wtl_live_view *view, int key)
{
    size_t n = strlen(view->filter);
    if (key == WTL_KEY_ENTER || key == WTL_KEY_ESCAPE)
        view->editing = false;
    if (key == WTL_KEY_ESCAPE)
        view->filter[0] = '\0';
    else if (key == WTL_KEY_BACKSPACE && n > 0)
        view->filter[n - 1] = '\0';
    else if (key >= ' ' && key < 0x7F && n + 1 < sizeof view->filter) {
        view->filter[n] = (char)key;
        view->filter[n + 1] = '\0';
    }
    view->scroll = 0;
}

static bool sort_key(struct wtl_live_view *view, int key)
{
    static const struct {
        int key;
        enum wtl_live_sort sort;
    } keys[] = {{'P', WTL_SORT_POWER}, {'E', WTL_SORT_ENERGY}, {'C', WTL_SORT_CPU},
                {'N', WTL_SORT_NAME},  {'I', WTL_SORT_PID},    {'U', WTL_SORT_USER}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].key != key)
            continue;
        view->reverse = false;
        view->sort = keys[i].sort;
        view->scroll = 0;
        return true;
    }
    return false;
}

static bool scroll_key(struct wtl_live_view *view, int key)
{
    size_t page = key == WTL_KEY_PAGE_UP || key == WTL_KEY_PAGE_DOWN ? PAGE : 1;
    if (key == WTL_KEY_UP || key == WTL_KEY_PAGE_UP)
        view->scroll = view->scroll > page ? view->scroll - page : 0;
    else if (key == WTL_KEY_DOWN || key == WTL_KEY_PAGE_DOWN)
        view->scroll += page; /* drawing keeps it within the list */
    else if (key == WTL_KEY_HOME)
        view->scroll = 0;
    else
        return false;
    return true;
}

/* Keys that toggle something. */
static bool switch_key(struct wtl_live_view *view, int key)
{
    const struct {
        int key;
        bool *which;
    } keys[] = {{'r', &view->reverse},        {'p', &view->paused},
                {' ', &view->paused},         {'1', &view->hide_channels},
                {'2', &view->hide_processes}, {'k', &view->hide_kernel},
                {'c', &view->names_only},     {'h', &view->show_help},
                {'?', &view->show_help},      {WTL_KEY_HELP, &view->show_help}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].key != key)
            continue;
        *keys[i].which = !*keys[i].which;
        return true;
    }
    return false;
}

bool wtl_live_view_key(struct wtl_live_view *view, int key)
{
    if (key == WTL_KEY_RESIZE)
        return true;
    if (view->editing) {
        edit_filter(view, key);
        return true;
    }
    if (view->show_help) { /* any key leaves the help; q does not also quit */
        view->show_help = false;
        return true;
    }
    if (sort_key(view, key) || scroll_key(view, key) || switch_key(view, key))
        return true;
    if (key == '+' || key == '=')
        slower(view);
    else if (key == '-')
        faster(view);
    else if (key == '/')
        view->editing = true;
    else if (key == WTL_KEY_ESCAPE)
        view->filter[0] = '\0';
    else if (key == 'z')
        wtl_live_view_reset(view);
    return key != 'q';
}

/* ---- processes: which are shown, and in what order ---- */

const char *const wtl_live_sort_names[] = {"power", "energy", "cpu", "name", "pid", "user", NULL};

struct row {
    const struct wtl_process *process;
    const char *text; /* to be sorted by; or NULL */
    double number;
};

const char *wtl_live_view_command(const struct wtl_live_view *view,
                                  const struct wtl_process *process)
{
    return view->names_only ? process->stat.name : process->command;
}

double wtl_live_view_cpu(const struct wtl_live_view *view, const struct wtl_process *process)
{
    double seconds = view->processes ? view->processes->seconds : (double)NAN;
    return seconds > 0 ? (double)process->used_ns * 1e-9 / seconds : (double)NAN;
}

static bool passes(struct wtl_live_view *view, const struct wtl_process *process)
{
    char pid[16];
    if (view->hide_kernel && process->stat.kernel_thread)
        return false;
    if (!view->filter[0])
        return true;
    (void)snprintf(pid, sizeof pid, "%d", (int)process->stat.pid);
    return strcasestr(process->command, view->filter) ||
           strcasestr(process->stat.name, view->filter) || strcmp(pid, view->filter) == 0 ||
           strcasestr(wtl_user_name(&view->users, process->uid), view->filter);
}

/* Numbers descending with unknown last; texts ascending; then busier first, then older first. */
static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->text && y->text) {
        int order = strcasecmp(x->text, y->text);
        if (order)
            return order;
    } else {
        double p = isnan(x->number) ? -INFINITY : x->number;
        double q = isnan(y->number) ? -INFINITY : y->number;
        if (p != q)
            return p > q ? -1 : 1;
    }
    if (x->process->used_ns != y->process->used_ns)
        return x->process->used_ns > y->process->used_ns ? -1 : 1;
    if (x->process->energy_j != y->process->energy_j)
        return x->process->energy_j > y->process->energy_j ? -1 : 1;
    if (x->process->stat.kernel_thread != y->process->stat.kernel_thread)
        return x->process->stat.kernel_thread ? 1 : -1;
    return (x->process->stat.pid > y->process->stat.pid) -
           (x->process->stat.pid < y->process->stat.pid);
}

static struct row row_of(struct wtl_live_view *view, const struct wtl_process *process)
{
    struct row row = {.process = process, .number = NAN};
    switch (view->sort) {
    case WTL_SORT_ENERGY:
        row.number = process->energy_j;
        break;
    case WTL_SORT_CPU:
        row.number = (double)process->used_ns;
        break;
    case WTL_SORT_NAME:
        row.text = wtl_live_view_command(view, process);
        break;
    case WTL_SORT_PID:
        row.number = -(double)process->stat.pid;
        break;
    case WTL_SORT_USER:
        row.text = wtl_user_name(&view->users, process->uid);
        break;
    default:
        row.number = process->power_w;
    }
    return row;
}

const struct wtl_process **wtl_live_view_processes(struct wtl_live_view *view, size_t *ret_count)
{
    size_t all = view->processes ? view->processes->table.count : 0, n = 0;
    struct row *rows = calloc(all + 1, sizeof *rows);
    const struct wtl_process **list = calloc(all + 1, sizeof(struct wtl_process *));
    /* Resolve user names before taking pointers into their list, which may move. */
    for (size_t i = 0; rows && view->sort == WTL_SORT_USER && i < all; i++)
        (void)wtl_user_name(&view->users, view->processes->table.items[i].uid);
    for (size_t i = 0; rows && list && i < all; i++) {
        const struct wtl_process *process = &view->processes->table.items[i];
        if (passes(view, process))
            rows[n++] = row_of(view, process);
    }
    if (n > 1)
        wtl_sort(rows, n, sizeof *rows, compare);
    for (size_t i = 0; i < n; i++)
        list[i] = rows[view->reverse ? n - 1 - i : i].process;
    free(rows);
    if (n == 0) {
        free(list);
        list = NULL;
    }
    *ret_count = n;
    return list;
}

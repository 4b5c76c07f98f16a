/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole screen: title, machine activity, channels, processes, keys. Lines are assigned by importance; see
 * live_draw.h.
 */
#define _GNU_SOURCE
#include "cli/top/live_draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/flag.h"
#include "report/digits.h"

enum { TALL = 12 }; /* height from which optional information is shown */

/* Power of channel i or the total as "104.2 W", or a word for why it is unknown. */
static char *live_watts(char *text, size_t n, const struct wtl_live_view *view, size_t i)
{
    const struct wtl_history *history =
        i == WTL_LIVE_TOTAL ? &view->total : &view->channels[i].history;
    double w = history->power_w, error = wtl_live_view_error(view, i);
    char number[32];
    if (isnan(w))
        (void)snprintf(text, n, "%s", wtl_history_state_word(history->state));
    else if (error > 0)
        (void)snprintf(text, n, "%s W",
                       wtl_digits_value(number, sizeof number, w, error * fabs(w)));
    else
        (void)snprintf(text, n, "%.*f W", fabs(w) < 9.995 ? 2 : fabs(w) < 999.95 ? 1 : 0, w);
    return text;
}

char *wtl_live_clock(char *text, size_t n, uint64_t ns)
{
    uint64_t s = ns / 1000000000u;
    if (s >= 3600)
        (void)snprintf(text, n, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60,
                       s % 60);
    else
        (void)snprintf(text, n, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
    return text;
}

/* Important states, in one word. */
static const char *mark_of(const struct wtl_live_view *view)
{
    const char *quality = wtl_live_view_quality(view, WTL_LIVE_TOTAL);
    if (view->result.total.count == 0)
        return "";
    if (strcmp(quality, "simulated") == 0)
        return "SIMULATED ";
    return strcmp(quality, "estimated") == 0 ? "ESTIMATED " : "";
}

static void draw_title(const struct wtl_live_view *view, struct wtl_cells *cells)
{
    char clock[32], every[32], right[96], wall[16] = "";
    time_t seconds = (time_t)(view->realtime_ns / 1000000000u);
    struct tm when;
    if (view->realtime_ns && cells->width >= 64 && localtime_r(&seconds, &when))
        (void)strftime(wall, sizeof wall, "%H:%M:%S ", &when);
    (void)snprintf(right, sizeof right, " %s%s%s%s", mark_of(view), view->paused ? "PAUSED " : "",
                   view->ended ? "ENDED " : "", wall);
    int right_w = wtl_cells_width(cells, right), left_w = cells->width - right_w;
    for (int x = 0; x < cells->width; x++)
        (void)wtl_cells_text(cells, x, 0, 1, WTL_LOOK_TITLE, " ");
    int x = wtl_cells_print(cells, 1, 0, left_w - 1, WTL_LOOK_TITLE, "wattle top  %s%s%s  %s%s",
                            cells->width >= 50 && view->result.host ? view->result.host : "",
                            cells->width >= 50 && view->result.host ? "  " : "", view->subject,
                            view->base_ns != view->start_ns ? "since reset " : "",
                            wtl_live_clock(clock, sizeof clock, view->now_ns - view->base_ns));
    (void)snprintf(every, sizeof every, "  every %g s", (double)view->every_ns * 1e-9);
    if (!view->ended && x + 1 + (int)strlen(every) <= left_w)
        (void)wtl_cells_text(cells, x + 1, 0, left_w - x - 1, WTL_LOOK_TITLE, every);
    (void)wtl_cells_text(cells, left_w, 0, right_w, WTL_LOOK_TITLE, right);
}

/* "2.35 GHz (1.20..3.40)" */
static int draw_spread(struct wtl_cells *cells,
                       int x,
                       int y,
                       const struct wtl_live_spread *spread,
                       double unit,
                       int digits,
                       const char *name)
{
    int width = cells->width - x - 1;
    if (spread->n == 0 || width < 12)
        return x;
    double low = spread->low / unit, high = spread->high / unit;
    x += wtl_cells_print(cells, x, y, width, WTL_LOOK_PLAIN, "%.*f %s", digits, spread->mean / unit,
                         name);
    width = cells->width - x - 1;
    if (spread->n > 1 && high - low > 0.5 * pow(10, -digits) && width >= 16)
        x += wtl_cells_print(cells, x, y, width, WTL_LOOK_FAINT, " (%.*f..%.*f)", digits, low,
                             digits, high);
    return x + 3;
}

/* Load, frequency, temperature, and the cost of wattle. */
static int draw_activity(const struct wtl_live_view *view, struct wtl_cells *cells, int y)
{
    int x = 1;
    if (!isnan(view->load))
        x += wtl_cells_print(cells, x, y, cells->width - x, WTL_LOOK_PLAIN,
                             "load %.0f %% of %.0f CPU%s", view->load * 100,
                             view->processes ? view->processes->cpus : 1.0,
                             view->processes && view->processes->cpus > 1 ? "s" : "") +
             3;
    x = draw_spread(cells, x, y, &view->frequency_hz, 1e9, 2, "GHz");
    x = draw_spread(cells, x, y, &view->temperature_c, 1, 0, cells->unicode ? "°C" : "C");
    x = draw_spread(cells, x, y, &view->limit_w, 1, 0, "W limit");
    if (!isnan(view->own_load) && cells->width - x >= 26)
        x += wtl_cells_print(cells, x, y, cells->width - x, WTL_LOOK_FAINT,
                             "wattle itself %.1f %% of a CPU", view->own_load * 100);
    return x > 1;
}

/* The description of the total. */
static int draw_words(const struct wtl_live_view *view, struct wtl_cells *cells, int y)
{
    const struct wtl_total *total = &view->result.total;
    if (total->count == 0)
        (void)wtl_cells_text(cells, 1, y, cells->width - 2, WTL_LOOK_CAUTION,
                             "no energy: no sensor can be read; see \"wattle sensors\"");
    else
        (void)wtl_cells_print(cells, 1, y, cells->width - 2, WTL_LOOK_FAINT, "total of %s%s%s",
                              total->contains, total->excludes[0] ? "; not " : "", total->excludes);
    return 1;
}

static int draw_note(const struct wtl_live_view *view, struct wtl_cells *cells, int y)
{
    if (!view->note[0])
        return 0;
    (void)wtl_cells_text(cells, 1, y, cells->width - 2, WTL_LOOK_STRONG, view->note);
    return 1;
}

/* As many flags as fit. */
static int draw_flags(const struct wtl_live_view *view, struct wtl_cells *cells, int y, int most)
{
    int used = 0;
    for (size_t i = 0; i < view->result.flag_count && used < most; i++) {
        const struct wtl_result_flag *flag = &view->result.flags[i];
        if (view->is_trace && !view->ended && strcmp(flag->name, WTL_FLAG_UNFINISHED) == 0)
            continue; /* already in the note */
        (void)wtl_cells_print(cells, 1, y + used, cells->width - 2, WTL_LOOK_CAUTION, "%s: %s",
                              flag->name, flag->text);
        used++;
    }
    return used;
}

static void draw_keys(const struct wtl_live_view *view, struct wtl_cells *cells, int y)
{
    static const char *const keys[][2] = {{"q", "quit"},   {"h", "help"},  {"P", "power"},
                                          {"E", "energy"}, {"C", "CPU"},   {"N", "name"},
                                          {"/", "filter"}, {"p", "pause"}, {"z", "zero"},
                                          {"+", "slower"}, {"-", "faster"}};
    int x = 1;
    if (view->editing) {
        (void)wtl_cells_print(cells, 1, y, cells->width - 2, WTL_LOOK_STRONG,
                              "filter: %s_   Enter keeps it, Esc removes it", view->filter);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int need = (int)(strlen(keys[i][0]) + strlen(keys[i][1])) + 3;
        if (x + need > cells->width)
            break;
        x += wtl_cells_print(cells, x, y, cells->width - x, WTL_LOOK_KEY, "%s", keys[i][0]);
        x += 1 + wtl_cells_text(cells, x + 1, y, cells->width - x, WTL_LOOK_PLAIN, keys[i][1]) + 1;
    }
}

/* A terminal too small for anything: a message, as far as it fits. */
static void draw_sentence(struct wtl_cells *cells)
{
    char text[96];
    (void)snprintf(text, sizeof text, "too small: wattle top needs %dx%d, this is %dx%d; q quits",
                   WTL_DRAW_LEAST_WIDTH, WTL_DRAW_LEAST_HEIGHT, cells->width, cells->height);
    const char *at = text;
    for (int y = 0; y < cells->height && *at && cells->width > 0; y++) {
        size_t n = strnlen(at, (size_t)cells->width);
        for (size_t i = 0; i < n; i++)
            (void)wtl_cells_print(cells, (int)i, y, 1, WTL_LOOK_PLAIN, "%c", at[i]);
        at += n;
    }
}

/* ---- channels: one row each with current power, bar, history, energy and quality; the total above ---- */

enum { WATTS = 9, SCALE = 9, ENERGY = 24, LEAST = 18, QUALITY = 9, GAP = 1 };

/* Positions of the columns; width 0 = not shown. */
struct plan {
    int name, watts_x, bar_x, bar, scale_x, scale, history_x, history, energy_x, energy, quality_x,
        quality;
};

static const char *short_name(const struct wtl_cells *cells, const char *name)
{
    const char *colon = strchr(name, ':');
    return colon && cells->width < 64 ? colon + 1 : name;
}

static int name_width(const struct wtl_live_view *view, const struct wtl_cells *cells)
{
    int longest = 9, most = cells->width / 3;
    for (size_t i = 0; i < view->channel_count; i++) {
        const struct wtl_live_channel *c = &view->channels[i];
        int width = 2 + 2 * c->depth + wtl_cells_width(cells, short_name(cells, c->name));
        longest = width > longest ? width : longest;
    }
    return longest < most ? longest : most;
}

/* Energy with its interval; of an estimate with its range. */
static void energy_text(const struct wtl_live_view *view,
                        const struct wtl_cells *cells,
                        size_t i,
                        char *text,
                        size_t n)
{
    char number[64];
    (void)wtl_live_view_energy_text(view, i, number, sizeof number);
    char *plus = strstr(number, "+-");
    if (plus && cells->unicode) {
        *plus = '\0';
        (void)snprintf(text, n, "%s±%s J", number, plus + 2);
    } else {
        (void)snprintf(text, n, "%s%s", number, strcmp(number, "unknown") == 0 ? "" : " J");
    }
}

/* As wide as the widest, at most ENERGY. */
static int energy_width(const struct wtl_live_view *view, const struct wtl_cells *cells)
{
    char text[128];
    int widest = LEAST;
    for (size_t i = 0; i <= view->channel_count; i++) {
        energy_text(view, cells, i < view->channel_count ? i : WTL_LIVE_TOTAL, text, sizeof text);
        int width = wtl_cells_width(cells, text);
        widest = width > widest ? width : widest;
    }
    return widest < ENERGY ? widest : ENERGY;
}

static struct plan make_plan(const struct wtl_live_view *view, const struct wtl_cells *cells)
{
    struct plan plan = {.name = name_width(view, cells)};
    plan.scale = cells->width >= 100 ? SCALE : 0;
    plan.energy = cells->width >= 56 ? energy_width(view, cells) : 0;
    plan.quality = cells->width >= 72 ? QUALITY : 0;
    plan.watts_x = 1 + plan.name + GAP;
    plan.bar_x = plan.watts_x + WATTS + GAP;
    int right = cells->width - 1;
    plan.quality_x = right - plan.quality;
    right = plan.quality ? plan.quality_x - GAP : right;
    plan.energy_x = right - plan.energy;
    right = plan.energy ? plan.energy_x - GAP : right;
    int room = right - plan.bar_x - (plan.scale ? plan.scale + GAP : 0) - GAP;
    if (room >= 14)
        plan.bar = room * 2 / 5;
    plan.scale_x = plan.bar_x + plan.bar + GAP;
    plan.history_x = plan.scale ? plan.scale_x + plan.scale + GAP : plan.scale_x;
    if (plan.bar == 0)
        plan.history_x = plan.bar_x;
    plan.history = right - plan.history_x;
    return plan;
}

/* Bar, history and full scale of the bar. */
static void draw_bar(const struct wtl_live_view *view,
                     struct wtl_cells *cells,
                     int y,
                     const struct plan *plan,
                     size_t i)
{
    const struct wtl_history *history =
        i == WTL_LIVE_TOTAL ? &view->total : &view->channels[i].history;
    char text[32];
    bool is_limit;
    double full = wtl_live_view_scale(view, i, &is_limit);
    if (plan->bar)
        wtl_cells_bar(cells, plan->bar_x, y, plan->bar, history->power_w, full);
    if (plan->scale && full > 0) {
        (void)snprintf(text, sizeof text, "%s%.*f", is_limit ? "limit " : "max ",
                       full < 9.95 && !is_limit ? 1 : 0, full);
        (void)wtl_cells_text(cells, plan->scale_x, y, plan->scale, WTL_LOOK_FAINT, text);
    }
    wtl_cells_history(cells, plan->history_x, y, plan->history, history->history_w,
                      history->history_count, full);
}

static void draw_row(const struct wtl_live_view *view,
                     struct wtl_cells *cells,
                     int y,
                     const struct plan *plan,
                     size_t i)
{
    bool is_total = i == WTL_LIVE_TOTAL;
    const struct wtl_history *history = is_total ? &view->total : &view->channels[i].history;
    const char *quality = wtl_live_view_quality(view, i);
    bool in_total = is_total || view->result.channels[i].channel.flags & WATTLE_CHANNEL_IN_TOTAL;
    bool caution = strcmp(quality, "estimated") == 0 || isnan(history->power_w);
    enum wtl_look look = caution    ? WTL_LOOK_CAUTION
                         : is_total ? WTL_LOOK_STRONG
                         : in_total ? WTL_LOOK_PLAIN
                                    : WTL_LOOK_FAINT;
    char text[128];
    if (is_total)
        (void)wtl_cells_text(cells, 1, y, plan->name, look, "  total");
    else
        (void)wtl_cells_print(cells, 1, y, plan->name, look, "%c %*s%s", in_total ? '+' : ' ',
                              2 * view->channels[i].depth, "",
                              short_name(cells, view->channels[i].name));
    wtl_cells_right(cells, plan->watts_x, y, WATTS, look, live_watts(text, sizeof text, view, i));
    draw_bar(view, cells, y, plan, i);
    if (plan->energy) {
        energy_text(view, cells, i, text, sizeof text);
        wtl_cells_right(cells, plan->energy_x, y, plan->energy, look, text);
    }
    if (plan->quality)
        (void)wtl_cells_text(cells, plan->quality_x, y, plan->quality, look, quality);
}

/* Titles; without an energy column, the energy of the total. */
static void draw_heading(const struct wtl_live_view *view,
                         struct wtl_cells *cells,
                         int y,
                         const struct plan *plan)
{
    char text[96], window[32];
    uint64_t window_ns = view->total.window_ns ? view->total.window_ns : view->every_ns;
    (void)wtl_digits_time(window, sizeof window, (double)window_ns * 1e-9);
    if (!plan->energy) {
        energy_text(view, cells, WTL_LIVE_TOTAL, text, sizeof text);
        (void)wtl_cells_print(cells, 1, y, cells->width - 2, WTL_LOOK_STRONG, "%s %s", text,
                              view->result.total.count ? wtl_live_view_quality(view, WTL_LIVE_TOTAL)
                                                       : "");
        return;
    }
    (void)wtl_cells_text(cells, 1, y, plan->name, WTL_LOOK_FAINT, "  channel");
    wtl_cells_right(cells, plan->watts_x, y, WATTS, WTL_LOOK_FAINT, "power");
    (void)wtl_cells_print(cells, plan->bar_x, y, plan->energy_x - plan->bar_x - 1, WTL_LOOK_FAINT,
                          "over %s", window);
    wtl_cells_right(cells, plan->energy_x, y, plan->energy, WTL_LOOK_FAINT,
                    view->base_ns != view->start_ns ? "energy since reset" : "energy since start");
    (void)wtl_cells_text(cells, plan->quality_x, y, plan->quality, WTL_LOOK_FAINT, "quality");
}

/* Lines that all channels and the total would take. */
static int live_draw_channels_want(const struct wtl_live_view *view)
{
    return 3 + (int)view->channel_count;
}

/* The parts (from line y, at most `height` lines; returns the lines used). */
static int live_draw_channels(struct wtl_live_view *view,
                              struct wtl_cells *cells,
                              int y,
                              int height)
{
    struct plan plan = make_plan(view, cells);
    int used = 0, rows = (int)view->channel_count;
    if (height <= 0 || view->channel_count == 0)
        return 0;
    bool heading = height >= 3;
    if (heading)
        draw_heading(view, cells, y + used++, &plan);
    if (view->result.total.count > 0 && used < height)
        draw_row(view, cells, y + used++, &plan, WTL_LIVE_TOTAL);
    int room = height - used, shown = rows <= room ? rows : room - 1;
    for (int i = 0; i < shown; i++)
        draw_row(view, cells, y + used++, &plan, view->order[i]);
    if (shown >= 0 && shown < rows && used < height)
        (void)wtl_cells_print(cells, 3, y + used++, cells->width - 4, WTL_LOOK_FAINT, "%d more%s",
                              rows - shown, view->hide_processes ? "" : "; 2 hides the processes");
    return used < height ? used + 1 : used; /* an empty line, if there is space */
}

/* ---- processes, the division of power, and the help page ---- */

enum { PID = 7, USER = 8, CPU = 6, SHARE = 6, PROCESS_WATTS = 8, JOULES = 9 };

struct columns {
    bool user, joules, share, gpu;
};

static const char *origin_of(const struct wtl_live_processes *p, char *text, size_t n)
{
    switch (p->model.idle) {
    case WTL_IDLE_GIVEN:
        return "as given";
    case WTL_IDLE_MODEL:
        return "by the model";
    case WTL_IDLE_SEEN:
        (void)snprintf(text, n, "seen at %.0f %%", wtl_live_processes_idle_load(p) * 100);
        return text;
    case WTL_IDLE_CALIBRATED:
        return "calibrated";
    default:
        return "";
    }
}

/* Shares in tenths of a watt, rounded so that the parts add up to the sum. */
struct tenths {
    double jobs, idle, unattributed, sum;
};

static struct tenths round_shares(const struct wtl_share_rest *rest)
{
    const double jobs = round(rest->jobs_j * 10), idle = round(rest->idle_j * 10),
                 sum = round((rest->jobs_j + rest->idle_j + rest->unattributed_j) * 10);
    return (struct tenths){jobs / 10, idle / 10, (sum - jobs - idle) / 10, sum / 10};
}

/* How the current power is divided. */
static int draw_split(const struct wtl_live_view *view, struct wtl_cells *cells, int y)
{
    const struct wtl_live_processes *p = view->processes;
    const struct tenths w = round_shares(&p->power_w);
    char text[64];
    if (!p->known)
        (void)wtl_cells_text(cells, 1, y, cells->width - 2, WTL_LOOK_FAINT,
                             "no shares yet: waiting for the second update");
    else if (cells->width < 64)
        (void)wtl_cells_print(cells, 1, y, cells->width - 2, WTL_LOOK_PLAIN,
                              "%.1f + idle %.1f + nobody %.1f W", w.jobs, w.idle, w.unattributed);
    else if (p->model.idle == WTL_IDLE_UNKNOWN)
        (void)wtl_cells_print(cells, 1, y, cells->width - 2, WTL_LOOK_PLAIN,
                              "%.1f processes + %.1f unattributed = %.1f W; idle power unknown",
                              w.jobs, w.unattributed, w.sum);
    else
        (void)wtl_cells_print(cells, 1, y, cells->width - 2, WTL_LOOK_PLAIN,
                              "%.1f processes + %.1f idle (%s) + %.1f unattributed = %.1f W",
                              w.jobs, w.idle, origin_of(p, text, sizeof text), w.unattributed,
                              w.sum);
    return 1;
}

static int draw_titles(const struct wtl_live_view *view,
                       struct wtl_cells *cells,
                       int y,
                       const struct columns *columns)
{
    struct column {
        const char *title;
        int width;
        enum wtl_live_sort sort;
        bool shown, left;
    } titles[] = {{"PID", PID, WTL_SORT_PID, true, false},
                  {"USER", USER, WTL_SORT_USER, columns->user, true},
                  {"CPU %", CPU, WTL_SORT_CPU, true, false},
                  {"W", PROCESS_WATTS, WTL_SORT_POWER, true, false},
                  {"GPU W", PROCESS_WATTS, WTL_SORT_COUNT, columns->gpu, false},
                  {"share", SHARE, WTL_SORT_COUNT, columns->share, false},
                  {"J", JOULES, WTL_SORT_ENERGY, columns->joules, false},
                  {"COMMAND", 30, WTL_SORT_NAME, true, true}};
    int x = 1;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        bool sorted = titles[i].sort == view->sort;
        char text[16];
        if (!titles[i].shown)
            continue;
        const char *arrow = cells->unicode ? view->reverse ? "▲" : "▼" : view->reverse ? "<" : ">";
        (void)snprintf(text, sizeof text, "%s%s", sorted ? arrow : "", titles[i].title);
        enum wtl_look look = sorted ? WTL_LOOK_STRONG : WTL_LOOK_FAINT;
        if (titles[i].left)
            (void)wtl_cells_text(cells, x, y, titles[i].width, look, text);
        else
            wtl_cells_right(cells, x, y, titles[i].width, look, text);
        x += titles[i].width + 1;
    }
    return 1;
}

/* A number in its column; "-" if unknown. digits < 0: two significant digits, for an estimate. */
static int draw_number(struct wtl_cells *cells,
                       int x,
                       int y,
                       int width,
                       enum wtl_look look,
                       double value,
                       int digits)
{
    char text[32];
    if (isnan(value))
        (void)snprintf(text, sizeof text, "-");
    else if (digits < 0)
        (void)wtl_digits_value(text, sizeof text, value, fabs(value));
    else
        (void)snprintf(text, sizeof text, "%.*f", fabs(value) < 99999 ? digits : 0, value);
    wtl_cells_right(cells, x, y, width, look, text);
    return x + width + 1;
}

static void draw_process(struct wtl_live_view *view,
                         struct wtl_cells *cells,
                         int y,
                         const struct columns *columns,
                         const struct wtl_process *process)
{
    bool estimated = view->processes->power_w.quality == WATTLE_ESTIMATED;
    bool quiet = process->used_ns == 0 && process->power_w == 0;
    enum wtl_look look = quiet ? WTL_LOOK_FAINT : WTL_LOOK_PLAIN;
    const struct wtl_share_rest *rest = &view->processes->power_w;
    double sum_w = rest->jobs_j + rest->idle_j + rest->unattributed_j;
    int x = draw_number(cells, 1, y, PID, look, process->stat.pid, 0);
    if (columns->user) {
        (void)wtl_cells_text(cells, x, y, USER, look, wtl_user_name(&view->users, process->uid));
        x += USER + 1;
    }
    x = draw_number(cells, x, y, CPU, look, 100 * wtl_live_view_cpu(view, process), 0);
    x = draw_number(cells, x, y, PROCESS_WATTS, look, process->power_w, estimated ? -1 : 2);
    if (columns->gpu)
        x = draw_number(cells, x, y, PROCESS_WATTS, look, process->gpu_w, estimated ? -1 : 2);
    if (columns->share)
        x = draw_number(cells, x, y, SHARE, look, 100 * process->power_w / sum_w, 1);
    if (columns->joules)
        x = draw_number(cells, x, y, JOULES, look, process->energy_j, estimated ? -1 : 1);
    const char *command = wtl_live_view_command(view, process);
    (void)wtl_cells_print(cells, x, y, cells->width - 1 - x, look,
                          process->stat.kernel_thread ? "[%s]" : "%s", command);
}

static int draw_section(const struct wtl_live_view *view, struct wtl_cells *cells, int y, size_t n)
{
    const struct wtl_live_processes *p = view->processes;
    bool whole = view->total.state == WTL_HISTORY_KNOWN || !p->known;
    const char *quality = p->power_w.rule == WTL_SHARE_COUNTERS   ? "by hardware counters"
                          : p->power_w.rule == WTL_SHARE_CPU_TIME ? "estimated by CPU time"
                                                                  : "by the calibrated model";
    int x = 1;
    x += wtl_cells_print(cells, x, y, cells->width - 2, WTL_LOOK_STRONG, "processes");
    x += wtl_cells_print(cells, x, y, cells->width - x - 1, WTL_LOOK_FAINT, "  %zu of %zu", n,
                         p->table.count);
    if (view->filter[0])
        x += wtl_cells_print(cells, x, y, cells->width - x - 1, WTL_LOOK_STRONG, " with \"%s\"",
                             view->filter);
    (void)wtl_cells_print(cells, x, y, cells->width - x - 1, WTL_LOOK_FAINT, ", by %s%s, %s%s",
                          wtl_live_sort_names[view->sort], view->reverse ? " reversed" : "",
                          quality, whole ? "" : "; of the known part of the total");
    return 1;
}

static int live_draw_processes(struct wtl_live_view *view,
                               struct wtl_cells *cells,
                               int y,
                               int height)
{
    struct columns columns = {
        .user = cells->width >= 60, .joules = cells->width >= 48, .share = cells->width >= 90};
    columns.gpu = cells->width >= 80 && view->processes && view->processes->gpus;
    int used = 0;
    size_t n = 0;
    if (height <= 0)
        return 0;
    if (!view->processes) {
        (void)wtl_cells_text(cells, 1, y, cells->width - 2, WTL_LOOK_FAINT, view->no_processes);
        return 1;
    }
    const struct wtl_process **list = wtl_live_view_processes(view, &n);
    if (height >= 5)
        used += draw_section(view, cells, y + used, n);
    if (height >= 4)
        used += draw_split(view, cells, y + used);
    if (height >= 2)
        used += draw_titles(view, cells, y + used, &columns);
    size_t room = (size_t)(height - used), most = n > room ? n - room : 0;
    if (view->scroll > most)
        view->scroll = most;
    for (size_t i = view->scroll; i < n && used < height; i++)
        draw_process(view, cells, y + used++, &columns, list[i]);
    free(list);
    return used;
}

static void live_draw_help(const struct wtl_live_view *view, struct wtl_cells *cells)
{
    static const char *const lines[][2] = {
        {"P E C", "sort processes by power, energy, CPU time"},
        {"N I U", "by command, PID, user"},
        {"r", "reverse the order"},
        {"/", "filter by command, user or PID; Esc clears it"},
        {"up down", "scroll; PgUp, PgDn, Home"},
        {"k  c", "kernel threads; full commands or names"},
        {"1  2", "channels; processes"},
        {"+  -", "update less, more often"},
        {"p", "pause the display; measuring continues"},
        {"z", "reset energies, maximums and history"},
        {"q", "quit"},
        {"", ""},
        {"+", "channel that is part of the total"},
        {"power", "mean since the last update, at least 20 readings"},
        {"bar", "full at the power limit, else at the maximum seen"},
        {"x", "no value; stalled, silent or gap says why"},
        {"nobody", "unattributed: ended processes, interrupts; below idle"},
        {"idle", "power of the idle machine; see wattle-top(1)"},
    };
    (void)view;
    int y = 2;
    for (size_t i = 0; i < sizeof lines / sizeof *lines && y < cells->height - 1; i++, y++) {
        (void)wtl_cells_text(cells, 2, y, 8, WTL_LOOK_STRONG, lines[i][0]);
        (void)wtl_cells_text(cells, 11, y, cells->width - 12, WTL_LOOK_PLAIN, lines[i][1]);
    }
}

/* ---- the screen ---- */

void wtl_live_draw(struct wtl_live_view *view, struct wtl_cells *cells)
{
    if (cells->width < WTL_DRAW_LEAST_WIDTH || cells->height < WTL_DRAW_LEAST_HEIGHT) {
        draw_sentence(cells);
        return;
    }
    draw_title(view, cells);
    int bottom = cells->height - 1, y = 1;
    draw_keys(view, cells, bottom);
    if (view->show_help) {
        live_draw_help(view, cells);
        return;
    }
    y += draw_note(view, cells, y);
    if (cells->height >= TALL) {
        y += draw_activity(view, cells, y);
        y += draw_flags(view, cells, y, cells->height >= 2 * TALL ? 3 : 1);
        y += draw_words(view, cells, y);
        y++;
    }
    bool processes = !view->hide_processes && (view->processes || view->no_processes);
    int left = bottom - y, channels = view->hide_channels ? 0 : left;
    int want = live_draw_channels_want(view);
    if (processes && channels > 0) {
        int half = left < 8 ? left - left / 2 : left / 2;
        channels = want < half ? want : half;
    }
    y += live_draw_channels(view, cells, y, channels);
    if (processes)
        (void)live_draw_processes(view, cells, y, bottom - y);
}

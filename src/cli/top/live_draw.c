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
#include <string.h>
#include <time.h>

#include "model/flag.h"
#include "report/digits.h"

enum { TALL = 12 }; /* height from which optional information is shown */

char *wtl_live_watts(char *text, size_t n, const struct wtl_live_view *view, size_t i)
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
        wtl_live_draw_help(view, cells);
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
    int want = wtl_live_draw_channels_want(view);
    if (processes && channels > 0) {
        int half = left < 8 ? left - left / 2 : left / 2;
        channels = want < half ? want : half;
    }
    y += wtl_live_draw_channels(view, cells, y, channels);
    if (processes)
        (void)wtl_live_draw_processes(view, cells, y, bottom - y);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The channels: one row each with current power, bar, history, energy and quality; the total above. */
#include "cli/top/live_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/digits.h"

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
    wtl_cells_right(cells, plan->watts_x, y, WATTS, look,
                    wtl_live_watts(text, sizeof text, view, i));
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

int wtl_live_draw_channels_want(const struct wtl_live_view *view)
{
    return 3 + (int)view->channel_count;
}

int wtl_live_draw_channels(struct wtl_live_view *view, struct wtl_cells *cells, int y, int height)
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

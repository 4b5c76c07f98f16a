/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes, the division of power, and the help page. */
#include "cli/top/live_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/digits.h"

enum { PID = 7, USER = 8, CPU = 6, SHARE = 6, WATTS = 8, JOULES = 9 };

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
                  {"W", WATTS, WTL_SORT_POWER, true, false},
                  {"GPU W", WATTS, WTL_SORT_COUNT, columns->gpu, false},
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
    x = draw_number(cells, x, y, WATTS, look, process->power_w, estimated ? -1 : 2);
    if (columns->gpu)
        x = draw_number(cells, x, y, WATTS, look, process->gpu_w, estimated ? -1 : 2);
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

int wtl_live_draw_processes(struct wtl_live_view *view, struct wtl_cells *cells, int y, int height)
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

void wtl_live_draw_help(const struct wtl_live_view *view, struct wtl_cells *cells)
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

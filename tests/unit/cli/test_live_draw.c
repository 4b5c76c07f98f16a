/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Screens of a given state, compared with tests/unit/cli/screens/NAME.txt (WATTLE_UPDATE_SCREENS=1
 * rewrites them: check them then).
 */
#define _GNU_SOURCE
#include "cli/top/live_draw.h"

#include <locale.h>
#include <math.h>
#include <time.h>

#include "model/total.h"
#include "tap.h"

#define SECOND UINT64_C(1000000000)
#define FOLDER WATTLE_SOURCE_DIR "/tests/unit/cli/screens"

enum { CHANNELS = 5, PROCESSES = 5 };

static struct wtl_result_channel channel(const char *name,
                                         enum wattle_domain domain,
                                         enum wattle_quantity quantity,
                                         double energy_j)
{
    struct wtl_result_channel c = {
        .channel = {.domain = domain,
                    .quantity = quantity,
                    .kind = quantity == WATTLE_ENERGY ? WATTLE_COUNTER : WATTLE_GAUGE,
                    .sub = -1,
                    .flags = WATTLE_CHANNEL_PRIMARY,
                    .refresh_ns = 1000000,
                    .scale = 1e-6},
        .summary = {.amount = energy_j,
                    .amount_half = 0.12,
                    .last_w = energy_j,
                    .mean_w = energy_j,
                    .samples = 10}};
    (void)snprintf(c.channel.name, sizeof c.channel.name, "%s", name);
    return c;
}

/* The result after `seconds`: 60 W and, varying, 4 to 12 W; a core counter that has vanished. */
static struct wtl_result result_at(double seconds, enum wattle_quality quality, unsigned flags)
{
    struct wtl_result r = wtl_result_unknown();
    r.channels = calloc(CHANNELS, sizeof *r.channels);
    if (!r.channels)
        exit(1);
    r.channel_count = CHANNELS;
    r.channels[0] =
        channel("powercap:package-0", WATTLE_DOMAIN_PACKAGE, WATTLE_ENERGY, 60 * seconds);
    r.channels[1] = channel("powercap:core-0", WATTLE_DOMAIN_CORE, WATTLE_ENERGY, 0);
    (void)snprintf(r.channels[1].channel.within, sizeof r.channels[1].channel.within, "%s",
                   "powercap:package-0");
    r.channels[2] = channel("powercap:dram-0", WATTLE_DOMAIN_DRAM, WATTLE_ENERGY,
                            8 * seconds - 8 * cos(seconds / 2));
    r.channels[3] = channel("cpufreq:core-0", WATTLE_DOMAIN_CORE, WATTLE_FREQUENCY, 2.5e9);
    r.channels[4] = channel("limits:package-0", WATTLE_DOMAIN_PACKAGE, WATTLE_POWER_LIMIT, 125);
    (void)snprintf(r.channels[4].channel.label, sizeof r.channels[4].channel.label, "%s",
                   "package-0 long_term");
    for (size_t i = 0; i < CHANNELS; i++) {
        r.channels[i].summary.last_ns = (uint64_t)((100 + seconds) * 1e9);
        r.channels[i].channel.quality = quality;
        r.channels[i].channel.flags |= flags;
        if (quality == WATTLE_ESTIMATED) {
            r.channels[i].channel.ratio_low = 0.5;
            r.channels[i].channel.ratio_high = 1.6;
        }
    }
    r.channels[1].summary.last_ns = (uint64_t)((100 + fmin(seconds, 12)) * 1e9);
    r.channels[1].summary.amount = 20 * fmin(seconds, 12);
    r.start_monotonic_ns = 100 * SECOND;
    r.end_monotonic_ns = (uint64_t)((100 + seconds) * 1e9);
    for (int i = 0; i < 3; i++)
        r.channels[i].summary.mean_w = r.channels[i].summary.amount / seconds;
    r.own_cpu_s = 0.003 * seconds;
    r.host = "node7";
    if (wtl_result_total(&r) < 0)
        exit(1);
    return r;
}

static struct wtl_process processes[PROCESSES] = {
    {.stat = {.pid = 2, .name = "kthreadd", .kernel_thread = true},
     .uid = 0,
     .command = (char[]){"kthreadd"}},
    {.stat = {.pid = 811, .name = "idler"}, .uid = 0, .command = (char[]){"idler --wait"}},
    {.stat = {.pid = 4711, .name = "solver"},
     .uid = 1000,
     .command =
         (char[]){"./solver input.dat --steps 1000000 --threads 8 --output /scratch/anna/run-17"},
     .used_ns = 990000000,
     .power_w = 25.25,
     .energy_j = 512.5},
    {.stat = {.pid = 4712, .name = "日本語"},
     .uid = 1000,
     .command = (char[]){"日本語 \033[2J\xff 計算"},
     .used_ns = 500000000,
     .power_w = 12.5,
     .energy_j = 700},
    {.stat = {.pid = 1048576, .name = "make"},
     .uid = WTL_UID_UNKNOWN,
     .command = (char[]){"make -j"},
     .used_ns = 10000000,
     .power_w = NAN,
     .energy_j = 0.25},
};

static struct wtl_live_processes shares = {
    .cpus = 8,
    .load = 0.19,
    .seconds = 1,
    .model = {.idle = WTL_IDLE_CALIBRATED, .node = {.idle_w = 29}},
    .known = true,
    .power_w = {.jobs_j = 37.75,
                .idle_j = 29.0,
                .unattributed_j = 0.5,
                .rule = WTL_SHARE_CALIBRATED,
                .quality = WATTLE_DERIVED},
    .table = {.items = processes, .count = PROCESSES}};

static struct wtl_live_view view_of(enum wattle_quality quality, unsigned flags)
{
    struct wtl_live_view view;
    wtl_live_view_init(&view, SECOND);
    for (int i = 0; i <= 30; i++) {
        struct wtl_result result = result_at(i, quality, flags);
        if (wtl_live_view_look(&view, &result, (uint64_t)(100 + i) * SECOND + SECOND / 10, true) <
            0)
            exit(1);
    }
    view.processes = &shares;
    view.users.numbers = true;
    view.load = 0.19;
    view.realtime_ns = 1767225600 * SECOND;
    return view;
}

static void is_screen(struct wtl_live_view *view,
                      int width,
                      int height,
                      bool unicode,
                      const char *name)
{
    struct wtl_cells cells;
    char path[256], want[20000] = "", got[20000];
    size_t used = 0;
    if (wtl_cells_init(&cells, width, height, unicode) < 0)
        exit(1);
    wtl_live_draw(view, &cells);
    for (int y = 0; y < height; y++) {
        char *line = wtl_cells_line(&cells, y);
        used += (size_t)snprintf(got + used, sizeof got - used, "%s|\n", line);
        free(line);
    }
    wtl_cells_fini(&cells);
    (void)snprintf(path, sizeof path, FOLDER "/%s.txt", name);
    bool update = getenv("WATTLE_UPDATE_SCREENS") != NULL;
    FILE *file = fopen(path, update ? "w" : "r");
    if (file && update)
        (void)fputs(got, file);
    else if (file)
        want[fread(want, 1, sizeof want - 1, file)] = '\0';
    if (file)
        (void)fclose(file);
    is_str(got, update ? got : want, "%s", name);
}

static void test_sizes(void)
{
    struct wtl_live_view view = view_of(WATTLE_MEASURED, 0);
    is_screen(&view, 80, 24, true, "80x24");
    is_screen(&view, 80, 24, false, "80x24-ascii");
    is_screen(&view, 120, 30, true, "120x30");
    is_screen(&view, 200, 20, true, "200x20");
    is_screen(&view, 40, 10, true, "40x10");
    is_screen(&view, 24, 6, true, "24x6");
    is_screen(&view, 23, 6, true, "23x6-too-small");
    is_screen(&view, 5, 2, false, "5x2-too-small");
    for (int w = 0; w < 130; w++) { /* nothing is written outside, whatever the size */
        struct wtl_cells cells;
        for (int h = 0; h < 40; h += 3) {
            if (wtl_cells_init(&cells, w, h, w % 2) < 0)
                exit(1);
            wtl_live_draw(&view, &cells);
            wtl_cells_fini(&cells);
        }
    }
    wtl_live_view_fini(&view);
}

static void test_states(void)
{
    struct wtl_live_view view = view_of(WATTLE_MEASURED, WATTLE_CHANNEL_SIMULATED);
    view.sort = WTL_SORT_ENERGY;
    view.reverse = true;
    (void)snprintf(view.filter, sizeof view.filter, "%s", "1000");
    view.paused = true;
    is_screen(&view, 80, 16, true, "simulated-filtered");
    view.editing = true;
    view.hide_channels = true;
    is_screen(&view, 60, 12, true, "editing-no-channels");
    view.editing = view.hide_channels = false;
    wtl_live_view_reset(&view);
    view.hide_processes = true;
    is_screen(&view, 80, 14, true, "zeroed-no-processes");
    view.show_help = true;
    is_screen(&view, 80, 24, true, "help");
    wtl_live_view_fini(&view);

    view = view_of(WATTLE_ESTIMATED, 0);
    view.processes = NULL;
    view.no_processes = "/proc shows no processes";
    is_screen(&view, 80, 14, true, "estimated");
    wtl_live_view_end(&view);
    view.is_trace = true;
    view.no_processes = NULL;
    view.subject = "app.wtl";
    (void)snprintf(view.note, sizeof view.note, "%s", "the measurement has ended");
    is_screen(&view, 80, 14, true, "ended");
    wtl_live_view_fini(&view);

    struct wtl_result none = wtl_result_unknown();
    wtl_live_view_init(&view, SECOND);
    is_int(wtl_live_view_look(&view, &none, SECOND, true), 0, "no channel at all");
    is_screen(&view, 80, 14, true, "no-channels");
    wtl_live_view_fini(&view);
}

int main(void)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip_all("no locale C.UTF-8");
    (void)setenv("TZ", "UTC", 1);
    tzset();
    test_sizes();
    test_states();
    return done_testing();
}

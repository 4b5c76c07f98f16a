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
#include "model/flag.h"
#include "model/gap.h"
#include "model/quality.h"
#include "report/digits.h"
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

int wtl_live_batch_show(void *context, struct wtl_live_view *view, struct wattle_error *err)
{
    struct wtl_live_batch *batch = context;
    int rc = 0;
    if (batch->format == WTL_FORMAT_TEXT)
        print_line(batch, view);
    else if (batch->format == WTL_FORMAT_CSV)
        wtl_live_batch_csv(batch, view);
    else
        rc = wtl_live_batch_json(batch, view);
    if (rc < 0)
        return wtl_no_memory_for(err, "a line");
    return wtl_flush(batch->out, err);
}

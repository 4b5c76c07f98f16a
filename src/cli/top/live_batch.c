/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks as lines of text: see live_batch.h. */
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
#include "model/gap.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/table.h"

enum { TITLES_EVERY = 20, TEXT_CHANNELS = 6, POWER_WIDTH = 9 };

static const char *without_sensor(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

/* The channels that have a column of text: those of the total; without one, the first. */
static size_t text_channels(const struct wtl_live_view *view, size_t chosen[TEXT_CHANNELS])
{
    size_t n = 0;
    for (size_t i = 0; i < view->channel_count && n < TEXT_CHANNELS; i++) {
        size_t k = view->order[i];
        if (view->result.total.count == 0 ||
            view->result.channels[k].channel.flags & WATTLE_CHANNEL_IN_TOTAL)
            chosen[n++] = k;
    }
    return n;
}

static int width_of(const char *title)
{
    int n = (int)wtl_utf8_columns(title);
    return n > POWER_WIDTH ? n : POWER_WIDTH;
}

static void print_titles(FILE *out, const struct wtl_live_view *view)
{
    size_t chosen[TEXT_CHANNELS], n = text_channels(view, chosen);
    (void)fprintf(out, "%8s %9s %18s", "time [s]", "total [W]", "total [J]");
    for (size_t i = 0; i < n; i++) {
        const char *title = without_sensor(view->channels[chosen[i]].name);
        (void)fprintf(out, " %*s", width_of(title) - (int)wtl_utf8_columns(title), "");
        wtl_print_clean(out, title, strlen(title));
    }
    (void)fprintf(out, "  %-9s%s\n", "quality", view->processes ? "  most of it" : "");
}

static void print_line(struct wtl_live_batch *batch, struct wtl_live_view *view)
{
    size_t chosen[TEXT_CHANNELS], n = text_channels(view, chosen), count;
    char text[96];
    if (batch->lines % TITLES_EVERY == 0)
        print_titles(batch->out, view);
    (void)fprintf(batch->out, "%8.1f", (double)(view->now_ns - view->start_ns) * 1e-9);
    (void)fprintf(batch->out, " %9s",
                  wtl_live_view_power_text(view, WTL_LIVE_TOTAL, text, sizeof text));
    (void)fprintf(batch->out, " %18s",
                  wtl_live_view_energy_text(view, WTL_LIVE_TOTAL, text, sizeof text));
    for (size_t i = 0; i < n; i++)
        (void)fprintf(batch->out, " %*s", width_of(without_sensor(view->channels[chosen[i]].name)),
                      wtl_live_view_power_text(view, chosen[i], text, sizeof text));
    (void)fprintf(batch->out, "  %-9s",
                  view->result.total.count ? wtl_live_view_quality(view, WTL_LIVE_TOTAL) : "none");
    const struct wtl_process **list = wtl_live_view_processes(view, &count);
    for (size_t i = 0; i < count && i < 1 && !isnan(list[0]->power_w); i++) {
        double power_w = list[0]->power_w;
        if (view->processes->power_w.quality == WATTLE_ESTIMATED)
            (void)wtl_digits_value(text, sizeof text, power_w, fabs(power_w));
        else
            (void)snprintf(text, sizeof text, "%.2f", power_w);
        (void)fprintf(batch->out, "  %s W %d ", text, (int)list[0]->stat.pid);
        wtl_print_clean(batch->out, list[0]->stat.name, strlen(list[0]->stat.name));
    }
    free(list);
    (void)fputs(wtl_gap_incomplete(text, sizeof text, view->result.total_unknown_ns), batch->out);
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* Common parts of all figures of a trace: size, sheet, caption, names of channels. */
#include "report/figures/figure.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/quality.h"
#include "report/figures/figure_kind.h"

#define WIDTH_MM 85.0 /* one column of most journals */

const char *const wtl_figure_names[] = {"power", "energy", "distribution", "regions", NULL};

static const struct wtl_figure_kind_ops *const kinds[] = {
    [WTL_FIGURE_POWER] = &wtl_figure_power,
    [WTL_FIGURE_ENERGY] = &wtl_figure_energy,
    [WTL_FIGURE_DISTRIBUTION] = &wtl_figure_distribution,
    [WTL_FIGURE_REGIONS] = &wtl_figure_regions,
};

void wtl_figure_say(struct wtl_figure *figure, const char *format, ...)
{
    va_list args;
    size_t n = strlen(figure->caption);
    if (n > 0 && n + 1 < sizeof figure->caption) {
        figure->caption[n++] = ' ';
        figure->caption[n] = '\0';
    }
    va_start(args, format);
    (void)vsnprintf(figure->caption + n, sizeof figure->caption - n, format, args);
    va_end(args);
}

int wtl_figure_range(const struct wtl_figure *figure,
                     uint64_t *ret_begin_ns,
                     uint64_t *ret_end_ns,
                     struct wattle_error *err)
{
    struct wtl_trace_window window;
    uint64_t first_ns, last_ns;
    wtl_trace_reader_window(figure->reader, &window);
    if (wtl_trace_reader_span(figure->reader, &first_ns, &last_ns) < 0)
        return wtl_fail(err, -ENODATA, "%s: nothing to draw: the trace has no samples",
                        figure->result->trace ? figure->result->trace : "trace");
    *ret_begin_ns = window.started ? window.start_monotonic_ns : first_ns;
    *ret_end_ns = window.started && window.ended ? window.end_monotonic_ns : last_ns;
    if (*ret_end_ns <= *ret_begin_ns)
        return wtl_fail(err, -ENODATA, "%s: nothing to draw: the trace has only one sample",
                        figure->result->trace ? figure->result->trace : "trace");
    return 0;
}

double wtl_figure_seconds(const struct wtl_figure *figure, uint64_t monotonic_ns)
{
    struct wtl_trace_window window;
    uint64_t zero_ns = 0, last_ns;
    wtl_trace_reader_window(figure->reader, &window);
    if (window.started)
        zero_ns = window.start_monotonic_ns;
    else
        (void)wtl_trace_reader_span(figure->reader, &zero_ns, &last_ns); /* checked in range() */
    return monotonic_ns >= zero_ns ? 1e-9 * (double)(monotonic_ns - zero_ns)
                                   : -1e-9 * (double)(zero_ns - monotonic_ns);
}

/* The quality of a channel, if not simply measured. */
static const char *quality_of(const struct wattle_channel *channel)
{
    bool plain = channel->quality == WATTLE_MEASURED && !wtl_channel_is_simulated(channel);
    return plain ? NULL : wtl_channel_quality_word(channel);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* True for at least one channel. */
static void name_channels(struct wtl_redactor *redactor, struct wtl_figure_labels *labels)
{
    assert(labels->count > 0 && labels->channels[0]);
    const struct wattle_channel *first = &labels->channels[0]->channel;
    bool one_sensor = true, one_quality = true;
    for (size_t i = 0; i < labels->count; i++) {
        const struct wattle_channel *channel = &labels->channels[i]->channel;
        one_sensor &= strcmp(channel->sensor, first->sensor) == 0;
        one_quality &= same(quality_of(channel), quality_of(first));
    }
    for (size_t i = 0; i < labels->count; i++) {
        const struct wattle_channel *channel = &labels->channels[i]->channel;
        const char *name = wtl_redacted(redactor, WTL_REDACTED_NAME, channel->name);
        const char *colon = strchr(name, ':'), *quality = quality_of(channel);
        bool word = !one_quality && quality;
        (void)snprintf(labels->texts[i], sizeof labels->texts[i], "%.47s%s%.20s%s",
                       one_sensor && colon ? colon + 1 : name, word ? " (" : "",
                       word ? quality : "", word ? ")" : "");
    }
    labels->sensor = one_sensor ? first->sensor : NULL;
    labels->quality = one_quality ? quality_of(first) : NULL;
}

int wtl_figure_labels(const struct wtl_figure *figure,
                      struct wtl_figure_labels *ret_labels,
                      struct wattle_error *err)
{
    const struct wtl_result *result = figure->result;
    struct wtl_figure_labels labels = {0};
    unsigned needed = 0;
    for (size_t i = 0; i < result->energy_count; i++)
        needed |= result->channels[i].channel.flags & WATTLE_CHANNEL_PRIMARY;
    if (result->energy_count == 0)
        return wtl_fail(err, -ENODATA,
                        "%s: nothing to draw: the trace has no energy or power channel",
                        result->trace ? result->trace : "trace");
    labels.channels = calloc(result->energy_count, sizeof(struct wtl_result_channel *));
    labels.texts = calloc(result->energy_count, sizeof *labels.texts);
    if (!labels.channels || !labels.texts) {
        wtl_figure_labels_fini(&labels);
        return wtl_no_memory(err);
    }
    for (size_t i = 0; i < result->energy_count; i++)
        if ((result->channels[i].channel.flags & needed) == needed)
            labels.channels[labels.count++] = &result->channels[i];
    name_channels(figure->redactor, &labels);
    *ret_labels = labels;
    return 0;
}

void wtl_figure_labels_fini(struct wtl_figure_labels *labels)
{
    free(labels->channels);
    free(labels->texts);
    *labels = (struct wtl_figure_labels){0};
}

/* The names of the sensors, each once: "powercap, hwmon". */
static void list_sensors(const struct wtl_figure_labels *labels, char *buf, size_t n)
{
    buf[0] = '\0';
    for (size_t i = 0; i < labels->count; i++) {
        const char *sensor = labels->channels[i]->channel.sensor;
        size_t k = 0, used = strlen(buf);
        while (k < i && strcmp(labels->channels[k]->channel.sensor, sensor) != 0)
            k++;
        if (k == i && used < n)
            (void)snprintf(buf + used, n - used, "%s%s", used ? ", " : "", sensor);
    }
}

void wtl_figure_say_source(struct wtl_figure *figure, const struct wtl_figure_labels *labels)
{
    bool simulated = false, estimated = false;
    char sensors[256];
    for (size_t i = 0; i < labels->count; i++) {
        const struct wattle_channel *channel = &labels->channels[i]->channel;
        simulated |= wtl_channel_is_simulated(channel);
        estimated |= channel->quality == WATTLE_ESTIMATED;
    }
    list_sensors(labels, sensors, sizeof sensors);
    wtl_figure_say(figure, labels->sensor ? "Sensor: %s." : "Sensors: %s.", sensors);
    if (simulated)
        wtl_figure_say(figure, "The node is simulated.");
    if (estimated)
        wtl_figure_say(figure, "Estimated values come from a model, not from a sensor.");
}

/* Flags of the result also apply to its figure. */
static void say_flags(struct wtl_figure *figure)
{
    for (size_t i = 0; i < figure->result->flag_count; i++) {
        const struct wtl_result_flag *flag = &figure->result->flags[i];
        const char *text = wtl_redacted_flag(figure->redactor, flag->name, flag->text);
        wtl_figure_say(figure, text[0] ? "%s: %s." : "%s%s.", flag->name, text);
    }
}

/* The sheet of a figure that is prepared, drawn. */
static int draw(struct wtl_figure *figure,
                const struct wtl_figure_options *options,
                enum wtl_picture picture,
                FILE *out,
                struct wattle_error *err)
{
    const struct wtl_result *result = figure->result;
    const char *name = result->command ? result->command : result->target;
    struct wtl_canvas *canvas;
    char title[256];
    name = wtl_redacted(figure->redactor, WTL_REDACTED_PROGRAM, name);
    (void)snprintf(title, sizeof title, "%.200s: %s", name ? name : "trace",
                   wtl_figure_names[options->kind]);
    struct wtl_sheet_size sheet = {
        .width = figure->width_mm * WTL_PT_PER_MM,
        .height = figure->height_mm * WTL_PT_PER_MM,
        .dpi = options->dpi,
        .title = title,
        .desc = figure->caption,
    };
    int rc = wtl_canvas_open(picture, out, &sheet, &canvas, err);
    if (rc < 0)
        return rc;
    struct wtl_axes axes = {
        .canvas = canvas, .width = sheet.width, .height = sheet.height, .title = options->title};
    kinds[options->kind]->draw(figure, &axes);
    return wtl_canvas_close(canvas, err);
}

int wtl_figure_draw(struct wtl_trace_reader *reader,
                    const struct wtl_result *result,
                    const struct wtl_figure_options *options,
                    enum wtl_picture picture,
                    FILE *out,
                    char *caption,
                    struct wattle_error *err)
{
    struct wtl_figure *figure = calloc(1, sizeof *figure);
    if (!figure)
        return wtl_no_memory(err);
    figure->reader = reader;
    figure->result = result;
    figure->width_mm = options->width_mm > 0 ? options->width_mm : WIDTH_MM;
    figure->height_mm = options->height_mm;
    int rc = 0;
    if (options->redact) {
        figure->redactor = wtl_redactor_new();
        rc = figure->redactor ? 0 : wtl_no_memory(err);
        wtl_redactor_add_secret(figure->redactor, result->host);
        wtl_redactor_add_secrets_of(figure->redactor, reader);
    }
    rc = rc < 0 ? rc : kinds[options->kind]->prepare(figure, err);
    if (rc == 0) {
        say_flags(figure);
        rc = draw(figure, options, picture, out, err);
    }
    if (rc == 0 && caption)
        (void)snprintf(caption, WTL_CAPTION_MAX, "%s", figure->caption);
    kinds[options->kind]->fini(figure);
    wtl_redactor_free(figure->redactor);
    free(figure);
    return rc;
}

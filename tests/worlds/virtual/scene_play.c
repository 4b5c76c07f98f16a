/* SPDX-License-Identifier: BSD-3-Clause */
/* From a situation to the outputs of "wattle run": see scene_play.h. */
#define _GNU_SOURCE
#include "scene_play.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/usage.h"
#include "cli/run/measure.h"
#include "cli/run/run_options.h"
#include "cli/run/run_output.h"
#include "scene_marks.h"
#include "scene_node.h"

/* Plays until the start of the window is where its node expects it. A fault around the start may move it with the
 * expectation: then the last play counts, whose t = 0 is close to the start. */
enum { TRIES = 4 };

/* One play of a situation. */
struct play {
    const struct scene *scene;
    struct scene_node node;
    bool rehearsal;    /* only to learn when the window starts */
    bool last;         /* it counts, wherever the window starts */
    FILE *warnings;    /* NULL = none */
    uint64_t start_ns; /* of the first window; 0 = not yet */
    unsigned count;    /* windows measured */
    struct wtl_result *results;
    int rc; /* of the marks */
};

/* The processor time of this program, which the linker has called in its place: it differs from play to play. */
double __wrap_wtl_usage_own_s(bool with_children);

double __wrap_wtl_usage_own_s(bool with_children)
{
    (void)with_children;
    return 0;
}

static void warn(void *context, const char *sentence)
{
    const struct play *play = context;
    if (play->warnings)
        (void)fprintf(play->warnings, "wattle: warning: %s\n", sentence);
}

/* In the window: time passes, and the program marks its regions. */
static void attend(void *context, struct wtl_measurement *m)
{
    struct play *play = context;
    const struct scene *scene = play->scene;
    struct scene_marks *marks = NULL;
    const char *folder = wtl_run_trace_folder(&m->trace);
    if (play->start_ns == 0)
        play->start_ns = m->start_ns;
    if (play->rehearsal || (play->start_ns != play->node.window_ns && !play->last))
        return;
    if (scene->region_count > 0)
        play->rc = folder ? scene_marks_open(scene, folder, m->start_ns, &marks) : -ENOENT;
    while (marks && scene_marks_next_ns(marks) <= scene->length_ns) {
        wtl_measure_advance(m, m->start_ns + scene_marks_next_ns(marks));
        scene_marks_make(marks);
    }
    scene_marks_close(marks);
    wtl_measure_advance(m, m->start_ns + scene->length_ns);
}

/* As "wattle run" has it without options. */
static struct wtl_measure_options options_of(struct play *play, const char *trace)
{
    const struct scene *scene = play->scene;
    struct wtl_run_options usual;
    wtl_run_options_init(&usual);
    return (struct wtl_measure_options){
        .what = {.world = play->node.world,
                 .activity = true,
                 .trace_path = trace,
                 .trace = {.force = true, .need = WTL_TRACE_MUST},
                 .interval_ns = scene->interval_ns ? scene->interval_ns : usual.interval_ns,
                 .counters_interval_ns = usual.counters_interval_ns,
                 .sampler_cpu = usual.sampler_cpu,
                 .edges = WTL_MEASUREMENT_EDGES,
                 .work = NAN,
                 .tasks_limit = usual.tools.tasks_limit,
                 .series = scene->repeat > 1 ? "run" : NULL,
                 .teller = {.warn = warn, .context = play}},
        .regions = scene->region_count > 0,
        .attendant = {attend, play}};
}

static int measure_one(struct play *play, struct wattle_error *err)
{
    char trace_name[40];
    struct wtl_run_trace trace;
    struct wtl_signals signals = {.fd = -1};
    struct wtl_child child;
    if (play->scene->repeat > 1)
        (void)snprintf(trace_name, sizeof trace_name, "trace-%u.wtl", play->count + 1);
    else
        (void)snprintf(trace_name, sizeof trace_name, "trace.wtl"); /* both always fit */
    const struct wtl_measure_options options = options_of(play, trace_name);
    struct wtl_result *result = &play->results[play->count];
    int rc = wtl_measure(&options, &signals, &child, result, &trace, err);
    if (rc < 0)
        return rc;
    play->count++;
    (void)wtl_run_trace_finish(&trace, result, NULL); /* what fails is a flag */
    wtl_run_trace_fini(&trace);
    return play->rc < 0 ? wtl_fail(err, play->rc, "cannot write the spool of the regions: %s",
                                   wtl_strerror(play->rc))
                        : 0;
}

static int print(const struct play *play,
                 enum wtl_format format,
                 const char *name,
                 struct wattle_error *err)
{
    struct wtl_output output;
    int rc = wtl_output_open(&output, name, true, err);
    if (rc < 0)
        return rc;
    rc = wtl_run_output(&output, format, play->results, play->count, false, err);
    wtl_output_drop(&output);
    return rc;
}

static void print_truth(struct play *play, FILE *out, uint64_t from_ns, uint64_t to_ns)
{
    for (size_t i = 0; i < wtl_node_count(play->node.node); i++) {
        char name[40];
        wtl_node_name(play->node.node, i, name, sizeof name);
        (void)fprintf(out, "%s %" PRIu64 " %" PRIu64 " %.9f", name, from_ns, to_ns,
                      wtl_node_energy_j(play->node.node, i, from_ns, to_ns));
        (void)fputs("\n", out);
    }
}

/* The exact energies, for each window and each region in it. */
static int write_truth(struct play *play, struct wattle_error *err)
{
    FILE *out = fopen("truth.txt", "w");
    if (!out)
        return wtl_fail(err, -errno, "cannot write truth.txt: %s", strerror(errno));
    (void)fprintf(out, "# t=0 %" PRIu64 "\n", play->node.window_ns);
    for (unsigned k = 0; k < play->count; k++) {
        const struct wtl_result *result = &play->results[k];
        (void)fprintf(out, "# window %u\n", k + 1);
        print_truth(play, out, result->start_monotonic_ns, result->end_monotonic_ns);
        for (size_t i = 0; i < play->scene->region_count; i++) {
            const struct scene_region *r = &play->scene->regions[i];
            (void)fprintf(out, "# region %s\n", play->scene->names[r->name]);
            print_truth(play, out, result->start_monotonic_ns + r->begin_ns,
                        result->start_monotonic_ns + r->end_ns);
        }
    }
    return fclose(out) == 0 ? 0 : wtl_fail(err, -EIO, "cannot write truth.txt completely");
}

static int print_all(struct play *play, struct wattle_error *err)
{
    int rc = print(play, WTL_FORMAT_JSON, "result.json", err);
    rc = rc < 0 ? rc : print(play, WTL_FORMAT_TEXT, "result.txt", err);
    rc = rc < 0 ? rc : print(play, WTL_FORMAT_CSV, "result.csv", err);
    return rc < 0 ? rc : write_truth(play, err);
}

static void clear(struct play *play)
{
    for (unsigned i = 0; i < play->count; i++)
        wtl_result_fini(&play->results[i]);
    free(play->results);
    scene_node_close(&play->node);
}

/* Measure, with t = 0 at window_ns. Sets play->start_ns to when the first window really started; if that is there,
 * or the play is the last, also print everything. */
static int play_once(struct play *play,
                     uint64_t window_ns,
                     bool *ret_done,
                     struct wattle_error *err)
{
    const struct scene *scene = play->scene;
    play->start_ns = 0;
    play->count = 0;
    int rc = scene_node_open(scene, window_ns, &play->node, err);
    play->results = calloc(scene->repeat, sizeof *play->results);
    if (rc == 0 && !play->results)
        rc = wtl_no_memory(err);
    rc = rc < 0 ? rc : measure_one(play, err);
    *ret_done = rc == 0 && !play->rehearsal && (play->start_ns == window_ns || play->last);
    while (*ret_done && rc == 0 && play->count < scene->repeat)
        rc = measure_one(play, err);
    if (*ret_done && rc == 0)
        rc = print_all(play, err);
    clear(play);
    return rc;
}

int scene_play(const struct scene *scene, struct wattle_error *err)
{
    struct play play = {.scene = scene, .rehearsal = true};
    bool done = false;
    int rc = play_once(&play, scene_node_opens_ns(scene) + 5000000, &done, err);
    play.rehearsal = false;
    for (int i = 1; rc == 0 && !done; i++) {
        play.last = i == TRIES;
        play.warnings = fopen("warnings.txt", "w");
        rc = play_once(&play, play.start_ns, &done, err);
        if (play.warnings)
            (void)fclose(play.warnings); /* for the reader only */
        play.warnings = NULL;
    }
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of runs: see cmd_report.h. */
#define _GNU_SOURCE
#include "cli/report/cmd_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_names.h"
#include "analysis/cluster/run_profile.h"
#include "analysis/cluster/run_study.h"
#include "base/fail.h"
#include "cli/output.h"
#include "cli/run/progress.h"
#include "model/meta_key.h"
#include "report/cluster/run_document.h"
#include "report/cluster/run_figure.h"
#include "report/cluster/run_page.h"
#include "report/cluster/run_redact.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/redact.h"
#include "report/table.h"

#define RESOLVE 0.01 /* the difference that matters */
enum { MANY_CELLS = 16384, FEW_CELLS = 64, NAME_SIZE = sizeof((struct wtl_study_run *)NULL)->name };

/* Arguments of one run; borrowed. */
struct group {
    char **words;
    const char *label; /* of the first; or NULL */
    size_t count;
    char id[128]; /* of the run; "" = unknown */
    bool single;
};

struct work {
    const struct wtl_report_run *request;
    const struct wtl_command *command;
    struct wattle_error *err;
    struct group *groups;
    size_t group_count;
    struct wtl_study_run *runs;     /* [group_count] */
    struct wtl_run *run;            /* the last run, or the only one */
    struct wtl_run_profile profile; /* of it */
    json_t *list;
    struct wtl_progress progress;
    struct wtl_redactor
        *redactor; /* knows the names of all runs' nodes; NULL = nothing is redacted */
};

bool wtl_report_is_of_runs(char *const *words, size_t count)
{
    return count > 1 || (count == 1 && wtl_run_name_is_run(words[0]));
}

/* ---- which arguments form a run ---- */

static void read_id(const char *path, char *id, size_t n)
{
    struct wtl_trace_reader *reader = NULL;
    const char *value = NULL;
    if (wtl_trace_reader_open(path, &reader, NULL) == 0)
        value = wtl_trace_reader_meta(reader, WTL_META_RUN_ID);
    (void)snprintf(id, n, "%s", value ? value : "");
    wtl_trace_reader_close(reader);
}

/* Each run name is a run; single traces are grouped by run ID. */
static int group_words(struct work *work)
{
    const struct wtl_report_run *request = work->request;
    work->groups = calloc(request->count + 1, sizeof *work->groups);
    if (!work->groups)
        return -ENOMEM;
    for (size_t i = 0; i < request->count; i++) {
        struct group one = {.single = !wtl_run_name_is_run(request->words[i]),
                            .label = request->labels[i]};
        size_t g = work->group_count;
        if (one.single) {
            read_id(request->words[i], one.id, sizeof one.id);
            for (g = 0; g < work->group_count; g++)
                if (one.id[0] && work->groups[g].single && strcmp(work->groups[g].id, one.id) == 0)
                    break;
        }
        if (g == work->group_count) {
            one.words = calloc(request->count, sizeof *one.words);
            if (!one.words)
                return -ENOMEM;
            work->groups[work->group_count++] = one;
        }
        work->groups[g].words[work->groups[g].count++] = request->words[i];
    }
    return 0;
}

/* The start of the last part of the path. */
static size_t last_part(const char *word, size_t length)
{
    while (length > 0 && word[length - 1] != '/')
        length--;
    return length;
}

/* The last part of the path without its suffix: "cg-1024" for "runs/cg-1024/" and "cg-1024.wtl". more: after so many
 * folders, as "runs/cg-1024". False: there are not so many. */
static bool name_run(const char *word, unsigned more, char *name, size_t n)
{
    size_t length = strlen(word);
    while (length > 1 && word[length - 1] == '/')
        length--;
    size_t from = last_part(word, length);
    if (length - from > 4 && strncmp(word + length - 4, ".wtl", 4) == 0)
        length -= 4;
    /* All run files have the same name, so use that of the folder. */
    if (strncmp(word + from, "run", length - from) == 0 && length - from == 3 && from > 1) {
        length = from - 1;
        from = last_part(word, length);
    }
    for (; more > 0 && from > 1; more--)
        from = last_part(word, from - 1);
    (void)snprintf(name, n, "%.*s", (int)(length - from), word + from);
    return more == 0;
}

static bool is_name_of_other(const struct work *work, size_t g, unsigned more)
{
    char name[NAME_SIZE], other[NAME_SIZE];
    (void)name_run(work->groups[g].label, more, name, sizeof name);
    for (size_t i = 0; i < work->group_count; i++) {
        if (i == g || !work->groups[i].label)
            continue;
        (void)name_run(work->groups[i].label, more, other, sizeof other);
        if (strcmp(name, other) == 0)
            return true;
    }
    return false;
}

/* Runs of one file name are told apart by their folders, or by a number: folders may name people. */
static void choose_name(const struct work *work, size_t g, char *name, size_t n)
{
    const char *label = work->groups[g].label;
    unsigned more = 0, same = 1;
    bool several = is_name_of_other(work, g, more);
    while (several && !work->redactor && name_run(label, more, name, n)) {
        several = is_name_of_other(work, g, ++more);
    }
    (void)name_run(label, more, name, n);
    for (size_t i = 0; several && i < g; i++) {
        char other[NAME_SIZE];
        if (!work->groups[i].label)
            continue;
        (void)name_run(work->groups[i].label, more, other, sizeof other);
        same += strcmp(other, name) == 0;
    }
    size_t used = strlen(name);
    if (same > 1)
        (void)snprintf(name + (used < n - 12 ? used : n - 12), 12, "#%u", same);
}

/* ---- one run ---- */

static void show_step(void *context, const char *step, size_t done, size_t all)
{
    struct work *work = context;
    wtl_progress_step(&work->progress, step, done, all);
}

static void show_opening(void *context, size_t done, size_t all)
{
    show_step(context, "traces", done, all);
}

/* Traces that were refused and nodes without a trace, each with a message on stderr. */
static struct wtl_run_absent *list_absent(const struct work *work,
                                          const struct wtl_run *run,
                                          size_t *ret_count)
{
    size_t refused = wtl_run_refused_count(run), missing = wtl_run_missing_count(run);
    struct wtl_run_absent *absent = calloc(refused + missing + 1, sizeof *absent);
    *ret_count = absent ? refused + missing : 0;
    for (size_t i = 0; absent && i < refused; i++) {
        const struct wtl_run_refused *one = wtl_run_refused(run, i);
        absent[i] = (struct wtl_run_absent){one->path, one->why};
        wtl_complain(work->command, "skipped %s: %s", one->path, one->why);
    }
    for (size_t i = 0; absent && i < missing; i++) {
        absent[refused + i] = (struct wtl_run_absent){wtl_run_missing(run, i), NULL};
        wtl_complain(work->command, "node %s has no trace; the report covers the other nodes",
                     wtl_run_missing(run, i));
    }
    return absent;
}

/* Labels and the time of day, from the first node. */
static int look_at_first(const struct work *work,
                         struct wtl_study_run *into,
                         struct wtl_run_facts *facts)
{
    const struct wtl_run *run = work->run;
    struct wtl_trace_reader *reader = NULL;
    struct wtl_trace_window window;
    uint64_t realtime_ns;
    int rc = wtl_run_node_open(run, 0, &reader, work->err);
    if (rc < 0)
        return rc;
    wtl_redactor_add_secrets_of(work->redactor, reader);
    wtl_study_take_labels(into, reader);
    wtl_trace_reader_window(reader, &window);
    if (window.started &&
        wtl_trace_reader_realtime(reader, window.start_monotonic_ns, &realtime_ns) == 0)
        facts->begin_realtime_ns = realtime_ns;
    wtl_trace_reader_close(reader);
    return 0;
}

static void close_run(struct work *work)
{
    wtl_run_profile_fini(&work->profile);
    wtl_run_close(work->run);
    work->run = NULL;
}

static int read_profile(struct work *work)
{
    bool several = work->group_count > 1;
    size_t cells = several ? MANY_CELLS / work->group_count : 0;
    const struct wtl_profile_options options = {.cells = !several ? 0
                                                         : cells > WTL_PROFILE_CELLS
                                                             ? (size_t)WTL_PROFILE_CELLS
                                                         : cells < FEW_CELLS ? (size_t)FEW_CELLS
                                                                             : cells,
                                                .step = show_step,
                                                .step_context = work};
    int rc = wtl_run_profile_read(work->run, &options, &work->profile, work->err);
    wtl_progress_clear(&work->progress);
    return rc;
}

static int add_run(struct work *work, size_t g)
{
    const struct wtl_run *run = work->run;
    struct wtl_study_run *into = &work->runs[g];
    struct wtl_run_facts facts = {.run_id = wtl_run_id(run),
                                  .command = wtl_run_command_line(run),
                                  .study = into,
                                  .residual_s = NAN};
    uint64_t residual_ns;
    (void)wtl_run_alignment(run, &residual_ns);
    if (residual_ns != WTL_RESIDUAL_UNKNOWN)
        facts.residual_s = 1e-9 * (double)residual_ns;
    if (work->groups[g].label)
        choose_name(work, g, into->name, sizeof into->name);
    else
        (void)snprintf(into->name, sizeof into->name, "%s", wtl_run_id(run));
    int rc = look_at_first(work, into, &facts);
    rc = rc < 0 ? rc : read_profile(work);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < work->profile.node_count; i++)
        wtl_redactor_add_secret(work->redactor, work->profile.nodes[i].name);
    for (size_t i = 0; i < wtl_run_missing_count(run); i++)
        wtl_redactor_add_secret(work->redactor, wtl_run_missing(run, i));
    wtl_study_take_profile(into, &work->profile);
    struct wtl_report_phases phases = {.problem = NULL};
    bool alone = work->group_count == 1;
    if (alone && !work->request->figure->path) {
        show_step(work, "phases", 0, 0);
        rc = wtl_report_phases_read_run(&phases, run);
        wtl_progress_clear(&work->progress);
    }
    facts.phases = &phases;
    struct wtl_run_absent *absent = list_absent(work, run, &facts.absent_count);
    facts.absent = absent;
    json_t *value = rc == 0 && absent ? wtl_run_value(&work->profile, &facts, alone) : NULL;
    free(absent);
    wtl_report_phases_fini(&phases);
    return value && json_array_append_new(work->list, value) == 0
               ? 0
               : wtl_no_memory_for(work->err, "the report");
}

/* A run cannot be its own repeat: counting it twice would narrow the interval. */
static int check_new(struct work *work, size_t g, const struct wtl_run *run)
{
    struct group *group = &work->groups[g];
    (void)snprintf(group->id, sizeof group->id, "%s", wtl_run_id(run));
    for (size_t i = 0; group->id[0] && i < g; i++)
        if (strcmp(work->groups[i].id, group->id) == 0)
            return wtl_fail(work->err, -EINVAL,
                            "%s and %s are the same run (%s); give each run once",
                            work->groups[i].words[0], group->words[0], group->id);
    return 0;
}

static int read_runs(struct work *work)
{
    const struct wtl_run_selection options = {.progress = show_opening, .progress_context = work};
    int rc = 0;
    for (size_t g = 0; g < work->group_count && rc == 0; g++) {
        const struct group *group = &work->groups[g];
        close_run(work);
        rc = wtl_run_open(group->words, group->count, &options, &work->run, work->err);
        rc = rc < 0 ? rc : check_new(work, g, work->run);
        rc = rc < 0 ? rc : add_run(work, g);
    }
    return rc;
}

/* ---- output ---- */

static json_t *document_of(const struct work *work, const struct wtl_study *study)
{
    const json_t *run = json_array_get(work->list, 0);
    const char *command = json_string_value(json_object_get(run, "command"));
    char title[256];
    if (study)
        (void)snprintf(title, sizeof title, "%zu runs compared", work->group_count);
    else
        (void)snprintf(title, sizeof title, "%.200s",
                       command && command[0] ? command : work->runs[0].name);
    return wtl_run_document(json_incref(work->list), title, study, work->request->reference_w);
}

static int write_document(const struct work *work, const struct wtl_study *study)
{
    const struct wtl_report_run *request = work->request;
    struct wtl_output output;
    int rc = wtl_output_open(&output, request->output, request->force, work->err);
    if (rc < 0)
        return rc;
    json_t *document = document_of(work, study);
    if (document && work->redactor && wtl_redact(document, work->redactor) < 0) {
        json_decref(document);
        document = NULL;
    }
    if (!document)
        rc = wtl_no_memory_for(work->err, "the report");
    else if (request->json)
        rc = wtl_json_print(output.stream, document);
    else {
        rc = wtl_run_page_write(output.stream, document, work->err);
        json_decref(document);
    }
    if (rc == 0)
        return wtl_output_commit(&output, work->err);
    wtl_output_drop(&output);
    return rc;
}

static void say_where(const struct wtl_report_run *request)
{
    struct stat about;
    char size[32];
    if (request->json || !request->output || strncmp(request->output, "fd:", 3) == 0 ||
        stat(request->output, &about) < 0 || !S_ISREG(about.st_mode))
        return;
    wtl_print_sentence(stdout, "%s: %s; open it in a browser\n", request->output,
                       wtl_digits_bytes(size, sizeof size, (double)about.st_size));
}

/* ---- a figure ---- */

static int draw(const struct wtl_report_figure *figure,
                const struct wtl_run_figure_options *options,
                bool force,
                const struct wtl_run_figure_data *data,
                struct wattle_error *err)
{
    const char *path = figure->path;
    bool standard = strcmp(path, "-") == 0;
    enum wtl_picture picture = WTL_PICTURE_SVG;
    struct wtl_output output;
    char caption[WTL_CAPTION_MAX];
    int rc = standard ? 0 : wtl_picture_of(path, &picture, err);
    rc = rc < 0 ? rc : wtl_output_open(&output, path, force, err);
    if (rc < 0)
        return rc;
    rc = wtl_run_figure_draw(data, options, picture, output.stream, caption, err);
    if (rc == 0)
        rc = wtl_output_commit(&output, err);
    else
        wtl_output_drop(&output);
    return rc < 0 || standard ? rc : wtl_report_figure_caption(path, caption, err);
}

/* FILE.gp and FILE.dat in the same folder, which the script reads without a path. Writes both or none. */
static int write_script(const struct wtl_report_figure *figure,
                        const struct wtl_run_figure_options *options,
                        bool force,
                        const struct wtl_run_figure_data *data,
                        struct wattle_error *err)
{
    const char *path = figure->path;
    struct wtl_output script, table;
    char *beside = NULL;
    if (asprintf(&beside, "%.*s.dat", (int)(strlen(path) - 3), path) < 0)
        return wtl_no_memory(err);
    const char *slash = strrchr(beside, '/');
    int rc = wtl_output_open(&script, path, force, err);
    bool opened = rc == 0;
    rc = rc < 0 ? rc : wtl_output_open(&table, beside, force, err);
    bool both = rc == 0;
    rc = rc < 0 ? rc
                : wtl_run_gnuplot(data, options, slash ? slash + 1 : beside, script.stream,
                                  table.stream, err);
    if (rc == 0)
        rc = wtl_output_commit(&table, err);
    else if (both)
        wtl_output_drop(&table);
    if (rc == 0)
        rc = wtl_output_commit(&script, err);
    else if (opened)
        wtl_output_drop(&script);
    if (rc == 0)
        wtl_print_sentence(stdout,
                           "%s: reads its data from %s; run it in that folder: gnuplot %s\n", path,
                           beside, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    free(beside);
    return rc;
}

/* Draw the requested figure and print its caption. reference_w: NaN = none. study NULL: a single run, that
 * of the profile. Returns 0, or -errno with a message. */
static int report_run_figure(const struct wtl_report_figure *figure,
                             double reference_w,
                             bool force,
                             const struct wtl_run_profile *profile,
                             const struct wtl_study *study,
                             struct wattle_error *err)
{
    const struct wtl_run_figure_data data = {.profile = study ? NULL : profile, .study = study};
    struct wtl_run_figure_options options = figure->of_runs;
    options.width_mm = figure->options.width_mm;
    options.height_mm = figure->options.height_mm;
    options.dpi = figure->options.dpi;
    options.title = figure->options.title;
    options.reference_w = reference_w;
    size_t n = strlen(figure->path);
    return n > 3 && strcmp(figure->path + n - 3, ".gp") == 0
               ? write_script(figure, &options, force, &data, err)
               : draw(figure, &options, force, &data, err);
}

/* ---- all ---- */

static int draw_figure(struct work *work, struct wtl_study *study)
{
    const struct wtl_report_run *request = work->request;
    int rc = 0;
    if (work->redactor && study)
        wtl_redact_study(work->redactor, study);
    else if (work->redactor && wtl_redact_profile(work->redactor, &work->profile) < 0)
        rc = wtl_no_memory(work->err);
    rc = rc < 0 ? rc
                : report_run_figure(request->figure, request->reference_w, request->force,
                                    &work->profile, study, work->err);
    return rc;
}

static int answer(struct work *work)
{
    const struct wtl_report_run *request = work->request;
    struct wtl_study study = {0};
    bool several = work->group_count > 1;
    int rc =
        several ? wtl_study_make(work->runs, work->group_count, RESOLVE, &study, work->err) : 0;
    if (rc == 0 && request->figure->path)
        rc = draw_figure(work, several ? &study : NULL);
    else if (rc == 0)
        rc = write_document(work, several ? &study : NULL);
    if (rc == 0 && !request->figure->path)
        say_where(request);
    wtl_study_fini(&study);
    return rc;
}

int wtl_report_run_make(const struct wtl_report_run *request,
                        const struct wtl_command *command,
                        struct wattle_error *err)
{
    struct work work = {.request = request, .command = command, .err = err, .list = json_array()};
    wtl_progress_begin(&work.progress, true, false);
    bool page = !request->json && !request->figure->path;
    int rc = page ? wtl_run_page_there(err) : 0;
    rc = rc < 0 ? rc : group_words(&work);
    work.runs = calloc(work.group_count + 1, sizeof *work.runs);
    work.redactor = request->redact ? wtl_redactor_new() : NULL;
    if (rc == 0 && (!work.runs || !work.list || (request->redact && !work.redactor)))
        rc = -ENOMEM;
    if (rc == -ENOMEM)
        (void)wtl_no_memory(err);
    rc = rc < 0 ? rc : read_runs(&work);
    rc = rc < 0 ? rc : answer(&work);
    close_run(&work);
    for (size_t g = 0; work.groups && g < work.group_count; g++)
        free(work.groups[g].words);
    free(work.groups);
    free(work.runs);
    json_decref(work.list);
    wtl_redactor_free(work.redactor);
    return rc;
}

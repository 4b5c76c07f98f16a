/* SPDX-License-Identifier: BSD-3-Clause */
/* The traces of a job as Slurm's HDF5 profiles: see cmd_export.h. */
#define _GNU_SOURCE
#include "cli/export/cmd_export.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_result.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/whole.h"
#include "cli/export/hdf5_tables.h"
#include "cli/output.h"
#include "cli/run_words.h"
#include "model/meta_key.h"

struct wtl_hdf5_step {
    struct wtl_run *run;
    char **words; /* what the run was opened from; owned, the words are borrowed */
    size_t word_count, word_size;
    char name[32];     /* "0", "batch" */
    char recorded[32]; /* in the trace; "" = unknown */
    char job[64];      /* "" = unknown */
};

struct wtl_hdf5_steps {
    struct wtl_hdf5_step *steps; /* by begin */
    size_t count;
    struct wtl_trace_list names; /* owns the words */
    const char *job;             /* "0" = unknown */
};

struct conversion {
    const struct wtl_command *command; /* for sentences */
    const char *output;
    bool force, folder;
    struct wtl_export_steps every;
    struct wtl_hdf5_steps steps;
    struct wtl_output *files; /* one, or one for each node and step */
    char **paths;
    size_t file_count, tables, nodes;
    uint64_t unknown_rows;
    bool no_date, no_energy, no_tasks, simulated, estimated;
};

/* ---- intervals ---- */

static int parse_step(const char *text, uint64_t *ret_ns, struct wattle_error *err)
{
    if (wtl_parse_duration(text, ret_ns) < 0 || (*ret_ns > 0 && *ret_ns < 1000000))
        return wtl_fail(err, -EINVAL,
                        "\"%.40s\" is not 0 (no table), a number of seconds or a duration of at "
                        "least 1ms",
                        text);
    return 0;
}

int wtl_export_steps_parse(const char *text,
                           struct wtl_export_steps *steps,
                           struct wattle_error *err)
{
    const struct {
        const char *word;
        uint64_t *ns;
    } tables[] = {{"energy=", &steps->energy_ns},
                  {"task=", &steps->task_ns},
                  {"network=", &steps->network_ns},
                  {"filesystem=", &steps->filesystem_ns}};
    char *copy = strdup(text), *rest = copy, *word;
    int rc = copy ? 0 : wtl_no_memory(err);
    while (rc == 0 && (word = strsep(&rest, ","))) {
        size_t i = 0, n = sizeof tables / sizeof *tables;
        while (i < n && strncmp(word, tables[i].word, strlen(tables[i].word)) != 0)
            i++;
        if (i < n)
            rc = parse_step(word + strlen(tables[i].word), tables[i].ns, err);
        else if (!strchr(word, '='))
            rc = parse_step(word, &steps->task_ns, err);
        else
            rc = wtl_fail(
                err, -EINVAL,
                "\"%.40s\": the tables are energy=, task=, network= and filesystem=", word);
    }
    free(copy);
    return rc;
}

/* ---- nodes ---- */

/* As ctime(3), and as Slurm writes it: in local time. */
static void print_start(uint64_t realtime_ns, char ret_text[32])
{
    time_t seconds = (time_t)(realtime_ns / 1000000000u);
    struct tm local = {.tm_mday = 1, .tm_year = 70};
    (void)localtime_r(&seconds, &local);
    (void)strftime(ret_text, 32, "%a %b %e %H:%M:%S %Y", &local);
}

static void print_flags(const struct wtl_result *result, char *text, size_t n)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < result->flag_count && used < n; i++)
        used +=
            (size_t)snprintf(text + used, n - used, "%s%s", i ? ", " : "", result->flags[i].name);
}

static int whole_meta(struct wtl_trace_reader *reader, const char *key, int otherwise)
{
    uint64_t value;
    const char *text = wtl_trace_reader_meta(reader, key);
    return text && wtl_parse_u64(text, &value) == 0 && value < 1u << 20 ? (int)value : otherwise;
}

static int put_node(struct wtl_slurm_file *file,
                    const struct wtl_run_node *node,
                    int index,
                    struct wtl_trace_reader *reader,
                    const struct wtl_result *result,
                    struct wattle_error *err)
{
    char start[32], flags[512], joules[40], unknown[40];
    const bool total = result->total.count > 0;
    print_start(result->start_realtime_ns, start);
    print_flags(result, flags, sizeof flags);
    (void)snprintf(joules, sizeof joules, "%.6f", result->energy.j);
    (void)snprintf(unknown, sizeof unknown, "%.9f", (double)result->total_unknown_ns * 1e-9);
    const struct wtl_slurm_note notes[] = {
        {"Wattle Energy", isnan(result->energy.j) ? "unknown" : joules},
        {"Wattle Unknown Seconds", unknown},
        {"Wattle Quality", total ? wtl_result_quality_word(result) : "unknown"},
        {"Wattle Contains", total ? result->total.contains : ""},
        {"Wattle Excludes", total ? result->total.excludes : ""},
        {"Wattle Flags", flags},
        {NULL, NULL}};
    const struct wtl_slurm_about about = {.name = node->name,
                                          .index = index,
                                          .tasks = 1,
                                          .cpus_per_task =
                                              whole_meta(reader, WTL_META_CPU_THREADS, 1),
                                          .start_time = start,
                                          .notes = notes};
    return wtl_slurm_file_node(file, &about, err);
}

static int write_tables(struct conversion *c,
                        struct wtl_slurm_file *file,
                        int index,
                        struct wtl_trace_reader *reader,
                        const struct wtl_result *result,
                        struct wattle_error *err)
{
    struct wtl_hdf5_written written = {0};
    int rc = c->every.energy_ns
                 ? wtl_hdf5_energy(file, reader, result, c->every.energy_ns, &written, err)
                 : 0;
    c->no_energy = c->no_energy || (c->every.energy_ns && !written.tables);
    size_t tables = written.tables;
    rc = rc < 0 || !c->every.task_ns
             ? rc
             : wtl_hdf5_tasks(file, index, reader, result, c->every.task_ns, &written, err);
    c->no_tasks = c->no_tasks || (c->every.task_ns && written.tables == tables);
    rc = rc < 0 ? rc
                : wtl_hdf5_traffic(file, reader, result, c->every.network_ns,
                                   c->every.filesystem_ns, &written, err);
    c->tables += written.tables;
    c->unknown_rows += written.unknown_rows;
    c->no_date = c->no_date || written.no_date;
    return rc;
}

static int write_node(struct conversion *c,
                      struct wtl_slurm_file *file,
                      const struct wtl_hdf5_step *step,
                      size_t i,
                      struct wattle_error *err)
{
    const struct wtl_run_node *node = wtl_run_node(step->run, i);
    struct wtl_trace_reader *reader = NULL;
    struct wtl_result result = wtl_result_unknown();
    int rc = wtl_run_node_open(step->run, i, &reader, err);
    rc = rc < 0 ? rc : wtl_run_result_read(reader, node->path, &result, err);
    rc = rc < 0 ? rc : put_node(file, node, (int)i, reader, &result, err);
    rc = rc < 0 ? rc : write_tables(c, file, (int)i, reader, &result, err);
    if (rc == 0 && result.total.count > 0) {
        c->simulated = c->simulated || wtl_result_is_simulated(&result);
        c->estimated = c->estimated || result.total.quality == WATTLE_ESTIMATED;
    }
    c->nodes++;
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
    return rc;
}

/* ---- files ---- */

/* Under its temporary name, which the library opens itself. */
static int create_file(struct conversion *c,
                       char *path,
                       struct wtl_slurm_file **ret_file,
                       struct wattle_error *err)
{
    struct wtl_output *output = &c->files[c->file_count];
    c->paths[c->file_count] = path;
    if (!path)
        return wtl_no_memory(err);
    int rc = wtl_output_open(output, path, c->force, err);
    if (rc < 0)
        return rc;
    c->file_count++;
    if (!output->temporary)
        return wtl_fail(err, -EINVAL, "%s: HDF5 cannot be written to a device or pipe; name a file",
                        path);
    return wtl_slurm_file_create(output->temporary, path, ret_file, err);
}

static int write_job(struct conversion *c, struct wattle_error *err)
{
    struct wtl_slurm_file *file = NULL;
    struct wattle_error second = {""};
    int rc = create_file(c, strdup(c->output), &file, err);
    for (size_t s = 0; s < c->steps.count && rc == 0; s++) {
        const struct wtl_hdf5_step *step = &c->steps.steps[s];
        rc = wtl_slurm_file_step(file, step->name, wtl_run_node_count(step->run), err);
        for (size_t i = 0; i < wtl_run_node_count(step->run) && rc == 0; i++)
            rc = write_node(c, file, step, i, err);
    }
    int closed = wtl_slurm_file_close(file, c->steps.count, &second);
    return rc < 0 || closed == 0 ? rc : wtl_fail(err, closed, "%s", second.text);
}

static int write_one(struct conversion *c,
                     const struct wtl_hdf5_step *step,
                     size_t i,
                     struct wattle_error *err)
{
    struct wtl_slurm_file *file = NULL;
    struct wattle_error second = {""};
    char *path = NULL, name[160], safe[192];
    (void)snprintf(name, sizeof name, "%s_%s_%s", c->steps.job, step->name,
                   wtl_run_node(step->run, i)->name);
    wtl_slurm_group_name(name, safe, sizeof safe);
    if (asprintf(&path, "%s%s%s.h5", c->output, c->output[strlen(c->output) - 1] == '/' ? "" : "/",
                 safe) < 0)
        path = NULL;
    int rc = create_file(c, path, &file, err);
    rc = rc < 0 ? rc : write_node(c, file, step, i, err);
    int closed = wtl_slurm_file_close(file, 0, &second);
    return rc < 0 || closed == 0 ? rc : wtl_fail(err, closed, "%s", second.text);
}

static int write_nodes(struct conversion *c, struct wattle_error *err)
{
    int rc = mkdir(c->output, 0777) < 0 && errno != EEXIST
                 ? wtl_fail(err, -errno, "%s: %s", c->output, wtl_strerror(errno))
                 : 0;
    for (size_t s = 0; s < c->steps.count && rc == 0; s++) {
        const struct wtl_hdf5_step *step = &c->steps.steps[s];
        for (size_t i = 0; i < wtl_run_node_count(step->run) && rc == 0; i++) {
            rc = write_one(c, step, i, err);
            /* One descriptor less; the file keeps its temporary name. */
            rc = rc < 0 ? rc : wtl_output_close(&c->files[c->file_count - 1], err);
        }
    }
    return rc;
}

/* All files appear together, or none does. */
static int commit_files(struct conversion *c, int rc, struct wattle_error *err)
{
    for (size_t i = 0; i < c->file_count; i++) {
        rc = rc < 0 ? rc : wtl_output_commit(&c->files[i], err);
        wtl_output_drop(&c->files[i]);
    }
    for (size_t i = 0; c->paths && i <= c->file_count; i++)
        free(c->paths[i]);
    free(c->files);
    free((void *)c->paths);
    return rc;
}

/* ---- what the file cannot contain ---- */

static void report_conversion(const struct conversion *c)
{
    for (size_t s = 0; s < c->steps.count; s++) {
        const struct wtl_run *run = c->steps.steps[s].run;
        for (size_t i = 0; i < wtl_run_missing_count(run); i++)
            wtl_complain(c->command, "step %s: node %s of the job has no trace",
                         c->steps.steps[s].name, wtl_run_missing(run, i));
    }
    if (c->no_energy)
        wtl_complain(c->command, "no Energy table for nodes without a known total");
    if (c->no_tasks)
        wtl_complain(c->command, "no Tasks table for nodes without the CPU time of a command");
    if (c->unknown_rows)
        wtl_complain(c->command, "%llu rows are left out: unknown because of gaps",
                     (unsigned long long)c->unknown_rows);
    if (c->no_date)
        wtl_complain(c->command, "the time of day is unknown: EpochTime counts from 1970");
    if (c->simulated || c->estimated)
        wtl_complain(c->command,
                     "the power is %s; the attribute \"Wattle Quality\" of each node records this, "
                     "but sh5util does not show it",
                     c->estimated ? "estimated" : "simulated");
}

static bool is_folder(const char *path)
{
    struct stat about;
    size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') ||
           (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

static int convert(struct conversion *c, struct wattle_error *err)
{
    size_t files = 1;
    for (size_t s = 0; s < c->steps.count; s++)
        files += wtl_run_node_count(c->steps.steps[s].run);
    c->files = calloc(files + 1, sizeof *c->files);
    c->paths = (char **)calloc(files + 1, sizeof *c->paths);
    int rc = c->files && c->paths ? 0 : wtl_no_memory(err);
    assert(rc < 0 || (c->files && c->paths));
    rc = rc < 0 ? rc : c->folder ? write_nodes(c, err) : write_job(c, err);
    if (rc == 0 && c->tables == 0)
        rc = wtl_fail(err, -ENODATA,
                      "nothing to export: no energy that can be summed, and no CPU time of a "
                      "command, is known over time");
    rc = commit_files(c, rc, err);
    if (rc == 0)
        report_conversion(c);
    return rc;
}

/* ---- steps: which traces, in which order, under which names ---- */

static int append_word(struct wtl_hdf5_step *step, char *word, struct wattle_error *err)
{
    if (wtl_reserve(&step->words, &step->word_size, step->word_count + 1, sizeof *step->words) < 0)
        return wtl_no_memory(err);
    step->words[step->word_count++] = word;
    return 0;
}

/* A trace may be of a run that another word has begun: the nodes of a job given one by one. */
static int add_word(struct wtl_hdf5_steps *steps, char *word, struct wattle_error *err)
{
    struct wtl_run *run = NULL;
    int rc = wtl_run_open(&word, 1, NULL, &run, err);
    if (rc < 0)
        return rc;
    const char *id = wtl_run_id(run);
    struct wtl_hdf5_step *step = NULL;
    for (size_t i = 0; id[0] && i < steps->count && !step; i++)
        step = strcmp(wtl_run_id(steps->steps[i].run), id) == 0 ? &steps->steps[i] : NULL;
    if (!step) {
        step = &steps->steps[steps->count++];
        step->run = run;
        return append_word(step, word, err);
    }
    wtl_run_close(run);
    rc = append_word(step, word, err);
    if (rc < 0)
        return rc;
    run = NULL;
    rc = wtl_run_open(step->words, step->word_count, NULL, &run, err);
    if (rc == 0) {
        wtl_run_close(step->run);
        step->run = run;
    }
    return rc;
}

/* Slurm's numbers for steps that are not numbered, of which only the batch script has a word in its profiles. */
static void name_recorded(struct wtl_hdf5_step *step, const char *recorded)
{
    static const char batch[] = "4294967291";
    if (recorded)
        (void)snprintf(step->recorded, sizeof step->recorded, "%s",
                       strcmp(recorded, batch) == 0 ? "batch" : recorded);
    else if (step->job[0]) /* srun sets it */
        (void)snprintf(step->recorded, sizeof step->recorded, "batch");
}

static int read_names(struct wtl_hdf5_step *step, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    if (wtl_run_refused_count(step->run) > 0) {
        const struct wtl_run_refused *first = wtl_run_refused(step->run, 0);
        return wtl_fail(err, -EBADMSG, "%s is left out: %s; name the traces of one job",
                        first->path, first->why);
    }
    int rc = wtl_run_node_open(step->run, 0, &reader, err);
    if (rc < 0)
        return rc;
    const char *job = wtl_trace_reader_meta(reader, WTL_META_JOB_ID);
    if (job)
        (void)snprintf(step->job, sizeof step->job, "%s", job);
    name_recorded(step, wtl_trace_reader_meta(reader, WTL_META_JOB_STEP));
    wtl_trace_reader_close(reader);
    return 0;
}

static int compare_begin(const void *a, const void *b)
{
    const struct wtl_hdf5_step *x = a, *y = b;
    int64_t first = wtl_run_begin(x->run), second = wtl_run_begin(y->run);
    return (first > second) - (first < second);
}

static int check_job(struct wtl_hdf5_steps *steps, struct wattle_error *err)
{
    steps->job = "";
    for (size_t i = 0; i < steps->count; i++) {
        const char *job = steps->steps[i].job;
        if (job[0] && steps->job[0] && strcmp(job, steps->job) != 0)
            return wtl_fail(err, -EBADMSG,
                            "the traces are of jobs %s and %s; a file has one job: export them one "
                            "at a time",
                            steps->job, job);
        if (job[0])
            steps->job = job;
    }
    if (!steps->job[0])
        steps->job = "0";
    return 0;
}

/* The recorded names if all are there and different, else numbers in the order of time. */
static void name_steps(struct wtl_hdf5_steps *steps, const struct wtl_command *command)
{
    bool good = true, any = false;
    for (size_t i = 0; i < steps->count; i++) {
        good = good && steps->steps[i].recorded[0];
        any = any || steps->steps[i].recorded[0];
        for (size_t k = 0; k < i; k++)
            good = good && strcmp(steps->steps[i].recorded, steps->steps[k].recorded) != 0;
    }
    for (size_t i = 0; i < steps->count; i++) {
        struct wtl_hdf5_step *step = &steps->steps[i];
        if (good)
            (void)snprintf(step->name, sizeof step->name, "%s", step->recorded);
        else
            (void)snprintf(step->name, sizeof step->name, "%zu", i);
    }
    if (any && !good)
        wtl_complain(command,
                     "several of the %zu runs were made in one step of the job: they are numbered "
                     "from 0 in the order of time",
                     steps->count);
}

/* Returns 0; -EBADMSG if the traces are of several jobs, or some were refused; or as wtl_run_open(). Call fini in
 * either case. */
static int hdf5_steps_open(struct wtl_hdf5_steps *steps,
                           const struct wtl_command *command,
                           char *const *words,
                           size_t count,
                           struct wattle_error *err)
{
    *steps = (struct wtl_hdf5_steps){0};
    int rc = wtl_run_words(command, words, count, true, &steps->names, err);
    if (rc < 0)
        return rc;
    steps->steps = calloc(steps->names.count + 1, sizeof *steps->steps);
    if (!steps->steps)
        return wtl_no_memory(err);
    for (size_t i = 0; i < steps->names.count && rc == 0; i++)
        rc = add_word(steps, steps->names.paths[i], err);
    for (size_t i = 0; i < steps->count && rc == 0; i++)
        rc = read_names(&steps->steps[i], err);
    if (rc < 0)
        return rc;
    wtl_sort(steps->steps, steps->count, sizeof *steps->steps, compare_begin);
    rc = check_job(steps, err);
    if (rc == 0)
        name_steps(steps, command);
    return rc;
}

static void hdf5_steps_fini(struct wtl_hdf5_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        wtl_run_close(steps->steps[i].run);
        free((void *)steps->steps[i].words);
    }
    free(steps->steps);
    wtl_trace_list_fini(&steps->names);
    *steps = (struct wtl_hdf5_steps){0};
}

/* ---- all runs ---- */

int wtl_export_hdf5(const struct wtl_command *command,
                    char *const *words,
                    size_t n,
                    const char *output,
                    bool force,
                    const struct wtl_export_steps *steps,
                    struct wattle_error *err)
{
    struct conversion c = {.command = command,
                           .output = output,
                           .force = force,
                           .folder = is_folder(output),
                           .every = *steps};
    int rc = hdf5_steps_open(&c.steps, command, words, n, err);
    rc = rc < 0 ? rc : convert(&c, err);
    hdf5_steps_fini(&c.steps);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs as steps of a job: see hdf5_steps.h. */
#define _GNU_SOURCE
#include "cli/cluster/hdf5_steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "cli/run_words.h"
#include "model/meta_key.h"

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

int wtl_hdf5_steps_open(struct wtl_hdf5_steps *steps,
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

void wtl_hdf5_steps_fini(struct wtl_hdf5_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        wtl_run_close(steps->steps[i].run);
        free((void *)steps->steps[i].words);
    }
    free(steps->steps);
    wtl_trace_list_fini(&steps->names);
    *steps = (struct wtl_hdf5_steps){0};
}

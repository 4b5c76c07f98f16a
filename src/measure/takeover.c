/* SPDX-License-Identifier: BSD-3-Clause */
/* Continues a measurement whose process was killed: see takeover.h. */
#define _GNU_SOURCE
#include "measure/takeover.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "measure/left_regions.h"
#include "measure/measurement.h"
#include "measure/outcome.h"
#include "measure/provenance.h"
#include "model/flag.h"
#include "record/spool/spool_file.h"
#include "record/spool/spool_merge.h"
#include "trace/repair.h"
#include "trace/resume.h"

/* Ticks of each counter to wait for at the end (docs/decisions/0003). */
enum { EDGES_AFTER = 2 };

struct wtl_takeover {
    struct wtl_measurement m;
    char *spool; /* NULL = none */
};

static void destroy(struct wtl_takeover *t)
{
    wtl_measurement_close(&t->m);
    free(t->spool);
    free(t);
}

static void report_takeover(const struct wtl_measurement *m, pid_t died)
{
    const struct wtl_trace_resumed *was = wtl_trace_writer_resumed(m->trace.writer);
    double away_s = m->start_ns > was->last_ns ? (double)(m->start_ns - was->last_ns) * 1e-9 : 0;
    char before[80] = "the measuring process ended and handed over";
    char text[400], silent[200] = "", when[64] = "before the first sample";
    size_t at = 0;
    const char *why = wtl_selection_silent(m->selection, &at);
    if (died)
        (void)snprintf(before, sizeof before, "measuring process %ld was killed", (long)died);
    if (was->last_ns)
        (void)snprintf(when, sizeof when, "%s s after the last sample", WTL_IN_FIGURES(away_s, 3));
    if (why)
        (void)snprintf(silent, sizeof silent, "; %s", why);
    (void)snprintf(text, sizeof text, "%s; process %ld took over %s%s", before, (long)getpid(),
                   when, silent);
    wtl_provenance_flag(m->trace.writer, WTL_FLAG_TAKEN_OVER, text);
    /* No single process knows the machine's CPU time for the whole window. */
    wtl_outcome_unchecked(m->trace.writer, "the first measuring process was replaced");
}

static int open_all(struct wtl_takeover *t,
                    const struct wtl_takeover_options *o,
                    struct wattle_error *err)
{
    bool has_spool = o->spool && o->spool[0];
    t->spool = has_spool ? strdup(o->spool) : NULL;
    const struct wtl_measurement_begun begun = {.spool = t->spool, .page = o->page};
    const struct wtl_measurement_options what = {
        .world = o->world,
        .settings = o->settings,
        .sensors = o->sensors,
        .target = {.pid = o->command, .inherit = o->command != 0},
        .activity = true,
        .trace_path = o->trace,
        .begun = &begun,
        .interval_ns = o->interval_ns,
        .sampler_cpu = o->sampler_cpu,
        .edges = EDGES_AFTER,
        .work = NAN};
    int rc = wtl_measurement_init(&t->m, &what, err);
    if (rc == 0 && has_spool && !t->spool)
        rc = wtl_no_memory_for(err, "continuing with %s", o->trace);
    return rc < 0 ? rc : wtl_measurement_open(&t->m, err);
}

int wtl_takeover_begin(const struct wtl_takeover_options *options,
                       struct wtl_takeover **ret_takeover,
                       struct wattle_error *err)
{
    struct wtl_takeover *t = calloc(1, sizeof *t);
    if (!t)
        return wtl_no_memory_for(err, "continuing with %s", options->trace);
    int rc = open_all(t, options, err);
    if (rc < 0) {
        destroy(t);
        return rc;
    }
    (void)wtl_measurement_prepare(&t->m); /* there are no ticks to wait for */
    wtl_measurement_start(&t->m);
    report_takeover(&t->m, options->died);
    wtl_measurement_begin(&t->m);
    *ret_takeover = t;
    return 0;
}

struct wtl_trace_writer *wtl_takeover_writer(struct wtl_takeover *takeover)
{
    return takeover->m.trace.writer;
}

void wtl_takeover_leave(struct wtl_takeover *takeover)
{
    wtl_measurement_leave(&takeover->m);
    destroy(takeover);
}

void wtl_takeover_forget(struct wtl_takeover *takeover)
{
    if (takeover)
        wtl_run_trace_forget(&takeover->m.trace);
}

/* Merge the spools that are not in the file yet. */
static int take_in(void *context, struct wtl_trace_reader *reader, struct wtl_trace_writer *writer)
{
    struct wtl_spool_merge_report report;
    return wtl_left_regions_take_in(context, reader, writer, &report, NULL);
}

int wtl_takeover_end(struct wtl_takeover *takeover, uint64_t end_ns, struct wattle_error *err)
{
    struct wtl_takeover *t = takeover;
    struct wtl_trace_writer_status status;
    struct wtl_trace_repair repair;
    struct wtl_spool_merge *merge = NULL;
    wtl_measurement_end(&t->m, end_ns);
    wtl_energy_page_close_writer(t->m.energy);
    t->m.energy = NULL;
    (void)wtl_trace_writer_flush(t->m.trace.writer); /* a failure shows in the status */
    wtl_trace_writer_status(t->m.trace.writer, &status);
    wtl_trace_writer_abandon(t->m.trace.writer); /* releases the lock for repair */
    t->m.trace.writer = NULL;
    if (!t->spool || wtl_spool_merge_open(t->spool, &merge, NULL) < 0)
        merge = NULL; /* its regions stay there, for wattle repair */
    int rc = wtl_trace_repair_with(t->m.trace.path, merge ? take_in : NULL, merge, &repair, err);
    if (rc == 0 && status.error < 0)
        rc = wtl_fail(err, status.error, "%s: the last samples are missing: %s", t->m.trace.path,
                      wtl_strerror(status.error));
    if (rc == 0 && merge && repair.filled)
        (void)wtl_spool_merge_remove(merge); /* leftovers are harmless: the trace has their
                                              * content */
    wtl_spool_merge_close(merge);
    if (rc == 0 && t->spool)
        (void)wtl_spool_folder_end(t->spool); /* kept if anything is left in it */
    destroy(t);
    return rc;
}

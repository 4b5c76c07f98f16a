/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study as rows, of codes, candidates and machines under each metric: docs/format/pose.md. */
#define _GNU_SOURCE
#include "report/pose/pose_forms.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/row_writer.h"
#include "model/quality.h"

enum { BEFORE = 9, PER_INSIGHT = 6, INSIGHT_CELLS = PER_INSIGHT * WTL_POSE_INSIGHTS, BEHIND = 13 };
enum { COLUMNS = BEFORE + INSIGHT_CELLS + BEHIND, DIGITS = 10 };

static struct wtl_cell number(double value)
{
    return wtl_cell_number(isfinite(value) ? value : (double)NAN, DIGITS);
}

static void put_columns(struct wtl_row_writer *sheet)
{
    static const char *const parts[PER_INSIGHT] = {"absolute", "absolute_low", "absolute_high",
                                                   "ratio",    "ratio_low",    "ratio_high"};
    static const char *const behind[BEHIND] = {
        "region",   "gain",     "power_share", "run_time_share", "on_front", "parameter", "quality",
        "warnings", "gain_low", "gain_high",   "region_decided", "decided",  "simulates"};
    const char *names[COLUMNS] = {"kind", "label", "group",  "metric", "t_s",
                                  "e_j",  "p_w",   "pmin_w", "pmax_w"};
    char insights[INSIGHT_CELLS][48];
    for (int i = 0; i < INSIGHT_CELLS; i++) {
        (void)snprintf(insights[i], sizeof insights[i], "%s_%s",
                       wtl_pose_insight_names[i / PER_INSIGHT], parts[i % PER_INSIGHT]);
        names[BEFORE + i] = insights[i];
    }
    memcpy(names + BEFORE + INSIGHT_CELLS, behind, sizeof behind);
    wtl_row_writer_columns(sheet, names, COLUMNS);
}

static void put_head(struct wtl_cell *cells,
                     const char *kind,
                     const char *label,
                     const char *group,
                     const char *metric)
{
    cells[0] = wtl_cell_text(kind);
    cells[1] = wtl_cell_text(label);
    cells[2] = wtl_cell_text(group);
    cells[3] = wtl_cell_text(metric);
}

static void put_place(struct wtl_cell *cells, double t_s, double e_j)
{
    cells[4] = number(t_s);
    cells[5] = number(e_j);
    cells[6] = number(e_j / t_s);
}

/* "BELOW_FLOOR;FEW_RUNS": owned; NULL: none, or *ret_rc is -ENOMEM. */
static char *warnings_of(const struct wtl_pose_subject *subject,
                         const struct wtl_pose_model *model,
                         int *ret_rc)
{
    struct wtl_pose_warning_text warning;
    char *text = NULL;
    size_t size;
    *ret_rc = 0;
    if (!wtl_pose_warning_at(subject, model, 0, &warning))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && wtl_pose_warning_at(subject, model, i, &warning); i++)
        (void)fprintf(out, "%s%s", i > 0 ? ";" : "", warning.name);
    if (!out || fclose(out) != 0)
        *ret_rc = -ENOMEM;
    return text;
}

/* Of run time and energy. */
static const char *quality_of(const struct wtl_pose_subject *subject)
{
    return subject->origin == WTL_POSE_GIVEN
               ? "given"
               : wtl_quality_word(subject->quality, subject->simulated);
}

static int put_code(struct wtl_row_writer *sheet,
                    const struct wtl_pose_study *study,
                    size_t s,
                    size_t m)
{
    const struct wtl_pose_subject *subject = &study->subjects[s];
    const struct wtl_pose_model *model = wtl_pose_study_model(study, s, m);
    struct wtl_cell cells[COLUMNS] = {{.kind = WTL_CELL_NONE}};
    int rc;
    char *warnings = warnings_of(subject, model, &rc);
    put_head(cells, "code", subject->label, subject->group, study->metric_names[m]);
    put_place(cells, subject->code.t_s, subject->code.e_j);
    cells[7] = number(subject->code.pmin_w);
    cells[8] = number(subject->code.pmax_w);
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
        struct wtl_cell *at = cells + BEFORE + i * PER_INSIGHT;
        at[0] = number(model->pose.insights[i].absolute);
        at[1] = number(model->intervals.absolute[i].low);
        at[2] = number(model->intervals.absolute[i].high);
        at[3] = number(model->pose.insights[i].ratio);
        at[4] = number(model->intervals.ratio[i].low);
        at[5] = number(model->intervals.ratio[i].high);
    }
    bool decided;
    (void)wtl_pose_model_stance(model, &decided);
    cells[BEFORE + INSIGHT_CELLS + 6] = wtl_cell_text(quality_of(subject));
    cells[BEFORE + INSIGHT_CELLS + 7] = wtl_cell_text(warnings);
    cells[BEFORE + INSIGHT_CELLS + 11] = wtl_cell_count(decided);
    if (subject->origin != WTL_POSE_GIVEN)
        cells[BEFORE + INSIGHT_CELLS + 12] =
            wtl_cell_text(wtl_quality_simulates(subject->quality, subject->simulated));
    wtl_row_writer_row(sheet, cells, COLUMNS);
    free(warnings);
    return rc;
}

static void put_candidate(struct wtl_row_writer *sheet,
                          const struct wtl_pose_study *study,
                          size_t i,
                          size_t m)
{
    const struct wtl_pose_candidate *candidate = &study->candidates[i];
    const struct wtl_pose_verdict *verdict = &wtl_pose_study_model(study, 0, m)->verdicts[i];
    const struct wtl_pose_verdict_interval *known =
        &wtl_pose_study_model(study, 0, m)->verdict_intervals[i];
    struct wtl_cell cells[COLUMNS] = {{.kind = WTL_CELL_NONE}};
    struct wtl_cell *behind = cells + BEFORE + INSIGHT_CELLS;
    put_head(cells, "candidate", candidate->label, study->subjects[0].group,
             study->metric_names[m]);
    put_place(cells, candidate->at.t_s, candidate->at.e_j);
    behind[0] = wtl_cell_count((uint64_t)verdict->region);
    behind[1] = number(verdict->gain);
    behind[2] = number(verdict->power_part);
    behind[3] = number(1 - verdict->power_part);
    behind[4] = wtl_cell_count(candidate->on_front);
    behind[5] = number(candidate->parameter);
    behind[8] = number(known->gain.low);
    behind[9] = number(known->gain.high);
    behind[10] = wtl_cell_count(known->decided);
    wtl_row_writer_row(sheet, cells, COLUMNS);
}

static void put_system(struct wtl_row_writer *sheet,
                       const struct wtl_pose_study *study,
                       size_t i,
                       size_t m)
{
    const struct wtl_pose_system_summary *system = &study->systems[i];
    struct wtl_cell cells[COLUMNS] = {{.kind = WTL_CELL_NONE}};
    put_head(cells, "system", system->name, system->group, study->metric_names[m]);
    cells[7] = number(system->pmin_w);
    cells[8] = number(system->pmax_w);
    char warnings[160] = "";
    for (size_t k = 0, used = 0; k < system->flag_count && used < sizeof warnings; k++)
        used += (size_t)snprintf(warnings + used, sizeof warnings - used, "%s%s", used ? ";" : "",
                                 system->flags[k].name);
    cells[BEFORE + INSIGHT_CELLS + 7] = wtl_cell_text(warnings[0] ? warnings : NULL);
    for (size_t k = 0; k < WTL_POSE_INSIGHTS; k++) {
        struct wtl_cell *at = cells + BEFORE + k * PER_INSIGHT + 3;
        at[0] = number(system->ratios[m * WTL_POSE_INSIGHTS + k]);
        at[1] = number(system->ranges[m * WTL_POSE_INSIGHTS + k].low);
        at[2] = number(system->ranges[m * WTL_POSE_INSIGHTS + k].high);
    }
    wtl_row_writer_row(sheet, cells, COLUMNS);
}

int wtl_csv_pose(FILE *out, const struct wtl_pose_study *study)
{
    int rc = 0;
    struct wtl_row_writer sheet;
    wtl_row_writer_begin(&sheet, out, WTL_ROW_WRITER_CSV, false, "pose");
    put_columns(&sheet);
    for (size_t s = 0; s < study->subject_count; s++)
        for (size_t m = 0; rc == 0 && m < study->metric_count; m++)
            rc = put_code(&sheet, study, s, m);
    for (size_t i = 0; study->subject_count > 0 && i < study->candidate_count; i++)
        for (size_t m = 0; m < study->metric_count; m++)
            put_candidate(&sheet, study, i, m);
    for (size_t i = 0; i < study->system_count; i++)
        for (size_t m = 0; m < study->metric_count; m++)
            put_system(&sheet, study, i, m);
    wtl_row_writer_end(&sheet);
    return rc;
}

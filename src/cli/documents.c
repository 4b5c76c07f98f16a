/* SPDX-License-Identifier: BSD-3-Clause */
/* All documents: see documents.h. */
#include "cli/documents.h"

#include "exchange/export.h"
#include "report/cite/cite.h"
#include "report/cluster/run_document.h"
#include "report/cluster/run_report.h"
#include "report/compare/report_ab.h"
#include "report/compare/report_check.h"
#include "report/compare/sides_report.h"
#include "report/phases/letters_report.h"
#include "report/phases/phases_report.h"
#include "report/pose/pose_report.h"
#include "report/predict/predict_report.h"
#include "report/result/report_document.h"
#include "report/result/run_nouns.h"
#include "report/sweep/sweep_report.h"
#include "report/tasks/schedule_report.h"
#include "report/tasks/stretch_document.h"
#include "report/tasks/tasks_report.h"

const struct wtl_columns wtl_export_columns[] = {{"exported samples", wtl_sample_columns},
                                                 {"exported regions", wtl_region_columns},
                                                 {"exported events", wtl_event_columns},
                                                 {"exported gaps", wtl_gap_columns},
                                                 {"exported metadata", wtl_metadata_columns},
                                                 {"exported tasks", wtl_task_columns},
                                                 {"config", wtl_config_columns},
                                                 {"knobs", wtl_knobs_columns},
                                                 {"held", wtl_held_columns},
                                                 {"repair", wtl_repair_columns},
                                                 {NULL, NULL}};

static const struct wtl_member of_export[] = {
    {"what", WTL_MEMBER_TEXT,
     .meaning = "samples, regions, events, gaps, metadata, tasks, config, knobs, held or repair"},
    {"notes", WTL_MEMBER_MAP, .meaning = "texts by name"},
    {"columns", WTL_MEMBER_LIST, .meaning = "column names, as in [csv.md](csv.md)"},
    {"rows", WTL_MEMBER_ROWS, .meaning = "one array per line of the file; unknown values are null"},
    {.key = NULL}};
static const struct wtl_noun export = {"export", of_export};

const struct wtl_document wtl_documents[] = {
    {"wattle.run/1",
     "Measurement of a command, a process or a machine",
     &wtl_noun_run_of_nodes,
     {&wtl_noun_channel_row, &wtl_noun_region_row}},
    {"wattle.stats/1", "Measurements of several runs", &wtl_noun_stats, {NULL}},
    {"wattle.sensors/1", "The sensors of a host", &wtl_noun_sensors, {&wtl_noun_sensors_row}},
    {"wattle.doctor/1", "What a host can measure, and what prevents it", &wtl_noun_doctor, {NULL}},
    {"wattle.compare/1",
     "Comparison of two groups of runs",
     &wtl_noun_compare,
     {&wtl_noun_compare_row}},
    {"wattle.ab/1",
     "Comparison of two commands measured in pairs",
     &wtl_noun_ab,
     {&wtl_noun_ab_run}},
    {"wattle.sweep/1",
     "Energy against time of a command at several settings",
     &wtl_noun_sweep,
     {&wtl_noun_sweep_row}},
    {"wattle.check/1", "Check of a metric against a limit", &wtl_noun_check, {NULL}},
    {"wattle.top/1", "Live values of a machine", &wtl_noun_top, {&wtl_noun_top_row}},
    {"wattle.reduce/1", "A run of many nodes", &wtl_noun_reduce, {&wtl_noun_reduce_row}},
    {"wattle.reduce-groups/1",
     "Runs of many nodes, one for each group of ranks",
     &wtl_noun_reduce_groups,
     {NULL}},
    {"wattle.report/1", "Data of the page of a trace", &wtl_noun_report, {NULL}},
    {"wattle.stretch/1",
     "Energy of a selected stretch of a served page",
     &wtl_noun_stretch,
     {NULL}},
    {"wattle.run-report/1", "Data of the page of runs", &wtl_noun_run_report, {NULL}},
    {"wattle.phases/1", "Phases of a run", &wtl_noun_phases, {&wtl_noun_phase_row}},
    {"wattle.dna/1", "Letters of a run", &wtl_noun_dna, {&wtl_noun_dna_row}},
    {"wattle.phase-model/1", "Letters of many runs", &wtl_noun_phase_model, {NULL}},
    {"wattle.prediction/1",
     "Which known run a run is, and its energy and time at the end",
     &wtl_noun_prediction,
     {&wtl_noun_prediction_row}},
    {"wattle.tasks/1", "What the tasks of a run cost", &wtl_noun_tasks, {&wtl_noun_tasks_row}},
    {"wattle.tasks-calibrate/1",
     "What a machine takes whatever runs",
     &wtl_noun_platform,
     {&wtl_noun_platform_row}},
    {"wattle.schedule/1",
     "How long the tasks of a run take under a power cap",
     &wtl_noun_schedule,
     {&wtl_noun_schedule_row}},
    {"wattle.counters/1", "Counter sets and what a machine counts", &wtl_noun_counter_list, {NULL}},
    {"wattle.cite/1", "Description of a measurement for a paper", &wtl_noun_cite, {NULL}},
    {"wattle.calibrate/1",
     "Power of loads on a machine, and the bounds Pmin and Pmax",
     &wtl_noun_calibrate,
     {&wtl_noun_calibrate_row}},
    {"wattle.characterize/1", "What the power gauge of a GPU does", &wtl_noun_characterize, {NULL}},
    {"wattle.pose/1",
     "Whether to optimise power or run time of a code",
     &wtl_noun_pose,
     {&wtl_noun_pose_row}},
    {"wattle.import/1", "Import of other programs' files", &wtl_noun_import, {NULL}},
    {"wattle.jobs/1", "Jobs of a node", &wtl_noun_jobs, {&wtl_noun_jobs_row}},
    {"wattle.jobs-list/1", "Jobs of a database", &wtl_noun_jobs_list, {&wtl_noun_jobs_item}},
    {"wattle.jobs-show/1", "A job by node and step", &wtl_noun_jobs_show, {&wtl_noun_jobs_record}},
    {"wattle.jobs-report/1", "Sums of jobs", &wtl_noun_jobs_report, {&wtl_noun_jobs_total}},
    {"wattle.jobs-energy/1",
     "Energy of jobs on nodes between two times",
     &wtl_noun_jobs_energy,
     {&wtl_noun_jobs_node}},
    {"wattle.jobs-health/1",
     "Nodes that send records of jobs",
     &wtl_noun_jobs_health,
     {&wtl_noun_jobs_sender}},
    {"wattle.jobs-import/1",
     "Import of jobs from Slurm's accounting",
     &wtl_noun_jobs_import,
     {&wtl_noun_jobs_doubted}},
    {"wattle.jobs-budget/1",
     "Budgets of accounts",
     &wtl_noun_jobs_budget,
     {&wtl_noun_jobs_budget_row}},
    {"wattle.jobs-post/1",
     "Energy of jobs written into Slurm's accounting",
     &wtl_noun_jobs_postings,
     {&wtl_noun_jobs_posting}},
    {"wattle.jobs-verify/1",
     "Energy of jobs in Slurm's accounting compared with the ledger",
     &wtl_noun_jobs_postings,
     {&wtl_noun_jobs_posting}},
    {"wattle.export/1", "Table: contents of a trace, settings, repaired traces", &export, {NULL}},
    {.schema = NULL}};

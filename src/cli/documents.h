/* SPDX-License-Identifier: BSD-3-Clause */
/* The documents that are described: each has a schema in docs/format/schema. */
#ifndef WTL_CLI_DOCUMENTS_H
#define WTL_CLI_DOCUMENTS_H

#include "report/noun.h"

extern const struct wtl_document wtl_documents[]; /* ended by one without schema */

/* Nouns of single verbs. */
extern const struct wtl_noun wtl_noun_sensors, wtl_noun_sensors_row; /* of wattle sensors */
extern const struct wtl_noun wtl_noun_doctor;
extern const struct wtl_noun wtl_noun_characterize;
extern const struct wtl_noun wtl_noun_calibrate, wtl_noun_calibrate_row;
extern const struct wtl_noun wtl_noun_import;
extern const struct wtl_noun wtl_noun_counter_list;
extern const struct wtl_noun wtl_noun_platform, wtl_noun_platform_row;
extern const struct wtl_noun wtl_noun_jobs, wtl_noun_jobs_row;
extern const struct wtl_noun wtl_noun_jobs_list, wtl_noun_jobs_item;
extern const struct wtl_noun wtl_noun_jobs_show, wtl_noun_jobs_record;
extern const struct wtl_noun wtl_noun_jobs_energy, wtl_noun_jobs_node;
extern const struct wtl_noun wtl_noun_jobs_health, wtl_noun_jobs_sender;
extern const struct wtl_noun wtl_noun_jobs_import, wtl_noun_jobs_doubted;
extern const struct wtl_noun wtl_noun_jobs_budget, wtl_noun_jobs_budget_row;
extern const struct wtl_noun wtl_noun_jobs_postings, wtl_noun_jobs_posting;
extern const struct wtl_noun wtl_noun_jobs_report, wtl_noun_jobs_total;
extern const struct wtl_noun wtl_noun_top, wtl_noun_top_row;

/* The columns of wattle.export/1, by what it holds; ended by one without name. */
struct wtl_columns {
    const char *of, *const *names; /* ended by NULL */
};
extern const struct wtl_columns wtl_export_columns[];
extern const char *const wtl_knobs_columns[], *const wtl_held_columns[];
extern const char *const wtl_config_columns[], *const wtl_repair_columns[];

#endif

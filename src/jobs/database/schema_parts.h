/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the schema have in common; see schema.h. */
#ifndef WTL_JOBS_DATABASE_SCHEMA_PARTS_H
#define WTL_JOBS_DATABASE_SCHEMA_PARTS_H

#include <stdbool.h>
#include <stdio.h>

/* Rows of `into`, which is like job, from records of `from`; which: " AND ..". */
void wtl_schema_jobs_of(FILE *out, const char *into, const char *from, const char *which);

/* PostgreSQL: add rows that are like those of job, and like those of job_node ("TABLE WHERE .."), to the sums, or take them away. */
void wtl_schema_fold_from(FILE *out,
                          const char *jobs,
                          const char *records,
                          bool names_only,
                          bool add);

/* The functions of a server for many rows, and their tables (schema_bulk.c). */
void wtl_schema_bulk_drop(FILE *out);
void wtl_schema_bulk(FILE *out);

#endif

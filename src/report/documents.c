/* SPDX-License-Identifier: BSD-3-Clause */
/* The documents that are described: each has a schema in docs/format/schema. */
#include "report/noun.h"
#include "report/run_nouns.h"

const struct wtl_document wtl_documents[] = {
    {"wattle.run/1", "What was measured of a command, a process or a machine", &wtl_noun_run,
     {&wtl_noun_channel_row, &wtl_noun_region_row}},
    {"wattle.stats/1", "What was measured of several runs", &wtl_noun_stats, {NULL}},
    {.schema = NULL}};

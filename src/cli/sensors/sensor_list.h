/* SPDX-License-Identifier: BSD-3-Clause */
/* The sensors of a host, probed: what "wattle sensors" prints. */
#ifndef WTL_CLI_SENSOR_LIST_H
#define WTL_CLI_SENSOR_LIST_H

#include <stdio.h>

#include "report/noun.h"
#include "report/report.h"
#include "source/probe.h"
#include "source/select.h"

struct wtl_sensor_list {
    struct wtl_selection *selection;
    struct wtl_probe *probes; /* parallel to selection->channels; NULL = not probed */
    int *probe_errors;        /* 0, or why the channel could not be read */
    char host[65];
};

/* Probe every channel: some reads for their cost; channels of energy and power also for their update
 * interval, in a few seconds at most. Returns 0 or -ENOMEM. */
int wtl_sensor_list_probe(struct wtl_sensor_list *list);

/* Returns 0 or -ENOMEM. Errors of the stream stay in it. */
int wtl_sensor_list_text(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_sensor_list *list);
int wtl_sensor_list_json(FILE *out, const struct wtl_sensor_list *list);
int wtl_sensor_list_csv(FILE *out, const struct wtl_sensor_list *list);

/* "available", "absent", "forbidden", "not needed", "not asked for", "failed". */
const char *wtl_offer_state(const struct wtl_offer *offer);

/* Frees the probes; the caller owns the selection. */
void wtl_sensor_list_fini(struct wtl_sensor_list *list);

/* What a selection of sensors would add up, which several documents have; wtl_selection_total() makes it the value of a member. */
extern const struct wtl_noun wtl_noun_selection_total;
void wtl_selection_total(struct wtl_value *ret, const struct wtl_selection *selection);

#endif

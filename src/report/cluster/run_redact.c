/* SPDX-License-Identifier: BSD-3-Clause */
/* Other names for nodes, runs and cases: see run_redact.h. */
#include "report/cluster/run_redact.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes are numbered in the order of their names, in which figures show them. */
int wtl_redact_profile(struct wtl_redactor *redactor, struct wtl_run_profile *profile)
{
    size_t *order = malloc((profile->node_count + 1) * sizeof *order);
    int rc = order ? wtl_profile_order(profile, false, order) : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < profile->node_count; i++) {
        struct wtl_profile_node *node = &profile->nodes[order[i]];
        wtl_redactor_add_secret(redactor, node->name);
        node->name = wtl_redacted(redactor, WTL_REDACTED_NODE, node->name);
    }
    for (size_t i = 0; i < profile->totals.region_count; i++) {
        struct wtl_run_region_sum *region = &profile->totals.regions[i];
        region->name = wtl_redacted(redactor, WTL_REDACTED_NAME, region->name);
    }
    free(order);
    return rc;
}

void wtl_redact_study(struct wtl_redactor *redactor, struct wtl_study *study)
{
    for (size_t i = 0; i < study->run_count; i++) {
        struct wtl_study_run *run = &study->runs[i];
        (void)snprintf(run->name, sizeof run->name, "%s",
                       wtl_redacted(redactor, WTL_REDACTED_RUN, run->name));
    }
    for (size_t i = 0; i < study->case_count; i++) {
        struct wtl_study_case *one = &study->cases[i];
        one->name[0] = '\0';
        for (size_t k = 0; k < study->key_count; k++) {
            bool is_run = strcmp(study->keys[k], "run") == 0;
            size_t used = strlen(one->name);
            one->values[k] = wtl_redacted(redactor, is_run ? WTL_REDACTED_RUN : WTL_REDACTED_NAME,
                                          one->values[k]);
            (void)snprintf(one->name + used, sizeof one->name - used, "%s%s", used ? ", " : "",
                           one->values[k]);
        }
    }
}

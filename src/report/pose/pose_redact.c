/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of a study: see pose_redact.h. */
#define _GNU_SOURCE
#include "report/pose/pose_redact.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/redact.h"

/* A study owns its texts: each is freed when it is replaced. */
static int change(struct wtl_redactor *redactor, enum wtl_redacted_kind kind, char **text)
{
    if (!*text)
        return 0;
    const char *now = wtl_redacted(redactor, kind, *text);
    char *copy = strdup(now ? now : "");
    if (!copy)
        return -ENOMEM;
    free(*text);
    *text = copy;
    return 0;
}

static void change_flags(struct wtl_redactor *redactor, struct wtl_result_flag *flags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *meaning = wtl_redacted_flag(redactor, flags[i].name, flags[i].text);
        const char *kept = wtl_redacted(redactor, WTL_REDACTED_NAME, flags[i].text);
        bool plain = strcmp(kept, flags[i].text) == 0;
        if (meaning[0] || !plain)
            (void)snprintf(flags[i].text, sizeof flags[i].text, "%s",
                           meaning[0] ? meaning : "the details are left out");
    }
}

static bool is_host(const struct wtl_pose_study *study, const char *group)
{
    bool found = false;
    for (size_t i = 0; group && i < study->subject_count; i++) {
        const struct wtl_pose_subject *subject = &study->subjects[i];
        found |= subject->origin == WTL_POSE_TRACE && subject->group &&
                 strcmp(subject->group, group) == 0;
    }
    return found;
}

static void add_secrets(struct wtl_redactor *redactor, const struct wtl_pose_study *study)
{
    for (size_t i = 0; i < study->subject_count; i++) {
        const struct wtl_pose_subject *subject = &study->subjects[i];
        if (subject->origin == WTL_POSE_TRACE)
            wtl_redactor_add_secret(redactor, subject->group);
        for (size_t k = 0; subject->traces && k < subject->trace_count; k++)
            wtl_redactor_add_secrets_at(redactor, subject->traces[k]);
    }
    for (size_t i = 0; i < study->system_count; i++)
        if (study->systems[i].bounds_origin == WTL_POSE_CALIBRATION)
            wtl_redactor_add_secret(redactor, study->systems[i].group);
}

/* Machines before codes: the codes say whether a group is a host. */
static int change_system(struct wtl_redactor *redactor,
                         const struct wtl_pose_study *study,
                         struct wtl_pose_system_summary *system)
{
    bool host = system->bounds_origin == WTL_POSE_CALIBRATION || is_host(study, system->group);
    char **names[] = {&system->name, &system->pmin_name, &system->pmax_name};
    int rc = change(redactor, host ? WTL_REDACTED_NODE : WTL_REDACTED_NAME, &system->group);
    for (size_t i = 0; rc == 0 && i < sizeof names / sizeof *names; i++)
        rc = change(redactor, WTL_REDACTED_NAME, names[i]);
    change_flags(redactor, system->flags, system->flag_count);
    return rc;
}

static int change_subject(struct wtl_redactor *redactor, struct wtl_pose_subject *subject)
{
    bool host = subject->origin == WTL_POSE_TRACE;
    char **names[] = {&subject->label, &subject->contains, &subject->region, &subject->pmin_name,
                      &subject->pmax_name};
    int rc = change(redactor, host ? WTL_REDACTED_NODE : WTL_REDACTED_NAME, &subject->group);
    for (size_t i = 0; rc == 0 && i < sizeof names / sizeof *names; i++)
        rc = change(redactor, WTL_REDACTED_NAME, names[i]);
    for (size_t i = 0; rc == 0 && subject->traces && i < subject->trace_count; i++)
        rc = change(redactor, WTL_REDACTED_RUN, &subject->traces[i]);
    change_flags(redactor, subject->flags, subject->flag_count);
    return rc;
}

int wtl_pose_redact(struct wtl_pose_study *study)
{
    struct wtl_redactor *redactor = wtl_redactor_new();
    int rc = redactor ? 0 : -ENOMEM;
    if (redactor)
        add_secrets(redactor, study);
    for (size_t i = 0; rc == 0 && i < study->system_count; i++)
        rc = change_system(redactor, study, &study->systems[i]);
    for (size_t i = 0; rc == 0 && i < study->subject_count; i++)
        rc = change_subject(redactor, &study->subjects[i]);
    for (size_t i = 0; rc == 0 && i < study->candidate_count; i++)
        rc = change(redactor, WTL_REDACTED_NAME, &study->candidates[i].label);
    study->redacted = true;
    wtl_redactor_free(redactor);
    return rc;
}

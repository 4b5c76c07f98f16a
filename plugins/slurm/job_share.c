/* SPDX-License-Identifier: BSD-3-Clause */
/* See job_share.h. */
#define _GNU_SOURCE
#include "job_share.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPLY = 4096, FIELDS = 12 };

/* Fields of "CHANNEL joules unknown_s resolution in_total quality charged others idle unattributed", of a GPU with " undivided rule". */
enum { UNKNOWN_S = 2, IN_TOTAL = 4, QUALITY = 5, CHARGED = 6, UNDIVIDED = 10 };

static size_t split(char *line, char *fields[FIELDS])
{
    size_t count = 0;
    char *state = NULL;
    for (char *at = strtok_r(line, " ", &state); at && count < FIELDS;
         at = strtok_r(NULL, " ", &state))
        fields[count++] = at;
    return count;
}

/* A number, or NaN ("-"). */
static double number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end == text || *end != '\0' ? NAN : value;
}

/* One line; its part of the charged joules is added, NaN if that is unknown. */
static void take_line(char *line, bool estimates, bool *exclusive, double *charged_j)
{
    char *fields[FIELDS];
    char *equals = strstr(line, " = ");
    if (equals) { /* a fact; a note may have any text */
        *exclusive = *exclusive || strcmp(line, "rule = exclusive") == 0;
        return;
    }
    size_t count = split(line, fields);
    if (count == 3 && strcmp(fields[0], "more") == 0 && strcmp(fields[2], "0") != 0)
        *charged_j = NAN;
    if (count <= IN_TOTAL || strcmp(fields[IN_TOTAL], "1") != 0)
        return;
    bool whole = count > CHARGED && number(fields[UNKNOWN_S]) == 0 &&
                 (estimates || strcmp(fields[QUALITY], "estimated") != 0) &&
                 (count <= UNDIVIDED || number(fields[UNDIVIDED]) == 0);
    *charged_j += whole ? number(fields[CHARGED]) : NAN;
}

enum share_state job_share_parse(char *reply, bool estimates, double *ret_charged_j)
{
    bool exclusive = false;
    double charged_j = 0;
    char *state = NULL;
    char *line = strtok_r(reply, "\n", &state);
    if (!line || strncmp(line, "no missing", 10) == 0)
        return line ? SHARE_UNKNOWN_JOB : SHARE_UNKNOWN;
    if (strncmp(line, "ok ", 3) != 0)
        return SHARE_UNKNOWN;
    size_t lines = 0;
    while ((line = strtok_r(NULL, "\n", &state))) {
        take_line(line, estimates, &exclusive, &charged_j);
        lines++;
    }
    *ret_charged_j = lines > 0 ? charged_j : NAN;
    if (exclusive)
        return SHARE_EXCLUSIVE;
    return isfinite(*ret_charged_j) ? SHARE_CHARGED : SHARE_UNKNOWN;
}

static int ask(const char *request, uint64_t until_ns, char reply[REPLY])
{
    return until_ns > 0 ? slurm_wattled_wait(request, reply, REPLY, until_ns)
                        : slurm_wattled_ask(request, reply, REPLY);
}

enum share_state job_share_ask(const char *id,
                               bool estimates,
                               uint64_t until_ns,
                               double *ret_charged_j)
{
    char request[80], reply[REPLY];
    (void)snprintf(request, sizeof request, "job %.60s", id);
    int rc = ask(request, until_ns, reply);
    return rc == 0 || rc == -ECANCELED ? job_share_parse(reply, estimates, ret_charged_j)
                                       : SHARE_NO_ANSWER;
}

bool job_share_has_others(const char *reply, const char *job)
{
    const size_t n = strlen(job);
    const char *line = strncmp(reply, "ok", 2) == 0 ? strchr(reply, '\n') : NULL;
    for (; line && line[1]; line = strchr(line + 1, '\n')) {
        bool own = strncmp(line + 1, job, n) == 0 && (line[n + 1] == ' ' || line[n + 1] == '.');
        if (!own)
            return true;
    }
    return false;
}

int job_share_ask_others(const char *job, uint64_t until_ns)
{
    char reply[REPLY];
    int rc = ask("jobs", until_ns, reply);
    return rc < 0 ? rc : job_share_has_others(reply, job);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A request to wattled: see request.h. */
#define _GNU_SOURCE
#include "daemon/request.h"

#include <errno.h>
#include <string.h>

enum argument { NONE, JOB, USER, NUMBER };

static const struct verb {
    const char *name;
    enum wtl_request_verb verb;
    enum argument argument;
    bool privileged;
} verbs[] = {
    {"page", WTL_REQUEST_PAGE, NUMBER, false}, {"status", WTL_REQUEST_STATUS, NONE, false},
    {"begin", WTL_REQUEST_BEGIN, JOB, true},   {"end", WTL_REQUEST_END, JOB, true},
    {"jobs", WTL_REQUEST_JOBS, NONE, true},    {"allow", WTL_REQUEST_ALLOW, USER, true},
    {"deny", WTL_REQUEST_DENY, USER, true},    {"reload", WTL_REQUEST_RELOAD, NONE, true},
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool wtl_job_id_is_valid(const char *id)
{
    size_t n = strnlen(id, WTL_JOB_ID_MAX + 1);
    if (n == 0 || n > WTL_JOB_ID_MAX || !is_alnum(id[0]))
        return false;
    for (size_t i = 1; i < n; i++) {
        if (!is_alnum(id[i]) && !strchr("._+-", id[i]))
            return false;
    }
    return true;
}

bool wtl_request_is_privileged(enum wtl_request_verb verb)
{
    for (size_t i = 0; i < VERBS; i++) {
        if (verbs[i].verb == verb)
            return verbs[i].privileged;
    }
    return true;
}

/* Digits only, less than 2^32 - 1, which as a user means "unchanged". */
static bool read_number(const char *text, uint32_t *ret_value)
{
    uint64_t value = 0;
    size_t n = 0;
    for (; text[n] >= '0' && text[n] <= '9' && n < 11; n++)
        value = 10 * value + (uint64_t)(text[n] - '0');
    if (n == 0 || n > 10 || text[n] || value >= UINT32_MAX)
        return false;
    *ret_value = (uint32_t)value;
    return true;
}

static const char *take_argument(const struct verb *verb,
                                 const char *argument,
                                 struct wtl_request_line *request)
{
    uint32_t number = 0;
    switch (verb->argument) {
    case NONE:
        return argument[0] ? "this request has no argument" : NULL;
    case JOB:
        if (!wtl_job_id_is_valid(argument))
            return "a job id has 1 to 64 characters of A-Z a-z 0-9 . _ + -, the first a letter or "
                   "digit";
        memcpy(request->job, argument, strlen(argument) + 1);
        return NULL;
    case USER:
    case NUMBER:
        if (!read_number(argument, &number))
            return verb->argument == USER ? "a user id is a number" : "a version is a number";
        break;
    }
    request->uid = verb->argument == USER ? (uid_t)number : 0;
    request->version = verb->argument == NUMBER ? number : 0;
    return NULL;
}

int wtl_request_parse(const char *packet,
                      size_t size,
                      struct wtl_request_line *ret_request,
                      const char **ret_why)
{
    char line[WTL_REQUEST_MAX + 1];
    *ret_why = "a request is a line of at most 255 printable characters";
    if (size == 0 || size > WTL_REQUEST_MAX)
        return -EINVAL;
    for (size_t i = 0; i < size; i++) {
        if (packet[i] < ' ' || packet[i] > '~')
            return -EINVAL;
    }
    memcpy(line, packet, size);
    line[size] = '\0';
    char *argument = strchr(line, ' ');
    if (argument)
        *argument++ = '\0';
    *ret_request = (struct wtl_request_line){0};
    *ret_why = "unknown request";
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(line, verbs[i].name) != 0)
            continue;
        ret_request->verb = verbs[i].verb;
        *ret_why = take_argument(&verbs[i], argument ? argument : "", ret_request);
        return *ret_why ? -EINVAL : 0;
    }
    return -EINVAL;
}

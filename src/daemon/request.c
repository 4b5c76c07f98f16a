/* SPDX-License-Identifier: BSD-3-Clause */
/* A request to wattled: see request.h. */
#define _GNU_SOURCE
#include "daemon/request.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/parse.h"

enum argument { NONE, JOB, USER, NUMBER };

static const struct verb {
    const char *name;
    enum wtl_request_verb verb;
    enum argument argument;
    bool privileged;
} verbs[] = {
    {"page", WTL_REQUEST_PAGE, NUMBER, false},  {"status", WTL_REQUEST_STATUS, NONE, false},
    {"begin", WTL_REQUEST_BEGIN, JOB, true},    {"end", WTL_REQUEST_END, JOB, true},
    {"jobs", WTL_REQUEST_JOBS, NONE, true},     {"left", WTL_REQUEST_LEFT, NONE, true},
    {"job", WTL_REQUEST_JOB, JOB, true},        {"fetched", WTL_REQUEST_FETCHED, JOB, true},
    {"allow", WTL_REQUEST_ALLOW, USER, true},   {"deny", WTL_REQUEST_DENY, USER, true},
    {"reload", WTL_REQUEST_RELOAD, NONE, true},
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

/* ---- the lines of a job ---- */

/* A path within a hierarchy: no part of it leads out. The leading slash of /proc/PID/cgroup is left out. */
static bool take_path(const char *value, char *ret)
{
    value += strspn(value, "/");
    size_t length = strlen(value);
    if (length == 0 || length > WTL_JOB_PATH_MAX)
        return false;
    for (const char *part = value; *part; part += strcspn(part, "/"), part += strspn(part, "/")) {
        size_t n = strcspn(part, "/");
        if ((n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
            return false;
    }
    memcpy(ret, value, length + 1);
    return true;
}

static bool take_list(const char *value, char *ret)
{
    uint8_t set[8192 / 8] = {0};
    size_t length = strlen(value);
    if (length > WTL_JOB_PATH_MAX || wtl_parse_cpulist(value, set, 8 * sizeof set) <= 0)
        return false;
    memcpy(ret, value, length + 1);
    return true;
}

/* Words separated by commas. */
static bool take_gpus(const char *value, char *ret)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789,:._-";
    size_t length = strlen(value);
    if (length == 0 || length > WTL_JOB_PATH_MAX || value[strspn(value, allowed)])
        return false;
    memcpy(ret, value, length + 1);
    return true;
}

static bool take_note(const char *value, char *ret)
{
    size_t length = strlen(value);
    if (length == 0 || length > WTL_JOB_NOTE_MAX || value[0] == ' ' || value[length - 1] == ' ')
        return false;
    memcpy(ret, value, length + 1);
    return true;
}

static bool take_part(const char *value, double *ret)
{
    return wtl_parse_double(value, ret) == 0 && *ret >= 0 && *ret <= 1;
}

static bool take_time(const char *value, double *ret)
{
    const double last_s = 9e9; /* in nanoseconds it fits into 64 bits */
    return wtl_parse_double(value, ret) == 0 && *ret >= 0 && *ret <= last_s;
}

static bool take_job(const char *value, char *ret)
{
    bool valid = wtl_job_id_is_valid(value);
    if (valid)
        memcpy(ret, value, strlen(value) + 1);
    return valid;
}

/* NULL, or what is wrong with it; keys of a later version are left out. */
static const char *take_term(struct wtl_job_terms *terms, const char *key, const char *value)
{
    static const struct {
        const char *key;
        bool (*take)(const char *value, char *ret);
        size_t at;
        const char *why;
    } texts[] = {
        {"note", take_note, offsetof(struct wtl_job_terms, note),
         "a note has 1 to 1400 bytes, with no blank at its ends"},
        {"cgroup", take_path, offsetof(struct wtl_job_terms, cgroup),
         "a cgroup is a path of at most 255 bytes without .."},
        {"cpus", take_list, offsetof(struct wtl_job_terms, cpus), "cpus is a list such as 0-3,8"},
        {"gpus", take_gpus, offsetof(struct wtl_job_terms, gpus),
         "gpus is a list such as 0,1 or nvml:gpu-0, of at most 255 characters"},
        {"parent", take_job, offsetof(struct wtl_job_terms, parent), "a parent is the id of a job"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) == 0)
            return texts[i].take(value, (char *)terms + texts[i].at) ? NULL : texts[i].why;
    }
    if (strcmp(key, "reserved") == 0 && !take_part(value, &terms->reserved))
        return "reserved is a number from 0 to 1";
    if (strcmp(key, "ended") == 0 && !take_time(value, &terms->ended_s))
        return "ended is a time in seconds since 1970";
    if (strcmp(key, "slurm") == 0 && !read_number(value, &terms->slurm))
        return "slurm is the number of a job";
    if (strcmp(key, "pid") == 0 && !read_number(value, &terms->pid))
        return "pid is the number of a process";
    return NULL;
}

/* Lines "key=value"; bytes beyond ASCII only in a note. */
static const char *take_terms(char *lines, struct wtl_job_terms *terms)
{
    const char *why = NULL;
    char *line;
    terms->given = true;
    while (!why && (line = strsep(&lines, "\n"))) {
        char *value = strchr(line, '=');
        if (!line[0])
            continue;
        if (!value)
            return "a line of a job is key=value";
        *value++ = '\0';
        for (const char *c = value; *c && strcmp(line, "note") != 0; c++) {
            if (*c > '~' || *c < ' ')
                return "a value has printable characters";
        }
        why = take_term(terms, line, value);
    }
    return why;
}

/* Of the first line, and of the others. */
static bool is_printable(const char *packet, size_t first, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)packet[i];
        if (i < first ? c < ' ' || c > '~' : (c < ' ' && c != '\n') || c == 0x7f)
            return false;
    }
    return true;
}

static const char *take_verb(char *line, struct wtl_request_line *request)
{
    char *argument = strchr(line, ' ');
    if (argument)
        *argument++ = '\0';
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(line, verbs[i].name) != 0)
            continue;
        request->verb = verbs[i].verb;
        return take_argument(&verbs[i], argument ? argument : "", request);
    }
    return "unknown request";
}

int wtl_request_parse(const char *packet,
                      size_t size,
                      struct wtl_request_line *ret_request,
                      const char **ret_why)
{
    char text[WTL_REQUEST_MAX + 1];
    const char *end = size > 0 ? memchr(packet, '\n', size) : NULL;
    size_t first = end ? (size_t)(end - packet) : size;
    *ret_request = (struct wtl_request_line){0};
    *ret_why = "a request is a line of at most 255 printable characters";
    if (first == 0 || first > WTL_REQUEST_LINE_MAX || size > WTL_REQUEST_MAX ||
        !is_printable(packet, first, size))
        return -EINVAL;
    memcpy(text, packet, size);
    text[size] = text[first] = '\0';
    *ret_why = take_verb(text, ret_request);
    if (*ret_why || !end)
        return *ret_why ? -EINVAL : 0;
    if (ret_request->verb != WTL_REQUEST_BEGIN && ret_request->verb != WTL_REQUEST_END)
        *ret_why = "only begin and end have lines after the first one, all of it printable";
    else
        *ret_why = take_terms(text + first + 1, &ret_request->terms);
    return *ret_why ? -EINVAL : 0;
}

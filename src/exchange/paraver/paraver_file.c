/* SPDX-License-Identifier: BSD-3-Clause */
/* The header and the records of a .prv: see paraver_file.h. */
#define _GNU_SOURCE
#include "exchange/paraver/paraver_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"

/* ---- header ---- */

static int take_number(const char **text, uint64_t most, uint64_t *ret)
{
    int n = wtl_scan_u64(*text, strlen(*text), ret);
    *text += n > 0 ? n : 0;
    return n > 0 && *ret <= most ? 0 : -EBADMSG;
}

static bool skip_char(const char **text, char c)
{
    bool is = **text == c;
    *text += is;
    return is;
}

/* "10000199.079514_us": with "_" alone the unit is pmlib's, nanoseconds; without it microseconds. */
static int take_end(struct wtl_paraver_head *head, const char **text)
{
    size_t n = strcspn(*text, ":"), digits = strspn(*text, "0123456789.");
    head->time = (struct wtl_time_form){.unit = WTL_TIME_US, .point = '.'};
    if (digits < n && (*text)[digits] == '_') {
        const char *unit = *text + digits + 1;
        size_t length = n - digits - 1;
        bool two = length == 2, is_us = two && strncmp(unit, "us", length) == 0;
        bool is_ms = two && strncmp(unit, "ms", length) == 0;
        if (length > 0 && !is_us && !is_ms && !(two && strncmp(unit, "ns", length) == 0))
            return -EBADMSG; /* a guess could be wrong by orders of magnitude */
        head->time.unit = is_us ? WTL_TIME_US : is_ms ? WTL_TIME_MS : WTL_TIME_NS;
    } else if (digits < n) {
        return -EBADMSG;
    }
    int rc = digits > 0 ? wtl_time_parse(*text, digits, &head->time, &head->end_ns) : -EBADMSG;
    *text += n;
    return rc < 0 ? -EBADMSG : 0;
}

/* "0", "2(20,20)" */
static int take_nodes(struct wtl_paraver_head *head, const char **text)
{
    uint64_t nodes;
    if (take_number(text, WTL_PARAVER_THREADS_MAX, &nodes) < 0)
        return -EBADMSG;
    head->nodes = (unsigned)nodes;
    if (skip_char(text, '(')) {
        const char *stop = strchr(*text, ')');
        if (!stop)
            return -EBADMSG;
        *text = stop + 1;
    }
    return skip_char(text, ':') ? 0 : -EBADMSG;
}

/* "2:1": threads and node of a task */
static int take_task(struct wtl_paraver_head *head, unsigned application, const char **text)
{
    uint64_t threads, node = 0;
    if (take_number(text, WTL_PARAVER_THREADS_MAX, &threads) < 0 || !skip_char(text, ':') ||
        take_number(text, WTL_PARAVER_THREADS_MAX, &node) < 0 ||
        head->thread_count + threads > WTL_PARAVER_THREADS_MAX)
        return -EBADMSG;
    if (wtl_reserve(&head->tasks, &head->task_room, head->task_count + 1, sizeof *head->tasks) < 0)
        return -ENOMEM;
    head->tasks[head->task_count++] = (struct wtl_paraver_task){
        application, (unsigned)node, (unsigned)threads, head->thread_count};
    head->thread_count += threads;
    return 0;
}

/* "2(2:1,2:2)"; pmlib has a ':' too many. */
static int take_application(struct wtl_paraver_head *head, unsigned application, const char **text)
{
    uint64_t tasks;
    int rc = take_number(text, WTL_PARAVER_THREADS_MAX, &tasks);
    (void)skip_char(text, ':');
    if (rc < 0 || !skip_char(text, '('))
        return -EBADMSG;
    for (uint64_t i = 0; i < tasks; i++) {
        if (i > 0 && !skip_char(text, ','))
            return -EBADMSG;
        rc = take_task(head, application, text);
        if (rc < 0)
            return rc;
    }
    return skip_char(text, ')') ? 0 : -EBADMSG;
}

static int take_all(struct wtl_paraver_head *head, const char *text)
{
    uint64_t applications;
    if (take_end(head, &text) < 0 || !skip_char(&text, ':') || take_nodes(head, &text) < 0 ||
        take_number(&text, WTL_PARAVER_THREADS_MAX, &applications) < 0 || applications == 0 ||
        applications > strlen(text) || !skip_char(&text, ':'))
        return -EBADMSG;
    head->first_task = calloc(applications + 1, sizeof *head->first_task);
    if (!head->first_task)
        return -ENOMEM;
    for (uint64_t i = 0; i < applications; i++) {
        (void)(i > 0 && skip_char(&text, ','));
        head->first_task[i] = head->task_count;
        int rc = take_application(head, (unsigned)i + 1, &text);
        if (rc < 0)
            return rc;
    }
    head->first_task[applications] = head->task_count;
    head->applications = (unsigned)applications;
    return head->thread_count > 0 ? 0 : -EBADMSG;
}

int wtl_paraver_head_parse(struct wtl_paraver_head *head,
                           const char *path,
                           const char *line,
                           struct wattle_error *err)
{
    memset(head, 0, sizeof *head);
    const char *text = strncmp(line, "#Paraver (", 10) == 0 ? strstr(line, "):") : NULL;
    int rc = text ? take_all(head, text + 2) : -EBADMSG;
    if (rc == 0)
        return 0;
    wtl_paraver_head_fini(head);
    if (rc == -ENOMEM)
        return wtl_no_memory_for(err, "%s", path);
    return wtl_fail(err, rc, "%s:1: not the header of a Paraver trace", path);
}

void wtl_paraver_head_fini(struct wtl_paraver_head *head)
{
    free(head->first_task);
    free(head->tasks);
    memset(head, 0, sizeof *head);
}

/* The task and thread of an object as records name it; NULL if there is none. *ret_thread: of the file. */
static const struct wtl_paraver_task *paraver_find(const struct wtl_paraver_head *head,
                                                   uint64_t application,
                                                   uint64_t task,
                                                   uint64_t thread,
                                                   size_t *ret_thread)
{
    if (application == 0 || application > head->applications || task == 0)
        return NULL;
    size_t first = head->first_task[application - 1], end = head->first_task[application];
    if (task > end - first)
        return NULL;
    const struct wtl_paraver_task *found = &head->tasks[first + task - 1];
    if (thread == 0 || thread > found->threads)
        return NULL;
    *ret_thread = found->first + (size_t)thread - 1;
    return found;
}

/* ---- records ---- */

struct wtl_paraver_field wtl_paraver_next(const char **text)
{
    struct wtl_paraver_field field = {.text = *text, .length = strcspn(*text, ":")};
    *text += field.length + ((*text)[field.length] == ':');
    return field;
}

bool wtl_paraver_integer(struct wtl_paraver_field field, int64_t *ret)
{
    bool negative = field.length > 0 && *field.text == '-';
    uint64_t value;
    int n = wtl_scan_u64(field.text + negative, field.length - negative, &value);
    if (n <= 0 || value > INT64_MAX)
        return false;
    *ret = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

int wtl_paraver_record_parse(const struct wtl_paraver_head *head,
                             const char *line,
                             struct wtl_paraver_record *ret_record,
                             const char **ret_why)
{
    int64_t place[4]; /* cpu, application, task, thread */
    if (line[0] != '1' && line[0] != '2') {
        *ret_why = "not a record";
        return line[0] == '\0' || strchr("34cCiI#", line[0]) ? 0 : -EBADMSG;
    }
    if (line[1] != ':') {
        *ret_why = "not a record";
        return -EBADMSG;
    }
    const char *text = line + 2;
    for (size_t i = 0; i < 4; i++) {
        if (!wtl_paraver_integer(wtl_paraver_next(&text), &place[i]) || place[i] < 0) {
            *ret_why = "a field is not a number";
            return -EBADMSG;
        }
    }
    ret_record->kind = line[0];
    ret_record->task = paraver_find(head, (uint64_t)place[1], (uint64_t)place[2],
                                    (uint64_t)place[3], &ret_record->thread);
    if (!ret_record->task) {
        *ret_why = "its thread is not in the header";
        return -EBADMSG;
    }
    struct wtl_paraver_field time = wtl_paraver_next(&text);
    if (wtl_time_parse(time.text, time.length, &head->time, &ret_record->time_ns) < 0 ||
        ret_record->time_ns < 0) {
        *ret_why = "its time is not a number";
        return -EBADMSG;
    }
    ret_record->rest = text;
    return 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sim/programs/programs.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"

enum { EVENTS = WTL_SIM_PROGRAM_EVENTS, TICK_NS = 10000000 };
static const double CYCLES_S = 3e9;
static const size_t NONE = SIZE_MAX;

/* A process, also one that has ended. */
struct process {
    pid_t pid;
    size_t parent; /* its place in the list; NONE = outside */
    uint64_t used_ns;
    double events[EVENTS];
    bool there;
};

struct sums {
    double used_s, events[EVENTS];
};

struct wtl_sim_programs {
    struct wtl_sim_program kinds[WTL_SIM_PROGRAM_KINDS];
    size_t kind_count;
    double power_w[WTL_SIM_PROGRAM_KINDS]; /* since the last look */
    struct process *list;
    size_t count, room;
    uint64_t look_ns, first_ns; /* 0 = none yet */
    char *groups[WTL_SIM_PROGRAM_GROUPS];
    size_t group_count;
    size_t cpus;
    struct sums *sums; /* [1 + WTL_SIM_PROGRAM_GROUPS][cpus]: of all, then of each group */
};

static int parse_numbers(char *text, double *numbers, size_t n)
{
    size_t i = 0;
    for (char *word; (word = strsep(&text, ":")); i++) {
        if (i == n || wtl_parse_double(word, &numbers[i]) < 0 ||
            !(numbers[i] >= 0 && numbers[i] < 1e6))
            return -EINVAL;
    }
    return 0;
}

static int parse_kind(struct wtl_sim_programs *programs, char *word, struct wattle_error *err)
{
    assert(programs);
    double numbers[] = {0, 1, 1};
    struct wtl_sim_program *kind = &programs->kinds[programs->kind_count];
    char *value = strrchr(word, '=');
    if (programs->kind_count == WTL_SIM_PROGRAM_KINDS)
        return wtl_fail(err, -EINVAL, "more than %d programs", WTL_SIM_PROGRAM_KINDS);
    if (!value || value == word || (size_t)(value - word) >= sizeof kind->name)
        return wtl_fail(err, -EINVAL,
                        "'%s' is not NAME=WATTS[:IPC[:MISSES]], such as spin=6:2.5:0.1", word);
    *value++ = '\0';
    if (parse_numbers(value, numbers, sizeof numbers / sizeof *numbers) < 0)
        return wtl_fail(err, -EINVAL,
                        "%s: must be watts, instructions per cycle and misses per 1000 cycles, "
                        "such as 6:2.5:0.1",
                        word);
    kind->power_w = numbers[0];
    kind->events_s[0] = CYCLES_S;
    kind->events_s[1] = CYCLES_S * numbers[1];
    kind->events_s[2] = CYCLES_S * numbers[2] * 1e-3;
    (void)snprintf(kind->name, sizeof kind->name, "%s", word);
    programs->kind_count++;
    return 0;
}

int wtl_sim_programs_create(const char *text,
                            int cpus,
                            struct wtl_sim_programs **ret_programs,
                            struct wattle_error *err)
{
    struct wtl_sim_programs *programs = calloc(1, sizeof *programs);
    char *words = strdup(text), *rest = words;
    size_t count = cpus > 0 ? (size_t)cpus : 1;
    if (programs)
        programs->sums = calloc((1 + WTL_SIM_PROGRAM_GROUPS) * count, sizeof *programs->sums);
    int rc = programs && words && programs->sums ? 0 : wtl_fail(err, -ENOMEM, "out of memory");
    for (char *word; rc == 0 && (word = strsep(&rest, ","));)
        rc = parse_kind(programs, word, err);
    free(words);
    if (rc < 0) {
        wtl_sim_programs_destroy(programs);
        return rc;
    }
    assert(programs);
    programs->cpus = count;
    *ret_programs = programs;
    return 0;
}

void wtl_sim_programs_destroy(struct wtl_sim_programs *programs)
{
    if (!programs)
        return;
    for (size_t i = 0; i < programs->group_count; i++)
        free(programs->groups[i]);
    free(programs->sums);
    free(programs->list);
    free(programs);
}

/* NONE: it takes no power and counts nothing. */
static size_t kind_of(const struct wtl_sim_programs *programs, const char *name)
{
    size_t other = NONE;
    for (size_t i = 0; i < programs->kind_count; i++) {
        if (strcmp(programs->kinds[i].name, name) == 0)
            return i;
        if (strcmp(programs->kinds[i].name, "*") == 0)
            other = i;
    }
    return other;
}

/* The newest that is there with this number. */
static size_t find(const struct wtl_sim_programs *programs, pid_t pid)
{
    for (size_t i = programs->count; i-- > 0;) {
        if (programs->list[i].pid == pid && programs->list[i].there)
            return i;
    }
    return NONE;
}

static struct sums *sums_at(const struct wtl_sim_programs *programs, int group, size_t cpu)
{
    return &programs->sums[(size_t)(group + 1) * programs->cpus + cpu];
}

static void add_used(struct sums *sums, double used_s, const struct wtl_sim_program *kind)
{
    sums->used_s += used_s;
    for (size_t k = 0; kind && k < EVENTS; k++)
        sums->events[k] += used_s * kind->events_s[k];
}

/* What a process has used since the last look. */
static void charge_program(struct wtl_sim_programs *programs,
                           struct process *process,
                           const struct wtl_sim_seen *seen,
                           double *used_s)
{
    size_t at = kind_of(programs, seen->name);
    const struct wtl_sim_program *kind = at == NONE ? NULL : &programs->kinds[at];
    double more_s = (double)(seen->used_ns - process->used_ns) * 1e-9;
    size_t cpu = seen->cpu < 0 ? 0 : (size_t)seen->cpu % programs->cpus;
    process->used_ns = seen->used_ns;
    for (size_t k = 0; kind && k < EVENTS; k++)
        process->events[k] += more_s * kind->events_s[k];
    add_used(sums_at(programs, -1, cpu), more_s, kind);
    for (size_t g = 0; g < programs->group_count; g++) {
        if (seen->groups >> g & 1)
            add_used(sums_at(programs, (int)g, cpu), more_s, kind);
    }
    if (kind)
        used_s[at] += more_s;
}

static int add_process(struct wtl_sim_programs *programs,
                       const struct wtl_sim_seen *seen,
                       size_t *ret_at)
{
    if (wtl_reserve(&programs->list, &programs->room, programs->count + 1, sizeof *programs->list) <
        0)
        return -ENOMEM;
    programs->list[programs->count] =
        (struct process){.pid = seen->pid, .parent = find(programs, seen->parent)};
    *ret_at = programs->count++;
    return 0;
}

int wtl_sim_programs_look(struct wtl_sim_programs *programs,
                          uint64_t now_ns,
                          const struct wtl_sim_seen *list,
                          size_t n,
                          double *ret_w)
{
    double used_s[WTL_SIM_PROGRAM_KINDS] = {0};
    double passed_s = programs->look_ns > 0 ? (double)(now_ns - programs->look_ns) * 1e-9 : 0;
    bool *there = calloc(programs->count + n + 1, sizeof *there);
    int rc = there ? 0 : -ENOMEM;
    for (size_t i = 0; i < n && rc == 0; i++) {
        size_t at = find(programs, list[i].pid);
        if (at == NONE || list[i].used_ns < programs->list[at].used_ns)
            rc = add_process(programs, &list[i], &at);
        if (rc < 0)
            break;
        programs->list[at].there = there[at] = true;
        charge_program(programs, &programs->list[at], &list[i], used_s);
    }
    for (size_t i = 0; i < programs->count && there; i++)
        programs->list[i].there = there[i];
    free(there);
    *ret_w = 0;
    for (size_t k = 0; k < programs->kind_count; k++) {
        struct wtl_sim_program *kind = &programs->kinds[k];
        kind->cpu_s += used_s[k];
        kind->energy_j += programs->power_w[k] * passed_s;
        programs->power_w[k] = passed_s > 0 ? used_s[k] / passed_s * kind->power_w : 0;
        *ret_w += programs->power_w[k];
    }
    if (programs->first_ns == 0)
        programs->first_ns = now_ns;
    programs->look_ns = now_ns;
    return rc;
}

size_t wtl_sim_programs_born(const struct wtl_sim_programs *programs)
{
    return programs->count;
}

/* Does the event of a process count this one? Of a child that was there before, and of its own children, not. */
static bool is_counted(const struct wtl_sim_programs *programs,
                       size_t at,
                       const struct wtl_sim_scope *scope)
{
    while (scope->inherit && at != NONE && programs->list[at].pid != scope->pid) {
        if (at < scope->born)
            return false;
        at = programs->list[at].parent;
    }
    return at != NONE && programs->list[at].pid == scope->pid;
}

double wtl_sim_programs_count(const struct wtl_sim_programs *programs,
                              size_t event,
                              const struct wtl_sim_scope *scope)
{
    double sum = 0;
    for (size_t i = 0; scope->pid > 0 && i < programs->count; i++) {
        if (is_counted(programs, i, scope))
            sum += programs->list[i].events[event];
    }
    for (size_t cpu = 0; scope->pid <= 0 && cpu < programs->cpus; cpu++) {
        if (scope->cpu < 0 || (size_t)scope->cpu == cpu)
            sum += sums_at(programs, scope->group, cpu)->events[event];
    }
    return sum;
}

int wtl_sim_programs_group(struct wtl_sim_programs *programs, const char *path)
{
    for (size_t i = 0; i < programs->group_count; i++) {
        if (strcmp(programs->groups[i], path) == 0)
            return (int)i;
    }
    if (programs->group_count == WTL_SIM_PROGRAM_GROUPS)
        return -ENOSPC;
    char *copy = strdup(path);
    if (!copy)
        return -ENOMEM;
    programs->groups[programs->group_count] = copy;
    return (int)programs->group_count++;
}

size_t wtl_sim_programs_groups(const struct wtl_sim_programs *programs,
                               const char *paths[WTL_SIM_PROGRAM_GROUPS])
{
    for (size_t i = 0; i < programs->group_count; i++)
        paths[i] = programs->groups[i];
    return programs->group_count;
}

/* Ticks since the first look in which a CPU did nothing. */
static uint64_t idle_ticks(const struct wtl_sim_programs *programs, uint64_t now_ns, size_t cpu)
{
    double used_s = sums_at(programs, -1, cpu)->used_s;
    double passed_s = programs->first_ns > 0 ? (double)(now_ns - programs->first_ns) * 1e-9 : 0;
    return used_s < passed_s ? (uint64_t)((passed_s - used_s) * 1e9 / TICK_NS) : 0;
}

static uint64_t busy_ticks(const struct wtl_sim_programs *programs, size_t cpu)
{
    return (uint64_t)(sums_at(programs, -1, cpu)->used_s * 1e9 / TICK_NS);
}

uint64_t wtl_sim_programs_used_ns(const struct wtl_sim_programs *programs)
{
    double used_s = 0;
    for (size_t c = 0; c < programs->cpus; c++)
        used_s += sums_at(programs, -1, c)->used_s;
    return (uint64_t)(used_s * 1e9);
}

ssize_t wtl_sim_programs_stat(const struct wtl_sim_programs *programs,
                              uint64_t now_ns,
                              char *buf,
                              size_t size)
{
    uint64_t busy = 0, idle = 0;
    size_t used = 0;
    for (size_t c = 0; c < programs->cpus; c++) {
        busy += busy_ticks(programs, c);
        idle += idle_ticks(programs, now_ns, c);
    }
    int n = snprintf(buf, size, "cpu  %llu 0 0 %llu 0 0 0 0 0 0\n", (unsigned long long)busy,
                     (unsigned long long)idle);
    for (size_t c = 0; c < programs->cpus && n >= 0 && (size_t)n < size - used; c++) {
        used += (size_t)n;
        n = snprintf(buf + used, size - used, "cpu%zu %llu 0 0 %llu 0 0 0 0 0 0\n", c,
                     (unsigned long long)busy_ticks(programs, c),
                     (unsigned long long)idle_ticks(programs, now_ns, c));
    }
    return n >= 0 && (size_t)n < size - used ? (ssize_t)used + n : -EOVERFLOW;
}

const struct wtl_sim_program *wtl_sim_programs_truth(const struct wtl_sim_programs *programs,
                                                     size_t *ret_count)
{
    *ret_count = programs->kind_count;
    return programs->kinds;
}

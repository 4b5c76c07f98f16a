/* SPDX-License-Identifier: BSD-3-Clause */
/* The node in real time and its requests: see live_node.h. */
#define _GNU_SOURCE
#include "sim/live_node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/world/world.h"
#include "sim/node.h"
#include "sim/speed.h"

/* ---- phases and counts ---- */

static int no_phases(struct wattle_error *err)
{
    return wtl_fail(err, -EINVAL, "this node has no phases; see wattle-sim run --phases");
}

/* 0, or -EINVAL with the remedy. The two instants are from the start of the node on, in order. */
static int phase_answer_phases(const struct wtl_node *of, FILE *out, struct wattle_error *err)
{
    const struct wtl_node_config *node = wtl_node_config(of);
    if (!node->track)
        return no_phases(err);
    size_t count;
    const struct wtl_sim_segment *list = wtl_sim_track_segments(node->track, &count);
    const struct wtl_phase_world_config *world = wtl_sim_track_config(node->track);
    uint64_t step = wtl_sim_track_step_ns(node->track);
    (void)fprintf(out, "ok %llu\n", (unsigned long long)node->t0_ns);
    for (size_t i = 0; i < count; i++) {
        uint64_t from = node->t0_ns + list[i].first * step, to = from + list[i].rows * step;
        (void)fprintf(out, "%llu\t%llu\t%s\t%.9g\n", (unsigned long long)from,
                      (unsigned long long)to, world->letters[list[i].letter].name, list[i].mean_w);
    }
    return 0;
}

static int phase_answer_counts(const struct wtl_node *of,
                               const uint64_t limits[2],
                               FILE *out,
                               struct wattle_error *err)
{
    const struct wtl_node_config *node = wtl_node_config(of);
    if (!node->track)
        return no_phases(err);
    const struct wtl_phase_world_config *world = wtl_sim_track_config(node->track);
    (void)fprintf(out, "ok %llu %llu\n", (unsigned long long)limits[0],
                  (unsigned long long)limits[1]);
    for (size_t i = 0; i < world->columns; i++) {
        uint64_t from = wtl_sim_track_count(node->track, i, (int64_t)(limits[0] - node->t0_ns));
        uint64_t to = wtl_sim_track_count(node->track, i, (int64_t)(limits[1] - node->t0_ns));
        (void)fprintf(out, "%s %llu\n", world->names[i], (unsigned long long)(to - from));
    }
    return 0;
}

/* ---- the node ---- */

enum { ASSIGNMENTS = 64 };

void wtl_live_init(struct wtl_live *live, const struct wtl_tree *tree)
{
    *live = (struct wtl_live){.tree = tree};
    (void)pthread_mutex_init(&live->lock, NULL); /* cannot fail without attributes */
}

void wtl_live_fini(struct wtl_live *live)
{
    wtl_sim_pmu_destroy(live->pmu);
    wtl_sim_kernels_fini(&live->kernels);
    wtl_node_destroy(live->node);
    for (size_t i = 0; i < live->step_count; i++)
        wtl_expression_destroy(live->steps[i].power);
    free(live->steps);
    (void)pthread_mutex_destroy(&live->lock); /* no longer held */
}

uint64_t wtl_live_now(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

int wtl_live_start(struct wtl_live *live, struct wtl_node_config *config, struct wattle_error *err)
{
    (void)pthread_mutex_lock(&live->lock);
    config->start_ns = wtl_live_now();
    if (config->t0_ns == 0)
        config->t0_ns = config->start_ns;
    int rc = wtl_node_create(config, &live->node, err);
    if (live->pmu)
        wtl_sim_pmu_start(live->pmu, config->t0_ns);
    (void)pthread_mutex_unlock(&live->lock);
    return rc;
}

/* A step of the tasks that comes after what was already shown counts from now on. */
static int step_tasks(void *user, uint64_t time_ns, double tasks_w, unsigned busy)
{
    struct wtl_live *live = user;
    int rc = wtl_node_set_tasks(live->node, time_ns, tasks_w, busy);
    return rc == -EINVAL ? wtl_node_set_tasks(live->node, live->now_ns, tasks_w, busy) : rc;
}

/* Events of kernels up to now come before anything is asked of now; out of memory: the GPU goes on as it is. */
static void step_gpu(void *context, uint64_t time_ns, int gpu, double level)
{
    struct wtl_live *live = context;
    (void)wtl_node_set_gpu(live->node, time_ns, gpu, level);
}

/* Now, with all that happened until then. */
static uint64_t instant(struct wtl_live *live)
{
    uint64_t now_ns = live->now_ns = wtl_live_now();
    if (live->follow) /* out of memory: the tasks go on as they are */
        (void)wtl_sim_follow_until(live->follow, now_ns, step_tasks, live);
    wtl_sim_kernels_until(&live->kernels, now_ns, step_gpu, live);
    return now_ns;
}

void wtl_live_add_spools(struct wtl_live *live, char *const paths[], size_t count)
{
    (void)pthread_mutex_lock(&live->lock);
    for (size_t i = 0; i < count; i++)
        (void)wtl_sim_follow_add(live->follow, paths[i]); /* not ready yet: the next time */
    (void)pthread_mutex_unlock(&live->lock);
}

ssize_t wtl_live_text(struct wtl_live *live,
                      int entry,
                      char buf[WTL_TREE_TEXT],
                      const char **ret_text)
{
    (void)pthread_mutex_lock(&live->lock);
    ssize_t n = -EAGAIN;
    if (live->node)
        n = wtl_tree_text(live->tree, live->node, entry, instant(live), buf, ret_text);
    const struct wtl_entry *e = wtl_tree_entry(live->tree, entry);
    if (n == 0 && e->content == WTL_CONTENT_STAT && live->programs)
        n = wtl_sim_programs_stat(live->programs, live->now_ns, buf, WTL_TREE_TEXT);
    if (n == 0 && e->content == WTL_CONTENT_CPUACCT && live->programs)
        n = snprintf(buf, WTL_TREE_TEXT, "%llu\n",
                     (unsigned long long)wtl_sim_programs_used_ns(live->programs));
    if (n == 0 && e->content == WTL_CONTENT_GPU && e->gpu_field == WTL_SIM_GPU_PROCESSES)
        n = wtl_sim_kernels_show(&live->kernels, e->cpu, buf, WTL_TREE_TEXT);
    (void)pthread_mutex_unlock(&live->lock);
    return n;
}

int wtl_live_open(struct wtl_live *live, int entry)
{
    (void)pthread_mutex_lock(&live->lock);
    int rc = live->node ? wtl_tree_open(live->tree, live->node, entry, instant(live)) : 0;
    (void)pthread_mutex_unlock(&live->lock);
    return rc;
}

int wtl_live_msr(struct wtl_live *live, int cpu, uint32_t reg, uint64_t *ret_value)
{
    (void)pthread_mutex_lock(&live->lock);
    int rc = -EAGAIN;
    if (live->node)
        rc = wtl_tree_msr(live->tree, live->node, cpu, reg, instant(live), ret_value);
    (void)pthread_mutex_unlock(&live->lock);
    return rc;
}

void wtl_live_look(struct wtl_live *live, const struct wtl_sim_seen *list, size_t n)
{
    double programs_w;
    (void)pthread_mutex_lock(&live->lock);
    uint64_t now_ns = instant(live);
    /* Out of memory: the programs go on as they are. */
    if (wtl_sim_programs_look(live->programs, now_ns, list, n, &programs_w) == 0)
        (void)wtl_node_set_tasks(live->node, now_ns, programs_w, 0);
    (void)pthread_mutex_unlock(&live->lock);
}

size_t wtl_live_groups(struct wtl_live *live, const char *paths[WTL_SIM_PROGRAM_GROUPS])
{
    (void)pthread_mutex_lock(&live->lock);
    size_t count = wtl_sim_programs_groups(live->programs, paths); /* they stay */
    (void)pthread_mutex_unlock(&live->lock);
    return count;
}

void wtl_live_load(struct wtl_live *live, double load)
{
    (void)pthread_mutex_lock(&live->lock);
    struct wtl_influence last = wtl_node_influence(live->node);
    /* If out of memory, the old load stays in effect, both in what is shown and in the truth. */
    if (!live->load_fixed && load != last.load)
        (void)wtl_node_set_load(live->node, instant(live), load);
    (void)pthread_mutex_unlock(&live->lock);
}

int wtl_live_frequency(struct wtl_live *live, double ghz)
{
    if (!(ghz > 0 && ghz < 1000))
        return -EINVAL;
    (void)pthread_mutex_lock(&live->lock);
    int rc = -EAGAIN;
    if (live->node)
        rc = wtl_node_force_frequency(live->node, instant(live), ghz);
    (void)pthread_mutex_unlock(&live->lock);
    return rc;
}

int wtl_live_write(struct wtl_live *live, int entry, const char *text, size_t n)
{
    (void)pthread_mutex_lock(&live->lock);
    int rc = -EAGAIN;
    if (live->node)
        rc = wtl_tree_write(live->tree, live->node, entry, instant(live), text, n);
    (void)pthread_mutex_unlock(&live->lock);
    return rc;
}

double wtl_live_speed(struct wtl_live *live)
{
    (void)pthread_mutex_lock(&live->lock);
    double speed = live->node ? wtl_speed_of(live->speed, live->node) : 1;
    (void)pthread_mutex_unlock(&live->lock);
    return speed;
}

/* One NAME=VALUE of a set request. */
struct assignment {
    enum { SET_POWER, SET_LOAD, SET_LOAD_AUTO, SET_F, SET_FAULT } kind;
    int domain, index; /* for SET_POWER; index -1 = all */
    double value;
    const char *text;
    struct wtl_fault fault;
};

/* Find the domains that `word` names. */
static int parse_domain(const struct wtl_node *node,
                        const char *word,
                        struct assignment *a,
                        struct wattle_error *err)
{
    char known[256] = "", name[48];
    bool found = false;
    if (wtl_fault_domain(word, strlen(word), &a->domain, &a->index) < 0)
        a->domain = -1;
    for (size_t i = 0; i < wtl_node_count(node); i++) {
        const struct wtl_node_domain *d = wtl_node_domain(node, i);
        found |= (int)d->domain == a->domain && (a->index < 0 || a->index == d->index);
        wtl_node_name(node, i, name, sizeof name);
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s, ", name); /* truncated if very
                                                                          * many */
    }
    if (!found)
        return wtl_fail(err, -EINVAL, "unknown domain '%s'; this node has %sload, f", word, known);
    return 0;
}

static int parse_assignment(const struct wtl_node *node,
                            char *word,
                            struct assignment *a,
                            struct wattle_error *err)
{
    char *value = strchr(word, '=');
    if (!value)
        return wtl_fail(err, -EINVAL, "\"%s\": write NAME=VALUE, such as package=120", word);
    *value++ = '\0';
    *a = (struct assignment){.kind = SET_POWER, .text = value};
    if (strcmp(word, "load") == 0) {
        a->kind = strcmp(value, "auto") == 0 ? SET_LOAD_AUTO : SET_LOAD;
        if (a->kind == SET_LOAD &&
            (wtl_parse_double(value, &a->value) < 0 || a->value < 0 || a->value > 1))
            return wtl_fail(err, -EINVAL, "load=%s: must be 0 to 1, or auto", value);
        return 0;
    }
    if (strcmp(word, "f") == 0) {
        a->kind = SET_F;
        if (wtl_parse_double(value, &a->value) < 0 || !(a->value > 0 && a->value < 1000))
            return wtl_fail(err, -EINVAL, "f=%s: must be a frequency in GHz, such as 2.5", value);
        return 0;
    }
    if (strcmp(word, "fault") == 0) {
        a->kind = SET_FAULT;
        return wtl_fault_parse(value, &a->fault, err);
    }
    return parse_domain(node, word, a, err);
}

/* Reserve room for the steps, so that a set request cannot fail half way. */
static int reserve_steps(struct wtl_live *live, size_t more)
{
    return wtl_reserve(&live->steps, &live->step_capacity, live->step_count + more,
                       sizeof *live->steps);
}

/* Compile one power for each affected domain; the new steps are after step_count. */
static int prepare(struct wtl_live *live,
                   const struct assignment *a,
                   size_t *waiting,
                   struct wattle_error *err)
{
    for (size_t i = 0; i < wtl_node_count(live->node); i++) {
        const struct wtl_node_domain *d = wtl_node_domain(live->node, i);
        struct wtl_expression *power;
        if ((int)d->domain != a->domain || (a->index >= 0 && a->index != d->index))
            continue;
        int rc =
            wtl_expression_compile(a->text, wtl_power_variables, WTL_POWER_VARIABLES, &power, err);
        if (rc == 0 && !wtl_node_config(live->node)->track &&
            wtl_expression_uses(power, WTL_POWER_PHASES)) {
            wtl_expression_destroy(power);
            rc = wtl_fail(err, -EINVAL, "%s: this node has no phases", a->text);
        }
        if (rc < 0)
            return rc;
        rc = reserve_steps(live, *waiting + 1);
        if (rc < 0) {
            wtl_expression_destroy(power);
            return wtl_fail(err, rc, "out of memory");
        }
        live->steps[live->step_count + (*waiting)++] =
            (struct wtl_live_step){.domain = (int)i, .power = power};
    }
    return 0;
}

/* Its time counts from now. */
static int add_fault(struct wtl_live *live, struct wtl_fault fault, uint64_t now)
{
    uint64_t t0 = wtl_node_config(live->node)->t0_ns;
    fault.at_ns += now > t0 ? now - t0 : 0;
    return wtl_node_add_fault(live->node, &fault);
}

/* Apply all at one instant, holding the node's lock. */
static int apply(struct wtl_live *live,
                 const struct assignment *list,
                 size_t n,
                 size_t waiting,
                 uint64_t now)
{
    double load = wtl_node_influence(live->node).load;
    int rc = 0;
    for (size_t i = 0; i < waiting; i++) {
        struct wtl_live_step *step = &live->steps[live->step_count++];
        step->time_ns = now;
        int set = wtl_node_set_power(live->node, (size_t)step->domain, now, step->power);
        rc = rc < 0 ? rc : set;
    }
    for (size_t i = 0; i < n; i++) {
        if (list[i].kind == SET_POWER)
            continue;
        if (list[i].kind == SET_FAULT) {
            int added = add_fault(live, list[i].fault, now);
            rc = rc < 0 ? rc : added;
            continue;
        }
        if (list[i].kind == SET_F)
            rc = wtl_node_force_frequency(live->node, now, list[i].value);
        else
            live->load_fixed = list[i].kind == SET_LOAD;
        if (list[i].kind == SET_LOAD)
            load = list[i].value;
    }
    int set = wtl_node_settle(live->node, now, load);
    return rc < 0 ? rc : set;
}

static int answer_set(struct wtl_live *live, char *words, FILE *out, struct wattle_error *err)
{
    struct assignment list[ASSIGNMENTS] = {0};
    size_t n = 0, waiting = 0;
    int rc = 0;
    for (char *word; rc == 0 && (word = strsep(&words, "\n"));) {
        if (!*word)
            continue;
        if (n == ASSIGNMENTS)
            return wtl_fail(err, -EINVAL, "at most %d settings at once", ASSIGNMENTS);
        rc = parse_assignment(live->node, word, &list[n], err);
        n += rc == 0;
    }
    if (rc == 0 && n == 0)
        rc = wtl_fail(err, -EINVAL, "nothing to set; write NAME=VALUE, such as package=120");
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (list[i].kind == SET_POWER)
            rc = prepare(live, &list[i], &waiting, err);
    }
    uint64_t now = instant(live);
    if (rc == 0) {
        rc = apply(live, list, n, waiting, now);
        if (rc < 0)
            return wtl_fail(err, rc, "cannot apply the step: %s", wtl_strerror(rc));
        (void)fprintf(out, "ok %llu\n", (unsigned long long)now);
        return 0;
    }
    for (size_t i = 0; i < waiting; i++)
        wtl_expression_destroy(live->steps[live->step_count + i].power);
    return rc;
}

/* FROM and TO, by default from the start to now. */
static int parse_limits(struct wtl_live *live,
                        char *words,
                        uint64_t limits[2],
                        struct wattle_error *err)
{
    uint64_t start = wtl_node_config(live->node)->start_ns, now = instant(live);
    limits[0] = start;
    limits[1] = now;
    int n = 0;
    for (char *word; (word = strsep(&words, "\n"));) {
        if (*word && (n == 2 || wtl_parse_u64(word, &limits[n]) < 0))
            return wtl_fail(err, -EINVAL, "\"%s\": must be CLOCK_MONOTONIC nanoseconds", word);
        n += *word != '\0';
    }
    if (limits[0] == 0)
        limits[0] = start;
    if (limits[0] < start)
        return wtl_fail(err, -EINVAL, "from %llu is before the start of the node at %llu",
                        (unsigned long long)limits[0], (unsigned long long)start);
    if (limits[1] > now || limits[1] < limits[0])
        return wtl_fail(err, -EINVAL, "to %llu must be between from and now, which is %llu",
                        (unsigned long long)limits[1], (unsigned long long)now);
    return 0;
}

static int answer_energy(struct wtl_live *live, const uint64_t limits[2], FILE *out)
{
    (void)fprintf(out, "ok %llu %llu\n", (unsigned long long)limits[0],
                  (unsigned long long)limits[1]);
    for (size_t i = 0; i < wtl_node_count(live->node); i++) {
        char name[48];
        wtl_node_name(live->node, i, name, sizeof name);
        (void)fprintf(out, "%s %.17g\n", name,
                      wtl_node_energy_j(live->node, i, limits[0], limits[1]));
    }
    return 0;
}

static void log_head(const struct wtl_node *node, FILE *out)
{
    const struct wtl_node_config *config = wtl_node_config(node);
    unsigned long long start = config->start_ns;
    (void)fprintf(out, "%llu\tstart\t%llu\n", start, (unsigned long long)config->seed);
    for (size_t i = 0; i < wtl_node_count(node); i++) {
        char name[48];
        wtl_node_name(node, i, name, sizeof name);
        (void)fprintf(out, "%llu\t%s\t%s\n", start, name,
                      wtl_expression_text(wtl_node_domain(node, i)->power));
    }
    for (size_t i = 0; i < config->fault_count; i++) {
        unsigned long long at_ns = config->t0_ns + config->faults[i].at_ns;
        (void)fprintf(out, "%llu\tfault\t%s\n", at_ns, wtl_fault_name(config->faults[i].kind));
    }
}

/* Steps of power, load and frequency in time order. */
static void write_log(const struct wtl_live *live, FILE *out)
{
    const struct wtl_influences *all = wtl_node_influences(live->node);
    size_t step = 0;
    log_head(live->node, out);
    for (size_t i = 0; i <= all->count; i++) {
        uint64_t next = i < all->count ? all->list[i].time_ns : UINT64_MAX;
        for (; step < live->step_count && live->steps[step].time_ns <= next; step++) {
            char name[48];
            wtl_node_name(live->node, (size_t)live->steps[step].domain, name, sizeof name);
            (void)fprintf(out, "%llu\t%s\t%s\n", (unsigned long long)live->steps[step].time_ns,
                          name, wtl_expression_text(live->steps[step].power));
        }
        if (i == all->count)
            break;
        const struct wtl_influence *now = &all->list[i], *before = i > 0 ? now - 1 : NULL;
        if (!before || before->load != now->load)
            (void)fprintf(out, "%llu\tload\t%.6g\n", (unsigned long long)next, now->load);
        for (int gpu = 0; gpu < WTL_SIM_GPUS; gpu++) {
            if (before && before->gpu[gpu] != now->gpu[gpu])
                (void)fprintf(out, "%llu\tkernels-%d\t%.6g\n", (unsigned long long)next, gpu,
                              (double)now->gpu[gpu]);
        }
        if (!before || before->f != now->f)
            (void)fprintf(out, "%llu\tf\t%.6g\n", (unsigned long long)next, now->f);
    }
}

void wtl_live_log(struct wtl_live *live, FILE *out)
{
    (void)pthread_mutex_lock(&live->lock);
    write_log(live, out);
    (void)pthread_mutex_unlock(&live->lock);
}

static int answer_tasks(struct wtl_live *live, FILE *out, struct wattle_error *err)
{
    size_t count;
    if (!live->follow)
        return wtl_fail(err, -EINVAL, "this node does not follow tasks; see --tasks");
    (void)instant(live);
    const struct wtl_sim_task_power *powers = wtl_sim_follow_powers(live->follow, &count);
    (void)fprintf(out, "ok %zu\n", count);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, "%s\t%llu\t%.9f\t%.9f\n", powers[i].name,
                      (unsigned long long)powers[i].count, powers[i].time_s, powers[i].energy_j);
    return 0;
}

static int answer_programs(struct wtl_live *live, FILE *out, struct wattle_error *err)
{
    size_t count;
    if (!live->programs)
        return wtl_fail(err, -EINVAL, "this node does not follow programs; see --programs");
    const struct wtl_sim_program *list = wtl_sim_programs_truth(live->programs, &count);
    (void)fprintf(out, "ok %zu\n", count);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, "%s\t%.9f\t%.9f\n", list[i].name, list[i].cpu_s, list[i].energy_j);
    return 0;
}

static int answer_kernel(struct wtl_live *live, char *words, FILE *out, struct wattle_error *err)
{
    const struct wtl_sim_gpus *gpus = wtl_tree_config(live->tree)->gpus;
    struct wtl_sim_kernel kernel;
    uint64_t now_ns = instant(live);
    long pid;
    int rc = wtl_sim_kernel_parse(words, gpus ? (int)gpus->count : 0, now_ns, &kernel, &pid, err);
    if (rc == 0 && wtl_sim_kernels_add(&live->kernels, &kernel, pid) < 0)
        rc = wtl_fail(err, -ENOMEM, "out of memory");
    if (rc == 0)
        (void)fprintf(out, "ok %llu %llu\n", (unsigned long long)kernel.from_ns,
                      (unsigned long long)kernel.until_ns);
    return rc;
}

static int answer(struct wtl_live *live, char *words, FILE *out, struct wattle_error *err)
{
    const char *verb = strsep(&words, "\n");
    if (!live->node)
        return wtl_fail(err, -EAGAIN, "the node has not started yet");
    if (strcmp(verb, "set") == 0)
        return answer_set(live, words, out, err);
    if (strcmp(verb, "energy") == 0 || strcmp(verb, "counts") == 0) {
        uint64_t limits[2];
        int rc = parse_limits(live, words, limits, err);
        if (rc < 0)
            return rc;
        return verb[0] == 'e' ? answer_energy(live, limits, out)
                              : phase_answer_counts(live->node, limits, out, err);
    }
    if (strcmp(verb, "phases") == 0)
        return phase_answer_phases(live->node, out, err);
    if (strcmp(verb, "kernel") == 0)
        return answer_kernel(live, words, out, err);
    if (strcmp(verb, "tasks") == 0)
        return answer_tasks(live, out, err);
    if (strcmp(verb, "programs") == 0)
        return answer_programs(live, out, err);
    if (strcmp(verb, "log") == 0) {
        (void)fprintf(out, "ok\n");
        write_log(live, out);
        return 0;
    }
    return wtl_fail(err, -EINVAL,
                    "unknown request '%.40s'; requests are set, energy, counts, phases, tasks, "
                    "programs, kernel, "
                    "log",
                    verb);
}

ssize_t wtl_live_request(struct wtl_live *live, const char *text, char **ret_answer)
{
    char *words = strdup(text), *made = NULL;
    size_t size = 0;
    FILE *out = words ? open_memstream(&made, &size) : NULL;
    if (!out) {
        free(words);
        return -ENOMEM;
    }
    struct wattle_error err = {""};
    (void)pthread_mutex_lock(&live->lock);
    int rc = answer(live, words, out, &err);
    (void)pthread_mutex_unlock(&live->lock);
    if (rc < 0)
        (void)fprintf(out, "error %s\n", err.text[0] ? err.text : wtl_strerror(rc));
    bool failed = ferror(out);
    free(words);
    if (fclose(out) != 0 || failed) {
        free(made);
        return -ENOMEM;
    }
    *ret_answer = made;
    return (ssize_t)size;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Which letter when: a semi-Markov chain, or a program written out. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "sim/phases/phase_parts.h"

enum { DEPTH = 8 };

struct step {
    uint16_t letter;
    double seconds, cv;
};

struct script {
    const char *at;
    const struct wtl_phase_world_config *config;
    struct step *list;
    size_t count, capacity;
};

double wtl_sim_slowness(const struct wtl_sim_letter *letter,
                        const struct wtl_sim_platform *platform)
{
    double sum = 0;
    for (int i = 0; i < WTL_SIM_RESOURCES; i++)
        sum += letter->share[i] / platform->speed[i];
    return sum;
}

static double lognormal(struct wtl_noise_source *noise, double mean, double cv)
{
    double variance = log1p(cv * cv);
    return cv > 0 ? mean * exp(sqrt(variance) * wtl_noise_draw(noise) - variance / 2) : mean;
}

static int find_letter(const struct wtl_phase_world_config *config, const char *name, size_t n)
{
    for (size_t i = 0; i < config->letter_count; i++) {
        if (strlen(config->letters[i].name) == n && memcmp(config->letters[i].name, name, n) == 0)
            return (int)i;
    }
    return -ENOENT;
}

static int add_step(struct script *s, struct step step)
{
    if (s->count >= WTL_SIM_SEGMENTS)
        return -E2BIG;
    int rc = wtl_reserve(&s->list, &s->capacity, s->count + 1, sizeof *s->list);
    if (rc == 0)
        s->list[s->count++] = step;
    return rc;
}

/* "NAME:SECONDS[~CV]" */
static int read_step(struct script *s)
{
    size_t n = strcspn(s->at, ": ()");
    int letter = find_letter(s->config, s->at, n);
    if (letter < 0 || s->at[n] != ':')
        return -EINVAL;
    char *end;
    struct step step = {.letter = (uint16_t)letter, .seconds = strtod(s->at + n + 1, &end)};
    if (*end == '~')
        step.cv = strtod(end + 1, &end);
    if (!(step.seconds > 0 && step.seconds < 1e9 && step.cv >= 0 && step.cv < 10))
        return -EINVAL;
    if (*end && !strchr(" \t\n()", *end))
        return -EINVAL;
    s->at = end;
    return add_step(s, step);
}

/* ")*TIMES": repeat the steps from `first` on. */
static int read_repeat(struct script *s, size_t first)
{
    char *end;
    if (s->at[1] != '*')
        return -EINVAL;
    long times = strtol(s->at + 2, &end, 10);
    if (times < 1 || times > WTL_SIM_SEGMENTS || end == s->at + 2)
        return -EINVAL;
    s->at = end;
    size_t n = s->count - first;
    for (long k = 1; k < times; k++) {
        for (size_t i = 0; i < n; i++) {
            int rc = add_step(s, s->list[first + i]);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int read_script(struct script *s)
{
    size_t open[DEPTH], depth = 0;
    int rc = 0;
    while (rc == 0) {
        s->at += strspn(s->at, " \t\n");
        if (!*s->at)
            break;
        if (*s->at == '(') {
            if (depth == DEPTH)
                return -EINVAL;
            open[depth++] = s->count;
            s->at++;
        } else if (*s->at == ')') {
            rc = depth > 0 ? read_repeat(s, open[--depth]) : -EINVAL;
        } else {
            rc = read_step(s);
        }
    }
    return rc == 0 && (depth > 0 || s->count == 0) ? -EINVAL : rc;
}

/* Stay in a letter until `until_s`, to the nearest row. A letter that follows itself is one stay. */
static int stay(struct wtl_sim_plan *plan,
                const struct wtl_phase_world_config *config,
                uint16_t letter,
                double until_s)
{
    uint64_t least = config->min_rows > 0 ? config->min_rows : 1;
    double end = rint(until_s / config->step_s);
    uint64_t rows = end < 1e15 ? (uint64_t)end : (uint64_t)1e15;
    rows = rows > plan->rows ? rows - plan->rows : 0;
    struct wtl_sim_segment *last = plan->count > 0 ? &plan->list[plan->count - 1] : NULL;
    if (last && last->letter == letter) {
        last->rows += rows;
        plan->rows += rows;
        return 0;
    }
    int rc = wtl_reserve(&plan->list, &plan->capacity, plan->count + 1, sizeof *plan->list);
    if (rc < 0)
        return rc;
    rows = rows > least ? rows : least;
    assert(plan->list);
    plan->list[plan->count++] =
        (struct wtl_sim_segment){.letter = letter, .first = plan->rows, .rows = rows};
    plan->rows += rows;
    return 0;
}

static void cut(struct wtl_sim_plan *plan, uint64_t rows)
{
    while (rows > 0 && plan->count > 0 && plan->rows > rows) {
        struct wtl_sim_segment *last = &plan->list[plan->count - 1];
        uint64_t more = plan->rows - rows;
        if (last->rows > more) {
            last->rows -= more;
            plan->rows -= more;
        } else {
            plan->rows -= last->rows;
            plan->count--;
        }
    }
}

static int make_program(const struct wtl_phase_world_config *config,
                        struct wtl_noise_source *noise,
                        struct wtl_sim_plan *plan,
                        struct wattle_error *err)
{
    struct script s = {.at = config->program, .config = config};
    int rc = read_script(&s);
    double length = config->length > 0 ? config->length : 1;
    double all = length * lognormal(noise, 1, config->run_cv), t = 0;
    for (size_t i = 0; rc == 0 && i < s.count; i++) {
        const struct step *step = &s.list[i];
        double seconds = step->seconds * all *
                         wtl_sim_slowness(&config->letters[step->letter], &config->platform);
        t += lognormal(noise, seconds, step->cv > 0 ? step->cv : config->run_cv / 2);
        rc = stay(plan, config, step->letter, t);
        if (config->rows > 0 && plan->rows >= config->rows)
            break;
    }
    cut(plan, config->rows);
    if (rc == -E2BIG)
        rc = wtl_fail(err, rc, "the program has more than %d steps", WTL_SIM_SEGMENTS);
    else if (rc == -EINVAL)
        rc = wtl_fail(err, rc,
                      "bad program at \"%.20s\": expected LETTER:SECONDS[~CV] or ( ... )*TIMES "
                      "with the letters of the world",
                      s.at);
    free(s.list);
    return rc;
}

static uint16_t next_letter(const struct wtl_phase_world_config *config,
                            struct wtl_noise_source *noise,
                            uint16_t now)
{
    double sum = 0, weight[WTL_SIM_LETTERS];
    for (size_t i = 0; i < config->letter_count; i++) {
        weight[i] = i == now ? 0 : config->next[now][i];
        sum += weight[i];
    }
    if (!(sum > 0)) {
        uint64_t other = wtl_noise_bits(noise) % (config->letter_count - 1);
        return (uint16_t)(other < now ? other : other + 1);
    }
    double left = wtl_noise_uniform(noise) * sum;
    uint16_t found = now;
    for (size_t i = 0; i < config->letter_count; i++) {
        if (weight[i] > 0) {
            found = (uint16_t)i;
            if (left < weight[i])
                break;
            left -= weight[i];
        }
    }
    return found;
}

static int make_chain(const struct wtl_phase_world_config *config,
                      struct wtl_noise_source *noise,
                      struct wtl_sim_plan *plan)
{
    uint16_t letter = 0;
    int rc = 0;
    while (rc == 0 && plan->rows < config->rows) {
        const struct wtl_sim_letter *l = &config->letters[letter];
        double begin = (double)plan->rows * config->step_s;
        double seconds = l->duration_s * wtl_sim_slowness(l, &config->platform);
        rc = stay(plan, config, letter, begin + lognormal(noise, seconds, l->duration_cv));
        if (config->letter_count > 1)
            letter = next_letter(config, noise, letter);
    }
    cut(plan, config->rows);
    return rc;
}

int wtl_sim_plan_make(const struct wtl_phase_world_config *config,
                      uint64_t stream,
                      struct wtl_sim_plan *plan,
                      struct wattle_error *err)
{
    struct wtl_noise_source noise;
    wtl_noise_init(&noise, false, stream);
    return config->program ? make_program(config, &noise, plan, err)
                           : make_chain(config, &noise, plan);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/phases/phase_world.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/random.h"
#include "sim/phases/noise.h"

/* ---- the plan of a run ---- */

/* Which letter when: a semi-Markov chain, or a program written out. */

enum { DEPTH = 8, SEGMENTS = 10000000 };

struct sim_plan {
    struct wtl_sim_segment *list;
    size_t count, capacity;
    uint64_t rows;
};

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

/* Seconds on this platform per second on the reference. */
static double sim_slowness(const struct wtl_sim_letter *letter,
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
    if (s->count >= SEGMENTS)
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
    if (times < 1 || times > SEGMENTS || end == s->at + 2)
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
static int stay(struct sim_plan *plan,
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

static void cut(struct sim_plan *plan, uint64_t rows)
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
                        struct sim_plan *plan,
                        struct wattle_error *err)
{
    struct script s = {.at = config->program, .config = config};
    int rc = read_script(&s);
    double length = config->length > 0 ? config->length : 1;
    double all = length * lognormal(noise, 1, config->run_cv), t = 0;
    for (size_t i = 0; rc == 0 && i < s.count; i++) {
        const struct step *step = &s.list[i];
        double seconds =
            step->seconds * all * sim_slowness(&config->letters[step->letter], &config->platform);
        t += lognormal(noise, seconds, step->cv > 0 ? step->cv : config->run_cv / 2);
        rc = stay(plan, config, step->letter, t);
        if (config->rows > 0 && plan->rows >= config->rows)
            break;
    }
    cut(plan, config->rows);
    if (rc == -E2BIG)
        rc = wtl_fail(err, rc, "the program has more than %d steps", SEGMENTS);
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
                      struct sim_plan *plan)
{
    uint16_t letter = 0;
    int rc = 0;
    while (rc == 0 && plan->rows < config->rows) {
        const struct wtl_sim_letter *l = &config->letters[letter];
        double begin = (double)plan->rows * config->step_s;
        double seconds = l->duration_s * sim_slowness(l, &config->platform);
        rc = stay(plan, config, letter, begin + lognormal(noise, seconds, l->duration_cv));
        if (config->letter_count > 1)
            letter = next_letter(config, noise, letter);
    }
    cut(plan, config->rows);
    return rc;
}

/* Decide letters and boundaries. Returns 0, -EINVAL, -ENOMEM; the list is the caller's to free, always. */
static int sim_plan_make(const struct wtl_phase_world_config *config,
                         uint64_t stream,
                         struct sim_plan *plan,
                         struct wattle_error *err)
{
    struct wtl_noise_source noise;
    wtl_noise_init(&noise, false, stream);
    return config->program ? make_program(config, &noise, plan, err)
                           : make_chain(config, &noise, plan);
}

/* ---- the world ---- */

/* Numbers of random streams. */
enum { ORDER = 1, NOISE, DATA, ERRORS };

/* A letter on this platform in this run, ready to be drawn from. */
struct made {
    double mean[WTL_SIM_COUNTERS], sd[WTL_SIM_COUNTERS];
    double gain[WTL_SIM_COUNTERS]; /* watts per standard deviation */
    double dynamic;                /* what the data makes of the dynamic power */
    double mean_w;
};

struct wtl_phase_world {
    struct wtl_phase_world_config config;
    struct made made[WTL_SIM_LETTERS];
    struct sim_plan plan;
    struct wtl_noise_source noise;
    uint64_t streams, row, end; /* end of the present segment */
    size_t segment;
    double cost[WTL_SIM_COUNTERS]; /* joules per event */
    double power_sd, ar, fresh;
    double state[WTL_SIM_COUNTERS + 1];                              /* AR(1); the last is power */
    double sine[WTL_SIM_COUNTERS + 1], cosine[WTL_SIM_COUNTERS + 1]; /* drift */
    double turn_sine, turn_cosine;
    double energy_j;
};

static uint64_t stream_of(const struct wtl_phase_world_config *c, uint64_t purpose)
{
    return wtl_random_bits(wtl_random_bits(c->seed, c->run), purpose);
}

/* The column that an odd node has its rate from. */
static size_t mirrored(const struct wtl_phase_world_config *c, size_t column)
{
    const char *name = c->names[column] ? c->names[column] : "", *way = strstr(name, "SENT");
    const char *other = way ? "RECV" : "SENT";
    way = way ? way : strstr(name, "RECV");
    size_t head = way ? (size_t)(way - name) : 0;
    for (size_t i = 0; way && c->node % 2 == 1 && i < c->columns; i++) {
        const char *its = c->names[i] ? c->names[i] : "";
        if (strncmp(its, name, head) == 0 && strncmp(its + head, other, 4) == 0 &&
            strcmp(its + head + 4, way + 4) == 0)
            return i;
    }
    return column;
}

static void make_letter(struct wtl_phase_world *world, size_t l)
{
    const struct wtl_phase_world_config *c = &world->config;
    const struct wtl_sim_letter *letter = &c->letters[l];
    struct made *made = &world->made[l];
    double slowness = sim_slowness(letter, &c->platform);
    for (size_t i = 0; i < c->columns; i++) {
        made->mean[i] = letter->rate[mirrored(c, i)] * c->platform.events[i] / slowness;
        double absolute = c->noise.snr > 0 ? c->signal[i] / c->noise.snr : 0;
        made->sd[i] = hypot(absolute, c->noise.relative * made->mean[i]);
        made->mean_w += world->cost[i] * made->mean[i];
    }
    for (size_t k = 0; k < letter->relevant_count; k++) {
        if (made->sd[mirrored(c, letter->relevant[k])] >
            0) /* what does not fluctuate moves nothing */
            made->gain[mirrored(c, letter->relevant[k])] = letter->gain_w / (double)(k + 1);
    }
    made->dynamic = 1 + c->noise.data_cv * wtl_random_normal(stream_of(c, DATA), l);
    made->dynamic = made->dynamic > 0.1 ? made->dynamic : 0.1;
    made->mean_w = c->platform.static_w + made->dynamic * made->mean_w;
}

static double mean_difference(const struct wtl_phase_world *world)
{
    double sum = 0;
    size_t n = world->config.letter_count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            sum += fabs(world->made[i].mean_w - world->made[j].mean_w);
    }
    return n > 1 ? sum * 2 / (double)(n * (n - 1)) : 0;
}

static void turn(struct wtl_phase_world *w)
{
    for (size_t i = 0; i <= WTL_SIM_COUNTERS; i++) {
        double sine = w->sine[i];
        w->sine[i] = sine * w->turn_cosine + w->cosine[i] * w->turn_sine;
        w->cosine[i] = w->cosine[i] * w->turn_cosine - sine * w->turn_sine;
    }
}

static void start_noise(struct wtl_phase_world *world)
{
    const struct wtl_sim_noise *n = &world->config.noise;
    wtl_noise_init(&world->noise, n->heavy,
                   wtl_random_bits(stream_of(&world->config, NOISE), world->config.node));
    world->ar = n->ar;
    world->fresh = sqrt(1 - n->ar * n->ar);
    world->power_sd = n->power_snr > 0 ? mean_difference(world) / n->power_snr : 0;
    double turn = n->drift_rows > 0 ? 2 * 3.14159265358979323846 / n->drift_rows : 0;
    world->turn_sine = sin(turn);
    world->turn_cosine = cos(turn);
    for (size_t i = 0; i <= WTL_SIM_COUNTERS; i++) {
        double phase = 6.283185307179586 * wtl_noise_uniform(&world->noise);
        world->sine[i] = sin(phase);
        world->cosine[i] = cos(phase);
        world->state[i] = wtl_noise_draw(&world->noise);
    }
}

static int check_letter(const struct wtl_sim_letter *l,
                        const struct wtl_phase_world_config *config,
                        struct wattle_error *err)
{
    size_t columns = config->columns;
    double share = 0;
    for (int i = 0; i < WTL_SIM_RESOURCES; i++)
        share += l->share[i] >= 0 ? l->share[i] : NAN;
    if (!(fabs(share - 1) < 1e-6))
        return wtl_fail(err, -EINVAL, "letter %.16s: its shares of resources do not add up to 1",
                        l->name);
    for (size_t i = 0; i < columns; i++) {
        if (!(l->rate[i] >= 0 && l->rate[i] < 1e18))
            return wtl_fail(err, -EINVAL,
                            "letter %.16s: %s must be from 0 to less than 1e18 per second", l->name,
                            config->names[i]);
    }
    if (l->relevant_count > WTL_SIM_RELEVANT)
        return wtl_fail(err, -EINVAL, "letter %.16s: more than %d relevant counters", l->name,
                        WTL_SIM_RELEVANT);
    for (size_t i = 0; i < l->relevant_count; i++) {
        if (l->relevant[i] >= columns)
            return wtl_fail(err, -EINVAL, "letter %.16s: there is no counter %u", l->name,
                            l->relevant[i]);
    }
    return 0;
}

static int check_platform(const struct wtl_sim_platform *platform,
                          size_t columns,
                          struct wattle_error *err)
{
    bool good = true;
    for (int i = 0; i < WTL_SIM_RESOURCES; i++)
        good = good && platform->speed[i] > 0;
    for (size_t i = 0; i < columns; i++)
        good = good && platform->scale[i] > 0;
    return good ? 0
                : wtl_fail(err, -EINVAL, "platform %.24s: a speed or a scale is not above 0",
                           platform->name);
}

static bool is_noise(const struct wtl_sim_noise *n)
{
    return n->ar >= 0 && n->ar <= 0.999 && n->snr >= 0 && n->power_snr >= 0 && n->relative >= 0 &&
           n->data_cv >= 0 && isfinite(n->drift);
}

static int check(const struct wtl_phase_world_config *c, struct wattle_error *err)
{
    if (c->columns < 1 || c->columns > WTL_SIM_COUNTERS)
        return wtl_fail(err, -EINVAL, "a world of phases has 1 to %d counters", WTL_SIM_COUNTERS);
    if (c->letter_count < 1 || c->letter_count > WTL_SIM_LETTERS)
        return wtl_fail(err, -EINVAL, "a world of phases has 1 to %d letters", WTL_SIM_LETTERS);
    if (!(c->step_s > 0) || (!c->program && c->rows < 1))
        return wtl_fail(err, -EINVAL, "a world of phases needs a step and a number of rows");
    if (!is_noise(&c->noise))
        return wtl_fail(err, -EINVAL, "bad noise: ar is 0 to 0.999, the others are 0 or above");
    int rc = check_platform(&c->platform, c->columns, err);
    for (size_t i = 0; rc == 0 && i < c->letter_count; i++)
        rc = check_letter(&c->letters[i], c, err);
    return rc;
}

int wtl_phase_world_create(const struct wtl_phase_world_config *config,
                           struct wtl_phase_world **ret_world,
                           struct wattle_error *err)
{
    int rc = check(config, err);
    if (rc < 0)
        return rc;
    struct wtl_phase_world *world = calloc(1, sizeof *world);
    if (!world)
        return wtl_fail(err, -ENOMEM, "out of memory");
    world->config = *config;
    rc = sim_plan_make(config, stream_of(config, ORDER), &world->plan, err);
    if (rc < 0) {
        wtl_phase_world_destroy(world);
        return rc;
    }
    world->config.program = NULL; /* borrowed until here */
    for (size_t i = 0; i < config->columns; i++)
        world->cost[i] = config->platform.coef_w[i] / config->platform.scale[i];
    for (size_t l = 0; l < config->letter_count; l++)
        make_letter(world, l);
    for (size_t i = 0; i < world->plan.count; i++)
        world->plan.list[i].mean_w = world->made[world->plan.list[i].letter].mean_w;
    start_noise(world);
    world->end = world->plan.count > 0 ? world->plan.list[0].rows : 0;
    *ret_world = world;
    return 0;
}

void wtl_phase_world_destroy(struct wtl_phase_world *world)
{
    if (!world)
        return;
    free(world->plan.list);
    free(world);
}

/* Noise of column i, AR(1) with drift. */
static inline double fluctuation(struct wtl_phase_world *w, size_t i)
{
    double z = wtl_noise_draw(&w->noise);
    w->state[i] = w->ar * w->state[i] + w->fresh * z;
    return w->state[i] + w->config.noise.drift * w->sine[i];
}

bool wtl_phase_world_row(struct wtl_phase_world *w,
                         double *rates,
                         double *ret_power_w,
                         uint16_t *ret_letter)
{
    if (w->row >= w->plan.rows)
        return false;
    if (w->row == w->end)
        w->end += w->plan.list[++w->segment].rows;
    struct wtl_sim_segment *segment = &w->plan.list[w->segment];
    const struct made *made = &w->made[segment->letter];
    double dynamic = 0, gained = 0;
    for (size_t i = 0; i < w->config.columns; i++) {
        double z = fluctuation(w, i);
        double rate = made->mean[i] + made->sd[i] * z;
        rates[i] = rate > 0 ? rate : 0; /* nothing happens less than never */
        dynamic += w->cost[i] * rates[i];
        gained += made->gain[i] * z;
    }
    double power = w->config.platform.static_w + made->dynamic * dynamic + gained +
                   w->power_sd * fluctuation(w, WTL_SIM_COUNTERS);
    if (w->config.noise.drift != 0)
        turn(w);
    power = power > 0 ? power : 0;
    segment->energy_j += power * w->config.step_s;
    w->energy_j += power * w->config.step_s;
    w->row++;
    *ret_power_w = power;
    *ret_letter = segment->letter;
    return true;
}

bool wtl_phase_world_next(struct wtl_phase_world *world, double *rates, double *ret_power_w)
{
    uint16_t letter;
    return wtl_phase_world_row(world, rates, ret_power_w, &letter);
}

const struct wtl_sim_segment *wtl_phase_world_segments(const struct wtl_phase_world *world,
                                                       size_t *ret_count)
{
    *ret_count = world->plan.count;
    return world->plan.list;
}

uint64_t wtl_phase_world_rows(const struct wtl_phase_world *world)
{
    return world->plan.rows;
}

double wtl_phase_world_energy_j(const struct wtl_phase_world *world)
{
    return world->energy_j;
}

const struct wtl_phase_world_config *wtl_phase_world_config(const struct wtl_phase_world *world)
{
    return &world->config;
}

void wtl_phase_world_means(const struct wtl_phase_world *world, uint16_t letter, double *rates)
{
    for (size_t i = 0; i < world->config.columns; i++)
        rates[i] = world->made[letter].mean[i];
}

/* Another letter in a share of cases, which depend on n only. */
static uint16_t mistaken(const struct wtl_phase_world *w, uint64_t n, uint16_t letter)
{
    uint64_t stream = stream_of(&w->config, ERRORS), others = w->config.letter_count - 1;
    if (others == 0 || wtl_random_uniform(stream, 2 * n) >= w->config.error_rate)
        return letter;
    uint64_t other = wtl_random_bits(stream, 2 * n + 1) % others;
    return (uint16_t)(other < letter ? other : other + 1);
}

uint16_t wtl_phase_world_letter(const struct wtl_phase_world *world, size_t segment)
{
    return mistaken(world, segment, world->plan.list[segment].letter);
}

int wtl_phase_world_letter_at(const struct wtl_phase_world *world, size_t n, double length_s)
{
    double at = ((double)n + 0.5) * length_s / world->config.step_s;
    if (!(at >= 0 && at < (double)world->plan.rows))
        return -ENOENT;
    size_t low = 0, high = world->plan.count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if ((double)world->plan.list[middle].first <= at)
            low = middle;
        else
            high = middle;
    }
    return mistaken(world, n, world->plan.list[low].letter);
}

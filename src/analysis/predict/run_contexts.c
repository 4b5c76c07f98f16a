/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of runs in contexts of every order: see run_contexts.h. */
#include "analysis/predict/run_contexts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

#define NONE UINT32_MAX

enum {
    BUCKETS = 96, /* of elapsed letters: exact up to 8, then eight to the octave */
    SIZES = 6,    /* classes of a node's total */
    VERDICTS = 3, /* what it says, see said_of() */
    ORDERS = 10,
    LEVELS = 2 * ORDERS,
};

/* The orders that have contexts: after a few, doubling is enough, since what a longer one adds is to tell more rounds of a
 * loop from each other. */
static const unsigned orders[ORDERS] = {0, 1, 2, 3, 4, 6, 8, 12, 16, WTL_RUN_ORDER_MAX};

/* What a node is: the families of contexts and what is counted in them. */
enum family { LETTERS, LENGTHS };
enum counted { DURATION, NEXT };
/* What a node says about an end: never, always, or at times; of a next letter: always one, or several. */
enum verdict { NO, YES, MIXED };

/* A value and how often it occurred in a context; the values of a node are a chain. */
struct value {
    uint32_t value, count, next;
};

struct node {
    uint64_t key;
    uint32_t total; /* 0 = the place is free */
    uint32_t head;
};

/* How often a run ended after a letter, of how many letters. */
struct rate {
    double letters, ends;
};

/* The weight of an order in a mixture, and how much it has seen. */
struct weight {
    double share, seen;
};

/* The weight, before anything is known about it, of a node whose runs were all alike: one recorded run is to be repeated. */
static const double sure_at_first = 0.8;

/* No weight is 0, so that any of them can grow again; no end is impossible. */
static const double never = 1e-5;

struct wtl_run_contexts {
    size_t symbols;
    unsigned order;
    uint32_t left_out;  /* of each count */
    struct node *nodes; /* open addressing; size is a power of two */
    size_t node_count, node_size;
    struct value *values;
    size_t value_count;
    struct rate all, *of_letter; /* [symbols + 1] */
    struct rate *of_bucket;      /* [(symbols + 1) * BUCKETS] */
    double *follows;             /* [symbols]: how often a run of the letter began */
    struct weight weights[2][LEVELS][SIZES][VERDICTS];
};

int wtl_run_contexts_create(size_t symbols, unsigned order, struct wtl_run_contexts **ret_contexts)
{
    struct wtl_run_contexts *contexts = calloc(1, sizeof *contexts);
    if (!contexts)
        return -ENOMEM;
    contexts->symbols = symbols;
    contexts->order = order < WTL_RUN_ORDER_MAX ? order : WTL_RUN_ORDER_MAX;
    contexts->node_size = 64;
    contexts->nodes = calloc(contexts->node_size, sizeof *contexts->nodes);
    contexts->of_letter = calloc(symbols + 1, sizeof *contexts->of_letter);
    contexts->of_bucket = calloc((symbols + 1) * BUCKETS, sizeof *contexts->of_bucket);
    contexts->follows = calloc(symbols, sizeof *contexts->follows);
    if (!contexts->nodes || !contexts->of_letter || !contexts->of_bucket || !contexts->follows) {
        wtl_run_contexts_destroy(contexts);
        return -ENOMEM;
    }
    struct weight *weight = &contexts->weights[0][0][0][0];
    for (size_t i = 0; i < sizeof contexts->weights / sizeof *weight; i++)
        weight[i] = (struct weight){i % VERDICTS == MIXED ? 0.5 : sure_at_first, 2};
    *ret_contexts = contexts;
    return 0;
}

void wtl_run_contexts_destroy(struct wtl_run_contexts *contexts)
{
    if (!contexts)
        return;
    free(contexts->nodes);
    free(contexts->values);
    free(contexts->of_letter);
    free(contexts->of_bucket);
    free(contexts->follows);
    free(contexts);
}

/* -- the table -- */

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* The keys of the contexts of a family, [ORDERS], by order; 0 where the family has none. */
static void keys_of(const struct wtl_run_contexts *contexts,
                    const struct wtl_run_state *state,
                    enum family family,
                    enum counted counted,
                    uint64_t keys[ORDERS])
{
    uint64_t hash = mixed(WTL_HASH_START, (uint64_t)family << 1 | counted);
    bool over = false;
    hash = mixed(hash, state->letter[0]);
    if (family == LENGTHS && counted == NEXT)
        hash = mixed(hash, (uint64_t)state->elapsed << 20);
    memset(keys, 0, ORDERS * sizeof *keys);
    for (unsigned i = 0, order = 0; order < ORDERS && i <= contexts->order && !over; i++) {
        if (i > 0)
            hash = mixed(hash, (family == LENGTHS ? (uint64_t)state->length[i] << 20 : 0) |
                                   state->letter[i]);
        over = i > 0 && state->letter[i] == contexts->symbols; /* nothing is before the start */
        order += orders[order] < i;
        /* The length of the current run is not part of its own duration. */
        bool has = i > 0 || family == LETTERS || counted == NEXT;
        if (order < ORDERS && has && (over || orders[order] == i))
            keys[order] = hash | 1;
    }
}

static struct node *place_of(struct node *nodes, size_t size, uint64_t key)
{
    size_t i = (size_t)(key ^ key >> 32) & (size - 1);
    while (nodes[i].total > 0 && nodes[i].key != key)
        i = (i + 1) & (size - 1);
    return &nodes[i];
}

static const struct node *find(const struct wtl_run_contexts *contexts, uint64_t key)
{
    const struct node *node = place_of(contexts->nodes, contexts->node_size, key);
    return node->total > 0 ? node : NULL;
}

static int enlarge(struct wtl_run_contexts *contexts)
{
    size_t size = contexts->node_size * 2;
    struct node *nodes = calloc(size, sizeof *nodes);
    if (!nodes)
        return -ENOMEM;
    for (size_t i = 0; i < contexts->node_size; i++) {
        if (contexts->nodes[i].total > 0)
            *place_of(nodes, size, contexts->nodes[i].key) = contexts->nodes[i];
    }
    free(contexts->nodes);
    contexts->nodes = nodes;
    contexts->node_size = size;
    return 0;
}

static int count_value(struct wtl_run_contexts *contexts, uint64_t key, uint32_t value)
{
    if (2 * (contexts->node_count + 1) > contexts->node_size && enlarge(contexts) < 0)
        return -ENOMEM;
    if (contexts->value_count >= NONE ||
        wtl_grow(&contexts->values, contexts->value_count, sizeof *contexts->values) < 0)
        return -ENOMEM;
    struct node *node = place_of(contexts->nodes, contexts->node_size, key);
    if (node->total == 0) {
        *node = (struct node){.key = key, .head = NONE};
        contexts->node_count++;
    }
    node->total += node->total < UINT32_MAX;
    for (uint32_t i = node->head; i != NONE; i = contexts->values[i].next) {
        if (contexts->values[i].value == value) {
            contexts->values[i].count++;
            return 0;
        }
    }
    contexts->values[contexts->value_count] = (struct value){value, 1, node->head};
    node->head = (uint32_t)contexts->value_count++;
    return 0;
}

/* -- states -- */

void wtl_run_state_start(const struct wtl_run_contexts *contexts, struct wtl_run_state *ret_state)
{
    struct wtl_run_state state = {.elapsed = 0};
    for (size_t i = 0; i <= WTL_RUN_ORDER_MAX; i++)
        state.letter[i] = (uint16_t)contexts->symbols;
    *ret_state = state;
}

void wtl_run_state_add(const struct wtl_run_contexts *contexts,
                       struct wtl_run_state *state,
                       uint16_t letter)
{
    if (letter == state->letter[0]) {
        state->elapsed += state->elapsed < UINT32_MAX;
        return;
    }
    for (size_t i = contexts->order; i > 0; i--) {
        state->letter[i] = state->letter[i - 1];
        state->length[i] = i > 1 ? state->length[i - 1] : state->elapsed;
    }
    state->letter[0] = letter;
    state->elapsed = 1;
}

void wtl_run_state_trim(const struct wtl_run_contexts *contexts, struct wtl_run_state *state)
{
    uint64_t keys[ORDERS];
    unsigned known = 0;
    keys_of(contexts, state, LENGTHS, DURATION, keys);
    for (size_t i = 1; i < ORDERS && keys[i] && find(contexts, keys[i]); i++)
        known = orders[i];
    for (size_t i = known + 1; i <= contexts->order; i++)
        state->length[i] = 0;
}

/* -- probabilities -- */

void wtl_run_contexts_leave_out(struct wtl_run_contexts *contexts, unsigned count)
{
    contexts->left_out = count;
}

static uint32_t count_in(const struct wtl_run_contexts *contexts, const struct value *value)
{
    return value->count > contexts->left_out ? value->count - contexts->left_out : 0;
}

static size_t size_of(uint32_t total)
{
    return total <= 1 ? 0 : total == 2 ? 1 : total <= 4 ? 2 : total <= 8 ? 3 : total <= 32 ? 4 : 5;
}

static size_t bucket_of(uint32_t elapsed)
{
    if (elapsed <= 8)
        return elapsed;
    double place = 8 + 8 * log2((double)elapsed / 8);
    return place < BUCKETS - 1 ? (size_t)place : BUCKETS - 1;
}

static double rate_of(const struct rate *rate, double before, double trust)
{
    return (rate->ends + trust * before) / (rate->letters + trust);
}

/* What a node adds to the probability before it. */
static const double trust_of_before = 0.02;

struct said {
    double node; /* probability of "ends" by this node */
    size_t size, verdict;
};

/* What the durations of a node say about ending after `elapsed`: false if none lasted that long. */
static bool said_of(const struct wtl_run_contexts *contexts,
                    const struct node *node,
                    uint32_t elapsed,
                    double before,
                    struct said *ret)
{
    uint32_t at_risk = 0, ends = 0;
    for (uint32_t i = node->head; i != NONE; i = contexts->values[i].next) {
        const struct value *value = &contexts->values[i];
        if (value->value < elapsed)
            continue;
        at_risk += count_in(contexts, value);
        ends += value->value == elapsed ? count_in(contexts, value) : 0;
    }
    if (at_risk == 0)
        return false;
    ret->node = (ends + trust_of_before * before) / (at_risk + trust_of_before);
    ret->size = size_of(at_risk);
    ret->verdict = ends == 0 ? NO : ends == at_risk ? YES : MIXED;
    return true;
}

/* The nodes of both families, the most general first: [LEVELS]; NULL where there is no node, or where a longer context has
 * seen the same runs. */
static void nodes_of(const struct wtl_run_contexts *contexts,
                     const struct wtl_run_state *state,
                     enum counted counted,
                     const struct node *nodes[LEVELS])
{
    uint64_t keys[ORDERS];
    for (size_t family = 0; family < 2; family++) {
        const struct node **before = NULL, **list = &nodes[family * ORDERS];
        bool seen = true;
        keys_of(contexts, state, family ? LENGTHS : LETTERS, counted, keys);
        for (size_t i = 0; i < ORDERS; i++) {
            list[i] = seen && keys[i] ? find(contexts, keys[i]) : NULL;
            seen = seen && (list[i] || !keys[i]); /* else a longer one was not seen either */
            if (!list[i])
                continue;
            if (before && (*before)->total == list[i]->total)
                *before = NULL;
            before = &list[i];
        }
    }
}

/* Learn the weight of an order from what it and the orders before it expected. */
static void weigh(struct weight *weight, double node, double before)
{
    double sum = weight->share * node + (1 - weight->share) * before;
    if (!(sum > 0))
        return;
    weight->seen += weight->seen < 2000;
    weight->share += (weight->share * node / sum - weight->share) / weight->seen;
    weight->share = fmin(fmax(weight->share, never), 1 - never);
}

/* The probability that the run ends; learn = 1 (ended) or 0 updates the weights, -1 does not. */
static double ends(const struct wtl_run_contexts *contexts,
                   struct wtl_run_contexts *learner,
                   const struct wtl_run_state *state,
                   int learn)
{
    const struct node *nodes[LEVELS];
    size_t letter = state->letter[0];
    if (state->elapsed == 0)
        return 1;
    double p = rate_of(&contexts->all, 0.5, 1);
    p = rate_of(&contexts->of_letter[letter], p, 2);
    p = rate_of(&contexts->of_bucket[letter * BUCKETS + bucket_of(state->elapsed)], p, 2);
    nodes_of(contexts, state, DURATION, nodes);
    for (size_t level = 0; level < LEVELS; level++) {
        struct said said;
        if (!nodes[level] || !said_of(contexts, nodes[level], state->elapsed, p, &said))
            continue;
        double share = contexts->weights[DURATION][level][said.size][said.verdict].share;
        double after = share * said.node + (1 - share) * p;
        if (learner && learn >= 0)
            weigh(&learner->weights[DURATION][level][said.size][said.verdict],
                  learn ? said.node : 1 - said.node, learn ? p : 1 - p);
        p = after;
    }
    return fmin(fmax(p, never), 1 - never);
}

double wtl_run_ends(const struct wtl_run_contexts *contexts, const struct wtl_run_state *state)
{
    return ends(contexts, NULL, state, -1);
}

static double count_of(const struct wtl_run_contexts *contexts,
                       const struct node *node,
                       uint32_t value)
{
    for (uint32_t i = node->head; i != NONE; i = contexts->values[i].next) {
        if (contexts->values[i].value == value)
            return count_in(contexts, &contexts->values[i]);
    }
    return 0;
}

/* Probabilities of what follows; letter < symbols also updates the weights. */
static void follows(const struct wtl_run_contexts *contexts,
                    struct wtl_run_contexts *learner,
                    const struct wtl_run_state *state,
                    double *p,
                    uint32_t letter)
{
    const struct node *nodes[LEVELS];
    size_t symbols = contexts->symbols;
    double sum = 0;
    for (size_t i = 0; i < symbols; i++) {
        p[i] = i == state->letter[0] ? 0 : fmax(contexts->follows[i] - contexts->left_out, 0) + 0.5;
        sum += p[i];
    }
    for (size_t i = 0; i < symbols && sum > 0; i++)
        p[i] /= sum;
    nodes_of(contexts, state, NEXT, nodes);
    for (size_t level = 0; level < LEVELS; level++) {
        const struct node *node = nodes[level];
        if (!node)
            continue;
        uint32_t total = 0, different = 0;
        for (uint32_t i = node->head; i != NONE; i = contexts->values[i].next) {
            total += count_in(contexts, &contexts->values[i]);
            different += count_in(contexts, &contexts->values[i]) > 0;
        }
        if (total == 0)
            continue;
        size_t size = size_of(total), verdict = different == 1 ? YES : MIXED;
        double all = total + trust_of_before;
        double share = contexts->weights[NEXT][level][size][verdict].share;
        if (learner)
            weigh(&learner->weights[NEXT][level][size][verdict],
                  (count_of(contexts, node, letter) + trust_of_before * p[letter]) / all,
                  p[letter]);
        double kept = 1 - share + share * trust_of_before / all;
        for (size_t i = 0; i < symbols; i++)
            p[i] *= kept;
        for (uint32_t i = node->head; i != NONE; i = contexts->values[i].next)
            p[contexts->values[i].value] += share * count_in(contexts, &contexts->values[i]) / all;
    }
}

void wtl_run_follows(const struct wtl_run_contexts *contexts,
                     const struct wtl_run_state *state,
                     double *ret_probability)
{
    follows(contexts, NULL, state, ret_probability, UINT32_MAX);
}

/* -- learning -- */

static void count_rate(struct rate *rate, bool ended)
{
    rate->letters++;
    rate->ends += ended;
}

static int learn_run(struct wtl_run_contexts *contexts,
                     const struct wtl_run_state *state,
                     enum counted counted,
                     uint32_t value)
{
    uint64_t keys[ORDERS];
    for (size_t family = 0; family < 2; family++) {
        keys_of(contexts, state, family ? LENGTHS : LETTERS, counted, keys);
        for (size_t i = 0; i < ORDERS; i++) {
            if (keys[i] && count_value(contexts, keys[i], value) < 0)
                return -ENOMEM;
        }
    }
    return 0;
}

int wtl_run_contexts_learn(struct wtl_run_contexts *contexts,
                           const struct wtl_run_state *state,
                           uint16_t letter)
{
    bool ended = letter != state->letter[0];
    if (state->elapsed > 0) {
        (void)ends(contexts, contexts, state, ended);
        count_rate(&contexts->all, ended);
        count_rate(&contexts->of_letter[state->letter[0]], ended);
        count_rate(&contexts->of_bucket[state->letter[0] * BUCKETS + bucket_of(state->elapsed)],
                   ended);
    }
    if (!ended)
        return 0;
    double *p = malloc(contexts->symbols * sizeof *p);
    if (!p)
        return -ENOMEM;
    follows(contexts, contexts, state, p, letter);
    free(p);
    contexts->follows[letter]++;
    int rc = state->elapsed > 0 ? learn_run(contexts, state, DURATION, state->elapsed) : 0;
    return rc < 0 ? rc : learn_run(contexts, state, NEXT, letter);
}

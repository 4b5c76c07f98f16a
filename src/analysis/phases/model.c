/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from the runs of a model: see model.h. */
#include "analysis/phases/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "model/statistics/student.h"

void wtl_model_run_fini(struct wtl_model_run *run)
{
    for (size_t i = 0; i < run->node_count; i++)
        wtl_dna_fini(&run->nodes[i]);
    free(run->nodes);
    free(run->name);
    free(run->platform);
    *run = (struct wtl_model_run){0};
}

void wtl_phase_model_fini(struct wtl_phase_model *model)
{
    for (size_t i = 0; i < model->run_count; i++)
        wtl_model_run_fini(&model->runs[i]);
    free(model->runs);
    wtl_alphabet_fini(&model->alphabet);
    *model = (struct wtl_phase_model){0};
}

int wtl_phase_model_add(struct wtl_phase_model *model, struct wtl_model_run *run)
{
    if (wtl_grow(&model->runs, model->run_count, sizeof *model->runs) < 0)
        return -ENOMEM;
    run->duration_s = run->energy_j = run->known_s = 0;
    for (size_t i = 0; i < run->node_count; i++) {
        double known_s, seconds = wtl_dna_seconds(&run->nodes[i]);
        run->energy_j += wtl_dna_joules(&run->nodes[i], &known_s);
        run->known_s += known_s;
        run->duration_s = fmax(run->duration_s, seconds);
    }
    model->runs[model->run_count++] = *run;
    *run = (struct wtl_model_run){0};
    return 0;
}

/* -- energy of letters -- */

/* Call with each stay in a letter whose power is known. */
static void each_power(const struct wtl_phase_model *model,
                       void (*take)(struct wtl_letter_power *powers, const struct wtl_base *base),
                       struct wtl_letter_power *powers)
{
    for (size_t r = 0; r < model->run_count; r++) {
        for (size_t n = 0; n < model->runs[r].node_count; n++) {
            const struct wtl_dna *dna = &model->runs[r].nodes[n];
            for (size_t i = 0; i < dna->count; i++) {
                if (dna->list[i].letter < model->alphabet.count && dna->list[i].known_s > 0)
                    take(powers, &dna->list[i]);
            }
        }
    }
}

static void take_sum(struct wtl_letter_power *powers, const struct wtl_base *base)
{
    struct wtl_letter_power *power = &powers[base->letter];
    power->occurrences++;
    power->seconds += base->known_s;
    power->energy_j += base->energy_j;
}

/* low_w collects squared deviations, weighted by time. */
static void take_square(struct wtl_letter_power *powers, const struct wtl_base *base)
{
    struct wtl_letter_power *power = &powers[base->letter];
    double off = base->energy_j / base->known_s - power->mean_w;
    power->low_w += base->known_s * off * off;
    power->high_w += base->known_s * base->known_s;
    power->open_j = hypot(power->open_j, base->half_j);
}

int wtl_phase_model_powers(const struct wtl_phase_model *model,
                           struct wtl_letter_power **ret_powers,
                           struct wattle_error *err)
{
    size_t count = model->alphabet.count;
    struct wtl_letter_power *powers = calloc(count ? count : 1, sizeof *powers);
    if (!powers)
        return wtl_no_memory_for(err, "the power of %zu letters", count);
    each_power(model, take_sum, powers);
    for (size_t i = 0; i < count; i++)
        powers[i].mean_w = powers[i].seconds > 0 ? powers[i].energy_j / powers[i].seconds : NAN;
    each_power(model, take_square, powers);
    for (size_t i = 0; i < count; i++) {
        struct wtl_letter_power *power = &powers[i];
        double half = NAN;
        if (power->occurrences > 1) {
            /* Stays of different lengths: as many as equal ones would be. */
            double stays = power->seconds * power->seconds / power->high_w;
            double variance = power->low_w / power->seconds;
            double degrees = fmax(stays - 1, 0.5);
            half = hypot(wtl_student_quantile(0.975, degrees) * sqrt(variance / degrees),
                         power->open_j / power->seconds);
        }
        power->low_w = power->mean_w - half;
        power->high_w = power->mean_w + half;
    }
    *ret_powers = powers;
    return 0;
}

/* -- transitions -- */

static size_t state_of(const struct wtl_phase_model *model, uint16_t letter)
{
    return letter < model->alphabet.count ? (size_t)letter + 1 : model->alphabet.count + 1;
}

int wtl_phase_model_transitions(const struct wtl_phase_model *model,
                                size_t node,
                                struct wtl_transitions *ret_transitions,
                                struct wattle_error *err)
{
    struct wtl_transitions transitions = {.states = model->alphabet.count + 2};
    transitions.count = calloc(transitions.states * transitions.states, sizeof *transitions.count);
    if (!transitions.count)
        return wtl_no_memory_for(err, "the transitions of %zu letters", model->alphabet.count);
    for (size_t r = 0; r < model->run_count; r++) {
        size_t from = 0;
        if (node >= model->runs[r].node_count)
            continue;
        const struct wtl_dna *dna = &model->runs[r].nodes[node];
        for (size_t i = 0; i < dna->count; i++) {
            size_t to = state_of(model, dna->list[i].letter);
            transitions.count[from * transitions.states + to]++;
            from = to;
        }
        transitions.count[from * transitions.states]++;
        transitions.runs++;
    }
    *ret_transitions = transitions;
    return 0;
}

void wtl_transitions_fini(struct wtl_transitions *transitions)
{
    free(transitions->count);
    *transitions = (struct wtl_transitions){0};
}

double wtl_transition_probability(const struct wtl_transitions *transitions, size_t from, size_t to)
{
    const uint64_t *row = &transitions->count[from * transitions->states];
    double sum = 0;
    for (size_t i = 0; i < transitions->states; i++)
        sum += (double)row[i];
    return sum > 0 ? (double)row[to] / sum : 0;
}

/* -- states of the system -- */

/* Position in the DNA of one node. */
struct place {
    size_t base;
    double end_s;
};

static int add_state(struct wtl_system_states *states,
                     size_t *room,
                     const struct wtl_model_run *run,
                     const struct place *places)
{
    size_t count = run->node_count;
    if (wtl_grow(&states->list, states->count, sizeof *states->list) < 0 ||
        wtl_reserve(&states->letters, room, (states->count + 1) * count, sizeof *states->letters) <
            0)
        return -ENOMEM;
    for (size_t n = 0; n < count; n++) {
        const struct wtl_dna *dna = &run->nodes[n];
        states->letters[states->count * count + n] =
            places[n].base < dna->count ? dna->list[places[n].base].letter : WTL_DNA_UNKNOWN;
    }
    states->count++;
    return 0;
}

/* The next time at which a node's letter ends; INFINITY when all have ended. */
static double next_end(const struct wtl_model_run *run, const struct place *places)
{
    double end_s = INFINITY;
    for (size_t n = 0; n < run->node_count; n++) {
        if (places[n].base < run->nodes[n].count)
            end_s = fmin(end_s, places[n].end_s);
    }
    return end_s;
}

int wtl_model_run_states(const struct wtl_model_run *run,
                         struct wtl_system_states *ret_states,
                         struct wattle_error *err)
{
    struct wtl_system_states states = {0};
    struct place *places = calloc(run->node_count ? run->node_count : 1, sizeof *places);
    size_t room = 0;
    double begin_s = 0, end_s;
    int rc = places ? 0 : -ENOMEM;
    for (size_t n = 0; rc == 0 && n < run->node_count; n++)
        places[n].end_s = run->nodes[n].count > 0 ? run->nodes[n].list[0].duration_s : 0;
    while (rc == 0 && (end_s = next_end(run, places)) < INFINITY) {
        rc = add_state(&states, &room, run, places);
        if (rc == 0) {
            states.list[states.count - 1].begin_s = begin_s;
            states.list[states.count - 1].end_s = end_s;
        }
        /* Sums of the same durations on two nodes may differ in the last digit: that is no state. */
        for (size_t n = 0; n < run->node_count; n++) {
            const struct wtl_dna *dna = &run->nodes[n];
            while (places[n].base < dna->count && places[n].end_s <= end_s + 1e-6) {
                places[n].base++;
                if (places[n].base < dna->count)
                    places[n].end_s += dna->list[places[n].base].duration_s;
            }
        }
        begin_s = end_s;
    }
    free(places);
    for (size_t i = 0; i < states.count; i++)
        states.list[i].letters = &states.letters[i * run->node_count];
    if (rc < 0) {
        wtl_system_states_fini(&states);
        return wtl_no_memory_for(err, "the states of %s", run->name);
    }
    *ret_states = states;
    return 0;
}

void wtl_system_states_fini(struct wtl_system_states *states)
{
    free(states->list);
    free(states->letters);
    *states = (struct wtl_system_states){0};
}

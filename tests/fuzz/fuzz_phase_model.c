/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a model of phases: refused with a sentence, or read, and then what follows from it is finite, and what is
 * written is read as the same again. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void look(const struct wtl_phase_model *model)
{
    struct wtl_letter_power *powers = NULL;
    struct wtl_transitions transitions;
    double rates[WTL_ALPHABET_COLUMNS] = {0};
    demand(model->alphabet.columns >= 1 && model->alphabet.columns <= WTL_ALPHABET_COLUMNS);
    if (wtl_phase_model_powers(model, &powers, NULL) == 0) {
        for (size_t i = 0; i < model->alphabet.count; i++)
            demand(powers[i].occurrences == 0 || powers[i].seconds > 0);
        free(powers);
    }
    if (model->alphabet.count < 200 &&
        wtl_phase_model_transitions(model, 0, &transitions, NULL) == 0) {
        demand(transitions.runs <= model->run_count);
        wtl_transitions_fini(&transitions);
    }
    int letter = wtl_alphabet_letter(&model->alphabet, rates, 1, (double)NAN);
    demand(letter >= -1 && letter < (int)model->alphabet.count);
    for (size_t r = 0; r < model->run_count; r++) {
        struct wtl_system_states states;
        demand(model->runs[r].duration_s >= 0 && isfinite(model->runs[r].energy_j));
        if (model->runs[r].node_count < 100 &&
            wtl_model_run_states(&model->runs[r], &states, NULL) == 0)
            wtl_system_states_fini(&states);
    }
}

/* Power from counters: a number of a row that the model refuses, or one that is finite with its interval. */
static void look_at_power(const struct wtl_counter_energy *power)
{
    enum { ROWS = 3 };
    double rate[ROWS * WTL_ROW_COLUMNS], watts[ROWS] = {0}, known_s[ROWS] = {0};
    struct wtl_counter_energy_sum sum = {0};
    struct wattle_error err = {""};
    struct wtl_counter_rows rows = {.rows = ROWS,
                                    .columns = power->columns,
                                    .step_ns = 1000000000,
                                    .end_ns = 3000000000,
                                    .names = (char(*)[WTL_ROW_NAME_MAX])power->names,
                                    .rate = rate,
                                    .known_s = known_s};
    for (size_t c = 0; c < power->columns; c++) {
        rate[c] = power->low[c];
        rate[power->columns + c] = power->high[c];
        rate[2 * power->columns + c] = (double)NAN;
    }
    int rc = wtl_counter_energy_estimate(power, &rows, watts, &sum, &err);
    demand(rc == 0 || err.text[0]);
    for (size_t k = 0; rc == 0 && k < ROWS; k++)
        demand(!isinf(watts[k]));
    demand(rc < 0 ||
           (isfinite(sum.energy_j) && sum.low_j <= sum.energy_j && sum.energy_j <= sum.high_j));
}

static char *written(const struct wtl_phase_model *model, size_t *ret_size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, ret_size);
    if (!out)
        return NULL;
    wtl_phase_model_write(model, out);
    (void)fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wattle_error err = {""};
    struct wtl_phase_model model = {0}, again = {0};
    if (wtl_phase_model_parse("model", (const char *)data, size, &model, &err) < 0) {
        demand(err.text[0] != '\0');
        return 0;
    }
    look(&model);
    if (model.power.columns > 0)
        look_at_power(&model.power);
    char *text = written(&model, &size);
    if (text)
        demand(wtl_phase_model_parse("again", text, size, &again, &err) == 0 &&
               again.run_count == model.run_count && again.alphabet.count == model.alphabet.count &&
               again.power.columns == model.power.columns &&
               memcmp(again.power.weight, model.power.weight, sizeof again.power.weight) == 0);
    free(text);
    wtl_phase_model_fini(&again);
    wtl_phase_model_fini(&model);
    return 0;
}

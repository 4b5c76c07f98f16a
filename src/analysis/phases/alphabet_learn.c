/* SPDX-License-Identifier: BSD-3-Clause */
/* Letters from the phases of runs: see alphabet.h. The first phase unlike all letters is a letter of its own; its centre
 * moves with each phase that joins it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/phases/alphabet_parts.h"
#include "analysis/phases/letter.h"
#include "base/fail.h"
#include "base/grow.h"

/* The idle machine is what the quiet phases are that draw least, so much of their time. */
static const double idle_share = 0.1;

/* -- noise -- */

struct noise {
    double squares, products, rows, degrees;
};

static struct noise noise_of(const struct wtl_counter_rows *rows,
                             const struct wtl_phase_list *phases,
                             size_t column)
{
    struct noise noise = {0};
    for (size_t i = 0; i < phases->count; i++) {
        const struct wtl_phase *phase = &phases->list[i];
        double sum = 0, n = 0, before = NAN;
        for (size_t row = phase->first; row <= phase->last && row < rows->rows; row++) {
            double rate = rows->rate[row * rows->columns + column];
            sum += isfinite(rate) ? rate : 0;
            n += isfinite(rate);
        }
        if (n < 2)
            continue;
        for (size_t row = phase->first; row <= phase->last && row < rows->rows; row++) {
            double off = rows->rate[row * rows->columns + column] - sum / n;
            noise.squares += isfinite(off) ? off * off : 0;
            noise.products += isfinite(off * before) ? off * before : 0;
            before = off;
        }
        noise.rows += n;
        noise.degrees += n - 1;
    }
    return noise;
}

/* The noise of all runs so far; rates are scaled to their largest one, so that no square overflows. */
static void learn_noise(struct wtl_alphabet *alphabet,
                        const struct wtl_counter_rows *rows,
                        const struct wtl_phase_list *phases,
                        const size_t *column)
{
    for (size_t c = 0; c < alphabet->columns; c++) {
        struct noise noise = noise_of(rows, phases, column[c]);
        double before = alphabet->rows[c], all = before + noise.degrees;
        if (!(noise.degrees > 0) || !isfinite(noise.squares))
            continue;
        double variance = alphabet->noise[c] * alphabet->noise[c];
        double repeated = noise.squares > 0 ? noise.products / noise.squares : 0;
        repeated = fmin(fmax(repeated, 0), 0.99);
        alphabet->noise[c] = sqrt((variance * before + noise.squares) / all);
        alphabet->repeated[c] = (alphabet->repeated[c] * before + repeated * noise.degrees) / all;
        alphabet->rows[c] = all;
    }
}

/* -- letters -- */

/* One phase more, or a whole letter more, with these means. */
struct joined {
    const double *rates;
    double rows, seconds, occurrences, mean_w, power_s, squares;
};

static void join(struct wtl_letter *letter, size_t columns, const struct joined *joined)
{
    double rows = letter->rows + joined->rows, power_s = letter->power_s + joined->power_s;
    for (size_t c = 0; c < columns; c++) {
        double rate = joined->rates[c];
        if (isnan(letter->centre[c]))
            letter->centre[c] = rate;
        else if (isfinite(rate) && rows > 0)
            letter->centre[c] += (rate - letter->centre[c]) * (joined->rows / rows);
    }
    letter->rows = rows;
    letter->seconds += joined->seconds;
    letter->occurrences += joined->occurrences;
    if (!(joined->power_s > 0))
        return;
    double off = letter->power_s > 0 ? joined->mean_w - letter->mean_w : 0;
    letter->squares += joined->squares + off * off * letter->power_s * joined->power_s / power_s;
    letter->mean_w =
        letter->power_s > 0 ? letter->mean_w + off * joined->power_s / power_s : joined->mean_w;
    letter->power_s = power_s;
    if (letter->occurrences > 1)
        letter->sd_w =
            sqrt(letter->squares / power_s * letter->occurrences / (letter->occurrences - 1));
}

static int append(struct wtl_alphabet *alphabet, bool idle, uint16_t code, struct wattle_error *err)
{
    if (alphabet->count >= WTL_ALPHABET_LETTERS)
        return wtl_fail(
            err, -E2BIG,
            "more than %d different behaviours; raise --alike, so that they need to differ more",
            WTL_ALPHABET_LETTERS);
    if (wtl_grow(&alphabet->letters, alphabet->count, sizeof *alphabet->letters) < 0)
        return wtl_no_memory_for(err, "the letters");
    struct wtl_letter *letter = &alphabet->letters[alphabet->count];
    *letter = (struct wtl_letter){.idle = idle, .code = code, .mean_w = NAN, .sd_w = NAN};
    for (size_t c = 0; c < WTL_ALPHABET_COLUMNS; c++)
        letter->centre[c] = NAN;
    return (int)alphabet->count++;
}

static void name_all(struct wtl_alphabet *alphabet)
{
    size_t named = 0;
    for (size_t i = 0; i < alphabet->count; i++) {
        struct wtl_letter *letter = &alphabet->letters[i];
        if (letter->idle || alphabet->codes)
            wtl_letter_text(letter->idle ? WTL_LETTER_XXX : letter->code, letter->name,
                            sizeof letter->name);
        else
            wtl_letter_name(named++, letter->name, sizeof letter->name);
    }
}

static int learn_phase(struct wtl_alphabet *alphabet,
                       struct wtl_phase *phase,
                       const double *rates,
                       double rows,
                       struct wattle_error *err)
{
    bool idle = wtl_alphabet_is_idle(alphabet, rates, rows, phase->mean_w);
    uint16_t code = alphabet->codes && !idle ? wtl_phase_code(phase) : WTL_LETTER_XXX;
    int letter = wtl_alphabet_letter_of(alphabet, phase, rates, rows);
    bool unclear = alphabet->codes ? !idle && code == WTL_LETTER_XXX : rows < WTL_LETTER_ROWS;
    if (letter < 0 && (rows < 1 || unclear)) {
        phase->letter = -1;
        return 0;
    }
    if (letter < 0)
        letter = append(alphabet, idle, code, err);
    if (letter < 0)
        return letter;
    struct joined joined = {.rates = rates,
                            .rows = rows,
                            .seconds = phase->length_s,
                            .occurrences = 1,
                            .mean_w = phase->mean_w,
                            .power_s = isfinite(phase->mean_w) ? phase->known_s : 0};
    join(&alphabet->letters[letter], alphabet->columns, &joined);
    phase->letter = letter;
    return 0;
}

/* The least power of quiet phases, such that so much of their time is not above it; 0: none has a power. */
static double least_power(const struct wtl_phase_list *phases, const bool *quiet)
{
    double all_s = 0, least = INFINITY;
    for (size_t i = 0; i < phases->count; i++)
        all_s += quiet[i] ? phases->list[i].known_s : 0;
    for (size_t i = 0; i < phases->count; i++) {
        double below_s = 0, mean_w = phases->list[i].mean_w;
        for (size_t k = 0; quiet[i] && k < phases->count; k++)
            below_s += quiet[k] && phases->list[k].mean_w <= mean_w ? phases->list[k].known_s : 0;
        if (below_s > 0 && below_s >= idle_share * all_s)
            least = fmin(least, mean_w);
    }
    return isfinite(least) ? least : 0;
}

/* What the idle machine draws in this run. */
static int learn_idle(struct wtl_alphabet *alphabet,
                      const struct wtl_counter_rows *rows,
                      const struct wtl_phase_list *phases,
                      const size_t *column,
                      struct wattle_error *err)
{
    double rates[WTL_ALPHABET_COLUMNS];
    if (isnan(alphabet->idle_beta) || alphabet->idle_given)
        return 0;
    bool *quiet = calloc(phases->count + 1, sizeof *quiet);
    if (!quiet)
        return wtl_no_memory_for(err, "the letters");
    for (size_t i = 0; i < phases->count; i++) {
        const struct wtl_phase *phase = &phases->list[i];
        double n = wtl_alphabet_rates(alphabet, rows, phase, column, rates);
        quiet[i] = n >= WTL_LETTER_ROWS && isfinite(phase->mean_w) &&
                   wtl_alphabet_is_quiet(alphabet, rates);
    }
    double least = least_power(phases, quiet);
    if (least > 0)
        alphabet->idle_w = alphabet->idle_w > 0 ? fmin(alphabet->idle_w, least) : least;
    free(quiet);
    return 0;
}

int wtl_alphabet_learn(struct wtl_alphabet *alphabet,
                       const struct wtl_counter_rows *rows,
                       struct wtl_phase_list *phases,
                       struct wattle_error *err)
{
    size_t column[WTL_ALPHABET_COLUMNS] = {0};
    double rates[WTL_ALPHABET_COLUMNS];
    int rc = wtl_alphabet_fits(alphabet, rows, column, err);
    if (rc < 0)
        return rc;
    learn_noise(alphabet, rows, phases, column);
    for (size_t i = 0; i < phases->count; i++) {
        (void)wtl_alphabet_rates(alphabet, rows, &phases->list[i], column, rates);
        for (size_t c = 0; c < alphabet->columns; c++)
            alphabet->most[c] = fmax(alphabet->most[c], fabs(rates[c])); /* a NaN is left out */
    }
    rc = learn_idle(alphabet, rows, phases, column, err);
    for (size_t i = 0; rc == 0 && i < phases->count; i++) {
        double n = wtl_alphabet_rates(alphabet, rows, &phases->list[i], column, rates);
        rc = learn_phase(alphabet, &phases->list[i], rates, n, err);
    }
    name_all(alphabet);
    return rc;
}

/* -- settling -- */

/* The nearest earlier letter that is the same behaviour as letter i, or i. */
static size_t same_as(const struct wtl_alphabet *alphabet, size_t i)
{
    const struct wtl_letter *letter = &alphabet->letters[i];
    double least = INFINITY;
    size_t best = i;
    for (size_t k = 0; k < i && !letter->idle && !alphabet->codes; k++) {
        double distance = INFINITY;
        if (!alphabet->letters[k].idle)
            distance = wtl_alphabet_distance(alphabet, &alphabet->letters[k], letter->centre,
                                             letter->rows);
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    return best;
}

/* Letter i becomes part of letter `into` < i; those after it move up. */
static void merge(struct wtl_alphabet *alphabet, size_t into, size_t i)
{
    const struct wtl_letter *gone = &alphabet->letters[i];
    struct joined joined = {.rates = gone->centre,
                            .rows = gone->rows,
                            .seconds = gone->seconds,
                            .occurrences = gone->occurrences,
                            .mean_w = gone->mean_w,
                            .power_s = gone->power_s,
                            .squares = gone->squares};
    join(&alphabet->letters[into], alphabet->columns, &joined);
    for (size_t k = i; k + 1 < alphabet->count; k++)
        alphabet->letters[k] = alphabet->letters[k + 1];
    alphabet->count--;
}

int wtl_alphabet_settle(struct wtl_alphabet *alphabet, size_t **ret_map, struct wattle_error *err)
{
    size_t before = alphabet->count;
    size_t *map = malloc((before ? before : 1) * sizeof *map);
    if (!map)
        return wtl_no_memory_for(err, "the letters");
    for (size_t i = 0; i < before; i++)
        map[i] = i;
    for (size_t i = 1; i < alphabet->count;) {
        size_t into = same_as(alphabet, i);
        if (into == i) {
            i++;
            continue;
        }
        merge(alphabet, into, i);
        for (size_t k = 0; k < before; k++)
            map[k] = map[k] == i ? into : map[k] > i ? map[k] - 1 : map[k];
        i = into > 0 ? into : 1; /* its centre has moved */
    }
    name_all(alphabet);
    if (ret_map)
        *ret_map = map;
    else
        free(map);
    return 0;
}

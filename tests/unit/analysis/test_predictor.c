/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictors of letters: the sequences of the paper's review, and programs whose letters are known. */
#include "analysis/predict/predictor.h"

#include <errno.h>

#include "analysis/phases/dna.h"
#include "base/random.h"
#include "tap.h"

enum { MOST = 4096 };

static size_t letters_of(const char *text, uint16_t *letters)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        letters[i] = (uint16_t)(text[i] - 'A');
    return n;
}

static struct wtl_predictor *created(enum wtl_predictor_kind kind, size_t letters, unsigned order)
{
    struct wtl_predictor_options options = {.kind = kind, .order = order};
    struct wtl_predictor *predictor = NULL;
    if (wtl_predictor_create(letters, &options, &predictor) < 0)
        return NULL;
    return predictor;
}

/* Letters predicted right in a row, from the first one on, after learning the sequence; whether it ends there or goes on
 * is part of what is learnt. */
static size_t leading(enum wtl_predictor_kind kind, const char *text, unsigned order, bool ends)
{
    uint16_t letters[64], path[64];
    size_t n = letters_of(text, letters), right = 1;
    struct wtl_predictor *predictor = created(kind, 4, order);
    for (size_t i = 0; i < n && !ends; i++)
        (void)wtl_predictor_observe(predictor, letters[i]);
    if (ends)
        (void)wtl_predictor_train(predictor, letters, n);
    (void)wtl_predictor_begin(predictor);
    (void)wtl_predictor_observe(predictor, letters[0]);
    (void)wtl_predictor_predict(predictor, n - 1, path, NULL);
    while (right < n && path[right - 1] == letters[right])
        right++;
    wtl_predictor_destroy(predictor);
    return right;
}

static void sequences(void)
{
    static const struct row {
        int line;
        const char *text;
        enum wtl_predictor_kind kind;
        unsigned order;
        bool ends;
        size_t want;
    } rows[] = {
        {__LINE__, "AAABBAAABBCCAAABBAAABBCC", WTL_PREDICT_CHAIN, 0, true, 3},
        {__LINE__, "AAABBAAABBCCAAABBAAABBCC", WTL_PREDICT_LAST, 0, true, 3},
        {__LINE__, "AAABBAAABBCCAAABBAAABBCC", WTL_PREDICT_GPHT, 6, false, 24},
        {__LINE__, "AAABBAAABBCCAAABBAAABBCC", WTL_PREDICT_RUNS, 0, false, 24},
        {__LINE__, "AAABBAAABBCCAAABBAAABBCC", WTL_PREDICT_RUNS, 0, true, 24},
        {__LINE__, "ABCABDABCABD", WTL_PREDICT_CHAIN, 0, true, 5},
        {__LINE__, "ABCABDABCABD", WTL_PREDICT_LAST, 0, true, 1},
        {__LINE__, "ABCABDABCABD", WTL_PREDICT_GPHT, 3, false, 12},
        {__LINE__, "ABCABDABCABD", WTL_PREDICT_RUNS, 3, false, 12},
        {__LINE__, "ABCABDABCABD", WTL_PREDICT_RUNS, 0, true, 12},
    };
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        tap_line = row->line;
        is_int(leading(row->kind, row->text, row->order, row->ends), row->want, "%s: %s, order %u",
               wtl_predictor_kind_names[row->kind], row->text, row->order);
    }
    tap_line = 0;
}

/* The transition rows of the review: A {A 8, B 4}, B {B 4, A 2, C 2}, C {C 2, A 1}; the end of the run is one more. */
static void chain_probabilities(void)
{
    uint16_t letters[64], path[2];
    double p[2];
    size_t n = letters_of("AAABBAAABBCCAAABBAAABBCC", letters);
    struct wtl_predictor *predictor = created(WTL_PREDICT_CHAIN, 3, 0);
    (void)wtl_predictor_train(predictor, letters, n);
    static const double want[] = {8.0 / 12, 4.0 / 8, 2.0 / 4};
    for (uint16_t letter = 0; letter < 3; letter++) {
        (void)wtl_predictor_observe(predictor, letter);
        (void)wtl_predictor_predict(predictor, 1, path, p);
        is_double(p[0], want[letter], 1e-12, "the chain after %c", 'A' + letter);
        (void)wtl_predictor_begin(predictor);
    }
    wtl_predictor_destroy(predictor);
}

/* A loop of phases of fixed lengths, n letters; every letter is misread with this probability. */
static void loop(uint16_t *letters, size_t n, double misread, uint64_t seed)
{
    static const struct {
        uint16_t letter;
        size_t length;
    } body[] = {{0, 7}, {1, 3}, {0, 5}, {2, 11}, {1, 3}, {3, 2}, {0, 7}, {2, 4}, {4, 1}, {5, 17}};
    size_t phase = 0, elapsed = 0;
    for (size_t i = 0; i < n; i++) {
        letters[i] = body[phase].letter;
        if (wtl_random_uniform(seed, 2 * i) < misread)
            letters[i] = (uint16_t)((letters[i] + 1 + wtl_random_bits(seed, 2 * i + 1) % 5) % 6);
        if (++elapsed == body[phase].length) {
            elapsed = 0;
            phase = (phase + 1) % (sizeof body / sizeof *body);
        }
    }
}

static void repeats(void)
{
    static uint16_t letters[MOST], clean[MOST], path[1200];
    static double p[1200];
    struct wtl_predictor *predictor = created(WTL_PREDICT_RUNS, 6, 0);
    loop(letters, MOST, 0, 1);
    for (size_t i = 0; i < 600; i++)
        (void)wtl_predictor_observe(predictor, letters[i]);
    (void)wtl_predictor_predict(predictor, 1200, path, p);
    ok(memcmp(path, letters + 600, sizeof path) == 0, "1,200 letters of a loop after ten rounds");
    ok(p[0] > 0.9 && p[1199] <= 1, "they are sure: %.3f, %.3f", p[0], p[1199]);
    wtl_predictor_destroy(predictor);

    predictor = created(WTL_PREDICT_RUNS, 6, 0);
    loop(letters, MOST, 0.02, 1);
    loop(clean, MOST, 0, 1);
    size_t right = 0, of = 0;
    for (size_t i = 0; i < 3000; i++) {
        if (i >= 1500 && i % 10 == 0) {
            (void)wtl_predictor_predict(predictor, 100, path, NULL);
            for (size_t k = 0; k < 100; k++)
                right += path[k] == clean[i + k];
            of += 100;
        }
        (void)wtl_predictor_observe(predictor, letters[i]);
    }
    ok((double)right > 0.98 * (double)of,
       "one letter of 50 is misread: %zu of %zu right up to 100 letters ahead", right, of);
    wtl_predictor_destroy(predictor);
}

static void ends_of_runs(void)
{
    uint16_t letters[64], path[8];
    double p[8];
    size_t n = letters_of("AAABB", letters);
    struct wtl_predictor *predictor = created(WTL_PREDICT_RUNS, 2, 0);
    for (size_t i = 0; i < 5; i++)
        (void)wtl_predictor_train(predictor, letters, n);
    (void)wtl_predictor_observe(predictor, 0);
    (void)wtl_predictor_predict(predictor, 8, path, p);
    ok(path[3] == 1 && path[4] == WTL_PREDICT_END && path[7] == WTL_PREDICT_END && p[7] > 0.8,
       "the end of a run is predicted, and nothing after it");
    wtl_predictor_destroy(predictor);
}

static void nothing_known(void)
{
    struct wtl_predictor *predictor = NULL;
    uint16_t path[4];
    double p[4];
    is_int(wtl_predictor_create(0, NULL, &predictor), -EINVAL, "no letters");
    is_int(wtl_predictor_create(WTL_PREDICT_LETTERS + 1, NULL, &predictor), -EINVAL,
           "too many letters");
    for (enum wtl_predictor_kind kind = 0; kind < WTL_PREDICT_KINDS; kind++) {
        predictor = created(kind, 3, 0);
        is_int(wtl_predictor_predict(predictor, 4, path, p), 0, "%s: predicts before anything",
               wtl_predictor_kind_names[kind]);
        (void)wtl_predictor_observe(predictor, WTL_DNA_UNKNOWN);
        (void)wtl_predictor_observe(predictor, 17);
        is_int(wtl_predictor_predict(predictor, 4, path, p), 0, "%s: unknown letters",
               wtl_predictor_kind_names[kind]);
        bool in_range = true;
        for (size_t i = 0; i < 4; i++)
            in_range = in_range && p[i] >= 0 && p[i] <= 1 &&
                       (path[i] < 3 || path[i] == WTL_DNA_UNKNOWN || path[i] == WTL_PREDICT_END);
        ok(in_range, "%s: letters and probabilities in range", wtl_predictor_kind_names[kind]);
        wtl_predictor_destroy(predictor);
    }
}

int main(void)
{
    sequences();
    chain_probabilities();
    repeats();
    ends_of_runs();
    nothing_known();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Letters of the paper, alphabets and DNA of worlds with known letters. */
#include <errno.h>
#include <math.h>

#include "analysis/phases/alphabet.h"
#include "analysis/phases/dna.h"
#include "analysis/phases/letter.h"
#include "base/random.h"
#include "tap.h"

enum { COLUMNS = 5, EACH = 40, MOST = 400 };

static void codes(void)
{
    static const struct row {
        int line;
        uint16_t code;
        uint8_t ids[4];
        uint16_t sorted;
    } rows[] = {
        {__LINE__, 17692, {4, 5, 1, 12}, 5212}, /* the paper's, IS then EP */
        {__LINE__, 293, {0, 1, 2, 5}, 293},     /* and LU */
        {__LINE__, 291, {0, 1, 2, 3}, 291},     /* the smallest */
        {__LINE__, 56506, {13, 12, 11, 10}, 0xabcd},
    };
    uint8_t ids[4];
    uint16_t code, valid = 0;
    char text[WTL_LETTER_TEXT];
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        tap_line = row->line;
        ok(wtl_letter_ids(row->code, ids) == 0 && memcmp(ids, row->ids, 4) == 0, "%u is decoded",
           (unsigned)row->code);
        ok(wtl_letter_code(row->ids, &code) == 0 && code == row->code, "and encoded");
        is_int(wtl_letter_sorted(row->code), row->sorted, "sorted");
        is_int(wtl_letter_is_sorted(row->code), row->sorted == row->code, "canonical or not");
    }
    tap_line = 0;
    for (unsigned i = 0; i <= UINT16_MAX; i++)
        valid += (uint16_t)(wtl_letter_ids((uint16_t)i, ids) == 0);
    is_int(valid, 43680, "valid codes of 16 counters");
    is_int(wtl_letter_ids(WTL_LETTER_XXX, ids), -EINVAL, "XXX has no counters");
    is_int(wtl_letter_ids(0x1123, ids), -EINVAL, "nor has a code with one of them twice");
    is_int(wtl_letter_code((const uint8_t[]){1, 2, 3, 16}, &code), -EINVAL, "a 17th counter");
    wtl_letter_text(WTL_LETTER_XXX, text, sizeof text);
    is_str(text, "XXX", "its name");
    static const struct {
        size_t i;
        const char *name;
    } names[] = {{0, "A"}, {25, "Z"}, {26, "AA"}, {701, "ZZ"}, {702, "AAA"}, {4095, "FAN"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        wtl_letter_name(names[i].i, text, sizeof text);
        is_str(text, names[i].name, "the name of letter %zu", names[i].i);
    }
}

/* Behaviours: rates of the counters; the last one is idle. */
static const double means[][COLUMNS] = {
    {4e9, 1e6, 2e9, 1e3, 0},
    {4e9, 5e7, 2e9, 1e3, 0},
    {2e9, 1e6, 2e9, 8e7, 5e3},
    {1e7, 10, 1e7, 1e3, 0},
};
static const char *const columns[] = {"CPU_CYCLES", "CACHE_MISSES", "INSTRUCTIONS", "netSENTbyte",
                                      "READ_IO"};

struct recording {
    struct wtl_counter_rows rows;
    struct wtl_phase_list phases;
    struct wtl_phase list[16];
};

/* Phases of EACH rows of 1 s, by the letters of the text; noise is a share of each mean. */
static void record(struct recording *recording, const char *text, double noise, uint64_t seed)
{
    struct recording begun = {.phases.count = strlen(text)};
    uint64_t n = 0;
    *recording = begun;
    recording->phases.list = recording->list;
    (void)wtl_counter_rows_init(&recording->rows, strlen(text) * EACH, COLUMNS, 1000000000);
    (void)snprintf(recording->rows.set, sizeof recording->rows.set, "test");
    for (size_t c = 0; c < COLUMNS; c++)
        (void)snprintf(recording->rows.names[c], WTL_ROW_NAME_MAX, "%s", columns[c]);
    for (size_t i = 0; i < strlen(text); i++) {
        recording->list[i] = (struct wtl_phase){.first = i * EACH,
                                                .last = i * EACH + EACH - 1,
                                                .length_s = EACH,
                                                .known_s = EACH,
                                                .letter = -1,
                                                .mean_w = 100 + 10 * (text[i] - 'a')};
        recording->list[i].energy_j = recording->list[i].mean_w * EACH;
        for (size_t row = i * EACH; row < (i + 1) * EACH; row++) {
            wtl_counter_rows_power(&recording->rows, row, recording->list[i].mean_w);
            for (size_t c = 0; c < COLUMNS; c++)
                recording->rows.rate[row * COLUMNS + c] =
                    means[text[i] - 'a'][c] * (1 + noise * wtl_random_normal(seed, n++));
        }
    }
}

static void begin(struct wtl_alphabet *alphabet)
{
    char names[COLUMNS][WTL_ALPHABET_NAME] = {{0}};
    for (size_t c = 0; c < COLUMNS; c++)
        (void)snprintf(names[c], sizeof names[c], "%s", columns[c]);
    (void)wtl_alphabet_init(alphabet, COLUMNS, (const char(*)[WTL_ALPHABET_NAME])names, "test",
                            NULL);
}

static bool same_text(const struct wtl_alphabet *alphabet,
                      const struct recording *recording,
                      double step_s,
                      const char *want)
{
    struct wtl_dna dna;
    if (wtl_dna_of_phases(&recording->rows, &recording->phases, step_s, &dna, NULL) < 0)
        return false;
    char *text = wtl_dna_text(&dna, alphabet);
    bool same = is_str(text, want, "letters of %g s", step_s);
    double known_s, joules = wtl_dna_joules(&dna, &known_s), all = 0;
    for (size_t i = 0; i < recording->rows.rows; i++)
        all += recording->rows.energy_j[i];
    is_double(joules, all, 1e-6, "they have all the energy");
    is_double(wtl_dna_seconds(&dna), (double)recording->rows.rows, 1e-6, "and all the time");
    free(text);
    wtl_dna_fini(&dna);
    return same;
}

static void alphabets(double noise)
{
    struct wtl_alphabet alphabet;
    struct recording first, second;
    begin(&alphabet);
    alphabet.idle_beta = 1e-5;
    record(&first, "abacaab", noise, 1);
    record(&second, "dbcdd", noise, 2);
    ok(wtl_alphabet_learn(&alphabet, &first.rows, &first.phases, NULL) == 0 &&
           wtl_alphabet_learn(&alphabet, &second.rows, &second.phases, NULL) == 0 &&
           wtl_alphabet_settle(&alphabet, NULL, NULL) == 0,
       "two runs are learnt, noise %g", noise);
    is_int((int)alphabet.count, 4, "four behaviours");
    ok(wtl_alphabet_spell(&alphabet, &first.rows, &first.phases, NULL) == 0 &&
           wtl_alphabet_spell(&alphabet, &second.rows, &second.phases, NULL) == 0,
       "spelt");
    same_text(&alphabet, &first, 0, "A40 B40 A40 C40 A80 B40");
    same_text(&alphabet, &second, 0, "XXX40 B40 C40 XXX80");
    same_text(&alphabet, &second, 90, "XXX90 XXX90 XXX20");
    is_double(alphabet.letters[0].mean_w, 100, 1e-9, "power of A");
    is_double(alphabet.letters[0].occurrences, 4, 0, "its occurrences");
    int idle = wtl_alphabet_find(&alphabet, "XXX");
    ok(idle >= 0 && alphabet.letters[idle].idle, "XXX is idle");
    is_int(wtl_alphabet_letter(&alphabet, means[2], 10, NAN), 2, "a stream finds C");
    is_int(wtl_alphabet_letter(&alphabet, (const double[]){9e9, 4e7, 9e8, 5e6, 1e9}, 10, NAN), -1,
           "another behaviour is none of them");
    wtl_counter_rows_fini(&first.rows);
    wtl_counter_rows_fini(&second.rows);
    wtl_alphabet_fini(&alphabet);
}

/* One alphabet for two nodes, the second of which has its columns in another order and one more. */
static void other_columns(void)
{
    struct wtl_alphabet alphabet;
    struct recording run;
    struct wattle_error err = {""};
    size_t column[WTL_ALPHABET_COLUMNS];
    begin(&alphabet);
    record(&run, "ab", 0.01, 1);
    (void)snprintf(run.rows.names[0], WTL_ROW_NAME_MAX, "%s", columns[4]);
    (void)snprintf(run.rows.names[4], WTL_ROW_NAME_MAX, "%s", columns[0]);
    ok(wtl_alphabet_fits(&alphabet, &run.rows, column, &err) == 0 && column[0] == 4 &&
           column[4] == 0,
       "columns are found by name");
    (void)snprintf(run.rows.names[2], WTL_ROW_NAME_MAX, "CYCLES");
    (void)snprintf(run.rows.set, sizeof run.rows.set, "mine");
    is_int(wtl_alphabet_learn(&alphabet, &run.rows, &run.phases, &err), -EINVAL,
           "another counter set is refused");
    ok(strstr(err.text, "mine") && strstr(err.text, "INSTRUCTIONS") && strstr(err.text, "test"),
       "with its name, that of the counter, and what is needed: %s", err.text);
    is_int((int)alphabet.count, 0, "and nothing is learnt");
    wtl_counter_rows_fini(&run.rows);
    wtl_alphabet_fini(&alphabet);
}

/* A counter that never has a value, and a phase in which none has one. */
static void missing(void)
{
    struct wtl_alphabet alphabet;
    struct recording run;
    begin(&alphabet);
    record(&run, "aba", 0.01, 1);
    for (size_t row = 0; row < run.rows.rows; row++) {
        run.rows.rate[row * COLUMNS + 3] = NAN;
        for (size_t c = 0; c < COLUMNS && row >= 2 * EACH; c++)
            run.rows.rate[row * COLUMNS + c] = NAN;
    }
    is_int(wtl_alphabet_learn(&alphabet, &run.rows, &run.phases, NULL), 0, "missing counters");
    is_int(run.list[0].letter, 0, "the others tell A");
    is_int(run.list[1].letter, 1, "from B");
    is_int(run.list[2].letter, -1, "a phase without any value has no letter");
    bool finite = isfinite(alphabet.letters[0].mean_w) != 0;
    ok(finite && isnan(alphabet.letters[0].centre[3]), "what was never measured stays unknown");
    same_text(&alphabet, &run, 0, "A40 B40 ?40");
    wtl_counter_rows_fini(&run.rows);
    wtl_alphabet_fini(&alphabet);
}

/* Letters of the paper: the same four counters in another order are the same letter. */
static void of_the_paper(void)
{
    struct wtl_alphabet alphabet;
    struct recording run;
    static const uint8_t ranks[3][4] = {{4, 2, 1, 3}, {0, 1, 2, 3}, {1, 2, 3, 4}};
    begin(&alphabet);
    alphabet.codes = true;
    record(&run, "aab", 0.01, 1);
    for (size_t i = 0; i < 3; i++) {
        memcpy(run.list[i].rank, ranks[i], 4);
        run.list[i].ranked = 4;
    }
    is_int(wtl_alphabet_learn(&alphabet, &run.rows, &run.phases, NULL), 0, "letters of the paper");
    same_text(&alphabet, &run, 0, "(16915, 40) (291, 40) (16915, 40)");
    run.list[0].ranked = 2; /* {4, 2}: filled up with 0 and 1 */
    (void)wtl_alphabet_learn(&alphabet, &run.rows, &run.phases, NULL);
    is_str(alphabet.letters[run.list[0].letter].name, "16897", "fewer than four that vary");
    run.list[0].ranked = 0;
    (void)wtl_alphabet_learn(&alphabet, &run.rows, &run.phases, NULL);
    is_int(run.list[0].letter, -1, "none that varies is not idle for that");
    wtl_counter_rows_fini(&run.rows);
    wtl_alphabet_fini(&alphabet);
}

/* Rows as quiet as the idle machine: at 60 W it is idle, at 180 W it waits. A rest of one row says nothing. */
static void idle_draws_little(void)
{
    struct wtl_alphabet alphabet;
    struct recording run;
    static const double watts[] = {60, 180, 61, 200, 210};
    begin(&alphabet);
    alphabet.idle_beta = 1e-5;
    record(&run, "dddad", 0.01, 1);
    for (size_t i = 0; i < 5; i++)
        run.list[i].mean_w = watts[i];
    run.list[4].last = run.list[4].first;
    is_int(wtl_alphabet_learn(&alphabet, &run.rows, &run.phases, NULL), 0, "a run that waits");
    int idle = wtl_alphabet_find(&alphabet, "XXX");
    ok(idle >= 0 && run.list[0].letter == idle && run.list[2].letter == idle, "idle at 60 W");
    ok(run.list[1].letter != idle && run.list[1].letter >= 0, "a letter of its own at 180 W");
    ok(run.list[4].letter != idle, "a row at 210 W is not idle");
    is_double(idle >= 0 ? alphabet.letters[idle].mean_w : 0, 60.5, 1, "the power of idle");
    int waits = run.list[1].letter;
    ok(wtl_alphabet_spell(&alphabet, &run.rows, &run.phases, NULL) == 0 &&
           run.list[0].letter == idle && run.list[1].letter == waits,
       "likewise spelt");
    run.phases.count = 2;
    run.phases.list = &run.list[3]; /* nothing else is quiet */
    wtl_alphabet_fini(&alphabet);
    begin(&alphabet);
    alphabet.idle_beta = 1e-5;
    is_int(wtl_alphabet_learn(&alphabet, &run.rows, &run.phases, NULL), 0, "with a rest");
    is_int(wtl_alphabet_find(&alphabet, "XXX"), -1, "one row makes no idle");
    wtl_counter_rows_fini(&run.rows);
    wtl_alphabet_fini(&alphabet);
}

/* Some bytes more in the background are no other behaviour; so many that they take time are one. */
static void background(void)
{
    struct wtl_alphabet alphabet;
    struct recording run;
    begin(&alphabet);
    record(&run, "aaa", 0.01, 1);
    for (size_t row = EACH; row < run.rows.rows; row++) {
        run.rows.rate[row * COLUMNS + 3] *= row < 2 * EACH ? 18 : 1e5;
        run.rows.rate[row * COLUMNS + 4] = 4e4;
    }
    is_int(wtl_alphabet_learn(&alphabet, &run.rows, &run.phases, NULL), 0, "background");
    same_text(&alphabet, &run, 0, "A80 B40");
    wtl_counter_rows_fini(&run.rows);
    wtl_alphabet_fini(&alphabet);
}

static void slots(void)
{
    struct wtl_base bases[] = {{.letter = 0, .duration_s = 0.3},
                               {.letter = 1, .duration_s = 0.1 * 7},
                               {.letter = 2, .duration_s = 0.04}};
    struct wtl_dna dna = {.list = bases, .count = 3};
    uint16_t *letters = NULL;
    size_t n = 0;
    ok(wtl_dna_slots(&dna, 0.1, &letters, &n) == 0 && n == 10, "ten letters of 0.1 s");
    ok(n == 10 && letters[2] == 0 && letters[3] == 1 && letters[9] == 1, "each of its middle");
    free(letters);
}

int main(void)
{
    codes();
    alphabets(0);
    alphabets(0.05);
    other_columns();
    missing();
    of_the_paper();
    idle_draws_little();
    background();
    slots();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* How certain a prediction is, and what it says of the end: of one program, of several, of none. */
#include <math.h>

#include "analysis/predict/prediction.h"
#include "strings.h"
#include "tap.h"

enum { RUNS = 8, LETTERS = 4, COLUMNS = 6 };

static const double watts[LETTERS] = {150, 120, 100, 90};

struct world {
    struct wtl_phase_model model;
    struct wtl_model_run runs[RUNS];
    struct wtl_dna nodes[RUNS];
    struct wtl_letter letters[LETTERS];
};

static void add(struct world *w, const char *name, const char *platform, const char *string)
{
    size_t i = w->model.run_count++;
    w->nodes[i] = string_of(string, watts);
    w->runs[i] = (struct wtl_model_run){
        .name = (char *)name, .platform = (char *)platform, .nodes = &w->nodes[i], .node_count = 1};
    w->model.runs = w->runs;
    w->model.alphabet.letters = w->letters;
    w->model.alphabet.count = LETTERS;
}

static struct wtl_prediction ask(const struct world *w, const char *beginning)
{
    struct wtl_dna nodes = string_of(beginning, watts);
    struct wtl_prediction p = {.known = false};
    struct wattle_error err = {""};
    double known_s;
    struct wtl_prediction_question q = {.model = &w->model,
                                        .nodes = &nodes,
                                        .node_count = 1,
                                        .platform = "here",
                                        .idle_w = NAN,
                                        .done_s = wtl_dna_seconds(&nodes),
                                        .done_j = wtl_dna_joules(&nodes, &known_s)};
    is_int(wtl_predict(&q, &p, &err), 0, "%s: %s", beginning, err.text);
    free(nodes.list);
    return p;
}

static void world_fini(struct world *w)
{
    for (size_t i = 0; i < w->model.run_count; i++)
        free(w->nodes[i].list);
    *w = (struct world){.model = {0}};
}

/* The probability that it is this program; its end if so. */
static struct wtl_predicted_candidate candidate_of(const struct wtl_prediction *p, const char *name)
{
    for (size_t i = 0; i < p->candidate_count; i++) {
        if (strcmp(p->candidates[i].program, name) == 0)
            return p->candidates[i];
    }
    return (struct wtl_predicted_candidate){.time_s = NAN, .energy_j = NAN};
}

/* A program that is not stored runs for 133 s of one letter, which one of two stored programs begins with, too. */
static void check_never_seen(size_t runs)
{
    static const char *const of_long[] = {"A60 B30 C40 B500", "A60.3 B30.1 C40 B501",
                                          "A59.8 B30 C39.9 B499"};
    static const char *const of_other[] = {"C100 B50", "C100.4 B50", "C99.7 B50.1"};
    static struct world w;
    const double truth = 133 * 150;
    for (size_t i = 0; i < runs; i++) {
        add(&w, "long", "here", of_long[i]);
        add(&w, "other", "here", of_other[i]);
    }
    static const char *const beginnings[] = {"A30", "A60", "A100"};
    for (size_t i = 0; i < 3; i++) {
        struct wtl_prediction p = ask(&w, beginnings[i]);
        struct wtl_predicted_candidate c = candidate_of(&p, "long");
        ok(c.probability < 0.9, "%zu runs, %s: \"long\" is not certain: %.4f", runs, beginnings[i],
           c.probability);
        ok(p.match.unknown > 0.05, "it may be none of the model: %.4f", p.match.unknown);
        ok(isnan(p.energy_low_j) || (p.energy_low_j <= truth && truth <= p.energy_high_j),
           "no interval leaves out the truth");
        ok(isnan(p.energy_j) && p.why.text[0], "and it says so: %s", p.why.text);
        wtl_prediction_fini(&p);
    }
    world_fini(&w);
}

/* What has been seen of it makes it certain. */
static void check_evidence_grows(void)
{
    static const char *const beginnings[] = {"A30", "A60 B10", "A60 B30 C20", "A60 B30 C40 B100"};
    static struct world w;
    double before = 0;
    add(&w, "long", "here", "A60 B30 C40 B500");
    add(&w, "long", "here", "A60.6 B30 C40 B505");
    add(&w, "long", "here", "A59.5 B30.2 C40 B497");
    add(&w, "other", "here", "C100 B50");
    add(&w, "other", "here", "C101 B50");
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        struct wtl_prediction p = ask(&w, beginnings[i]);
        struct wtl_predicted_candidate c = candidate_of(&p, "long");
        ok(c.probability > before, "%s: %.4f, more than before", beginnings[i], c.probability);
        before = c.probability;
        if (i == 3) {
            const double truth = 60 * 150 + 530 * 120 + 40 * 100;
            ok(p.known && c.probability > 0.95, "it is certain");
            ok(p.energy_low_j < truth && truth < p.energy_high_j, "and has an interval");
            ok(c.energy_low_j >= p.energy_low_j && c.energy_high_j <= p.energy_high_j,
               "which is wider than without the doubt");
        }
        wtl_prediction_fini(&p);
    }
    world_fini(&w);
}

/* Two programs begin alike and end after 121 and 1020 s. */
static void check_two_ends(void)
{
    static struct world w;
    static const char *const of_short[] = {"A10 B20 C10 B20 D61", "A10 B20.2 C10 B20 D61.5",
                                           "A10.1 B20 C10 B20 D60.3"};
    static const char *const of_long[] = {"A10 B20 C10 B20 D960", "A10 B20 C10.1 B20 D965",
                                          "A10 B20.1 C10 B20 D955"};
    for (size_t i = 0; i < 3; i++) {
        add(&w, "short", "here", of_short[i]);
        add(&w, "long", "here", of_long[i]);
    }
    struct wtl_prediction p = ask(&w, "A10 B20 C10 B20 D20");
    struct wtl_predicted_candidate a = candidate_of(&p, "short"), b = candidate_of(&p, "long");
    is_double(a.time_s, 121, 2, "one end");
    is_double(b.time_s, 1020, 6, "the other");
    is_double(a.energy_j, 1500 + 4800 + 1000 + 61 * 90, 200, "its energy");
    is_double(b.energy_j, 1500 + 4800 + 1000 + 960 * 90, 600, "the other's");
    ok(a.time_low_s < 121 && 121 < a.time_high_s && a.time_high_s < 200, "each with its interval");
    ok(b.time_low_s < 1020 && 1020 < b.time_high_s && b.time_low_s > 900, "and no other");
    ok(a.probability > 0.3 && b.probability > 0.3, "and its probability");
    ok(isnan(p.time_s) || fabs(p.time_s - 121) < 2 || fabs(p.time_s - 1020) < 6,
       "there is none between them: %.0f s", p.time_s);
    wtl_prediction_fini(&p);
    world_fini(&w);
}

static void check_one_run(void)
{
    static struct world w;
    add(&w, "long", "here", "A60 B30 C40 D30 A20 C30 B500");
    add(&w, "other", "here", "C100 B50");
    struct wtl_prediction p = ask(&w, "A60 B30 C40 D30 A20 C30 B50");
    ok(p.known && p.match.unknown < 0.05, "it is known: %.4f", p.probability);
    is_double(p.time_s, 710, 1, "its time");
    ok(isnan(p.time_low_s) && isnan(p.energy_low_j), "without an interval");
    ok(isnan(p.candidates[0].time_low_s), "nor that of the candidate");
    ok(strstr(p.why.text, "only one run"), "and it says so: %s", p.why.text);
    is_int(p.candidates[0].used, 1, "from one run");
    wtl_prediction_fini(&p);
    world_fini(&w);
}

/* A program that ran here fits so so; one of another platform fits well. */
static void check_reference(void)
{
    static const double there_w[] = {90, 200, 120}, here_w[] = {60, 130, 260}; /* here: C, A, B */
    static const double there[3][COLUMNS] = {{1e6, 1e6, 1e6, 1e6, 1e6, 1e6},
                                             {4e6, 5e6, 1e6, 8e6, 2e6, 1e6},
                                             {2e6, 1e6, 9e6, 1e6, 1e6, 7e6}};
    static const double factor[] = {1.1, 0.9, 1.2, 0.8, 1, 1.1}, speed[] = {0.5, 0.9, 2};
    static const size_t of[] = {2, 0, 1};
    static struct world w;
    struct wtl_letter letters[3] = {{.idle = false}};
    struct wtl_alphabet own_alphabet = {.columns = COLUMNS, .letters = letters, .count = 3};
    w.model.alphabet.columns = COLUMNS;
    add(&w, "kernel", "here", "A50 D30");
    add(&w, "x", "there", "A10 B40 C20 B40 C20 A10");
    for (size_t c = 0; c < COLUMNS; c++) {
        (void)snprintf(own_alphabet.names[c], sizeof own_alphabet.names[c], "C%zu", c);
        (void)snprintf(w.model.alphabet.names[c], sizeof own_alphabet.names[c], "C%zu", c);
        for (size_t i = 0; i < 3; i++) {
            w.letters[i].centre[c] = there[i][c];
            letters[i].centre[c] = speed[i] * factor[c] * there[of[i]][c];
        }
        w.letters[3].centre[c] = 1e3;
    }
    struct wtl_dna reference = string_of("A10 B40 C20 B40 C20 A10", there_w);
    free(w.nodes[1].list);
    w.nodes[1] = reference;
    struct wtl_dna nodes = string_of("A75", here_w), own = string_of("B10 C20 A40 C5", here_w);
    struct wtl_prediction p;
    struct wattle_error err = {""};
    double known_s;
    struct wtl_prediction_question q = {.model = &w.model,
                                        .nodes = &nodes,
                                        .own = &own,
                                        .own_alphabet = &own_alphabet,
                                        .node_count = 1,
                                        .platform = "here",
                                        .idle_w = NAN,
                                        .done_s = 75,
                                        .done_j = wtl_dna_joules(&own, &known_s)};
    is_int(wtl_predict(&q, &p, &err), 0, "%s", err.text);
    ok(p.known && p.reference && strcmp(p.program, "x") == 0,
       "the program of the other platform: local %.3f at %.3f, other at %.3f",
       p.candidates[0].probability, p.candidates[0].distance, p.transfer.distance);
    wtl_prediction_fini(&p);
    /* The same program here: what it took here counts. */
    w.runs[0].name = (char *)"x";
    is_int(wtl_predict(&q, &p, &err), 0, "%s", err.text);
    ok(!p.reference, "a program that ran here is not taken from elsewhere");
    wtl_prediction_fini(&p);
    free(nodes.list);
    free(own.list);
    world_fini(&w);
}

int main(void)
{
    check_never_seen(1);
    check_never_seen(3);
    check_evidence_grows();
    check_two_ends();
    check_one_run();
    check_reference();
    return done_testing();
}

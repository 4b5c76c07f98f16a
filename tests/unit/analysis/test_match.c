/* SPDX-License-Identifier: BSD-3-Clause */
/* Alignment of a beginning with stored strings, and which of them it is. */
#include <errno.h>
#include <math.h>

#include "analysis/predict/match.h"
#include "strings.h"
#include "tap.h"

/* Beginning, stored, where: letter, seconds into it, and the least cost. */
static const struct {
    int line;
    const char *beginning, *stored;
    size_t base;
    double into_s, cost_s;
} places[] = {
    {__LINE__, "A10", "A20 B10", 0, 10, 0},
    {__LINE__, "A20 B5", "A20 B10 C5", 1, 5, 0},
    {__LINE__, "A20 B10 A20 B5", "A20 B10 A20 B10 A20 B10", 3, 5, 0},
    {__LINE__, "A22 B5", "A20 B10", 1, 5, 0.5},     /* 2 s longer: a quarter of it counts */
    {__LINE__, "A10 C1 A9 B4", "A20 B10", 1, 4, 1}, /* a flicker */
    {__LINE__, "A20 B4", "A10 C1 A9 B10", 3, 4, 1}, /* in the stored run */
    {__LINE__, "B10 C5", "A3 B10 C9", 2, 5, 3},     /* it began later */
    {__LINE__, "A25", "A20", 0, 20, 1.25},          /* longer than the stored run */
};

static void check_places(void)
{
    struct wtl_match_options options = wtl_match_options_default();
    struct wtl_matcher *matcher = NULL;
    is_int(wtl_matcher_create(&options, &matcher), 0, "a matcher");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct wtl_dna a = string_of(places[i].beginning, NULL),
                       b = string_of(places[i].stored, NULL);
        struct wtl_match_place place = {0}, same = {0};
        struct wtl_match_piece *pieces = NULL;
        size_t count = 0;
        double laid_s = 0;
        tap_line = places[i].line;
        ok(wtl_matcher_align(matcher, &a, &b, 100, &place), "%s fits", places[i].beginning);
        is_int(place.base, places[i].base, "the letter");
        is_double(place.into_s, places[i].into_s, 1e-9, "seconds of it");
        is_double(place.cost_s, places[i].cost_s, 1e-9, "cost");
        ok(!wtl_matcher_align(matcher, &a, &b, places[i].cost_s - 1e-6, &same),
           "not below its cost");
        ok(wtl_matcher_align(matcher, &a, &b, places[i].cost_s + 1e-6, &same) &&
               same.base == place.base,
           "the bound changes nothing");
        is_int(wtl_match_pieces(&options, &a, &b, false, &pieces, &count, &same), 0, "pieces");
        is_double(same.cost_s, places[i].cost_s, 1e-9, "the same cost");
        for (size_t k = 0; k < count; k++)
            laid_s += pieces[k].seconds;
        is_double(laid_s, wtl_dna_seconds(&a), 1e-9, "everything is laid");
        free(pieces);
        free(a.list);
        free(b.list);
    }
    tap_line = 0;
    wtl_matcher_destroy(matcher);
}

static void check_pace(void)
{
    /* Twice as slow here for A, the same for B. */
    double pace[2] = {2, 1};
    struct wtl_match_options options = wtl_match_options_default();
    options.pace = pace;
    options.letters = 2;
    struct wtl_matcher *matcher = NULL;
    struct wtl_match_place place = {0};
    struct wtl_dna a = string_of("A40 B10 A10", NULL), b = string_of("A20 B10 A20 B10", NULL);
    (void)wtl_matcher_create(&options, &matcher);
    ok(wtl_matcher_align(matcher, &a, &b, 100, &place), "at its pace");
    is_int(place.base, 2, "the third letter");
    is_double(place.into_s, 5, 1e-9, "half of the time here");
    is_double(place.cost_s, 0, 1e-9, "for nothing");
    wtl_matcher_destroy(matcher);
    free(a.list);
    free(b.list);
}

static const char *const stored[][2] = {
    {"lu", "A10 B20 C5 B20 C5 D9"},
    {"lu", "A11 B21 C5 B20 C5 D9"},
    {"lu", "A10 B19 C6 B21 C5 D9"},
    {"cg", "A10 E8 F4 E8 F4 E8 D9"},
    {"cg", "A10 E8 F5 E9 F4 E8 D9"},
    {"cg", "A9 E8 F4 E8 F4 E7 D9"},
    {"ep", "A10 G90 D9"},
    {"ep", "A10 G92 D9"},
    {"ep", "A11 G90 D9"},
};
enum { STORED = sizeof stored / sizeof *stored };

static void check_known(void)
{
    static const struct {
        int line;
        const char *beginning, *program; /* NULL = unknown */
    } rows[] = {
        {__LINE__, "A10 B20 C5 B7", "lu"},  {__LINE__, "A10 E8 F4 E3", "cg"},
        {__LINE__, "A11 G40", "ep"},        {__LINE__, "H10 I20 K5", NULL},
        {__LINE__, "A10 C30 H9 C20", NULL},
    };
    struct wtl_dna nodes[STORED];
    struct wtl_match_run runs[STORED];
    struct wtl_match_options options = wtl_match_options_default();
    struct wattle_error err = {""};
    for (size_t i = 0; i < STORED; i++) {
        nodes[i] = string_of(stored[i][1], NULL);
        runs[i] = (struct wtl_match_run){
            .name = stored[i][0], .platform = "", .nodes = &nodes[i], .node_count = 1};
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_match match;
        struct wtl_dna a = string_of(rows[i].beginning, NULL);
        struct wtl_match_run run = {.name = "", .platform = "", .nodes = &a, .node_count = 1};
        double sum = 0;
        tap_line = rows[i].line;
        is_int(wtl_match_find(runs, STORED, &run, &options, &match, &err), 0, "%s", err.text);
        is_int(match.known, rows[i].program != NULL, "%s is known", rows[i].beginning);
        if (rows[i].program)
            is_str(match.programs[0].name, rows[i].program, "as the right one");
        for (size_t k = 0; k < match.program_count; k++)
            sum += match.programs[k].probability;
        is_double(sum + match.unknown, 1, 1e-9, "probabilities add up");
        wtl_match_fini(&match);
        free(a.list);
    }
    tap_line = 0;
    struct wtl_dna a = string_of("A10 B20 C5 B7", NULL), none = {NULL, 0, 0};
    struct wtl_dna two[2] = {a, a};
    struct wtl_match_run run = {.name = "", .platform = "", .nodes = &a, .node_count = 1},
                         wide = {.name = "", .platform = "", .nodes = two, .node_count = 2},
                         empty = {.name = "", .platform = "", .nodes = &none, .node_count = 1};
    struct wtl_match match;
    is_int(wtl_match_find(runs, STORED, &wide, &options, &match, &err), -ENODATA, "two nodes");
    is_str(err.text, "the run has 2 nodes, and no run of the model has as many; learn one",
           "says so");
    is_int(wtl_match_find(runs, STORED, &empty, &options, &match, &err), -ENODATA, "no letters");
    is_int(wtl_match_find(runs, 0, &run, &options, &match, &err), -ENODATA, "no runs");
    is_int(wtl_match_find(runs, STORED, &run, &options, &match, &err), 0, "once more");
    const struct wtl_match_found *f = &match.found[match.programs[0].first];
    is_double(f->done_s, 42, 1e-9, "42 s of it are over");
    is_double(f->rest_s, 27, 1e-9, "27 s are left");
    is_double(f->rest_j, 2700, 1e-6, "at 100 W");
    wtl_match_fini(&match);
    free(a.list);
    for (size_t i = 0; i < STORED; i++)
        free(nodes[i].list);
}

int main(void)
{
    check_places();
    check_pace();
    check_known();
    return done_testing();
}

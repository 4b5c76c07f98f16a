/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as a document and as a graph for Graphviz: see letters_report.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/text/figures.h"
#include "report/json_value.h"
#include "report/phases/letters_report.h"
#include "report/result/run_nouns.h"

int wtl_model_document_init(struct wtl_model_document *document,
                            const struct wtl_phase_model *model,
                            size_t node,
                            struct wattle_error *err)
{
    struct wtl_model_document begun = {.model = model, .node = node};
    int rc = wtl_phase_model_powers(model, &begun.powers, err);
    rc = rc < 0 ? rc : wtl_phase_model_transitions(model, node, &begun.transitions, err);
    if (rc == 0 && begun.transitions.runs == 0)
        rc = wtl_fail(err, -ENOENT, "no run of the model has %zu nodes", node + 1);
    if (rc < 0)
        wtl_model_document_fini(&begun);
    else
        *document = begun;
    return rc;
}

void wtl_model_document_fini(struct wtl_model_document *document)
{
    free(document->powers);
    wtl_transitions_fini(&document->transitions);
    *document = (struct wtl_model_document){0};
}

const char *wtl_model_state_name(const struct wtl_phase_model *model, size_t state)
{
    if (state == 0)
        return "start/end";
    return state <= model->alphabet.count ? model->alphabet.letters[state - 1].name : "?";
}

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

static const struct wtl_model_document *document_of(const void *of)
{
    return of;
}

/* -- letters -- */

struct letter_row {
    const struct wtl_letter *letter;
    const struct wtl_letter_power *power;
    const struct wtl_alphabet *alphabet;
};

struct rate {
    const char *counter;
    double per_s;
};

static const struct wtl_member of_rate[] = {
    {"counter", WTL_TEXT_AT(struct rate, counter), .meaning = "its name"},
    {"per_s", WTL_NUMBER_OR_NULL(struct rate, per_s), .meaning = "events or bytes per second"},
    {.key = NULL}};
static const struct wtl_noun rate_noun = {"rate of a letter", of_rate};

static bool next_rate(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct letter_row *row = of;
    if (*cursor >= row->alphabet->columns)
        return false;
    struct rate rate = {row->alphabet->names[*cursor], row->letter->centre[*cursor]};
    ++*cursor;
    wtl_value_copy(ret, &rate, sizeof rate);
    return true;
}

WTL_MEMBER_GET(code)
{
    uint16_t number = ((const struct letter_row *)of)->letter->code;
    wtl_value_integer(ret, number, number != 0);
}

/* A sum of nothing is not 0 J. */
WTL_MEMBER_GET(letter_energy)
{
    const struct wtl_letter_power *power = ((const struct letter_row *)of)->power;
    wtl_value_number(ret, power->seconds > 0 ? power->energy_j : (double)NAN);
}

#define LETTER(kind, field) kind(struct wtl_letter, field), WTL_VIA(struct letter_row, letter)
#define POWER(kind, field)  kind(struct wtl_letter_power, field), WTL_VIA(struct letter_row, power)

static const struct wtl_member of_letter[] = {
    {"name", LETTER(WTL_CHARS_AT, name),
     .meaning = "`A`, `B`, ...; with `--method paper` its code; `XXX`: idle"},
    {"code", WTL_MEMBER_INTEGER, .nullable = true, .get = code,
     .meaning = "its counters as in the paper; null: letters of another method"},
    {"idle", LETTER(WTL_BOOLEAN_AT, idle), .meaning = "whether it is XXX"},
    {"occurrences", POWER(WTL_SIZE_AT, occurrences),
     .meaning = "how often it occurs with known energy, in all runs and nodes"},
    {"known_s", POWER(WTL_NUMBER_AT, seconds), .meaning = "for how long, together"},
    {"energy_j", WTL_MEMBER_NUMBER, .nullable = true, .get = letter_energy,
     .meaning = "likewise; null: it is not known"},
    {"mean_w", POWER(WTL_NUMBER_OR_NULL, mean_w), .meaning = "energy / time"},
    {"low_w", POWER(WTL_NUMBER_OR_NULL, low_w),
     .meaning = "95 % interval of mean_w over occurrences; null: fewer than two"},
    {"high_w", POWER(WTL_NUMBER_OR_NULL, high_w), .meaning = "likewise"},
    {"rates", WTL_MEMBER_LIST, .next = next_rate, .of = &rate_noun,
     .meaning = "its mean rates, by counter; below"},
    {.key = NULL}};
static const struct wtl_noun letter_noun = {"letter of a model", of_letter};

static bool next_letter(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_alphabet *alphabet = &document_of(of)->model->alphabet;
    if (*cursor >= alphabet->count)
        return false;
    struct letter_row row = {&alphabet->letters[*cursor], &document_of(of)->powers[*cursor],
                             alphabet};
    ++*cursor;
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

/* -- transitions -- */

struct transition {
    const char *from, *to;
    uint64_t count;
    double probability;
};

static const struct wtl_member of_transition[] = {
    {"from", WTL_TEXT_AT(struct transition, from), .meaning = "a letter, or `start/end`"},
    {"to", WTL_TEXT_AT(struct transition, to), .meaning = "likewise; `?`: unlike all letters"},
    {"count", WTL_COUNT_AT(struct transition, count), .meaning = "in all runs"},
    {"probability", WTL_NUMBER_AT(struct transition, probability),
     .meaning = "of this letter after that one"},
    {.key = NULL}};
static const struct wtl_noun transition_noun = {"transition", of_transition};

static bool next_transition(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_transitions *transitions = &document_of(of)->transitions;
    const struct wtl_phase_model *model = document_of(of)->model;
    size_t all = transitions->states * transitions->states, i;
    while (*cursor < all && transitions->count[*cursor] == 0)
        ++*cursor;
    if (*cursor >= all)
        return false;
    i = (*cursor)++;
    struct transition row = {
        wtl_model_state_name(model, i / transitions->states),
        wtl_model_state_name(model, i % transitions->states), transitions->count[i],
        wtl_transition_probability(transitions, i / transitions->states, i % transitions->states)};
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

/* -- runs and the document -- */

WTL_MEMBER_GET(run_quality)
{
    const struct wtl_model_run *run = of;
    const struct wtl_value_quality quality = {run->known_s > 0, run->simulated, run->quality};
    wtl_value_copy(ret, &quality, sizeof quality);
}

WTL_MEMBER_GET(run_energy)
{
    const struct wtl_model_run *run = of;
    wtl_value_number(ret, run->known_s > 0 ? run->energy_j : (double)NAN);
}

static const struct wtl_member of_run[] = {
    {"name", WTL_TEXT_AT(struct wtl_model_run, name), .meaning = "what is predicted"},
    {"platform", WTL_TEXT_AT(struct wtl_model_run, platform), .meaning = "where it ran"},
    {"nodes", WTL_SIZE_AT(struct wtl_model_run, node_count), .meaning = "their number"},
    {"duration_s", WTL_NUMBER_AT(struct wtl_model_run, duration_s),
     .meaning = "of its longest node"},
    {"", WTL_MEMBER_PART, .get = run_quality, .of = &wtl_noun_quality},
    {"energy_j", WTL_MEMBER_NUMBER, .nullable = true, .get = run_energy,
     .meaning = "of all nodes, while it is known; null: it is not"},
    {"known_s", WTL_NUMBER_AT(struct wtl_model_run, known_s),
     .meaning = "for how long power is known, summed over nodes"},
    {.key = NULL}};
static const struct wtl_noun run_noun = {"run of a model", of_run};

static bool next_run(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_phase_model *model = document_of(of)->model;
    if (*cursor >= model->run_count)
        return false;
    wtl_value_noun(ret, &model->runs[(*cursor)++]);
    return true;
}

WTL_MEMBER_GET(set)
{
    const char *name = document_of(of)->model->alphabet.set;
    wtl_value_text(ret, *name ? name : NULL);
}

WTL_MEMBER_GET(method)
{
    wtl_value_text(ret, document_of(of)->model->method);
}

WTL_MEMBER_GET(step)
{
    double step_s = document_of(of)->model->step_s;
    wtl_value_number(ret, step_s > 0 ? step_s : (double)NAN);
}

WTL_MEMBER_GET(beta)
{
    wtl_value_number(ret, document_of(of)->model->alphabet.idle_beta);
}

WTL_MEMBER_GET(activity)
{
    const struct wtl_alphabet *alphabet = &document_of(of)->model->alphabet;
    wtl_value_text(ret, wtl_alphabet_activity_name(alphabet));
}

WTL_MEMBER_GET(position)
{
    wtl_value_count(ret, document_of(of)->node + 1);
}

static const struct wtl_member of_model[] = {
    {"counter_set", WTL_MEMBER_TEXT, .nullable = true, .get = set,
     .meaning = "of its letters; null: unknown"},
    {"method", WTL_MEMBER_TEXT, .get = method, .meaning = "how phases were found"},
    {"step_s", WTL_MEMBER_NUMBER, .nullable = true, .get = step,
     .meaning = "length of each letter; null: as long as their phases"},
    {"idle_below", WTL_MEMBER_NUMBER, .nullable = true, .get = beta,
     .meaning = "phases with less activity are XXX; null: none are"},
    {"activity", WTL_MEMBER_TEXT, .nullable = true, .get = activity,
     .meaning = "what tells idle from work; null: its counters do not"},
    {"letters", WTL_MEMBER_LIST, .next = next_letter, .of = &letter_noun, .meaning = "below"},
    {"node", WTL_MEMBER_INTEGER, .get = position,
     .meaning = "whose transitions these are: 1 = the first node of each run"},
    {"transitions", WTL_MEMBER_LIST, .next = next_transition, .of = &transition_noun,
     .meaning = "those that occur; below"},
    {"runs", WTL_MEMBER_LIST, .next = next_run, .of = &run_noun, .meaning = "below"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_phase_model = {"phase model", of_model};
/* NOLINTEND(bugprone-macro-parentheses) */

int wtl_report_model(FILE *out, const struct wtl_model_document *document, struct wattle_error *err)
{
    int rc = wtl_json_print(
        out, wtl_noun_document("wattle.phase-model/1", &wtl_noun_phase_model, document));
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(out, err);
}

/* Names of letters come from files: in quotes, with what would end them left out. */
static void dot_name(FILE *out, const char *name)
{
    (void)fputc('"', out);
    for (; *name; name++) {
        if (*name != '"' && *name != '\\')
            (void)fputc(*name, out);
    }
    (void)fputc('"', out);
}

int wtl_report_model_dot(FILE *out,
                         const struct wtl_model_document *document,
                         struct wattle_error *err)
{
    const struct wtl_phase_model *model = document->model;
    (void)fprintf(out, "digraph phases {\n  rankdir=LR;\n");
    for (size_t i = 0; i < model->alphabet.count; i++) {
        (void)fputs("  ", out);
        dot_name(out, model->alphabet.letters[i].name);
        if (isfinite(document->powers[i].mean_w))
            (void)fprintf(out, " [label=\"\\N\\n%s W\"]",
                          WTL_IN_FIGURES(document->powers[i].mean_w, 4));
        (void)fputs(";\n", out);
    }
    struct wtl_value value;
    for (size_t cursor = 0; next_transition(document, &cursor, &value);) {
        const struct transition *row = value.noun;
        (void)fputs("  ", out);
        dot_name(out, row->from);
        (void)fputs(" -> ", out);
        dot_name(out, row->to);
        (void)fprintf(out, " [label=\"%.2g\", penwidth=%.2f];\n", row->probability,
                      0.5 + 3 * row->probability);
    }
    (void)fputs("}\n", out);
    return wtl_flush(out, err);
}

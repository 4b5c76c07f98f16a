/* SPDX-License-Identifier: BSD-3-Clause */
/* A change as members of a document: see json_change.h. */
#include "report/compare/json_change.h"

#include <math.h>

#include "model/quality.h"
#include "report/result/run_nouns.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

struct row {
    const char *group, *name, *unit, *why, *verdict, *text;
    bool decides;
    struct wtl_value_quality quality;
    double a_mean, b_mean, confidence, detectable;
    double range[2][2]; /* of the means of an estimate */
    struct wtl_interval change, difference, one_look, bootstrap;
};

static struct wtl_interval change_of(struct wtl_interval ratio)
{
    return (struct wtl_interval){ratio.value - 1, ratio.low - 1, ratio.high - 1};
}

static struct row row_of(const struct wtl_change_row *from)
{
    static const char *const groups[] = {"headline", "channel", "region"};
    static const struct wtl_interval unknown = {(double)NAN, (double)NAN, (double)NAN};
    bool known = !from->why[0];
    const struct wtl_comparison *c = &from->other;
    struct row row = {.group = groups[from->group],
                      .name = from->name,
                      .unit = from->unit,
                      .why = known ? NULL : from->why,
                      .verdict = from->verdict ? wtl_verdict_name(from->verdict->kind) : NULL,
                      .text = from->verdict ? from->verdict->text : NULL,
                      .decides = from->decides,
                      .quality = {true, from->simulated, from->quality},
                      .a_mean = known ? c->a_mean.value : (double)NAN,
                      .b_mean = known ? c->b_mean.value : (double)NAN,
                      .confidence = known ? from->confidence : (double)NAN,
                      .detectable = known ? c->detectable : (double)NAN,
                      .change = known ? change_of(from->ratio) : unknown,
                      .difference = known ? c->difference : unknown,
                      .one_look = known ? change_of(c->ratio) : unknown,
                      .bootstrap = known ? change_of(c->bootstrap) : unknown};
    for (int i = 0; i < 4; i++)
        row.range[i / 2][i % 2] = known ? from->range[i / 2][i % 2] : (double)NAN;
    return row;
}

static const struct wtl_member of_row[] = {
    {"group", WTL_TEXT_AT(struct row, group), .meaning = "headline, channel, region"},
    {"name", WTL_TEXT_AT(struct row, name),
     .meaning = "time, energy, power, energy x time; the channel; the region"},
    {"unit", WTL_TEXT_AT(struct row, unit), .meaning = "of the means: s, J, W, J s"},
    {"", WTL_PART_AT(struct row, quality, wtl_noun_quality)},
    {"decides", WTL_BOOLEAN_AT(struct row, decides), .meaning = "the verdict is on this row"},
    {"why", WTL_TEXT_OR_NULL(struct row, why),
     .meaning = "why it was not compared; then the numbers below are null"},
    {"a_mean", WTL_NUMBER_OR_NULL(struct row, a_mean),
     .meaning =
         "geometric mean over the runs of A, or of the base; `change` is that of these means"},
    {"b_mean", WTL_NUMBER_OR_NULL(struct row, b_mean), .meaning = "of B, or of now"},
    {"a_low", WTL_NUMBER_OR_NULL(struct row, range[0][0]),
     .meaning = "of an estimate: lower end of the 95 % interval that its model leaves to `a_mean`; "
                "null: no estimate, or unknown"},
    {"a_high", WTL_NUMBER_OR_NULL(struct row, range[0][1]), .meaning = "its upper end"},
    {"b_low", WTL_NUMBER_OR_NULL(struct row, range[1][0]), .meaning = "the same of `b_mean`"},
    {"b_high", WTL_NUMBER_OR_NULL(struct row, range[1][1]), .meaning = "likewise"},
    {"change", WTL_OBJECT_AT(struct row, change, wtl_noun_interval),
     .meaning = "from A to B, by `method`: the one to quote; of an estimate without ends, which "
                "would be over runs only and leave out the error of the model"},
    {"confidence", WTL_NUMBER_OR_NULL(struct row, confidence), .meaning = "of that interval"},
    {"verdict", WTL_TEXT_OR_NULL(struct row, verdict),
     .meaning = "less, more, same, open, none; null: no verdict of this kind on this row"},
    {"text", WTL_TEXT_OR_NULL(struct row, text), .meaning = "the verdict in words"},
    {"difference", WTL_OBJECT_AT(struct row, difference, wtl_noun_interval),
     .meaning =
         "B - A of the arithmetic means in the unit, 95 %, by Welch's t test (pairs: Student's)"},
    {"one_look", WTL_OBJECT_AT(struct row, one_look, wtl_noun_interval),
     .meaning = "the change, 95 %, by the same test for one look and one quantity"},
    {"bootstrap", WTL_OBJECT_AT(struct row, bootstrap, wtl_noun_interval),
     .meaning = "the change, 95 %, by resampling runs; null below five runs per side"},
    {"detectable", WTL_NUMBER_OR_NULL(struct row, detectable),
     .meaning = "a change of this size would be found with a power of 80 %"},
    {.key = NULL}};
static const struct wtl_noun row_noun = {"change", of_row};

static bool next_row(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_change *change = of;
    if (*cursor >= change->count)
        return false;
    const struct row row = row_of(&change->rows[(*cursor)++]);
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

static const struct wtl_member of_changes[] = {
    {"method", WTL_TEXT_OR_NULL(struct wtl_change, method),
     .meaning = "that gives `change` of `changes` its interval; null: no interval"},
    {"coverage", WTL_TEXT_OR_NULL(struct wtl_change, coverage), .meaning = "of that interval"},
    {"changes", WTL_MEMBER_LIST, .next = next_row, .of = &row_noun,
     .meaning = "what the text prints: time, energy, power, energy x time first; see "
                "[compare.md](compare.md#changes)"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_changes = {"changes", of_changes};
/* NOLINTEND(bugprone-macro-parentheses) */

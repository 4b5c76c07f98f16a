/* SPDX-License-Identifier: BSD-3-Clause */
/* The document of runs, and the comparison in it: see run_document.h. */
#include "report/cluster/run_document.h"

#include "report/result/run_nouns.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* ---- cases ---- */

struct group {
    const struct wtl_study_case *group;
    size_t keys;
};

static bool next_value(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct group *group = of;
    bool more = *cursor < group->keys;
    ret->text = more ? group->group->values[(*cursor)++] : NULL;
    return more;
}

static bool next_run(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_study_case *one = of;
    bool more = *cursor < one->run_count;
    wtl_value_count(ret, more ? one->runs[(*cursor)++] : 0);
    return more;
}

#define OF_CASE WTL_VIA(struct group, group)
#define SPREAD(value)                                                                            \
    WTL_OBJECT_AT(struct wtl_study_case, spread[value], wtl_noun_spread), OF_CASE,               \
        .meaning = "over its runs: `mean`, `sd`, `ci95` (half width, Student's t, for three or " \
                   "more runs)"

static const struct wtl_member of_case[] = {
    {"name", WTL_CHARS_AT(struct wtl_study_case, name), OF_CASE, .meaning = "\"cg, 1024, mesh\""},
    {"values", WTL_MEMBER_LIST, .next = next_value, .meaning = "values of the keys"},
    {"runs", WTL_MEMBER_INTEGERS, .next = next_run, OF_CASE, .meaning = "indices"},
    {"nodes", WTL_SIZE_AT(struct wtl_study_case, nodes), OF_CASE, .meaning = "their number"},
    {"time_s", SPREAD(WTL_STUDY_TIME)},
    {"energy_j", SPREAD(WTL_STUDY_ENERGY)},
    {"node_w", SPREAD(WTL_STUDY_POWER)},
    {"network_w", SPREAD(WTL_STUDY_NETWORK)},
    {"moments", WTL_OBJECT_AT(struct wtl_study_case, moments, wtl_noun_description), OF_CASE,
     .meaning = "summary whose values are the means of those of the runs"},
    {.key = NULL}};
static const struct wtl_noun case_noun = {"case", of_case};

static bool next_case(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_study *study = of;
    if (*cursor >= study->case_count)
        return false;
    const struct group group = {&study->cases[(*cursor)++], study->key_count};
    wtl_value_copy(ret, &group, sizeof group);
    return true;
}

/* ---- differences ---- */

struct change {
    const struct wtl_comparison *comparison; /* NULL: unknown */
    const struct wtl_verdict *verdict;
    const char *kind;
};

static const struct wtl_member of_change[] = {
    {"difference", WTL_OBJECT_AT(struct wtl_comparison, difference, wtl_noun_interval),
     WTL_VIA(struct change, comparison), .meaning = "difference b - a of the means"},
    {"ratio", WTL_OBJECT_AT(struct wtl_comparison, ratio, wtl_noun_interval),
     WTL_VIA(struct change, comparison), .meaning = "b / a"},
    {"verdict", WTL_TEXT_AT(struct change, kind), .meaning = "as in [compare.md](compare.md)"},
    {"text", WTL_CHARS_AT(struct wtl_verdict, text), WTL_VIA(struct change, verdict),
     .meaning = "in words"},
    {.key = NULL}};
static const struct wtl_noun change_noun = {"change between cases", of_change};

struct pair {
    const char *key;
    size_t a, b;
    struct change of[WTL_STUDY_VALUES];
};

WTL_MEMBER_GET(change_of)
{
    wtl_get_here(member, of, ret);
    ret->known = ((const struct change *)ret->noun)->comparison != NULL;
}
#define CHANGE(value)                                                          \
    WTL_MEMBER_OBJECT, .nullable = true, .get = change_of, .of = &change_noun, \
                       .offset = offsetof(struct pair, of[value]), .meaning = "below"

static const struct wtl_member of_pair[] = {
    {"key", WTL_TEXT_AT(struct pair, key), .meaning = "label in which they differ"},
    {"a", WTL_SIZE_AT(struct pair, a), .meaning = "index of a case"},
    {"b", WTL_SIZE_AT(struct pair, b), .meaning = "b against a"},
    {"time_s", CHANGE(WTL_STUDY_TIME)},
    {"energy_j", CHANGE(WTL_STUDY_ENERGY)},
    {"node_w", CHANGE(WTL_STUDY_POWER)},
    {"network_w", CHANGE(WTL_STUDY_NETWORK)},
    {.key = NULL}};
static const struct wtl_noun pair_noun = {"difference of cases", of_pair};

static bool next_pair(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_study *study = of;
    if (*cursor >= study->difference_count)
        return false;
    const struct wtl_study_difference *at = &study->differences[(*cursor)++];
    struct pair pair = {.key = study->keys[at->key], .a = at->a, .b = at->b};
    for (int v = 0; v < WTL_STUDY_VALUES; v++)
        if (at->known[v])
            pair.of[v] = (struct change){&at->comparison[v], &at->verdict[v],
                                         wtl_verdict_name(at->verdict[v].kind)};
    wtl_value_copy(ret, &pair, sizeof pair);
    return true;
}

/* ---- the study ---- */

static bool next_key(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_study *study = of;
    bool more = *cursor < study->key_count;
    ret->text = more ? study->keys[(*cursor)++] : NULL;
    return more;
}

static const struct wtl_member of_slope[] = {
    {"cases", WTL_SIZE_AT(struct wtl_study_slope, n), .meaning = "their number"},
    {"exponent", WTL_NUMBER_OR_NULL(struct wtl_study_slope, exponent),
     .meaning = "1 means that energy is proportional to time"},
    {"ci95", WTL_NUMBER_OR_NULL(struct wtl_study_slope, half), .meaning = "half width"},
    {"correlation", WTL_NUMBER_OR_NULL(struct wtl_study_slope, correlation),
     .meaning = "correlation of the logarithms"},
    {.key = NULL}};
static const struct wtl_noun slope = {"energy on time", of_slope};

static const struct wtl_member of_study[] = {
    {"keys", WTL_MEMBER_LIST, .next = next_key, .meaning = "labels, except that of the repeat"},
    {"cases", WTL_MEMBER_LIST, .next = next_case, .of = &case_noun, .meaning = "below"},
    {"differences", WTL_MEMBER_LIST, .next = next_pair, .of = &pair_noun,
     .meaning = "differences of cases that differ in one label only, below"},
    {"energy_on_time", WTL_OBJECT_AT(struct wtl_study, slope, slope),
     .meaning = "least-squares fit of log energy to log time, below"},
    {.key = NULL}};
static const struct wtl_noun study_noun = {"study", of_study};

struct document {
    const char *title;
    bool redacted; /* redact.h makes it true */
    double reference_w;
    json_t *runs;
    const struct wtl_study *study;
};

WTL_MEMBER_GET(runs)
{
    ret->made = ((const struct document *)of)->runs;
    ret->known = true;
}

static const struct wtl_member of_document[] = {
    {"title", WTL_TEXT_AT(struct document, title), .meaning = "command, or number of runs"},
    {"redacted", WTL_BOOLEAN_AT(struct document, redacted),
     .meaning = "identifying data of people and machines was removed (`--redact`)"},
    {"reference_w", WTL_NUMBER_OR_NULL(struct document, reference_w),
     .meaning = "line set by `--reference`"},
    {"runs", WTL_MEMBER_LIST, .get = runs, .of = &wtl_noun_report_run,
     .meaning = "runs in the order given, each once (by `run_id`); below"},
    {"study", WTL_OBJECT_OF(struct document, study, study_noun), .nullable = true,
     .meaning = "comparison of the runs, below; null for a single run"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_run_report = {"run report", of_document};
/* NOLINTEND(bugprone-macro-parentheses) */

json_t *wtl_run_document(json_t *runs,
                         const char *title,
                         const struct wtl_study *study,
                         double reference_w)
{
    const struct document document = {
        .title = title, .reference_w = reference_w, .runs = runs, .study = study};
    json_t *json = wtl_noun_document("wattle.run-report/1", &wtl_noun_run_report, &document);
    json_decref(runs);
    return json;
}

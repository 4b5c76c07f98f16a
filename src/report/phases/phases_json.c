/* SPDX-License-Identifier: BSD-3-Clause */
/* The document "wattle.phases/1", and its phases as CSV. Every field is always there. */
#include <errno.h>
#include <math.h>

#include "base/fail.h"
#include "base/flush.h"
#include "report/json_value.h"
#include "report/phases/phases_report.h"
#include "report/result/run_nouns.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* A node, one of its phases, or a letter, with what they refer to. */
struct row {
    const struct wtl_phase_study *study;
    const struct wtl_phase_node *node;
    const struct wtl_phase *phase;
    const struct wtl_phase_letter *letter; /* NULL = none */
};

static const struct row *row_of(const void *of)
{
    return of;
}

const char *wtl_phase_letter_name(const struct wtl_phase_study *study, int letter)
{
    return letter >= 0 && (size_t)letter < study->letter_count ? study->letters[letter].name : "?";
}

/* ---- phases ---- */

WTL_MEMBER_GET(phase_number)
{
    const struct row *row = row_of(of);
    wtl_value_count(ret, (uint64_t)(row->phase - row->node->phases.list) + 1);
}

WTL_MEMBER_GET(phase_begin)
{
    wtl_value_number(ret, wtl_phase_begin_s(row_of(of)->node, row_of(of)->phase));
}

WTL_MEMBER_GET(phase_end)
{
    wtl_value_number(ret, wtl_phase_end_s(row_of(of)->node, row_of(of)->phase));
}

WTL_MEMBER_GET(phase_energy)
{
    wtl_value_number(ret, wtl_phase_has_energy(row_of(of)->phase) ? row_of(of)->phase->energy_j
                                                                  : (double)NAN);
}

WTL_MEMBER_GET(phase_power)
{
    wtl_value_number(ret, wtl_phase_has_energy(row_of(of)->phase) ? row_of(of)->phase->mean_w
                                                                  : (double)NAN);
}

WTL_MEMBER_GET(phase_low)
{
    wtl_value_number(ret, wtl_phase_has_energy(row_of(of)->phase) ? row_of(of)->phase->energy_low_j
                                                                  : (double)NAN);
}

WTL_MEMBER_GET(phase_high)
{
    wtl_value_number(ret, wtl_phase_has_energy(row_of(of)->phase) ? row_of(of)->phase->energy_high_j
                                                                  : (double)NAN);
}

WTL_MEMBER_GET(phase_problem)
{
    wtl_value_text(ret, wtl_phase_energy_problem(row_of(of)->phase));
}

WTL_MEMBER_GET(phase_letter)
{
    const struct row *row = row_of(of);
    wtl_value_text(ret, row->letter ? row->letter->name : NULL);
}

static const char *counter_of(const struct row *row, unsigned column)
{
    return column < row->node->rows.columns ? row->node->rows.names[column] : NULL;
}

/* By rank. */
static bool next_ranked(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct row *row = row_of(of);
    if (*cursor >= row->phase->ranked)
        return false;
    wtl_value_text(ret, counter_of(row, row->phase->rank[(*cursor)++]));
    return true;
}

/* By column. */
static bool next_relevant(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct row *row = row_of(of);
    while (*cursor < row->node->rows.columns && !(row->phase->relevant >> *cursor & 1))
        ++*cursor;
    if (*cursor >= row->node->rows.columns)
        return false;
    wtl_value_text(ret, counter_of(row, (unsigned)(*cursor)++));
    return true;
}

#define PHASE(kind, field) kind(struct wtl_phase, field), WTL_VIA(struct row, phase)

static const struct wtl_member of_phase[] = {
    {"phase", WTL_MEMBER_INTEGER, .get = phase_number, .csv = 2, .meaning = "its number, from 1"},
    {"begin_s", WTL_MEMBER_NUMBER, .get = phase_begin, .csv = 3,
     .meaning = "after the begin of the run"},
    {"end_s", WTL_MEMBER_NUMBER, .get = phase_end, .csv = 4, .meaning = "likewise"},
    {"begin_uncertain_s", PHASE(WTL_NUMBER_OR_NULL, at_uncertain_s), .csv = 5,
     .meaning = "half width of the interval in which the begin may lie; 0: the begin of the run; "
                "null: unknown"},
    {"length_s", PHASE(WTL_NUMBER_AT, length_s), .csv = 6, .meaning = "its end less its begin"},
    {"letter", WTL_MEMBER_TEXT, .nullable = true, .get = phase_letter, .csv = 7,
     .meaning = "name of its letter; null: like none of the alphabet"},
    {"counters", WTL_MEMBER_LIST, .next = next_ranked, .csv = 13, .between = " ",
     .meaning = "those that power follows most closely, at most four, the strongest first"},
    {"relevant", WTL_MEMBER_LIST, .next = next_relevant,
     .meaning = "those that the method found relevant, by column"},
    {"short", PHASE(WTL_BOOLEAN_AT, is_short), .csv = 14,
     .meaning = "too few rows to say which counters are relevant"},
    {"mean_w", WTL_MEMBER_NUMBER, .nullable = true, .get = phase_power, .csv = 8,
     .meaning = "mean power while it is known"},
    {"energy_j", WTL_MEMBER_NUMBER, .nullable = true, .get = phase_energy, .csv = 9,
     .meaning =
         "energy while power is known; those of all phases add up to that of the run, except "
         "for those without a number"},
    {"energy_low_j", WTL_MEMBER_NUMBER, .nullable = true, .get = phase_low, .csv = 10,
     .meaning =
         "interval: a begin and an end may lie elsewhere, and how the energy between the two "
         "readings around each is divided is not measured; null: unknown, or energy_j is a lower "
         "bound, of a part of the phase"},
    {"energy_high_j", WTL_MEMBER_NUMBER, .nullable = true, .get = phase_high, .csv = 11,
     .meaning = "likewise"},
    {"energy_problem", WTL_MEMBER_TEXT, .nullable = true, .get = phase_problem, .csv = 17,
     .meaning = "why there is no energy; null: there is"},
    {"known_s", PHASE(WTL_NUMBER_AT, known_s), .csv = 12, .meaning = "for how long power is known"},
    {.key = NULL}};
static const struct wtl_noun phase_noun = {"phase", of_phase};

static bool next_phase(const void *of, size_t *cursor, struct wtl_value *ret)
{
    struct row row = *row_of(of);
    if (*cursor >= row.node->phases.count)
        return false;
    row.phase = &row.node->phases.list[(*cursor)++];
    if (row.phase->letter >= 0 && (size_t)row.phase->letter < row.study->letter_count)
        row.letter = &row.study->letters[row.phase->letter];
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

/* ---- nodes ---- */

WTL_MEMBER_GET(method)
{
    wtl_value_text(
        ret, wtl_phase_method_name(((const struct wtl_phase_study *)of)->request.options.method));
}

WTL_MEMBER_GET(row_length)
{
    const struct wtl_phase_node *node = row_of(of)->node;
    wtl_value_number(ret, node->rows.rows > 0 ? 1e-9 * (double)node->rows.step_ns : (double)NAN);
}

WTL_MEMBER_GET(node_energy)
{
    const struct wtl_phase_node *node = row_of(of)->node;
    double energy_j = 0, known_s = 0;
    for (size_t i = 0; i < node->phases.count; i++) {
        energy_j += node->phases.list[i].energy_j;
        known_s += node->phases.list[i].known_s;
    }
    wtl_value_number(ret, known_s > 0 ? energy_j : (double)NAN);
}

WTL_MEMBER_GET(node_explained)
{
    const struct wtl_phase_node *node = row_of(of)->node;
    wtl_value_number(ret, node->phases.count > 0 ? node->phases.explained : (double)NAN);
}

WTL_MEMBER_GET(node_quality)
{
    const struct wtl_phase_node *node = row_of(of)->node;
    const struct wtl_value_quality quality = {node->rows.total.count > 0,
                                              wtl_result_is_simulated(&node->result),
                                              node->rows.total.quality};
    wtl_value_copy(ret, &quality, sizeof quality);
}

struct missing {
    const char *reason;
    size_t values;
};

static const struct wtl_member of_missing[] = {
    {"reason", WTL_TEXT_AT(struct missing, reason), .meaning = "why"},
    {"values", WTL_SIZE_AT(struct missing, values), .meaning = "how many"},
    {.key = NULL}};
static const struct wtl_noun missing_noun = {"missing values", of_missing};

static bool next_missing(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_phase_node *node = row_of(of)->node;
    struct missing missing;
    while (*cursor < WTL_ROW_REASON_COUNT && node->rows.missing[*cursor] == 0)
        ++*cursor;
    if (*cursor >= WTL_ROW_REASON_COUNT)
        return false;
    missing.reason = wtl_row_reason_name((enum wtl_row_reason) * cursor);
    missing.values = node->rows.missing[(*cursor)++];
    wtl_value_copy(ret, &missing, sizeof missing);
    return true;
}

static const char *part_name(const char *name)
{
    return name[0] ? name : NULL;
}

WTL_MEMBER_GET(missing_counters)
{
    wtl_value_text(ret, part_name(row_of(of)->node->missing));
}

WTL_MEMBER_GET(multiplexed_counters)
{
    wtl_value_text(ret, part_name(row_of(of)->node->multiplexed));
}

WTL_MEMBER_GET(why)
{
    wtl_value_text(ret, part_name(row_of(of)->node->why.text));
}

#define NODE(kind, field) kind(struct wtl_phase_node, field), WTL_VIA(struct row, node)

static const struct wtl_member of_node[] = {
    {"node", NODE(WTL_TEXT_AT, name), .meaning = "its name; empty: unknown"},
    {"trace", NODE(WTL_TEXT_OR_NULL, result.trace), .meaning = "the file"},
    {"problem", WTL_MEMBER_TEXT, .nullable = true, .get = why,
     .meaning = "why it has no phases; null: it has"},
    {"row_s", WTL_MEMBER_NUMBER, .nullable = true, .get = row_length,
     .meaning = "length of the rows in which phases were looked for"},
    {"rows", NODE(WTL_SIZE_AT, rows.rows), .meaning = "their number"},
    {"counter_set", NODE(WTL_NAME_AT, rows.set), .nullable = true,
     .meaning = "its name; null: unknown"},
    {"counters", WTL_MEMBER_LIST, WTL_VIA(struct row, node),
     WTL_ITEMS_AT(struct wtl_phase_node, rows.names, rows.columns, 0, false),
     .meaning = "names of the columns"},
    {"counters_left_out", NODE(WTL_SIZE_AT, rows.left_out),
     .meaning = "counters of the set beyond the first 16, which are not used"},
    {"missing_counters", WTL_MEMBER_TEXT, .nullable = true, .get = missing_counters,
     .meaning = "counters that were not recorded, with the reasons; null: none"},
    {"multiplexed", WTL_MEMBER_TEXT, .nullable = true, .get = multiplexed_counters,
     .meaning = "counters that were counted for part of the time and scaled, with that part; null: "
                "none"},
    {"missing_values", WTL_MEMBER_LIST, .next = next_missing, .of = &missing_noun,
     .meaning = "values of counters that are missing, by reason; below"},
    {"contains", NODE(WTL_CHARS_AT, rows.total.contains),
     .meaning = "what the energy contains, such as `package + dram of 2 sockets`"},
    {"excludes", NODE(WTL_NAME_AT, rows.total.excludes), .nullable = true,
     .meaning = "parts of the node that it leaves out; null: none, or unknown"},
    {"", WTL_MEMBER_PART, .get = node_quality, .of = &wtl_noun_quality},
    {"energy_j", WTL_MEMBER_NUMBER, .nullable = true, .get = node_energy,
     .meaning = "sum of the phases, also of those without a number of their own; null: no power is "
                "known"},
    {"explained", WTL_MEMBER_NUMBER, .nullable = true, .get = node_explained,
     .meaning = "part of the variance of power that lies between phases: 0.9 = 90 %"},
    {"flags", WTL_MEMBER_LIST, WTL_VIA(struct row, node),
     WTL_ITEMS_AT(struct wtl_phase_node, result.flags, result.flag_count, 0, false),
     .of = &wtl_noun_flag, .meaning = "of the result of the run, as in wattle(1)"},
    {"phases", WTL_MEMBER_LIST, .next = next_phase, .of = &phase_noun, .meaning = "below"},
    {.key = NULL}};
static const struct wtl_noun node_noun = {"phases of a node", of_node};

static bool next_node(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_phase_study *study = of;
    if (*cursor >= study->count)
        return false;
    const struct row row = {.study = study, .node = &study->nodes[(*cursor)++]};
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

/* ---- letters ---- */

static bool next_counter(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_phase_letter *letter = of;
    if (*cursor >= letter->ranked)
        return false;
    wtl_value_text(ret, letter->counters[(*cursor)++]);
    return true;
}

WTL_MEMBER_GET(letter_code)
{
    uint16_t code = ((const struct wtl_phase_letter *)of)->code;
    ret->known = code != 0;
    ret->count = code;
}

static const struct wtl_member of_letter[] = {
    {"name", WTL_CHARS_AT(struct wtl_phase_letter, name),
     .meaning = "`A`, `B`, ...; with `--method paper` its code; `XXX`: idle"},
    {"code", WTL_MEMBER_INTEGER, .nullable = true, .get = letter_code,
     .meaning = "its counters as in the paper, four bits each, in its longest phase; null: fewer "
                "than four counters vary"},
    {"counters", WTL_MEMBER_LIST, .next = next_counter,
     .meaning = "those that power follows in its longest phase, the strongest first"},
    {"phases", WTL_SIZE_AT(struct wtl_phase_letter, phases), .meaning = "number of phases with it"},
    {"length_s", WTL_NUMBER_AT(struct wtl_phase_letter, length_s), .meaning = "of these together"},
    {"mean_w", WTL_NUMBER_OR_NULL(struct wtl_phase_letter, mean_w), .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun letter_noun = {"letter", of_letter};

/* Those that occur. */
static bool next_letter(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_phase_study *study = of;
    while (*cursor < study->letter_count && study->letters[*cursor].phases == 0)
        ++*cursor;
    if (*cursor >= study->letter_count)
        return false;
    wtl_value_noun(ret, &study->letters[(*cursor)++]);
    return true;
}

/* ---- the document ---- */

WTL_MEMBER_GET(command)
{
    wtl_value_text(ret, ((const struct wtl_phase_study *)of)->nodes->result.command);
}

WTL_MEMBER_GET(false_alarms)
{
    const struct wtl_phase_study *study = of;
    double least = (double)NAN;
    for (size_t i = 0; i < study->count; i++)
        if (study->nodes[i].phases.count > 0)
            least = study->nodes[i].phases.false_alarms_per_row;
    wtl_value_number(ret, least);
}

static const struct wtl_member of_phases[] = {
    {"command", WTL_MEMBER_TEXT, .nullable = true, .get = command, .meaning = "as typed"},
    {"method", WTL_MEMBER_TEXT, .get = method,
     .meaning = "how changes were found: `focus`, `np-focus`, `pelt` or `paper`"},
    {"false_alarms_per_row", WTL_MEMBER_NUMBER, .nullable = true, .get = false_alarms,
     .meaning = "for which its thresholds hold; null: the method states none"},
    {"letters", WTL_MEMBER_LIST, .next = next_letter, .of = &letter_noun,
     .meaning = "those that occur, the same for all nodes; below"},
    {"nodes", WTL_MEMBER_LIST, .next = next_node, .of = &node_noun,
     .meaning = "each with phases of its own; below"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_phases = {"phases", of_phases};

/* ---- CSV ---- */

static const unsigned char phase_columns[] = {2, 3, 4, 5, 6, 7, 13, 0, 14, 8, 9, 10, 11, 17, 12};
static const unsigned char quality_columns[] = {15, 0, 16};
static const struct wtl_member of_row[] = {
    {"node", NODE(WTL_TEXT_AT, name), .csv = 1, .meaning = "its name; empty: unknown"},
    {"", WTL_PART_AT(struct row, study, phase_noun), .csv_all = phase_columns},
    {"", WTL_MEMBER_PART, .get = node_quality, .of = &wtl_noun_quality, .csv_all = quality_columns},
    {.key = NULL}};
const struct wtl_noun wtl_noun_phase_row = {"phase row", of_row};
/* NOLINTEND(bugprone-macro-parentheses) */

json_t *wtl_json_phases(const struct wtl_phase_study *study)
{
    return wtl_noun_document("wattle.phases/1", &wtl_noun_phases, study);
}

void wtl_csv_phases(FILE *out, const struct wtl_phase_study *study)
{
    struct wtl_row_writer sheet;
    struct wtl_value value;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "wattle.phases/1", &wtl_noun_phase_row);
    for (size_t i = 0; i < study->count; i++) {
        const struct row node = {.study = study, .node = &study->nodes[i]};
        for (size_t cursor = 0; next_phase(&node, &cursor, &value);)
            wtl_noun_csv_row(&sheet, columns, &wtl_noun_phase_row, value.noun);
    }
    wtl_row_writer_end(&sheet);
}

int wtl_report_phases(FILE *out,
                      enum wtl_format format,
                      const struct wtl_phase_study *study,
                      const struct wtl_style *style,
                      struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_TEXT)
        rc = wtl_text_phases(out, style, study);
    else if (format == WTL_FORMAT_JSON)
        rc = wtl_json_print(out, wtl_json_phases(study));
    else
        wtl_csv_phases(out, study);
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}

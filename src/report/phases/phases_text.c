/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases as text: a headline and a table for each node, then what the letters mean, and reasons for doubt. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/energy.h"
#include "report/digits.h"
#include "report/phases/phases_report.h"
#include "report/table.h"

enum { CELL = 64, LIST = 160, NOTE = 700, BESIDE_LETTER = 20 };

static void note(FILE *out,
                 const struct wtl_style *style,
                 enum wtl_emphasis emphasis,
                 const char *label,
                 const char *text)
{
    wtl_print_paragraph(out, style, emphasis, WTL_TEXT_LABEL, label, text);
}

/* "7 phases in 160 s" */
static void head_node(FILE *out,
                      const struct wtl_phase_study *study,
                      const struct wtl_phase_node *node)
{
    char time[CELL], row[CELL];
    const struct wtl_counter_rows *rows = &node->rows;
    bool many = study->count > 1 && node->name;
    wtl_print_sentence(
        out, " %s%s%zu phase%s in %s (%s, rows of %s, %zu counter%s%s%s)%s\n",
        many ? node->name : "", many ? ": " : "", node->phases.count,
        node->phases.count == 1 ? "" : "s",
        wtl_digits_time(time, sizeof time, 1e-9 * (double)(rows->end_ns - rows->begin_ns)),
        wtl_phase_method_name(node->phases.method),
        wtl_digits_time(row, sizeof row, 1e-9 * (double)rows->step_ns), rows->columns,
        rows->columns == 1 ? "" : "s", rows->set[0] ? " of " : "", rows->set,
        study->count > 1 ? "" : ":");
}

/* Tenths where rows are shorter than a second. */
static char *time_cell(char *buf, const struct wtl_phase_node *node, double seconds)
{
    uint64_t step_ns = node->rows.step_ns;
    int places = step_ns >= UINT64_C(1000000000) ? 0 : step_ns >= UINT64_C(100000000) ? 1 : 3;
    (void)snprintf(buf, CELL, "%.*f", places, seconds);
    return buf;
}

/* Half of its interval; NaN = unknown. */
static double half_of(const struct wtl_phase *phase)
{
    return fmax(phase->energy_high_j - phase->energy_j, phase->energy_j - phase->energy_low_j);
}

/* The energy with its interval; where power is unknown for a part, "> ": more than the lower end of the rest; "-" where it is shorter than
 * the sampling. */
static char *energy_cell(char *buf, const struct wtl_phase *phase)
{
    char digits[CELL];
    double half = half_of(phase);
    bool partly = phase->known_s < 0.999 * phase->length_s;
    if (!wtl_phase_has_energy(phase)) {
        (void)snprintf(buf, CELL, "%s", phase->known_s > 0 ? "-" : "unknown");
        return buf;
    }
    double least_j = wtl_energy_at_least(phase->energy_j, phase->energy_j - phase->energy_low_j);
    if (partly)
        (void)snprintf(buf, CELL, "> %s",
                       wtl_digits_value(digits, sizeof digits,
                                        wtl_digits_lowered(least_j, 0.005 * least_j),
                                        0.005 * least_j));
    else
        (void)snprintf(buf, CELL, "%s",
                       half > 0 ? wtl_digits_interval(digits, sizeof digits, phase->energy_j, half)
                                : wtl_digits_value(digits, sizeof digits, phase->energy_j,
                                                   0.005 * fabs(phase->energy_j)));
    return buf;
}

static char *power_cell(char *buf, const struct wtl_phase *phase)
{
    if (phase->is_unresolved && phase->known_s > 0)
        (void)snprintf(buf, CELL, "-");
    else /* three digits at most: a power is read, not added */
        (void)wtl_digits_value(buf, CELL, phase->mean_w,
                               fmax(half_of(phase) / phase->known_s, 0.005 * fabs(phase->mean_w)));
    return buf;
}

/* A begin that lies elsewhere by less than a tenth of a row is not worth a column. */
static bool begins_vary(const struct wtl_phase_node *node)
{
    for (size_t i = 1; i < node->phases.count; i++)
        if (node->phases.list[i].at_uncertain_s > 0.1e-9 * (double)node->rows.step_ns)
            return true;
    return false;
}

static int print_phases(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_phase_study *study,
                        const struct wtl_phase_node *node)
{
    static const struct wtl_column plain[] = {{"phase", true},      {"begin [s]", true},
                                              {"end [s]", true},    {"power [W]", true},
                                              {"energy [J]", true}, {"letter", false}};
    static const struct wtl_column varying[] = {
        {"phase", true},      {"begin [s]", true}, {"end [s]", true},     {"power [W]", true},
        {"energy [J]", true}, {"letter", false},   {"begin +- [s]", true}};
    bool vary = begins_vary(node);
    struct wtl_table *table = wtl_table_create(vary ? varying : plain, vary ? 7 : 6);
    for (size_t i = 0; i < node->phases.count; i++) {
        const struct wtl_phase *phase = &node->phases.list[i];
        char number[CELL], begin[CELL], end[CELL], at[CELL] = "", power[CELL], energy[CELL];
        char letter[CELL];
        (void)snprintf(number, sizeof number, "%zu", i + 1);
        (void)snprintf(letter, sizeof letter, "%s%s", wtl_phase_letter_name(study, phase->letter),
                       phase->is_short ? " (short)" : "");
        if (i > 0)
            (void)wtl_digits_short(at, sizeof at, phase->at_uncertain_s);
        const char *cells[] = {number,
                               time_cell(begin, node, wtl_phase_begin_s(node, phase)),
                               time_cell(end, node, wtl_phase_end_s(node, phase)),
                               power_cell(power, phase),
                               energy_cell(energy, phase),
                               letter,
                               at};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

/* "CPU_CYCLES, netSENTbyte": as many of them as fit, the strongest first. */
static void list_counters(const struct wtl_phase_letter *letter, size_t room, char text[LIST])
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < letter->ranked; i++) {
        size_t more = strlen(letter->counters[i]) + 2;
        if (used + more > room || used + more >= LIST)
            break;
        used +=
            (size_t)snprintf(text + used, LIST - used, "%s%s", i ? ", " : "", letter->counters[i]);
    }
    if (letter->ranked == 0)
        (void)snprintf(text, LIST, "none: nothing varies with it");
}

static int print_letters(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_phase_study *study)
{
    static const struct wtl_column columns[] = {
        {"letter", false}, {"power [W]", true}, {"power follows", false}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < study->letter_count; i++) {
        const struct wtl_phase_letter *letter = &study->letters[i];
        char power[CELL], counters[LIST];
        if (letter->phases == 0)
            continue;
        list_counters(letter, (size_t)wtl_style_width(style) - BESIDE_LETTER, counters);
        const char *cells[] = {letter->name,
                               wtl_digits_value(power, sizeof power, letter->mean_w, (double)NAN),
                               counters};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

/* What the energy is of, and how much of its variation the phases explain. */
static void describe_power(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_phase_node *node)
{
    char text[NOTE];
    const struct wtl_total *total = &node->rows.total;
    if (total->count == 0) {
        note(out, style, WTL_CAUTION, "! no power",
             "the trace has no energy that may be added up: phases are those of the counters, and "
             "their energy is unknown");
        return;
    }
    bool excludes = style && style->verbose && total->excludes[0];
    size_t used = (size_t)snprintf(text, sizeof text, "%s, %s%s%s", total->contains,
                                   wtl_result_quality_word(&node->result), excludes ? "; not " : "",
                                   excludes ? total->excludes : "");
    if (node->phases.count > 1 && isfinite(node->phases.explained) && used < sizeof text)
        (void)snprintf(text + used, sizeof text - used,
                       "; %.0f %% of its variation is between phases",
                       100 * node->phases.explained);
    note(out, style, WTL_PLAIN, "energy of", text);
}

static void describe_gaps(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_phase_node *node)
{
    const struct wtl_counter_rows *rows = &node->rows;
    char text[NOTE];
    size_t used = 0;
    if (rows->left_out > 0) {
        (void)snprintf(text, sizeof text,
                       "the last %zu of the %zu counters of the set: a letter has room for %zu",
                       rows->left_out, rows->columns + rows->left_out, rows->columns);
        note(out, style, WTL_CAUTION, "! left out", text);
    }
    if (node->missing[0])
        note(out, style, WTL_CAUTION, "! not counted", node->missing);
    if (node->multiplexed[0])
        note(out, style, WTL_CAUTION, "! in turn", node->multiplexed);
    for (unsigned i = 0; i < WTL_ROW_REASON_COUNT && used < sizeof text; i++)
        if (rows->missing[i] > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s", used ? ", " : "",
                                     rows->missing[i], wtl_row_reason_name((enum wtl_row_reason)i));
    if (used > 0 && used < sizeof text)
        (void)snprintf(text + used, sizeof text - used, ", of %zu values",
                       rows->rows * rows->columns);
    if (used > 0)
        note(out, style, WTL_CAUTION, "! missing", text);
}

static void describe_node(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_phase_node *node)
{
    size_t partly = 0, unresolved = 0;
    char text[NOTE];
    describe_power(out, style, node);
    for (size_t i = 0; i < node->phases.count; i++) {
        const struct wtl_phase *phase = &node->phases.list[i];
        partly += phase->known_s < 0.999 * phase->length_s;
        unresolved += phase->known_s > 0 && phase->is_unresolved;
    }
    if (unresolved > 0) {
        (void)snprintf(text, sizeof text,
                       "%zu phase%s shorter than the sampling of power: no energy of %s own (-); "
                       "record with a shorter --interval",
                       unresolved, unresolved == 1 ? " is" : "s are",
                       unresolved == 1 ? "its" : "their");
        note(out, style, WTL_CAUTION, "! too short", text);
    }
    if (partly > 0 && node->rows.total.count > 0) {
        (void)snprintf(text, sizeof text,
                       "in %zu phase%s power is unknown for a part of the time (>)", partly,
                       partly == 1 ? "" : "s");
        note(out, style, WTL_CAUTION, "! gaps", text);
    }
    describe_gaps(out, style, node);
    for (size_t i = 0; i < node->result.flag_count; i++) {
        (void)snprintf(text, sizeof text, "! %s", node->result.flags[i].name);
        note(out, style, WTL_CAUTION, text, node->result.flags[i].text);
    }
}

int wtl_text_phases(FILE *out, const struct wtl_style *style, const struct wtl_phase_study *study)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < study->count; i++) {
        const struct wtl_phase_node *node = &study->nodes[i];
        if (i > 0)
            (void)fputc('\n', out);
        if (node->why.text[0]) {
            wtl_print_sentence(out, " %s: no phases: %s\n", node->name, node->why.text);
            continue;
        }
        head_node(out, study, node);
        rc = print_phases(out, style, study, node);
        if (rc == 0)
            describe_node(out, style, node);
    }
    return rc < 0 ? rc : print_letters(out, style, study);
}

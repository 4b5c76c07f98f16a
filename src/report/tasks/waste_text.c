/* SPDX-License-Identifier: BSD-3-Clause */
/* Inefficient stretches as text: see waste_text.h. */
#include "report/tasks/waste_text.h"

#include <errno.h>

#include "base/text/figures.h"
#include "report/digits.h"
#include "report/table.h"

enum { CELL = 64, NOTE = 512, FEW = 5, COLUMNS = 7 };

/* "MPI_Recv (MPI)", "idle" */
static const char *label(char *buf, size_t n, const struct wtl_activity_lanes *lanes, uint32_t type)
{
    if (type >= lanes->type_count)
        return "nothing known";
    const struct wtl_activity_type *t = &lanes->types[type];
    const char *kind = wtl_activity_kind_name(t->kind);
    if (t->name[0])
        (void)snprintf(buf, n, "%s (%s)", t->name, kind);
    else
        (void)snprintf(buf, n, "%s", kind);
    return buf;
}

static void say_rule(FILE *out, const struct wtl_style *style, const struct wtl_waste *waste)
{
    char note[NOTE], time[CELL], all[CELL], others[CELL];
    if (waste->problem)
        (void)snprintf(note, sizeof note, "cannot be found: %s", waste->problem);
    else if (waste->count == 0)
        (void)snprintf(note, sizeof note, "none");
    else
        (void)snprintf(
            note, sizeof note,
            "%zu stretch%s, %s with %s J, of which %s J for threads that do not work; at most "
            "%.0f %% of %s threads work, at no less than %.0f %% of the %s W of full activity",
            waste->count + waste->left_out, waste->count + waste->left_out == 1 ? "" : "es",
            wtl_digits_time(time, sizeof time, waste->time_s),
            wtl_digits_value(all, sizeof all, waste->energy_j, 0.005 * waste->energy_j),
            wtl_digits_value(others, sizeof others, waste->waiting_j, 0.005 * waste->waiting_j),
            100 * waste->rule.activity, WTL_IN_FIGURES(waste->full_threads, 3),
            100 * waste->rule.power, WTL_IN_FIGURES(waste->full_w, 4));
    wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "inefficient", note);
}

static void add_row(struct wtl_table *table,
                    const struct wtl_activity_lanes *lanes,
                    const struct wtl_waste_stretch *stretch,
                    uint64_t start_ns)
{
    char from[CELL], length[CELL], energy[CELL], mean[CELL], working[CELL], waiting[CELL],
        mostly[4 * CELL];
    const char *const cells[COLUMNS] = {
        from,
        wtl_digits_time(length, sizeof length,
                        (double)(stretch->end_ns - stretch->begin_ns) * 1e-9),
        wtl_digits_value(energy, sizeof energy, stretch->energy_j, 0.005 * stretch->energy_j),
        wtl_digits_value(mean, sizeof mean, stretch->mean_w, 0.05),
        working,
        wtl_digits_value(waiting, sizeof waiting, stretch->waiting_j, 0.005 * stretch->waiting_j),
        label(mostly, sizeof mostly, lanes, stretch->type)};
    (void)snprintf(from, sizeof from, "%.3f",
                   (double)(int64_t)(stretch->begin_ns - start_ns) * 1e-9);
    (void)snprintf(working, sizeof working, "%.2f", stretch->working);
    wtl_table_row(table, WTL_PLAIN, cells);
}

int wtl_text_waste(FILE *out,
                   const struct wtl_style *style,
                   const struct wtl_activity_lanes *lanes,
                   const struct wtl_waste *waste,
                   uint64_t start_ns)
{
    static const struct wtl_column columns[COLUMNS] = {
        {"from [s]", true},     {"length", true},        {"energy [J]", true}, {"mean [W]", true},
        {"threads work", true}, {"of others [J]", true}, {"mostly", false}};
    say_rule(out, style, waste);
    if (waste->count == 0)
        return 0;
    struct wtl_table *table = wtl_table_create(columns, COLUMNS);
    wtl_table_spare(table, 3, 1);
    size_t shown = style && style->verbose ? waste->count : FEW;
    for (size_t i = 0; i < waste->count && i < shown; i++)
        add_row(table, lanes, &waste->stretches[i], start_ns);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT + 2, style);
    wtl_table_destroy(table);
    if (rc == 0 && waste->count > shown)
        (void)fprintf(out, "   and %zu more: -v, or \"wattle report\"\n",
                      waste->count - shown + waste->left_out);
    return rc;
}

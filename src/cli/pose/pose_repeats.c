/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a table by code: see pose_repeats.h. */
#include "cli/pose/pose_repeats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Rows in the order of their codes: starts[c] .. starts[c + 1] are the runs of code c. squares: of their half widths, summed by code. */
static void sort_runs(const struct wtl_code_table *table,
                      size_t *starts,
                      double *t_s,
                      double *e_j,
                      double *squares)
{
    for (size_t i = 0; i < table->count; i++)
        starts[table->rows[i].code + 2]++;
    for (size_t c = 2; c < table->code_count + 2; c++)
        starts[c] += starts[c - 1];
    for (size_t i = 0; i < table->count; i++) {
        size_t at = starts[table->rows[i].code + 1]++;
        t_s[at] = table->rows[i].t_s;
        e_j[at] = table->rows[i].e_j;
        squares[table->rows[i].code] += table->rows[i].half_j * table->rows[i].half_j;
    }
}

int wtl_pose_repeats_of(struct wtl_code_table *table, struct wtl_pose_repeats **ret_codes)
{
    size_t *starts = calloc(table->code_count + 2, sizeof *starts);
    double *t_s = calloc(table->count + 1, sizeof *t_s),
           *e_j = calloc(table->count + 1, sizeof *e_j),
           *squares = calloc(table->code_count + 1, sizeof *squares);
    struct wtl_pose_repeats *codes = calloc(table->code_count + 1, sizeof *codes);
    bool made = starts && t_s && e_j && squares && codes;
    if (made)
        sort_runs(table, starts, t_s, e_j, squares);
    for (size_t i = 0; made && i < table->count; i++) {
        size_t c = table->rows[i].code, n = starts[c + 1] - starts[c];
        struct wtl_pose_repeats *code = &codes[c];
        if (code->first)
            continue;
        code->first = &table->rows[i];
        code->doubt = wtl_pose_doubt_unknown();
        code->code.t_s = table->rows[i].t_s;
        code->code.e_j = table->rows[i].e_j;
        if (n > 1) /* checked by the reader: numbers above 0 */
            (void)wtl_pose_doubt_of_runs(t_s + starts[c], e_j + starts[c], n, &code->code,
                                         &code->doubt);
        code->doubt.e_resolution_j =
            sqrt(squares[c]) / (double)n; /* the sensors err in each run anew */
    }
    free(starts);
    free(t_s);
    free(e_j);
    free(squares);
    if (!made)
        free(codes);
    else
        *ret_codes = codes;
    return made ? 0 : -ENOMEM;
}

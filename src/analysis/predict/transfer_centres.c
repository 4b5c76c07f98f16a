/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/alphabet.h"
#include "analysis/predict/transfer.h"

double *wtl_transfer_centres(const struct wtl_alphabet *alphabet,
                             const struct wtl_alphabet *columns)
{
    size_t n = columns->columns;
    double *list = calloc(alphabet->count * n + 1, sizeof *list);
    for (size_t k = 0; list && k < n; k++) {
        size_t from = 0;
        while (from < alphabet->columns && strcmp(alphabet->names[from], columns->names[k]) != 0)
            from++;
        for (size_t i = 0; i < alphabet->count; i++)
            list[i * n + k] = from < alphabet->columns ? alphabet->letters[i].centre[from] : NAN;
    }
    return list;
}

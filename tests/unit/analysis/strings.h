/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings of letters for tests: "A20 B5.5" is 20 s of letter 0 and 5.5 s of letter 1, at `watts` each. */
#ifndef WTL_TESTS_STRINGS_H
#define WTL_TESTS_STRINGS_H

#include <stdlib.h>
#include <string.h>

#include "analysis/phases/dna.h"

__attribute__((unused)) static struct wtl_dna string_of(const char *text, const double *watts)
{
    struct wtl_dna dna = {.list = calloc(strlen(text) + 1, sizeof *dna.list)};
    for (const char *at = text; dna.list && *at;) {
        char *end;
        struct wtl_base *base = &dna.list[dna.count++];
        base->letter = (uint16_t)(*at - 'A');
        base->duration_s = base->known_s = strtod(at + 1, &end);
        base->energy_j = (watts ? watts[base->letter] : 100) * base->duration_s;
        at = *end == ' ' ? end + 1 : end;
    }
    return dna;
}

#endif

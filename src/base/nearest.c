/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nearest words for messages ("did you mean ..."): the restricted Damerau-Levenshtein distance over three
 * rows of a table, limited in length so that it needs only the stack.
 */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 63, FAR = 1000 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned wtl_word_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return FAR;
    unsigned rows[3][LONGEST + 1];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++)
        above[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        unsigned *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[nb];
}

const char *wtl_nearest(const char *word, const char *const *words, size_t n)
{
    size_t length = strlen(word);
    unsigned best = FAR;
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!words[i])
            continue;
        unsigned far = wtl_word_distance(word, words[i]);
        unsigned limit = (unsigned)strlen(words[i]) / 3;
        if (far > limit && far > 1 && length >= 3 && strncmp(word, words[i], length) == 0)
            far = limit > 1 ? limit : 1;
        if (far <= (limit > 1 ? limit : 1) && far < best && far < strlen(words[i])) {
            best = far;
            found = words[i];
        }
    }
    return found;
}

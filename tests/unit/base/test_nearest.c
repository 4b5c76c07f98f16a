/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances counted manually, and which names are close enough to be suggested. */
#include "base/nearest.h"

#include "tap.h"

int main(void)
{
    static const struct {
        int line;
        const char *a, *b;
        unsigned distance;
    } pairs[] = {
        {__LINE__, "", "", 0},       {__LINE__, "a", "", 1},
        {__LINE__, "", "abc", 3},    {__LINE__, "abc", "abc", 0},
        {__LINE__, "abc", "abd", 1}, {__LINE__, "abc", "acb", 1},
        {__LINE__, "abc", "ab", 1},  {__LINE__, "abc", "xabc", 1},
        {__LINE__, "ca", "abc", 3},  {__LINE__, "kitten", "sitting", 3},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        tap_line = pairs[i].line;
        is_int(wtl_word_distance(pairs[i].a, pairs[i].b), pairs[i].distance, "%s %s", pairs[i].a,
               pairs[i].b);
        is_int(wtl_word_distance(pairs[i].b, pairs[i].a), pairs[i].distance, "and back");
    }
    char longest[65];
    memset(longest, 'a', 64);
    longest[64] = '\0';
    is_int(wtl_word_distance(longest, "a"), 1000, "64 bytes are too many");
    longest[63] = '\0';
    is_int(wtl_word_distance(longest, "a"), 62, "63 are not");

    static const char *const words[] = {"run", NULL, "sensors", "stats", "interval", "sync"};
    static const struct {
        int line;
        const char *word, *near;
    } rows[] = {
        {__LINE__, "rnu", "run"},      {__LINE__, "sensor", "sensors"},
        {__LINE__, "stat", "stats"},   {__LINE__, "intrval", "interval"},
        {__LINE__, "int", "interval"}, {__LINE__, "x", NULL},
        {__LINE__, "", NULL},          {__LINE__, "elephant", NULL},
        {__LINE__, "sinc", "sync"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_str(wtl_nearest(rows[i].word, words, sizeof words / sizeof *words), rows[i].near,
               "near \"%s\"", rows[i].word);
    }
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processor names differ between kernels, published results and lists: trademarks, brands, core counts,
 * frequencies. After removing these, the model number remains. normalise() of scripts/power_model.py has the
 * same rules; a test checks that both give the same keys.
 */
#define _GNU_SOURCE
#include "sensors/cpu_key.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 128

/* Lower case, trademarks replaced by spaces, truncated where a tail starts. */
static void clean(const char *name, char out[NAME_MAX_BYTES])
{
    static const char *const marks[] = {"(r)", "(tm)", "\xc2\xae", "\xe2\x84\xa2"};
    static const char *const tails[] = {"@", ",", " with ", " w/ "};
    size_t n = 0;
    for (; name[n] && n + 1 < NAME_MAX_BYTES; n++)
        out[n] = (char)tolower((unsigned char)name[n]);
    out[n] = '\0';
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        for (char *at; (at = strstr(out, marks[i]));)
            memset(at, ' ', strlen(marks[i]));
    }
    for (char *open; (open = strchr(out, '['));) {
        char *close = strchr(open, ']');
        if (!close)
            break;
        memset(open, ' ', (size_t)(close - open) + 1);
    }
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        char *at = strstr(out, tails[i]);
        if (at)
            *at = '\0';
    }
}

/* "16-core", "192-cores", "12th" (generation). */
static bool is_count(const char *word)
{
    static const char *const ends[] = {"-core", "-cores", "th", "st", "nd", "rd"};
    size_t digits = strspn(word, "0123456789");
    for (size_t i = 0; digits > 0 && i < sizeof ends / sizeof ends[0]; i++) {
        if (strcmp(word + digits, ends[i]) == 0)
            return true;
    }
    return false;
}

static bool is_noise(const char *word)
{
    static const char *const words[] = {
        "intel", "amd",       "arm",     "cpu",    "processor",  "xeon",       "platinum",
        "gold",  "silver",    "bronze",  "core",   "eight-core", "quad-core",  "six-core",
        "dell",  "sku",       "genuine", "ampere", "64-bit",     "multi-core", "max",
        "quad",  "dual-core", "apu",     "gen",    "0",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return is_count(word);
}

/* For a word that ends in a version, as "1240lv2": the position of its 'v', or 0. */
static size_t version_at(const char *word)
{
    size_t n = strlen(word);
    if (n < 3 || !isdigit((unsigned char)word[n - 1]) || word[n - 2] != 'v')
        return 0;
    size_t before = n - 3;
    if (isalpha((unsigned char)word[before]) && before > 0)
        before--;
    return isdigit((unsigned char)word[before]) ? n - 2 : 0;
}

void wtl_cpu_key(const char *name, char ret_key[WTL_CPU_KEY_MAX])
{
    char text[NAME_MAX_BYTES], key[NAME_MAX_BYTES + NAME_MAX_BYTES] = "";
    clean(name, text);
    size_t used = 0;
    char *rest = text, *word;
    while ((word = strsep(&rest, " \t"))) {
        if (!*word || is_noise(word))
            continue;
        size_t cut = version_at(word);
        int n = cut ? snprintf(key + used, sizeof key - used, "%s%.*s %s", used ? " " : "",
                               (int)cut, word, word + cut)
                    : snprintf(key + used, sizeof key - used, "%s%s", used ? " " : "", word);
        used += (size_t)n;
    }
    ret_key[0] = '\0';
    if (used < WTL_CPU_KEY_MAX)
        memcpy(ret_key, key, used + 1);
}

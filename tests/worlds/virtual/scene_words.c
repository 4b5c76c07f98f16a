/* SPDX-License-Identifier: BSD-3-Clause */
/* Words: see scene_words.h. */
#define _GNU_SOURCE
#include "scene_words.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

int scene_words_add(struct scene_words *words, const char *format, ...)
{
    char *word = NULL;
    va_list values;
    if (wtl_reserve(&words->list, &words->capacity, words->count + 2, sizeof *words->list) < 0)
        return -ENOMEM;
    va_start(values, format);
    int n = vasprintf(&word, format, values);
    va_end(values);
    if (n < 0)
        return -ENOMEM;
    words->list[words->count++] = word;
    words->list[words->count] = NULL;
    return 0;
}

void scene_words_fini(struct scene_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->list[i]);
    free(words->list);
    *words = (struct scene_words){0};
}

char *scene_next_word(char **line)
{
    char *word = *line + strspn(*line, " \t");
    char *end = word + strcspn(word, " \t");
    *line = end + strspn(end, " \t");
    *end = '\0';
    return word;
}

/* Bytes of the name or number at `text`; 0 = it is another character. */
static size_t atom(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.')
        n++;
    return n;
}

char *scene_shift_t(const char *expression, int before)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const char *at = expression; *at;) {
        size_t n = atom(at);
        if (n == 1 && *at == 't')
            (void)fprintf(out, "(t-%d)", before);
        else
            (void)fwrite(at, 1, n ? n : 1, out);
        at += n ? n : 1;
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

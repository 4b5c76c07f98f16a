/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing list of words, such as the arguments of a command; and the words of a line. */
#ifndef WORLDS_SCENE_WORDS_H
#define WORLDS_SCENE_WORDS_H

#include <stddef.h>

struct scene_words {
    char **list; /* owned; NULL-terminated */
    size_t count, capacity;
};

/* Append a formatted word. Returns 0 or -ENOMEM. */
int scene_words_add(struct scene_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void scene_words_fini(struct scene_words *words);

/* Cut the next word off *line, which then begins with the one after it. "" at the end. */
char *scene_next_word(char **line);

/* The expression with every variable t replaced by (t-before), as malloc'ed text; NULL if out of memory. */
char *scene_shift_t(const char *expression, int before);

#endif

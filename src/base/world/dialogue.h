/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dialogues of a recorded host: which request gets which answer, and when. docs/format/host.md defines
 * the grammar; this is its parser, the look-up of answers to a request, and the conversions between bytes and
 * their text form, which are also used when dialogues are recorded. Requests are compared as text: each has
 * exactly one text form.
 */
#ifndef WTL_BASE_DIALOGUE_H
#define WTL_BASE_DIALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/world/dialogue_text.h"

/* All rows, ordered by peer, request, time and line. */
struct wtl_dialogue {
    struct wtl_answer *rows;
    size_t count;
    char *text;
};

/* Parse n bytes of text. The caller owns *ret_dialogue and frees it with wtl_dialogue_fini(). Returns 0,
 * -EBADMSG with the line that cannot be parsed, -ENOMEM. */
int wtl_dialogue_parse(const char *text,
                       size_t n,
                       struct wtl_dialogue *ret_dialogue,
                       struct wattle_error *err);
void wtl_dialogue_fini(struct wtl_dialogue *dialogue);

bool wtl_dialogue_has(const struct wtl_dialogue *dialogue, const char *peer);

/* The answers to a request at a time since the start: their number, 0 = not found. Does not allocate. */
size_t wtl_dialogue_find(const struct wtl_dialogue *dialogue,
                         const char *peer,
                         const char *request,
                         uint64_t time_ns,
                         const struct wtl_answer **ret_rows);

#endif

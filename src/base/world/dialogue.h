/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dialogues of a recorded host: what is answered to which request, when. The grammar is normative in docs/format/host.md; this is
 * its parser, the search for the answers to a request, and the two ways between bytes and their text, by which dialogues are
 * also noted. Requests are compared as text: there is one way to write each.
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

/* Parse n bytes of text. *ret_dialogue is the caller's, freed by wtl_dialogue_fini().
 * Returns 0, -EBADMSG with the line that cannot be read, -ENOMEM. */
int wtl_dialogue_parse(const char *text,
                       size_t n,
                       struct wtl_dialogue *ret_dialogue,
                       struct wattle_error *err);
void wtl_dialogue_fini(struct wtl_dialogue *dialogue);

bool wtl_dialogue_has(const struct wtl_dialogue *dialogue, const char *peer);

/* The answers to a request at a time since the start: their number, 0 = it is not there. Does not allocate. */
size_t wtl_dialogue_find(const struct wtl_dialogue *dialogue,
                         const char *peer,
                         const char *request,
                         uint64_t time_ns,
                         const struct wtl_answer **ret_rows);

#endif

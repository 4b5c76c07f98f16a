/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of dialogues as text: for the parser, dialogue.c. */
#ifndef WTL_BASE_DIALOGUE_TEXT_H
#define WTL_BASE_DIALOGUE_TEXT_H

#include "base/world/dialogue.h"

/* Is it written in the one way? separator '\0': bytes; else words, or parts, between which it stands. */
bool wtl_dialogue_is_plain(const char *text, char separator);

/* The bytes of n characters, with numbers as they are elapsed_ns after their start: count, -EINVAL, -EMSGSIZE. */
ssize_t wtl_dialogue_decode(const char *text,
                            size_t n,
                            uint64_t elapsed_ns,
                            void *out,
                            size_t room);

/* The errno of "!EIO" and the like, or 0. */
int wtl_dialogue_error(const char *name);

#endif

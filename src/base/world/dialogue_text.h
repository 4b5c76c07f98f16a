/* SPDX-License-Identifier: BSD-3-Clause */
/* The text form of bytes in dialogues, for the parser, dialogue.c. */
#ifndef WTL_BASE_DIALOGUE_TEXT_H
#define WTL_BASE_DIALOGUE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wtl_ioctl;

/* Maximum size of a request or answer, and a size sufficient for its text form. */
enum { WTL_DIALOGUE_BYTES = 4096, WTL_DIALOGUE_TEXT = 4 * WTL_DIALOGUE_BYTES + 256 };

enum wtl_answer_kind {
    WTL_ANSWER_BYTES = 0,
    WTL_ANSWER_IOCTL = 1, /* number, value = its result, text = its bytes */
    WTL_ANSWER_SILENT = 2,
    WTL_ANSWER_CLOSE = 3,
    WTL_ANSWER_EXIT = 4,   /* value = the status */
    WTL_ANSWER_FAILURE = 5 /* value = a positive errno */
};

struct wtl_answer {
    uint64_t time_ns; /* since the start */
    const char *peer, *request;
    enum wtl_answer_kind kind;
    int value;
    uint64_t number;  /* IOCTL */
    const char *text; /* BYTES, IOCTL: in text form */
    uint64_t delay_ns;
    unsigned line;
};

/* Whether it is in canonical form. separator '\0': bytes; else words, or parts, that it separates. */
bool wtl_dialogue_is_plain(const char *text, char separator);

/* Decode n characters, with numbers as they are elapsed_ns after their start: number of bytes, -EINVAL,
 * -EMSGSIZE. */
ssize_t wtl_dialogue_decode(const char *text,
                            size_t n,
                            uint64_t elapsed_ns,
                            void *out,
                            size_t room);

/* The errno of "!EIO" and the like, or 0. */
int wtl_dialogue_error(const char *name);

/* The bytes of an answer at a time since the start: their number, -EMSGSIZE when they do not fit. */
ssize_t wtl_dialogue_bytes(const struct wtl_answer *answer,
                           uint64_t time_ns,
                           void *out,
                           size_t room);

/* Write the answer to an ioctl into block and parts of the call; -EMSGSIZE: one does not fit, and some may
 * have been written. */
int wtl_dialogue_answer(const struct wtl_answer *answer,
                        uint64_t time_ns,
                        const struct wtl_ioctl *call);

/* ---- requests and answers as text: 0, -EMSGSIZE when they do not fit. out is NUL-terminated. Secrets are
 * hidden. ---- */

int wtl_dialogue_text(const void *data, size_t n, char *out, size_t room);
/* "!ioctl ...", with its result unless negative. */
int wtl_dialogue_ioctl(const struct wtl_ioctl *call, int result, char *out, size_t room);
/* A peer: an address; or "exec:..." for a command. */
int wtl_dialogue_address(const char *address, char *out, size_t room);
int wtl_dialogue_command(const char *const argv[], char *out, size_t room);
/* The name of an error (a positive or negative errno) with a leading '!'; "!EIO" for one without a name here. */
const char *wtl_dialogue_failure(int error);

#endif

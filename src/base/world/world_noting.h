/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world that passes everything on to another and notes what was asked of it: what code looked at is
 * then known without a list kept by hand, and can be saved as a recorded host.
 *
 * One thread at a time. What cannot be noted for want of memory is lost and told by the count.
 */
#ifndef WTL_BASE_WORLD_NOTING_H
#define WTL_BASE_WORLD_NOTING_H

#include "base/world/world.h"

enum wtl_note_kind {
    WTL_NOTE_FILE,   /* opened */
    WTL_NOTE_FOLDER, /* listed */
    WTL_NOTE_LINK,   /* its target was read */
    WTL_NOTE_EXISTS, /* looked for, and there */
    WTL_NOTE_PERF,   /* an event was opened: number = its type, config and cpu */
    WTL_NOTE_MSR,    /* a register was read, or its file opened (reg = UINT32_MAX) */
    WTL_NOTE_CPUID,  /* leaf and subleaf in config: leaf << 32 | subleaf */
    WTL_NOTE_ENV     /* a variable that is set */
};

struct wtl_note {
    enum wtl_note_kind kind;
    const char *name; /* owned by the world: path or variable; "" for the others */
    int status;       /* 0, or the negative errno that was the answer */
    uint32_t type;    /* PERF */
    uint64_t config;  /* PERF, CPUID */
    int cpu;          /* PERF, MSR */
    uint32_t reg;     /* MSR */
    uint32_t regs[4]; /* CPUID: eax ebx ecx edx */
};

/* inner must outlive it. *ret_world is the caller's, freed by wtl_world_noting_close(). 0, -ENOMEM. */
int wtl_world_noting(const struct wtl_world *inner, struct wtl_world **ret_world);
void wtl_world_noting_close(struct wtl_world *world); /* accepts NULL */

/* What was asked so far, each thing once, in the order of the first time. Borrowed until the next question. */
const struct wtl_note *wtl_world_noted(const struct wtl_world *world, size_t *ret_count);
/* What peers answered, as dialogues.tsv (docs/format/host.md) without secrets, "" when none was asked: 0, -ENOMEM. The text is the
 * caller's. What an ioctl fetches is taken for an answer to the request before it only behind a wait(). */
int wtl_world_noted_dialogues(const struct wtl_world *world, char **ret_text);

bool wtl_world_noted_all(const struct wtl_world *world); /* false: memory was short */

#endif

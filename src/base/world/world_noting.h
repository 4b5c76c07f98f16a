/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world that forwards everything to another and records what was requested: this shows what code accesses
 * without a manually kept list, and can be saved as a recorded host.
 *
 * One thread at a time. What cannot be recorded for lack of memory is lost; wtl_world_noted_all() reports
 * this.
 */
#ifndef WTL_BASE_WORLD_NOTING_H
#define WTL_BASE_WORLD_NOTING_H

#include "base/world/world.h"

enum wtl_note_kind {
    WTL_NOTE_FILE,   /* opened */
    WTL_NOTE_FOLDER, /* listed */
    WTL_NOTE_LINK,   /* its target was read */
    WTL_NOTE_EXISTS, /* its existence was checked, and it exists */
    WTL_NOTE_PERF,   /* an event was opened: number = its type, config and cpu */
    WTL_NOTE_MSR,    /* a register was read, or its file opened (reg = UINT32_MAX) */
    WTL_NOTE_CPUID,  /* leaf and subleaf in config: leaf << 32 | subleaf */
    WTL_NOTE_ENV     /* a variable that is set */
};

struct wtl_note {
    enum wtl_note_kind kind;
    const char *name; /* owned by the world: path or variable; "" for other kinds */
    int status;       /* 0, or the negative errno that was returned */
    uint32_t type;    /* PERF */
    uint64_t config;  /* PERF, CPUID */
    int cpu;          /* PERF, MSR */
    uint32_t reg;     /* MSR */
    uint32_t regs[4]; /* CPUID: eax ebx ecx edx */
};

/* inner must outlive it. The caller owns *ret_world and frees it with wtl_world_noting_close(). 0, -ENOMEM. */
int wtl_world_noting(const struct wtl_world *inner, struct wtl_world **ret_world);
void wtl_world_noting_close(struct wtl_world *world); /* accepts NULL */

/* What was requested so far, without duplicates, in order of first request. Borrowed until the next request. */
const struct wtl_note *wtl_world_noted(const struct wtl_world *world, size_t *ret_count);
/*
 * Answers of peers as dialogues.tsv (docs/format/host.md) without secrets, "" if there were none: 0, -ENOMEM.
 * The caller owns the text. Data fetched by an ioctl counts as an answer to the preceding request only after
 * a wait().
 */
int wtl_world_noted_dialogues(const struct wtl_world *world, char **ret_text);

bool wtl_world_noted_all(const struct wtl_world *world); /* false: out of memory */

#endif

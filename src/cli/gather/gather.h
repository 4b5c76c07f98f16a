/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering: save what wattle reads on a machine as a recorded host (docs/format/host.md) for a bug report.
 * All drivers and the doctor run on a world that records their accesses; exactly these are saved, read twice
 * so that counters grow in the script. Identifying data is removed or replaced (gather_clean.c), and each
 * entry says how.
 */
#ifndef WTL_CLI_GATHER_H
#define WTL_CLI_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <wattle/error.h>

#include "base/world/world_noting.h"

enum wtl_gathered_kind { WTL_GATHERED_FOLDER, WTL_GATHERED_FILE, WTL_GATHERED_LINK };

struct wtl_gathered {
    char *path; /* absolute, as in root/; links resolved */
    enum wtl_gathered_kind kind;
    char *text; /* content of a file or target of a link; NULL = empty */
    size_t size;
    char script[96];            /* value of its row in script.tsv; "" = none */
    const char *remark;         /* what was changed in it; NULL = nothing */
    uint64_t number, number_ns; /* of a counter: the first look */
    bool counts;
};

struct wtl_gather {
    const struct wtl_world *world;
    struct wtl_gathered *entries; /* sorted by path; owned */
    size_t count;
    char *env, *cpuid; /* texts of the small files; owned */
    char *dialogues;   /* what devices, meters and programs answered; "" = none was asked; owned */
    struct utsname name; /* nodename replaced */
    uid_t euid;
    char drivers[256];             /* drivers that found, or would find, something */
    size_t changed, left_out;      /* entries cleaned; paths refused */
    struct wtl_replaced *replaced; /* of gather_clean.c; owned */
    size_t replaced_count;
};

/* Gather everything. Returns 0, -ENOMEM or -EINTR. Free with wtl_gather_fini(), also after a failure. */
int wtl_gather_collect(struct wtl_gather *gather,
                       const struct wtl_world *world,
                       struct wattle_error *err);
void wtl_gather_fini(struct wtl_gather *gather);

/* ---- for the parts ---- */

/* May this path be saved at all? */
bool wtl_gather_allows(const char *path);

/* Clean one entry's content, or its path: addresses, ids, names. 0 or -ENOMEM. */
int wtl_gather_clean(struct wtl_gather *gather, struct wtl_gathered *entry);
/* A copy of text with identifying patterns replaced; *ret_changed is set if any. NULL if out of memory. */
char *wtl_gather_replace(struct wtl_gather *gather, const char *text, bool *ret_changed);
/* The same of what peers answered, names of hosts included. 0 or -ENOMEM. */
int wtl_gather_clean_dialogues(struct wtl_gather *gather);
void wtl_gather_replaced_free(struct wtl_gather *gather);

#endif

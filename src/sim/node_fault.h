/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults of a simulated counter, and when they occur. They do not affect the energy itself: the
 * truth stays known, only what is shown changes.
 */
#ifndef WTL_SIM_NODE_FAULT_H
#define WTL_SIM_NODE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

enum wtl_fault_kind {
    WTL_FAULT_VANISH,             /* the file is gone: -ENOENT to open, -ENODEV to read */
    WTL_FAULT_EIO,                /* reads fail with -EIO, each with probability `rate` */
    WTL_FAULT_STALL,              /* the counter stops, then catches up */
    WTL_FAULT_RESET,              /* the counter restarts at 0 */
    WTL_FAULT_PERMISSION,         /* -EACCES to open */
    WTL_FAULT_WRAP_WHILE_STALLED, /* stopped until it has wrapped around and passed the value where
                                   * it stopped */
    WTL_FAULT_FILTERING, /* RAPL filtering: every 8th tick, showing a random earlier instant */
    /* reads return only on a signal; in virtual time they fail with -ETIMEDOUT */
    WTL_FAULT_HANG,
    WTL_FAULT_CRASH, /* of a GPU: the vendor's library crashes when it is asked; -EFAULT to read */
    WTL_FAULT_MIG,   /* of a GPU: MIG is on */
    WTL_FAULT_JUMP,  /* the counter shows by_j more while it lasts, or less, but never below 0 */
    WTL_FAULT_COUNT
};

struct wtl_fault {
    enum wtl_fault_kind kind;
    int domain;      /* enum wattle_domain, or -1 for all */
    int index;       /* or -1 for all */
    uint64_t at_ns;  /* after t = 0 */
    uint64_t for_ns; /* UINT64_MAX = forever */
    double rate;     /* 0 .. 1 */
    double by_j;     /* of a jump */
};

/* Parse "package" or "package-0" into the domain and its index (-1 = all). 0, or -EINVAL. */
int wtl_fault_domain(const char *text, size_t n, int *ret_domain, int *ret_index);

/* KIND[:DOMAIN][@TIME][,for=TIME][,rate=P][,by=J]. Returns 0, or -EINVAL with the remedy in err. */
int wtl_fault_parse(const char *text, struct wtl_fault *ret_fault, struct wattle_error *err);

/* Does the fault affect this counter at all, and does it at `after_ns` after t = 0? */
bool wtl_fault_hits(const struct wtl_fault *fault, enum wattle_domain domain, int index);
bool wtl_fault_active(const struct wtl_fault *fault, uint64_t after_ns);

/* "wrap-while-stalled"; "?" if out of range. */
const char *wtl_fault_name(enum wtl_fault_kind kind);

#endif

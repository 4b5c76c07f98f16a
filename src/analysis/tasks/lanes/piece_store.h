/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Piece store: what each thread did, as pieces of its time, kept so that any part of the time is found
 * quickly. Pieces of a lane (a thread, or a core) do not overlap and are added in time order. Only the last
 * pieces of each lane are in memory; the others are in a temporary file without a name ($TMPDIR, else
 * /var/tmp), 24 bytes each, so that a trace of any length fits.
 */
#ifndef WTL_ANALYSIS_PIECE_STORE_H
#define WTL_ANALYSIS_PIECE_STORE_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

enum wtl_piece_flags {
    WTL_PIECE_ENDS = 1u << 0, /* what it is a piece of ends with it; else it was interrupted */
    WTL_PIECE_CUT = 1u << 1,  /* its end was not recorded */
    WTL_PIECE_MANY = 1u << 2  /* a sum of many; `task` is the number of those that ended */
};

/* Types beyond this number are counted as the last one. */
enum { WTL_PIECE_TYPES = 65536 };

struct wtl_piece {
    uint64_t begin_ns, end_ns; /* at most 2^48 ns (78 hours) apart; equal only with ENDS */
    uint64_t task;             /* below 2^60; 0 = none */
    uint32_t type;             /* of the caller */
    unsigned flags;            /* enum wtl_piece_flags */
};

struct wtl_piece_store;

struct wtl_piece_store *wtl_piece_store_create(void); /* NULL: out of memory */
void wtl_piece_store_destroy(struct wtl_piece_store *store);

/* Lanes are numbered from 0 by the caller. Pieces that begin before the end of the one before are clipped;
 * those of which nothing remains are ignored, except for an ENDS. 0, -ENOMEM, or the error of the file with a sentence. */
int wtl_piece_store_add(struct wtl_piece_store *store,
                        size_t lane,
                        const struct wtl_piece *piece,
                        struct wattle_error *err);

size_t wtl_piece_store_lanes(const struct wtl_piece_store *store);
uint64_t wtl_piece_store_count(const struct wtl_piece_store *store);
/* From the begin of the first piece to the end of the last: 0, or -ENOENT without pieces. */
int wtl_piece_store_span(const struct wtl_piece_store *store,
                         uint64_t *ret_begin_ns,
                         uint64_t *ret_end_ns);

/* Not 0 ends the walk with this result. */
typedef int (*wtl_piece_fn)(void *context, const struct wtl_piece *piece);

/* The pieces of a lane that overlap begin_ns .. end_ns, and those without length from begin_ns on and before
 * end_ns; in time order, whole. */
int wtl_piece_store_walk(struct wtl_piece_store *store,
                         size_t lane,
                         uint64_t begin_ns,
                         uint64_t end_ns,
                         wtl_piece_fn take,
                         void *context,
                         struct wattle_error *err);

#endif

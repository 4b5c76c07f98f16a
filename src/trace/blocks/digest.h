/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The digest: the footer's information about the samples, accumulated from blocks in file order. The writer
 * adds each block when it is written, repair and the reader when it is read; since there is no other input,
 * all three get the same summaries.
 */
#ifndef WTL_TRACE_DIGEST_H
#define WTL_TRACE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "model/tally/tally.h"
#include "trace/pyramid.h"
#include "trace/samples.h"
#include "trace/tables.h"

struct wtl_digest;

/* tables must outlive the digest. emit NULL: no pyramid. Returns 0 or -ENOMEM. */
int wtl_digest_create(const struct wtl_tables *tables,
                      wtl_pyramid_block_fn *emit,
                      void *context,
                      struct wtl_digest **ret_digest);
void wtl_digest_destroy(struct wtl_digest *digest); /* accepts NULL */

/* Add the payload of a block of gaps or of the window; others are ignored. Returns 0, -EBADMSG, -ENOMEM. */
int wtl_digest_table(struct wtl_digest *digest, unsigned type, struct wtl_cursor cursor);

/* Add all columns of a samples block. Returns 0, -ENOMEM, or the result of emit. */
int wtl_digest_rows(struct wtl_digest *digest, const struct wtl_rows *rows);

/* Emit the rest of the pyramids. */
int wtl_digest_finish(struct wtl_digest *digest);

/* The summary of a channel so far; the digest can be continued. All NaN and 0 for one without samples. */
void wtl_digest_summary(const struct wtl_digest *digest,
                        uint32_t channel,
                        struct wtl_summary *ret_summary);

/* Level l of a group's pyramid; NULL = none. */
const struct wtl_pyramid_level *wtl_digest_level(const struct wtl_digest *digest,
                                                 uint32_t group,
                                                 unsigned l);

struct wtl_digest_totals {
    uint64_t rows, first_ns, last_ns, gaps; /* first > last = no rows */
};

void wtl_digest_totals(const struct wtl_digest *digest, struct wtl_digest_totals *ret_totals);

#endif

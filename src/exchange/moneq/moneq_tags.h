/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts the markers of a MonEQ file to the begins and ends of its tags.
 *
 * For a tag, MonEQ only records before which sample it began and after which it ended. It writes
 * START before the first sample inside, and END before the last one inside, so END comes first if a
 * tag has fewer than two samples. Of tags that began, or ended, at the same sample only one is
 * marked. Here a tag begins, and ends, half way between the samples on both sides, in whatever
 * order the markers come; markers without a counterpart are counted and left as they are.
 *
 * In files written by wattle END is after the last sample inside (see moneq_note.h).
 */
#ifndef WTL_EXCHANGE_MONEQ_TAGS_H
#define WTL_EXCHANGE_MONEQ_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exchange/import/import_table.h"
#include "trace/string_set.h"

struct wtl_moneq_wait {
    uint32_t *names; /* owned; indices in the set */
    size_t count;
};

struct wtl_moneq_tags {
    struct wtl_string_set names;
    struct wtl_import_mark *marks; /* owned; times as given, in their order */
    size_t count;
    uint32_t *open; /* owned; by name: begun but not ended */
    size_t open_room;
    struct wtl_moneq_wait starts, ends,
        late_ends; /* markers before the next sample; ends before the last */
    bool ends_behind, any;
    int64_t last_ns;
    uint64_t without_end, without_start, again; /* unmatched markers */
    uint64_t without_end_line, without_start_line, again_line;
    uint64_t line; /* line of the current marker */
};

/* A marker: the tag's name is n bytes. 0 or -ENOMEM. */
int wtl_moneq_tags_marker(struct wtl_moneq_tags *tags,
                          bool start,
                          const char *name,
                          size_t n,
                          uint64_t line);

/* A sample, later than the previous one. 0 or -ENOMEM. */
int wtl_moneq_tags_sample(struct wtl_moneq_tags *tags, int64_t time_ns);

/* End of the file. 0 or -ENOMEM. */
int wtl_moneq_tags_end(struct wtl_moneq_tags *tags);

void wtl_moneq_tags_fini(struct wtl_moneq_tags *tags);

#endif

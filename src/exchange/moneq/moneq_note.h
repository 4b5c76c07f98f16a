/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file "wattle-moneq.tsv" next to MonEQ files written by wattle: information for which their
 * format has no place. Its first line identifies it; then there is a line for each file with eight
 * tab-separated fields, the last three of which may be missing:
 *
 *     # wattle moneq 1
 *     MonEQ-R0-C0-M0-N3.txt  1784023389000000000  behind  RUN-ID  NODE  mean  measured  simulated
 *
 * and lines for what is not the same in all of a file: a time without lines, in seconds since time 0 (no power may be drawn across
 * it), and what the interval of a power depends on (channel_traits.h):
 *
 *     MonEQ-R0-C0-M0-N3.txt  gap  1.250000  1.560000
 *     MonEQ-R0-C0-M0-N3.txt  power  pciexpress  window_ns=25000000 refresh_ns=100000000 max_w=400
 *
 * file, time 0 in nanoseconds since 1970, the position of END ("behind" the last sample inside, or
 * "before" it as MonEQ itself writes it), run.id and name of the node ("-" = unknown); the meaning
 * of a power ("mean" since the previous line, for the first line since time 0, or "sample": at the
 * line's time), its quality, and "simulated" for a simulated sensor, else "-". MonEQ's reducer
 * ignores it.
 */
#ifndef WTL_EXCHANGE_MONEQ_NOTE_H
#define WTL_EXCHANGE_MONEQ_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <wattle/quantity.h>

#include "exchange/channel_traits.h"
#include "exchange/moneq/moneq_line.h"

#define WTL_MONEQ_NOTE_FILE "wattle-moneq.tsv"
#define WTL_MONEQ_TAGS_FILE "MonEQTags.txt"

struct wtl_moneq_note {
    int64_t start_realtime_ns;
    bool ends_behind;
    bool means, simulated;
    enum wattle_quality quality;
    char run_id[128], node[128]; /* "" = unknown */
    struct wtl_channel_traits traits[WTL_MONEQ_POWERS];
};

/* The note on a file, in its folder. 1, or 0 if there is none. */
int wtl_moneq_note_find(const char *path, struct wtl_moneq_note *ret_note);

/* A time without lines, in nanoseconds since time 0. */
struct wtl_moneq_gap {
    int64_t begin_ns, end_ns;
};

/* The gaps of a file, in their order; to be freed. 0 (also without a note) or -ENOMEM. */
int wtl_moneq_note_gaps(const char *path, struct wtl_moneq_gap **ret_gaps, size_t *ret_count);

/* Write the first line; the line of a file, name without folders. Errors stay in the stream. */
void wtl_moneq_note_begin(FILE *out);
void wtl_moneq_note_print(FILE *out, const char *name, const struct wtl_moneq_note *note);

void wtl_moneq_note_print_gap(FILE *out, const char *name, const struct wtl_moneq_gap *gap);

/* "FOLDER/NAME" for a file in the folder of path; malloc'ed, NULL = out of memory. */
char *wtl_moneq_beside(const char *path, const char *name);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file "wattle-moneq.tsv" beside MonEQ files that wattle has written: what their format has no place for. Its
 * first line says what it is; then a line for each file, eight fields with tabs between, the last three of which may be missing:
 *
 *     # wattle moneq 1
 *     MonEQ-R0-C0-M0-N3.txt  1784023389000000000  behind  RUN-ID  NODE  mean  measured  simulated
 *
 * file, time 0 in nanoseconds since 1970, where END stands ("behind" the last sample inside, or "before" it as
 * MonEQ itself writes it), run.id and name of the node ("-" = not known); what a power is ("mean" since the line before, for
 * the first line since time 0, or "sample": at the line's time), its quality, and "simulated" where it is that of a simulated sensor,
 * else "-". MonEQ's reducer does not look at it.
 */
#ifndef WTL_EXCHANGE_MONEQ_NOTE_H
#define WTL_EXCHANGE_MONEQ_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <wattle/quantity.h>

#define WTL_MONEQ_NOTE_FILE "wattle-moneq.tsv"
#define WTL_MONEQ_TAGS_FILE "MonEQTags.txt"

struct wtl_moneq_note {
    int64_t start_realtime_ns;
    bool ends_behind;
    bool means, simulated;
    enum wattle_quality quality;
    char run_id[128], node[128]; /* "" = not known */
};

/* The note on a file, beside it. 1, or 0 when there is none. */
int wtl_moneq_note_find(const char *path, struct wtl_moneq_note *ret_note);

/* The first line; the line of a file, name without folders. Failures stay in the stream. */
void wtl_moneq_note_begin(FILE *out);
void wtl_moneq_note_print(FILE *out, const char *name, const struct wtl_moneq_note *note);

/* "FOLDER/NAME" for a file beside path; malloc'ed, NULL = no memory. */
char *wtl_moneq_beside(const char *path, const char *name);

#endif

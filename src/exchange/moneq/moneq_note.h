/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file "wattle-moneq.tsv" next to MonEQ files written by wattle: information for which their
 * format has no place. Its first line identifies it; then there is a line for each file with eight
 * tab-separated fields, the last three of which may be missing:
 *
 *     # wattle moneq 1
 *     MonEQ-R0-C0-M0-N3.txt  1784023389000000000  behind  RUN-ID  NODE  mean  measured  simulated
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

#define WTL_MONEQ_NOTE_FILE "wattle-moneq.tsv"
#define WTL_MONEQ_TAGS_FILE "MonEQTags.txt"

struct wtl_moneq_note {
    int64_t start_realtime_ns;
    bool ends_behind;
    bool means, simulated;
    enum wattle_quality quality;
    char run_id[128], node[128]; /* "" = unknown */
};

/* The note on a file, in its folder. 1, or 0 if there is none. */
int wtl_moneq_note_find(const char *path, struct wtl_moneq_note *ret_note);

/* Write the first line; the line of a file, name without folders. Errors stay in the stream. */
void wtl_moneq_note_begin(FILE *out);
void wtl_moneq_note_print(FILE *out, const char *name, const struct wtl_moneq_note *note);

/* "FOLDER/NAME" for a file in the folder of path; malloc'ed, NULL = out of memory. */
char *wtl_moneq_beside(const char *path, const char *name);

#endif

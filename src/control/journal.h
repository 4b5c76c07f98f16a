/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal of a hold: a file with each knob that may change, its old value and what was written. It is
 * complete and flushed before the first write, and then only changed in place, so that a full disk cannot
 * stop a restore. The holder and its guard share one lock of it (flock): whoever can lock it knows that both
 * are dead.
 *
 *     wattle-control 1
 *     boot 7d2f...            of another boot: the settings are gone with it
 *     holder 4711 1234567     process and its start time, for messages
 *     begin 1790000000
 *     knob STATE OLD SEEN PATH ID        fields of fixed width; see journal.c
 *     end COUNT CHECKSUM      without it: nothing had been written
 */
#ifndef WTL_CONTROL_JOURNAL_H
#define WTL_CONTROL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "control/knob.h"

enum wtl_entry_state {
    WTL_ENTRY_PLANNED = 'p', /* untouched */
    WTL_ENTRY_STARTED = 's', /* may have been written */
    WTL_ENTRY_SET = 'w',     /* written; `seen` was read afterwards */
    WTL_ENTRY_BESIDE =
        'b', /* not written: it may change with another knob; `seen` was read afterwards */
    WTL_ENTRY_RESTORED = 'r' /* done */
};

struct wtl_entry {
    enum wtl_knob_kind kind;
    enum wtl_entry_state state;
    char id[WTL_KNOB_TEXT], path[WTL_KNOB_PATH];
    char old[WTL_KNOB_TEXT]; /* before */
    char ask[WTL_KNOB_TEXT]; /* to be written; "" = a companion, which may change with others */
    char seen[WTL_KNOB_TEXT];
};

struct wtl_journal {
    int fd; /* locked; -1 = none */
    char path[256];
    char boot[40];
    pid_t holder;
    uint64_t holder_start, begin_s;
    struct wtl_entry *entries;
    size_t count;
};

/* Create and flush a journal of these entries (taken). 0, or -errno with a sentence; then nothing is left. */
int wtl_journal_create(const char *folder, struct wtl_journal *journal, struct wattle_error *err);
/* Read one that exists. 0; -EBADMSG: damaged; -ENODATA: it was never complete, so nothing was written. */
int wtl_journal_read(const char *path, struct wtl_journal *ret_journal, struct wattle_error *err);
/* Write the state of an entry in place. Safe in a forked process. 0 or -errno. */
int wtl_journal_mark(struct wtl_journal *journal, size_t entry, enum wtl_entry_state state);
/* Remove it, when everything has been restored. Safe in a forked process. */
int wtl_journal_remove(struct wtl_journal *journal);
void wtl_journal_fini(struct wtl_journal *journal);

#endif

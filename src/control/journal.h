/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal of a hold: a file with each knob that may change, its old value and what was written. It is
 * complete and flushed before the first write, and then only changed in place, so that a full disk cannot
 * stop a restore. The holder and its guard share one lock of it (flock): whoever can lock it knows that both
 * are dead.
 *
 *     wattle-control 2
 *     boot 7d2f...                                of another boot: the settings are gone with it
 *     holder 4711 1234567                         process and its start time
 *     begin 1790000000
 *     knob STATE SEEN SUM KIND OLD ASK PATH ID    separated by tabs; STATE, SEEN and SUM, their checksum, are of fixed width
 *     end COUNT CHECKSUM                          of all the rest
 *
 * Only root may write its folder. Still, a journal can only name files below the folders of knobs.
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
    WTL_ENTRY_PLANNED = 'p',  /* untouched */
    WTL_ENTRY_STARTED = 's',  /* may have been written, by us: to be restored */
    WTL_ENTRY_SET = 'w',      /* all were written; `seen` was read afterwards */
    WTL_ENTRY_FOREIGN = 'f',  /* kept: somebody else had changed it to `seen` */
    WTL_ENTRY_RESTORED = 'r', /* done */
};

/* What became of an entry. */
enum wtl_outcome {
    WTL_OUTCOME_NONE,
    WTL_OUTCOME_SAME,     /* it had the old value already */
    WTL_OUTCOME_RESTORED, /* it has the old value */
    WTL_OUTCOME_FOREIGN,
    WTL_OUTCOME_GONE, /* the file has gone; the setting may still be there when it comes back */
    WTL_OUTCOME_OPEN  /* not restored: `error` */
};

struct wtl_journal_entry {
    enum wtl_knob_kind kind;
    enum wtl_entry_state state;
    enum wtl_outcome outcome;
    int error;     /* -errno; 0 = the value was ignored */
    size_t offset; /* of its line in the file */
    char id[WTL_KNOB_TEXT], path[WTL_KNOB_PATH];
    char old[WTL_KNOB_TEXT];  /* before */
    char ask[WTL_KNOB_TEXT];  /* to be written; "" = none: it may change together with others */
    char seen[WTL_KNOB_TEXT]; /* after the writes; of a foreign one, its value */
};

struct wtl_journal {
    int fd; /* locked; -1 = none */
    char path[256];
    char boot[40];
    pid_t holder;
    uint64_t holder_start;             /* clock ticks since boot; 0 = unknown */
    uint64_t begin_s;                  /* since 1970 */
    struct wtl_journal_entry *entries; /* memory shared with forked processes */
    size_t count;
};

/* Memory for `count` entries. 0 or -ENOMEM. */
int wtl_journal_init(struct wtl_journal *journal, size_t count);
/* Close and free; the file stays. */
void wtl_journal_fini(struct wtl_journal *journal);

/* Create and flush the file in a folder, and lock it. 0, or -errno with a sentence; then no file is left. */
int wtl_journal_create(const struct wtl_world *world,
                       const char *folder,
                       struct wtl_journal *journal,
                       struct wattle_error *err);

/* Open and lock one that exists. 0; -EWOULDBLOCK: its holder or guard lives (then the journal is read, but not locked); -EBADMSG:
 * damaged, with a sentence; -ENOENT. wtl_journal_fini() after 0 and -EWOULDBLOCK. */
int wtl_journal_open(const char *path, struct wtl_journal *ret_journal, struct wattle_error *err);
/* The text of one, for wtl_journal_open() and for tests. 0, -EBADMSG, -ENOMEM. */
int wtl_journal_parse(char *text, size_t n, struct wtl_journal *ret_journal);

/* Set the state of an entry, in memory and in place in the file. Safe in a forked process. 0 or -errno. */
int wtl_journal_mark(struct wtl_journal *journal,
                     struct wtl_journal_entry *entry,
                     enum wtl_entry_state state);

/* Text that differs for each boot; "" = unknown. */
void wtl_boot_id(const struct wtl_world *world, char text[40]);
/* The start of a process in clock ticks since boot; 0 = it is gone. Safe in a forked process. */
uint64_t wtl_process_start(pid_t pid);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Restoring: the entries of one journal, and all journals whose holder has ended. */
#ifndef WTL_CONTROL_RESTORE_H
#define WTL_CONTROL_RESTORE_H

#include <stdbool.h>
#include <stddef.h>

#include "control/journal.h"
#include "control/place.h"

/* Write the value if the knob does not have it. *ret_now: what it has afterwards. 0, or -errno. Safe in a forked process. */
int wtl_knob_put(const struct wtl_world *world,
                 const char *path,
                 const char *value,
                 char ret_now[WTL_KNOB_TEXT]);

/*
 * Give each knob its old value, except those that somebody else has changed (force: those, too). Outcomes are in the
 * entries, states in the file. Returns wtl_restore_open(). Safe in a forked process.
 */
size_t wtl_restore_entries(const struct wtl_control *control,
                           struct wtl_journal *journal,
                           bool force,
                           bool in_guard);

/* The number of knobs that have not got their old value back: those that are open, and those whose file has gone, which may come back with what
 * was set (a module that is loaded again). force: the latter are given up. Safe in a forked process. */
size_t wtl_restore_open(const struct wtl_journal *journal, bool force);

/* Whether something has to be reported: a foreign change, a knob that is gone or open. Safe in a forked process. */
bool wtl_restore_is_remarkable(const struct wtl_journal *journal);

/* Report what is remarkable of it. */
void wtl_restore_tell(const struct wtl_control *control, const struct wtl_journal *journal);

/* The folder of journals: control's, or of the environment, or the default. */
const char *wtl_control_folder(const struct wtl_control *control);

/* Exclusive use of the folder, which is created, for a moment: a descriptor to close, or -errno with a sentence. */
int wtl_control_lock(const struct wtl_control *control, struct wattle_error *err);

struct wtl_restored {
    size_t holds;   /* journals whose holder had ended */
    size_t knobs;   /* restored now */
    size_t foreign; /* kept, since changed by others */
    size_t open;    /* could not be restored */
    size_t held;    /* journals of running holders */
};

/*
 * Restore all journals whose holder has ended; what is done is reported. The folder is locked (wtl_control_lock()). 0, or -EIO when
 * something is open, -EBADMSG for a damaged journal (force removes it).
 */
int wtl_restore_all(const struct wtl_control *control,
                    bool force,
                    struct wtl_restored *ret_restored,
                    struct wattle_error *err);

/* Each journal of the folder, with its holder alive or not. 0, or -errno with a sentence. */
int wtl_restore_each(const struct wtl_control *control,
                     void (*take)(void *context, const struct wtl_journal *journal, bool is_held),
                     void *context,
                     struct wattle_error *err);

#endif

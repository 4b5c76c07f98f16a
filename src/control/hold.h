/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hold: settings of the machine that are changed for a while and always come back.
 *
 *     struct wtl_hold_request want = {.cpus = NULL};
 *     wtl_hold_set(&want, WTL_ASK_FREQUENCY, "2.1GHz", &err);
 *     wtl_hold_begin(&control, &want, &hold, &err);       journal, guard, writes, read back
 *     ... work ...
 *     wtl_hold_end(hold, &err);
 *
 * The journal is complete before the first write. A guard process, forked before it too, restores when its
 * connection to this process closes, for whatever reason. If both are killed, wtl_restore_all() restores
 * (restore.h); each wtl_hold_begin() calls it first.
 *
 * Call begin before threads are created where possible: the guard is forked without exec.
 */
#ifndef WTL_CONTROL_HOLD_H
#define WTL_CONTROL_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "control/hold_request.h"
#include "control/place.h"

struct wtl_hold;

/*
 * Change the settings. On failure nothing has changed: what had been written is restored. 0; -EINVAL: not
 * offered, or out of range; -EACCES; -EBUSY: held by another wattle; -EPERM: also affects CPUs of others;
 * -EIO: the machine ignored the value; -ENOSPC and others of the journal.
 */
int wtl_hold_begin(const struct wtl_control *control,
                   const struct wtl_hold_request *request,
                   struct wtl_hold **ret_hold,
                   struct wattle_error *err);

/* Restore. What could not be restored, or had been changed by others, is told. 0; -EIO: something is open
 * and stays in the journal. Accepts NULL. */
int wtl_hold_end(struct wtl_hold *hold, struct wattle_error *err);

/* The frequency that was asked for and what the policies accepted, of the CPUs held: NaN = none. */
struct wtl_hold_frequency {
    double low_hz, high_hz;
};
struct wtl_hold_frequency wtl_hold_accepted(const struct wtl_hold *hold);

/* Each knob that is held with its old and its new value (both for people). */
void wtl_hold_each(const struct wtl_hold *hold,
                   void (*take)(void *context,
                                const struct wtl_knob_row *row,
                                const char *id,
                                const char *before,
                                const char *now),
                   void *context);

/* In a process forked by the holder, or by code that must not keep the hold: close what belongs to it. */
void wtl_hold_forget(struct wtl_hold *hold);

#endif

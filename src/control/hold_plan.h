/* SPDX-License-Identifier: BSD-3-Clause */
/* From a request to the knobs that will be written, and those that may change with them. */
#ifndef WTL_CONTROL_HOLD_PLAN_H
#define WTL_CONTROL_HOLD_PLAN_H

#include "control/hold_request.h"
#include "control/journal.h"

/*
 * Entries with their old values, in the order of writing: journal->entries, as of wtl_journal_init(). 0; -ENODEV: the machine
 * does not have the setting; -EINVAL: not offered, or out of range; -EACCES; -EPERM: it also affects CPUs of others.
 */
int wtl_hold_plan(const struct wtl_knob_list *knobs,
                  const struct wtl_hold_request *request,
                  struct wtl_journal *ret_journal,
                  struct wattle_error *err);

/* Whether the value that was read is the one that was asked for, as far as the machine rounds. *ret_exact: not rounded. */
bool wtl_hold_accepts(const struct wtl_journal_entry *entry, const char *seen, bool *ret_exact);

#endif

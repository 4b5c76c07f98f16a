/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replay: a trace as if its sensors were live. "replay:FILE" in the place of a list of sensors gives a
 * selection whose drivers are those of the recording, under their own names, with the channels as they were
 * recorded. Their values come when they came then: the first sample is read when the selection is opened, each
 * later one as long after it as in the recording. Nothing is computed in between: a channel shows its last sample,
 * so its claimed refresh, where one is known, is at least the spacing of its samples, and a result's interval is as wide as that. At the
 * end of the recording every read fails (a gap); there is no other speed than its own, which would be another power.
 *
 * Memory: a block (1 s) of each group of channels. See docs/decisions/0017-replay.md.
 */
#ifndef WTL_RECORD_REPLAY_H
#define WTL_RECORD_REPLAY_H

#include <stdbool.h>

#include "source/select.h"

/* As wtl_selection_open(), but request->which may be "replay:FILE" (the rest of the text is the path). Also -ENOENT, -EBADMSG,
 * ... with the sentence of the trace's reader; -ENODATA when it has no samples. */
int wtl_replay_or_select(const struct wtl_request *request,
                         const struct wtl_world *world,
                         struct wtl_selection **ret_selection,
                         struct wattle_error *err);

/* The path of the trace that a selection replays; NULL = it is live. */
const char *wtl_replay_of(const struct wtl_selection *selection);

#endif

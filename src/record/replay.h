/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replay: a trace as if its sensors were live. "replay:FILE" in place of a list of sensors gives a
 * selection whose drivers are those of the recording, under their own names, with the channels as
 * they were recorded. Values appear at the recorded pace: the first sample is read when the
 * selection is opened, each later one as long after it as in the recording. Nothing is
 * interpolated: a channel shows its last sample, so its claimed refresh, if known, is at least the
 * spacing of its samples, and a result's interval is correspondingly wide. At the end of the
 * recording every read fails (a gap). Only the original speed is possible; any other would change
 * the power.
 *
 * Memory: a block (1 s) of each group of channels. See docs/decisions/0017-replay.md.
 */
#ifndef WTL_RECORD_REPLAY_H
#define WTL_RECORD_REPLAY_H

#include <stdbool.h>

#include "source/select.h"

/* Like wtl_selection_open(), but request->which may be "replay:FILE" (the rest of the text is the
 * path). Also -ENOENT, -EBADMSG, ... with the message of the trace reader; -ENODATA if the trace
 * has no samples. */
int wtl_replay_or_select(const struct wtl_request *request,
                         const struct wtl_world *world,
                         struct wtl_selection **ret_selection,
                         struct wattle_error *err);

/* The path of the trace that a selection replays; NULL = a live selection. */
const char *wtl_replay_of(const struct wtl_selection *selection);

#endif

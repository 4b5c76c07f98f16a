/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle export --to paraver|otf2|perfetto": a run, or a trace, for trace viewers (docs/guide/exporting.md). */
#ifndef WTL_CLI_EXPORT_TRACKS_H
#define WTL_CLI_EXPORT_TRACKS_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "cli/export/track_source.h"
#include "cli/verb.h"

enum wtl_track_form { WTL_TRACKS_PARAVER, WTL_TRACKS_OTF2, WTL_TRACKS_PERFETTO };

struct wtl_export_tracks {
    enum wtl_track_form form;
    const char *output; /* Paraver: the .prv file; OTF2: the folder; Perfetto: the file */
    bool force;
    const char *node; /* only this one; NULL = all */
    struct wtl_track_choice choice;
};

/*
 * words: traces, folders or run files of one run. What the files cannot contain is reported on stderr. Returns 0; -EEXIST if there is
 * something at the output; -EBADMSG if a trace belongs to another run; -ENOTSUP without the library; -ENODATA if there is nothing to
 * export; and others, with a message.
 */
int wtl_export_tracks(const struct wtl_command *command,
                      char *const *words,
                      size_t n,
                      const struct wtl_export_tracks *options,
                      struct wattle_error *err);

#endif

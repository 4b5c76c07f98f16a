/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracks as a Perfetto trace: a protobuf stream of TracePackets with TrackEvents and counter tracks, as the published schema
 * of Perfetto defines them (docs/format/perfetto.md). Field numbers of a protobuf schema never change their meaning, so
 * no library is needed to write it.
 */
#ifndef WTL_EXCHANGE_PERFETTO_WRITE_H
#define WTL_EXCHANGE_PERFETTO_WRITE_H

#include <stdio.h>

#include <wattle/error.h>

#include "exchange/tracks/track_sort.h"
#include "exchange/tracks/tracks.h"

/* 0; -ENODATA without any record; -ENOMEM; the sorter's error; or that of a failed write; with a message. */
int wtl_perfetto_write(const struct wtl_tracks *tracks,
                       struct wtl_track_sort *records,
                       FILE *out,
                       struct wattle_error *err);

#endif

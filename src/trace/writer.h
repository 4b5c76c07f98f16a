/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer of a trace. It belongs to one thread (the recorder's writer thread), never to the
 * sampler: calls may compress and write.
 *
 *     wtl_trace_writer_create(path, NULL, &w, err);
 *     wtl_trace_writer_meta(w, "host.name", "n1");
 *     int package = wtl_trace_writer_channel(w, &channel);
 *     int group = wtl_trace_writer_group(w, &id, 1, 0);
 *     wtl_trace_writer_origin(w, id, first_raw);
 *     wtl_trace_writer_row(w, group, time_ns, values, NULL);      again and again
 *     wtl_trace_writer_poll(w, now_ns);                           at least 4 times a second
 *     wtl_trace_writer_finish(w, err);                            footer, close, free
 *
 * Order. The summaries of the footer are computed as blocks pass, in the order of the file, so
 * that repair arrives at the same ones. Three rules make this exact, and each is cheap to keep:
 *   - the rows of a group come in the order of time;
 *   - a gap is given before the row that ends it;
 *   - the borders of the window are given before the first row that is later than they are.
 *
 * Failures of the disk. The call in which a write failed returns its negative errno; from then on
 * every call returns 0 and drops what it was given, counted; wtl_trace_writer_status() and
 * wtl_trace_writer_finish() tell. What is on disk stays readable. Misuse returns -EINVAL and
 * changes nothing; want of memory returns -ENOMEM and is otherwise treated as a failed write.
 */
#ifndef WTL_TRACE_WRITER_H
#define WTL_TRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "base/own_file.h"
#include "model/gap.h"
#include "trace/blocks/entries.h"
#include "trace/blocks/mark.h"
#include "trace/trace_options.h"

struct wtl_trace_writer;

struct wtl_trace_writer_status {
    int error;              /* 0, or the negative errno of the write that failed */
    uint64_t dropped_rows;  /* given after that */
    uint64_t dropped_marks; /* given after that */
    uint64_t bytes;         /* in the file so far */
    uint64_t blocks;
    uint64_t rows;
    bool regions_live; /* region energies are computed as it goes */
};

/*
 * Create the file and its first block. options may be NULL. Returns 0, -EEXIST when it is there
 * and force is not set, or the errno of open(2) or write(2).
 */
int wtl_trace_writer_create(const char *path,
                            const struct wtl_trace_options *options,
                            struct wtl_trace_writer **ret_writer,
                            struct wattle_error *err);

/* Could a trace be created there? Nothing is changed: for the traces of runs that come later. Returns as wtl_trace_writer_create(). */
int wtl_trace_writer_check(const char *path, bool force, struct wattle_error *err);

/* A fact about the run: dotted key, UTF-8 value (docs/format/trace.md has the table). A key given
 * again replaces the earlier value. At most 65535 bytes each, and WTL_TRACE_META_MAX keys. */
int wtl_trace_writer_meta(struct wtl_trace_writer *writer, const char *key, const char *value);

/* A channel; its id (0, 1, 2 ..) is returned. -EINVAL when its name is taken or scale is not > 0. */
int wtl_trace_writer_channel(struct wtl_trace_writer *writer, const struct wattle_channel *channel);

/* The raw value of a counter's first reading, when it is known; once for each channel. */
int wtl_trace_writer_origin(struct wtl_trace_writer *writer, uint32_t channel, uint64_t first_raw);

/* A group of channels; its id (0, 1, 2 ..) is returned. A channel may be in several groups (its
 * rows in an edge group beside those in a common one). flags: enum wtl_trace_group_flags. */
int wtl_trace_writer_group(struct wtl_trace_writer *writer,
                           const uint32_t *channels,
                           size_t count,
                           unsigned flags);

/*
 * One row of a group: values[i] belongs to the group's i-th channel; counters are unwrapped ticks
 * since the channel's first reading, gauges the raw reading. missing is NULL or has one byte for
 * each channel, not 0 = no value in this row (values[i] is ignored). time_ns must not fall.
 * Does not allocate once the group has had a row.
 */
int wtl_trace_writer_row(struct wtl_trace_writer *writer,
                         uint32_t group,
                         uint64_t time_ns,
                         const uint64_t *values,
                         const uint8_t *missing);

/* A gap of a channel, when it is known, before the row that ends it. */
int wtl_trace_writer_gap(struct wtl_trace_writer *writer, const struct wtl_gap *gap);

int wtl_trace_writer_clocks(struct wtl_trace_writer *writer, const struct wtl_clock_pair *pair);

/* The borders of the window, each once, each before the first row later than it. */
int wtl_trace_writer_window_begin(struct wtl_trace_writer *writer, uint64_t start_monotonic_ns);
int wtl_trace_writer_window_end(struct wtl_trace_writer *writer, uint64_t end_monotonic_ns);

/* The id (1, 2 ..) of a text; the same text has the same id. At most 65535 bytes. */
int wtl_trace_writer_string(struct wtl_trace_writer *writer, const char *text);

/* A process or thread; its id (0, 1, 2 ..) is returned. The texts are copied. */
int wtl_trace_writer_process(struct wtl_trace_writer *writer,
                             const struct wtl_trace_process *process);
int wtl_trace_writer_thread(struct wtl_trace_writer *writer, const struct wtl_trace_thread *thread);

/* Marks of all kinds: threads in any order, those of one thread in the order of time. Their name is
 * an id of wtl_trace_writer_string(), their thread one of wtl_trace_writer_thread(). They may come
 * long after the rows of their time (from the processes' spools). */
int wtl_trace_writer_marks(struct wtl_trace_writer *writer, const struct wtl_mark *marks, size_t n);

/*
 * All marks before time_ns have been given, and those behind it will be given in the order of time.
 * Said before the first mark and then a few times a second, region energies are computed beside the run
 * and wtl_trace_writer_finish() has little left to do; a mark that comes late after all only costs
 * that.
 */
void wtl_trace_writer_marked(struct wtl_trace_writer *writer, uint64_t time_ns);

/*
 * Write each block whose first entry would be older than 1 s at the next poll, which is reckoned to
 * come as soon as this one came after the last, at most 0.25 s. now_ns: CLOCK_MONOTONIC. Polls that
 * come often and evenly make larger blocks and so a smaller file.
 */
int wtl_trace_writer_poll(struct wtl_trace_writer *writer, uint64_t now_ns);

/* Write everything that waits. */
int wtl_trace_writer_flush(struct wtl_trace_writer *writer);

void wtl_trace_writer_status(const struct wtl_trace_writer *writer,
                             struct wtl_trace_writer_status *ret_status);

/*
 * Flush, add the footer, close and free. Returns 0, or the errno of the write that failed now or
 * earlier, with a sentence that says what is lost and what is not.
 */
int wtl_trace_writer_finish(struct wtl_trace_writer *writer, struct wattle_error *err);

/* The file that it writes, whatever has its name by now. */
struct wtl_file_id wtl_trace_writer_file(const struct wtl_trace_writer *writer);

/* Close and free without flushing or footer, as a crash would leave it. Accepts NULL. */
void wtl_trace_writer_abandon(struct wtl_trace_writer *writer);

/* In the child of a fork: let go of the file, which the parent writes, so that it is not locked by the child as well. Nothing is freed. */
void wtl_trace_writer_forget(struct wtl_trace_writer *writer);

#endif

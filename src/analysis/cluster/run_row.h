/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run row: what a run needs to know of the trace of one node, taken from its footer in one look (from its blocks,
 * where it has none). Rows are small and stand alone: they can be sent to another process.
 */
#ifndef WTL_ANALYSIS_RUN_ROW_H
#define WTL_ANALYSIS_RUN_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/cluster/run_clock.h"
#include "analysis/cluster/run_sum.h"
#include "model/result.h"
#include "trace/blocks/bytes.h"
#include "trace/reader.h"

/* The primary channels of a domain, or of a part of the machine, on a node, of one sort: an estimate is never added to what
 * was measured. A part is what channels call it: "package" of "powercap:package-0", "link_chip" of an import. */
struct wtl_run_domain {
    char name[WATTLE_NAME_MAX];   /* of the part */
    char within[WATTLE_NAME_MAX]; /* the part that contains it, or "" */
    enum wattle_domain domain;
    bool estimated;
    struct wtl_run_part part;
};

/* A region's energy on the channels of the node's total. */
struct wtl_run_region {
    char *name; /* "" = outside of all; owned */
    uint64_t count, thread_time_ns, union_ns, exclusive_ns, unbalanced, crossing;
    struct wtl_energy inclusive, exclusive; /* of an estimate: half widths with its model's error */
};

struct wtl_run_row {
    char *path;                                         /* as given; owned, as all texts */
    char *run_id, *name, *key, *host, *nodes, *command; /* "" = not known; nodes: of the job */
    char *groups;            /* of ranks, that were asked for, "1-10,11-32"; "" = none */
    uint64_t offset, length; /* of the trace in the file */
    struct wtl_run_clocks clocks;
    bool foreign_clock;        /* its times are not of CLOCK_MONOTONIC */
    bool finished;             /* its footer and the end of its window are there */
    uint64_t begin_ns, end_ns; /* the window, or what was sampled; own clock */
    uint64_t start_ns;         /* the first of the trace */
    uint64_t interval_ns;      /* of the sampler; 0 = unknown */
    double gap_s;              /* in which a channel of its total is unknown */
    struct wtl_run_part total;
    char contains[128], excludes[128]; /* the total in words */
    char group[64];                    /* of a run file of some ranks, whose first it is; or "" */
    struct wtl_run_domain *domains;    /* owned */
    uint32_t domain_count;
    struct wtl_run_domain *parts; /* as channels first name them; owned */
    uint32_t part_count;
    struct wtl_run_region *regions; /* owned */
    uint32_t region_count;
    struct wtl_result_flag *flags; /* owned */
    uint32_t flag_count;
    int32_t *ranks; /* of MPI, rising; owned */
    uint32_t rank_count;
    uint32_t mpi_ranks; /* of the whole job; 0 = unknown */
    double mpi_s;       /* time inside of MPI, over the node's ranks; NaN = unknown */
};

/* Does a channel count for its domain on the node? Primary, and neither within another one of the same domain nor
 * a second view of the whole machine. */
bool wtl_run_domain_counts(const struct wtl_result *result, size_t channel);
/* The same for its part. */
bool wtl_run_part_counts(const struct wtl_result *result, size_t channel);
/* The part of a channel, by the name of the channel. */
void wtl_run_part_name(const char *channel, char ret_name[WATTLE_NAME_MAX]);

/* Does it say when it was? Not where it was cut before window and first sample. */
bool wtl_run_row_has_time(const struct wtl_run_row *row);

/* Fill a row from an open trace. part: where it is. ranks: look for them in the table of processes, too, which
 * walks the file. 0; -ENOMEM; -EBADMSG, too, of a window that no measurement has (it ends before it begins, is longer than a century,
 * or does not fit into 64 bits of ns on one of its clocks); or what the reader said, with a sentence. */
int wtl_run_row_read(struct wtl_trace_reader *reader,
                     const struct wtl_trace_part *part,
                     bool ranks,
                     struct wtl_run_row *ret_row,
                     struct wattle_error *err);
void wtl_run_row_fini(struct wtl_run_row *row);

/* Add a flag once; 0 or -ENOMEM. */
int wtl_run_row_flag(struct wtl_run_row *row, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* To another process of the same build, and back: 0, -EBADMSG, -ENOMEM. */
void wtl_run_row_put(struct wtl_bytes *bytes, const struct wtl_run_row *row);
int wtl_run_row_take(struct wtl_cursor *cursor, struct wtl_run_row *ret_row);

#endif

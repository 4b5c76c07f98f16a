/* SPDX-License-Identifier: BSD-3-Clause */
/* Flags with their meaning, worst first: what takes something from the number, what makes it another one than was meant, what
 * makes it hard to repeat, what is beside it. scripts/check-docs holds wattle(1) against this. */
#include "model/flag.h"

#include <string.h>

static const struct wtl_flag_kind kinds[] = {
    {WTL_FLAG_DAMAGED, "Parts of the trace cannot be read.", true},
    {WTL_FLAG_UNFINISHED,
     "The trace is not whole: it was cut off, the disk was full, or it is still growing.", true},
    {WTL_FLAG_INCOMPLETE, "A channel of the total has no value for a part of the window.", false},
    {WTL_FLAG_MISSING, "Nodes of the job have no trace.", false},
    {WTL_FLAG_LEFT_OUT, "A run file was made without some traces, which were refused or not there.",
     false},
    {WTL_FLAG_FAILED_RUN, "A run of a series failed; it and those after it are not in the means.",
     false},
    {WTL_FLAG_INTERRUPTED,
     "A run of a series was ended by a signal; it and those after it are not in the means.", false},
    {WTL_FLAG_MIXED_RUNS,
     "Some runs were measured and others estimated, or their totals contain different things: "
     "there is no mean energy.",
     false},
    {WTL_FLAG_MIXED,
     "The totals of a run's nodes do not contain the same, since the nodes have other sensors.",
     false},
    {WTL_FLAG_ESTIMATES_LEFT_OUT,
     "Nodes of a run have estimates only, which are not added to what was measured on the others.",
     false},
    {WTL_FLAG_RANKS, "A run file has the nodes of some ranks only.", false},
    {WTL_FLAG_SEVERAL_TRACES,
     "A node has several traces in the run, one after the other, and none for the time between.",
     false},
    {WTL_FLAG_IMPORT_FAULTS, "Something is wrong with the data that a trace was imported from.",
     false},
    {WTL_FLAG_TAKEN_OVER,
     "The process that measured the node was replaced by another one, which went on.", false},
    {WTL_FLAG_REPLAYED, "The sensors are a recording's, not this machine's.", false},
    {WTL_FLAG_SUSPENDED, "The machine slept.", false},
    {WTL_FLAG_THROTTLED, "The processor was slowed down by heat.", false},
    {WTL_FLAG_CAPPED, "A power limit was reached, or changed.", false},
    {WTL_FLAG_GOVERNOR_CHANGED, "Frequency settings were not the same before and after.", false},
    {WTL_FLAG_NOT_ALONE, "Others used the machine in the window.", false},
    {WTL_FLAG_NOT_CHECKED,
     "Whether others used the machine in the window, or frequency settings changed, is not known.",
     false},
    {WTL_FLAG_EDGES_LOST,
     "The machine was too busy to see the ticks of counters at the start or the end of the window.",
     false},
    {WTL_FLAG_END_LATE,
     "wattle could not run when the command ended, and may have noticed its end late.", false},
    {WTL_FLAG_RANKS_WENT_ON,
     "The process that measured a job ended badly, and others of the job went on.", false},
    {WTL_FLAG_RANKS_WITHOUT_WORD,
     "Processes of the job on this node ended without a word to the one that measured.", false},
    {WTL_FLAG_RANKS_MISSING,
     "Ranks of this node ended before the measurement began, or began after its end.", false},
    {WTL_FLAG_REGIONS_LOST,
     "Calls of regions could not be recorded or read, or had a name that is refused.", false},
    {WTL_FLAG_PARTIAL, "A channel that is not in the total has no value for a part of the window.",
     false},
    {WTL_FLAG_NO_TRACE, "A trace was wanted and could not be made, or somebody removed it.", false},
    {WTL_FLAG_NOT_SHOWN,
     "Blocks of the trace, from a newer version, hold what this version cannot show.", true},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct wtl_flag_kind *wtl_flag_kind(size_t i)
{
    return i < KINDS ? &kinds[i] : NULL;
}

size_t wtl_flag_rank(const char *name)
{
    size_t i = 0;
    while (i < KINDS && strcmp(kinds[i].name, name) != 0)
        i++;
    return i;
}

bool wtl_flag_is_of_trace(const char *name)
{
    const struct wtl_flag_kind *kind = wtl_flag_kind(wtl_flag_rank(name));
    return kind && kind->of_trace;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy between two instants: see stretch_document.h. */
#include "report/tasks/stretch_document.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "analysis/power/stretch_energy.h"
#include "base/fail.h"
#include "report/noun.h"

struct channel {
    const char *name;
    struct wtl_summary summary;
};

struct stretch {
    struct channel *channels;
    size_t count;
};

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_member of_channel[] = {
    {"channel", WTL_TEXT_AT(struct channel, name), .meaning = "its name"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct channel, summary.amount), .meaning = "in the stretch"},
    {"resolution_interval_j", WTL_NUMBER_OR_NULL(struct channel, summary.amount_half),
     .meaning = "half of the 95 % interval from ticks, timing and gaps"},
    {"unknown_s", WTL_SECONDS_AT(struct channel, summary.unknown_ns),
     .meaning = "time that the energy does not cover"},
    {.key = NULL}};
static const struct wtl_noun channel_noun = {"channel of a stretch", of_channel};

static const struct wtl_member of_stretch[] = {
    {"channels", WTL_LIST_AT(struct stretch, channels, count, channel_noun),
     .meaning = "of energy and power"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_stretch = {"stretch", of_stretch};
/* NOLINTEND(bugprone-macro-parentheses) */

int wtl_stretch_document(struct wtl_trace_reader *reader,
                         const struct wtl_result *result,
                         uint64_t begin_ns,
                         uint64_t end_ns,
                         json_t **ret_document,
                         struct wattle_error *err)
{
    size_t count = result->energy_count;
    struct stretch stretch = {calloc(count + 1, sizeof *stretch.channels), count};
    struct wtl_summary *summaries = calloc(count + 1, sizeof *summaries);
    uint32_t *ids = calloc(count + 1, sizeof *ids);
    json_t *document = NULL;
    int rc = stretch.channels && summaries && ids ? 0 : wtl_no_memory(err);
    assert(rc < 0 || (stretch.channels && summaries && ids));
    for (size_t i = 0; rc == 0 && i < count; i++) {
        int id = wtl_trace_reader_find_channel(reader, result->channels[i].channel.name);
        ids[i] = id < 0 ? UINT32_MAX : (uint32_t)id;
    }
    rc =
        rc < 0 ? rc : wtl_stretch_energy_read(reader, ids, count, begin_ns, end_ns, summaries, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        stretch.channels[i] = (struct channel){result->channels[i].channel.name, summaries[i]};
    if (rc == 0 && !(document = wtl_noun_document("wattle.stretch/1", &wtl_noun_stretch, &stretch)))
        rc = wtl_no_memory(err);
    free(stretch.channels);
    free(summaries);
    free(ids);
    *ret_document = document;
    return rc;
}

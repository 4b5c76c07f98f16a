/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPU a lane belongs to, and which channels it explains: by the PCI address in the name of the lane ("gpu 0000:65:00.0 stream 7") and
 * in the location of the channel. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/tasks/study_parts.h"
#include "base/grow.h"
#include "model/card/card.h"

static const char prefix[] = "gpu ";

static int card_of(const struct wtl_task_study *study, const char *address, size_t n)
{
    for (size_t i = 0; i < study->card_count; i++)
        if (strlen(study->cards[i]) == n && strncasecmp(study->cards[i], address, n) == 0)
            return (int)i;
    return WTL_TASK_NOBODY;
}

/* A lane without an address belongs to no card: it explains nothing. */
static int add_lane(struct wtl_task_study *study, const char *name)
{
    const char *address = strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : "";
    size_t n = strcspn(address, " ,");
    int known = card_of(study, address, n);
    if (known >= 0 || n == 0 || n >= sizeof study->cards[0])
        return known;
    if (wtl_reserve(&study->cards, &study->card_room, study->card_count + 1, sizeof *study->cards) <
        0)
        return -ENOMEM;
    memcpy(study->cards[study->card_count], address, n);
    study->cards[study->card_count][n] = '\0';
    return (int)study->card_count++;
}

int wtl_study_cards(struct wtl_task_study *study)
{
    size_t count = wtl_trace_reader_thread_count(study->reader);
    study->card_of = calloc(count + 1, sizeof *study->card_of);
    if (!study->card_of)
        return -ENOMEM;
    study->thread_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct wtl_trace_thread *thread = wtl_trace_reader_thread(study->reader, i);
        study->card_of[i] = WTL_TASK_THREADS;
        if (thread && wtl_thread_is_lane(thread))
            study->card_of[i] = add_lane(study, thread->name);
        if (study->card_of[i] == -ENOMEM)
            return -ENOMEM;
    }
    return 0;
}

int wtl_study_card_of_channel(const struct wtl_task_study *study,
                              const struct wattle_channel *channel)
{
    size_t n = 0;
    const char *address = wtl_card_address(channel, &n);
    if (channel->domain == WATTLE_DOMAIN_BOARD || channel->domain == WATTLE_DOMAIN_NODE)
        return WTL_TASK_EVERYBODY;
    if (study->card_count == 0 || !address)
        return WTL_TASK_THREADS;
    return card_of(study, address, n);
}

bool wtl_study_is_lane(const struct wtl_task_study *study, uint32_t thread)
{
    return thread < study->thread_count && study->card_of[thread] != WTL_TASK_THREADS;
}

bool wtl_study_card_fits(const struct wtl_task_study *study, uint32_t thread, int card)
{
    int own = thread < study->thread_count ? study->card_of[thread] : WTL_TASK_THREADS;
    return card == WTL_TASK_EVERYBODY || (own == card && card != WTL_TASK_NOBODY);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds from options: see hold_options.h. */
#define _GNU_SOURCE
#include "cli/control/hold_options.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/parse.h"
#include "cli/node/job_list.h"
#include "cli/node/wattled_link.h"
#include "report/table.h"

static const char *word_of(const struct wtl_hold_words *words, enum wtl_ask ask)
{
    const char *const all[WTL_ASKS] = {
        [WTL_ASK_FREQUENCY] = words->freq,    [WTL_ASK_GOVERNOR] = words->governor,
        [WTL_ASK_EPP] = words->epp,           [WTL_ASK_TURBO] = words->turbo,
        [WTL_ASK_POWER_LIMIT] = words->limit, [WTL_ASK_UNCORE] = words->uncore};
    return all[ask];
}

bool wtl_hold_words_ask(const struct wtl_hold_words *words)
{
    for (unsigned ask = 0; ask < WTL_ASKS; ask++) {
        if (word_of(words, ask))
            return true;
    }
    return false;
}

void wtl_hold_words_line(const struct wtl_hold_words *words, char *text, size_t n)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned ask = 0; ask < WTL_ASKS && used < n; ask++) {
        const char *word = word_of(words, ask);
        if (word)
            used += (size_t)snprintf(text + used, n - used, "%s%s=%s", used > 0 ? " " : "",
                                     wtl_ask_names[ask], word);
    }
}

int wtl_hold_words_parse(const struct wtl_hold_words *words,
                         struct wtl_cpu_set *ret_cpus,
                         struct wtl_hold_request *ret_request,
                         struct wattle_error *err)
{
    *ret_request = (struct wtl_hold_request){.cpus = NULL};
    for (unsigned ask = 0; ask < WTL_ASKS; ask++) {
        const char *word = word_of(words, ask);
        int rc = word ? wtl_hold_set(ret_request, ask, word, err) : 0;
        if (rc < 0)
            return rc;
    }
    *ret_cpus = (struct wtl_cpu_set){{0}};
    if (words->cpus && wtl_parse_cpulist(words->cpus, ret_cpus->bits, WTL_CPUS_MAX) <= 0)
        return wtl_fail(err, -EINVAL, "--cpus \"%.60s\": expected a list of CPUs: 0-7,16",
                        words->cpus);
    ret_request->cpus = words->cpus ? ret_cpus : NULL;
    return 0;
}

static void print_control(void *context, const char *sentence)
{
    const struct wtl_command *command = context;
    wtl_print_sentence(stderr, "wattle %s: %s\n", command->verb, sentence);
}

struct wtl_control wtl_cli_control(const struct wtl_command *command)
{
    return (struct wtl_control){
        .world = wtl_world_real(), .tell = print_control, .context = (void *)command};
}

/* "1.2-2.3GHz", "80-150W": a range that the site allows. */
static int take_ranges(const struct wtl_config *config,
                       struct wtl_hold_request *request,
                       struct wattle_error *err)
{
    for (size_t i = 0; config && i < wtl_config_count(config); i++) {
        struct wtl_config_entry entry = wtl_config_entry(config, i);
        struct wtl_hold_request range = {.cpus = NULL};
        if (strcmp(entry.key->section, "control") != 0 || !entry.value[0])
            continue;
        char low[32];
        const char *dash = strchr(entry.value, '-');
        bool power = strcmp(entry.key->name, "power-range") == 0;
        int rc = dash && (size_t)snprintf(low, sizeof low, "%.*sW", (int)(dash - entry.value),
                                          entry.value) < sizeof low
                     ? 0
                     : -EINVAL;
        if (rc == 0 && power) {
            rc = wtl_hold_set(&range, WTL_ASK_POWER_LIMIT, low, NULL);
            request->low_w = range.limit_w;
            rc = rc < 0 ? rc : wtl_hold_set(&range, WTL_ASK_POWER_LIMIT, dash + 1, NULL);
            request->high_w = range.limit_w;
        } else if (rc == 0) {
            rc = wtl_hold_set(&range, WTL_ASK_FREQUENCY, entry.value, NULL);
            request->low_hz = range.frequency.low_hz;
            request->high_hz = range.frequency.high_hz;
        }
        if (rc < 0)
            return wtl_fail(err, -EINVAL, "%s: %s \"%s\": expected a range: %s", entry.origin,
                            entry.key->name, entry.value, power ? "80-150W" : "1.2-2.3GHz");
    }
    return 0;
}

/* Jobs of others that are open in the ledger of wattled: their number; -ENOENT: there is no wattled; others: it does not say. */
static int count_other_jobs(char *id, size_t n, struct wattle_error *err)
{
    char reply[WTL_WATTLED_REPLY], *lines;
    struct wtl_node_job_list list = {.count = 0};
    const char *own = getenv("SLURM_JOB_ID");
    int others = 0;
    int rc = wtl_wattled_ask("jobs", reply, &lines, err);
    if (rc < 0)
        return rc == -ECONNREFUSED ? -ENOENT : rc;
    rc = wtl_node_job_list_parse(&list, lines);
    for (size_t i = 0; rc == 0 && i < list.count; i++) {
        size_t length = own ? strlen(own) : 0; /* itself and its steps, "12" and "12.0" */
        if (own && strncmp(list.jobs[i].id, own, length) == 0 &&
            (list.jobs[i].id[length] == '\0' || list.jobs[i].id[length] == '.'))
            continue;
        (void)snprintf(id, n, "%s", list.jobs[i].id);
        others++;
    }
    wtl_node_job_list_fini(&list);
    return rc < 0 ? wtl_fail(err, rc, "wattled's answer cannot be read") : others + (int)list.more;
}

static bool may_use_all_cpus(void)
{
    struct wtl_cpu_set online = {{0}}, may = {{0}};
    return wtl_cpus_online(wtl_world_real(), online.bits) > 0 &&
           sched_getaffinity(0, sizeof may, (cpu_set_t *)(void *)&may) >= 0 &&
           memcmp(&online, &may, sizeof may) == 0;
}

/* Would a job of others be slowed down? Knobs that also affect CPUs of others are left to the root of a node without jobs. */
static int check_others(struct wtl_hold_request *request, struct wattle_error *err)
{
    char id[80] = "";
    struct wattle_error why = {""};
    int others = count_other_jobs(id, sizeof id, &why);
    if (others < 0 && others != -ENOENT && !request->cpus)
        return wtl_fail(err, others, "cannot tell whether other jobs would be affected: %s",
                        why.text);
    if (others > 0 && !request->cpus && may_use_all_cpus())
        return wtl_fail(
            err, -EPERM,
            "job %s is running on this node and would be affected; name the CPUs with --cpus", id);
    request->alone = geteuid() == 0 && !request->cpus &&
                     (others == 0 || (others < 0 && !getenv("SLURM_JOB_ID")));
    return 0;
}

int wtl_hold_keep_to_site(struct wtl_hold_request *request,
                          const struct wtl_config *config,
                          struct wattle_error *err)
{
    int rc = take_ranges(config, request, err);
    return rc < 0 ? rc : check_others(request, err);
}

int wtl_hold_words_begin(const struct wtl_hold_words *words,
                         const struct wtl_command *command,
                         const struct wtl_config *config,
                         struct wtl_hold **ret_hold,
                         struct wattle_error *err)
{
    struct wtl_cpu_set cpus;
    struct wtl_hold_request request;
    struct wtl_control control = wtl_cli_control(command);
    int rc = wtl_hold_words_parse(words, &cpus, &request, err);
    rc = rc < 0 ? rc : wtl_hold_keep_to_site(&request, config, err);
    return rc < 0 ? rc : wtl_hold_begin(&control, &request, ret_hold, err);
}

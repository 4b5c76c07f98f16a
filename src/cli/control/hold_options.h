/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that change settings, for "wattle hold", "wattle run" and others, and a hold from them. */
#ifndef WTL_CLI_HOLD_OPTIONS_H
#define WTL_CLI_HOLD_OPTIONS_H

#include "base/config/config.h"
#include "cli/verb.h"
#include "control/hold.h"

/* Values as given; NULL = not. */
struct wtl_hold_words {
    const char *freq, *governor, *epp, *turbo, *limit, *uncore, *cpus;
};

/* Fields take no parentheses: NOLINTBEGIN(bugprone-macro-parentheses) */
#define WTL_HOLD_OPTION_ROWS(T, words)                                                             \
    {0, "freq", "FREQ|LOW-HIGH|min|max", "set the frequency: 2.1GHz, 1.2-2.1GHz, min, max",        \
     WTL_TAKES_TEXT(T, words.freq)},                                                               \
        {0, "governor", "NAME", "set the cpufreq governor", WTL_TAKES_TEXT(T, words.governor)},    \
        {0, "epp", "NAME", "set the processor's preference: performance, power, ...",              \
         WTL_TAKES_TEXT(T, words.epp)},                                                            \
        {0, "turbo", "on|off", "allow turbo frequencies, or not", WTL_TAKES_TEXT(T, words.turbo)}, \
        {0, "power-limit", "W[:WINDOW][:on]", "limit the power of each package: 150W, 150W:1s",    \
         WTL_TAKES_TEXT(T, words.limit)},                                                          \
        {0, "uncore", "FREQ|LOW-HIGH|min|max", "set the frequency of caches and mesh",             \
         WTL_TAKES_TEXT(T, words.uncore)},                                                         \
    {                                                                                              \
        0, "cpus", "LIST",                                                                         \
            "change settings of these CPUs only: 0-7,16 (default: those\nthis process may use)",   \
            WTL_TAKES_TEXT(T, words.cpus)                                                          \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/* Whether any setting is asked for. */
bool wtl_hold_words_ask(const struct wtl_hold_words *words);

/* "freq=2.1GHz governor=performance": what was asked, in one line. */
void wtl_hold_words_line(const struct wtl_hold_words *words, char *text, size_t n);

/* Check words: 0, or -EINVAL with a sentence. *ret_request refers to *ret_cpus. */
int wtl_hold_words_parse(const struct wtl_hold_words *words,
                         struct wtl_cpu_set *ret_cpus,
                         struct wtl_hold_request *ret_request,
                         struct wattle_error *err);

/* The control of this machine; sentences are printed on stderr as "wattle VERB: ...". */
struct wtl_control wtl_cli_control(const struct wtl_command *command);

/* Keep a request to the site's ranges ([control] of the configuration), and away from jobs of others: 0; -EINVAL: out of range;
 * -EPERM, with a sentence. */
int wtl_hold_keep_to_site(struct wtl_hold_request *request,
                          const struct wtl_config *config,
                          struct wattle_error *err);

/*
 * Hold what the words ask for, after wtl_hold_keep_to_site(). 0, or -errno with a sentence.
 */
int wtl_hold_words_begin(const struct wtl_hold_words *words,
                         const struct wtl_command *command,
                         const struct wtl_config *config,
                         struct wtl_hold **ret_hold,
                         struct wattle_error *err);

#endif

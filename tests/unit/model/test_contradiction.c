/* SPDX-License-Identifier: BSD-3-Clause */
/* Channels that cannot both be right. A machine is written as "NAME=JOULES[<WHOLE]" with "*" for a gauge, "-" for one that is
 * not primary and "?" for one with a gap; each has a half width of 0.5 J. */
#define _POSIX_C_SOURCE 200809L
#include "model/contradiction/contradiction.h"

#include <string.h>

#include "tap.h"

static void add(struct wtl_result *result, char *word)
{
    struct wtl_result_channel *c = &result->channels[result->channel_count++];
    *c = (struct wtl_result_channel){
        .channel = {
            .sub = -1, .scale = 1, .quantity = WATTLE_ENERGY, .flags = WATTLE_CHANNEL_PRIMARY}};
    for (; strchr("*-?", word[0]); word++) {
        if (word[0] == '*') {
            c->channel.kind = WATTLE_WINDOW_AVERAGE;
            c->channel.quantity = WATTLE_POWER;
            c->channel.refresh_ns = c->channel.window_ns = 100000000;
        } else if (word[0] == '-')
            c->channel.flags = 0;
        else
            c->summary.unknown_ns = 1;
    }
    char *within = strchr(word, '<'), *joules = strchr(word, '='), *colon = strchr(word, ':');
    if (within) {
        *within++ = '\0';
        (void)snprintf(c->channel.within, sizeof c->channel.within, "%.40s", within);
    }
    *joules++ = '\0';
    c->summary.amount = strtod(joules, NULL);
    c->summary.amount_half = 0.5;
    (void)snprintf(c->channel.name, sizeof c->channel.name, "%.40s", word);
    (void)snprintf(c->channel.sensor, sizeof c->channel.sensor, "%.*s", (int)(colon - word), word);
    char *dash = strrchr(word, '-');
    c->channel.index = dash[1] - '0';
    *dash = '\0';
    for (int d = 0; d < WATTLE_DOMAIN_COUNT; d++) {
        if (strcmp(wattle_domain_name((enum wattle_domain)d), colon + 1) == 0)
            c->channel.domain = (enum wattle_domain)d;
    }
}

static void test_machines(void)
{
    static const struct {
        int line;
        double seconds;
        const char *machine, *says; /* NULL = no flag */
    } rows[] = {
        {__LINE__, 6, "p:psys-0=36 p:package-0=90<p:psys-0",
         "p:psys-0 has 36 J, less than p:package-0"},
        {__LINE__, 6, "p:psys-0=120 p:package-0=90<p:psys-0", NULL},
        {__LINE__, 6, "p:psys-0=120 p:package-0=70<p:psys-0 p:package-1=70<p:psys-0",
         "p:package-0 and 1 more, which it contains, with 140 J"},
        {__LINE__, 6, "p:package-0=90 -p:psys-0=36", "p:psys-0 has 36 J"}, /* refused */
        {__LINE__, 6, "p:package-0=60 p:core-0=90<p:package-0", "p:package-0 has 60 J"},
        {__LINE__, 6, "p:package-0=60 p:core-0=59<p:package-0 p:uncore-0=2<p:package-0", NULL},
        {__LINE__, 6, "p:package-0=60 p:core-0=62<p:package-0", NULL},  /* 2 J are 4 half widths */
        {__LINE__, 6, "p:package-0=60 ?p:core-0=90<p:package-0", NULL}, /* of unknown time */
        {__LINE__, 6, "p:package-0=60 p:core-0=50<p:package-0 -m:core-0=50<p:package-0", NULL},
        {__LINE__, 6, "*h:node-0=100 p:package-0=104<h:node-0", NULL}, /* a gauge's own error */
        {__LINE__, 6, "c:node-0=100 p:psys-0=120<c:node-0", "c:node-0 has 100 J"},
        {__LINE__, 6, "c:node-0=12 ?p:package-0=60<c:node-0 p:core-0=50<p:package-0",
         "c:node-0 has 12 J"}, /* although what is between them is unknown */
        {__LINE__, 6, "*h:node-0=100 p:package-0=150<h:node-0", "h:node-0 has 100 J"},
        {__LINE__, 1, "*h:node-0=100 p:package-0=150<h:node-0", NULL}, /* too short for it */
        {__LINE__, 6, "n:gpu-0=100 *n:gpu-0=150", "n:gpu-0 counted 100 J, but n:gpu-0"},
        {__LINE__, 6, "n:gpu-0=100 *n:gpu-0=105", NULL},
        {__LINE__, 6, "n:gpu-0=100 *n:gpu-1=150", NULL},
        {__LINE__, 6, "n:gpu-0=100 *r:gpu-0=150", NULL}, /* perhaps another card */
        {__LINE__, 6, "p:other-0=100 *p:other-0=150", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_result_channel channels[4];
        struct wtl_result result = {.channels = channels, .wall_time_s = rows[i].seconds};
        char text[160], *save = NULL;
        tap_line = rows[i].line;
        (void)snprintf(text, sizeof text, "%s", rows[i].machine);
        for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
            add(&result, word);
        result.energy_count = result.channel_count;
        is_int(wtl_contradiction_flag(&result), 0, "%s", rows[i].machine);
        is_int(result.flag_count, rows[i].says != NULL, "a flag, or none");
        if (result.flag_count > 0) {
            is_str(result.flags[0].name, "CONTRADICTORY", "its name");
            ok(rows[i].says && strstr(result.flags[0].text, rows[i].says), "it says: %s",
               result.flags[0].text);
        }
        free(result.flags);
    }
    tap_line = 0;
}

int main(void)
{
    test_machines();
    return done_testing();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* MonEQ's markers converted to begins and ends. Samples are at 10, 20, 30 ..; marks are half way
 * between. */
#include <stdio.h>
#include <string.h>

#include "exchange/moneq/moneq_tags.h"
#include "tap.h"

/* "<a" START a, ">a" END a, "." a sample; gives "a+15 a-35 ": begin at 15, end at 35. */
static void run(const char *script, bool behind, const char *want)
{
    struct wtl_moneq_tags tags = {.ends_behind = behind};
    char got[256] = "";
    int64_t time_ns = 0;
    int rc = 0;
    for (const char *p = script; *p && rc == 0; p++) {
        if (*p == '.') {
            rc = wtl_moneq_tags_sample(&tags, time_ns += 10);
        } else {
            rc = wtl_moneq_tags_marker(&tags, *p == '<', p + 1, 1, 1);
            p++;
        }
    }
    rc = rc < 0 ? rc : wtl_moneq_tags_end(&tags);
    is_int(rc, 0, "%s", script);
    for (size_t i = 0; i < tags.count; i++)
        (void)snprintf(got + strlen(got), sizeof got - strlen(got), "%s%c%lld ",
                       tags.names.texts[tags.marks[i].name - 1], tags.marks[i].begin ? '+' : '-',
                       (long long)tags.marks[i].time_ns);
    (void)snprintf(got + strlen(got), sizeof got - strlen(got), "%d%d%d", (int)tags.without_end,
                   (int)tags.without_start, (int)tags.again);
    is_str(got, want, "%s", script);
    wtl_moneq_tags_fini(&tags);
}

int main(void)
{
    /* As written by the library: END before the last sample inside. */
    run(".<a..>a..", false, "a+15 a-45 000");
    run(".>a<a...", false, "a+15 a-25 000"); /* one sample inside: END comes first */
    run(".>a.<a..", false, "a+25 a-25 000"); /* none */
    run("<a.>a...", false, "a+10 a-25 000"); /* from before the first sample */
    run("..<a.>a.", false, "a+25 a-40 000"); /* up to the last one */
    run(".<a.>a<b..>b..", false,
        "a+15 b+25 a-35 b-55 000");   /* END of a, then START of b: they overlap */
    run(".<a...", false, "a+15 100"); /* no END */
    run("..>a..", false, "a-35 010"); /* no START */
    run(".<a..<a..>a..", false, "a+15 a+35 a-65 101");
    /* As written by wattle: END after it. */
    run(".<a..>a..", true, "a+15 a-35 000");
    run(".<a>a..", true, "a+15 a-15 000");
    run(".<a..>a", true, "a+15 a-30 000");
    run(".<a.>a<a..>a.", true, "a+15 a-25 a+25 a-45 000");
    return done_testing();
}

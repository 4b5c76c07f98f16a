/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A page of html without its document, made from web/ when the program was built (docs/dev/web.md).
 * Between its parts stand, in this order:
 *
 *   part 0   TITLE     of the window: text, with & < > written as &amp; &lt; &gt;
 *   part 1   SUMMARY   what readers without JavaScript see, one paragraph: text, written so, too
 *   part 2   DOCUMENT  JSON in which each < is written \u003c: no name in it ends the element
 *   part 3
 *
 * The page fetches nothing and runs no script but its own: a policy with the script's digest stands
 * in part 0.
 */
#ifndef WTL_REPORT_PAGE_TEMPLATE_H
#define WTL_REPORT_PAGE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include <wattle/error.h>

enum { WTL_PAGE_PARTS = 4 };

/* length[0] is 0 where the page was left out of the build: node and npm were missing. */
struct wtl_page_template {
    const char *part[WTL_PAGE_PARTS]; /* ASCII, static */
    size_t length[WTL_PAGE_PARTS];
};

extern const struct wtl_page_template wtl_page_report; /* of `wattle report` */
extern const struct wtl_page_template wtl_page_pose;   /* of `wattle pose` */
extern const struct wtl_page_template wtl_page_run; /* of `wattle report` of runs of many nodes */

/* Was the page built in? Otherwise -ENOTSUP with a message that says what to do. */
int wtl_page_template_there(const struct wtl_page_template *page, struct wattle_error *err);

/* Write the page with its three places filled; title and summary are texts of any bytes. served: it may ask the
 * server that it comes from for more. 0; -ENOMEM; what
 * wtl_page_template_there() says. Errors of the stream stay in it. */
int wtl_page_template_fill(const struct wtl_page_template *page,
                           const char *title,
                           const char *summary,
                           const json_t *document,
                           bool served,
                           FILE *out,
                           struct wattle_error *err);

#endif

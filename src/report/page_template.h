/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A page of html without its document, made from web/ when the program was built (docs/dev/web.md).
 * Who writes a page writes its parts and between them, in this order:
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

#include <stddef.h>

enum { WTL_PAGE_PARTS = 4 };

/* length[0] is 0 where the page was left out of the build: node and npm were missing. */
struct wtl_page_template {
    const char *part[WTL_PAGE_PARTS]; /* ASCII, static */
    size_t length[WTL_PAGE_PARTS];
};

extern const struct wtl_page_template wtl_page_report; /* of `wattle report` */

#endif

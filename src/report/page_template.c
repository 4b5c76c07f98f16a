/* SPDX-License-Identifier: BSD-3-Clause */
/* The template with its three holes filled: see page_template.h. */
#define _GNU_SOURCE
#include "report/page_template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"
#include "report/json_value.h"

int wtl_page_template_there(const struct wtl_page_template *page, struct wattle_error *err)
{
    if (page->length[0] > 0)
        return 0;
    return wtl_fail(err, -ENOTSUP,
                    "this wattle was built without the HTML page because node or npm was missing "
                    "or npm could not download packages; rebuild it with network access after "
                    "\"scripts/setup build\", or use \"--format json\" for the data of the page");
}

/* In pieces that stdio keeps until the end, so that wtl_flush() learns why a write failed: of what is
 * longer than its buffer nothing is kept. */
static void put_part(FILE *out, const char *text, size_t length)
{
    enum { PIECE = 1024 };
    for (size_t at = 0; at < length; at += PIECE)
        (void)fwrite(text + at, 1, length - at < PIECE ? length - at : PIECE, out);
}

/* Text escaped so that it is never markup. */
static void put_text(FILE *out, const char *text)
{
    size_t n = strlen(text), length;
    for (size_t i = 0; i < n; i += length) {
        bool printable = wtl_utf8_printable(text + i, n - i, &length) > 0;
        if (!printable)
            (void)fputs(wtl_utf8_length(text + i, n - i) ? " " : "\xEF\xBF\xBD", out);
        else if (text[i] == '&')
            (void)fputs("&amp;", out);
        else if (text[i] == '<')
            (void)fputs("&lt;", out);
        else if (text[i] == '>')
            (void)fputs("&gt;", out);
        else
            (void)fwrite(text + i, 1, length, out);
    }
}

/* JSON has < in texts only, where \u003c is the same: nothing in it can end the element. */
static int put_json(const char *buffer, size_t size, void *data)
{
    FILE *out = (FILE *)data;
    const char *end = buffer + size;
    while (buffer < end) {
        const char *mark = memchr(buffer, '<', (size_t)(end - buffer));
        size_t n = (size_t)((mark ? mark : end) - buffer);
        wtl_json_put(out, buffer, n);
        if (mark)
            (void)fputs("\\u003c", out);
        buffer += n + (mark ? 1 : 0);
    }
    return 0;
}

/* The first part; served: with the permission to ask the page's own server, added to its policy. */
static void put_head(FILE *out, const char *text, size_t length, bool served)
{
    static const char policy[] = "default-src 'none';";
    const char *at = served ? memmem(text, length, policy, sizeof policy - 1) : NULL;
    size_t before = at ? (size_t)(at - text) + sizeof policy - 1 : 0;
    put_part(out, text, before);
    if (at)
        (void)fputs(" connect-src 'self';", out);
    put_part(out, text + before, length - before);
}

int wtl_page_template_fill(const struct wtl_page_template *page,
                           const char *title,
                           const char *summary,
                           const json_t *document,
                           bool served,
                           FILE *out,
                           struct wattle_error *err)
{
    int rc = wtl_page_template_there(page, err);
    if (rc < 0)
        return rc;
    put_head(out, page->part[0], page->length[0], served);
    put_text(out, title);
    put_part(out, page->part[1], page->length[1]);
    put_text(out, summary);
    put_part(out, page->part[2], page->length[2]);
    if (json_dump_callback(document, put_json, out, JSON_COMPACT | JSON_REAL_PRECISION(15)) < 0)
        return wtl_no_memory_for(err, "the page");
    put_part(out, page->part[3], page->length[3]);
    return 0;
}

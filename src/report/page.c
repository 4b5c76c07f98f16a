/* SPDX-License-Identifier: BSD-3-Clause */
/* The template with its three holes filled: see page.h and page_template.h. */
#include "report/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"
#include "report/digits.h"
#include "report/page_template.h"
#include "report/text_result.h"

int wtl_page_there(struct wattle_error *err)
{
    if (wtl_page_report.length[0] > 0)
        return 0;
    return wtl_fail(
        err, -ENOTSUP,
        "this wattle was built without the page, since node and npm were missing then "
        "or npm could not fetch what it needs; build it again where \"scripts/setup build\" "
        "and npm reach their servers; \"--format json\" prints what the page would show");
}

/* In pieces that stdio keeps until the end, so that wtl_flush() learns why a write failed: of what is
 * longer than its buffer nothing is kept. */
static void put_part(FILE *out, const char *text, size_t length)
{
    enum { PIECE = 1024 };
    for (size_t at = 0; at < length; at += PIECE)
        (void)fwrite(text + at, 1, length - at < PIECE ? length - at : PIECE, out);
}

/* Text that is no markup, whatever it holds. */
static void put_text(FILE *out, const char *text)
{
    char *clean = wtl_utf8_dup(text);
    for (const char *p = clean ? clean : "?"; *p; p++) {
        if (*p == '&')
            (void)fputs("&amp;", out);
        else if (*p == '<')
            (void)fputs("&lt;", out);
        else if (*p == '>')
            (void)fputs("&gt;", out);
        else
            (void)fputc((unsigned char)*p < ' ' || *p == 0x7f ? ' ' : *p, out);
    }
    free(clean);
}

/* What readers without scripts see. */
static void put_summary(FILE *out, const struct wtl_result *r)
{
    char energy[96], time[64], power[32];
    double half = wtl_total_half(r, NULL);
    if (isnan(r->total_j)) {
        (void)fputs("The energy is not known", out);
    } else {
        if (isnan(r->total_high_j))
            (void)wtl_digits_interval(energy, sizeof energy, r->total_j, half);
        else /* an estimate */
            (void)wtl_digits_range(energy, sizeof energy, r->total_j, r->total_low_j,
                                   r->total_high_j);
        (void)fprintf(out, "%s J (%s), %s W on average", energy, r->total.contains,
                      wtl_digits_value(power, sizeof power, r->total_w, half / r->wall_time_s));
    }
    if (!isnan(r->wall_time_s))
        (void)fprintf(out, " in %s", wtl_digits_time(time, sizeof time, r->wall_time_s));
    if (r->total.count > 0)
        (void)fprintf(out, "; %s", wattle_quality_name(r->total.quality));
    for (size_t i = 0; i < r->flag_count; i++) {
        (void)fputs(i == 0 ? ". " : "; ", out);
        put_text(out, r->flags[i].text);
    }
    (void)fputs(".", out);
}

/* JSON has < in texts only, where \u003c is the same: nothing in it can end the element. */
static int put_json(const char *buffer, size_t size, void *data)
{
    FILE *out = (FILE *)data;
    const char *end = buffer + size;
    while (buffer < end) {
        const char *mark = memchr(buffer, '<', (size_t)(end - buffer));
        size_t n = (size_t)((mark ? mark : end) - buffer);
        put_part(out, buffer, n);
        if (mark)
            (void)fputs("\\u003c", out);
        buffer += n + (mark ? 1 : 0);
    }
    return 0;
}

int wtl_page_write(FILE *out,
                   const json_t *document,
                   const struct wtl_result *result,
                   struct wattle_error *err)
{
    const struct wtl_page_template *page = &wtl_page_report;
    const char *title = json_string_value(json_object_get(document, "title"));
    int rc = wtl_page_there(err);
    if (rc < 0)
        return rc;
    put_part(out, page->part[0], page->length[0]);
    put_text(out, title ? title : "wattle");
    put_part(out, page->part[1], page->length[1]);
    put_summary(out, result);
    put_part(out, page->part[2], page->length[2]);
    if (json_dump_callback(document, put_json, out, JSON_COMPACT | JSON_REAL_PRECISION(15)) < 0)
        return wtl_fail(err, -ENOMEM, "not enough memory for the page");
    put_part(out, page->part[3], page->length[3]);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a screen: clipping, wide characters, bars, histories, untrusted text. */
#define _GNU_SOURCE
#include "cli/top/cells.h"

#include <locale.h>
#include <math.h>

#include "tap.h"

static void is_line(const struct wtl_cells *cells, int y, const char *want, const char *name)
{
    char *line = wtl_cells_line(cells, y);
    is_str(line, want, "%s", name);
    free(line);
}

static void test_text(bool unicode)
{
    struct wtl_cells cells;
    is_int(wtl_cells_init(&cells, 12, 8, unicode), 0, "a screen");
    is_int(wtl_cells_text(&cells, 1, 0, 5, WTL_LOOK_PLAIN, "abcde"), 5, "fits");
    is_line(&cells, 0, " abcde", "whole");
    is_int(wtl_cells_text(&cells, 1, 1, 5, WTL_LOOK_PLAIN, "abcdef"), 5, "does not fit");
    is_line(&cells, 1, unicode ? " abcd…" : " abcd~", "ellipsis");
    wtl_cells_text(&cells, 0, 2, 12, WTL_LOOK_PLAIN,
                   "a\033[31mb\n\xff\xc2\x9b"
                   "c");
    is_line(&cells, 2, "a?[31mb???c", "control characters and bad bytes");
    wtl_cells_text(&cells, 0, 3, 12, WTL_LOOK_PLAIN, "日本x");
    is_line(&cells, 3, unicode ? "日本x" : "??x", "wide characters");
    is_int(wtl_cells_width(&cells, "日本x"), unicode ? 5 : 3, "their width");
    wtl_cells_text(&cells, 0, 4, 4, WTL_LOOK_PLAIN, "日本x");
    is_line(&cells, 4, unicode ? "日…" : "??x", "none is cut in half");
    if (unicode) {
        wtl_cells_text(&cells, 1, 3, 1, WTL_LOOK_PLAIN, "|");
        is_line(&cells, 3, " |本x", "what is half overwritten goes");
        wtl_cells_text(&cells, 11, 5, 12, WTL_LOOK_PLAIN, "日");
        is_line(&cells, 5, "", "no half at the right end");
        wtl_cells_text(&cells, 0, 5, 12, WTL_LOOK_PLAIN, "a\u0301\u202eb");
        is_line(&cells, 5, "a?b",
                "what has no width is left out, what turns the line about is seen");
    }
    wtl_cells_right(&cells, 2, 6, 5, WTL_LOOK_PLAIN, "12");
    is_line(&cells, 6, "     12", "at the right");
    wtl_cells_right(&cells, 2, 6, 5, WTL_LOOK_PLAIN, "1234567");
    is_line(&cells, 6, unicode ? "  1234…" : "  1234~", "too long for the right");
    wtl_cells_text(&cells, -3, 7, 20, WTL_LOOK_PLAIN, "outside is left out");
    wtl_cells_text(&cells, 0, 99, 20, WTL_LOOK_PLAIN, "no such line");
    is_line(&cells, 7, "side is left", "clipped on both sides");
    wtl_cells_fini(&cells);
}

static void test_pictures(bool unicode)
{
    struct wtl_cells cells;
    const float values[] = {0, 10, 50, NAN, 100, 120};
    (void)wtl_cells_init(&cells, 16, 8, unicode);
    wtl_cells_bar(&cells, 0, 0, 8, 50, 100);
    is_line(&cells, 0, unicode ? "████····" : "####----", "half a bar");
    wtl_cells_bar(&cells, 0, 1, 8, 3, 100);
    is_line(&cells, 1, unicode ? "▎·······" : "--------", "eighths");
    wtl_cells_bar(&cells, 0, 2, 8, 300, 100);
    is_line(&cells, 2, unicode ? "████████" : "########", "more than full");
    wtl_cells_bar(&cells, 0, 3, 8, NAN, 100);
    is_line(&cells, 3, unicode ? "········" : "--------", "unknown");
    wtl_cells_bar(&cells, 0, 4, 8, 1, 0);
    is_line(&cells, 4, unicode ? "········" : "--------", "no scale");
    wtl_cells_history(&cells, 0, 5, 8, values, 6, 100);
    is_line(&cells, 5, unicode ? "  ▁▂▅x██" : "  _.=x##", "a history with a gap");
    wtl_cells_history(&cells, 0, 6, 3, values, 6, 100);
    is_line(&cells, 6, unicode ? "x██" : "x##", "its newest part");
    wtl_cells_history(&cells, 0, 7, 3, values, 0, 100);
    is_line(&cells, 7, "", "none");
    wtl_cells_fini(&cells);
}

int main(void)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip_all("no locale C.UTF-8");
    test_text(false);
    test_text(true);
    test_pictures(false);
    test_pictures(true);
    return done_testing();
}

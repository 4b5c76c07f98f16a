/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrapping: plain text, and text that was laid out for a wider page. */
#define _GNU_SOURCE
#include "base/text/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static const char help[] = "Usage: x [OPTION]...\n"
                           "A sentence that is longer than the page on which it will be, at last,\n"
                           "printed, and its end.\n"
                           "\n"
                           "  -a, --all     everything that there is to see, of all the parts\n"
                           "                and of what is in them\n"
                           "  -b, --brief   short\n"
                           "                on purpose\n"
                           "\n"
                           "Examples:\n"
                           "  x --all --brief --and-more-of-the-same | grep something else\n";

static char *laid_out(const char *text, int width)
{
    char *to = NULL;
    size_t size;
    FILE *out = open_memstream(&to, &size);
    wtl_wrap_laid_out(out, text, width);
    (void)fclose(out);
    return to;
}

static void is(char *got, const char *wanted, const char *what)
{
    bool same = strcmp(got, wanted) == 0;
    ok(same, "%s", what);
    if (!same)
        printf("# got:\n%s\n", got);
    free(got);
}

int main(void)
{
    is(laid_out(help, 80), help, "what fits stays as it is");
    is(laid_out(help, 40),
       "Usage: x [OPTION]...\n"
       "A sentence that is longer than the page\n"
       "on which it will be, at last, printed,\n"
       "and its end.\n"
       "\n"
       "  -a, --all     everything that there is\n"
       "                to see, of all the parts\n"
       "                and of what is in them\n"
       "  -b, --brief   short\n"
       "                on purpose\n"
       "\n"
       "Examples:\n"
       "  x --all --brief --and-more-of-the-same | grep something else\n",
       "lines are joined and wrapped below their text; short ones and examples stay");

    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    (void)fputs("    ", out);
    wtl_wrap(out, "one  two\nthree f\xc3\xbcnf\x1b", 4, 2, 12);
    (void)fclose(out);
    is(text, "    one two\n  three\n  f\xc3\xbcnf?",
       "words, columns of characters, nothing that moves the cursor");

    setenv("COLUMNS", "20", 1);
    is_int(wtl_page_width(stdout), 60, "60 columns at least");
    setenv("COLUMNS", "1000", 1);
    is_int(wtl_page_width(stdout), 200, "200 at most");
    setenv("COLUMNS", "wide", 1);
    is_int(wtl_page_width(stdout), WTL_PAGE_WIDTH, "80 where nothing says it");
    return done_testing();
}

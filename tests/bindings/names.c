/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of every kind, crossing and unbalanced regions, and many of them; the test "names" knows the expected
 * results. */
#include <wattle/region.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void visit(const char *name)
{
    wattle_region_begin_name(name);
    wattle_region_end_name(name);
}

static void odd_names(void)
{
    static const char *const odd[] = {
        "a,b;c",        "two\nlines",   "say \"so\"",   "it's",
        "tab\there",    "\x01\x02\x7f", "b\xff\xfe",    "\xc3\xa9t\xc3\xa9",
        "<b>&amp;</b>", " blanks ",     "=1+1",         "null",
        "back\\slash",  "\r\n",         "\xe2\x80\xae", "</script>"};
    char longest[300];

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        visit(odd[i]);
    memset(longest, 'L', sizeof longest);
    longest[255] = '\0';
    visit(longest);
    longest[255] = 'L';
    longest[256] = '\0';
    visit(longest); /* refused: 2 calls */
    visit("");      /* 2 more */
    wattle_region_begin(0);
    wattle_region_end(0); /* and 2 */
}

static void *other(void *unused)
{
    (void)unused;
    wattle_region_begin_name("left open");
    wattle_region_end_name("never begun");
    return NULL;
}

static void bad_nesting(void)
{
    pthread_t thread;

    wattle_region_begin_name("a");
    wattle_region_begin_name("b");
    wattle_region_end_name("a"); /* crosses b */
    wattle_region_end_name("b");
    wattle_region_end_name("b"); /* once too often */
    if (pthread_create(&thread, NULL, other, NULL) == 0)
        (void)pthread_join(thread, NULL);
}

/* One more than the limit. */
static int many_names(void)
{
    char name[32];
    int refused = 0;

    for (int i = 0; i < 65536; i++) {
        (void)snprintf(name, sizeof name, "n%05d", i);
        refused += wattle_region_id(name) == 0;
        visit(name);
    }
    return refused;
}

/* N pairs, nested in groups of ten. */
static void many_regions(long n)
{
    uint32_t outer = wattle_region_id("outer"), inner = wattle_region_id("inner");

    for (long i = 0; i < n; i += 10) {
        wattle_region_begin(outer);
        for (int j = 1; j < 10; j++) {
            wattle_region_begin(inner);
            wattle_region_end(inner);
        }
        wattle_region_end(outer);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "odd";

    if (strcmp(what, "odd") == 0) {
        odd_names();
        bad_nesting();
    } else if (strcmp(what, "names") == 0) {
        printf("%d refused\n", many_names());
    } else {
        many_regions(strtol(what, NULL, 10));
    }
    return 0;
}
